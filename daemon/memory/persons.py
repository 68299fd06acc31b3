"""What is known of entities on a day: how they stand to the owner, which facts are about them, what tells them apart.

A reader that is `external` is given nothing that is not of ordinary sensitivity, and learns nothing from it: who is
sensitive does not exist for it, nor does any fact about them (R-M06, R-P04).
"""

from collections.abc import Mapping
from dataclasses import dataclass

from daemon.memory.recollect import holding
from daemon.memory.state import State
from parsers.model.entities import Entity, Relation
from parsers.model.facts import Fact

_STANDING = ("confirmed", "pending")


@dataclass(frozen=True, slots=True)
class Person:
    """One entity with what holds of it on a day."""

    entity: Entity
    relation: str | None
    """How it stands to the owner, in the person's words."""
    facts: int
    """How many facts are about it."""


def standing(state: State, *, external: bool = False) -> tuple[Entity, ...]:
    """Give the entities that are known and not rejected, forgotten or held, by id."""
    return tuple(
        state.entities[name]
        for name in sorted(state.entities)
        if _stands(state.entities[name]) and (not external or _ordinary(state.entities[name]))
    )


def _stands(one: Entity) -> bool:
    return one.status in _STANDING and one.retracted_at is None


def _ordinary(one: Entity) -> bool:
    return one.sensitivity == "normal"


def persons(state: State, day: str, kind: str | None = None) -> tuple[Person, ...]:
    """Give the entities of a kind with what holds of them on a day, by name, then id."""
    counts: dict[str, int] = {}
    for fact in holding(state, day):
        if fact.entity_id:
            counts[fact.entity_id] = counts.get(fact.entity_id, 0) + 1
    found = [
        Person(one, relation_on(state, one.id, day), counts.get(one.id, 0))
        for one in standing(state)
        if kind in (None, one.kind)
    ]
    return tuple(sorted(found, key=lambda one: (one.entity.name.casefold(), one.entity.id)))


def relation_on(state: State, name: str, day: str) -> str | None:
    """Give how an entity stands to the owner on a day, None where nothing is known."""
    found = [one for one in relations_on(state, name, day) if one.to_id is None]
    return found[-1].text if found else None


def relations_on(state: State, name: str, day: str) -> tuple[Relation, ...]:
    """Give the relations of an entity that hold on a day of the world, oldest first."""
    return tuple(
        one
        for one in state.relations.get(name, ())
        if one.retracted_at is None
        and (one.valid_from is None or one.valid_from <= day)
        and (one.valid_to is None or day < one.valid_to)
    )


def known_outside(one: Entity) -> bool:
    """Tell whether an entity exists for a reader outside."""
    return _stands(one) and _ordinary(one)


def facts_for(state: State, day: str, *, external: bool = False) -> tuple[Fact, ...]:
    """Give the facts that hold on a day and may be given to a reader, by id; to one outside no pending one either."""
    found = holding(state, day)
    if not external:
        return found
    return tuple(one for one in found if one.status == "confirmed" and open_to_others(state, one))


def open_to_others(state: State, fact: Fact) -> bool:
    """Tell whether nothing about a fact is for the person alone: neither itself nor whom it is about."""
    about = state.entities.get(fact.entity_id) if fact.entity_id else None
    return fact.sensitivity == "normal" and (about is None or known_outside(about))


def told(state: State, day: str, *, external: bool = False) -> Mapping[str, str]:
    """Give by id what is said of entities on a day: the words that `resolving.resolve` tells two of a name apart by."""
    said: dict[str, list[str]] = {}
    for one in standing(state, external=external):
        said[one.id] = [relation.text for relation in relations_on(state, one.id, day)]
    for fact in facts_for(state, day, external=external):
        if fact.entity_id in said:
            said[fact.entity_id].append(fact.text)
    return {name: "\n".join(texts) for name, texts in said.items() if texts}
