"""Each effect at most once, nothing done without proof, and what a crash leaves is found out, not guessed."""

import dataclasses

import pytest

from daemon.runs.work import Work
from daemon.tools.arguments import NoteGone
from daemon.tools.effects import Effects
from daemon.tools.errors import StepFailed
from daemon.tools.hands import Hands
from daemon.tools.tool import holds, tool
from daemon.vault.errors import Unwritable, VaultBusy
from tests.daemon.runs.scene import FILES, FIVE, TWO, Crash, Deaths, Scene, spoilt, whole


@pytest.fixture
def scene(tmp_path):
    return Scene(tmp_path, FILES)


def points():
    probe = ["run.started", *["step.started", "step.done"] * 5, "run.ended"]
    return [(number, op, when) for number, op in enumerate(probe, 1) for when in ("before", "after")]


@pytest.mark.parametrize(("at", "op", "when"), points())
def test_g6_killed_at_any_event_a_run_is_paused_and_resumed_and_nothing_is_doubled(tmp_path, at, op, when):
    scene = Scene(tmp_path / "x", FILES)
    run = scene.approve(scene.propose(*FIVE))
    scene.crash = Deaths(at, when)
    with pytest.raises(Crash):
        scene.work()
    began = "run.started" in scene.ops()
    scene.restart()
    scene.work()
    told = scene.run(run.id)
    if op == "run.ended" and when == "after":
        assert told.status == "succeeded"
    elif began:
        assert (told.status, told.reason) == ("paused", "interrupted")
        scene.steer(run, "resume")
        scene.work()
    told = scene.run(run.id)
    assert told.status == "succeeded"
    assert all(step.verified is True for step in told.steps)
    assert scene.notes() == whole(tmp_path / "y")
    assert scene.ops("step.done") == ["step.done"] * 5
    assert [one.what for one in told.evidence].count("started") == 1


def test_a_disk_that_refuses_pauses_the_run_before_the_step_and_resumed_it_goes_on(tmp_path, monkeypatch):
    scene = Scene(tmp_path / "x", FILES)
    run = scene.approve(scene.propose(*FIVE))

    def carry(hands, change, **how):
        raise Unwritable(change.path, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Hands, "carry", carry)
        scene.work()
    told = scene.run(run.id)
    assert (told.status, told.reason, told.steps[0].status) == ("paused", "disk", "waiting")
    assert scene.ops()[-2:] == ["step.again", "run.paused"]
    assert "No space left" in dict(told.evidence[-2].values)["detail"]
    assert scene.notes() == FILES
    scene.steer(run, "resume")
    scene.work()
    assert scene.run(run.id).status == "succeeded"
    assert scene.notes() == whole(tmp_path / "y")


def test_a_disk_that_refuses_after_something_was_changed_ends_the_run(scene, monkeypatch):
    run = scene.propose(FIVE[2])
    run = scene.approve(run) if run.status == "awaiting_approval" else run
    real, left = Hands.carry, [2]

    def carry(hands, change, **how):
        left[0] -= 1
        if not left[0]:
            raise Unwritable(change.path, "No space left on device")
        real(hands, change, **how)

    monkeypatch.setattr(Hands, "carry", carry)
    scene.work()
    assert scene.run(run.id).steps[0].reason == "partly"


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("at", [1, 2, 3])
def test_killed_between_the_notes_of_one_step_the_rest_of_it_is_done(tmp_path, monkeypatch, at, when):
    scene = Scene(tmp_path / "x", FILES)
    calls = [FIVE[2]]
    run = scene.propose(*calls)
    run = scene.approve(run) if run.status == "awaiting_approval" else run
    real, left = Hands.carry, [at]

    def carry(hands, change, **how):
        left[0] -= 1
        if not left[0] and when == "before":
            raise Crash
        real(hands, change, **how)
        if not left[0] and when == "after":
            raise Crash

    with monkeypatch.context() as patch:
        patch.setattr(Hands, "carry", carry)
        with pytest.raises(Crash):
            scene.work()
    scene.restart()
    scene.work()
    scene.steer(run, "resume")
    scene.work()
    assert scene.run(run.id).status == "succeeded"
    assert scene.notes() == whole(tmp_path / "y", calls)


