"""The command line: what each command prints, where, and what it ends with (interfaces.md)."""

import contextlib
import dataclasses
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from config.paths import NAMES
from daemon.cli.main import COMMANDS, cli
from daemon.reading import canonical
from parsers.model.facts import Fact
from tests.asking import asked
from tests.asking import cli as called
from tests.home import Clock, Home
from tests.planned import propose

ROOT = Path(__file__).parents[2]
PROFILE = """Mes mots.

## Préférences
<!-- clavaire:begin preferences -->
- Thé sans sucre
<!-- clavaire:end preferences -->

## Repères
<!-- clavaire:begin facts -->
- Dentiste : Dr Petit
- Train : 7 h 12 [depuis:: 2026-09-01]
<!-- clavaire:end facts -->
"""
BREAD = {"Recettes/Pain.md": "# Pain\nFarine de seigle.\n", "Pain.md": "# Pain\nrien\n"}
FILES = {NAMES.profile: PROFILE, **BREAD}
START = [sys.executable, "-c", "from daemon.cli.main import main; main()"]


@pytest.fixture
def home(vault) -> Home:
    """A vault at rest since an hour ago: the commands run at the real time."""
    made = vault(files=FILES, clock=Clock(datetime.now(UTC) - timedelta(hours=1)))
    made.rest()
    return made


def spelt(home: Home) -> dict[str, str]:
    """The environment in which a process of its own finds this home."""
    values = {f"CLAVAIRE_{name}": value for name, value in home.environ.items()}
    places = {"CLAVAIRE_VAULT": str(home.root), "CLAVAIRE_GENERAL__STATE_FOLDER": str(home.state_root)}
    return os.environ | values | places | {"XDG_CONFIG_HOME": str(home.folder / "config")}


def process(home: Home, *arguments: str, cwd: Path = ROOT, **environ: str):
    found = spelt(home) | {"PYTHONPATH": str(ROOT)} | environ
    return subprocess.run(
        [*START, *arguments], cwd=cwd, env=found, capture_output=True, text=True, check=False
    )


def name_of(home: Home, text: str) -> str:
    return home.fact(text).id


# ---- every command


def walk(command=cli, path=()):
    """Every command with its words, groups opened."""
    context = cli.make_context("clavaire", [], resilient_parsing=True)
    for name in command.list_commands(context):
        one = command.get_command(context, name)
        if hasattr(one, "list_commands"):
            yield from walk(one, (*path, name))
        else:
            yield (*path, name), one


EVERY = dict(walk())


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_every_command_and_every_option_has_help(words):
    assert EVERY[words].help
    for option in EVERY[words].params:
        if option.param_type_name == "option" and option.name != "help":
            assert option.help, option.name


def test_only_the_commands_of_this_version_are_listed():
    listed = "init run sync host status doctor facts remember correct forget history search export rebuild"
    runs = "plan runs show explain approve code pause resume cancel undo"
    permission = "tools delegations delegate revoke audit trust"
    people = "people resolve recall context"
    every = f"{listed} {runs} {permission} {people} mcp connect".split()
    assert set(COMMANDS) == {"demo", *every, "verify-register", "hook", "config"}


PRINTING = {
    "status": (["status"], dict),
    "doctor": (["doctor"], list),
    "facts": (["facts"], list),
    "facts at a time": (["facts", "--as-of", "2026-11-30", "--known-at", "2999-01-01"], list),
    "people": (["people"], list),
    "resolve": (["resolve", "Zoé"], dict),
    "recall": (["recall", "seigle"], list),
    "context": (["context", "seigle"], dict),
    "search": (["search", "seigle"], list),
    "search for nothing": (["search", "zzz"], list),
    "sync": (["sync"], dict),
    "rebuild": (["rebuild"], dict),
    "remember": (["remember", "Chat : Mistigri"], dict),
    "propose": (["remember", "Chien : Rex", "--as", "mcp:agenda", "--confidence", "0.6"], dict),
    "verify-register": (["verify-register"], list),
    "export": (["export"], dict),
    "config list": (["config", "list"], list),
    "config get": (["config", "get", "watch.settle"], dict),
    "config set": (["config", "set", "watch.settle", "3"], dict),
    "init": (["init"], dict),
    "host take": (["host", "take", "--name", "bureau"], dict),
    "runs": (["runs"], list),
    "tools": (["tools"], list),
    "delegations": (["delegations"], list),
    "delegate": (["delegate", "vault · niveau 3 · Recettes/** · origine mcp:agenda"], dict),
    "audit": (["audit"], list),
}


