"""Blocks that say nothing: a heading alone stands for the block below it, and nothing else is given (R-M05)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.paths import NAMES
from daemon.index.contents import says_something
from daemon.index.ranking import passages
from daemon.index.reader import text_of
from daemon.index.search import search
from parsers.note import outline


@pytest.mark.parametrize(
    "text",
    [
        "",
        "## Faits",
        "# Girolle #\r\n## Forêt\r\n",
        "---",
        "***\n\n___",
        "Girolle\n===",
        "Girolle\n---\n",
        "2024\n====",
        "2024-25\n---",
        "*Bilan*\n====",
        "**Bilan** 2024\n---",
        "-1 °C\n===",
        "## Faits\n\n---",
        "-",
        ">",
        "- \n- ",
        "#",
    ],
)
def test_headings_rules_and_signs_say_nothing(text):
    assert not says_something(text)


@pytest.mark.parametrize(
    "text",
    [
        "girolle",
        "## Faits\n\ngirolle",
        "- girolle\n---",
        "* girolle\n---",
        "1. girolle\n===",
        "2) girolle\n---",
        "```\n# girolle\n```",
        "~~~\n---\n~~~",
        "#girolle",
        "🍄",
        "| a |\n|---|",
        "![[a.png]]",
        "un\ndeux\n---",
        "- [ ] ",
        "    # code",
        "3",
    ],
)
def test_all_else_says_something(text):
    assert says_something(text)


@given(
    st.lists(
        st.sampled_from(["# Un\n", "### Deux #\n", "---\n", "\n", "mot\n", "- x\n", "***\n", "<!-- m -->\n"])
    )
)
def test_what_says_nothing_has_no_word_outside_headings_and_comments(lines):
    said = outline("".join(lines))
    for block in said.blocks:
        text = said.visible(block)
        if not says_something(text):
            assert "- x" not in text
            assert "mot" not in text or any(head.text == "mot" for head in said.headings)


def told(settled, query, limit=10):
    found = passages(settled.index.connection, query, limit)
    texts = text_of(settled.index.connection, [one.row for one in found])
    return [(one.path, one.line, texts[one.row]) for one in found]


def lines(settled, query):
    return [(one.path, one.line) for one in search(settled.index.connection, query)]


def test_a_heading_that_matches_gives_the_block_below_it_once(settled):
    settled.put("Bois.md", "# Bois\n## Girolles\n### Coins\nPrès du pont.\n\n## Cèpes\nSous les chênes.\n")
    settled.settle()
    assert told(settled, "girolles") == [("Bois.md", 3, "### Coins\nPrès du pont.")]
    assert lines(settled, "girolles") == [("Bois.md", 3)]


def test_a_heading_with_nothing_below_shows_its_note_and_is_no_passage(settled):
    settled.put("Bois.md", "Des arbres.\n\n# Girolles\n\n# Cèpes\nSous les chênes.\n")
    settled.put("Vide.md", "# Girolles\n")
    settled.settle()
    assert not any("Girolles" in text for _, _, text in told(settled, "girolles"))
    assert sorted(path for path, _ in lines(settled, "girolles")) == ["Bois.md", "Vide.md"]


def test_what_matches_besides_shows_the_note_rather_than_a_heading_alone(settled):
    settled.put("Bois.md", "# Coin des girolles\n\n# Autres\nLes girolles du pont, et d'autres girolles.\n")
    settled.settle()
    assert lines(settled, "coin des girolles") == [("Bois.md", 3)]


@pytest.mark.parametrize("bare", ["---", "***", "<!-- clavaire:begin facts -->", "%% girolle %%"])
def test_a_rule_or_a_marker_is_no_passage(settled, bare):
    settled.put("Bois.md", f"## Girolles\n{bare}\n- Près du pont. ^p1\n- Loin. ^p2\n{bare}\n")
    settled.settle()
    found = told(settled, "girolles pont")
    assert found
    assert all("Près" in text or "Loin" in text for _, _, text in found)
    assert all("clavaire:" not in text for _, _, text in found)


def test_as_many_are_given_as_there_are_however_many_headings_match_better(settled):
    heads = "".join(f"## Girolle {n}\n" for n in range(30))
    settled.put("Bois.md", f"{heads}\n# Fin\n")
    for n in range(5):
        settled.put(f"Note {n}.md", f"Une girolle, et bien d'autres choses dans ce bois numéro {n}.\n")
    settled.settle()
    assert len(told(settled, "girolle", 5)) == 5


def test_sections_of_ours_give_no_passage_of_their_heading(settled):
    begin, end = "<!-- clavaire:begin facts -->\n", "<!-- clavaire:end facts -->\n"
    marked = f"## Faits\n{begin}- Thé ^f-00000001\n- Café ^f-00000002\n{end}"
    empty = f"## Objectifs\n{begin}{end}".replace("facts", "goals")
    settled.put(NAMES.profile, f"# Profil\n\n{marked}\n---\n\n{empty}")
    settled.settle()
    found = {text for _, _, text in told(settled, "faits objectifs profil")}
    assert found <= {"- Thé ^f-00000001", "- Café ^f-00000002"}
