"""What is due and when: pure; the wait for file events is the alarm clock (loop.py).

A job names local times by a cron line. Local time has holes and repeats: a time that the spring change skips
runs at the first moment after the hole, a time that autumn repeats runs at its first pass. A job of every
hour follows elapsed time instead: it runs in both passes, and nothing of it is moved out of the hole.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Final

from parsers.errors import ClavaireError

_DAY: Final = timedelta(days=1)
_SECOND: Final = timedelta(seconds=1)
_EXAMPLE: Final = "0 9 * * 1-5"
_PART: Final = re.compile(r"(?:\*|(?P<first>\w+)(?P<range>-(?P<last>\w+))?)(?:/(?P<step>\d+))?", re.ASCII)
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS: Final = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_LONGEST: Final = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


class BadSchedule(ClavaireError):
    """A cron line that cannot be understood."""

    def __init__(self, spelt: str, field: str, found: str, expected: str) -> None:
        """Build the sentence from the whole line, the part at fault, what it holds and what it takes."""
        self.spelt, self.field, self.found = spelt, field, found
        super().__init__(
            f"The schedule “{spelt}” cannot be read: its {field} must be {expected}, not “{found}”;"
            f" write for instance “{_EXAMPLE}”."
        )


@dataclass(frozen=True, slots=True)
class Cron:
    """Local times, minute by minute; made by `cron`."""

    minutes: tuple[int, ...]
    """Sorted, like the hours."""
    hours: tuple[int, ...]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    """From Sunday, 0, to Saturday, 6."""
    either: bool
    """Whether the day of the month or that of the week is enough: when both are given."""

    def on(self, day: date) -> bool:
        """Whether it names times of this day."""
        in_month, in_week = day.day in self.days, day.isoweekday() % 7 in self.weekdays
        return day.month in self.months and (in_month or in_week if self.either else in_month and in_week)

    @property
    def every_hour(self) -> bool:
        """Whether it repeats all day long, rather than naming some times of it."""
        return len(self.hours) == 24


@dataclass(frozen=True, slots=True)
class Job:
    """A name, and when."""

    name: str
    when: Cron


@dataclass(frozen=True, slots=True)
class _Field:
    name: str
    first: int
    last: int
    words: tuple[str, ...] = ()
    """Names of `first` and of the numbers after it."""

    def numbers(self, spelt: str, text: str) -> frozenset[int]:
        """Give what a list of numbers, names, ranges and steps stands for."""
        found: set[int] = set()
        for part in text.split(","):
            numbers = self._range(part)
            if not numbers:
                expected = f"from {self.first} to {self.last}, a range, a list, or * with or without a step"
                raise BadSchedule(spelt, self.name, part, expected)
            found.update(numbers)
        return frozenset(found)

    def _range(self, part: str) -> range:
        match = _PART.fullmatch(part)
        if match is None or (match["step"] and match["first"] and not match["range"]):
            return range(0)
        start, stop, step = self.first, self.last, int(match["step"] or 1)
        if match["first"]:
            start = self._number(match["first"])
            stop = self._number(match["last"]) if match["range"] else start
            if match["range"] and self.last == 7 and stop == 0 < start:
                stop = 7  # a week may end on its Sunday: `fri-sun`
        if not step or not self.first <= start <= stop <= self.last:
            return range(0)
        return range(start, stop + 1, step)

    def _number(self, text: str) -> int:
        if text.isdigit():
            return int(text)
        word = text.lower()
        return self.first + self.words.index(word) if word in self.words else -1


_FIELDS: Final = (
    _Field("minute", 0, 59),
    _Field("hour", 0, 23),
    _Field("day of the month", 1, 31),
    _Field("month", 1, 12, _MONTHS),
    _Field("day of the week", 0, 7, _WEEKDAYS),
)


def cron(spelt: str) -> Cron:
    """Read the five fields of a cron line: Sunday is 0 and 7, and either given day is enough (as cron does).

    Raises:
        BadSchedule: it is none, or names a day no month has.
    """
    fields = spelt.split()
    if len(fields) != len(_FIELDS):
        raise BadSchedule(spelt, "number of fields", str(len(fields)), "5")
    minutes, hours, days, months, weekdays = (
        field.numbers(spelt, text) for field, text in zip(_FIELDS, fields, strict=True)
    )
    either = not (fields[2].startswith("*") or fields[4].startswith("*"))
    if not either and all(day > _LONGEST[month - 1] for day in days for month in months):
        raise BadSchedule(spelt, _FIELDS[2].name, fields[2], "a day that the month has")
    return Cron(
        tuple(sorted(minutes)),
        tuple(sorted(hours)),
        days,
        months,
        frozenset(weekday % 7 for weekday in weekdays),
        either,
    )


REMINDER: Final = Job("reminder", cron("0 9 * * 1"))
"""What waits too long is shown again: Monday morning."""

NEW_DAY: Final = Job("day", cron("0 0 * * *"))
"""Dates to review come due, the journal begins a day."""

JOBS: Final = (NEW_DAY, REMINDER)
"""What clavaire itself does by the clock."""


def due(jobs: Iterable[Job], last: datetime, now: datetime, zone: tzinfo) -> list[tuple[Job, datetime]]:
    """Give every occurrence after `last` and up to `now`, each once, in order of time; moments are in UTC.

    Three days of sleep give three days' occurrences: whoever asks decides how many of them still matter.
    """
    last, now = last.astimezone(UTC), now.astimezone(UTC)
    first, end = last.astimezone(zone).date() - _DAY, now.astimezone(zone).date() + _DAY
    found = [
        (job, moment)
        for job in jobs
        for days in range((end - first).days + 1)
        for moment in _moments(job.when, first + days * _DAY, zone)
        if last < moment <= now
    ]
    return sorted(dict.fromkeys(found), key=lambda one: one[1])


def next_after(jobs: Iterable[Job], now: datetime, zone: tzinfo) -> datetime:
    """Give the first moment after `now` at which a job is due, in UTC.

    Raises:
        ValueError: there is no job.
    """
    now = now.astimezone(UTC)
    return min(_next(job.when, now, zone) for job in jobs)


def _next(when: Cron, now: datetime, zone: tzinfo) -> datetime:
    day = now.astimezone(zone).date() - _DAY
    while True:
        moments = [moment for moment in _moments(when, day, zone) if moment > now]
        if moments:
            return min(moments)
        day += _DAY


def _moments(when: Cron, day: date, zone: tzinfo) -> Iterator[datetime]:
    """The moments of one local day, in UTC; several times of a hole give the same one."""
    if not when.on(day):
        return
    for hour in when.hours:
        for minute in when.minutes:
            local = datetime(day.year, day.month, day.day, hour, minute, tzinfo=zone)
            first, second = local.astimezone(UTC), local.replace(fold=1).astimezone(UTC)
            if first <= second:
                yield first
                if when.every_hour and first < second:
                    yield second
            elif not when.every_hour:
                yield _end_of_hole(second, first, zone)


def _end_of_hole(before: datetime, after: datetime, zone: tzinfo) -> datetime:
    """The moment between these two at which the clocks change."""
    old = before.astimezone(zone).utcoffset()
    while after - before > _SECOND:
        middle = before + (after - before) // _SECOND // 2 * _SECOND
        if middle.astimezone(zone).utcoffset() == old:
            before = middle
        else:
            after = middle
    return after
