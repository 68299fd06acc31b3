"""The managed notes as one pass sees them: read, scanned, what they say, what they should say.

Each note is the same four pure steps (parse and diff in `parsers/NAME.py`, view and render in `renderers/NAME.py`);
this module joins them to the state and to what stood in the note before. It opens nothing itself.
"""

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta, tzinfo
from typing import Any

from config.i18n import Catalogue
from config.paths import NAMES
from daemon.aside import Aside
from daemon.memory.pairing import NoteReading, Shown, alive
from daemon.memory.state import State
from parsers import cards as cards_parser
from parsers import profile as profile_parser
from parsers.cards import CardsSaid
from parsers.frame import Frame, difference, frame_of, shifted
from parsers.model.cards import SECTION
from parsers.model.edits import Answer, CardGone, Edit, Lines, LinesSettled
from parsers.model.facts import SECTION_OF, Fact, over
from parsers.model.places import Etag, NotePath, Problem
from parsers.model.register import Record, stamp
from parsers.profile import ProfileSaid
from renderers import cards as cards_renderer
from renderers import journal as journal_renderer
from renderers import profile as profile_renderer
from renderers.fields import field_words
from renderers.frame import framed

SHOWN_NOTES = (NAMES.profile, NAMES.cards, NAMES.journal)
"""The managed notes, in the order they are read."""
_BLANKS = b"\xef\xbb\xbf \t\r\n"
JOURNAL_DAYS = 14


Secret = Callable[[str], tuple[tuple[int, int], ...]]
"""Gives where a text holds a secret."""


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
    """What Profil.md says, when it is this note."""
    cards: CardsSaid = field(default_factory=lambda: CardsSaid(()))
    """What Cartes.md says, when it is this note."""
    problems: tuple[Problem, ...] = ()
    vanished: bool = False

    @property
    def lacks_sections(self) -> bool:
        """Whether a section that the note needs is not there."""
        return bool(_missing_sections(self))

    @property
    def usable(self) -> bool:
        """Whether edits may be read from it and lines written to it."""
        return self.frame is not None and not self.problems and not self.vanished


@dataclass(frozen=True, slots=True)
class Stood:
    """What the index remembers of a managed note: etag of its bytes and what stood in them."""

    etag: Etag
    ids: Mapping[str, frozenset[str]] = field(default_factory=dict)
    repeats: frozenset[str] = frozenset()
    changed_at: tuple[str, ...] = ()
    """When somebody changed a wholly owned note back, lately."""
    coming: Etag = field(default=Etag(""), compare=False)
    """Etag of what was about to be written over these bytes: what stands on disk may be ours already."""

    def as_json(self) -> dict[str, Any]:
        """Give what `stood` reads back."""
        ids = {section: list(names) for section, names in self.ids.items()}
        lists = {"repeats": sorted(self.repeats), "changed_at": list(self.changed_at)}
        return {"ids": ids, "coming": self.coming, **lists}


def stood(kept: tuple[Etag, Any] | None) -> Stood | None:
    """Give what the index kept of a note, None before the first time."""
    if kept is None:
        return None
    etag, value = kept
    ids = {section: frozenset(names) for section, names in value["ids"].items()}
    repeats, changed_at = frozenset(value["repeats"]), tuple(value["changed_at"])
    return Stood(etag, ids, repeats, changed_at, Etag(value["coming"]))


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
    if frame and where and earlier and earlier.profile and earlier.text:
        profile = profile_parser.follow(earlier.profile, earlier.text, text, frame, where)
        return Source(path, text, etag, disk, frame, profile)
    frame = frame_of(text, tasks=path == NAMES.cards)
    if frame.faults:
        fault = frame.faults[0]
        problem = Problem(path, fault.line, fault.code, _named(fault.name))
        return Source(path, text, etag, disk, frame, problems=(problem,))
    said_there = profile_parser.parse(text, frame) if path == NAMES.profile else None
    cards = cards_parser.parse(text, frame) if path == NAMES.cards else CardsSaid(())
    return Source(path, text, etag, disk, frame, said_there, cards)


def _named(name: str) -> tuple[tuple[str, str], ...]:
    return (("section", name),) if name else ()


@dataclass(frozen=True, slots=True)
class Said:
    """What the managed notes of a pass say."""

    readings: tuple[NoteReading, ...] = ()
    edits: tuple[Edit, ...] = ()
    problems: tuple[Problem, ...] = ()


