"""Where an argument came from: found, never believed (policy-and-runs.md, R-P01).

A value is looked up in the person's own words of the run, then in what earlier calls returned; found nowhere it was
*composed*, and is as good as the worst of the instruction and of everything the run has read. Occurrence is typed: an
amount is found among amounts and a date among dates; a short id counts only beside a word such as `note` or `ID`.
What leads somewhere inside a text (address, link, telephone or account number) is an argument of its own.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from daemon.policy.formats import (
    GUARDED,
    REACHES,
    Key,
    Kind,
    Value,
    amount_key,
    classes_in,
    plain,
    spot,
    whole,
)
from parsers.model.facts import Sensitivity
from parsers.model.policy import Argument, Role, least, trust_of

Sort = Literal["amount", "id", "text"]
"""What an argument is where its form does not tell: a number that is paid, a number that names something."""

_AMOUNTS = frozenset({"amount", "price", "total", "sum", "montant", "prix", "somme", "quantity", "count"})
_IDS = frozenset({"id", "ids", "no", "number", "nr", "ref", "code", "phone", "zip", "year"})
_WORDS = re.compile(r"\w+")
_SHORT = re.compile(r"(?=.*\d)[\w-]{1,4}|[^\W_]{1,2}")
"""Too short to be known without a word beside it."""
_CODE = re.compile(r"[\w-]+(?: [\w-]{1,4}){0,8}")
_ACCOUNTS = ("iban", "phone", "card", "passport", "national_id")
_LONG = 5
"""Signs from which on a number is taken for the same number wherever it stands."""
_NAME = 255
"""Signs of a name that file systems take."""
_EXCERPT = 6
"""Words in a row from which on a text quotes a sensitive one."""


@dataclass(frozen=True, slots=True)
class Output:
    """What one earlier call of the run returned."""

    source: str
    """Shown to the person: `Clippings/x.md`, `inbox_read 2`."""
    provenance: str
    """Of what it returned; what a write returned is at best `own`, and never better than what it was given."""
    value: Any
    """Text, or a record as JSON gives it: a whole field weighs more than a word in running text."""
    sensitivity: Sensitivity = "normal"
    domain: str = ""
    """Of the call: the ids it gave name things of that domain, the same sign elsewhere names another."""


@dataclass(frozen=True, slots=True)
class Said:
    """What the values of a call are looked up in."""

    words: str = ""
    """The person's own words of this run; `""` for callers by MCP and HTTP, who have none."""
    outputs: tuple[Output, ...] = ()
    instruction: str = "user"
    """Provenance of the instruction."""

    def composed(self) -> str:
        """Give the provenance of what is found nowhere."""
        return least((self.instruction, *(one.provenance for one in self.outputs)))


@dataclass(frozen=True, slots=True)
class Found:
    """Where a value stands."""

    said: bool = False
    provenance: str = ""
    where: str = ""
    weight: int = 0
    """2: a whole field or line; 1: inside running text; 0: nowhere."""


def trace(
    name: str, role: Role, value: Any, said: Said, sort: Sort | None = None, domain: str = ""
) -> tuple[Argument, ...]:
    """Give what was found about one argument of a call: one `Argument` an element, and one a link inside a text.

    Nothing (None, an empty text or list) gives none. `sort` says what a bare number is where the name does not;
    `domain` is that of the call: a short id is found only among what calls of its domain returned.
    """
    found: list[Argument] = []
    for path, leaf in _leaves(name, value):
        text = leaf if isinstance(leaf, str) else str(leaf)
        if not text.strip():
            continue
        found.append(_argument(path, role, text, said, sort or _sort(path, leaf), domain))
        if role == "text":
            found += _inside(path, text, said)
    return tuple(found)


