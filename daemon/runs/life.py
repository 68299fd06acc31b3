"""The life of a run: one table, from a status and what happens to the status it leads to (policy-and-runs.md, A run).

What happens is the name of an event; `run.ended` is spelt with the status it carries, `run.ended succeeded`.
Whatever the table does not hold cannot happen.
"""

from collections.abc import Iterable, Mapping
from typing import get_args

from parsers.errors import ClavaireError
from parsers.model.register import Body
from parsers.model.runs import RunStatus

STATUSES: tuple[RunStatus, ...] = get_args(RunStatus)
_WAITING: tuple[RunStatus, ...] = ("proposed", "awaiting_approval")
_BEGUN: tuple[RunStatus, ...] = ("running", "paused", "cancelled")
"""Where the end of an effect may be recorded: pausing and cancelling do not wait for the one under way."""
_OVER: tuple[RunStatus, ...] = ("succeeded", "partially_succeeded", "failed", "cancelled", "expired")

ENDINGS: tuple[RunStatus, ...] = ("succeeded", "partially_succeeded", "failed")

Row = tuple[str, Iterable[RunStatus], RunStatus | None]

_ROWS: tuple[Row, ...] = (
    # what happens, in which statuses, the status it leads to (None: it stays)
    ("plan.shown", ("proposed",), "awaiting_approval"),
    ("plan.shown", tuple(one for one in STATUSES if one != "proposed"), None),
    ("plan.reshown", ("awaiting_approval",), None),
    ("plan.approved", _WAITING, "approved"),
    ("plan.refused", _WAITING, "refused"),
    ("run.expired", _WAITING, "expired"),
    ("run.cancelled", (*_WAITING, "approved", "running", "paused"), "cancelled"),
    ("run.started", ("approved",), "running"),
    ("run.paused", ("approved", "running"), "paused"),
    ("run.resumed", ("paused",), "running"),
    ("run.uncertain", ("running",), "awaiting_approval"),
    ("run.ended succeeded", ("running",), "succeeded"),
    ("run.ended partially_succeeded", ("running",), "partially_succeeded"),
    ("run.ended failed", ("running",), "failed"),
    ("run.undone", _OVER, None),
    ("step.started", ("running",), None),
    ("step.done", _BEGUN, None),
    ("step.failed", _BEGUN, None),
    ("step.uncertain", _BEGUN, None),
    ("step.again", _BEGUN, None),
    ("code.shown", ("awaiting_approval",), None),
    ("code.wrong", ("awaiting_approval",), None),
    ("code.missing", ("awaiting_approval",), None),
    ("code.used", ("awaiting_approval",), None),
    ("control.used", STATUSES, None),
)

TABLE: Mapping[tuple[RunStatus, str], RunStatus] = {
    (status, op): leads or status for op, statuses, leads in _ROWS for status in statuses
}
"""(status, what happens) → status."""
OPS: tuple[str, ...] = tuple(dict.fromkeys(op for op, _, _ in _ROWS))
"""Everything that can happen to a run that exists."""


class NotInLife(ClavaireError):
    """Something that cannot happen to a run in this status."""

    def __init__(self, status: str, op: str) -> None:
        self.status, self.op = status, op
        super().__init__(f"{op} cannot happen to a run that is {status}.")


def next_status(status: RunStatus, op: str) -> RunStatus:
    """Give the status a run has after something happened.

    Raises:
        NotInLife: it cannot happen in this status.
    """
    try:
        return TABLE[status, op]
    except KeyError:
        raise NotInLife(status, op) from None


def may(status: RunStatus, op: str) -> bool:
    """Tell whether something can happen to a run in this status."""
    return (status, op) in TABLE


def spelt(op: str, body: Body) -> str:
    """Give what happens as the table spells it."""
    return f"{op} {body.get('status')}" if op == "run.ended" else op
