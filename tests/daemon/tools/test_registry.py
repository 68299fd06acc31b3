"""The list of tools: ours, third parties', what each declares, and arguments that are checked before anything else."""

import inspect
import json
import subprocess
import sys
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

import pytest
from pydantic import BaseModel, ConfigDict

from config.i18n import LOCALES, catalogue
from daemon.tools import mailbox, moving, notes
from daemon.tools.arguments import schema
from daemon.tools.effects import Effects, VaultLook
from daemon.tools.errors import StepFailed, ToolError, sentence
from daemon.tools.facts import action_facts
from daemon.tools.registry import BUILT_IN, GROUP, coverage, described, registry
from daemon.tools.tool import restoring, tool
from tests.daemon.tools.shared import NOTES, TOOLS, opened

ROOT = Path(__file__).parents[3]
DESIGN = {
    "note_create": ["path", "text", "overwrite?"],
    "note_append": ["path", "text", "heading?"],
    "note_edit": ["path", "old", "new"],
    "section_replace": ["path", "heading", "text"],
    "property_set": ["path", "key", "value"],
    "property_remove": ["path", "key"],
    "note_move": ["path", "to"],
    "note_trash": ["path"],
    "note_delete": ["path"],
    "task_add": ["path", "text", "heading?", "due?"],
    "task_set": ["path", "task", "status"],
    "note_read": ["path"],
    "note_search": ["query", "limit?"],
    "note_list": ["folder?", "glob?"],
    "task_list": ["folder?", "status?", "due_before?"],
    "memory_recall": ["query", "k?", "as_of?", "known_at?", "folder?"],
    "profile_get": ["kind?"],
    "entity_resolve": ["name", "context?"],
    "procedure_get": ["name?"],
    "memory_save": ["text", "kind?", "about?", "since?", "confidence?"],
    "memory_update": ["id", "text"],
    "memory_forget": ["id"],
}
"""The table of policy-and-runs.md."""


class Free(BaseModel):
    """A third party's arguments."""

    model_config = ConfigDict(extra="forbid")
    name: str
    times: int = 1


@tool("third_party", Free, inverse=None, verify=None)
def third_party(args, look):
    return Effects()


def point(name: str, value: object) -> EntryPoint:
    """An entry point that leads to an attribute of this module."""
    setattr(sys.modules[__name__], name, value)
    return EntryPoint(name, f"{__name__}:{name}", GROUP)


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    monkeypatch.setitem(sys.modules, __name__, sys.modules.get(__name__) or inspect.getmodule(importable))


def test_the_tools_and_their_arguments_are_those_of_the_design_and_every_write_may_expect_a_version():
    listed = {one.name: one for one in described(TOOLS)}
    assert set(listed) == set(DESIGN)
    for name, arguments in DESIGN.items():
        found = set(listed[name].arguments)
        writes = listed[name].domain == "vault" and listed[name].risk != "READ"
        assert found == {*arguments, *(["expected_etag?"] if writes else [])}, name


def test_every_tool_of_ours_that_writes_has_a_proof_and_says_whether_it_can_be_undone():
    assert coverage(TOOLS) == ()
    ours = [one for one in BUILT_IN if one.risk != "READ" and one.carried_by == "executor"]
    assert [one.name for one in ours if one.inverse is None] == ["note_delete"]
    memory = {name for name in DESIGN if name.startswith("memory_")} - {"memory_recall"}
    assert {one.name for one in BUILT_IN if not one.proposable} == {"note_restore", *memory}


@pytest.mark.parametrize("name", DESIGN)
def test_every_argument_of_ours_has_a_role_and_paths_decide(name):
    one = TOOLS[name]
    for argument in DESIGN[name]:
        plain = argument.removesuffix("?")
        if plain in ("path", "to", "id", "task") and one.risk != "READ":
            assert one.role(plain) == "deciding"
        elif plain in ("text", "new", "value"):
            assert one.role(plain) == "text"
    assert one.role("nobody_said") == "deciding"


def test_a_schema_can_be_given_for_every_tool():
    for one in (*BUILT_IN, third_party):
        assert json.loads(json.dumps(schema(one.arguments)))["type"] == "object"


