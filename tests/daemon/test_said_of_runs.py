"""What notes, journal and commands say of a run is what happened: undone in part, by command or tick, by whom."""

import json
import re
from datetime import UTC, datetime, timedelta

import pytest

from config.paths import NAMES
from daemon.tools.hands import Hands
from daemon.vault.errors import Unwritable
from tests import claims
from tests.asking import asked
from tests.asking import cli as called
from tests.home import Clock, Home
from tests.planned import (
    APPEND,
    CREATE,
    DELETE,
    FILES,
    approved,
    as_given,
    evidence,
    lines,
    note,
    notes,
    propose,
    raw,
    run_of,
    steer,
    tick,
    type_code,
    where,
    work,
)

TWO = (APPEND, ("note_append", {"path": "Boîte/c.md", "text": "aussi"}))


@pytest.fixture
def home(vault) -> Home:
    """A vault at rest since an hour ago: the commands run at the real time."""
    made = vault(files=FILES, clock=Clock(datetime.now(UTC) - timedelta(hours=1)))
    made.rest()
    return made


def journal(home: Home) -> str:
    return home.text(NAMES.journal)


def test_an_undo_in_part_is_told_as_one_everywhere_and_a_second_takes_back_the_rest(home):
    run = approved(home, *TWO)
    left = home.text("Boîte/a.md")
    home.put("Boîte/a.md", "retouchée\n")
    home.rest()
    run = steer(home, run, "undo")
    claims.check(home, run.id, touched=["Boîte/a.md", "Boîte/c.md"])
    assert "défait en partie (étapes 2)" in note(home, run)
    assert f"^undo-{run.transition}" in note(home, run)
    assert "Plan défait en partie (étapes 2)" in journal(home)
    assert "Plan défait\u00a0:" not in journal(home)
    assert "défait en partie par le run" in called(home, "show", run.id)[1]
    home.put("Boîte/a.md", left)
    home.rest()
    run = steer(home, run, "undo")
    claims.check(home, run.id, touched=["Boîte/a.md", "Boîte/c.md"])
    assert notes(home) == as_given()
    assert "^undo-" not in note(home, run)
    assert f"annulé par le run {run.undone_by}" in note(home, run)
    assert "Plan défait\u00a0:" in journal(home)
    before = home.export()
    home.drop_index()
    home.app.pipeline.rebuild()
    assert home.export() == before


def test_what_cannot_be_undone_says_why(home):
    run = approved(home, *TWO)
    back = asked(home, "undo", run.id)["id"]
    code, out, err = called(home, "undo", run.id)
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert f"déjà défait, par le run {back}" in err
    assert "une annulation ne se défait pas" in called(home, "undo", back)[2]
    waits = propose(home, *TWO)
    asked(home, "cancel", waits.id)
    assert "n'a rien fait" in called(home, "undo", waits.id)[2]


def test_a_control_given_by_a_command_is_not_said_to_be_ticked(home):
    run = approved(home, *TWO)
    asked(home, "undo", run.id)
    home.rest()
    assert "demandé par une commande" in "\n".join(evidence(home, run))
    assert "cochée : Annuler" not in "\n".join(evidence(home, run))
    (used,) = lines(home, "control.used")
    assert used.body["how"] == "command"
    other = steer(home, approved(home, CREATE, *TWO), "undo")
    assert "demande cochée" in "\n".join(evidence(home, other))


def test_a_plan_that_came_as_a_note_is_said_to_be_by_a_note_and_one_of_a_program_by_a_command(home):
    text = f"---\nclavaire: plan\n---\n# Ranger\n\n```json\n{json.dumps(raw(*TWO))}\n```\n"
    home.put(f"{NAMES.plans}/Le mien.md", text)
    home.rest()
    (run,) = home.app.pipeline.runs.runs.values()
    assert "plan proposé par une note du dossier des plans" in "\n".join(evidence(home, run))
    assert " · une note du dossier des plans" in journal(home)
    path = home.folder / "plan.json"
    path.write_text(json.dumps(raw(*TWO)), "utf-8")
    told = asked(home, "plan", str(path))
    home.rest()
    run = run_of(home, told["id"])
    assert "plan proposé par une commande hors d'un terminal" in "\n".join(evidence(home, run))
    back = asked(home, "undo", approved(home, *TWO).id)["id"]
    home.rest()
    assert "plan proposé par annulation" in "\n".join(evidence(home, run_of(home, back)))


