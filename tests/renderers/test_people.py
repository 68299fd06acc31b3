"""Personnes.md rendered: only what differs is spliced, and rendering again changes nothing (laws 2 and 3)."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.frame import frame_of
from parsers.model.entities import Entity, Relation
from parsers.people import parse, people_in
from renderers.lines import Rendered
from renderers.people import PeopleView, render, view
from renderers.profile import Before
from renderers.profile import view as facts_view
from tests.renderers.test_profile import TODAY, WORDS, fact

NAMES = {**WORDS, "seen": "vu", "about": "à propos"}
MARIE, PAUL = "e-00000001", "e-00000002"
DAY = " [vu:: 2026-11-30]"


def entity(name: str, known: str = MARIE, **values: object) -> Entity:
    one = Entity(
        id=known,
        user_id="moi",
        kind="person",
        name=name,
        aliases=(),
        note=None,
        anchor=None,
        status="confirmed",
        provenance="user",
        source="user",
        sensitivity="normal",
        last_seen="2026-11-30",
        recorded_at="2026-11-30T09:00:00.000Z",
        retracted_at=None,
    )
    return replace(one, **values)  # type: ignore[arg-type]


def related(text: str, known: str = MARIE, since: str | None = None) -> Relation:
    return Relation(
        id=f"{known}.1",
        entity_id=known,
        to_id=None,
        text=text,
        valid_from=since,
        valid_to=None,
        valid_from_text=since,
        valid_to_text=None,
        recorded_at="2026-11-30T09:00:00.000Z",
        retracted_at=None,
        provenance="user",
        source="user",
    )


def shows(people, facts=(), stood: tuple[str, ...] = ()) -> PeopleView:
    known = [one if isinstance(one, tuple) else (one, None) for one in people]
    below = facts_view(
        [(one,) for one in facts],
        (),
        TODAY,
        NAMES,
        Before(stood),
        place=lambda one: (one.entity_id, "") if one.entity_id else None,
    )
    return view(known, (), below, NAMES, Before(stood))


def note(lines: str) -> str:
    return f"Avant\n<!-- clavaire:begin people -->\n{lines}<!-- clavaire:end people -->\nAprès"


def render_whole(what: PeopleView, text: str) -> tuple[Rendered, Rendered]:
    frame = frame_of(text)
    said = parse(text, frame)
    return render(what, text, frame, said, said.statements)


def rendered(what: PeopleView, lines: str) -> Rendered:
    text = note(lines)
    after, _ = render_whole(what, text)
    again, stood = render_whole(what, after.text)
    assert again.text == after.text
    assert again.ids == stood.ids == after.ids
    return after


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("- Marie\n", f"- Marie{DAY} ^{MARIE}\n"),
        ("- Marie  \n", f"- Marie{DAY}  ^{MARIE}\n"),
        (f"- Marie ^{MARIE}\n", f"- Marie{DAY} ^{MARIE}\n"),
        (f"- Marie [vu:: 2020-01-01] ^{MARIE}\n", f"- Marie{DAY} ^{MARIE}\n"),
        (f"- Marie [seen::2020-01-01] ^{MARIE}\n", f"- Marie [seen::2026-11-30] ^{MARIE}\n"),
        (f"- ^{MARIE} Marie\n", f"- Marie{DAY} ^{MARIE}\n"),
        ("* Marie\n", f"* Marie{DAY} ^{MARIE}\n"),
        ("- Marie ^f-00000009\n", f"- Marie{DAY} ^{MARIE}\n"),
        ("- Marie\n\n\tlibre\n", f"- Marie{DAY} ^{MARIE}\n\n\tlibre\n"),
        ("- Marie\n\t* \n", f"- Marie{DAY} ^{MARIE}\n\t* \n"),
        ("- Marie\n\t- \n", f"- Marie{DAY} ^{MARIE}\n\t- \n"),
        ("- Marie\n\t2. \n", f"- Marie{DAY} ^{MARIE}\n\t2. \n"),
        (f"- Marie ^{MARIE}.\n", f"- Marie.{DAY} ^{MARIE}\n"),
        (f"- Marie [vu:: 2020-01-01] ^{MARIE} D.\n", f"- Marie D.{DAY} ^{MARIE}\n"),
        (f"- Marie [vu:: 2020-01-01] D. ^{MARIE}\n", f"- Marie D.{DAY} ^{MARIE}\n"),
        (f"- Marie{DAY}{DAY} ^{MARIE}\n", f"- Marie{DAY} ^{MARIE}\n"),
    ],
)
def test_a_line_gets_its_id_and_the_day_and_keeps_the_rest(written, wanted):
    if written.startswith("- ^"):
        wanted = f"-  Marie{DAY} ^{MARIE}\n"
    name = wanted.partition(DAY)[0].removeprefix("* ").removeprefix("- ").strip()
    assert rendered(shows([entity(name)]), written).text == note(wanted)


def test_facts_below_get_theirs():
    facts = [fact("Aime le thé\n\t- vert", entity_id=MARIE)]
    after = rendered(shows([entity("Marie")], facts), "- Marie\n  - Aime le thé\n  \t- vert\n")
    assert after.text == note(f"- Marie{DAY} ^{MARIE}\n  - Aime le thé ^f-00000001\n  \t- vert\n")
    assert after.ids == {"people": {MARIE}, MARIE: {"f-00000001"}}


def test_people_and_facts_that_are_missing_come_in_the_style_of_the_note():
    people = [(entity("Marie"), None), (entity("Paul", PAUL), related("ami", PAUL, "2020"))]
    facts = [
        fact("Aime le thé\n\t- vert", entity_id=MARIE),
        fact("Court", "f-00000002", entity_id=MARIE),
        fact("Nage", "f-00000003", entity_id=PAUL),
    ]
    after = rendered(shows(people, facts), "- Marie\n    - Court\n\nlibre\n")
    assert after.text == note(
        f"- Marie{DAY} ^{MARIE}\n    - Court ^f-00000002\n    - Aime le thé ^f-00000001\n    \t- vert\n"
        f"- Paul — ami [depuis:: 2020]{DAY} ^{PAUL}\n    - Nage ^f-00000003\n\nlibre\n"
    )


def test_nothing_of_the_persons_becomes_part_of_a_line_that_comes():
    facts = [fact("Court", entity_id=MARIE)]
    after = rendered(shows([entity("Marie")], facts), "- Marie\n\n\t\tlibre\n")
    assert after.text == note(f"- Marie{DAY} ^{MARIE}\n\n\t\tlibre\n\t- Court ^f-00000001\n")


def test_a_fact_that_nowhere_would_be_read_waits():
    facts = [fact("Court", entity_id=MARIE)]
    lines = f"- Marie{DAY} ^{MARIE}\n\t```\n\tlibre\n"
    text = note(lines)
    after, _ = render_whole(shows([entity("Marie")], facts), text)
    again, _ = render_whole(shows([entity("Marie")], facts), after.text)
    assert again.text == after.text


def test_somebody_forgotten_leaves_with_what_is_known_below_and_nothing_else():
    gone = entity("", status="forgotten", retracted_at="2026-11-30T09:00:00.000Z")
    facts = [fact("", entity_id=MARIE, status="forgotten", retracted_at="2026-11-30T09:00:00.000Z")]
    lines = f"- Paul{DAY} ^{PAUL}\n- Marie{DAY} ^{MARIE}\n\t- Court ^f-00000001\n\n  libre\n"
    stood = (MARIE, "f-00000001")
    after = rendered(shows([gone, entity("Paul", PAUL)], facts, stood), lines)
    assert after.text == note(f"- Paul{DAY} ^{PAUL}\n\n  libre\n")


def test_new_lines_take_the_line_ending_of_the_section():
    text = note("- Paul\n").replace("\n", "\r\n")
    what = shows([entity("Paul", PAUL), entity("Marie")], [fact("Court", entity_id=MARIE)])
    after, _ = render_whole(what, text)
    assert after.text.count("\n") == after.text.count("\r\n")
    assert f"- Marie{DAY} ^{MARIE}\r\n\t- Court ^f-00000001\r\n" in after.text


_OURS = re.compile(rf"[ \t]?(?:\^{MARIE}|\[(?:vu|seen):: \d{{4}}-\d\d-\d\d\])")
_parts = st.sampled_from(
    [
        *(
            " — ",
            " sœur",
            " [vu:: 2026-11-30]",
            " [seen:: 2020-01-01]",
            f" ^{MARIE}",
            ".",
        ),
        *(
            " [depuis:: 2020]",
            " `x`",
            "\n\t* ",
            "\n\t- ",
            "\n\t1. ",
            "\n  suite",
            f"\n ^{MARIE}",
            "(aînée)",
            "  ",
            " ^p1",
        ),
    ]
)


@given(st.lists(_parts, max_size=7))
def test_whatever_is_typed_around_what_is_ours_says_the_same_afterwards_and_loses_no_word(parts):
    lines = f"- Marie{''.join(parts)}\n"
    (before, *_) = people_in(lines)
    wording = before.says.wording
    known = entity(wording.key or "", anchor=before.says.anchor)
    what = shows([(known, related(wording.value) if wording.value else None)])
    text = rendered(what, lines).text
    section = text.partition("people -->\n")[2].partition("<!-- clavaire:end")[0]
    (after, *_) = people_in(section)
    assert after.says.wording == wording
    assert after.says.anchor or len(after.says.id_spans) == 1
    assert after.says.settled
    assert _words(section) == _words(lines)


def _words(text: str) -> str:
    return "".join(_OURS.sub("", text).split())
