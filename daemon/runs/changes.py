"""What each record makes of a run, once the table of its life allows it; None where it does not hold after all."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from daemon.runs.evidence import happened
from daemon.runs.life import ENDINGS
from daemon.runs.rows import inputs_of, run_of, step_with
from daemon.runs.standing import proof, proven
from parsers.model.controls import undoes
from parsers.model.places import NotePath
from parsers.model.register import Body, Record
from parsers.model.runs import Run, Step


def nothing(run: Run, _: Record) -> Run | None:
    """Give a run as it is: the line leaves evidence only."""
    return run


def _proposed(record: Record) -> Run:
    run = run_of({**record.body, "status": "proposed", "transition": 0})
    return replace(run, evidence=happened(run, record))


def _recorded(record: Record) -> Run:
    """A memory tool's run: what it wrote is in the register itself."""
    body = record.body
    verified = body.get("verified")
    step = Step(
        "s-memory",
        str(body["tool"]),
        {},
        decision=body["decision"],
        rule=int(body["rule"]),
        verifiable=verified is not None,
        status="done",
        verified=verified,
    )
    return Run(
        id=str(body["id"]),
        kind="memory",
        status="succeeded",
        transition=0,
        title=str(body["tool"]),
        why="",
        origin=str(body["origin"]),
        instruction=str(body.get("instruction", body["origin"])),
        requested_at=record.at,
        expires_at="",
        nonce="",
        digest="",
        shown="",
        approval=body["decision"],
        steps=(step,),
        ended_at=record.at,
        delegation=str(body.get("delegation", "")),
    )


BEGINS: Mapping[str, Callable[[Record], Run]] = {"plan.proposed": _proposed, "run.recorded": _recorded}


def _shown(run: Run, record: Record) -> Run | None:
    return replace(run, path=NotePath(str(record.body["path"])))


def _reshown(run: Run, record: Record) -> Run | None:
    body = record.body
    again = {str(one["id"]): one for one in body["steps"]}
    return replace(
        run,
        nonce=body["nonce"],
        digest=body["digest"],
        shown=body["shown"],
        inputs=inputs_of(body["inputs"]),
        approval=body.get("approval", run.approval),
        steps=tuple(step_with(step, _reworded(again.get(step.id, {}))) for step in run.steps),
        code_shown_at=None,
    )


def _reworded(row: Mapping[str, Any]) -> dict[str, Any]:
    """What showing a step again may change: never what it does, nor what has become of it."""
    fixed = ("id", "tool", "args", "status", "verified", "after", "inverse", "kept", "key")
    return {key: value for key, value in row.items() if key not in fixed}


def _approved(run: Run, record: Record) -> Run | None:
    out = frozenset(record.body["left_out"])
    steps = tuple(
        step
        if step.status != "waiting"
        else replace(step, status="left_out" if step.id in out else "waiting")
        for step in run.steps
    )
    return replace(
        run,
        steps=steps,
        approved_at=record.at,
        approved_how=record.body["how"],
        code_shown_at=None,
        reason="",
    )


def _over(run: Run, record: Record) -> Run | None:
    """What did not begin will not be done."""
    steps = tuple(
        replace(step, status="cancelled") if step.status == "waiting" else step for step in run.steps
    )
    return replace(run, steps=steps, ended_at=record.at, reason=str(record.body.get("reason", "")))


def _refused(run: Run, record: Record) -> Run | None:
    taken = _over(run, record)
    return taken and replace(taken, reason="policy")


def _ended(run: Run, record: Record) -> Run | None:
    """A run that lacks a proof does not succeed, whatever the line says (law 5)."""
    if record.body["status"] not in ENDINGS or (record.body["status"] == "succeeded" and not proven(run)):
        return None
    return None if any(step.status == "running" for step in run.steps) else _over(run, record)


def _paused(run: Run, record: Record) -> Run | None:
    return replace(run, reason=str(record.body.get("reason", "")))


def _resumed(run: Run, _: Record) -> Run | None:
    return replace(run, reason="")


def _uncertain(run: Run, record: Record) -> Run | None:
    body = record.body
    return replace(run, reason=str(body.get("reason", "")), expires_at=body.get("expires_at", run.expires_at))


def _undone(run: Run, record: Record) -> Run | None:
    """What was taken back cannot be once more; the run is undone when nothing is left that can be."""
    gone = frozenset(map(str, record.body["steps"]))
    steps = tuple(replace(step, inverse=None) if step.id in gone else step for step in run.steps)
    if not gone:
        return None
    over = not any(map(undoes, steps))
    return replace(run, steps=steps, undone_by=str(record.body["run"]) if over else run.undone_by)


def _code_shown(run: Run, record: Record) -> Run | None:
    return replace(run, code_shown_at=record.at)


def _code_wrong(run: Run, _: Record) -> Run | None:
    return replace(run, wrong_codes=run.wrong_codes + 1)


def _code_used(run: Run, _: Record) -> Run | None:
    return replace(run, code_shown_at=None)


# ---- steps

_FROM: Mapping[str, tuple[str, ...]] = {
    "step.started": ("waiting",),
    "step.done": ("running",),
    "step.failed": ("waiting", "running"),
    "step.uncertain": ("running",),
    "step.again": ("running",),
}


def _step(run: Run, record: Record) -> Run | None:
    step = run.step(str(record.body["step"]))
    if step is None or step.status not in _FROM[record.op]:
        return None
    taken = _STEPS[record.op](step, record.body)
    if taken is None:
        return None
    if record.op == "step.again" and run.status == "cancelled":
        taken = replace(taken, status="cancelled")
    return replace(run, steps=tuple(taken if one.id == step.id else one for one in run.steps))


def _started(step: Step, body: Body) -> Step | None:
    return replace(step, status="running", key=body["key"], before=dict(body["before"]), reason="", detail="")


def _done(step: Step, body: Body) -> Step | None:
    if not proof(step, body["verified"]):
        return None
    return replace(
        step,
        status="done",
        verified=body["verified"],
        after=dict(body["after"]),
        inverse=body["inverse"],
        kept=dict(body.get("kept") or {}),
    )


def _failed(step: Step, body: Body) -> Step | None:
    after = dict(body.get("after") or {})
    return replace(
        step,
        status="failed",
        verified=False if body["reason"] == "unproved" else step.verified,
        reason=body["reason"],
        detail=body.get("detail", ""),
        after=after,
        inverse=body.get("inverse"),
    )


def _unsure(step: Step, body: Body) -> Step | None:
    return replace(step, status="uncertain", reason=body["reason"], detail=body.get("detail", ""))


def _again(step: Step, _: Body) -> Step | None:
    return replace(step, status="waiting")


_STEPS: Mapping[str, Callable[[Step, Body], Step | None]] = {
    "step.started": _started,
    "step.done": _done,
    "step.failed": _failed,
    "step.uncertain": _unsure,
    "step.again": _again,
}

TAKES: Mapping[str, Callable[[Run, Record], Run | None]] = {
    "plan.shown": _shown,
    "plan.reshown": _reshown,
    "plan.approved": _approved,
    "plan.refused": _refused,
    "run.cancelled": _over,
    "run.expired": _over,
    "run.paused": _paused,
    "run.resumed": _resumed,
    "run.uncertain": _uncertain,
    "run.ended": _ended,
    "run.undone": _undone,
    "code.shown": _code_shown,
    "code.wrong": _code_wrong,
    "code.used": _code_used,
    **dict.fromkeys(_STEPS, _step),
}