def said(
    sources: Mapping[NotePath, Source],
    before: Mapping[NotePath, Stood | None],
    state: State,
    secret: Secret,
    resting: Aside | None,
    corrected: Collection[str],
) -> Said:
    """Give how what the notes say differs from what stood there; of Profil.md only what is not set aside is read."""
    profile, cards = sources.get(NAMES.profile), sources.get(NAMES.cards)
    readings: list[NoteReading] = []
    edits: list[Edit] = []
    problems: list[Problem] = []
    if profile and profile.usable and profile.profile:
        edits += _strays(profile.profile)
        problems += _stray_problems(profile.profile, state) + _missing_sections(profile)
        problems += _secrets(profile.profile, secret)
        if _held(state, profile.path):  # the same bytes back, after the note had vanished, say something too
            readings.append(_reading(profile, profile.profile, before.get(profile.path), None, corrected))
        elif not _same(profile, before.get(profile.path)):
            readings.append(_reading(profile, profile.profile, before.get(profile.path), resting, corrected))
    elif profile and profile.vanished and before.get(profile.path):
        readings.append(_reading(profile, ProfileSaid((), ()), before.get(profile.path)))
        problems.append(Problem(profile.path, 0, "note_vanished"))
    if cards and cards.usable:
        edits += _answers(cards, cards.cards, before.get(cards.path), state)
        problems += _missing_sections(cards) + _unreadable(cards.cards)
    return Said(tuple(readings), tuple(edits), tuple(problems))


def _secrets(what: ProfileSaid, secret: Secret) -> list[Problem]:
    """Lines that hold a key or a token: they stay the person's (rule 13)."""
    return [
        Problem(NAMES.profile, one.line, "secret_line")
        for one in what.statements
        if secret(one.says.wording.text)
    ]


def _held(state: State, path: NotePath) -> bool:
    """Whether lines of the note are held until they are back or a card is answered (rule 8)."""
    return any(c.kind == "loss" and c.status == "open" and c.note == path for c in state.cards.values())


def _same(one: Source, before: Stood | None) -> bool:
    return before is not None and before.etag == one.etag


def _reading(
    one: Source,
    what: ProfileSaid,
    before: Stood | None,
    resting: Aside | None = None,
    corrected: Collection[str] = (),
) -> NoteReading:
    shown = Shown(before.ids, before.repeats) if before else None
    sections = frozenset(section.name for section in one.frame.sections) if one.frame else frozenset()
    apart = resting or Aside(what.statements)
    return NoteReading(one.path, apart.active, shown, sections, one.vanished, apart.ids, frozenset(corrected))


def _missing_sections(one: Source) -> list[Problem]:
    there = {section.name for section in one.frame.sections} if one.frame else set()
    wanted = cards_parser.SECTIONS if one.path == NAMES.cards else tuple(SECTION_OF.values())
    missing = [name for name in wanted if name not in there]
    return [Problem(one.path, 0, "section_missing", (("section", name),)) for name in missing]


def _stray_key(section: str, text: str) -> str:
    return f"{section}/{hashlib.sha256(text.encode()).hexdigest()[:12]}"


def _stray_groups(what: ProfileSaid) -> list[tuple[str, int, str]]:
    """(key, first line, lines) of the strays beside each section."""
    groups: dict[str, list[tuple[int, str]]] = {}
    for stray in what.strays:
        groups.setdefault(stray.section, []).append((stray.line, stray.text))
    found = []
    for section, lines in groups.items():
        text = "\n".join(text for _, text in lines)
        found.append((_stray_key(section, text), lines[0][0], text))
    return found


def _strays(what: ProfileSaid) -> list[Edit]:
    groups = _stray_groups(what)
    asks: list[Edit] = [Lines("stray", NAMES.profile, key, text) for key, _, text in groups]
    return [LinesSettled("stray", tuple(key for key, _, _ in groups)), *asks]


def _stray_problems(what: ProfileSaid, state: State) -> list[Problem]:
    answered = {
        card.key for card in state.cards.values() if card.kind == "stray" and card.status == "answered"
    }
    return [
        Problem(NAMES.profile, line, "stray_lines", (("section", key.partition("/")[0]),))
        for key, line, _ in _stray_groups(what)
        if key not in answered
    ]


def _answers(one: Source, what: CardsSaid, before: Stood | None, state: State) -> list[Edit]:
    edits: list[Edit] = [Answer(*one) for one in cards_parser.answers(what)]
    there = {card.id for card in what.cards} | {name for name, _ in what.unreadable}
    stood_there = frozenset[str]().union(*before.ids.values()) if before else frozenset[str]()
    gone = (state.cards[name] for name in sorted(stood_there - there) if name in state.cards)
    sections = {section.name for section in one.frame.sections} if one.frame else set[str]()
    edits += [CardGone(card.id) for card in gone if SECTION[card.kind] in sections]
    return edits


