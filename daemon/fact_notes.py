"""The notes of facts, Profil.md and Personnes.md, as one pass sees them: what they say, and what they should say.

Both are read together: a line may have gone from one to the other. Joins the pure steps of `parsers` and `renderers`
to the state and to what stood in each note before.
"""

import hashlib
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from config.i18n import Catalogue
from config.paths import NAMES
from daemon.aside import Aside
from daemon.memory.pairing import NoteReading, alive
from daemon.memory.people import linked, stays
from daemon.memory.places import FACT_NOTES, note_of
from daemon.memory.relations import current
from daemon.memory.shown import Shown
from daemon.memory.state import State
from daemon.source import Source, Wanted, missing_sections
from parsers.model.edits import Answer, Edit, Lines, LinesSettled
from parsers.model.facts import SECTION_OF, Fact, over
from parsers.model.places import NotePath, Problem
from parsers.profile import ProfileSaid
from parsers.sameness import said_key
from parsers.statements import Spot
from renderers import people as people_renderer
from renderers import profile as profile_renderer
from renderers.fields import field_words
from renderers.lines import LinesView
from renderers.profile import Before


@dataclass(slots=True)
class Since:
    """What happened since a note was last left at rest."""

    touched: set[str] | None = None
    """Facts and people that changed; None: any may have."""
    corrected: set[str] = field(default_factory=set)
    """Facts corrected by command: their lines may still read as they did before."""
    forgotten: dict[str, tuple[Fact, ...]] = field(default_factory=dict)
    """Facts forgotten in this pass, as they were before: lines that were read as them leave with them."""
    left: dict[str, str] = field(default_factory=dict)
    """People forgotten in this pass → what their lines said."""


@dataclass(frozen=True, slots=True)
class Look:
    """What a pass knows of a note of facts besides its text."""

    before: Shown | None = None
    """What stood in it when it was last read or written."""
    apart: Aside | None = None
    """What of it needs no look; None: everything needs one."""
    secrets: Sequence[int] = ()
    """Lines that hold a key or a token: they stay the person's (rule 13)."""
    since: Since = field(default_factory=Since)


Looks = Mapping[NotePath, Look]
_DASH = re.compile(r"[ \u00a0\u202f](?:–|--?)[ \u00a0\u202f]")


def said(
    sources: Mapping[NotePath, Source], looks: Looks, state: State, answers: Sequence[Edit], today: str
) -> tuple[list[NoteReading], list[Edit], list[Problem]]:
    """Give how what the notes of facts say differs from what stood there; what is set aside is not read."""
    edits: list[Edit] = []
    problems: list[Problem] = []
    readings: list[NoteReading] = []
    read = False
    for path in FACT_NOTES:
        one, look = sources.get(path), looks.get(path, Look())
        if one and one.usable and one.profile:
            edits += _strays(path, one.profile)
            problems += _stray_problems(path, one.profile, state) + missing_sections(one)
            problems += [Problem(path, line, "secret_line") for line in look.secrets]
            problems += _dashes(path, one.profile) if path == NAMES.people else []
            held = _held(state, path)  # the same bytes back, after the note had vanished, say something too
            waited = _waited(one.profile, look, state, answers)
            read |= held or waited or not _same(one, look.before) or _freed(one.profile, state, today)
            read |= _copied(path, look.apart.active if look.apart else one.profile.statements, state)
            readings.append(_reading(one, one.profile, look, whole=held or (waited and path == NAMES.people)))
        elif one and one.vanished and look.before:
            read = True
            readings.append(_reading(one, ProfileSaid((), ()), Look(look.before)))
            problems.append(Problem(path, 0, "note_vanished"))
    return readings if read else [], edits, problems


def _dashes(path: NotePath, what: ProfileSaid) -> list[Problem]:
    """People whose name holds a sign that looks like the one before a relation, and who have none."""
    heads = ((spot.line, spot.says.wording) for spot in what.statements if not spot.under)
    return [
        Problem(path, line, "person_dash")
        for line, says in heads
        if says.key and not says.value and not says.fields.about and _DASH.search(says.key)
    ]


