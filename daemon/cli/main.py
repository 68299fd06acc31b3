"""The command line's start and its edge: options, commands, errors, exit codes (interfaces.md)."""

import sys
from collections.abc import Sequence

import click

from daemon.cli import care, memory, settings, vaults
from daemon.cli.session import WRONG_USE, Session
from parsers.errors import ClavaireError


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--vault", envvar="CLAVAIRE_VAULT", metavar="DIR", help="The vault's folder.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.version_option(package_name="clavaire")
@click.pass_context
def cli(context: click.Context, vault: str | None, as_json: bool, debug: bool) -> None:  # noqa: FBT001
    """Keep an Obsidian vault's facts, cards and journal in step with what you write in it."""
    context.obj = Session(vault, as_json=as_json, debug=debug)


for _command in (
    *(vaults.demo, vaults.init, vaults.run, vaults.sync, vaults.host),
    *(care.status, care.doctor, care.verify_register, care.rebuild, care.export),
    *(memory.facts, memory.remember, memory.correct, memory.forget, memory.history, memory.search),
    settings.config,
):
    cli.add_command(_command)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; an error is one sentence on stderr and an exit code."""
    try:
        cli.main(args=list(arguments) if arguments is not None else None, standalone_mode=False)
    except click.exceptions.Exit as ended:
        raise SystemExit(ended.exit_code) from None
    except click.Abort:
        raise SystemExit(WRONG_USE) from None
    except click.ClickException as error:
        error.show()
        raise SystemExit(WRONG_USE) from None
    except ClavaireError as error:
        if "--debug" in (arguments if arguments is not None else sys.argv):
            raise
        click.echo(str(error), err=True)
        raise SystemExit(error.exit_code) from None
