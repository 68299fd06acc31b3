"""The command of settings: config."""

import json

import click

from daemon.cli.session import Session, json_option, pass_session
from parsers.errors import ClavaireError

_TAKEN_UP = ("privacy.", "provenance.")
"""Begin the keys that processes which run take up at once."""


@click.group()
def config() -> None:
    """The settings and where each value comes from."""


@config.command("list")
@json_option
@pass_session
def config_list(session: Session) -> None:
    """Every setting, its value, and where that comes from."""
    from config.settings import KEYS

    settings = session.settings
    rows = [{"key": key, "value": settings.value(key), "origin": settings.origin(key)} for key in KEYS]
    session.show(rows, (f"{row['key']} = {json.dumps(row['value'])}  ({row['origin']})" for row in rows))


@config.command("get")
@click.argument("key")
@json_option
@pass_session
def config_get(session: Session, key: str) -> None:
    """One setting."""
    value = session.settings.value(key)
    session.show({"key": key, "value": value, "origin": session.settings.origin(key)}, [json.dumps(value)])


@config.command("set")
@click.argument("key")
@click.argument("value")
@json_option
@pass_session
def config_set(session: Session, key: str, value: str) -> None:
    """Set one setting in the person's file."""
    from config.paths import config_file
    from config.settings import set_value

    if key == "general.state_folder":
        _check_state_folder(session, value)
    stored = set_value(config_file(), key, value, session.settings.general.locale)
    lines = [f"{key} = {json.dumps(stored)}"]
    if not key.startswith(_TAKEN_UP) and _is_running(session):
        lines.append(session.say("cli.config.restart"))
    session.show({"key": key, "value": stored}, lines)


def _is_running(session: Session) -> bool:
    """Whether a process keeps the vault, where one is known."""
    from daemon.doors import doors
    from daemon.overview import is_kept

    try:
        vault, _ = doors(session.root, session.state_folder(), session.settings)
    except ClavaireError:
        return False
    return is_kept(vault)


def _check_state_folder(session: Session, value: str) -> None:
    """Refuse a state folder that the vault, where one is known, would hold."""
    from config.paths import config_file, state_root
    from daemon.places import NoVault

    try:
        root = session.root
    except NoVault:
        root = None
    settings = session.settings
    general = settings.general._replace(state_folder=value)
    origins = {**settings.origins, "general.state_folder": str(config_file())}
    state_root(settings._replace(general=general, origins=origins), root)
