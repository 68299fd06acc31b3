"""A line that says it is sensitive is, wherever in it that stands; not a byte of it changes (R-M06)."""

import pytest

from config.paths import NAMES
from daemon.memory.persons import standing
from parsers.model.edits import Correct, Remember
from tests.home import Home

PERSON = "- Max — amant [sensible:: oui]"


@pytest.fixture
def home(tmp_path):
    made = Home(tmp_path)
    made.rest()
    yield made
    made.rest()
    assert made.export() == made.folded()
    made.close()


def line(home: Home, words: str, path: str) -> str:
    return next(one for one in home.text(path).split("\n") if words in one)


def levels(home: Home) -> tuple[dict[str, str], dict[str, str]]:
    people = {one.name: one.sensitivity for one in home.state.entities.values() if one.retracted_at is None}
    latest = [versions[-1] for versions in home.state.facts.values()]
    return people, {one.text: one.sensitivity for one in latest if one.retracted_at is None}


CHANGES = {
    "a word at the end": lambda was: was + " discret",
    "a tag": lambda was: was + " #x",
    "a field of theirs": lambda was: was + " [ville:: Lyon]",
    "a full stop": lambda was: was + ".",
    "a line that goes on": lambda was: was + "\n  suite",
    "a word between the fields": lambda was: was.replace("oui]", "oui] discret", 1),
    "a word before the id": lambda was: was.replace(" ^", " discret ^", 1),
    "the id lost": lambda was: was.split(" ^")[0] + " discret",
    "round brackets": lambda was: was.replace("[sensible:: oui]", "(sensible:: oui)"),
    "moved to the middle": lambda was: was.replace(" [sensible:: oui]", "").replace(
        " ^", " [sensible:: oui] x ^"
    ),
    "a no behind it": lambda was: was.replace("oui]", "oui] [sensible:: non]", 1),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_sensitive_line_stays_so_whatever_is_typed_into_it(home, change):
    home.add_person(PERSON.removeprefix("- "), "Habite Lyon")
    home.add_line("- Groupe sanguin : AB [sensible:: oui]")
    home.rest()
    for words, path in (("amant", NAMES.people), ("sanguin", NAMES.profile)):
        was = line(home, words, path)
        home.replace(was, change(was), path)
    home.rest()
    people, facts = levels(home)
    assert set(people.values()) == {"sensitive"}
    assert [level for text, level in facts.items() if "sanguin" in text] == ["sensitive"]
    assert standing(home.state, external=True) == ()
    for words, path in (("amant", NAMES.people), ("sanguin", NAMES.profile)):
        assert "ensible:: oui" in line(home, words, path)


@pytest.mark.parametrize(
    "said",
    [
        "Max — amant [sensible:: oui] discret",
        "Léo [sensible:: oui] — cousin",
        "Eva — [sensible:: oui] soeur",
        "Ana — amie (sensitive:: yes)",
        "Ana — amie [sensible:: oui] #x",
        "Ana — amie\n  [sensible:: oui] suite",
        "Ana — amie\n\n  Une histoire [sensible:: oui]",
        "Ana — amie\n\t- [sensible:: oui]",
    ],
)
def test_a_new_line_of_somebody_that_says_so_anywhere_is_sensitive_and_stays_as_it_is(home, said):
    home.add_person(said)
    home.rest()
    people, _ = levels(home)
    assert set(people.values()) == {"sensitive"}
    for one in said.split("\n"):
        assert one.strip() in home.people()


@pytest.mark.parametrize(
    "said",
    [
        "Groupe sanguin : AB [sensible:: oui] négatif",
        "[sensible:: oui] Groupe sanguin : AB",
        "AB (sensible:: oui)",
        "AB\n\t- négatif [sensible:: oui] depuis",
    ],
)
def test_a_new_fact_that_says_so_anywhere_is_sensitive_and_stays_as_it_is(home, said):
    home.add_line(f"- {said}")
    home.rest()
    assert set(levels(home)[1].values()) == {"sensitive"}
    for one in said.split("\n"):
        assert one in home.profile()


def test_what_a_fact_below_somebody_says_of_itself_is_not_about_them(home):
    home.add_person("Zoé — soeur", "A le cancer [sensible:: oui] depuis mai", "Aime le thé")
    home.add_person("Marc — ami", "Écrit `[sensible:: oui]`")
    home.rest()
    people, facts = levels(home)
    assert people == {"Zoé": "normal", "Marc": "normal"}
    assert facts == {
        "A le cancer [sensible:: oui] depuis mai": "sensitive",
        "Aime le thé": "normal",
        "Écrit `[sensible:: oui]`": "normal",
    }


def test_the_mark_taken_away_or_denied_lifts_the_protection(home):
    home.add_person("Max — amant [sensible:: oui] discret")
    home.add_line("- AB [sensible:: oui] négatif")
    home.rest()
    home.replace(" [sensible:: oui]", "", NAMES.people)
    home.replace("[sensible:: oui] négatif", "négatif [sensible:: non]")
    home.rest()
    people, facts = levels(home)
    assert (set(people.values()), set(facts.values())) == ({"normal"}, {"normal"})


def test_what_is_stated_outside_the_notes_is_read_the_same_way(home):
    home.sync((), [Remember("Code [sensible:: oui] du coffre", "fact", "person")])
    home.rest()
    (fact,) = [versions[-1] for versions in home.state.facts.values()]
    assert fact.sensitivity == "sensitive"


def test_a_correction_lifts_no_protection_it_does_not_name(home):
    home.add_line("- AB [sensible:: oui]")
    home.add_line("- Aime le thé")
    home.rest()
    secret, tea = home.fact("AB"), home.fact("Aime le thé")
    home.sync((), [Correct(secret.id, "AB négatif [depuis:: 2020]")])
    home.sync((), [Correct(tea.id, "Aime [sensible:: oui] le vin")])
    home.rest()
    assert set(levels(home)[1].values()) == {"sensitive"}
    home.sync((), [Correct(secret.id, "AB négatif [sensible:: non]")])
    home.rest()
    assert home.fact("AB négatif").sensitivity == "normal"
