import ast
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.i18n import LOCALES, catalogue
from parsers.model.places import Problem

ROOT = Path(__file__).parents[2]
CODE = ("daemon", "parsers", "renderers", "config")
FR, EN = (catalogue(locale) for locale in LOCALES)


def placeholders(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name is not None}


def calls_in(source: str) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            called = node.func
            yield getattr(called, "attr", getattr(called, "id", "")), node


def literal(call: ast.Call, place: int, name: str) -> str | None:
    """Give the argument at a place (or of a name) when it is written out as a string."""
    found = call.args[place] if place < len(call.args) else None
    found = next((word.value for word in call.keywords if word.arg == name), found)
    return found.value if isinstance(found, ast.Constant) and isinstance(found.value, str) else None


def keys_used(source: str) -> Iterator[str]:
    for called, call in calls_in(source):
        if called == "say" and (key := literal(call, 0, "key")):
            yield key
        if called == "plural" and (key := literal(call, 0, "key")):
            yield f"{key}.one"
            yield f"{key}.other"
        if called == "Problem" and (code := literal(call, 2, "code")):
            yield f"problem.{code}"
        if called == "ConfigError" and (code := literal(call, 1, "code")):
            yield f"error.config.{code}"


def test_both_languages_have_the_same_keys() -> None:
    assert sorted(FR.sentences) == sorted(EN.sentences)


def test_each_sentence_has_the_same_placeholders_in_both_languages() -> None:
    shared = FR.sentences.keys() & EN.sentences.keys()
    different = [key for key in shared if placeholders(FR.sentences[key]) != placeholders(EN.sentences[key])]
    assert different == []


def test_placeholders_are_plain_names() -> None:
    named = {
        name for words in (FR, EN) for sentence in words.sentences.values() for name in placeholders(sentence)
    }
    assert [name for name in named if not name.isidentifier()] == []


@pytest.mark.parametrize("locale", LOCALES)
def test_catalogue_files_are_sorted_so_that_two_additions_merge(locale: str) -> None:
    assert list(catalogue(locale).sentences) == sorted(catalogue(locale).sentences)


def test_every_key_the_code_writes_out_is_in_the_catalogue() -> None:
    missing = {
        f"{source.relative_to(ROOT)}: {key}"
        for folder in CODE
        for source in sorted((ROOT / folder).rglob("*.py"))
        for key in keys_used(source.read_text("utf-8"))
        if key not in FR.sentences
    }
    assert missing == set()


def test_the_search_for_keys_finds_each_way_of_using_one() -> None:
    source = """
words.say("a.b", path=path)
words.plural("n.facts", 3)
Problem(path, 3, "unclosed")
Problem(path=path, line=3, code="doubled")
ConfigError(locale, "syntax")
say(chosen)
"""
    used = {
        "a.b",
        "n.facts.one",
        "n.facts.other",
        "problem.unclosed",
        "problem.doubled",
        "error.config.syntax",
    }
    assert set(keys_used(source)) == used


def test_a_missing_key_and_a_missing_value_are_key_errors() -> None:
    with pytest.raises(KeyError):
        FR.say("no.such.key")
    with pytest.raises(KeyError):
        FR.say("error.config.unknown", place="x")
    with pytest.raises(KeyError):
        catalogue("de")


def test_braces_in_a_value_are_shown_as_they_are() -> None:
    said = FR.say("error.config.syntax", place="{line}{0}", line=3)
    assert said.startswith("{line}{0}, ligne 3")


def test_a_problem_says_its_note_line_and_values() -> None:
    words = type(FR)("fr", {"problem.unclosed": "{place} : {section} n'est pas fermée."})
    said = words.problem(Problem("A.md", 12, "unclosed", (("section", "goals"),)))
    assert said == "A.md:12 : goals n'est pas fermée."


def test_numbers_are_written_as_the_language_does() -> None:
    assert (FR.number(0.62), EN.number(0.62)) == ("0,62", "0.62")
    assert (FR.number(1.0), FR.number(7), EN.number(12_345)) == ("1", "7", "12,345")


def test_french_counts_nothing_as_singular_and_english_as_plural() -> None:
    sentences = {"n.one": "{number} fait", "n.other": "{number} faits"}
    french, english = type(FR)("fr", sentences), type(FR)("en", sentences)
    assert [french.plural("n", count) for count in (0, 1, 2)] == ["0 fait", "1 fait", "2 faits"]
    assert [english.plural("n", count) for count in (0, 1, 2)] == ["0 faits", "1 fait", "2 faits"]
