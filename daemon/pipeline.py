"""One edit's way through clavaire; read this first.

    sync(paths)   read → parse → diff ─┐
    submit(edits) ─────────────────────┴▶ decide ▶ register.append ▶ index.apply ▶ render → vault.write

A pass runs under the vault's lock:
1. catch up   replay what the register holds beyond the index (a crash, another process)
2. read       each managed note that is quiet; a note that cannot be understood is left alone, with a problem
3. decide     pure: state + what the notes say + other edits + now → events
4. accept     one fsync in the register: from here on it has happened; then one transaction in the index
5. render     each note as it should be; written only if different, and only over the bytes that were read
6. index      the notes that changed, managed or not

If a note changed between 2 and 5 our write is dropped and the pass is made again from the new text (law 7). If a
save slipped in between the last check and the exchange, the version that was displaced is read like any other.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import partial

from config.i18n import Catalogue
from config.paths import NAMES
from daemon import managed
from daemon.history import History
from daemon.index import memory as rows
from daemon.index.notes import count, refresh, refresh_paths
from daemon.index.problems import problems, replace_problems
from daemon.index.refresh import Changes, Progress, silent
from daemon.index.store import Index
from daemon.managed import Aside, Rest, Showing, Source, Stood, Wanted
from daemon.memory.decide import decide
from daemon.memory.moment import Moment
from daemon.memory.state import State
from daemon.rest import readable, remember, searched
from daemon.vault.disk import Reading, etag_of
from daemon.vault.door import Vault
from daemon.vault.errors import NoteChanged, NoteExists, NoteMissing, VaultError
from daemon.vault.kept import Late
from daemon.vault.walk import Entry, Listing
from parsers.model.edits import ClockTick, Edit, Lines
from parsers.model.notes import Etag, NotePath, Problem
from parsers.model.register import Record

ROUNDS = 8
"""How often a pass starts again because a note changed meanwhile; then the next event or scan does."""
_FIGHT = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one pass came to."""

    records: tuple[Record, ...] = ()
    written: tuple[NotePath, ...] = ()
    changes: Changes = Changes()
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
    backups: tuple[int, int] = (30, 200)
    """Days and mebibytes for which what was replaced is kept."""
    memory: bool = True
    """`memory.enabled`: false leaves every managed note alone."""


