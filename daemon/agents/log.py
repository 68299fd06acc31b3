"""The log of one session in the state folder: every call, and which notes it read; never a word of them.

A session holds the lock of its file while it lives: what becomes of one left behind, `daemon.sessions` says.
"""

import contextlib
import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from config.paths import NAMES
from daemon.sessions import LIVE, put_away, told
from daemon.vault.locks import Held, try_lock
from parsers.model.edits import SessionEnded
from parsers.model.register import stamp

_MOST_NAMED = 20
_LONGEST = 200


class SessionLog:
    """The log of one session; its file is made with the first call."""

    def __init__(self, folder: Path, session: str, client: str) -> None:
        self._path = folder / NAMES.sessions / f"{session}{LIVE}"
        self.session, self.client, self.claimed = session, client, ""
        self._held: Held | None = None

    def note(self, at: datetime, tool: str, code: str, read: Sequence[str]) -> None:
        """Add a call: `code` is `ok` or that of its error. A full disk is no reason to refuse a reader."""
        line = {"at": stamp(at), "tool": tool[:_LONGEST], "code": code, "read": list(read)[:_MOST_NAMED]}
        with contextlib.suppress(OSError):
            if self._held is None:
                self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                self._held = try_lock(str(self._path))
                self._add(
                    {"session": self.session, "client": self.client, "claimed": self.claimed[:_LONGEST]}
                )
            self._add(line)

    def _add(self, line: dict[str, Any]) -> None:
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def ended(self) -> SessionEnded | None:
        """Give what the register is told at the end; None when nothing was called."""
        return told(self._path)

    def close(self, *, recorded: bool) -> None:
        """Let the file go; an end that the register was not told of is left to the next pass."""
        if self._held is not None:
            with contextlib.suppress(OSError):
                if recorded:
                    put_away(self._path)
            self._held.close()
            self._held = None
