"""A managed note as it was read: scanned, and what it says."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from config.paths import NAMES, conflict_original
from daemon.memory.shown import Shown
from parsers import autonomy as autonomy_parser
from parsers import cards as cards_parser
from parsers import people as people_parser
from parsers import plan as plan_parser
from parsers import profile as profile_parser
from parsers.autonomy import AutonomySaid
from parsers.cards import CardsSaid
from parsers.frame import Frame, difference, frame_of, shifted
from parsers.model.facts import SECTION_OF
from parsers.model.places import Etag, NotePath, Problem
from parsers.plan import PlanSaid
from parsers.plan_lines import SECTIONS as PLAN_SECTIONS
from parsers.profile import ProfileSaid

PLANS = f"{NAMES.plans}/"
_BLANKS = b"\xef\xbb\xbf \t\r\n"


def is_plan(path: str) -> bool:
    """Tell whether a path is where a plan note stands: directly in the folder of plans, no sync tool's copy."""
    name = path.removeprefix(PLANS)
    plain = name != path and "/" not in name and name.endswith(".md")
    return plain and conflict_original(path) is None


@dataclass(frozen=True, slots=True)
class Source:
    """A managed note as it was read: what to interpret, and the etag that a write must still find on disk."""

    path: NotePath
    text: str | None = None
    etag: Etag | None = None
    """Of the bytes that are interpreted."""
    on_disk: Etag | None = None
    """Of the bytes a write replaces: the same, but for a version that a write of ours displaced."""
    frame: Frame | None = None
    profile: ProfileSaid | None = None
    """What it says, when it is a note of facts."""
    cards: CardsSaid = field(default_factory=lambda: CardsSaid(()))
    """What Cartes.md says, when it is this note."""
    plan: PlanSaid | None = None
    """What it says as a plan note, when it stands among them."""
    autonomy: AutonomySaid | None = None
    """What Autonomie.md says, when it is this note."""
    problems: tuple[Problem, ...] = ()
    vanished: bool = False

    @property
    def usable(self) -> bool:
        """Whether edits may be read from it and lines written to it."""
        return self.frame is not None and not self.problems and not self.vanished


def source(
    path: NotePath, data: bytes, etag: Etag, on_disk: Etag | None = None, earlier: Source | None = None
) -> Source:
    """Scan the bytes of a managed note; what makes it unusable is a problem that names the line.

    With an `earlier` version of the note at hand, only what differs is scanned where that can be.
    """
    disk = on_disk or etag
    if not data[:64].strip(_BLANKS) and not data.strip(_BLANKS):
        return Source(path, data.decode("utf-8", "replace"), etag, disk, vanished=True)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return Source(path, None, etag, disk, problems=(Problem(path, line, "not_utf8"),))
    where, frame = None, None
    if earlier and earlier.frame and earlier.text:
        where = difference(earlier.text, text)
        frame = shifted(earlier.frame, earlier.text, text, where)
    if frame and path == NAMES.people:
        return Source(path, text, etag, disk, frame, people_parser.parse(text, frame))
    if frame and where and earlier and earlier.profile and earlier.text:
        profile = profile_parser.follow(earlier.profile, earlier.text, text, frame, where)
        return Source(path, text, etag, disk, frame, profile)
    frame = frame_of(text, tasks=path in (NAMES.cards, NAMES.autonomy))
    if frame.faults:
        fault = frame.faults[0]
        problem = Problem(path, fault.line, fault.code, _named(fault.name))
        return Source(path, text, etag, disk, frame, problems=(problem,))
    return _parsed(Source(path, text, etag, disk, frame), text, frame)


def _parsed(one: Source, text: str, frame: Frame) -> Source:
    if one.path == NAMES.profile:
        return replace(one, profile=profile_parser.parse(text, frame))
    if one.path == NAMES.people:
        return replace(one, profile=people_parser.parse(text, frame))
    if one.path == NAMES.cards:
        return replace(one, cards=cards_parser.parse(text, frame))
    if one.path == NAMES.autonomy:
        return replace(one, autonomy=autonomy_parser.parse(text, frame))
    if is_plan(one.path):
        return replace(one, plan=plan_parser.parse(text, frame, one.path))
    return one


def _named(name: str) -> tuple[tuple[str, str], ...]:
    return (("section", name),) if name else ()


@dataclass(frozen=True)
class Wanted:
    """A managed note as it should be, and what stood in it as it was read."""

    text: str
    stands: Shown
    stood: Shown

    @cached_property
    def data(self) -> bytes:
        """Its bytes."""
        return self.text.encode("utf-8")


Sources = Mapping[NotePath, Source]
"""Notes that were read in a pass, by their path."""

SECTIONS = {
    NAMES.profile: tuple(SECTION_OF.values()),
    NAMES.people: (people_parser.SECTION,),
    NAMES.cards: cards_parser.SECTIONS,
    NAMES.autonomy: autonomy_parser.SECTIONS,
}
"""Managed note → the sections it needs, in order."""


def missing_sections(one: Source) -> list[Problem]:
    """Give a problem for each section that a note needs and does not have."""
    there = {section.name for section in one.frame.sections} if one.frame else set()
    wanted = PLAN_SECTIONS if one.plan and one.plan.run else SECTIONS.get(one.path, ())
    missing = [name for name in wanted if name not in there]
    return [Problem(one.path, 0, "section_missing", (("section", name),)) for name in missing]
