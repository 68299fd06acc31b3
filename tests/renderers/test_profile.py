"""Profil.md rendered: only what differs is spliced, and rendering again changes nothing (laws 2 and 3; R-M10)."""

from dataclasses import replace

import pytest

from parsers.frame import frame_of
from parsers.model.facts import Fact
from parsers.profile import parse
from renderers.lines import LinesView, Rendered
from renderers.profile import Before, render, view

WORDS = {"since": "depuis", "until": "jusqu'à", "sensitive": "sensible", "review": "revoir", "yes": "oui"}
TODAY = "2026-11-30"
ONE, TWO = "f-00000001", "f-00000002"


def fact(text: str, name: str = ONE, **values: object) -> Fact:
    known = Fact(
        id=name,
        version=1,
        user_id="moi",
        kind="fact",
        text=text,
        key=None,
        value=None,
        anchor=None,
        entity_id=None,
        status="confirmed",
        confidence=1.0,
        provenance="user",
        source="user",
        source_ref=None,
        sensitivity="normal",
        valid_from=None,
        valid_to=None,
        valid_from_text=None,
        valid_to_text=None,
        review=None,
        recorded_at="2026-11-30T09:00:00.000Z",
        retracted_at=None,
        supersedes=None,
        last_seen_at="2026-11-30T09:00:00.000Z",
    )
    return replace(known, **values)  # type: ignore[arg-type]


def shows(*facts: Fact | tuple[Fact, ...], stood: tuple[str, ...] = ()) -> LinesView:
    versions = [one if isinstance(one, tuple) else (one,) for one in facts]
    return view(versions, (), TODAY, WORDS, Before(stood), lambda *_: True)


def note(lines: str) -> str:
    return f"Avant\n<!-- clavaire:begin facts -->\n{lines}<!-- clavaire:end facts -->\nAprès"


def render_whole(seen: LinesView, text: str) -> tuple[Rendered, Rendered]:
    """Render with every line looked at."""
    frame = frame_of(text)
    said = parse(text, frame)
    return render(seen, text, frame, said, said.statements, frozenset())


def rendered(lines: str, *facts: Fact | tuple[Fact, ...], stood: tuple[str, ...] = ()) -> str:
    """Give the section's lines as rendered; rendered again they must be the same."""
    seen = shows(*facts, stood=stood)
    done = render_whole(seen, note(lines))[0].text
    assert render_whole(seen, done)[0].text == done
    assert done.startswith("Avant\n<!-- clavaire:begin facts -->\n")
    assert done.endswith("<!-- clavaire:end facts -->\nAprès")
    return done.split("-->\n", 1)[1].rpartition("<!--")[0]


def test_a_fact_without_a_line_comes_after_the_last_line_of_ours():
    assert (
        rendered("- vélo\n\nlibre\n", fact("vélo", TWO), fact("thé"))
        == f"- vélo ^{TWO}\n- thé ^{ONE}\n\nlibre\n"
    )


def test_in_an_empty_section_it_stands_between_the_blank_lines():
    assert rendered("\n\n", fact("thé")) == f"\n- thé ^{ONE}\n\n"


def test_in_a_section_of_free_lines_it_stands_before_the_end():
    assert rendered("libre\n\n", fact("thé")) == f"libre\n\n- thé ^{ONE}\n"


@pytest.mark.parametrize("bullet", ["*", "+", "-"])
def test_new_lines_take_the_bullet_of_the_section(bullet):
    assert rendered(f"{bullet} vélo ^{TWO}\n", fact("vélo", TWO), fact("thé")).endswith(
        f"{bullet} thé ^{ONE}\n"
    )


def test_the_fields_a_person_did_not_write_there_are_shown_in_the_catalogues_words():
    line = rendered(
        "",
        fact(
            "thé",
            valid_from="2026-09-01",
            valid_from_text="2026-09",
            sensitivity="sensitive",
            review="2027-01-01",
        ),
    )
    assert line == f"- thé [depuis:: 2026-09] [sensible:: oui] [revoir:: 2027-01-01] ^{ONE}\n"


def test_a_start_nobody_stated_is_not_shown():
    assert rendered("", fact("thé", valid_from="2026-09-01")) == f"- thé ^{ONE}\n"


