"""Cards as a person meets them: what is shown is what is recorded, and nothing goes wrong in silence."""

import re

import pytest

from config.paths import NAMES
from daemon.app import UnclosedEnd
from tests.asking import problems


def propose(home, text="Dentiste : Dr Faux", **fields):
    home.remember(text, origin="mcp:x", **fields)
    home.rest()


def test_a_proposal_shows_every_field_that_a_tick_would_record(vault):
    home = vault()
    propose(home, "Dentiste : Dr Faux [depuis:: 2019-01-01] [jusqu'à:: 2020] [sensible:: oui]")
    assert "- Dentiste : Dr Faux [depuis:: 2019-01-01] [jusqu'à:: 2020] [sensible:: oui] ^c-" in home.cards()
    home.tick("Dr Faux", "keep")
    home.rest()
    fact = home.fact("Dentiste : Dr Faux")
    assert (fact.source, fact.valid_from, fact.valid_to) == ("mcp:x", "2019-01-01", "2021-01-01")


def test_a_field_struck_out_before_the_tick_is_not_recorded(vault):
    home = vault()
    propose(home, "Dentiste : Dr Faux [depuis:: 2019-01-01]")
    home.write_cards(home.cards().replace(" [depuis:: 2019-01-01]", ""))
    home.tick("Dr Faux", "keep")
    home.rest()
    assert home.fact("Dentiste : Dr Faux").valid_from_text is None


def test_a_card_copied_below_itself_stands_once_again_and_no_tick_counted(vault):
    home = vault()
    propose(home)
    text = home.cards()
    start, stop = text.index("- Dentiste"), text.index("\n<!-- clavaire:end pending")
    block = text[start:stop]
    home.write_cards(text[:stop] + block.replace("[ ] Garder", "[x] Garder") + text[stop:])
    home.rest()
    assert home.cards() == text
    assert home.fact("Dentiste : Dr Faux").status == "pending"
    home.tick("Dr Faux", "keep")
    home.rest()
    assert home.fact("Dentiste : Dr Faux").status == "confirmed"


@pytest.mark.parametrize("first", ["> Dentiste : Dr Faux", "# Dentiste", "<!-- clavaire:fin -->"])
def test_a_ticked_card_whose_first_line_cannot_be_read_is_named_and_waits(vault, first):
    home = vault()
    propose(home)
    text = home.cards().replace("- Dentiste : Dr Faux", f"- {first}").replace("[ ] Garder", "[x] Garder")
    home.write_cards(text)
    home.rest()
    assert home.cards() == text
    assert home.fact("Dentiste : Dr Faux").status == "pending"
    assert "card_unreadable" in [code for _, _, code in problems(home)]


@pytest.mark.parametrize("after", [".", " parce que oui", "\tparce que oui", " [[Note]]"])
def test_a_tick_with_words_after_its_id_is_named_and_waits(vault, after):
    home = vault()
    propose(home)
    text = re.sub(r"\[ \] Garder(.*-keep)", rf"[x] Garder\1{after}", home.cards())
    home.write_cards(text)
    home.rest()
    assert home.cards() == text
    assert home.fact("Dentiste : Dr Faux").status == "pending"
    line = text.split("\n").index(next(one for one in text.split("\n") if "[x]" in one)) + 1
    assert (line, "card_words_after") in [(at, code) for _, at, code in problems(home)]
    home.write_cards(text.replace(after, "", 1) if after.strip() != "." else text.replace("-keep.", "-keep"))
    home.rest()
    assert home.fact("Dentiste : Dr Faux").status == "confirmed"
    assert not problems(home)


def test_a_card_reworded_with_another_id_is_still_that_card(vault):
    home = vault()
    propose(home, "Thé")
    home.write_cards(
        home.cards().replace("- Thé ^c-", "- Thé vert ^f-aaaaaaaa ^c-").replace("[ ] Garder", "[x] Garder")
    )
    home.rest()
    assert home.facts() == ["Thé vert"]


def test_cards_without_their_sections_are_a_problem_and_no_answer(vault):
    home = vault()
    propose(home, "Thé")
    home.write_cards("# Cartes\n\nplus rien\n")
    home.rest()
    assert "section_missing" in [code for _, _, code in problems(home)]
    assert not home.open_cards("proposal")[0].hidden


def test_lines_put_back_stand_in_the_order_they_stood_in(vault):
    home = vault()
    for line in ("thé", "café", "pain", "eau"):
        home.add_line(f"- {line}")
    home.rest()
    whole = home.profile()
    lines = [line for line in whole.split("\n") if line.startswith("- ")]
    start = whole.index("- thé")
    stop = whole.index("\n", whole.index("- eau")) + 1
    home.write_profile(whole[:start] + whole[stop:])
    home.rest()
    home.tick("café", "restore")
    home.rest()
    assert [line for line in home.profile().split("\n") if line.startswith("- ")] == lines


def test_a_review_date_that_has_passed_is_asked_about_in_the_pass_that_reads_it(vault):
    home = vault()
    home.rest()
    home.add_line("- Passeport [revoir:: 2025-01-01]")
    home.sync()
    assert [card.kind for card in home.open_cards()] == ["review"]


def test_init_adds_no_section_behind_an_open_fence(vault):
    home = vault(files={NAMES.profile: "```\nouvert\n"}, start=False)
    for _ in range(2):
        with pytest.raises(UnclosedEnd):
            home.init()
    assert home.profile() == "```\nouvert\n"
