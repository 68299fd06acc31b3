"""What a tick, a command or the clock makes of a run: pure, from edits to events (policy-and-runs.md, A run).

Whether a tick counts is decided here and nowhere else: on a plan that waits, in time, on exactly what was shown, made
from notes that have not changed since, and with its code where one is asked for. What does not count starts nothing;
where the plan is no longer what was shown, it is shown again under a new digest.
"""

import hashlib
import hmac
from datetime import datetime
from typing import assert_never

from daemon.policy.codes import PER_THING
from daemon.runs.life import may
from daemon.runs.refusing import refuse, refused
from daemon.runs.rows import inputs_row, step_row
from daemon.runs.standing import left_out_of
from daemon.runs.state import Runs
from daemon.runs.undoing import told, undo
from daemon.runs.work import Prepared, Work
from parsers.model.controls import offered, takes_code
from parsers.model.places import NotePath
from parsers.model.policy import Decision
from parsers.model.run_edits import Altered, Approve, CodeShown, Moved, Refuse, RunEdit, Steer, Unblock
from parsers.model.runs import Control, Run

_SHOWN_AGAIN = (
    *("id", "needs", "decision", "rule", "reasons", "shows", "writes", "provenance", "undoable"),
    *("before", "expects"),
)


def take(work: Work, edit: RunEdit) -> None:
    """Decide one edit; what does not count emits nothing, or says why."""
    match edit:
        case Approve():
            _approve(work, edit)
        case Altered():
            _alter(work, edit)
        case Refuse():
            _refuse(work, edit)
        case Steer():
            _steer(work, edit)
        case Moved():
            _move(work, edit)
        case CodeShown():
            _show_code(work, edit)
        case Unblock():
            work.emit("code.unblocked")
        case _:
            assert_never(edit)
    if not isinstance(edit, CodeShown | Unblock):
        told(work, edit.run)


def propose(work: Work, prepared: Prepared, note: NotePath | None = None) -> None:
    """Record a plan: refused, approved at once where the policy allows all of it, else waiting to be shown.

    `note`: the note of the plans' folder that it came as.
    """
    run = prepared.run
    work.propose(run, note)
    if prepared.refused:
        refuse(work, prepared)
    elif run.approval == "allowed":
        how = "delegation" if run.delegation else "level"
        work.emit("plan.approved", run.origin, id=run.id, left_out=[], how=how)


def expire(work: Work) -> None:
    """Let what nobody approved in time expire, also when nobody looked at that moment (C16)."""
    for run in work.runs.live():
        if may(run.status, "run.expired") and _late(work, run):
            work.emit("run.expired", "scheduled", id=run.id)
            told(work, run.id)


def next_expiry(runs: Runs) -> datetime | None:
    """Give when the first plan that waits expires, None when none waits."""
    waiting = [run.expires_at for run in runs.live() if may(run.status, "run.expired")]
    return min(map(datetime.fromisoformat, waiting), default=None)


def _late(work: Work, run: Run) -> bool:
    return datetime.fromisoformat(run.expires_at) <= work.moment.now


# ---- approving


def _approve(work: Work, edit: Approve) -> None:
    run = work.runs.known(edit.run)
    if run is None or run.status != "awaiting_approval":
        return
    if _late(work, run):
        work.emit("run.expired", "scheduled", id=run.id)
    elif edit.how == "api":
        _forged(work, run)
    elif edit.digest != run.digest or edit.shown != run.shown:
        if not _known_stale(run, edit):
            reshow(work, run.id, "content", edit.digest)
    elif not _inputs_hold(run, edit):
        reshow(work, run.id, "inputs", run.digest)
    else:
        _approve_shown(work, run, edit)


def _approve_shown(work: Work, run: Run, edit: Approve) -> None:
    """The tick is on what was shown; what is left is the code, where one is asked for."""
    out = left_out_of(run, edit.left_out)
    coded = takes_code(run, every_code=work.terms.every_code)
    if coded and not _code_holds(work, run, out, edit.code):
        return
    if all(step.status == "left_out" or step.id in out for step in run.steps):
        work.emit("run.cancelled", id=run.id, reason="nothing_left")
        return
    if coded:
        work.emit("code.used", id=run.id)
    work.emit("plan.approved", id=run.id, left_out=list(out), how="code" if coded else edit.how)


def _known_stale(run: Run, edit: Approve | Altered) -> bool:
    """Whether the plan was shown again since this was read, and only the note is not rendered yet."""
    last = next((line for line in reversed(run.evidence) if line.what == "reshown"), None)
    return last is not None and edit.digest != run.digest and edit.digest in dict(last.values).values()


def _alter(work: Work, edit: Altered) -> None:
    run = work.runs.known(edit.run)
    waits = run is not None and run.status == "awaiting_approval" and not _late(work, run)
    if run is not None and waits and not _known_stale(run, edit):
        reshow(work, run.id, "content", edit.digest)


def _inputs_hold(run: Run, edit: Approve) -> bool:
    """Whether each note the plan was made from is the version it was; what nobody looked at is not."""
    now = {one.path: one.etag for one in edit.inputs}
    return all(now.get(one.path) == one.etag for one in run.inputs)


def _forged(work: Work, run: Run) -> None:
    """No tool of ours approves (law 9)."""
    refused(work, run.id, "approve", "http", Decision("refused", 4, (("approves", run.id),)))
    work.alert("forged", run.title, run.id, "http", run.path)


