"""What a list item of ours states: id, anchor, trailing fields, text, key and value (vault-notes.md, Facts)."""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from parsers.dates import Period, period
from parsers.ids import DIGITS
from parsers.items import Item, begun, items, pieces
from parsers.model.notes import Section
from parsers.protection import NO, YES

_CODE = re.compile(r"(?<![`\\])(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
_OURS = re.compile(rf"(?:(?<=\s)|\A)\^([a-z]-{DIGITS})(?=[^\w\]^-]|\Z)")
"""An id of ours; what the person typed right after it, a full stop say, is text."""
_BELOW = re.compile(rf"(?:[ \t]|^)\^[ef]-{DIGITS}(?=[^\w\]^-]|$)")
"""An id of ours that came along with a line, now below a fact's: no part of what the fact says."""
_CLOSING = frozenset(".,;:!?…)»”\"'’*_~")
_ANCHOR = re.compile(r"(?:(?<=\s)|\A)\^([A-Za-z0-9-]+)\Z")
_FIELD = re.compile(r"\s*\[([^\[\]:]+)::[ \t]*([^\[\]]*|\[\[[^\[\]]+\]\][ \t]*)\]\Z")
_LINK = re.compile(r"\[\[([^\[\]|#]+)(?:#[^\[\]|]*)?(?:\|([^\[\]]*))?\]\]")
_LINE_BREAK = re.compile(r"[ \t]*\r?\n[ \t]*")
_KEY = re.compile(r"([^:\n]{1,60}?)[ \u00a0\u202f]?:[ \t\u00a0\u202f]+(?=\S)")

_NAMES = {
    "depuis": "since",
    "since": "since",
    "jusqu'à": "until",
    "until": "until",
    "sensible": "sensitive",
    "sensitive": "sensitive",
    "revoir": "review",
    "review": "review",
    "à propos": "about",
    "about": "about",
}
"""Keys of the fields of a fact, in either language."""


@dataclass(frozen=True, slots=True)
class Fields:
    """The trailing Dataview fields of a line that clavaire understands; None where the person wrote none."""

    since: Period | None = None
    until: Period | None = None
    sensitive: bool | None = None
    review: Period | None = None
    about: str | None = None
    """Target of the link that says what the fact is about."""


@dataclass(frozen=True, slots=True)
class Wording:
    """A text taken apart."""

    text: str
    key: str | None
    value: str | None
    fields: Fields = Fields()


@dataclass(frozen=True, slots=True)
class Statement:
    """What one list item says, apart from where it stands: offsets count from the item's first character."""

    item: Item
    id: str | None
    """Our id, found anywhere in the first paragraph."""
    anchor: str | None
    """Another block id, at the end of the first paragraph."""
    id_spans: tuple[tuple[int, int], ...]
    """Where our ids and the anchor stand, with the blank before each: what is cut when an id leaves the line."""
    settled: bool
    """True when the only id of ours, if any, stands at the end of the first paragraph."""
    fields_start: int
    """Offset where the trailing fields start (the end of the text when there are none)."""
    wording: Wording
    indent: str = ""
    """What stands before its marker, and before its other lines too: no part of its text."""


class Spot(NamedTuple):
    """A statement where it stands in a note."""

    section: str
    """Name of its section; of a statement below somebody in Personnes.md, their id once it is known."""
    start: int
    """Offset of the item's first character in the note's text."""
    line: int
    """1-based line of the item's first line."""
    says: Statement
    under: int = 0
    """Offset of the line of the person it stands below, 0 for none."""
    entity: str | None = None
    """Whom or what it is about, once that is known; None: the owner."""
    reach: int = 0
    """Of a person's line, the offset after all that stands below it."""

    @property
    def stop(self) -> int:
        """Offset after the item's last line ending."""
        return self.start + len(self.says.item.text)


def bearers(
    lines: Iterable[tuple[int, Spot]], anchors: Mapping[str, tuple[str, Collection[str]]]
) -> dict[int, str]:
    """Give the line meant by each anchor (anchor → fact, its texts): the first with one of them, else the first."""
    best: dict[str, tuple[int, bool]] = {}
    for index, spot in lines:
        says = spot.says
        if says.anchor and says.anchor in anchors:
            known = says.wording.text in anchors[says.anchor][1]
            if says.anchor not in best or (known and not best[says.anchor][1]):
                best[says.anchor] = index, known
    return {index: anchors[anchor][0] for anchor, (index, _) in best.items()}


def spots(clear: str, section: Section) -> list[Spot]:
    """Give the statements of a section of a note whose comments are masked."""
    return spots_in(clear, section, section.start, section.end, section.begin_line + 1)


def spots_in(clear: str, section: Section, start: int, stop: int, line: int) -> list[Spot]:
    """Give the statements of a part of a section, which starts at `line` and where an item starts."""
    found = []
    counted = base = start
    for at, piece in pieces(clear[start:stop]):
        start = base + at
        line += clear.count("\n", counted, start)
        counted = start
        for offset, lines, says in statements(piece):
            found.append(Spot(section.name, start + offset, line + lines, says))
    return found


@lru_cache(maxsize=16384)
def statements(piece: str) -> tuple[tuple[int, int, Statement], ...]:
    """Give (offset, lines before it, statement) of each item of a piece; the same text gives the same objects."""
    return tuple((offset, lines, statement(item)) for offset, lines, item in items(piece))


Reads = Callable[[str, str], tuple[int, Wording]]
"""(first paragraph without ids, what stands below it) → (offset where its fields start, what it says)."""


def fact_wording(said: str, below: str) -> tuple[int, Wording]:
    """Take the item of a fact apart: trailing fields, then key and value of its first paragraph."""
    kept, fields = _trailing_fields(said)
    first = one_line(kept)
    return len(kept.rstrip()), _keyed(first + ("\n" + below if below else ""), fields)


def reword(text: str) -> Wording:
    """Take a typed text apart: trailing fields, then key and value of its first line."""
    first, _, rest = text.partition("\n")
    kept, fields = _trailing_fields(first)
    return _keyed(kept.strip() + ("\n" + rest if rest else ""), fields)


_ID_LIKE = re.compile(rf"(?:(?<=\s)|\A)\^(?=[A-Za-z0-9-]+(?:\s|\Z)|[a-z]-{DIGITS}(?![\w\]^-]))")
_BLOCK_START = re.compile(r"(?:[#>`~<|=+*_-]|\[(?!\[)|\d{1,9}(?=[.)](?:\s|\Z)))")


_LIVE = re.compile(r"(?<!\\)((?:\\\\)*)(<(?=[A-Za-z/!?%])|!(?=\[)|`(?=\$?=))")
"""What Obsidian or a plug-in would carry out or fetch instead of showing it: HTML, images and embeds, queries."""
_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""Signs that show what follows in another order than it is written in."""
_UNSEEN = ("Cc", "Cf", "Cs", "Zs", "Zl", "Zp")
"""Categories of characters that show nothing: controls, zero-width signs, half a pair, blanks."""
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0").union(
    map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)))
)
"""Letters and marks that show nothing either: fillers, the empty Braille cell, variation selectors."""


def as_item(text: str) -> str:
    """Give a text from elsewhere as one line that a list item can hold: read back, it says the same.

    Blanks are joined; what would start a block, a comment or an id, or would not be shown as it is written, is
    escaped with a backslash, once.
    """
    line = " ".join(_TURNING.sub("", text.replace("\0", " ")).split())
    line = _LIVE.sub(r"\1\\\2", line).replace("%%", "\\%\\%")
    start = _BLOCK_START.match(line)
    if start:
        line = line[: start.end()] + "\\" + line[start.end() :] if start[0].isdigit() else "\\" + line
    return _ID_LIKE.sub(r"\\^", line)


def says_nothing(text: str) -> bool:
    """Tell whether a typed text holds no words, but for fields: what no reader sees is none."""
    return not any(map(_is_seen, reword(" ".join(text.split())).text))


def _is_seen(char: str) -> bool:
    return unicodedata.category(char) not in _UNSEEN and char not in _BLANK


def one_line(text: str) -> str:
    """Give the lines of a paragraph as one."""
    return _LINE_BREAK.sub(" ", text.strip())


def unlinked(text: str) -> str:
    """Give a text with the words a reader sees in the place of its links."""
    return _LINK.sub(lambda link: (link[2] or link[1].rpartition("/")[2]).strip(), text)


def link_target(said: str) -> str | None:
    """Give the note that a text which is one link, and nothing else, leads to, as written there."""
    link = _LINK.fullmatch(said.strip())
    return link[1].strip() or None if link else None


def first_line(says: Statement) -> str:
    """Give the first paragraph of an item as one line, with its trailing fields and without ids."""
    fields = says.item.text[says.fields_start : says.item.para_end]
    for start, end in reversed(says.id_spans):
        low, high = max(start - says.fields_start, 0), max(end - says.fields_start, 0)
        fields = fields[:low] + fields[high:]
    return says.wording.text.partition("\n")[0] + fields.rstrip()


def statement(item: Item, indent: str = "", reads: Reads = fact_wording) -> Statement:
    """Read one item; its other lines stand behind the same `indent`, and `reads` takes its first paragraph apart."""
    para = item.text[item.body : item.para_end]
    spans, ids, anchor = _ids(para)
    kept, wording = reads(cut(para, spans).rstrip(), _children(item.text[item.para_stop :], indent))
    at_end = not ids or anchor is not None or (len(ids) == 1 and spans[-1][1] == len(para))
    return Statement(
        item=item,
        id=ids[0] if ids else None,
        anchor=anchor,
        id_spans=tuple((item.body + start, item.body + end) for start, end in spans),
        settled=at_end and len(ids) <= 1,
        fields_start=item.body + uncut(kept, spans),
        wording=wording,
        indent=indent,
    )


def codeless(para: str) -> str:
    """Give a paragraph with its code spans blanked: same length."""
    return _CODE.sub(lambda code: "\0" * len(code[0]), para)


def glued(after: str) -> bool:
    """Tell whether words come right after what is ours: the blank before it is then theirs."""
    return bool(after) and not after[0].isspace() and after[0] not in _CLOSING


def wholes(para: str, spans: Iterable[tuple[int, int]], bare: str) -> list[tuple[int, int]]:
    """Give what is cut with each thing of ours: the blank before it, and its line where nothing else stands there.

    A blank line left behind would end the paragraph. `bare` is the paragraph with all that is cut blanked.
    """
    found: list[tuple[int, int]] = []
    for one in spans:
        start, end = _whole(para, *one, bare)
        found.append((max(start, found[-1][1]) if found else start, end))
    return found


def _whole(para: str, start: int, end: int, bare: str) -> tuple[int, int]:
    first, last = bare.rfind("\n", 0, start) + 1, bare.find("\n", end)
    if last >= 0 and not bare[first:last].strip() and not para[end:last].strip():
        blanks = len(para[:start]) - len(para[:start].rstrip(" \t"))
        stop = last + 1
        while not first and para[stop : stop + 1] in (" ", "\t"):
            stop += 1
        return start - blanks, stop
    return start - (start > 0 and para[start - 1] in " \t" and not glued(para[end:])), end


def _ids(para: str) -> tuple[list[tuple[int, int]], list[str], str | None]:
    """Where ids stand (each with the blank before it), which are ours, and the anchor at the end."""
    bare = codeless(para)
    found = list(_OURS.finditer(bare))
    for one in found:
        bare = bare[: one.start()] + " " * (one.end() - one.start()) + bare[one.end() :]
    anchored = _ANCHOR.search(bare.rstrip())
    spans = sorted(one.span() for one in (*found, *([anchored] if anchored else [])))
    if anchored:
        bare = bare[: anchored.start()].ljust(len(bare))
    return wholes(para, spans, bare), [one[1] for one in found], anchored[1] if anchored else None


def cut(para: str, spans: Iterable[tuple[int, int]]) -> str:
    """Give a text without these spans of it."""
    parts, at = [], 0
    for start, end in spans:
        parts.append(para[at:start])
        at = end
    return "".join((*parts, para[at:]))


def uncut(at: int, spans: Iterable[tuple[int, int]]) -> int:
    """Give where an offset of a text stood before these spans were cut from it."""
    for start, end in spans:
        if start >= at:
            break
        at += end - start
    return at


def _children(raw: str, indent: str) -> str:
    lines = [line.removesuffix("\r") for line in raw.split("\n")][1:]
    while lines and (not lines[-1].strip() or begun(lines[-1])):
        lines.pop()
    lines = [_BELOW.sub("", line) for line in lines] if "^" in raw else lines
    # A blank line stays as it is, or what is indented again would not read the same.
    return "\n".join(line.removeprefix(indent) if line.strip() else line for line in lines)


def _trailing_fields(said: str) -> tuple[str, Fields]:
    kept, found = trailing(said, _NAMES)
    return kept, Fields(**found)  # type: ignore[arg-type]  # each name has the type _value gave it


def trailing(said: str, names: Mapping[str, str]) -> tuple[str, dict[str, Period | bool | str]]:
    """Cut the trailing fields off whose keys are among these: what is left, and their values by name."""
    found: dict[str, Period | bool | str] = {}
    while field := _FIELD.search(said):
        name = names.get(field_key(field[1]))
        value = _value(name, field[2]) if name and name not in found else None
        if name is None or value is None:
            break
        found[name] = value
        said = said[: field.start()]
    return said, found


def field_key(spelt: str) -> str:
    """Give the key of a field as it is compared."""
    return unicodedata.normalize("NFC", spelt).strip().casefold().replace("\u2019", "'")


def _value(name: str, said: str) -> Period | bool | str | None:
    if name == "about":
        return link_target(said)
    if name != "sensitive":
        return period(said)
    word = said.strip().casefold()
    return True if word in YES else False if word in NO else None


def _keyed(text: str, fields: Fields) -> Wording:
    found = _KEY.match(text)
    if not found or _inside_something(text[: found.end()]):
        return Wording(text, None, None, fields)
    key = found[1].strip()
    return Wording(text, key or None, text[found.end() :].strip() if key else None, fields)


def _inside_something(head: str) -> bool:
    """Tell whether the colon stands in a link, code or URL that began before it."""
    opened = head.count("[") > head.count("]") or head.count("(") > head.count(")")
    return opened or head.count("`") % 2 == 1 or "://" in head
