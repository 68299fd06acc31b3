"""Profil.md → what its sections state, and the list items typed just outside them."""

import re
from bisect import bisect_left
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from parsers.frame import Difference, Frame
from parsers.items import masked, odd
from parsers.model.facts import KIND_OF
from parsers.model.notes import Section
from parsers.statements import Spot, spots, spots_in

_ITEM = re.compile(r"[-*+] +(\S.*)")


@dataclass(frozen=True, slots=True)
class Stray:
    """A list item next to a section, where it is not read."""

    section: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class ProfileSaid:
    """What Profil.md says."""

    statements: tuple[Spot, ...]
    strays: tuple[Stray, ...]
    whole: frozenset[str] = frozenset()
    """Sections whose items could not be parsed apart."""
    anchored: bool = False
    """Whether a line bears another block id than ours."""
    token: object = field(default_factory=object, compare=False, repr=False)
    """Stands for this reading in those that follow it."""
    after: object = field(default=None, compare=False, repr=False)
    """Token of the reading this one was made from."""
    head: int = field(default=0, compare=False)
    """How many statements at the start are those of that reading."""
    tail: int = field(default=0, compare=False)
    """How many at the end."""


def parse(text: str, frame: Frame) -> ProfileSaid:
    """Give what a well-formed Profil.md states."""
    clear = masked(text, frame.comments)
    statements: list[Spot] = []
    whole: set[str] = set()
    for section in frame.sections:
        if section.name in KIND_OF:
            statements += spots(clear, section)
            if odd(clear[section.start : section.end]):
                whole.add(section.name)
    anchored = any(spot.says.anchor for spot in statements)
    return ProfileSaid(tuple(statements), strays(clear, frame), frozenset(whole), anchored)


def follow(earlier: ProfileSaid, old: str, text: str, frame: Frame, where: Difference) -> ProfileSaid:
    """Give what `text` states, from what `old` stated: only items around the difference are parsed."""
    section = next(one for one in frame.sections if one.start <= where.start and where.fresh_stop <= one.end)
    if section.name not in KIND_OF or section.name in earlier.whole or frame.comments:
        return parse(text, frame)
    known = earlier.statements
    low = bisect_left(known, section.start, key=_start)
    high = bisect_left(known, section.end - where.moved, key=_start)
    first, last = _reach(known, low, high, old, where)
    opened = first < high and known[first].start < where.start and first >= low and _opens(old, known[first])
    if not opened:
        first = low
    start, line = (
        (known[first].start, known[first].line) if opened else (section.start, section.begin_line + 1)
    )
    stop = known[last].start + where.moved if last < high else section.end
    if odd(text[start:stop]):
        return parse(text, frame)
    middle = spots_in(text, section, start, stop, line)
    rest = known[last:]
    moved, lines = where.moved, where.lines(old, text)
    if moved or lines:
        rest = tuple([Spot(one.section, one.start + moved, one.line + lines, one.says) for one in rest])
    statements = (*known[:first], *middle, *rest)
    suspects = statements if earlier.anchored else middle
    return ProfileSaid(
        statements,
        strays(text, frame),
        earlier.whole,
        any(spot.says.anchor for spot in suspects),
        after=earlier.token,
        head=first,
        tail=len(rest),
    )


def _reach(known: Sequence[Spot], low: int, high: int, old: str, where: Difference) -> tuple[int, int]:
    """The statements of a section between which a difference must be parsed again: one before it, none after it.

    Both are bullets in column 0, where a section can be cut; `high` stands for the section's end.
    """
    first = bisect_left(known, where.start, lo=low, hi=high, key=_start) - 2
    while first > low and not _opens(old, known[first]):
        first -= 1
    last = bisect_left(known, where.stop, lo=low, hi=high, key=_start)
    while last < high and not _opens(old, known[last]):
        last += 1
    return max(first, low), last


def _start(spot: Spot) -> int:
    return spot.start


def _opens(text: str, spot: Spot) -> bool:
    """Whether a statement starts where a section can be cut: a bullet in column 0."""
    return text[spot.start - 1 : spot.start + 2] in ("\n- ", "\n* ", "\n+ ")


def strays(clear: str, frame: Frame, names: Collection[str] = KIND_OF) -> tuple[Stray, ...]:
    """Give the list items that stand just outside the sections of these names."""
    found = [
        stray
        for section in frame.sections
        if section.name in names
        for stray in (*_before(clear, section), *_after(clear, section))
    ]
    return tuple(found)


def _before(clear: str, section: Section) -> list[Stray]:
    """Items between the heading above a section and its begin marker."""
    found: list[Stray] = []
    stop = clear.rfind("\n", 0, section.start - 1)
    number = section.begin_line
    while stop > 0:
        start = clear.rfind("\n", 0, stop) + 1
        number -= 1
        line = clear[start:stop].removesuffix("\r")
        if line.startswith("#"):
            return found[::-1]
        if line.startswith("<!--"):
            return []
        item = _ITEM.match(line)
        if item:
            found.append(Stray(section.name, number, item[1]))
        stop = start - 1
    return []


def _after(clear: str, section: Section) -> list[Stray]:
    """Items glued under a section's end marker."""
    found = []
    start = clear.find("\n", section.end) + 1
    number = section.end_line + 1
    while start:
        stop = clear.find("\n", start)
        item = _ITEM.match(clear[start : stop if stop >= 0 else len(clear)].removesuffix("\r"))
        if not item:
            break
        found.append(Stray(section.name, number, item[1]))
        start, number = stop + 1, number + 1
    return found
