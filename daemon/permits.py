"""Runs and what may pass without asking, as the index keeps them: rows derived from the register."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from daemon.index import memory as rows
from daemon.index.store import Index
from daemon.policy.autonomy import Autonomy, delegation_of, event_of
from daemon.policy.codes import Codes
from daemon.policy.marks import marks_of, rows_of
from daemon.runs.rows import exported as run_rows
from daemon.runs.rows import row_of, run_of
from daemon.runs.state import Runs
from parsers.model.register import Record

_AUTONOMY, _CODES, _MARKS, _DOUBTED, _UNSAID = "autonomy", "codes", "marks", "doubted", "unsaid"
_NOUNS = {"level": _AUTONOMY, "delegation": _AUTONOMY, "code": _CODES, "mark": _MARKS}


def load_runs(index: Index) -> tuple[Runs, set[str] | None]:
    """Give what the index holds of runs, and those whose notes may not say all of it; None: any."""
    runs = Runs({name: run_of(row) for name, row in rows.load_runs(index).items()})
    if kept := rows.scalar(index, _AUTONOMY):
        runs.autonomy = _autonomy_of(kept)
    if kept := rows.scalar(index, _CODES):
        shown = {name: (at, tuple(left_out)) for name, (at, left_out) in kept["shown"].items()}
        runs.codes = Codes(shown, tuple((at, name) for at, name in kept["wrong"]), kept["blocked"])
    if kept := rows.scalar(index, _MARKS):
        runs.marks = marks_of(kept)
    runs.doubted = frozenset(rows.scalar(index, _DOUBTED, ()))
    unsaid = rows.scalar(index, _UNSAID)
    return runs, None if unsaid is None else set(unsaid)


def exported(runs: Runs) -> dict[str, Any]:
    """Give what the export says of runs and delegations: each list by id, every field present."""
    delegations = sorted(runs.autonomy.delegations.items())
    return {
        "runs": run_rows(runs.shown()),
        "delegations": [
            {key: None if value == "" else value for key, value in event_of(one).items()}
            for _, one in delegations
        ],
    }


def put_runs(index: Index, runs: Runs, fresh: Iterable[Record], unsaid: set[str] | None) -> None:
    """Keep what these records changed of runs; inside a transaction or in one of its own."""
    names: set[str] = set()
    parts: set[str] = set()
    for record in fresh:
        noun = record.op.partition(".")[0]
        parts |= {_NOUNS[noun]} if noun in _NOUNS else set()
        names |= {str(record.body.get("id"))} & runs.runs.keys()
    with index.batch():
        rows.put_runs(index, ((name, row_of(runs.runs[name])) for name in sorted(names)))
        for part in sorted(parts):
            rows.set_scalar(index, part, _part(runs, part))
        if names or unsaid is None:
            rows.set_scalar(index, _DOUBTED, sorted(runs.doubted))
        kept = None if unsaid is None else sorted(unsaid)
        if rows.scalar(index, _UNSAID) != kept:
            rows.set_scalar(index, _UNSAID, kept)


def _part(runs: Runs, part: str) -> Any:
    if part == _MARKS:
        return rows_of(runs.marks)
    if part == _CODES:
        return asdict(runs.codes)
    autonomy = runs.autonomy
    return {
        "levels": autonomy.levels,
        "asked_levels": {domain: list(asked) for domain, asked in autonomy.asked_levels.items()},
        "delegations": {name: event_of(one) for name, one in autonomy.delegations.items()},
        "asked": {name: event_of(one) for name, one in autonomy.asked.items()},
    }


def _autonomy_of(kept: Any) -> Autonomy:
    return Autonomy(
        dict(kept["levels"]),
        {domain: (level, nonce) for domain, (level, nonce) in kept["asked_levels"].items()},
        {name: delegation_of(one) for name, one in kept["delegations"].items()},
        {name: delegation_of(one) for name, one in kept["asked"].items()},
    )
