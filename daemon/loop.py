"""The daemon in the foreground: file events and the clock in, passes out, until SIGTERM or SIGINT."""

import contextlib
import ctypes
import gc
import logging
import signal
import threading
from collections.abc import Callable, Collection
from datetime import datetime
from logging.handlers import RotatingFileHandler
from types import FrameType
from typing import TYPE_CHECKING

from config.paths import NAMES
from config.settings import zone
from daemon import managed
from daemon.app import App
from daemon.index.problems import problems
from daemon.index.store import IndexOutdated, IndexRefused
from daemon.pipeline import Outcome
from daemon.runs.deciding import next_expiry
from daemon.scheduler import JOBS, next_after
from daemon.vault.errors import VaultBusy, VaultError, refusal
from daemon.vault.kept import QUIET
from daemon.watcher import Batch, Watcher
from parsers.errors import ClavaireError
from parsers.model.places import NotePath, Problem

if TYPE_CHECKING:
    from daemon.acting import Carrier
    from daemon.recall.backlog import Backlog

log = logging.getLogger("clavaire")

_QUIET = 0.3
"""Seconds without work after which the index is tidied, a little at a time."""
_MAKING_WAY = 2.0
"""Seconds that a command, or an agent's call, which brings the notes up for a moment is waited for."""
_RETRY = 1.0
"""Seconds after which a pass that could not be made is tried again."""
_MANY = 100
"""Notes in one pass after which the memory it took is worth giving back; a pass over everything always counts."""


class AlreadyKept(ClavaireError):
    """Another process keeps this vault in step."""

    exit_code = 4


