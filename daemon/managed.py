"""The managed notes as one pass sees them: read, scanned, what they say, what they should say.

Each note is the same four pure steps (parse and diff in `parsers/NAME.py`, view and render in `renderers/NAME.py`);
this module joins them to the state and to what stood in the note before. It opens nothing itself.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from functools import partial

from config.i18n import Catalogue
from config.paths import NAMES
from daemon import fact_notes
from daemon.fact_notes import Look
from daemon.memory.pairing import NoteReading
from daemon.memory.people import said_of, told
from daemon.memory.shown import Shown
from daemon.memory.state import State
from daemon.source import SECTIONS, Source, Wanted, is_plan, missing_sections
from parsers import cards as cards_parser
from parsers.cards import CardsSaid
from parsers.model.cards import SECTION
from parsers.model.edits import Answer, CardGone, Edit
from parsers.model.places import NotePath, Problem
from parsers.model.register import Record, stamp
from renderers import cards as cards_renderer
from renderers import journal as journal_renderer
from renderers import plans_base as plans_base_renderer
from renderers.frame import framed
from renderers.journal_runs import Known

READ_NOTES = (NAMES.profile, NAMES.people, NAMES.cards, NAMES.autonomy)
"""The managed notes that are read in each pass, in that order; plan notes come besides."""
OWNED_NOTES = (NAMES.journal, NotePath(NAMES.plans_base))
"""Those that are wholly ours: rendered whole, never read."""
SHOWN_NOTES = (*READ_NOTES, *OWNED_NOTES)
"""The managed notes of which what stood in them is remembered."""


def is_managed(path: NotePath) -> bool:
    """Tell whether a path is a managed note's."""
    return path in SHOWN_NOTES or path == NAMES.now or is_plan(path)


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


def said(sources: Mapping[NotePath, Source], looks: fact_notes.Looks, state: State, today: str) -> Said:
    """Give how what the notes say differs from what stood there."""
    cards = sources.get(NAMES.cards)
    usable = cards if cards and cards.usable else None
    answers = _answers(usable, usable.cards, looks[usable.path].before, state) if usable else []
    readings, edits, problems = fact_notes.said(sources, looks, state, answers, today)
    if usable:
        edits += answers
        problems += missing_sections(usable) + _unreadable(usable.cards)
    return Said(tuple(readings), tuple(edits), tuple(problems))


def _answers(one: Source, what: CardsSaid, before: Shown | None, state: State) -> list[Edit]:
    edits: list[Edit] = [Answer(*one) for one in cards_parser.answers(what)]
    there = {card.id for card in what.cards} | {name for name, _ in what.unreadable}
    stood_there = frozenset[str]().union(*before.ids.values()) if before else frozenset[str]()
    gone = (state.cards[name] for name in sorted(stood_there - there) if name in state.cards)
    sections = {section.name for section in one.frame.sections} if one.frame else set[str]()
    edits += [CardGone(card.id) for card in gone if SECTION[card.kind] in sections]
    return edits


def _unreadable(what: CardsSaid) -> list[Problem]:
    found = [Problem(NAMES.cards, line, "card_unreadable") for _, line in what.unreadable]
    return [*found, *(Problem(NAMES.cards, line, "card_words_after") for line in what.worded)]


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


def wanted(one: Source, state: State, showing: Showing, look: Look | None = None) -> Wanted | None:
    """Give a usable note as it should be; what is set aside of a note of facts is as it should be."""
    if one.etag is None or one.frame is None or one.text is None or not one.usable:
        return None
    if one.profile:
        return fact_notes.wanted(one, state, showing.today, showing.words[0], look or Look())
    names = [card.id for card in one.cards.cards]
    room, words = showing.cards_per_day, showing.words
    called, about = partial(_called, state), partial(told, state)
    view = cards_renderer.view(state.cards, state.latest, names, room, words, called, about)
    text = cards_renderer.render(view, one.text, one.frame, one.cards)
    known = frozenset(name for name in names if name in state.cards)
    return Wanted(text, Shown(one.etag, {"cards": frozenset(view.cards)}), Shown(one.etag, {"cards": known}))


def _called(state: State, name: str) -> str:
    """What the line of an entity says."""
    return said_of(state, state.entities[name])


def journal(known: Known, showing: Showing) -> str:
    """Give Journal.md whole."""
    since = stamp(showing.now - timedelta(days=JOURNAL_DAYS))
    words, most = showing.words[0], 2 * journal_renderer.MAX_LINES
    notes = journal_renderer.Notes(NAMES.profile, NAMES.autonomy, NAMES.now, NAMES.people)
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
    noun = {NAMES.profile: "profile", NAMES.people: "people", NAMES.autonomy: "autonomy"}.get(path, "cards")
    headings = [(name, words.say(f"{noun}.heading.{name}")) for name in SECTIONS[path]]
    return framed(text, present, headings, [words.say(f"{noun}.title"), words.say(f"{noun}.intro")])
