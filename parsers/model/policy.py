"""Words about permission. Action: one call of a tool as the policy sees it; decision: what the policy says of it.

Provenance: where content came from, best first; the minimum of several is the last of them in `ORDER`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from parsers.model.facts import Sensitivity

Risk = Literal["READ", "WRITE", "DANGEROUS"]
Effect = Literal["internal", "external"]
"""`internal` = this vault and memory; `external` = anything that leaves them."""
Flag = Literal["payment", "send", "permanent_delete", "security_change", "commitment"]
"""The floor: what no delegation ever covers."""
FLOOR: frozenset[Flag] = frozenset({"payment", "send", "permanent_delete", "security_change", "commitment"})
Role = Literal["deciding", "text", "query"]
"""`deciding`: recipient, address, URL, account, amount, target id, path, permission; `text`: what is written or sent;
`query`: what is only looked for."""
DecisionKind = Literal["allowed", "run_approval", "reinforced_approval", "refused"]
HARDNESS: dict[DecisionKind, int] = {
    "allowed": 0,
    "run_approval": 1,
    "reinforced_approval": 2,
    "refused": 3,
}
ORDER = ("user", "own", "vault", "automation", "mcp", "connector", "web")
"""Provenances by trust, the part before `:`; what is unknown counts as the last."""


def trust_of(provenance: str) -> int:
    """Give how far a provenance is from the person: 0 for `user`; what is unknown is farthest."""
    kind = provenance.partition(":")[0]
    return ORDER.index(kind) if kind in ORDER else len(ORDER) - 1


def least(provenances: Iterable[str]) -> str:
    """Give the minimum of several provenances, `user` when there is none."""
    return max(("user", *provenances), key=lambda one: (trust_of(one), one))


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a call, or one value inside it, with what was found about it."""

    name: str
    """`to`, `recipients.0`; for an address, link or account number inside a text `body#1`."""
    role: Role
    provenance: str
    """Minimum over its lineage: found, never believed (`daemon.policy.lineage`)."""
    said: bool
    """It stands in the user's own words of this run."""
    sensitivity: Sensitivity = "normal"
    classes: frozenset[str] = frozenset()
    """Data classes found in it: `email`, `phone`, `card`, `iban`, `secret`, `note`, …"""
    where: str = ""
    """Where it was found, to be shown: `Clippings/x.md`, `inbox_read 2`; `""` when nowhere."""


TargetFault = Literal["managed", "outside", "ignored", "private", "assistant"]


@dataclass(frozen=True, slots=True)
class Action:
    """One call of a tool, with every fact the policy may use; nothing else bears on a decision."""

    tool: str
    domain: str
    risk: Risk
    effect: Effect
    flags: frozenset[Flag] = frozenset()
    reversible: bool = False
    """An inverse exists for these arguments."""
    origin: str = "person"
    """Who asks: `person`, `mcp:<client>`, `http`, `scheduled`, `undo`."""
    keyed: bool = True
    """The client showed its key; a delegation holds for no other."""
    instruction: str = "user"
    """Provenance of the instruction: `user` only for the person's own lines, requests and commands on a terminal."""
    arguments: tuple[Argument, ...] = ()
    accepts: frozenset[str] | None = None
    """The tool's `data_classes`; None: any."""
    paths: tuple[str, ...] = ()
    """Targets inside the vault."""
    named: tuple[str, ...] = ()
    """Those of them that the call names, as it spells them: a program is told of no other."""
    faults: frozenset[TargetFault] = frozenset()
    """What is wrong with a target: a control or managed note, the register, a dot-folder (`managed`); outside the
    vault after resolving links; ignored; private; inside the assistant folder."""
    sensitivity: Sensitivity = "normal"
    """Highest of the arguments and of what a READ would give."""
    lifts: bool = False
    """It would create or lift an approval, a level or a delegation."""
    read_below: str = ""
    """Worst provenance of what this run has read, `""` when it read nothing."""
    local_reader: bool = True
    """Whatever reads the result is the person or a model on this machine; MCP and HTTP callers never are."""
    recent_writes: int = 0
    """Other writes for this origin within `policy.burst` outside an approved plan."""
    asked_writes: int = 1
    """Writes in the request this action is part of."""


@dataclass(frozen=True, slots=True)
class Delegation:
    """A line of Autonomie.md that lets writes pass, bounded in every way (R-P06)."""

    id: str
    domain: str
    level: int
    paths: tuple[str, ...] = ()
    """Globs, `**` over folders; none: the whole domain."""
    origins: tuple[str, ...] = ()
    """Origins it holds for; none: nobody's."""
    covers: tuple[str, ...] = ()
    """Provenances below `vault` its line names besides: `web`, `connector:mail`, `mcp:x`."""
    per_day: int = 20
    per_run: int = 20
    review: str = ""
    """First local day on which it no longer holds."""
    status: Literal["pending", "active", "revoked"] = "pending"
    nonce: str = ""
    """Drawn when the widening that waits was first seen; part of its code."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What a delegation has been used for so far."""

    today: int = 0
    this_run: int = 0


@dataclass(frozen=True, slots=True)
class Decision:
    """What the policy says of an action, which rule said it, and the facts it used."""

    kind: DecisionKind
    rule: int
    """Number of the rule in policy-and-runs.md, 0: default deny."""
    reasons: tuple[tuple[str, str], ...] = ()
    """(catalogue key below `policy.reason.`, value), in words the person can check."""
    alert: bool = False
    """The refusal opens an alert card."""
    delegation: str = ""
    """Id of the delegation that let it pass."""
