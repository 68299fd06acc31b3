"""Vectors of blocks, where a model is set: one row a note, in the file of its note, with which it leaves (R-P04).

A row counts while it is of the model asked for and of the bytes and the title the note has now; one that is not is
as good as none until it is made anew. Keeping vectors needs nothing but this module; comparing them needs numpy.
"""

import hashlib
import math
import re
from array import array
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from daemon.index.schema import PRIVATE, PRIVATE_FROM, ROW_BITS
from daemon.index.store import Index

MOST = 2_000
"""Characters of a block that a model reads: more than its window of 512 tokens holds, and work stays bounded."""
FROM, TO = 1.0, 10.0
"""Standard deviations above the mean from which on a block is near at all, and at which it is as near as can be.

A block that answers stands at 4 to 6 as a rule, the best of those that do not at 3 to 4. Any choice close to these
measured as well; a steeper one loses where the model is worse than the words.
"""

_HEADING = re.compile(r"#{1,6}\s")
_HASH = 8
_NOTES = 256
"""Notes carried over at a time."""
_ALIKE = 1e-6
"""Spread of cosines below which nothing tells blocks apart."""
_CHUNK = 1_024
"""Rows that are unpacked at a time: they stay in the processor's cache, which is three times as fast."""
_OLD_TEXT = "kept.etag IS NOT notes.etag OR kept.title IS NOT notes.title"
_OLD = f"kept.model IS NOT ? OR {_OLD_TEXT}"
_KEEP = """INSERT OR REPLACE INTO {file}vectors(id, model, etag, title, hashes, numbers)
    SELECT id, ?, etag, title, ?, ? FROM {file}notes WHERE {key} = ? AND etag = ? AND title = ?"""


class Stale(NamedTuple):
    """A note whose blocks have no vectors yet, or old ones."""

    note: int
    etag: bytes
    title: str


class Vectors(NamedTuple):
    """One vector for each block of a note, in their order, each with the hash of the text it was made of."""

    hashes: Sequence[bytes]
    numbers: Sequence[bytes]
    """Signed bytes: directions, whose length says nothing."""


def stale(index: Index, model: str, most: int = -1) -> list[Stale]:
    """Give notes that wait for vectors of a model, at most `most` of each file; all when that is negative."""
    found: list[Stale] = []
    for file in index.schemas:
        query = f"""SELECT notes.id, notes.etag, notes.title FROM {file}notes AS notes
            LEFT JOIN {file}vectors AS kept USING(id) WHERE {_OLD} LIMIT ?"""  # noqa: S608
        found += map(Stale._make, index.connection.execute(query, (model, most)))
    return found


def made_by(index: Index, name: str) -> bool:
    """Tell whether a model of a name, in any of its versions, has made vectors that are kept here."""
    told = (len(name) + 1, f"{name} ")
    query = "SELECT 1 FROM {file}vectors WHERE substr(model, 1, ?) = ? LIMIT 1"
    return any(index.connection.execute(query.format(file=file), told).fetchone() for file in index.schemas)


def waiting(index: Index, name: str) -> bool:
    """Tell whether a note has no vectors of a model of that name, or old ones; its version is not looked at."""
    told = (len(name) + 1, f"{name} ")
    query = f"""SELECT 1 FROM {{file}}notes AS notes LEFT JOIN {{file}}vectors AS kept USING(id)
        WHERE substr(kept.model, 1, ?) IS NOT ? OR {_OLD_TEXT} LIMIT 1"""  # noqa: S608
    return any(index.connection.execute(query.format(file=file), told).fetchone() for file in index.schemas)


def texts(index: Index, note: Stale) -> list[str]:
    """Give what a model reads of each block of a note: title and headings, then the text without comments.

    Of a block that has headings alone it reads nothing: what stands below has them too. A note that changed has no
    blocks any more, and waits under what it is now.
    """
    file = _file(note.note)
    query = f"""SELECT title, heading, text FROM {file}blocks AS blocks JOIN {file}notes AS notes
        ON notes.id = blocks.id >> {ROW_BITS} WHERE blocks.id >= ? AND blocks.id < ? AND etag = ? AND title = ?
        ORDER BY blocks.id"""  # noqa: S608
    span = (note.note << ROW_BITS, (note.note + 1) << ROW_BITS)
    rows = index.connection.execute(query, (*span, note.etag, note.title))
    return [_read(*row) for row in rows]


def hash_of(text: str) -> bytes:
    """Give what tells the text of one block from that of another."""
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=_HASH).digest()


def known(index: Index, note: int, model: str) -> dict[bytes, bytes]:
    """Give the vectors that a note's blocks had, by hash: most of a long note stays as it is."""
    query = f"SELECT hashes, numbers FROM {_file(note)}vectors WHERE id = ? AND model = ?"  # noqa: S608
    row = index.connection.execute(query, (note, model)).fetchone()
    return dict(zip(*_cut(*row), strict=True)) if row else {}


def keep(index: Index, model: str, made: Iterable[tuple[Stale, Vectors]]) -> None:
    """Keep the vectors of notes, of those that are still what they were made of."""
    with index.batch() as db:
        for (note, etag, title), (hashes, numbers) in made:
            packed = (b"".join(hashes), b"".join(numbers))
            db.execute(_KEEP.format(file=_file(note), key="id"), (model, *packed, note, etag, title))


