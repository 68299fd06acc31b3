"""A person's hand on a managed note, for tests: a note as its blocks, and the edits people really make.

Blocks are told apart by a rule of one line, on purpose not the parser's: inside a section, a line that starts
with a bullet is an item, with the indented lines below it; every other line is free, and says `libre`.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from hypothesis import strategies as st

SECTIONS = ("preferences", "goals", "procedures", "decisions", "facts")
OUR_ID = re.compile(r"[ \t]?\^f-[0-9a-hjkmnp-tv-z]{8}(?=[ \t\r\n]|\Z)")
ANY_OF_OURS = re.compile(r"\^(f-[0-9a-hjkmnp-tv-z]{8})(?=[ \t\r\n]|\Z)")
SECRET = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
_MARKER = re.compile(r"<!-- clavaire:(begin|end) (\w+) -->[ \t]*\r?\n?\Z")
_ANCHOR = re.compile(r"\^\w+\s*\Z")
_BULLET = re.compile(r"[-*+] \S")


@dataclass
class Block:
    """A free line, or an item with what belongs to it; `section` is the one it stands in."""

    lines: list[str]
    section: str | None = None
    item: bool = False

    @property
    def bare(self) -> str:
        """The block without ids of ours."""
        return OUR_ID.sub("", "".join(self.lines))


@dataclass
class Page:
    """A note taken apart."""

    blocks: list[Block] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(line for block in self.blocks for line in block.lines)

    @property
    def items(self) -> list[Block]:
        return [block for block in self.blocks if block.item]

    @property
    def skeleton(self) -> list[str]:
        """Every line that is not an item's: what no write of ours may change."""
        return [block.bare for block in self.blocks if not block.item]

    @property
    def eol(self) -> str:
        return "\r\n" if "\r\n" in self.text else "\n"

    def places(self, section: str) -> list[int]:
        """Where an item may be typed so that it swallows no paragraph below it."""
        found = []
        for index, block in enumerate(self.blocks):
            end = _MARKER.match(block.lines[0])
            inside = block.section == section or (end and end[1] == "end" and end[2] == section)
            if inside and (block.item or end or not block.lines[0].strip() or block.lines[0][0] in "#>`"):
                found.append(index)
        return found


def page(text: str) -> Page:
    blocks: list[Block] = []
    section: str | None = None
    for line in re.findall(r"[^\n]*\n|[^\n]+\Z", text):
        marker = _MARKER.match(line)
        last = blocks[-1] if blocks else None
        if marker:
            section = marker[2] if marker[1] == "begin" else None
            blocks.append(Block([line], None))
        elif section and _BULLET.match(line) and "libre" not in line:
            blocks.append(Block([line], section, item=True))
        elif section and last and last.item and line[0] in " \t" and line.strip() and "libre" not in line:
            last.lines.append(line)
        else:
            blocks.append(Block([line], section))
    return Page(blocks)


Act = Callable[[str], str]
"""What a person does to a note's text."""

_subjects = st.sampled_from(
    [
        "Aime le thé",
        "aime  le thé.",
        "N'aime pas le thé",
        "Dort 8 heures",
        "Dort 7 heures",
        "Dentiste : Dr Martin",
        "Dentiste : Dr Petit",
        "Dentiste : Dr Petitt",
        "dentiste: Dr Roux",
        "Enfant : Léa",
        "Enfant : Tom",
        "Voir [[Note#^abc|la note]]",
        "[ ] Une tâche",
        "**Gras** et `code: x`",
        "x",
    ]
)
_tails = st.sampled_from(
    [
        "",
        "",
        "",
        "",
        " [depuis:: 2026-09-01]",
        " [depuis:: 2027]",
        " [jusqu'à:: 2026-12-02]",
        " [revoir:: 2026-12-01]",
    ]
)
_anchors = st.sampled_from(["", "", "", "", " ^p1", " ^p2"])
_children = st.sampled_from(
    [(), (), (), ("\t1. Créer", "\t2. Relier"), ("  suite du texte",), ("    - enfant",)]
)


