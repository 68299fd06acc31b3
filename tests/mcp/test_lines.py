"""Lines of stdin that are no message as the SDK reads them: none of them is left without an answer."""

import json

import pytest

from daemon.mcp_lines import mended
from tests.mcp.clients import INITIALIZE, Talk

HALF = "caf\u00e9 \ud83d"
LAST = {"jsonrpc": "2.0", "id": 99, "method": "tools/call"} | {
    "params": {"name": "note_search", "arguments": {"query": "vélo"}}
}


@pytest.fixture
def talk(vault):
    home = vault(files={"Boîte/a.md": "# A\n\nle vélo bleu \ufffd\n"})
    home.rest()
    home.close()
    talk = Talk(home)
    talk.begin()
    yield talk
    assert talk.close() == ""


def answers(talk, *lines):
    """Give what lines are answered, in order, up to the answer to a call behind them: calls are made one by one."""
    talk.process.stdin.write(b"".join(line.encode() + b"\n" for line in (*lines, json.dumps(LAST))))
    talk.process.stdin.flush()
    found = []
    while not found or found[-1]["id"] != LAST["id"]:
        line = talk.process.stdout.readline()
        assert line, "the server ended"
        found.append(json.loads(line))
    assert not found.pop()["result"]["isError"]
    return found


def call(tool, **args):
    params = {"name": tool, "arguments": args}
    return json.dumps({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": params})


@pytest.mark.parametrize(
    ("tool", "args", "failed"),
    [
        ("note_search", {"query": HALF}, False),
        ("memory_recall", {"query": HALF}, False),
        ("memory_save", {"text": HALF}, False),
        ("note_read", {"path": f"{HALF}.md"}, True),
        ("entity_resolve", {"name": HALF}, False),
        ("brain_write", {"step": HALF, "services": "", "next": "", "context": ""}, False),
        ("note_search", {"query": "a", HALF: 1}, True),
    ],
)
def test_a_call_with_half_a_character_is_answered_like_any_other(talk, tool, args, failed):
    line = call(tool, **args)
    assert "\\ud83d" in line
    (answer,) = answers(talk, line)
    assert answer["id"] == 5
    assert answer["result"]["isError"] == failed, answer


def test_half_a_character_is_read_as_the_sign_for_what_is_unknown(talk):
    (answer,) = answers(talk, call("brain_focus", text=f"écrire {HALF}"))
    assert not answer["result"]["isError"]
    (answer,) = answers(talk, call("brain_focus"))
    assert "écrire café \ufffd" in str(answer["result"]["structuredContent"])


@pytest.mark.parametrize(
    ("line", "name", "code"),
    [
        ("nonsense", None, -32700),
        ('{"jsonrpc":"2.0","id":5,"method":"ping"', None, -32700),
        ("[" * 20_000 + "]" * 20_000, None, -32700),
        (call("note_search", query="x").replace('"x"', "[" * 300 + "]" * 300), 5, -32700),
        (f'{{"half":"\\ud83d",{"[" * 300}', None, -32700),
        ("[]", None, -32600),
        ("{}", None, -32600),
        ('{"jsonrpc":"2.0","id":5,"method":5}', 5, -32600),
        ('{"jsonrpc":"2.0","id":"e","method":"ping","params":["\\ud83d"]}', "e", -32600),
    ],
)
def test_a_line_that_is_no_message_is_answered_with_an_error(talk, line, name, code):
    (answer,) = answers(talk, line)
    assert answer.keys() == {"jsonrpc", "id", "error"}
    assert (answer["id"], answer["error"]["code"]) == (name, code)


@pytest.mark.parametrize("line", ["", "  ", "\r", '{"jsonrpc":"2.0","id":5,"result":3}'])
def test_a_line_that_asks_nothing_is_not_answered(talk, line):
    assert answers(talk, line) == []


def test_a_line_before_the_first_request_is_answered_too(vault):
    talk = Talk(vault())
    talk.process.stdin.write(b"nonsense\n")
    talk.post(INITIALIZE)
    first, second = (json.loads(talk.process.stdout.readline()) for _ in range(2))
    assert (first["id"], first["error"]["code"]) == (None, -32700)
    assert second["id"] == INITIALIZE["id"]
    assert talk.close() == ""


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        (r'"\ud83d"', r'"\ufffd"'),
        (r'"\uDE00 \ud83d"', r'"\ufffd \ufffd"'),
        (r'"\ud83d\ude00"', r'"\ud83d\ude00"'),
        (r'"\ud83d\ud83d\ude00\ude00"', r'"\ufffd\ud83d\ude00\ufffd"'),
        (r'"\\ud83d \\\ud83d \n\ud83d"', r'"\\ud83d \\\ufffd \n\ufffd"'),
        (r'"\u00e9 \ue000 \uffff"', r'"\u00e9 \ue000 \uffff"'),
    ],
)
def test_only_half_a_character_that_stands_alone_is_mended(line, wanted):
    assert mended(line) == wanted
    json.loads(mended(line)).encode()