def carry(before: Index, after: Index) -> None:
    """Take the vectors of notes that did not change over from one index into that which replaces it."""
    for file in before.schemas:
        query = f"""SELECT model, hashes, numbers, path, notes.etag, notes.title FROM {file}vectors AS kept
            JOIN {file}notes AS notes USING(id) WHERE NOT ({_OLD_TEXT})"""  # noqa: S608
        rows = before.connection.execute(query)
        # Read apart from writing: where the old file is damaged, nothing of the new one is undone.
        while some := rows.fetchmany(_NOTES):
            with after.batch() as db:
                for into in after.schemas:
                    db.executemany(_KEEP.format(file=into, key="path"), some)


def quantised(vector: Iterable[float]) -> bytes:
    """Give the direction of a vector in one signed byte a number; nowhere, for one that is not finite."""
    numbers = [float(number) for number in vector]
    most = max(map(abs, numbers), default=0.0)
    if not most or not math.isfinite(sum(numbers)):
        return bytes(len(numbers))
    return array("b", (round(127 * number / most) for number in numbers)).tobytes()


class Matrix:
    """The vectors of every block that a reader's index holds, for one model."""

    def __init__(self, rows: Any, numbers: Any) -> None:
        """Take the rows' ids and, one line each, their numbers; those that point nowhere are left out."""
        lengths = _lengths(numbers)
        somewhere = lengths > 0
        if not somewhere.all():
            rows, numbers, lengths = rows[somewhere], numbers[somewhere], lengths[somewhere]
        self._rows, self._numbers, self._lengths = rows, numbers, lengths

    def __len__(self) -> int:
        return len(self._rows)

    def near(
        self, asked: Sequence[float], most: int, seen: Collection[int] | None = None
    ) -> dict[int, float]:
        """Give how near the nearest blocks are to a query, 0…1 by row, nearest first; blocks of notes in `seen` only.

        The cosine is told in standard deviations above its mean over these blocks: it weighs where it tells them
        apart, and as little as it should where they are few. None is all notes.
        """
        import numpy as np  # noqa: PLC0415 - most people set no model

        if not len(self) or self._numbers.shape[1] != len(asked):
            return {}
        rows, cosines = self._rows, self._cosines(np.asarray(asked, dtype=np.float32))
        if seen is not None:
            kept = np.isin(rows >> ROW_BITS, np.fromiter(seen, dtype=np.int64))
            rows, cosines = rows[kept], cosines[kept]
        spread = float(cosines.std()) if len(rows) else 0.0
        if spread < _ALIKE:
            return {}
        above = (cosines - cosines.mean()) / spread
        nearness = np.clip((above - FROM) / (TO - FROM), 0.0, 1.0)
        best = np.lexsort((rows, -nearness))[:most]
        return {int(rows[one]): round(float(nearness[one]), 6) for one in best if nearness[one] > 0}

    def _cosines(self, asked: Any) -> Any:
        import numpy as np  # noqa: PLC0415 - as above

        found: Any = np.empty(len(self), dtype=np.float32)
        for start in range(0, len(self), _CHUNK):
            part = self._numbers[start : start + _CHUNK].astype(np.float32)
            found[start : start + _CHUNK] = part @ asked
        return found / self._lengths


def matrix(index: Index, model: str) -> Matrix:
    """Give every vector that counts, in the files that are open; a byte a number is held in memory."""
    import numpy as np  # noqa: PLC0415 - as above

    rows, numbers, width = [], [], 0
    for file in index.schemas:
        query = f"""SELECT notes.id, length(hashes) / {_HASH}, numbers FROM {file}vectors AS kept
            CROSS JOIN {file}notes AS notes USING(id) WHERE NOT ({_OLD}) AND hashes <> x'' ORDER BY kept.id"""  # noqa: S608
        for note, blocks, packed in index.connection.execute(query, (model,)):
            width = width or len(packed) // blocks
            if len(packed) == width * blocks:
                rows.append(np.arange(blocks, dtype=np.int64) + (note << ROW_BITS))
                numbers.append(packed)
    flat = np.frombuffer(b"".join(numbers), dtype=np.int8)
    return Matrix(np.concatenate(rows) if rows else np.empty(0, np.int64), flat.reshape(-1, width or 1))


def _lengths(numbers: Any) -> Any:
    import numpy as np  # noqa: PLC0415 - as above

    found: Any = np.empty(len(numbers), dtype=np.float32)
    for start in range(0, len(numbers), _CHUNK):
        part = numbers[start : start + _CHUNK].astype(np.float32)
        found[start : start + _CHUNK] = np.sqrt(np.einsum("ij,ij->i", part, part))
    return found


def _read(title: str, heading: str, text: str) -> str:
    if text and all(not line.strip() or _HEADING.match(line) for line in text.split("\n")):
        return ""
    above = " > ".join(dict.fromkeys((title, *heading.split(" > ")))) if heading else title
    return f"{above}\n{text}"[:MOST]


def _cut(hashes: bytes, numbers: bytes) -> Vectors:
    count = len(hashes) // _HASH
    width = len(numbers) // count if count else 1
    return Vectors(
        [hashes[start : start + _HASH] for start in range(0, len(hashes), _HASH)],
        [numbers[start : start + width] for start in range(0, len(numbers), width)],
    )


def _file(note: int) -> str:
    return PRIVATE if note >= PRIVATE_FROM else ""
