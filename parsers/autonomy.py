"""Autonomie.md → the levels and delegations its lines ask for, and the codes typed there (vault-notes.md).

A delegation reads `vault · niveau 3 · Réunions/** · origine mcp:x · 20 écritures par jour · à revoir le 2027-02-28`:
domain and level are needed, the rest has defaults; French and English words are both understood.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from parsers.dates import period
from parsers.frame import Frame
from parsers.ids import DIGITS
from parsers.items import masked
from parsers.model.autonomy import DelegationLine, LevelLine
from parsers.model.notes import Section
from parsers.model.policy import Delegation
from parsers.statements import Spot, spots

SECTIONS = ("host", "levels", "delegations")
"""The sections of Autonomie.md, in order."""
DEFAULT_ORIGIN = "person"
_LEVEL = re.compile(r"([a-z][\w-]*)[ \u00a0\u202f]*:[ \u00a0\u202f]*([0-3])(?![\d.])")
_LEVEL_ID = re.compile(r"\^level-([a-z][\w-]*)(?=\s|\Z)")
_ID = re.compile(rf"\^(d-{DIGITS})(?=\s|\Z)")
_ANY_ID = re.compile(r"[ \t]*\^[A-Za-z0-9-]+[ \t]*\Z")
_CODE = re.compile(
    rf"^[ \t]+[-*+] [^\n^]*?:(?P<said>[^\n^]*)\^(?P<of>d-{DIGITS}|level-[a-z][\w-]*)-code[ \t]*\r?$",
    re.MULTILINE,
)
_DIGITS = re.compile(r"(?<!\d)(\d[ \u00a0\u202f]?){5}\d(?!\d)")
_TASK = re.compile(r"\[(.)\][ \t]+")
_WORDS = re.compile(r"\s·\s|\b(?:niveau|level)\s*:?\s*\d", re.IGNORECASE)
_DOMAIN = re.compile(r"[a-z][\w-]*")
_PARTS = (
    ("level", re.compile(r"(?:niveau|level)\s*:?\s*([0-3])", re.IGNORECASE)),
    ("origins", re.compile(r"(?:origine?s?|origins?)\s*:?\s+(.+)", re.IGNORECASE)),
    ("covers", re.compile(r"(?:contenu|content)\s*:?\s+(.+)", re.IGNORECASE)),
    (
        "per_day",
        re.compile(r"(\d{1,4})\s+(?:écritures?|writes?)\s+(?:par jour|a day|per day)", re.IGNORECASE),
    ),
    (
        "per_run",
        re.compile(r"(\d{1,4})\s+(?:écritures?|writes?)\s+(?:par plan|a run|per run)", re.IGNORECASE),
    ),
    ("review", re.compile(r"(?:à revoir le|review on)\s+(\S+)", re.IGNORECASE)),
)


@dataclass(frozen=True, slots=True)
class Row:
    """Where a line of ours stands: its words are `[body, words_end)`, its item `[start, stop)` of the note's text."""

    id: str
    """`level-vault`, `d-…`, `""` for a delegation that has none yet."""
    section: str
    line: int
    start: int
    body: int
    """After the list marker."""
    para_end: int
    stop: int
    code_lines: tuple[tuple[int, int], ...] = ()
    """Its `Code :` lines, endings included."""
    said_end: int = 0
    """For a level: after what states it; what follows on the line but for its id is the person's."""


@dataclass(frozen=True, slots=True)
class AutonomySaid:
    """What Autonomie.md says."""

    levels: tuple[tuple[LevelLine, Row], ...] = ()
    delegations: tuple[tuple[DelegationLine, Row], ...] = ()
    unreadable: tuple[int, ...] = ()
    """Lines that look like a delegation and cannot be understood: they change nothing."""
    unread_levels: tuple[int, ...] = ()
    """Lines of the section of levels that are none."""


def parse(text: str, frame: Frame) -> AutonomySaid:
    """Give the lines of a well-formed Autonomie.md."""
    clear = masked(text, frame.comments)
    levels: list[tuple[LevelLine, Row]] = []
    delegations: list[tuple[DelegationLine, Row]] = []
    unreadable: list[int] = []
    unread_levels: list[int] = []
    for section, spot in _spots(clear, frame):
        if section.name == "levels":
            level = _level(section, spot)
            if level is None:
                unread_levels.append(spot.line)
            else:
                levels.append(level)
        elif (said := _delegation(section, spot, frame.tasks)) is not None:
            delegations.append(said)
        elif _alike(_first(spot)):
            unreadable.append(spot.line)
    return AutonomySaid(tuple(levels), tuple(delegations), tuple(unreadable), tuple(unread_levels))


def words_of_code_line(line: str) -> str:
    """Give what stands on a `Code :` line beside its digits: the person's own words."""
    said = _CODE.search(line)
    return " ".join(_DIGITS.sub(" ", said["said"]).split()) if said else ""


