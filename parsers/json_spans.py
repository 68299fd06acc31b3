"""JSON with the place of each value in its text: another program's settings are changed where they must be, only."""

import json
import re
from dataclasses import dataclass
from typing import Any

_BLANK = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Span:
    """One value of a JSON text."""

    value: Any
    start: int
    end: int
    members: tuple[tuple[str, int, "Span"], ...] = ()
    """Of an object: key, offset of the key, value."""
    items: tuple["Span", ...] = ()
    """Of an array."""

    def member(self, key: str) -> "Span | None":
        """Give the value of a key of an object, None where there is none."""
        return next((one for name, _, one in self.members if name == key), None)

    def pieces(self) -> tuple[tuple[int, int], ...]:
        """Give where each member or item begins and ends."""
        if self.members:
            return tuple((start, one.end) for _, start, one in self.members)
        return tuple((one.start, one.end) for one in self.items)


def spans(text: str) -> Span:
    """Read a JSON text.

    Raises:
        ValueError: it is none, or an object has a key twice.
    """
    json.loads(text.removeprefix("\ufeff"), parse_constant=_no_number)
    start = _blank(text, int(text.startswith("\ufeff")))
    return _value(text, start)


def _no_number(spelt: str) -> None:
    raise ValueError(spelt)


def _blank(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    assert found is not None
    return found.end()


def _value(text: str, at: int) -> Span:
    if text[at] == "{":
        return _object(text, at)
    if text[at] == "[":
        return _array(text, at)
    value, end = _DECODER.raw_decode(text, at)
    return Span(value, at, end)


def _object(text: str, start: int) -> Span:
    members: dict[str, tuple[str, int, Span]] = {}
    at = _blank(text, start + 1)
    while text[at] != "}":
        key, after = _DECODER.raw_decode(text, at)
        if key in members:
            raise ValueError(key)
        colon = _blank(text, after)
        one = _value(text, _blank(text, colon + 1))
        members[key] = (key, at, one)
        at = _blank(text, one.end)
        at = _blank(text, at + 1) if text[at] == "," else at
    values = {key: one.value for key, _, one in members.values()}
    return Span(values, start, at + 1, tuple(members.values()))


def _array(text: str, start: int) -> Span:
    items: list[Span] = []
    at = _blank(text, start + 1)
    while text[at] != "]":
        items.append(_value(text, at))
        at = _blank(text, items[-1].end)
        at = _blank(text, at + 1) if text[at] == "," else at
    return Span([one.value for one in items], start, at + 1, (), tuple(items))
