"""What a decision may know besides the state: the time, the settings that bear on memory, a source of ids.

And `Deliberation`, the scratch a decision is made on: events so far, and the state as they leave it.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from datetime import date, datetime, timedelta
from typing import Any

from daemon.memory.state import State, fold
from parsers.ids import CARD
from parsers.model.cards import Card, CardKind
from parsers.model.entities import Entity, EntityKind
from parsers.model.facts import Fact
from parsers.model.places import NotePath
from parsers.model.register import Event, Record, stamp


def _unknown(_: object) -> None:
    return None


def _as_they_are(entities: Iterable[Entity], _: bool) -> tuple[Entity, ...]:  # noqa: FBT001 - see `Moment.at_home`
    return tuple(entities)


@dataclass(frozen=True, slots=True)
class Moment:
    """When and under which settings edits are decided."""

    now: datetime
    """UTC."""
    today: date
    """The local day of `now`."""
    week: str
    """Local ISO week, when its weekly reminder is due or past; the week before until then."""
    new_id: Callable[[str], str]
    """Gives an unused id for a letter."""
    secret_spans: Callable[[str], tuple[tuple[int, int], ...]]
    """Where a text holds a key, token or private key of a known format (rule 13)."""
    note_of: Callable[[str], NotePath | None] = _unknown
    """Gives the note that a link leads to, None where there is none yet or it is private."""
    kind_of: Callable[[NotePath], EntityKind | None] = _unknown
    """Gives the kind of thing that a note says it is about."""
    at_home: Callable[[Iterable[Entity], bool], tuple[Entity, ...]] = _as_they_are
    """Gives entities with their home notes and the names these give; True: as an agent may know them."""
    edit_window: timedelta = timedelta(minutes=10)
    rejection: timedelta = timedelta(days=180)
    pending: timedelta = timedelta(days=30)
    cards_per_day: int = 20
    sensitive: tuple[re.Pattern[str], ...] = ()

    @property
    def at(self) -> str:
        """`now` as the register writes it."""
        return stamp(self.now)

    def redacted(self, text: str) -> str:
        """Give a text without its secrets: what the register and the cards may hold (rule 13)."""
        for start, end in reversed(self.secret_spans(text)):
            text = text[:start] + "[…]" + text[end:]
        return text

    def recent(self, at: str | None) -> bool:
        """Tell whether a time lies within the edit window."""
        return at is not None and self.now - instant(at) <= self.edit_window


def instant(at: str) -> datetime:
    """Give the time the register wrote."""
    return datetime.fromisoformat(at)


@dataclass(slots=True)
class Deliberation:
    """Edits being decided: the state is a fork, and each event is folded into it at once."""

    state: State
    moment: Moment
    by: str = "person"
    events: list[Event] = field(default_factory=list)

    def emit(self, op: str, **body: Any) -> None:
        """Accept something: one event, and the scratch state as it leaves it."""
        self.events.append(Event(op, self.by, body))
        fold(self.state, Record(0, self.moment.at, op, self.by, body))

    def assert_fact(self, fact: Fact, how: str) -> None:
        """Record a version of a fact."""
        self.emit("fact.asserted", **asdict(fact), how=how)

    def amend(self, verb: str, fact: Fact, **changes: Any) -> None:
        """Give fields of one version new values."""
        self.emit(f"fact.{verb}", id=fact.id, version=fact.version, **changes)

    def open_card(
        self,
        kind: CardKind,
        subjects: tuple[str, ...],
        text: str,
        *,
        key: str | None = None,
        note: str | None = None,
        origin: str | None = None,
    ) -> None:
        """Ask the person something; beyond the day's notices the card is grouped (rule 14)."""
        today = sum(1 for card in self.state.cards.values() if card.opened_at[:10] == self.moment.at[:10])
        card = Card(
            id=self.moment.new_id(CARD),
            kind=kind,
            status="open",
            subjects=subjects,
            text=self.moment.redacted(text),
            origin=origin or self.by,
            note=note,
            key=key,
            grouped=today >= self.moment.cards_per_day,
            hidden=False,
            opened_at=self.moment.at,
            answer=None,
            answered_at=None,
        )
        self.emit("card.opened", **{**asdict(card), "subjects": list(subjects)})

    def asked(self, kind: CardKind, key: str) -> bool:
        """Tell whether a card of this kind was ever opened for this key."""
        return any(card.kind == kind and card.key == key for card in self.state.cards.values())
