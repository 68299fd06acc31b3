"""Stated dates are periods: a day, a month, a year."""

import pytest

from parsers.dates import Period, period


@pytest.mark.parametrize(
    ("said", "first", "after"),
    [
        ("2026-09-01", "2026-09-01", "2026-09-02"),
        ("2026-12-31", "2026-12-31", "2027-01-01"),
        ("2024-02", "2024-02-01", "2024-03-01"),
        ("2026-12", "2026-12-01", "2027-01-01"),
        ("2026", "2026-01-01", "2027-01-01"),
        ("  2026-09 ", "2026-09-01", "2026-10-01"),
    ],
)
def test_a_stated_date_starts_on_its_first_day_and_ends_before_the_day_after(said, first, after):
    assert period(said) == Period(first, after, said.strip())


@pytest.mark.parametrize(
    "said",
    [
        "",
        "2026-13",
        "2026-02-30",
        "2026-9-1",
        "26-09",
        "0000",
        "9999",
        "9999-12-31",
        "01/09/2026",
        "hier",
        "2026-09-01T10:00",
    ],
)
def test_anything_else_is_no_date(said):
    assert period(said) is None


def test_a_full_width_digit_is_no_date():
    assert period("２０２６") is None
