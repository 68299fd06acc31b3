"""The settings, section by section: to add one, add a field with its default here, nothing else.

A field's type may bear the values that are allowed; `config.settings` checks them. Every command starts by making
these classes: as dataclasses they would take six times as long.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, NamedTuple

from config.i18n import LOCALES


class AtLeast(int):
    """The smallest number a setting may be."""


class OneOf(tuple[str, ...]):
    """The words a setting may be."""

    __slots__ = ()


class General(NamedTuple):
    """What holds everywhere."""

    timezone: str = ""
    """Zone whose days facts are dated in, `""` = the machine's."""
    locale: Annotated[str, OneOf(LOCALES)] = LOCALES[0]
    state_folder: str = ""
    """Where index, secret, backups and log go, `""` = the platform's folder; never inside the vault."""


class Memory(NamedTuple):
    """Facts."""

    enabled: bool = True
    """False puts all of memory out: nothing read, nothing written."""
    vault: str = ""
    """The vault, when neither `--vault` nor the current folder says it."""
    user_id: str = "moi"
    edit_window: Annotated[int, AtLeast(0)] = 600
    """Seconds in which rewording is a correction and a deletion is provisional."""
    rejection_days: Annotated[int, AtLeast(0)] = 180
    """Days in which a rejected fact is not proposed again."""
    sensitive_patterns: tuple[str, ...] = ()
    """Regular expressions of what makes a proposal sensitive."""


class Watch(NamedTuple):
    """When notes are looked at."""

    settle: Annotated[float, AtLeast(0)] = 2.0
    """Seconds without a save before a managed note is read."""
    scan_seconds: Annotated[int, AtLeast(1)] = 5400
    """Seconds between two scans of the vault, which make lost file events harmless.

    A scan of ten thousand notes takes a tenth of a second: every hour and a half, an idle daemon costs 1 ms a minute.
    """


class Cards(NamedTuple):
    """How often the person is interrupted."""

    per_day: Annotated[int, AtLeast(0)] = 20
    pending_days: Annotated[int, AtLeast(1)] = 30
    """Days after which a waiting fact goes into the weekly reminder."""


class Index(NamedTuple):
    """What is indexed."""

    max_bytes: Annotated[int, AtLeast(1)] = 5_000_000
    """Larger notes are not read."""


class Privacy(NamedTuple):
    """Folders (or notes) that agents do not see, or whose content never leaves the machine."""

    private: tuple[str, ...] = ()
    """No agent names, searches or reads what lies there."""
    sensitive: tuple[str, ...] = ()
    """What lies there goes to nothing external."""


class Provenance(NamedTuple):
    """Where the content of folders came from."""

    folders: Mapping[str, str] = MappingProxyType({})
    """Folder → `web`, `automation`, `connector:<id>`, `mcp:<name>` or `vault`."""


class Connectors(NamedTuple):
    """Where connectors find what they speak for; `""` = they are not there."""

    mailbox: str = ""
    """Folder of the simulated mailbox."""


class Policy(NamedTuple):
    """What passes without asking, besides what Autonomie.md says."""

    burst: Annotated[int, AtLeast(0)] = 600
    """Seconds in which a second write of the person's own request needs a plan."""
    code: Annotated[str, OneOf(("reinforced", "all"))] = "reinforced"
    """Which approvals take a code; every widening of Autonomie.md does."""


class Backups(NamedTuple):
    """How long what was replaced is kept: whichever limit comes first."""

    days: Annotated[int, AtLeast(1)] = 30
    mebibytes: Annotated[int, AtLeast(1)] = 200


class Runs(NamedTuple):
    """What one run may use."""

    max_wall_seconds: Annotated[int, AtLeast(1)] = 300
    max_writes: Annotated[int, AtLeast(1)] = 50
    max_iterations: Annotated[int, AtLeast(1)] = 500
    """Steps begun."""
    max_tokens: Annotated[int, AtLeast(0)] = 0
    """Of models that its steps asked, 0 = no limit."""
    expiry_days: Annotated[int, AtLeast(1)] = 7
    """Days after which a plan that nobody approved expires."""


class Brain(NamedTuple):
    """What agents are told of the work under way instead of having to remember it."""

    projects: tuple[str, ...] = ()
    """Folders whose git branch and changed files are told."""
    services: Mapping[str, int] = MappingProxyType({})
    """Name → port on this machine; told is whether something listens there."""


class Recall(NamedTuple):
    """How memory and notes answer."""

    threshold: Annotated[float, AtLeast(0)] = 0.25
    """Score below which a hit enters no context, its age aside: 1 answers the whole question.

    On a set of questions from outside 97 % of the right passages are above it, and of a vault that has no answer
    three quarters of what is found are below.
    """
    model: str = ""
    """Installed package, or path of a file, that finds what is near in meaning, `""` = none; never downloaded."""


class Context(NamedTuple):
    """What an agent is given to know before it begins."""

    budget: Annotated[int, AtLeast(200)] = 2500
    """Tokens of a context at most."""
