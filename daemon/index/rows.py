"""The rows of notes: each note itself, its blocks and their words, its links, its tags."""

import json
import re
import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

from daemon.index.pairs import has_runs, pairs
from daemon.index.schema import PRIVATE_FROM, ROW_BITS
from daemon.vault.disk import Reading, Stamp
from daemon.vault.names import composed
from parsers.model.notes import Block, Comment, Outline
from parsers.model.places import NotePath

_MOST_ROWS = 1 << ROW_BITS
_EMPTY = Block(0, 0, 1, (), None)
"""A note without text is still found by its title."""
_ENOUGH = 1 << 18
"""Characters that wait to be written at once: a note at a time is a third slower, more gains nothing."""

_COLUMNS = "path, key, title, mtime_ns, size, inode, etag, aliases, provenance, sensitivity, verified"
_MARKS = ", ".join("?" for _ in _COLUMNS.split(", "))
_INSERTS = {
    "notes": f"notes(id, {_COLUMNS}) VALUES(?, {_MARKS})",
    "blocks": "blocks VALUES(?, ?, ?, ?, ?, ?)",
    "words": "words(rowid, head, body, pairs) VALUES(?, ?, ?, ?)",
    "links": "links VALUES(?, ?, ?, ?)",
    "tags": "tags VALUES(?, ?)",
}
_TEXT = {"words": "rowid, head, body, pairs", "blocks": "*", "links": "*", "tags": "*"}
"""Tables of what a note says, and their columns as `_INSERTS` writes them."""
_Many = list[tuple[object, ...]]
_UNSEEN = re.compile("%%.*?%%|<!--.*?-->")


class Version(NamedTuple):
    """One version of a note, as the index takes it in."""

    path: NotePath
    reading: Reading
    said: Outline
    provenance: str
    sensitivity: str


class Rows:
    """Writes inside one transaction; what waits is written by `flush`, which comes before its end.

    `schema` says in which file: `""` in the common one, `schema.PRIVATE` in that of the private notes.
    """

    def __init__(self, db: sqlite3.Connection, schema: str = "") -> None:
        self._db, self._in, self._last = db, schema, 0
        self._inserts = {table: f"INSERT INTO {schema}{rest}" for table, rest in _INSERTS.items()}
        self._waiting: dict[str, _Many] = {table: [] for table in _INSERTS}
        self._characters = 0

    def insert(self, version: Version) -> None:
        """Add a note that has no row yet."""
        first = PRIVATE_FROM if self._in else 0
        query = f"SELECT coalesce(max(id), {first}) FROM {self._in}notes"  # noqa: S608
        self._last = note = (self._last or self._db.execute(query).fetchone()[0]) + 1
        self._waiting["notes"].append((note, *_columns(version)))
        for table, rows in _text(note << ROW_BITS, version).items():
            self._waiting[table] += rows
        self._weigh(version.said)

    def update(self, note: int, version: Version) -> None:
        """Replace what is known of a note and differs; it keeps its id."""
        columns = (*_columns(version), note)
        self._set(f"({_COLUMNS}) = ({_MARKS})", [columns])
        for table, rows in _text(note << ROW_BITS, version).items():
            self._exchange(table, note, rows)
        self._weigh(version.said)

    def move(self, note: int, path: NotePath) -> None:
        """Give a note whose bytes and title did not change its new path."""
        columns = (path, base_key(path), title_of(path), note)
        self._set("path = ?, key = ?, title = ?, verified = 1", [columns])

    def touch(self, note: int, stamp: Stamp) -> None:
        """Remember the new stamp of a note whose bytes did not change."""
        self._set("mtime_ns = ?, size = ?, inode = ?, verified = 1", [(*stamp, note)])

    def doubt(self, note: int, sensitivity: str) -> None:
        """Let a note that cannot be read now be read as soon as it can; until then it is at least so sensitive."""
        doubted = "etag = x'', mtime_ns = -1, verified = 0, sensitivity = iif(? = 'normal', sensitivity, ?)"
        self._set(doubted, [(sensitivity, sensitivity, note)])

    def delete(self, note: int) -> None:
        """Forget a note and every word of it."""
        self._forget_text(note)
        self._db.execute(f"DELETE FROM {self._in}notes WHERE id = ?", (note,))  # noqa: S608

    def mark(self, notes: Iterable[int], *, verified: bool) -> None:
        """Say of notes whether the vault still shows them."""
        self._set("verified = ?", [(int(verified), note) for note in notes])

    def _set(self, columns: str, values: _Many) -> None:
        self._db.executemany(f"UPDATE {self._in}notes SET {columns} WHERE id = ?", values)  # noqa: S608

    def flush(self) -> None:
        """Write what waits."""
        for table, rows in self._waiting.items():
            # Row by row: a statement that inserts many makes FTS5 write out its hash (3 times slower).
            self._db.executemany(self._inserts[table], rows)
            rows.clear()
        self._characters = 0

    def _weigh(self, said: Outline) -> None:
        self._characters += len(said.text)
        if self._characters > _ENOUGH:
            self.flush()

    def _exchange(self, table: str, note: int, rows: _Many) -> None:
        """Write only what differs: most of a long note stays as it is."""
        key = _TEXT[table].partition(",")[0].replace("*", "id")
        span = (note << ROW_BITS, (note + 1) << ROW_BITS)
        query = f"SELECT {_TEXT[table]} FROM {self._in}{table} WHERE {key} >= ? AND {key} < ?"  # noqa: S608
        there = set(self._db.execute(query, span))
        gone = [(row[0],) for row in there.difference(rows)]
        self._db.executemany(f"DELETE FROM {self._in}{table} WHERE {key} = ?", gone)  # noqa: S608
        self._waiting[table] += [row for row in rows if row not in there]

    def _forget_text(self, note: int) -> None:
        span = (note << ROW_BITS, (note + 1) << ROW_BITS)
        query = f"SELECT id FROM {self._in}blocks WHERE id >= ? AND id < ?"  # noqa: S608
        rows = self._db.execute(query, span).fetchall()
        self._db.executemany(f"DELETE FROM {self._in}words WHERE rowid = ?", rows)  # noqa: S608
        for table in ("blocks", "links", "tags"):
            self._db.execute(f"DELETE FROM {self._in}{table} WHERE id >= ? AND id < ?", span)  # noqa: S608
        self._db.execute(f"DELETE FROM {self._in}paragraphs WHERE id = ?", (note,))  # noqa: S608


