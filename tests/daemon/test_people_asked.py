"""Asking about people on the command line: who is known, whom a name means, what is known of them (interfaces.md)."""

import pytest

from config.paths import NAMES
from parsers.model.edits import Remember
from parsers.model.entities import ENTITY_FIELDS
from tests.asking import asked, cli
from tests.home import Home

LINES = """- Marie Dupont — sœur [depuis:: 2020] ^p1
	- Joue aux échecs
- Marie Curie — collègue
	- Physique
	- Habite à Paris [jusqu'à:: 2020]
"""
NOTES = {"Gens/Marie Dupont.md": "---\naliases: [Maman]\n---\n", "Projets/Toit.md": "à refaire\n"}


def people(home: Home, lines: str) -> None:
    marker = "<!-- clavaire:end people -->"
    home.replace(marker, lines + marker, NAMES.people)
    home.rest()


@pytest.fixture
def home(vault):
    made = vault(files=NOTES)
    made.rest()
    people(made, LINES)
    return made


def ids(home: Home) -> dict[str, str]:
    return {one.name: one.id for one in home.state.entities.values()}


def test_people_lists_everybody_with_relation_home_note_and_how_much_is_known(home):
    curie, dupont = asked(home, "people")
    assert list(dupont) == [*ENTITY_FIELDS, "relation", "facts"]
    assert (dupont["name"], dupont["relation"], dupont["facts"]) == ("Marie Dupont", "sœur", 1)
    assert (dupont["note"], dupont["aliases"]) == ("Gens/Marie Dupont.md", ["Maman"])
    assert (curie["relation"], curie["facts"], curie["note"]) == ("collègue", 1, None)
    assert [one["facts"] for one in asked(home, "people", "--as-of", "2020-06-01")] == [2, 1]
    assert [one["relation"] for one in asked(home, "people", "--as-of", "2019")] == ["collègue", None]
    code, out, err = cli(home, "people")
    assert (code, err) == (0, "")
    assert out.split("\n")[1].startswith("p1  Marie Dupont — sœur  vu le 2026-11-30  1 fait")


def test_people_as_known_on_a_day_are_those_of_that_day(home):
    home.clock.advance(days=2)
    people(home, "- Zoé\n")
    assert len(asked(home, "people")) == 3
    assert len(asked(home, "people", "--known-at", "2026-11-30")) == 2
    assert asked(home, "people", "--known-at", "2026-11-29") == []
    code, _, err = cli(home, "people", "--known-at", "hier")
    assert (code, "hier" in err) == (2, True)


@pytest.mark.parametrize("name", ["Marie Dupont", "maman", "MARIE DUPONT", "Dupont Marie"])
def test_resolve_gives_who_is_meant_by_name_or_by_the_names_of_their_note(home, name):
    found = asked(home, "resolve", name)
    assert list(found) == ["name", "winner", "candidates"]
    assert found["winner"] == ids(home)["Marie Dupont"]
    assert list(found["candidates"][0]) == ["entity_id", "name", "score", "how"]


def test_two_of_a_name_are_candidates_until_words_tell_them_apart(home):
    found = asked(home, "resolve", "Marie")
    assert found["winner"] is None
    assert {one["name"] for one in found["candidates"]} == {"Marie Dupont", "Marie Curie"}
    told = asked(home, "resolve", "Marie", "--context", "vue aux échecs")
    assert told["winner"] == ids(home)["Marie Dupont"]
    assert cli(home, "resolve", "Luc") == (0, "Personne de ce nom.\n", "")
    assert "Rien de sûr" in cli(home, "resolve", "Marie")[1]


@pytest.mark.parametrize("name", ["Marie Dupont", "Maman", "p1", "^p1", "id"])
def test_facts_about_somebody_are_theirs_by_name_id_or_anchor(home, name):
    name = ids(home)["Marie Dupont"] if name == "id" else name
    assert [one["text"] for one in asked(home, "facts", "--about", name)] == ["Joue aux échecs"]


def test_a_name_that_may_mean_several_is_an_error_that_names_them_with_their_ids(home):
    code, out, err = cli(home, "facts", "--about", "Marie")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert all(f"{name} ({one})" in err for name, one in ids(home).items())
    code, _, err = cli(home, "facts", "--about", "Luc")
    assert (code, "Luc" in err, "clavaire people" in err) == (2, True, True)


