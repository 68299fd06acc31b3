"""Words about runs. Plan: a run as its note shows it; step: one call of a tool; evidence: what is known of it.

Run life: proposed → awaiting_approval → approved → running → succeeded | partially_succeeded | failed,
and paused, cancelled, expired, refused (policy-and-runs.md, R-R01…R-R08).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from parsers.model.places import NotePath
from parsers.model.policy import DecisionKind

RunStatus = Literal[
    "proposed",
    "awaiting_approval",
    "approved",
    "running",
    "succeeded",
    "partially_succeeded",
    "failed",
    "paused",
    "cancelled",
    "expired",
    "refused",
]
ENDED: frozenset[RunStatus] = frozenset(
    {"succeeded", "partially_succeeded", "failed", "cancelled", "expired", "refused"}
)
WORKING: frozenset[RunStatus] = frozenset({"approved", "running"})
"""Something is to be done, or being done."""
StepStatus = Literal["waiting", "left_out", "running", "done", "failed", "uncertain", "cancelled"]
BOX: dict[StepStatus, str] = {
    "waiting": " ",
    "left_out": "-",
    "running": "/",
    "done": "x",
    "failed": "!",
    "uncertain": "?",
    "cancelled": "-",
}
"""Step → the character in its box once the plan is approved; before approval only ` ` and `x` (left out) stand."""
RunKind = Literal["plan", "direct", "undo", "memory"]
"""`direct`: one write the policy allowed, without asking; `memory`: a memory tool's, without a note."""
Control = Literal["pause", "resume", "cancel", "undo"]


@dataclass(frozen=True, slots=True)
class Input:
    """A note a plan was made from, and the version of it."""

    path: NotePath
    etag: str
    """`""`: it was not there."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool: what was asked for, or what undoes a step."""

    tool: str
    args: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Request:
    """A plan that somebody proposes: from a file, a tool or a note of the plans' folder."""

    title: str
    why: str
    calls: tuple[Call, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One call of a tool in a run."""

    id: str
    tool: str
    args: Mapping[str, Any]
    needs: tuple[str, ...] = ()
    """Earlier steps whose result it depends on: leaving one of them out leaves it out."""
    decision: DecisionKind = "run_approval"
    rule: int = 14
    reasons: tuple[tuple[str, str], ...] = ()
    shows: tuple[str, ...] = ()
    """Its lines as the note shows them, in the language of the proposal: the first stands after the number, the
    others are its children (effect, diff, proof, undo, decision)."""
    writes: tuple[NotePath, ...] = ()
    provenance: str = "vault"
    """Of the text it writes: kept on the blocks it leaves."""
    external: bool = False
    risk: str = "WRITE"
    undoable: bool = False
    verifiable: bool = True
    """False: the tool has no `verify`, `verified` stays None."""
    status: StepStatus = "waiting"
    verified: bool | None = None
    before: Mapping[str, str] = field(default_factory=dict)
    """Path → etag before the effect, `""` for a note that was not there."""
    after: Mapping[str, str] = field(default_factory=dict)
    """Path → etag the step left, `""` for a note that is gone."""
    expects: Mapping[str, str] = field(default_factory=dict)
    """Path → etag it will leave, as shown: what runs is what was shown."""
    kept: Mapping[str, str] = field(default_factory=dict)
    """Path → name, among the backups, of the version that the step replaced."""
    inverse: Mapping[str, Any] | None = None
    """`{tool, args}` that undoes it, known once it is done; None again once it is undone."""
    undoes: str = ""
    """In a run that undoes another: the step of that run which it takes back."""
    key: str = ""
    """Idempotency key: hash of run, number and args."""
    reason: str = ""
    """Why it failed or is uncertain: catalogue key below `step.reason.`."""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Happened:
    """One transition of a run, as a line of its evidence says it."""

    at: str
    what: str
    """Catalogue key below `evidence.`."""
    step: str = ""
    values: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Run:
    """One run, as the export prints it."""

    id: str
    kind: RunKind
    status: RunStatus
    transition: int
    """Number of changes of status so far: controls carry it."""
    title: str
    why: str
    origin: str
    instruction: str
    requested_at: str
    expires_at: str
    nonce: str
    digest: str
    shown: str
    """SHA-256 of the `steps` section as it was rendered, without what stands in its boxes."""
    approval: DecisionKind
    """The hardest decision over the steps."""
    inputs: tuple[Input, ...] = ()
    steps: tuple[Step, ...] = ()
    path: NotePath | None = None
    """The one note that counts, from its last `plan.shown`."""
    undoes: str | None = None
    undone_by: str | None = None
    """The run that took back the last of what could be then; None while something is left to undo."""
    approved_at: str | None = None
    approved_how: str = ""
    """`tick`, `code`, `terminal`, `level`, `delegation`, `undo`."""
    ended_at: str | None = None
    reason: str = ""
    """Why it is paused, cancelled, refused or failed: catalogue key below `run.reason.`, or the person's words."""
    code_shown_at: str | None = None
    wrong_codes: int = 0
    delegation: str = ""
    """The delegation that let it pass without asking."""
    keyed: bool = True
    """Whoever asked showed the client's key, or is the person."""
    evidence: tuple[Happened, ...] = ()

    @property
    def live(self) -> bool:
        """Whether anything may still happen in it."""
        return self.status not in ENDED

    def step(self, name: str) -> Step | None:
        """Give a step by its id."""
        return next((one for one in self.steps if one.id == name), None)
