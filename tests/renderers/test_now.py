"""now.md written: whole, or its first section alone."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from parsers.model.now import NowTexts
from parsers.now import fault, parse, plain
from renderers.now import focused, render

DAY = "2026-12-01"
TEXTS = NowTexts("Brancher l'API.", "", "Écrire le test.", "La branche est `now`.")
WHOLE = """# Now — 2026-11-30

## Étape courante

Brancher l'API.

## Services actifs (connus)

## Prochaine action immédiate

Écrire le test.

## Contexte implicite

La branche est `now`.
"""


def test_the_note_is_a_title_with_its_day_and_four_sections_an_empty_one_without_text():
    assert render(TEXTS, "2026-11-30") == WHOLE


def test_focusing_replaces_the_first_section_and_the_day_and_no_other_byte():
    text = focused(WHOLE, parse(WHOLE), "Autre chose.\n- un", DAY)
    assert text == WHOLE.replace("2026-11-30", DAY).replace("Brancher l'API.", "Autre chose.\n- un")
    assert focused(WHOLE, parse(WHOLE), "", DAY) == render(TEXTS._replace(step=""), DAY)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "# Now — D\n\n## Étape courante\n\nx\n"),
        ("\ufeff", "\ufeff# Now — D\n\n## Étape courante\n\nx\n"),
        ("mes mots", "# Now — D\n\nmes mots\n\n## Étape courante\n\nx\n"),
        ("# Now", "# Now — D\n\n## Étape courante\n\nx\n"),
        ("# Now\nmots\n", "# Now — D\nmots\n\n## Étape courante\n\nx\n"),
        ("# Now\n\n## Notes\n", "# Now — D\n\n## Étape courante\n\nx\n\n## Notes\n"),
        ("---\na: 1\n---\nmots\n", "---\na: 1\n---\n# Now — D\n\nmots\n\n## Étape courante\n\nx\n"),
        ("# Now\n\n```\ncode\n", "# Now — D\n\n## Étape courante\n\nx\n\n\n```\ncode\n"),
        ("## Étape courante", "# Now — D\n\n## Étape courante\n\nx\n"),
        (
            "# Now — 2026-11-30\r\n\r\n## Étape courante\r\nvieux\r\n\r\n## Notes\r\nmots\r\n",
            "# Now — D\r\n\r\n## Étape courante\r\n\r\nx\r\n\r\n## Notes\r\nmots\r\n",
        ),
    ],
)
def test_a_title_or_section_that_is_missing_is_put_in(before, after):
    assert focused(before, parse(before), "x", DAY) == after.replace("D", DAY)


PIECES = st.lists(
    st.sampled_from(
        [
            "# Now — 2026-11-30\n",
            "# Now\n",
            "## Étape courante\n",
            "## Contexte implicite\n",
            "## Prochain action immédiate\n",
            "## Notes à moi\n",
            "mots\n",
            "mots\r\n",
            "\n",
            "### Détail\n",
            "```\n",
            "> cité\n",
            "- point\n",
            "mots",
        ]
    ),
    max_size=12,
).map("".join)
STEPS = st.sampled_from(["", "x", "- un\n- deux", "### Titre\n\nmots", "```\n# code\n```"])


@given(PIECES, STEPS)
def test_whatever_the_person_made_of_the_note_the_rest_stays_byte_for_byte(text, step):
    assert fault("step", step) is None
    before = parse(text)
    assume("step" in before.spans or before.place < len(text) or "```" not in text)
    assume("step" in before.spans or parse(f"{text}\n\n# Now\n").headed)
    after = focused(text, before, step, DAY)
    said = parse(after)
    assert said.texts.step == plain(step)
    assert said.day == DAY
    for name in ("services", "next", "context"):
        assert getattr(said.texts, name) == getattr(before.texts, name)
    span = before.spans.get("step")
    kept = (
        (text[: before.title.start], text[before.title.stop : span.start], text[span.stop :])
        if span
        else (text,)
    )
    assert span is None or before.title.start > span.start or all(part in after for part in kept)
    once = focused(after, said, step, DAY)
    assert once == after
