"""Which line is which fact (memory.md, Reading a note): lines are paired before they are compared.

In this order: (a) same id, same text, but for case, accents and spaces; (b) a text that a known id had and no longer
has, wherever the id went; (c) same id, other text; (d) the rest is new, said again, back from the past, or gone.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Literal

from daemon.memory.moment import Moment
from daemon.memory.places import at_place, note_of
from daemon.memory.resting import Resting
from daemon.memory.shown import Shown
from daemon.memory.state import State
from parsers.model.cards import proposed
from parsers.model.facts import Fact, over
from parsers.model.places import NotePath
from parsers.sameness import folded, said_key
from parsers.statements import Spot, bearers

_PROPOSALS = ("proposal", "update", "name")
"""Cards that ask whether what somebody proposed shall be known."""


@dataclass(frozen=True, slots=True)
class NoteReading:
    """One note read in this pass; `shown` is None when the index has forgotten what stood there."""

    note: NotePath
    statements: tuple[Spot, ...]
    shown: Shown | None
    sections: frozenset[str] = frozenset()
    """Sections that stand in the note."""
    vanished: bool = False
    """The note is gone, or empty."""
    resting: Resting = field(default_factory=Resting)
    """Facts whose lines stand as they stood: their lines are not among the statements."""
    corrected: Collection[str] = ()
    """Facts corrected by command since the note was written: a line that still reads as before is not their word."""


How = Literal["same", "reworded", "new", "repeat", "leaving", "returned"]


@dataclass(frozen=True, slots=True)
class Line:
    """A statement and the fact it is; `fact` is None for a new line."""

    note: NotePath
    spot: Spot
    how: How
    fact: Fact | None
    outdated: bool = False
    """The fact was corrected by command since the note was written."""


@dataclass(frozen=True, slots=True)
class Paired:
    """Every line of the notes read, and the facts whose lines are gone."""

    lines: tuple[Line, ...]
    gone: tuple[tuple[NoteReading, str, Fact], ...]
    """(reading, section it stood in, fact)."""


def alive(fact: Fact | None) -> bool:
    """Tell whether a fact's latest version is one that a note may show."""
    return fact is not None and fact.status in ("confirmed", "held") and fact.retracted_at is None


def may_return(state: State, moment: Moment, fact: Fact) -> bool:
    """Tell whether a fact was rejected so lately that its line's coming back cancels that (rule 1).

    What an agent proposed and the person refused had no line that could come back.
    """
    lately = fact.status == "rejected" and moment.recent(fact.retracted_at)
    return lately and not _was_refused(state, fact.id)


def _was_refused(state: State, name: str) -> bool:
    """Whether the person's last answer about a proposed fact was no."""
    asked = (card for card in state.cards.values() if card.kind in _PROPOSALS and card.answer)
    cards = (card for card in asked if proposed(card) == name)
    last = max(cards, key=lambda card: card.answered_at or "", default=None)
    return last is not None and last.answer == "refuse"


def asked_back(state: State) -> frozenset[str]:
    """Give the facts whose lines came back and wait for an answer (rule 8)."""
    cards = (card for card in state.cards.values() if card.kind == "returned" and card.status == "open")
    return frozenset(name for card in cards for name in card.subjects)


def pair(readings: Sequence[NoteReading], state: State, moment: Moment) -> Paired:
    """Pair the lines of all notes read in one pass with the facts they are."""
    return _Pairing(readings, state, moment).pair()


