"""Edits about runs: what the person, an agent or the clock wants of a plan (policy-and-runs.md, A run)."""

from dataclasses import dataclass
from typing import Literal

from parsers.model.places import NotePath
from parsers.model.policy import Delegation
from parsers.model.runs import Control, Input

How = Literal["tick", "terminal", "api"]


@dataclass(frozen=True, slots=True)
class Approve:
    """The box of a plan is ticked, or the person approved it on a terminal; whether it counts is decided."""

    run: str
    how: How
    left_out: tuple[str, ...]
    """Steps whose boxes are ticked: struck out."""
    digest: str
    """What the fence of the note gives, in the bytes the tick was read from; a terminal gives that of the run.

    Where the property `digest` of the same bytes is not the run's, it is what stands here: the note is not yet
    rendered as the plan was shown last, whatever its fence says.
    """
    shown: str
    """Hash of the `steps` section in the same bytes, without what stands in its boxes."""
    inputs: tuple[Input, ...]
    """The inputs of the plan as they are now."""
    code: str | None = None
    """The six digits typed."""


@dataclass(frozen=True, slots=True)
class Altered:
    """A plan that waits is no longer what was shown, and nobody ticked it."""

    run: str
    digest: str
    """What the fence of the note gives now; the property, as for `Approve`."""


@dataclass(frozen=True, slots=True)
class Refuse:
    """The person ticked `Refuser`."""

    run: str
    reason: str
    """What was written after the box, `""` for nothing."""


@dataclass(frozen=True, slots=True)
class Steer:
    """A control was ticked, or given as a command."""

    run: str
    control: Control
    transition: int | None
    """The number the ticked control carries; None for a command, which means the present."""
    by: str = "person"


@dataclass(frozen=True, slots=True)
class Moved:
    """The note of a run was found elsewhere: it is shown again there with an empty box."""

    run: str
    path: NotePath


@dataclass(frozen=True, slots=True)
class CodeShown:
    """The person had the code of a run, a line `d-…` or `level-DOMAIN` shown on a terminal."""

    id: str
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unblock:
    """The person lets reinforced approvals count again, on a terminal."""


RunEdit = Approve | Altered | Refuse | Steer | Moved | CodeShown | Unblock


@dataclass(frozen=True, slots=True)
class Delegate:
    """A line for Autonomie.md was asked for by a command or a card: it waits for its code like one written there."""

    says: Delegation
    """Without id; an empty `review` means the default."""


@dataclass(frozen=True, slots=True)
class Revoke:
    """The person takes a delegation back by a command."""

    id: str


@dataclass(frozen=True, slots=True)
class Trust:
    """The person lifts the marks of a note's paragraphs, on a terminal."""

    note: NotePath
    hashes: tuple[str, ...]


Permit = Delegate | Revoke | Trust
"""Edits about what may pass without asking, and about what content is worth."""
