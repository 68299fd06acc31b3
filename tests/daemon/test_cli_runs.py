"""Commands of runs and of permission: what they print, what they ask, and what they never do without a person."""

import json
import re
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from typing import get_args

import pytest

from config.paths import NAMES
from daemon import acting
from daemon.cli import runs as commands
from daemon.planning import Client
from parsers.model.run_edits import Approve
from parsers.model.runs import RunStatus
from tests.asking import asked
from tests.asking import cli as called
from tests.home import Clock, Home
from tests.planned import (
    AGENT,
    APPEND,
    CLIENT,
    CREATE,
    DELETE,
    FILES,
    approved,
    as_given,
    box,
    evidence,
    lines,
    note,
    notes,
    propose,
    raw,
    run_of,
    tick,
    type_code,
    where,
    work,
)
from tests.terminal import typed

TWO = (APPEND, ("note_append", {"path": "Boîte/c.md", "text": "aussi"}))


@pytest.fixture
def home(vault) -> Home:
    """A vault at rest since an hour ago: the commands run at the real time."""
    made = vault(files=FILES, clock=Clock(datetime.now(UTC) - timedelta(hours=1)))
    made.rest()
    return made


def file(home: Home, *steps, title: str = "Ranger") -> str:
    path = home.folder / "plan.json"
    path.write_text(json.dumps(raw(*steps, title=title)), "utf-8")
    return str(path)


def fresh(home: Home) -> None:
    """Let the vault of this process know what the commands did."""
    with home.app.vault.locked():
        home.app.history.catch_up()


# ---- plan


def test_a_plan_of_an_agent_waits_in_its_note_and_says_what_to_do(home):
    told = asked(home, "plan", file(home, *TWO), "--as", AGENT)
    fresh(home)
    run = run_of(home, told["id"])
    assert told == {"id": run.id, "status": "awaiting_approval", "path": run.path, "executing": False}
    assert (run.origin, run.instruction, run.keyed) == (AGENT, AGENT, False)
    code, out, err = called(home, "plan", file(home, *TWO, title="Autre"), "--as", AGENT)
    assert (code, err) == (0, "")
    assert "Personne n'exécute" in out
    assert notes(home) == as_given()


def test_a_plan_without_a_terminal_is_the_vaults_and_never_the_persons(home):
    told = asked(home, "plan", file(home, APPEND))
    fresh(home)
    run = run_of(home, told["id"])
    assert (run.origin, run.instruction, run.keyed) == ("person", "vault", False)
    assert run.status == "awaiting_approval"


def test_one_undoable_write_typed_on_a_terminal_is_done_at_once(home):
    code, shown = typed(home, "--json", "plan", file(home, APPEND))
    told = json.loads(shown)
    assert (code, told["status"]) == (0, "succeeded")
    assert "ajouté" in home.text("Boîte/a.md")


def test_a_plan_typed_in_on_a_terminal_is_the_persons_own(home):
    code, shown = typed(home, "plan", "-", keys=json.dumps(raw(APPEND)) + "\n\x04")
    assert code == 0, shown
    assert "ajouté" in home.text("Boîte/a.md")


def test_as_on_a_terminal_is_a_client_with_its_key(home):
    _, shown = typed(home, "--json", "plan", file(home, *TWO), "--as", AGENT)
    fresh(home)
    run = run_of(home, json.loads(shown)["id"])
    assert (run.origin, run.instruction, run.keyed) == (AGENT, AGENT, True)


def test_what_is_piped_in_is_no_command_of_the_persons_even_beside_a_terminal(home):
    _, shown = typed(home, "--json", "plan", "-", piped=json.dumps(raw(APPEND)))
    fresh(home)
    assert run_of(home, json.loads(shown)["id"]).instruction == "vault"
    assert notes(home) == as_given()


