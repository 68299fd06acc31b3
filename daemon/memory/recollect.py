"""Which facts answer: those that hold on a day, those of a status, the chain one fact stands in (memory.md, A fact)."""

from collections.abc import Iterable

from daemon.memory.state import State
from parsers.model.facts import Fact

_BELIEVED = ("confirmed", "pending", "held")


def holding(state: State, day: str) -> tuple[Fact, ...]:
    """Give the versions that hold on a day of the world, by id; half-open, an unknown start holds before any end."""
    found = (fact for versions in state.facts.values() for fact in versions if holds(fact, day))
    return tuple(sorted(found, key=lambda fact: (fact.id, fact.version)))


def holds(fact: Fact, day: str) -> bool:
    """Tell whether a version is believed and holds on a day of the world."""
    return fact.status in _BELIEVED and fact.retracted_at is None and _covers(fact, day)


def _covers(fact: Fact, day: str) -> bool:
    return (fact.valid_from is None or fact.valid_from <= day) and (
        fact.valid_to is None or day < fact.valid_to
    )


def of_status(state: State, status: str) -> tuple[Fact, ...]:
    """Give the latest versions that have a status, by id."""
    found = (versions[-1] for versions in state.facts.values())
    return tuple(sorted((fact for fact in found if fact.status == status), key=lambda fact: fact.id))


def chain(state: State, name: str) -> tuple[Fact, ...]:
    """Give every version of a fact and of those it followed or that followed it, oldest first."""
    names, todo = set[str](), [name]
    while todo:
        one = todo.pop()
        if one in names or one not in state.facts:
            continue
        names.add(one)
        todo += [fact.supersedes for fact in state.facts[one] if fact.supersedes]
        todo += [f.id for versions in state.facts.values() for f in versions if f.supersedes == one]
    return ordered(fact for one in names for fact in state.facts[one])


def ordered(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """Give versions in the order they were recorded."""
    return tuple(sorted(facts, key=lambda fact: (fact.recorded_at, fact.id, fact.version)))


def named(state: State, name: str) -> str | None:
    """Give the id of a fact, or of somebody, called by their id or their line's anchor, with or without `^`."""
    bare = name.removeprefix("^")
    if bare in state.facts or bare in state.entities:
        return bare
    facts = (versions[-1].id for versions in state.facts.values() if versions[-1].anchor == bare)
    people = (one.id for one in state.entities.values() if one.anchor == bare)
    return next(facts, None) or next(people, None)
