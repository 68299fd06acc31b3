"""Where list items start and stop in a section (case C07, obsidian.md A3)."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from parsers.frame import frame_of
from parsers.items import begun, families, items, told_stop
from parsers.profile import parse
from tests.parsers.test_statements import section


def texts(content: str) -> list[str]:
    whole = section(content)
    return [spot.says.item.text for spot in parse(whole, frame_of(whole)).statements]


def test_each_bullet_at_the_margin_is_an_item():
    assert texts("- a\n- b\n* c\n+ d\n1. e\n2) f") == ["- a\n", "- b\n", "* c\n", "+ d\n", "1. e\n", "2) f\n"]


def test_children_and_continuations_belong_to_their_item():
    assert texts("- a\n  suite\n\t- enfant\n\n\t  du texte\n- b") == [
        "- a\n  suite\n\t- enfant\n\n\t  du texte\n",
        "- b\n",
    ]


def test_a_lazy_line_belongs_to_the_item_above():
    assert texts("- a\nsuite\n- b") == ["- a\nsuite\n", "- b\n"]


def test_a_paragraph_after_a_blank_line_is_the_persons():
    assert texts("- a\n\nlibre\n\n- b") == ["- a\n", "- b\n"]


@pytest.mark.parametrize(
    "free",
    [
        "```\n- code\n```",
        "~~~\n- code\n~~~",
        "    - code",
        "> - citation",
        "%%\n- commentaire\n%%",
        "<!--\n- commentaire\n-->",
        "<div>\n- html\n</div>",
        "### - titre",
        "-sans espace",
        "---",
        "- ",
        "-",
        "- - imbriqué",
        "- > citation",
        "- ```\n  code\n  ```",
        "- # titre",
    ],
)
def test_what_is_no_item_with_a_paragraph_states_nothing(free):
    assert texts(f"{free}\n\n- vrai") == ["- vrai\n"]


def test_a_fence_inside_an_item_is_the_items():
    assert texts("- a\n  ```\n- b\n  ```") != []
    assert texts("- a\n\n  ```\n  - code\n  ```\n- b") == ["- a\n\n  ```\n  - code\n  ```\n", "- b\n"]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_line_endings_and_trailing_blanks_stay_in_the_item(end):
    whole = section(f"- a  {end}- b{end}")
    assert [one.says.item.text for one in parse(whole, frame_of(whole)).statements] == [
        f"- a  {end}",
        f"- b{end}",
    ]


def test_offsets_and_lines_point_into_the_note():
    whole = "# Titre\n\n" + section("\nlibre\n\n- a\n\t- b\n\n- c ^p1")
    for spot in parse(whole, frame_of(whole)).statements:
        item = spot.says.item
        assert whole[spot.start : spot.stop] == item.text
        assert whole.split("\n")[spot.line - 1] == item.text.split("\n")[0]
        assert item.text[item.body : item.para_end] in ("a", "c ^p1")


_lines = st.sampled_from(
    [
        "- a",
        "* b",
        "+ c",
        "  suite",
        "\t- enfant",
        "paresse",
        "",
        "> q",
        "```",
        "1. un",
        "-  large",
        "   - trois",
        "# t",
    ]
)


@given(st.lists(_lines, max_size=8))
def test_items_are_those_of_commonmark(lines):
    """Parsed piece by piece, a section has the top-level items that markdown-it finds in the whole."""
    content = "\n".join(lines)
    whole = section(content)
    frame = frame_of(whole)
    if frame.faults or not frame.sections:
        return
    tokens = MarkdownIt("commonmark").parse(content + "\n")
    wanted = []
    for token, inner in pairwise(tokens):
        if token.type == "list_item_open" and token.level == 1 and inner.type == "paragraph_open":
            assert token.map
            assert inner.map
            if token.map[0] == inner.map[0]:
                wanted.append(token.map[0])
    found = [spot.line - 2 for spot in parse(whole, frame).statements]
    assert found == wanted


_MARKERS = st.sampled_from(["-", "*", "+", "1.", "2.", "10)", "- ", "*  ", "1. ", "3)\t"])


@pytest.mark.parametrize("line", ["\t- ", "  *", " +\t", "\t1.", "    12) ", "\t- \n", "\t* \r\n"])
def test_a_marker_alone_inside_an_item_is_an_item_that_is_begun(line):
    assert begun(line)


@pytest.mark.parametrize(
    "line", ["- ", "*", "\t--", "\t- a", "\t", "", "\t1", "\t---", "\t- [ ]", "\t1234567890. "]
)
def test_anything_else_is_not(line):
    assert not begun(line)


@given(_MARKERS, st.sampled_from(["\t", "  ", "   ", "    "]), st.sampled_from(["\n", "\r\n"]))
def test_a_marker_alone_ends_the_paragraph_above_it_and_states_nothing(marker, indent, eol):
    lines = [f"- Bob{eol}", f"{indent}{marker}{eol}", f"{indent}- thé{eol}", f"{indent}\t{marker}{eol}"]
    ((offset, line, item),) = items("".join(lines))
    assert (offset, line, item.text) == (0, 0, "".join(lines))
    assert item.text[item.body : item.para_end] == "Bob"
    assert item.text[: told_stop(item.text)] == "".join(lines[:3])
    (family,) = families("".join(lines))
    assert family.stop == len("".join(lines))
    assert [one.text[one.body : one.para_end] for _, _, one, _ in family.below] == ["thé"]


@given(st.lists(st.one_of(_lines, st.builds("  {}".format, _MARKERS)), max_size=8))
def test_what_is_begun_hides_no_item_and_becomes_none(lines):
    """With words after each marker alone, the same lines are items, but for these markers."""
    content = "\n".join(lines)
    said = "\n".join(f"{line.rstrip()} mot" if begun(line) else line for line in lines)
    numbers = {index for index, line in enumerate(lines) if begun(line)}
    numbered = any(line.strip()[:1].isdigit() for line in lines if begun(line))
    if not numbered:  # a number but one does not end a paragraph, whatever stands after it
        assert [line for _, line, _ in items(content)] == [
            line for _, line, _ in items(said) if line not in numbers
        ]
