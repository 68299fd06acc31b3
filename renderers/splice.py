"""Splices: the only way a note of the person's is changed, one range of characters at a time."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Splice:
    """Characters `[start, end)` of a text give way to `new`."""

    start: int
    end: int
    new: str


def spliced(text: str, splices: Iterable[Splice]) -> str:
    """Give the text with every splice made; what no splice names stays as it is.

    Raises:
        ValueError: two splices overlap.
    """
    parts: list[str] = []
    at = 0
    for splice in sorted(splices, key=lambda one: (one.start, one.end)):
        if splice.start < at:
            raise ValueError(splice)
        parts += (text[at : splice.start], splice.new)
        at = splice.end
    parts.append(text[at:])
    return "".join(parts)
