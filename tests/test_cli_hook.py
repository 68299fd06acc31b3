"""`clavaire hook`: what agents run themselves, and their settings changed where they must be."""

import json
import shlex
import subprocess
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.i18n import catalogue
from config.paths import NAMES
from daemon.app import accept
from daemon.hooks.clients import AGENTS, HOOKS, is_ours
from daemon.hooks.install import change, with_hooks, without_hooks
from parsers.model.edits import NowWrite
from tests.home import Clock, Home
from tests.terminal import ROOT, START, environ

FR = catalogue("fr")
CLIENTS = tuple(AGENTS)
MINE = {
    client: {name: f"/opt/x/clavaire --vault /v hook {name} --client {client}" for name in HOOKS}
    for client in CLIENTS
}
SETTINGS = {
    "claude-code": ".claude/settings.json",
    "codex": ".codex/hooks.json",
    "cursor": ".cursor/hooks.json",
}


@pytest.fixture
def home(vault) -> Home:
    made = vault(clock=Clock(datetime.now(UTC)))
    made.rest()
    return made


def hook(home: Home, *words: str, said: object = None, **more: str) -> subprocess.CompletedProcess[str]:
    """Run `clavaire hook` as an agent does, with a home folder of its own."""
    person = home.folder / "person"
    person.mkdir(exist_ok=True)
    found = environ(home) | {"HOME": str(person)} | more
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        if name not in more:
            found.pop(name, None)
    told = said if isinstance(said, str) else json.dumps(said) if said is not None else ""
    return subprocess.run(
        [*START, "hook", *words], cwd=ROOT, env=found, input=told, capture_output=True, text=True, check=False
    )


def settings(home: Home, client: str) -> Path:
    return home.folder / "person" / SETTINGS[client]


def given_to(home: Home) -> list[tuple[str, str]]:
    return [(one.body["client"], one.body["session"]) for one in home.records() if one.op == "now.given"]


