"""Kills its own process (signal 9) at the n-th call that changes the disk. Nothing of it is in the product.

    python tests/kill/killer.py POINT module:function ARGUMENT…     the arguments become sys.argv[1:]

POINT, or CLAVAIRE_TEST_KILL in its place (then the first argument is the target), is `N:before`, `N:half`
(a write that writes half of its bytes; other calls: before) or `N:after`; or `count:FILE`, which kills
nothing and leaves in FILE the name of each call, one a line. Calls made before the target was imported do
not count.

In a process, `Killer(…).arm(ARROWS)` counts the steps of the flow besides, and `sql()` SQLite's statements.
"""

import importlib
import os
import signal
import sqlite3
import sys
import threading
from collections.abc import Callable, Iterable
from functools import reduce
from pathlib import Path
from typing import Any

CALLS = (
    *(
        f"os:{name}"
        for name in ("open", "write", "pwrite", "fsync", "ftruncate", "rename", "replace", "link")
    ),
    *(f"os:{name}" for name in ("unlink", "mkdir", "rmdir", "chmod", "fchmod", "fchown", "setxattr")),
    "daemon.vault.rename:rename_with",
)
"""Calls that change the disk, as `module:name`; of `os.open` only those that may create."""

ARROWS = (
    *(f"daemon.history:History.{name}" for name in ("catch_up", "happen", "keep", "stand", "rebuild")),
    *(f"daemon.register.register:Register.{name}" for name in ("append", "take_host", "_mend")),
    "daemon.register.keys:Keys.keep_head",
    *(f"daemon.register.repair:{name}" for name in ("purge", "finish_purges")),
    *(f"daemon.index.store:{name}" for name in ("_write", "_point", "drop_leftovers")),
    *(f"daemon.index.store:Index.{name}" for name in ("open", "close")),
    *(f"daemon.vault.door:Vault.{name}" for name in ("read", "walk", "write", "create", "append", "cut")),
    *(f"daemon.vault.door:Vault.{name}" for name in ("late", "heard")),
    *(f"daemon.vault.kept:Store.{name}" for name in ("sweep", "shelve", "scrub")),
    *("daemon.desk:Desk.write", "daemon.pipeline:keep_owned", "daemon.pipeline:Pipeline._index"),
    "daemon.pipeline:deliberate",
    *(f"pathlib:Path.{name}" for name in ("write_text", "write_bytes", "touch")),
)
"""The arrows of the flow and the steps below them, as `module:name` or `module:Class.name`."""

HALVES = {"write": 1, "pwrite": 1, "Path.write_text": 1, "Path.write_bytes": 1}
"""Calls of which half can be done, and which argument holds what they write."""


class Killer:
    """Counts calls, and ends the process at one of them; before another, it does `save` as somebody else would."""

    def __init__(
        self, point: int = 0, when: str = "never", at: int = 0, save: Callable[[], object] = lambda: None
    ) -> None:
        self.seen: list[str] = []
        self._point, self._when, self._at, self._save = point, when, at, save
        self._one_at_a_time = threading.RLock()
        self._said = ""

    def arm(self, calls: Iterable[str] = CALLS) -> "Killer":
        """Put a wrapper around each call."""
        for place in calls:
            module, dotted = place.split(":")
            *path, name = dotted.split(".")
            holder = reduce(getattr, path, importlib.import_module(module))
            setattr(holder, name, self._wrapped(dotted, getattr(holder, name)))
        return self

    def sql(self) -> "Killer":
        """Count the statements of every connection of the index too, those alike in a row as one."""
        store = importlib.import_module("daemon.index.store")
        connect = store._connect

        def traced(*args: Any) -> sqlite3.Connection:
            connection: sqlite3.Connection = connect(*args)
            connection.set_trace_callback(self._statement)
            return connection

        store._connect = traced
        return self

    def _statement(self, said: str) -> None:
        verb, _, rest = said.partition(" ")
        if verb in {"SELECT", "--"} or said.split("(", 1)[0] == self._said:
            return
        self._said = said.split("(", 1)[0]
        with self._one_at_a_time:
            if self._count(f"sql {verb} {rest.split('(')[0][:24]}".strip()) and self._when != "never":
                os.kill(os.getpid(), signal.SIGKILL)

    def _count(self, name: str) -> bool:
        self.seen.append(name)
        if len(self.seen) == self._at:
            self._save()
        return len(self.seen) == self._point

    def _wrapped(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            if name == "open" and not args[1] & os.O_CREAT:
                return call(*args, **kwargs)
            with self._one_at_a_time:
                mine = self._count(name)
                if mine and self._when == "half" and name in HALVES:
                    half = args[HALVES[name]]
                    half = half[: len(half) // 2] if isinstance(half, str) else bytes(half)[: len(half) // 2]
                    call(*args[: HALVES[name]], half, *args[HALVES[name] + 1 :], **kwargs)
                if mine and self._when in {"before", "half"}:
                    os.kill(os.getpid(), signal.SIGKILL)
                try:
                    return call(*args, **kwargs)
                finally:
                    if mine and self._when == "after":
                        os.kill(os.getpid(), signal.SIGKILL)

        return wrapper


def main() -> None:
    """Run the target with a killer armed."""
    arguments = sys.argv[1:]
    point = os.environ.get("CLAVAIRE_TEST_KILL") or arguments.pop(0)
    target = arguments.pop(0)
    module, name = target.split(":")
    sys.argv = [target, *arguments]
    sys.path.insert(0, str(Path(__file__).parents[2]))
    function = getattr(importlib.import_module(module), name)
    first, second = point.split(":", 1)
    if first != "count":
        Killer(int(first), second).arm()
        function()
        return
    killer = Killer().arm()
    try:
        function()
    finally:
        Path(second).write_text("".join(f"{name}\n" for name in killer.seen))


if __name__ == "__main__":
    main()
