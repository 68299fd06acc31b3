"""Whose line is which in Personnes.md, and what it says of them (memory.md, Reading a note, Entities and relations).

People's lines are paired before they are compared, as facts' are: (a) same id, same text; (b) a text that a known id
had and no longer has; (c) same id, other text. Then, of those whose lines are gone, (d) the one who is called so, or
below whom the facts stood. The rest is new or gone: two « Marie » are two lines, and two people.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from daemon.memory.moment import Deliberation
from daemon.memory.pairing import NoteReading, asked_back
from daemon.memory.people import amend, assert_entity, home, new_entity, said_of, stays, subject
from daemon.memory.relations import relate
from daemon.memory.state import State
from daemon.memory.values import sensitivity
from parsers.ids import ENTITY
from parsers.model.entities import Entity
from parsers.model.places import NotePath
from parsers.people import SECTION as PEOPLE
from parsers.sameness import folded
from parsers.statements import Spot


class Gone(NamedTuple):
    """Somebody whose line is gone."""

    reading: NoteReading
    entity: Entity
    has_facts: bool
    """Facts were about them when their line went (rule 8)."""


@dataclass(frozen=True, slots=True)
class People:
    """The notes read in a pass, once it is known who is who."""

    readings: tuple[NoteReading, ...]
    """Their statements are facts alone, and each knows whom or what it is about."""
    gone: tuple[Gone, ...] = ()


def take_people(work: Deliberation, readings: Sequence[NoteReading]) -> People:
    """Decide what people's lines say, so that every other line knows whom or what it is about."""
    lines = [
        (reading, spot)
        for reading in readings
        for spot in reading.statements
        if spot.reach and spot.says.wording.text
    ]
    resting = [reading.resting for reading in readings]
    pairing = _Pairing(work, lines, lambda name: any(name in one for one in resting))
    owned = {}
    for index, name in sorted(pairing.pair().items()):
        reading, spot = lines[index]
        owned[reading.note, spot.start] = name
    gone = pairing.gone(readings)
    with_facts = _with_facts(work.state) if gone else frozenset[str]()
    for index, name in sorted(pairing.found.items()):
        if index not in pairing.secret:
            _take_line(work, lines[index][1], name)
    known = tuple(_placed(work, reading, owned) for reading in readings)
    by_note = {one.note: one for one in known}
    return People(known, tuple(Gone(by_note[r.note], one, one.id in with_facts) for r, one in gone))


def _stood(reading: NoteReading) -> dict[str, frozenset[str]]:
    return dict(reading.shown.ids) if reading.shown else {}


def _with_facts(state: State) -> frozenset[str]:
    latest = (versions[-1] for versions in state.facts.values())
    return frozenset(
        fact.entity_id
        for fact in latest
        if fact.entity_id and fact.status in ("confirmed", "held", "pending") and fact.retracted_at is None
    )


def _placed(work: Deliberation, reading: NoteReading, owned: dict[tuple[NotePath, int], str]) -> NoteReading:
    """The same reading, its facts alone; those below a line that is nobody's yet are not read."""
    if not any(spot.reach or spot.under or spot.says.wording.fields.about for spot in reading.statements):
        return reading
    statements: list[Spot] = []
    for spot in reading.statements:
        about = spot.says.wording.fields.about
        if spot.under:
            name = owned.get((reading.note, spot.under))
            statements += [spot._replace(section=name, entity=name)] if name else []
        elif about and not spot.reach and spot.says.wording.text:
            statements.append(spot._replace(entity=subject(work, about)))
        elif not spot.reach:
            statements.append(spot)
    people = frozenset(name for (note, _), name in owned.items() if note == reading.note)
    return replace(reading, statements=tuple(statements), sections=reading.sections | people)


