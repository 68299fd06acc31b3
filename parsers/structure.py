"""Words between the scanner of blocks and those who read what it found: unit, paragraph, open container."""

import re
from typing import NamedTuple

from parsers.model.notes import Callout, Container

PERCENTS = re.compile(r"(?<![%\\])%%(?!%)")
"""What opens and closes a comment of Obsidian's."""
_SPACES = re.compile(" *")
_CALLOUT = re.compile(r" *\[!([^\[\]|]+)(?:\|([^\[\]]*))?\]([+-]?)(.*)")

Unit = tuple[int, int, int]
"""Where a block at the root of the note starts: offset, line, number of its heading (-1: none)."""


class Paragraph(NamedTuple):
    """Lines that inline syntax is read in: a paragraph, a table, a heading."""

    start: int
    end: int
    line: int
    last_line: int
    item: "Open | None"
    """The list item it stands in directly."""
    heading: bool


class Open:
    """A list item or a quote, while lines may still belong to it."""

    empty = False
    """Whether nothing follows the marker of an item, so far."""
    plain = False
    """Whether it is an item at the root with text right after its marker: a blank line never ends it."""
    width = 2
    """Columns from where the item stands to where its content does."""
    depth = 0
    end_line = 0
    last_line = 0
    marker = ""
    start = 0
    content = 0
    char: str | None = None
    parent: "Open | None" = None
    shape: Container | None = None
    text: Paragraph | None = None

    def __init__(self, line: int, *, quote: bool = False) -> None:
        """A container that starts on `line`."""
        self.line, self.quote = line, quote


def read_callout(line: str, column: int, number: int, depth: int) -> Callout | None:
    """The callout that the first line of a quote opens from `column` on; None for an ordinary quote."""
    found = _CALLOUT.match(line, column)
    if found is None or found[1].strip() != found[1]:
        return None
    kind, metadata, fold, title = found.groups()
    return Callout(number, kind.lower(), fold, title.strip(), depth, (metadata or "").strip())


def indent(line: str, column: int) -> int:
    """Column of the first character from `column` on that is no space."""
    if line[column : column + 1] != " ":
        return column
    found = _SPACES.match(line, column)
    return found.end() if found else column


def offset_of(raw: str, column: int) -> int:
    """Offset in a line of a column of it with its tabs expanded."""
    at = 0
    for index, character in enumerate(raw):
        if at >= column:
            return index
        at += 4 - at % 4 if character == "\t" else 1
    return len(raw)
