"""Pausing, cancelling and limits stop before the next effect; undoing brings back every byte, or says what it left."""

import dataclasses
from datetime import timedelta

import pytest

from daemon.runs.caps import Caps
from daemon.runs.undoing import not_undone
from parsers.model.controls import offered, taken_back
from tests.daemon.runs.scene import FILES, FIVE, TWO, Crash, Deaths, Scene, spoilt, whole


@pytest.fixture
def scene(tmp_path):
    return Scene(tmp_path, FILES)


@pytest.mark.parametrize("at", range(1, 12))
def test_paused_anywhere_and_resumed_it_ends_as_if_uninterrupted(tmp_path, at):
    scene = Scene(tmp_path / "x", FILES)
    run = scene.approve(scene.propose(*FIVE))
    for _ in range(at):
        scene.executor.advance()
    if scene.run(run.id).live:
        scene.steer(run, "pause")
        assert not scene.executor.advance()
        scene.steer(run, "resume")
    scene.work()
    assert scene.run(run.id).status == "succeeded"
    assert scene.notes() == whole(tmp_path / "y")
    assert scene.ops("step.started") == ["step.started"] * 5


def test_cancelling_stops_before_the_next_effect_and_keeps_what_is_done(scene):
    run = scene.approve(scene.propose(*TWO))
    scene.executor.advance()
    scene.executor.advance()
    scene.steer(run, "cancel")
    scene.work()
    told = scene.run(run.id)
    assert [step.status for step in told.steps] == ["done", "cancelled"]
    assert scene.text("a.md") == "un\n\nx\n"
    assert scene.text("b.md") == FILES["b.md"]


@pytest.mark.parametrize("control", ["pause", "cancel"])
def test_a_run_stopped_while_a_step_is_being_prepared_does_not_begin_it(scene, control):
    run = scene.approve(scene.propose(*TWO))
    scene.executor.advance()
    real = scene.tools["note_append"].plan

    def plan(args, look):
        if scene.run(run.id).status == "running":
            scene.steer(run, control)
        return real(args, look)

    scene.tools["note_append"] = dataclasses.replace(scene.tools["note_append"], plan=plan)
    scene.work()
    assert scene.notes() == FILES
    assert "step.started" not in scene.ops()


@pytest.mark.parametrize("control", ["pause", "cancel"])
def test_the_step_under_way_is_recorded_when_its_run_is_stopped(scene, control):
    run = scene.approve(scene.propose(*TWO))
    real = scene.tools["note_append"].apply

    def apply(args, hands, effects, key):
        real(args, hands, effects, key)
        scene.steer(run, control)

    spoilt(scene, apply=apply)
    scene.work()
    assert scene.run(run.id).steps[0].status == "done"
    assert scene.text("b.md") == FILES["b.md"]


def test_a_run_pauses_at_its_number_of_writes_and_goes_on_when_resumed(tmp_path):
    scene = Scene(tmp_path, FILES, Caps(max_writes=2))
    run = scene.approve(scene.propose(*FIVE))
    scene.work()
    assert (scene.run(run.id).status, scene.run(run.id).reason) == ("paused", "max_writes")
    assert scene.ops("step.done") == ["step.done"] * 2
    scene.steer(run, "resume")
    scene.work()
    scene.steer(run, "resume")
    scene.work()
    assert scene.run(run.id).status == "succeeded"


def test_a_run_pauses_when_its_time_is_over(scene):
    run = scene.approve(scene.propose(*TWO))
    scene.executor.advance()
    scene.time += timedelta(seconds=300)
    scene.work()
    assert (scene.run(run.id).status, scene.run(run.id).reason) == ("paused", "max_wall_seconds")
    assert scene.notes() == FILES


def test_a_run_pauses_at_its_number_of_steps(tmp_path):
    scene = Scene(tmp_path, FILES, Caps(max_iterations=1))
    run = scene.approve(scene.propose(*TWO))
    scene.work()
    assert scene.run(run.id).reason == "max_iterations"


# ---- undo


def test_undo_restores_every_byte_last_step_first(scene):
    run = scene.approve(scene.propose(*FIVE))
    scene.work()
    assert scene.notes() != FILES
    scene.steer(run, "undo")
    scene.work()
    assert scene.notes() == FILES
    undo = next(one for one in scene.runs.runs.values() if one.kind == "undo")
    assert (undo.undoes, undo.status) == (run.id, "succeeded")
    assert scene.run(run.id).undone_by == undo.id


def test_undo_leaves_alone_what_changed_since_and_says_both_versions(scene):
    run = scene.approve(scene.propose(*TWO))
    scene.work()
    left = scene.etag("a.md")
    scene.put("a.md", "retouchée\n")
    scene.steer(run, "undo")
    scene.work()
    assert scene.text("a.md") == "retouchée\n"
    assert scene.text("b.md") == FILES["b.md"]
    undo = next(one for one in scene.runs.runs.values() if one.kind == "undo")
    assert undo.status == "partially_succeeded"
    step = next(step for step in undo.steps if step.status == "failed")
    assert step.reason == "changed"
    assert f"{left[:8]} → {scene.etag('a.md')[:8]}" in step.detail


