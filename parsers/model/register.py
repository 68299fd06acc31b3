"""Words about the register. Event: what was accepted of an edit; record: its line in the register."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

Body = Mapping[str, Any]
"""The fields of an event besides `by` and `op`: JSON values only."""

FIRST = "0" * 16
"""What the first line of a register names as its predecessor."""


def stamp(moment: datetime) -> str:
    """Give a time as the register writes it: UTC, milliseconds, `Z`."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@dataclass(frozen=True, slots=True)
class Event:
    """What was accepted of an edit, with every value that was derived when it was decided."""

    op: str
    """`fact.asserted`, `card.opened`, … (the whole list is in `daemon.memory.state`)."""
    by: str
    """Origin: `person`, `mcp:<client>`, `http`, `scheduled`, `undo`."""
    body: Body


@dataclass(frozen=True, slots=True)
class Record:
    """One line of the register."""

    seq: int
    at: str
    """UTC, milliseconds, `Z`."""
    op: str
    by: str
    body: Body
    vouched: bool = True
    """False for a line this machine's secret did not seal (new machine, lost state folder)."""
    raw: bytes = field(default=b"", repr=False, compare=False)
    """The line itself without its line ending: what the index keeps to write a lost line back."""


@dataclass(frozen=True, slots=True)
class Mark:
    """How far a register was read, and all that reading on from there needs; plain JSON values."""

    file: str = ""
    """Path of the note the last line stands in."""
    offset: int = 0
    """Bytes of that note that were read."""
    seq: int = 0
    head: str = FIRST
    """Hash of the last line: what the next one must name as `prev`."""
    at: str = ""
    sealed: bool = False
    """A line up to here was sealed by this machine's secret: from then on every line must be."""
    doubt: bool = False
    """A line up to here counts as unvouched."""
    host: str = ""
    """Id of the machine that took the vault last, `""` when none did."""
    host_name: str = ""
    ended: bool = True
    """The last line has its line ending."""