def _alike(first: str) -> bool:
    """Whether a line was meant as a delegation: it has a box, one of our ids, or the words of one."""
    return bool(_ID.search(first) or _TASK.match(first) or _WORDS.search(first))


def _spots(clear: str, frame: Frame) -> Iterator[tuple[Section, Spot]]:
    for section in frame.sections:
        if section.name in SECTIONS[1:]:
            for spot in spots(clear, section):
                yield section, spot


def _first(spot: Spot) -> str:
    item = spot.says.item
    return item.text[item.body : item.para_end]


def _row(section: Section, spot: Spot, name: str) -> Row:
    item = spot.says.item
    found = [one for one in _CODE.finditer(item.text) if one["of"] == name]
    lines = tuple((spot.start + one.start(), _line_end(item.text, one.end()) + spot.start) for one in found)
    return Row(
        name,
        section.name,
        spot.line,
        spot.start,
        spot.start + item.body,
        spot.start + item.para_end,
        spot.stop,
        lines,
    )


def _line_end(text: str, at: int) -> int:
    return text.find("\n", at) + 1 or len(text)


def _code(spot: Spot, name: str) -> str | None:
    """Six digits typed where they belong; two different lines for them are none."""
    typed = [one["said"] for one in _CODE.finditer(spot.says.item.text) if one["of"] == name]
    digits = [_DIGITS.search(one) for one in typed]
    if len(typed) != 1 or digits[0] is None:
        return None
    return re.sub(r"\D", "", digits[0][0])


def _level(section: Section, spot: Spot) -> tuple[LevelLine, Row] | None:
    first = _first(spot)
    said, named = _LEVEL.match(first), _LEVEL_ID.search(first)
    if said is None or (named is not None and named[1] != said[1]):
        return None
    name = f"level-{said[1]}"
    row = _row(section, spot, name)
    return LevelLine(said[1], int(said[2]), _code(spot, name)), replace(row, said_end=row.body + said.end())


def _delegation(section: Section, spot: Spot, tasks: frozenset[int]) -> tuple[DelegationLine, Row] | None:
    first = _first(spot)
    named = _ID.search(first)
    name = named[1] if named else ""
    box = _TASK.match(first)
    ticked = box is None or (box[1] in "xX" and spot.line in tasks)
    says = bounds(_ANY_ID.sub("", first[box.end() :] if box else first))
    if says is None or (not name and not ticked):
        return None
    return DelegationLine(name, ticked, says, _code(spot, name) if name else None), _row(section, spot, name)


def bounds(words: str) -> Delegation | None:
    """Give what a line of words allows, defaults where it is silent; None when domain or level are missing.

    A part that is understood neither as one of the words of a line nor as a path makes it unreadable: a bound that
    was mistyped must not fall away in silence. An empty `review` means the default.
    """
    parts = [part.strip() for part in re.split(r"\s+·\s+", words.strip())]
    if not _DOMAIN.fullmatch(parts[0]):
        return None
    found = replace(Delegation("", parts[0], -1), origins=())
    for part in parts[1:]:
        if part in _SILENT:
            continue
        more = _with(found, part)
        if more is None:
            return None
        found = more
    if found.level < 0:
        return None
    return found if found.origins else replace(found, origins=(DEFAULT_ORIGIN,))


def same_bounds(says: Delegation, known: Delegation) -> bool:
    """Tell whether a line allows what is known; a review day it does not name is the known one."""
    return replace(known, id="", status="pending", nonce="") == replace(
        says, id="", status="pending", nonce="", review=says.review or known.review
    )


def claimed(what: AutonomySaid, known: Iterable[Delegation]) -> dict[int, str]:
    """Give the ids of lines that lost theirs, or never had one: line → the id of what is known and says the same.

    A crash between register and note leaves a line without the id that was drawn for it: this finds it again.
    """
    standing = {line.id for line, _ in what.delegations}
    free = [one for one in known if one.id not in standing]
    found: dict[int, str] = {}
    for line, row in what.delegations:
        if line.id:
            continue
        match = next((one for one in free if same_bounds(line.says, one)), None)
        if match is not None:
            free.remove(match)
            found[row.line] = match.id
    return found


_SILENT = frozenset({"en attente du code", "waiting for the code"})
"""Parts that we write and that say nothing about what the line allows."""


def _with(found: Delegation, part: str) -> Delegation | None:
    for name, pattern in _PARTS:
        said = pattern.fullmatch(part)
        if said is None:
            continue
        if name == "review":
            day = period(said[1])
            return replace(found, review=day.first) if day else None
        if name == "level":
            return replace(found, level=int(said[1]))
        if name == "per_day":
            return replace(found, per_day=int(said[1]))
        if name == "per_run":
            return replace(found, per_run=int(said[1]))
        names = tuple(one.strip() for one in said[1].split(",") if one.strip())
        return replace(found, origins=names) if name == "origins" else replace(found, covers=names)
    if re.search(r"[/*]", part) and not part.startswith("/") and ".." not in part.split("/"):
        return replace(found, paths=(*found.paths, part))
    return None
