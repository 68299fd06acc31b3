"""Whom a name means: every candidate with a score, and one of them only where it is clear (memory.md, Entities).

Two people of one name stay two: without words that tell them apart neither is clearly meant. What is found depends on
the names, not on their order; equal scores stand in the order of ids.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from parsers.model.entities import Candidate, Entity, How

CLEAR, AHEAD = 0.9, 0.15
"""What the best candidate must reach, and how far before the next it must be, to be the one that is meant."""
_STANDING = ("confirmed", "pending")
_EXACT, _ALIAS, _FOLDED, _FOLDED_ALIAS, _TURNED = 1.0, 0.98, 0.96, 0.94, 0.92
_SHORTENED, _PART, _INITIALS = 0.77, 0.75, 0.7
"""`M. Dupont`; some of the names somebody has; `M. D.`: never clear by themselves."""
_LIKENESS, _LIKE, _LIKE_A_WORD = 80.0, 0.85, 0.7
"""Likeness (rapidfuzz, of 100) from which a name may be a slip of the pen; what it is worth for a name, for a word."""
_LIKE_FROM = 4
"""Letters below which one other letter makes another name: Léa is not Léo."""
_TOLD, _UNTOLD, _MOST_TOLD = 0.2, 0.8, 0.95
"""What the context gives the one it fits best, what it leaves the others, and the most it makes of half a name."""
_UNSURE = 0.85
"""The most of half a name followed by another name: `Marie de Villiers` may be somebody we do not know."""
_WORD = re.compile(r"[^\W_]+")
_INITIAL = re.compile(r"(?:[^\W\d_]\.?[\s-]*){2,4}")
_CAPITALS = re.compile(r"[^\W\d_]{2,4}")
_DESCRIBED = re.compile(
    r"(?P<name>\S.*?)(?:\s*[(,–—]\s*|\s+(?=(?:du|de|des|au|aux|à|from|of|at|with|avec|the|le|la|les)\s|[dl]['’]))"
    r"(?P<rest>.*\w.*)",
    re.DOTALL,
)
_COMMON = frozenset(
    _WORD.findall(
        "les des une aux avec dans pour par sur qui que est son ses mon mes nos vos leur leurs cette ces elle lui "
        "sont pas the and from with for who that this his her our your their she him was are has not"
    )
)
"""Words that tell nobody apart."""
_FORMS_OF_ADDRESS = frozenset(
    _WORD.findall("m mr mrs ms mme mlle mm miss dr docteur doctor pr prof madame monsieur sir")
)
"""What stands before a name and is none: `M. Dupont` may be Paul Dupont."""
_PARTICLES = frozenset(_WORD.findall("de du des la le les d l of the and et van von der den di da al el ben"))
"""Words of names that name nobody by themselves."""
_LONGEST = 200
"""Characters of a name; what is longer is no name with words around it, nor a slip of the pen."""
_UNSPACED = re.compile(r"[\u3005\u3041-\u3096\u30a1-\u30fa\u30fc\u3400-\u9fff\U00020000-\U0003ffff]{1,20}")
"""A Chinese or Japanese name: no blank tells its parts apart."""
_FIRST_HAN, _SHORT_RUN = "\u3400", 3
"""Signs from here on are no kana; as many at most has a Chinese name of which the first is a name by itself."""
_HONORIFIC = re.compile(r"(?<=.)(?:さん|様|君|先生)\Z")
_LETTERS = str.maketrans({"œ": "oe", "æ": "ae", "ø": "o", "ł": "l", "đ": "d"})


@dataclass(frozen=True, slots=True)
class _Called:
    """One way to call somebody."""

    spelt: str
    plain: str
    """Its words without case, accents and what stands between them."""
    words: tuple[str, ...]
    bag: frozenset[str]
    bare: frozenset[str]
    """Without forms of address."""
    cut: bool
    """A word of it is one letter."""
    initials: str
    run: str = ""
    """Of a Chinese or Japanese name, its words as one, without what is said after a name."""


_Ways = tuple[tuple[str, ...], frozenset[str]]
"""The plain names of an entity, its own first, and what a name must share with them to be one of them."""
_Scored = tuple[float, How]


def resolve(
    name: str, entities: Iterable[Entity], context: str = "", known: Mapping[str, str] | None = None
) -> tuple[Candidate, ...]:
    """Give whom a name may mean, best first (R-M07).

    `context` is what stands around the name; `known` gives by id what is known of somebody (`persons.told`): words that
    both have in common tell two of a name apart. Who is rejected, forgotten or held is nobody's candidate.
    """
    standing = [one for one in entities if one.status in _STANDING and one.retracted_at is None]
    known, words = known or {}, _content(context) - _content(name)
    given = _called.__wrapped__(name)
    found = _by_name(given, standing)
    if not found or found[0].score < CLEAR:
        found = _merged(found, _by_description(name, standing, known))
    told = _told_apart(found or _by_likeness(given, standing), words, known)
    return tuple(sorted(told, key=_rank))


def clear_winner(candidates: Iterable[Candidate]) -> Candidate | None:
    """Give the one that is clearly meant: at least `CLEAR`, and `AHEAD` of every other; else None."""
    best = sorted(candidates, key=_rank)[:2]
    if not best or best[0].score < CLEAR:
        return None
    return best[0] if len(best) == 1 or round(best[0].score - best[1].score, 6) >= AHEAD else None


def _rank(one: Candidate) -> tuple[float, str]:
    return -one.score, one.entity_id


# ---- how names are spelt


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    if not folded.isascii():
        parts = unicodedata.normalize("NFD", folded.translate(_LETTERS))
        folded = "".join(char for char in parts if not unicodedata.combining(char))
    return " ".join(_WORD.findall(folded))


@lru_cache(maxsize=1 << 12)
def _called(name: str) -> _Called:
    spelt, plain = " ".join(unicodedata.normalize("NFC", name).split()), _plain(name)
    words = tuple(plain.split())
    bag, initials = frozenset(words), "".join(word[0] for word in words)
    bare = bag - _FORMS_OF_ADDRESS or bag
    run = "" if plain.isascii() else plain.replace(" ", "")
    run = _HONORIFIC.sub("", run) if _UNSPACED.fullmatch(run) else ""
    return _Called(spelt, plain, words, bag, bare, any(len(word) == 1 for word in words), initials, run)


@lru_cache(maxsize=1 << 14)
def _ways(name: str, aliases: tuple[str, ...]) -> _Ways:
    ways = [_called.__wrapped__(one) for one in (name, *aliases)]  # kept small: there may be thousands
    keys = frozenset(key for one in ways for key in _keys(one, f"={one.initials}"))
    return tuple(one.plain for one in ways), keys


def _keys(one: _Called, initials: str) -> Iterator[str]:
    if one.spelt:
        yield one.spelt
        yield from one.words
        yield initials
        for at in range(1, len(one.run) + 1):
            yield f"~{one.run[:at]}"
            yield f"~{one.run[-at:]}"


def _short(given: _Called) -> str:
    """Give the letters of a name that is nothing but initials: `M. D.`, `M.D.`, `MD`; `""` for another."""
    if len(given.plain) > 1 and (
        _INITIAL.fullmatch(given.spelt) if len(given.words) > 1 else _capitals(given.spelt)
    ):
        return given.plain.replace(" ", "")
    return ""


def _capitals(spelt: str) -> bool:
    return _CAPITALS.fullmatch(spelt) is not None and spelt.isupper()


# ---- by name


def _by_name(given: _Called, entities: Iterable[Entity]) -> list[Candidate]:
    short = _short(given)
    keys, found = frozenset(_keys(given, f"={short}")), list[Candidate]()
    for one in entities:
        if keys.isdisjoint(_ways(one.name, one.aliases)[1]):
            continue
        names = (one.name, *one.aliases)
        scored = [_fit(given, short, _called(name), alias=number > 0) for number, name in enumerate(names)]
        score, how = max(scored, key=lambda pair: pair[0])
        if score:
            found.append(Candidate(one.id, one.name, score, how))
    return sorted(found, key=_rank)


def _fit(given: _Called, short: str, way: _Called, *, alias: bool) -> _Scored:
    if given.spelt == way.spelt:
        return (_ALIAS, "alias") if alias else (_EXACT, "exact")
    if not given.plain:
        return 0.0, "folded"
    if given.plain == way.plain:
        return (_FOLDED_ALIAS if alias else _FOLDED), "folded"
    if short and short == way.initials:
        return _INITIALS, "initials"
    if given.bag == way.bag and sorted(given.words) == sorted(way.words):
        return _TURNED, "folded"
    if given.cut or way.cut:
        if _shortened(given.words, way.words):
            return _SHORTENED, "initials"
        if _abbreviated(given.words, way.words) or _abbreviated(way.words, given.words):
            return _PART, "initials"
    part = given.bare >= way.bare or given.bare <= way.bare
    part = part and any(map(_names, given.bare & way.bare))
    return (_PART, "part") if part or _runs_on(given.run, way.run) else (0.0, "part")


def _runs_on(one: str, other: str) -> bool:
    """Whether of two names without blanks one starts or ends the other; one sign is a family name, of a short one."""
    short, long = sorted((one, other), key=len)
    if len(short) < 2:
        return short >= _FIRST_HAN and long.startswith(short) and len(long) <= _SHORT_RUN
    return long.startswith(short) or long.endswith(short)


def _shortened(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether two names are the same but for words of which one has the first letter only."""
    if len(one) != len(other):
        return False
    pairs = list(zip(one, other, strict=True))
    fits = all(a == b or (a[0] == b[0] and 1 in (len(a), len(b))) for a, b in pairs)
    return fits and any(a == b and len(a) > 1 for a, b in pairs)


