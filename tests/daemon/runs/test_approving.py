"""What makes a tick count: a plan that waits, in time, on what was shown, from notes that have not changed."""

from datetime import timedelta

import pytest

from daemon.runs.deciding import next_expiry, take
from parsers.model.places import NotePath
from parsers.model.run_edits import Approve, CodeShown, Moved, Refuse, Steer, Unblock
from tests.daemon.runs.scene import AGENT, SECRET, Scene, code_of

TWO = (
    ("note_append", {"path": "a.md", "text": "deux\n"}),
    ("note_create", {"path": "c.md", "text": "trois\n"}),
)
THREE = (*TWO, ("note_append", {"path": "c.md", "text": "quatre\n"}))
DELETE = ("note_delete", {"path": "a.md"})
FILES = {"a.md": "un\n", "b.md": "beta\n"}


@pytest.fixture
def scene(tmp_path):
    return Scene(tmp_path, FILES)


def code(scene, run, *out):
    return code_of(SECRET, scene.run(run.id).digest, out)


def wrong(right, number=1):
    return f"{(int(right) + number) % 1_000_000:06d}"


def test_a_tick_on_what_was_shown_runs_the_plan(scene):
    run = scene.approve(scene.propose(*TWO))
    assert (run.status, run.approved_how) == ("approved", "tick")
    scene.work()
    assert scene.run(run.id).status == "succeeded"
    assert scene.text("a.md") == "un\n\ndeux\n"


def test_nothing_happens_before_approval(scene):
    scene.propose(*TWO)
    scene.work()
    assert scene.notes() == FILES


def test_c12_content_that_changed_since_is_shown_again_under_a_new_digest(scene):
    run = scene.propose(*TWO)
    tick = scene.ticked(run, digest="0" * 64)
    scene.take(tick)
    again = scene.run(run.id)
    assert again.status == "awaiting_approval"
    assert again.digest != run.digest
    body = next(record.body for record in scene.records if record.op == "plan.reshown")
    assert (body["was"], body["found"], body["cause"]) == (run.digest, "0" * 64, "content")
    scene.take(scene.ticked(run))  # the old tick, on the old digest
    scene.work()
    assert scene.notes() == FILES
    assert scene.approve(scene.run(run.id)).status == "approved"


def test_c12_other_words_in_the_steps_make_a_tick_worthless(scene):
    run = scene.approve(scene.propose(*TWO), shown="f" * 64)
    assert run.status == "awaiting_approval"


def test_c12_an_input_that_changed_since_is_planned_and_shown_again(scene):
    run = scene.propose(*TWO)
    scene.put("a.md", "autre\n")
    again = scene.approve(run)
    assert again.status == "awaiting_approval"
    assert again.steps[0].expects != run.steps[0].expects
    assert "autre" in "\n".join(again.steps[0].shows)
    scene.approve(again)
    scene.work()
    assert scene.text("a.md") == "autre\n\ndeux\n"


def test_an_input_nobody_looked_at_is_not_as_it_was(scene):
    assert scene.approve(scene.propose(*TWO), inputs=()).status == "awaiting_approval"


def test_a_note_that_an_earlier_step_makes_is_no_input_of_a_later_one(scene):
    run = scene.propose(*THREE)
    assert [(one.path, one.etag != "") for one in run.inputs] == [("a.md", True), ("c.md", False)]
    assert run.steps[2].needs == (run.steps[1].id,)


def test_a_step_that_cannot_be_done_any_more_says_so_and_does_not_run(scene):
    run = scene.propose(*TWO)
    scene.put("c.md", "déjà là\n")
    again = scene.approve(run)
    assert "ne peut plus" in again.steps[1].shows[1]
    scene.approve(again)
    scene.work()
    assert scene.run(run.id).status == "partially_succeeded"
    assert scene.notes() == {"a.md": "un\n\ndeux\n", "b.md": "beta\n", "c.md": "déjà là\n"}


def test_what_the_policy_refuses_meanwhile_is_refused_when_shown_again(scene):
    run = scene.propose(*TWO)
    scene.happen(lambda work: work.emit("level.set", domain="vault", level=0))
    scene.put("a.md", "autre\n")
    assert scene.approve(run).status == "refused"


def test_leaving_a_step_out_leaves_out_those_that_need_it(scene):
    run = scene.propose(*THREE)
    run = scene.approve(run, run.steps[1].id)
    assert [step.status for step in run.steps] == ["waiting", "left_out", "left_out"]
    scene.work()
    assert scene.run(run.id).status == "succeeded"
    assert scene.notes() == {"a.md": "un\n\ndeux\n", "b.md": "beta\n"}


def test_leaving_every_step_out_is_no_approval(scene):
    run = scene.propose(*TWO)
    run = scene.approve(run, *(step.id for step in run.steps))
    assert (run.status, run.reason) == ("cancelled", "nothing_left")


