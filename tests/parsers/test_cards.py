"""Cartes.md: what is ticked, what is reworded, and what is no tick at all (case C11)."""

import pytest

from parsers.cards import answers, parse
from parsers.frame import frame_of

CARD = """\
- Dentiste : Dr Martin ^c-5t8w1n6z
\t- proposé par mcp:claude-code, confiance 0,62
\t- [ ] Garder ^c-5t8w1n6z-keep
\t- [ ] Refuser ^c-5t8w1n6z-refuse
"""


def note(*cards: str, name: str = "pending") -> str:
    return f"# Cartes\n\n<!-- clavaire:begin {name} -->\n\n{''.join(cards)}\n<!-- clavaire:end {name} -->\n"


def read(text: str) -> tuple[tuple[str, str, str], ...]:
    return answers(parse(text, frame_of(text, tasks=True)))


def ticked(card: str, choice: str, mark: str = "x") -> str:
    return card.replace(f"[ ] {choice}", f"[{mark}] {choice}")


def test_an_unticked_card_says_nothing():
    assert read(note(CARD)) == ()


@pytest.mark.parametrize("mark", ["x", "X"])
def test_one_ticked_box_is_an_answer(mark):
    assert read(note(ticked(CARD, "Garder", mark))) == (("c-5t8w1n6z", "keep", "Dentiste : Dr Martin"),)


@pytest.mark.parametrize("mark", ["-", "/", "?", "!", "é", "✓"])
def test_no_other_mark_is_an_answer(mark):
    assert read(note(ticked(CARD, "Garder", mark))) == ()


def test_both_boxes_ticked_are_no_answer():
    assert read(note(ticked(ticked(CARD, "Garder"), "Refuser"))) == ()


def test_the_reworded_first_line_comes_with_its_fields():
    card = ticked(CARD, "Garder").replace("Dr Martin ^", "Dr Petit [depuis:: 2026-02] ^")
    assert read(note(card)) == (("c-5t8w1n6z", "keep", "Dentiste : Dr Petit [depuis:: 2026-02]"),)


@pytest.mark.parametrize(
    "wrap",
    [
        lambda card: f"```\n{card}```\n",
        lambda card: f"%%\n{card}%%\n",
        lambda card: f"<!--\n{card}-->\n",
        lambda card: "".join(f"> {line}\n" for line in card.splitlines()),
        lambda card: "".join(f"    {line}\n" for line in card.splitlines()),
    ],
)
def test_a_card_in_code_a_comment_or_a_quote_says_nothing(wrap):
    assert read(note(wrap(ticked(CARD, "Garder")))) == ()


def test_a_box_of_another_card_or_outside_the_sections_says_nothing():
    other = ticked(CARD, "Garder").replace("^c-5t8w1n6z-keep", "^c-00000000-keep")
    assert read(note(other)) == ()
    assert read(ticked(CARD, "Garder") + note(CARD)) == ()
    assert read(note(ticked(CARD, "Garder"), name="preferences")) == ()


def test_a_card_or_a_box_that_stands_twice_says_nothing():
    assert read(note(ticked(CARD, "Garder"), CARD)) == ()
    doubled = ticked(CARD, "Garder") + "\t- [x] Garder ^c-5t8w1n6z-keep\n"
    assert read(note(doubled)) == ()


def test_crlf_and_spaces_for_indentation_read_the_same():
    text = note(ticked(CARD, "Garder").replace("\t", "    ")).replace("\n", "\r\n")
    assert read(text) == (("c-5t8w1n6z", "keep", "Dentiste : Dr Martin"),)
