"""The server as clients meet it: the official client in this process and over stdio runs every tool."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from mcp.shared.exceptions import MCPError

from config.i18n import catalogue
from config.paths import NAMES
from daemon.agents.keys import make_key
from daemon.agents.table import TABLE
from tests.mcp.clients import UNKEYED, Talk, in_process, over_stdio, taken_elsewhere, values
from tests.terminal import ROOT, START, environ

STEP = {"tool": "note_append", "args": {"path": "Boîte/a.md", "text": "ajouté"}}
FILES = {"Boîte/a.md": "# A\n\nle vélo bleu\n", "Privé/p.md": "---\nprivé: oui\n---\nle vélo SECRET\n"}
SEARCH = ("note_search", {"query": "vélo"})


@pytest.fixture
def home(vault):
    made = vault(files=FILES)
    made.put(NAMES.now, "# Now — 2026-11-30\n\n## Étape courante\n\nranger\n")
    made.add_line("- Aime le vélo")
    made.add_line("- Partir\n\t1. Gonfler\n\t2. Rouler", "procedures")
    made.rest()
    return made


async def every_tool(client):
    """Call each tool once with what it takes; gives the results by name."""
    listed = (await client.list_tools()).tools
    assert [one.name for one in listed] == list(TABLE)
    done = {}

    async def ask(tool, **args):
        done[tool] = await client.call_tool(tool, args)
        return values(done[tool])

    await ask("brain_boot")
    facts = (await ask("profile_get"))["facts"]
    run = await ask("plan_propose", title="Ranger", steps=[STEP])
    await ask("brain_write", step="a", services="b", next="c", context="d")
    await ask("brain_state")
    await ask("brain_focus")
    await ask("brain_decisions")
    await ask("brain_workflows")
    await ask("memory_recall", query="vélo")
    await ask("memory_save", text="Aime la marche")
    await ask("memory_update", id=facts[0]["id"], text="Aime beaucoup le vélo")
    await ask("memory_forget", id=facts[0]["id"])
    await ask("entity_resolve", name="Marie")
    await ask("procedure_get", name="Partir")
    await ask("note_search", query="vélo")
    await ask("note_read", path="Boîte/a.md")
    await ask("run_get", id=run["id"])
    await ask("run_list")
    await ask("run_cancel", id=run["id"])
    assert set(done) == set(TABLE)
    return done


def check_every(done):
    for name, result in done.items():
        assert not result.is_error, (name, result)
        assert result.content[0].text, name
        assert result.structured_content, name
    assert "SECRET" not in str(done)
    assert values(done["run_cancel"])["status"] == "cancelled"
    assert "Gonfler" in str(values(done["procedure_get"]))


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_official_client_runs_every_tool_in_this_process(home, mode):
    check_every(in_process(home, every_tool, mode=mode))


def test_the_official_client_runs_every_tool_over_stdio(home):
    home.close()
    key, _ = make_key(home.state_root / next(iter(os.listdir(home.state_root))), "claude-code")
    done = over_stdio(home, every_tool, key)
    check_every(done)
    assert values(done["brain_boot"])["client"] == "mcp:claude-code"
    home.restart()
    home.rest()
    ops = [record.op for record in home.records()]
    assert ops.count("now.given") == 1
    assert ops.count("session.ended") == 1


@pytest.mark.parametrize("key", ["", "nonsense"])
def test_over_stdio_an_unknown_key_is_nobodys_whatever_name_is_claimed(home, key):
    async def work(client):
        return values(await client.call_tool("memory_save", {"text": "Aime la marche"}))

    assert over_stdio(home, work, key)["status"] == "pending"
    home.app.brought_up()
    assert home.fact("Aime la marche").source == "mcp:?"


def test_the_instructions_are_one_fixed_sentence(home):
    async def work(client):
        return client.instructions, client.server_info

    said, info = in_process(home, work)
    assert said == catalogue("fr").say("agent.instructions")
    assert said.count(".") == 1
    assert "brain_boot" in said
    assert info.name == "clavaire"


def test_resources_give_now_the_profile_and_ones_own_runs(home):
    home.add_line("- Prend du lithium [sensible:: oui]")
    home.rest()

    async def work(client):
        run = values(await client.call_tool("plan_propose", {"title": "x", "steps": [STEP]}))["id"]
        listed = [one.uri for one in (await client.list_resources()).resources]
        templates = [one.uri_template for one in (await client.list_resource_templates()).resource_templates]
        read = {}
        for uri in ("clavaire://now", "clavaire://profile", f"clavaire://runs/{run}"):
            (content,) = (await client.read_resource(uri)).contents
            read[uri.partition("//")[2].partition("/")[0]] = content.text
        return listed, templates, read

    listed, templates, read = in_process(home, work)
    assert listed == ["clavaire://now", "clavaire://profile"]
    assert templates == ["clavaire://runs/{id}"]
    assert "<now" in read["now"]
    assert [one["text"] for one in json.loads(read["profile"])["facts"]].count("Aime le vélo") == 1
    assert "lithium" not in read["profile"]
    assert json.loads(read["runs"])["title"] == "x"


@pytest.mark.parametrize(
    "uri", ["clavaire://runs/r-00000000", "clavaire://cards", "file:///etc/passwd", "clavaire://runs/../now"]
)
def test_a_resource_that_is_none_is_a_typed_error(home, uri):
    async def work(client):
        return await client.read_resource(uri)

    async def asked(client):
        with pytest.raises(MCPError) as caught:
            await work(client)
        return caught.value

    error = in_process(home, asked)
    assert error.message
    assert "Traceback" not in str(error)


def test_an_error_is_a_result_with_a_code_a_sentence_and_what_to_do(home):
    async def work(client):
        return await client.call_tool("note_read", {"path": "99_Assistant/Cartes.md"})

    result = in_process(home, work, UNKEYED)
    assert result.is_error
    found = values(result)
    assert (found["error"], found["rule"]) == ("refused", 2)
    assert found["sentence"]
    assert found["do"]
    assert found["sentence"] in result.content[-1].text


def test_on_another_machine_the_answer_names_who_keeps_the_vault(home):
    taken_elsewhere(home, "salon")

    async def work(client):
        return await client.call_tool("memory_save", {"text": "x"})

    result = over_stdio(home, work)
    assert values(result)["error"] == "kept_elsewhere"
    assert "salon" in result.content[-1].text


# ---- the process


def test_what_is_no_message_ends_nothing_and_stdout_is_the_protocols_alone(home):
    talk = Talk(home)
    talk.process.stdin.write(b"nonsense\n{}\n\xff\xfe\n[]\n")
    assert "Boîte/a.md" in str(talk.ask(*SEARCH))
    assert "Traceback" not in talk.close()


@pytest.mark.parametrize("how", ["close", signal.SIGTERM, signal.SIGINT])
def test_a_session_that_is_told_to_end_leaves_its_receipt(home, how):
    talk = Talk(home)
    talk.ask(*SEARCH)
    if how != "close":
        talk.process.send_signal(how)
        assert talk.process.wait(10) == 0
    assert talk.close() == ""
    home.rest()
    (one,) = [record.body for record in home.records() if record.op == "session.ended"]
    assert (one["client"], one["calls"]) == ("mcp:?", {"note_search": 1})


def test_a_session_that_is_killed_is_told_by_the_next_pass(home):
    talk = Talk(home)
    talk.ask(*SEARCH)
    talk.process.kill()
    talk.process.communicate(timeout=10)
    home.rest()
    (one,) = [record.body for record in home.records() if record.op == "session.ended"]
    assert one["calls"] == {"note_search": 1}


def test_a_call_that_waits_for_the_vault_keeps_nothing_else_waiting(home):
    talk = Talk(home)
    talk.ask(*SEARCH)
    save = {"name": "memory_save", "arguments": {"text": "Aime la marche"}}
    with home.app.vault.locked():
        talk.post({"jsonrpc": "2.0", "id": 70, "method": "tools/call", "params": save})
        assert talk.send({"jsonrpc": "2.0", "id": 71, "method": "ping"})["id"] == 71
    assert "pending" in str(talk.answer(70))
    assert talk.close() == ""


@pytest.mark.fuzz
def test_a_vault_that_others_hold_all_the_time_is_busy_and_nothing_is_recorded(home):
    before = len(home.records())
    talk = Talk(home)
    with home.app.vault.locked():
        found = talk.ask("memory_save", {"text": "Aime la marche"})
    assert (found["failed"], found["values"]["error"]) == (True, "busy")
    assert [record.op for record in home.records()[before:]] == []
    assert talk.close() == ""


def test_initialize_opens_nothing_of_the_vault(home):
    talk = Talk(home)
    talk.begin()
    links = Path(f"/proc/{talk.process.pid}/fd")
    if links.is_dir():
        assert not [one for one in links.iterdir() if "sqlite3" in os.path.realpath(one)]
    loaded = Path(f"/proc/{talk.process.pid}/maps")
    assert not loaded.exists() or "_sqlite3" not in loaded.read_text()
    assert talk.close() == ""


def test_without_the_sdk_the_command_says_what_to_install(home):
    hide = "import sys; sys.modules['mcp'] = None; sys.modules['mcp_types'] = None; "
    done = subprocess.run(
        [sys.executable, "-c", f"{hide}from daemon.cli.main import main; main(['mcp'])"],
        cwd=ROOT,
        env=environ(home),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 2
    assert b"clavaire[mcp]" in done.stderr


def test_a_folder_that_is_no_vault_is_told_at_once(home, tmp_path):
    done = subprocess.run(
        [*START, "--vault", str(tmp_path / "none"), "mcp"],
        cwd=ROOT,
        env={key: value for key, value in environ(home).items() if key != "CLAVAIRE_VAULT"},
        capture_output=True,
        check=False,
    )
    assert done.returncode != 0
    assert done.stdout == b""
    assert b"Traceback" not in done.stderr
