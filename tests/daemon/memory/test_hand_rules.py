"""What the person's hand means: rules 1, 3, 4 and 5 of memory.md, one test a sentence."""

from config.paths import NAMES
from tests.asking import as_of, asked, drop_line, history, intervals, line_with, now
from tests.home import Home

PROFILE = NAMES.profile


def with_lines(vault, *lines: str, section: str = "preferences", **settings: str) -> Home:
    home: Home = vault(**settings)
    for line in lines:
        home.add_line(line, section)
    home.rest()
    return home


# memory.md rule 1


def test_a_new_line_is_a_certain_fact_of_the_person(vault):
    # memory.md rule 1; R-M11
    home = with_lines(vault, "- thé", section="goals")
    fact = home.fact("thé")
    assert (fact.source, fact.provenance, fact.confidence, fact.status) == ("user", "user", 1.0, "confirmed")
    assert (fact.kind, fact.source_ref, fact.valid_from, fact.user_id) == ("goal", PROFILE, None, "moi")
    assert line_with(home, "thé") == f"- thé ^{fact.id}"


def test_a_deleted_line_is_rejected_and_only_the_past_knows_it(vault):
    # memory.md rule 1; R-M11
    home = with_lines(vault, "- thé", "- vélo", "- train")
    home.clock.advance(days=3)
    rest = home.profile().replace(line_with(home, "thé") + "\n", "")
    drop_line(home, "thé")
    home.rest()
    fact = home.fact("thé")
    assert (fact.status, fact.retracted_at, fact.valid_to) == ("rejected", "2026-12-03T09:00:00.000Z", None)
    assert home.profile() == rest
    assert as_of(home, "2026-12-01") == ["train", "vélo"]
    assert as_of(home, "2026-12-01", known_at="2026-12-02") == ["thé", "train", "vélo"]
    assert [one["text"] for one in asked(home, "history", fact.id)] == ["thé"]
    assert [one["text"] for one in asked(home, "facts", "--status", "rejected")] == ["thé"]


def test_a_line_moved_to_another_section_keeps_id_and_history_and_changes_kind(vault):
    # memory.md rule 1
    home = with_lines(vault, "- thé", "- vélo")
    fact = home.fact("thé")
    home.clock.advance(days=3)
    home.add_line(drop_line(home, "thé"), "goals")
    outcomes = home.rest()
    assert home.state.facts[fact.id][0].kind == "goal"
    assert home.fact("thé").recorded_at == fact.recorded_at
    assert [record.op for one in outcomes for record in one.records] == ["fact.moved"]
    assert line_with(home, "thé") == f"- thé ^{fact.id}"


def test_a_line_without_its_id_found_in_another_section_is_moved_too(vault):
    # memory.md rule 1, reading (b)
    home = with_lines(vault, "- thé", "- vélo")
    fact = home.fact("thé")
    drop_line(home, "thé")
    home.add_line("- thé", "goals")
    home.rest()
    assert (home.fact("thé").id, home.fact("thé").kind) == (fact.id, "goal")


def test_a_line_moved_to_an_unmanaged_note_is_rejected(vault):
    # memory.md rule 1
    home = with_lines(vault, "- thé", "- vélo")
    home.put("Note.md", drop_line(home, "thé") + "\n")
    home.rest()
    assert home.fact("thé").status == "rejected"
    assert now(home) == ["vélo"]


def test_an_id_that_comes_back_within_the_window_cancels_the_rejection_in_any_section(vault):
    # memory.md rule 1
    home = with_lines(vault, "- thé", "- vélo")
    name = home.fact("thé").id
    home.clock.advance(days=1)
    line = drop_line(home, "thé")
    home.rest()
    home.clock.advance(minutes=9)
    home.add_line(line.replace("thé", "thé vert"), "goals")
    home.rest()
    assert [one.text for one in history(home, "thé vert")] == ["thé", "thé vert"]
    assert (home.fact("thé vert").id, home.fact("thé vert").kind) == (name, "goal")
    assert not home.open_cards()


def test_an_id_that_comes_back_after_the_window_is_asked_about(vault):
    # memory.md rules 1 and 8
    home = with_lines(vault, "- thé", "- vélo")
    line = drop_line(home, "thé")
    home.rest()
    home.clock.advance(minutes=11)
    home.add_line(line, "preferences")
    home.rest()
    (card,) = home.open_cards("returned")
    assert now(home) == ["vélo"]
    assert line in home.profile()
    home.tick("thé", "keep")
    home.rest()
    assert now(home) == ["thé", "vélo"]
    assert line_with(home, "thé") == line
    assert home.state.cards[card.id].answer == "keep"
    assert not home.open_cards()


def test_a_returned_line_that_is_refused_leaves_the_note(vault):
    # memory.md rule 8
    home = with_lines(vault, "- thé", "- vélo")
    line = drop_line(home, "thé")
    home.rest()
    home.clock.advance(minutes=11)
    home.add_line(line, "preferences")
    home.rest()
    home.tick("thé", "refuse")
    home.rest()
    assert now(home) == ["vélo"]
    assert "thé" not in home.profile()
    assert not home.open_cards()


# memory.md rule 3


def test_a_rewording_within_the_window_of_the_last_version_is_a_correction(vault):
    # memory.md rule 3
    home = with_lines(vault, "- thé sans sucre [depuis:: 2026-01]", "- vélo")
    home.clock.advance(minutes=9)
    home.replace("thé sans sucre", "thé sans miel")
    home.rest()
    home.clock.advance(minutes=9)
    home.replace("thé sans miel", "thé sans lait")
    home.rest()
    kept = [(one.text, one.valid_from, bool(one.retracted_at)) for one in history(home, "thé sans lait")]
    assert kept == [
        ("thé sans sucre", "2026-01-01", True),
        ("thé sans miel", "2026-01-01", True),
        ("thé sans lait", "2026-01-01", False),
    ]


