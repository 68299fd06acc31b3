"""Personnes.md read: who stands there, what their lines say, which lines below them are facts (memory.md)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.frame import frame_of
from parsers.people import left_over, names_somebody, parse, person_wording, seen_span
from parsers.profile import ProfileSaid
from parsers.statements import as_item
from tests.peopled import acts


def note(lines: str) -> str:
    return f"# Personnes\n<!-- clavaire:begin people -->\n{lines}<!-- clavaire:end people -->\nAprès\n"


def read(lines: str) -> ProfileSaid:
    text = note(lines)
    return parse(text, frame_of(text))


@pytest.mark.parametrize(
    ("line", "name", "relation"),
    [
        ("Marie", "Marie", None),
        ("Marie — sœur", "Marie", "sœur"),
        ("Marie — sœur — aînée", "Marie", "sœur — aînée"),
        ("Marie\u00a0—\u202fsœur", "Marie", "sœur"),
        ("Marie —", "Marie", None),
        ("Jean-Paul - voisin", "Jean-Paul - voisin", None),
        ("[[Gens/Marie Dupont]] — sœur", "Marie Dupont", "sœur"),
        ("[[Gens/Marie Dupont|Marie]]", "Marie", None),
        ("[[Marie]] Dupont", "Marie Dupont", None),
    ],
)
def test_the_first_dash_separates_the_name_from_the_relation(line, name, relation):
    wording = person_wording(line)[1]
    assert (wording.key, wording.value) == (name, relation)
    assert wording.text == (f"{name} — {relation}" if relation else name)


@pytest.mark.parametrize(
    "fields", ["[depuis:: 2020] [vu:: 2026-11-30]", "[seen:: 2026-11-30] [since:: 2020]"]
)
def test_fields_are_read_in_any_order_and_language(fields):
    (spot,) = read(f"- Marie — sœur {fields} [sensible:: oui] ^e-00000001\n").statements
    assert spot.says.wording.text == "Marie — sœur"
    assert spot.says.wording.fields.since.first == "2020-01-01"
    assert spot.says.wording.fields.sensitive is True
    start, end = seen_span(spot.says)
    assert spot.says.item.text[start:end] == "2026-11-30"


def test_a_review_and_what_is_no_day_are_text():
    (spot,) = read("- Marie [revoir:: 2027] [vu:: à Lyon]\n").statements
    assert spot.says.wording.text == "Marie [revoir:: 2027] [vu:: à Lyon]"


def test_items_directly_below_are_facts_and_what_is_deeper_belongs_to_them():
    lines = "- Marie — sœur ^e-00000001\n\t- Aime le thé ^f-00000001\n\t\t- vert\n\t1. Court [depuis:: 2020]\n- Paul\n"
    marie, tea, runs, paul = read(lines).statements
    assert [spot.says.wording.text for spot in (marie, tea, runs, paul)] == [
        "Marie — sœur",
        "Aime le thé\n\t- vert",
        "Court",
        "Paul",
    ]
    text = note(lines)
    assert (tea.under, runs.under, paul.under) == (marie.start, marie.start, 0)
    assert text[marie.start : marie.stop] == "- Marie — sœur ^e-00000001\n"
    assert text[tea.start : tea.stop] == "\t- Aime le thé ^f-00000001\n\t\t- vert\n"
    assert text[marie.reach :].startswith("- Paul\n")
    assert [spot.line for spot in (marie, tea, runs, paul)] == [3, 4, 6, 7]


@pytest.mark.parametrize(
    "lines",
    [
        "- Marie\n\n  Un paragraphe.\n\n  > une citation\n  > - pas un fait\n",
        "- Marie\n  ```\n  - pas un fait\n  ```\n",
        "- Marie\n\t- # pas un fait\n",
        "- Marie\n\t- > pas un fait\n",
        "%%\n- Marie\n%%\n- Marie\n",
        "### Famille\n- Marie\n> - cité\n",
    ],
)
def test_what_is_neither_somebody_nor_a_fact_is_not_read(lines):
    assert [spot.says.wording.text for spot in read(lines).statements] == ["Marie"]


def test_an_item_that_starts_with_something_else_than_a_paragraph_is_nobody():
    assert read("- - Marie\n- > Paul\n\t- Aime le thé\n").statements == ()


def test_items_beside_the_section_are_told():
    text = note("") + ""
    text = text.replace("Après", "- Jeanne").replace("# Personnes\n", "# Personnes\n- Paul\n")
    assert [stray.text for stray in parse(text, frame_of(text)).strays] == ["Paul", "Jeanne"]


def test_line_endings_make_no_difference():
    lines = "- Marie — sœur\n\t- Aime le thé\n\t\t- vert\n"
    plain = [spot.says.wording for spot in read(lines).statements]
    text = note(lines).replace("\n", "\r\n")
    assert [spot.says.wording for spot in parse(text, frame_of(text)).statements] == plain


@pytest.mark.parametrize("marker", ["-", "*", "+", "1.", "2.", "10)"])
@pytest.mark.parametrize("blank", ["", " ", "  "])
def test_a_line_that_is_only_begun_is_no_part_of_the_one_above(marker, blank):
    lines = f"- Bob — x\n\t{marker}{blank}\n\t- Boit\n\t\t{marker}{blank}\n* Zoé — tante\n"
    assert [spot.says.wording.text for spot in read(lines).statements] == ["Bob — x", "Boit", "Zoé — tante"]


SEEN = "[vu:: 2026-11-30]"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (f"Marie — sœur {SEEN} ^e-00000001 aînée", "Marie — sœur aînée"),
        (f"Marie — sœur {SEEN} aînée ^e-00000001", "Marie — sœur aînée"),
        (f"Marie {SEEN} — sœur {SEEN} ^e-00000001", "Marie — sœur"),
        (f"Marie — sœur {SEEN}. ^e-00000001", "Marie — sœur."),
        (f"Marie — sœur {SEEN}aînée ^e-00000001", "Marie — sœur aînée"),
        (f"Marie — sœur {SEEN} ^e-00000001.", "Marie — sœur."),
        (f"Marie — sœur {SEEN} {SEEN} ^e-00000001", "Marie — sœur"),
        (f"{SEEN} Marie ^e-00000001", "Marie"),
        (f"Marie — `{SEEN}` sœur", f"Marie — `{SEEN}` sœur"),
        ("Marie [vu:: hier] aînée", "Marie [vu:: hier] aînée"),
    ],
)
def test_the_day_that_is_ours_is_no_part_of_what_a_line_says_wherever_it_stands(line, says):
    (spot,) = read(f"- {line}\n").statements
    assert spot.says.wording.text == says
    assert spot.says.id == ("e-00000001" if "^" in line else None)
    kept = list(spot.says.item.text)
    spans = [*spot.says.id_spans, *left_over(spot.says)]
    for start, end in sorted(spans, reverse=True):
        del kept[start:end]
    # What a pass moves to the end of the line is cut out of it; no word of the person's is.
    assert "".join(kept).replace(f" {SEEN}", "").split() == f"- {says}".replace(f" {SEEN}", "").split()


def test_fields_after_ours_are_fields():
    (spot,) = read(f"- Marie — sœur {SEEN} aînée [depuis:: 2020] ^e-00000001\n").statements
    assert spot.says.wording.text == "Marie — sœur aînée"
    assert spot.says.wording.fields.since.first == "2020-01-01"
    assert spot.says.item.text[spot.says.fields_start :] == " [depuis:: 2020] ^e-00000001\n"


def test_a_person_put_below_another_states_neither_our_day_nor_our_ids():
    lines = f"- Ana\n\t- Paul — ami {SEEN} ^e-00000001\n\t\t- Né en mai {SEEN} ^f-00000002\n"
    _, fact = read(lines).statements
    assert (fact.says.wording.text, fact.says.id) == ("Paul — ami\n\t- Né en mai", "e-00000001")


@pytest.mark.parametrize(
    "name",
    [
        "",
        "   ",
        "[[]]",
        "[[—]]",
        "—",
        "^e-",
        "^p1",
        "— sœur",
        "...",
        "[depuis:: 2020]",
        SEEN,
        "^e-00000001 —",
    ],
)
def test_a_name_without_a_letter_or_a_digit_is_none(name):
    assert not names_somebody(name)


@pytest.mark.parametrize("name", ["Marie", "Ö", "7", "[[Gens/Marie]]", "Marie — sœur", "e-", "李"])
def test_a_name_has_one(name):
    assert names_somebody(name)


@given(st.text(st.sampled_from("aé—- \u00a0[]|:#*`^1.éM"), max_size=30))
def test_what_a_line_says_says_the_same_again(text):
    wording = person_wording(as_item(text))[1]
    if wording.text and "[[" not in text:
        again = person_wording(wording.text)[1]
        assert (again.text, again.key, again.value) == (wording.text, wording.key, wording.value)


@given(st.lists(acts, max_size=8))
def test_every_line_stands_where_it_is_said_to(edits):
    text = note("")
    for act in edits:
        text = act(text)
    frame = frame_of(text)
    if frame.faults:
        return
    said = parse(text, frame)
    heads = {spot.start: spot for spot in said.statements if spot.reach}
    ends = [0]
    for spot in said.statements:
        assert text[spot.start : spot.stop] == spot.says.item.text
        assert text.count("\n", 0, spot.start) + 1 == spot.line
        assert spot.start >= ends[-1]
        ends.append(spot.stop)
        if spot.under:
            assert heads[spot.under].start < spot.start < spot.stop <= heads[spot.under].reach