WRONG = [
    ("note_append", {"path": "a.md"}, "argument_missing"),
    ("note_append", {"path": "a.md", "text": "x", "file": "y"}, "argument_unknown"),
    ("note_append", {"path": 3, "text": "x"}, "argument_text"),
    ("note_append", {"path": "a.md", "text": None}, "argument_text"),
    ("note_append", {"path": "a.md", "text": "x", "heading": ["y"]}, "argument_text"),
    ("note_create", {"path": "a.md", "text": "x", "overwrite": "yes"}, "argument_boolean"),
    ("note_create", {"path": "a.md", "text": "\ud800"}, "argument_wrong"),
    ("note_search", {"query": "x", "limit": "3"}, "argument_integer"),
    ("task_set", {"path": "a.md", "task": "t", "status": "maybe"}, "argument_choice"),
    ("property_set", {"path": "a.md", "key": "k", "value": 1.5}, "argument_value"),
    ("property_set", {"path": "a.md", "key": "k", "value": {"a": 1}}, "argument_value"),
    ("property_set", {"path": "a.md", "key": "k", "value": ["a", ["b"]]}, "argument_value"),
    ("note_restore", {"notes": [{"path": "a.md", "etag": ""}]}, "argument_missing"),
]


@pytest.mark.parametrize(("name", "args", "code"), WRONG)
def test_the_first_bad_argument_is_said_in_one_sentence(name, args, code):
    with pytest.raises(ToolError) as wrong:
        TOOLS[name].validated(args)
    assert wrong.value.code == code
    for locale in LOCALES:
        said = sentence(wrong.value, catalogue(locale))
        assert "\n" not in said
        assert said.endswith(".")


@pytest.mark.parametrize("value", ["x", 3, True, None, ["a", 1, None], []])
def test_a_property_takes_what_properties_hold(value):
    checked = TOOLS["property_set"].validated({"path": "a.md", "key": "k", "value": value})
    assert checked.value == value
    assert type(checked.value) is type(value)


def test_a_third_partys_arguments_may_be_a_pydantic_model():
    assert third_party.validated({"name": "x"}) == Free(name="x")
    wrongs = [
        ({}, "argument_missing"),
        ({"name": "x", "y": 1}, "argument_unknown"),
        ({"name": 1}, "argument_text"),
    ]
    for args, code in wrongs:
        with pytest.raises(ToolError) as wrong:
            third_party.validated(args)
        assert wrong.value.code == code


def test_a_third_partys_tools_come_after_ours_and_one_without_proof_is_listed():
    tools = registry(points=[point("good", lambda settings: [third_party])])
    assert list(tools)[-1] == "third_party"
    assert tools["third_party"].third_party
    assert coverage(tools) == ("third_party",)
    assert tools.problems == ()


def _fails(settings):
    raise RuntimeError("no network")


@tool("note_read", Free, inverse=None)
def usurper(args, look):
    return Effects()


@tool("brain_write", Free, domain="now", inverse=None)
def usurper_of_now(args, look):
    return Effects()


@tool("Bad name", Free, inverse=None)
def misnamed(args, look):
    return Effects()


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (_fails, "RuntimeError: no network"),
        (None, "TypeError"),
        (lambda settings: None, "TypeError"),
        (lambda settings: ["x"], "str is no Tool"),
        (lambda settings: [usurper], "note_read is another tool's name"),
        (lambda settings: [usurper_of_now], "brain_write is another tool's name"),
        (lambda settings: [misnamed], "is no tool's name"),
        (lambda settings: [third_party, third_party], "third_party is another tool's name"),
    ],
)
def test_a_broken_third_partys_tool_is_a_problem_that_names_it_and_never_a_crash(value, reason):
    gone = EntryPoint("gone", "no_such_package:tools", GROUP)
    points = [point("broken", value), gone, point("good", lambda settings: [third_party])]
    tools = registry(points=points)
    assert "third_party" in tools
    assert len(tools) == len(BUILT_IN) + 1
    assert [dict(problem.values)["entry"] for problem in tools.problems] == ["broken", "gone"]
    assert reason in dict(tools.problems[0].values)["reason"]
    for locale in LOCALES:
        assert "broken" in catalogue(locale).problem(tools.problems[0])