def test_children_are_written_below_and_the_id_above_them():
    assert rendered("", fact("a\n\t1. b\n\t2. c")) == f"- a ^{ONE}\n\t1. b\n\t2. c\n"
    assert rendered("- a\n\t1. b\n\t2. c\n", fact("a\n\t1. b\n\t2. c")) == f"- a ^{ONE}\n\t1. b\n\t2. c\n"


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        (f"- thé ^{ONE} vert\n", f"- thé vert ^{ONE}\n"),
        (f"- ^{ONE} thé vert\n", f"-  thé vert ^{ONE}\n"),
        (f"- thé\nvert ^{ONE}\n", f"- thé\nvert ^{ONE}\n"),
        (f"- thé ^{ONE}\nvert\n", f"- thé\nvert ^{ONE}\n"),
        (f"-  thé vert [depuis:: 2026]   ^{ONE}  \n", f"-  thé vert [depuis:: 2026]   ^{ONE}  \n"),
        ("- thé vert  \n", f"- thé vert  ^{ONE}\n"),
        (f"- thé vert ^{TWO}\n", f"- thé vert ^{ONE}\n"),
    ],
)
def test_an_id_is_put_at_the_end_of_its_paragraph_and_nothing_else_moves(line, wanted):
    assert rendered(line, fact("thé vert")) == wanted


def test_an_anchor_stands_for_the_id():
    assert rendered("- thé ^p1\n", fact("thé", anchor="p1")) == "- thé ^p1\n"
    assert rendered("", fact("thé", anchor="p1")) == "- thé ^p1\n"
    assert rendered(f"- thé ^p1 ^{ONE}\n", fact("thé", anchor="p1")) == f"- thé ^p1 ^{ONE}\n"


def test_a_past_wording_gives_way_and_its_fields_and_children_stay():
    versions = (fact("thé\n\t- vert"), fact("café\n\t- vert", version=2))
    assert (
        rendered(f"- thé [depuis:: 2026] ^{ONE}\n\t- vert\n", versions)
        == f"- café [depuis:: 2026] ^{ONE}\n\t- vert\n"
    )


def test_words_clavaire_never_recorded_are_the_persons():
    assert rendered(f"- thé noir ^{ONE}\n", fact("thé")) == f"- thé noir ^{ONE}\n"
    assert (
        rendered(f"- thé noir ^{ONE}\n", fact("thé", status="rejected", retracted_at="x"))
        == f"- thé noir ^{ONE}\n"
    )


@pytest.mark.parametrize(
    "values",
    [
        {"status": "rejected", "retracted_at": "x"},
        {"valid_to": TODAY},
        {"retracted_at": "x"},
    ],
)
@pytest.mark.parametrize("anchor", [None, "p1"])
def test_the_line_of_a_fact_that_left_leaves_with_its_children_only(values, anchor):
    gone = fact("thé\n\t- vert", anchor=anchor, **values)
    assert rendered(f"- thé ^{anchor or ONE}\n\t- vert\n\nlibre\n", gone) == "\nlibre\n"


def test_a_line_stays_until_the_day_it_ends_and_when_the_person_wrote_that_day():
    assert rendered(f"- thé ^{ONE}\n", fact("thé", valid_to="2026-12-01")) == f"- thé ^{ONE}\n"
    line = f"- thé [jusqu'à:: 2026-10] ^{ONE}\n"
    assert rendered(line, fact("thé", valid_to="2026-11-01", valid_to_text="2026-10")) == line


def test_a_forgotten_fact_leaves_if_its_line_stood_there():
    gone = fact("", status="forgotten", retracted_at="x")
    assert rendered(
        f"- thé ^{ONE}\nlibre non\n\n- vélo ^{TWO}\n", gone, fact("vélo", TWO), stood=(ONE, TWO)
    ) == (f"\n- vélo ^{TWO}\n")
    assert rendered(f"- thé ^{ONE}\n", gone) == f"- thé ^{ONE}\n"


def test_held_and_pending_facts_are_not_shown():
    assert rendered("", fact("thé", status="held"), fact("vélo", TWO, status="pending")) == ""


def test_an_id_that_another_line_has_is_cut_from_the_second():
    assert rendered(f"- thé ^{ONE}\n- autre ^{ONE}\n", fact("thé")) == f"- thé ^{ONE}\n- autre\n"


def test_crlf_of_the_begin_marker_is_that_of_new_lines():
    done = render_whole(shows(fact("a\n\tb")), note("").replace("\n", "\r\n"))[0].text
    assert f"\r\n- a ^{ONE}\r\n\tb\r\n<!--" in done
    assert done.count("\n") == done.count("\r\n")


def test_what_stood_and_what_stands_are_named_by_section():
    gone = fact("thé", valid_to=TODAY)
    after, before = render_whole(shows(gone, fact("vélo", TWO)), note(f"- thé ^{ONE}\n- encore\n"))
    assert {name: set(ids) for name, ids in before.ids.items()} == {"facts": {ONE}}
    assert {name: set(ids) for name, ids in after.ids.items()} == {"facts": {TWO}}
    assert after.repeats == {"encore"}
