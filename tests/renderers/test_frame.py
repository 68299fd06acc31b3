"""The headings and empty sections a managed note gets at init, and only then (vault-notes.md)."""

import pytest

from parsers.frame import frame_of
from renderers.frame import framed

WANTED = [("preferences", "Préférences"), ("goals", "Objectifs")]


def names(text: str) -> list[str]:
    return [section.name for section in frame_of(text).sections]


def test_a_new_note_has_its_top_and_every_section_with_a_blank_line_before_and_after():
    text = framed(None, [], WANTED, ["# Profil", "Une phrase."])
    assert text == (
        "# Profil\n\nUne phrase.\n\n"
        "## Préférences\n<!-- clavaire:begin preferences -->\n\n\n<!-- clavaire:end preferences -->\n\n"
        "## Objectifs\n<!-- clavaire:begin goals -->\n\n\n<!-- clavaire:end goals -->\n"
    )
    assert names(text) == ["preferences", "goals"]


@pytest.mark.parametrize(
    "text", ["Mon texte", "Mon texte\n", "Mon texte\n\n", "---\na: b\n---\nTexte\n", "\ufeffa\n"]
)
def test_an_adopted_note_keeps_its_text_and_gets_what_is_missing_at_its_end(text):
    done = framed(text, [], WANTED, ["# Profil"])
    assert done.startswith(text)
    assert names(done) == ["preferences", "goals"]
    assert framed(done, names(done), WANTED, ["# Profil"]) == done


def test_a_missing_section_alone_is_appended():
    text = framed(None, [], WANTED[:1], ["# Profil"])
    done = framed(text, ["preferences"], WANTED, ["# Profil"])
    assert done.startswith(text)
    assert names(done) == ["preferences", "goals"]


def test_an_adopted_note_with_crlf_gets_crlf():
    done = framed("Texte\r\n", [], WANTED, ["# Profil"])
    assert done.count("\n") == done.count("\r\n")


def test_an_unclosed_fence_at_the_end_does_not_swallow_the_sections():
    done = framed("```\ncode\n", [], WANTED, ["# Profil"])
    assert done.startswith("```\ncode\n")
