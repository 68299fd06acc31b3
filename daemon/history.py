"""What has happened, from the register into the state and the index: caught up with, and added to.

The register is the truth of it, the state its fold, the index the rows of both. A crash after `register.append`
loses nothing: the next `catch_up` replays what the index has not seen.
"""

import contextlib
import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path

from daemon.fact_notes import Since
from daemon.index import memory as rows
from daemon.index.store import Index, IndexOutdated, drop_leftovers
from daemon.memory.people import said_of
from daemon.memory.places import FACT_NOTES
from daemon.memory.shown import Shown
from daemon.memory.state import BY_COMMAND, State, fold, scalars_of
from daemon.permits import load_runs, put_runs
from daemon.reading import state_in
from daemon.register.reading import Reading
from daemon.register.register import Register, RegisterClosed
from daemon.remembered import Remembered
from daemon.runs.state import Runs
from daemon.runs.state import fold as fold_runs
from parsers.model.places import NotePath, Problem
from parsers.model.register import Event, Mark, Record
from renderers import journal

_REMEANT = ("register.accepted", "purged")
"""Records that change what earlier lines mean: everything is folded anew."""

_ROWS = ("fact.", "card.", "entity.", "relation.")
"""Beginnings of the names of records whose subjects have rows of their own."""

_FILES = "register_files"
"""Name under which the index keeps what the register's files looked like after the last line that counted."""

Standing = tuple[NotePath, Shown]
"""A managed note, and what stood in it."""
Fill = Callable[[Index], None]


class History:
    """The state of one vault, kept in step with its register and its index; every call is under the vault's lock."""

    def __init__(self, register: Register, folder: Path, fill: Fill) -> None:
        """Take the register, the state folder, and what fills a new index with the vault's notes."""
        self.register, self.folder, self._fill = register, folder, fill
        self.state = State()
        self.runs = Runs()
        self.unsaid: set[str] | None = None
        """Runs of which something happened that their notes may not say yet; None: any."""
        self.mark = Mark()
        self.reading: Reading | None = None
        self._index: Index | None = None
        self.since = {path: Since() for path in FACT_NOTES}
        """What happened since each note of facts was last left at rest."""
        self._fresh: tuple[Record, ...] = ()
        """Records the state has and the index has not."""
        self._remembered, self._foreign = Remembered(), 0

    @property
    def index(self) -> Index:
        """The index, open for writing after the first `catch_up`."""
        assert self._index is not None
        return self._index

    def catch_up(self) -> None:
        """Replay what the register holds beyond the index; make the index where there is none to use."""
        for one in self.since.values():
            one.forgotten, one.left = {}, {}
        self._open()
        if self._foreign != (foreign := self.index.foreign_writes()):
            self._foreign = foreign
            self._remembered.forget()
        kept = _mark_of(self.index)
        if kept != self.mark:
            if self.mark.seq:  # what another process did meanwhile
                self._note_corrected(self.register.read(self.mark).records)
            self.mark, self.state = kept, state_in(self.index)
            self.runs, self.unsaid = load_runs(self.index)
            self._touch_all()
        # Whatever else wrote in the register, every line is checked again: one that is wrong closes it.
        seen, stamps = rows.scalar(self.index, _FILES), self.register.stamps()
        self.reading = self.register.open(self.mark, whole=seen != stamps)
        if self.reading.mode == "maintenance":
            return
        if any(record.op in _REMEANT for record in self.reading.records):
            self.rebuild()
        elif self.reading.records or self.reading.mark != self.mark:
            self._fold(self.reading.records, self.reading.mark)
            self.keep()
        elif seen != stamps:
            rows.set_scalar(self.index, _FILES, stamps)

    def closed(self) -> Problem | None:
        """Why nothing may be appended or written, None when it may."""
        assert self.reading is not None
        problem = self.register.may_write(self.reading)
        return self.explained(problem) if problem else None

    def explained(self, problem: Problem) -> Problem:
        """Give a problem of the register, as one of its own where the index has not the missing lines either."""
        if problem.code != "register_shorter" or self.mark.seq >= int(dict(problem.values)["seq"]):
            return problem
        return problem._replace(code="register_lines_lost")

    def happen(self, events: Sequence[Event], now: datetime) -> tuple[Record, ...]:
        """Make events happen: on disk in the register when this returns, and in the state; `keep` does the index."""
        if not events:
            return ()
        records, mark = self.register.append(events, now, self.mark)
        self._fold(records, mark)
        return records

    def keep(self, standing: Sequence[Standing] = ()) -> None:
        """Bring the index up to what has happened, and remember what stands in notes: one transaction."""
        if not self._fresh and _mark_of(self.index) == self.mark and not standing:
            return
        with self._batch():
            _put(self.index, self.state, self._fresh)
            put_runs(self.index, self.runs, self._fresh, self.unsaid)
            if any(not record.op.startswith(_ROWS) for record in self._fresh):
                rows.set_scalar(self.index, "state", scalars_of(self.state))
            _keep(self.index, self._fresh, self.mark)
            rows.set_scalar(self.index, _FILES, self.register.stamps())
            for note in standing:
                self._remembered.keep(self.index, *note)
        self._fresh = ()

    def all_said(self) -> None:
        """Remember that every run's note was looked at: what is unsaid is known from here on."""
        if self.unsaid is None:
            self.unsaid = set()
            put_runs(self.index, self.runs, (), self.unsaid)

    def said(self, run: str) -> None:
        """Remember that the note of a run says all that is known of it."""
        if self.unsaid is not None and run in self.unsaid:
            self.unsaid.discard(run)
            put_runs(self.index, self.runs, (), self.unsaid)

    def stood(self, path: NotePath) -> Shown | None:
        """Give what is remembered of a managed note, None where the index has forgotten."""
        return self._remembered.stood(self.index, path)

    def stand(self, path: NotePath, one: Shown) -> None:
        """Remember what stands in a managed note that was just written."""
        with self._batch():
            self._remembered.keep(self.index, path, one)

    @contextlib.contextmanager
    def _batch(self) -> Iterator[None]:
        try:
            with self.index.batch():
                yield
        except BaseException:
            self._remembered.forget()
            raise

    def rebuild(self, fill_notes: Fill | None = None) -> None:
        """Make the index anew from the register and the notes, and point to it.

        Raises:
            RegisterClosed: the register is damaged, and an index knows more than it: mend it first.
        """
        reading = self.register.open(None)
        if reading.mode == "maintenance" and self._has_index():
            raise RegisterClosed(reading.problems[0])
        state, runs = State(), Runs()
        for record in reading.records:
            fold(state, record)
            fold_runs(runs, record)

        def fill(index: Index) -> None:
            with index.batch():
                _put(index, state, reading.records)
                put_runs(index, runs, reading.records, None)
                rows.set_scalar(index, "state", scalars_of(state))
                _keep(index, reading.records, reading.mark)
                rows.set_scalar(index, _FILES, self.register.stamps())
            (fill_notes or self._fill)(index)

        if self._index is not None:
            self._index.close()
        self._index = Index.rebuild(self.folder, fill)
        self._remembered.forget()
        self.state, self.mark, self.reading = state, reading.mark, reading
        self._touch_all()
        self.runs, self.unsaid = runs, None

    def _note_corrected(self, records: Iterable[Record]) -> None:
        names = {str(r.body["id"]) for r in records if r.body.get("how") == BY_COMMAND}
        for one in self.since.values():
            one.corrected |= names

    def _note_forgotten(self, record: Record) -> None:
        """Hold on to the words that folding a record takes away, until the notes are written."""
        if record.op == "fact.forgotten" and (name := record.body.get("id")) in self.state.facts:
            for one in self.since.values():
                one.forgotten[str(name)] = self.state.facts[str(name)]
        if record.op == "entity.forgotten" and (
            entity := self.state.entities.get(str(record.body.get("id")))
        ):
            for one in self.since.values():
                one.left[entity.id] = said_of(self.state, entity)

    def _touch(self, names: set[str], cards: set[str]) -> None:
        asked = {
            name for card in cards if card in self.state.cards for name in self.state.cards[card].subjects
        }
        for one in self.since.values():
            if one.touched is not None:
                one.touched |= names | asked

    def _touch_all(self) -> None:
        for one in self.since.values():
            one.touched = None

    def close(self) -> None:
        """Close the index."""
        if self._index is not None:
            self._index.close()
            self._index = None
            self._remembered.forget()

    def _has_index(self) -> bool:
        if self._index is None:
            with contextlib.suppress(IndexOutdated):
                self._index = Index.open(self.folder, write=True)
        return self._index is not None

    def _open(self) -> None:
        if self._index is not None and self._index.current_changed():
            self.close()
            drop_leftovers(self.folder)
            self.mark = Mark()
        if self._index is None:
            try:
                self._index = Index.open(self.folder, write=True)
            except IndexOutdated:
                self.rebuild()

    def _fold(self, records: Sequence[Record], mark: Mark) -> None:
        for record in records:
            self._note_forgotten(record)
            fold(self.state, record)
            fold_runs(self.runs, record)
        if self.unsaid is not None:
            self.unsaid |= {str(record.body.get("id")) for record in records} & self.runs.runs.keys()
        names = _named(records, "fact.") | _named(records, "entity.") | _related(records)
        self._touch(names, _named(records, "card."))
        self._note_corrected(records)
        self._fresh = (*self._fresh, *records)
        self.mark = mark


