"""The list items of a managed section: where each starts, and where in it the first paragraph ends.

Structure comes from markdown-it-py. A column-0 bullet always opens an item of its own, so a section is cut there
and each piece is parsed alone and remembered: an edit in a section of thousands of lines costs one small parse.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

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
    lines = piece.split("\n")
    clean = [line.replace("\r", " ") for line in lines]
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    found = []
    for top, para, last in _shapes("\n".join(clean)):
        marker = _MARKER.match(clean[top])
        if marker:
            para_line = lines[para - 1].removesuffix("\r")
            start, stop = starts[top], starts[para - 1]
            item = Item(
                text=piece[start : starts[last]],
                body=marker.end(),
                para_end=stop + len(para_line.rstrip(" \t")) - start,
                para_stop=stop + len(para_line) - start,
            )
            found.append((start, top, item))
    return tuple(found)


@cache
def _blocks() -> "MarkdownIt":
    from markdown_it import MarkdownIt  # noqa: PLC0415 - 25 ms that most notes do not need: their lines are plain

    blocks = MarkdownIt("commonmark", {"html": True})
    blocks.core.ruler.enableOnly(["normalize", "block"])
    return blocks


def _shapes(piece: str) -> Iterable[tuple[int, int, int]]:
    """(first line, line after the first paragraph, line after the item) of each readable top-level item."""
    if _PLAIN.match(piece):
        return ((0, 1, 1),)
    if piece.isspace():
        return ()
    tokens = _blocks().parse(piece)
    lines = piece.split("\n")
    shapes = []
    for token, inner in pairwise(tokens):
        if token.type != "list_item_open" or token.level != 1 or inner.type != "paragraph_open":
            continue
        top, stop = token.map or (0, 0)
        para_top, para_stop = inner.map or (0, 0)
        while stop > para_stop and not lines[stop - 1].strip():
            stop -= 1
        if para_top == top:
            shapes.append((top, para_stop, stop))
    return shapes
