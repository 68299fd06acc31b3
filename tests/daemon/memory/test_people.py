"""Personnes.md in the person's hands: lines, relations, facts below them (memory.md, Entities and relations)."""

import re

import pytest

from config.paths import NAMES
from daemon.app import purge
from parsers.model.edits import Remember
from tests.home import Home
from tests.rest import check_people

BEGIN, END = "<!-- clavaire:begin people -->\n", "<!-- clavaire:end people -->"


@pytest.fixture
def home(tmp_path):
    with_people = Home(tmp_path)
    with_people.rest()
    yield with_people
    check_rest(with_people)
    with_people.close()


def check_rest(home: Home) -> None:
    home.rest()
    check_people(home)
    assert home.export() == home.folded()
    before = home.export()
    home.drop_index()
    home.rest()
    assert home.export() == before


def line(home: Home, words: str, path: str = NAMES.people) -> str:
    return next(one for one in home.text(path).split("\n") if words in one)


def delete(home: Home, words: str, path: str = NAMES.people) -> None:
    home.replace(line(home, words, path) + "\n", "", path)


def relations(home: Home, name: str) -> list[tuple[str, str | None, str | None]]:
    known = home.state.relations.get(home.person(name).id, ())
    return [(one.text, one.valid_from, one.valid_to) for one in known if one.retracted_at is None]


def ops(home: Home, since: int = 0) -> list[str]:
    return [record.op for record in home.records() if record.seq > since]


def test_init_adds_the_note_and_a_vault_without_it_goes_on_as_it_did(home):
    assert "## Personnes\n<!-- clavaire:begin people -->" in home.people()
    home.full(NAMES.people).unlink()
    home.add_line("- Aime le thé")
    home.rest()
    assert not home.full(NAMES.people).exists()
    assert home.facts() == ["Aime le thé"]
    home.init()
    assert "clavaire:begin people" in home.people()


def test_a_line_is_a_person_and_what_stands_below_are_facts_about_them(home):
    home.add_person("Marie Dupont — sœur [depuis:: 1990]", "Anniversaire : 3 mai", "Aime le thé")
    home.rest()
    marie = home.person("Marie Dupont")
    assert (marie.kind, marie.status, marie.source, marie.last_seen) == (
        "person",
        "confirmed",
        "user",
        "2026-11-30",
    )
    assert relations(home, "Marie Dupont") == [("sœur", "1990-01-01", None)]
    birthday = home.fact("Anniversaire : 3 mai")
    assert (birthday.entity_id, birthday.kind, birthday.key) == (marie.id, "fact", "Anniversaire")
    assert f"- Marie Dupont — sœur [depuis:: 1990] [vu:: 2026-11-30] ^{marie.id}\n" in home.people()
    assert f"\t- Anniversaire : 3 mai ^{birthday.id}\n" in home.people()
    assert "Noté : « Marie Dupont »" in home.journal()
    assert f"[[99_Assistant/Personnes#^{birthday.id}|Personnes]]" in home.journal()


def test_two_of_one_name_are_two_people_and_the_same_fact_of_both_two_facts(home):
    home.add_person("Marie — sœur", "Aime le thé")
    home.add_person("Marie — collègue", "Aime le thé")
    home.add_person("Marie — collègue", "Aime le thé")
    home.rest()
    assert len({one.id for one in home.state.entities.values()}) == 3
    assert len(home.facts()) == 3
    assert len({versions[-1].entity_id for versions in home.state.facts.values()}) == 3


def test_renamed_within_the_window_it_was_a_slip_later_the_old_name_stays_an_alias(home):
    home.add_person("Mari")
    home.rest()
    name = home.person("Mari").id
    home.replace("- Mari ", "- Marie Dupont ", NAMES.people)
    home.rest()
    assert home.person("Marie Dupont").aliases == ()
    home.clock.advance(minutes=11)
    home.replace("- Marie Dupont ", "- Marie Martin ", NAMES.people)
    home.rest()
    assert (home.person("Marie Martin").id, home.person("Marie Martin").aliases) == (name, ("Marie Dupont",))
    assert "Renommé : « Marie Dupont » est maintenant « Marie Martin »" in home.journal()


