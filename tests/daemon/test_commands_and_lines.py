"""What a command says of a fact while its line stands in a note that the person may be editing."""

import pytest

from daemon.app import open_writable
from parsers.model.edits import Correct, Forget, Remember
from tests.person import SECRET


@pytest.fixture
def home(vault):
    home = vault()
    home.add_line("- Aime le thé vert")
    home.rest()
    return home


@pytest.mark.parametrize("daemon", [True, False])
def test_a_correction_holds_when_another_line_was_typed_before_the_note_was_written(home, daemon):
    """With a daemon the command only records; without one it makes the whole pass."""
    edit = Correct(home.fact("Aime le thé vert").id, "Aime le café noir")
    home.add_line("- Autre")
    if daemon:
        command = open_writable(home.root, home.settings, home.clock)
        command.pipeline.submit([edit])
        command.close()
    else:
        home.sync((), [edit])
    home.rest()
    assert home.facts() == ["Aime le café noir", "Autre"]
    assert "- Aime le café noir ^f-" in home.profile()


def test_the_persons_hand_wins_over_a_correction_of_the_line_they_reworded_meanwhile(home):
    home.app.pipeline.submit([Correct(home.fact("Aime le thé vert").id, "Aime le café noir")])
    home.replace("Aime le thé vert", "Aime le maté")
    home.rest()
    assert home.facts() == ["Aime le maté"]


def test_a_wording_taken_back_by_hand_after_a_correction_was_shown_is_the_persons(home):
    home.correct(home.fact("Aime le thé vert").id, "Aime le café noir")
    home.rest()
    home.replace("Aime le café noir", "Aime le thé vert")
    home.rest()
    assert home.facts() == ["Aime le thé vert"]


def test_a_corrected_day_is_written_on_the_line_and_stays(home):
    home.correct(home.fact("Aime le thé vert").id, "Aime le thé vert [depuis:: 2026-09-01]")
    assert "- Aime le thé vert [depuis:: 2026-09-01] ^f-" in home.profile()
    home.add_line("- Autre")
    home.rest()
    home.drop_index()
    home.rest()
    assert home.fact("Aime le thé vert").valid_from == "2026-09-01"


@pytest.mark.parametrize("what", ["forget", "correct", "remember"])
@pytest.mark.parametrize("typing", [True, False])
def test_lines_that_say_a_fact_again_leave_with_it(vault, what, typing):
    home = vault()
    for line in ("- Dentiste : Dr Roux", "- dentiste : Dr Roux.", "- Autre"):
        home.add_line(line)
    home.rest()
    name = home.fact("Dentiste : Dr Roux").id
    if typing:
        home.add_line("- Encore")
    told = {
        "forget": Forget(name),
        "correct": Correct(name, "Dentiste : Dr Pic"),
        "remember": Remember("Dentiste : Dr Pic", "fact", "person"),
    }
    home.app.pipeline.submit([told[what]])
    home.rest()
    assert "Roux" not in home.profile()
    assert home.facts() == sorted(
        ["Autre", *["Encore"] * typing, *["Dentiste : Dr Pic"] * (what != "forget")]
    )
    before = home.export()
    home.drop_index()
    home.rest()
    assert home.export() == before


def test_a_proposal_that_the_person_writes_themselves_is_their_word_with_its_fields(vault):
    home = vault()
    home.remember("Aime le thé", "mcp:x")
    home.add_line("- aime le thé. [depuis:: 2026-09-01] ^p1")
    home.rest()
    fact = home.fact("aime le thé.")
    assert (fact.source, fact.confidence, fact.valid_from, fact.anchor) == ("user", 1.0, "2026-09-01", "p1")
    assert home.open_cards() == []


def test_no_command_card_or_question_carries_a_secret_into_the_register(home):
    name = home.fact("Aime le thé vert").id
    home.remember(f"Jeton : {SECRET}")
    home.remember(f"Autre jeton : {SECRET}", "mcp:x")
    home.correct(name, f"Clé {SECRET}")
    home.replace("<!-- clavaire:begin facts -->", f"- à côté {SECRET}\n<!-- clavaire:begin facts -->")
    home.rest()
    assert any(card.kind == "stray" for card in home.open_cards())
    assert all(SECRET.encode() not in record.raw for record in home.records())
    assert SECRET not in home.cards() + home.journal()


def test_cartes_and_profil_are_made_again_when_they_are_gone_and_the_index_too(vault):
    home = vault()
    home.add_line("- Dort 8 heures")
    home.remember("Aime le thé", "mcp:x")
    home.rest()
    for path in home.full("99_Assistant").glob("*.md"):
        path.unlink()
    home.drop_index()
    home.rest()
    assert "- Dort 8 heures ^f-" in home.profile()
    assert "- Aime le thé ^c-" in home.cards()


