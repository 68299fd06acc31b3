"""Values with a form of their own, found in running text: what lineage compares is these, never bare characters.

A pattern that was recognised hides its characters from those after it in `PATTERNS`: the 13 of `June 13` is a part of
a date and nothing else, the 2 of a telephone number is no amount. What is looked for most exactly stands first.

Any program may hand in any text: no pattern may begin again inside what it has run through in vain. What only looks
like the beginning of a value is swallowed whole (`hit` tells), or given up without another try (`++`, `*+`).
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import Literal

Kind = Literal[
    "link",
    "email",
    "iban",
    "card",
    "phone",
    "passport",
    "national_id",
    "date",
    "time",
    "span",
    "id",
    "amount",
]
Key = tuple[int | str, ...] | str


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a known form in a text."""

    kind: Kind
    key: Key
    """What two spellings of one value have in common."""
    text: str
    start: int
    end: int


CLASSES: frozenset[Kind] = frozenset({"link", "email", "iban", "card", "phone", "passport", "national_id"})
"""Kinds that are data classes too."""
GUARDED: frozenset[Kind] = frozenset({"card", "passport", "national_id"})
"""What makes a text sensitive unless the person typed it."""
REACHES: frozenset[Kind] = frozenset({"link", "email", "iban", "card", "phone"})
"""What leads somewhere: inside an outgoing text each is an argument of its own."""

_MONTHS = (
    ("january", "janvier", "jan", "janv"),
    ("february", "fevrier", "feb", "fev", "fevr"),
    ("march", "mars", "mar"),
    ("april", "avril", "apr", "avr"),
    ("may", "mai"),
    ("june", "juin", "jun"),
    ("july", "juillet", "jul", "juil"),
    ("august", "aout", "aug"),
    ("september", "septembre", "sept", "sep"),
    ("october", "octobre", "oct"),
    ("november", "novembre", "nov"),
    ("december", "decembre", "dec"),
)
_MONTH = {name: number for number, names in enumerate(_MONTHS, 1) for name in names}
_NAMES = "|".join(sorted(_MONTH, key=len, reverse=True))
_NTH = r"(?:st|nd|rd|th|er)?\b"
_YEAR = r"(?:,?\s+(?P<year>\d{4})(?!\d))?"
_ENDS = rf"(?!\s*(?:of\s+|de\s+)?(?:{_NAMES})\b)"
_TO = r"\s*(?:to|until|through|and|au|et|-|–)\s*(?:the\s+|le\s+)?"
_GROUPED = r"\d{1,3}(?:[ ,.’'\u202f\u00a0]\d{3})+(?:[.,]\d{1,2})?"
_SMALL = {
    **dict.fromkeys(("a", "an", "one", "un", "une"), 1),
    **dict.fromkeys(("two", "deux"), 2),
    **dict.fromkeys(("three", "trois"), 3),
    **dict.fromkeys(("four", "quatre"), 4),
    **dict.fromkeys(("five", "cinq"), 5),
    **dict.fromkeys(("six",), 6),
    **dict.fromkeys(("half", "demi"), 0),
}
_COUNTED = (
    "note|fichier|file|document|dossier|folder|id|identifiant|numero|number|ticket|tache|task|event|evenement"
    "|transaction|facture|invoice|message|ref|reference"
)
_DOMAINS = "com|org|net|fr|io|eu|ch|be|de|uk|dev|app|info|biz|co|me|ly|ai|edu|gov|xyz|ru|cn|online|site|shop"


# ---- what a match means; None: it only looked like one


def _link(match: re.Match[str]) -> Iterator[Key]:
    yield link_key(match[0])


def link_key(text: str) -> str:
    """Give a link without what two spellings of it may differ in: scheme, `www.`, case of the host, last slash."""
    bare = re.sub(r"^[a-z][a-z0-9+.-]*://", "", text.strip(), flags=re.IGNORECASE).rstrip(".,;:!?)>]'\"»”")
    host, slash, rest = bare.partition("/")
    return f"{host.casefold().removeprefix('www.')}{slash}{rest}".rstrip("/")


def _email(match: re.Match[str]) -> Iterator[Key]:
    if match["hit"]:
        yield match[0].casefold()


def _iban(match: re.Match[str]) -> Iterator[Key]:
    yield re.sub(r"[\s-]", "", match[0]).upper()


def _digits(match: re.Match[str]) -> Iterator[Key]:
    yield re.sub(r"\D", "", match[0])