@pytest.mark.parametrize("reason", ["", "pas ce mois-ci"])
def test_refusing_runs_nothing_and_keeps_the_reason(scene, reason):
    run = scene.propose(*TWO)
    scene.take(Refuse(run.id, reason), scene.ticked(run))
    scene.work()
    run = scene.run(run.id)
    assert (run.status, run.reason) == ("cancelled", reason or "refused")
    assert scene.notes() == FILES


def test_a_tick_given_twice_approves_once(scene):
    run = scene.propose(*TWO)
    scene.take(scene.ticked(run), scene.ticked(run))
    scene.work()
    scene.take(scene.ticked(run))
    scene.work()
    assert scene.ops("plan.approved") == ["plan.approved"]
    assert scene.text("a.md") == "un\n\ndeux\n"


def test_a_tick_replayed_after_undo_starts_nothing(scene):
    run = scene.propose(*TWO)
    tick = scene.ticked(run)
    scene.take(tick)
    scene.work()
    scene.steer(run, "undo")
    scene.work()
    assert scene.notes() == FILES
    scene.take(tick)
    scene.work()
    assert scene.notes() == FILES


def test_c13_no_tool_approves(scene):
    run = scene.approve(scene.propose(*TWO), how="api")
    assert run.status == "awaiting_approval"
    assert scene.ops("action.") == ["action.refused"]
    assert [card.kind for card in scene.state.open_cards()] == ["forged"]


def test_a_note_that_moved_is_shown_again_there_and_its_tick_is_worthless(scene):
    run = scene.propose(*TWO)
    scene.take(Moved(run.id, NotePath("99_Assistant/Plans/autre.md")), scene.ticked(run))
    moved = scene.run(run.id)
    assert (moved.status, moved.path) == ("awaiting_approval", "99_Assistant/Plans/autre.md")
    scene.take(scene.ticked(run))
    assert scene.run(run.id).status == "awaiting_approval"
    assert scene.run(run.id).digest == moved.digest  # a tick that is known to be old changes nothing
    assert scene.approve(moved).status == "approved"


# ---- expiry


def test_c16_nobody_ticks_in_time_and_a_late_tick_starts_nothing(scene):
    run = scene.propose(*TWO)
    assert next_expiry(scene.runs) == scene.time + timedelta(days=7)
    scene.time += timedelta(days=7, seconds=-1)
    scene.take()
    assert scene.run(run.id).status == "awaiting_approval"
    scene.time += timedelta(seconds=1)
    scene.take()
    assert scene.run(run.id).status == "expired"
    scene.take(scene.ticked(run))
    scene.work()
    assert scene.notes() == FILES
    assert "plan.approved" not in scene.ops()
    assert next_expiry(scene.runs) is None


def test_c16_a_tick_that_is_read_after_the_moment_expires_the_plan(scene):
    run = scene.propose(*TWO)
    scene.time += timedelta(days=8)
    scene.happen(lambda work: take(work, scene.ticked(run)))
    assert scene.run(run.id).status == "expired"


def test_a_run_that_was_approved_in_time_does_not_expire(scene):
    run = scene.approve(scene.propose(*TWO))
    scene.time += timedelta(days=30)
    scene.take()
    scene.work()
    assert scene.run(run.id).status == "succeeded"


# ---- codes


@pytest.mark.parametrize("how", ["tick", "terminal"])
def test_a_reinforced_approval_needs_the_code_from_a_terminal(scene, how):
    run = scene.propose(DELETE)
    assert run.approval == "reinforced_approval"
    assert scene.approve(run, how=how).status == "awaiting_approval"
    assert scene.approve(run, how=how, code=code(scene, run)).status == "awaiting_approval"
    scene.take(CodeShown(run.id))
    run = scene.approve(run, how=how, code=code(scene, run))
    assert (run.status, run.approved_how) == ("approved", "code")
    assert "code.wrong" not in scene.ops()
    scene.work()
    assert scene.text("a.md") is None


def test_a_tick_without_its_code_says_once_that_one_is_missing(scene):
    run = scene.propose(DELETE)
    scene.approve(run)
    scene.approve(run)
    scene.approve(run, code=code(scene, run))  # none was shown: right or wrong, it is the same
    assert scene.ops("code.") == ["code.missing"]
    assert scene.run(run.id).evidence[-1].what == "code_missing"
    scene.take(CodeShown(run.id))
    scene.approve(run)
    assert scene.ops("code.") == ["code.missing", "code.shown", "code.missing"]
    assert scene.approve(run, code=code(scene, run)).status == "approved"


def test_a_code_is_good_for_a_quarter_of_an_hour(scene):
    run = scene.propose(DELETE)
    scene.take(CodeShown(run.id))
    scene.time += timedelta(minutes=15, seconds=1)
    assert scene.approve(run, code=code(scene, run)).status == "awaiting_approval"


