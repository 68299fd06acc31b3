"""Words about the register. Event: what was accepted of an edit; record: its line in the register."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Body = Mapping[str, Any]
"""The fields of an event besides `by` and `op`: JSON values only."""


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