def _leaves(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for key, one in value.items():
            yield from _leaves(f"{name}.{key}", one)
    elif isinstance(value, (list, tuple, set, frozenset)):
        for number, one in enumerate(value):
            yield from _leaves(f"{name}.{number}", one)
    elif value is not None:
        yield name, value


def _sort(path: str, leaf: Any) -> Sort:
    words = set(re.split(r"[_.\W]+", path.casefold()))
    if words & _AMOUNTS or isinstance(leaf, float):
        return "amount"
    short = _SHORT.fullmatch(str(leaf).strip())
    return "id" if isinstance(leaf, int) or str(leaf).strip().isdigit() or short else "text"


def _inside(path: str, text: str, said: Said) -> Iterator[Argument]:
    """Give what leads somewhere inside a text, as deciding arguments; a text that is only that is not told twice."""
    reaching = [one for one in spot(text) if one.kind in REACHES]
    for number, one in enumerate(reaching, 1):
        yield _argument(f"{path}#{number}", "deciding", one.text, said, "text")


def _argument(path: str, role: Role, text: str, said: Said, sort: Sort, domain: str = "") -> Argument:
    found = find(text, said, sort, domain)
    return Argument(
        name=path,
        role=role,
        provenance=found.provenance,
        said=found.said,
        sensitivity=_sensitivity(role, text, said, found),
        classes=classes_in(text),
        where=found.where,
    )


# ---- typed occurrence


def find(text: str, said: Said, sort: Sort = "text", domain: str = "") -> Found:
    """Look a value up in the person's words, then in the outputs: of these the weightiest, of equals the worst."""
    if _in_words(text, said.words, sort):
        return Found(said=True, provenance="user")
    best = Found()
    for one in said.outputs:
        weight = _in_output(text, one.value, sort)
        if not weight or weight < best.weight:
            continue
        foreign = sort == "id" and one.domain != domain
        provenance = said.composed() if foreign else one.provenance
        if weight > best.weight or trust_of(provenance) > trust_of(best.provenance):
            best = Found(False, provenance, one.source, weight)
    return best if best.weight else Found(provenance=said.composed())


def _in_words(text: str, words: str, sort: Sort) -> bool:
    return bool(words) and _among(text, words, sort)


@dataclass(frozen=True, slots=True)
class _Known:
    """The values of a text, to be looked up: one look costs the same however many there are."""

    keys: frozenset[tuple[Kind, Key]]
    accounts: frozenset[str]
    """Every spelling of an account or telephone number."""
    numbers: frozenset[str]
    """Every spelling of an amount."""
    links: frozenset[str]
    lengths: tuple[int, ...]
    """Of the links without a query."""

    def of(self, kind: Kind) -> set[Key]:
        """Give what stands there of one kind."""
        return {key for one, key in self.keys if one == kind}


@lru_cache(maxsize=256)
def _known(text: str) -> _Known:
    values = spot(text)
    links = frozenset(str(one.key) for one in values if one.kind == "link")
    return _Known(
        keys=frozenset((one.kind, one.key) for one in values),
        accounts=frozenset(key for one in values if one.kind in _ACCOUNTS for key in _spellings(one)),
        numbers=frozenset(key for one in values if one.kind == "amount" for key in _spellings(one)),
        links=links,
        lengths=tuple({len(one) for one in links if "?" not in one}),
    )


def _among(text: str, running: str, sort: Sort) -> bool:
    """Tell whether a value of its own form, else a phrase, stands in a text."""
    known = _known(running)
    if sort == "amount":
        return ("amount", amount_key(text)) in known.keys
    if sort == "id":
        return _id_among(text, known)
    moment = _moment(text)
    if moment is not None:
        return _moment_among(moment, known)
    own = whole(text)
    if own is None or own.kind in ("id", "amount", "span"):
        return _phrase(text, running)
    if own.kind == "link":
        return _led_to(str(own.key), known)
    if own.kind in _ACCOUNTS:
        return bool(_spellings(own) & known.accounts)
    return (own.kind, own.key) in known.keys


def _id_among(text: str, known: _Known) -> bool:
    """Tell whether a name of few signs stands beside a word that says so, or is long enough to be no other number."""
    bare = text.strip().casefold()
    if ("id", bare) in known.keys:
        return True
    return len(bare) >= _LONG and (bare.upper() in known.accounts or bare.upper() in known.numbers)


def _spellings(one: Value) -> set[str]:
    """Give the forms under which an account or telephone number may be told again."""
    bare = re.sub(r"\W", "", one.text).upper()
    return {str(one.key).upper(), bare, *((bare[-9:],) if one.kind == "phone" else ())}


def _led_to(narrow: str, known: _Known) -> bool:
    """Tell whether a link covers another: the same, or a page below it; a query must be the same."""
    if narrow in known.links:
        return True
    if "?" in narrow or "#" in narrow:
        return False
    return any(
        narrow[length : length + 1] == "/" and narrow[:length] in known.links for length in known.lengths
    )


_DATED = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?:[T ]+(\d{1,2}):(\d{2})(?::\d{2})?)?\Z")


def _moment(text: str) -> tuple[tuple[int, int, int], int | None] | None:
    """Give the date of an ISO date or moment, and the minute of its day where it tells one."""
    match = _DATED.match(text.strip())
    if not match:
        return None
    year, month, day = (int(one) for one in match.groups()[:3])
    return (year, month, day), None if match[4] is None else int(match[4]) * 60 + int(match[5])


def _moment_among(moment: tuple[tuple[int, int, int], int | None], known: _Known) -> bool:
    """Tell whether a date was told, and its hour: as such, or as one that was told and a length that was told."""
    (year, month, day), minute = moment
    if not known.keys & {("date", (year, month, day)), ("date", (0, month, day))}:
        return False
    if minute is None:
        return True
    hours = set(map(_minutes, known.of("time")))
    return minute in hours or any(minute - length in hours for length in map(_minutes, known.of("span")))


