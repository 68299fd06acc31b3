"""The managed notes as one pass sees them: read, scanned, what they say, what they should say.

Each note is the same four pure steps (parse and diff in `parsers/NAME.py`, view and render in `renderers/NAME.py`);
this module joins them to the state and to what stood in the note before. It opens nothing itself.
"""

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from functools import cached_property

from config.i18n import Catalogue
from config.paths import NAMES
from daemon.aside import Aside
from daemon.memory.pairing import NoteReading, alive
from daemon.memory.shown import Shown
from daemon.memory.state import State
from daemon.source import SECTIONS, Source, is_plan, missing_sections
from parsers import cards as cards_parser
from parsers.cards import CardsSaid
from parsers.model.cards import SECTION
from parsers.model.edits import Answer, CardGone, Edit, Lines, LinesSettled
from parsers.model.facts import Fact, over
from parsers.model.places import NotePath, Problem
from parsers.model.register import Record, stamp
from parsers.profile import ProfileSaid
from parsers.sameness import folded
from renderers import cards as cards_renderer
from renderers import journal as journal_renderer
from renderers import plans_base as plans_base_renderer
from renderers import profile as profile_renderer
from renderers.fields import field_words
from renderers.frame import framed
from renderers.journal_runs import Known

READ_NOTES = (NAMES.profile, NAMES.cards, NAMES.autonomy)
"""The managed notes that are read in each pass, in that order; plan notes come besides."""
OWNED_NOTES = (NAMES.journal, NotePath(NAMES.plans_base))
"""Those that are wholly ours: rendered whole, never read."""
SHOWN_NOTES = (*READ_NOTES, *OWNED_NOTES)
"""The managed notes of which what stood in them is remembered."""


def is_managed(path: NotePath) -> bool:
    """Tell whether a path is a managed note's."""
    return path in SHOWN_NOTES or is_plan(path)


def is_read(path: NotePath) -> bool:
    """Tell whether a path is that of a managed note in which the person's edits are read."""
    return path in READ_NOTES or is_plan(path)


JOURNAL_DAYS = 14
GONE = "gone"
"""Under this name what stood in a plan note lists the steps whose lines the person took out."""


@dataclass(frozen=True, slots=True)
class Said:
    """What the managed notes of a pass say."""

    readings: tuple[NoteReading, ...] = ()
    edits: tuple[Edit, ...] = ()
    problems: tuple[Problem, ...] = ()


def said(
    sources: Mapping[NotePath, Source],
    before: Mapping[NotePath, Shown | None],
    state: State,
    secrets: Sequence[int],
    resting: Aside | None,
    corrected: Collection[str],
    today: str,
) -> Said:
    """Give how what the notes say differs from what stood there; of Profil.md only what is not set aside is read.

    `secrets` are the lines of Profil.md that hold a key or a token: they stay the person's (rule 13).
    """
    profile, cards = sources.get(NAMES.profile), sources.get(NAMES.cards)
    readings: list[NoteReading] = []
    edits: list[Edit] = []
    problems: list[Problem] = []
    answers = _answers(cards, cards.cards, before.get(cards.path), state) if cards and cards.usable else []
    if profile and profile.usable and profile.profile:
        earlier = before.get(profile.path)
        edits += _strays(profile.profile)
        problems += _stray_problems(profile.profile, state) + missing_sections(profile)
        problems += [Problem(profile.path, line, "secret_line") for line in secrets]
        if _held(state, profile.path):  # the same bytes back, after the note had vanished, say something too
            readings.append(_reading(profile, profile.profile, earlier, None, corrected))
        elif (
            not _same(profile, earlier)
            or _waited(profile.profile, earlier, state, answers, resting)
            or _freed(profile.profile, state, today)
        ):
            readings.append(_reading(profile, profile.profile, earlier, resting, corrected))
    elif profile and profile.vanished and before.get(profile.path):
        readings.append(_reading(profile, ProfileSaid((), ()), before.get(profile.path)))
        problems.append(Problem(profile.path, 0, "note_vanished"))
    if cards and cards.usable:
        edits += answers
        problems += missing_sections(cards) + _unreadable(cards.cards)
    return Said(tuple(readings), tuple(edits), tuple(problems))


def _held(state: State, path: NotePath) -> bool:
    """Whether lines of the note are held until they are back or a card is answered (rule 8)."""
    return any(c.kind == "loss" and c.status == "open" and c.note == path for c in state.cards.values())


def _waited(
    what: ProfileSaid,
    before: Shown | None,
    state: State,
    answers: Sequence[Edit],
    resting: Aside | None,
) -> bool:
    """Whether a line that came back has its answer, and counts from now on as it reads by now (rule 8)."""
    cards = (state.cards.get(one.card) for one in answers if isinstance(one, Answer))
    names = {name for card in cards if card and card.kind == "returned" for name in card.subjects}
    lines = resting.active if resting else what.statements
    if not lines:
        return False
    stood_there = frozenset[str]().union(*before.ids.values()) if before else frozenset[str]()
    ids = {spot.says.id for spot in lines if spot.says.id and spot.says.id not in stood_there}
    return any(name in names or alive(state.latest(name)) for name in ids)