def test_a_code_is_for_the_steps_that_were_left_out_when_it_was_shown(scene):
    run = scene.propose(DELETE, ("note_append", {"path": "b.md", "text": "x\n"}))
    out = run.steps[1].id
    scene.take(CodeShown(run.id))
    assert scene.approve(run, out, code=code(scene, run)).status == "awaiting_approval"
    scene.take(CodeShown(run.id, (out,)))
    assert scene.approve(run, out, code=code(scene, run, out)).status == "approved"


def test_a_code_of_another_run_or_of_the_plan_before_it_was_shown_again_is_wrong(scene):
    one, other = scene.propose(DELETE), scene.propose(("note_delete", {"path": "b.md"}))
    scene.take(CodeShown(one.id), CodeShown(other.id))
    assert scene.approve(one, code=code(scene, other)).status == "awaiting_approval"
    before = code(scene, one)
    scene.approve(one, digest="0" * 64)
    assert scene.approve(scene.run(one.id), code=before).status == "awaiting_approval"


def test_five_wrong_codes_cancel_the_run(scene):
    run = scene.propose(DELETE)
    scene.take(CodeShown(run.id))
    for number in range(1, 6):
        scene.approve(run, code=wrong(code(scene, run), number))
        scene.approve(run, code=wrong(code(scene, run), number))  # read again: the same try
    run = scene.run(run.id)
    assert (run.status, run.reason, run.wrong_codes) == ("cancelled", "codes", 5)
    assert [card.kind for card in scene.state.open_cards()] == ["codes"]


def test_ten_wrong_codes_in_a_day_block_every_code_until_unblocked(scene):
    for _ in range(2):  # proposing again does not help to guess
        run = scene.propose(DELETE)
        scene.take(CodeShown(run.id))
        for number in range(1, 6):
            scene.approve(run, code=wrong(code(scene, run), number))
    assert scene.runs.codes.blocked
    run = scene.propose(DELETE)
    scene.take(CodeShown(run.id))
    assert scene.approve(run, code=code(scene, run)).status == "awaiting_approval"
    scene.take(Unblock(), CodeShown(run.id))
    assert scene.approve(run, code=code(scene, run)).status == "approved"


def test_with_every_code_an_ordinary_plan_needs_one_too(scene):
    scene.every_code = True
    run = scene.propose(*TWO)
    assert scene.approve(run).status == "awaiting_approval"
    scene.take(CodeShown(run.id))
    assert scene.approve(run, code=code(scene, run)).status == "approved"


# ---- controls


def test_a_control_of_another_transition_does_nothing(scene):
    run = scene.approve(scene.propose(*TWO))
    scene.take(Steer(run.id, "cancel", run.transition - 1), Steer(run.id, "cancel", run.transition - 1))
    assert scene.run(run.id) == scene.run(run.id)
    assert scene.run(run.id).status == "approved"
    assert [one.what for one in scene.run(run.id).evidence].count("control_stale") == 1
    assert scene.run(run.id).transition == run.transition


def test_an_undo_ticked_twice_undoes_once(scene):
    run = scene.approve(scene.propose(*TWO))
    scene.work()
    tick = Steer(run.id, "undo", scene.run(run.id).transition)
    scene.take(tick, tick)
    scene.work()
    scene.take(tick)
    scene.work()
    assert [one.kind for one in scene.runs.runs.values()] == ["plan", "undo"]


def test_a_command_means_the_present_and_may_cancel_what_waits(scene):
    run = scene.propose(*TWO)
    scene.take(Steer(run.id, "resume", None))
    assert scene.run(run.id) == run
    assert scene.run(run.id).evidence[-1].what != "control_command"
    scene.take(Steer(run.id, "cancel", None))
    assert scene.run(run.id).evidence[-2].what == "control_command"
    assert scene.run(run.id).status == "cancelled"


def test_an_agent_may_stop_a_run_but_not_resume_or_undo_it(scene):
    run = scene.approve(scene.propose(*TWO))
    scene.steer(run, "pause", AGENT)
    scene.steer(run, "resume", AGENT)
    assert scene.run(run.id).status == "paused"
    scene.steer(run, "resume")
    scene.work()
    scene.take(Steer(run.id, "undo", None, AGENT))
    assert len(scene.runs.runs) == 1


def test_edits_about_a_run_nobody_knows_change_nothing(scene):
    scene.take(
        Approve("r-nobody00", "tick", (), "", "", ()),
        Refuse("r-nobody00", ""),
        Steer("r-nobody00", "undo", 1),
        Moved("r-nobody00", NotePath("x.md")),
        CodeShown("r-nobody00"),
    )
    assert scene.records == []
