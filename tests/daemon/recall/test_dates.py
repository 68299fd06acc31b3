"""The days a query names, in French and English."""

import time
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.recall.dates import days, within

TODAY = date(2026, 11, 30)
"""A Monday."""


def day(spelt):
    first = date.fromisoformat(spelt)
    return (spelt, (first + timedelta(days=1)).isoformat())


MARCH, YEAR = ("2024-03-01", "2024-04-01"), ("2023-01-01", "2024-01-01")
LAST_WEEK = ("2026-11-23", "2026-11-30")
SAID = {
    "qu'ai-je décidé en mars 2024 ?": [MARCH],
    "what did I decide in March 2024?": [MARCH],
    "mars de 2024": [MARCH],
    "le 3 mai": [day("2026-05-03")],
    "le 1er mai 2023": [day("2023-05-01")],
    "on 7 May 2023": [day("2023-05-07")],
    "May 7th, 2023": [day("2023-05-07")],
    "the 7th of May": [day("2026-05-07")],
    "du 3 au 7 mai 2025": [("2025-05-03", "2025-05-08")],
    "May 3-7, 2023": [("2023-05-03", "2023-05-08")],
    "2023-05-07": [day("2023-05-07")],
    "le 2023-05.": [("2023-05-01", "2023-06-01")],
    "le 31/12/2025": [day("2025-12-31")],
    "on 5/13/2023": [day("2023-05-13")],
    "in 2023": [YEAR],
    "budget 2023": [YEAR],
    "hier": [day("2026-11-29")],
    "yesterday": [day("2026-11-29")],
    "avant-hier": [day("2026-11-28")],
    "aujourd’hui": [day("2026-11-30")],
    "demain": [day("2026-12-01")],
    "la semaine dernière": [LAST_WEEK],
    "last week": [LAST_WEEK],
    "cette semaine": [("2026-11-30", "2026-12-07")],
    "le mois dernier": [("2026-10-01", "2026-11-01")],
    "l'an dernier": [("2025-01-01", "2026-01-01")],
    "next year": [("2027-01-01", "2028-01-01")],
    "le week-end dernier": [("2026-11-28", "2026-11-30")],
    "il y a trois jours": [day("2026-11-27")],
    "2 weeks ago": [("2026-11-16", "2026-11-23")],
    "a year ago": [("2025-01-01", "2026-01-01")],
    "the last 3 months": [("2026-08-30", "2026-12-01")],
    "ces 2 dernières semaines": [("2026-11-16", "2026-12-01")],
    "mardi dernier": [day("2026-11-24")],
    "on Tuesday": [day("2026-11-24")],
    "lundi prochain": [day("2026-12-07")],
    "last May": [("2026-05-01", "2026-06-01")],
    "mai prochain": [("2027-05-01", "2027-06-01")],
    "en septembre": [("2026-09-01", "2026-10-01")],
    "les notes d'avril": [("2026-04-01", "2026-05-01")],
    "in May": [("2026-05-01", "2026-06-01")],
    "en mars": [("2026-03-01", "2026-04-01")],
    "le 29 février": [day("2024-02-29")],
    "hier et en 2023": [YEAR, day("2026-11-29")],
}


@pytest.mark.parametrize("query", SAID)
def test_what_a_query_names(query):
    assert list(days(query, TODAY)) == SAID[query]


@pytest.mark.parametrize(
    "query",
    [
        "",
        "la planète Mars",
        "may I?",
        "sept nains",
        "M8-40",
        "0000-00-00",
        "2023-13-45",
        "99999",
        "art. 12",
        "mes",
    ],
)
def test_what_is_no_date_names_nothing(query):
    assert days(query, TODAY) == ()


def test_a_month_that_comes_soon_may_be_the_one_to_come():
    assert days("en décembre", TODAY) == (("2025-12-01", "2026-01-01"), ("2026-12-01", "2027-01-01"))


def test_a_period_is_half_open():
    assert within("2024-03-01", (MARCH,))
    assert within("2024-03-31", (MARCH,))
    assert not within("2024-04-01", (MARCH,))


_WORDS = """
    le 3 31 29 1er mai mars février may last next dernier il y a trois jours ans ago 2024 0001 9999 - / . au to
    semaine hier 999 months years 2023-05-07 31/12/2025 en in
"""
WORDS = st.sampled_from(_WORDS.split())


@given(st.text(max_size=80) | st.lists(WORDS, max_size=12).map(" ".join), st.dates())
def test_any_text_on_any_day_gives_periods_in_order(query, today):
    found = days(query, today)
    assert list(found) == sorted(set(found))
    assert all(date.fromisoformat(first) < date.fromisoformat(after) for first, after in found)


@pytest.mark.parametrize(
    "piece", ["3 mai ", "3 ", "in ", "last ", "2024-", "le 3 au ", "é", "10 jours ", "a a a "]
)
def test_a_long_text_takes_no_long_time(piece):
    begun = time.process_time()
    days(piece * 200_000, TODAY)
    assert time.process_time() - begun < 0.5
