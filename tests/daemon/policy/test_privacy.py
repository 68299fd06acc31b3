"""R-P04: what a note declares of itself."""

import pytest

from daemon.policy.privacy import Declared

RULES = Declared(
    ("Privé", "Santé/Suivi"), ("Argent",), (("Clippings", "web"), ("Courrier", "connector:mail"))
)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("Privé/2024/santé.md", "private"),
        ("privé/note.md", "private"),
        ("Prive\u0301/note.md", "private"),
        ("Privé.md", "normal"),
        ("Privée/bail.md", "normal"),
        ("Notes/Privé/x.md", "normal"),
        ("Santé/Suivi/x.md", "private"),
        ("Santé/x.md", "normal"),
        ("Argent/compte.md", "sensitive"),
    ],
)
def test_c17_a_folder_counts_with_all_that_is_below_it_and_nothing_else(path: str, expected: str) -> None:
    assert RULES.sensitivity(path, {}) == expected


@pytest.mark.parametrize("value", [True, "oui", "Oui", "yes", "true", "vrai"])
def test_a_property_makes_a_note_private_or_sensitive(value: object) -> None:
    assert RULES.sensitivity("a.md", {"privé": value}) == "private"
    assert RULES.sensitivity("a.md", {"Prive\u0301": value}) == "private"
    assert RULES.sensitivity("a.md", {"sensitive": value}) == "sensitive"


@pytest.mark.parametrize("value", [False, "non", None, "", ["oui"]])
def test_a_property_that_does_not_say_yes_makes_nothing_private(value: object) -> None:
    assert RULES.sensitivity("a.md", {"privé": value}) == "normal"


def test_the_harder_of_folder_and_property_counts() -> None:
    assert RULES.sensitivity("Argent/x.md", {"private": True}) == "private"
    assert RULES.sensitivity("Privé/x.md", {"private": False}) == "private"


def test_folders_and_addresses_declare_where_a_note_came_from_and_the_person_settles_it() -> None:
    assert RULES.source("Clippings/a.md", {}) == "web"
    assert RULES.source("Courrier/a.md", {}) == "connector:mail"
    assert RULES.source("a.md", {"source": "https://exemple.org"}) == "web"
    assert RULES.source("a.md", {"url": ["https://exemple.org"]}) == "web"
    assert RULES.source("a.md", {"source": "un livre"}) == "vault"
    assert RULES.source("Clippings/a.md", {"provenance": "vault"}) == "vault"
    assert RULES.source("Clippings/a.md", {"provenance": "n'importe quoi"}) == "web"
