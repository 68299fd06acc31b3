"""Kills its own process (signal 9) at the n-th call that changes the disk. Nothing of it is in the product.

    python tests/kill/killer.py POINT module:function ARGUMENT…     the arguments become sys.argv[1:]

POINT, or CLAVAIRE_TEST_KILL in its place (then the first argument is the target), is `N:before`, `N:half`
(a write that writes half of its bytes; other calls: before) or `N:after`; or `count:FILE`, which kills
nothing and leaves in FILE the name of each call, one a line. Calls made before the target was imported do
not count.
"""

import importlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable
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


class Killer:
    """Counts calls, and ends the process at one of them."""

    def __init__(self, point: int = 0, when: str = "never") -> None:
        self.seen: list[str] = []
        self._point, self._when = point, when
        self._one_at_a_time = threading.RLock()

    def arm(self, calls: Iterable[str] = CALLS) -> "Killer":
        """Put a wrapper around each call."""
        for place in calls:
            module, name = place.split(":")
            holder = importlib.import_module(module)
            setattr(holder, name, self._wrapped(name, getattr(holder, name)))
        return self

    def _wrapped(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            if name == "open" and not args[1] & os.O_CREAT:
                return call(*args, **kwargs)
            with self._one_at_a_time:
                self.seen.append(name)
                mine = len(self.seen) == self._point
                if mine and self._when == "half" and name in {"write", "pwrite"}:
                    call(args[0], bytes(args[1])[: len(args[1]) // 2], *args[2:])
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
