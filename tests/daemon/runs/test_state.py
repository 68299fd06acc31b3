"""The fold of runs is total and pure, and what it makes can be written down and read back."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.runs.life import ENDINGS, OPS, STATUSES, spelt
from daemon.runs.rows import exported, row_of, run_of
from daemon.runs.standing import proven
from daemon.runs.state import Runs, fold
from parsers.model.register import Record, stamp
from tests.daemon.runs.scene import START, Scene

AT = stamp(START)
RUN, STEPS = "r-00000001", ("s-00000001", "s-00000002")
PROPOSED = {
    "id": RUN,
    "kind": "plan",
    "title": "t",
    "why": "",
    "origin": "mcp:x",
    "instruction": "mcp:x",
    "requested_at": AT,
    "expires_at": AT,
    "nonce": "n",
    "digest": "d",
    "shown": "s",
    "approval": "run_approval",
    "inputs": [["a.md", "e"]],
    "steps": [{"id": name, "tool": "note_append", "args": {"path": "a.md"}} for name in STEPS],
    "keyed": True,
}
names = st.sampled_from([RUN, "r-00000002"])
steps = st.sampled_from([*STEPS, "s-nobody00"])
BODIES = {
    "plan.shown": {"path": st.just("p.md")},
    "plan.reshown": {
        "nonce": st.just("m"),
        "digest": st.just("d2"),
        "shown": st.just("s2"),
        "inputs": st.just([]),
        "steps": st.just([{"id": STEPS[0], "shows": ["x"], "status": "done", "verified": True}]),
        "was": st.just("d"),
        "found": st.just("f"),
    },
    "plan.approved": {"left_out": st.lists(steps, max_size=2), "how": st.just("tick")},
    "plan.refused": {"step": steps, "rule": st.just(1), "reasons": st.just([])},
    "run.undone": {"run": st.just("r-00000009"), "steps": st.lists(steps, max_size=2)},
    "step.started": {"step": steps, "key": st.just("k"), "before": st.just({"a.md": "e"})},
    "step.done": {
        "step": steps,
        "verified": st.sampled_from([True, False, None]),
        "after": st.just({"a.md": "f"}),
        "inverse": st.sampled_from([None, {"tool": "note_restore", "args": {}}]),
    },
    "step.failed": {"step": steps, "reason": st.sampled_from(["unproved", "changed"]), "detail": st.just("")},
    "step.uncertain": {"step": steps, "reason": st.just("unknown")},
    "step.again": {"step": steps},
    "control.used": {
        "control": st.sampled_from(["pause", "undo"]),
        "transition": st.integers(0, 3),
        "how": st.sampled_from(["tick", "command"]),
        "stale": st.booleans(),
    },
    "code.shown": {"at": st.just(AT), "left_out": st.just([])},
}


@st.composite
def records(draw):
    op = draw(st.sampled_from(OPS))
    body = {"id": draw(names)}
    if op.startswith("run.ended "):
        op, _, status = op.partition(" ")
        body |= {"status": status, "reason": ""}
    body |= {name: draw(value) for name, value in BODIES.get(op, {"reason": st.just("x")}).items()}
    if draw(st.integers(0, 30)) == 0:
        body.pop(draw(st.sampled_from(sorted(set(body) - {"id"}))), None) if len(body) > 1 else None
    return Record(0, AT, op, "person", body)


def started() -> Runs:
    runs = Runs()
    fold(runs, Record(1, AT, "plan.proposed", "mcp:x", PROPOSED))
    return runs


@settings(deadline=None)
@given(st.lists(records(), max_size=40))
def test_any_records_give_runs_that_keep_the_laws(lines):
    runs = started()
    for line in lines:
        before = runs.runs[RUN]
        other = runs.fork()
        fold(other, line)
        fold(runs, line)
        assert other.runs == runs.runs  # the same record, the same runs
        after = runs.runs[RUN]
        assert set(runs.runs) == {RUN}
        assert after.status in STATUSES
        assert after.transition >= before.transition
        assert (after.status != before.status) <= (after.transition == before.transition + 1)
        assert (after == before) or len(after.evidence) > len(before.evidence) or line.op.startswith("code.")
        assert (after.status == "succeeded") <= proven(after)
        assert all(step.verified is True for step in after.steps if step.status == "done")
        assert run_of(json.loads(json.dumps(row_of(after)))) == after


@settings(deadline=None)
@given(st.lists(records(), max_size=40))
def test_what_was_folded_into_a_fork_leaves_the_other_as_it_is(lines):
    runs = started()
    kept, fork = dict(runs.runs), runs.fork()
    for line in lines:
        fold(fork, line)
    assert runs.runs == kept


def test_a_run_is_proposed_once():
    runs = started()
    fold(runs, Record(2, AT, "plan.approved", "person", {"id": RUN, "left_out": [], "how": "tick"}))
    kept = runs.runs[RUN]
    fold(runs, Record(3, AT, "plan.proposed", "mcp:x", {**PROPOSED, "title": "autre"}))
    assert runs.runs[RUN] == kept


@pytest.mark.parametrize("op", ["plan.approved", "step.done", "run.ended", "plan.reshown", "plan.proposed"])
@pytest.mark.parametrize(
    "body", [{}, {"id": RUN}, {"id": 3, "steps": 4}, {"id": RUN, "steps": None, "left_out": 1}]
)
def test_a_line_that_holds_something_else_changes_nothing(op, body):
    runs = started()
    kept = dict(runs.runs)
    fold(runs, Record(2, AT, op, "person", body))
    assert runs.runs == kept


def test_what_nobody_vouches_for_is_no_run_to_decide_about():
    runs = Runs()
    fold(runs, Record(1, AT, "plan.proposed", "mcp:x", PROPOSED, vouched=False))
    assert (runs.known(RUN), runs.live(), runs.shown()) == (None, (), ())
    runs = started()
    approved = {"id": RUN, "left_out": [], "how": "tick"}
    fold(runs, Record(2, AT, "plan.approved", "person", approved, vouched=False))
    assert (runs.known(RUN), runs.live()) == (None, ())
    fold(runs, Record(3, AT, "level.set", "person", {"domain": "external", "level": 3}, vouched=False))
    assert runs.autonomy.level("external") == 0


def test_a_run_nobody_vouches_for_is_neither_carried_out_nor_undone(tmp_path):
    scene = Scene(tmp_path, {"a.md": "un\n"})
    run = scene.propose(*[("note_append", {"path": "a.md", "text": "x\n"})] * 2)
    approved = {"id": run.id, "left_out": [], "how": "tick"}
    scene.accept(Record(99, AT, "plan.approved", "person", approved, vouched=False))
    scene.work()
    assert scene.text("a.md") == "un\n"


def test_a_memory_tools_run_is_one_step_that_is_done():
    runs = Runs()
    body = {"id": "r-00000002", "tool": "memory_save", "origin": "mcp:x", "decision": "allowed", "rule": 14}
    fold(runs, Record(1, AT, "run.recorded", "mcp:x", body))
    run = runs.runs["r-00000002"]
    assert (run.kind, run.status, run.steps[0].tool) == ("memory", "succeeded", "memory_save")
    assert run_of(row_of(run)) == run


def test_the_export_holds_every_field_and_null_for_what_is_unknown():
    rows = exported(started().runs.values())
    assert rows == json.loads(json.dumps(rows))
    assert set(rows[0]) == set(row_of(started().runs[RUN]))
    assert (rows[0]["path"], rows[0]["reason"], rows[0]["why"]) == (None, None, None)
    assert rows[0]["steps"][0]["inverse"] is None


def test_the_way_of_a_run_is_told_once_a_transition():
    runs = started()
    for op, body in (
        ("plan.shown", {"path": "p.md"}),
        ("plan.approved", {"left_out": [STEPS[1]], "how": "tick"}),
        ("run.started", {}),
        ("step.started", {"step": STEPS[0], "key": "k", "before": {}}),
        ("step.done", {"step": STEPS[0], "verified": True, "after": {}, "inverse": None}),
        ("run.ended", {"status": "succeeded", "reason": ""}),
    ):
        fold(runs, Record(2, AT, op, "person", {"id": RUN, **body}))
    run = runs.runs[RUN]
    assert (run.status, run.transition) == ("succeeded", 4)
    assert [one.what for one in run.evidence] == [
        *("proposed", "shown", "approved", "started", "step_started", "step_done", "ended"),
    ]
    assert dict(run.evidence[2].values) == {"how": "tick", "left_out": "1"}


def test_an_end_is_spelt_with_its_status():
    assert [spelt("run.ended", {"status": one}) for one in ENDINGS] == [f"run.ended {one}" for one in ENDINGS]
