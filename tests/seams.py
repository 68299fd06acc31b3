"""Where a test can break into a pass: a crash at an arrow of the flow, a save of the person's that slips in.

The calls stay the real ones; what is added is an exception that nothing catches, or a save in the same thread.
"""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from config.paths import NAMES
from daemon.app import App
from tests.home import Home

Call = Callable[..., Any]

ARROWS = (
    "register.append",
    "vault.append",
    "vault.write",
    "vault.create",
    "vault.heard",
    "history.keep",
    "history.stand",
    "history.catch_up",
    "pipeline._index",
    "exchange",
    "torn",
)
"""The calls at which a process may die, before or after; `torn`: in the middle of a line of the register."""

SLIPS = (
    "before the read",
    "after the read",
    "before the write",
    "before the exchange",
    "after the exchange",
    "into the old file",
)
"""When a save slips in; into the old file: by a program that had it open when we exchanged it."""


class Crash(BaseException):
    """The process ends here."""


def crash_at(app: App, arrow: str, skip: int, *, after: bool) -> None:
    """Let the process die at the call number `skip` of an arrow: before the call, or after it."""
    left = [skip]

    def crashing(real: Call) -> Call:
        def call(*args: Any, **kwargs: Any) -> Any:
            left[0] -= 1
            if left[0] < 0 and not after:
                raise Crash
            done = real(*args, **kwargs)
            if left[0] < 0:
                raise Crash
            return done

        return call

    if arrow == "exchange":
        app.vault._writer._exchange = crashing(app.vault._writer._exchange)
    elif arrow == "torn":
        app.vault.append = _tearing(app.vault.append, cut=1 if after else 40)
    else:
        owner, name = arrow.split(".")
        part = getattr(app, owner)
        setattr(part, name, crashing(getattr(part, name)))


def _tearing(real: Call, cut: int) -> Call:
    def call(path: Any, data: bytes, size: int) -> None:
        real(path, data[: max(1, len(data) - cut)] if size else data, size)
        raise Crash

    return call


@contextlib.contextmanager
def slipping(home: Home, when: str, text: Callable[[], str], *, plain: bool = False) -> Iterator[list[str]]:
    """Let the person save Profil.md once, at one moment of a pass; gives what they saved.

    `plain`: as on a file system that cannot exchange two files.
    """
    vault, writer = home.app.vault, home.app.vault._writer
    read, write, exchange = vault.read, vault.write, writer._exchange
    saved: list[str] = []
    stream = home.full(NAMES.profile).open("r+b")

    def slip(now: str, path: str) -> None:
        if now == when and not saved and path.endswith(NAMES.profile):
            saved.append(text())
            if now == "into the old file":
                stream.write(saved[0].encode("utf-8"))
                stream.truncate()
                stream.flush()
            else:
                home.write_profile(saved[0])

    def reading(path: Any) -> Any:
        slip("before the read", path)
        found = read(path)
        slip("after the read", path)
        return found

    def writing(path: Any, *args: Any) -> Any:
        slip("before the write", path)
        return write(path, *args)

    def exchanging(draft: str, full: str) -> None:
        slip("before the exchange", full)
        exchange(draft, full)
        slip("after the exchange", full)
        slip("into the old file", full)

    vault.read, vault.write = reading, writing
    writer._exchange = None if plain else exchanging
    try:
        yield saved
    finally:
        vault.read, vault.write, writer._exchange = read, write, exchange
        stream.close()
