"""The settings, section by section: to add one, add a field with its default here, nothing else.

A field's metadata may hold `least` (smallest number) and `choices`; `config.settings` checks both.
"""

from dataclasses import dataclass, field
from typing import Any

from config.i18n import LOCALES


def _at_least(default: Any, least: int) -> Any:
    return field(default=default, metadata={"least": least})


@dataclass(frozen=True, slots=True)
class General:
    """What holds everywhere."""

    timezone: str = ""
    """Zone whose days facts are dated in, `""` = the machine's."""
    locale: str = field(default=LOCALES[0], metadata={"choices": LOCALES})
    state_folder: str = ""
    """Where index, secret, backups and log go, `""` = the platform's folder; never inside the vault."""


@dataclass(frozen=True, slots=True)
class Memory:
    """Facts."""

    enabled: bool = True
    """False puts all of memory out: nothing read, nothing written."""
    vault: str = ""
    """The vault, when neither `--vault` nor the current folder says it."""
    user_id: str = "moi"
    edit_window: int = _at_least(600, 0)
    """Seconds in which rewording is a correction and a deletion is provisional."""
    rejection_days: int = _at_least(180, 0)
    """Days in which a rejected fact is not proposed again."""
    sensitive_patterns: tuple[str, ...] = ()
    """Regular expressions of what makes a proposal sensitive."""


@dataclass(frozen=True, slots=True)
class Watch:
    """When notes are looked at."""

    settle: float = _at_least(2.0, 0)
    """Seconds without a save before a managed note is read."""
    scan_seconds: int = _at_least(5400, 1)
    """Seconds between two scans of the vault, which make lost file events harmless.

    A scan of ten thousand notes takes a tenth of a second: every hour and a half, an idle daemon costs 1 ms a minute.
    """


@dataclass(frozen=True, slots=True)
class Cards:
    """How often the person is interrupted."""

    per_day: int = _at_least(20, 0)
    pending_days: int = _at_least(30, 1)
    """Days after which a waiting fact goes into the weekly reminder."""


@dataclass(frozen=True, slots=True)
class Index:
    """What is indexed."""

    max_bytes: int = _at_least(5_000_000, 1)
    """Larger notes are not read."""


@dataclass(frozen=True, slots=True)
class Privacy:
    """Folders, tags or notes that stay on the machine; for the doors of agents, nothing reads them yet."""

    private: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Backups:
    """How long what was replaced is kept: whichever limit comes first."""

    days: int = _at_least(30, 1)
    mebibytes: int = _at_least(200, 1)


@dataclass(frozen=True, slots=True)
class Runs:
    """What one run may use."""

    max_wall_seconds: int = _at_least(300, 1)
    max_writes: int = _at_least(50, 1)