def _code_holds(work: Work, run: Run, out: tuple[str, ...], typed: str | None) -> bool:
    """Whether the digits count: shown on a terminal a while ago for exactly this, and right.

    Digits typed while no code is open are compared with nothing, so they teach nothing and cost nothing: that one is
    missing is said, once in a row.
    """
    codes = work.runs.codes
    if not typed or not codes.is_open(run.id, work.moment.now, out):
        if not run.evidence or run.evidence[-1].what != "code_missing":
            work.emit("code.missing", id=run.id)
        return False
    if hmac.compare_digest(work.terms.code(run.digest, out).encode(), typed.strip().encode()):
        return True
    tried = hashlib.sha256(f"{run.nonce}\x1f{typed.strip()}".encode()).hexdigest()[:12]
    if not any(line.what == "code_wrong" and ("tried", tried) in line.values for line in run.evidence):
        _count_wrong(work, run, tried)
    return False


def _count_wrong(work: Work, run: Run, tried: str) -> None:
    """The same wrong digits, read again, are one try."""
    many = work.runs.codes.too_many(work.moment.now)
    work.emit("code.wrong", id=run.id, tried=tried)
    if work.runs.codes.wrong_for(run.id) >= PER_THING:
        work.emit("run.cancelled", id=run.id, reason="codes")
        work.alert("codes", run.title, run.id, run.origin, run.path)
    if many:
        work.block_codes(run.origin)


def _show_code(work: Work, edit: CodeShown) -> None:
    """Open the code of a run that waits, for the steps left out, or that of a line whose widening waits."""
    run = work.runs.known(edit.id)
    if run is not None and run.status == "awaiting_approval" and not _late(work, run):
        out = list(left_out_of(run, edit.left_out))
        work.emit("code.shown", id=run.id, left_out=out)
    elif run is None and work.runs.autonomy.waiting(edit.id) is not None:
        work.emit("code.shown", id=edit.id, left_out=[])


# ---- showing again


def reshow(work: Work, name: str, cause: str, found: str) -> None:
    """Show a waiting plan again, as its steps come out now: a new digest, so that no tick made before counts.

    `cause` is a catalogue key below `evidence.cause.`: `content`, `inputs`, `moved`, `uncertain`.
    """
    run = work.runs.known(name)
    if run is None or not may(run.status, "plan.reshown"):
        return
    again = work.terms.replan(run)
    if again.refused:
        refuse(work, again)
        return
    work.emit(
        "plan.reshown",
        id=run.id,
        nonce=again.run.nonce,
        digest=again.run.digest,
        shown=again.run.shown,
        approval=again.run.approval,
        inputs=inputs_row(again.run.inputs),
        steps=[
            {key: value for key, value in step_row(step).items() if key in _SHOWN_AGAIN}
            for step in again.run.steps
        ],
        was=run.digest,
        found=found,
        cause=cause,
    )


def _move(work: Work, edit: Moved) -> None:
    """The note counts where it is now; a tick that came with it was made on another."""
    run = work.runs.known(edit.run)
    if run is None or run.path == edit.path:
        return
    work.emit("plan.shown", id=run.id, path=edit.path)
    reshow(work, run.id, "moved", run.digest)


# ---- refusing and steering


def _refuse(work: Work, edit: Refuse) -> None:
    run = work.runs.known(edit.run)
    if run is None or run.status not in ("proposed", "awaiting_approval"):
        return
    if _late(work, run):
        work.emit("run.expired", "scheduled", id=run.id)
    else:
        work.emit("run.cancelled", id=run.id, reason=work.moment.redacted(edit.reason) or "refused")


def _steer(work: Work, edit: Steer) -> None:
    run = work.runs.known(edit.run)
    if run is None:
        return
    stale = edit.transition is not None and edit.transition != run.transition
    if stale or edit.control not in _controls(work, run, edit):
        if edit.transition is not None:
            _stale(work, run, edit)
        return
    how = "command" if edit.transition is None else "tick"
    work.emit("control.used", edit.by, id=run.id, control=edit.control, transition=run.transition, how=how)
    match edit.control:
        case "pause":
            work.emit("run.paused", edit.by, id=run.id, reason="asked")
        case "resume":
            work.emit("run.resumed", edit.by, id=run.id)
        case "cancel":
            work.emit("run.cancelled", edit.by, id=run.id, reason="asked")
        case "undo":
            undo(work, run)
        case _:
            assert_never(edit.control)


def _controls(work: Work, run: Run, edit: Steer) -> tuple[Control, ...]:
    """What may be asked of a run by this hand: an agent may only stop it."""
    given = offered(run)
    if edit.transition is None and run.status in ("proposed", "awaiting_approval"):
        given = ("cancel",)
    if edit.by.startswith("mcp:"):
        return tuple(one for one in given if one in ("pause", "cancel"))
    undone_now = any(other.undoes == run.id for other in work.runs.live())
    return tuple(one for one in given if one != "undo" or not undone_now)


def _stale(work: Work, run: Run, edit: Steer) -> None:
    """A tick on a number that is past does nothing; it is said once."""
    body = {"control": edit.control, "transition": edit.transition, "how": "tick", "stale": True}
    last = run.evidence[-1] if run.evidence else None
    said = dict(last.values) if last and last.what == "control_stale" else {}
    if (said.get("control"), said.get("number")) == (edit.control, str(edit.transition)):
        return
    work.emit("control.used", edit.by, id=run.id, **body)
