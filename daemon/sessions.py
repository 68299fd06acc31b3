"""What agents called, one log a session in the state folder: tools and times, no word of what was asked or given.

Who writes a log (`daemon.agents.log`) holds a lock on it, gone when its process ends: a log that nobody holds and
whose end is not in the register belongs to a session that ended abruptly, and the next pass records its end from it.
"""

import contextlib
import json
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from config.paths import NAMES
from daemon.vault.errors import VaultError
from daemon.vault.locks import try_lock
from parsers.model.edits import SessionEnded

LIVE, OVER = ".jsonl", ".ended"
_KEPT = 200
"""Logs of sessions that are over and stay."""


def left(state_folder: Path) -> bool:
    """Tell whether a log lies there that nobody writes any more."""
    return next(_loose(state_folder), None) is not None


def abandoned(state_folder: Path, ended: Collection[tuple[str, str]]) -> tuple[SessionEnded, ...]:
    """Give the ends of sessions that nobody recorded, oldest first; the logs of those in `ended` are put away."""
    found: list[SessionEnded] = []
    for path in _loose(state_folder):
        one = told(path)
        if one is None or (one.client, one.session) in ended:
            put_away(path)
        else:
            found.append(one)
    return tuple(sorted(found, key=lambda one: (one.last, one.client, one.session)))


def _loose(state_folder: Path) -> Iterator[Path]:
    """The logs that nobody writes any more; each is locked while it is looked at."""
    folder = state_folder / NAMES.sessions
    for path in sorted(folder.glob(f"*{LIVE}")) if folder.is_dir() else ():
        with contextlib.suppress(OSError, VaultError):
            held = try_lock(str(path))
            if held is not None:
                with held:
                    yield path


def put_away(path: Path) -> None:
    """Rename the log of a session that is over; only the newest of those stay."""
    path.rename(path.with_suffix(OVER))
    over = sorted(path.parent.glob(f"*{OVER}"), key=lambda one: (one.stat().st_mtime_ns, one.name))
    for old in over[:-_KEPT]:
        old.unlink(missing_ok=True)


def told(path: Path) -> SessionEnded | None:
    """Give what a log says in all, None where it names no session or no call; a line that was cut off says nothing."""
    said = list(_lines(path))
    head = next((one for one in said if {"client", "session"} <= one.keys()), None)
    calls = [one for one in said if {"at", "tool"} <= one.keys()]
    if head is None or not calls:
        return None
    times = [str(one["at"]) for one in calls]
    counts = Counter(str(one["tool"]) for one in calls)
    return SessionEnded(
        str(head["client"]), str(head["session"]), min(times), max(times), tuple(sorted(counts.items()))
    )


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError:
        return
    for line in lines:
        with contextlib.suppress(ValueError):
            said = json.loads(line)
            if isinstance(said, dict):
                yield said
