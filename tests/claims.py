"""Whatever the note of a run says is what happened: its lines, derived anew from the register and the disk.

On purpose not by `daemon.runs.state`: the lines of the register are counted here by hand.
"""

import hashlib
import re
from collections import defaultdict
from collections.abc import Collection
from typing import Any

from config.paths import NAMES
from parsers.model.register import Record
from tests.home import Home

_SILENT = {"code.used", "action.refused", "mark.put", "mark.lifted"}
_BOXES = {"step.started": "/", "step.done": "x", "step.failed": "!", "step.uncertain": "?", "step.again": " "}
_EVIDENCE = re.compile(r"^- .* \^ev-(\d+)$", re.MULTILINE)


def etag(data: bytes | None) -> str:
    return "" if data is None else hashlib.sha256(data).hexdigest()


def check(home: Home, name: str, touched: Collection[str] = ()) -> None:
    """Hold the note of a run, the register and the disk against each other; `touched` are notes others changed."""
    records = [record for record in home.records() if record.body.get("id") == name]
    run = home.app.pipeline.runs.runs[name]
    assert run.path is not None
    text = home.text(run.path)
    _check_status(text, records, run.status)
    steps = [str(one["id"]) for one in records[0].body["steps"]]
    _check_boxes(text, records, steps)
    _check_evidence(home, text, records, steps)
    _check_undone(text, records, run.status)
    _check_disk(home, touched)


def _check_undone(text: str, records: list[Record], status: str) -> None:
    """What was undone is said by its steps; what is left of what can be undone is offered, and nothing else."""
    left: dict[str, bool] = {}
    undone: set[str] = set()
    for record in records:
        if record.op in ("step.done", "step.failed") and (record.op == "step.done" or record.body["after"]):
            left[record.body["step"]] = record.body["inverse"] is not None
        elif record.op == "run.undone":
            assert record.body["steps"], record
            assert not undone & set(record.body["steps"]), "undone twice"
            undone |= set(record.body["steps"])
    writes = {one["id"]: one["risk"] != "READ" and not one["external"] for one in records[0].body["steps"]}
    undoable = {step for step, back in left.items() if back and writes[step]} - undone
    over = status in ("succeeded", "partially_succeeded", "failed", "cancelled", "expired")
    offers = over and bool(undoable) and records[0].body["kind"] != "undo"
    assert bool(re.search(r"\^undo-\d+$", text, re.MULTILINE)) == offers
    whole = {step for step in left if writes[step]} <= undone
    assert ("annulé par le run" in text) == (bool(undone) and whole)
    numbers = [str(n) for n, one in enumerate(records[0].body["steps"], 1) if one["id"] in undone]
    assert (f"défait en partie (étapes {', '.join(numbers)})" in text) == (bool(undone) and not whole)


def _check_status(text: str, records: list[Record], status: str) -> None:
    ops = [record.op for record in records]
    assert f"\nstatus: {status}\n" in text
    if status == "succeeded":
        done = {r.body["step"] for r in records if r.op == "step.done"}
        assert all(r.body["verified"] is True for r in records if r.op == "step.done")
        out = next(set(r.body["left_out"]) for r in records if r.op == "plan.approved")
        assert done | out == {one["id"] for one in records[0].body["steps"]}
    if "run.started" in ops:
        assert ops.index("plan.approved") < ops.index("run.started")
    for record in records:
        if record.op.startswith("step."):
            assert "run.started" in ops[: records.index(record)]


def _check_boxes(text: str, records: list[Record], steps: list[str]) -> None:
    ops = [record.op for record in records]
    if "plan.approved" not in ops:
        return
    wanted = dict.fromkeys(steps, " ")
    wanted |= {one: "-" for r in records if r.op == "plan.approved" for one in r.body["left_out"]}
    over = False
    for record in records:
        if record.op in _BOXES:
            # A step that was begun in a cancelled run, and turns out not to be done, never will be.
            wanted[record.body["step"]] = "-" if over and record.op == "step.again" else _BOXES[record.op]
        elif record.op in ("run.ended", "run.cancelled"):
            over = True
            wanted = {one: "-" if sign == " " else sign for one, sign in wanted.items()}
    for step, sign in wanted.items():
        (found,) = re.findall(rf"^- \[(.)\] .*\^{step}$", text, re.MULTILINE)
        waits = "\nstatus: awaiting_approval\n" in text and sign == " "
        assert found == sign or (waits and found == "x"), (step, found, sign)


def _check_evidence(home: Home, text: str, records: list[Record], steps: list[str]) -> None:
    said = [record for record in records if record.op not in _SILENT]
    lines = [line for line in text.split("\n") if _EVIDENCE.match(line)]
    assert [int(_EVIDENCE.match(line)[1]) for line in lines] == list(range(1, len(said) + 1))  # type: ignore[index]
    before: dict[str, Any] = {}
    for record, line in zip(said, lines, strict=True):
        step = record.body.get("step")
        if step is not None:
            assert f"étape {steps.index(step) + 1} " in line, (record.op, line)
        if record.op == "step.started":
            before = dict(record.body["before"])
        if record.op == "step.done":
            assert ("vérifiée" in line) == (record.body["verified"] is True), line
            for path, after in record.body["after"].items():
                was = before.get(path, "")[:12] or "absente"
                assert f"{path} : {was} → {after[:12] or 'absente'}" in line.replace("\\", ""), (line, path)
            for path, kept in (record.body.get("kept") or {}).items():
                assert kept in line.replace("\\", "")
                places = (home.app.folder / NAMES.backups / kept, home.root / NAMES.displaced / kept)
                (data,) = [place.read_bytes() for place in places if place.exists()]
                assert etag(data) == before[path]


def _check_disk(home: Home, touched: Collection[str]) -> None:
    """Each note a step left stands there as it was left, unless a later step, or somebody else, changed it."""
    left: dict[str, str] = {}
    open_now: dict[str, set[str]] = defaultdict(set)
    for record in home.records():
        if record.op == "step.started":
            open_now[record.body["step"]] = set(record.body["before"])
        elif record.op in ("step.done", "step.failed", "step.again"):
            open_now.pop(record.body["step"], None)
        if record.op in ("step.done", "step.failed"):
            left |= record.body.get("after") or {}
    unsure = set(touched).union(*open_now.values()) if open_now else set(touched)
    for path, wanted in left.items():
        if path not in unsure:
            full = home.full(path)
            assert etag(full.read_bytes() if full.exists() else None) == wanted, path
