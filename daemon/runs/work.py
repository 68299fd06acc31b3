"""What decisions about runs are made on: `Work`, the scratch of one pass, and `Terms`, what settings and secrets say.

A decision emits events. Each is folded at once into the scratch states of memory (alert cards) and of runs, so the
next one sees it; nothing has happened until the register has the events.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol

from config.i18n import Catalogue
from daemon.memory.moment import Deliberation, Moment
from daemon.runs.rows import proposed_row
from daemon.runs.standing import let_go_on
from daemon.runs.state import Runs, fold
from daemon.tools.tool import Tool
from parsers.model.cards import CardKind
from parsers.model.places import NotePath
from parsers.model.policy import Decision
from parsers.model.register import Event, Record, stamp
from parsers.model.runs import Run

Seal = Callable[[Run], tuple[str, str]]
"""Gives the digest of a run, and the hash of its `steps` section as it will be rendered."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A step the policy refuses, without its arguments."""

    step: str
    tool: str
    decision: Decision


@dataclass(frozen=True, slots=True)
class Prepared:
    """A plan that was looked at from every side: what it would do, and what the policy says of each step."""

    run: Run
    """In status `proposed`; when refused, its steps have lost their arguments."""
    refused: tuple[Refused, ...] = ()


@dataclass(frozen=True, slots=True)
class Terms:
    """What a decision about a run may use besides what is known and when it is."""

    code: Callable[[str, Sequence[str]], str]
    """Gives the six digits for a digest and the steps left out."""
    nonce: Callable[[], str]
    """Gives 128 random bits, in hex."""
    seal: Seal
    words: Catalogue
    replan: Callable[[Run], Prepared]
    """Plans the open steps of a run anew, from the notes as they are (`proposing.again`)."""
    expiry: timedelta = timedelta(days=7)
    every_code: bool = False
    """`policy.code: all`: every approval needs its code."""
    tools: Callable[[], Mapping[str, Tool]] = dict
    """Gives the tools; asked only when a decision needs them."""


@dataclass(slots=True)
class Work:
    """One pass's decisions: forks that every event is folded into."""

    memory: Deliberation
    runs: Runs
    terms: Terms

    @property
    def moment(self) -> Moment:
        """When it is decided."""
        return self.memory.moment

    @property
    def events(self) -> list[Event]:
        """Give what was decided so far, cards included."""
        return self.memory.events

    def emit(self, op: str, by: str = "person", **body: Any) -> None:
        """Accept something: one event, and both scratch states as it leaves them."""
        before, self.memory.by = self.memory.by, by
        self.memory.emit(op, **body)
        self.memory.by = before
        fold(self.runs, Record(0, self.moment.at, op, by, body))

    def propose(self, run: Run, note: NotePath | None = None) -> None:
        """Record a plan; `note`: that of the plans' folder it came as."""
        came = {"note": note} if note else {}
        self.emit("plan.proposed", run.origin, **proposed_row(run), **came)

    def alert(self, kind: CardKind, text: str, key: str, origin: str, note: str | None = None) -> None:
        """Open an alert card, unless one for the same is open."""
        if not any(card.kind == kind and card.key == key for card in self.memory.state.open_cards()):
            self.memory.open_card(kind, (), text, key=key, note=note, origin=origin)

    def block_codes(self, origin: str) -> None:
        """Let no code count any more, after too many wrong ones, and say so."""
        self.emit("code.blocked")
        self.alert("codes", self.terms.words.say("run.codes_blocked"), "blocked", origin)

    def expires(self) -> str:
        """Give when what is proposed now expires."""
        return stamp(self.moment.now + self.terms.expiry)


class Acts(Protocol):
    """How the executor makes things happen; the pipeline is one."""

    @property
    def runs(self) -> Runs:
        """What is known of runs, brought up by each `happen`."""
        ...

    def now(self) -> datetime:
        """Give the time, UTC."""
        ...

    def happen(self, decide: Callable[[Work], None]) -> bool:
        """Decide under the vault's lock, on what the register says by then; on disk when this returns.

        False: nothing can be recorded now, and nothing was.
        """
        ...


def withdrawn(work: Work, run: Run) -> bool:
    """Tell whether a run goes on by a delegation that holds no longer: revoked, or past its review (R-P06)."""
    if run.approved_how != "delegation" or let_go_on(run):
        return False
    held = work.runs.autonomy.delegations.get(run.delegation)
    return held is None or held.status != "active" or held.review <= work.moment.today.isoformat()