def test_a_relation_reworded_within_the_window_is_a_correction_later_a_change(home):
    home.add_person("Paul — collegue")
    home.rest()
    home.replace("collegue", "collègue", NAMES.people)
    home.rest()
    assert relations(home, "Paul") == [("collègue", None, None)]
    home.clock.advance(days=2)
    home.replace("collègue", "ami", NAMES.people)
    home.rest()
    assert relations(home, "Paul") == [("collègue", None, "2026-12-02"), ("ami", "2026-12-02", None)]
    home.replace("— ami ", "— ami [depuis:: 2026-12-01] ", NAMES.people)
    home.rest()
    assert relations(home, "Paul") == [("collègue", None, "2026-12-01"), ("ami", "2026-12-01", None)]
    home.replace("[depuis:: 2026-12-01] ", "[depuis:: 2026-12-01] [jusqu'à:: 2027] ", NAMES.people)
    home.rest()
    assert relations(home, "Paul")[-1] == ("ami", "2026-12-01", "2028-01-01")


def test_a_relation_taken_off_the_line_is_believed_no_more(home):
    home.add_person("Paul — collègue")
    home.rest()
    home.clock.advance(minutes=11)
    home.replace(" — collègue", "", NAMES.people)
    home.rest()
    assert relations(home, "Paul") == []


def test_the_day_somebody_was_seen_is_ours_and_changes_at_most_once_a_day(home):
    home.add_person("Paul", "Aime le thé")
    home.rest()
    home.replace("[vu:: 2026-11-30]", "[vu:: 2020-01-01]", NAMES.people)
    home.rest()
    assert "- Paul [vu:: 2026-11-30] ^" in home.people()
    home.replace(" [vu:: 2026-11-30]", "", NAMES.people)
    home.rest()
    assert "- Paul [vu:: 2026-11-30] ^" in home.people()
    home.clock.advance(days=1)
    home.rest()
    assert "[vu:: 2026-11-30]" in home.people()
    home.add_person("Jeanne")
    home.replace("Aime le thé", "Aime le café", NAMES.people)
    home.rest()
    seen = ops(home).count("entity.seen")
    home.replace("Aime le café", "Aime le maté", NAMES.people)
    home.rest()
    assert "- Paul [vu:: 2026-12-01] ^" in home.people()
    assert ops(home).count("entity.seen") == seen == 1


def test_the_field_keeps_the_language_it_was_written_in(home):
    home.add_person("Paul [seen:: 2020-01-01]")
    home.rest()
    assert re.search(r"- Paul \[seen:: 2026-11-30\] \^e-", home.people())


def test_a_field_that_holds_no_day_is_the_persons_text(home):
    home.add_person("Paul [vu:: à Lyon]")
    home.rest()
    assert home.person("Paul [vu:: à Lyon]")
    assert "- Paul [vu:: à Lyon] [vu:: 2026-11-30] ^" in home.people()


def test_somebody_deleted_without_facts_is_rejected_and_comes_back_within_the_window(home):
    home.add_person("Paul — collègue")
    home.add_person("Marie")
    home.rest()
    paul = line(home, "Paul")
    delete(home, "Paul")
    home.rest()
    assert home.person("Paul").status == "rejected"
    home.add_person(paul.removeprefix("- "))
    home.rest()
    assert home.person("Paul").status == "confirmed"
    assert relations(home, "Paul") == [("collègue", None, None)]


def test_somebody_deleted_with_facts_is_held_with_them_until_a_card_is_answered(home):
    home.add_person("Marie — sœur", "Aime le thé")
    home.add_person("Paul")
    home.rest()
    before = home.people()
    for words in ("Marie", "thé"):
        delete(home, words)
    home.rest()
    assert (home.person("Marie").status, home.facts("held")) == ("held", ["Aime le thé"])
    (card,) = home.open_cards("loss")
    assert (card.note, card.text) == (NAMES.people, "Marie — sœur\nAime le thé")
    home.tick("Marie", "restore")
    home.rest()
    assert (home.person("Marie").status, home.facts()) == ("confirmed", ["Aime le thé"])
    assert sorted(home.people().split("\n")) == sorted(before.split("\n"))
    for words in ("Marie", "thé"):
        delete(home, words)
    home.rest()
    home.tick("Marie", "forget")
    home.rest()
    assert (home.person("Marie").status, home.facts("rejected")) == ("rejected", ["Aime le thé"])
    assert "Marie" not in home.people()