def _freed(what: ProfileSaid, state: State, today: str) -> bool:
    """Whether a line bears an anchor that was another fact's and is no more."""
    named = [one for one in what.statements if one.says.anchor and one.says.id] if what.anchored else ()
    if not named:
        return False
    latest = (versions[-1] for versions in state.facts.values() if versions[-1].anchor)
    held = {fact.anchor for fact in latest if alive(fact) and not over(fact, today)}
    return any(one.says.anchor not in held and alive(state.latest(one.says.id or "")) for one in named)


def _same(one: Source, before: Shown | None) -> bool:
    return before is not None and before.etag == one.etag


def _reading(
    one: Source,
    what: ProfileSaid,
    before: Shown | None,
    resting: Aside | None = None,
    corrected: Collection[str] = (),
) -> NoteReading:
    sections = frozenset(section.name for section in one.frame.sections) if one.frame else frozenset()
    apart = resting or Aside(what.statements)
    return NoteReading(
        one.path, apart.active, before, sections, one.vanished, apart.resting, frozenset(corrected)
    )


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


def _answers(one: Source, what: CardsSaid, before: Shown | None, state: State) -> list[Edit]:
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

    @property
    def stamp(self) -> str:
        """`now` as the register writes it."""
        return stamp(self.now)


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


def wanted(
    one: Source,
    state: State,
    showing: Showing,
    resting: Aside | None = None,
    before: Shown | None = None,
    corrected: Collection[str] = (),
    forgotten: Mapping[str, tuple[Fact, ...]] | None = None,
) -> Wanted | None:
    """Give a usable note as it should be; what is set aside of Profil.md is as it should be.

    `forgotten` are the facts forgotten since the note was read, as they were.
    """
    if one.etag is None or one.frame is None or one.text is None or not one.usable:
        return None
    if one.profile:
        apart = resting or Aside(one.profile.statements)
        shows = _profile_view(state, showing, apart, before, corrected, forgotten or {})
        found = profile_renderer.render(shows, one.text, one.frame, one.profile, apart.active, apart.resting)
        text, after = found[0].text, Shown(one.etag, apart.resting.joined(found[0].ids), found[0].repeats)
        same = found[1].ids == found[0].ids
        read = Shown(one.etag, after.ids if same else apart.resting.joined(found[1].ids), found[1].repeats)
        return Wanted(text, after, read)
    names = [card.id for card in one.cards.cards]
    view = cards_renderer.view(state.cards, state.latest, names, showing.cards_per_day, showing.words)
    text = cards_renderer.render(view, one.text, one.frame, one.cards)
    known = frozenset(name for name in names if name in state.cards)
    return Wanted(text, Shown(one.etag, {"cards": frozenset(view.cards)}), Shown(one.etag, {"cards": known}))


def _profile_view(
    state: State,
    showing: Showing,
    apart: Aside,
    before: Shown | None,
    corrected: Collection[str],
    forgotten: Mapping[str, tuple[Fact, ...]],
) -> profile_renderer.ProfileView:
    words = field_words(showing.words[0])
    # The order of the facts is the order in which new lines are written.
    looked_at = state.facts.keys() if apart.facts is None else apart.facts & state.facts.keys()
    # A line of a fact forgotten after the note was read may have come just then, without an id: the words tell it.
    facts = sorted(
        (forgotten.get(name, ()) + state.facts[name] for name in looked_at),
        key=lambda known: (known[0].recorded_at, known[0].id),
    )
    words_gone = {folded(one.text) for versions in forgotten.values() for one in versions if one.text}
    stood = before.ids.items() if before else ()
    stood_there = frozenset().union(*(apart.resting.others(section, names) for section, names in stood))
    today = showing.today.isoformat()

    def again(text: str) -> bool:
        return any(alive(fact) and not over(fact, today) for fact in state.same_text(text))

    repeats = (before.repeats if before else frozenset[str]()) | words_gone
    return profile_renderer.view(
        facts, state.cards.values(), today, words, stood_there, corrected, repeats, again
    )


def journal(known: Known, showing: Showing) -> str:
    """Give Journal.md whole."""
    since = stamp(showing.now - timedelta(days=JOURNAL_DAYS))
    words, most = showing.words[0], 2 * journal_renderer.MAX_LINES
    notes = journal_renderer.Notes(NAMES.profile, NAMES.autonomy)
    while True:
        records = showing.records(since, most)
        view = journal_renderer.view(records, known, showing.months(), showing.zone, words, notes)
        if view.full or len(records) < most:
            break
        most *= 4
    return journal_renderer.render(view, words, NAMES.register_folder)


def plans_base(showing: Showing) -> str:
    """Give Plans.base whole."""
    return plans_base_renderer.render(NAMES.plans, showing.words[0])


def frames(path: NotePath, one: Source | None, words: Catalogue) -> str:
    """Give a managed note with every section it needs (`init`), its own text as it is."""
    present = [section.name for section in one.frame.sections] if one and one.frame else []
    text = one.text if one and one.text else None
    noun = {NAMES.profile: "profile", NAMES.autonomy: "autonomy"}.get(path, "cards")
    headings = [(name, words.say(f"{noun}.heading.{name}")) for name in SECTIONS[path]]
    return framed(text, present, headings, [words.say(f"{noun}.title"), words.say(f"{noun}.intro")])
