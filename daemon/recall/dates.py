"""The days a query names, in French or English: « en mars 2024 », `last week`, `on 7 May 2023`, an ISO date.

Pure and total: any text is legal, time grows with its length, and of words that may mean something else (`may`,
`mars`) only what stands where a date stands counts. A day or month without a year is the last one there was, and the
one to come too when it begins within a month.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from functools import cache

Days = tuple[str, str]
"""First day, and the day after the last, ISO."""

_MOST = 8
"""Periods of one query: what names more is a calendar, not a question."""
_MOST_CHARACTERS = 2_000
_SOON = timedelta(days=31)
_DAY = timedelta(days=1)

_MONTHS = (
    "janvier january jan",
    "fevrier february fev feb",
    "mars march mar",
    "avril april avr apr",
    "mai may",
    "juin june jun",
    "juillet july juil jul",
    "aout august aug",
    "septembre september sept sep",
    "octobre october oct",
    "novembre november nov",
    "decembre december dec",
)
_MONTH = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()}
_ALONE = {name for names in _MONTHS for name in names.split()[:2]} - {"mars", "march", "may"}
"""Names that mean a month wherever they stand; the others do beside a number or a word such as « en »."""
_WEEKDAYS = (
    "lundi monday",
    "mardi tuesday",
    "mercredi wednesday",
    "jeudi thursday",
    "vendredi friday",
    "samedi saturday",
    "dimanche sunday",
)
_WEEKDAY = {name: number for number, names in enumerate(_WEEKDAYS) for name in names.split()}
_NUMBERS = (
    "un une a an one",
    "deux two",
    "trois three",
    "quatre four",
    "cinq five",
    "six",
    "sept seven",
    "huit eight",
    "neuf nine",
    "dix ten",
)
_NUMBER = {name: number for number, names in enumerate(_NUMBERS, 1) for name in names.split()}
_UNIT = {
    **dict.fromkeys(("jour", "jours", "day", "days"), "day"),
    **dict.fromkeys(("semaine", "semaines", "week", "weeks"), "week"),
    **dict.fromkeys(("mois", "month", "months"), "month"),
    **dict.fromkeys(("an", "ans", "annee", "annees", "year", "years"), "year"),
    **dict.fromkeys(("weekend", "week end"), "weekend"),
}
_SIDE = {
    **dict.fromkeys(("dernier", "derniere", "passe", "passee", "last", "past", "previous"), -1),
    **dict.fromkeys(("ce", "cet", "cette", "this", "on"), 0),
    **dict.fromkeys(("prochain", "prochaine", "next"), 1),
}
_RELATIVE = {
    "avant hier": (-2, -1),
    "the day before yesterday": (-2, -1),
    "hier": (-1, 0),
    "yesterday": (-1, 0),
    "last night": (-1, 0),
    "aujourd hui": (0, 1),
    "today": (0, 1),
    "tonight": (0, 1),
    "this morning": (0, 1),
    "ce matin": (0, 1),
    "ce soir": (0, 1),
    "apres demain": (2, 3),
    "the day after tomorrow": (2, 3),
    "demain": (1, 2),
    "tomorrow": (1, 2),
}
"""Words → days from today."""


def days(query: str, today: date) -> tuple[Days, ...]:
    """Give the periods that a query names, in the order of their first day, each once."""
    text = _plain(query[:_MOST_CHARACTERS])
    if not any(word in _TELLING or word[0].isdigit() for word in text.split()):
        return ()
    taken: list[tuple[int, int]] = []
    found: set[Days] = set()
    for pattern, meant in _rules():
        for match in pattern.finditer(text):
            start, end = match.span()
            if any(start < last and first < end for first, last in taken):
                continue
            periods = list(_readable(meant, match, today))
            if periods:
                taken.append((start, end))
                found.update(periods)
        if len(found) >= _MOST:
            break
    return tuple(sorted(found)[:_MOST])


def within(day: str, periods: tuple[Days, ...]) -> bool:
    """Tell whether an ISO day lies in one of some periods."""
    return any(first <= day < after for first, after in periods)


_Match = re.Match[str]
_Meant = Callable[[_Match, date], Iterator[tuple[date, date]]]


def _readable(meant: _Meant, match: _Match, today: date) -> Iterator[Days]:
    try:
        for first, after in meant(match, today):
            yield first.isoformat(), after.isoformat()
    except (ValueError, OverflowError):  # 31 February, a thousand years ago
        return


def _plain(query: str) -> str:
    """Give the words of a query in lower case, without accents, one space between them."""
    decomposed = unicodedata.normalize("NFD", query.casefold())
    return " ".join(_WORD.findall("".join(c for c in decomposed if not unicodedata.combining(c))))


# ---- what each form of words means


def _iso(match: _Match, today: date) -> Iterator[tuple[date, date]]:
    del today
    year, month, day = match["y"], match["m"], match["d"]
    yield _of(int(year), int(month), int(day) if day else None)


def _slashed(match: _Match, today: date) -> Iterator[tuple[date, date]]:
    """Day first, as in French; month first where only that can be."""
    del today
    one, two = int(match["d"]), int(match["m"])
    day, month = (two, one) if two > 12 else (one, two)
    yield _of(int(match["y"]), month, day)


def _span(match: _Match, today: date) -> Iterator[tuple[date, date]]:
    """`from 3 to 7 May`."""
    for first, _ in _dated(match, today, match["d"]):
        last = first.replace(day=int(match["d2"]))
        if last >= first:
            yield first, last + _DAY


def _day(match: _Match, today: date) -> Iterator[tuple[date, date]]:
    yield from _dated(match, today, match["d"])


def _month(match: _Match, today: date) -> Iterator[tuple[date, date]]:
    yield from _dated(match, today, None)


def _dated(match: _Match, today: date, day: str | None) -> Iterator[tuple[date, date]]:
    """Give a day or a month, of the year that is stated, else of the last one that had begun by today."""
    month, number, year = _MONTH[match["m"]], int(day) if day else None, match.groupdict().get("y")
    if year:
        yield _of(int(year), month, number)
        return
    known = [
        _of(one, month, number)
        for one in range(max(today.year - 8, 1), today.year + 2)  # 29 February may be so long ago
        if (month, number) != (2, 29) or (one % 4 == 0 and (one % 100 > 0 or one % 400 == 0))
    ]
    yield from [(first, after) for first, after in known if first <= today][-1:]
    yield from [(first, after) for first, after in known if today < first <= today + _SOON]


def _sided_month(match: _Match, today: date) -> Iterator[tuple[date, date]]:
    """`last May`, « mai prochain »."""
    month, side = _MONTH[match["m"]], _SIDE[match["side"]]
    year = today.year
    if side < 0 and month >= today.month:
        year -= 1
    if side > 0 and month <= today.month:
        year += 1
    yield _of(year, month, None)


def _year(match: _Match, today: date) -> Iterator[tuple[date, date]]:
    del today
    yield date(int(match["y"]), 1, 1), date(int(match["y"]) + 1, 1, 1)


def _relative(match: _Match, today: date) -> Iterator[tuple[date, date]]:
    first, after = _RELATIVE[match[0]]
    yield today + first * _DAY, today + after * _DAY


def _ago(match: _Match, today: date) -> Iterator[tuple[date, date]]:
    yield _unit(_UNIT[match["unit"]], today, -_count(match["n"]))


def _latest(match: _Match, today: date) -> Iterator[tuple[date, date]]:
    """`the last 3 weeks`: up to today."""
    unit, number = _UNIT[match["unit"]], _count(match["n"])
    months = {"month": 1, "year": 12}.get(unit)
    first = _later(today, -months * number) if months else today - number * _LENGTH[unit] * _DAY
    yield first, today + _DAY


def _sided(match: _Match, today: date) -> Iterator[tuple[date, date]]:
    yield _unit(_UNIT[match["unit"]], today, _SIDE[match["side"]])


def _weekday(match: _Match, today: date) -> Iterator[tuple[date, date]]:
    """`last Tuesday`; `on Tuesday` is the last one too, today included."""
    back = (today.weekday() - _WEEKDAY[match["day"]]) % 7
    side = _SIDE[match["side"]]
    first = today - (back or (7 if side < 0 else 0)) * _DAY
    first = first if side <= 0 else first + 7 * _DAY
    yield first, first + _DAY


_LENGTH = {"day": 1, "week": 7, "weekend": 7}


def _unit(unit: str, today: date, away: int) -> tuple[date, date]:
    """Give the day, week, weekend, month or year so many away from the one of today."""
    if unit == "year":
        return date(today.year + away, 1, 1), date(today.year + away + 1, 1, 1)
    if unit == "month":
        first = _later(today.replace(day=1), away)
        return first, _later(first, 1)
    if unit == "day":
        return today + away * _DAY, today + (away + 1) * _DAY
    monday = today + (7 * away - today.weekday()) * _DAY
    return (monday if unit == "week" else monday + 5 * _DAY), monday + 7 * _DAY


def _of(year: int, month: int, day: int | None) -> tuple[date, date]:
    first = date(year, month, day or 1)
    return first, first + _DAY if day else _later(first, 1)


def _later(day: date, months: int) -> date:
    """Give the same day so many months later, the last of that month where it has no such day."""
    month = day.year * 12 + day.month - 1 + months
    first = date(month // 12, month % 12 + 1, 1)
    following = first.replace(day=28) + 4 * _DAY
    last = following - following.day * _DAY
    return first.replace(day=min(day.day, last.day))


def _count(spelt: str) -> int:
    return _NUMBER.get(spelt) or int(spelt)


# ---- the forms, the most telling first; what one has taken is no other's


def _one_of(*words: str) -> str:
    return "|".join(sorted({one for word in words for one in word.split("|")}, key=lambda w: (-len(w), w)))


_WORD = re.compile(r"\d{4}-\d{2}(?:-\d{2})?(?!\d)|\d{1,2}[/.]\d{1,2}[/.]\d{4}(?!\d)|[^\W_]+")
_M, _U, _N = _one_of(*_MONTH), _one_of(*_UNIT), rf"(?P<n>\d{{1,3}}|{_one_of(*_NUMBER)})"
_S, _Y = _one_of(*_SIDE), r"(?P<y>(?:19|20)\d\d)"
_D = r"(?:0?[1-9]|[12]\d|3[01])"
_TH, _JOIN = "(?:er|st|nd|rd|th)?", "(?: (?:of|de))?"
_ONE, _TWO, _IN = rf"(?P<d>{_D}){_TH}", rf"(?P<d2>{_D}){_TH}", rf"(?P<m>{_M})"
_LEAD = "en|de|du|fin|debut|mi|depuis|avant|apres|vers|in|of|during|since|until|before|after|by|early|late|mid|mois de"
_BY_YEAR = rf"(?:{_JOIN} {_Y})?"
_FORMS: tuple[tuple[str, _Meant], ...] = (
    (r"(?P<y>\d{4})-(?P<m>\d\d)(?:-(?P<d>\d\d))?", _iso),
    (r"(?P<d>\d{1,2})[/.](?P<m>\d{1,2})[/.](?P<y>\d{4})", _slashed),
    (rf"{_ONE} (?:(?:au|to|and|et) )?{_TWO}{_JOIN} {_IN}{_BY_YEAR}", _span),
    (rf"{_IN} {_ONE} (?:(?:to|and) )?{_TWO}(?: {_Y})?", _span),
    (rf"{_ONE}{_JOIN} {_IN}{_BY_YEAR}", _day),
    (rf"{_IN} {_ONE}(?: {_Y})?", _day),
    (rf"{_IN}{_JOIN} {_Y}", _month),
    (rf"{_IN} (?P<side>derniere?|passee?|prochaine?)", _sided_month),
    (rf"(?P<side>last|next|this) {_IN}", _sided_month),
    (rf"(?:il y a {_N} (?P<unit>{_U}))", _ago),
    (rf"{_N} (?P<unit>{_U}) ago", _ago),
    (rf"(?:last|past|previous) {_N} (?P<unit>{_U})", _latest),
    (rf"{_N} (?:derniers|dernieres) (?P<unit>{_U})", _latest),
    (_one_of(*_RELATIVE), _relative),
    (rf"(?P<day>{_one_of(*_WEEKDAY)}) (?P<side>dernier|passe|prochain)", _weekday),
    (rf"(?P<side>last|next|this|on|ce) (?P<day>{_one_of(*_WEEKDAY)})", _weekday),
    (rf"(?P<unit>{_U}) (?P<side>derniere?|passee?|prochaine?)", _sided),
    (rf"(?P<side>last|this|next|past|previous|ce|cet|cette) (?P<unit>{_U})", _sided),
    (rf"(?:{_LEAD}) {_IN}", _month),
    (rf"(?P<m>{_one_of(*_ALONE)})", _month),
    (_Y, _year),
)
_TELLING = frozenset(
    word for names in (_MONTH, _WEEKDAY, _UNIT, _RELATIVE) for name in names for word in name.split()[-1:]
)
"""Words of which every form without a figure has one."""


@cache
def _rules() -> tuple[tuple[re.Pattern[str], _Meant], ...]:
    """Compile the forms: a question that names no day goes without."""
    return tuple((re.compile(rf"(?<![^ ])(?:{form})(?![^ ])"), meant) for form, meant in _FORMS)
