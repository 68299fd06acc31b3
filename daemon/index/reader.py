"""Who reads, and what of the index they see: every question that a search puts to its tables.

The query is data: its words are handed to FTS5 as quoted strings. What is private stands in a file of its own, which
is open to its owner alone.
"""

import json
import sqlite3
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from daemon.index.schema import PRIVATE, PRIVATE_ROWS, ROW_BITS

_WEIGHTS = "1.0, 0.5, 0.35"
"""Of the block, its heads, its neighbours."""
_NOTE = f"rowid >> {ROW_BITS}"
_RANKED = f"""SELECT rowid, bm25(words, {_WEIGHTS}) AS score
    FROM {{file}}words WHERE words MATCH ?{{where}} ORDER BY score LIMIT ?"""  # noqa: S608 - numbers of ours
_ROWS = "SELECT json_group_array(rowid) FROM {file}words WHERE words MATCH ?{where}"
"""All in one row: a row for each block takes twice as long."""
_AMONG = " AND +rowid IN (SELECT value FROM json_each(?))"
"""With a `+`, or SQLite asks the word table once for each."""
_BELOW = """ AND {note} IN (
        SELECT id FROM {file}notes WHERE path >= ? AND path < ?
        UNION SELECT id FROM {file}notes WHERE path >= ? AND path < ?)"""
_NO_AGENT = " AND {note} NOT IN (SELECT id FROM {file}notes WHERE path >= ? AND path < ?)"
_NOT_OUTSIDE = " AND {note} NOT IN (SELECT id FROM {file}notes WHERE sensitivity <> 'normal')"
_OF_DAYS = " AND {note} IN (SELECT id FROM {file}notes WHERE day >= ? AND day < ?)"
_SEEN = "SELECT id FROM {file}notes WHERE TRUE"
_TEXTS = "SELECT id, text FROM {file}blocks WHERE id IN (SELECT value FROM json_each(?))"
_HAVING = f"""SELECT blocks.id, text FROM {{file}}notes AS notes CROSS JOIN {{file}}blocks AS blocks
    ON blocks.id >= notes.id << {ROW_BITS} AND blocks.id < (notes.id + 1) << {ROW_BITS}
    WHERE text LIKE ?{{where}} ORDER BY path, blocks.id"""  # noqa: S608 - a number of ours
_COUNT = "SELECT doc FROM {file}terms WHERE term = ?"
_SIZE = "SELECT count(*) FROM {file}{table}"


class Reader:
    """Who reads, and what of the index they see."""

    def __init__(
        self, db: sqlite3.Connection, folder: str | None, *, agent: bool = False, external: bool = False
    ) -> None:
        self.db, self._where, self._values = db, "", tuple[str, ...]()
        self._texts: dict[int, str] = {}
        self.files: tuple[str, ...] = ("",)
        if not (agent or external) and any(
            f"{name}." == PRIVATE for _, name, _ in db.execute("PRAGMA database_list")
        ):
            self.files = ("", PRIVATE)
        if folder is not None:
            self._where, self._values = _BELOW, _spans(folder)
        if agent:
            from config.paths import NAMES  # noqa: PLC0415 - the person's search starts without

            self._where += _NO_AGENT
            self._values = (*self._values, f"{NAMES.assistant}/", f"{NAMES.assistant}0")
        if external:
            self._where += _NOT_OUTSIDE

    def rows(self, match: str, file: str) -> list[int]:
        """Give the rows of blocks that match."""
        where = self._where.format(file=file, note=_NOTE)
        (found,) = self.db.execute(_ROWS.format(file=file, where=where), (match, *self._values)).fetchone()
        rows: list[int] = json.loads(found)
        return rows

    def best(self, match: str, most: int, among: Collection[int] | None = None) -> list[tuple[int, float]]:
        """Give rows and scores of the best `most` blocks, and of all that tie with the last of them."""
        where, values = self._where.format(file="", note=_NOTE), (match, *self._values)
        if among is not None:
            where, values = where + _AMONG, (*values, json.dumps(list(among)))
        wanted = 2 * most
        while True:
            rows = self.db.execute(_RANKED.format(file="", where=where), (*values, wanted)).fetchall()
            if len(rows) < wanted or rows[most - 1][1] < rows[-1][1]:
                break
            wanted *= 4
        last = rows[most - 1][1] if most <= len(rows) else 0.0
        return [(row, -score) for row, score in rows if score <= last]

    def private(self, match: str) -> list[tuple[int, float]]:
        """Give rows and scores of everything private that matches."""
        where = self._where.format(file=PRIVATE, note=_NOTE)
        rows = self.db.execute(
            _RANKED.format(file=PRIVATE, where=where), (match, *self._values, -1)
        ).fetchall()
        return [(row, -score) for row, score in rows]

    def count(self, term: str) -> list[int]:
        """Give in how many blocks a word stands, in each file."""
        found = (self.db.execute(_COUNT.format(file=file), (term,)).fetchone() for file in self.files)
        return [row[0] if row else 0 for row in found]

    def notes(self) -> set[int] | None:
        """Give the notes that are seen; None: all that are in the files which are open."""
        if not self._where:
            return None
        query = _SEEN + self._where
        files = (query.format(file=file, note="id") for file in self.files)
        return {note for one in files for (note,) in self.db.execute(one, self._values)}

    def notes_of(self, days: tuple[str, str]) -> set[int]:
        """Give the notes of a span of days: first day, day after the last."""
        where = (self._where + _OF_DAYS).format(file="", note="id")
        query = _SEEN.format(file="") + where
        return {note for (note,) in self.db.execute(query, (*self._values, *days))}

    def having(self, word: str, file: str) -> Iterator[tuple[int, str]]:
        """Give blocks and their texts, by path and place, that may have a word; what is not ASCII is not looked at."""
        like = f"%{word if word.isascii() else ''}%"
        where = self._where.format(file=file, note="notes.id")
        return self.db.execute(_HAVING.format(file=file, where=where), (like, *self._values))

    def texts(self, rows: Iterable[int]) -> dict[int, str]:
        """Give the visible text of blocks, each read once."""
        wanted = list(rows)
        missing = [row for row in wanted if row not in self._texts]
        self._texts.update(text_of(self.db, missing))
        return {row: self._texts[row] for row in wanted if row in self._texts}

    def size(self, table: str, file: str) -> int:
        """Give the number of rows of a table."""
        return int(self.db.execute(_SIZE.format(file=file, table=table)).fetchone()[0])


def _spans(folder: str) -> tuple[str, ...]:
    """Give between which paths the notes below a folder stand, for both ways of composing its name."""
    name, spans = folder.strip("/"), []
    for form in ("NFC", "NFD"):
        spelt = unicodedata.normalize(form, name)
        # Paths that start with `folder/` stand before `folder0`.
        spans += [f"{spelt}/", f"{spelt}0"] if name else ["", "\U0010ffff"]
    return tuple(spans)


def text_of(db: sqlite3.Connection, rows: Collection[int]) -> dict[int, str]:
    """Give the visible text of blocks by their row: what stands in comments is left out."""
    return dict(from_files(db, _TEXTS, rows, PRIVATE_ROWS))


def from_files(
    db: sqlite3.Connection, query: str, ids: Iterable[int], private_from: int
) -> list[tuple[Any, ...]]:
    """Give the rows with some ids from the file each stands in."""
    found, every = [], list(ids)
    for file, there in (
        ("", [one for one in every if one < private_from]),
        (PRIVATE, [one for one in every if one >= private_from]),
    ):
        if there:
            found += db.execute(query.format(file=file), (json.dumps(there),)).fetchall()
    return found