@st.composite
def _lines(draw) -> tuple[str, ...]:
    first = draw(_subjects) + draw(_tails) + draw(_anchors)
    return (first, *draw(_children))


wordings = st.one_of(_lines(), _lines(), _lines(), st.just((f"Jeton : {SECRET}",)))
indices = st.integers(0, 9)
sections = st.sampled_from(SECTIONS)


def _ended(page: Page, lines: tuple[str, ...]) -> list[str]:
    return [line + page.eol for line in lines]


def _pick(blocks: list[Block], index: int) -> Block | None:
    return blocks[index % len(blocks)] if blocks else None


def add(section: str, place: int, wording: tuple[str, ...], bullet: str = "-") -> Act:
    """Type a new item."""

    def act(text: str) -> str:
        note = page(text)
        places = note.places(section)
        if places:
            lines = _ended(note, (f"{bullet} {wording[0]}", *wording[1:]))
            note.blocks.insert(places[place % len(places)], Block(lines, section, item=True))
        return note.text

    return act


def reword(index: int, wording: tuple[str, ...], *, keep_id: bool = True) -> Act:
    """Change the text of an item, its id left at the end of its first line, or lost."""

    def act(text: str) -> str:
        note = page(text)
        block = _pick(note.items, index)
        if block:
            ids = ANY_OF_OURS.findall("".join(block.lines)) if keep_id else []
            first = f"- {wording[0]}" + "".join(f" ^{name}" for name in ids[:1])
            block.lines[:] = _ended(note, (first, *wording[1:]))
        return note.text

    return act


def delete(index: int, number: int = 1) -> Act:
    """Delete items."""

    def act(text: str) -> str:
        note = page(text)
        items = note.items
        for block in items[index % len(items) :][:number] if items else []:
            block.lines[:] = []
        return note.text

    return act


def clear(section: str) -> Act:
    """Delete every item of a section."""

    def act(text: str) -> str:
        note = page(text)
        return Page([block for block in note.blocks if not (block.item and block.section == section)]).text

    return act


def duplicate(index: int) -> Act:
    """Copy an item below itself, id and all."""

    def act(text: str) -> str:
        note = page(text)
        block = _pick(note.items, index)
        if block:
            block.lines += list(block.lines)
        return note.text

    return act


def carry(index: int, wording: tuple[str, ...]) -> Act:
    """Press Enter before the id of an item and type: the id goes down with the new line."""

    def act(text: str) -> str:
        note = page(text)
        block = _pick(note.items, index)
        if block:
            names = ANY_OF_OURS.findall(block.lines[0])
            bare = OUR_ID.sub("", block.lines[0]).rstrip("\r\n")
            tail = "".join(f" ^{name}" for name in names)
            block.lines[:1] = _ended(note, (bare, f"- {wording[0]}{tail}"))
        return note.text

    return act


def cut_and_paste(index: int, section: str, place: int) -> Act:
    """Move an item to another place."""

    def act(text: str) -> str:
        note = page(text)
        block = _pick(note.items, index)
        if block:
            note.blocks = [one for one in note.blocks if one is not block]
            places = note.places(section)
            if places:
                note.blocks.insert(places[place % len(places)], block)
        return note.text

    return act


def copy_and_paste(index: int, section: str, place: int) -> Act:
    """Copy an item to another place, id and all."""

    def act(text: str) -> str:
        note = page(text)
        block, places = _pick(note.items, index), note.places(section)
        if block and places:
            note.blocks.insert(places[place % len(places)], Block(list(block.lines), section, item=True))
        return note.text

    return act


def label(index: int, anchor: str) -> Act:
    """Put a block id at the end of an item's first line, if it has none but of ours."""

    def act(text: str) -> str:
        note = page(text)
        block = _pick(note.items, index)
        if block and not _ANCHOR.search(OUR_ID.sub("", block.lines[0])):
            block.lines[0] = block.lines[0].rstrip("\r\n") + anchor + note.eol
        return note.text

    return act


