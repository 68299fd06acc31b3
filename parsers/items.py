"""The list items of a managed section: where each starts, and where in it the first paragraph ends.

Structure comes from markdown-it-py. A column-0 bullet always opens an item of its own, so a section is cut there
and each piece is parsed alone and remembered: an edit in a section of thousands of lines costs one small parse.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from parsers.model.notes import Comment

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_ODD = re.compile(
    r"^(?: ?(?:`{3}|~{3}|<)| [-*+][ \t]|[-*+](?:[ \t]{2}|\t|$)| ?\d{1,9}[.)](?:[ \t]|$))", re.MULTILINE
)
"""Lines at column 0 or 1 that make a section worth parsing whole: a piece could depend on what stands before it."""
_BULLET = re.compile(r"^[-*+] (?=\S)", re.MULTILINE)
_PLAIN = re.compile(r"[-*+] (?!\s|[#>`~<\[*+=_|-]|\d+[.)])[^\n]*\n?\Z")
"""A one-line item that can only be a paragraph."""
_MARKER = re.compile(r" {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]+")
_SUSPECT = " 0123456789`~<*+"
"""First characters of the lines that `_ODD` is about, besides a dash."""
_DASH_ALONE = frozenset(("-", "-\r", "-  "))
_NOT_BREAK = re.compile(r"[^\r\n]")
_BEGUN = re.compile(r"^([ \t]+)(?:([-*+])|(\d{1,9})([.)]))[ \t]*$", re.MULTILINE)
"""A line inside an item that is only a list marker: somebody is about to type there."""


@dataclass(frozen=True, slots=True)
class Item:
    """One top-level list item whose first block is a paragraph; offsets count from its first character."""

    text: str
    """The item, from its list marker to its last line ending; trailing blank lines are not the item's."""
    body: int
    """Its first character after the list marker."""
    para_end: int
    """Where its first paragraph stops, before the line ending and trailing blanks."""
    para_stop: int
    """Where the line ending of the first paragraph's last line starts (trailing blanks included)."""


def masked(text: str, comments: Iterable[Comment]) -> str:
    """Give the text with the inside of its `%%` block comments blanked: same length, same lines."""
    for comment in comments:
        if comment.kind == "block":
            blank = _NOT_BREAK.sub(" ", text[comment.start : comment.end])
            text = text[: comment.start] + blank + text[comment.end :]
    return text


def odd(content: str) -> bool:
    """Tell whether a section's content has to be parsed whole."""
    heads = {line[:3] for line in content.split("\n")}
    doubtful = not {head[:1] for head in heads}.isdisjoint(_SUSPECT) or not _DASH_ALONE.isdisjoint(heads)
    return (doubtful or "-\t" in {head[:2] for head in heads}) and _ODD.search(content) is not None


def pieces(content: str) -> Iterator[tuple[int, str]]:
    """Give (offset, text) of the ranges of a section's content that can be parsed apart, in order.

    Comments must already be masked (`masked`).
    """
    if odd(content):
        yield 0, content
        return
    others = "\n* " in content or "\n+ " in content or content.startswith(("* ", "+ "))
    starts = [one.start() for one in _BULLET.finditer(content)] if others else _dashes(content)
    starts = starts if starts and starts[0] == 0 else [0, *starts]
    for start, stop in zip(starts, [*starts[1:], len(content)], strict=True):
        yield start, content[start:stop]


def _dashes(content: str) -> list[int]:
    """Where lines that start an item with a dash start: what `_BULLET` finds, at a tenth of the cost."""
    starts = [0] if content.startswith("- ") else []
    at = content.find("\n- ")
    while at >= 0:
        starts.append(at + 1)
        at = content.find("\n- ", at + 1)
    return [
        start for start in starts if not content[start + 2 : start + 3].isspace() and start + 2 < len(content)
    ]


def items(piece: str) -> tuple[tuple[int, int, Item], ...]:
    """Give (offset, number of lines before it, item) of each readable top-level item of a piece."""
    page = _Page(piece)
    found = ((top, page.item(top, para, last)) for top, para, last, _ in _shapes("\n".join(page.clean)))
    return tuple((page.starts[top], top, item) for top, item in found if item)


def begun(line: str) -> bool:
    """Tell whether a line inside an item is only a list marker.

    CommonMark reads it as more of the paragraph above, or as its underline; who types it means an item, so it is one,
    and says nothing yet.
    """
    return _BEGUN.fullmatch(line.rstrip("\r\n")) is not None


