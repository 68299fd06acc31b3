import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.note_day import note_day


@pytest.mark.parametrize(
    ("title", "properties", "body", "day"),
    [
        ("2026-11-30 Réunion", {"date": "2020-01-01"}, "", "2026-11-30"),
        ("Réunion", {"Date": "2026-01-02"}, "# 2020-01-01", "2026-01-02"),
        ("Session 3", {}, "# 1:56 pm on 8 May, 2023\n", "2023-05-08"),
        ("Notes", {}, "Vu le 1er août 2024.", "2024-08-01"),
        ("Notes", {}, "May 3rd, 2021", "2021-05-03"),
        ("Notes", {}, "31 février 2024", None),
        ("Notes", {}, "x" * 300 + " 2024-01-01", None),
        ("Notes 2024", {"date": 7}, "", None),
    ],
)
def test_a_day_is_in_the_name_then_in_a_property_then_in_the_first_lines(title, properties, body, day):
    assert note_day(title, properties, body) == day


@given(st.text(), st.text())
def test_any_text_has_an_answer(title, body):
    note_day(title, {}, body)
