"""Commands of permission: tools, delegations, delegate, revoke, audit, trust."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

import click

from daemon.cli.session import (
    DONE,
    FOUND_PROBLEMS,
    Session,
    WrongUse,
    json_option,
    named_run,
    pass_session,
    permits,
    refused_by,
    terminal_only,
)

if TYPE_CHECKING:
    from daemon.app import App
    from daemon.policy.autonomy import Autonomy
    from daemon.tools.registry import Described
    from parsers.model.policy import Delegation
    from parsers.model.register import Record

_TOO_HIGH = re.compile(r"\b(?:niveau|level)\s*:?\s*(\d+)", re.IGNORECASE)


# ---- tools


@click.command()
@click.option(
    "--coverage", is_flag=True, help="List the tools that write and cannot prove it; exit 1 if any."
)
@json_option
@pass_session
def tools(session: Session, *, coverage: bool) -> None:
    """Every tool a plan may call, with its arguments and what it may touch."""
    from daemon.tools import registry

    every = registry.registry(session.settings)
    for problem in every.problems:
        click.echo(session.words.problem(problem), err=True)
    if not coverage:
        found = registry.described(every)
        session.show([one.as_json() for one in found], (_tool(session, one) for one in found))
        return
    unproved = registry.coverage(every)
    session.show(list(unproved), unproved or [session.say("cli.tools.covered")])
    raise SystemExit(FOUND_PROBLEMS if unproved else DONE)


def _tool(session: Session, one: "Described") -> str:
    parts = [f"{one.name}({', '.join(one.arguments)})", one.domain, one.risk, one.effect, *one.flags]
    if one.risk != "READ" and not one.inverse:
        parts.append(session.say("cli.tools.lasting"))
    return "  ".join(parts)


# ---- delegations


@click.command()
@json_option
@pass_session
def delegations(session: Session) -> None:
    """Every delegation, with what it allows and whether it holds."""
    from daemon.permits import exported

    known = permits(session)
    lines = _delegations(session, known.autonomy)
    session.show(exported(known)["delegations"] if session.as_json else [], lines)


def _delegations(session: Session, autonomy: "Autonomy") -> Iterator[str]:
    from renderers.autonomy import line_words

    today = _today(session)
    for name, one in sorted(autonomy.delegations.items()):
        over = one.status == "active" and bool(one.review) and one.review <= today
        status = session.say(f"cli.delegation.{'over' if over else one.status}")
        yield f"{name}  {status}  {line_words(one, session.words)}"
        wider = autonomy.asked.get(name)
        if wider and one.status != "pending":
            status = session.say("cli.delegation.pending")
            yield f"{name}  {status}  {line_words(wider, session.words)}"


def _today(session: Session) -> str:
    from datetime import UTC, datetime

    from config.settings import zone

    return datetime.now(UTC).astimezone(zone(session.settings)).date().isoformat()


@click.command()
@click.argument("line", metavar="[LINE]", required=False)
@click.option("--from", "source", metavar="RUN", help="Ask for what would have let this run pass.")
@json_option
@pass_session
def delegate(session: Session, line: str | None, source: str | None) -> None:
    """Ask for a delegation, as a line of Autonomie.md: it waits there for its code."""
    if (line is None) == (source is None):
        raise WrongUse(session.say("error.delegate_what"))
    from daemon import acting
    from parsers.model.run_edits import Delegate

    with closing(session.app()) as app:
        app.brought_up()
        wanted = [_read(session, app, line)] if line is not None else _scope(session, app, str(source))
        outcome = acting.do(app, [Delegate(one) for one in wanted])
        refused_by(session, outcome)
        asked = [record.body for record in outcome.records if record.op == "delegation.asked"]
    session.show({"asked": [dict(body) for body in asked]}, _asked(session, asked))


def _asked(session: Session, asked: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    from daemon.policy.autonomy import delegation_of
    from renderers.autonomy import line_words

    for body in asked:
        one = delegation_of(body)
        yield session.say("cli.delegate.waits", id=one.id, line=line_words(one, session.words))
    if not asked:
        yield session.say("cli.delegate.known")


def _read(session: Session, app: "App", line: str) -> "Delegation":
    """Give what a line of words allows; what it may not is said with the reason."""
    from daemon.runs.delegating import fault_of
    from parsers.autonomy import bounds

    high = _TOO_HIGH.search(line)
    if high and int(high[1]) > 3:
        raise WrongUse(session.say("delegate.bad.level", what=high[1]))
    says = bounds(line)
    if says is None:
        raise WrongUse(session.say("error.delegate_line"))
    fault = fault_of(says, app.pipeline.around.registry())
    if fault:
        raise WrongUse(session.say(f"delegate.bad.{fault[0]}", what=fault[1]))
    return says


def _scope(session: Session, app: "App", name: str) -> "Sequence[Delegation]":
    from daemon.runs.delegating import scope_of
    from renderers.autonomy import line_words

    run = named_run(session, app.pipeline.runs, name)
    found = scope_of(run, app.pipeline.around.registry())
    if isinstance(found[0], str):
        raise WrongUse(session.say(f"delegate.bad.{found[0]}", what=found[1]))
    lines: Sequence[Delegation] = found
    for one in lines:  # what cannot be written as a line cannot be delegated
        _read(session, app, line_words(one, session.words))
    return lines


@click.command()
@click.argument("name", metavar="ID")
@json_option
@pass_session
def revoke(session: Session, name: str) -> None:
    """Take a delegation back; it holds at once."""
    from daemon import acting
    from parsers.model.run_edits import Revoke

    bare = name.removeprefix("^")
    with closing(session.app()) as app:
        if bare not in app.brought_up().autonomy.delegations:
            raise WrongUse(session.say("error.no_delegation", id=name))
        refused_by(session, acting.do(app, [Revoke(bare)]))
        status = app.pipeline.runs.autonomy.delegations[bare].status
    session.show({"id": bare, "status": status}, [session.say("cli.revoke.done", id=bare)])


# ---- what was refused, and what is trusted


@click.command()
@json_option
@pass_session
def audit(session: Session) -> None:
    """What was refused and by which rule, the newest last; nothing of what was asked for."""
    from daemon.doors import doors

    _, register = doors(session.root, session.state_folder(), session.settings)
    found = [record for record in register.read().records if record.op == "action.refused"]
    values = [_refusal(session, record) for record in found]
    session.show(values, ("  ".join(map(str, one.values())) for one in values))


def _refusal(session: Session, record: "Record") -> dict[str, Any]:
    from daemon.runs.explaining import rule_said

    body = record.body
    rule = int(body["rule"])
    names = {name: body.get(name) for name in ("run", "tool", "origin")}
    sentence = rule_said(session.words, rule, body.get("reasons") or ())
    return {"at": record.at, **names, "rule": rule, "sentence": sentence}


@click.command()
@click.argument("note", metavar="NOTE")
@json_option
@pass_session
def trust(session: Session, note: str) -> None:
    """Vouch for what stands in a note that came from elsewhere, on a terminal."""
    terminal_only(session)
    from daemon import acting
    from parsers.model.places import NotePath
    from parsers.model.policy import trust_of

    with closing(session.app()) as app:
        outcome, lifted, declared = acting.trust(app, NotePath(note))
    refused_by(session, outcome)
    key = "done" if lifted else "nothing"
    lines = [session.say(f"cli.trust.{key}", note=note, names=", ".join(lifted))]
    if trust_of(declared) > trust_of("vault"):
        lines.append(session.say("cli.trust.declared", note=note, name=declared))
    session.show({"note": note, "lifted": list(lifted), "declared": declared}, lines)
