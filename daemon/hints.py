"""From events to what to look at: pure.

The system's events become hints, hints wait in `Pending` until they are ready. A note is handed out when its
writer is done: at once when the file was closed or renamed, after the settle time when the note is managed.
"""

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from watchdog.events import FileSystemEvent

from config.paths import NAMES, placeholder_original
from daemon.vault import names
from daemon.vault.errors import OutsideVault
from daemon.vault.walk import NOTE
from parsers.model.places import NotePath

Kind = Literal["saved", "own", "written", "appeared", "folder", "everything", "doubt", "wake", "look"]
"""Of a note: `saved` (closed, renamed or gone: whole), `own` (renamed by a write of ours: whole), `written`
(its writer may still be at it), `appeared` (a new name; its writer may still be at it).
Of the vault: `folder` (one came, went or moved), `everything` (scan it), `doubt` (scan it, and the watch is
good for nothing: events were lost, a folder was moved out and its watch with it, the vault itself is gone).
Of nothing: `wake`, `look`."""

_GRACE: Final = 0.2
"""Seconds given to the writer of a new name to close it, and to a change of folders to finish."""

_CLOSES: Final = sys.platform == "linux"
"""Whether the system says when a writer closes a file."""


class Hint(NamedTuple):
    """One thing that may have happened."""

    kind: Kind
    path: NotePath = NotePath("")
    at: float = 0.0


@dataclass(frozen=True, slots=True)
class Batch:
    """What to look at again; empty after a `wake`."""

    paths: frozenset[NotePath] = frozenset()
    """Notes that changed, may be new, may be gone; as they are spelt on disk."""
    rescan: bool = False
    """Look at everything: events were lost, a folder came, went or moved, what is ignored changed."""


def hints(event: FileSystemEvent, root: str, at: float = 0.0, *, closes: bool = _CLOSES) -> Iterator[Hint]:
    """Give what an event says about the notes of the vault in `root`."""
    sides = [os.fsdecode(side) for side in (event.src_path, event.dest_path) if side]
    if event.is_directory:
        yield from (Hint(kind, at=at) for kind in _of_folder(event, sides, root))
        return
    kind = _of_note(event.event_type, sides, closes=closes)
    for side in sides:
        path = _inside(side, root)
        if path == NAMES.ignore_file:
            yield Hint("everything", at=at)
        elif note := _note(path):
            yield Hint(kind, note, at)


def _of_folder(event: FileSystemEvent, sides: list[str], root: str) -> Iterator[Kind]:
    if event.event_type == "modified":
        return
    moved_out = event.event_type == "moved" and not event.dest_path
    if moved_out or root in sides:
        yield "doubt"
    elif any((path := _inside(side, root)) and not any(map(names.hidden, path.split("/"))) for side in sides):
        yield "folder"


def _of_note(what: str, sides: list[str], *, closes: bool) -> Kind:
    if what == "created" or (what == "modified" and not closes):
        return "appeared"
    if what == "modified":
        return "written"
    ours = what == "moved" and any(names.is_draft(side.rpartition(os.sep)[2]) for side in sides)
    return "own" if ours else "saved"


def _inside(full: str, root: str) -> str:
    """The path inside the vault; empty for the vault itself and what is outside."""
    path = full.removeprefix(root + os.sep)
    if path == full:
        return ""
    return path if os.sep == "/" else path.replace(os.sep, "/")


def _note(path: str) -> NotePath | None:
    """The note a file's path speaks of: itself, or the one in whose place it stands until that is fetched."""
    note = path if path.endswith(NOTE) else placeholder_original(path)
    if not note or not note.endswith(NOTE):
        return None
    try:
        names.check(note)
    except OutsideVault:
        return None
    return NotePath(note)


class Pending:
    """What was seen and not yet handed out: nothing is lost, and no managed note comes out half-typed.

    Args:
        managed: Whether a note is one of those that wait.
        settle: Seconds without a save after which a managed note is ready.
    """

    def __init__(self, managed: Callable[[NotePath], bool], settle: float) -> None:
        self._managed, self._settle = managed, settle
        self._settling: dict[NotePath, float] = {}
        self._others: dict[NotePath, float] = {}
        self._rescan: float | None = None

    def add(self, hint: Hint) -> None:
        """Take a hint in."""
        match hint.kind:
            case "folder":
                self._scan(hint.at + _GRACE)
            case "everything" | "doubt":
                self._scan(hint.at)
            case "wake" | "look":
                pass
            case _ if self._managed(hint.path):
                self._add_managed(hint)
            case "saved" | "own":
                self._others[hint.path] = min(self._others.get(hint.path, hint.at), hint.at)
            case "appeared":
                self._others.setdefault(hint.path, hint.at + _GRACE)
            case "written":
                pass  # its writer will close it

    def take(self, now: float) -> Batch:
        """Hand out what is ready, once."""
        ready = [path for path, due in self._others.items() if due <= now]
        settled = [path for path, due in self._settling.items() if due <= now]
        for path in ready:
            del self._others[path]
        for path in settled:
            del self._settling[path]
        rescan = self._rescan is not None and self._rescan <= now
        if rescan:
            self._rescan = None
        return Batch(frozenset((*ready, *settled)), rescan)

    def due(self) -> float | None:
        """Give the time at which something will be ready; None when nothing waits."""
        times = [*self._others.values(), *self._settling.values()]
        return min(times if self._rescan is None else (*times, self._rescan), default=None)

    def busy(self, now: float) -> frozenset[NotePath]:
        """Give the managed notes that were saved so recently that they are neither read nor written."""
        return frozenset(path for path, due in self._settling.items() if due > now)

    def _add_managed(self, hint: Hint) -> None:
        if hint.kind == "own":
            # A write of ours is whole, and not somebody typing: it neither waits nor makes others wait.
            self._settling.setdefault(hint.path, hint.at)
        else:
            settled = hint.at + self._settle
            self._settling[hint.path] = max(self._settling.get(hint.path, settled), settled)

    def _scan(self, due: float) -> None:
        self._rescan = due if self._rescan is None else min(self._rescan, due)