def test_a_plan_the_policy_refuses_ends_with_3_and_one_sentence_with_the_rule(home):
    bad = file(home, ("note_append", {"path": NAMES.profile, "text": "- x"}))
    code, out, err = called(home, "plan", bad, "--as", AGENT)
    assert (code, out, len(err.splitlines())) == (3, "", 1)
    assert "règle 1 " in err
    code, out, _ = called(home, "--json", "plan", bad, "--as", AGENT)
    told = json.loads(out)
    assert (code, told["status"], told["rule"]) == (3, "refused", 1)
    fresh(home)
    assert not [path for path in home.full(NAMES.plans).glob("*") if path.suffix == ".md"]


def test_sync_counts_what_it_carried_out_and_the_notes_that_steps_wrote(home):
    run = propose(home, *TWO)
    tick(home, run)
    told = asked(home, "sync")
    fresh(home)
    assert run_of(home, run).status == "succeeded"
    wrote = {path for step in run_of(home, run).steps for path, etag in step.after.items() if etag}
    assert wrote
    assert wrote | {where(home, run), NAMES.journal} <= set(told["written"])
    done = [one.op for one in home.records() if one.op in ("plan.approved", "step.done", "run.started")]
    assert told["events"] >= len(done) >= 4
    code, out, _ = called(home, "sync")
    assert (code, out.startswith("0 événements, 0 notes")) == (0, True)


NO_PLAN = {
    "no JSON": "{",
    "no object": "[]",
    "no steps": '{"title": "x", "steps": []}',
    "no tool": '{"title": "x", "steps": [{"tool": "rm_rf", "args": {}}]}',
    "too deep": "[" * 100_000,
    "a tool of nobody's to propose": '{"title": "x", "steps": [{"tool": "note_restore", "args": {}}]}',
}


@pytest.mark.parametrize("what", NO_PLAN)
def test_what_is_no_plan_is_said_in_one_sentence_and_leaves_nothing(home, what):
    path = home.folder / "plan.json"
    path.write_text(NO_PLAN[what], "utf-8")
    code, out, err = called(home, "plan", str(path))
    assert (code, out, len(err.splitlines())) == (2, "", 1), err
    assert asked(home, "runs") == []


# ---- looking


def test_runs_lists_every_run_the_oldest_first_and_by_status_and_origin(home):
    first = approved(home, APPEND)
    home.clock.advance(minutes=1)
    second = propose(home, *TWO, client=Client("http"))
    found = asked(home, "runs")
    assert [one["id"] for one in found] == [first.id, second.id]
    assert [one["id"] for one in asked(home, "runs", "--status", "succeeded")] == [first.id]
    assert [one["id"] for one in asked(home, "runs", "--origin", "http")] == [second.id]
    code, out, _ = called(home, "runs")
    assert (code, len(out.splitlines())) == (0, 2)


def test_the_statuses_that_can_be_asked_for_are_those_of_a_run():
    assert set(commands._STATUSES.choices) == set(get_args(RunStatus))


def test_show_says_what_the_note_says(home):
    run = approved(home, APPEND)
    _, out, _ = called(home, "show", run.id)
    for line in evidence(home, run):
        assert re.sub(r" \^ev-\d+$", "", line) in out
    told = asked(home, "show", f"^{run.id}")
    assert (told["id"], told["status"], told["steps"][0]["verified"]) == (run.id, "succeeded", True)


def test_explain_prints_the_rule_of_each_step_and_the_facts_it_used(home):
    run = propose(home, APPEND, DELETE)
    found = asked(home, "explain", run.id)
    assert [(one["number"], one["tool"], one["rule"]) for one in found] == [
        (1, "note_append", run.steps[0].rule),
        (2, "note_delete", 8),
    ]
    assert all(one["facts"] and one["sentence"] for one in found)
    assert asked(home, "explain", run.id, "2") == found[1:]
    assert asked(home, "explain", run.id, run.steps[0].id) == found[:1]
    assert called(home, "explain", run.id, "3")[0] == 2
    assert "règle 8 : " in called(home, "explain", run.id)[1]