def test_the_times_of_a_plan_do_not_run_backwards_when_the_clock_does(home):
    home.clock.advance(minutes=5)
    home.app.pipeline.happen(lambda work: work.emit("code.unblocked"))
    home.clock.advance(minutes=-2)
    run = propose(home, *TWO)
    times = re.findall(r"^- ([\d:]+) ", "\n".join(evidence(home, run)), re.MULTILINE)
    assert len(times) == 2
    assert times == sorted(times)
    assert note(home, run).count("plan montré") == 1


def test_a_tick_without_its_code_says_what_to_run_in_the_note_and_the_journal(home):
    run = propose(home, DELETE)
    tick(home, run)
    work(home, passes=2)
    type_code(home, where(home, run), "123456")
    work(home, passes=2)
    assert len(lines(home, "code.missing")) == 1
    assert f"lancez clavaire code {run.id}" in "\n".join(evidence(home, run))
    home.rest()
    assert f"lancez clavaire code {run.id}" in journal(home)
    assert (run_of(home, run).status, "123456" in note(home, run)) == ("awaiting_approval", False)


def test_a_full_disk_pauses_the_run_and_resume_carries_on(home, monkeypatch):
    def carry(hands, change, **how):
        raise Unwritable(change.path, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Hands, "carry", carry)
        run = approved(home, *TWO)
    assert (run.status, notes(home)) == ("paused", as_given())
    assert "le disque refuse d'écrire" in note(home, run)
    claims.check(home, run.id)
    assert steer(home, run, "resume").status == "succeeded"
    claims.check(home, run.id)


STRICT = {
    "a name twice": '{"title": "x", "title": "y", "steps": []}',
    "a name twice in a step": '{"title": "x", "steps": [{"tool": "note_trash", "tool": "note_append", "args": {}}]}',
    "a float": '{"title": "x", "steps": [{"tool": "note_append", "args": {"n": 0.5}}]}',
    "no number": '{"title": "x", "steps": [{"tool": "note_append", "args": {"n": NaN}}]}',
}


@pytest.mark.parametrize("what", STRICT)
def test_a_plan_file_is_read_as_strictly_as_a_plan_note(home, what):
    path = home.folder / "plan.json"
    path.write_text(STRICT[what], "utf-8")
    code, out, err = called(home, "plan", str(path))
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert "deux fois le même nom" in err
    assert lines(home, "plan.proposed") == []


def test_a_folder_is_no_plan_file(home):
    code, _, err = called(home, "plan", str(home.folder))
    assert (code, "est un dossier" in err) == (2, True)


FLOOR = ("payment", "send", "permanent_delete", "security_change", "commitment")


@pytest.mark.parametrize("word", FLOOR)
def test_what_is_on_the_floor_by_name_is_refused_by_command_and_in_the_note(home, word):
    code, _, err = called(home, "delegate", f"{word} · niveau 3")
    assert (code, "ne se délègue pas" in err) == (2, True)
    home.replace(
        "<!-- clavaire:end delegations -->",
        f"- {word} · niveau 3 · origine mcp:x\n<!-- clavaire:end delegations -->",
        NAMES.autonomy,
    )
    home.rest()
    assert lines(home, "delegation.asked") == []
    assert "delegation_floor" in [one["code"] for one in asked(home, "status")["problems"]]


def test_lines_of_autonomy_that_are_not_understood_are_told_each_with_its_own_example(home):
    home.replace(
        "<!-- clavaire:end levels -->", "- n'importe quoi\n<!-- clavaire:end levels -->", NAMES.autonomy
    )
    home.replace(
        "<!-- clavaire:end delegations -->",
        "- Coffre · niveau trois\n<!-- clavaire:end delegations -->",
        NAMES.autonomy,
    )
    home.rest()
    found = [one for one in asked(home, "status")["problems"] if one["path"] == NAMES.autonomy]
    assert sorted(one["code"] for one in found) == ["autonomy_line_unreadable", "level_line_unreadable"]
