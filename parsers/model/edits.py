"""Words about edits. Edit: a wish to change the state, with its provenance: from a note, an agent, the clock."""

from dataclasses import dataclass

from parsers.dates import Period
from parsers.model.cards import CardKind
from parsers.model.facts import Kind


@dataclass(frozen=True, slots=True)
class Remember:
    """Somebody states a fact outside the notes."""

    text: str
    kind: Kind
    origin: str
    confidence: float = 1.0
    since: Period | None = None
    source_ref: str | None = None
    keyed: bool = False
    """An agent that showed its client's key: a delegation may hold for it."""
    allowed: bool = False
    """The policy lets an agent's fact pass without a card."""


@dataclass(frozen=True, slots=True)
class Correct:
    """The person says the last wording was wrong."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Forget:
    """The person wants a fact gone."""

    id: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The person ticked one box of a card."""

    card: str
    choice: str
    text: str
    """The card's first line as it read when ticked."""


@dataclass(frozen=True, slots=True)
class CardGone:
    """The lines of an open card were deleted."""

    card: str


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines that could not be read or merged, and wait for an answer: strays, conflict copies, late versions."""

    kind: CardKind
    """`stray`, `copy` or `late`."""
    note: str
    key: str
    """What makes this card the only one: a hash of the lines, the copy's path."""
    text: str


@dataclass(frozen=True, slots=True)
class LinesSettled:
    """The lines a card asked about are no longer there."""

    kind: CardKind
    keys: tuple[str, ...]
    """Keys that still hold; open cards of this kind with another key are withdrawn."""


@dataclass(frozen=True, slots=True)
class ClockTick:
    """Time passed: review dates, the weekly reminder."""


Edit = Remember | Correct | Forget | Answer | CardGone | Lines | LinesSettled | ClockTick
"""Every edit but the lines of the fact notes, which are paired first (`daemon.memory.pairing`)."""
