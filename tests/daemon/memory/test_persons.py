"""What is known of people on a day, and what of it is for others (R-M06, R-M07)."""

from dataclasses import replace

import pytest

from daemon.memory.persons import (
    facts_for,
    open_to_others,
    persons,
    relation_on,
    standing,
    told,
)
from daemon.memory.state import State
from parsers.model.entities import Entity, Relation
from parsers.model.facts import Fact

AT = "2026-11-30T09:00:00.000Z"
DAY = "2026-11-30"


def entity(name: str, **other: object) -> Entity:
    made = Entity(
        id=f"e-{name.casefold()}",
        user_id="moi",
        kind="person",
        name=name,
        aliases=(),
        note=None,
        anchor=None,
        status="confirmed",
        provenance="user",
        source="user",
        sensitivity="normal",
        last_seen=None,
        recorded_at=AT,
        retracted_at=None,
    )
    return replace(made, **other)


def relation(about: str, text: str, number: int = 1, **other: object) -> Relation:
    made = Relation(
        id=f"{about}.{number}",
        entity_id=about,
        to_id=None,
        text=text,
        valid_from=None,
        valid_to=None,
        valid_from_text=None,
        valid_to_text=None,
        recorded_at=AT,
        retracted_at=None,
        provenance="user",
        source="user",
    )
    return replace(made, **other)


def fact(name: str, text: str, about: str | None = None, **other: object) -> Fact:
    made = Fact(
        id=name,
        version=1,
        user_id="moi",
        kind="fact",
        text=text,
        key=None,
        value=None,
        anchor=None,
        entity_id=about,
        status="confirmed",
        confidence=1.0,
        provenance="user",
        source="user",
        source_ref=None,
        sensitivity="normal",
        valid_from=None,
        valid_to=None,
        valid_from_text=None,
        valid_to_text=None,
        review=None,
        recorded_at=AT,
        retracted_at=None,
        supersedes=None,
        last_seen_at=AT,
    )
    return replace(made, **other)


def state(entities=(), relations=(), facts=()) -> State:
    made = State(worded=False)
    made.entities.update({one.id: one for one in entities})
    for one in relations:
        made.relations[one.entity_id] = (*made.relations.get(one.entity_id, ()), one)
    made.facts.update({one.id: (one,) for one in facts})
    return made


def test_people_are_listed_by_name_with_their_relation_of_the_day_and_how_much_is_known():
    known = state(
        [entity("Zoé"), entity("Anne"), entity("Lyon", kind="place"), entity("Luc", status="rejected")],
        [
            relation("e-anne", "collègue", 1, valid_to="2026-01-01"),
            relation("e-anne", "amie", 2, valid_from="2026-01-01"),
            relation("e-anne", "faux", 3, retracted_at=AT),
            relation("e-anne", "sœur de Zoé", 4, to_id="e-zoé"),
        ],
        [fact("f-1", "thé", "e-anne"), fact("f-2", "café", "e-anne", valid_to="2026-01-01")],
    )
    found = [(one.entity.name, one.relation, one.facts) for one in persons(known, DAY, "person")]
    assert found == [("Anne", "amie", 1), ("Zoé", None, 0)]
    assert relation_on(known, "e-anne", "2025-12-31") == "collègue"
    assert [one.entity.name for one in persons(known, DAY)] == ["Anne", "Lyon", "Zoé"]


@pytest.mark.parametrize("status", ["held", "rejected", "forgotten"])
def test_who_no_longer_stands_is_not_listed(status):
    assert standing(state([entity("Zoé", status=status)])) == ()
    assert standing(state([entity("Zoé", retracted_at=AT)])) == ()


@pytest.mark.parametrize("kind", ["sensitive", "private"])
def test_a_reader_outside_learns_neither_of_who_is_sensitive_nor_anything_about_them(kind):
    known = state(
        [entity("Zoé", sensitivity=kind), entity("Anne")],
        [relation("e-zoé", "psychiatre")],
        [
            fact("f-1", "reçoit le lundi", "e-zoé"),
            fact("f-2", "aime le thé", "e-anne"),
            fact("f-3", "maladie", "e-anne", sensitivity=kind),
            fact("f-4", "peut-être", "e-anne", status="pending"),
        ],
    )
    assert [one.name for one in standing(known, external=True)] == ["Anne"]
    assert [one.id for one in facts_for(known, DAY, external=True)] == ["f-2"]
    assert [one.id for one in facts_for(known, DAY)] == ["f-1", "f-2", "f-3", "f-4"]
    assert told(known, DAY, external=True) == {"e-anne": "aime le thé"}
    assert told(known, DAY)["e-zoé"] == "psychiatre\nreçoit le lundi"


def test_a_fact_about_somebody_who_was_forgotten_is_for_nobody_outside():
    known = state([entity("Zoé", status="forgotten")], (), [fact("f-1", "x", "e-zoé")])
    assert not open_to_others(known, known.facts["f-1"][0])