def test_the_line_deleted_alone_holds_whom_facts_were_about(home):
    home.add_person("Paul")
    home.add_person("Marie", "Aime le thé")
    home.rest()
    delete(home, "Marie")
    home.rest()
    assert home.person("Marie").status == "held"
    assert home.fact("Aime le thé").entity_id == home.person("Paul").id
    assert f"\t- Aime le thé ^{home.fact('Aime le thé').id}" in home.people()


def test_an_id_lost_with_the_relation_reworded_is_still_the_same_person(home):
    home.add_person("Marie — sœur", "Aime le thé")
    home.add_person("Paul")
    home.rest()
    name = home.person("Marie").id
    home.replace(line(home, "Marie"), "- Marie — grande sœur", NAMES.people)
    home.rest()
    assert home.person("Marie").id == name
    home.replace(line(home, "Marie"), "- Marie-Jeanne", NAMES.people)
    home.rest()
    assert home.person("Marie-Jeanne").id == name


def test_facts_move_between_the_notes_with_id_and_history(home):
    home.add_person("Marie")
    home.add_person("Paul")
    home.add_line("- Aime le thé", "preferences")
    home.rest()
    fact = home.fact("Aime le thé")
    text = line(home, "thé", NAMES.profile)
    delete(home, "thé", NAMES.profile)
    home.replace(line(home, "Marie"), f"{line(home, 'Marie')}\n\t{text}", NAMES.people)
    home.rest()
    moved = home.fact("Aime le thé")
    assert (moved.id, moved.entity_id, moved.kind) == (fact.id, home.person("Marie").id, "fact")
    delete(home, "thé")
    home.replace(line(home, "Paul"), f"{line(home, 'Paul')}\n\t- Aime le thé", NAMES.people)
    home.rest()
    moved = home.fact("Aime le thé")
    assert (moved.id, moved.entity_id) == (fact.id, home.person("Paul").id)
    delete(home, "thé")
    home.add_line(text, "goals")
    home.rest()
    moved = home.fact("Aime le thé")
    assert (moved.id, moved.entity_id, moved.kind) == (fact.id, None, "goal")


def test_a_line_copied_with_its_id_below_somebody_is_another_fact(home):
    home.add_person("Marie")
    home.add_line("- Aime le thé", "preferences")
    home.rest()
    text = line(home, "thé", NAMES.profile)
    home.replace(line(home, "Marie"), f"{line(home, 'Marie')}\n\t{text}", NAMES.people)
    home.rest()
    assert home.facts() == ["Aime le thé"] * 2
    assert line(home, "thé", NAMES.profile) == text
    assert line(home, "thé") != f"\t{text}"


def test_keys_are_per_person(home):
    home.add_line("- Dentiste : Dr Martin")
    home.add_person("Marie", "Dentiste : Dr Petit")
    home.rest()
    assert home.open_cards() == []
    home.clock.advance(days=1)
    home.replace("Dr Petit", "Dr Roux", NAMES.people)
    home.rest()
    assert home.facts() == ["Dentiste : Dr Martin", "Dentiste : Dr Roux"]


def test_what_the_person_writes_around_and_below_stays(home):
    text = home.people().replace(
        BEGIN + "\n\n",
        f"{BEGIN}### libre\n\n- Marie — sœur\n\n  Un paragraphe libre.\n  - Aime le thé\n    - vert\n\n"
        "> [!note] libre\n\n* Paul\n\n\tlibre aussi\n\n",
    )
    home.write_people(text)
    home.rest()
    bare = re.sub(r" \[vu:: 2026-11-30\]| \^[ef]-\w{8}", "", home.people())
    assert bare == text
    assert home.fact("Aime le thé\n  - vert").entity_id == home.person("Marie").id
    home.sync(
        (),
        [Remember("Court", "fact", "person", about="Paul"), Remember("Lit", "fact", "person", about="Marie")],
    )
    home.rest()
    bare = re.sub(r" \[vu:: 2026-11-30\]| \^[ef]-\w{8}", "", home.people())
    assert bare == text.replace("    - vert\n", "    - vert\n  - Lit\n").replace(
        "\tlibre aussi\n", "\tlibre aussi\n  - Court\n"
    )


