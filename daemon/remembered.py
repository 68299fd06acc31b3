"""What the index remembers of managed notes: read once, and written as what differs from the ids kept before.

A note of thousands of lines is asked for and written in every pass, and a save changes few of its ids.
"""

from daemon.index import memory as rows
from daemon.index.store import Index
from daemon.memory.shown import Ids, Shown, shown
from parsers.model.places import Etag, NotePath

_FEW = 64
"""Ids that may differ from those kept before; beyond that all are kept anew."""


class Remembered:
    """What stood in the managed notes, for as long as nobody else writes in the index."""

    def __init__(self) -> None:
        self._shown: dict[NotePath, Shown | None] = {}
        self._bases: dict[NotePath, Ids] = {}

    def forget(self) -> None:
        """Ask the index again."""
        self._shown, self._bases = {}, {}

    def stood(self, index: Index, path: NotePath) -> Shown | None:
        """Give what is remembered of a note, None where the index has forgotten."""
        if path not in self._shown:
            base = rows.shown(index, _base(path))
            self._bases[path] = (
                {section: frozenset(names) for section, names in base[1].items()} if base else {}
            )
            kept = rows.shown(index, path)
            self._shown[path] = shown(*kept, self._bases[path]) if kept else None
        return self._shown[path]

    def keep(self, index: Index, path: NotePath, one: Shown) -> None:
        """Remember what stands in a note; inside a transaction, after whose failure this must `forget`."""
        self.stood(index, path)
        value = one.as_json(self._bases[path])
        if sum(map(len, (*value["more"].values(), *value["less"].values()))) > _FEW:
            self._bases[path] = one.ids
            everything = {section: list(names) for section, names in one.ids.items()}
            rows.set_shown(index, _base(path), Etag(""), everything)
            value = one.as_json(one.ids)
        rows.set_shown(index, path, one.etag, value)
        self._shown[path] = one


def _base(path: NotePath) -> NotePath:
    """Name under which the index keeps the ids of a note that others are told apart from; no note has it."""
    return NotePath(f"{path}#ids")