def test_c14_a_note_that_came_into_the_place_of_a_moved_one_is_left_alone(tmp_path):
    files = {f"Boîte/{name}.md": f"{name}\n" for name in "abc"}
    scene = Scene(tmp_path, files)
    run = scene.approve(
        scene.propose(
            *(("note_move", {"path": f"Boîte/{one}.md", "to": f"Archive/{one}.md"}) for one in "abc")
        )
    )
    deaths = []

    def crash(op, when):
        deaths.append(op) if (op, when) == ("step.done", "before") else None
        if len(deaths) == 2:
            raise Crash

    scene.crash = crash
    with pytest.raises(Crash):
        scene.work()
    scene.put("Boîte/b.md", "un autre b\n")
    scene.restart()
    scene.work()
    scene.steer(run, "resume")
    scene.work()
    told = scene.run(run.id)
    assert told.status == "awaiting_approval"
    assert [step.status for step in told.steps] == ["done", "uncertain", "waiting"]
    assert (scene.text("Boîte/b.md"), scene.text("Archive/b.md")) == ("un autre b\n", "b\n")
    what = [one.what for one in told.evidence]
    assert (what.count("started"), what.count("recovered")) == (1, 1)
    told = scene.approve(told)
    scene.work()
    told = scene.run(run.id)
    assert [step.status for step in told.steps] == ["done", "uncertain", "done"]
    assert (told.status, told.reason) == ("partially_succeeded", "uncertain")
    assert scene.text("Boîte/b.md") == "un autre b\n"


def test_resuming_after_the_persons_change_is_uncertain_and_asks(scene):
    run = scene.approve(scene.propose(*TWO))
    scene.crash = Deaths(2, "after")  # step.started is written, nothing is done
    with pytest.raises(Crash):
        scene.work()
    scene.put("a.md", "la personne a écrit\n")
    scene.restart()
    scene.work()
    scene.steer(run, "resume")
    scene.work()
    assert scene.run(run.id).status == "awaiting_approval"
    assert scene.run(run.id).digest != run.digest
    assert scene.text("a.md") == "la personne a écrit\n"
    scene.take()
    scene.approve(scene.run(run.id), scene.run(run.id).steps[1].id)
    scene.work()
    assert scene.run(run.id).status == "partially_succeeded"
    assert scene.text("b.md") == FILES["b.md"]


def test_a_process_that_starts_pauses_what_another_left_and_goes_on_with_what_is_approved(scene):
    one, two = scene.approve(scene.propose(*TWO)), scene.propose(FIVE[0], FIVE[1])
    scene.crash = Deaths(3, "before")
    with pytest.raises(Crash):
        scene.work()
    scene.restart()
    scene.approve(two)
    scene.work()
    assert scene.run(one.id).status == "paused"
    assert scene.run(two.id).status == "succeeded"


def test_a_step_begun_in_a_run_that_is_cancelled_is_still_found_out(scene):
    run = scene.approve(scene.propose(*TWO))
    scene.crash = Deaths(3, "before")  # the effect is there, not its record
    with pytest.raises(Crash):
        scene.work()
    scene.restart()
    scene.executor.recover()
    scene.steer(run, "cancel")
    scene.work()
    told = scene.run(run.id)
    assert (told.status, [step.status for step in told.steps]) == ("cancelled", ["done", "cancelled"])


# ---- what runs is what was shown


def test_a_note_that_changed_after_the_approval_stops_the_plan_there(scene):
    run = scene.approve(scene.propose(*TWO))
    scene.put("a.md", "autre\n")
    scene.work()
    told = scene.run(run.id)
    assert (told.status, told.reason) == ("failed", "changed")
    assert [step.status for step in told.steps] == ["failed", "cancelled"]
    assert scene.text("a.md") == "autre\n"
    assert scene.text("b.md") == FILES["b.md"]


def test_a_tool_that_would_do_something_else_than_was_shown_does_nothing(scene):
    run = scene.approve(scene.propose(*TWO))
    shown = scene.tools["note_append"]
    scene.tools["note_append"] = dataclasses.replace(
        shown, plan=lambda args, look: shown.plan(dataclasses.replace(args, text="autre chose\n"), look)
    )
    scene.restart()
    scene.work()
    assert (scene.run(run.id).status, scene.run(run.id).reason) == ("failed", "not_as_shown")
    assert scene.notes() == FILES


def test_a_tool_that_is_gone_fails_its_step(scene):
    run = scene.approve(scene.propose(*TWO))
    del scene.tools["note_append"]
    scene.restart()
    scene.work()
    assert (scene.run(run.id).status, scene.run(run.id).reason) == ("failed", "no_tool")


def test_law_5_a_step_whose_proof_fails_is_not_done(scene):
    run = scene.approve(scene.propose(*TWO))
    spoilt(scene, apply=lambda args, hands, effects, key: None)
    scene.work()
    told = scene.run(run.id)
    assert (told.status, told.reason) == ("partially_succeeded", "unproved")
    assert (told.steps[0].status, told.steps[0].verified) == ("failed", False)