class Keeper:
    """Keeps one vault in step."""

    def __init__(self, app: App, clock: Callable[[], datetime], ready: Callable[[], None]) -> None:
        """Take the wired vault, the clock, and what to call once the vault is at rest for the first time."""
        self.app, self._clock, self._ready = app, clock, ready
        self._stopped = threading.Event()
        self.watcher = Watcher(app.root, managed.is_managed, app.settings.watch.settle)
        self._told: set[Problem] = set()
        self._stalled = self._recovered = False
        self._untidy = False
        """Whether something of the index may be left to tidy."""
        self._swollen = False
        """Whether a pass over many notes took memory that was not given back since."""
        self._carrier: Carrier | None = None
        self._backlog: Backlog | None = None
        self._no_model = False

    def keep(self) -> None:
        """Run until stopped.

        Raises:
            AlreadyKept: another process does this already.
        """
        executor = self.app.vault.executor(_MAKING_WAY)
        if executor is None:
            raise AlreadyKept(self.app.words.say("error.already_kept"))
        with executor:
            self.watcher.start()
            try:
                retry = not self._tried(self._recover) or not self._pass(None)
                gc.collect()
                gc.freeze()  # what a vault at rest holds is not looked through again at each edit
                self._ready()
                while not self._stopped.is_set():
                    retry = self._turn(retry=retry)
            finally:
                self.watcher.stop()
                self.app.close()

    def stop(self, signum: int = 0, frame: FrameType | None = None) -> None:
        """Finish the pass under way and end; also a signal handler."""
        del signum, frame
        self._stopped.set()
        self.watcher.wake()

    def _give_back(self) -> None:
        """Hand memory that a pass over many notes needed back to the system, where its C library can."""
        with contextlib.suppress(IndexOutdated, IndexRefused):
            self.app.history.index.shrink()
        with contextlib.suppress(AttributeError, OSError):
            ctypes.CDLL(None).malloc_trim(0)

    def _turn(self, *, retry: bool) -> bool:
        """Wait for something to do and do it; True when it must be tried again."""
        now = self._clock()
        due = (self._due(now) - now).total_seconds()
        wait = min(self.app.settings.watch.scan_seconds, max(due, 0.0) + 0.5)
        working = not self._stalled and self.app.pipeline.working
        if retry:
            wait = _RETRY
        elif working:
            wait = 0.0
        elif self._untidy:
            wait = _QUIET
        elif self._waiting():
            wait = min(wait, QUIET + 1)
        batch = self.watcher.next(wait)
        if self._stopped.is_set():
            return False
        if batch is None and working and not retry:
            return not self._tried(self._carry)
        if batch is None and self._untidy and not retry:
            self._tried(self._tidy_up)
            return False
        if batch is None and self._waiting() and not retry:
            # A program that had the note open may have written into the version we took away.
            batch = Batch(frozenset((NAMES.profile,)), rescan=False)
        # A pass that failed forgot its paths: what is tried again is everything.
        return not self._pass(None if retry else batch)

    def _due(self, now: datetime) -> datetime:
        """When the clock asks for something next."""
        due = next_after(JOBS, now, zone(self.app.settings))
        expiry = next_expiry(self.app.pipeline.runs)
        return min(due, expiry) if expiry else due

    def _recover(self) -> None:
        if any(run.status == "running" for run in self.app.brought_up().live()):
            from daemon.acting import recover  # noqa: PLC0415 - see `_carry`

            self._recovered = recover(self.app)
        else:
            self._recovered = True

    def _carry(self) -> None:
        """Do one thing of what is approved; a tick that pauses or cancels is read before the next."""
        from daemon.acting import Carrier  # noqa: PLC0415 - megabytes that a daemon without plans does without

        self._carrier = self._carrier or Carrier(self.app, recovered=self._recovered)
        self._stalled = not self._carrier.step(self.watcher.busy())

    def _waiting(self) -> bool:
        """Whether a displaced version is still watched; where it cannot be known, the next pass says why."""
        try:
            return self.app.vault.kept.waiting()
        except OSError:
            return False

    def _pass(self, batch: Batch | None) -> bool:
        """Make one pass, over everything when there is no batch; False when it has to be made again."""
        paths = None if batch is None or batch.rescan else batch.paths
        if paths is not None and not paths:
            return True
        return self._tried(lambda: self._sync(paths))

    def _sync(self, paths: Collection[NotePath] | None) -> None:
        outcome = self.app.pipeline.sync(paths, busy=self.watcher.busy())
        self._untidy, self._stalled = True, False
        self._swollen = self._swollen or paths is None or len(paths) >= _MANY
        with self.app.history.index.intact():
            self._report(outcome)

    def _tidy_up(self) -> None:
        self._untidy = False
        with self.app.history.index.intact():
            self._untidy = self.app.history.index.idle_step()
        if self._swollen and not self._untidy:
            self._swollen = False
            self._give_back()
        self._untidy = self._untidy or self._embed()

    def _embed(self) -> bool:
        """Make some of the vectors that notes wait for; False where none does, or no model that works is set."""
        name, index = self.app.settings.recall.model, self.app.history.index
        if not name or self._no_model:
            return False
        from daemon.recall.backlog import begun  # noqa: PLC0415 - most people set no model
        from daemon.recall.embedding import NoModel  # noqa: PLC0415 - as above

        try:
            self._backlog = self._backlog or begun(index, name, self.app.words)
        except NoModel as error:
            self._no_model = True
            log.warning("%s", error)
        return self._backlog is not None and self._backlog.step(index)

    def _tried(self, work: Callable[[], None]) -> bool:
        """Do some work; False when it has to be done again. What the system refuses is told in a line, once."""
        try:
            if unusable := self.app.take_up_settings():
                log.warning("%s", unusable)
            work()
        except VaultBusy:
            return False
        except (VaultError, IndexOutdated, IndexRefused) as error:
            self._tell([error.problem])
            return False
        except OSError as error:
            self._tell([refusal(error)])
            return False
        except Exception:
            # The one place where work must go on whatever one note made of it: the next scan tries again.
            log.exception("pass failed")
        return True

    def _report(self, outcome: Outcome) -> None:
        for path in outcome.written:
            log.info("wrote %s", path)
        found = problems(self.app.history.index)
        self._tell([*found, *([outcome.closed] if outcome.closed else [])])

    def _tell(self, found: list[Problem]) -> None:
        """Log each problem once for as long as it lasts."""
        for problem in found:
            if problem not in self._told:
                log.warning("%s", self.app.words.problem(problem))
        self._told = set(found)


def log_to(app: App) -> None:
    """Log to the state folder; problems also to stderr."""
    rotating = RotatingFileHandler(
        app.folder / NAMES.log, maxBytes=1_000_000, backupCount=2, encoding="utf-8"
    )
    rotating.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    rotating.setLevel(logging.INFO)
    screen = logging.StreamHandler()
    screen.setLevel(logging.WARNING)
    log.setLevel(logging.INFO)
    log.handlers[:] = [rotating, screen]
    logging.raiseExceptions = False  # on a full disk the log cannot be written either


def run(app: App, clock: Callable[[], datetime], ready: Callable[[], None]) -> None:
    """Keep a vault in step until SIGTERM or SIGINT.

    Raises:
        AlreadyKept: another process does this already.
    """
    keeper = Keeper(app, clock, ready)
    for one in (signal.SIGTERM, signal.SIGINT):
        signal.signal(one, keeper.stop)
    keeper.keep()
