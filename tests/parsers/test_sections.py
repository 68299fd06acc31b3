import pytest

from parsers.note import scan


def section_names(text):
    return [section.name for section in scan(text).sections]


def faults(text):
    return [(fault.code, fault.line, fault.name) for fault in scan(text).faults]


def begin(name="a"):
    return f"<!-- clavaire:begin {name} -->\n"


def end(name="a"):
    return f"<!-- clavaire:end {name} -->\n"


def test_a_section_is_what_stands_between_its_two_markers():
    text = "x\n" + begin() + "\n- un\n" + end() + "y\n"
    (section,) = scan(text).sections
    assert text[section.start : section.end] == "\n- un\n"
    assert (section.begin_line, section.end_line, section.eol) == (2, 5, "\n")
    assert scan(text).section("a") == section
    assert scan(text).section("b") is None


def test_c06_a_section_takes_the_line_ending_of_its_begin_marker():
    text = "---\r\nlangue: fr\r\n---\r\nIntro\n\r\n" + begin("preferences").replace("\n", "\r\n")
    text += "- thé ^p1\r\n" + end("preferences").replace("\n", "\r\n") + "Fin"
    (section,) = scan(text).sections
    assert section.eol == "\r\n"
    assert text[section.start : section.end] == "- thé ^p1\r\n"
    assert scan("\ufeff" + begin() + end()).sections[0].start == 1 + len(begin())


def test_trailing_blanks_after_a_marker_and_no_final_newline_change_nothing():
    text = "<!-- clavaire:begin a --> \t\n<!-- clavaire:end a -->  "
    assert (section_names(text), faults(text)) == (["a"], [])


@pytest.mark.parametrize(
    "text",
    [
        "```\n" + begin() + end() + "```\n",
        "~~~\n" + begin() + end(),
        "".join("    " + line for line in (begin(), end())),
        "%%\n" + begin() + end() + "%%\n",
        "<!--\n\n" + begin() + "\n",
        "<!-- x\n" + end(),
        "> " + begin() + "> " + end(),
        "- x\n  " + begin() + "  " + end(),
        "- " + begin() + "- " + end(),
        "<div>\n" + begin() + end() + "</div>\n",
        "<pre>\n" + begin() + "\n" + end() + "</pre>\n",
        " " + begin() + " " + end(),
        begin().replace("begin", "Begin") + end().replace("end", "END"),
        "x " + begin() + "x " + end(),
        begin().replace("-->", "--> x") + end().replace("-->", "--> x"),
    ],
)
def test_a_marker_in_code_comments_quotes_items_or_html_is_none(text):
    assert (section_names(text), faults(text)) == ([], [])


def test_c01_an_example_in_a_fence_is_not_a_section():
    inner = begin("preferences") + "- exemple à ne pas lire ^ex1\n" + end("preferences")
    text = "# Mode d'emploi\n```\n" + inner + "```\n\n" + inner.replace("ex1", "p1")
    (section,) = scan(text).sections
    assert (section.begin_line, scan(text).faults) == (8, ())
    assert [found.id for found in scan(text).block_ids] == ["p1"]


def test_c02_a_section_without_its_end_freezes_the_note_at_its_line():
    text = (
        begin("preferences") + "- vélo plutôt que bus ^p1\n\n## Mes notes\n- ne pas toucher à cette liste\n"
    )
    note = scan(text)
    assert faults(text) == [("section_unclosed", 1, "preferences")]
    assert note.frozen
    assert note.section("preferences") is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (end(), [("section_end_without_begin", 1, "a")]),
        (begin() + end("b"), [("section_unclosed", 1, "a"), ("section_end_without_begin", 2, "b")]),
        (begin() + begin() + end(), [("section_unclosed", 1, "a")]),
        (begin() + end() + begin() + end(), [("section_twice", 3, "a")]),
        (begin() + begin("b") + end("b") + end(), [("section_nested", 2, "b")]),
        (
            begin() + begin("b") + end() + end("b"),
            [("section_unclosed", 2, "b"), ("section_end_without_begin", 4, "b")],
        ),
        (begin() + end() + end(), [("section_end_without_begin", 3, "a")]),
        (begin("b") + end("b") + begin(), [("section_unclosed", 3, "a")]),
    ],
)
def test_a_malformed_section_is_one_fault_at_its_line(text, expected):
    assert faults(text) == expected


def test_a_section_with_another_marker_inside_is_not_well_formed():
    assert section_names(begin() + begin("b") + end() + end("b")) == []
    assert section_names(begin() + end() + begin() + end() + begin("c") + end("c")) == ["c"]


def test_marks_of_a_git_conflict_freeze_the_note_only_together_and_outside_code():
    text = "a\n<<<<<<< HEAD\n- b\n=======\n- c\n>>>>>>> autre\n"
    assert faults(text) == [("git_conflict", 2, "")]
    assert faults(text.replace("\n", "\r\n")) == [("git_conflict", 2, "")]
    assert faults("\ufeff" + text[2:]) == [("git_conflict", 1, "")]
    assert faults("---\n<<<<<<< HEAD\na: 1\n=======\na: 2\n>>>>>>> x\n---\n") == [("git_conflict", 2, "")]
    for harmless in ("```\n" + text + "```\n", "Titre\n=======\n", text.replace("=======\n", ""), text[:-20]):
        assert faults(harmless) == []
