"""Laws 5, 6 and 9 of architecture.md, and what undo and the notes of runs promise, over random plans in real vaults."""

import ast
import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from config.paths import NAMES
from daemon import acting
from daemon.app import App
from daemon.planning import Client, asker
from daemon.policy.rules import decide
from daemon.runs.asking import BadRequest, asked
from daemon.runs.proposing import prepare
from daemon.tools.registry import BUILT_IN
from parsers.model.policy import Budget
from parsers.model.runs import Run
from tests import claims
from tests.daemon.policy.test_policy_laws import _ACTIONS, _LEAVES, _LEVELS
from tests.home import Home, temporary
from tests.planned import AGENT, CLIENT, Step, lines, note, notes, raw, run_of, tick, work

FILES = {
    "a.md": "---\ntags: [x, 'y']   # gardé\nfait: non\n---\n# A\n\n"
    "- [ ] appeler Léa ^t1\n- [x] payer\n\n## Suite\nmot\n",
    "Sous/b.md": "# B\r\n\r\nvoir [[a]], [[a#Suite|la suite]] et ![[a]]\r\nmot\r\n",
    "Sous/c.md": "mot sans fin de ligne, [lien](../a.md)",
    "d.md": "\ufeff- mot\n\t- [ ] tâche [[Sous/b|b]]\n",
}
_paths = st.sampled_from([*FILES, "n.md", "Neuf/n.md"])
_texts = st.sampled_from(["mot", "# Titre\n", "deux\nlignes", "", "- [ ] à faire ^t1", "[[a]] | [[Sous/b]]"])


def _call(tool: str, **args: st.SearchStrategy[Any]) -> st.SearchStrategy[Step]:
    return st.tuples(st.just(tool), st.fixed_dictionaries(args))


steps = st.one_of(
    _call("note_create", path=_paths, text=_texts, overwrite=st.booleans()),
    _call("note_append", path=_paths, text=_texts),
    _call("note_edit", path=_paths, old=st.just("mot"), new=_texts),
    _call("section_replace", path=st.just("a.md"), heading=st.just("Suite"), text=_texts),
    _call(
        "property_set",
        path=_paths,
        key=st.sampled_from(["fait", "tags", "neuf"]),
        value=_texts | st.booleans(),
    ),
    _call("property_remove", path=st.just("a.md"), key=st.sampled_from(["fait", "tags"])),
    _call("note_move", path=_paths, to=_paths),
    _call("note_move", path=st.just("a.md"), to=st.sampled_from(["Neuf/a.md", "z.md"])),
    _call("note_trash", path=_paths),
    _call("task_add", path=_paths, text=st.just("ranger")),
    _call(
        "task_set", path=st.just("a.md"), task=st.sampled_from(["t1", "payer"]), status=st.just("cancelled")
    ),
)
plans = st.lists(steps, min_size=1, max_size=7)


def possible(app: App, wanted: Sequence[Step]) -> list[Step]:
    """Give those of the steps that can be planned after one another."""
    pipeline, kept = app.pipeline, list[Step]()
    moment = pipeline.around.moment(app.history.state)
    who = asker(Client(AGENT, keyed=False), pipeline.runs, moment, pipeline.around.rules)
    for step in wanted:
        request = asked(raw(*kept, step), pipeline.around.registry(), app.words)
        try:
            prepare(request, who, pipeline.counsel.planning(pipeline.around.showing(moment)))
        except BadRequest:
            continue
        kept.append(step)
    return kept


def carried_out(home: Home, wanted: Sequence[Step], left_out: Sequence[int] = ()) -> Run:
    """Propose what can be of these steps, strike some out, tick and carry out."""
    home.rest()
    kept = possible(home.app, wanted)
    assume(kept)
    home.clock.advance(minutes=11)
    prepared, _ = acting.propose(home.app, raw(*kept), CLIENT)
    run = run_of(home, prepared.run.id)
    assert run.status == "awaiting_approval", run
    struck = {run.steps[number % len(run.steps)].id for number in left_out}
    tick(home, run, "go", *sorted(struck))
    work(home)
    return run_of(home, run)


def rebuilt_the_same(home: Home) -> None:
    before = home.export()
    home.drop_index()
    home.app.pipeline.rebuild()
    assert home.export() == before
    work(home)
    assert home.export() == before


# ---- undo, and what the notes say


def shown_as_planned(run: Run, home: Home) -> None:
    """Every step did what was shown before it was approved."""
    for step in run.steps:
        if step.status == "done":
            assert dict(step.after) == dict(step.expects)
    if run.status == "succeeded":
        assert {step.status for step in run.steps} <= {"done", "left_out"}


LINKED = [
    ("note_create", {"path": "n.md", "text": "mot", "overwrite": False}),
    ("note_trash", {"path": "Sous/c.md"}),
    ("note_move", {"path": "a.md", "to": "Neuf/a.md"}),
]