def _abbreviated(short: tuple[str, ...], long: tuple[str, ...]) -> bool:
    """Whether a name is another one with a word left out and one or more cut to a letter: `J. Petit`."""
    if len(short) >= len(long):
        return False
    rest = iter(long)
    met = [(a, next((b for b in rest if b == a or (len(a) == 1 and b[0] == a)), "")) for a in short]
    fits = all(b for _, b in met) and any(a != b for a, b in met)
    return fits and any(a == b and _names(a) for a, b in met)


def _names(word: str) -> bool:
    return (len(word) > 1 or not word.isascii()) and word not in _PARTICLES


def _says(word: str) -> bool:
    return len(word) > (2 if word.isascii() else 0) and word not in _COMMON


# ---- by what is said besides


def _by_description(name: str, entities: Iterable[Entity], known: Mapping[str, str]) -> list[Candidate]:
    """Give whom half a name with words around it may mean: `Marie du club d'échecs`."""
    match = _DESCRIBED.fullmatch(name) if len(name) <= _LONGEST else None
    if match is None:
        return []
    named = [replace(one, score=min(one.score, _PART)) for one in _by_name(_called(match["name"]), entities)]
    words, most = _content(match["rest"]), _MOST_TOLD
    if any(word[0].isupper() for word in _WORD.findall(match["rest"])):
        most = _UNSURE
    fit = [one for one in named if words and words <= _content(known.get(one.entity_id, ""))]
    sure = _PART + _TOLD if len(fit) == 1 else _PART
    return [
        replace(one, score=min(most, sure) if one in fit else round(one.score * _UNTOLD, 6)) for one in named
    ]