def test_a_step_that_cannot_prove_anything_is_done_without_proof_and_says_so(scene):
    scene.tools["note_append"] = dataclasses.replace(scene.tools["note_append"], verify=None)
    scene.restart()
    run = scene.approve(scene.propose(*TWO))
    scene.work()
    told = scene.run(run.id)
    assert told.status == "succeeded"
    assert [step.verified for step in told.steps] == [None, None]
    assert "aucune" in told.steps[0].shows[4]


def test_a_step_that_stops_half_way_says_what_it_left_and_undo_brings_it_back(scene, monkeypatch):
    run = scene.propose(FIVE[2], FIVE[0])
    run = scene.approve(run)
    real = Hands.carry

    def carry(hands, change, **how):
        if change.path == "e.md":
            raise StepFailed(change.path)
        real(hands, change, **how)

    with monkeypatch.context() as patch:
        patch.setattr(Hands, "carry", carry)
        scene.work()
    told = scene.run(run.id)
    assert (told.status, told.steps[0].reason) == ("partially_succeeded", "partly")
    assert set(told.steps[0].after) == {"a.md", "Archives/a2.md", "b.md"}
    scene.steer(run, "undo")
    scene.work()
    assert scene.notes() == FILES


def test_a_vault_that_is_busy_for_a_moment_fails_nothing(scene):
    run = scene.approve(scene.propose(*TWO))
    real, left = scene.tools["note_append"].apply, [1]

    def apply(args, hands, effects, key):
        left[0] -= 1
        if left[0] == 0:
            raise VaultBusy(1.0)
        real(args, hands, effects, key)

    spoilt(scene, apply=apply)
    with pytest.raises(VaultBusy):
        scene.work()
    scene.work()
    assert scene.run(run.id).status == "succeeded"
    assert scene.text("a.md") == "un\n\nx\n"


def test_a_step_that_never_comes_to_an_end_pauses_the_run(scene):
    run = scene.approve(scene.propose(*TWO))

    def apply(args, hands, effects, key):
        raise VaultBusy(1.0)

    spoilt(scene, apply=apply)
    for _ in range(20):
        try:
            scene.work()
        except VaultBusy:
            continue
    told = scene.run(run.id)
    assert (told.status, told.reason) == ("paused", "stuck")


@tool("outside_ping", NoteGone, inverse=None, verify=None, effect="external", domain="external")
def outside_ping(args, look):
    """Leaves the vault."""
    return Effects(says="read")


@pytest.mark.parametrize("proves", [True, False])
def test_an_effect_outside_the_vault_is_not_done_again_on_a_guess(scene, proves):
    told = []
    scene.tools["outside_ping"] = dataclasses.replace(
        outside_ping,
        apply=lambda args, hands, effects, key: told.append(key),
        verify=(lambda args, look, effects, key: key in told) if proves else None,
    )
    scene.restart()
    scene.happen(lambda work: work.emit("level.set", domain="external", level=1))
    asked = scene.propose(("outside_ping", {"path": "x"}))
    scene.happen(lambda work: work.emit("plan.approved", id=asked.id, left_out=[], how="code"))
    scene.crash = lambda op, when: die() if (op, when) == ("step.done", "before") else None
    with pytest.raises(Crash):
        scene.work()
    scene.restart()
    scene.work()
    scene.steer(asked, "resume")
    scene.work()
    status = "succeeded" if proves else "awaiting_approval"
    assert (scene.run(asked.id).status, len(told)) == (status, 1)


def die():
    raise Crash


def test_law_5_no_line_of_the_register_makes_a_run_succeed_without_proof(scene):
    run = scene.approve(scene.propose(*TWO))
    scene.executor.advance()

    def forge(work: Work) -> None:
        work.emit("run.ended", id=run.id, status="succeeded", reason="")
        work.emit("step.done", id=run.id, step=run.steps[0].id, verified=True, after={}, inverse=None)

    before = scene.run(run.id)
    scene.happen(forge)
    assert scene.run(run.id) == before


@pytest.mark.parametrize("verified", [False, None, "yes", 1])
def test_law_5_a_step_is_done_by_nothing_but_its_proof(scene, verified):
    run = scene.approve(scene.propose(*TWO))
    step = run.steps[0].id

    def claim(work: Work) -> None:
        work.emit("run.started", id=run.id)
        work.emit("step.started", id=run.id, step=step, key="k", before={})
        work.emit("step.done", id=run.id, step=step, verified=verified, after={}, inverse=None)

    scene.happen(claim)
    assert scene.run(run.id).steps[0].status == "running"


def test_verify_is_the_tools_own(scene):
    assert scene.tools["note_append"].verify is holds