def test_the_mailbox_comes_in_by_the_entry_point_and_is_not_there_without_a_folder():
    assert [one.value for one in entry_points(group=GROUP) if one.name == "mailbox"] == [
        "daemon.tools.mailbox:tools"
    ]
    tools = registry()
    assert set(tools) == {one.name for one in BUILT_IN}
    assert tools.problems == ()


def test_listing_and_planning_load_no_pydantic_before_arguments_are_checked():
    program = "import sys, daemon.tools.registry as r; r.described(r.registry()); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert {"pydantic", "watchdog", "rich", "sqlite3"}.isdisjoint(done.stdout.split())


SPOKEN = (
    *("read", "same", "create.one", "create.other", "overwrite.one", "overwrite.other", "append.one"),
    *("append.other", "edit", "section", "property_set", "property_remove", "task_add", "task_set", "move"),
    *("move.one", "move.other", "move_left", "trash", "delete", "restore.one", "restore.other"),
    *("memory_save", "memory_update", "memory_forget", "mail_send"),
)


def test_whatever_effects_say_is_in_every_catalogue():
    for locale in LOCALES:
        known = [key for key in catalogue(locale).sentences if key.startswith("tool.effect.")]
        assert sorted(known) == sorted(f"tool.effect.{key}" for key in SPOKEN)
        raised = {"target_changed"}
        for module in (notes, moving, mailbox):
            raised |= {part.split('"')[0] for part in inspect.getsource(module).split('ToolError("')[1:]}
        assert raised <= {key.removeprefix("tool.error.") for key in catalogue(locale).sentences}
        assert sentence(StepFailed("a.md"), catalogue(locale)).startswith("a.md")


@pytest.mark.parametrize(
    ("name", "args", "paths", "faults"),
    [
        ("note_append", {"path": "Projet.md", "text": "x"}, ("Projet.md",), set()),
        ("note_append", {"path": "99_Assistant/Autonomie.md", "text": "x"}, None, {"managed", "assistant"}),
        (
            "note_append",
            {"path": "99_Assistant/Registre/2026-11.md", "text": "x"},
            None,
            {"managed", "assistant"},
        ),
        ("note_append", {"path": "99_Assistant/mienne.md", "text": "x"}, None, {"assistant"}),
        ("note_append", {"path": ".obsidian/app.json", "text": "x"}, None, {"managed"}),
        ("note_append", {"path": ".clavaire/lock", "text": "x"}, None, {"managed"}),
        ("note_append", {"path": "../x.md", "text": "x"}, None, {"outside"}),
        ("note_append", {"path": "Ignoré/x.md", "text": "x"}, None, {"ignored"}),
        ("note_move", {"path": "Projet.md", "to": "99_Assistant/Plans/x.md"}, None, {"managed", "assistant"}),
        ("note_read", {"path": "99_Assistant/Profil.md"}, None, {"assistant"}),
        ("note_read", {"path": ".obsidian/app.json"}, None, {"managed"}),
        ("note_search", {"query": "../x"}, (), set()),
        ("note_list", {"folder": "99_Assistant"}, None, {"assistant"}),
    ],
)
def test_the_policy_is_told_which_notes_a_call_names_and_what_is_wrong_with_them(name, args, paths, faults):
    with opened({**NOTES, ".clavaireignore": "Ignoré/\n".encode()}) as vault:
        one = TOOLS[name]
        found, wrong = action_facts(one, one.validated(args), VaultLook(vault))
    assert wrong == faults
    named = tuple(value for key, value in args.items() if key in ("path", "to", "folder"))
    assert found == (named if paths is None else paths)


def test_a_moves_paths_are_also_those_of_the_notes_whose_links_it_changes():
    with opened() as vault:
        one, look = TOOLS["note_move"], VaultLook(vault)
        args = one.validated({"path": "Projet.md", "to": "Archives/p.md"})
        paths, faults = action_facts(one, args, look, one.plan(args, look))
    assert paths == ("Projet.md", "Archives/p.md", "Index.md", "Réunions/2026-12-01.md")
    assert faults == frozenset()


def test_an_inverse_is_made_of_etags_alone():
    with opened() as vault:
        one, look = TOOLS["note_move"], VaultLook(vault)
        call = restoring(None, one.plan(one.validated({"path": "Projet.md", "to": "p.md"}), look))
    assert call.tool == "note_restore"
    assert all(set(note) <= {"path", "etag", "expected", "at"} for note in call.args["notes"])
