"""The evidence of a run: one line for each record that tells what became of it, made from that record alone."""

from collections.abc import Callable, Mapping

from parsers.model.controls import taken_back, wholly
from parsers.model.register import Body, Record
from parsers.model.runs import Happened, Run

_LEAVES = 8
"""Hex digits of an etag that a line of a plan shows."""
INTERRUPTED = "interrupted"
"""Why a run is paused whose process ended."""
SECRET = "secret"  # noqa: S105 - the name of a reason
"""Why a plan is refused that holds a secret: no rule of the table looks at that."""

_SAID: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "plan.proposed": ("proposed", ("way",)),
    "plan.shown": ("shown", ("path",)),
    "plan.reshown": ("reshown", ("cause", "was", "found", "digest")),
    "plan.approved": ("approved", ("how", "left_out")),
    "plan.refused": ("refused", ("rule", "reason")),
    "run.cancelled": ("cancelled", ("reason",)),
    "run.expired": ("expired", ()),
    "run.started": ("started", ()),
    "run.paused": ("paused", ("reason",)),
    "run.resumed": ("resumed", ()),
    "run.uncertain": ("uncertain", ("reason",)),
    "run.ended": ("ended", ("status", "reason")),
    "run.undone": ("undone", ("by", "steps")),
    "step.started": ("step_started", ()),
    "step.done": ("step_done", ("verified", "tokens")),
    "step.failed": ("step_failed", ("reason", "detail")),
    "step.uncertain": ("step_uncertain", ("reason", "detail")),
    "step.again": ("step_again", ("detail",)),
    "code.shown": ("code_shown", ()),
    "code.wrong": ("code_wrong", ("tried",)),
    "code.missing": ("code_missing", ()),
    "control.used": ("control", ("control", "number")),
}
"""Event → its line's key below `evidence.` in the catalogue, and what the line says besides."""


def happened(run: Run, record: Record) -> tuple[Happened, ...]:
    """Give the line that a record leaves in the evidence of a run as it stood before; none for what needs no line."""
    if record.op not in _SAID:
        return ()
    what, names = _SAID[record.op]
    body = record.body
    values = tuple((name, said) for name in names if (said := _VALUES.get(name, _plain)(body, name)))
    what = _OTHERWISE.get(record.op, _same)(what, run, body)
    return (Happened(record.at, what, str(body.get("step", "")), values),)


def _plain(body: Body, name: str) -> str:
    value = body.get(name)
    return "" if value is None else str(value)


def way_of(body: Body) -> str:
    """Give how a plan came where its origin does not say it, a catalogue key below `way.`; `""` elsewhere."""
    if body.get("note"):
        return "note"
    if body.get("origin") == "undo":
        return "undo"
    return "command" if (body.get("origin"), body.get("instruction")) == ("person", "vault") else ""


def _reason(body: Body, name: str) -> str:
    """Why; of a refusal for a secret, which no rule names, that it is one."""
    if name in body:
        return _plain(body, name)
    return SECRET if any(key == SECRET for key, _ in body.get("reasons") or ()) else ""


def _undone(what: str, run: Run, body: Body) -> str:
    return what if wholly(run, {*taken_back(run), *body["steps"]}) else "undone_partly"


def _control(what: str, _: Run, body: Body) -> str:
    return (
        "control_stale" if body.get("stale") else "control_command" if body.get("how") == "command" else what
    )


_VALUES: Mapping[str, Callable[[Body, str], str]] = {
    "left_out": lambda body, _: str(len(body["left_out"])) if body["left_out"] else "",
    "verified": lambda body, _: "yes" if body["verified"] else "",
    "by": lambda body, _: str(body["run"]),
    "steps": lambda body, _: " ".join(body["steps"]),
    "way": lambda body, _: way_of(body),
    "reason": _reason,
    "number": lambda body, _: str(body["transition"]),
}


def _same(what: str, run: Run, body: Body) -> str:  # noqa: ARG001 - see `_OTHERWISE`
    return what


_OTHERWISE: Mapping[str, Callable[[str, Run, Body], str]] = {
    "control.used": _control,
    "run.undone": _undone,
    "run.resumed": lambda what, run, _: "recovered" if run.reason == INTERRUPTED else what,
}
"""Events whose line depends on more than their name."""


def short(etag: str) -> str:
    """Give what a line of a plan shows of an etag, `–` for a note that is not there."""
    return etag[:_LEAVES] or "–"