def _named(records: Iterable[Record], noun: str) -> set[str]:
    """The ids that records of a noun are about."""
    return {str(record.body.get("id")) for record in records if record.op.startswith(noun)}


def _related(records: Iterable[Record]) -> set[str]:
    """The entities that records of relations are about."""
    return {str(record.body.get("entity_id")) for record in records if record.op.startswith("relation.")}


def _put(index: Index, state: State, records: Sequence[Record]) -> None:
    """Keep the rows of all that these records are about."""
    facts, cards = _named(records, "fact."), _named(records, "card.")
    entities = _named(records, "entity.")
    related = entities | _related(records)
    rows.put_facts(index, (version for name in facts for version in state.facts.get(name, ())))
    rows.put_cards(
        index, ((name, dataclasses.asdict(state.cards[name])) for name in cards if name in state.cards)
    )
    if related:
        known = ((name, state.entities[name]) for name in entities if name in state.entities)
        rows.put_entities(index, ((name, dataclasses.asdict(one)) for name, one in known))
        versions = (one for name in related for one in state.relations.get(name, ()))
        rows.put_relations(index, ((one.id, dataclasses.asdict(one)) for one in versions))


def _keep(index: Index, records: Sequence[Record], mark: Mark) -> None:
    rows.add_journal(index, (journal.kept(record) for record in records if record.op in journal.SHOWN))
    rows.add_lines(index, ((record.seq, record.raw.decode("utf-8")) for record in records))
    rows.set_scalar(index, "mark", dataclasses.asdict(mark))


def _mark_of(index: Index) -> Mark:
    kept = rows.scalar(index, "mark")
    return Mark(**kept) if kept else Mark()
