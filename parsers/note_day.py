"""The day a note is of: in its name, its `date` property, its headings or its first lines (R-M05)."""

import re
from collections.abc import Mapping
from datetime import date
from typing import Any

_MONTHS = (
    ("january", "janvier", "jan", "janv"),
    ("february", "février", "feb", "févr", "fevrier"),
    ("march", "mars", "mar"),
    ("april", "avril", "apr", "avr"),
    ("may", "mai"),
    ("june", "juin", "jun"),
    ("july", "juillet", "jul", "juil"),
    ("august", "août", "aug", "aout"),
    ("september", "septembre", "sep", "sept"),
    ("october", "octobre", "oct"),
    ("november", "novembre", "nov"),
    ("december", "décembre", "dec", "déc", "decembre"),
)
MONTHS = {name: number for number, names in enumerate(_MONTHS, 1) for name in names}
"""English and French names of months, in lower case, and their numbers."""

_NAME = "|".join(sorted(MONTHS, key=len, reverse=True))
_ISO = re.compile(r"(?<!\d)(\d{4})-(\d\d)-(\d\d)(?!\d)")
_DAY_FIRST = re.compile(
    rf"(?<!\d)(\d\d?)(?:st|nd|rd|th|er)?(?: of)? ({_NAME})\.?,? (\d{{4}})(?!\d)", re.IGNORECASE
)
_MONTH_FIRST = re.compile(rf"\b({_NAME})\.? (\d\d?)(?:st|nd|rd|th)?,? (\d{{4}})(?!\d)", re.IGNORECASE)
_YEAR = re.compile(r"(?:19|20)\d\d")
FIRST_LINES = 300
"""Characters of the body that count as its first lines."""


def note_day(title: str, properties: Mapping[str, Any], body: str) -> str | None:
    """Give the ISO day a note is of, from the first place that states one; `body` starts with its first heading."""
    for place in (title, _stated(properties), body[:FIRST_LINES]):
        found = _day(place) if place and _YEAR.search(place) else None
        if found:
            return found
    return None


def _stated(properties: Mapping[str, Any]) -> str:
    return next(
        (str(value) for name, value in properties.items() if name.lower() in {"date", "day", "jour"}), ""
    )


def _day(text: str) -> str | None:
    """Give the first day that stands in a text, an ISO one before others."""
    if found := _ISO.search(text):
        return _iso(int(found[1]), int(found[2]), int(found[3]))
    if found := _DAY_FIRST.search(text):
        return _iso(int(found[3]), MONTHS[found[2].lower()], int(found[1]))
    if found := _MONTH_FIRST.search(text):
        return _iso(int(found[3]), MONTHS[found[1].lower()], int(found[2]))
    return None


def _iso(year: int, month: int, day: int) -> str | None:
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None