def test_correct_forces_a_correction_whenever_it_comes(vault):
    # memory.md rule 3
    home = with_lines(vault, "- thé sans sucre [depuis:: 2026-01]", "- vélo")
    home.clock.advance(days=40)
    home.correct(home.fact("thé sans sucre").id, "thé sans sel")
    assert intervals(home, "thé sans sel") == [("thé sans sel", "2026-01-01", None)]
    assert line_with(home, "thé").startswith("- thé sans sel [depuis:: 2026-01] ^f-")


def test_a_change_of_a_few_letters_offers_to_correct_once(vault):
    # memory.md rule 3
    home = with_lines(vault, "- Médecin : Dr Delacroix, rue Haute", "- vélo", section="facts")
    home.clock.advance(days=30)
    home.replace("Delacroix", "Delacroit")
    home.rest()
    (card,) = home.open_cards("typo")
    assert "Corriger" in home.cards()
    home.clock.advance(days=30)
    home.tick("Delacroit", "correct")
    home.rest()
    text = "Médecin : Dr Delacroit, rue Haute"
    assert intervals(home, text) == [(text, None, None)]
    assert not home.open_cards()
    assert home.state.cards[card.id].status == "answered"


def test_the_offer_to_correct_is_about_the_change_it_quotes_even_after_another(vault):
    # memory.md rule 3
    home = with_lines(vault, "- Médecin : Dr Delacroix, rue Haute", "- vélo", section="facts")
    home.clock.advance(days=30)
    home.replace("Delacroix", "Delacroit")
    home.rest()
    home.clock.advance(days=30)
    home.replace("Médecin : Dr Delacroit, rue Haute", "Médecin : Dr Anselme")
    home.rest()
    if home.open_cards("typo"):
        home.tick("Delacroix", "correct")
        home.rest()
    old, new = "Médecin : Dr Delacroit, rue Haute", "Médecin : Dr Anselme"
    assert intervals(home, new) == [(old, None, "2027-01-29"), (new, "2027-01-29", None)]


# memory.md rule 4


def test_a_key_may_have_several_values_and_is_asked_about_once(vault):
    # memory.md rule 4
    home = with_lines(vault, "- Enfant : Léa", "- Enfant : Tom", section="facts")
    assert now(home) == ["Enfant : Léa", "Enfant : Tom"]
    (card,) = home.open_cards("key")
    home.tick("Tom", "both")
    home.rest()
    assert not home.open_cards()
    home.add_line("- enfant : Max")
    home.rest()
    assert len(now(home)) == 3
    assert not home.open_cards()
    assert home.state.cards[card.id].answer == "both"


def test_values_that_are_all_true_do_not_give_way_to_each_other(vault):
    # memory.md rule 4: `Les deux sont vrais` is remembered for that key
    home = with_lines(vault, "- Enfant : Léa", "- Enfant : Tom", section="facts")
    home.tick("Tom", "both")
    home.rest()
    home.clock.advance(days=1)
    home.add_line("- Enfant : Max")
    home.rest()
    drop_line(home, "Léa")
    home.rest()
    assert home.fact("Enfant : Léa").status == "rejected"
    assert home.fact("Enfant : Max").supersedes is None
    drop_line(home, "Tom")
    home.rest()
    home.remember("Enfant : Zoé")
    assert now(home) == ["Enfant : Max", "Enfant : Zoé"]


def test_the_newer_value_replaces_the_older_when_the_person_says_so(vault):
    # memory.md rule 4
    home = with_lines(vault, "- Médecin : Dr Anselme", section="facts")
    home.clock.advance(days=30)
    home.add_line("- Médecin : Dr Okoye")
    home.rest()
    home.tick("Okoye", "replace")
    home.rest()
    assert intervals(home, "Médecin : Dr Okoye") == [
        ("Médecin : Dr Anselme", None, "2026-12-30"),
        ("Médecin : Dr Okoye", "2026-12-30", None),
    ]
    assert "Anselme" not in home.profile()


def test_a_value_of_another_time_is_no_conflict(vault):
    # memory.md rule 4
    home = with_lines(
        vault,
        "- Médecin : Dr Anselme [jusqu'à:: 2025]",
        "- Médecin : Dr Okoye [depuis:: 2026]",
        section="facts",
    )
    assert not home.state.cards
    assert as_of(home, "2025-06-01") == ["Médecin : Dr Anselme"]
    assert now(home) == ["Médecin : Dr Okoye"]
    home.add_line("- Médecin : Dr Zola")
    home.rest()
    assert len(home.open_cards("key")) == 1


# memory.md rule 5


def test_the_same_text_again_reinforces_and_makes_no_second_fact(vault):
    # memory.md rule 5; R-M03
    home = with_lines(vault, "- Aime le thé", "- Dort 8 heures")
    fact = home.fact("Aime le thé")
    home.clock.advance(days=3)
    home.add_line("- aime  LE the.", "goals")
    home.rest()
    assert home.fact("Aime le thé").last_seen_at == "2026-12-03T09:00:00.000Z"
    assert len(home.state.facts) == 2
    assert line_with(home, "aime  LE the.") == "- aime  LE the."
    home.clock.advance(days=3)
    home.remember("aime le thé", "mcp:claude-code", confidence=0.3)
    again = home.fact("Aime le thé")
    assert (again.last_seen_at, again.confidence, again.source) == ("2026-12-06T09:00:00.000Z", 1.0, "user")
    assert again.id == fact.id
    assert not home.open_cards()
    home.remember("Dort 7 heures")
    home.remember("N'aime pas le thé")
    assert len(home.state.facts) == 4
