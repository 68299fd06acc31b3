"""Folders that settings protect while processes run: the daemon, an agent's session, what is started afterwards."""

import json
import logging

import pytest

from config.settings import set_value
from daemon.index.search import search
from daemon.index.store import Index
from daemon.loop import Keeper
from daemon.watcher import Batch
from parsers.model.places import NotePath
from tests.asking import asked, cli
from tests.mcp.clients import Agent, in_process, values

SECRET = "beffroi"
FILES = {
    "Tour/a.md": f"# A\n\nle {SECRET} sonne\n",
    "Tour/b.md": "# B\n\nrien\n",
    "Carnet.md": "# Carnet\n\nle vélo\n",
}


@pytest.fixture
def home(vault):
    made = vault(files=FILES)
    made.rest()
    made.restart()
    return made


def configure(home, key="privacy.private", value='["Tour"]'):
    set_value(home.config, key, value)


def saved(keeper, home, path, text):
    """Let the daemon see that a note was saved, and make its pass."""
    home.put(path, text)
    assert keeper._pass(Batch(frozenset([NotePath(path)]), rescan=False))


def common(home):
    """Give what the index that agents open finds, and whether a byte of the secret stands in it."""
    index = Index.open(home.app.folder, write=False, private=False)
    found = {
        word: [hit.path for hit in search(index.connection, word)] for word in (SECRET, "vélo", "nouveau")
    }
    index.close()
    raw = b"".join(path.read_bytes() for path in home.index_files())
    return found, SECRET.encode() in raw


@pytest.fixture
def keeper(home):
    return Keeper(home.app, home.clock, lambda: None)


def test_a_folder_made_private_leaves_the_common_index_at_the_next_pass_of_a_daemon_that_runs(home, keeper):
    assert keeper._pass(None)
    assert common(home)[0][SECRET] == ["Tour/a.md"]
    configure(home)
    saved(keeper, home, "Carnet.md", "# Carnet\n\nle vélo bleu\n")
    assert common(home) == ({SECRET: [], "vélo": ["Carnet.md"], "nouveau": []}, False)
    saved(keeper, home, "Tour/b.md", "# B\n\nun nouveau mot\n")
    assert common(home)[0]["nouveau"] == []
    configure(home, value="[]")
    saved(keeper, home, "Carnet.md", "# Carnet\n\nle vélo vert\n")
    assert common(home)[0] == {SECRET: ["Tour/a.md"], "vélo": ["Carnet.md"], "nouveau": ["Tour/b.md"]}


def test_a_daemon_judges_anew_what_is_sensitive_and_where_folders_came_from(home, keeper):
    assert keeper._pass(None)
    configure(home, "privacy.sensitive", '["Tour/b.md"]')
    configure(home, "provenance.folders", '{ Tour = "web" }')
    saved(keeper, home, "Carnet.md", "# Carnet\n\nle vélo bleu\n")
    rows = home.app.history.index.connection.execute("SELECT path, provenance, sensitivity FROM notes")
    found = {path: said for path, *said in rows}
    assert found["Tour/a.md"] == ["web", "normal"]
    assert found["Tour/b.md"] == ["web", "sensitive"]
    assert found["Carnet.md"] == ["vault", "normal"]


def test_an_index_made_anew_after_the_change_keeps_the_folder_apart(home, keeper):
    assert keeper._pass(None)
    configure(home)
    keeper._tried(home.app.history.rebuild)
    assert common(home)[0][SECRET] == []


def test_what_is_carried_out_between_two_passes_is_judged_by_the_new_protections(home, keeper):
    assert keeper._pass(None)
    before = home.app.pipeline.counsel
    configure(home)
    assert keeper._tried(lambda: None)
    assert home.app.pipeline.counsel is not before
    assert home.app.pipeline.counsel.rules.declared.private == ("Tour",)


@pytest.mark.parametrize("broken", ["[privacy\n", "[privacy]\nprivate = 3\n", "", None])
def test_settings_that_cannot_be_read_lift_nothing_and_are_told_once(home, caplog, broken):
    configure(home)
    home.restart()
    keeper = Keeper(home.app, home.clock, lambda: None)
    assert keeper._pass(None)
    if broken is None:
        home.config.unlink()
    else:
        home.config.write_text(broken, "utf-8")
    with caplog.at_level(logging.WARNING, "clavaire"):
        for n in range(3):
            saved(keeper, home, "Tour/b.md", f"# B\n\nun nouveau mot {n}\n")
    assert common(home)[0] == {SECRET: [], "vélo": ["Carnet.md"], "nouveau": []}
    (record,) = caplog.records
    assert str(home.config) in record.getMessage()
    home.config.write_text("[privacy]\nprivate = []\n", "utf-8")
    saved(keeper, home, "Carnet.md", "# Carnet\n\nle vélo bleu\n")
    assert common(home)[0][SECRET] == ["Tour/a.md"]


@pytest.mark.parametrize("key", ["privacy.private", "privacy.sensitive"])
def test_an_open_session_reads_nothing_of_a_folder_that_was_protected_meanwhile(home, key):
    async def session(client):
        async def everything():
            asked_for = [
                await client.call_tool("note_read", {"path": "Tour/a.md"}),
                await client.call_tool("memory_recall", {"query": SECRET}),
                await client.call_tool("note_search", {"query": SECRET}),
                await client.call_tool("note_list", {"folder": "Tour"}),
            ]
            return json.dumps([values(one) for one in asked_for])

        assert (await everything()).count(f"le {SECRET} sonne") >= 2
        configure(home, key)
        after = await everything()
        assert f"le {SECRET} sonne" not in after
        configure(home, key, "[]")
        assert (await everything()).count(f"le {SECRET} sonne") >= 2

    in_process(home, session)


def test_an_open_session_keeps_its_protections_while_the_settings_are_broken(home, caplog):
    configure(home)

    async def session(client):
        for _ in range(3):
            given = await client.call_tool("note_read", {"path": "Tour/a.md"})
            assert SECRET not in json.dumps(values(given))
            home.config.write_text("[privacy\n", "utf-8")

    with caplog.at_level(logging.WARNING, "clavaire"):
        in_process(home, session)
    (record,) = caplog.records
    assert str(home.config) in record.getMessage()


def test_what_starts_after_the_change_gives_nothing_of_the_folder_though_no_pass_was_made(home):
    assert SECRET in cli(home, "context", SECRET)[1].replace(f"<{SECRET}", "")
    configure(home)
    code, out, _ = cli(home, "context", SECRET)
    assert code == 0
    assert "sonne" not in out
    with Agent(home) as agent:
        assert "sonne" not in agent.text("memory_recall", query=SECRET)
        assert "sonne" not in agent.text("note_search", query=SECRET)
        agent.fails("note_read", path="Tour/a.md")


def test_config_set_says_when_a_process_that_runs_goes_on_with_the_old_value(home):
    said = home.app.words.say("cli.config.restart")
    assert said not in cli(home, "config", "set", "watch.settle", "3")[1]
    executor = home.app.vault.executor()
    assert executor is not None
    with executor:
        assert said in cli(home, "config", "set", "watch.settle", "4")[1]
        assert said not in cli(home, "config", "set", "privacy.private", '["Tour"]')[1]
        assert asked(home, "config", "set", "watch.settle", "5")["value"] == 5
