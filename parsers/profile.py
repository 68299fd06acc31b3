"""Profil.md → what its sections state, and the list items typed just outside them."""

import re
from dataclasses import dataclass

from parsers.items import items, masked
from parsers.model.facts import KIND_OF
from parsers.model.notes import Note
from parsers.statements import Statement, statement

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

    statements: tuple[Statement, ...]
    strays: tuple[Stray, ...]


def parse(text: str, note: Note) -> ProfileSaid:
    """Give what a well-formed Profil.md states; `note` is its scan."""
    clear = masked(text, note.comments)
    statements: list[Statement] = []
    strays: list[Stray] = []
    for section in note.sections:
        if section.name not in KIND_OF:
            continue
        content = clear[section.start : section.end]
        found = items(content, section.start, section.begin_line + 1)
        statements.extend(statement(text, item, section.name) for item in found)
        strays.extend(_strays(clear, section.name, section.begin_line, section.end_line))
    return ProfileSaid(tuple(statements), tuple(strays))


def _strays(clear: str, name: str, begin: int, end: int) -> list[Stray]:
    """Items between the heading above a section and its begin marker, or glued under its end marker."""
    lines = [line.removesuffix("\r") for line in clear.split("\n")]
    found: list[Stray] = []
    for number in range(begin - 1, 0, -1):
        line = lines[number - 1]
        if line.startswith("#"):
            break
        if line.startswith("<!--"):
            found.clear()
            break
        item = _ITEM.match(line)
        if item:
            found.append(Stray(name, number, item[1]))
    else:
        found.clear()
    found.reverse()
    for number in range(end + 1, len(lines) + 1):
        item = _ITEM.match(lines[number - 1])
        if not item:
            break
        found.append(Stray(name, number, item[1]))
    return found