@pytest.mark.parametrize("shape", ["crlf", "bom", "no end"])
def test_line_endings_and_marks_stay(home, shape):
    text = home.people().replace(BEGIN, f"{BEGIN}- Marie — sœur\n\t- Aime le thé\n\t\t- vert\n- Paul\n")
    if shape == "crlf":
        text = text.replace("\n", "\r\n")
    text = {"crlf": text, "bom": "\ufeff" + text, "no end": text.rstrip("\n")}[shape]
    home.write_people(text)
    home.rest()
    assert re.sub(r" \[vu:: 2026-11-30\]| \^[ef]-\w{8}", "", home.people()) == text
    assert home.fact("Aime le thé\n\t- vert")


def test_a_secret_below_somebody_stays_the_persons(home):
    home.add_person("Marie", "Jeton : ghp_16C7e42F292c6912E7710c838347Ae178B4a", "Aime le thé")
    home.add_person("ghp_16C7e42F292c6912E7710c838347Ae178B4a", "Aime le café")
    home.rest()
    assert home.facts() == ["Aime le thé"]
    assert "Ae178B4a\n" in home.people()
    assert len(home.state.entities) == 1
    assert all(b"ghp_" not in record.raw for record in home.records())


def test_a_frozen_note_is_left_alone_and_read_when_it_is_well_formed_again(home):
    home.add_person("Marie", "Aime le thé")
    home.rest()
    whole = home.people()
    home.write_people(whole.replace(END, "").replace("Marie", "Maria"))
    frozen = home.people()
    home.rest()
    assert home.people() == frozen
    assert home.person("Marie")
    home.write_people(whole.replace("Marie", "Maria"))
    home.rest()
    assert home.person("Maria")


@pytest.mark.parametrize("how", ["vanished", "empty"])
def test_a_note_that_vanished_takes_nobody_with_it(home, how):
    home.add_person("Marie — sœur", "Aime le thé")
    home.add_person("Paul")
    home.rest()
    before = home.people()
    home.full(NAMES.people).unlink()
    if how == "empty":
        home.write_people("")
    home.rest()
    assert {one.status for one in home.state.entities.values()} == {"held"}
    assert len(home.open_cards("loss")) == 1
    home.write_people(before)
    home.rest()
    assert {one.status for one in home.state.entities.values()} == {"confirmed"}
    assert home.people() == before
    assert home.open_cards() == []


def test_what_vanished_is_put_back_when_the_card_says_so(home):
    home.add_person("Marie — sœur", "Aime le thé")
    home.add_person("Paul")
    home.rest()
    before = home.people()
    home.full(NAMES.people).unlink()
    home.rest()
    home.tick("Marie", "restore")
    home.rest()
    lines = [one for one in before.split("\n") if one.strip().startswith("-")]
    assert [one for one in home.people().split("\n") if one.strip().startswith("-")] == lines


def test_many_people_gone_at_once_are_held(home):
    for number in range(6):
        home.add_person(f"Personne {number}")
    home.rest()
    for number in range(5):
        delete(home, f"Personne {number}")
    home.rest()
    statuses = sorted(one.status for one in home.state.entities.values())
    assert statuses == ["confirmed", *["held"] * 5]
    home.tick("Personne 0", "forget")
    home.rest()
    assert sum(one.status == "rejected" for one in home.state.entities.values()) == 5


def test_the_line_of_somebody_long_gone_that_comes_back_is_asked_about(home):
    home.add_person("Marie")
    home.add_person("Paul")
    home.rest()
    paul = line(home, "Paul")
    delete(home, "Paul")
    home.rest()
    home.clock.advance(minutes=11)
    home.add_person(paul.removeprefix("- "), "Aime le thé")
    home.rest()
    assert (home.person("Paul").status, home.facts()) == ("rejected", [])
    assert [card.kind for card in home.open_cards()] == ["returned"]
    home.tick("Paul", "keep")
    home.rest()
    assert (home.person("Paul").status, home.facts()) == ("confirmed", ["Aime le thé"])
    assert paul in home.people()


