"""One edit's way through clavaire; read this first.

    sync(paths)   read → parse → diff ─┐
    submit(edits) ─────────────────────┴▶ decide ▶ register.append ▶ index.apply ▶ render → vault.write

A pass runs under the vault's lock:
1. catch up   replay what the register holds beyond the index (a crash, another process)
2. read       each managed note that is quiet; a note that cannot be understood is left alone, with a problem
3. decide     pure: state + what the notes say + other edits + now → events
4. accept     one fsync in the register: from here on it has happened; the notes are rendered as the new state wants
              them; one transaction in the index keeps what happened, and what stood in the notes
5. write      each note that differs, and only over the bytes that were read
6. index      the notes that changed, managed or not

If a note changed between 2 and 5 our write is dropped and the pass is made again from the new text (law 7). If a
save slipped in between the last check and the exchange, the version that was displaced is read like any other.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial

from config.i18n import Catalogue
from config.paths import NAMES
from daemon import managed, reindex
from daemon.desk import Desk
from daemon.history import History
from daemon.index import memory as rows
from daemon.index.notes import count
from daemon.index.problems import problems, replace_problems
from daemon.index.refresh import Changes, Progress, silent
from daemon.index.store import intact
from daemon.journal import keep_journal
from daemon.managed import Showing
from daemon.memory.decide import decide
from daemon.memory.moment import Moment
from daemon.memory.state import State
from daemon.rest import remember
from daemon.vault.door import Vault
from daemon.vault.errors import NoteChanged, NoteExists, NoteMissing, VaultError
from daemon.vault.walk import Listing
from parsers.model.edits import ClockTick, Edit
from parsers.model.places import NotePath, Problem
from parsers.model.register import Record

ROUNDS = 8
"""How often a pass starts again because a note changed meanwhile; then the next event or scan does."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one pass came to."""

    records: tuple[Record, ...] = ()
    written: tuple[NotePath, ...] = ()
    changes: Changes = field(default_factory=Changes)
    closed: Problem | None = None
    """Why nothing could be accepted or written."""


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What a pass takes from outside: the clock, the words and what settings say of memory."""

    moment: Callable[[State], Moment]
    showing: Callable[[Moment], Showing]
    words: Catalogue
    next_due: Callable[[datetime], datetime]
    """Gives the first time after one at which the clock asks for something."""
    settings: str
    """A hash of every setting."""
    backups: tuple[int, int]
    """Days and mebibytes for which what was replaced is kept."""
    memory: bool
    """`memory.enabled`: false leaves every managed note alone."""


@dataclass(slots=True)
class Turn:
    """What the turns of one pass have done so far."""

    records: list[Record] = field(default_factory=list)
    written: list[NotePath] = field(default_factory=list)


class Pipeline:
    """The passes over one vault."""

    def __init__(self, vault: Vault, history: History, around: Circumstances) -> None:
        self.vault, self.history, self.around = vault, history, around
        self.desk = Desk(vault, history, around.words)
        self._calm: tuple[int, str, str] | None = None
        """When the managed notes were last left at rest, none of them busy."""

    # ---- the passes

    def sync(
        self,
        paths: Collection[NotePath] | None = None,
        edits: Sequence[Edit] = (),
        busy: Collection[NotePath] = (),
        progress: Progress = silent,
    ) -> Outcome:
        """Bring vault, state and index to rest; `paths` are those that may have changed, None for all.

        Notes in `busy` (saved within the settle time) are neither read nor written.
        """
        with self.vault.locked(), intact(self.history.folder):
            self.history.catch_up()
            listing = self.vault.walk() if paths is None else None
            outcome = Outcome()
            if listing is not None or edits or any(path.startswith(NAMES.assistant) for path in paths or ()):
                outcome = self._managed(paths, edits, frozenset(busy), listing)
            changes = self._index(paths or (), listing, outcome.written, progress)
            if listing is not None:
                self._prune()
            if listing is not None and not outcome.written:
                self._remember_rest(listing)
            return replace(outcome, changes=changes)

    def _remember_rest(self, listing: Listing) -> None:
        """Keep that a whole pass found nothing to write: until something changes, the next need not look."""
        index = self.history.index
        kept = {path: rows.shown(index, path) for path in managed.SHOWN_NOTES}
        etags = {path: found[0] for path, found in kept.items() if found}
        moment = self.around.moment(self.history.state)
        remember(index, listing, etags, self.around.next_due(moment.now), self.around.settings)

    def submit(self, edits: Sequence[Edit]) -> Outcome:
        """Decide and accept edits; the notes are left to the process that keeps them in step."""
        with self.vault.locked(), intact(self.history.folder):
            self.history.catch_up()
            closed = self._closed(edits)
            if closed:
                return Outcome(closed=closed)
            moment = self.around.moment(self.history.state)
            events = decide(self.history.state, moment, (), edits)
            records = self.history.happen(events, moment.now)
            self.history.keep()
            return Outcome(records)

    def rebuild(self, progress: Progress = silent) -> int:
        """Make the index anew; gives how many notes it holds."""
        with self.vault.locked():
            self.history.rebuild(partial(reindex.fill, self.vault, progress))
            return count(self.history.index)

    def _closed(self, edits: Sequence[Edit]) -> Problem | None:
        """Why edits cannot be accepted and notes not written, None when they can."""
        if edits and not self.around.memory:
            return Problem("", 0, "memory_off")
        return self.history.closed()

    def _prune(self) -> None:
        """Drop old backups; all stay while facts are held, whose versions may still be wanted."""
        if not any(versions[-1].status == "held" for versions in self.history.state.facts.values()):
            now = self.around.moment(self.history.state).now.timestamp()
            self.vault.kept.prune(now, *self.around.backups)

    # ---- managed notes: read, decide, accept, render

    def _managed(
        self,
        paths: Collection[NotePath] | None,
        edits: Sequence[Edit],
        busy: frozenset[NotePath],
        listing: Listing | None,
    ) -> Outcome:
        closed = self._closed(edits)
        if not self.around.memory or closed:
            return Outcome(closed=closed)
        self.desk.late(self.around.moment(self.history.state).now.timestamp(), listing)
        if paths is not None and not edits and self._is_echo(paths):
            return Outcome()
        done = Turn()
        todo: Sequence[Edit] = edits
        for _ in range(ROUNDS):
            again = self._round((*todo, *self.desk.unread(), ClockTick()), busy, listing, done)
            self.desk.heard()
            todo = ()
            if not again and not self.desk.displaced and not self.desk.apart:
                self._calm = None if busy else self._now()
                break
        return Outcome(tuple(done.records), tuple(dict.fromkeys(done.written)))

    def _is_echo(self, paths: Collection[NotePath]) -> bool:
        """Tell whether what changed are our own writes: the notes are as they were when last at rest."""
        if self._calm is None or self._calm != self._now() or self.desk.displaced or self.desk.apart:
            return False
        ours = [path for path in paths if path.startswith(NAMES.assistant)]
        return all(path.startswith(NAMES.register_folder) or self.desk.is_as_left(path) for path in ours)

    def _now(self) -> tuple[int, str, str]:
        """What a rendering depends on besides the notes: how far the register goes, the day, the week."""
        moment = self.around.moment(self.history.state)
        return self.history.mark.seq, moment.today.isoformat(), moment.week

    def _round(
        self, edits: Sequence[Edit], busy: frozenset[NotePath], listing: Listing | None, done: Turn
    ) -> bool:
        """One turn from reading to writing; True when a note changed meanwhile and it must turn again."""
        state, desk = self.history.state, self.desk
        moment = self.around.moment(state)
        showing = self.around.showing(moment)
        sources = {path: desk.read(path) for path in (NAMES.profile, NAMES.cards) if path not in busy}
        before = {path: desk.stood(path) for path in managed.SHOWN_NOTES}
        # What a displaced version lacks may just not have been written yet: it deletes nothing.
        known = {path: None if path in desk.displaced else one for path, one in before.items()}
        resting = desk.resting(sources.get(NAMES.profile), showing)
        what = managed.said(sources, known, state, moment.secret_spans, resting, self.history.corrected)
        copies = desk.copies(listing, sources) if listing is not None else []
        events = decide(state, moment, what.readings, (*edits, *what.edits, *copies))
        done.records += self.history.happen(events, moment.now)
        wants = desk.wanted(sources, before, showing)
        self.history.keep(desk.standing(sources, before, wants))
        found = [problem for one in sources.values() for problem in one.problems] + list(what.problems)
        again = False
        for one in sources.values():
            try:
                done.written += desk.write(one, wants.get(one.path), before.get(one.path), showing)
            except (NoteChanged, NoteExists, NoteMissing):
                again = True
            except VaultError as error:
                found.append(error.problem)
        if NAMES.journal not in busy:
            done.written += keep_journal(desk, before.get(NAMES.journal), moment, showing, found)
        self._keep_problems(found)
        return again

    def _index(
        self,
        paths: Collection[NotePath],
        listing: Listing | None,
        written: Sequence[NotePath],
        progress: Progress,
    ) -> Changes:
        """Bring the index in step with the notes that changed, or with all of them."""
        if listing is None:
            return reindex.saved(self.vault, self.history.index, {*paths, *written})
        return reindex.whole(self.vault, self.history.index, listing, written, progress)

    def _keep_problems(self, found: Sequence[Problem]) -> None:
        if sorted(set(found), key=repr) != sorted(problems(self.history.index, "managed"), key=repr):
            replace_problems(self.history.index, "managed", found)
