"""A line that came back with its id and waits on a card (rule 8): its answer is about the line as it reads by then."""

import pytest

from parsers.model.edits import Forget
from tests.rest import check_lines, check_reading


@pytest.fixture
def home(vault):
    """A fact deleted long enough ago for its id coming back to be a question."""
    home = vault()
    home.add_line("- Aime le thé vert")
    home.rest()
    home.replace(f"- Aime le thé vert ^{home.fact('Aime le thé vert').id}\n", "")
    home.rest()
    home.clock.advance(minutes=11)
    return home


def come_back(home, fields="", section="facts"):
    name = home.fact("Aime le thé vert").id
    home.add_line(f"- Aime le thé vert{fields} ^{name}", section)
    home.rest()
    assert len(home.open_cards("returned")) == 1
    return name


def check(home):
    check_lines(home, home.profile())
    check_reading(home)


@pytest.mark.parametrize("busy", [True, False])
def test_a_line_reworded_while_it_waited_is_kept_as_it_reads(home, busy):
    name = come_back(home)
    home.replace("- Aime le thé vert", "- Aime le maté")
    home.rest()
    home.tick("thé vert", "keep")
    if busy:
        home.app.pipeline.sync(None, (), {"99_Assistant/Profil.md"})
    home.rest()
    assert home.facts() == ["Aime le maté"]
    assert f"- Aime le maté ^{name}\n" in home.profile()
    check(home)


def test_a_line_that_came_back_in_another_section_or_with_a_day_is_kept_so(home):
    come_back(home, " [depuis:: 2026-01-01]", "goals")
    home.tick("thé vert", "keep")
    home.rest()
    fact = home.fact("Aime le thé vert")
    assert (fact.kind, fact.valid_from) == ("goal", "2026-01-01")
    check(home)


def test_a_line_set_aside_leaves_once_though_another_was_typed_in_the_same_pass(home):
    come_back(home)
    home.tick("thé vert", "refuse")
    home.add_line("- Autre")
    home.rest()
    assert home.facts() == ["Autre"]
    assert "thé vert" not in home.profile()
    assert home.open_cards() == []
    check(home)


def test_a_line_reworded_while_it_waited_and_set_aside_is_asked_about_as_it_reads(home):
    name = come_back(home)
    home.replace("- Aime le thé vert", "- Aime le maté")
    home.rest()
    home.tick("thé vert", "refuse")
    home.rest()
    assert [card.text for card in home.open_cards("returned")] == ["Aime le maté"]
    assert f"- Aime le maté ^{name}\n" in home.profile()
    check(home)


def test_a_second_line_with_an_id_that_came_back_is_a_fact_though_its_words_were_said_twice_before(home):
    past = home.fact("Aime le thé vert").id
    home.add_line("- Lit le soir")
    home.add_line("- Lit le soir")
    home.rest()
    name = home.fact("Lit le soir").id
    home.app.pipeline.submit([Forget(name)])
    text = home.profile().replace(f" ^{name}", "")
    home.write_profile(text.replace("- Lit le soir\n", f"- Lit le soir ^{past}\n"))
    home.rest()
    assert home.facts() == ["Lit le soir"]
    assert home.profile().count("- Lit le soir ^f-") == 2
    check(home)
