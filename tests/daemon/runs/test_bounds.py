"""A plan is bounded, tells a program of no note it did not name, and shows all that leaves."""

import dataclasses
import difflib
import time

import pytest

from config.i18n import catalogue
from daemon.runs import asking, showing
from daemon.runs.asking import BadRequest, asked
from daemon.runs.drafting import Asker
from daemon.tools.effects import Change, Effects
from daemon.tools.mailbox import Mailbox, tools_of
from parsers.model.places import NotePath
from parsers.model.policy import Decision
from tests.daemon.runs.scene import Scene

FR = catalogue("fr")
AGENT = "mcp:x"
FILES = {
    "r.md": "un\n",
    "b.md": "voir [[r]]\n",
    "Privé/dossier.md": "voir [[r]]\n",
    "t.md": "# T\n\n- [ ] a\n",
}


@pytest.fixture
def scene(tmp_path):
    made = Scene(tmp_path, FILES)
    made.runs.autonomy.levels["mail"] = 1
    made.tools |= {one.name: one for one in tools_of(Mailbox(tmp_path / "mail"))}
    return made


def plan(*steps, **more):
    return {"title": "T", "steps": [{"tool": tool, "args": args} for tool, args in steps], **more}


# ---- size


@pytest.mark.timeout(100)
@pytest.mark.parametrize(
    "unit", ["a", "0", "a.", "é", "a@", "note  ", "# a\n", "- [ ] a\n", "[[a", "`a`", "<a", " 1"]
)
@pytest.mark.parametrize("tool", ["note_append", "note_create", "note_edit", "task_add"])
def test_a_plan_of_a_large_text_is_prepared_at_once_whatever_it_says(scene, tool, unit):
    text = unit * (100_000 // len(unit))
    path = {"note_create": "new.md", "task_add": "t.md"}.get(tool, "r.md")
    args = {"path": path, "text": text} if tool != "note_edit" else {"path": path, "old": "un", "new": text}
    before = time.process_time()
    try:
        scene.propose((tool, args))
    except BadRequest as error:
        assert "tâche" in str(error)  # noqa: PT017 - a task has one line
    assert time.process_time() - before < 5


def test_a_plan_that_is_too_large_is_refused_in_one_sentence_with_its_size_and_what_to_do(scene):
    half = "é" * (asking.MOST_BYTES // 4)
    steps = [("note_create", {"path": f"{name}.md", "text": half}) for name in "ab"]
    with pytest.raises(BadRequest) as caught:
        asked(plan(*steps), scene.tools, FR)
    assert "400\u202f000" in str(caught.value)
    assert "partagez" in str(caught.value)
    assert asked(plan(steps[0]), scene.tools, FR).calls


@pytest.mark.parametrize(
    "value", [["x"] * 5001, {str(at): {} for at in range(5001)}, [[]] * 3000 + ["x"] * 3000]
)
def test_a_plan_of_too_many_values_is_refused(scene, value):
    with pytest.raises(BadRequest) as caught:
        asked(plan(("property_set", {"path": "r.md", "key": "k", "value": value})), scene.tools, FR)
    assert "5\u202f000" in str(caught.value)


@pytest.mark.parametrize("deep", [21, 300, 5000])
def test_a_plan_nested_too_deep_is_refused(scene, deep):
    value: list[object] = []
    for _ in range(deep):
        value = [value]
    with pytest.raises(BadRequest):
        asked(plan(("property_set", {"path": "r.md", "key": "k", "value": value})), scene.tools, FR)


def test_a_title_that_is_no_text_is_refused(scene):
    with pytest.raises(BadRequest):
        asked(plan(("note_trash", {"path": "r.md"}), why="\ud800"), scene.tools, FR)


def test_what_many_steps_show_is_bounded_together(scene):
    lines = "x\n" * 300
    run = scene.propose(*(("note_create", {"path": f"n{at}.md", "text": lines}) for at in range(300)))
    shown = sum(entry.count("\n") for step in run.steps for entry in step.shows)
    assert 300 < shown < 3_000


@pytest.mark.timeout(60)
def test_versions_that_differ_everywhere_are_shown_without_looking_for_the_shortest_difference():
    before, after = "a\nb\n" * 20_000, "b\nc\na\n" * 20_000
    change = Change(NotePath("n.md"), f"x\n{before}y\n".encode(), f"x\n{after}y\n".encode())
    shows = showing.lines(
        FR, "call", Effects((change,), "edit", {"path": "n.md"}), Decision("allowed", 13), None, proves=False
    )
    fence = next(entry for entry in shows if entry.startswith("```diff"))
    assert fence.split("\n")[1:4] == ["@@ -2,40000 +2,60000 @@", "-a", "-b"]


def test_versions_that_differ_in_one_place_are_compared_however_long_they_are():
    lines = [f"ligne {at}" for at in range(3000)]
    other = [*lines[:1500], "autre", *lines[1501:]]
    change = Change(NotePath("n.md"), "\n".join(lines).encode(), "\n".join(other).encode())
    shows = showing.lines(
        FR, "call", Effects((change,), "edit", {"path": "n.md"}), Decision("allowed", 13), None, proves=False
    )
    fence = next(entry for entry in shows if entry.startswith("```diff"))
    assert fence.split("\n")[1:-1] == list(difflib.unified_diff(lines, other, lineterm="", n=2))[2:]


def test_a_decision_tells_as_many_facts_as_somebody_reads(scene):
    body = " ".join(f"a{at}@example.org" for at in range(400))
    run = scene.propose(("mail_send", {"recipients": ["lea@example.org"], "subject": "s", "body": body}))
    (step,) = run.steps
    assert (len(step.reasons), step.reasons[-1][0]) == (21, "more")


# ---- what a program is told


def test_a_program_is_told_of_no_private_note_that_it_did_not_name(scene):
    run = scene.propose(("note_move", {"path": "r.md", "to": "r2.md"}), asker=Asker(AGENT, AGENT))
    (step,) = run.steps
    assert (run.status, step.rule) == ("refused", 2)
    assert step.reasons[0] == ("fault_private", "r.md, r2.md, …")
    assert "dossier" not in repr(scene.records)


@pytest.mark.parametrize("tool", ["note_trash", "note_read"])
def test_a_program_is_told_which_note_it_named_is_private(scene, tool):
    run = scene.propose((tool, {"path": "Privé/dossier.md"}), asker=Asker(AGENT, AGENT))
    assert run.steps[0].reasons[0] == ("fault_private", "Privé/dossier.md")


# ---- what leaves


def sent(scene, **args):
    run = scene.propose(
        ("mail_send", {"recipients": ["lea@example.org"], "subject": "s", "body": "b", **args})
    )
    return run.steps[0].shows


def test_a_mail_is_shown_whole_with_everyone_it_goes_to(scene):
    names = [f"{'x' * 30}{at}@example.org" for at in range(30)]
    shows = "\n".join(sent(scene, recipients=names, body="Bonjour,\n```\nle code est 12\n```\nà demain"))
    assert all(f"`{name}`" in shows for name in names)
    assert "````text\nBonjour,\n```\nle code est 12\n```\nà demain\n````" in shows
    assert "envoyé, `subject`\u00a0:\n```text\ns\n```" in shows


def test_a_long_line_of_a_mail_is_folded_and_what_cannot_be_seen_is_written_out(scene):
    shows = sent(scene, body="a" * 400 + "\u202efin")
    (fence,) = [one for one in shows if one.startswith("```") and "aaa" in one]
    assert fence.replace("\n", "") == "```text" + "a" * 400 + "\\u202efin```"


def test_a_long_mail_says_how_many_lines_are_not_shown(scene):
    shows = sent(scene, body="\n".join(f"ligne {at}" for at in range(250)))
    assert any("150 autres lignes de `body`" in one for one in shows)
    assert not any("autres lignes" in one for one in sent(scene, body="court"))


def test_what_a_third_partys_tool_is_handed_is_shown_records_and_long_values_too(scene):
    tool = dataclasses.replace(
        scene.tools["note_append"], name="x_y", third_party=True, roles={"text": "text"}
    )
    args = {"path": "p" * 200, "id": 7, "to": ["a", None], "text": "un\ndeux", "record": {"k": {"n": ["v"]}}}
    shows = "\n".join(showing.sent(FR, tool, args))
    assert "envoyé, `id`\u00a0: `7`" in shows
    assert "envoyé, `to`\u00a0: `a`, `null`" in shows
    assert f"```text\n{'p' * 160}\n{'p' * 40}\n```" in shows
    assert '```text\n{\n "k": {\n  "n": [\n   "v"\n  ]\n }\n}\n```' in shows
    assert "```text\nun\ndeux\n```" in shows


def test_what_stays_in_the_vault_is_shown_by_its_difference_alone(scene):
    run = scene.propose(
        ("note_append", {"path": "r.md", "text": "x"}), ("note_append", {"path": "b.md", "text": "y"})
    )
    assert not any("envoyé" in entry for step in run.steps for entry in step.shows)
