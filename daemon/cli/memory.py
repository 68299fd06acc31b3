"""Commands of memory: facts, remember, correct, forget, history; and search."""

import math
import sys
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from daemon.cli.people import known_then, meant, named_entity, today
from daemon.cli.session import Session, WrongUse, hand_in, index, json_option, pass_session, state
from daemon.cli.session import origin as origin_of

if TYPE_CHECKING:
    from daemon.memory.state import State
    from daemon.pipeline import Outcome
    from parsers.model.entities import Relation
    from parsers.model.facts import Fact

_KINDS = click.Choice(["preference", "goal", "procedure", "decision", "fact"])


class _Confidence(click.FloatRange):
    """A number from 0 to 1; click lets through what is no number, since that is not outside either."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Give the number that was typed."""
        found: float = super().convert(value, param, ctx)
        if math.isnan(found):
            self.fail(f"{value} is not in the range 0<=x<=1.", param, ctx)
        return found


_STATUSES = click.Choice(["pending", "confirmed", "held", "rejected", "forgotten"])


@click.command()
@click.option("--kind", type=_KINDS, help="Only facts of this kind.")
@click.option("--status", type=_STATUSES, help="Facts of this status instead.")
@click.option("--as-of", metavar="DAY", help="What was true on that day.")
@click.option("--known-at", metavar="DAY", help="What was known at the end of that day.")
@click.option("--about", metavar="NAME|ID", help="Only facts about this person, place, project…")
@json_option
@pass_session
def facts(
    session: Session,
    *,
    kind: str | None,
    status: str | None,
    as_of: str | None,
    known_at: str | None,
    about: str | None,
) -> None:
    """What is known and holds today, or on a day, as it was known on a day."""
    from daemon import reading

    known = state(session)
    if known_at:
        known = known_then(session, known_at, known)
    day = reading.day(as_of, session.say("error.bad_day", day=as_of)) if as_of else None
    entity = named_entity(session, known, about) if about is not None else None
    question = reading.Question(kind, status, day, entity)
    _show_facts(session, reading.facts(known, question, today(session)))


def _show_facts(session: Session, found: Sequence["Fact"]) -> None:
    from daemon.reading import fields_of

    values = [fields_of(fact) for fact in found] if session.as_json else []
    session.show(values, (_line(session, fact) for fact in found))


def _line(session: Session, fact: "Fact") -> str:
    parts = [fact.anchor or fact.id, fact.text.replace("\n", " ⏎ ")]
    if fact.valid_from:
        parts.append(session.say("cli.facts.since", day=fact.valid_from))
    if fact.valid_to:
        parts.append(session.say("cli.facts.until", day=fact.valid_to))
    if fact.status != "confirmed" or fact.retracted_at:
        parts.append(session.say(f"fact.status.{'retracted' if fact.retracted_at else fact.status}"))
    return "  ".join(parts)


@click.command()
@click.argument("text")
@click.option("--kind", type=_KINDS, default="fact", show_default=True, help="The section it goes into.")
@click.option("--since", metavar="DATE", help="When it started: a day, a month or a year.")
@click.option("--about", metavar="NAME|ID", help="The person, place, project… the fact is about.")
@click.option("--as", "origin", metavar="ORIGIN", help="Propose it as an agent: mcp:NAME or http.")
@click.option("--confidence", type=_Confidence(0, 1), help="How sure the agent is; with --as.")
@json_option
@pass_session
def remember(
    session: Session,
    *,
    text: str,
    kind: Any,
    since: str | None,
    about: str | None,
    origin: str | None,
    confidence: float | None,
) -> None:
    """State a fact; with --as, propose it."""
    from parsers.dates import period
    from parsers.model.edits import Remember

    started = period(since) if since else None
    if since and started is None:
        raise WrongUse(session.say("error.bad_day", day=since))
    if confidence is not None and origin is None:
        raise WrongUse(session.say("error.confidence_alone"))
    _check_says_something(session, text)
    sure = 1.0 if confidence is None else confidence
    whom = _whom(session, about, text) if about is not None else None
    keyed = sys.stdin.isatty()
    edit = Remember(text, kind, origin_of(session, origin), sure, started, keyed=keyed, about=whom)
    _show_change(session, *hand_in(session, edit))


def _whom(session: Session, about: str, text: str) -> str:
    """Give whom a fact is about, by id where that is clear; a name that is none is refused."""
    from parsers.people import names_somebody

    whom = meant(session, state(session), about, text)
    if whom == about and not names_somebody(about):
        raise WrongUse(session.say("error.no_name"))
    return whom


