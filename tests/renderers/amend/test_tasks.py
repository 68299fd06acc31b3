"""A task is added in the style of its list, and a box changes one character."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.note import scan
from renderers.amend import Unamendable, append, task_add, task_set
from tests.renderers.amend.ranges import attempt, gains_one_range

LINES = st.sampled_from(
    [
        "", "texte", "# Un", "## Deux", "- a", "- [ ] b", "- [x] c ^id-c", "  - [/] d", "* [ ] e", "1. [ ] f",
        "2) [x] g",
        "\t- [ ] h", "> - [ ] i", "> [!todo] j", "```", "%%", "<!--", "-->", "<div>", "- [X] k 📅 2026-01-01",
        "   - [ ] l",
        "<!-- clavaire:begin a -->\n- [ ] z\n<!-- clavaire:end a -->", "```\n- [ ] y\n```",
        "%%\n- [ ] w\n%%", "- [ ] b", "-   [ ] m", "- [ ]", "  suite ^id-s",
    ]
)  # fmt: skip


@st.composite
def notes(draw):
    lines = st.one_of(LINES, LINES.filter(lambda line: line not in {"```", "%%", "<!--"}))
    text = "\n".join(draw(st.lists(lines, max_size=14)))
    text = draw(st.sampled_from(["", "\ufeff"])) + text + draw(st.sampled_from(["", "\n"]))
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


def code(call, *args, **kwargs):
    with pytest.raises(Unamendable) as raised:
        call(*args, **kwargs)
    return raised.value.code


@pytest.mark.parametrize(
    ("text", "task", "heading", "due", "new"),
    [
        ("", "x", None, None, "- [ ] x\n"),
        ("a\r\n", "x", None, None, "a\r\n\r\n- [ ] x\r\n"),
        ("a", "x", None, None, "a\n\n- [ ] x"),
        ("* [ ] a\n", "x", None, None, "* [ ] a\n* [ ] x\n"),
        ("* a\n\n\n", "x", None, None, "* a\n* [ ] x\n\n\n"),
        ("1. [ ] a\n2. [x] b\n", "x", None, None, "1. [ ] a\n2. [x] b\n3. [ ] x\n"),
        ("9) a", "x", None, None, "9) a\n10) [ ] x"),
        ("-   [ ] a\n\t- b\n", "x", None, None, "-   [ ] a\n\t- b\n-   [ ] x\n"),
        ("  - [ ] a\n", "x", None, None, "  - [ ] a\n  - [ ] x\n"),
        ("+ a\n\ntexte\n", "x", None, None, "+ a\n\ntexte\n\n+ [ ] x\n"),
        ("1. a\n\ntexte\n", "x", None, None, "1. a\n\ntexte\n\n1. [ ] x\n"),
        ("> - [ ] a\n", "x", None, None, "> - [ ] a\n\n- [ ] x\n"),
        ("# A\n- a\n\n# B\n* b\n", "x", "A", None, "# A\n- a\n- [ ] x\n\n# B\n* b\n"),
        ("# A\n\n# B\n* b\n", "x", "A", None, "# A\n\n* [ ] x\n\n# B\n* b\n"),
        ("- a\n", "x", None, "2026-12-01", "- a\n- [ ] x 📅 2026-12-01\n"),
        ("- a\n", "x ^id", None, "2026-12-01", "- a\n- [ ] x 📅 2026-12-01 ^id\n"),
    ],
)
def test_a_task_goes_on_with_the_list_that_stands_there(text, task, heading, due, new):
    assert task_add(text, task, heading, due) == new


def test_a_task_is_one_line_with_a_day_that_is_one():
    assert code(task_add, "", "a\nb") == "task_text"
    assert code(task_add, "", " ") == "task_text"
    for due in ("demain", "2026-02-30", "20261201", "2026-12-01T10:00", ""):
        assert code(task_add, "", "a", due=due) == "due"
    assert code(task_add, "```\n", "a") == "unclosed"
    assert code(task_add, "<!-- clavaire:begin a -->\n", "a") == "frozen"


@given(notes(), st.sampled_from(["x", "x ^new", "[[N]] %% y", "`"]), st.sampled_from([None, "Un", "Deux"]))
def test_a_new_task_is_the_only_thing_that_comes(text, task, heading):
    new = attempt(task_add, text, task, heading, "2026-12-01")
    if new is None:
        return
    before, after = scan(text), scan(new)
    assert len(after.tasks) == len(before.tasks) + 1
    assert [one.text for one in after.headings] == [one.text for one in before.headings]
    assert [one.name for one in after.sections] == [one.name for one in before.sections]
    assert gains_one_range(text, new)
    if "\r" in text:
        assert new.count("\n") == new.count("\r\n")


TASKS = (
    "- [ ] Appeler Zoé ^t-1\n- [x] Payer\n\t* [/] Payer ^t-2\n> - [-] Lire\n"
    "```\n- [ ] Coder\n```\n%%\n- [ ] Caché\n%%\n"
)


def test_a_task_is_named_by_its_id_or_its_exact_text_and_only_its_box_changes():
    assert task_set(TASKS, "^t-1", "done") == TASKS.replace("[ ] Appeler", "[x] Appeler")
    assert task_set(TASKS, "T-2", "todo") == TASKS.replace("[/]", "[ ]")
    assert task_set(TASKS, "Appeler Zoé", "cancelled") == TASKS.replace("[ ] Appeler", "[-] Appeler")
    assert task_set(TASKS, "Appeler Zoé ^t-1", "in_progress") == TASKS.replace("[ ] Appeler", "[/] Appeler")
    assert task_set(TASKS, "Lire", "🔥") == TASKS.replace("[-]", "[🔥]")


def test_a_task_that_is_not_one_or_not_the_only_one_is_left_alone():
    assert code(task_set, TASKS, "Payer", "done") == "task_twice"
    for name in ("Coder", "Caché", "Appeler", "^t-9", "", "^"):
        assert code(task_set, TASKS, name, "done") == "task_missing", name
    for status in ("", "fait", "]", "[", "\n", "\t", "\x07", "xx"):
        assert code(task_set, TASKS, "Lire", status) == "status", status
    section = "<!-- clavaire:begin a -->\n- [ ] Approuver\n<!-- clavaire:end a -->\n- [ ] Autre\n"
    assert code(task_set, section, "Approuver", "done") == "managed"
    assert task_set(section, "Autre", "done") == section.replace("[ ] Autre", "[x] Autre")


@given(notes(), st.sampled_from(["todo", "done", "in_progress", "cancelled", "!", "é"]), st.data())
def test_a_box_that_is_set_and_set_back_gives_the_bytes_back(text, status, data):
    tasks = scan(text).tasks
    if not tasks:
        return
    task = data.draw(st.sampled_from(tasks))
    name = f"^{task.id}" if task.id else text[task.content + 3 :].split("\n")[0].strip()
    new = attempt(task_set, text, name, status, refusals={"task_twice", "managed", "frozen", "task_missing"})
    if new is None:
        return
    changed = [at for at in range(len(text)) if text[at] != new[at]]
    assert len(new) == len(text)
    assert changed in ([], [task.content + 1])
    assert task_set(new, name, task.char) == text


@given(notes())
def test_a_task_that_was_added_can_be_named_and_ticked(text):
    new = attempt(task_add, text, "une tâche bien à elle ^elle-1")
    if new is None:
        return
    assert task_set(task_set(new, "^elle-1", "done"), "une tâche bien à elle", "todo") == new
    assert append(new, "fin").startswith(new)
