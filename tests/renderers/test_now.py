"""now.md written: whole, or its first section alone."""

from itertools import pairwise

import pytest
from hypothesis import example, given
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
        ("# Now\n\n```\ncode\n", "# Now — D\n\n```\ncode\n```\n\n## Étape courante\n\nx\n"),
        ("# Now\n\n~~~~\ncode\n```", "# Now — D\n\n~~~~\ncode\n```\n~~~~\n\n## Étape courante\n\nx\n"),
        ("```\n# Now\n", "# Now — D\n\n```\n# Now\n```\n\n## Étape courante\n\nx\n"),
        ("# Now\n%%\nmots\n", "# Now — D\n%%\nmots\n%%\n\n## Étape courante\n\nx\n"),
        ("# Now\r\n<!-- mots\r\n", "# Now — D\r\n<!-- mots\r\n-->\r\n\r\n## Étape courante\r\n\r\nx\r\n"),
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
            "~~~~\n",
            "%%\n",
            "<!-- \n",
            "<pre>\n",
            "<?\n",
            "<!X \n",
            "<![CDATA[\n",
            "> cité\n",
            "- point\n",
            "mots",
        ]
    ),
    max_size=12,
).map("".join)
STEPS = st.sampled_from(["", "x", "- un\n- deux", "### Titre\n\nmots", "```\n# code\n```"])


@example("# Now — 2026-11-30\n```\n", "")
@example("# Now — 2026-11-30\n```\nmots\n", "x")
@given(PIECES, STEPS)
def test_whatever_the_person_made_of_the_note_the_rest_stays_byte_for_byte(text, step):
    assert fault("step", step) is None
    before = parse(text)
    after = focused(text, before, step, DAY)
    said = parse(after)
    assert said.texts.step == plain(step)
    assert said.day == DAY
    for name in ("services", "next", "context"):
        assert getattr(said.texts, name) == getattr(before.texts, name)
    span = before.spans.get("step")
    gone = [before.title, *([span] if span else [])]
    cuts = sorted({0, before.place, len(text), *(place for one in gone for place in one)})
    kept = [(a, b) for a, b in pairwise(cuts) if not any(one[0] <= a < one[1] for one in gone)]
    at = 0
    for start, stop in kept:
        at = after.index(text[start:stop], at) + stop - start
    once = focused(after, said, step, DAY)
    assert once == after