def _number(match: re.Match[str]) -> Iterator[Key]:
    yield re.sub(r"[\s-]", "", match["n"]).upper()


def _phone(match: re.Match[str]) -> Iterator[Key]:
    digits = re.sub(r"\D", "", match[0])
    if 8 <= len(digits) <= 15:
        yield digits[-9:]


def _iso(match: re.Match[str]) -> Iterator[Key]:
    yield from _day(match[1], match[2], match[3])


def _slashed(match: re.Match[str]) -> Iterator[Key]:
    yield from _day(match[3], match[2], match[1])
    yield from _day(match[3], match[1], match[2])


def _worded(match: re.Match[str]) -> Iterator[Key]:
    found = match.groupdict()
    days = [found.get(name) for name in ("d1", "d2")]
    year = found.get("year") or "0"
    for day in days:
        if day:
            yield from _day(year, str(_MONTH[found["month"].casefold()]), day)


def _day(year: str, month: str, day: str) -> Iterator[Key]:
    """Give a date that exists as (year, month, day); year 0: none was said."""
    try:
        date(int(year) or 2000, int(month), int(day))
    except ValueError:
        return
    yield int(year), int(month), int(day)


def _clock(match: re.Match[str]) -> Iterator[Key]:
    found = match.groupdict()
    hour, minute = int(found["h"]), int(found.get("m") or 0)
    half = (found.get("half") or "").replace(".", "").casefold()
    if half and 1 <= hour <= 12:
        hour = hour % 12 + (12 if half == "pm" else 0)
    if hour < 24 and minute < 60:
        yield hour, minute


def _lasting(match: re.Match[str]) -> Iterator[Key]:
    count = _SMALL.get(match["n"].casefold(), -1)
    number = int(match["n"]) if count < 0 else count
    yield (number * (60 if match["unit"].casefold().startswith("h") else 1) or 30,)


def _counted(match: re.Match[str]) -> Iterator[Key]:
    if any(sign.isdigit() for sign in match["id"]):
        yield match["id"].casefold()


def _nothing(_match: re.Match[str]) -> Iterator[Key]:
    yield from ()


def _amount(match: re.Match[str]) -> Iterator[Key]:
    key = amount_key(match["n"])
    if key:
        yield key


def amount_key(text: str) -> str:
    """Give a number in one spelling (`1,000.50`, `1 000,50` and `1000.5` are one), `""` when it is none."""
    bare = re.sub(r"[\s’']", "", text)
    if not re.fullmatch(r"[+-]?\d[\d.,]*", bare, re.ASCII):
        return ""
    decimal = re.fullmatch(r"([+-]?\d[\d.,]*?)[.,](\d{1,2})", bare)
    whole, cents = (decimal[1], decimal[2]) if decimal else (bare, "")
    number = Decimal(re.sub(r"[.,]", "", whole) + (f".{cents}" if cents else ""))
    return f"{number.normalize():f}"