def test_explain_of_a_refused_plan_says_nothing_of_the_steps_that_were_not_refused(home):
    run = propose(home, APPEND, ("note_append", {"path": NAMES.profile, "text": "x"}))
    (only,) = asked(home, "explain", run.id)
    assert (only["number"], only["decision"], only["rule"]) == (2, "refused", 1)


# ---- approving on a terminal


def test_approve_carries_out_what_was_shown_and_nothing_before_the_answer(home):
    run = propose(home, *TWO)
    code, shown = typed(home, "approve", run.id, keys="non\n")
    assert (code, notes(home)) == (3, as_given())
    ahead, asks, _ = shown.partition("Approuver ? [o/N]")
    assert asks
    assert "Boîte/a.md" in ahead
    assert "Boîte/c.md" in ahead
    code, shown = typed(home, "--json", "approve", run.id, keys="o\n")
    assert code == 0, shown
    fresh(home)
    assert (run_of(home, run).status, run_of(home, run).approved_how) == ("succeeded", "terminal")
    assert "aussi" in home.text("Boîte/c.md")


def test_a_step_struck_out_in_the_note_is_left_out_on_the_terminal_too(home):
    run = propose(home, *TWO)
    tick(home, run, run.steps[0].id)
    code, shown = typed(home, "approve", run.id, keys="y\n")
    assert code == 0, shown
    assert "laissées de côté : 1" in shown
    assert home.text("Boîte/a.md") == FILES["Boîte/a.md"]
    assert "aussi" in home.text("Boîte/c.md")


def test_a_step_taken_back_in_after_the_plan_was_shown_does_not_run(home):
    run = propose(home, *TWO)
    out = (run.steps[0].id,)
    acting.approve(home.app, run, out, None)  # the note strikes nothing out by now
    assert home.text("Boîte/a.md") == FILES["Boîte/a.md"]


def test_reinforced_approval_needs_the_code_that_the_terminal_showed(home):
    run = propose(home, DELETE)
    code, shown = typed(home, "approve", run.id)
    assert (code, f"clavaire code {run.id}" in shown) == (2, True)
    code, shown = typed(home, "approve", run.id, "--code", "000000", keys="y\n")
    assert (code, "code" in shown) == (3, True)
    told = json.loads(typed(home, "--json", "code", run.id)[1])
    assert (told["id"], told["steps"], told["left_out"]) == (run.id, [run.steps[0].id], [])
    code, shown = typed(home, "approve", run.id, "--code", told["code"], keys="y\n")
    assert code == 0, shown
    assert not home.full("Boîte/b.md").exists()


def test_the_code_is_shown_with_the_steps_it_covers_and_those_left_out(home):
    run = propose(home, DELETE, APPEND)
    tick(home, run, run.steps[1].id)
    code, shown = typed(home, "code", run.id)
    assert code == 0
    assert re.match(r"\d{6}\n", shown)
    assert "15 minutes" in shown
    assert "note_delete" in shown
    assert "laissées de côté : 2" in shown


def test_no_program_reads_a_code_or_approves(home):
    run = propose(home, DELETE)
    for command in (["code", run.id], ["approve", run.id], ["code", "--unblock"], ["trust", "Seule.md"]):
        code, out, err = called(home, *command)
        assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert lines(home, "code.shown", "plan.approved", "mark.lifted", "code.unblocked") == []


def test_a_code_whose_output_goes_to_a_file_is_not_given(home):
    run = propose(home, DELETE)
    script = f"{sys.executable} -c 'from daemon.cli.main import main; main()' code {run.id} > out"
    done = subprocess.run(["sh", "-c", script], cwd=home.folder, capture_output=True, check=False)
    assert done.returncode != 0
    assert (home.folder / "out").read_bytes() == b""


def test_ten_wrong_codes_block_until_the_person_unblocks(home):
    for _ in range(2):
        run = propose(home, DELETE)
        acting.show_code(home.app, run.id)
        for number in range(5):
            _code(home, run, f"00000{number}")
    assert asked(home, "status")["codes_blocked"] is True
    assert "clavaire code --unblock" in called(home, "status")[1]
    run = propose(home, DELETE)
    assert typed(home, "code", run.id)[0] == 2
    assert typed(home, "code", "--unblock")[0] == 0
    assert asked(home, "status")["codes_blocked"] is False
    assert typed(home, "code", run.id)[0] == 0