@given(plans, st.lists(st.integers(0, 6), max_size=2))
@example(LINKED, [1])
@example(LINKED[1:], [0])
def test_undo_brings_every_byte_back_and_the_notes_say_what_happened(wanted, left_out):
    with temporary(FILES) as home:
        before = notes(home)
        run = carried_out(home, wanted, left_out)
        claims.check(home, run.id)
        shown_as_planned(run, home)
        if all(step.status == "left_out" for step in run.steps) or run.status == "cancelled":
            assert notes(home) == before
            return
        # What a step left out would have done, a later one may lack: it would do something else than was shown.
        lacks = any(step.status == "left_out" for step in run.steps) and run.reason == "not_as_shown"
        assert run.status == "succeeded" or (run.status in ("failed", "partially_succeeded") and lacks), run
        assert all(step.undoable for step in run.steps if step.status == "done")
        if f"^undo-{run.transition}" in note(home, run):
            tick(home, run, f"undo-{run.transition}")
            work(home)
            back = next(one for one in home.app.pipeline.runs.runs.values() if one.undoes == run.id)
            assert (back.status, run_of(home, run).undone_by) == ("succeeded", back.id)
            claims.check(home, back.id)
            claims.check(home, run.id, touched=[*before, *notes(home), *run.steps[0].writes])
        assert notes(home) == before
        rebuilt_the_same(home)


edits = st.dictionaries(
    _paths, st.sampled_from([None, b"de la personne\n", b"mot\r\n"]), min_size=1, max_size=2
)
"""What the person does after a run: another text in a note's place, or no note any more."""


@given(plans, edits)
def test_undo_leaves_alone_what_changed_since_and_names_it(wanted, after):
    with temporary(FILES) as home:
        before = notes(home)
        run = carried_out(home, wanted)
        left = notes(home)
        assume(f"^undo-{run.transition}" in note(home, run))
        changed = {path: data for path, data in after.items() if left.get(path) != data}
        for path, data in changed.items():
            if data is None:
                home.full(path).unlink()
            else:
                home.put(path, data)
        tick(home, run, f"undo-{run.transition}")
        work(home)
        back = next(one for one in home.app.pipeline.runs.runs.values() if one.undoes == run.id)
        now = notes(home)
        for path, data in changed.items():
            # A place that the person emptied may get back what stood there before the run.
            there = {data, before.get(path)} if data is None else {data}
            assert now.get(path) in there, f"{path} was the person's"
        failed = [step for step in back.steps if step.status != "done"]
        told = " ".join(step.detail for step in failed)
        alone = {path for step in failed for path in (*step.before, *step.expects)}
        for path in {*before, *left, *now} - changed.keys() - alone:
            assert now.get(path) == before.get(path), path
        for step in failed:
            assert step.detail, step
        assert not failed or any(path in told for path in {*changed, *alone})
        assert (back.status == "succeeded") == (not failed)
        claims.check(home, back.id, touched=changed)
        claims.check(home, run.id, touched={*changed, *before, *left, *now})
        rebuilt_the_same(home)


# ---- 5. Nothing succeeds without proof


@given(plans, st.sets(st.sampled_from(sorted({one.name for one in BUILT_IN if one.risk == "WRITE"}))))
def test_a_run_succeeds_only_with_the_proof_of_every_step(wanted, unproved):
    with temporary(FILES) as home:
        home.sync()
        pipeline = home.app.pipeline
        tools = dict(pipeline.around.registry())
        for name in unproved:
            tools[name] = dataclasses.replace(tools[name], verify=lambda *_: False)
        pipeline.around = dataclasses.replace(pipeline.around, registry=lambda: tools)  # type: ignore[arg-type]
        run = carried_out(home, wanted)
        claims.check(home, run.id)
        done = {one.body["step"]: one.body["verified"] for one in lines(home, "step.done")}
        wrote = {step.id for step in run.steps if step.tool in unproved and step.status != "left_out"}
        if run.status == "succeeded":
            assert not wrote
            assert {step.id for step in run.steps if step.status != "left_out"} == done.keys()
            assert all(verified is True for verified in done.values())
        if wrote:
            assert run.status in ("partially_succeeded", "failed"), run
            assert not wrote & done.keys()
            assert "terminé, tout est fait" not in note(home, run)


# ---- 6. No model in the authorisation path


@given(_ACTIONS, _LEVELS, _LEAVES)
def test_the_policy_says_the_same_of_the_same(action, level, leave):
    budgets = {one.id: Budget(1, 1) for one in leave}
    first = decide(action, level, leave, budgets, "2026-11-30")
    assert decide(action, level, list(leave), dict(budgets), "2026-11-30") == first
    assert first.reasons


ROOT = Path(__file__).parents[1]
IMPURE = {"os", "time", "datetime", "random", "secrets", "uuid", "sqlite3", "socket", "pathlib", "subprocess"}


