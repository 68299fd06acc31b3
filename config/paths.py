"""Persistent names: `NAMES` is `chemins.json`, where alone notes, folders and files of ours are spelt."""

import json
import os
import re
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from config.settings import ConfigError, Settings

if TYPE_CHECKING:  # as in config.i18n
    from parsers.model.places import NotePath


class Names(NamedTuple):
    """Paths inside the vault are relative to it, `/` separated; the others are names in the state folder."""

    assistant: str
    """Folder that holds every managed note."""
    profile: "NotePath"
    people: "NotePath"
    cards: "NotePath"
    autonomy: "NotePath"
    now: "NotePath"
    questions: "NotePath"
    requests: "NotePath"
    journal: "NotePath"
    plans: str
    """Folder of plan notes."""
    plans_base: str
    register_folder: str
    wholly_ours: tuple[str, ...]
    """Notes and folders without a byte of the person's: rendered whole."""

    private_folder: str
    """Dot-folder of the vault for locks and displaced files."""
    private_ignore: str
    lock: str
    executor: str
    displaced: str
    ignore_file: str
    """Lists, in gitignore's syntax, what is never read."""
    draft_prefix: str
    draft_suffix: str
    obsidian: str
    trash: str

    application: str
    """Names our folder among those of other applications."""
    config_file: str
    vault_record: str
    secret: str
    host: str
    head: str
    backups: str
    clients: str
    """Hashes of the keys of agents' clients."""
    sessions: str
    """Folder of the logs of agents' sessions."""
    log: str
    recalls: str
    """Log of recalls: ids and factors."""
    tokens: str
    """Log of the tokens that contexts took."""
    current: str
    """Names the index file in use."""
    index_prefix: str
    private_prefix: str
    """Begins the name of the file that holds the private notes of the index of that number."""
    index_suffix: str

    conflict_marks: tuple[str, ...]
    """Regular expressions of what sync tools put between a note's name and `.md` in a conflict copy."""
    numbered_marks: tuple[str, ...]
    """The same of those whose mark is any note's name too (iCloud, browsers): they count beside a note of ours."""
    placeholders: tuple[str, ...]
    """Regular expressions of whole file names that mean "not here yet"; group `note` is the absent file."""


def _names() -> Names:
    # `importlib.resources` would find the same file 10 ms later: clavaire is installed as files.
    spelt: dict[str, Any] = json.loads(Path(__file__).with_name("chemins.json").read_text("utf-8"))
    values: dict[str, Any] = {
        key: tuple(name) if isinstance(name, list) else name for key, name in spelt.items()
    }
    return Names(**values)


NAMES = _names()


def conflict_original(path: str) -> "NotePath | None":
    """Give the note of which a sync tool made this conflict copy, None when the name is no such copy's."""
    folder, name = _split(path)
    match = _conflict().fullmatch(name)
    return cast("NotePath", f"{folder}{match['stem']}{match['end']}") if match else None


def numbered_original(path: str) -> "NotePath | None":
    """Give the note of ours of which this is a numbered copy, if that is still there; None for any other name.

    A plan's note is none of them: clavaire numbers those itself.
    """
    folder, name = _split(path)
    match = _numbered().fullmatch(name)
    original = cast("NotePath", f"{folder}{match['stem']}{match['end']}") if match else None
    ours = (NAMES.profile, NAMES.people, NAMES.cards, NAMES.autonomy, NAMES.now, NAMES.journal)
    return original if original in ours else None


def placeholder_original(path: str) -> str | None:
    """Give the file that a sync tool has not fetched yet, None when the name is not a placeholder's."""
    folder, name = _split(path)
    for pattern in NAMES.placeholders:
        if match := re.fullmatch(pattern, name):
            return f"{folder}{match['note']}"
    return None


@cache
def _conflict() -> re.Pattern[str]:
    return _marked(NAMES.conflict_marks)


@cache
def _numbered() -> re.Pattern[str]:
    return _marked(NAMES.numbered_marks)


def _marked(marks: tuple[str, ...]) -> re.Pattern[str]:
    # Compiled for who looks at names: a search does not.
    return re.compile(f"(?P<stem>.+?)(?:{'|'.join(marks)})+(?P<end>\\.md)", re.IGNORECASE)


def _split(path: str) -> tuple[str, str]:
    cut = path.rfind("/") + 1
    return path[:cut], path[cut:]


def config_file() -> Path:
    """Give the platform's place for `config.toml`, whether it exists or not."""
    usual = _usual("XDG_CONFIG_HOME", ".config")
    if usual is not None:
        return usual / NAMES.config_file
    from platformdirs import user_config_path  # noqa: PLC0415 - see `_usual`

    return user_config_path(NAMES.application, appauthor=False) / NAMES.config_file


def _usual(variable: str, below: str) -> Path | None:
    """Give our folder where one look at the environment tells it, as on most Linux machines.

    There platformdirs would give the same 8 ms later; it is asked where this gives None.
    """
    place = Path(os.environ.get(variable) or Path(os.environ.get("HOME", ""), below))
    return place / NAMES.application if sys.platform == "linux" and place.is_absolute() else None


def state_root(settings: Settings, vault: Path | None = None) -> Path:
    """Give the folder that holds one state folder a vault; with `vault`, also check that it is not inside it.

    Raises:
        ConfigError: it is inside the vault (links followed), or not a full path.
    """
    key = "general.state_folder"
    place, locale = settings.origin(key), settings.general.locale
    root = _state_folder(settings.general.state_folder)
    if not root.is_absolute():
        raise ConfigError(locale, "relative", place=place, key=key, found=root)
    if vault is not None and root.resolve().is_relative_to(vault.resolve()):
        raise ConfigError(locale, "state_inside", place=place, key=key, folder=root, vault=vault)
    return root


def _state_folder(configured: str) -> Path:
    if configured:
        return Path(configured).expanduser()
    usual = _usual("XDG_STATE_HOME", ".local/state")
    if usual is not None:
        return usual
    from platformdirs import user_state_path  # noqa: PLC0415 - see `_usual`

    return user_state_path(NAMES.application, appauthor=False)
