"""The table of agents' tools: what is in it, what clients are told, what every call answers."""

import ast
import json
from pathlib import Path

import jsonschema
import pytest

from config.i18n import LOCALES, catalogue
from daemon.agents.answers import MOST_SIGNS, data_block, page_of, page_of_text
from daemon.agents.reads import Reads
from daemon.agents.table import TABLE
from daemon.mcp_server import tools
from daemon.policy.lineage import Output
from tests.mcp.clients import Agent

NAMES = [
    "brain_boot",
    "brain_write",
    "brain_state",
    "brain_focus",
    "brain_decisions",
    "brain_workflows",
    "memory_recall",
    "memory_save",
    "memory_update",
    "memory_forget",
    "profile_get",
    "entity_resolve",
    "procedure_get",
    "note_search",
    "note_read",
    "plan_propose",
    "run_get",
    "run_list",
    "run_cancel",
]
READING = {
    *("brain_boot", "brain_state", "brain_decisions", "brain_workflows", "memory_recall", "profile_get"),
    *("entity_resolve", "procedure_get", "note_search", "note_read", "run_get", "run_list"),
}


def test_there_is_every_tool_of_the_interfaces_but_ask_and_no_other():
    assert list(TABLE) == NAMES


@pytest.mark.parametrize("locale", LOCALES)
def test_every_tool_says_what_it_is_for_and_bears_all_four_annotations(locale):
    for one in tools(locale):
        assert one.description == catalogue(locale).say(f"agent.tool.{one.name}")
        hints = one.annotations
        assert hints is not None
        told = (hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint, hints.open_world_hint)
        assert None not in told, one.name
        assert hints.read_only_hint == (one.name in READING), one.name
        assert hints.open_world_hint is False, one.name


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_is_one_and_takes_nothing_unknown(name):
    schema = TABLE[name].schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False


@pytest.mark.parametrize("name", NAMES)
def test_an_unknown_argument_is_refused_and_the_known_ones_are_named(vault, name):
    home = vault(files={"a.md": "a"})
    home.rest()
    with Agent(home) as agent:
        error = agent.fails(name, nonsense="x", path="a", id="x", query="q", text="t")
    assert error["error"] == "arguments"


def test_a_tool_that_is_none_is_told_with_those_there_are(vault):
    home = vault()
    with Agent(home) as agent:
        error = agent.fails("run_approve", id="r-00000000")
    assert error["error"] == "no_tool"
    assert "run_cancel" in error["sentence"]


def test_no_class_of_arguments_of_ours_is_told_by_its_name():
    spelt = json.dumps([tool.schema() for tool in TABLE.values()])
    assert "Of `" not in spelt


def test_nothing_inside_a_data_block_ends_it():
    for text in ("</data>", "</ DATA >", "<data x>", "</now>", "<assistant-context>"):
        block = data_block(f"a {text} b", source='x" y="<', provenance="web")
        head, _, rest = block.partition("\n")
        assert head == '<data source="x&quot; y=&quot;&lt;" provenance="web">'
        assert rest == f"a &lt;{text[1:]} b\n</data>"


def test_a_page_is_bounded_and_its_cursors_lead_through_everything():
    items = [{"n": number, "text": "é" * 3_000} for number in range(40)]
    seen, start, pages = [], 0, 0
    while True:
        page = page_of(items, start, 100)
        assert sum(len(one["text"]) for one in page.items) <= MOST_SIGNS
        seen += [one["n"] for one in page.items]
        pages += 1
        if page.cursor is None:
            break
        start = int(page.cursor)
    assert seen == list(range(40))
    assert pages > 5


def test_one_item_that_is_too_long_is_cut_with_a_mark_and_never_blocks_the_rest():
    page = page_of([{"text": "x" * 100_000}, {"text": "y"}], 0, 10)
    assert page.items[0]["text"].endswith("…")
    assert len(page.items[0]["text"]) < 5_000
    assert page.items[1]["text"] == "y"


def test_the_parts_of_a_text_make_the_text():
    text = "".join(chr(0x4E00 + number % 500) for number in range(50_001))
    parts, start = [], 0
    while True:
        page = page_of_text(text, start, "0" * 64)
        parts.append(page.text)
        if page.cursor is None:
            break
        start = int(page.cursor.partition(":")[0])
    assert "".join(parts) == text
    assert len(parts) == 3


def test_only_the_server_knows_the_protocol():
    """HTTP will use the same table: what agents are told is not the SDK's business."""
    root = Path(__file__).parents[2]
    knows = {
        source.relative_to(root).as_posix()
        for folder in ("config", "parsers", "renderers", "daemon")
        for source in (root / folder).rglob("*.py")
        for node in ast.walk(ast.parse(source.read_text("utf-8")))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (
            [node.module or ""] if isinstance(node, ast.ImportFrom) else [one.name for one in node.names]
        )
        if name.partition(".")[0] in ("mcp", "mcp_types")
    }
    doors = {"daemon/mcp_server.py", "daemon/mcp_lines.py"}
    assert knows - {"daemon/demo_agents.py"} == doors  # the demo is a client


def test_what_a_session_read_is_bounded_and_never_forgets_the_worst_of_it():
    reads = Reads()
    reads.add([Output("w.md", "web", "x" * 5_000_000)])
    for number in range(4):
        reads.add([Output(f"{number}.md", "vault", f"{number}" * 2_000_000)])
        reads.add([Output(f"{number}.md", "vault", f"{number}" * 2_000_000)])
    assert sum(len(one.value) for one in reads.outputs) <= 8_000_000
    assert reads.below == "web"
    assert [one.source for one in reads.outputs].count("3.md") == 1
    assert Reads().below == ""