def _held(state: State, path: NotePath) -> bool:
    """Whether lines of the note are held until they are back or a card is answered (rule 8)."""
    return any(c.kind == "loss" and c.status == "open" and c.note == path for c in state.cards.values())


def _waited(what: ProfileSaid, look: Look, state: State, answers: Sequence[Edit]) -> bool:
    """Whether a line that came back has its answer, and counts from now on as it reads by now (rule 8)."""
    cards = (state.cards.get(one.card) for one in answers if isinstance(one, Answer))
    names = {name for card in cards if card and card.kind == "returned" for name in card.subjects}
    apart = look.apart
    # Of a note that was set aside whole nothing is active, whatever waits in it.
    lines = what.statements if apart is None or (names and not apart.active) else apart.active
    if not lines:
        return False
    stood_there = frozenset[str]().union(*look.before.ids.values()) if look.before else frozenset[str]()
    ids = {spot.says.id for spot in lines if spot.says.id and spot.says.id not in stood_there}
    return any(name in names or alive(state.latest(name)) or stays(state.entities.get(name)) for name in ids)


def _freed(what: ProfileSaid, state: State, today: str) -> bool:
    """Whether a line bears an anchor that was another fact's and is no more."""
    named = [one for one in what.statements if one.says.anchor and one.says.id] if what.anchored else ()
    if not named:
        return False
    latest = (versions[-1] for versions in state.facts.values() if versions[-1].anchor)
    held = {fact.anchor for fact in latest if alive(fact) and not over(fact, today)}
    return any(one.says.anchor not in held and alive(state.latest(one.says.id or "")) for one in named)


def _copied(path: NotePath, lines: Sequence[Spot], state: State) -> bool:
    """Whether a line bears the id of a fact that moved to another note while this one was not read."""
    named = (state.latest(spot.says.id) for spot in lines if spot.says.id)
    return any(fact and alive(fact) and note_of(state, fact) != path for fact in named)


def _same(one: Source, before: Shown | None) -> bool:
    """Whether the note stands as it was left; one that a crash kept from being written was read but not settled."""
    return before is not None and before.etag == one.etag and before.coming in (None, one.etag)


def _reading(one: Source, what: ProfileSaid, look: Look, *, whole: bool = False) -> NoteReading:
    sections = frozenset(section.name for section in one.frame.sections) if one.frame else frozenset()
    apart = look.apart if look.apart and not whole else Aside(what.statements)
    return NoteReading(
        one.path,
        apart.active,
        look.before,
        sections,
        one.vanished,
        apart.resting,
        frozenset(look.since.corrected),
    )


# ---- lines beside a section


def _stray_groups(what: ProfileSaid) -> list[tuple[str, int, str]]:
    """(key, first line, lines) of the strays beside each section."""
    groups: dict[str, list[tuple[int, str]]] = {}
    for stray in what.strays:
        groups.setdefault(stray.section, []).append((stray.line, stray.text))
    found = []
    for section, lines in groups.items():
        text = "\n".join(text for _, text in lines)
        key = f"{section}/{hashlib.sha256(text.encode()).hexdigest()[:12]}"
        found.append((key, lines[0][0], text))
    return found


def _strays(path: NotePath, what: ProfileSaid) -> list[Edit]:
    groups = _stray_groups(what)
    asks: list[Edit] = [Lines("stray", path, key, text) for key, _, text in groups]
    return [LinesSettled("stray", tuple(key for key, _, _ in groups), path), *asks]


def _stray_problems(path: NotePath, what: ProfileSaid, state: State) -> list[Problem]:
    answered = {
        card.key for card in state.cards.values() if card.kind == "stray" and card.status == "answered"
    }
    return [
        Problem(path, line, "stray_lines", (("section", key.partition("/")[0]),))
        for key, line, _ in _stray_groups(what)
        if key not in answered
    ]