def fold(path: str) -> str:
    """Give a path composed and without case, as links are compared."""
    return composed(path).casefold()


def title_of(path: str) -> str:
    """Give the title of a note, its file name without `.md`."""
    return path.rpartition("/")[2].removesuffix(".md")


def base_key(path: str) -> str:
    """Give what a link is looked up by: the last part of a path, without `.md`, folded."""
    return fold(title_of(path))


def _text(first: int, version: Version) -> dict[str, _Many]:
    """Give the rows of what a note says to who reads it: what stands in comments is left out."""
    path, said, hidden = version.path, version.said, version.said.comments
    links = {(one.target, one.subpath) for one in said.links if not (hidden and _within(one.start, hidden))}
    links.update((link.target, link.subpath) for link in said.properties.links)
    named = enumerate(sorted(links)[:_MOST_ROWS], first)
    tags = {one.tag.lstrip("#") for one in said.tags if not (hidden and _within(one.start, hidden))}
    tags.update(said.properties.tags)
    paired = has_runs(version.reading.data) or has_runs(path.encode())
    blocks, words = _blocks(first, title_of(path), said, paired=paired)
    return {
        "blocks": blocks,
        "words": words,
        "links": [(row, base_key(to), to, subpath) for row, (to, subpath) in named if to],
        "tags": list(enumerate(sorted(tags)[:_MOST_ROWS], first)),
    }


def _blocks(first: int, title: str, said: Outline, *, paired: bool) -> tuple[_Many, _Many]:
    places: _Many = []
    words: _Many = []
    text, head = said.text, " ".join((title, *said.properties.aliases))
    for row, block in enumerate(said.blocks[:_MOST_ROWS] or (_EMPTY,), first):
        heading = " > ".join(block.path)
        if said.comments:
            heading = _UNSEEN.sub("", heading)
        body = said.visible(block) if said.comments else text[block.start : block.end]
        places.append((row, block.start, block.end, block.line, block.id, heading))
        # "" and not NULL, with which FTS5 takes a third longer.
        cut = pairs(f"{head} {heading} {body}") if paired else ""
        words.append((row, f"{head}\n{heading}", body, cut))
        head = title
    return places, words


def _within(place: int, comments: tuple[Comment, ...]) -> bool:
    return any(one.start <= place < one.end for one in comments)


def _columns(version: Version) -> tuple[object, ...]:
    path, reading, said, provenance, sensitivity = version
    aliases, etag = said.properties.aliases, bytes.fromhex(reading.etag)
    spelt = json.dumps(aliases, ensure_ascii=False) if aliases else None
    titled = (path, base_key(path), title_of(path))
    return (*titled, *reading.stamp, etag, spelt, provenance, sensitivity, 1)
