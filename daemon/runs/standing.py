"""What follows from how a run stands: its controls, what leaving a step out leaves out, how it ends."""

from collections.abc import Iterable

from daemon.runs.life import may
from parsers.model.runs import Control, Run, RunStatus, Step


def offered(run: Run) -> tuple[Control, ...]:
    """Give the controls a run offers now."""
    if run.status in ("approved", "running"):
        return ("pause", "cancel")
    if run.status == "paused":
        return ("resume", "cancel")
    undoable = may(run.status, "run.undone") and run.kind != "undo" and not run.undone_by
    return ("undo",) if undoable and any(undoes(step) for step in run.steps) else ()


def undoes(step: Step) -> bool:
    """Tell whether a step left something that undoing takes back."""
    return step.inverse is not None and step.status in ("done", "failed") and not step.external


def left_out_of(run: Run, ticked: Iterable[str]) -> tuple[str, ...]:
    """Give the steps that are left out when these are, in the order of the plan: those that need one leave with it."""
    wanted, out = set(ticked), list[str]()
    for step in run.steps:
        if step.status == "waiting" and (step.id in wanted or any(one in out for one in step.needs)):
            out.append(step.id)
    return tuple(out)


def outcome(run: Run) -> tuple[RunStatus, str]:
    """Give how a run ends whose steps are over, and why it is no success (R-R07)."""
    if proven(run):
        return "succeeded", ""
    failed = next((step for step in run.steps if step.status == "failed"), None)
    unsure = any(step.status == "uncertain" for step in run.steps)
    reason = failed.reason if failed else "uncertain" if unsure else "unfinished"
    left_something = unsure or any(step.status == "done" or step.after for step in run.steps)
    return ("partially_succeeded" if left_something or reason == "unproved" else "failed"), reason


def proven(run: Run) -> bool:
    """Tell whether every step of a run was left out, or is done with its proof (law 5)."""
    return all(
        step.status == "left_out" or (step.status == "done" and proof(step, step.verified))
        for step in run.steps
    )


def proof(step: Step, verified: object) -> bool:
    """Tell whether this is proof enough that a step did what it should."""
    return verified is True or (verified is None and not step.verifiable)


def unfinished(run: Run) -> Step | None:
    """Give the step whose effect was begun and whose end nobody recorded."""
    return next((step for step in run.steps if step.status == "running"), None)