@pytest.mark.parametrize("what", PRINTING)
@pytest.mark.parametrize("first", [True, False], ids=["before", "after"])
def test_json_is_one_value_on_stdout_and_nothing_else(home, what, first):
    arguments, kind = PRINTING[what]
    code, out, err = called(home, *(["--json", *arguments] if first else [*arguments, "--json"]))
    assert (code, err) == (0, "")
    assert isinstance(json.loads(out), kind)


@pytest.mark.parametrize("what", PRINTING)
def test_without_json_the_words_are_lines_for_a_person(home, what):
    arguments, _ = PRINTING[what]
    code, out, err = called(home, *arguments)
    assert (code, err) == (0, "")
    if what not in ("export", "config get"):
        with pytest.raises(json.JSONDecodeError):
            json.loads(out or "{")


WRONG = {
    "no such command": ["serch", "x"],
    "no such option": ["facts", "--nope"],
    "no such kind": ["facts", "--kind", "opinion"],
    "a day that is none": ["facts", "--as-of", "hier"],
    "a time that is none": ["facts", "--known-at", "2026-13-01"],
    "a start that is none": ["remember", "x", "--since", "hier"],
    "an empty fact": ["remember", "  "],
    "a fact that no reader sees": ["remember", "\u200b"],
    "an origin that is none": ["remember", "x", "--as", "robot"],
    "an agent that says it is the person": ["remember", "x", "--as", "person"],
    "a confidence beyond one": ["remember", "x", "--as", "mcp:a", "--confidence", "1.5"],
    "a confidence that is no number": ["remember", "x", "--as", "mcp:a", "--confidence", "nan"],
    "an unknown fact to correct": ["correct", "f-00000000", "x"],
    "an unknown fact to forget": ["forget", "f-00000000"],
    "an unknown fact's history": ["history", "f-00000000"],
    "an unknown setting": ["config", "get", "memory.enable"],
    "a setting of the wrong type": ["config", "set", "watch.settle", "vite"],
    "a vault that is none": ["--vault", "/nowhere/at/all", "facts"],
    "a query without words": ["search"],
    "vouching without a terminal": ["doctor", "--accept-register"],
    "an unknown run": ["show", "r-00000000"],
    "an unknown run to stop": ["cancel", "r-00000000"],
    "an unknown run to explain": ["explain", "r-00000000"],
    "a plan that is not there": ["plan", "nowhere.json"],
    "a plan by nobody": ["plan", "nowhere.json", "--as", "robot"],
    "approving without a terminal": ["approve", "r-00000000"],
    "a code without a terminal": ["code", "r-00000000"],
    "a code of nothing": ["code"],
    "unblocking without a terminal": ["code", "--unblock"],
    "vouching for a note without a terminal": ["trust", "Pain.md"],
    "an unknown delegation to revoke": ["revoke", "d-00000000"],
    "a delegation of nothing": ["delegate"],
    "a line that is none": ["delegate", "tout, toujours"],
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_use_ends_with_2_and_one_sentence_on_stderr(home, what):
    code, out, err = called(home, *WRONG[what])
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1, err
    assert "Traceback" not in err
    assert "cannot be written in the register" not in err


def test_a_traceback_only_with_debug(home):
    quiet = process(home, "history", "f-00000000")
    loud = process(home, "--debug", "history", "f-00000000")
    assert (quiet.returncode, "Traceback" in quiet.stderr) == (2, False)
    assert (loud.returncode != 0, "Traceback" in loud.stderr) == (True, True)


def test_a_folder_without_a_vault_is_said_so(tmp_path):
    done = subprocess.run(
        [*START, "facts"],
        env=os.environ | {"PYTHONPATH": str(ROOT), "XDG_CONFIG_HOME": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)


def test_the_nearest_vault_around_the_current_folder_is_taken(home):
    done = process(home, "--json", "facts", cwd=home.root / "Recettes", CLAVAIRE_VAULT="")
    assert len(json.loads(done.stdout)) == 3


def test_errors_speak_the_language_of_the_settings(home):
    assert "n'est pas une date" in called(home, "facts", "--as-of", "hier")[2]
    home.environ["GENERAL__LOCALE"] = "en"
    assert "is not a date" in called(home, "facts", "--as-of", "hier")[2]


# ---- init and sync


def test_init_adopts_a_vault_and_says_what_to_do_next(vault):
    home = vault(files=FILES, start=False)
    others = home.snapshot(NAMES.assistant)
    code, out, _ = called(home, "init", str(home.root))
    assert code == 0
    assert f"clavaire --vault {home.root} run" in out
    assert "^f-" in home.profile()
    assert home.full(NAMES.cards).is_file()
    assert home.snapshot(NAMES.assistant) == others
    assert called(home, "init", str(home.root))[0] == 0


def test_init_makes_the_folder_of_a_new_vault(vault, tmp_path):
    home = vault(start=False)
    new = tmp_path / "nouveau" / "coffre"
    assert called(home, "init", str(new))[0] == 0
    assert (new / NAMES.profile).read_text("utf-8").count("clavaire:begin") == 5


def test_sync_reads_edits_renders_and_then_has_nothing_to_do(home):
    home.add_line("- Chat : Mistigri")
    first, second = asked(home, "sync"), asked(home, "sync")
    assert first["written"] == [NAMES.profile, NAMES.journal]
    assert (second["events"], second["written"]) == (0, [])
    assert "- Chat : Mistigri ^f-" in home.profile()


def test_a_vault_that_init_has_not_made_is_said_so(vault):
    home = vault(files=FILES, start=False)
    code, _, err = called(home, "sync")
    assert code == 2
    assert "clavaire init" in err


# ---- memory


def test_facts_prints_every_field_of_each_fact(home):
    found = asked(home, "facts")
    assert [set(one) for one in found] == [{field.name for field in dataclasses.fields(Fact)}] * 3
    assert [one["id"] for one in found] == sorted(one["id"] for one in found)


def test_facts_by_kind_and_by_status(home):
    assert [one["text"] for one in asked(home, "facts", "--kind", "preference")] == ["Thé sans sucre"]
    home.replace(home.text(NAMES.profile).split("\n")[4] + "\n", "")
    called(home, "sync")
    assert [one["text"] for one in asked(home, "facts", "--status", "rejected")] == ["Thé sans sucre"]
    assert asked(home, "facts", "--kind", "preference") == []


def test_facts_as_of_a_day_and_as_known_at_a_time(home):
    before = (home.clock() + timedelta(minutes=1)).isoformat()
    home.replace("Train : 7 h 12 [depuis:: 2026-09-01]", "Train : 6 h 58, quai 2 [depuis:: 2026-10-01]")
    called(home, "sync")

    def train(*more):
        return [one["text"] for one in asked(home, "facts", *more) if one["key"] == "Train"]

    assert train() == ["Train : 6 h 58, quai 2"]
    assert train("--as-of", "2026-09-30") == ["Train : 7 h 12"]
    assert train("--as-of", "2026-08-31") == []
    assert train("--as-of", "2026-10-02", "--known-at", before) == ["Train : 7 h 12"]
    assert train("--known-at", "2026-01-01") == []


def test_remember_is_a_fact_in_the_note_at_once(home):
    told = asked(home, "remember", "Chat : Mistigri", "--kind", "fact", "--since", "2026-09")
    assert told["status"] == "confirmed"
    assert f"- Chat : Mistigri [depuis:: 2026-09] ^{told['id']}\n" in home.profile()
    (fact,) = [one for one in asked(home, "facts") if one["id"] == told["id"]]
    assert (fact["valid_from"], fact["valid_from_text"]) == ("2026-09-01", "2026-09")


def test_remember_as_an_agent_waits_on_a_card_that_names_it(home):
    told = asked(home, "remember", "Dentiste : Dr Martin", "--as", "mcp:agenda", "--confidence", "0.62")
    assert told["status"] == "pending"
    assert "proposé par mcp:agenda, confiance 0,62 ; remplacerait « Dentiste : Dr Petit »" in home.cards()
    assert "Dr Martin" not in home.profile()
    (fact,) = asked(home, "facts", "--status", "pending")
    assert (fact["source"], fact["provenance"], fact["confidence"]) == ("mcp:agenda", "mcp:agenda", 0.62)


def test_remember_of_what_is_known_says_so(home):
    told = asked(home, "remember", "thé sans sucre.")
    assert told["id"] == name_of(home, "Thé sans sucre")
    assert told["events"] == ["fact.seen"]


def test_correct_makes_the_last_wording_never_true(home):
    name = name_of(home, "Train : 7 h 12")
    assert asked(home, "correct", name, "Train : 7 h 21")["status"] == "confirmed"
    texts = [one["text"] for one in asked(home, "facts", "--as-of", "2026-09-15")]
    assert "Train : 7 h 21" in texts
    assert "Train : 7 h 12" not in texts
    assert f"- Train : 7 h 21 [depuis:: 2026-09-01] ^{name}\n" in home.profile()


def test_forget_takes_the_line_away_and_keeps_the_words_in_the_register_only(home):
    name = name_of(home, "Thé sans sucre")
    assert asked(home, "forget", name) == {"id": name, "status": "forgotten", "purged": False}
    assert "Thé" not in home.profile()
    assert "Thé" not in home.journal()
    assert [one for one in asked(home, "facts") if one["id"] == name] == []
    assert "Thé" in "".join(path.read_text("utf-8") for path in home.full(NAMES.register_folder).iterdir())


def holding(home: Home, words: bytes) -> list[Path]:
    """The files of vault and state folder that hold these words."""
    files = [path for folder in (home.root, home.state_root) for path in folder.rglob("*") if path.is_file()]
    return [path for path in files if words in path.read_bytes()]


def test_forget_purge_leaves_the_words_nowhere(home):
    home.add_line("- Code du portail : azertyuiop")
    home.rest()
    name = name_of(home, "Code du portail : azertyuiop")
    home.close()
    assert holding(home, b"azertyuiop")
    code, out, _ = called(home, "forget", name, "--purge")
    assert code == 0
    assert "git" in out  # what it cannot reach is said
    assert holding(home, b"azertyuiop") == []
    assert called(home, "verify-register")[0] == 0
    before = called(home, "export")[1]
    assert called(home, "rebuild")[0] == 0
    assert called(home, "export")[1] == before


def test_forget_purge_reaches_the_index_of_a_process_that_runs_with_its_next_pass(home):
    home.add_line("- Code du portail : azertyuiop")
    home.rest()
    assert called(home, "forget", name_of(home, "Code du portail : azertyuiop"), "--purge")[0] == 0
    home.sync()
    home.close()
    assert holding(home, b"azertyuiop") == []


def test_history_is_every_version_oldest_first_by_id_or_anchor(home):
    home.replace("Dentiste : Dr Petit", "Dentiste : Mme Le Goff, rue Haute")
    called(home, "sync")
    name = name_of(home, "Dentiste : Dr Petit")
    found = asked(home, "history", name)
    assert [one["text"] for one in found] == ["Dentiste : Dr Petit", "Dentiste : Mme Le Goff, rue Haute"]
    assert found[0]["valid_to"] == found[1]["valid_from"]
    assert asked(home, "history", f"^{name}") == found


def test_memory_put_out_accepts_nothing_and_says_why(home):
    home.environ["MEMORY__ENABLED"] = "false"
    before = home.snapshot()
    code, out, err = called(home, "remember", "x")
    assert (code, out) == (3, "")
    assert "memory.enabled" in err
    home.add_line("- Chat : Mistigri")
    typed = home.snapshot()
    assert called(home, "sync")[0] == 0
    assert home.snapshot() == typed != before


# ---- search


def test_search_prints_notes_with_line_and_words_around(home):
    (hit,) = asked(home, "search", "SEIGLE")
    assert (hit["path"], hit["title"]) == ("Recettes/Pain.md", "Pain")
    assert "seigle" in hit["snippet"]


ODD = ['"', "AND", "a:b", "NEAR(", "*", "-x", "(", "l'été", "☃", "pain OR", "'; --"]


@pytest.mark.parametrize("query", ODD)
def test_any_text_is_a_legal_query(home, query):
    code, _, err = called(home, "search", "--", query)
    assert (code, err) == (0, "")


def test_search_keeps_to_a_folder_and_a_limit(home):
    assert {one["path"] for one in asked(home, "search", "pain")} == {"Recettes/Pain.md", "Pain.md"}
    below = asked(home, "search", "pain", "--folder", "Recettes")
    assert [one["path"] for one in below] == ["Recettes/Pain.md"]
    assert len(asked(home, "search", "pain", "--limit", "1")) == 1


def test_without_an_index_a_command_that_reads_says_what_to_do(home):
    for file in home.index_files():
        file.unlink()
    for command in (["facts"], ["search", "x"], ["status"], ["export"]):
        code, out, err = called(home, *command)
        assert (code, out) == (2, "")
        assert "clavaire sync" in err


# ---- care


def test_export_is_canonical_and_the_same_in_a_file_and_after_a_rebuild(home):
    code, out, err = called(home, "export")
    assert (code, err) == (0, "")
    assert canonical(json.loads(out)) == out
    assert json.loads(out)["format"] == "clavaire/1"
    file = home.folder / "export.json"
    assert called(home, "export", "--out", str(file))[:2] == (0, "")
    assert file.read_text("utf-8") == out
    for index in home.index_files():
        index.unlink()
    assert called(home, "rebuild")[0] == 0
    assert called(home, "export")[1] == out
    home.environ |= {"GENERAL__TIMEZONE": "Pacific/Auckland", "MEMORY__EDIT_WINDOW": "0"}
    assert called(home, "rebuild")[0] == 0
    assert called(home, "export")[1] == out


def test_status_is_one_look_that_changes_nothing(home):
    before = home.snapshot()
    found = asked(home, "status")
    assert (found["notes"], found["facts"], found["cards"]) == (4, {"confirmed": 3}, 0)
    assert (found["host"], found["running"], found["problems"]) == ("atelier", False, [])
    assert home.snapshot() == before


def test_doctor_names_each_problem_once_and_ends_with_1(home):
    assert called(home, "doctor")[0] == 0
    home.replace("<!-- clavaire:end facts -->", "")
    code, out, err = called(home, "doctor")
    assert (code, err) == (1, "")
    (sentence,) = out.splitlines()
    assert NAMES.profile in sentence
    (problem,) = asked(home, "doctor")
    assert (problem["path"], problem["code"], problem["sentence"]) == (
        NAMES.profile,
        "section_unclosed",
        sentence,
    )
    assert problem["line"] > 0
    assert [one["sentence"] for one in asked(home, "status")["problems"]] == [sentence]


def test_a_register_line_changed_by_hand_is_found_and_closes_the_vault(home):
    assert called(home, "verify-register")[0] == 0
    (month,) = home.full(NAMES.register_folder).iterdir()
    month.write_bytes(month.read_bytes().replace(b"Dr Petit", b"Dr Gros!"))
    code, out, _ = called(home, "verify-register")
    assert (code, len(out.splitlines())) == (1, 1)
    assert called(home, "doctor")[:2] == (1, out)
    code, out, err = called(home, "rebuild")
    assert (code, out, len(err.splitlines())) == (3, "", 1)


@pytest.mark.parametrize("what", ["month", "folder"])
def test_a_register_behind_a_link_is_named_by_every_command(home, what):
    folder = home.full(NAMES.register_folder)
    (month,) = folder.iterdir()
    linked = month if what == "month" else folder
    linked.rename(home.root / "ailleurs.md")
    linked.symlink_to(home.root / "ailleurs.md")
    for command in ("verify-register", "doctor"):
        code, out, _ = called(home, command)
        assert (code, len(out.splitlines()), month.name in out) == (1, 1, True), out
    (problem,) = asked(home, "status")["problems"]
    assert (problem["code"], problem["path"]) == ("linked_note", f"{NAMES.register_folder}/{month.name}")
    for command in (["remember", "Chat : Mistigri"], ["sync"]):
        code, _, err = called(home, *command)
        assert (code, month.name in err, len(err.splitlines())) == (3, True, 1), err


def test_config_says_where_each_value_comes_from(home):
    assert called(home, "config", "set", "watch.settle", "3.5")[0] == 0
    file = str(home.folder / "config" / NAMES.application / NAMES.config_file)
    home.environ["CARDS__PER_DAY"] = "5"
    found = {one["key"]: (one["value"], one["origin"]) for one in asked(home, "config", "list")}
    if sys.platform == "linux":  # elsewhere the settings do not follow XDG_CONFIG_HOME
        assert found["watch.settle"] == (3.5, file)
    assert found["cards.per_day"] == (5, "CLAVAIRE_CARDS__PER_DAY")
    assert found["memory.edit_window"] == (600, "default")
    assert called(home, "config", "get", "cards.per_day")[1] == "5\n"
    assert "memory.enabled" in called(home, "config", "get", "memory.enable")[2]


# ---- who may write


def test_a_copy_of_a_vault_only_reads_until_it_is_a_vault_of_its_own(home):
    copy = Home(home.folder, start=False)
    copy.root = home.folder / "copie"
    shutil.copytree(home.root, copy.root)
    before = copy.snapshot()
    assert len(asked(copy, "facts")) == 3
    for command in (["remember", "x"], ["sync"], ["init"]):
        code, out, err = called(copy, *command)
        assert (code, out, len(err.splitlines())) == (3, "", 1)
        assert "--new-id" in err
    assert copy.snapshot() == before
    assert called(copy, "init", "--new-id")[0] == 0
    assert called(copy, "remember", "Chat : Mistigri")[0] == 0
    assert "Mistigri" not in home.profile()
    assert len(asked(copy, "facts")) == 4
    assert called(copy, "verify-register")[0] == called(home, "verify-register")[0] == 0


def test_another_machine_only_reads_until_it_takes_the_vault(home):
    other = Home(home.folder, start=False)
    other.state_root = home.folder / "autre machine"
    code, _, err = called(other, "sync")
    assert code == 3
    assert "clavaire host take" in err
    assert asked(other, "host", "take", "--name", "portable") == {"host": "portable"}
    assert called(other, "remember", "Chat : Mistigri")[0] == 0
    code, out, err = called(home, "remember", "x")
    assert (code, out) == (3, "")
    assert "portable" in err


def test_a_machine_cannot_be_taken_over_while_it_writes(home):
    called(home, "remember", "Chat : Mistigri")
    other = Home(home.folder, start=False)
    other.state_root = home.folder / "autre machine"
    called(other, "sync")
    code, out, err = called(other, "host", "take")
    assert (code, out) == (3, "")
    assert "atelier" in err


def test_an_empty_mount_point_is_not_a_vault_without_notes(home):
    (home.folder / "démonté").mkdir()
    home.root.rename(home.folder / "ailleurs")
    (home.folder / "démonté").rename(home.root)
    code, out, err = called(home, "sync")
    assert (code, out, len(err.splitlines())) == (4, "", 1)


def test_a_vault_that_another_process_holds_is_busy(home):
    with (home.root / NAMES.executor).open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        code, out, err = called(home, "run")
    assert (code, out, len(err.splitlines())) == (4, "", 1)


@pytest.mark.parametrize("named", [True, False])
def test_run_keeps_the_vault_until_it_is_told_to_stop(home, named):
    """Without a name it finds the only vault that this machine keeps."""
    environ = spelt(home)
    if not named:
        del environ["CLAVAIRE_VAULT"]
    daemon = subprocess.Popen(
        [*START, "run"],
        cwd=ROOT,
        env=environ,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert str(home.root) in daemon.stdout.readline()
        assert asked(home, "status")["running"] is True
        assert asked(home, "remember", "Chat : Mistigri")["status"] == "confirmed"
        daemon.send_signal(signal.SIGTERM)
        assert daemon.wait(20) == 0
    finally:
        with contextlib.suppress(ProcessLookupError):
            daemon.kill()
        daemon.stdout.close()
        daemon.wait()


_STOPPED_AT_ONCE = """
import os, signal
from daemon.cli.session import Session
Session.app = lambda self: os.kill(os.getpid(), signal.SIGTERM)
from daemon.cli.main import main
main(["run"])
"""


def test_run_that_is_stopped_while_it_starts_ends_well(home):
    ended = subprocess.run(
        [sys.executable, "-c", _STOPPED_AT_ONCE],
        cwd=ROOT,
        env=spelt(home),
        capture_output=True,
        timeout=30,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, b"")


# ---- a command that only reads is light

HEAVY = (
    *("pydantic", "sqlite_utils", "rich", "ruamel", "watchdog", "markdown_it", "rapidfuzz", "apscheduler"),
    *("tomlkit", "babel", "detect_secrets", "asyncio", "multiprocessing", "unittest"),
)
LIGHT = {
    "search": ["search", "seigle"],
    "recall": ["recall", "seigle"],
    "recall explained": ["recall", "farine de seigle", "--explain", "--as-of", "2026-11-30"],
    "context": ["context", "seigle"],
    "facts": ["facts"],
    "facts at a time": ["facts", "--as-of", "2026-11-30", "--known-at", "2999-01-01"],
    "people": ["people"],
    "resolve": ["resolve", "Zoé"],
    "facts about somebody": ["facts", "--about", "{person}"],
    "status": ["status"],
    "history": ["history", "{fact}"],
    "runs": ["runs"],
    "show": ["show", "{run}"],
    "explain": ["explain", "{run}"],
    "delegations": ["delegations"],
    "audit": ["audit"],
    "export": ["export"],
    "verify-register": ["verify-register"],
    "config get": ["config", "get", "watch.settle"],
}
_LISTED = """
import atexit, sys
atexit.register(lambda: print(*sorted(sys.modules), file=sys.stderr))
from daemon.cli.main import main
main()
"""


@pytest.mark.parametrize("command", LIGHT)
def test_a_command_that_only_reads_loads_nothing_heavy(home, command):
    run = propose(home, ("note_append", {"path": "Pain.md", "text": "sel"}))
    home.replace("<!-- clavaire:end people -->", "- Zoé — amie\n<!-- clavaire:end people -->", NAMES.people)
    home.rest()
    (person,) = home.state.entities
    names = {"fact": name_of(home, "Thé sans sucre"), "run": run.id, "person": person}
    arguments = [word.format(**names) for word in LIGHT[command]]
    done = subprocess.run(
        [sys.executable, "-c", _LISTED, *arguments],
        cwd=ROOT,
        env=spelt(home),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    loaded = {name.partition(".")[0] for name in done.stderr.split()}
    assert loaded.isdisjoint(HEAVY), loaded.intersection(HEAVY)
    assert sys.platform != "linux" or "platformdirs" not in loaded
    if command == "search":
        assert "daemon.app" not in done.stderr.split()
        assert "parsers.note" not in done.stderr.split()
