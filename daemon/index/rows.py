"""The rows of notes: each note itself, its blocks and their words, its links, its tags."""

import json
import sqlite3
from collections.abc import Iterable

from daemon.index.pairs import has_runs, pairs
from daemon.index.schema import ROW_BITS
from daemon.vault.disk import Stamp
from daemon.vault.names import composed
from parsers.model.notes import Block, Outline, Properties
from parsers.model.places import Etag, NotePath
from parsers.note import outline

_MOST_ROWS = 1 << ROW_BITS
_EMPTY = Block(0, 0, 1, (), None)
"""A note without text is still found by its title."""
_ENOUGH = 1 << 18
"""Characters that wait to be written at once: a note at a time is a third slower, more gains nothing."""

_COLUMNS = "path, key, title, mtime_ns, size, inode, etag, aliases, provenance, sensitivity, verified"
_MARKS = ", ".join("?" for _ in _COLUMNS.split(", "))
_INSERTS = {
    "notes": f"INSERT INTO notes(id, {_COLUMNS}) VALUES(?, {_MARKS})",
    "blocks": "INSERT INTO blocks VALUES(?, ?, ?, ?, ?, ?)",
    "words": "INSERT INTO words(rowid, head, body, pairs) VALUES(?, ?, ?, ?)",
    "links": "INSERT INTO links VALUES(?, ?, ?, ?)",
    "tags": "INSERT INTO tags VALUES(?, ?)",
}
_TEXT = {"words": "rowid, head, body, pairs", "blocks": "*", "links": "*", "tags": "*"}
"""Tables of what a note says, and their columns as `_INSERTS` writes them."""
_Many = list[tuple[object, ...]]


class Rows:
    """Writes inside one transaction; what waits is written by `flush`, which comes before its end."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db, self._last = db, 0
        self._waiting: dict[str, _Many] = {table: [] for table in _INSERTS}
        self._characters = 0

    def insert(self, path: NotePath, stamp: Stamp, etag: Etag, data: bytes) -> Properties:
        """Add a note that has no row yet; gives its properties."""
        last = self._last or self._db.execute("SELECT coalesce(max(id), 0) FROM notes").fetchone()[0]
        self._last = note = last + 1
        said = outline(data.decode("utf-8", "replace"))
        self._waiting["notes"].append((note, *_columns(path, stamp, etag, said)))
        for table, rows in _text(note << ROW_BITS, path, data, said).items():
            self._waiting[table] += rows
        self._weigh(said)
        return said.properties

    def update(self, note: int, path: NotePath, stamp: Stamp, etag: Etag, data: bytes) -> Properties:
        """Replace what is known of a note and differs; it keeps its id. Gives its properties."""
        said = outline(data.decode("utf-8", "replace"))
        columns = (*_columns(path, stamp, etag, said), note)
        self._db.execute(f"UPDATE notes SET ({_COLUMNS}) = ({_MARKS}) WHERE id = ?", columns)  # noqa: S608
        for table, rows in _text(note << ROW_BITS, path, data, said).items():
            self._exchange(table, note, rows)
        self._weigh(said)
        return said.properties

    def move(self, note: int, path: NotePath) -> None:
        """Give a note whose bytes and title did not change its new path."""
        columns = (path, base_key(path), title_of(path), note)
        self._db.execute("UPDATE notes SET path = ?, key = ?, title = ?, verified = 1 WHERE id = ?", columns)

    def touch(self, note: int, stamp: Stamp) -> None:
        """Remember the new stamp of a note whose bytes did not change."""
        columns = (*stamp, note)
        self._db.execute(
            "UPDATE notes SET mtime_ns = ?, size = ?, inode = ?, verified = 1 WHERE id = ?", columns
        )

    def delete(self, note: int) -> None:
        """Forget a note and every word of it."""
        self._forget_text(note)
        self._db.execute("DELETE FROM notes WHERE id = ?", (note,))

    def mark(self, notes: Iterable[int], *, verified: bool) -> None:
        """Say of notes whether the vault still shows them."""
        rows = [(int(verified), note) for note in notes]
        self._db.executemany("UPDATE notes SET verified = ? WHERE id = ?", rows)

    def flush(self) -> None:
        """Write what waits."""
        for table, rows in self._waiting.items():
            # Row by row: a statement that inserts many makes FTS5 write out its hash (3 times slower).
            self._db.executemany(_INSERTS[table], rows)
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
        there = set(
            self._db.execute(f"SELECT {_TEXT[table]} FROM {table} WHERE {key} >= ? AND {key} < ?", span)  # noqa: S608
        )
        gone = [(row[0],) for row in there.difference(rows)]
        self._db.executemany(f"DELETE FROM {table} WHERE {key} = ?", gone)  # noqa: S608
        self._waiting[table] += [row for row in rows if row not in there]

    def _forget_text(self, note: int) -> None:
        span = (note << ROW_BITS, (note + 1) << ROW_BITS)
        rows = self._db.execute("SELECT id FROM blocks WHERE id >= ? AND id < ?", span).fetchall()
        self._db.executemany("DELETE FROM words WHERE rowid = ?", rows)
        for table in ("blocks", "links", "tags"):
            self._db.execute(f"DELETE FROM {table} WHERE id >= ? AND id < ?", span)  # noqa: S608


def fold(path: str) -> str:
    """Give a path composed and without case, as links are compared."""
    return composed(path).casefold()


def title_of(path: str) -> str:
    """Give the title of a note, its file name without `.md`."""
    return path.rpartition("/")[2].removesuffix(".md")


def base_key(path: str) -> str:
    """Give what a link is looked up by: the last part of a path, without `.md`, folded."""
    return fold(title_of(path))


def _text(first: int, path: NotePath, data: bytes, said: Outline) -> dict[str, _Many]:
    """Give the rows of what a note says."""
    links = {(link.target, link.subpath) for link in said.links}
    links.update((link.target, link.subpath) for link in said.properties.links)
    named = enumerate(sorted(links)[:_MOST_ROWS], first)
    tags = {tag.tag.lstrip("#") for tag in said.tags}.union(said.properties.tags)
    blocks, words = _blocks(first, title_of(path), said, paired=has_runs(data) or has_runs(path.encode()))
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
        body = said.visible(block) if said.comments else text[block.start : block.end]
        places.append((row, block.start, block.end, block.line, block.id, heading))
        # "" and not NULL, with which FTS5 takes a third longer.
        cut = pairs(f"{head} {heading} {body}") if paired else ""
        words.append((row, f"{head}\n{heading}", body, cut))
        head = title
    return places, words


def _columns(path: NotePath, stamp: Stamp, etag: Etag, said: Outline) -> tuple[object, ...]:
    aliases = said.properties.aliases
    spelt = json.dumps(aliases, ensure_ascii=False) if aliases else None
    return (path, base_key(path), title_of(path), *stamp, bytes.fromhex(etag), spelt, "vault", "normal", 1)
