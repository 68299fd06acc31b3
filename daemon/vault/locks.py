"""Locks between the processes that open one vault: `flock` on an empty file, gone when its holder ends."""

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from types import TracebackType
from typing import Self

from daemon.vault.errors import VaultBusy, VaultMissing

if sys.platform == "win32":
    import msvcrt

    def _try(fd: int) -> bool:
        try:
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _try(fd: int) -> bool:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


_FIRST_WAIT, _LONGEST_WAIT = 0.001, 0.05


class Held:
    """A lock that is held until it is closed, or its process ends."""

    def __init__(self, fd: int) -> None:
        self._fd: int | None = fd

    def close(self) -> None:
        """Let the lock go; once is enough."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def try_lock(full: str) -> Held | None:
    """Take the lock on this file if it is free now, None when another holds it.

    Raises:
        VaultMissing: The file's folder is not there.
    """
    try:
        fd = os.open(full, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    except FileNotFoundError:
        raise VaultMissing(os.path.dirname(os.path.dirname(full))) from None
    if _try(fd) and _still_there(fd, full):
        return Held(fd)
    os.close(fd)
    return None


def lock_within(full: str, timeout: float) -> Held | None:
    """Take the lock on this file, waiting for it at most `timeout` seconds; None when another held it all that time.

    Raises:
        VaultMissing: The file's folder is not there.
    """
    end, wait = time.monotonic() + timeout, _FIRST_WAIT
    while (held := try_lock(full)) is None:
        if time.monotonic() >= end:
            return None
        time.sleep(wait)
        wait = min(wait * 2, _LONGEST_WAIT)
    return held


@contextlib.contextmanager
def locked(full: str, timeout: float) -> Iterator[None]:
    """Hold the lock on this file, waiting for it at most `timeout` seconds.

    Raises:
        VaultBusy: Another held it all that time.
        VaultMissing: The file's folder is not there.
    """
    held = lock_within(full, timeout)
    if held is None:
        raise VaultBusy(timeout)
    with held:
        yield


def _still_there(fd: int, full: str) -> bool:
    """Whether the locked file is the one others would lock: a sync tool may have replaced it."""
    try:
        return os.path.samestat(os.fstat(fd), os.stat(full))
    except FileNotFoundError:
        return False
