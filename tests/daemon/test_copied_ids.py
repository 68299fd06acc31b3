"""A block id of the person's on several lines: which line is the fact, however often the note is read."""

import contextlib

import pytest

from tests.rest import check_lines, check_reading
from tests.seams import Crash, crash_at

DENTIST = "- Dentiste : Dr Martin ^p1\n"
ARROWS = (None, "register.append", "history.keep", "history.stand", "vault.write")
crashes = pytest.mark.parametrize("arrow", ARROWS)


def save(home, text, arrow=None):
    """Save Profil.md, let the pass that reads it die after an arrow, and come to rest."""
    home.write_profile(text)
    if arrow:
        crash_at(home.app, arrow, 0, after=True)
        with contextlib.suppress(Crash):
            home.sync()
        home.restart()
    home.rest()
    check_lines(home, home.profile())
    check_reading(home)
    before = home.export()
    home.drop_index()
    home.rest()
    assert home.export() == before


def pasted(text, line, section):
    return text.replace(f"<!-- clavaire:end {section} -->", f"{line}<!-- clavaire:end {section} -->")


@crashes
@pytest.mark.parametrize("section", ["preferences", "procedures", "facts"])
def test_a_line_copied_with_its_anchor_leaves_the_fact_where_it_is(vault, section, arrow):
    home = vault()
    home.add_line(DENTIST.rstrip(), "procedures")
    home.rest()
    save(home, pasted(home.profile(), DENTIST, section), arrow)
    assert home.fact("Dentiste : Dr Martin").kind == "procedure"
    assert home.profile().count(DENTIST) == 2


@crashes
def test_an_anchored_line_that_bears_the_id_of_a_line_elsewhere_is_what_its_anchor_says(vault, arrow):
    """Two copies of a line, one moved away, and an id that another line lost typed on the one that stayed."""
    home = vault()
    home.add_line(DENTIST.rstrip(), "preferences")
    home.add_line("- Aime le thé")
    home.rest()
    name = home.fact("Aime le thé").id
    stays = DENTIST.replace("^p1", f"^p1 ^{name}")
    text = home.profile().replace(f"- Aime le thé ^{name}", "- Aime le thé").replace(DENTIST, stays)
    save(home, pasted(text, DENTIST, "procedures"), arrow)
    assert home.fact("Dentiste : Dr Martin").kind == "preference"
    assert home.fact("Aime le thé").id == name
    assert home.profile().count(DENTIST) == 2


@crashes
def test_of_lines_with_one_anchor_the_one_in_the_section_of_the_fact_is_it_though_it_had_none(vault, arrow):
    home = vault()
    home.add_line("- Dentiste : Dr Martin", "procedures")
    home.rest()
    line = next(line for line in home.profile().split("\n") if line.startswith("- Dentiste"))
    text = home.profile().replace(f"{line}\n", DENTIST)
    save(home, pasted(text, DENTIST, "preferences"), arrow)
    assert (home.fact("Dentiste : Dr Martin").kind, home.fact("Dentiste : Dr Martin").anchor) == (
        "procedure",
        "p1",
    )


@crashes
def test_an_anchor_that_its_fact_loses_stays_on_the_new_line_that_bears_it(vault, arrow):
    home = vault()
    home.add_line("- Aime le thé ^p1")
    home.rest()
    save(home, home.profile().replace("- Aime le thé ^p1", "- Lit le soir ^p1\n- Aime le thé"), arrow)
    assert (home.fact("Aime le thé").anchor, home.fact("Lit le soir").anchor) == (None, "p1")
    assert "- Lit le soir ^p1\n" in home.profile()


def test_an_anchor_stays_with_a_fact_whose_line_stands_though_its_day_has_passed(vault):
    home = vault()
    home.add_line("- Régime [jusqu'à:: 2026-11-02] ^p1")
    home.add_line("- Lit le soir", "goals")
    home.rest()
    line = next(line for line in home.profile().split("\n") if line.startswith("- Lit"))
    save(home, home.profile().replace(line, "- Lit le soir ^p1"))
    assert (home.fact("Régime").anchor, home.fact("Lit le soir").anchor) == ("p1", None)
    assert "- Régime [jusqu'à:: 2026-11-02] ^p1\n" in home.profile()


def test_an_anchor_freed_by_a_command_goes_to_the_line_that_bears_it_too(vault):
    home = vault()
    home.add_line("- Aime le thé ^p1")
    home.add_line("- Lit le soir", "goals")
    home.rest()
    home.replace("- Lit le soir", "- Lit le soir ^p1")
    home.rest()
    home.forget(home.fact("Aime le thé").id)
    home.rest()
    assert home.fact("Lit le soir").anchor == "p1"
    save(home, home.profile())


@pytest.mark.parametrize("turned", [False, True])
def test_an_anchor_of_a_fact_just_deleted_is_that_of_the_fact_that_has_it_now(vault, turned):
    """In whatever order a process knows them."""
    home = vault()
    home.add_line("- Dort 8 heures ^p1")
    home.add_line("- Lit le soir", "goals")
    home.rest()
    line = next(line for line in home.profile().split("\n") if line.startswith("- Lit"))
    text = home.profile().replace("- Dort 8 heures ^p1\n", "")
    save(home, text.replace(line, "- Lit le soir ^p1"))
    facts, name = dict(home.state.facts), home.fact("Lit le soir").id
    home.state.facts = dict(reversed(facts.items())) if turned else facts
    save(home, home.profile().replace("- Lit le soir ^p1", "- Lit la nuit ^p1"))
    assert home.fact("Lit la nuit").id == name
    assert "- Lit la nuit ^p1\n" in home.profile()
