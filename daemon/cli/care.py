"""Commands that look after a vault: status, doctor, verify-register, rebuild, export."""

import os
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from daemon.cli.session import (
    DONE,
    FOUND_PROBLEMS,
    Session,
    WrongUse,
    confirmed,
    json_option,
    pass_session,
    permits,
    progress,
    state,
    terminal_only,
)
from daemon.cli.vectors import make_vectors

if TYPE_CHECKING:
    from daemon.app import App
    from parsers.model.places import Problem


@click.command()
@json_option
@pass_session
def status(session: Session) -> None:
    """What is kept, what waits, what is wrong."""
    from daemon.overview import status as overview

    found = overview(session.root, session.settings)
    session.show(found.as_json(session.words), found.lines(session.words))


@click.command()
@click.option("--fix", is_flag=True, help="Mend what can be mended.")
@click.option(
    "--accept-register", is_flag=True, help="Show what was not sealed here, and vouch for it; on a terminal."
)
@json_option
@pass_session
def doctor(session: Session, *, fix: bool, accept_register: bool) -> None:
    """Check everything; exit 1 when something is wrong."""
    from daemon.doctor import doctor as examine

    with closing(session.app()) as app:
        if accept_register:
            _accept_register(session, app)
        found = examine(app, fix=fix)
    _show_problems(session, found)


def _accept_register(session: Session, app: "App") -> None:
    terminal_only(session)
    from daemon.doctor import unvouched

    end, lines = unvouched(app)
    for line in lines:
        click.echo(line, err=True)
    if confirmed(session, session.say("cli.doctor.accept")):
        app.register.accept(end, datetime.now(UTC))


@click.command("verify-register")
@json_option
@pass_session
def verify_register(session: Session) -> None:
    """Check the register's chain and seals, line by line."""
    from daemon.doors import doors

    _, register = doors(session.root, session.state_folder(), session.settings)
    _show_problems(session, register.verify())


def _show_problems(session: Session, found: Sequence["Problem"]) -> None:
    from daemon.overview import told

    values = [told(problem, session.words) for problem in found]
    session.show(values, [one["sentence"] for one in values] or [session.say("cli.doctor.well")])
    raise SystemExit(FOUND_PROBLEMS if found else DONE)


@click.command()
@json_option
@pass_session
def rebuild(session: Session) -> None:
    """Make the index anew from the register and the notes."""
    with closing(session.app()) as app:
        notes = app.pipeline.rebuild(progress(session))
        app.pipeline.sync()  # what is wrong with notes is found by a pass alone
    make_vectors(session, all_of_them=True)
    session.show({"notes": notes}, [session.say("cli.rebuild.done", number=notes)])


@click.command()
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), help="Write to a new file outside the vault."
)
@json_option
@pass_session
def export(session: Session, out: Path | None) -> None:
    """The whole memory and run state as canonical JSON."""
    from daemon.permits import exported as permitted
    from daemon.reading import canonical
    from daemon.reading import export as exported

    if out:
        _check_new(session, out)
    text = canonical(exported(state(session), permitted(permits(session))))
    if out:
        with out.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    else:
        click.echo(text, nl=False)


def _check_new(session: Session, out: Path) -> None:
    """Refuse a file that would take another's place, or stand among the notes."""
    if os.path.lexists(out):
        raise WrongUse(session.say("error.out_exists", path=out))
    if out.resolve().is_relative_to(session.root.resolve()):
        raise WrongUse(session.say("error.out_inside", path=out))
    if not out.parent.is_dir():
        raise WrongUse(session.say("error.out_folder", folder=out.parent))