def _code(home: Home, run, digits: str) -> None:
    one = run_of(home, run)
    acting.do(home.app, [Approve(one.id, "tick", (), one.digest, one.shown, one.inputs, digits)])


def test_a_plan_whose_note_changed_is_shown_again_instead_of_approved(home):
    run = propose(home, *TWO)
    home.put("Boîte/c.md", FILES["Boîte/c.md"] + "plus\n")
    code, shown = typed(home, "approve", run.id, keys="y\n")
    assert (code, "montré à nouveau" in shown) == (3, True)
    assert home.text("Boîte/a.md") == FILES["Boîte/a.md"]


# ---- steering


def test_cancel_ends_a_plan_that_waits(home):
    run = propose(home, *TWO)
    assert asked(home, "cancel", run.id)["status"] == "cancelled"
    code, out, err = called(home, "cancel", run.id)
    assert (code, out, len(err.splitlines())) == (2, "", 1)


def test_undo_takes_everything_back_and_says_as_which_run(home):
    run = approved(home, *TWO, CREATE)
    told = asked(home, "undo", run.id)
    assert (told["undoes"], told["status"]) == (run.id, "succeeded")
    assert notes(home) == as_given()
    assert called(home, "undo", run.id)[0] == 2


def test_resume_carries_on_here_when_no_daemon_executes(home):
    home.restart(RUNS__MAX_WRITES="1")
    run = approved(home, *TWO)
    assert run.status == "paused"
    home.environ["RUNS__MAX_WRITES"] = "50"
    told = asked(home, "resume", run.id)
    assert told["status"] == "succeeded"
    assert called(home, "pause", run.id)[0] == 2


# ---- tools, delegations


def test_tools_lists_what_a_plan_may_call_and_no_write_tool_of_ours_lacks_its_proof(home):
    found = {one["name"]: one for one in asked(home, "tools")}
    assert found["note_delete"]["flags"] == ["permanent_delete"]
    assert found["task_set"]["arguments"] == ["path", "expected_etag?", "task", "status"]
    assert called(home, "tools", "--coverage")[0] == 0
    assert asked(home, "tools", "--coverage") == []


LINE = "vault · niveau 3 · Boîte/** · origine mcp:claude-code"


def test_a_delegation_asked_for_waits_in_the_note_until_its_code_is_given(home):
    (one,) = asked(home, "delegate", LINE)["asked"]
    assert (one["status"], one["paths"], one["origins"]) == ("pending", ["Boîte/**"], [AGENT])
    assert one["id"] in home.text(NAMES.autonomy)
    assert "en attente du code" in home.text(NAMES.autonomy)
    assert asked(home, "delegate", LINE)["asked"] == []
    keyed = Client(AGENT, keyed=True)
    assert propose(home, APPEND, client=keyed).status == "awaiting_approval"
    told = json.loads(typed(home, "--json", "code", one["id"])[1])
    home.clock.now = datetime.now(UTC)
    type_code(home, NAMES.autonomy, told["code"], f"{one['id']}-code")
    work(home)
    assert [each["status"] for each in asked(home, "delegations")] == ["active"]
    assert propose(home, APPEND, client=keyed).status == "succeeded"


def _active(home: Home) -> str:
    (one,) = asked(home, "delegate", LINE)["asked"]
    home.clock.now = datetime.now(UTC)
    fresh(home)
    digits, _ = acting.show_code(home.app, one["id"])
    type_code(home, NAMES.autonomy, digits, f"{one['id']}-code")
    work(home)
    return one["id"]


def test_revoke_holds_at_once_and_the_note_says_so(home):
    name = _active(home)
    assert asked(home, "revoke", name)["status"] == "revoked"
    fresh(home)
    home.rest()
    assert [one["status"] for one in asked(home, "delegations")] == ["revoked"]
    assert f"- [ ] {LINE}" in home.text(NAMES.autonomy)
    assert propose(home, APPEND, client=Client(AGENT, keyed=True)).status == "awaiting_approval"