# ---- what they should say


def wanted(one: Source, state: State, today: date, words: Catalogue, look: Look) -> Wanted | None:
    """Give a usable note of facts as it should be; what is set aside of it is as it should be."""
    if one.etag is None or one.frame is None or one.text is None or one.profile is None:
        return None
    apart = look.apart or Aside(one.profile.statements)
    if one.path == NAMES.people:
        if apart.whole:
            return None
        people = _people_view(state, today, words, apart, look)
        found = people_renderer.render(people, one.text, one.frame, one.profile, apart.active)
    else:
        shows = _view(one.path, state, today, words, apart, look)
        active = [_about(spot, state) for spot in apart.active]
        found = profile_renderer.render(shows, one.text, one.frame, one.profile, active, apart.resting)
    text, after = found[0].text, Shown(one.etag, apart.resting.joined(found[0].ids), found[0].repeats)
    same = found[1].ids == found[0].ids
    read = Shown(one.etag, after.ids if same else apart.resting.joined(found[1].ids), found[1].repeats)
    return Wanted(text, after, read)


def _about(spot: Spot, state: State) -> Spot:
    """The line, knowing what its last field says it is about."""
    target = spot.says.wording.fields.about
    entity = linked(state, NotePath(f"{target}.md"), target) if target else None
    return spot._replace(entity=entity.id) if entity else spot


def _view(path: NotePath, state: State, today: date, words: Catalogue, apart: Aside, look: Look) -> LinesView:
    names, forgotten = field_words(words), look.since.forgotten
    # The order of the facts is the order in which new lines are written.
    looked_at = state.facts.keys() if apart.facts is None else apart.facts & state.facts.keys()
    # A line of a fact forgotten after the note was read may have come just then, without an id: the words tell it.
    facts = sorted(
        (forgotten.get(name, ()) + state.facts[name] for name in looked_at),
        key=lambda known: (known[0].recorded_at, known[0].id),
    )
    gone = (one for versions in forgotten.values() for one in versions if one.text)
    words_gone = {said_key(one.text, one.entity_id) for one in gone}
    day = today.isoformat()

    def again(text: str, entity: str | None) -> bool:
        said_so = (one for one in state.same_text(text) if one.entity_id == entity)
        return any(alive(fact) and not over(fact, day) for fact in said_so)

    def place(fact: Fact) -> tuple[str, str] | None:
        if fact.entity_id is None:
            return (SECTION_OF[fact.kind], "") if path == NAMES.profile else None
        if note_of(state, fact) != path:
            return None
        return (fact.entity_id, "") if path == NAMES.people else (SECTION_OF[fact.kind], _last_field(fact))

    def _last_field(fact: Fact) -> str:
        entity = state.entities[fact.entity_id or ""]
        return f" [{names['about']}:: [[{(entity.note or entity.name).removesuffix('.md')}]]]"

    before = Before(
        _stood(apart, look.before),
        look.since.corrected,
        (look.before.repeats if look.before else frozenset[str]()) | words_gone,
    )
    return profile_renderer.view(facts, state.cards.values(), day, names, before, again, place)


def _stood(apart: Aside, before: Shown | None) -> Collection[str]:
    stood = before.ids.items() if before else ()
    return frozenset().union(*(apart.resting.others(section, names) for section, names in stood))


def _people_view(
    state: State, today: date, words: Catalogue, apart: Aside, look: Look
) -> people_renderer.PeopleView:
    people = sorted(
        (one for one in state.entities.values() if one.kind == "person" and one.id not in apart.resting),
        key=lambda one: (one.recorded_at, one.id),
    )
    facts, left = _view(NAMES.people, state, today, words, apart, look), look.since.left.values()
    return people_renderer.view(
        [(one, current(state, one.id)) for one in people],
        tuple(state.cards.values()),
        facts,
        field_words(words),
        Before(
            {*_stood(apart, look.before), *look.since.left},
            repeats=frozenset(said_key(one, None) for one in left),
        ),
    )