def test_many_candidates_are_named_up_to_a_few(home):
    people(home, "".join(f"- Marie Numéro{n}\n" for n in range(9)))
    _, _, err = cli(home, "facts", "--about", "Marie")
    assert err.count("(e-") == 5
    assert "6 autres" in err


def test_remember_about_somebody_is_a_fact_about_them(home):
    asked(home, "remember", "Aime le thé", "--about", "Maman")
    home.rest()
    texts = {one["text"] for one in asked(home, "facts", "--about", "p1")}
    assert texts == {"Joue aux échecs", "Aime le thé"}


def test_what_is_said_of_a_name_that_several_have_waits_for_an_answer(home):
    assert asked(home, "remember", "Aime le thé", "--about", "Marie")["status"] == "pending"
    home.rest()
    (card,) = home.open_cards("name")
    assert set(ids(home).values()) <= set(card.subjects)
    assert asked(home, "remember", "Gagne aux échecs", "--about", "Marie")["status"] == "confirmed"
    assert "Gagne aux échecs" in {one["text"] for one in asked(home, "facts", "--about", "p1")}


def test_what_is_said_of_a_name_nobody_has_is_about_somebody_new(home):
    asked(home, "remember", "Aime le thé", "--about", "Luc")
    assert [one["text"] for one in asked(home, "facts", "--about", "Luc")] == ["Aime le thé"]
    code, _, err = cli(home, "remember", "Aime le thé", "--about", "e-00000000")
    assert (code, "e-00000000" in err) == (2, True)
    assert "e-00000000" not in ids(home)


def test_who_was_taken_out_is_no_longer_listed_nor_meant(home):
    home.clock.advance(minutes=20)
    people(home, "- Zoé\n")
    home.replace("- Zoé", "", NAMES.people)
    line = next(line for line in home.text(NAMES.people).split("\n") if ids(home)["Zoé"] in line)
    home.replace(f"{line}\n", "", NAMES.people)
    home.rest()
    assert "Zoé" not in {one["name"] for one in asked(home, "people")}
    assert asked(home, "resolve", "Zoé")["candidates"] == []


def test_an_agent_says_of_whom_by_a_name_that_their_note_gives_and_by_no_secret(home):
    home.put("Gens/Marie Curie.md", "---\nprivé: oui\naliases: [Doudou]\n---\n")
    home.replace("\t- Physique", "\t- Suit une thérapie [sensible:: oui]\n\t- Physique", NAMES.people)
    home.rest()

    def about(name: str, text: str) -> str | None:
        home.sync((), [Remember(text, "fact", "mcp:agenda", 0.9, about=name)])
        return home.fact(text).entity_id

    assert about("Maman", "Aime le thé") == ids(home)["Marie Dupont"]
    assert about("Doudou", "Aime le café") is None
    assert about("Marie", "Va à sa thérapie") is None
    assert about("Marie", "Fait de la physique") == ids(home)["Marie Curie"]


DASHES = """- Anne – sœur
- Jean - frère
- Léa -- tante [vu:: 2026-11-30]
- Luc – oncle
- Jean-Pierre
- Paul – Émile — cousin
- [[Zoé – Paris]]
- Nina
	- aime - le thé
"""


def test_a_line_whose_dash_is_no_separator_is_named_once(home):
    people(home, DASHES)
    found = [one for one in asked(home, "status")["problems"] if one["code"] == "person_dash"]
    lines = home.text(NAMES.people).split("\n")
    assert [lines[one["line"] - 1][2:5].strip() for one in found] == ["Ann", "Jea", "Léa", "Luc"]
    assert all(f"{NAMES.people}:{one['line']} " in one["sentence"] for one in found), found
    assert "sœur" not in found[0]["sentence"]
    home.replace("Anne – sœur", "Anne — sœur", NAMES.people)
    home.rest()
    left = [one for one in asked(home, "status")["problems"] if one["code"] == "person_dash"]
    assert len(left) == 3


@pytest.mark.parametrize("name", ["", "   ", "[[]]", "—", "^e-"])
def test_a_fact_is_about_nobody_whose_name_has_no_letter_and_no_digit(home, name):
    before = home.records()
    code, out, err = cli(home, "remember", "Aime le thé", "--about", name)
    assert (code, out) == (2, "")
    assert "au moins une lettre ou un chiffre" in err
    assert home.records() == before