def test_a_revocation_by_command_that_the_note_does_not_show_yet_is_not_taken_for_a_revival(home):
    name = _active(home)
    with home.app.vault.executor():  # as while the daemon runs
        assert asked(home, "revoke", name)["status"] == "revoked"
        home.replace("# Autonomie", "# Mon autonomie", NAMES.autonomy)
        fresh(home)
        home.rest()
    (one,) = asked(home, "delegations")
    assert (one["status"], len(lines(home, "delegation.asked"))) == ("revoked", 1)
    assert f"- [ ] {LINE}" in home.text(NAMES.autonomy)
    home.replace("- [ ] vault", "- [x] vault", NAMES.autonomy)
    home.rest()
    assert len(lines(home, "delegation.asked")) == 2  # ticked again by hand: it waits for its code
    assert home.app.pipeline.runs.autonomy.active() == ()


FLOOR = {
    "a tool on the floor": "note_delete · niveau 3",
    "a tool that is none of a domain": "note_append · niveau 3",
    "a level above": "vault · niveau 4 · Boîte/**",
    "a level that lets nothing pass": "vault · niveau 2 · Boîte/**",
    "a domain without tools": "argent · niveau 3",
    "a client without a key": "vault · niveau 3 · origine mcp:?",
}


@pytest.mark.parametrize("what", FLOOR)
def test_what_cannot_be_delegated_is_an_error_that_says_why(home, what):
    code, out, err = called(home, "delegate", FLOOR[what])
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert lines(home, "delegation.asked") == []


@pytest.fixture
def mailed(home) -> Home:
    box_folder = home.folder / "boîte aux lettres"
    (box_folder / "inbox").mkdir(parents=True)
    home.restart(CONNECTORS__MAILBOX=str(box_folder))
    return home


def test_a_domain_that_only_sends_cannot_be_delegated_by_command_nor_in_the_note(mailed):
    code, _, err = called(mailed, "delegate", "mail · niveau 3")
    assert (code, "ne se délègue pas" in err) == (2, True)
    mailed.replace(
        "<!-- clavaire:end delegations -->",
        "- mail · niveau 3 · origine mcp:x\n<!-- clavaire:end delegations -->",
        NAMES.autonomy,
    )
    mailed.rest()
    assert lines(mailed, "delegation.asked") == []
    (problem,) = [one for one in asked(mailed, "status")["problems"] if one["code"] == "delegation_floor"]
    assert (problem["path"], problem["line"] > 0) == (NAMES.autonomy, True)
    assert "- mail · niveau 3 · origine mcp:x\n" in mailed.text(NAMES.autonomy)


def test_delegate_from_a_run_asks_for_its_folder_and_its_origin_and_no_more(home):
    run = approved(home, *TWO, client=Client(AGENT, keyed=True))
    (one,) = asked(home, "delegate", "--from", run.id)["asked"]
    assert (one["domain"], one["level"], one["paths"], one["origins"], one["covers"]) == (
        *("vault", 3, ["Boîte/**"], [AGENT]),
        [],
    )
    root = approved(home, ("note_append", {"path": "Seule.md", "text": "x"}))
    (other,) = asked(home, "delegate", "--from", root.id)["asked"]
    assert other["paths"] == ["*"]


def test_delegate_from_a_run_on_the_floor_says_why_not(home):
    run = propose(home, APPEND, DELETE)
    code, out, err = called(home, "delegate", "--from", run.id)
    assert (code, out) == (2, "")
    assert "note_delete" in err


# ---- the offer


def _again(home: Home, times: int, client: Client | None = None):
    keyed = client or Client(AGENT, keyed=True)
    for _ in range(times):
        approved(home, *TWO, client=keyed)
    return propose(home, *TWO, client=keyed)


