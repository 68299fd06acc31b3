"""R-P04: what a note declares of itself."""

import pytest

from daemon.policy.privacy import Declared, declaring, doubtful
from parsers.note import outline
from parsers.properties import read

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


@pytest.mark.parametrize(
    "value", [True, "oui", "Oui", "yes", "true", "vrai", 1, ["oui"], ["non", "oui"], "x", 7]
)
def test_a_property_makes_a_note_private_or_sensitive(value: object) -> None:
    assert RULES.sensitivity("a.md", {"privé": value}) == "private"
    assert RULES.sensitivity("a.md", {"prive": value}) == "private"
    assert RULES.sensitivity("a.md", {" PRIVÉ": value}) == "private"
    assert RULES.sensitivity("a.md", {"Privée": value}) == "private"
    assert RULES.sensitivity("a.md", {"Prive\u0301": value}) == "private"
    assert RULES.sensitivity("a.md", {"sensitive": value}) == "sensitive"


@pytest.mark.parametrize("value", [False, "non", "NON", "no", 0, None, "", [], [None], ["non"], {}])
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


def said(*lines: str) -> str:
    return "\n".join(("---", *lines, "---", "corps", ""))


def level(text: str) -> str:
    return RULES.sensitivity("a.md", declaring(text, read(text)))


SPELT = (
    ("privé: oui",),
    ("privé : oui",),
    ("prive: oui",),
    ("Prive\u0301: Oui",),
    ("PRIVÉ: OUI",),
    ('"privé": "oui"',),
    ("privé: oui # c",),
    ("privé:", "  - oui"),
    ("privé:", "- non", "- oui"),
    ("privé: [oui]",),
    ("privé: !!bool yes",),
    ("privé: !!null oui",),
    ("privé: &a oui",),
    ("privé: |", "  oui"),
    ("? privé", ": oui"),
    ("privé: x",),
    ("privé: {oui}",),
)


@pytest.mark.parametrize("lines", SPELT)
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_every_way_to_spell_the_property_protects_in_a_block_that_can_be_read_or_not(
    lines: tuple[str, ...], ending: str
) -> None:
    whole, broken = said(*lines), said("a: [", *lines)
    unclosed = said(*lines).replace("\n---\n", "\n")
    for text in (whole, broken, unclosed):
        assert level(text.replace("\n", ending)) == "private", text
        named = text.replace('"privé"', '"sensible"')
        for name in ("privé", "prive\u0301", "prive", "Prive\u0301", "PRIVÉ"):
            named = named.replace(name, "sensible")
        assert level(named.replace("\n", ending).replace("Prive\u0301", "sensible")) == "sensitive", named


@pytest.mark.parametrize(
    "lines",
    [
        ("privé: non",),
        ("privé: NON # oui",),
        ("privé:",),
        ("privé:", "autre: oui"),
        ("privé:", "  - non"),
        ("privé: []",),
        ("tags: [privé]",),
        ("titre: privé",),
        ("privés: oui",),
    ],
)
def test_a_clear_no_nothing_and_other_names_protect_nothing_in_either(lines: tuple[str, ...]) -> None:
    assert level(said(*lines)) == "normal"
    assert level(said("a: [", *lines)) == "normal"


@pytest.mark.parametrize(
    ("lines", "line"),
    [
        (("privé: oui",), 0),
        (("privé: [oui, non]",), 0),
        (("privé:",), 0),
        (("autre: x",), 0),
        (("privé: {{privé}}",), 0),
        (("a: 1", "privé: x"), 3),
        (("a: 1", "b: 2", "Sensible:", "  - peut-être"), 4),
    ],
)
def test_a_value_that_is_neither_yes_nor_no_is_found_with_its_line(lines: tuple[str, ...], line: int) -> None:
    assert doubtful(outline(said(*lines))) == line