def context(client: str, out: str) -> str:
    said = json.loads(out)
    if client == "cursor":
        assert set(said) == {"additional_context"}
        return said["additional_context"]
    assert set(said) == {"hookSpecificOutput"}
    assert said["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    return said["hookSpecificOutput"]["additionalContext"]


# ---- what agents run


@pytest.mark.parametrize("client", CLIENTS)
def test_session_start_prints_what_the_agent_expects_and_records_it_once_a_session(home, client):
    accept(home.app, [NowWrite("Étape.", "", "", "", "mcp:x")])
    for _ in range(2):
        done = hook(
            home, "session-start", "--client", client, said={"session_id": "abc", "source": "startup"}
        )
        assert (done.returncode, done.stderr) == (0, "")
        text = context(client, done.stdout)
        assert text.startswith(FR.say("hook.session_start") + '\n\n<now written-by="mcp:x"')
        assert text.endswith("</now>")
        assert "Étape." in text
    assert given_to(home) == [(f"mcp:{client}", "abc")]


def test_of_a_note_that_the_person_made_private_nothing_is_said_written_or_recorded(home):
    # R-P04
    text = "---\nprivé: oui\n---\nsecret\n"
    home.put(NAMES.now, text)
    done = hook(home, "session-start", "--client", "codex", said={"session_id": "a", "source": "compact"})
    assert (done.returncode, done.stderr) == (0, "")
    assert "secret" not in done.stdout
    assert home.text(NAMES.now) == text
    assert given_to(home) == []


def test_after_a_compaction_the_agent_is_asked_to_write(home):
    done = hook(
        home, "session-start", "--client", "claude-code", said={"session_id": "a", "source": "compact"}
    )
    assert FR.say("hook.compacted") in context("claude-code", done.stdout)


@pytest.mark.parametrize(
    "said", ["", "pas du JSON", "[1]", '{"session_id": 3}', '{"session_id": null}', "\0"]
)
def test_whatever_an_agent_says_on_stdin_now_is_given(home, said):
    done = hook(home, "session-start", "--client", "cursor", said=said)
    assert (done.returncode, done.stderr) == (0, "")
    assert "<now" in context("cursor", done.stdout)
    ((client, session),) = given_to(home)
    assert client == "mcp:cursor"
    assert session.startswith("hook-")


def test_an_agent_that_leaves_its_end_open_is_not_waited_for(home):
    start = time.monotonic()
    person = home.folder / "person"
    person.mkdir()
    child = subprocess.Popen(
        [*START, "hook", "session-start", "--client", "codex"],
        cwd=ROOT,
        env=environ(home) | {"HOME": str(person)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert child.stdout is not None
        assert "<now" in context("codex", child.stdout.read().decode())
        assert child.wait(30) == 0
    finally:
        assert child.stdin is not None
        child.stdin.close()
        child.stdout.close()
    assert time.monotonic() - start < 30


def test_the_second_client_is_told_that_the_first_never_wrote(home):
    hook(home, "session-start", "--client", "claude-code", said={"session_id": "a"})
    done = hook(home, "session-start", "--client", "codex", said={"session_id": "b"})
    assert "mcp:claude-code" in context("codex", done.stdout).split("\n")[2]


@pytest.mark.parametrize("client", CLIENTS)
def test_pre_compact_asks_for_brain_write(home, client):
    done = hook(home, "pre-compact", "--client", client, said={"session_id": "a", "trigger": "auto"})
    assert (done.returncode, done.stderr) == (0, "")
    if client == "claude-code":
        assert done.stdout == FR.say("hook.pre_compact") + "\n"
    else:
        assert list(json.loads(done.stdout).values()) == [FR.say("hook.pre_compact")]
    assert given_to(home) == []


@pytest.mark.parametrize(
    "broken",
    [
        {"CLAVAIRE_VAULT": "/nirgends/nulle/part"},
        {"CLAVAIRE_GENERAL__STATE_FOLDER": "/nirgends/nulle/part"},
        {"CLAVAIRE_GENERAL__TIMEZONE": "Nulle/Part"},
        {"CLAVAIRE_NO__SUCH": "1"},
    ],
)
def test_whatever_goes_wrong_the_agents_session_goes_on_and_one_line_says_why(home, broken):
    for name in HOOKS:
        done = hook(home, name, "--client", "claude-code", **broken)
        assert done.returncode == 0
        if name == "session-start" or done.stderr:
            assert done.stdout == ""
            assert len(done.stderr.splitlines()) == 1
            assert "Traceback" not in done.stderr


def test_a_register_that_takes_nothing_keeps_now_from_nobody(home):
    accept(home.app, [NowWrite("Étape.", "", "", "", "mcp:x")])
    register = next(home.full(NAMES.register_folder).glob("*.md"))
    register.write_bytes(register.read_bytes().replace(b'"by":"person"', b'"by":"persona"', 1))
    done = hook(home, "session-start", "--client", "claude-code")
    assert done.returncode == 0
    assert "Étape." in context("claude-code", done.stdout)
    assert len(done.stderr.splitlines()) == 1


# ---- an agent's settings

OWN = """{
    "model": "opus",   "n": 1.50,
    "hooks": {
        "SessionStart": [ {"matcher": "startup", "hooks": [{"type": "command", "command": "date"}]} ],
        "Stop": []
    },
    "é": "\\u00e9"
}
"""
OWN_CURSOR = '{\n\t"version": 1,\n\t"hooks": {"sessionStart": [{"command": "date"}], "stop": []}\n}'
WITHOUT = {"claude-code": OWN, "codex": OWN, "cursor": OWN_CURSOR}


def commands(home: Home, client: str) -> list[str]:
    events = json.loads(settings(home, client).read_text("utf-8"))["hooks"]
    agent = AGENTS[client]
    return [
        one for event in agent.events.values() for entry in events[event] for one in agent.commands(entry)
    ]


@pytest.mark.parametrize("client", CLIENTS)
def test_install_adds_both_hooks_once_and_remove_gives_back_every_byte(home, client):
    path, text = settings(home, client), WITHOUT[client]
    path.parent.mkdir(parents=True)
    path.write_text(text, "utf-8")
    path.chmod(0o640)
    done = hook(home, "install", "--client", client)
    assert (done.returncode, done.stderr) == (0, "")
    after = path.read_text("utf-8")
    for line in text.splitlines():
        if "Start" not in line and "stop" not in line.lower():
            assert line in after
    mine = [one for one in commands(home, client) if "clavaire" in one]
    assert [is_ours(one, name, client) for one, name in zip(mine, HOOKS, strict=True)] == [True, True]
    assert f"--vault {home.root}" in mine[0]
    assert path.stat().st_mode & 0o777 == 0o640
    (backup,) = path.parent.glob("*.bak")
    assert backup.read_text("utf-8") == text
    again = hook(home, "install", "--client", client)
    assert path.read_text("utf-8") == after
    assert FR.say("cli.hook.there", client=client, path=path) == again.stdout.strip()
    hook(home, "remove", "--client", client)
    assert path.read_text("utf-8") == text


@pytest.mark.parametrize("client", CLIENTS)
def test_install_makes_a_file_where_there_is_none(home, client):
    done = hook(home, "--help")
    assert done.returncode == 0
    found = json.loads(hook(home, "install", "--client", client, "--json").stdout)
    assert found == {
        "client": client,
        "settings": str(settings(home, client)),
        "changed": True,
        "backup": None,
    }
    assert len(commands(home, client)) == 2
    assert hook(home, "remove", "--client", client).returncode == 0
    assert not settings(home, client).exists()
    assert (
        FR.say("cli.hook.absent", path=settings(home, client))
        in hook(home, "remove", "--client", client).stdout
    )


AS_THEY_WERE = (
    "", "\n", "\ufeff", "{}", "{}\n", '{"hooks": {}}', '{"a": 1, "hooks": {}, "b": 2}\n', '{"hooks": {},\n "a": 1}',
    '{"version": 1}', '{"version": 1, "hooks": {}}', '{"hooks": {"SessionStart": [], "sessionStart": []}}',
    '{\r\n\t"a": 1\r\n}\r\n', "[]",
)  # fmt: skip


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("text", AS_THEY_WERE)
def test_whatever_stood_there_remove_gives_it_back(tmp_path, client, text):
    agent, path = AGENTS[client], tmp_path / "settings.json"
    path.write_bytes(text.encode())
    for _ in range(2):
        if text != "[]":
            assert change(path, agent, MINE[client], FR) is not None
            assert change(path, agent, None, FR) is not None
        assert path.read_bytes() == text.encode()


@pytest.mark.parametrize("client", CLIENTS)
def test_what_came_after_our_hooks_stays_and_what_we_added_goes(tmp_path, client):
    agent, path = AGENTS[client], tmp_path / "settings.json"
    for text in ('{"a": 1, "hooks": {}}', '{"a": 1}'):
        path.write_text(text)
        change(path, agent, MINE[client], FR)
        moved = {name: one.replace("/opt/x", "/usr/bin") for name, one in MINE[client].items()}
        change(path, agent, moved, FR)
        path.write_text(
            json.dumps(json.loads(path.read_text()), indent=7)
        )  # an agent writes them its own way
        change(path, agent, None, FR)
        assert json.loads(path.read_text()) == json.loads(text)
        assert "\n       " in path.read_text()


def test_settings_we_made_that_somebody_filled_since_keep_what_they_need(tmp_path):
    agent, path = AGENTS["cursor"], tmp_path / "hooks.json"
    change(path, agent, MINE["cursor"], FR)
    said = json.loads(path.read_text())
    said["hooks"]["stop"] = [{"command": "date"}]
    path.write_text(json.dumps(said))
    change(path, agent, None, FR)
    assert json.loads(path.read_text()) == {"version": 1, "hooks": {"stop": [{"command": "date"}]}}


@pytest.mark.parametrize("name", HOOKS)
@pytest.mark.parametrize(
    "words", [[], ["--client"], ["--client", "nope"], ["--bogus"], ["--client", "codex", "more"]]
)
def test_words_that_an_agents_hook_does_not_know_end_with_0_and_one_line(home, name, words):
    done = hook(home, name, *words)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (0, "", 1)
    assert hook(home, name, "--help").returncode == 0


@pytest.mark.parametrize("word", ["install", "remove"])
def test_a_person_who_names_no_agent_is_told_so(home, word):
    assert hook(home, word, "--client", "nope").returncode == 2


@pytest.mark.parametrize(
    "text", ["{", "// mots\n{}", "[]", '{"hooks": []}', '{"hooks": {"SessionStart": 3}}', "\udc80"]
)
def test_settings_that_cannot_be_read_are_left_and_one_sentence_says_so(home, text):
    path = settings(home, "claude-code")
    path.parent.mkdir(parents=True)
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    for word in ("install", "remove"):
        done = hook(home, word, "--client", "claude-code")
        if word == "remove" and text == "[]":
            continue
        if word == "install" or "hooks" in text or done.returncode:
            assert done.returncode != 0
            assert len(done.stderr.splitlines()) == 1
    assert path.read_bytes() == text.encode("utf-8", "surrogateescape")
    assert list(path.parent.glob("*.bak")) == []


def test_the_folder_an_agent_is_told_of_counts(home):
    folder = home.folder / "ailleurs"
    hook(home, "install", "--client", "claude-code", CLAUDE_CONFIG_DIR=str(folder))
    assert (folder / "settings.json").is_file()
    assert not settings(home, "claude-code").exists()


def test_settings_that_are_a_link_stay_one(home):
    path, real = settings(home, "codex"), home.folder / "dotfiles.json"
    path.parent.mkdir(parents=True)
    real.write_text("{}\n")
    path.symlink_to(real)
    hook(home, "install", "--client", "codex")
    assert path.is_symlink()
    assert "clavaire" in real.read_text("utf-8")


def test_the_installed_command_is_one_that_runs(home):
    hook(home, "install", "--client", "claude-code")
    words = shlex.split(commands(home, "claude-code")[0])
    assert words[1:] == ["--vault", str(home.root), "hook", "session-start", "--client", "claude-code"]
    assert Path(words[0]).name == "clavaire"


COMMANDS = MINE["codex"]
INNER = st.recursive(
    st.sampled_from([1, "x", None, {"type": "command", "command": "date"}]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=5,
)
EVENTS = st.dictionaries(
    st.sampled_from(["SessionStart", "PreCompact", "Stop"]), st.lists(INNER, max_size=3), max_size=3
)
FILES = st.fixed_dictionaries({"a": INNER}, optional={"hooks": EVENTS, "z": INNER})


@given(FILES, st.sampled_from([None, 2, 4, "\t"]), st.sampled_from(["", "\n"]))
def test_whatever_stands_in_the_settings_it_stays_and_ours_is_there_once(value, indent, end):
    agent, text = AGENTS["codex"], json.dumps(value, indent=indent) + end
    after = with_hooks(agent, text, COMMANDS)
    assert with_hooks(agent, after, COMMANDS) == after
    said = json.loads(after)
    for hook_name, event in agent.events.items():
        before = value.get("hooks", {}).get(event, [])
        assert said["hooks"][event] == [*before, agent.entry(COMMANDS[hook_name])]
    moved = {name: one.replace("/opt/x", "/usr/bin") for name, one in COMMANDS.items()}
    assert json.loads(with_hooks(agent, after, moved)) == json.loads(after.replace("/opt/x", "/usr/bin"))
    back = json.loads(without_hooks(agent, after))
    kept = {name: one for name, one in value.get("hooks", {}).items() if one or name == "Stop"}
    back["hooks"] = {name: one for name, one in back.get("hooks", {}).items() if one or name == "Stop"}
    assert back == {**value, "hooks": kept}


def test_a_command_of_ours_among_others_in_one_group_is_taken_out_alone():
    agent = AGENTS["claude-code"]
    mine = "clavaire --vault /v hook session-start --client claude-code"
    group = {"hooks": [{"type": "command", "command": "date"}, {"type": "command", "command": mine}]}
    text = json.dumps({"hooks": {"SessionStart": [group]}}, indent=2)
    found = json.loads(without_hooks(agent, text))
    assert found == {"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "date"}]}]}}


@pytest.mark.parametrize(
    "command",
    [
        "clavaire hook session-start --client codex",
        "clavaire hook pre-compact --client claude-code",
        "echo clavaire hook session-start --client claude-code",
        "clavaire hook session-start --client claude-code --debug",
        "clavaire 'hook",
        "",
    ],
)
def test_a_command_that_is_not_the_one_we_write_is_not_ours(command):
    assert not is_ours(command, "session-start", "claude-code")
