"""The rows of notes: each note itself, its blocks and their words, its links, its tags."""

import json
import re
import sqlite3
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from daemon.index import vocabulary
from daemon.index.schema import PRIVATE_FROM, ROW_BITS
from daemon.index.texts import Text, searched
from daemon.index.words import LANGUAGES, Cutters
from daemon.vault.disk import Reading, Stamp
from daemon.vault.names import composed
from parsers.model.notes import Block, Comment, Outline
from parsers.model.places import NotePath
from parsers.note_day import FIRST_LINES, note_day
from parsers.speakers import speakers

_MOST_ROWS = 1 << ROW_BITS
_EMPTY = Block(0, 0, 1, (), None)
"""A note without text is still found by its title."""
_ENOUGH = 1 << 17
"""Characters that wait to be written at once: a note at a time is a third slower, more gains nothing."""

_COLUMNS = (
    "path, key, title, mtime_ns, size, inode, etag, aliases, language, day, provenance, sensitivity, verified"
)
_MARKS = ", ".join("?" for _ in _COLUMNS.split(", "))
_INSERTS = {
    "notes": f"notes(id, {_COLUMNS}) VALUES(?, {_MARKS})",
    "blocks": "blocks VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
    "words": "words(rowid, stems, head, near) VALUES(?, ?, ?, ?)",
    "links": "links VALUES(?, ?, ?, ?)",
    "tags": "tags VALUES(?, ?)",
}
_EXCHANGED = ("blocks", "links", "tags")
"""Tables of what a note says that can be compared row by row; word tables keep no text."""
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
        self._cutters = Cutters()
        self._characters = 0

    def insert(self, version: Version) -> None:
        """Add a note that has no row yet."""
        first = PRIVATE_FROM if self._in else 0
        query = f"SELECT coalesce(max(id), {first}) FROM {self._in}notes"  # noqa: S608
        self._last = note = (self._last or self._db.execute(query).fetchone()[0]) + 1
        rows = _text(note << ROW_BITS, version)
        new = searched(_as_searched(version, rows["blocks"]), self._cutters)
        self._waiting["notes"].append((note, *_columns(version, new.language)))
        for table, found in rows.items():
            self._waiting[table] += found
        self._waiting["words"] += [(row, *texts) for row, texts in new.blocks.items()]
        self._weigh(version.said)

    def update(self, note: int, version: Version) -> None:
        """Replace what is known of a note and differs; it keeps its id."""
        rows = _text(note << ROW_BITS, version)
        there = {table: self._there(table, note) for table in rows}
        was = self._known(note, there["blocks"])
        now = _as_searched(version, rows["blocks"])
        among = _touched(was, now)
        new = searched(now, self._cutters, among)
        if new.language != was.language:
            among, new = None, searched(now, self._cutters)
        old = searched(was, self._cutters, among)
        self._set(f"({_COLUMNS}) = ({_MARKS})", [(*_columns(version, new.language), note)])
        for table, found in rows.items():
            self._exchange(table, there[table], found)
        self._take_out(_differing(old.blocks, new.blocks))
        self._waiting["words"] += _differing(new.blocks, old.blocks)
        self._weigh(version.said)

    def move(self, note: int, path: NotePath) -> None:
        """Give a note its new path; where its title is another, `update` follows and needs to find the old one."""
        self._set("path = ?, key = ?, verified = 1", [(path, base_key(path), note)])

    def touch(self, note: int, stamp: Stamp) -> None:
        """Remember the new stamp of a note whose bytes did not change."""
        self._set("mtime_ns = ?, size = ?, inode = ?, verified = 1", [(*stamp, note)])

    def doubt(self, note: int, sensitivity: str) -> None:
        """Let a note that cannot be read now be read as soon as it can; until then it is at least so sensitive."""
        doubted = "etag = x'', mtime_ns = -1, verified = 0, sensitivity = iif(? = 'normal', sensitivity, ?)"
        self._set(doubted, [(sensitivity, sensitivity, note)])

    def delete(self, note: int) -> None:
        """Forget a note and every word of it."""
        was = self._known(note, self._there("blocks", note))
        self._take_out(_differing(searched(was, self._cutters).blocks, {}))
        span = (note << ROW_BITS, (note + 1) << ROW_BITS)
        for table in _EXCHANGED:
            self._db.execute(f"DELETE FROM {self._in}{table} WHERE id >= ? AND id < ?", span)  # noqa: S608
        for table in ("paragraphs", "vectors", "notes"):
            self._db.execute(f"DELETE FROM {self._in}{table} WHERE id = ?", (note,))  # noqa: S608

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
        for cutter in self._cutters.values():
            vocabulary.add(self._db, self._in, cutter.fresh)
            cutter.fresh.clear()
        self._characters = 0

    def _weigh(self, said: Outline) -> None:
        self._characters += len(said.text)
        if self._characters > _ENOUGH:
            self.flush()

    def _there(self, table: str, note: int) -> _Many:
        """Give the rows that a table holds of a note, in their order."""
        span = (note << ROW_BITS, (note + 1) << ROW_BITS)
        query = f"SELECT * FROM {self._in}{table} WHERE id >= ? AND id < ? ORDER BY id"  # noqa: S608
        return self._db.execute(query, span).fetchall()

    def _exchange(self, table: str, there: _Many, rows: _Many) -> None:
        """Write only what differs: most of a long note stays as it is."""
        was = set(there)
        gone = [(row[0],) for row in was.difference(rows)]
        self._db.executemany(f"DELETE FROM {self._in}{table} WHERE id = ?", gone)  # noqa: S608
        self._waiting[table] += [row for row in rows if row not in was]

    def _known(self, note: int, blocks: _Many) -> Text:
        """Give a note as it went into the table of words."""
        query = f"SELECT title, aliases, language FROM {self._in}notes WHERE id = ?"  # noqa: S608
        title, aliases, language = self._db.execute(query, (note,)).fetchone()
        named = tuple(json.loads(aliases)) if aliases else ()
        return Text(title, named, language, _cut_of(blocks))

    def _take_out(self, rows: _Many) -> None:
        """Take rows out of the table of words, which keeps no text and wants them as they went in."""
        columns = "words, rowid, stems, head, near"
        query = f"INSERT INTO {self._in}words({columns}) VALUES('delete', ?, ?, ?, ?)"
        self._db.executemany(query, rows)


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
    said, hidden = version.said, version.said.comments
    links = {(one.target, one.subpath) for one in said.links if not (hidden and _within(one.start, hidden))}
    links.update((link.target, link.subpath) for link in said.properties.links)
    named = enumerate(sorted(links)[:_MOST_ROWS], first)
    tags = {one.tag.lstrip("#") for one in said.tags if not (hidden and _within(one.start, hidden))}
    tags.update(said.properties.tags)
    return {
        "blocks": _blocks(first, said),
        "links": [(row, base_key(to), to, subpath) for row, (to, subpath) in named if to],
        "tags": list(enumerate(sorted(tags)[:_MOST_ROWS], first)),
    }