def swap_ids(index: int, other: int) -> Act:
    """Exchange the first lines of two items but leave their ids where they were."""

    def act(text: str) -> str:
        note = page(text)
        one, two = _pick(note.items, index), _pick(note.items, other)
        if one and two and one is not two:
            first, second = (ANY_OF_OURS.findall(block.lines[0]) for block in (one, two))
            bare = [OUR_ID.sub("", block.lines[0]).rstrip("\r\n") for block in (one, two)]
            one.lines[0] = bare[0] + "".join(f" ^{name}" for name in second) + note.eol
            two.lines[0] = bare[1] + "".join(f" ^{name}" for name in first) + note.eol
        return note.text

    return act


_FREE = (
    ("### libre {n}",),
    ("> [!note] libre {n}", "> libre {n} corps"),
    ("", "Un paragraphe libre {n}.", ""),
    ("", "libre {n} trait  ", "libre {n} suite\t", ""),
    ("", "%% libre {n} %%", ""),
    ("", "```", "- libre {n} : pas un fait", "```", ""),
)


def write_freely(number: int, shape: int, place: int) -> Act:
    """Type lines that are no fact, inside a section or out of them."""

    def act(text: str) -> str:
        note = page(text)
        spots = [index for section in SECTIONS for index in note.places(section)]
        index = spots[place % len(spots)] if spots and place % 3 else 1
        lines = _ended(note, tuple(line.format(n=number) for line in _FREE[shape % len(_FREE)]))
        note.blocks[index:index] = [Block([line]) for line in lines]
        return note.text

    return act


def erase_freely(index: int) -> Act:
    """Delete every line of one free passage."""

    def act(text: str) -> str:
        names = re.findall(r"libre (\d+)", text)
        if not names or "```" in text:
            return text
        name = names[index % len(names)]
        gone = re.compile(rf"libre {name}\b")
        return "".join(line for line in re.findall(r"[^\n]*\n|[^\n]+\Z", text) if not gone.search(line))

    return act


def flip_endings(text: str) -> str:
    """Save with the other line endings."""
    return text.replace("\r\n", "\n") if "\r\n" in text else text.replace("\n", "\r\n")


def drop_ids(text: str) -> str:
    """Run a tool that strips our ids."""
    return OUR_ID.sub("", text)


def trim_end(text: str) -> str:
    """Save without the final newline."""
    return text.rstrip("\r\n")


def toggle_bom(text: str) -> str:
    return text[1:] if text.startswith("\ufeff") else "\ufeff" + text


def break_marker(index: int) -> Act:
    """Delete a marker line."""

    def act(text: str) -> str:
        note = page(text)
        markers = [block for block in note.blocks if _MARKER.match(block.lines[0])]
        block = _pick(markers, index)
        if block:
            block.lines[:] = []
        return note.text

    return act


adds = st.builds(add, sections, indices, wordings, st.sampled_from("--*"))
"""A new line."""
acts = st.one_of(
    adds,
    adds,
    st.builds(reword, indices, wordings, keep_id=st.sampled_from([True, True, True, False])),
    st.builds(reword, indices, wordings, keep_id=st.sampled_from([True, True, True, False])),
    st.builds(delete, indices, st.sampled_from([1, 1, 1, 2, 5])),
    st.builds(delete, indices, st.sampled_from([1, 1, 1, 2, 5])),
    st.builds(clear, sections),
    st.builds(duplicate, indices),
    st.builds(carry, indices, wordings),
    st.builds(cut_and_paste, indices, sections, indices),
    st.builds(copy_and_paste, indices, sections, indices),
    st.builds(label, indices, st.sampled_from([" ^p1", " ^p2"])),
    st.builds(swap_ids, indices, indices),
    st.builds(write_freely, st.integers(1, 99), indices, indices),
    st.builds(erase_freely, indices),
    st.sampled_from([flip_endings, drop_ids, trim_end, toggle_bom]),
)
"""One edit of Profil.md that leaves its markers whole."""
