"""Faults met by others where lines are read, learned or compared wrongly (cases C07 to C10)."""

import os

from config.paths import NAMES
from tests.asking import asked, history, known_by, line_with, now, problems
from tests.home import Home

PROFILE = NAMES.profile

C07 = """\
<!-- clavaire:begin preferences -->
- pas de réunion
avant dix heures ^p1
- courriels courts ^p2
<!-- clavaire:end preferences -->
"""


def stamp(home: Home, path: str = PROFILE) -> tuple[bytes, int, int]:
    status = home.full(path).stat()
    return home.full(path).read_bytes(), status.st_mtime_ns, status.st_ino


def test_c07_a_line_below_an_item_is_the_items_and_the_end_tag_is_not(vault):
    home = vault()
    home.write_profile(C07)
    before = stamp(home)
    home.rest()
    said = {fact["anchor"]: fact["text"] for fact in asked(home, "facts")}
    assert said == {"p1": "pas de réunion avant dix heures", "p2": "courriels courts"}
    assert "clavaire:" not in home.export()
    assert stamp(home) == before
    home.remember("marche le soir", kind="preference")
    new = home.fact("marche le soir")
    assert home.profile() == C07.replace("^p2\n", f"^p2\n- marche le soir ^{new.id}\n")


def test_c07_an_item_in_two_lines_without_an_id_gets_it_at_the_end_of_its_paragraph(vault):
    home = vault()
    home.write_profile(C07.replace(" ^p1", "").replace(" ^p2", "\n\t1. au plus trois lignes\n"))
    home.rest()
    first, second = (
        home.fact("pas de réunion avant dix heures"),
        home.fact("courriels courts\n\t1. au plus trois lignes"),
    )
    assert home.profile() == C07.replace("^p1", f"^{first.id}").replace(
        "^p2", f"^{second.id}\n\t1. au plus trois lignes\n"
    )


def test_c08_what_the_assistant_wrote_is_not_learned_again(vault):
    # memory.md rule 12; R-M08
    home = vault()
    home.remember("préfère le train", "mcp:claude-code", "preference", confidence=0.6)
    home.tick("préfère le train", "keep")
    home.rest()
    fact = home.fact("préfère le train")
    written = stamp(home)
    records = len(home.records())
    assert f"- préfère le train ^{fact.id}\n" in home.profile()
    for turn in range(3):
        home.restart()
        home.rest()
        os.utime(home.full(PROFILE), ns=(0, written[1] + (turn + 1) * 10**9))
        home.rest()
        home.clock.advance(minutes=11)
    assert now(home) == ["préfère le train"]
    assert (fact.source, fact.provenance, fact.confidence) == ("mcp:claude-code", "mcp:claude-code", 0.6)
    assert home.fact("préfère le train") == fact
    assert len(home.state.facts) == 1
    assert len(home.records()) == records
    assert stamp(home)[::2] == written[::2]
    assert stamp(home)[1] == written[1] + 3 * 10**9
    assert home.journal().count("préfère le train") == 1
    assert not home.open_cards()


def test_c08_a_proposal_made_of_what_clavaire_rendered_is_no_evidence(vault):
    # memory.md rule 12
    home = vault()
    home.add_line("- préfère le train", "preferences")
    home.rest()
    fact = home.fact("préfère le train")
    home.clock.advance(days=1)
    for line in (
        line_with(home, "train"),
        home.journal().split("\n- ")[1],
        "<!-- clavaire:begin goals --> vélo",
    ):
        home.remember(line, "mcp:claude-code")
    assert home.fact("préfère le train") == fact
    assert len(home.state.facts) == 1
    assert not home.open_cards()


C09 = """\
<!-- clavaire:begin preferences -->
- accepte les appels le dimanche ^p1
<!-- clavaire:end preferences -->
"""
YES, NO = "accepte les appels le dimanche", "n'accepte pas les appels le dimanche"