def _blocks(first: int, said: Outline) -> _Many:
    rows: _Many = []
    text, done, at = said.text, 0, 0
    ascii_only = text.isascii()
    for row, block in enumerate(said.blocks[:_MOST_ROWS] or (_EMPTY,), first):
        raw = text[block.start : block.end]
        if ascii_only:
            start, end = block.start, block.end
        else:
            start = at + len(text[done : block.start].encode())
            end = at = start + len(raw.encode())
            done = block.end
        heading = " > ".join(block.path)
        if said.comments:
            heading = _UNSEEN.sub("", heading)
            raw = said.visible(block)
        spoken = "\n".join(speakers(raw)) or None
        rows.append((row, start, end, block.line, block.id, heading, spoken, raw))
    return rows


def _as_searched(version: Version, blocks: _Many) -> Text:
    aliases, language = version.said.properties.aliases, _declared(version.said)
    return Text(title_of(version.path), aliases, language, _cut_of(blocks))


def _cut_of(blocks: _Many) -> list[tuple[int, str, str]]:
    """Give of rows of the table of blocks what is cut into words."""
    return [(row, heading, text) for row, _, _, _, _, heading, _, text in blocks]  # type: ignore[misc] # rows of any table


def _touched(was: Text, now: Text) -> set[int] | None:
    """Give the rows whose words may differ, with their neighbours; None: those of the whole note."""
    if (was.title, was.aliases) != (now.title, now.aliases):
        return None
    old, new = ({row: said for row, *said in one.blocks} for one in (was, now))
    differ = [row for row in old.keys() | new.keys() if old.get(row) != new.get(row)]
    return {row + step for row in differ for step in (-1, 0, 1)}


def _differing(rows: Mapping[int, tuple[str, ...]], others: Mapping[int, tuple[str, ...]]) -> _Many:
    return [(row, *texts) for row, texts in rows.items() if others.get(row) != texts]


def _within(place: int, comments: tuple[Comment, ...]) -> bool:
    return any(one.start <= place < one.end for one in comments)


def _columns(version: Version, language: str) -> tuple[object, ...]:
    path, reading, said, provenance, sensitivity = version
    aliases, etag, body = said.properties.aliases, bytes.fromhex(reading.etag), said.properties.body
    spelt = json.dumps(aliases, ensure_ascii=False) if aliases else None
    title = title_of(path)
    day = note_day(title, said.properties.values, said.text[body : body + FIRST_LINES])
    return (
        path,
        base_key(path),
        title,
        *reading.stamp,
        etag,
        spelt,
        language,
        day,
        provenance,
        sensitivity,
        1,
    )


def _declared(said: Outline) -> str | None:
    """Give the language a note's properties state, if it is one we know stems of."""
    for name in ("lang", "language", "langue"):
        value = said.properties.values.get(name)
        if isinstance(value, str) and value[:2].lower() in LANGUAGES:
            return value[:2].lower()
    return None
