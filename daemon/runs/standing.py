"""What follows from how a run stands: what leaving a step out leaves out, how it ends, what has its proof."""

from collections.abc import Iterable

from parsers.model.runs import Run, RunStatus, Step


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


def let_go_on(run: Run) -> bool:
    """Tell whether the person had a run go on that nobody asked them about."""
    return any(line.what in ("resumed", "recovered") for line in run.evidence)


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