def _check_says_something(session: Session, text: str) -> None:
    from parsers.statements import says_nothing

    if says_nothing(text):
        raise WrongUse(session.say("error.empty_text"))


@click.command()
@click.argument("name", metavar="ID")
@click.argument("text")
@json_option
@pass_session
def correct(session: Session, name: str, text: str) -> None:
    """The last wording was wrong: replace it, as if it had never been true."""
    from parsers.model.edits import Correct

    _check_says_something(session, text)
    fact = _named(session, state(session), name, facts_alone=True)
    _show_change(session, *hand_in(session, Correct(fact, text)))


@click.command()
@click.argument("name", metavar="ID")
@click.option("--purge", is_flag=True, help="Erase its words from the register and the backups too.")
@json_option
@pass_session
def forget(session: Session, name: str, *, purge: bool) -> None:
    """Forget a fact, or somebody and every fact about them: nothing uses it any more."""
    from parsers.model.edits import Forget

    known = _named(session, state(session), name)
    hand_in(session, Forget(known))
    if purge:
        _purge(session, known)
    lines = [session.say("cli.forget.purged" if purge else "cli.forget.done", id=known)]
    session.show({"id": known, "status": "forgotten", "purged": purge}, lines)


def _purge(session: Session, name: str) -> None:
    from daemon.app import purge

    with closing(session.app()) as app:
        purge(app, name, datetime.now(UTC))


@click.command()
@click.argument("name", metavar="ID")
@json_option
@pass_session
def history(session: Session, name: str) -> None:
    """Every version of a fact and of those it followed, or how somebody stood to you, oldest first."""
    from daemon.memory.recollect import chain

    known = state(session)
    fact = _named(session, known, name)
    if fact in known.entities:
        _show_relations(session, known.relations.get(fact, ()))
        return
    found = chain(known, fact)
    _show_facts(session, found)


def _show_relations(session: Session, found: Sequence["Relation"]) -> None:
    from daemon.reading import fields_of

    values = [fields_of(one) for one in found] if session.as_json else []
    session.show(values, (_relation_line(session, one) for one in found))


def _relation_line(session: Session, one: "Relation") -> str:
    parts = [one.id, one.text]
    parts += [session.say("cli.facts.since", day=one.valid_from)] if one.valid_from else []
    parts += [session.say("cli.facts.until", day=one.valid_to)] if one.valid_to else []
    parts += [session.say("fact.status.retracted")] if one.retracted_at else []
    return "  ".join(parts)


def _named(session: Session, known: "State", name: str, *, facts_alone: bool = False) -> str:
    """Give the id of a fact, or of somebody, called by their id or their line's anchor."""
    from daemon.memory.recollect import named

    found = named(known, name)
    if found is None or (facts_alone and found not in known.facts):
        raise WrongUse(session.say("error.no_fact", id=name))
    return found


def _show_change(session: Session, outcome: "Outcome", reason: str | None) -> None:
    """Print what an edit of memory came to: the fact's id and status, or why nothing came of it."""
    changed = [record for record in outcome.records if record.op.startswith("fact.")]
    told = next((r for r in reversed(changed) if r.op == "fact.asserted"), changed[-1] if changed else None)
    name = str(told.body["id"]) if told else None
    result = str(told.body.get("status", "known")) if told else "unchanged"
    values = {"id": name, "status": result, "events": [record.op for record in outcome.records]}
    if told is None and reason:
        session.show(values | {"reason": reason}, [session.say(f"cli.remember.not.{reason}")])
    else:
        session.show(values, [session.say(f"cli.remember.{result}", id=name or "")])


@click.command()
@click.argument("query", nargs=-1, required=True)
@click.option("--limit", type=click.IntRange(1, 1000), default=10, show_default=True, help="How many.")
@click.option("--folder", metavar="DIR", help="Only notes below this folder.")
@json_option
@pass_session
def search(session: Session, query: Sequence[str], limit: int, folder: str | None) -> None:
    """Find notes by their words; any text is a legal query."""
    from daemon.index.search import search as find

    with index(session, private=True) as opened:
        hits = find(opened.connection, " ".join(query), limit, folder)
    lines = (f"{hit.path}:{hit.line}  {hit.snippet}" for hit in hits)
    session.show([hit._asdict() for hit in hits], lines)
