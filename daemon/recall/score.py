"""The score of recall: fusion × confidence × freshness × entity × date × replaced, and the order it gives (R-M05).

Pure: no clock, no index. Each factor is rounded to six digits, so that two machines give the same bytes; what made
the fusion is kept beside it, under names with a dot, which are no factors of the product. A score is the share of the
question that a hit answers, between 0 and 1 before boosts: 0.9 is a good hit, 0.1 is one common word of many.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from datetime import date, timedelta
from math import floor, prod

from parsers.model.facts import Fact, Kind
from parsers.model.recall import Hit

FACTORS = ("fusion", "confidence", "freshness", "entity", "date", "replaced")
"""The factors of every hit, in the order they are multiplied and shown."""
ENTITY_BOOST = 1.35
"""Of what is about, or spoken by, somebody the question names."""
DATE_BOOST = 2.0
"""Of what is of a day the question names."""
HALF_LIFE: Mapping[Kind, int | None] = {
    "goal": 180,
    "fact": 365,
    "preference": 730,
    "procedure": None,
    "decision": None,
}
"""Days after which a fact that was not stated again weighs half (memory.md rule 10); None: never."""
_BLOCK_SHARE, _BLOCK_HALF_LIFE = 0.05, 365
"""How much of a block's score its age may take: more costs recall and does not tell the new from the old."""
_LEAST = 0.001
_STEP = 1e-6


def fact_freshness(kind: Kind, seen: date, today: date) -> float:
    """Give how fresh a fact is that was last stated on a day: 1 that day, a half after its kind's half-life.

    Never less than a thousandth: what is very old comes last, it does not vanish.
    """
    half = HALF_LIFE[kind]
    return 1.0 if half is None else max(_halved(today - seen, half), _LEAST)


def block_freshness(changed: date, today: date) -> float:
    """Give how fresh a block is whose note changed on a day: between 0.95 and 1."""
    return 1 - _BLOCK_SHARE * (1 - _halved(today - changed, _BLOCK_HALF_LIFE))


def _halved(age: timedelta, half_life: int) -> float:
    return float(0.5 ** (max(age.days, 0) / half_life))


def share(wanted: Sequence[Collection[str]], found: AbstractSet[str]) -> float:
    """Give which share of the wanted words a text has, 0…1; a word is wanted in any of its forms."""
    return sum(not found.isdisjoint(forms) for forms in wanted) / len(wanted) if wanted else 0.0


def weighed(factors: Mapping[str, float]) -> tuple[float, dict[str, float]]:
    """Give the product of factors, and them; one that is not named is 1."""
    rounded = {name: round(factors.get(name, 1.0), 6) for name in FACTORS}
    value = round(prod(rounded.values()), 6)
    rounded.update((name, round(factors[name], 6)) for name in sorted(factors) if name not in rounded)
    return value, rounded


def scored(hit: Hit, factors: Mapping[str, float]) -> Hit:
    """Give a hit with its factors and their product."""
    value, rounded = weighed(factors)
    return replace(hit, score=value, factors=rounded)


def successors(facts: Iterable[Fact]) -> dict[str, tuple[str, ...]]:
    """Give by id the facts that replaced a fact, and those that replaced these, and so on.

    Two facts that replaced each other, which only a damaged register says, replaced nothing.
    """
    direct: dict[str, set[str]] = {}
    for fact in facts:
        if fact.supersedes and fact.supersedes != fact.id:
            direct.setdefault(fact.supersedes, set()).add(fact.id)
    later = {name: _reached(direct, name) for name in direct}
    return {
        name: tuple(sorted(one for one in found if name not in later.get(one, ())))
        for name, found in later.items()
    }


def _reached(direct: Mapping[str, set[str]], name: str) -> set[str]:
    found, todo = set[str](), [name]
    while todo:
        for one in direct.get(todo.pop(), ()):
            if one not in found:
                found.add(one)
                todo.append(one)
    return found


Make = Callable[[str, float], Hit | None]
"""Gives the hit of a fact by its id, for a fusion; None where that fact may not be told."""


def ranked(hits: Iterable[Hit], replaced_by: Callable[[Hit], Iterable[str]], make: Make) -> list[Hit]:
    """Give hits best first, ties by id, each below every fact that replaced it or what it is the source of.

    A fact that replaced a hit and was not found itself comes in for it: it answers what the hit answers.
    """
    known = {hit.id: hit for hit in hits}
    todo, above = list(known), dict[str, list[str]]()
    while todo:
        hit = known[todo.pop()]
        above[hit.id] = []
        for name in sorted(replaced_by(hit)):
            if name not in known and (found := make(name, hit.factors["fusion"])) is not None:
                known[name] = found
                todo.append(name)
            if name in known and name != hit.id:
                above[hit.id].append(name)
    lowered = _lowered(known, {name: later for name, later in above.items() if later})
    return sorted((hit for hit in lowered.values() if hit.score > 0), key=order)


def relevance(hit: Hit) -> float:
    """Give a score without what age takes of it: what `recall.threshold` is compared with.

    Age says which of two facts comes first, not that the only one there is does not answer.
    """
    return hit.score / (hit.factors.get("freshness") or 1.0)


def order(hit: Hit) -> tuple[float, str]:
    """Give what hits are sorted by."""
    return -hit.score, hit.id


def _lowered(known: dict[str, Hit], above: Mapping[str, list[str]]) -> dict[str, Hit]:
    """Lower what was replaced below what replaced it, as often as that lowers something else in turn."""
    for _ in range(len(above)):
        changed = False
        for name, later in above.items():
            ceiling = min(known[one].score for one in later)
            if known[name].score > 0 and known[name].score >= ceiling:
                known[name], changed = _below(known[name], ceiling), True
        if not changed:
            break
    return known


def _below(hit: Hit, ceiling: float) -> Hit:
    """Give a hit with a factor `replaced` that brings its score below another's."""
    whole = prod(value for name, value in hit.factors.items() if name in FACTORS and name != "replaced")
    factor = max(floor((ceiling - 2 * _STEP) / whole / _STEP) * _STEP, 0.0)
    return scored(hit, {**hit.factors, "replaced": factor})
