"""Commands of runs: plan, runs, show, explain; approve and code, on a terminal."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from daemon.cli.session import (
    REFUSED,
    Session,
    WrongUse,
    confirmed,
    json_option,
    named_run,
    origin,
    pass_session,
    permits,
    refused_by,
    terminal_only,
)

if TYPE_CHECKING:
    from daemon.app import App
    from daemon.planning import Client
    from daemon.runs.state import Runs
    from daemon.runs.work import Prepared
    from parsers.model.runs import Run, Step

_STATUSES = click.Choice(
    [
        *("proposed", "awaiting_approval", "approved", "running", "paused", "succeeded"),
        *("partially_succeeded", "failed", "cancelled", "expired", "refused"),
    ]
)


# ---- proposing


@click.command()
@click.argument("file", metavar="FILE")
@click.option("--as", "named", metavar="ORIGIN", help="Propose it as an agent: mcp:NAME or http.")
@json_option
@pass_session
def plan(session: Session, file: str, named: str | None) -> None:
    """Propose a plan from a JSON file, - for what comes in; prints its run; exit 3 when the policy refuses it."""
    from daemon.acting import propose

    client_origin = origin(session, named)
    text = _file(session, file)
    raw = _json(session, file, text)
    with closing(session.app()) as app:
        prepared, outcome = propose(app, raw, _client(client_origin, text if file == "-" else ""))
        refused_by(session, outcome)
        run = app.pipeline.runs.runs.get(prepared.run.id, prepared.run)
        if prepared.refused:
            _refused(session, prepared)
        tell(session, run, app)


def _file(session: Session, file: str) -> str:
    if file != "-" and Path(file).is_dir():
        raise WrongUse(session.say("error.plan_folder", file=file))
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return data.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise WrongUse(session.say("error.plan_file", file=file)) from error


def _json(session: Session, file: str, text: str) -> object:
    from parsers.plan import Unreadable, json_line

    try:
        return json_line(text)
    except Unreadable as error:
        why = error.__cause__
        if isinstance(why, json.JSONDecodeError):
            raise WrongUse(session.say("error.plan_json", file=file, line=why.lineno)) from error
        key = "error.plan_json" if isinstance(why, RecursionError) else "error.plan_strict"
        raise WrongUse(session.say(key, file=file, line=1)) from error


def _client(named: str, typed: str) -> "Client":
    """Who asks: what comes without a terminal may be any program's, and is the person's own at no time."""
    from daemon.planning import Client

    terminal = sys.stdin.isatty()
    if named != "person":
        return Client(named, keyed=terminal)
    if terminal:
        return Client("person", "user", words=typed)
    return Client("person", "vault", keyed=False)


def _refused(session: Session, prepared: "Prepared") -> NoReturn:
    from daemon.runs.explaining import refusal_said

    first = prepared.refused[0].decision
    said = refusal_said(session.words, first.rule, first.reasons)
    values = {"id": prepared.run.id, "status": "refused", "rule": first.rule, "reason": said}
    session.show(values, ())
    click.echo(session.say("cli.plan.refused", id=prepared.run.id, why=said), err=True)
    raise SystemExit(REFUSED)


def tell(session: Session, run: "Run", app: "App", **more: object) -> None:
    """Say how a run stands, where its note is, and what is to be done where nobody executes."""
    kept = _is_kept(app)
    values = {"id": run.id, "status": run.status, "path": run.path, "executing": kept, **more}
    session.show(values, _standing(session, run, kept=kept))


def _standing(session: Session, run: "Run", *, kept: bool) -> Iterator[str]:
    status = session.say(f"plan.status.{run.status}")
    yield session.say("cli.run.stands", id=run.id, status=status)
    if run.path:
        yield session.say("cli.run.note", path=run.path)
    elif kept and run.status != "refused":
        yield session.say("cli.run.note_later")
    if run.status == "awaiting_approval" or (run.status == "proposed" and not kept):
        yield session.say("cli.run.tick" if kept else "cli.run.nobody", id=run.id)


def _is_kept(app: "App") -> bool:
    from daemon.overview import is_kept

    return is_kept(app.vault)


# ---- looking


@click.command()
@click.option("--status", type=_STATUSES, help="Only runs of this status.")
@click.option("--origin", "asked_by", metavar="ORIGIN", help="Only what this origin asked for.")
@json_option
@pass_session
def runs(session: Session, status: str | None, asked_by: str | None) -> None:
    """Every run, the oldest first."""
    from daemon.runs.rows import exported

    found = [
        run
        for run in sorted(permits(session).shown(), key=lambda one: (one.requested_at, one.id))
        if status in (None, run.status) and asked_by in (None, run.origin)
    ]
    values = [row for run in found for row in exported([run])] if session.as_json else []
    session.show(values, (_line(session, run) for run in found))


def _line(session: Session, run: "Run") -> str:
    status = session.say(f"plan.status.{run.status}")
    return "  ".join((run.id, _local(session, run.requested_at), status, run.origin, run.title))


def _local(session: Session, at: str) -> str:
    from datetime import datetime

    from config.settings import zone

    return f"{datetime.fromisoformat(at).astimezone(zone(session.settings)):%Y-%m-%d %H:%M}"


@click.command()
@click.argument("name", metavar="RUN")
@json_option
@pass_session
def show(session: Session, name: str) -> None:
    """One run: its plan, its steps, and what is known to have happened."""
    from daemon.runs.rows import exported

    run = named_run(session, permits(session), name)
    session.show(exported([run])[0] if session.as_json else {}, _all_of(session, run))


def _all_of(session: Session, run: "Run") -> Iterator[str]:
    from config.settings import zone
    from renderers.plan_evidence import evidence

    yield _line(session, run)
    if run.why:
        yield session.say("plan.why", why=run.why)
    if run.path:
        yield session.say("cli.run.note", path=run.path)
    for number, step in enumerate(run.steps, 1):
        yield from _step(number, step)
    for name, line in evidence(run, zone(session.settings), session.words):
        yield line.removesuffix(f" ^{name}")


def _step(number: int, step: "Step") -> Iterator[str]:
    from parsers.model.runs import BOX

    first, *others = step.shows or (f"`{step.tool}`",)
    yield f"{number}. [{BOX[step.status]}] {first}"
    for line in "\n".join(others).splitlines():
        yield f"   {line}"


@click.command()
@click.argument("name", metavar="RUN")
@click.argument("which", metavar="[STEP]", required=False)
@json_option
@pass_session
def explain(session: Session, name: str, which: str | None) -> None:
    """Why the policy decided as it did: the rule of each step, and the facts it used; STEP is a number or an id."""
    from daemon.runs.explaining import explained, judged

    run = named_run(session, permits(session), name)
    found = [explained(session.words, number, step) for number, step in judged(run)]
    if which is not None:
        found = [one for one in found if which in (str(one["number"]), one["step"], f"^{one['step']}")]
        if not found:
            raise WrongUse(session.say("error.no_step", id=run.id, step=which))
    session.show(found, (line for one in found for line in _why(session, one)))


def _why(session: Session, one: Mapping[str, Any]) -> Iterator[str]:
    said = session.say(f"decision.{one['decision']}")
    yield session.say("cli.explain.step", number=one["number"], tool=one["tool"], said=said)
    yield from (f"   {line}" for line in "\n".join(one["shows"]).splitlines())
    yield session.say("cli.explain.rule", rule=one["rule"], sentence=one["sentence"])
    for fact in one["facts"]:
        yield f"   - {fact['sentence']}"


# ---- approving


@click.command()
@click.argument("name", metavar="RUN")
@click.option("--code", "digits", metavar="DIGITS", help="The six digits that `clavaire code RUN` showed.")
@json_option
@pass_session
def approve(session: Session, name: str, digits: str | None) -> None:
    """Approve a plan on a terminal: what will happen is shown first, then asked."""
    terminal_only(session)
    from daemon import acting
    from parsers.model.controls import takes_code

    with closing(session.app()) as app:
        run = named_run(session, app.brought_up(), name)
        _check_waits(session, run)
        if takes_code(run, every_code=app.pipeline.around.rules.every_code) and digits is None:
            raise WrongUse(session.say("error.code_needed", id=run.id))
        out = acting.left_out(app, run)
        click.echo("\n".join(_ahead(session, run, out)), err=True)
        if not confirmed(session, session.say("cli.approve.ask")):
            _not_approved(session, run, "declined")
        outcome = acting.approve(app, run, out, digits)
        refused_by(session, outcome)
        after = app.pipeline.runs.runs[run.id]
        if after.approved_at == run.approved_at:
            _not_approved(session, after, _why_not(app.pipeline.runs, run, after))
        tell(session, after, app, left_out=list(out))


def _check_waits(session: Session, run: "Run") -> None:
    if run.status == "proposed":
        raise WrongUse(session.say("error.not_shown_yet", id=run.id))
    if run.status != "awaiting_approval":
        status = session.say(f"plan.status.{run.status}")
        raise WrongUse(session.say("error.not_waiting", id=run.id, status=status))


def _ahead(session: Session, run: "Run", out: Sequence[str]) -> Iterator[str]:
    """What approving would do, and what is left out."""
    yield session.say("cli.approve.ahead", id=run.id, title=run.title, origin=run.origin)
    for number, step in enumerate(run.steps, 1):
        if step.status == "waiting" and step.id not in out:
            yield from _step(number, step)
    if out:
        yield session.say("cli.left_out", steps=_numbers(run, out))


def _numbers(run: "Run", names: Sequence[str]) -> str:
    return ", ".join(str(number) for number, step in enumerate(run.steps, 1) if step.id in names)


def _why_not(known: "Runs", before: "Run", after: "Run") -> str:
    """Give why a plan is not approved: catalogue key below `cli.approve.not.`."""
    if after.status != "awaiting_approval":
        return "over"
    if after.digest != before.digest:
        return "changed"
    return "blocked" if known.codes.blocked else "code"


def _not_approved(session: Session, run: "Run", reason: str) -> NoReturn:
    status = session.say(f"plan.status.{run.status}")
    said = session.say(f"cli.approve.not.{reason}", id=run.id, status=status)
    session.show({"id": run.id, "status": run.status, "path": run.path, "reason": said}, ())
    click.echo(said, err=True)
    raise SystemExit(REFUSED)


@click.command()
@click.argument("name", metavar="[ID]", required=False)
@click.option("--unblock", is_flag=True, help="Let codes count again after too many wrong ones.")
@json_option
@pass_session
def code(session: Session, name: str | None, *, unblock: bool) -> None:
    """Show the six digits of a run, of a line d-… or of level-DOMAIN, on a terminal; good once, for 15 minutes."""
    if unblock == (name is not None):
        raise WrongUse(session.say("error.code_what"))
    terminal_only(session, out=True)
    from daemon import acting
    from parsers.model.run_edits import Unblock

    with closing(session.app()) as app:
        known = app.brought_up()
        if unblock or name is None:
            refused_by(session, acting.do(app, [Unblock()]))
            session.show({"blocked": False}, [session.say("cli.code.unblocked")])
            return
        bare = name.removeprefix("^")
        if known.codes.blocked:
            raise WrongUse(session.say("error.codes_blocked"))
        shown = acting.show_code(app, bare)
        if shown is None:
            raise WrongUse(session.say("error.no_code", id=name))
        _show_code(session, app.pipeline.runs, bare, *shown)


def _show_code(session: Session, known: "Runs", name: str, digits: str, out: Sequence[str]) -> None:
    run = known.known(name)
    covered = [step for step in run.steps if step.status == "waiting" and step.id not in out] if run else []
    values = {"id": name, "code": digits, "steps": [step.id for step in covered], "left_out": list(out)}
    lines = [digits, session.say("cli.code.good")]
    lines += list(_ahead(session, run, out)) if run else [_line_of(session, known, name)]
    session.show(values, lines)


def _line_of(session: Session, known: "Runs", name: str) -> str:
    """The line of Autonomie.md that a code widens."""
    from renderers.autonomy import line_words

    autonomy = known.autonomy
    if name in autonomy.asked:
        return line_words(autonomy.asked[name], session.words)
    domain = name.removeprefix("level-")
    return session.say("cli.code.level", domain=domain, level=autonomy.asked_levels[domain][0])
