"""Commands about people and whatever else facts are about: people, resolve; and how the others find who is meant."""

import re
from collections.abc import Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

import click

from daemon.cli.session import Session, WrongUse, index, json_option, pass_session, state

if TYPE_CHECKING:
    from daemon.memory.persons import Person
    from daemon.memory.state import State
    from parsers.model.entities import Candidate, Entity

_MOST_NAMED = 5
"""Candidates that a sentence names."""


@click.command()
@click.option("--as-of", metavar="DAY", help="How they stood on that day.")
@click.option("--known-at", metavar="DAY", help="What was known at the end of that day.")
@json_option
@pass_session
def people(session: Session, as_of: str | None, known_at: str | None) -> None:
    """Who is known, and how they stand to you today, or on a day."""
    from daemon import reading
    from daemon.memory.persons import persons

    known = state(session)
    if known_at:
        known = known_then(session, known_at, known)
    day = reading.day(as_of, session.say("error.bad_day", day=as_of)) if as_of else today(session).isoformat()
    found = persons(known, day, "person")
    session.show(_values(session, known, found), (_line(session, one) for one in found))


def _values(session: Session, known: "State", found: "Sequence[Person]") -> list[dict[str, Any]]:
    if not session.as_json:
        return []
    from parsers.model.entities import ENTITY_FIELDS

    at_home = {one.id: one for one in entities(session, known)}
    return [
        {name: getattr(at_home[one.entity.id], name) for name in ENTITY_FIELDS}
        | {"relation": one.relation, "facts": one.facts}
        for one in found
    ]


def _line(session: Session, one: "Person") -> str:
    entity = one.entity
    parts = [entity.anchor or entity.id, f"{entity.name} — {one.relation}" if one.relation else entity.name]
    if entity.last_seen:
        parts.append(session.say("cli.people.seen", day=entity.last_seen))
    if one.facts:
        parts.append(session.words.plural("cli.people.facts", one.facts))
    if entity.status != "confirmed":
        parts.append(session.say(f"fact.status.{entity.status}"))
    return "  ".join(parts)


@click.command()
@click.argument("name")
@click.option("--context", metavar="TEXT", default="", help="What stands around the name.")
@json_option
@pass_session
def resolve(session: Session, name: str, context: str) -> None:
    """Whom a name means: every candidate with its score, and the one that is clear, if any."""
    from daemon.memory.resolving import clear_winner

    found = candidates(session, state(session), name, context)
    winner = clear_winner(found)
    values = {
        "name": name,
        "winner": winner.entity_id if winner else None,
        "candidates": [_candidate(one) for one in found],
    }
    lines = [_scored(session, one) for one in found]
    if winner:
        lines.append(session.say("cli.resolve.clear", name=winner.name, id=winner.entity_id))
    else:
        lines.append(session.say("cli.resolve.unclear" if found else "cli.resolve.none"))
    session.show(values, lines)


def _candidate(one: "Candidate") -> dict[str, Any]:
    return {name: getattr(one, name) for name in type(one).__slots__}


def _scored(session: Session, one: "Candidate") -> str:
    how = session.say(f"cli.resolve.how.{one.how}")
    score = session.say("cli.resolve.score", percent=round(100 * one.score))
    return f"{one.entity_id}  {one.name}  {score}  {how}"


# ---- what other commands ask


def today(session: Session) -> date:
    """Give the local day."""
    from config.settings import zone

    return datetime.now(zone(session.settings)).date()


def known_then(session: Session, spelt: str, now: "State") -> "State":
    """Give the state as it was known at the end of a day.

    Raises:
        BadDay: it is none.
    """
    from config.settings import zone
    from daemon import reading
    from daemon.doors import doors

    until = reading.end_of(spelt, zone(session.settings), session.say("error.bad_day", day=spelt))
    _, register = doors(session.root, session.state_folder(), session.settings)
    return reading.known_at(register.read().records, until, now)


def candidates(session: Session, known: "State", name: str, context: str = "") -> "tuple[Candidate, ...]":
    """Give whom a name may mean, best first, home notes and the names they give among what is known."""
    from daemon.memory.persons import told
    from daemon.memory.resolving import resolve as resolved

    return resolved(name, entities(session, known), context, told(known, today(session).isoformat()))


def entities(session: Session, known: "State") -> "tuple[Entity, ...]":
    """Give who is known, with their home notes and the names these give."""
    from daemon.index.aliases import at_home
    from daemon.memory.persons import standing

    with index(session, private=True) as opened:
        return at_home(opened, standing(known))


def named_entity(session: Session, known: "State", name: str) -> str:
    """Give the id of the entity that an id, a line's anchor or a name clearly means.

    Raises:
        WrongUse: nobody is called so, or it is not clear who is meant; the sentence names those it may be.
    """
    from daemon.memory.resolving import clear_winner

    called = _called(known, name)
    if called:
        return called
    found = candidates(session, known, name)
    winner = clear_winner(found)
    if winner:
        return winner.entity_id
    if not found:
        raise WrongUse(session.say("error.no_entity", name=name))
    raise WrongUse(session.say("error.which_entity", name=name, candidates=_named(session, found)))


def meant(session: Session, known: "State", name: str, text: str) -> str:
    """Give the id of whom a fact is about where that is clear; else the name as it was said, for memory to ask about.

    Raises:
        WrongUse: it is an id, and nobody has it.
    """
    from daemon.memory.resolving import clear_winner
    from parsers.ids import DIGITS, ENTITY

    called = _called(known, name)
    if called:
        return called
    if re.fullmatch(rf"\^?{ENTITY}-{DIGITS}", name.strip()):
        raise WrongUse(session.say("error.no_entity", name=name))
    winner = clear_winner(candidates(session, known, name, text))
    return winner.entity_id if winner else name


def _called(known: "State", name: str) -> str | None:
    bare = name.strip().removeprefix("^")
    everybody = known.entities.values()
    return next((one.id for one in everybody if bare and bare in (one.id, one.anchor)), None)


def _named(session: Session, found: "Sequence[Candidate]") -> str:
    told = ", ".join(f"{one.name} ({one.entity_id})" for one in found[:_MOST_NAMED])
    more = len(found) - _MOST_NAMED
    return session.say("error.more_candidates", known=told, count=more) if more > 0 else told
