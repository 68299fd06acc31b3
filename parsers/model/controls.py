"""What follows from how a run stands for the person: what its note offers to tick, and when approving takes a code.

One answer for the note that shows it, the decision that takes it, and the command that asks for it.
"""

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
    undoable = run.kind != "undo" and not run.undone_by and any(map(undoes, run.steps))
    return ("undo",) if undoable else ()


def undoes(step: Step) -> bool:
    """Tell whether a step left something that undoing takes back."""
    return step.inverse is not None and step.status in ("done", "failed") and not step.external


def takes_code(run: Run, *, every_code: bool) -> bool:
    """Tell whether approving a run takes its code; `every_code`: whether every approval does (`policy.code: all`)."""
    return every_code or run.approval == "reinforced_approval"