def test_the_fourth_plan_of_a_shape_offers_the_line_for_it_and_the_third_does_not(home):
    _again(home, 2)
    assert home.open_cards("delegate") == []
    tick(home, list(home.app.pipeline.runs.runs.values())[-1])
    work(home)
    propose(home, *TWO, client=Client(AGENT, keyed=True))
    (card,) = home.open_cards("delegate")
    assert card.text == f"{LINE} · 20 écritures par jour"
    propose(home, *TWO, client=Client(AGENT, keyed=True))
    assert len(home.open_cards("delegate")) == 1


def test_the_card_ticked_writes_the_line_that_still_waits_for_its_code(home):
    run = _again(home, 3)
    home.tick("Boîte/**", "delegate")
    home.rest()
    (one,) = home.app.pipeline.runs.autonomy.asked.values()
    assert (one.paths, one.origins, one.status) == (("Boîte/**",), (AGENT,), "pending")
    assert f"^{one.id}-code" in home.text(NAMES.autonomy)
    assert home.open_cards("delegate") == []
    assert box(home, run, "go") == " "


def test_a_card_answered_with_leave_is_not_asked_again(home):
    _again(home, 3)
    home.tick("Boîte/**", "leave")
    home.rest()
    propose(home, *TWO, client=Client(AGENT, keyed=True))
    assert home.open_cards("delegate") == []
    assert home.app.pipeline.runs.autonomy.asked == {}


@pytest.mark.parametrize(
    "other",
    [
        {"client": CLIENT.__class__("mcp:autre", keyed=True)},
        {"steps": (CREATE, ("note_append", {"path": "Seule.md", "text": "x"}))},
        {"steps": (*TWO, DELETE)},
    ],
    ids=["another origin", "another folder and tool", "one on the floor"],
)
def test_a_plan_of_another_shape_offers_nothing(home, other):
    for _ in range(3):
        approved(home, *TWO, client=Client(AGENT, keyed=True))
    propose(home, *other.get("steps", TWO), client=other.get("client", Client(AGENT, keyed=True)))
    assert home.open_cards("delegate") == []


def test_a_client_without_its_key_is_offered_nothing(home):
    _again(home, 3, Client(AGENT, keyed=False))
    assert home.open_cards("delegate") == []


# ---- audit, trust, status, export


def test_audit_lists_what_was_refused_newest_last_without_what_was_asked(home):
    first = propose(home, ("note_append", {"path": NAMES.profile, "text": "- le code est 4711"}))
    second = propose(home, ("note_append", {"path": "../dehors.md", "text": "- le code est 4711"}))
    found = asked(home, "audit")
    assert [(one["run"], one["tool"], one["origin"], one["rule"]) for one in found] == [
        (first.id, "note_append", AGENT, 1),
        (second.id, "note_append", AGENT, 2),
    ]
    assert all(one["sentence"] for one in found)
    code, out, _ = called(home, "audit")
    assert (code, "4711" in out, "dehors" in out) == (0, False, False)


def test_trust_lifts_the_marks_of_a_note_on_a_terminal_and_says_where_they_came_from(home):
    run = approved(
        home, ("note_append", {"path": "Seule.md", "text": "Une phrase de plusieurs mots venue du dehors."})
    )
    assert run.status == "succeeded"
    fresh(home)
    marked = home.app.pipeline.runs.marks.notes.get("Seule.md")
    assert marked, "the executor marks what an agent wrote"
    code, shown = typed(home, "--json", "trust", "Seule.md")
    assert (code, json.loads(shown)["lifted"]) == (0, [AGENT])
    fresh(home)
    assert not home.app.pipeline.runs.marks.notes.get("Seule.md")
    assert json.loads(typed(home, "--json", "trust", "Seule.md")[1])["lifted"] == []
    assert typed(home, "trust", "Nulle part.md")[0] != 0


def test_trust_says_when_the_note_itself_still_says_where_it_comes_from(home):
    home.put("Clippings/x.md", "---\nsource: https://exemple.fr\n---\nTexte.\n")
    told = json.loads(typed(home, "--json", "trust", "Clippings/x.md")[1])
    assert told["declared"] == "web"
    assert "provenance: vault" in typed(home, "trust", "Clippings/x.md")[1]


