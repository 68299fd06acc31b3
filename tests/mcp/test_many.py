"""Eight servers and the daemon write in one vault at once: nothing is lost, nothing is locked, the chain holds."""

import contextlib
import itertools
import json
import signal
import subprocess
import threading
import time

import pytest

from daemon.agents.keys import make_key
from daemon.doors import doors
from tests.asking import cli
from tests.mcp.clients import Talk
from tests.terminal import ROOT, START, environ

SERVERS, LEAST = 8, 7
"""How many there are, and calls that each makes at least, however slow the machine."""
FILES = {
    f"Notes/{number:02}.md": f"# Note {number}\n\nle vélo numéro {number} dort\n" for number in range(30)
}


def calls(server, number):
    """Give one server's calls, for ever: each says something no other says."""
    for turn in itertools.count():
        name = f"{server}-{turn}"
        yield "memory_save", {"text": f"Le serveur {server} a compté jusqu'à {number + turn} ({name})"}
        yield "note_search", {"query": "vélo"}
        step = {"tool": "note_append", "args": {"path": f"Notes/{server:02}.md", "text": f"ligne {name}"}}
        yield "plan_propose", {"title": f"Plan {name}", "steps": [step]}
        texts = {"step": f"étape {name}", "services": "s", "next": "n", "context": "c"}
        yield "brain_write", texts
        yield "note_read", {"path": f"Notes/{server:02}.md"}
        yield "memory_recall", {"query": "vélo"}
        yield "run_list", {"limit": 5}


def talked(talk, server, until, done, errors):
    try:
        for tool, args in calls(server, 100):
            if time.monotonic() > until and len(done) >= LEAST:
                return
            done.append((tool, args, talk.ask(tool, args)))
    except Exception as error:  # noqa: BLE001 - a thread's fault is the test's
        errors.append(repr(error))


def write_together(home, seconds):
    """Let the daemon and eight servers work for some seconds; gives what was answered and what was said on stderr."""
    spelt = environ(home)
    daemon = subprocess.Popen(
        [*START, "run"], cwd=ROOT, env=spelt, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    keys = [make_key(home.app.folder, f"agent-{server}")[0] for server in range(SERVERS)]
    talks = [Talk(home, CLAVAIRE_CLIENT_KEY=key) for key in keys]
    for talk in talks:
        talk.begin()
    done = [[] for _ in range(SERVERS)]
    errors = []
    until = time.monotonic() + seconds
    threads = [
        threading.Thread(target=talked, args=(talk, server, until, done[server], errors))
        for server, talk in enumerate(talks)
    ]
    for thread in threads:
        thread.start()
    typing = 0
    while any(thread.is_alive() for thread in threads):
        with contextlib.suppress(OSError):
            home.put(f"Notes/{typing % 30:02}.md", f"# Note\n\nle vélo, frappe {typing}\n")
        typing += 1
        time.sleep(0.05)
    for thread in threads:
        thread.join()
    talks[-1].process.kill()  # its end is told by whoever passes next
    talks[-1].process.communicate(timeout=60)
    said = [talk.close() for talk in talks[:-1]]
    daemon.send_signal(signal.SIGTERM)
    _, heard = daemon.communicate(timeout=60)
    return [one for each in done for one in each], [*said, heard.decode()], errors


def check_together(home, seconds):
    done, said, errors = write_together(home, seconds)
    assert errors == []
    assert "locked" not in "".join(said)
    assert "Traceback" not in "".join(said), said
    failures = [one for one in done if one[2]["failed"] and one[2]["values"].get("error") != "busy"]
    assert failures == []
    home.restart()
    home.rest()
    texts = {record.body.get("text") for record in home.records() if record.op == "fact.asserted"}
    plans = {record.body.get("id") for record in home.records() if record.op == "plan.proposed"}
    wrote = [record.body.get("step") for record in home.records() if record.op == "now.written"]
    worked = [one for one in done if not one[2]["failed"]]
    assert {one["text"] for tool, one, _ in worked if tool == "memory_save"} <= texts
    assert {answer["values"]["id"] for tool, _, answer in worked if tool == "plan_propose"} <= plans
    steps = [one["step"] for tool, one, _ in worked if tool == "brain_write"]
    assert sorted(steps) == sorted(wrote)
    assert len(worked) > SERVERS * LEAST // 2
    ended = [record.body["client"] for record in home.records() if record.op == "session.ended"]
    assert sorted(ended) == [f"mcp:agent-{server}" for server in range(SERVERS)]
    check_chain(home)
    return len(worked)


def check_chain(home):
    """Hold that the register is whole and vouched for, and that a rebuilt index exports the same."""
    assert cli(home, "verify-register")[0] == 0
    _, register = doors(home.root, home.app.folder, home.settings)
    seqs = [record.seq for record in register.read().records]
    assert seqs == list(range(1, len(seqs) + 1))
    export = json.loads(cli(home, "export")[1])
    assert json.loads(home.folded()) == export
    home.drop_index()
    home.rest()
    assert json.loads(cli(home, "export")[1]) == export


@pytest.mark.timeout(300)
def test_eight_servers_and_the_daemon_write_at_once(vault):
    home = vault(files=FILES)
    home.rest()
    assert check_together(home, 8) > 0


@pytest.mark.fuzz
@pytest.mark.timeout(900)
def test_eight_servers_and_the_daemon_write_at_once_for_a_minute(vault):
    home = vault(files=FILES)
    home.rest()
    assert check_together(home, 60) > 0
