"""now.md read, and what may be written into it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.model.now import HEADINGS, MOST, NowTexts
from parsers.now import fault, faults, parse, plain
from renderers.now import render

NOTE = """# Now — 2026-11-30

## Étape courante

Brancher l'API.

## Services actifs (connus)

- api, port 8000

## Prochaine action immédiate

Écrire le test.

## Contexte implicite

La branche est `now`.
"""

TIMES = (
    "14:30",
    "9:05",
    "14:30:00",
    "14h30",
    "14 h 30",
    "14 h",
    "14h",
    "9H",
    "14\N{NO-BREAK SPACE}h\N{NO-BREAK SPACE}30",
    "14\N{NARROW NO-BREAK SPACE}h",
    "2026-11-30T10:29:14+01:00",
    "2026-11-30T10:29Z",
    "20261130T102914Z",
    "2pm",
    "2 p.m.",
    "2:30 PM",
    "11.30 am",
    "14 heures 30",
    "à 14 heures",
    "14 heures",
    "à 14 : 30",
    "vers 9 : 30",
    "5 o'clock",
    "\uff11\uff14\uff1a\uff13\uff10",
    "départ:14:30",
)
NO_TIMES = (
    "port 8000",
    "http://localhost:8000/x",
    "8080:80",
    "127.0.0.1:8080",
    "daemon/pipeline.py:12:30",
    "2026-11-30",
    "v1.14.30",
    "48h de travail",
    "14 hectares",
    "2 heures de travail",
    "9 heures",
    "24 heures",
    "16 heures de calcul",
    "16 heures d'attente",
    "Lot 14 : 30 tests",
    "Étape 3 : 12",
    "passer à 22.04",
    "14.30",
    "16:9",
    "10 ambulances",
    "5 amis",
    "3 points am",
    "lignes 14-30",
    "a1:2b:3c",
    "12,5 h",
)


def test_the_four_sections_and_the_day_are_read():
    said = parse(NOTE)
    assert said.day == "2026-11-30"
    assert said.texts == NowTexts(
        "Brancher l'API.", "- api, port 8000", "Écrire le test.", "La branche est `now`."
    )


def test_the_heading_of_the_next_action_is_read_without_its_last_letter_too():
    assert parse(NOTE.replace("Prochaine", "Prochain")).texts.next == "Écrire le test."


@pytest.mark.parametrize("text", ["", "\ufeff", "---\na: 1\n---\n", "# Autre\n\ntexte", "## Étape courante"])
def test_whatever_stands_there_is_read_as_far_as_it_goes(text):
    said = parse(text)
    assert said.day == ""
    assert said.texts == NowTexts()


def test_a_heading_in_code_is_no_section_and_of_two_the_first_counts():
    text = (
        NOTE.replace("Brancher l'API.", "```\n## Contexte implicite\n```") + "\n## Contexte implicite\n\nb\n"
    )
    said = parse(text)
    assert said.texts.step == "```\n## Contexte implicite\n```"
    assert said.texts.context == "La branche est `now`."


@pytest.mark.parametrize("time", TIMES)
@pytest.mark.parametrize(
    "around",
    [
        "{}",
        "rendez-vous {} demain",
        "- un\n- deux {}",
        "```\nlog {}\n```",
        "_{}_",
        "**{}**,",
        "(.{})",
        "`{}`/",
    ],
)
def test_a_clock_time_is_refused_and_the_line_named(time, around):
    found = fault("next", plain(around.format(time)))
    assert found is not None
    assert (found.code, found.section) == ("time", "next")
    assert found.line == 1 + around.partition("{}")[0].count("\n")


@pytest.mark.parametrize("text", ["14 : 30", "14 heures ; 14 : 30", "14 : 30.", "(14 :30)"])
def test_a_time_with_blanks_around_its_colon_is_one_where_nothing_goes_on(text):
    assert fault("next", text) is not None


@pytest.mark.parametrize("text", ["verset 3:16", "score 20:15"])
def test_two_numbers_that_read_like_a_time_are_refused_as_one(text):
    assert fault("next", text) is not None


@pytest.mark.parametrize("text", NO_TIMES)
def test_what_is_no_clock_time_passes(text):
    assert fault("step", plain(f"« {text} »")) is None


def test_a_text_of_more_than_1500_characters_is_refused():
    assert fault("context", "x" * MOST) is None
    assert fault("context", "x" * (MOST + 1)) == ("long", "context", 1, "1501")


@pytest.mark.parametrize(
    ("text", "line", "found"),
    [
        ("un\n# Titre", 2, "Titre"),
        ("## Contexte implicite", 1, "Contexte implicite"),
        ("Titre\n===", 1, "Titre"),
    ],
)
def test_a_heading_of_level_one_or_two_is_refused_and_deeper_ones_pass(text, line, found):
    assert fault("step", text) == ("heading", "step", line, found)
    assert fault("step", "### Sous-titre\n\n> # cité\n\n```\n# code\n```") is None


@pytest.mark.parametrize("text", ["```\ncode", "%% caché", "<!-- caché", "~~~~\n```", "<pre>"])
def test_what_opens_something_and_never_closes_it_is_refused(text):
    found = fault("services", text)
    assert found is not None
    assert found.code == "unclosed"


def test_every_section_is_checked():
    texts = NowTexts("14:30", "bien", "# non", "x" * 1501)
    assert [(one.section, one.code) for one in faults(texts)] == [
        ("step", "time"),
        ("next", "heading"),
        ("context", "long"),
    ]
    assert [one.section for one in faults(texts, "step")] == ["step"]


MARKDOWN = st.lists(
    st.sampled_from(
        [*"ab #`~-=>%<!*_|[]:1 \n\t\r\0\ufeff", "é", "\u2028", "```", "\n\n", "%%", "<!--", "---\n"]
    ),
    max_size=40,
).map("".join)


@given(st.tuples(MARKDOWN, MARKDOWN, MARKDOWN, MARKDOWN))
def test_what_may_be_written_is_read_back_as_it_was(drawn):
    texts = NowTexts(*map(plain, drawn))
    if not list(faults(texts)):
        said = parse(render(texts, "2026-11-30"))
        assert said.texts == texts
        assert said.day == "2026-11-30"
        assert list(said.spans) == list(HEADINGS)


@given(st.text(max_size=200))
def test_any_text_is_read_and_checked_without_an_error(text):
    parse(text)
    once = plain(text)
    assert plain(once) == once
    fault("step", once)
    once.encode("utf-8")
