"""What vanished all at once and what comes of it (law 8; memory.md, rule 8)."""

import pytest

from config.paths import NAMES

FILES = {
    NAMES.profile: """Mes mots.

<!-- clavaire:begin preferences -->
- Thé sans sucre
- Réunions : le matin
<!-- clavaire:end preferences -->
"""
}


@pytest.fixture
def home(vault):
    made = vault(files=FILES)
    made.rest()
    made.clock.advance(minutes=30)
    return made


def vanish(home, how: str) -> None:
    if how == "deleted":
        home.full(NAMES.profile).unlink()
    else:
        home.write_profile({"emptied": "", "blank": "\n \n", "a mark alone": "\ufeff"}[how])


EVERY_WAY = pytest.mark.parametrize("how", ["deleted", "emptied", "blank", "a mark alone"])


@EVERY_WAY
def test_a_note_that_comes_back_to_the_byte_is_as_if_it_had_never_gone(home, how):
    before, facts = home.profile(), home.facts()
    vanish(home, how)
    home.rest()
    assert (home.facts("held"), len(home.open_cards("loss"))) == (facts, 1)
    home.clock.advance(minutes=30)
    home.write_profile(before)
    home.rest()
    assert (home.facts(), home.facts("held"), home.open_cards()) == (facts, [], [])
    assert home.profile() == before


@EVERY_WAY
def test_ticking_restore_makes_the_note_again_with_the_same_facts_and_ids(home, how):
    facts = {text: home.fact(text).id for text in home.facts()}
    vanish(home, how)
    home.rest()
    home.clock.advance(minutes=30)
    home.tick("Thé", "restore")
    home.rest()
    assert (home.facts("held"), home.open_cards()) == ([], [])
    assert {text: home.fact(text).id for text in home.facts()} == facts
    assert all(f"- {text} ^{name}\n" in home.profile() for text, name in facts.items())


@EVERY_WAY
def test_ticking_forget_forgets_and_nothing_asks_again(home, how):
    vanish(home, how)
    home.rest()
    home.tick("Thé", "forget")
    home.rest()
    assert (home.facts(), home.facts("held"), home.open_cards()) == ([], [], [])
    assert home.facts("rejected") == ["Réunions : le matin", "Thé sans sucre"]


@EVERY_WAY
def test_an_index_made_anew_meanwhile_changes_nothing_of_it(home, how):
    facts = home.facts()
    vanish(home, how)
    home.rest()
    home.drop_index()
    home.rest()
    assert (home.facts("held"), len(home.open_cards("loss"))) == (facts, 1)
    home.tick("Thé", "restore")
    home.rest()
    assert (home.facts(), home.open_cards()) == (facts, [])


def test_lines_gone_all_at_once_are_told_in_the_journal(home):
    vanish(home, "emptied")
    home.rest()
    assert "Lignes disparues d'un coup de 99_Assistant/Profil.md, gardées : « " in home.journal()


def test_a_card_about_lost_lines_quotes_the_first_line_of_each_fact(home):
    home.replace("- Thé sans sucre", "- Thé sans sucre\n\t1. jamais de lait")
    home.rest()
    vanish(home, "emptied")
    home.rest()
    (card,) = home.open_cards("loss")
    assert sorted(card.text.split("\n")) == ["Réunions : le matin", "Thé sans sucre"]
