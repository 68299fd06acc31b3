"""watchdog, and what it does not say by itself.

It says nothing when the vault's folder is renamed or unmounted; it says only to its log that events were
lost; and the watch of a folder that was moved out of the vault stays in its books under the old path, which
ends its reading thread once that path is used again. So an `Eye` is cheap to open, never repaired, and
replaced as soon as one of these happens.
"""

import logging
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)

from daemon.hints import Hint, hints

_SYSTEM_LOG: Final = logging.getLogger("watchdog.observers.inotify_c")
_log = logging.getLogger(__name__)

# Nothing else is asked of the system. Opening and reading a note would otherwise wake us, and every saved
# note come with an event of its folder.
_EVENTS: Final[list[type[FileSystemEvent]]] = [
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
]

if sys.platform == "linux":
    from watchdog.observers.inotify import InotifyFullEmitter, InotifyObserver
    from watchdog.observers.inotify_c import InotifyConstants, Mask
    from watchdog.observers.inotify_move_event_grouper import GroupedInotifyEvent, PathedInotifyEvent

    class _Emitter(InotifyFullEmitter):
        """Tells folders moved out from those deleted, and tells when the vault was moved or unmounted."""

        def get_event_mask_from_filter(self) -> Mask:
            return Mask(super().get_event_mask_from_filter() | InotifyConstants.IN_MOVE_SELF)

        def build_and_queue_event(self, event: GroupedInotifyEvent, *, full_events: bool = True) -> None:
            gone = InotifyConstants.IN_MOVE_SELF | InotifyConstants.IN_UNMOUNT
            if isinstance(event, PathedInotifyEvent) and event.ev.mask & gone:
                self.queue_event(DirDeletedEvent(os.fsdecode(event.path)))
            else:
                super().build_and_queue_event(event, full_events=full_events)

    class _Observer(InotifyObserver):
        def __init__(self) -> None:
            super().__init__(generate_full_events=True)
            self._emitter_class = _Emitter

else:
    from watchdog.observers import Observer as _Observer


class Eye:
    """One watch of one folder, not of another that may take its name."""

    def __init__(self, root: str, put: Callable[[Hint], None], clock: Callable[[], float]) -> None:
        """Open it.

        Raises:
            OSError: There is no such folder, or the system has no more watches to give.
        """
        self._root, self._place = root, _place(root)
        self._observer = _Observer()
        real = os.path.realpath(root)
        try:
            self._observer.schedule(_Relay(real, put, clock), real, recursive=True, event_filter=_EVENTS)
            self._observer.start()
        except OSError:
            self.close()
            raise

    def open(self) -> bool:
        """Whether each of its threads lives, and the folder is still the one that stands there."""
        reader = getattr(self._observer, "_inotify_fd", self._observer)
        threads = [self._observer, *self._observer.emitters, reader]
        return all(thread.is_alive() for thread in threads) and _place(self._root) == self._place

    def close(self) -> None:
        """Close it, however it is."""
        try:
            self._observer.stop()
        except (KeyError, OSError) as error:  # watchdog's own books, after folders were moved out
            _log.info("A watch could not be closed (%r).", error)
        if self._observer.is_alive():
            self._observer.join(1.0)


class _Relay(FileSystemEventHandler):
    """Makes hints of events, in watchdog's thread."""

    def __init__(self, root: str, put: Callable[[Hint], None], clock: Callable[[], float]) -> None:
        self._root, self._put, self._clock = root, put, clock

    def dispatch(self, event: FileSystemEvent) -> None:
        """Pass on what an event says about notes."""
        for hint in hints(event, self._root, self._clock()):
            self._put(hint)


class Overflow(logging.Handler):
    """Hears that the system dropped events: watchdog tells its log, and nobody else."""

    def __init__(self, missed: Callable[[], None]) -> None:
        super().__init__()
        self._missed = missed

    def listen(self) -> None:
        """Hear what is lost from now on."""
        _SYSTEM_LOG.setLevel(logging.WARNING)
        _SYSTEM_LOG.addHandler(self)

    def deafen(self) -> None:
        """Hear no more."""
        _SYSTEM_LOG.removeHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        """Pass on that events were lost."""
        if "overflow" in record.getMessage():
            self._missed()


def _place(root: str) -> tuple[int, int] | None:
    """Which folder stands there; None when there is none."""
    try:
        status = Path(root).stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def inhabited(root: str) -> bool:
    """Whether there is a vault again, and not just the empty folder on which its disk is mounted."""
    try:
        with os.scandir(root) as found:
            return next(found, None) is not None
    except OSError:
        return False
