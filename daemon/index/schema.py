"""The tables of the index. One of another version is rebuilt: what cannot be derived does not belong here."""

import sqlite3

VERSION = 4
"""Kept in `PRAGMA user_version`; raise it with every change of the tables or of what stands in them."""

ROW_BITS = 20
"""Rows of a note (blocks, links, tags) have the ids `note << ROW_BITS | n`: one range to read and delete."""

PRIVATE = "private."
"""The file of private notes, as the name of a table begins that stands in it."""

PRIVATE_FROM = 1 << 40
"""Ids of notes from which on they stand in the file of private notes: no id stands in both files."""

_TABLES: dict[str, tuple[dict[str, type], str | tuple[str, str]]] = {
    "notes": (
        {
            "id": int,
            "path": str,
            "key": str,
            "title": str,
            "mtime_ns": int,
            "size": int,
            "inode": int,
            "etag": bytes,
            "aliases": str,
            "language": str,
            "provenance": str,
            "sensitivity": str,
            "verified": int,
        },
        "id",
    ),
    "blocks": ({"id": int, "start": int, "end": int, "line": int, "block_id": str, "heading": str}, "id"),
    "links": ({"id": int, "key": str, "target": str, "subpath": str}, "id"),
    "tags": ({"id": int, "tag": str}, "id"),
    "paragraphs": ({"id": int, "etag": bytes, "json": str}, "id"),
    "problems": ({"id": int, "scope": str, "path": str, "line": int, "code": str, "json": str}, "id"),
    "cards": ({"id": str, "json": str}, "id"),
    "runs": ({"id": str, "json": str}, "id"),
    "scalars": ({"name": str, "json": str}, "name"),
    "shown": ({"path": str, "etag": str, "json": str}, "path"),
    "journal": ({"seq": int, "at": str, "op": str, "json": str}, "seq"),
    "lines": ({"seq": int, "text": str}, "seq"),
}

_KEYS = (("notes", "path", True), ("problems", "scope", False))
_LOOKUPS = (("notes", "key"), ("links", "key"), ("tags", "tag"))
_SENSITIVE = "CREATE INDEX notes_sensitive ON notes(id) WHERE sensitivity <> 'normal'"
"""What a search for others leaves out: where nobody declared anything it is empty."""

_WORDS = (
    "CREATE VIRTUAL TABLE words USING fts5(head, body, pairs, tokenize='unicode61 remove_diacritics 2')",
    # A save never pays for somebody else's merge: `Index.idle_step` merges when nothing waits.
    "INSERT INTO words(words, rank) VALUES('automerge', 0)",
    "INSERT INTO words(words, rank) VALUES('crisismerge', 1000)",
)


def create(connection: sqlite3.Connection) -> None:
    """Make every table of an empty file; `finish` comes when it is filled."""
    from sqlite_utils import Database  # noqa: PLC0415 - 0.1 s of CPU that only a new file needs

    from parsers.model.facts import FACT_FIELDS  # noqa: PLC0415 - a search starts without

    database = Database(connection, execute_plugins=False)
    for name, (columns, key) in _TABLES.items():
        database.table(name).create(columns, pk=key)
    numbers = {"version": int, "confidence": float}
    facts = {name: numbers.get(name, str) for name in FACT_FIELDS}
    database.table("facts").create(facts, pk=("id", "version"))
    for table, column, unique in _KEYS:
        database.table(table).create_index([column], unique=unique)
    for statement in _WORDS:
        connection.execute(statement)


def finish(connection: sqlite3.Connection) -> None:
    """Make what only looking things up needs, sorted at once, and mark the file with `VERSION`."""
    for table, column in _LOOKUPS:
        connection.execute(f"CREATE INDEX {table}_{column} ON {table}({column})")
    connection.execute(_SENSITIVE)
    connection.execute(f"PRAGMA user_version = {VERSION}")