def _minutes(key: Key) -> int:
    first, *rest = (int(part) for part in key)
    return first * 60 + rest[0] if rest else first


# ---- running text


@lru_cache(maxsize=4096)
def _normal(text: str) -> str:
    """Give the words of a text, one blank between two, without case and accents."""
    return f" {' '.join(_WORDS.findall(plain(text).casefold()))} "


def _phrase(text: str, running: str) -> bool:
    """Tell whether the words of a text stand in another, in a row; of a note its name is enough where it is one."""
    words = _normal(text)
    if not words.strip():
        return False
    return words in _normal(running) or (text.casefold().endswith(".md") and _named(text, running))


def _named(path: str, running: str) -> bool:
    """Tell whether a note is called by its name: linked, quoted, or beside a word such as `note`."""
    stem = path.rpartition("/")[2][: -len(".md")]
    if len(stem) > _NAME:
        return False
    name, told = re.escape(plain(stem).casefold()), plain(running).casefold()
    return bool(
        re.search(rf"\[\[(?:[^\[\]|#]*/)?{name}(?:[|#][^\]]*)?\]\]|[\"'«“‘]\s*{name}\s*[\"'»”’]", told)
        or re.search(rf"\b(?:note|page|fichier|file|document)s?\s+(?:de |du |of )?{name}(?!\w)", told)
    )


_Texts = tuple[tuple[str, str], ...]


def _texts(value: Any, name: str = "") -> _Texts:
    """Give every text in a record with the name of its field; a key is told like a value."""
    if isinstance(value, Mapping):
        return tuple(
            one for key, inner in value.items() for one in (("", str(key)), *_texts(inner, str(key)))
        )
    if isinstance(value, (list, tuple, set, frozenset)):
        return tuple(one for inner in value for one in _texts(inner, name))
    return () if value is None else ((name, str(value)),)


@lru_cache(maxsize=4096)
def _lines(text: str) -> frozenset[str]:
    """Give what counts as a whole field of a text: itself and each of its lines."""
    return frozenset(_normal(one) for one in (text, *text.splitlines()))


def _in_output(text: str, value: Any, sort: Sort) -> int:
    """Give 2 where a value is a whole field or line of an output, 1 where it stands in running text, else 0."""
    words, texts = _normal(text), _texts(value)
    if sort == "amount":
        texts = tuple((name, one) for name, one in texts if not _names(name))
        amount = amount_key(text)
        if amount and any(amount == amount_key(one) for _, one in texts):
            return 2
    elif words.strip() and any(words in _lines(one) for _, one in texts):
        return 2
    return 1 if any(_among(text, one, sort) for _, one in texts) else 0


def _names(field_name: str) -> bool:
    """Tell whether a field names something: what stands in it is no amount."""
    return bool(_IDS & set(re.split(r"[_.\W]+", field_name.casefold())))


# ---- sensitivity


def _sensitivity(role: Role, text: str, said: Said, found: Found) -> Sensitivity:
    """Give `sensitive` for what a known form or a sensitive output makes so, unless the person typed it here.

    An address is not told to anyone by being written to: of deciding values only links carry something away.
    """
    if (
        found.said
        or role == "query"
        or (role == "deciding" and not any(one.kind == "link" for one in spot(text)))
    ):
        return "normal"
    guarded = {one.key for one in spot(text) if one.kind in GUARDED}
    if guarded and not guarded <= {one.key for one in spot(said.words)}:
        return "sensitive"
    levels = {
        one.sensitivity for one in said.outputs if one.sensitivity != "normal" and _carries(text, one.value)
    }
    return "private" if "private" in levels else "sensitive" if levels else "normal"


def _carries(text: str, value: Any) -> bool:
    """Tell whether a text gives away something of a record: a value that identifies, or words in a row."""
    words = _normal(text)
    return any(
        (_identifies(one) and _normal(one) in words) or _quotes(words, one) for _, one in _texts(value)
    )


def _identifies(text: str) -> bool:
    """Tell whether a field is a number or code of its own: no date, no hour, no amount, no sentence."""
    own = whole(text)
    if own is not None and own.kind in ("date", "time", "span"):
        return False
    bare = text.strip()
    return bool(_CODE.fullmatch(bare)) and sum(one.isdigit() for one in bare) >= _LONG


def _quotes(words: str, other: str) -> bool:
    return not _rows(words).isdisjoint(_rows(_normal(other)))


@lru_cache(maxsize=8)
def _rows(words: str) -> frozenset[tuple[str, ...]]:
    """Give every row of words that is long enough for a quotation."""
    row = words.split()
    return frozenset(zip(*(row[start:] for start in range(_EXCERPT)), strict=False))