def _merged(found: Iterable[Candidate], more: Iterable[Candidate]) -> list[Candidate]:
    best: dict[str, Candidate] = {}
    for one in sorted((*found, *more), key=_rank):
        best.setdefault(one.entity_id, one)
    return list(best.values())


def _content(text: str) -> frozenset[str]:
    """Give the words of a text that may tell somebody apart, singular and plural alike."""
    words = (word for word in _plain(text).split() if _says(word))
    return frozenset(word[:-1] if len(word) > 4 and word[-1] in "sx" else word for word in words)


def _told_apart(
    found: list[Candidate], words: frozenset[str], known: Mapping[str, str]
) -> Iterable[Candidate]:
    """Weigh those whose names fit as well by what the context says: the one it fits best is ahead of the others."""
    if not found or not words:
        return found
    top = max(one.score for one in found)
    tied = [one for one in found if round(top - one.score, 6) < AHEAD]
    fits = {one.entity_id: len(words & _content(known.get(one.entity_id, ""))) for one in tied}
    most = max(fits.values())
    best = [name for name, fit in fits.items() if fit == most]
    if not most or (len(best) == len(tied) > 1):
        return found
    return [_weighed(one, best) if one.entity_id in fits else one for one in found]


def _weighed(one: Candidate, best: list[str]) -> Candidate:
    if one.entity_id not in best:
        return replace(one, score=round(one.score * _UNTOLD, 6))
    if len(best) > 1 or one.score >= CLEAR:
        return one
    return replace(one, score=round(min(_MOST_TOLD, one.score + _TOLD), 6))


# ---- by likeness


def _by_likeness(given: _Called, entities: Iterable[Entity]) -> list[Candidate]:
    if not _LIKE_FROM <= len(given.plain) <= _LONGEST:
        return []
    owners, names, worth = list[Entity](), list[str](), list[float]()
    alone = len(given.words) == 1
    for one in entities:
        for plain in _ways(one.name, one.aliases)[0]:
            spelt = (plain, *plain.split()) if alone and " " in plain else (plain,)
            for number, text in enumerate(spelt):
                owners.append(one)
                names.append(text)
                worth.append(_LIKE_A_WORD if number else _LIKE)
    if not names:
        return []
    from rapidfuzz import fuzz, process  # noqa: PLC0415 - 15 ms and 6 MB that only an unknown name needs

    best: dict[str, Candidate] = {}
    for _, likeness, at in process.extract(
        given.plain, names, scorer=fuzz.ratio, score_cutoff=_LIKENESS, limit=None
    ):
        one, score = owners[at], round(likeness / 100 * worth[at], 6)
        if one.id not in best or score > best[one.id].score:
            best[one.id] = Candidate(one.id, one.name, score, "fuzzy")
    return list(best.values())
