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

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from config.i18n import Catalogue
from config.paths import NAMES
from daemon import managed, marking, reindex
from daemon.consent import Wish, answered_offers, autonomy_said, consider
from daemon.desk import Desk
from daemon.history import History
from daemon.index.notes import count
from daemon.index.private import Guard, known
from daemon.index.problems import problems, replace_problems
from daemon.index.refresh import Changes, Progress, silent
from daemon.index.store import intact
from daemon.journal import keep_owned
from daemon.managed import Showing
from daemon.memory.decide import begin, deliberate
from daemon.memory.moment import Deliberation, Moment
from daemon.memory.shown import Shown
from daemon.memory.state import State
from daemon.now_desk import abandoned, keep_now
from daemon.permission import Rules, judge
from daemon.plan_desk import PlanDesk
from daemon.rest import remember
from daemon.runs.deciding import next_expiry
from daemon.runs.looking import etag_now
from daemon.runs.state import Runs
from daemon.runs.work import Work
from daemon.screening import asks, screen
from daemon.source import Sources
from daemon.tools.effects import VaultLook
from daemon.tools.known import Registry
from daemon.vault.door import Vault
from daemon.vault.errors import NoteChanged, NoteExists, NoteMissing, VaultError
from daemon.vault.walk import Listing
from parsers.model.edits import ClockTick, Edit, NowEdit, NowGiven
from parsers.model.places import NotePath, Problem
from parsers.model.register import Event, Record
from parsers.model.runs import WORKING