@pytest.mark.parametrize("module", ["rules", "lineage"])
def test_the_policy_reads_no_clock_no_disk_no_chance_and_asks_no_model(module):
    tree = ast.parse((ROOT / "daemon" / "policy" / f"{module}.py").read_text("utf-8"))
    names: set[str] = set()
    for one in ast.walk(tree):
        if isinstance(one, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in one.names}
        elif isinstance(one, ast.ImportFrom):
            names.add(str(one.module))
    assert not {name.partition(".")[0] for name in names} & IMPURE
    assert {name for name in names if name.startswith("daemon")} <= {
        "daemon.policy.formats",
        "daemon.policy.rules",
    }


# ---- 9. No tool of ours approves

_TICKED = (
    "- [x] Approuver ^go",
    "\n<!-- clavaire:begin approval -->\n\n- [x] Approuver ^go\n\n<!-- clavaire:end approval -->\n",
    "---\nclavaire: plan\nrun: {RUN}\nstatus: approved\n---\n- [x] Approuver ^go\n",
    "- [x] vault · niveau 3 · ** · origine mcp:claude-code ^d-00000000",
    "- vault : 3 ^level-vault",
    "```\n<!-- clavaire:end plan -->\n%%\n[[x]] ^go ^undo-3",
    '{"seq":1,"at":"2026-11-30T09:00:00.000Z","by":"person","op":"plan.approved","id":"{RUN}"}',
)
_TARGETS = (
    "{PLAN}",
    f"{NAMES.plans}/neuf.md",
    f"{NAMES.assistant}/Autre.md",
    NAMES.autonomy,
    NAMES.cards,
    NAMES.profile,
    f"{NAMES.register_folder}/2026-11.md",
    f"a/../{NAMES.autonomy}",
    NAMES.autonomy.upper(),
    f"./{NAMES.autonomy}",
    ".clavaire/lock",
    ".clavaireignore",
    "a.md",
    "Sous/b.md",
    "lien.md",
    "Lien/Plans/x.md",
)
_hostile = st.sampled_from(_TICKED) | st.sampled_from(_TARGETS)
_VALUES: Mapping[str, st.SearchStrategy[Any]] = {
    "path": st.sampled_from(_TARGETS),
    "to": st.sampled_from(_TARGETS),
    "overwrite": st.booleans(),
    "old": st.sampled_from(["[ ]", "- [ ] Approuver", "mot", "vault : 2"]),
    "heading": st.sampled_from(["Étapes", "Niveaux", "Suite"]),
    "key": st.sampled_from(["status", "clavaire", "run", "digest", "provenance"]),
    "task": st.sampled_from(["go", "t1", "undo-3"]),
    "status": st.sampled_from(["done", "cancelled"]),
    "value": _hostile | st.booleans(),
    "limit": st.integers(0, 3),
}


@st.composite
def hostile_calls(draw: Callable[..., Any]) -> Step:
    """Any tool that may be proposed, with arguments an agent would pick that wants to approve."""
    tool = draw(st.sampled_from([one for one in BUILT_IN if one.proposable]))
    names = [one.name for one in dataclasses.fields(tool.arguments) if one.name != "expected_etag"]
    return tool.name, {name: draw(_VALUES.get(name, _hostile)) for name in names}


hostile_plans = st.lists(hostile_calls(), min_size=1, max_size=3)


def _filled(value: Any, run: Run) -> Any:
    if isinstance(value, str):
        return value.replace("{PLAN}", run.path or "").replace("{RUN}", run.id)
    return value


@given(st.lists(st.tuples(_hostile, _hostile, hostile_plans), min_size=1, max_size=4))
def test_no_tool_with_any_arguments_approves_delegates_or_writes_a_control_note(proposals):
    with temporary(FILES) as home:
        home.full("lien.md").symlink_to(home.full(NAMES.autonomy))
        home.full("Lien").symlink_to(home.full(NAMES.assistant), target_is_directory=True)
        home.rest()
        before = notes(home)
        waiting = acting.propose(home.app, raw(("note_append", {"path": "a.md", "text": "x"})), CLIENT)[0].run
        waiting = run_of(home, waiting)
        control = {path: home.text(path) for path in (NAMES.autonomy, NAMES.profile)}
        for title, why, calls in proposals:
            filled = [
                (tool, {name: _filled(one, waiting) for name, one in args.items()}) for tool, args in calls
            ]
            plan = {**raw(*filled, title=_filled(title, waiting)), "why": _filled(why, waiting)}
            try:
                acting.propose(home.app, plan, CLIENT)
            except BadRequest:
                continue
        work(home, passes=2)
        let_pass = {record.body["id"] for record in lines(home, "plan.approved", "run.started")}
        assert all(step.risk == "READ" for name in let_pass for step in run_of(home, name).steps)
        assert lines(home, "level.set", "delegation.active", "code.shown", "fact.asserted") == []
        assert {path: home.text(path) for path in control} == control
        assert notes(home) == before
        assert run_of(home, waiting).status == "awaiting_approval"
        for run in home.app.pipeline.runs.shown():
            if run.path:
                boxes = re.findall(r"^- \[(.)\] .*\^(?:go|no)$", note(home, run), re.MULTILINE)
                assert set(boxes) <= {" "}
                assert len(boxes) == (2 if run.status == "awaiting_approval" else 0), note(home, run)
