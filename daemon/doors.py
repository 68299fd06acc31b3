"""The doors of one vault, as settings say: to its notes and to its register.

Light to import: commands that only read come this way.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from config.i18n import catalogue
from config.paths import NAMES
from config.settings import Settings
from daemon.register.register import Register
from daemon.vault.door import Vault

Clock = Callable[[], datetime]


def wall_clock() -> datetime:
    """Give the time, when no other clock is given."""
    return datetime.now(UTC)


def doors(root: Path, folder: Path, settings: Settings, clock: Clock = wall_clock) -> tuple[Vault, Register]:
    """Give the door to the notes and the register of a vault with this state folder."""
    vault = Vault(root, folder / NAMES.backups, settings.index.max_bytes, clock=lambda: clock().timestamp())
    return vault, Register(vault, folder, catalogue(settings.general.locale).say("register.sentence"))