def _unreadable(what: CardsSaid) -> list[Problem]:
    return [Problem(NAMES.cards, line, "card_unreadable") for _, line in what.unreadable]


@dataclass(frozen=True, slots=True)
class Showing:
    """What rendering needs besides the state: the day, the language first among all, the room for cards."""

    today: date
    now: datetime
    zone: tzinfo
    words: tuple[Catalogue, ...]
    cards_per_day: int
    months: Callable[[], Sequence[str]]
    """Gives those of the register, as they are when the journal is written."""
    records: Callable[[str, int], Sequence[Record]]
    """Gives the journal's newest records since a time, at most so many."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A managed note as it should be, and what stood in it as it was read."""

    text: str
    stands: Stood
    stood: Stood


def wanted(
    one: Source,
    state: State,
    showing: Showing,
    resting: Aside | None = None,
    before: Stood | None = None,
    corrected: Collection[str] = (),
) -> Wanted | None:
    """Give a usable note as it should be; what is set aside of Profil.md is as it should be."""
    if one.etag is None or one.frame is None or one.text is None or not one.usable:
        return None
    if one.profile:
        apart = resting or Aside(one.profile.statements)
        shows = _profile_view(state, showing, apart.ids, before, corrected)
        found = profile_renderer.render(shows, one.text, one.frame, one.profile, apart.active, apart.ids)
        after, read = (Stood(one.etag, _joined(apart, each.ids), each.repeats) for each in found)
        return Wanted(found[0].text, after, read)
    names = [card.id for card in one.cards.cards]
    view = cards_renderer.view(state.cards, state.latest, names, showing.cards_per_day, showing.words)
    text = cards_renderer.render(view, one.text, one.frame, one.cards)
    known = frozenset(name for name in names if name in state.cards)
    return Wanted(text, Stood(one.etag, {"cards": frozenset(view.cards)}), Stood(one.etag, {"cards": known}))


def _joined(apart: Aside, ids: Mapping[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    none: frozenset[str] = frozenset()
    sections = {*apart.standing, *ids}
    joined = {name: apart.standing.get(name, none) | ids.get(name, none) for name in sections}
    return {name: names for name, names in joined.items() if names}


def _profile_view(
    state: State,
    showing: Showing,
    resting: frozenset[str],
    before: Stood | None,
    corrected: Collection[str],
) -> profile_renderer.ProfileView:
    words = field_words(showing.words[0])
    # The order of the facts is the order in which new lines are written.
    looked_at = state.facts.keys() - resting
    facts = sorted(
        (state.facts[name] for name in looked_at), key=lambda known: (known[0].recorded_at, known[0].id)
    )
    stood_there = frozenset().union(*before.ids.values()) - resting if before else frozenset()
    today = showing.today.isoformat()

    def again(text: str) -> bool:
        return any(alive(fact) and not over(fact, today) for fact in state.same_text(text))

    repeats = before.repeats if before else frozenset[str]()
    return profile_renderer.view(
        facts, state.cards.values(), today, words, stood_there, corrected, repeats, again
    )


def journal(state: State, showing: Showing) -> str:
    """Give Journal.md whole."""
    since = stamp(showing.now - timedelta(days=JOURNAL_DAYS))

    def fact(name: str) -> Fact | None:
        return state.latest(name)

    words, most = showing.words[0], 2 * journal_renderer.MAX_LINES
    while True:
        records = showing.records(since, most)
        view = journal_renderer.view(records, fact, showing.months(), showing.zone, words, NAMES.profile)
        if view.full or len(records) < most:
            break
        most *= 4
    return journal_renderer.render(view, words, NAMES.register_folder)


def frames(path: NotePath, one: Source | None, words: Catalogue) -> str:
    """Give a managed note with every section it needs (`init`), its own text as it is."""
    present = [section.name for section in one.frame.sections] if one and one.frame else []
    text = one.text if one and one.text else None
    if path == NAMES.profile:
        headings = [(name, words.say(f"profile.heading.{name}")) for name in SECTION_OF.values()]
        return framed(text, present, headings, [words.say("profile.title"), words.say("profile.intro")])
    headings = [(name, words.say(f"cards.heading.{name}")) for name in cards_parser.SECTIONS]
    return framed(text, present, headings, [words.say("cards.title"), words.say("cards.intro")])
