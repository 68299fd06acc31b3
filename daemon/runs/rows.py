"""A run as JSON: what the register carries of it, the row the index keeps, and the row of the export."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields, replace
from typing import Any

from parsers.model.places import NotePath
from parsers.model.runs import Happened, Input, Run, Step

_STEP = frozenset(one.name for one in fields(Step))
_RUN = frozenset(one.name for one in fields(Run))
_UNSAID = ("", (), None)


def row_of(run: Run) -> dict[str, Any]:
    """Give every field of a run as JSON values; `run_of` gives the run back."""
    row = {one.name: getattr(run, one.name) for one in fields(Run)}
    row["inputs"] = inputs_row(run.inputs)
    row["steps"] = [step_row(step) for step in run.steps]
    row["evidence"] = [
        [line.at, line.what, line.step, [list(pair) for pair in line.values]] for line in run.evidence
    ]
    return row


def run_of(row: Mapping[str, Any]) -> Run:
    """Give the run of a row, or of what an event carries of it; fields a later version added are passed over."""
    values = {key: value for key, value in row.items() if key in _RUN}
    values["inputs"] = inputs_of(row.get("inputs") or ())
    values["steps"] = tuple(step_of(one) for one in row.get("steps") or ())
    values["evidence"] = tuple(
        Happened(at, what, step, tuple((name, value) for name, value in said))
        for at, what, step, said in row.get("evidence") or ()
    )
    return Run(**values)


def inputs_row(inputs: Iterable[Input]) -> list[list[str]]:
    """Give inputs as an event carries them: `[[path, etag], …]`."""
    return [[one.path, one.etag] for one in inputs]


def inputs_of(row: Iterable[Iterable[str]]) -> tuple[Input, ...]:
    """Give the inputs an event carries."""
    return tuple(Input(NotePath(path), etag) for path, etag in row)


def step_row(step: Step) -> dict[str, Any]:
    """Give every field of a step as JSON values."""
    return {
        **{one.name: getattr(step, one.name) for one in fields(Step)},
        "needs": list(step.needs),
        "reasons": [list(pair) for pair in step.reasons],
        "shows": list(step.shows),
        "writes": list(step.writes),
        "args": dict(step.args),
        "before": dict(step.before),
        "after": dict(step.after),
        "expects": dict(step.expects),
        "kept": dict(step.kept),
        "inverse": dict(step.inverse) if step.inverse is not None else None,
    }


def step_of(row: Mapping[str, Any]) -> Step:
    """Give the step an event carries."""
    return step_with(Step("", "", {}), row)


def step_with(step: Step, row: Mapping[str, Any]) -> Step:
    """Give a step with the fields an event has new values for."""
    values = {key: value for key, value in row.items() if key in _STEP}
    for name in ("needs", "shows", "writes"):
        if name in values:
            values[name] = tuple(values[name])
    if "reasons" in values:
        values["reasons"] = tuple((key, value) for key, value in values["reasons"])
    return replace(step, **values)


def proposed_row(run: Run) -> dict[str, Any]:
    """Give what `plan.proposed` carries: every field of the run that is known then; times and status follow from it."""
    later = (
        "status",
        "transition",
        "evidence",
        "path",
        "undone_by",
        "approved_at",
        "approved_how",
        "ended_at",
    )
    also = ("reason", "code_shown_at", "wrong_codes")
    row = {key: value for key, value in row_of(run).items() if key not in (*later, *also)}
    unset = {"status", "verified", "after", "inverse", "kept", "reason", "detail"}
    row["steps"] = [{k: v for k, v in step.items() if k not in unset} for step in row["steps"]]
    return row


def exported(runs: Iterable[Run]) -> list[dict[str, Any]]:
    """Give the export's rows: by id, every field present, null where nothing is known."""
    return [_exported(run) for run in sorted(runs, key=lambda one: one.id)]


def _exported(run: Run) -> dict[str, Any]:
    row = _null(row_of(run))
    row["inputs"] = [asdict(one) for one in run.inputs]
    row["steps"] = [{**_null(step_row(step)), "args": dict(step.args)} for step in run.steps]
    row["evidence"] = [
        {"at": one.at, "what": one.what, "step": one.step or None, "values": dict(one.values)}
        for one in run.evidence
    ]
    return row


def _null(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: None if value in _UNSAID else value for key, value in row.items()}
