"""Text is added, exchanged or put under a heading, and every other character stays."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from parsers.note import scan
from renderers.amend import Unamendable, append, edit, section_replace
from tests.renderers.amend.ranges import attempt, gains_one_range

LINES = st.sampled_from(
    [
        "",
        "",
        "du texte",
        "une suite ^id-1",
        "# Un",
        "## Deux",
        "## Trois",
        "Souligné\n===",
        "- a",
        "  - b",
        "- [ ] tâche",
        "1. un",
        "> citation",
        "> [!note] titre",
        "| a | b |",
        "| - | - |",
        "```",
        "~~~",
        "    code",
        "%%",
        "%% en ligne %%",
        "<!-- caché -->",
        "<!--",
        "-->",
        "<div>",
        "---",
        "\t",
        "<!-- clavaire:begin faits -->",
        "<!-- clavaire:end faits -->",
        "[[Note]] `code`",
    ]
)


UNCLOSED = {"```", "~~~", "%%", "<!--", "<!-- clavaire:begin faits -->", "<!-- clavaire:end faits -->"}
WHOLE = LINES.filter(lambda line: line not in UNCLOSED) | st.sampled_from(
    [
        "```\n# code\n```",
        "%%\n# caché\n%%",
        "<!-- clavaire:begin a -->\n## Deux\n<!-- clavaire:end a -->",
        "# Un\n- a",
    ]
)


ADDED = (st.lists(WHOLE, min_size=1, max_size=4) | st.lists(LINES, min_size=1, max_size=4)).map("\n".join)


@st.composite
def notes(draw):
    eols = draw(st.sampled_from([["\n"], ["\r\n"], ["\n", "\r\n"]]))
    parts = draw(st.lists(WHOLE, max_size=14) | st.lists(WHOLE, max_size=14) | st.lists(LINES, max_size=14))
    text = "".join(part + draw(st.sampled_from(eols)) for part in "\n".join(parts).split("\n"))
    text = draw(st.sampled_from(["", "\ufeff", "---\na: 1\n---\n"])) + text
    return text.rstrip("\r\n") if draw(st.booleans()) else text


def a_heading(data, text):
    """One of the headings that may be named, with its hashes."""
    found = [one for one in scan(text).headings if not one.nested]
    assume(found)
    one = data.draw(st.sampled_from(found))
    return f"{'#' * one.level} {one.text}", one


def code(call, *args, **kwargs):
    with pytest.raises(Unamendable) as raised:
        call(*args, **kwargs)
    return raised.value.code


@pytest.mark.parametrize(
    ("text", "added", "heading", "new"),
    [
        ("", "x", None, "x\n"),
        ("\ufeff", "x", None, "\ufeffx\n"),
        ("a", "x", None, "a\n\nx"),
        ("a\n", "x\n", None, "a\n\nx\n"),
        ("a\n\n\n", "x", None, "a\n\n\nx\n"),
        ("a\r\n", "x\ny", None, "a\r\n\r\nx\r\ny\r\n"),
        ("a ^id\n", "x", None, "a ^id\n\nx\n"),
        ("---\na: 1\n---", "x", None, "---\na: 1\n---\nx"),
        ("- a\n", "- b", None, "- a\n- b\n"),
        ("- a\n", "* b", None, "- a\n\n* b\n"),
        ("- a\n", "x", None, "- a\n\nx\n"),
        ("> - a\n", "- b", None, "> - a\n\n- b\n"),
        ("|a|\n|-|\n|b|\n", "|c|", None, "|a|\n|-|\n|b|\n|c|\n"),
        ("```\n|a|\n```\n", "|c|", None, "```\n|a|\n```\n\n|c|\n"),
        ("# A\n\na\n\n# B\n", "x", "A", "# A\n\na\n\nx\n\n# B\n"),
        ("# A\n# B\n", "x", "# A", "# A\n\nx\n\n# B\n"),
        ("# A\n\n\n# B\n", "x", "A", "# A\n\nx\n\n\n# B\n"),
        ("# A\na\n## S\ns\n# B\n", "x", "a", "# A\na\n## S\ns\n\nx\n# B\n"),
        ("# A\n- a\n\nB\n==\n", "- b", "A", "# A\n- a\n- b\n\nB\n==\n"),
        ("# A\n```\n```\nB\n==\n", "x", "A", "# A\n```\n```\n\nx\n\nB\n==\n"),
        ("# A", "x", "A", "# A\n\nx"),
        ("# Été\n", "x", "E\u0301te\u0301", "# Été\n\nx\n"),
        ("> # A\n\n# A\n", "x", "A", "> # A\n\n# A\n\nx\n"),
    ],
)
def test_lines_are_added_where_asked_in_the_endings_of_their_place(text, added, heading, new):
    assert append(text, added, heading) == new


def test_nothing_is_added_where_it_would_not_be_read_as_text_of_the_note():
    for text in ("```\na", "a\n~~~\nb\n", "%%\na\n", "<!--\na", "# A\n%%\n"):
        assert code(append, text, "x") == "unclosed"
    assert code(append, "---\na: 1\n", "x") == "properties_unclosed"
    assert code(append, "<!-- clavaire:begin a -->\n", "x") == "frozen"
    assert code(append, "<<<<<<< a\n=======\n>>>>>>> b\n", "x") == "frozen"
    section = "<!-- clavaire:begin a -->\n# A\n\nx\n# B\n<!-- clavaire:end a -->\n"
    assert code(append, section, "x", "A") == "managed"
    assert append(section, "x", "B") == section + "\nx\n"


def test_nothing_is_added_that_changes_what_stands_around_it():
    assert code(append, "a", " \n") == "empty"
    assert code(append, "# A\n# B\n", "```\nx", "A") == "added_unclosed"
    assert code(append, "a\n", "%%\nx") == "added_unclosed"
    assert code(append, "", "---\na: 1\n---") == "added_breaks"
    assert code(append, "a\n", "<!-- clavaire:begin a -->\n<!-- clavaire:end a -->") == "added_breaks"
    assert append("a\n", "```\n<!-- clavaire:begin a -->\n```").endswith("-->\n```\n")


def test_a_heading_is_named_by_its_text_and_with_its_level_when_two_have_it():
    text = "# A\n\n## A\n\n# b\n"
    assert code(append, text, "x", "A") == "heading_twice"
    assert append(text, "x", "## A") == "# A\n\n## A\n\nx\n\n# b\n"
    assert code(append, text, "x", "C") == "heading_missing"
    assert append(text, "x", "B") == text + "\nx\n"
    assert code(append, "```\n# A\n```\n", "x", "A") == "heading_missing"


@given(notes(), ADDED)
def test_what_is_added_at_the_end_leaves_all_before_it_and_its_parts(text, added):
    new = attempt(append, text, added)
    if new is None:
        return
    assert new.startswith(text)
    before, after = scan(text), scan(new)
    assert after.headings[: len(before.headings)] == before.headings
    assert [one.char for one in after.tasks[: len(before.tasks)]] == [one.char for one in before.tasks]
    assert after.block_ids[: len(before.block_ids)] == before.block_ids
    assert (after.sections, after.faults) == (before.sections, ())
    if text.strip("\ufeff") and not text.endswith("\n"):
        assert not new.endswith("\n")


@given(notes(), ADDED, st.data())
def test_what_is_added_under_a_heading_is_one_range(text, added, data):
    name, _ = a_heading(data, text)
    new = attempt(append, text, added, name)
    if new is None:
        return
    assert gains_one_range(text, new)
    assert len(scan(new).headings) >= len(scan(text).headings)
    assert [one.name for one in scan(new).sections] == [one.name for one in scan(text).sections]


def test_one_wording_is_exchanged_for_another_whatever_the_endings():
    assert edit("a\r\nb\r\nc", "a\nb", "a\nx\nb") == "a\r\nx\r\nb\r\nc"
    assert edit("a\r\nb\nc", "a\nb\nc", "a\nb\nd") == "a\r\nb\nd"
    assert edit("a\nb", "a\r\nb", "c\r\nd") == "c\nd"
    assert edit("x\r\nfoo", "\nfoo", "\nbar") == "x\r\nbar"
    assert edit("\ufeffa", "a", "") == "\ufeff"
    assert edit("a(b)", "(b)", "[c]") == "a[c]"
    assert edit("---\na: 1\n---\nx", "a: 1", "a: 2") == "---\na: 2\n---\nx"


def test_a_wording_must_stand_exactly_once():
    assert code(edit, "aaa", "aa", "b") == "text_twice"
    assert code(edit, "a\nb", "a b", "c") == "text_missing"
    assert code(edit, "a", "", "c") == "text_empty"


def test_an_edit_touches_no_managed_section_and_brings_none():
    text = "avant\n<!-- clavaire:begin a -->\n- [ ] x\n<!-- clavaire:end a -->\naprès\n"
    for old in ("begin a", "- [ ] x", "end a -->", "avant\n<!--", "-->\naprès", "- [ ] x\n"):
        assert code(edit, text, old, "y") == "managed", old
    assert edit(text, "avant", "y").startswith("y\n<!--")
    assert edit(text, "après", "y").endswith("-->\ny\n")
    assert code(edit, text, "avant", "```") == "added_breaks"
    assert code(edit, text, "avant\n", "avant ") in {"added_breaks", "managed"}
    assert code(edit, text, "après", "<!-- clavaire:end a -->") == "added_breaks"
    assert code(edit, "---\na: 1\n---\n", "1", "'") == "properties_broken"
    assert code(edit, "---\na: 1\n---\n", "1\n---", "1") == "properties_broken"


PLACES = {"text_twice", "managed", "added_breaks", "properties_broken", "properties_unclosed"}


@given(notes(), st.data())
def test_an_edit_and_the_edit_back_give_the_same_bytes(text, data):
    assume(text)
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, min(len(text), start + 12)))
    old, new = text[start:end], data.draw(LINES)
    edited = attempt(edit, text, old, new)
    if edited is None:
        return
    if "\r" in old or old[0] == "\n" or not new:
        return
    at = text.index(old)
    assert edited[:at] == text[:at]
    assert edited.endswith(text[at + len(old) :])
    back = attempt(edit, edited, new, old, refusals=PLACES)
    assert back is None or back.replace("\r", "") == text.replace("\r", "")


@pytest.mark.parametrize(
    ("text", "body", "new"),
    [
        ("# A\n\na\nb\n\n## S\ns\n\n# B\n", "x\ny\n", "# A\n\nx\ny\n\n# B\n"),
        ("# A\na\n# B\n", "x", "# A\nx\n# B\n"),
        ("# A\n# B\n", "x", "# A\n\nx\n\n# B\n"),
        ("# A\r\n\r\na\r\n# B\n", "x\ny", "# A\r\n\r\nx\r\ny\r\n# B\n"),
        ("# A\na", "x", "# A\nx"),
        ("# A\na", "", "# A"),
        ("# A\r\n\r\na", "", "# A"),
        ("# A\n\na\n\n# B\n", "", "# A\n\n# B\n"),
        ("# A\n\n# B\n", "\n", "# A\n\n# B\n"),
        ("A\n===\na\n\nB\n===\n", "- x", "A\n===\n- x\n\nB\n===\n"),
        ("# A\n```\n```\nB\n==\n", "x", "# A\nx\n\nB\n==\n"),
        ("# A\na\n\n## C\n", "## S\nx", "# A\n## S\nx\n"),
    ],
)
def test_other_lines_stand_under_a_heading_and_what_is_around_stays(text, body, new):
    assert section_replace(text, "A", body) == new


def test_what_stands_under_a_heading_is_not_replaced_by_what_would_end_it():
    assert code(section_replace, "# A\na\n# B\n", "A", "# C\nc") == "heading_in_body"
    assert code(section_replace, "# A\n\n# B\n", "A", "C\n==\nc") == "heading_in_body"
    assert code(section_replace, "# A\na\n# B\n", "A", "```") == "added_unclosed"
    assert code(section_replace, "# A\n```\na", "A", "x") == "unclosed"
    section = "# A\n<!-- clavaire:begin a -->\nx\n<!-- clavaire:end a -->\n\n# B\nb\n"
    assert code(section_replace, section, "A", "x") == "managed"
    assert section_replace(section, "B", "x").endswith("# B\nx\n")


@given(notes(), st.just("") | ADDED, st.data())
def test_replacing_under_a_heading_keeps_all_before_and_all_from_the_next_one_on(text, body, data):
    name, own = a_heading(data, text)
    new = attempt(section_replace, text, name, body)
    if new is None:
        return
    before, found = scan(text), scan(new)
    after = [
        one for one in before.headings if one.start > own.start and one.level <= own.level and not one.nested
    ]
    first = "".join(before.lines[: own.end_line])
    assert new.startswith(first.rstrip("\r\n"))
    assert new.endswith(text[after[0].start :] if after else "")
    assert [one.name for one in found.sections] == [one.name for one in before.sections]
    ends = [one for one in found.headings if one.level <= own.level and not one.nested]
    assert len(ends) == sum(one.level <= own.level and not one.nested for one in before.headings)
    if "\r" not in text:
        assert "\r" not in new
