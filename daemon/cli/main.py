"""The command line and its edge: options, commands, errors, exit codes (interfaces.md)."""

from collections.abc import Sequence
from importlib import import_module

import click

from config.i18n import one_line
from daemon.cli.session import BUSY, WRONG_USE, Session, pass_session
from parsers.errors import ClavaireError

COMMANDS = {
    **dict.fromkeys(("demo", "init", "run", "sync", "host"), "vaults"),
    **dict.fromkeys(("status", "doctor", "verify-register", "rebuild", "export"), "care"),
    **dict.fromkeys(("facts", "remember", "correct", "forget", "history", "search"), "memory"),
    **dict.fromkeys(("people", "resolve"), "people"),
    **dict.fromkeys(("recall", "context"), "recall"),
    **dict.fromkeys(("plan", "runs", "show", "explain", "approve", "code"), "runs"),
    **dict.fromkeys(("pause", "resume", "cancel", "undo"), "steering"),
    **dict.fromkeys(("tools", "delegations", "delegate", "revoke", "audit", "trust"), "autonomy"),
    **dict.fromkeys(("mcp", "connect"), "agents"),
    "hook": "hook",
    "config": "settings",
}
"""Every command and the module of this package that holds it; only the one that is asked for is loaded."""


class Commands(click.Group):
    """The commands, loaded when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Give their names in the order they are shown."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Give a command by its name, None when there is none."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"daemon.cli.{COMMANDS[cmd_name]}")
        command: click.Command = getattr(module, cmd_name.replace("-", "_"))
        return command


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--vault", envvar="CLAVAIRE_VAULT", metavar="DIR", help="The vault's folder.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.version_option(package_name="clavaire")
@pass_session
def cli(session: Session, vault: str | None, *, as_json: bool, debug: bool) -> None:
    """Keep an Obsidian vault's facts, cards and journal in step with what you write in it."""
    session.named, session.as_json, session.debug = vault, as_json, debug


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; an error is one sentence on stderr and an exit code."""
    session = Session()
    try:
        cli.main(list(arguments) if arguments is not None else None, standalone_mode=False, obj=session)
    except click.exceptions.Exit as ended:
        raise SystemExit(ended.exit_code) from None
    except click.Abort:
        raise SystemExit(WRONG_USE) from None
    except click.ClickException as error:
        click.echo(_misused(error), err=True)
        raise SystemExit(WRONG_USE) from None
    except (ClavaireError, OSError) as error:
        if session.debug:
            raise
        click.echo(one_line(_sentence(error, session)), err=True)
        raise SystemExit(getattr(error, "exit_code", BUSY)) from None


def _misused(error: click.ClickException) -> str:
    """Give what is wrong with the words after `clavaire`, and the help that lists the right ones."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context else cli.name
    return one_line(f"{error.format_message()} → {command} --help")


def _sentence(error: ClavaireError | OSError, session: Session) -> str:
    """Give an error in the person's language: that of its problem where it has one."""
    from daemon.vault.errors import refusal

    problem = refusal(error) if isinstance(error, OSError) else getattr(error, "problem", None)
    try:
        return session.words.problem(problem) if problem else str(error)
    except ClavaireError:
        return str(error)  # the settings that say the language are what cannot be read
