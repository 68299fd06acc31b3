"""Undoing: the inverses of what a run did, last first, as a run of its own (R-R08)."""

from collections.abc import Iterator
from dataclasses import replace

from daemon.runs.showing import code
from daemon.runs.state import Runs
from daemon.runs.work import Work
from parsers.ids import RUN, STEP
from parsers.model.controls import did, undoes
from parsers.model.places import NotePath
from parsers.model.runs import Input, Run, Step


def undo(work: Work, run: Run) -> None:
    """Make the run that undoes another, approved at once: the tick that asked for it is the approval.

    Each inverse runs only where its notes still are what the step left (`before`), and brings back what stood there
    before it (`expects`); what changed since is left alone, and said.
    """
    words = work.terms.words
    steps = tuple(_steps(work, run))
    alone = [str(number) for number, step in enumerate(run.steps, 1) if _left_alone(step)]
    bare = Run(
        id=work.moment.new_id(RUN),
        kind="undo",
        status="proposed",
        transition=0,
        title=words.say("run.undo.title", title=run.title),
        why=words.say("run.undo.alone", steps=", ".join(alone)) if alone else words.say("run.undo.why"),
        origin="undo",
        instruction="user",
        requested_at=work.moment.at,
        expires_at=work.expires(),
        nonce=work.terms.nonce(),
        digest="",
        shown="",
        approval="allowed",
        inputs=first_uses(steps),
        steps=steps,
        undoes=run.id,
    )
    digest, shown = work.terms.seal(bare)
    work.propose(replace(bare, digest=digest, shown=shown))
    work.emit("plan.approved", "undo", id=bare.id, left_out=[], how="undo")


def told(work: Work, name: str) -> None:
    """Say of the run that was undone which of its steps were, once the run `name` that undid them is over.

    What was said before is not said again: a step under way while its run was cancelled is said when it is done.
    """
    by = work.runs.known(name)
    run = work.runs.known(by.undoes) if by is not None and by.undoes and not by.live else None
    if by is None or run is None:
        return
    back = {step.undoes for step in by.steps if step.status == "done"}
    steps = [step.id for step in run.steps if step.id in back and step.inverse is not None]
    if steps:
        work.emit("run.undone", "undo", id=run.id, run=by.id, steps=steps)


def not_undone(runs: Runs, run: Run) -> str:
    """Give why a run cannot be undone now, a catalogue key below `error.no_undo.`; `""` where it can."""
    if run.kind == "undo":
        return "undo"
    if run.live:
        return "live"
    if any(other.undoes == run.id for other in runs.live()):
        return "under_way"
    if any(map(undoes, run.steps)):
        return ""
    if run.undone_by:
        return "done"
    return "lasting" if any(step.risk != "READ" and did(step) for step in run.steps) else "nothing"


def _left_alone(step: Step) -> bool:
    """Whether a step left something that no inverse takes back."""
    return step.risk != "READ" and (step.status == "uncertain" or did(step)) and not undoes(step)


def _steps(work: Work, run: Run) -> Iterator[Step]:
    words = work.terms.words
    for number, step in reversed(list(enumerate(run.steps, 1))):
        if not undoes(step):
            continue
        assert step.inverse is not None
        tool = str(step.inverse["tool"])
        paths = tuple(NotePath(path) for path in step.after)
        first = words.say("step.call", tool=tool, target=", ".join(map(code, paths)))
        yield Step(
            id=work.moment.new_id(STEP),
            tool=tool,
            args=dict(step.inverse["args"]),
            decision="allowed",
            rule=0,
            shows=(first, words.say("step.undoes", number=number)),
            writes=paths,
            provenance=step.provenance,
            before=dict(step.after),
            expects={path: step.before.get(path, "") for path in step.after},
            undoes=step.id,
        )


def first_uses(steps: tuple[Step, ...]) -> tuple[Input, ...]:
    """Give each note the steps write, in the version the first of them finds there."""
    found: dict[str, str] = {}
    for step in steps:
        for path, etag in step.before.items():
            found.setdefault(path, etag)
    return tuple(Input(NotePath(path), etag) for path, etag in found.items())