def test_it_goes_again_when_the_card_refuses(home):
    home.add_person("Marie")
    home.add_person("Paul")
    home.rest()
    paul = line(home, "Paul")
    delete(home, "Paul")
    home.rest()
    home.clock.advance(minutes=11)
    home.add_person(paul.removeprefix("- "))
    home.rest()
    home.tick("Paul", "refuse")
    home.rest()
    assert "Paul" not in home.people()
    assert home.person("Paul").status == "rejected"


def test_a_line_set_aside_stays_where_something_new_stands_below_it(home):
    home.add_person("Marie")
    home.add_person("Paul")
    home.rest()
    paul = line(home, "Paul")
    delete(home, "Paul")
    home.rest()
    home.clock.advance(minutes=11)
    home.add_person(paul.removeprefix("- "), "Aime le thé")
    home.rest()
    home.tick("Paul", "refuse")
    before = home.people()
    for _ in range(2):
        home.rest()
        assert (home.people(), home.facts(), home.open_cards()) == (before, [], [])
        home.clock.advance(minutes=11)


def test_lines_beside_the_section_are_asked_about_and_taken_as_people(home):
    home.write_people(home.people().rstrip("\n") + "\n- Jeanne — tante\n")
    home.rest()
    (card,) = home.open_cards("stray")
    assert card.note == NAMES.people
    home.tick("Jeanne", "take")
    home.rest()
    assert relations(home, "Jeanne") == [("tante", None, None)]


def test_a_conflict_copy_becomes_a_card(home):
    home.add_person("Marie")
    home.rest()
    copy = "99_Assistant/Personnes.sync-conflict-20261130-100000-ABCDEFG.md"
    home.put(copy, home.people().replace("- Marie", "- Marina"))
    home.rest()
    assert [card.kind for card in home.open_cards()] == ["copy"]
    home.full(copy).unlink()


def test_an_index_gone_puts_a_missing_person_back(home):
    home.add_person("Marie", "Aime le thé")
    home.add_person("Paul")
    home.rest()
    for words in ("Marie", "thé"):
        delete(home, words)
    home.drop_index()
    home.rest()
    assert home.person("Marie").status == "confirmed"
    assert re.search(r"- Marie .*\n\t- Aime le thé \^f-", home.people())


def test_another_block_id_stays_as_the_anchor(home):
    home.add_person("Marie — sœur ^marie", "Aime le thé")
    home.rest()
    assert "- Marie — sœur [vu:: 2026-11-30] ^marie\n" in home.people()
    assert home.person("Marie").anchor == "marie"
    home.replace("Marie — sœur", "Marine — sœur", NAMES.people)
    home.rest()
    assert home.person("Marine").anchor == "marie"


def test_the_same_id_twice_the_second_is_somebody_else(home):
    home.add_person("Marie — sœur", "Aime le thé")
    home.rest()
    block = re.search(r"- Marie.*\n\t.*\n", home.people())[0]
    home.replace(block, block + block, NAMES.people)
    home.rest()
    assert len(home.state.entities) == 2
    assert home.facts() == ["Aime le thé", "Aime le thé"]
    ids = re.findall(r"\^([ef]-\w{8})", home.people())
    assert len(ids) == len(set(ids)) == 4


# ---- forgetting


def test_somebody_forgotten_goes_with_every_fact_about_them(home):
    home.add_person("Marie — sœur", "Aime le thé")
    home.add_person("Paul", "Aime le café")
    home.rest()
    name = home.person("Marie").id
    home.forget(name)
    home.rest()
    assert "Marie" not in home.people()
    assert "thé" not in home.people()
    assert home.facts() == ["Aime le café"]
    assert (home.state.entities[name].status, home.state.entities[name].name) == ("forgotten", "")
    assert [one.text for one in home.state.relations[name]] == [""]


