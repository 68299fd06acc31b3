"""The index as one process reads it that only answers: no lock, nothing written, in step with whoever writes.

What the index holds of memory and runs is loaded when it is asked for and kept until another process writes (`PRAGMA
data_version`) or `current` names another file. One thread uses a snapshot.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Self, TypeVar, cast

from daemon.index.memory import lines
from daemon.index.store import Index, open_index
from daemon.memory.state import State
from daemon.permits import load_runs
from daemon.reading import known_at, state_in
from daemon.runs.state import Runs
from parsers.model.recall import Query
from parsers.model.register import Record
from parsers.register import ENVELOPE

T = TypeVar("T")
Near = Callable[["Snapshot", Query], Mapping[int, float]]
"""Gives how near blocks are to a question, 0…1 by row: those its reader may see."""


class Snapshot:
    """An open index and what was loaded from it."""

    def __init__(self, index: Index, no_index: str, *, private: bool, near: Near | None = None) -> None:
        self.near = near
        """Compares blocks with a question by what they mean; None: words alone."""
        self._open, self._no_index, self._private = index, no_index, private
        self._before: Index | None = None
        self._held = False
        self._written = -1
        self._loaded: dict[object, Any] = {}

    @classmethod
    def open(cls, state_folder: Path, no_index: str, *, private: bool, near: Near | None = None) -> Self:
        """Open the current index for reading; without `private` the file of private notes is never opened (R-P04).

        Raises:
            NoIndex: there is none that can be used; `no_index` is its sentence.
            IndexRefused: the system refuses to read it.
        """
        return cls(open_index(state_folder, no_index, private=private), no_index, private=private, near=near)

    @property
    def index(self) -> Index:
        """The index that is current now.

        One given before stays open until the one after it is replaced too: an answer that began with it may end.

        Raises:
            NoIndex, IndexRefused, IndexOutdated: as for `open`.
        """
        if self._held:
            return self._open
        if self._open.current_changed():
            fresh = open_index(self._open.state, self._no_index, private=self._private)
            if self._before is not None:
                self._before.close()
            self._before, self._open = self._open, fresh
            self._forget()
        if self._private and not self._open.private:
            self._open.attach(write=False)
        return self._open

    def state(self) -> State:
        """Give memory as the index holds it; whoever wants to fold it takes a `fork`."""
        return self.kept("state", state_in)

    def runs(self) -> Runs:
        """Give the runs, permissions and marks the index holds; they are not to be folded."""
        return self.kept("runs", _runs_in)

    def known_at(self, until: str) -> State:
        """Give memory as it was known at a UTC time, from the register's lines that the index keeps.

        What was forgotten since stays so. Lines of which some are not vouched for are all read alike.
        """
        last: dict[str, State] = self.kept("known_at", lambda _: {})
        if until not in last:
            now = self.state()
            last.clear()
            with self.still() as index:
                last[until] = known_at(_records(index), until, now)
        return last[until]

    def kept(self, name: object, load: Callable[[Index], T]) -> T:
        """Give what a function reads or computes from the index, done once until something is written.

        `name` tells it from what others keep here.
        """
        with self.still() as index:
            written = index.foreign_writes()
            if written != self._written:
                self._forget()
                self._written = written
            if name not in self._loaded:
                self._loaded[name] = load(index)
            return cast("T", self._loaded[name])

    @contextmanager
    def still(self) -> Iterator[Index]:
        """Give the index as it is now, for several reads that must agree: state, runs and passages."""
        index, held = self.index, self._held
        with index.still():
            self._held = True
            try:
                yield index
            finally:
                self._held = held

    def _forget(self) -> None:
        self._written = -1
        self._loaded.clear()

    def close(self) -> None:
        """Close the files."""
        if self._before is not None:
            self._before.close()
        self._open.close()


@contextmanager
def reading(
    state_folder: Path, no_index: str, *, private: bool, near: Near | None = None
) -> Iterator[Snapshot]:
    """Open a snapshot for as long as a block lasts.

    Raises:
        NoIndex, IndexRefused: as for `Snapshot.open`.
    """
    with closing(Snapshot.open(state_folder, no_index, private=private, near=near)) as opened:
        yield opened


def _records(index: Index) -> Iterator[Record]:
    for _, text in lines(index):
        said = json.loads(text)
        body = {name: value for name, value in said.items() if name not in ENVELOPE}
        yield Record(said["seq"], said["at"], said["op"], said["by"], body, vouched=False)


def _runs_in(index: Index) -> Runs:
    return load_runs(index)[0]
