"""Rules 5 and 6 of memory.md: what says the same, what says the opposite."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.sameness import core, folded, opposed


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Aime le thé", "aime  le THE."),
        ("Aime le thé", unicodedata.normalize("NFD", "Aime le thé")),
        ("Cœur\u00a0vaillant", "cœur vaillant"),
        ("œuf", "ŒUF"),
        ("Straße", "STRASSE"),
        ("fin .", "fin"),
    ],
)
def test_case_accents_spaces_and_a_final_point_do_not_count(one, other):
    # memory.md rule 5
    assert folded(one) == folded(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Dort 8 heures", "Dort 7 heures"),
        ("Né le 2026-01-02", "Né le 2026-02-01"),
        ("Aime le thé", "N'aime pas le thé"),
        ("Jamais le soir", "Le soir"),
        ("a, b", "a b"),
        ("2²", "2³"),
        ("10²", "102"),
        ("1½ tasse", "1¼ tasse"),
    ],
)
def test_numbers_dates_and_negations_always_count(one, other):
    # memory.md rule 5
    assert folded(one) != folded(other)


@given(st.text())
def test_folding_twice_folds_once(text):
    assert folded(folded(text)) == folded(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("accepte les appels le dimanche", "n'accepte pas les appels le dimanche"),
        ("accepte les appels", "N’accepte jamais les appels."),
        ("Mange de la viande", "Ne mange pas de la viande"),
        ("likes tea", "does not like tea".replace("like ", "likes ")),
        ("Works on Sunday", "Never works on Sunday"),
        ("is a member", "is not a member"),
        ("accepte les appels", "n'accepte plus les appels"),
        ("Mange à midi", "Ne mange rien à midi"),
    ],
)
def test_texts_that_differ_by_a_negation_only_are_opposed(one, other):
    # memory.md rule 6
    assert opposed(one, other)
    assert opposed(other, one)
    assert core(one) == core(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Aime le thé", "Aime le thé"),
        ("Aime le thé", "N'aime pas le café"),
        ("n'aime pas le thé", "n'aime jamais le thé"),
        ("", "pas"),
        ("pas", "jamais"),
        ("veut du thé", "veut plus du thé"),
        ("Rendez-vous à 8 h", "Pas de rendez-vous à 9 h"),
    ],
)
def test_other_texts_are_not(one, other):
    assert not opposed(one, other)


@given(st.text(), st.text())
def test_being_opposed_has_no_direction(one, other):
    assert opposed(one, other) == opposed(other, one)
