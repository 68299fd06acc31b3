"""A vault of notes and a memory made by hand, in an index, to be asked: every id, time and date is given."""

import contextlib
import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from daemon.index import memory, notes
from daemon.index.private import Guard
from daemon.index.store import Index
from daemon.policy.privacy import Declared
from daemon.recall.compile import Limits, NowNote, compiled
from daemon.recall.quotable import Quotable
from daemon.recall.recollecting import recall
from daemon.snapshot import Snapshot
from daemon.vault.door import Vault
from parsers.model.facts import Fact
from parsers.model.places import NotePath
from parsers.model.recall import Context, Query, Recalled
from tests.home import FAST

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
PARIS = ZoneInfo("Europe/Paris")
DAY = 86_400
_NOTHING = Declared()


class Shelf:
    """What may be asked; `put` and `know` before `open`."""

    def __init__(self, folder: Path, declared: Declared = _NOTHING) -> None:
        self.root, self.state, self._declared = folder / "vault", folder / "state", declared
        self.root.mkdir()
        self._facts: list[Fact] = []
        self._entities: dict[str, object] = {}
        self._relations: dict[str, object] = {}
        self._scalars: dict[str, object] = {}
        self._open: dict[bool, Snapshot] = {}

    def put(self, path: str, text: str, *, days: int = 0) -> NotePath:
        """Write a note that was changed so many days ago."""
        full = self.root / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_text(text, "utf-8", newline="\n")
        at = int(NOW.timestamp()) - days * DAY
        os.utime(full, (at, at))
        return NotePath(path)

    def know(self, facts: Sequence[Fact] = (), entities=(), relations=(), **scalars: object) -> "Shelf":
        self._facts += facts
        self._entities |= {one.id: asdict(one) for one in entities}
        self._relations |= {one.id: asdict(one) for one in relations}
        self._scalars |= scalars
        return self

    def open(self, *, private: bool = True) -> Snapshot:
        if not self._open:
            Index.rebuild(self.state, self._fill).close()
        if private not in self._open:
            self._open[private] = Snapshot.open(self.state, "none", private=private)
        return self._open[private]

    def _fill(self, index: Index) -> None:
        vault = Vault(self.root, self.state / "backups", 5_000_000)
        listing = vault.walk()
        guard = Guard(self._declared, vault.unseen)
        memory.put_facts(index, self._facts)
        memory.put_entities(index, self._entities.items())
        memory.put_relations(index, self._relations.items())
        for name, value in self._scalars.items():
            memory.set_scalar(index, name, value)
        notes.refresh(index, listing.rows, listing.unknown, vault.read, guard=guard)

    def close(self) -> None:
        for one in self._open.values():
            one.close()

    # ---- asking

    def recall(self, text: str, *, now: datetime = NOW, **asked: object) -> Recalled:
        """Ask as the person; with `external` as an agent, whose process opens no private file."""
        outside = bool(asked.get("external"))
        query = Query(text, **{"agent": outside, **asked})
        return recall(self.open(private=not outside), query, now=now, zone=PARIS)

    def found(self, text: str, **asked: object) -> list[str]:
        """Give the texts of facts, and the ids of blocks, best first."""
        hits = self.recall(text, **asked).hits
        return [hit.text if hit.kind == "fact" else hit.id for hit in hits]

    def context(
        self,
        text: str,
        budget: int = 2500,
        *,
        external: bool = True,
        note: NowNote | None = None,
        quotable: Quotable | None = None,
        **limits: object,
    ) -> Context:
        snapshot = self.open(private=not external)
        given = Limits(budget, **limits)
        return compiled(
            snapshot,
            text,
            external=external,
            now=NOW,
            zone=PARIS,
            note=note,
            limits=given,
            quotable=quotable,
        )


@contextlib.contextmanager
def shelf(declared: Declared = _NOTHING) -> Iterator[Shelf]:
    """Give a shelf that is gone afterwards."""
    with tempfile.TemporaryDirectory(dir=FAST) as folder:
        one = Shelf(Path(folder).resolve(), declared)
        try:
            yield one
        finally:
            one.close()