class _Pairing:
    """Which line is whose."""

    def __init__(
        self, work: Deliberation, lines: Sequence[tuple[NoteReading, Spot]], rests: Callable[[str], bool]
    ) -> None:
        self.work, self.state, self.rests = work, work.state, rests
        self.lines = lines
        self.found: dict[int, str] = {}
        self.taken: set[str] = set()
        self.secret = {
            index for index, (_, spot) in enumerate(lines) if work.moment.secret_spans(spot.says.wording.text)
        }
        """Lines that hold a key or a token: nothing of them is taken, but somebody whose id is there has a line."""
        self.names = self._names()
        people = (one for one in self.state.entities.values() if one.kind == "person")
        self.candidates = (
            {
                one.id: one
                for one in sorted(people, key=lambda one: one.id)
                if self._may_hold(one) and not rests(one.id)
            }
            if lines
            else {}
        )

    def pair(self) -> dict[int, str]:
        self._each(lambda index: self._named(index, same=True))
        self._each(self._same_text)
        self._each(lambda index: self._named(index, same=False))
        left = [index for index in range(len(self.lines)) if index not in self.found]
        self._each(lambda index: self._alone(index, left, self._called))
        self._each(lambda index: self._alone(index, left, self._below))
        for index in range(len(self.lines)):
            if index not in self.found and index not in self.secret and not self._returned(index):
                self.found[index] = self._new(index)
        return self.found

    def gone(self, readings: Sequence[NoteReading]) -> list[tuple[NoteReading, Entity]]:
        """Whose lines stood in these notes and stand there no more."""
        return [
            (reading, entity)
            for reading in readings
            for name in sorted(_stood(reading).get(PEOPLE, ()))
            if name not in self.taken and name not in reading.resting
            if (entity := self.state.entities.get(name)) and stays(entity) and entity.status != "held"
        ]

    def _names(self) -> list[str | None]:
        """The person each line names by id, else by anchor; a second use names nobody."""
        seen: set[str] = set()
        names: list[str | None] = []
        anchors = {
            one.anchor or "": one.id for one in self.state.entities.values() if one.anchor and stays(one)
        }
        for _, spot in self.lines:
            name = (
                spot.says.id if spot.says.id in self.state.entities else anchors.get(spot.says.anchor or "")
            )
            names.append(name if name and name not in seen and not self.rests(name) else None)
            seen |= {name} if name else set()
        return names

    def _may_hold(self, entity: Entity) -> bool:
        """A line may be theirs: they are known, or rejected so lately that its coming back cancels that (rule 1)."""
        lately = entity.status == "rejected" and self.work.moment.recent(entity.retracted_at)
        return stays(entity) or lately

    def _each(self, pick: Callable[[int], str | None]) -> None:
        for index in range(len(self.lines)):
            name = None if index in self.found else pick(index)
            if name:
                self.found[index] = name
                self.taken.add(name)

    def _free(self, name: str | None) -> Entity | None:
        return self.candidates.get(name) if name and name not in self.taken else None

    def _named(self, index: int, *, same: bool) -> str | None:
        entity = self._free(self.names[index])
        says = entity is not None and said_of(self.state, entity) == self._text(index)
        return entity.id if entity and (says or not same) else None

    def _text(self, index: int) -> str:
        return self.lines[index][1].says.wording.text

    def _same_text(self, index: int) -> str | None:
        if self._is_past(index) or index in self.secret:
            return None
        words = folded(self._text(index))
        same = [
            one
            for name, one in self.candidates.items()
            if name not in self.taken and folded(said_of(self.state, one)) == words
        ]
        return min(same, key=lambda one: (one.name != self._text(index), one.id)).id if same else None

    def _alone(self, index: int, left: Sequence[int], fit: Callable[[int], set[str]]) -> str | None:
        """The one person who fits a line that names nobody, where no other such line fits them too."""
        if index not in left or index in self.secret or self._is_past(index):
            return None
        names = fit(index)
        others = (fit(other) for other in left if other != index and other not in self.found)
        name = next(iter(names)) if len(names) == 1 else None
        return name if name and not any(name in one for one in others) else None

    def _called(self, index: int) -> set[str]:
        words = folded(self.lines[index][1].says.wording.key or "")
        return {n for n, one in self.candidates.items() if n not in self.taken and folded(one.name) == words}

    def _below(self, index: int) -> set[str]:
        """Those about whom the facts below a line are, by their ids."""
        reading, spot = self.lines[index]
        facts = (
            self.state.latest(one.says.id or "") for one in reading.statements if one.under == spot.start
        )
        names = {fact.entity_id for fact in facts if fact and fact.entity_id}
        return {name for name in names if self._free(name)}

    def _is_past(self, index: int) -> bool:
        """The line bears the id of somebody who is no longer known."""
        name = self.names[index]
        return name is not None and name not in self.candidates and self.state.entities[name].kind == "person"

    def _returned(self, index: int) -> bool:
        """The line of somebody who is no longer known is back: an older version of the note, perhaps (rule 8)."""
        name, (reading, spot) = self.names[index], self.lines[index]
        if not name or not self._is_past(index):
            return False
        stood = any(name in names for names in _stood(reading).values())
        if not stood and name not in asked_back(self.state) and not self._refused(name, index):
            key = f"{name}.{self.state.entities[name].retracted_at}"
            self.work.open_card("returned", (name,), spot.says.wording.text, key=key, note=reading.note)
        return True

    def _refused(self, name: str, index: int) -> bool:
        """The line was asked about and set aside just now; or long ago, and stands for what is below it."""
        reading, spot = self.lines[index]
        kept = any(one.under == spot.start for one in reading.statements)
        return any(
            card.kind == "returned" and card.answer == "refuse" and name in card.subjects
            for card in self.state.cards.values()
            if card.text == self._text(index) and (kept or self.work.moment.recent(card.answered_at))
        )

    def _new(self, index: int) -> str:
        says = self.lines[index][1].says
        free = says.id and says.id.startswith(f"{ENTITY}-") and says.id not in self.state.entities
        entity = new_entity(self.work, says.wording.key or "", "person", name=says.id if free else None)
        assert_entity(self.work, entity, "stated")
        return entity.id