if TYPE_CHECKING:
    from daemon.counsel import Counsel

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
    """What a pass takes from outside: the clock, the words, the tools and what settings say."""

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
    """`memory.enabled`: false leaves the notes of memory alone."""
    rules: Rules
    """What settings say of plans."""
    registry: Callable[[], Registry]
    """Gives the tools; asked only when something is planned or carried out."""
    fence: Guard
    """What decides which note goes into which index file."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What one pass is asked to look at and to decide."""

    paths: Collection[NotePath] | None
    """Notes that may have changed, None for all."""
    edits: Sequence[Edit]
    wishes: Sequence[Wish]
    busy: frozenset[NotePath]
    listing: Listing | None


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
        self.plans = PlanDesk(self.desk, every_code=around.rules.every_code)
        self._counsel: Counsel | None = None
        self._calm: tuple[int, str, str] | None = None
        """When the managed notes were last left at rest, none of them busy."""

    @property
    def counsel(self) -> "Counsel":
        """What plans are prepared with."""
        if self._counsel is None:
            from daemon.counsel import Counsel  # noqa: PLC0415 - megabytes that a vault without plans does without

            one = self.around
            given = (one.rules, one.registry, self._moment, one.memory, one.fence.private)
            self._counsel = Counsel(self.desk, *given)
        return self._counsel

    def protect(self, fence: Guard, settings: str) -> None:
        """Go on with other protections, which other `settings` say."""
        rules = replace(self.around.rules, declared=fence.declared)
        self.around = replace(self.around, fence=fence, rules=rules, settings=settings)
        self._counsel = None

    # ---- the passes

    def sync(
        self,
        paths: Collection[NotePath] | None = None,
        edits: Sequence[Edit] = (),
        busy: Collection[NotePath] = (),
        progress: Progress = silent,
        wishes: Sequence[Wish] = (),
    ) -> Outcome:
        """Bring vault, state and index to rest; `paths` are those that may have changed, None for all.

        Notes in `busy` (saved within the settle time) are neither read nor written.
        """
        with self.vault.locked(), intact(self.history.folder):
            self.history.catch_up()
            if paths is not None and self._judged_otherwise():
                paths = None
            listing = self.vault.walk() if paths is None else None
            outcome = Outcome()
            ends = abandoned(self.history) if listing is not None else ()
            ours = any(path.startswith(NAMES.assistant) for path in paths or ())
            if listing is not None or edits or wishes or ours:
                outcome = self._managed(Asked(paths, (*edits, *ends), wishes, frozenset(busy), listing))
            changes = self._index(paths or (), listing, outcome.written, progress)
            self._mark(changes)
            if listing is not None:
                self._prune()
            if listing is not None and not outcome.written and not self._at_work():
                self._remember_rest(listing)
            return replace(outcome, changes=changes)

    def _judged_otherwise(self) -> bool:
        """Whether folders protected something else when the index was made: then every note is judged anew."""
        fence = self.around.fence
        return fence.private and known(self.history.index) != fence.declared

    def _mark(self, changes: Changes) -> None:
        """Let what became of marked paragraphs happen: a reworded one keeps its mark (R-P01)."""
        if self.history.closed():
            return
        seen = marking.notice(self.history.index, self.vault, self.runs.marks, changes)
        found = {"mark.moved": seen.moved, "mark.put": seen.put, "mark.left": seen.left}
        events = [Event(op, "scheduled", body) for op, bodies in found.items() for body in bodies]
        self.history.happen(events, self.now())
        self.history.keep()
        marking.keep(self.history.index, seen)

    def _remember_rest(self, listing: Listing) -> None:
        """Keep that a whole pass found nothing to write: until something changes, the next need not look."""
        index = self.history.index
        paths = (*managed.SHOWN_NOTES, *(run.path for run in self.history.runs.live() if run.path))
        kept = {path: self.history.stood(path) for path in paths}
        etags = {path: found.etag for path, found in kept.items() if found}
        until = self.around.next_due(self._moment().now)
        expiry = next_expiry(self.history.runs)
        remember(index, listing, etags, min(until, expiry) if expiry else until, self.around.settings)

    def _screened(self, memory: Deliberation, showing: Showing, edits: Sequence[Edit]) -> Sequence[Edit]:
        """What agents want of memory, as far as the policy lets it pass."""
        if not asks(edits):
            return edits
        work = self.counsel.work(memory, showing)
        return screen(work, edits, judge(work.runs, work.moment, self.around.rules.zone))

    def _expires(self, now: datetime) -> bool:
        """Whether a plan that waits has waited too long."""
        first = next_expiry(self.runs)
        return first is not None and first <= now

    def _at_work(self) -> bool:
        """Whether a run is being carried out, or its note does not say all of it."""
        return self.history.unsaid != set() or self.working

    def submit(self, edits: Sequence[Edit], wishes: Sequence[Wish] = ()) -> Outcome:
        """Decide and accept edits; the notes are left to the process that keeps them in step."""
        with self.vault.locked(), intact(self.history.folder):
            self.history.catch_up()
            if closed := self._closed(edits):
                return Outcome(closed=closed)
            ends = abandoned(self.history) if any(isinstance(edit, NowGiven) for edit in edits) else ()
            moment = self._moment()
            showing = self.around.showing(moment)
            memory = begin(self.history.state, moment)
            deliberate(memory, (), (*self._screened(memory, showing, edits), *ends))
            consider(self.counsel.work(memory, showing), [*wishes, *answered_offers(memory)])
            records = self.history.happen(memory.events, moment.now)
            self.history.keep()
            return Outcome(records)

    def happen(self, decide: Callable[[Work], None]) -> bool:
        """Let what a run came to happen, on disk when this returns; False when nothing can be recorded now."""
        with self.vault.locked(), intact(self.history.folder):
            self.history.catch_up()
            if self.history.closed():
                return False
            moment = self._moment()
            work = self.counsel.work(begin(self.history.state, moment), self.around.showing(moment))
            decide(work)
            self.history.happen(work.events, moment.now)
            self.history.keep()
            return True

    @property
    def working(self) -> bool:
        """Whether something that is approved is still to be done."""
        return any(run.status in WORKING for run in self.runs.live())

    @property
    def runs(self) -> Runs:
        """What is known of runs."""
        return self.history.runs

    def now(self) -> datetime:
        """Give the time, UTC."""
        return self._moment().now

    def _moment(self) -> Moment:
        return self.around.moment(self.history.state)

    def rebuild(self, progress: Progress = silent) -> int:
        """Make the index anew; gives how many notes it holds."""
        with self.vault.locked():
            self.history.rebuild(partial(reindex.fill, self.vault, progress, guard=self.around.fence))
            return count(self.history.index)

    def _closed(self, edits: Sequence[Edit]) -> Problem | None:
        """Why edits cannot be accepted and notes not written, None when they can."""
        if not self.around.memory and any(not isinstance(edit, NowEdit) for edit in edits):
            return Problem("", 0, "memory_off")
        return self.history.closed()

    def _prune(self) -> None:
        """Drop old backups; all stay while facts are held, whose versions may still be wanted."""
        if not self.history.state.holds():
            self.vault.kept.prune(self.now().timestamp(), *self.around.backups)

    # ---- managed notes: read, decide, accept, render

    def _managed(self, asked: Asked) -> Outcome:
        if closed := self._closed(asked.edits):
            return Outcome(closed=closed)
        self.desk.late(self._moment().now.timestamp(), asked.listing)
        edits, wishes = asked.edits, asked.wishes
        if asked.paths is not None and not edits and not wishes and self._is_echo(asked.paths):
            return Outcome()
        done = Turn()
        for _ in range(ROUNDS):
            turn = replace(asked, edits=(*edits, *self.desk.unread(), ClockTick()), wishes=wishes)
            again = self._round(turn, done)
            self.desk.heard()
            edits = wishes = ()
            if not again and not self.desk.displaced and not self.desk.apart:
                self._calm = None if asked.busy else self._now()
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
        moment = self._moment()
        return self.history.mark.seq, moment.today.isoformat(), moment.week

    def _round(self, asked: Asked, done: Turn) -> bool:
        """One turn from reading to writing; True when a note changed meanwhile and it must turn again."""
        desk, moment = self.desk, self._moment()
        showing = self.around.showing(moment)
        read = managed.READ_NOTES if self.around.memory else (NAMES.autonomy,)
        sources = {path: desk.read(path) for path in read if path not in asked.busy}
        plans = self.plans.sources(asked.paths, asked.listing, asked.busy)
        before = {path: self.history.stood(path) for path in managed.SHOWN_NOTES}
        found = self._accept(asked, sources, plans, before, showing, done)
        wants = desk.wanted(sources, before, showing)
        self.history.keep(desk.standing(sources, before, wants))
        again = False
        for one in sources.values():
            try:
                done.written += desk.write(one, wants.get(one.path), before.get(one.path), showing)
            except (NoteChanged, NoteExists, NoteMissing):
                again = True
            except VaultError as error:
                found.append(error.problem)
        again |= self._bring_plans_up(plans, asked, showing, done, found)
        again |= keep_now(
            desk, self.around.fence.declared, asked.busy, moment.now, found, done.records, done.written
        )
        for path in managed.OWNED_NOTES:
            if path not in asked.busy:
                done.written += keep_owned(desk, path, before.get(path), moment, showing, found)
        self._keep_problems(found)
        return again

    def _accept(
        self,
        asked: Asked,
        sources: Sources,
        plans: Sources,
        before: Mapping[NotePath, Shown | None],
        showing: Showing,
        done: Turn,
    ) -> list[Problem]:
        """Decide what the notes say and what is asked besides, and let it happen; gives what is wrong in the notes."""
        desk, moment, stood = self.desk, self._moment(), self.desk.stood(before)
        what = desk.said(sources, stood, showing)
        copies = desk.copies(asked.listing, sources) if asked.listing is not None else []
        memory = begin(self.history.state, moment, what.readings)
        edits = self._screened(memory, showing, asked.edits)
        deliberate(memory, what.readings, (*edits, *what.edits, *copies))
        wished = self.plans.wishes(plans, partial(etag_now, VaultLook(self.vault)))
        autonomy = sources.get(NAMES.autonomy), stood.get(NAMES.autonomy)
        permits, wrong = autonomy_said(*autonomy, self.around.registry)
        found = [problem for one in sources.values() for problem in one.problems]
        found += [*what.problems, *wished.problems, *wrong]
        consents = [*asked.wishes, *wished.edits, *answered_offers(memory), *permits]
        if consents or wished.proposals or self._expires(moment.now):
            work = self.counsel.work(memory, showing, plans)
            consider(work, consents)
            for one, request in wished.proposals:
                found += self.counsel.take_note(work, one, request, showing)
        done.records += self.history.happen(memory.events, moment.now)
        return found

    def _bring_plans_up(
        self, plans: Sources, asked: Asked, showing: Showing, done: Turn, found: list[Problem]
    ) -> bool:
        brought = self.plans.write(plans, showing, asked.busy)
        done.written += brought.written
        found += brought.problems
        if brought.shown:
            done.records += self.history.happen(brought.shown, showing.now)
            self.history.keep()
        if asked.listing is not None and not asked.busy and not brought.again:
            self.history.all_said()
        return brought.again

    def _index(
        self,
        paths: Collection[NotePath],
        listing: Listing | None,
        written: Sequence[NotePath],
        progress: Progress,
    ) -> Changes:
        """Bring the index in step with the notes that changed, or with all of them."""
        if listing is None:
            return reindex.saved(self.vault, self.history.index, {*paths, *written}, self.around.fence)
        return reindex.whole(self.vault, self.history.index, listing, written, progress, self.around.fence)

    def _keep_problems(self, found: Sequence[Problem]) -> None:
        if sorted(set(found), key=repr) != sorted(problems(self.history.index, "managed"), key=repr):
            replace_problems(self.history.index, "managed", found)
