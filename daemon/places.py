"""Where things are: settings, the vault around a folder, its state folder. Light: commands that only read use it."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

from config.i18n import catalogue
from config.paths import NAMES, config_file, state_root
from config.settings import Settings, load
from parsers.errors import ClavaireError

_VAULT_ID = re.compile(rb"^vault: (v-[0-9a-z]{8})\r?$", re.MULTILINE)


class NoVault(ClavaireError):
    """No vault was named and none stands around the current folder, or it is not clavaire's yet."""


def settings_of(environ: Mapping[str, str]) -> Settings:
    """Load the person's settings.

    Raises:
        ConfigError: a key or a value is not one.
    """
    return load(environ, config_file())


def find_vault(named: str | None, settings: Settings, here: Path) -> Path:
    """Give the vault's folder: named, configured, or the nearest one around `here`.

    Raises:
        NoVault: there is none.
    """
    words = catalogue(settings.general.locale)
    spelt = named or settings.memory.vault
    if spelt:
        folder = Path(spelt).expanduser().resolve()
        if not folder.is_dir():
            raise NoVault(words.say("error.no_such_vault", folder=spelt))
        return folder
    for folder in (here, *here.parents):
        if (folder / NAMES.obsidian).is_dir() or (folder / NAMES.assistant).is_dir():
            return folder.resolve()
    raise NoVault(words.say("error.no_vault"))


def only_vault(settings: Settings) -> Path | None:
    """Give the one vault that this machine keeps, None when there are none or several."""
    states = state_root(settings)
    known = {place(folder) for folder in states.glob("v-*")} if states.is_dir() else set[Path | None]()
    there = [root for root in known if root is not None and vault_id(root) is not None]
    return there[0] if len(there) == 1 else None


def vault_id(root: Path) -> str | None:
    """Give the id the vault's register bears, None where there is no register yet."""
    folder = root / NAMES.register_folder
    for month in sorted(folder.glob("*.md")) if folder.is_dir() else ():
        with month.open("rb") as stream:
            found = _VAULT_ID.search(stream.read(2000))
        if found:
            return found[1].decode("ascii")
    return None


def state_folder(root: Path, settings: Settings) -> Path:
    """Give the state folder of a vault.

    A vault whose register is gone or not mounted is known by where it stood (case C27).

    Raises:
        NoVault: clavaire does not keep it.
    """
    name = vault_id(root)
    folder = state_root(settings, root) / name if name else stood_here(root, settings)
    if folder is None:
        raise NoVault(catalogue(settings.general.locale).say("error.not_initialised", folder=root))
    return folder


def stood_here(root: Path, settings: Settings) -> Path | None:
    """Give the state folder of the vault that this machine last kept at a place, None where it kept none."""
    found = [folder for folder in state_root(settings, root).glob("v-*") if place(folder) == root]
    return max(found, key=lambda folder: (folder / NAMES.vault_record).stat().st_mtime_ns, default=None)


def place(folder: Path) -> Path | None:
    """Give where the vault of a state folder stands on this machine, None when that is not known."""
    try:
        return Path(json.loads((folder / NAMES.vault_record).read_text("utf-8"))["path"])
    except (OSError, ValueError, KeyError):
        return None


def set_place(folder: Path, root: Path) -> None:
    """Remember where a vault stands on this machine."""
    draft = folder / f"{NAMES.vault_record}{NAMES.draft_suffix}"
    draft.write_text(json.dumps({"path": str(root)}), "utf-8")
    draft.replace(folder / NAMES.vault_record)


def original(folder: Path, root: Path) -> Path | None:
    """Give the vault of which `root` is a copy on this machine: same id, another place that still holds it."""
    known = place(folder)
    if known is None or known == root or not known.is_dir() or vault_id(known) != folder.name:
        return None
    return known
