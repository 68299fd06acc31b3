"""Commands that keep a vault: demo, init, run, sync, host."""

import signal
import sys
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
    json_option,
    pass_session,
    progress,
    refused_by,
    tell_unwritten,
)
from daemon.cli.vectors import make_vectors

if TYPE_CHECKING:
    from daemon.index.refresh import Changes


@click.command()
@click.option("--keep", is_flag=True, help="Leave the copy of the vault and say where it is.")
@pass_session
def demo(session: Session, *, keep: bool) -> None:
    """Play the whole story on a copy of the demo vault; exit 1 if a step is not as expected."""
    from daemon.demo import play

    raise SystemExit(DONE if play(session.settings, click.echo, keep=keep) else FOUND_PROBLEMS)


@click.command()
@click.argument("folder", required=False, metavar="[DIR]")
@click.option("--new-id", is_flag=True, help="Make a copied vault a vault of its own.")
@json_option
@pass_session
def init(session: Session, folder: str | None, *, new_id: bool) -> None:
    """Create or adopt the managed notes; no other note is touched."""
    from daemon.app import init as initialise
    from daemon.places import find_vault

    named = folder or session.named or "."
    wanted = Path(named).expanduser()
    if wanted.exists() and not wanted.is_dir():
        raise WrongUse(session.say("error.not_a_folder", folder=named))
    wanted.mkdir(parents=True, exist_ok=True)
    root = session.root = find_vault(named, session.settings, Path.cwd())
    with closing(initialise(root, session.settings, _host_name(), new_id=new_id)) as app:
        outcome = app.pipeline.sync(progress=progress(session))
    done = {
        "vault": app.folder.name,
        "path": str(root),
        "state": str(app.folder),
        "facts": len(outcome.records),
    }
    refused_by(session, outcome)
    session.show(done, [session.say("cli.init.done", path=root, command=_run_command(root))])
    tell_unwritten(session)


def _run_command(root: Path) -> str:
    """Give what keeps this vault, as it is typed from any folder."""
    import shlex

    return shlex.join(("clavaire", "--vault", str(root), "run"))


def _host_name() -> str:
    import platform

    return platform.node() or "?"


@click.command()
@pass_session
def run(session: Session) -> None:
    """Keep the vault in step, in the foreground, until Ctrl-C."""
    for one in (signal.SIGTERM, signal.SIGINT):
        signal.signal(one, lambda _signum, _frame: sys.exit(DONE))  # the loop has its own, once it can stop
    from daemon.loop import log_to
    from daemon.loop import run as keep
    from daemon.places import NoVault, only_vault

    try:
        app = session.app()
    except NoVault:
        # `clavaire init ~/Vault && clavaire run`: from anywhere, where there is no doubt which vault is meant.
        alone = None if session.named else only_vault(session.settings)
        if alone is None:
            raise
        session.named = str(alone)
        app = session.app()
    log_to(app)
    keep(app, lambda: datetime.now(UTC), lambda: click.echo(session.say("cli.run.ready", path=app.root)))


@click.command()
@json_option
@pass_session
def sync(session: Session) -> None:
    """One pass to rest: read edits, render notes, then end."""
    changes = session.caught_up()
    if changes is not None:
        _show_sync(session, 0, (), changes)
        tell_unwritten(session)
        make_vectors(session, all_of_them=False)
        return
    from daemon.acting import sync as to_rest

    with closing(session.app()) as app:
        outcome = to_rest(app, progress(session))
    _show_sync(session, len(outcome.records), outcome.written, outcome.changes)
    refused_by(session, outcome)
    tell_unwritten(session)
    make_vectors(session, all_of_them=False)


def _show_sync(session: Session, events: int, written: Sequence[str], changes: "Changes") -> None:
    values = {
        "events": events,
        "written": list(written),
        "added": len(changes.added),
        "changed": len(changes.changed),
        "removed": len(changes.removed),
        "renamed": len(changes.renamed),
    }
    session.show(values, [session.say("cli.sync.done", **{**values, "written": len(written)})])


@click.group()
def host() -> None:
    """The machine that writes in this vault."""


@host.command("take")
@click.option("--name", help="What this machine is called.")
@json_option
@pass_session
def host_take(session: Session, name: str | None) -> None:
    """Make this machine the one that writes."""
    from daemon.app import take_host

    taken = name or _host_name()
    with closing(session.app()) as app:
        take_host(app, taken, datetime.now(UTC))
    session.show({"host": taken}, [session.say("cli.host.done", name=taken)])
