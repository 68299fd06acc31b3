"""Receipts: now.md given once a session, its end once, an abrupt one by whoever comes next (policy-and-runs.md)."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from config.paths import NAMES
from daemon.app import accept
from daemon.rest import caught_up
from daemon.sessions import LIVE, OVER, abandoned, left, told
from daemon.vault.locks import try_lock
from parsers.model.edits import NowGiven, NowWrite, SessionEnded
from tests.home import Home

CLIENT = "mcp:claude-code"
FIRST, LAST = "2026-11-30T08:00:00.000Z", "2026-11-30T08:20:00.000Z"
END = SessionEnded(CLIENT, "s1", FIRST, LAST, (("brain_boot", 1), ("note_read", 2)))


@pytest.fixture
def home(vault) -> Home:
    made = vault()
    made.rest()
    return made


def log(home: Home, session: str = "s1", more: str = "") -> Path:
    """Leave the log of a session that nobody writes any more."""
    path = home.app.folder / NAMES.sessions / f"{session}{LIVE}"
    path.parent.mkdir(exist_ok=True)
    lines = [
        {"session": session, "client": CLIENT, "claimed": ""},
        {"at": FIRST, "tool": "brain_boot", "code": "ok", "read": []},
        {"at": LAST, "tool": "note_read", "code": "ok", "read": []},
        {"at": LAST, "tool": "note_read", "code": "not_found", "read": []},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines) + more, "utf-8")
    return path


def ends(home: Home) -> list[dict]:
    return [dict(one.body) for one in home.records() if one.op == "session.ended"]


BODY = {
    "client": CLIENT,
    "session": "s1",
    "first": FIRST,
    "last": LAST,
    "calls": {"brain_boot": 1, "note_read": 2},
}


def test_now_is_recorded_as_given_once_a_session_and_client(home):
    given = [NowGiven(CLIENT, "s1", "e"), NowGiven(CLIENT, "s1", "f"), NowGiven("mcp:cursor", "s1", "e")]
    home.app.pipeline.submit(given)
    home.app.pipeline.submit([NowGiven(CLIENT, "s1", "e"), NowGiven(CLIENT, "s2", "e")])
    found = [(one.body["client"], one.body["session"]) for one in home.records() if one.op == "now.given"]
    assert found == [(CLIENT, "s1"), ("mcp:cursor", "s1"), (CLIENT, "s2")]
    body = next(dict(one.body) for one in home.records() if one.op == "now.given")
    assert body == {"client": CLIENT, "session": "s1", "etag": "e", "day": "2026-11-30"}


def test_a_sessions_end_is_recorded_once(home):
    home.app.pipeline.submit([END])
    home.app.pipeline.submit([END])
    assert ends(home) == [BODY]


def test_a_log_tells_first_and_last_use_and_calls_by_tool_and_a_line_that_was_cut_off_nothing(home):
    assert told(log(home)) == END
    assert told(log(home, more='{"at": "2026-11-30T09:0')) == END
    assert told(log(home, more="[1]\nnull\n\0\xff\n")) == END
    assert told(home.app.folder / "nothing") is None


def test_an_abrupt_end_is_recorded_by_the_next_pass_once_and_its_log_put_away(home):
    path = log(home)
    home.rest()
    assert ends(home) == [BODY]
    assert not path.exists()
    assert path.with_suffix(OVER).exists()
    home.drop_index()
    home.rest()
    assert ends(home) == [BODY]


def test_an_abrupt_end_is_recorded_by_the_next_session_too(home):
    log(home)
    home.app.pipeline.submit([NowGiven("mcp:cursor", "s2", "e")])
    assert ends(home) == [BODY]


def test_a_crash_after_the_end_was_recorded_records_it_no_second_time(home):
    log(home)
    home.app.pipeline.submit([END])
    home.restart()
    home.rest()
    assert ends(home) == [BODY]


def test_a_session_that_lives_is_left_alone(home):
    held = try_lock(str(log(home)))
    assert held is not None
    with held:
        assert not left(home.app.folder)
        home.rest()
        assert ends(home) == []
    assert left(home.app.folder)
    home.rest()
    assert ends(home) == [BODY]


def test_a_killed_process_is_noticed_at_once(home):
    path = log(home)
    code = f"""
import sys, time
from daemon.vault.locks import try_lock
held = try_lock({str(path)!r})
print("held", flush=True)
time.sleep(60)
"""
    child = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]
    )
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == b"held\n"
        assert abandoned(home.app.folder, ()) == ()
    finally:
        child.kill()
        child.wait(30)
        child.stdout.close()
    assert abandoned(home.app.folder, ()) == (END,)


def test_a_vault_at_rest_is_not_at_rest_while_an_end_is_to_be_recorded(home):
    def quick() -> object:
        return caught_up(home.app.vault, home.app.register, home.settings, home.clock())

    home.rest()
    assert quick() is not None
    log(home)
    assert quick() is None
    home.rest()
    assert quick() is not None


def test_a_log_without_a_call_is_put_away_unsaid(home):
    path = home.app.folder / NAMES.sessions / f"s1{LIVE}"
    path.parent.mkdir()
    path.write_bytes(b"")
    home.rest()
    assert ends(home) == []
    assert not path.exists()


def test_with_a_register_that_takes_nothing_the_log_stays(home):
    path = log(home)
    register = next(home.full(NAMES.register_folder).glob("*.md"))
    whole = register.read_bytes()
    register.write_bytes(whole.replace(b'"by":"person"', b'"by":"persona"', 1))
    assert home.sync().closed is not None
    assert path.exists()
    register.write_bytes(whole)
    home.restart()
    home.rest()
    assert ends(home) == [BODY]


def test_a_session_leaves_two_lines_in_the_register_besides_what_it_wrote(home):
    before = len(home.records())
    home.app.pipeline.submit([NowGiven(CLIENT, "s1", "e")])
    log(home)
    home.rest()
    assert [one.op for one in home.records()[before:]] == ["now.given", "session.ended"]


def test_who_read_and_never_wrote_is_known_until_somebody_writes(home):
    home.app.pipeline.submit([NowGiven(CLIENT, "s1", "e"), NowGiven("mcp:cursor", "s2", "e")])
    brain = home.state.brain
    assert [one.client for one in brain.unanswered()] == [CLIENT, "mcp:cursor"]
    assert [one.client for one in brain.unanswered("s1")] == ["mcp:cursor"]
    accept(home.app, [NowWrite("x", "", "", "", CLIENT)])
    assert home.state.brain.unanswered() == ()
    home.app.pipeline.submit([NowGiven(CLIENT, "s3", "e")])
    assert [one.session for one in home.state.brain.unanswered()] == ["s3"]
