"""The list items of a managed section: where each stands, and where its first paragraph ends.

Structure comes from markdown-it-py. A column-0 bullet always opens an item of its own, so a section is cut there
and each piece is parsed alone and remembered: an edit in a section of thousands of lines costs one small parse.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from markdown_it import MarkdownIt

from parsers.model.notes import Comment

_BLOCKS = MarkdownIt("commonmark", {"html": True})
_BLOCKS.core.ruler.enableOnly(["normalize", "block"])

_ODD = re.compile(r"^(?: ?(?:`{3}|~{3}|<)| [-*+][ \t]|[-*+](?:[ \t]{2}|\t|$)| ?\d{1,9}[.)](?:[ \t]|$))", re.MULTILINE)
"""Lines at column 0 or 1 that make a section worth parsing whole: a piece could depend on what stands before it."""
_BULLET = re.compile(r"[-*+] (?=\S)")
_PLAIN = re.compile(r"[-*+] (?!\s|[#>`~<\[*+=_|-]|\d+[.)])[^\n]*\Z")
"""A one-line item that can only be a paragraph."""
_MARKER = re.compile(r" {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]+")


@dataclass(frozen=True, slots=True)
class Item:
    """One top-level list item whose first block is a paragraph; offsets in characters of the note's text."""

    start: int
    """Offset of the item's first line."""
    body: int
    """Offset of its first character after the list marker."""
    para_end: int
    """Offset where its first paragraph stops, before the line ending and its trailing blanks."""
    para_stop: int
    """Offset of the first paragraph's last line ending (trailing blanks included)."""
    end: int
    """Offset after the item's last line ending; trailing blank lines are not the item's."""
    line: int
    """1-based line of its first line."""


_NOT_BREAK = re.compile(r"[^\r\n]")


def masked(text: str, comments: Iterable[Comment]) -> str:
    """Give the text with the inside of its `%%` block comments blanked: same length, same lines."""
    for comment in comments:
        if comment.kind == "block":
            blank = _NOT_BREAK.sub(" ", text[comment.start : comment.end])
            text = text[: comment.start] + blank + text[comment.end :]
    return text


def items(content: str, base: int, line: int) -> tuple[Item, ...]:
    """Give the items of a section's content, which starts at offset `base`, line `line` of its note.

    Comments must already be masked by blanks of the same length (`masked`).
    """
    lines = content.split("\n")
    starts = [base]
    for piece in lines:
        starts.append(starts[-1] + len(piece) + 1)
    clean = [piece.replace("\r", " ") for piece in lines]
    found = []
    for first, stop in _pieces(content, clean):
        for item_line, para_stop, item_stop in _shape("\n".join(clean[first:stop])):
            top, para, last = first + item_line, first + para_stop, first + item_stop
            marker = _MARKER.match(clean[top])
            if marker:
                para_line = lines[para - 1].removesuffix("\r")
                found.append(
                    Item(
                        start=starts[top],
                        body=starts[top] + marker.end(),
                        para_end=starts[para - 1] + len(para_line.rstrip(" \t")),
                        para_stop=starts[para - 1] + len(para_line),
                        end=min(starts[last], base + len(content)),
                        line=line + top,
                    )
                )
    return tuple(found)


def _pieces(content: str, clean: list[str]) -> Iterator[tuple[int, int]]:
    """Ranges of lines that can be parsed apart."""
    if _ODD.search(content):
        yield 0, len(clean)
        return
    opened = [number for number, piece in enumerate(clean) if _BULLET.match(piece)]
    yield from zip(opened, [*opened[1:], len(clean)], strict=False)


@lru_cache(maxsize=16384)
def _shape(piece: str) -> tuple[tuple[int, int, int], ...]:
    """(first line, line after the first paragraph, line after the item) of each readable top-level item."""
    if _PLAIN.match(piece):
        return ((0, 1, 1),)
    tokens = _BLOCKS.parse(piece)
    lines = piece.split("\n")
    shapes = []
    for token, inner in zip(tokens, tokens[1:], strict=False):
        if token.type != "list_item_open" or token.level != 1 or inner.type != "paragraph_open":
            continue
        top, stop = token.map or (0, 0)
        para_top, para_stop = inner.map or (0, 0)
        while stop > para_stop and not lines[stop - 1].strip():
            stop -= 1
        if para_top == top:
            shapes.append((top, para_stop, stop))
    return tuple(shapes)
