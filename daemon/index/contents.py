"""Blocks that say nothing themselves: headings alone, rules, comments; and the block that such a heading is of.

A heading counts for the blocks below it, which have its words too (R-M05); alone it answers nothing.
"""

import re
from collections.abc import Collection, Iterable, Mapping

from daemon.index.reader import Reader, from_files
from daemon.index.schema import PRIVATE_ROWS, ROW_BITS

_DEEP = 6
"""How many headings may follow one another before the block that they are of."""
_HEADS = "SELECT id, heading FROM {file}blocks WHERE id IN (SELECT value FROM json_each(?))"
_FENCES = ("```", "~~~")
_ATX = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*")
_PLAIN_LINE = re.compile(r" {0,3}(?!(?:\d+[.)]|[*+-])(?:[ \t]|$))[^\s#>|].*")
_SIGNS = re.compile(r"[\s#>*+\-_=|~`.]*")


def says_something(text: str) -> bool:
    """Tell whether a block's visible text is more than headings, rules and signs."""
    if any(fence in text for fence in _FENCES):
        return True
    lines = text.splitlines()
    for place, line in enumerate(lines):
        after = lines[place + 1] if place + 1 < len(lines) else ""
        # For speed alone: most blocks begin with such a line, and what follows would tell the same of it.
        if line[:1].isalpha() and after.lstrip(" ")[:1] not in ("=", "-"):
            return True
        above = lines[place - 1] if place else ""
        setext = not above.strip() and _PLAIN_LINE.fullmatch(line) and _UNDERLINE.fullmatch(after)
        if not (setext or _ATX.match(line) or _SIGNS.fullmatch(line)):
            return True
    return False


def silent(reader: Reader, rows: Collection[int]) -> Mapping[int, int | None]:
    """Give of some blocks those that say nothing, each with the first block below it that says something under it."""
    texts = reader.texts(rows)
    bare = [row for row in rows if not says_something(texts.get(row, ""))]
    if not bare:
        return {}
    spans = {
        row: [one for one in range(row, row + _DEEP + 1) if one >> ROW_BITS == row >> ROW_BITS]
        for row in bare
    }
    near = {one for span in spans.values() for one in span}
    texts |= reader.texts(near - texts.keys())
    heads = dict(from_files(reader.db, _HEADS, near, PRIVATE_ROWS))
    return {
        row: _below(span, texts, heads) if texts.get(row, "").strip("-*_ \t\r\n") else None
        for row, span in spans.items()
    }


def _below(span: Iterable[int], texts: Mapping[int, str], heads: Mapping[int, str]) -> int | None:
    first, *others = span
    head = heads.get(first, "")
    for row in others:
        if row not in texts or not (heads[row] == head or heads[row].startswith(f"{head} > ")):
            return None
        if says_something(texts[row]):
            return row
    return None