class _Pairing:
    def __init__(self, readings: Sequence[NoteReading], state: State, moment: Moment) -> None:
        self.readings, self.state, self.moment = readings, state, moment
        self.spots = [
            (reading, one) for reading in readings for one in reading.statements if one.says.wording.text
        ]
        self.taken: dict[str, str | None] = {}
        """Facts that have a line → what that line is about."""
        self.anchors = self._anchors() if any(spot.says.anchor for _, spot in self.spots) else {}
        """Anchor → the fact a line with it may be."""
        self.names: list[str | None] = []
        """The id of ours each statement carries, or the fact that left of its anchor; a second use is no id."""
        self.anchored: dict[int, str] = {}
        """Statement → the fact its anchor means, unless its own id is that of a fact it was."""
        self._name()
        self.found: dict[int, tuple[How, Fact | None]] = {}

    def _name(self) -> None:
        asked = asked_back(self.state)
        left = self._left_by_anchor()
        for index, (reading, spot) in enumerate(self.spots):
            name = left.get(index) or spot.says.id
            past = self._is_past(name) and name not in asked
            if name and past and self._stated_anew(reading, spot, name):
                past = spot.says.wording.text in self._texts(name)
                name = None
            if spot.says.anchor in self.anchors and not past and name not in asked:
                self.anchored[index] = self.anchors[spot.says.anchor]
            self.names.append(name if name and not self._rests(name) else None)
        self._once()

    def _once(self) -> None:
        """Of several lines with one id the first has it; in the note where its fact stands, before another."""
        first: dict[str, int] = {}
        for index, name in enumerate(self.names):
            if name and (name not in first or self._is_home(index, name) > self._is_home(first[name], name)):
                first[name] = index
        self.names = [
            name if name and first[name] == index else None for index, name in enumerate(self.names)
        ]

    def _is_home(self, index: int, name: str) -> bool:
        fact = self.state.latest(name)
        return fact is not None and note_of(self.state, fact) == self.spots[index][0].note

    def _anchors(self) -> dict[str, str]:
        named = (fact for versions in self.state.facts.values() if (fact := versions[-1]).anchor)
        held = sorted(filter(self._may_hold, named), key=_claim)
        return {fact.anchor or "": fact.id for fact in held}

    def _left_by_anchor(self) -> dict[int, str]:
        """The lines whose anchor is that of a fact that stood there and leaves."""
        if not any(spot.says.anchor for _, spot in self.spots):
            return {}
        stood = (names for one in self.readings if one.shown for names in one.shown.ids.values())
        facts = [
            fact for names in stood for name in names if (fact := self.state.latest(name)) and fact.anchor
        ]
        left = {fact.anchor or "": (fact.id, self._texts(fact.id)) for fact in sorted(facts, key=_claim)}
        free = [(at, one) for at, (_, one) in enumerate(self.spots) if one.says.id not in self.state.facts]
        return bearers(free, {anchor: known for anchor, known in left.items() if anchor not in self.anchors})

    def _texts(self, name: str) -> set[str]:
        return {one.text for one in self.state.facts[name]}

    def pair(self) -> Paired:
        self._same_id_same_text()
        self._known_text(moved=False)
        self._known_text(moved=True)
        self._same_id()
        self._rest()
        lines = tuple(
            self._line(reading, one, *self.found[index]) for index, (reading, one) in enumerate(self.spots)
        )
        return Paired(lines, self._gone())

    def _line(self, reading: NoteReading, spot: Spot, how: How, fact: Fact | None) -> Line:
        return Line(reading.note, spot, how, fact, fact is not None and fact.id in reading.corrected)

    def _rests(self, name: str) -> bool:
        return any(name in reading.resting for reading in self.readings)

    def _is_taken(self, fact: Fact) -> bool:
        return fact.id in self.taken or self._rests(fact.id)

    def _take(self, index: int, how: How, fact: Fact) -> None:
        self.found[index] = (how, fact)
        self.taken[fact.id] = self.spots[index][1].entity

    def _same_id_same_text(self) -> None:
        """By an anchor, which stays on every line it was copied to, the fact's own section comes first."""
        for index, (_, one) in enumerate(self.spots):
            self._take_same(index, self.names[index])
            fact = self.state.latest(self.anchored.get(index, ""))
            if fact and at_place(fact, one):
                self._take_same(index, fact.id)
        for index, name in self.anchored.items():
            self._take_same(index, name)

    def _take_same(self, index: int, name: str | None) -> None:
        fact, text = self._free(name), self.spots[index][1].says.wording.text
        if index not in self.found and fact and folded(fact.text) == folded(text):
            self._take(index, "same" if fact.text == text else "reworded", fact)

    def _known_text(self, *, moved: bool) -> None:
        """Lines by their text alone: those of the fact's own place first, before one that `moved` may be it."""
        notes = {reading.note for reading in self.readings}
        for index, (_, one) in enumerate(self.spots):
            if index in self.found or self._is_past(self.names[index]):
                continue
            if moved and self._said_by(one):
                continue
            same = (
                f
                for f in self.state.same_text(one.says.wording.text)
                if not self._is_taken(f)
                and self._may_hold(f)
                and (at_place(f, one) or (moved and self._may_move(f, notes)))
            )
            first = min(same, key=lambda fact: fact.id, default=None)
            if first:
                self._take(index, "same" if first.text == one.says.wording.text else "reworded", first)

    def _may_move(self, fact: Fact, notes: Collection[NotePath]) -> bool:
        """A fact whose note is not read may have its line there still: another that says the same is another."""
        return fact.status != "confirmed" or note_of(self.state, fact) in notes

    def _same_id(self) -> None:
        """Lines by their id of ours; then by their anchor, which counts where that id is another line's."""
        for index, name in enumerate(self.names):
            fact = self._free(name)
            if index not in self.found and fact:
                self._take(index, "reworded", fact)
        loose = [(index, self.spots[index][1]) for index in self.anchored if index not in self.found]
        known = {anchor: (name, self._texts(name)) for anchor, name in self.anchors.items()}
        for index, name in bearers(loose, known).items():
            fact = self._free(name)
            if fact:
                self._take(index, "reworded", fact)

    def _free(self, name: str | None) -> Fact | None:
        """The fact of an id, when a line may be it and none is yet."""
        fact = self.state.latest(name or "")
        return fact if fact and self._may_hold(fact) and not self._is_taken(fact) else None

    def _rest(self) -> None:
        fresh: set[str] = set()
        for index, (reading, one) in enumerate(self.spots):
            if index in self.found:
                continue
            name = self.names[index]
            if name and self._is_past(name):
                leaves = _stood(reading, name) or self._refused(name, one.says.wording.text)
                self.found[index] = ("leaving" if leaves else "returned", self.state.latest(name))
                continue
            words, again = said_key(one.says.wording.text, one.entity), self._said_by(one)
            if again or words in fresh:
                self.found[index] = ("repeat", again)
            elif name is None and self._goes_along(reading, one, words):
                self.found[index] = ("leaving", None)
            else:
                self.found[index] = ("new", None)
                fresh.add(words)

    def _said_by(self, spot: Spot) -> Fact | None:
        """The fact that a line says again: another line in the same place is it."""
        same = self.state.same_text(spot.says.wording.text)
        again = (f for f in same if self._is_taken(f) and self._may_hold(f))
        return next((f for f in again if self.taken.get(f.id, f.entity_id) == spot.entity), None)

    def _goes_along(self, reading: NoteReading, spot: Spot, words: str) -> bool:
        """A line that said a fact again goes with it; not one that bears an id which no current line has."""
        fact = self.state.latest(spot.says.id or "")
        loose = spot.says.id is None or (fact is not None and alive(fact) and self._may_hold(fact))
        return loose and reading.shown is not None and words in reading.shown.repeats

    def _may_hold(self, fact: Fact) -> bool:
        """A line may be this fact: it is current, or may come back."""
        if alive(fact):
            return not over(fact, self.moment.today.isoformat())
        return may_return(self.state, self.moment, fact)

    def _is_past(self, name: str | None) -> bool:
        """The id of a fact that is no longer kept, or over (rule 8: an older version of the note, perhaps)."""
        fact = self.state.latest(name or "")
        return fact is not None and not self._may_hold(fact) and fact.status != "pending"

    def _refused(self, name: str, text: str) -> bool:
        """The line came back, was asked about, and has just been set aside."""
        return any(
            card.kind == "returned" and card.answer == "refuse" and name in card.subjects
            for card in self.state.cards.values()
            if card.text == text and self.moment.recent(card.answered_at)
        )

    def _stated_anew(self, reading: NoteReading, spot: Spot, name: str) -> bool:
        """A past id does not count: what is over is said again (rule 4), or its leaving line was reworded."""
        versions = self.state.facts[name]
        if _stood(reading, name):
            return versions[-1].status != "forgotten" and all(
                one.text != spot.says.wording.text for one in versions
            )
        return reading.shown is not None and alive(versions[-1])

    def _gone(self) -> tuple[tuple[NoteReading, str, Fact], ...]:
        gone = []
        for reading in self.readings:
            for section, names in (reading.shown.ids if reading.shown else {}).items():
                for name in sorted(reading.resting.others(section, names) - self.taken.keys()):
                    fact = self.state.latest(name)
                    if (
                        fact
                        and not self._rests(name)
                        and alive(fact)
                        and self._may_hold(fact)
                        and fact.status != "held"
                    ):
                        gone.append((reading, section, fact))
        return tuple(gone)


def _claim(fact: Fact) -> tuple[bool, str, str]:
    """Of facts that had one anchor the last has it, in whatever order they are known: the one that is kept."""
    return alive(fact), fact.recorded_at, fact.id


def _stood(reading: NoteReading, name: str) -> bool:
    return reading.shown is not None and any(name in names for names in reading.shown.ids.values())
