"""Words about edits. Edit: a wish to change the state, with its provenance: from a note, an agent, the clock."""

from dataclasses import dataclass

from parsers.dates import Period
from parsers.model.cards import CardKind
from parsers.model.facts import Kind
from parsers.model.policy import Argument


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
    found: tuple[Argument, ...] = ()
    """Where an agent's words come from, looked up in all that its session has read; none: from the agent itself."""
    read_below: str = ""
    """Worst provenance of what that session has read, `""` when nothing."""
    replaces: str | None = None
    """The fact of which this is another wording."""
    about: str | None = None
    """The entity it is about: its id, or a name as it was said; None: the owner."""


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
class ForgetAsked:
    """An agent wants a fact gone."""

    id: str
    origin: str
    keyed: bool = False
    allowed: bool = False
    """The policy lets it pass without a card."""
    found: tuple[Argument, ...] = ()
    """Where the id comes from, as for `Remember`."""
    read_below: str = ""


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
    note: str | None = None
    """The note they are about, None for any."""


@dataclass(frozen=True, slots=True)
class ClockTick:
    """Time passed: review dates, the weekly reminder."""


@dataclass(frozen=True, slots=True)
class NowWrite:
    """Somebody writes now.md: whole, or its first section alone (R-N01)."""

    step: str
    services: str | None = None
    next: str | None = None
    """Of the last three all are given or none: with None the sections stay as they stand."""
    context: str | None = None
    origin: str = "person"
    keyed: bool = False
    provenance: str = "user"
    """Lowest of what the session of who writes has read."""
    allowed: bool = False
    """The policy lets it pass."""

    @property
    def whole(self) -> bool:
        """Whether every section is written."""
        return None not in (self.services, self.next, self.context)


@dataclass(frozen=True, slots=True)
class NowGiven:
    """A client was given now.md; recorded once a session."""

    client: str
    session: str
    etag: str
    """Of the bytes it was given, `""` when there is no now.md."""


@dataclass(frozen=True, slots=True)
class SessionEnded:
    """The session of a client is over."""

    client: str
    session: str
    first: str
    """When it was first and last used, as the register writes a time."""
    last: str
    calls: tuple[tuple[str, int], ...] = ()
    """How often each tool was called, by name."""


NowEdit = NowWrite | NowGiven | SessionEnded
"""About now.md and who reads it: they go on while memory is put out."""
Edit = (
    Remember
    | Correct
    | Forget
    | ForgetAsked
    | Answer
    | CardGone
    | Lines
    | LinesSettled
    | ClockTick
    | NowWrite
    | NowGiven
    | SessionEnded
)
"""Every edit but the lines of the fact notes, which are paired first (`daemon.memory.pairing`)."""
