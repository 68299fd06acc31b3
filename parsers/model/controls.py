"""What follows from how a run stands for the person: what its note offers to tick, and when approving takes a code.

One answer for the note that shows it, the decision that takes it, and the command that asks for it.
"""

from collections.abc import Collection

from parsers.model.runs import Control, Run, RunStatus, Step

_OFFERED: dict[RunStatus, tuple[Control, ...]] = {
    "approved": ("pause", "cancel"),
    "running": ("pause", "cancel"),
    "paused": ("resume", "cancel"),
}


def offered(run: Run) -> tuple[Control, ...]:
    """Give the controls a run offers now; one that is over offers to undo what it did, unless it was refused."""
    if run.live or run.status == "refused":
        return _OFFERED.get(run.status, ())
    undoable = run.kind != "undo" and any(map(undoes, run.steps))
    return ("undo",) if undoable else ()


def undoes(step: Step) -> bool:
    """Tell whether a step left something that undoing takes back."""
    return step.inverse is not None and step.status in ("done", "failed") and not step.external


def did(step: Step) -> bool:
    """Tell whether a step left something, whether or not an inverse takes it back."""
    return step.status == "done" or (step.status == "failed" and bool(step.after))


def taken_back(run: Run) -> tuple[str, ...]:
    """Give the steps that were undone, in the order of the plan, as the evidence says it."""
    said = [dict(line.values).get("steps", "") for line in run.evidence if line.what.startswith("undone")]
    names = {name for one in said for name in one.split()}
    return tuple(step.id for step in run.steps if step.id in names)


def wholly(run: Run, undone: Collection[str]) -> bool:
    """Tell whether nothing is left of what a run did, when these steps of it were undone."""
    return all(step.id in undone for step in run.steps if step.risk != "READ" and did(step))


def takes_code(run: Run, *, every_code: bool) -> bool:
    """Tell whether approving a run takes its code; `every_code`: whether every approval does (`policy.code: all`)."""
    return every_code or run.approval == "reinforced_approval"