_Means = Callable[[re.Match[str]], Iterator[Key]]
PATTERNS: tuple[tuple[Kind, str, _Means], ...] = (
    ("email", r"[a-z0-9._%+-]++(?P<hit>@[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,})?", _email),
    ("link", r"\b[a-z][a-z0-9+.-]{1,15}://[^\s<>\"'`)\]]+|\bmailto:[^\s<>\"']+", _link),
    ("link", rf"(?<![\w@.-])(?:[a-z0-9-]+\.)+(?:{_DOMAINS})(?:[/?][^\s<>\"'`)\]]*|(?![\w-]|\.\w))", _link),
    (
        "iban",
        r"\b(?-i:[A-Z]{2})\d{2}(?:[a-z0-9]{10,30}|(?: (?-i:[A-Z0-9]{4})){2,7}(?: (?-i:[A-Z0-9]{1,4}))?)\b",
        _iban,
    ),
    ("passport", r"\b(?:passport|passeport)\w*[^\n\d]{0,24}?\b(?P<n>[a-z]{0,3}\d{6,9})\b", _number),
    ("iban", r"\b(?:iban|account|compte|rib)\b[^\d\n]{0,20}(?P<n>\d[\d -]{4,}\d)", _number),
    ("card", r"(?<![\d-])\d{4}(?:[ -]?\d{4}){2}[ -]?\d{3,7}(?![\d-])", _digits),
    ("national_id", r"(?<!\d)[12]\s?\d{2}\s?\d{2}\s?\d{2}\s?\d{3}\s?\d{3}(?:\s?\d{2})?(?!\d)", _digits),
    ("national_id", r"(?<![\d-])\d{3}-\d{2}-\d{4}(?![\d-])", _digits),
    ("date", r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)", _iso),
    ("date", r"(?<![\d/])(\d{1,2})[/.](\d{1,2})[/.](\d{4})(?!\d)", _slashed),
    (
        "date",
        rf"\b(?P<month>{_NAMES})\.?\s+(?:the\s+)?(?P<d1>\d{{1,2}}){_NTH}(?:{_TO}(?P<d2>\d{{1,2}}){_NTH}{_ENDS})?{_YEAR}",
        _worded,
    ),
    (
        "date",
        rf"(?<!\d)(?P<d1>\d{{1,2}}){_NTH}(?:{_TO}(?P<d2>\d{{1,2}}){_NTH})?\s+(?:of\s+|de\s+)?(?P<month>{_NAMES})\b\.?{_YEAR}",
        _worded,
    ),
    (
        "span",
        rf"\b(?P<n>\d{{1,3}}|{'|'.join(_SMALL)})(?:\s+an)?[\s-]*(?P<unit>hours?|heures?|minutes?|min)\b",
        _lasting,
    ),
    ("time", r"(?<![\d:])(?P<h>\d{1,2})(?::(?P<m>\d{2}))?\s?(?P<half>[ap]\.?m)\b\.?", _clock),
    ("time", r"(?<![\d:])(?P<h>\d{1,2}):(?P<m>\d{2})(?::\d{2})?(?![\d:])", _clock),
    ("time", r"(?<![\d:])(?P<h>\d{1,2})\s?h\s?(?P<m>\d{2})?\b", _clock),
    ("phone", r"(?<![\w+])(?:\+|\(?0)\d?(?:[\s.()/-]{0,2}\d){7,14}(?!\w)", _phone),
    ("phone", r"(?<![\w+-])\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}(?![\w-])", _phone),
    (
        "id",
        rf"\b(?:{_COUNTED})s?\b(?:\s*+(?:id|no\.?|number|numero|n°|#))?\s*+(?:is|est|=|:|#|n°)?\s*+[\"'«“]?\s*+(?P<id>[a-z0-9_-]{{1,12}})\b",
        _counted,
    ),
    ("id", r"(?:n°|#)\s?(?P<id>\d{1,12})\b", _counted),
    ("amount", r"(?:^|(?<=[.:;!?\n]))[^\S\n]*+\d{1,2}[.)](?=\s)|(?<!\d)\d++(?:[.,]\d++)?\s?%", _nothing),
    (
        "amount",
        rf"(?<![\w.,-])(?P<n>{_GROUPED}|\d+(?:[.,]\d{{1,2}})?)(?:eur|usd|chf|gbp)?(?![\w]|[.,]\d)",
        _amount,
    ),
)
_COMPILED = tuple((kind, re.compile(one, re.IGNORECASE), means) for kind, one, means in PATTERNS)


def plain(text: str) -> str:
    """Give a text without accents, character for character."""
    if text.isascii():
        return text
    return "".join(unicodedata.normalize("NFD", one)[0] for one in text)


@lru_cache(maxsize=2048)
def spot(text: str) -> tuple[Value, ...]:
    """Give every value of a known form in a text, in order; no character counts twice."""
    bare, found = plain(text), list[Value]()
    for kind, pattern, means in _COMPILED:
        taken = list[tuple[int, int]]()
        for match in pattern.finditer(bare):
            start, end = match.span()
            keys = list(means(match))
            found += [Value(kind, key, text[start:end], start, end) for key in keys]
            if keys or means is _nothing:
                taken.append((start, end))
        bare = _hidden(bare, taken)
    return tuple(sorted(found, key=lambda one: one.start))


def _hidden(text: str, taken: Sequence[tuple[int, int]]) -> str:
    """Give a text without the signs that were recognised, each in its place."""
    parts, at = list[str](), 0
    for start, end in taken:
        parts += [text[at:start], "\0" * (end - start)]
        at = end
    return "".join((*parts, text[at:])) if taken else text


def whole(text: str) -> Value | None:
    """Give the value that a text is and nothing else, None when there is more in it."""
    inside = text.strip()
    found = spot(inside)
    return found[0] if found and found[0].start == 0 and found[0].end == len(inside) else None


def classes_in(text: str) -> frozenset[str]:
    """Give the data classes of a text: what known formats find in it."""
    return frozenset(one.kind for one in spot(text) if one.kind in CLASSES)
