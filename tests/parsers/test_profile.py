"""Profil.md: its five sections, and the items typed beside them."""

from parsers.frame import frame_of
from parsers.profile import parse

NOTE = """\
# Profil

- une liste libre, loin de tout

## Préférences
- à côté, au-dessus
Du texte.
<!-- clavaire:begin preferences -->
- dedans
<!-- clavaire:end preferences -->
- à côté, dessous
* aussi

- plus loin : libre

## Autre
<!-- clavaire:begin people -->
- Léa
<!-- clavaire:end people -->
"""


def test_statements_come_from_the_sections_of_facts_only():
    said = parse(NOTE, frame_of(NOTE))
    assert [(spot.section, spot.says.wording.text) for spot in said.statements] == [("preferences", "dedans")]


def test_items_glued_to_a_section_are_strays_and_others_are_free():
    said = parse(NOTE, frame_of(NOTE))
    assert [(one.line, one.text) for one in said.strays] == [
        (6, "à côté, au-dessus"),
        (11, "à côté, dessous"),
        (12, "aussi"),
    ]


def test_without_a_heading_above_nothing_is_a_stray():
    note = "- libre\n\n<!-- clavaire:begin facts -->\n- a\n<!-- clavaire:end facts -->\n"
    assert parse(note, frame_of(note)).strays == ()


def test_between_two_sections_an_item_is_the_strays_of_the_first_only():
    note = (
        "## A\n<!-- clavaire:begin facts -->\n<!-- clavaire:end facts -->\n- entre\n"
        "<!-- clavaire:begin goals -->\n<!-- clavaire:end goals -->\n"
    )
    assert [(one.section, one.text) for one in parse(note, frame_of(note)).strays] == [("facts", "entre")]


def test_comments_hide_items_and_keep_offsets():
    note = "<!-- clavaire:begin facts -->\n%%\n- caché ^f-12345678\n%%\n- vu\n<!-- clavaire:end facts -->\n"
    (spot,) = parse(note, frame_of(note)).statements
    assert note[spot.start : spot.stop] == "- vu\n"
