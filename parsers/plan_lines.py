"""The lines of a plan note that are ours: where each stands, and whether it is a line for Obsidian too (case C11).

A line of ours is a list item in the first column of one of our sections, with an id of that section. What looks
like one in a fence, a comment, a quote or another item is text.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from parsers.blocks import Scanner
from parsers.ids import DIGITS
from parsers.inline import block_ids, cover
from parsers.model.notes import BlockId, Properties, Section
from parsers.properties import read
from parsers.structure import Open

APPROVE, REFUSE, CODE, STATE = "go", "no", "code", "state"
"""Ids of the lines of the section `approval`."""
_NUMBERED = "(?:pause|resume|cancel|undo)-[0-9]{1,9}"
_IDS = {
    "approval": f"{APPROVE}|{REFUSE}|{CODE}|{STATE}",
    "steps": f"s-{DIGITS}",
    "controls": _NUMBERED,
    "evidence": "ev-[0-9]{1,9}",
}
SECTIONS = ("approval", "steps", "controls", "evidence", "plan")
"""The sections of a plan note, in order."""
COUNTING = re.compile(rf"(?:{APPROVE}|{REFUSE}|{CODE}|{_NUMBERED})\Z", re.IGNORECASE)
"""Ids that are no tick at all when they stand twice."""

_ID = {name: re.compile(rf"(?:(?<=\s)|\A)\^({ids})(?=\s|\Z)") for name, ids in _IDS.items()}
_BOX = re.compile(r"\[.\](?:[ \t]+|\Z)")
_STEP_BOX = re.compile(r"^([-*+] \[).(?=\](?:[ \t]|$))", re.MULTILINE)
_JSON = re.compile(r"(`{3,})json[ \t]*(?:\r?\n|\Z)")


@dataclass(frozen=True, slots=True)
class OwnLine:
    """One line of ours; offsets are characters of the note's text."""

    section: str
    id: str
    line: int
    """1-based."""
    start: int
    end: int
    """Before its line ending."""
    stop: int
    """After its line ending."""
    char: str | None
    """What stands in its box, None where it has none."""
    box: int
    """Offset of that character, -1 where there is none."""
    before: str
    """What it says before its id, without list marker and box."""
    after: str
    """What stands behind its id."""

    @property
    def ticked(self) -> bool:
        """Whether it is a task of Obsidian's with `[x]` or `[X]`, its id at the end."""
        return self.char in {"x", "X"} and (not self.after or self.id == REFUSE)


@dataclass(frozen=True, slots=True)
class Fence:
    """A JSON fence of the first column: offsets of its opening line and behind its closing one."""

    start: int
    end: int
    line: int
    """1-based line of the fence's opening."""
    content: str
    """The lines between the two."""


class Layout:
    """A plan note's text as Obsidian sees its blocks, scanned once."""

    def __init__(self, text: str) -> None:
        """Scan a text."""
        self.text = text
        self.properties: Properties = read(text)
        self._scanner = Scanner(text, self.properties.body, self.properties.end_line + 1).run()

    def items(self, section: Section) -> Iterator[Open]:
        """Give the items of a section that stand in no other and start in the first column."""
        for item in self._scanner.items:
            inside = section.begin_line < item.line < section.end_line
            at_root = item.parent is None and item.shape is None
            if inside and at_root and self.text[item.start - 1] == "\n":
                yield item

    def own_lines(self, sections: Iterable[Section]) -> tuple[OwnLine, ...]:
        """Give our lines, in order."""
        found = []
        for section in sections:
            for item in self.items(section) if section.name in _ID else ():
                line = self._own(section.name, item)
                if line:
                    found.append(line)
        return tuple(found)

    def marks(self, name: str) -> bool:
        """Tell whether a marker of ours with that name stands in the note."""
        return any(one.name == name for one in self._scanner.marks)

    def tasks(self) -> dict[int, int]:
        """Give where the box is of each task of the note, by its line."""
        return {item.line: item.content + 1 for item in self._scanner.items if item.char is not None}

    def standing(self) -> tuple[BlockId, ...]:
        """Give the block ids of the whole note, where Obsidian reads them."""
        return block_ids(self.text, self._scanner.paragraphs, cover(self._scanner)[0])

    def fences(self, section: Section | None = None) -> Iterator[Fence]:
        """Give the JSON fences of the first column, of one section or all."""
        for start, end in self._scanner.code:
            opening = _JSON.match(self.text, start)
            if opening and (section is None or section.start <= start < section.end):
                end -= self.text[end - 1] == "\r"  # noqa: PLW2901 - the line ending is no part of the fence
                last = self.text.rfind("\n", start, end) + 1
                line = self.text.count("\n", 0, start) + 1
                yield Fence(start, end, line, self.text[opening.end() : max(last, opening.end())])

    def _own(self, section: str, item: Open) -> OwnLine | None:
        end = self.text.find("\n", item.start)
        stop = len(self.text) if end < 0 else end + 1
        end = len(self.text) if end < 0 else end - (self.text[end - 1] == "\r")
        body = self.text[item.content : end]
        found = list(_ID[section].finditer(body))
        if not found:
            return None
        box = _BOX.match(body) if item.char is not None else None
        said = box.end() if box and box.end() <= found[-1].start() else 0
        return OwnLine(
            section,
            found[-1][1],
            item.line,
            item.start,
            end,
            stop,
            item.char,
            item.content + 1 if item.char is not None else -1,
            body[said : found[-1].start()].strip(),
            body[found[-1].end() :].strip(),
        )


def shown_hash(content: str) -> str:
    """Give the SHA-256 of the content of a `steps` section without what stands in its boxes.

    Line endings are not hashed: an editor may change all of them at once.
    """
    bare = _STEP_BOX.sub(r"\1 ", content.replace("\r\n", "\n"))
    return hashlib.sha256(bare.encode()).hexdigest()
