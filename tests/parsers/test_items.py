"""Where list items start and stop in a section (case C07, obsidian.md A3)."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from parsers.frame import frame_of
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
