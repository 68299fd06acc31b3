"""What the commands share: where the vault is, how to print, how an edit is handed in.

Own modules are imported inside functions: a command that only reads must start fast.
"""

import json
import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from config.i18n import Catalogue, catalogue
from config.settings import Settings
from parsers.errors import ClavaireError

if TYPE_CHECKING:
    from daemon.app import App
    from daemon.index.refresh import Changes, Progress
    from daemon.index.store import Index
    from daemon.memory.state import State
    from daemon.pipeline import Outcome
    from daemon.runs.state import Runs
    from parsers.model.edits import Edit
    from parsers.model.runs import Run

DONE, FOUND_PROBLEMS, WRONG_USE, REFUSED, BUSY = 0, 1, 2, 3, 4
"""Exit codes (interfaces.md)."""


_ABOUT_LINES = frozenset(("stray_lines", "secret_line", "person_dash", "section_missing", "note_vanished"))
"""Problems of a managed note that is written all the same, or that a card asks about."""


class WrongUse(ClavaireError):
    """An argument is of no use here; the sentence says what to write instead."""


class MemoryOff(ClavaireError):
    """The settings put all of memory out."""

    exit_code = REFUSED


class Session:
    """What the options before the command say; vault and settings are found when a command wants them."""

    def __init__(self) -> None:
        """Start from no option at all."""
        self.named: str | None = None
        self.as_json = self.debug = False

    @cached_property
    def settings(self) -> Settings:
        """The settings, loaded once."""
        from daemon.places import settings_of

        return settings_of(os.environ)

    @property
    def words(self) -> Catalogue:
        """The catalogue of the person's language."""
        return catalogue(self.settings.general.locale)

    @cached_property
    def root(self) -> Path:
        """The vault's folder, found once."""
        from daemon.places import find_vault

        return find_vault(self.named, self.settings, Path.cwd())

    def app(self) -> "App":
        """The vault, wired for writing.

        Raises:
            VaultCopied: it is a copy of another one.
        """
        from daemon.app import open_writable

        return open_writable(self.root, self.settings)

    def caught_up(self) -> "Changes | None":
        """Bring the index in step, where a pass over the vault would do no more; None where it might."""
        from daemon.doors import doors, wall_clock
        from daemon.places import place
        from daemon.rest import caught_up

        folder = self.state_folder()
        if place(folder) != self.root:
            return None
        both = doors(self.root, folder, self.settings)
        return caught_up(*both, self.settings, wall_clock(), progress(self))

    def state_folder(self) -> Path:
        """The vault's state folder, for commands that only read."""
        from daemon.places import state_folder

        return state_folder(self.root, self.settings)

    def show(self, values: object, lines: Iterable[str]) -> None:
        """Print values as JSON, or the lines for a person."""
        if self.as_json:
            click.echo(json.dumps(values, ensure_ascii=False))
        elif text := "\n".join(lines):
            click.echo(text)

    def say(self, key: str, /, **values: object) -> str:
        """Give a sentence of the catalogue."""
        return self.words.say(key, **values)


pass_session = click.make_pass_decorator(Session)


def json_option(command: Any) -> Any:
    """Give the command `--json` after its name too."""

    def set_json(context: click.Context, _: click.Parameter, value: bool) -> bool:  # noqa: FBT001
        if value:
            context.ensure_object(Session).as_json = True
        return value

    option = click.option("--json", is_flag=True, expose_value=False, callback=set_json, help="Print JSON.")
    return option(command)


@contextmanager
def index(session: Session, *, private: bool = False) -> Iterator["Index"]:
    """Open the index for reading; with `private` the private notes too.

    Raises:
        NoIndex: there is none yet.
        IndexOutdated, IndexRefused: it cannot be read.
    """
    from daemon.index.store import open_index

    opened = open_index(session.state_folder(), session.say("error.no_index"), private=private)
    with closing(opened), opened.intact():
        yield opened


def state(session: Session) -> "State":
    """Give the state the index holds.

    Raises:
        MemoryOff: `memory.enabled` is false.
    """
    from daemon.reading import state_in

    check_memory(session)
    with index(session) as opened:
        return state_in(opened)


def permits(session: Session) -> "Runs":
    """Give what the index holds of runs and of what may pass without asking.

    Raises:
        NoIndex: there is none yet.
    """
    from daemon.permits import load_runs

    with index(session) as opened:
        return load_runs(opened)[0]


def named_run(session: Session, runs: "Runs", name: str) -> "Run":
    """Give the run of an id, with or without `^`.

    Raises:
        WrongUse: there is none.
    """
    bare = name.removeprefix("^")
    found = next((run for run in runs.shown() if run.id == bare), None)
    if found is None:
        raise WrongUse(session.say("error.no_run", id=name))
    return found


def terminal_only(session: Session, *, out: bool = False) -> None:
    """End where a program asks for what a person does on a terminal; `out`: what is printed must go there too.

    Raises:
        WrongUse: no terminal is there.
    """
    if not sys.stdin.isatty() or (out and not sys.stdout.isatty()):
        raise WrongUse(session.say("cli.terminal_only"))


def confirmed(session: Session, question: str) -> bool:
    """Ask on the terminal; whatever is not a yes in the person's language, or in English, is a no."""
    asked = f"{question} {session.say('cli.yes_no')}"
    answer = str(click.prompt(asked, default="", show_default=False, prompt_suffix=" ", err=True))
    return answer.strip().casefold() in {"y", "yes", *session.say("cli.yes").split()}


def origin(session: Session, spelt: str | None) -> str:
    """Give the origin that `--as` names: an agent; without it, the person.

    Raises:
        WrongUse: it names none.
    """
    if spelt is None:
        return "person"
    if spelt == "http" or re.fullmatch(r"mcp:[\w.?-]+", spelt):
        return spelt
    raise WrongUse(session.say("error.bad_origin", origin=spelt))


def hand_in(session: Session, edit: "Edit") -> tuple["Outcome", str | None]:
    """Accept an edit; the notes follow at once, or by the daemon when one runs. Also why nothing came of it.

    Raises:
        MemoryOff: `memory.enabled` is false.
    """
    from daemon.app import accept, why_not

    check_memory(session)
    with closing(session.app()) as app:
        outcome = accept(app, [edit])
        reason = None if outcome.closed else why_not(app, edit)
    refused_by(session, outcome)
    tell_unwritten(session)
    return outcome, reason


def check_memory(session: Session) -> None:
    """Go on only where memory is in use.

    Raises:
        MemoryOff: `memory.enabled` is false.
    """
    if not session.settings.memory.enabled:
        raise MemoryOff(session.say("error.memory_off"))


def tell_unwritten(session: Session) -> None:
    """Say on stderr which managed notes could not be read or written, so that nobody looks there in vain."""
    from daemon.index.problems import problems

    with index(session) as opened:
        found = problems(opened, "managed")
    for problem in found:
        if problem.code not in _ABOUT_LINES:
            click.echo(session.words.problem(problem), err=True)


def refused_by(session: Session, outcome: "Outcome") -> None:
    """End with the reason when nothing could be accepted."""
    if outcome.closed:
        click.echo(session.words.problem(outcome.closed), err=True)
        raise SystemExit(REFUSED)


def progress(session: Session, label: str = "cli.indexing") -> "Progress":
    """Give what shows progress: a bar on a terminal, else nothing."""
    from daemon.index.refresh import silent

    if session.as_json or not sys.stderr.isatty():
        return silent
    from daemon.progress import bar

    return bar(session.say(label))
