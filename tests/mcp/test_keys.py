"""Clients' keys: made on a terminal, shown once, kept as hashes; without one an agent is `mcp:?`."""

import json
import re
import stat

import pytest

from daemon.agents.keys import NAME, UNKNOWN, client_of, make_key
from tests.asking import cli
from tests.terminal import typed


def test_a_key_names_its_client_and_no_other_does(tmp_path):
    one, replaced = make_key(tmp_path, "claude-code")
    two, _ = make_key(tmp_path, "codex")
    assert not replaced
    assert client_of(tmp_path, one).origin == "mcp:claude-code"
    assert client_of(tmp_path, two).origin == "mcp:codex"
    for wrong in (None, "", "x", one[:-1], one.swapcase(), "claude-code", "\ud800", one + "\n"):
        assert client_of(tmp_path, wrong) == client_of(tmp_path / "nowhere", one)
        assert client_of(tmp_path, wrong).origin == UNKNOWN
        assert not client_of(tmp_path, wrong).keyed


def test_a_second_key_takes_the_place_of_the_first(tmp_path):
    one, _ = make_key(tmp_path, "codex")
    two, replaced = make_key(tmp_path, "codex")
    assert replaced
    assert client_of(tmp_path, one).origin == UNKNOWN
    assert client_of(tmp_path, two).origin == "mcp:codex"


def test_only_a_hash_is_kept_and_only_its_owner_may_read_it(tmp_path):
    key, _ = make_key(tmp_path, "codex")
    (file,) = tmp_path.iterdir()
    assert key not in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert json.loads(file.read_text()).keys() == {"codex"}


@pytest.mark.parametrize("name", ["?", "", "a b", "a/b", "mcp:x", "x" * 65, "a\nb", "../x"])
def test_a_name_that_is_no_origin_is_none(name):
    assert not NAME.fullmatch(name)


def test_a_damaged_file_of_keys_knows_nobody(tmp_path):
    key, _ = make_key(tmp_path, "codex")
    (file,) = tmp_path.iterdir()
    file.write_text("{")
    assert client_of(tmp_path, key).origin == UNKNOWN


def test_connect_prints_the_key_on_a_terminal_and_says_when_it_replaces_one(vault):
    home = vault()
    code, shown = typed(home, "connect", "--key", "claude-code")
    key, *said = shown.splitlines()
    assert code == 0
    assert re.fullmatch(r"[\w-]{43}", key)
    assert "CLAVAIRE_CLIENT_KEY" in "".join(said)
    assert client_of(home.app.folder, key).origin == "mcp:claude-code"
    code, shown = typed(home, "connect", "--key", "claude-code")
    assert code == 0
    assert client_of(home.app.folder, key).origin == UNKNOWN
    assert "ne vaut plus" in shown


def test_connect_refuses_a_program_and_a_bad_name(vault):
    home = vault()
    code, out, err = cli(home, "connect", "--key", "codex")
    assert (code, out) == (2, "")
    assert err
    code, shown = typed(home, "connect", "--key", "mcp:codex")
    assert code == 2
    assert "codex" in shown
    assert not (home.app.folder / "clients.json").exists()