def test_c09_a_negation_stands_beside_what_it_denies_until_the_person_decides(vault):
    # memory.md rule 6
    home = vault()
    home.write_profile(C09)
    home.rest()
    home.clock.advance(days=1)
    home.write_profile(home.profile().replace("^p1\n", f"^p1\n- {NO}\n"))
    home.rest()
    new = home.fact(NO)
    assert now(home) == sorted([YES, NO])
    assert new.id != home.fact(YES).id
    assert home.profile() == C09.replace("^p1\n", f"^p1\n- {NO} ^{new.id}\n")
    (card,) = home.open_cards()
    assert (card.kind, card.subjects) == ("contradiction", (home.fact(YES).id, new.id))
    assert YES in home.cards()
    assert NO in home.cards()
    home.restart()
    home.sync()
    home.replace(f" ^{new.id}", f"  ^{new.id}")
    home.rest()
    assert [one.id for one in home.open_cards()] == [card.id]
    home.clock.advance(days=1)
    home.replace(f"- {YES} ^p1\n", "")
    home.rest()
    assert now(home) == [NO]
    old = home.fact(YES)
    assert (old.status, old.retracted_at) == ("rejected", home.records()[-2].at)
    assert [one.text for one in history(home, YES)] == [YES]
    assert not home.open_cards()
    for moment in {record.at for record in home.records()}:
        subject = [f for v in known_by(home, moment + "~").facts.values() for f in v if "dimanche" in f.text]
        assert not subject or any(f.status == "confirmed" and not f.retracted_at for f in subject)


def test_c09_an_explicit_answer_closes_the_older_side(vault):
    home = vault()
    home.write_profile(C09)
    home.rest()
    home.clock.advance(days=1)
    home.write_profile(home.profile().replace("^p1\n", f"^p1\n- {NO}\n"))
    home.rest()
    home.tick(YES, "replace")
    home.rest()
    assert now(home) == [NO]
    assert home.fact(YES).valid_to == "2026-12-01"
    assert home.fact(NO).supersedes == home.fact(YES).id
    assert home.profile() == C09.replace(f"{YES} ^p1", f"{NO} ^{home.fact(NO).id}")


C10 = """\
<!-- clavaire:begin preferences -->
- café noir ^p1
- café noir le matin, tisane le soir ^p1
<!-- clavaire:end preferences -->
"""


def test_c10_a_line_copied_with_its_id_is_a_second_fact(vault):
    home = vault()
    home.write_profile(C10.replace("- café noir le matin, tisane le soir ^p1\n", ""))
    home.rest()
    first = home.fact("café noir")
    home.clock.advance(days=1)
    home.write_profile(C10)
    written = [path for outcome in home.rest() for path in outcome.written if path == PROFILE]
    second = home.fact("café noir le matin, tisane le soir")
    assert len(written) == 1
    assert home.profile() == C10.replace("soir ^p1", f"soir ^{second.id}")
    assert home.fact("café noir") == first
    assert first.anchor == "p1"
    assert second.anchor is None
    assert asked(home, "history", "^p1") == asked(home, "history", first.id)
    assert all(fact.status == "confirmed" for versions in home.state.facts.values() for fact in versions)
    before = stamp(home)
    assert not home.rest()
    assert stamp(home) == before


def test_c10_both_copies_met_at_once_are_two_facts_too(vault):
    home = vault()
    home.write_profile(C10)
    home.rest()
    second = home.fact("café noir le matin, tisane le soir")
    assert home.profile() == C10.replace("soir ^p1", f"soir ^{second.id}")
    assert home.fact("café noir").anchor == "p1"


def test_c10_one_of_our_ids_copied_is_a_second_fact_too(vault):
    home = vault()
    home.add_line("- café noir", "preferences")
    home.rest()
    line = line_with(home, "café noir")
    home.replace(line, f"{line}\n{line.replace('noir', 'noir le matin, tisane le soir')}")
    home.rest()
    second = home.fact("café noir le matin, tisane le soir")
    assert line in home.profile()
    assert f"- café noir le matin, tisane le soir ^{second.id}\n" in home.profile()
    assert second.id not in line


def test_an_id_that_an_enter_carried_down_goes_back_to_its_text(vault):
    home = vault()
    home.add_line("- thé", "preferences")
    home.rest()
    tea = home.fact("thé")
    home.clock.advance(days=1)
    home.replace(f"- thé ^{tea.id}", f"- thé\n- café ^{tea.id}")
    outcomes = home.rest()
    coffee = home.fact("café")
    assert home.fact("thé") == tea
    assert coffee.id != tea.id
    assert coffee.supersedes is None
    assert f"- thé ^{tea.id}\n- café ^{coffee.id}\n" in home.profile()
    assert [path for one in outcomes for path in one.written].count(PROFILE) == 1
    assert [record.op for one in outcomes for record in one.records] == ["fact.asserted"]
    assert not problems(home)
