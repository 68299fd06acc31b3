"""Another program's JSON changed: a piece put in or taken out, every other byte as it was."""

import json
import re
from typing import Any

from parsers.json_spans import Span

_INDENT = re.compile(r"\n([ \t]+)\S")


def put(text: str, into: Span, value: Any, key: str | None = None) -> str:
    """Give the text with one more piece at the end of an object (`key`) or an array, indented as the text is."""
    end = "\r\n" if "\r\n" in text else "\n"
    step = _INDENT.search(text)
    unit = step[1] if step else "  "
    outer = _indent_of(text, into.start)
    inner = outer + unit
    spelt = json.dumps(value, ensure_ascii=False, indent=unit).replace("\n", end + inner)
    piece = f"{json.dumps(key, ensure_ascii=False)}: {spelt}" if key is not None else spelt
    pieces = into.pieces()
    if not pieces:
        return f"{text[: into.start + 1]}{end}{inner}{piece}{end}{outer}{text[into.end - 1 :]}"
    last = pieces[-1][1]
    if "\n" not in text[into.start : pieces[0][0]]:
        piece = json.dumps(value, ensure_ascii=False)
        piece = f"{json.dumps(key, ensure_ascii=False)}: {piece}" if key is not None else piece
        return f"{text[:last]}, {piece}{text[last:]}"
    return f"{text[:last]},{end}{_indent_of(text, pieces[-1][0])}{piece}{text[last:]}"


def drop(text: str, out_of: Span, place: int) -> str:
    """Give the text without the piece at a place of an object or an array; the last one leaves `{}` or `[]`."""
    pieces = out_of.pieces()
    if len(pieces) == 1:
        return text[: out_of.start + 1] + text[out_of.end - 1 :]
    if place:
        return text[: pieces[place - 1][1]] + text[pieces[place][1] :]
    return text[: pieces[0][0]] + text[pieces[1][0] :]


def exchange(text: str, one: Span, value: Any) -> str:
    """Give the text with another value in the place of one."""
    return text[: one.start] + json.dumps(value, ensure_ascii=False) + text[one.end :]


def _indent_of(text: str, at: int) -> str:
    """The blanks that begin the line of an offset."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]
