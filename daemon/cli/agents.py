"""Commands of the agents' door: mcp, connect."""

import os
from typing import TYPE_CHECKING

import click

from daemon.cli.session import Session, WrongUse, json_option, pass_session, terminal_only
from parsers.errors import ClavaireError

if TYPE_CHECKING:
    from daemon.agents.session import AgentSession


class NoSdk(ClavaireError):
    """The SDK of the protocol is not installed."""

    exit_code = 2


@click.command()
@pass_session
def mcp(session: Session) -> None:
    """Serve one agent on stdin and stdout, by the Model Context Protocol, until it ends."""
    try:
        from daemon.mcp_server import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types"):
            raise
        raise NoSdk(session.say("error.no_mcp")) from None
    from daemon.agents.keys import VARIABLE

    session.state_folder()  # a vault that is not there is told to the person who wires the client
    key = os.environ.pop(VARIABLE, None)
    serve(lambda: _opened(session, key), session.say("agent.instructions"), session.words.locale)


def _opened(session: Session, key: str | None) -> "AgentSession":
    from daemon.agents.keys import client_of
    from daemon.agents.session import AgentSession
    from daemon.app import open_for_agents

    app = open_for_agents(session.root, session.settings)
    who = client_of(app.folder, key)
    if key and not who.keyed:
        click.echo(session.say("cli.mcp.unknown_key"), err=True)
    return AgentSession(app, who)


@click.command()
@click.option("--key", "name", metavar="NAME", required=True, help="What the client is to be called.")
@json_option
@pass_session
def connect(session: Session, name: str) -> None:
    """Make a client's key, shown this once: with it the client is mcp:NAME; a second one takes its place."""
    from daemon.agents.keys import NAME, VARIABLE, make_key

    terminal_only(session, out=True)
    if not NAME.fullmatch(name):
        raise WrongUse(session.say("error.client_name", name=name))
    key, replaced = make_key(session.state_folder(), name)
    said = "cli.connect.replaced" if replaced else "cli.connect.made"
    lines = [key, session.say(said, name=name), session.say("cli.connect.how", variable=VARIABLE)]
    session.show({"client": f"mcp:{name}", "key": key, "replaced": replaced}, lines)