class Pipeline:
    """The passes over one vault."""

    def __init__(self, vault: Vault, history: History, around: Circumstances) -> None:
        self.vault, self.history, self.around = vault, history, around
        self._displaced: dict[NotePath, tuple[Reading, Etag]] = {}
        self._sources: dict[NotePath, Source] = {}
        """What was last made of each managed note: the same bytes are not parsed twice."""
        self._rest: Rest | None = None

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
        with self.vault.locked():
            self.history.catch_up()
            listing = self.vault.walk() if paths is None else None
            outcome = Outcome()
            if listing is not None or edits or any(path.startswith(NAMES.assistant) for path in paths or ()):
                outcome = self._managed(edits, frozenset(busy), listing)
            changes = self._index(paths, listing, outcome.written, progress)
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
        with self.vault.locked():
            self.history.catch_up()
            closed = self._closed(edits)
            if closed:
                return Outcome(closed=closed)
            moment = self.around.moment(self.history.state)
            events = decide(self.history.state, moment, (), edits)
            return Outcome(self.history.accept(events, moment.now))

    def rebuild(self, progress: Progress = silent) -> int:
        """Make the index anew; gives how many notes it holds."""
        with self.vault.locked():
            self.history.rebuild(partial(self.fill, progress))
            return count(self.history.index)

    def _closed(self, edits: Sequence[Edit]) -> Problem | None:
        """Why edits cannot be accepted and notes not written, None when they can."""
        if edits and not self.around.memory:
            return Problem("", 0, "memory_off")
        return self.history.closed()

    def _prune(self) -> None:
        """Drop old backups; all stay while facts are held, whose versions may still be wanted."""
        held = any(versions[-1].status == "held" for versions in self.history.state.facts.values())
        days, mebibytes = self.around.backups
        now = self.around.moment(self.history.state).now.timestamp()
        self.vault.kept.prune(now, days, mebibytes, lambda _: held)

    # ---- managed notes: read, decide, accept, render

    def _managed(self, edits: Sequence[Edit], busy: frozenset[NotePath], listing: Listing | None) -> Outcome:
        closed = self._closed(edits)
        if not self.around.memory or closed:
            return Outcome(closed=closed)
        late = self._late(listing)
        records: list[Record] = []
        written: list[NotePath] = []
        asks = [ask for one in late for ask in self._unread(one)]
        todo: Sequence[Edit] = (*edits, *asks, ClockTick())
        for _ in range(ROUNDS):
            again = self._round(todo, busy, listing, records, written)
            todo = (ClockTick(),)
            while late:
                self.vault.heard(late.pop().reading)
            if not again and not self._displaced:
                break
        return Outcome(tuple(records), tuple(dict.fromkeys(written)))

    def _round(
        self,
        edits: Sequence[Edit],
        busy: frozenset[NotePath],
        listing: Listing | None,
        records: list[Record],
        written: list[NotePath],
    ) -> bool:
        """One turn from reading to writing; True when a note changed meanwhile and it must turn again."""
        state = self.history.state
        moment = self.around.moment(state)
        showing = self.around.showing(moment)
        sources = {path: self.source(path) for path in (NAMES.profile, NAMES.cards) if path not in busy}
        before = {path: managed.stood(rows.shown(self.history.index, path)) for path in managed.SHOWN_NOTES}
        # What a displaced version lacks may just not have been written yet: it deletes nothing.
        known = {path: None if path in self._displaced else one for path, one in before.items()}
        resting = self._resting(sources.get(NAMES.profile), showing)
        what = managed.said(sources, known, state, moment.secret_spans, resting, self.history.corrected)
        copies = self._copies(listing, sources) if listing is not None else []
        events = decide(state, moment, what.readings, (*edits, *what.edits, *copies))
        wants: dict[NotePath, Wanted] = {}
        records += self.history.accept(
            events, moment.now, partial(self._want, sources, before, showing, wants)
        )
        found = [problem for one in sources.values() for problem in one.problems] + list(what.problems)
        again = False
        for one in sources.values():
            try:
                written += self._write(one, wants.get(one.path), before.get(one.path), showing)
            except (NoteChanged, NoteExists, NoteMissing):
                again = True
            except VaultError as error:
                found.append(error.problem)
        if NAMES.journal not in busy:
            written += self._write_journal(before.get(NAMES.journal), moment, showing, found)
        self._keep_problems(found)
        return again

    def _resting(self, one: Source | None, showing: Showing) -> Aside | None:
        """What of Profil.md needs no look: nothing about it changed since the note was at rest."""
        if one is None or one.profile is None:
            return None
        rest = self._rest if self._rest and self._rest.day == showing.today else None
        return managed.aside(rest, one.profile, self.history.touched)

    def _want(
        self,
        sources: Mapping[NotePath, Source],
        before: Mapping[NotePath, Stood | None],
        showing: Showing,
        wants: dict[NotePath, Wanted],
        state: State,
    ) -> Iterable[tuple[NotePath, Etag, object]]:
        """Render the notes, and give what stood in those that differ from what is remembered of them."""
        for one in sources.values():
            resting = self._resting(one, showing)
            earlier = before.get(one.path)
            if one.vanished and earlier and any(earlier.ids.values()):
                # What stood there is held now: from here on nothing is missing from it, or giving the lines
                # back would be undone by the very pass that reads the answer.
                yield one.path, Etag(one.etag or ""), Stood(Etag(one.etag or "")).as_json()
            want = managed.wanted(one, state, showing, resting, earlier, self.history.corrected)
            if want is None:
                continue
            wants[one.path] = want
            there = want.stood if earlier is None or earlier.etag != one.etag else earlier
            if one.path in self._displaced:
                # What it says stands nowhere until it is written: a crash must not make its lines look deleted.
                there = replace(earlier or Stood(Etag("")), etag=one.on_disk or Etag(""))
            elif there is earlier and want.text == one.text:
                continue
            coming = etag_of(want.text.encode("utf-8"))
            yield one.path, there.etag, replace(there, coming=coming).as_json()

    def source(self, path: NotePath) -> Source:
        """Read one managed note; a version that our last write displaced is read in its place."""
        if path in self._displaced:
            reading, ours = self._displaced[path]
            return managed.source(path, reading.data, reading.etag, on_disk=ours)
        try:
            reading = self.vault.read(path)
        except NoteMissing:
            return Source(path, vanished=True)
        except VaultError as error:
            return Source(path, problems=(error.problem,))
        if reading.linked:
            return Source(path, problems=(Problem(path, 0, "linked_note"),))
        if path not in self._sources or self._sources[path].etag != reading.etag:
            earlier = self._sources.get(path)
            self._sources[path] = managed.source(path, reading.data, reading.etag, earlier=earlier)
        return self._sources[path]

    def _write(
        self, one: Source, want: Wanted | None, before: Stood | None, showing: Showing
    ) -> list[NotePath]:
        """Write one note if it is not as it should be; give its path when it was written."""
        if one.vanished:
            return self._make_again(one, showing)
        if want is None or one.on_disk is None:
            return []
        merged = self._displaced.pop(one.path, None)
        if want.text == one.text and not merged:
            if want.stands != want.stood or (before and before.etag == one.etag and want.stands != before):
                self.history.stand((one.path, one.on_disk, want.stands.as_json()))
            self._at_rest(one, want, showing)
            return []
        data = want.text.encode("utf-8")
        try:
            done = self.vault.write(one.path, data, one.on_disk)
        except NoteChanged:
            if merged:
                self._unmerged(one.path, merged[0])
            raise
        if merged:
            self.vault.heard(merged[0])
        self.history.stand((one.path, done.etag, want.stands.as_json()))
        if done.displaced is not None and done.displaced.data.strip():
            self._displaced[one.path] = (done.displaced, done.etag)
            return [one.path]
        if done.displaced is not None:
            self.vault.heard(done.displaced)
        self._sources[one.path] = managed.source(one.path, data, done.etag, earlier=one)
        self._at_rest(self._sources[one.path], want, showing)
        return [one.path]

    def _at_rest(self, one: Source, want: Wanted, showing: Showing) -> None:
        if one.profile:
            self._rest = Rest(one, want.stands.ids, showing.today)
            self.history.touched, self.history.corrected = set(), set()

    def _make_again(self, one: Source, showing: Showing) -> list[NotePath]:
        """Make a vanished or emptied note again: the cards at once, the facts once nothing is held any more."""
        latest = [versions[-1] for versions in self.history.state.facts.values()]
        held = any(fact.status == "held" for fact in latest)
        current = any(fact.status == "confirmed" and fact.retracted_at is None for fact in latest)
        if one.path == NAMES.profile and (held or not current):
            return []
        text = managed.frames(one.path, None, self.around.words)
        empty = managed.source(one.path, text.encode("utf-8"), Etag(""))
        wanted = managed.wanted(empty, self.history.state, showing)
        assert wanted is not None
        data = wanted.text.encode("utf-8")
        done = (
            self.vault.write(one.path, data, one.on_disk)
            if one.on_disk
            else self.vault.create(one.path, data)
        )
        self.history.stand((one.path, done.etag, wanted.stands.as_json()))
        return [one.path]

    # ---- versions that came beside: displaced late, drafts of a crash, conflict copies

    def _late(self, listing: Listing | None) -> list[Late]:
        """Take versions nobody has read: merged where the note is as we left it; gives those only a card can show."""
        apart: list[Late] = []
        now = self.around.moment(self.history.state).now.timestamp()
        for late in self.vault.late(now, listing.drafts if listing else ()):
            if late.path in (NAMES.profile, NAMES.cards) and late.path not in self._displaced:
                disk = self._on_disk(late.path)
                kept = managed.stood(rows.shown(self.history.index, late.path))
                ours = kept and disk and disk.etag in (kept.etag, kept.coming)
                if disk and ours and late.reading.data.strip():
                    self._displaced[late.path] = (late.reading, disk.etag)
                    continue
            apart.append(late)
        return apart

    def _unread(self, late: Late) -> list[Edit]:
        """Ask about the lines of a version that the note does not have and no fact says."""
        path = late.path or late.reading.path
        disk = self._on_disk(path)
        missing = managed.differing(
            late.reading.data.decode("utf-8", "replace"), disk.data.decode("utf-8", "replace") if disk else ""
        )
        return [Lines("late", path, str(late.reading.etag)[:16], missing)] if missing else []

    def _unmerged(self, path: NotePath, reading: Reading) -> None:
        moment = self.around.moment(self.history.state)
        edits = self._unread(Late(path, reading))
        self.history.accept(decide(self.history.state, moment, (), edits), moment.now)
        self.vault.heard(reading)

    def _on_disk(self, path: NotePath) -> Reading | None:
        try:
            return self.vault.read(path)
        except VaultError:
            return None

    def _copies(self, listing: Listing, sources: Mapping[NotePath, Source]) -> list[Edit]:
        """The conflict copies of managed notes that lie in the vault."""
        found = []
        for entry in listing.entries:
            original = entry.conflict_of
            if original in managed.SHOWN_NOTES and original in sources:
                copy = self._on_disk(entry.path)
                current = sources[original].text or ""
                if copy:
                    found.append((entry.path, original, copy.data.decode("utf-8", "replace"), current))
        return managed.copies(found)

    # ---- the journal, wholly ours

    def _write_journal(
        self, before: Stood | None, moment: Moment, showing: Showing, found: list[Problem]
    ) -> list[NotePath]:
        path = NAMES.journal
        one = self._on_disk(path)
        data = managed.journal(self.history.state, showing).encode("utf-8")
        if one is None or one.linked:
            try:
                done = self.vault.create(path, data)
            except VaultError as error:
                found.append(error.problem)
                return []
            self.history.stand((path, done.etag, Stood(done.etag).as_json()))
            return [path]
        if one.data == data:
            if before is None or before.etag != one.etag:
                self.history.stand((path, one.etag, Stood(one.etag).as_json()))
            return []
        changed = before.changed_at if before else ()
        if before is not None and before.etag != one.etag:
            changed = (*changed, moment.at)[-2:]
        if _fought(changed, moment, showing):
            found.append(Problem(path, 0, "changed_back"))
            return []
        try:
            done = self.vault.write(path, data, one.etag)
        except (NoteChanged, NoteMissing):
            return []
        except VaultError as error:
            found.append(error.problem)
            return []
        self.history.stand((path, done.etag, Stood(done.etag, changed_at=changed).as_json()))
        return [path]

    # ---- the index

    def fill(self, progress: Progress, index: Index) -> None:
        """Fill a new index with every note of the vault."""
        listing = self.vault.walk()
        entries = filter(searched, listing.entries)
        refresh(index, entries, listing.unknown, partial(readable, self.vault), progress)

    def _index(
        self,
        paths: Collection[NotePath] | None,
        listing: Listing | None,
        written: Sequence[NotePath],
        progress: Progress,
    ) -> Changes:
        index = self.history.index
        if listing is None:
            return refresh_paths(
                index, self._entries({*(paths or ()), *written}), partial(readable, self.vault)
            )
        entries = filter(searched, listing.entries)
        changes = refresh(index, entries, listing.unknown, partial(readable, self.vault), progress)
        noted = (*listing.failures, *listing.problems)
        if list(noted) != problems(index, "vault"):
            replace_problems(index, "vault", noted)
        if written:
            refresh_paths(index, self._entries(written), partial(readable, self.vault))
        return changes

    def _entries(self, paths: Collection[NotePath]) -> list[tuple[NotePath, Entry | None]]:
        """What stands at paths now; where that cannot be known the index keeps what it has."""
        found: list[tuple[NotePath, Entry | None]] = []
        for path in sorted(paths):
            try:
                entry = self.vault.entry(path)
            except VaultError:
                continue
            if entry is None or searched(entry):
                found.append((path, entry))
        return found

    def _keep_problems(self, found: Sequence[Problem]) -> None:
        if sorted(set(found), key=repr) != sorted(problems(self.history.index, "managed"), key=repr):
            replace_problems(self.history.index, "managed", found)


def _fought(changed: tuple[str, ...], moment: Moment, showing: Showing) -> bool:
    """Tell whether a wholly owned note was changed back twice within ten minutes, today (a formatter, say)."""
    if len(changed) < 2:
        return False
    first, last = (datetime.fromisoformat(at) for at in changed)
    return last - first <= _FIGHT and last.astimezone(showing.zone).date() == moment.today
