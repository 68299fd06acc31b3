"""The command of agents' hooks: hook. What an agent runs itself never fails its session: exit 0, one line on stderr."""

import json
import os
import shlex
import shutil
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from config.i18n import one_line
from daemon.cli.session import Session, json_option, pass_session
from parsers.errors import ClavaireError

if TYPE_CHECKING:
    from daemon.brain import Boot
    from daemon.hooks.clients import Agent

_CLIENT = click.option(
    "--client",
    type=click.Choice(["claude-code", "codex", "cursor"]),
    required=True,
    help="Whose hook it is.",
)
_PATIENCE = 1.0
"""Seconds in which an agent has said on stdin what it has to say."""
_MOST = 1 << 20


class _Lenient(click.Command):
    """A command that an agent runs: words it does not know are told on stderr, and end it with 0 too."""

    def make_context(self, *values: Any, **more: Any) -> click.Context:
        """Give the context of its words; ends where they are wrong."""
        try:
            return super().make_context(*values, **more)
        except click.UsageError as error:
            session = error.ctx.find_object(Session) if error.ctx else None
            reason = ValueError(" ".join(error.format_message().split()))
            click.echo(_reason(session or Session(), "hook.failed", reason), err=True)
            raise click.exceptions.Exit(0) from None


@click.group()
def hook() -> None:
    """What agents run themselves: now.md when a session starts, and a word before it is compacted."""


@hook.command("session-start", cls=_Lenient)
@_CLIENT
@pass_session
def session_start(session: Session, client: str) -> None:
    """Print now.md as an agent's session-start hook expects it."""
    with _never_failing(session, "hook.failed"):
        from daemon.hooks.clients import AGENTS

        said = _said()
        name = _session_of(said)
        boot, block = _block(session, name)
        parts = [session.say("hook.session_start"), block]
        if said.get("source") == "compact":
            parts.append(session.say("hook.compacted"))
        click.echo(AGENTS[client].starts("\n\n".join(parts)))
        if boot.barred is not None:
            return  # nothing was given
        with _never_failing(session, "hook.unrecorded"):
            _record(session, f"mcp:{client}", name, boot.etag)


@hook.command("pre-compact", cls=_Lenient)
@_CLIENT
@pass_session
def pre_compact(session: Session, client: str) -> None:
    """Ask an agent to write now.md before its conversation is summarised."""
    with _never_failing(session, "hook.failed"):
        from daemon.hooks.clients import AGENTS

        click.echo(AGENTS[client].compacts(session.say("hook.pre_compact")))


@hook.command("install")
@_CLIENT
@json_option
@pass_session
def install(session: Session, client: str) -> None:
    """Add both hooks to an agent's settings; the version before is kept beside them."""
    from daemon.hooks.clients import HOOKS

    commands = {one: _command(session, one, client) for one in HOOKS}
    agent, path = _agent(client)
    kept = _changed(session, agent, path, commands)
    key = "there" if kept is None else "installed_new" if kept.suffix != ".bak" else "installed"
    lines = [session.say(f"cli.hook.{key}", client=client, path=path, backup=kept)]
    if client == "codex" and kept is not None:
        lines.append(session.say("cli.hook.trust"))
    session.show(_values(client, path, kept), lines)


@hook.command("remove")
@_CLIENT
@json_option
@pass_session
def remove(session: Session, client: str) -> None:
    """Take our hooks out of an agent's settings, and nothing else."""
    agent, path = _agent(client)
    kept = _changed(session, agent, path, None)
    key = "cli.hook.removed" if kept else "cli.hook.absent"
    session.show(_values(client, path, kept), [session.say(key, path=path, backup=kept)])


def _agent(client: str) -> tuple["Agent", Path]:
    from daemon.hooks.clients import AGENTS

    return AGENTS[client], AGENTS[client].settings(os.environ, Path.home())


def _changed(session: Session, agent: "Agent", path: Path, commands: Mapping[Any, str] | None) -> Path | None:
    from daemon.hooks.install import change

    return change(path, agent, commands, session.words)


def _values(client: str, path: Path, kept: Path | None) -> dict[str, Any]:
    backup = str(kept) if kept is not None and kept.suffix == ".bak" else None
    return {"client": client, "settings": str(path), "changed": kept is not None, "backup": backup}


def _command(session: Session, name: str, client: str) -> str:
    """Give what an agent runs: this clavaire and this vault, wherever the agent stands."""
    started = Path(sys.argv[0])
    here = str(started.absolute()) if started.name.startswith("clavaire") and started.is_file() else None
    program = here or shutil.which("clavaire") or "clavaire"
    return shlex.join([program, "--vault", str(session.root), "hook", name, "--client", client])


@contextmanager
def _never_failing(session: Session, key: str) -> Iterator[None]:
    """Tell what goes wrong in one line on stderr: an agent's session goes on whatever becomes of ours."""
    try:
        yield
    except (Exception, SystemExit) as error:  # a fault of ours is not the agent's
        if session.debug:
            raise
        click.echo(_reason(session, key, error), err=True)


def _reason(session: Session, key: str, error: BaseException) -> str:
    problem = getattr(error, "problem", None)
    try:
        said = session.words.problem(problem) if problem else str(error) or type(error).__name__
        return one_line(session.say(key, reason=said))
    except ClavaireError:  # the settings that say the language are what cannot be read
        return one_line(str(error))


def _block(session: Session, name: str) -> tuple["Boot", str]:
    """Give now.md, as it is and as data."""
    from datetime import datetime

    from config.settings import zone
    from daemon.brain import boot, data_block
    from daemon.doors import doors
    from daemon.snapshot import reading

    folder = session.state_folder()
    vault, _ = doors(session.root, folder, session.settings)
    today = datetime.now(zone(session.settings)).date()
    with reading(folder, session.say("error.no_index"), private=False) as snapshot:
        found = boot(snapshot, vault, session.settings, today, name)
    return found, data_block(found, session.words)


def _record(session: Session, client: str, name: str, etag: str) -> None:
    """Record in the register that a client was given now.md.

    Raises:
        ValueError: nothing can be recorded now; the sentence says why.
    """
    from parsers.model.edits import NowGiven

    with closing(session.app()) as app:
        closed = app.pipeline.submit([NowGiven(client, name, etag)]).closed
    if closed:
        raise ValueError(session.words.problem(closed))


def _session_of(said: Mapping[str, Any]) -> str:
    """Give what the agent calls its session; a name of our own where it does not say."""
    named = next((said[key] for key in ("session_id", "conversation_id") if said.get(key)), None)
    return named[:200] if isinstance(named, str) else f"hook-{os.urandom(8).hex()}"


def _said() -> dict[str, Any]:
    """Give what the agent says on stdin, nothing where it says nothing in time."""
    if sys.stdin is None or sys.stdin.isatty():
        return {}
    data, end = b"", time.monotonic() + _PATIENCE
    for part in _parts(end):
        data += part
        try:
            found = json.loads(data)
        except ValueError:
            continue
        return found if isinstance(found, dict) else {}
    return {}


def _parts(end: float) -> Iterator[bytes]:
    import select

    size = 0
    while size < _MOST and (left := end - time.monotonic()) > 0:
        try:
            ready = select.select([sys.stdin], [], [], left)[0]
            part = os.read(sys.stdin.fileno(), 65_536) if ready else b""
        except (OSError, ValueError):
            return
        if not part:
            return
        size += len(part)
        yield part