def test_status_counts_what_was_asked_in_a_week_and_how_much_of_it_was_batched(vault):
    home = vault(files=FILES, clock=Clock(datetime.now(UTC) - timedelta(days=9)))
    home.rest()
    propose(home, APPEND)
    home.clock.advance(days=8)
    propose(home, *TWO)
    propose(home, APPEND)
    home.remember("Chien : Rex", "mcp:agenda", confidence=0.6)
    found = asked(home, "status")
    assert found["prompts"] == {"week": 3, "per_day": 0, "batched": 1}
    assert (found["runs"]["awaiting_approval"], found["runs"]["expired"]) == (2, 1)
    assert found["codes_blocked"] is False


def test_export_holds_runs_and_delegations_and_is_the_same_after_a_rebuild(home):
    approved(home, *TWO)
    propose(home, DELETE)
    asked(home, "delegate", LINE)
    code, out, _ = called(home, "export")
    found = json.loads(out)
    assert (code, len(found["runs"]), len(found["delegations"])) == (0, 2, 1)
    assert [one["id"] for one in found["runs"]] == sorted(one["id"] for one in found["runs"])
    home.drop_index()
    home.close()
    assert called(home, "rebuild")[0] == 0
    assert called(home, "export")[1] == out


def test_the_note_of_a_plan_is_left_to_the_process_that_executes(home):
    with home.app.vault.executor():
        told = asked(home, "plan", file(home, *TWO), "--as", AGENT)
    assert (told["status"], told["path"], told["executing"]) == ("proposed", None, True)
    fresh(home)
    home.rest()
    assert "Ranger" in note(home, run_of(home, told["id"]))


# ---- what is bounded, and what is shown of what leaves


def test_a_plan_that_is_too_large_is_refused_in_one_sentence(home):
    code, out, err = called(
        home, "plan", file(home, ("note_create", {"path": "n.md", "text": "a" * 500_000}))
    )
    assert (code, out, len(err.splitlines()), "partagez" in err) == (2, "", 1, True)


def test_the_refusal_of_a_move_names_no_private_note_that_links_to_it(home):
    home.put("Boîte/p.md", "---\nprivé: oui\n---\nvoir [[Boîte/a]]\n")
    home.rest()
    move = file(home, ("note_move", {"path": "Boîte/a.md", "to": "Boîte/z.md"}))
    code, out, err = called(home, "plan", move, "--as", AGENT)
    assert (code, "Boîte/p.md" in out + err, "Boîte/a.md" in err) == (3, False, True)
    fresh(home)
    home.rest()
    (run,) = home.app.pipeline.runs.runs.values()
    assert "Boîte/p.md" not in (note(home, run) if run.path else "")


def let_send(home: Home) -> None:
    """Raise the level of mail, with its code."""
    home.replace("<!-- clavaire:end levels -->", "- mail : 1\n<!-- clavaire:end levels -->", NAMES.autonomy)
    home.rest()
    home.clock.now = datetime.now(UTC)
    digits, _ = acting.show_code(home.app, "level-mail")
    type_code(home, NAMES.autonomy, digits, "level-mail-code")
    work(home)


def test_whoever_approves_a_mail_sees_all_that_is_sent(mailed):
    let_send(mailed)
    args = {"recipients": ["lea@example.org"], "subject": "Objet", "body": "Bonjour,\nle corps du message"}
    run = propose(mailed, ("mail_send", args))
    mailed.rest()
    shown = [
        note(mailed, run),
        called(mailed, "show", run.id)[1],
        called(mailed, "explain", run.id)[1],
        typed(mailed, "code", run.id)[1],
        typed(mailed, "approve", run.id, "--code", "000000", keys="n\n")[1],
    ]
    for text in shown:
        assert all(said in text for said in ("`lea@example.org`", "Objet", "le corps du message")), text