def test_what_is_purged_of_somebody_is_nowhere(home):
    home.add_person("Marie-Louise — sœur", "Aime le thé")
    home.add_person("Paul", "Aime le café")
    home.rest()
    name = home.person("Marie-Louise").id
    home.forget(name)
    purge(home.app, name, home.clock.now)
    home.rest()
    for folder in (home.root, home.app.folder):
        for full in folder.rglob("*"):
            if full.is_file():
                assert b"Marie-Louise" not in full.read_bytes(), full
    assert home.person("Paul")


# ---- what a link says a fact is about


def test_a_fact_in_profil_may_be_about_something_that_has_a_note(home):
    home.put("Projets/Atelier.md", "---\ntype: projet\naliases: [L'atelier]\n---\n# Atelier\n")
    home.rest()
    home.add_line("- Budget : 300 [à propos:: [[Atelier]]]")
    home.add_line("- Budget : 200")
    home.add_line("- Rue Verte [about:: [[Inconnu|là]]]", "decisions")
    home.rest()
    atelier, unknown = home.person("Atelier"), home.person("Inconnu")
    assert (atelier.kind, atelier.note) == ("project", "Projets/Atelier.md")
    assert (unknown.kind, unknown.note) == ("topic", "Inconnu.md")
    assert home.fact("Budget : 300").entity_id == atelier.id
    assert home.fact("Budget : 200").entity_id is None
    assert home.open_cards() == []
    assert f"- Budget : 300 [à propos:: [[Atelier]]] ^{home.fact('Budget : 300').id}\n" in home.profile()
    assert "Atelier" not in home.people()


def test_the_field_taken_off_makes_it_a_fact_about_the_owner(home):
    home.add_line("- Budget : 300 [à propos:: [[Atelier]]]")
    home.rest()
    name = home.fact("Budget : 300").id
    home.replace(" [à propos:: [[Atelier]]]", "")
    home.rest()
    assert (home.fact("Budget : 300").id, home.fact("Budget : 300").entity_id) == (name, None)


def test_a_persons_home_note_makes_one_person_of_both(home):
    home.put("Gens/Marie.md", "---\ntype: person\n---\n")
    home.rest()
    home.add_person("[[Marie]] — sœur", "Aime le thé")
    home.add_line("- Dort tard [à propos:: [[Marie]]]")
    home.rest()
    marie = home.person("Marie")
    assert marie.note == "Gens/Marie.md"
    assert {fact[-1].entity_id for fact in home.state.facts.values()} == {marie.id}
    assert "- Dort tard [à propos:: [[Marie]]] ^f-" in home.profile()
    assert "- [[Marie]] — sœur [vu:: 2026-11-30] ^e-" in home.people()


def test_a_fact_about_something_put_back_says_so_again(home):
    home.add_line("- Budget : 300 [à propos:: [[Atelier]]]")
    home.rest()
    whole = home.profile()
    home.full(NAMES.profile).unlink()
    home.rest()
    home.tick("Budget", "restore")
    home.rest()
    text = line(home, "Budget", NAMES.profile)
    assert text in whole


# ---- what is stated about somebody


def test_the_persons_own_word_about_an_unknown_name_makes_somebody(home):
    home.sync((), [Remember("Aime le thé", "preference", "person", about="Jeanne")])
    home.rest()
    assert (home.fact("Aime le thé").entity_id, home.fact("Aime le thé").kind) == (
        home.person("Jeanne").id,
        "fact",
    )
    assert re.search(r"- Jeanne \[vu:: 2026-11-30\] \^e-.*\n\t- Aime le thé \^f-", home.people())


def test_one_clear_winner_is_who_is_meant(home):
    home.add_person("Marie Dupont — sœur")
    home.add_person("Paul")
    home.rest()
    home.sync((), [Remember("Aime le thé", "fact", "mcp:x", 0.9, about="marie dupont")])
    home.rest()
    assert home.facts("pending") == ["Aime le thé"]
    (card,) = home.open_cards()
    assert f"- Aime le thé ^{card.id}\n\t- proposé par mcp:x" in home.cards()
    assert f"\n\t- à propos de Marie Dupont (sœur) ^{card.id}-about\n" in home.cards()
    home.tick("thé", "keep")
    home.rest()
    assert re.search(r"- Marie Dupont .*\n\t- Aime le thé \^f-", home.people())