def test_a_returned_line_that_was_refused_leaves_whatever_it_says_and_is_not_asked_about_again(home):
    fact = home.fact("Aime le thé vert")
    home.forget(fact.id)
    home.rest()
    home.add_line(f"- Aime le thé noir ^{fact.id}")
    home.rest()
    assert len(home.open_cards("returned")) == 1
    home.tick("thé noir", "refuse")
    home.rest()
    assert "thé noir" not in home.profile()
    home.add_line("- Autre")
    home.rest()
    assert home.open_cards() == []
    assert home.facts() == ["Autre"]


def test_an_anchored_line_leaves_with_its_fact_though_the_note_was_edited_in_the_same_pass(vault):
    home = vault()
    home.add_line("- Dentiste : Dr Petit ^p1")
    home.remember("Dentiste : Dr Roux", "mcp:x")
    home.rest()
    home.tick("Dr Roux", "keep")
    home.add_line("- Autre")
    home.rest()
    assert home.facts() == ["Autre", "Dentiste : Dr Roux"]
    assert "Petit" not in home.profile()
    assert home.open_cards() == []


def test_a_fact_whose_id_was_stripped_stays_in_its_section_though_another_says_it_too(home):
    name = home.fact("Aime le thé vert").id
    home.replace(f" ^{name}", "")
    home.add_line("- Aime le thé vert", "preferences")
    home.rest()
    fact = home.fact("Aime le thé vert")
    assert (fact.id, fact.kind) == (name, "fact")
    assert f"- Aime le thé vert ^{name}\n<!-- clavaire:end facts -->" in home.profile()
    assert "- Aime le thé vert\n<!-- clavaire:end preferences -->" in home.profile()


def test_an_anchor_that_its_fact_lost_goes_to_the_other_line_that_bears_it(vault):
    home = vault()
    for line in ("- Aime le thé ^p1", "- Lit le soir", "- Autre"):
        home.add_line(line)
    home.rest()
    home.replace("- Lit le soir", "- Lit le soir ^p1")
    home.rest()
    assert (home.fact("Aime le thé").anchor, home.fact("Lit le soir").anchor) == ("p1", None)
    home.replace("- Aime le thé ^p1\n", "")
    home.rest()
    assert home.fact("Lit le soir").anchor == "p1"
    before = home.export()
    home.drop_index()
    home.rest()
    assert home.export() == before


def test_a_fact_corrected_into_what_another_says_is_no_second_fact(home):
    home.add_line("- Aime le thé")
    home.add_line("- Aime le thé", "goals")
    home.rest()
    home.correct(home.fact("Aime le thé vert").id, "aime le thé.")
    home.rest()
    assert home.facts() == ["Aime le thé"]
    assert "vert" not in home.profile()
    assert home.profile().count("- Aime le thé") == 2


def test_a_fact_revived_by_a_line_below_the_one_that_came_back_with_its_id_stands_in_the_latter(vault):
    home = vault()
    home.add_line("- Dort 8 heures", "preferences")
    home.add_line("- Autre")
    home.rest()
    before = home.profile()
    line = next(line for line in before.split("\n") if line.startswith("- Dort"))
    home.replace(f"{line}\n", "")
    home.rest()
    home.clock.advance(minutes=11)
    home.write_profile(before)
    home.add_line("- Dort 8 heures", "procedures")
    home.rest()
    assert home.fact("Dort 8 heures").kind == "preference"
    assert f"{line}\n" in home.profile()


def test_of_two_lines_with_one_anchor_the_one_that_says_the_fact_is_meant(vault):
    home = vault()
    home.add_line("- Enfant : Tom", "goals")
    home.rest()
    home.add_line("- Dentiste : Dr Roux ^p1")
    home.rest()
    home.add_line("- Enfant : Tom ^p1", "decisions")
    home.rest()
    name = home.fact("Dentiste : Dr Roux").id
    home.correct(name, "Dentiste : Dr Pic")
    home.rest()
    assert "- Dentiste : Dr Pic ^p1\n" in home.profile()
    assert home.facts() == ["Dentiste : Dr Pic", "Enfant : Tom"]
    home.drop_index()
    home.rest()
    assert home.facts() == ["Dentiste : Dr Pic", "Enfant : Tom"]


def test_a_line_that_came_back_waits_for_its_answer_and_is_no_other_facts(vault):
    home = vault()
    home.add_line("- Dort 8 heures", "decisions")
    home.add_line("- Autre")
    home.rest()
    before, name = home.profile(), home.fact("Dort 8 heures").id
    home.forget(name)
    home.rest()
    home.app.pipeline.submit([Remember("Dort 8 heures", "goal", "person")])
    home.write_profile(before)
    home.rest()
    assert f"- Dort 8 heures ^{name}\n" in home.profile()
    assert home.profile().count("- Dort 8 heures ^f-") == 2
    assert len(home.open_cards("returned")) == 1
    before = home.export()
    home.drop_index()
    home.rest()
    assert home.export() == before