# ---- what a line says of whom it is


def _take_line(work: Deliberation, spot: Spot, name: str) -> None:
    """A line that is somebody's: back from a deletion, renamed, related otherwise, its fields changed."""
    wording, status = spot.says.wording, work.state.entities[name].status
    if status == "held":
        amend(work, "kept", name, status="confirmed")
    elif status == "rejected":
        amend(work, "restored", name, status="confirmed", retracted_at=None)
    entity = work.state.entities[name]
    if wording.key and wording.key != entity.name:
        _rename(work, entity, wording.key)
    relate(work, name, wording)
    marked = sensitivity(work, wording.text, stated=wording.fields.sensitive)
    if marked != entity.sensitivity:
        amend(work, "marked", name, sensitivity=marked)
    note = home(work, wording.fields.about) if wording.fields.about else None
    if note != entity.note:
        amend(work, "noted", name, note=note)
    anchor = spot.says.anchor
    others = (one for one in work.state.entities.values() if one.anchor == anchor and one.id != name)
    if anchor != entity.anchor and not (anchor and any(map(stays, others))):
        amend(work, "anchored", name, anchor=anchor)


def _rename(work: Deliberation, entity: Entity, name: str) -> None:
    """The same person by another name; the old one stays an alias, unless it was just a slip of the pen (rule 3)."""
    slip = folded(name) == folded(entity.name) or work.moment.recent(entity.recorded_at)
    kept = entity.aliases if slip else (*entity.aliases, entity.name)
    aliases = [alias for alias in dict.fromkeys(kept) if alias != name]
    at = work.moment.at
    how = "corrected" if slip else "renamed"
    amend(
        work, "renamed", entity.id, name=name, aliases=aliases, recorded_at=at, old_text=entity.name, how=how
    )