@pytest.mark.parametrize("origin", ["person", "mcp:x"])
def test_a_name_that_two_have_is_asked_about_and_nothing_merges(home, origin):
    home.add_person("Marie — sœur")
    home.add_person("Marie — collègue")
    home.rest()
    home.sync((), [Remember("Aime le thé", "fact", origin, 0.9, about="Marie")])
    home.rest()
    (card,) = home.open_cards()
    assert (card.kind, len(card.subjects)) == ("name", 3)
    assert home.fact("Aime le thé").entity_id is None
    assert home.fact("Aime le thé").status == "pending"
    box = next(one for one in home.cards().split("\n") if "] Marie — collègue ^" in one)
    home.replace(box, box.replace("[ ]", "[x]"), NAMES.cards)
    home.rest()
    if origin != "person":
        assert "\t- à propos de Marie (collègue) ^c-" in home.cards()
        home.tick("thé", "keep")
        home.rest()
    assert re.search(r"- Marie — collègue .*\n\t- Aime le thé \^f-", home.people())
    assert home.open_cards() == []


def test_a_card_tells_two_who_are_called_the_same_apart_by_their_ids(home):
    for name in ("Ann", "Ann", "Marie", "Marie — cheffe", "Zoé — amie", "Zoé — tante"):
        home.add_person(name)
        home.rest()
    for number, one in enumerate(home.state.entities.values()):
        home.sync((), [Remember(f"Doit {number} euros", "fact", "mcp:x", 0.9, about=one.id)])
        home.rest()
    told = [about.rpartition(" ^")[0] for about in re.findall(r"\t- à propos de (.*)", home.cards())]
    names = [one.id for one in home.state.entities.values()]
    assert told == [
        f"Ann ({names[0]})",
        f"Ann ({names[1]})",
        f"Marie ({names[2]})",
        "Marie (cheffe)",
        "Zoé (amie)",
        "Zoé (tante)",
    ]
    home.forget(names[0])
    home.rest()
    home.sync((), [Remember("Aime le thé", "fact", "mcp:x", 0.9, about=names[1])])
    home.rest()
    assert "- à propos de Ann ^c-" in home.cards()


def test_somebody_else_than_those_offered(home):
    home.add_person("Marie — sœur")
    home.add_person("Marie — collègue")
    home.rest()
    home.sync((), [Remember("Aime le thé", "fact", "person", about="Marie")])
    home.rest()
    home.tick("thé", "new")
    home.rest()
    assert len(home.state.entities) == 3
    assert re.search(r"- Marie \[vu:: 2026-11-30\] .*\n\t- Aime le thé \^f-", home.people())


def test_a_refused_name_leaves_nothing(home):
    home.sync((), [Remember("Aime le thé", "fact", "mcp:x", 0.9, about="Jeanne")])
    home.rest()
    assert home.state.entities == {}
    home.tick("thé", "refuse")
    home.rest()
    assert (home.state.entities, home.facts("rejected")) == ({}, ["Aime le thé"])
    home.sync((), [Remember("Aime le thé", "fact", "mcp:x", 0.9, about="Jeanne")])
    home.rest()
    assert home.open_cards() == []


@pytest.mark.parametrize("how", ["renamed", "related", "forgotten", "refused"])
def test_no_line_of_a_card_outlives_it_whatever_became_of_whom_it_is_about(home, how):
    empty = home.cards()
    home.add_person("Marie Dupond — sœur")
    home.rest()
    home.sync((), [Remember("Aime le thé", "fact", "mcp:x", 0.9, about="Marie Dupond")])
    home.rest()
    assert "à propos de Marie Dupond (sœur)" in home.cards()
    if how == "renamed":
        home.replace("Dupond", "Dupont", NAMES.people)
    elif how == "related":
        home.replace("— sœur", "— cousine", NAMES.people)
    elif how == "forgotten":
        home.forget(home.person("Marie Dupond").id)
    home.rest()
    for card in home.open_cards():
        home.tick(card.text, "refuse")
    home.rest()
    assert home.cards() == empty
