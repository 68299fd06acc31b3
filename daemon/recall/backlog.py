"""The notes whose blocks wait for their vectors: made when nothing else waits, one block after another.

No lock is held and no transaction open while a model reads. What was made is kept some notes at a time, as every
write makes whoever answers load the index again; a note that changed meanwhile simply waits again.
"""

from collections import deque
from time import monotonic
from typing import NamedTuple

from config.i18n import Catalogue
from daemon.index.refresh import Progress, silent
from daemon.index.store import Index
from daemon.index.vectors import Stale, Vectors, hash_of, keep, known, stale, texts, waiting
from daemon.recall.embedding import Model, tried

STEP = 0.2
"""Seconds of a step, but for the last block it began: one that fills a model's window takes up to a second."""
_NOTES = 64
"""Notes that are looked up at once, and kept at once at most."""
_KEPT = 30.0
"""Seconds after which what was made is kept, if that is not all there was to do."""


class _Making(NamedTuple):
    """A note under way."""

    note: Stale
    texts: dict[bytes, str]
    """What its blocks say, by hash, in their order and each once."""
    order: tuple[bytes, ...]
    made: dict[bytes, bytes]
    waiting: deque[bytes]


class Backlog:
    """Makes the vectors of one model."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._index = ""
        self._notes: deque[Stale] = deque()
        self._making: _Making | None = None
        self._done: list[tuple[Stale, Vectors]] = []
        self._kept = monotonic()

    def step(self, index: Index, seconds: float = STEP) -> bool:
        """Make vectors for some seconds and keep what is done; False when nothing was left to do.

        Raises:
            IndexOutdated, IndexRefused: as for `Index.intact`.
        """
        with index.intact():
            self._follow(index)
            worked, end = False, monotonic() + seconds
            while monotonic() < end:
                if not self._next(index):
                    return worked
                worked = True
        return True

    def finish(self, index: Index, progress: Progress = silent) -> None:
        """Make every vector that is missing, however long it takes; what is done is kept where it is interrupted.

        Raises:
            IndexOutdated, IndexRefused: as for `Index.intact`.
        """
        with index.intact():
            total = len(stale(index, self.model.key))
        try:
            done = 0
            while self.step(index, 1.0):
                with index.intact():
                    done = total - len(stale(index, self.model.key))
                progress(min(done, total - 1), total)
        finally:
            self._keep(index)
        if total:
            progress(total, total)

    def _follow(self, index: Index) -> None:
        """Begin anew where another index became current: its notes have other ids."""
        if self._index != index.name:
            self._index, self._making = index.name, None
            self._notes.clear()
            self._done.clear()

    def _next(self, index: Index) -> bool:
        """Make one vector, or end a note; False when nothing waits."""
        if self._making is None:
            if not self._notes:
                self._keep(index)
                self._notes.extend(stale(index, self.model.key, _NOTES))
            if not self._notes:
                return False
            self._making = self._begun(index, self._notes.popleft())
        making = self._making
        if making.waiting:
            one = making.waiting[0]
            making.made[one] = self._read(making.texts[one])
            making.waiting.popleft()
        if not making.waiting:
            if making.order:
                numbers = [making.made[one] for one in making.order]
                self._done.append((making.note, Vectors(making.order, numbers)))
            self._making = None
            if monotonic() - self._kept > _KEPT:
                self._keep(index)
        return True

    def _begun(self, index: Index, note: Stale) -> _Making:
        order, said = [], {}
        for text in texts(index, note):
            order.append(hash_of(text))
            said[order[-1]] = text
        before = known(index, note.note, self.model.key)
        made = {one: before[one] for one in said if one in before}
        return _Making(note, said, tuple(order), made, deque(one for one in said if one not in made))

    def _read(self, text: str) -> bytes:
        """Give a text's vector; that of no text points nowhere."""
        vector = self.model.passages([text or "."])[0]
        return vector if text else bytes(len(vector))

    def _keep(self, index: Index) -> None:
        if self._done:
            keep(index, self.model.key, self._done)
            self._done.clear()
        self._kept = monotonic()


def begun(index: Index, name: str, words: Catalogue) -> Backlog | None:
    """Give what makes the vectors of the model of a name; None while every note has its own, and none is loaded.

    Raises:
        NoModel: as for `tried`.
    """
    with index.intact():
        wanted = waiting(index, name)
    return Backlog(tried(name, words)) if wanted else None
