"""Profil.md → what its sections state, and the list items typed just outside them."""

import re
from dataclasses import dataclass

from parsers.frame import Frame
from parsers.items import masked
from parsers.model.facts import KIND_OF
from parsers.model.notes import Section
from parsers.statements import Spot, spots

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


def parse(text: str, frame: Frame) -> ProfileSaid:
    """Give what a well-formed Profil.md states."""
    clear = masked(text, frame.comments)
    statements: list[Spot] = []
    strays: list[Stray] = []
    for section in frame.sections:
        if section.name in KIND_OF:
            statements += spots(clear, section)
            strays += [*_before(clear, section), *_after(clear, section)]
    return ProfileSaid(tuple(statements), tuple(strays))


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