def told_stop(text: str) -> int:
    """Give where the lines of an item stop that say something: those after them are blank or only begun."""
    stop = len(text)
    while (at := text.rfind("\n", 0, stop - 1) + 1) and (not text[at:stop].strip() or begun(text[at:stop])):
        stop = at
    return stop


class Family(NamedTuple):
    """A top-level item and the items directly below it; offsets count from the start of the piece."""

    offset: int
    line: int
    """Lines before it."""
    head: Item
    """Its first paragraph alone."""
    stop: int
    """Where all that belongs to it ends."""
    below: tuple[tuple[int, int, Item, str], ...]
    """(offset, lines before it, item, what stands before its marker) of each readable one."""


def families(piece: str) -> tuple[Family, ...]:
    """Give each readable top-level item of a piece with the readable items directly below it."""
    page = _Page(piece)
    return tuple(
        Family(page.starts[top], top, head, page.starts[last], page.below(below))
        for top, para, last, below in _shapes("\n".join(page.clean))
        if (head := page.item(top, para, para))
    )


class _Page:
    """A piece and its lines, to cut items out of it."""

    def __init__(self, piece: str) -> None:
        self.piece, self.lines = piece, piece.split("\n")
        self.clean = [line.replace("\r", " ") for line in self.lines]
        self.starts = [0]
        for line in self.lines:
            self.starts.append(min(self.starts[-1] + len(line) + 1, len(piece)))

    def item(self, top: int, para: int, last: int, indent: int = 0) -> Item | None:
        """The item from line `top` to before line `last`, None where its marker is not understood."""
        marker = _MARKER.match(self.clean[top], indent)
        if marker is None:
            return None
        para_line = self.lines[para - 1].removesuffix("\r")
        start, stop = self.starts[top], self.starts[para - 1]
        return Item(
            text=self.piece[start : self.starts[last]],
            body=marker.end(),
            para_end=stop + len(para_line.rstrip(" \t")) - start,
            para_stop=stop + len(para_line) - start,
        )

    def below(self, shapes: Iterable["_Shape"]) -> tuple[tuple[int, int, Item, str], ...]:
        found = []
        for top, para, last, _ in shapes:
            line = self.clean[top]
            indent = line[: len(line) - len(line.lstrip(" \t"))]
            item = self.item(top, para, last, len(indent))
            if item:
                found.append((self.starts[top], top, item, indent))
        return tuple(found)


class _Shape(NamedTuple):
    """Lines of an item whose first block is a paragraph, and of those directly below it."""

    top: int
    para: int
    """Line after the first paragraph."""
    last: int
    """Line after the item."""
    below: tuple["_Shape", ...] = ()


@cache
def _blocks() -> "MarkdownIt":
    from markdown_it import MarkdownIt  # noqa: PLC0415 - 25 ms that most notes do not need: their lines are plain

    blocks = MarkdownIt("commonmark", {"html": True})
    blocks.core.ruler.enableOnly(["normalize", "block"])
    return blocks


def _shapes(piece: str) -> Sequence[_Shape]:
    """The readable top-level items."""
    if _PLAIN.match(piece):
        return (_Shape(0, 1, 1),)
    if piece.isspace():
        return ()
    tokens = _blocks().parse(_BEGUN.sub(_worded, piece))
    lines = piece.split("\n")
    shapes: list[_Shape] = []
    reads = False
    for token, inner in pairwise(tokens):
        if token.type != "list_item_open" or token.level not in (1, 3):
            continue
        shape = (
            _shape(token.map or (0, 0), inner.map or (0, 0), lines)
            if inner.type == "paragraph_open" and not begun(lines[(token.map or (0, 0))[0]])
            else None
        )
        if token.level == 1:
            reads = shape is not None
            shapes += [shape] if shape else []
        elif shape and reads:
            shapes[-1] = shapes[-1]._replace(below=(*shapes[-1].below, shape))
    return shapes


def _worded(line: re.Match[str]) -> str:
    """A marker alone with a word after it, and a number that may come after a paragraph: as long as it was."""
    return line[1] + (line[2] or "1".zfill(len(line[3])) + line[4]) + " x"


def _shape(item: Sequence[int], para: Sequence[int], lines: Sequence[str]) -> _Shape | None:
    top, stop = item
    while stop > para[1] and not lines[stop - 1].strip():
        stop -= 1
    return _Shape(top, para[1], stop) if para[0] == top else None