def undone_in_part(scene):
    run = scene.approve(scene.propose(*TWO))
    scene.work()
    kept = scene.text("a.md")
    scene.put("a.md", "retouchée\n")
    scene.steer(run, "undo")
    scene.work()
    scene.put("a.md", kept)
    return scene.run(run.id)


def test_an_undo_that_leaves_something_says_which_steps_it_took_back_and_may_be_asked_again(scene):
    run = undone_in_part(scene)
    first, second = run.steps
    assert [one.body["steps"] for one in scene.records if one.op == "run.undone"] == [[second.id]]
    assert (run.undone_by, second.inverse, offered(run)) == (None, None, ("undo",))
    assert first.inverse is not None
    assert run.evidence[-1].what == "undone_partly"
    scene.steer(run, "undo")
    scene.work()
    assert scene.notes() == FILES
    run, last = scene.run(run.id), list(scene.runs.runs.values())[-1]
    assert ([step.tool for step in last.steps], last.status) == (["note_restore"], "succeeded")
    assert (run.undone_by, offered(run), taken_back(run)) == (last.id, (), (first.id, second.id))
    assert run.evidence[-1].what == "undone"


def test_an_undo_that_takes_nothing_back_leaves_the_run_as_it_was(scene):
    run = scene.approve(scene.propose(*TWO))
    scene.work()
    scene.put("a.md", "retouchée\n")
    scene.put("b.md", "aussi\n")
    scene.steer(run, "undo")
    scene.work()
    assert "run.undone" not in scene.ops()
    assert offered(scene.run(run.id)) == ("undo",)


@pytest.mark.parametrize("during", [False, True], ids=["between its steps", "during one"])
def test_what_an_undo_took_back_before_it_was_cancelled_is_said_too(scene, during):
    run = scene.approve(scene.propose(*TWO))
    scene.work()
    real = scene.tools["note_restore"].apply
    undo = []

    def apply(args, hands, effects, key):
        real(args, hands, effects, key)
        scene.steer(undo[0], "cancel")

    if during:
        scene.tools["note_restore"] = dataclasses.replace(scene.tools["note_restore"], apply=apply)
        scene.restart()
    scene.steer(run, "undo")
    undo.append(next(one for one in scene.runs.runs.values() if one.kind == "undo"))
    if during:
        scene.work()
    else:
        while scene.run(undo[0].id).steps[0].status != "done":
            scene.executor.advance()
        scene.steer(undo[0], "cancel")
    told = [one.body["steps"] for one in scene.records if one.op == "run.undone"]
    assert (scene.run(undo[0].id).status, told) == ("cancelled", [[run.steps[1].id]])
    assert offered(scene.run(run.id)) == ("undo",)


def test_why_a_run_cannot_be_undone_is_known(scene):
    run = scene.propose(*TWO)
    assert not_undone(scene.runs, run) == "live"
    scene.approve(run)
    scene.work()
    assert not_undone(scene.runs, scene.run(run.id)) == ""
    scene.steer(run, "undo")
    assert not_undone(scene.runs, scene.run(run.id)) == "under_way"
    scene.work()
    run = scene.run(run.id)
    assert not_undone(scene.runs, run) == "done"
    assert not_undone(scene.runs, scene.run(run.undone_by)) == "undo"
    deleted = scene.propose(("note_delete", {"path": "a.md"}))
    scene.happen(lambda work: work.emit("plan.approved", id=deleted.id, left_out=[], how="code"))
    scene.work()
    assert not_undone(scene.runs, scene.run(deleted.id)) == "lasting"
    refused = scene.propose(TWO[1], ("note_trash", {"path": "e.md"}))
    scene.happen(lambda work: work.emit("run.cancelled", id=refused.id, reason="refused"))
    assert not_undone(scene.runs, scene.run(refused.id)) == "nothing"


def test_undo_says_which_steps_it_cannot_take_back(scene):
    run = scene.propose(("note_delete", {"path": "a.md"}), TWO[1])
    scene.happen(lambda work: work.emit("plan.approved", id=run.id, left_out=[], how="code"))
    scene.work()
    scene.steer(run, "undo")
    scene.work()
    undo = next(one for one in scene.runs.runs.values() if one.kind == "undo")
    assert "étapes 1" in undo.why
    assert [step.tool for step in undo.steps] == ["note_restore"]


@pytest.mark.parametrize("at", range(2, 12))
def test_an_undo_that_is_killed_goes_on_when_resumed(tmp_path, at):
    scene = Scene(tmp_path, FILES)
    run = scene.approve(scene.propose(*FIVE))
    scene.work()
    scene.steer(run, "undo")
    scene.crash = Deaths(at, "before")
    with pytest.raises(Crash):
        scene.work()
    scene.restart()
    scene.work()
    undo = next(one for one in scene.runs.runs.values() if one.kind == "undo")
    scene.steer(undo, "resume")
    scene.work()
    assert scene.run(undo.id).status == "succeeded"
    assert scene.notes() == FILES
