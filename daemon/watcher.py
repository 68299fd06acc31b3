"""What the rest of clavaire sees of the disk's events: one `next`.

Events may be lost, doubled or late; the scan is the truth. So a watcher only has to be quick, quiet when
nothing happens, and honest: whenever it may have missed something it asks for a scan.
"""

import contextlib
import logging
import math
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Final

from daemon.eye import Eye, Overflow, inhabited
from daemon.hints import Batch, Hint, Pending
from parsers.model.places import NotePath

__all__ = ["Batch", "Watcher"]

_RETRY: Final = 2.0
"""Seconds between two looks for a vault that is gone."""

_log = logging.getLogger(__name__)


class Watcher:
    """Watches one vault, from `start` to `stop`, also when its folder goes and comes back.

    One thread calls `next`; `wake` and `busy` may be called from any.

    Args:
        root: The vault.
        managed: Whether a note waits for the settle time.
        settle: Seconds without a save after which such a note is ready.
    """

    def __init__(
        self,
        root: Path,
        managed: Callable[[NotePath], bool],
        settle: float,
    ) -> None:
        self._root, self._clock = os.fspath(root), time.monotonic
        self._pending = Pending(managed, settle)
        # Its `put` may interrupt its `get`: the one queue that a signal handler may use.
        self._inbox: SimpleQueue[Hint] = SimpleQueue()
        self._lock = threading.Lock()
        self._overflow = Overflow(lambda: self._inbox.put(Hint("doubt", at=time.monotonic())))
        self._eye: Eye | None = None
        self._doubt = self._woken = False
        self._look = 0.0

    def start(self) -> None:
        """Watch: what changes once this has returned is seen. Where there is no vault, wait for it."""
        self._overflow.listen()
        self._eye = self._open()
        self._look = self._clock() + _RETRY

    def stop(self) -> None:
        """Watch no more, and let `next` return."""
        self._overflow.deafen()
        eye, self._eye, self._look = self._eye, None, math.inf
        if eye is not None:
            eye.close()
        self.wake()

    def alive(self) -> bool:
        """Whether the vault is there and watched."""
        return self._eye is not None and self._eye.open()

    def wake(self) -> None:
        """Let `next` return, if only with an empty batch; from any thread, and from a signal handler."""
        self._inbox.put(Hint("wake"))

    def busy(self) -> frozenset[NotePath]:
        """Give the managed notes saved within the settle time: they are neither read nor written yet."""
        if self._absorb():
            self._inbox.put(Hint("look"))  # what `next` waits for may have been among it
        with self._lock:
            return self._pending.busy(self._clock())

    def next(self, timeout: float | None = None) -> Batch | None:
        """Wait, without polling, for something to look at; None when `timeout` seconds brought nothing."""
        end = None if timeout is None else self._clock() + timeout
        while True:
            self._absorb()
            now = self._clock()
            self._mend(now)
            with self._lock:
                batch, due = self._pending.take(now), self._pending.due()
            if self._woken or batch != Batch():
                self._woken = False
                return batch
            if end is not None and now >= end:
                return None
            look = self._look if self._eye is None else math.inf
            self._wait(min(moment for moment in (end, due, look) if moment is not None) - now)

    def _wait(self, seconds: float) -> None:
        with contextlib.suppress(Empty):
            hint = self._inbox.get(timeout=None if seconds == math.inf else max(seconds, 0.0))
            with self._lock:
                self._add(hint)

    def _absorb(self) -> bool:
        """Take in what is queued, and say whether there was anything."""
        found = False
        with self._lock, contextlib.suppress(Empty):
            while True:
                self._add(self._inbox.get_nowait())
                found = True
        return found

    def _add(self, hint: Hint) -> None:
        self._woken |= hint.kind == "wake"
        self._doubt |= hint.kind == "doubt"
        self._pending.add(hint)

    def _mend(self, now: float) -> None:
        """Watch anew where the watch cannot be trusted, and ask for a scan of what it may have missed."""
        if not self._doubt:
            if now < self._look:
                return
            self._look = now + _RETRY
            if self.alive():
                return
        self._doubt = False
        old, self._eye = self._eye, None
        if inhabited(self._root):
            self._eye = self._open(logging.DEBUG if old is None else logging.WARNING)
        if old is not None:
            old.close()  # after the new one opened: there is no moment without a watch
        if old is not None and self._eye is None:
            _log.warning("The vault in %s is gone; waiting for it.", self._root)
        if (old, self._eye) != (None, None):
            with self._lock:
                self._pending.add(Hint("everything", at=now))

    def _open(self, level: int = logging.WARNING) -> Eye | None:
        try:
            return Eye(self._root, self._inbox.put, self._clock)
        except OSError as error:
            _log.log(level, "The vault in %s cannot be watched (%s).", self._root, error)
            return None
