"""What a process that only reads may ask of a vault: no lock, no writing, and light to import."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Any

from daemon.index import memory as rows
from daemon.index.store import Index
from daemon.memory.recollect import holding, of_status
from daemon.memory.state import State, fold, state_of
from parsers.dates import period
from parsers.errors import ClavaireError
from parsers.model.cards import Card
from parsers.model.entities import Entity, Relation
from parsers.model.facts import Fact
from parsers.model.register import Record, stamp


class BadDay(ClavaireError):
    """A day was not given as one."""


@dataclass(frozen=True, slots=True)
class Question:
    """Which facts are asked for; None leaves it open."""

    kind: str | None = None
    status: str | None = None
    as_of: str | None = None
    about: str | None = None
    """Id of the entity it is about."""


def state_in(index: Index) -> State:
    """Give the state the index holds."""
    return state_of(
        rows.load_facts(index),
        rows.load_cards(index).values(),
        rows.scalar(index, "state", {}),
        rows.load_entities(index),
        rows.load_relations(index),
    )


def known_at(records: Iterable[Record], until: str, now: State) -> State:
    """Give the state as it was known at a time: the fold of what had happened by then; the forgotten stays so."""
    state = State()
    for record in records:
        if record.at < until:
            fold(state, record)
    for name, versions in now.facts.items():
        if versions[-1].status == "forgotten":
            state.facts.pop(name, None)
    for name, entity in now.entities.items():
        if entity.status == "forgotten":
            state.entities.pop(name, None)
            state.relations.pop(name, None)
    return state


def facts(state: State, asked: Question, today: date) -> tuple[Fact, ...]:
    """Give the facts that answer: all that hold on the day, or the latest versions of a status."""
    if asked.status and not asked.as_of:
        found = of_status(state, asked.status)
    else:
        found = holding(state, asked.as_of or today.isoformat())
    return tuple(
        fact
        for fact in found
        if asked.kind in (None, fact.kind)
        and asked.about in (None, fact.entity_id)
        and (asked.status in (None, fact.status) or not asked.as_of)
    )


def day(spelt: str, sentence: str) -> str:
    """Give an ISO day as it was typed, the first one of a month or a year.

    Raises:
        BadDay: it is none.
    """
    stated = period(spelt)
    if stated is None:
        raise BadDay(sentence)
    return stated.first


def end_of(spelt: str, zone: tzinfo, sentence: str) -> str:
    """Give the UTC time up to which `--known-at` looks: the end of a local day, or a time, local if it states no zone.

    Raises:
        BadDay: it is neither.
    """
    try:
        if len(spelt) <= 10:
            until = datetime.combine(date.fromisoformat(spelt) + timedelta(days=1), time(), zone)
        else:
            until = datetime.fromisoformat(spelt)
            until = until if until.tzinfo else until.replace(tzinfo=zone)
    except ValueError as error:
        raise BadDay(sentence) from error
    return stamp(until)


def fields_of(one: Fact | Card | Entity | Relation) -> dict[str, Any]:
    """Give a fact or card as JSON values, every field present (`dataclasses.asdict` takes ten times as long)."""
    return {name: getattr(one, name) for name in type(one).__slots__}


def export(state: State, permits: Mapping[str, Any]) -> dict[str, Any]:
    """Give the whole memory and run state as JSON values: each list by id, every field present (R-M09).

    `permits` is what `daemon.permits.exported` gives of runs and delegations.
    """
    versions = sorted(
        (fact for known in state.facts.values() for fact in known), key=lambda one: (one.id, one.version)
    )
    return {
        "format": "clavaire/1",
        "user_id": state.user_id,
        "facts": [fields_of(fact) for fact in versions],
        "entities": [fields_of(state.entities[name]) for name in sorted(state.entities)],
        "relations": [
            fields_of(one)
            for one in sorted(
                (one for known in state.relations.values() for one in known), key=lambda one: one.id
            )
        ],
        "cards": [fields_of(state.cards[name]) for name in sorted(state.cards)],
        "questions": [],
        **permits,
    }


def canonical(values: object) -> str:
    """Give JSON in one spelling only: keys sorted, UTF-8, one final newline."""
    return json.dumps(values, ensure_ascii=False, sort_keys=True, indent=1) + "\n"
