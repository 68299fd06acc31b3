"""Days as people state them: an ISO day, a month (`2026-09`) or a year; each is a period (memory.md)."""

import re
from dataclasses import dataclass
from datetime import date, timedelta

_STATED = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Period:
    """A stated date: `[first, after)` in ISO days, and the words it was stated in."""

    first: str
    after: str
    text: str


def period(text: str) -> Period | None:
    """Give the period a stated date names, None when it is not a date."""
    stated = _STATED.match(text.strip())
    if not stated:
        return None
    year, month, day = (int(part) if part else None for part in stated.groups())
    try:
        first = date(year or 0, month or 1, day or 1)
        if day:
            after = first + timedelta(days=1)
        elif month:
            after = date(first.year + month // 12, month % 12 + 1, 1)
        else:
            after = date(first.year + 1, 1, 1)
    except (ValueError, OverflowError):
        return None
    return Period(first.isoformat(), after.isoformat(), text.strip())
