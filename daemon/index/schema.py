"""The tables of the index. One of another version is rebuilt: what cannot be derived does not belong here."""

import sqlite3

VERSION = 7
"""Kept in `PRAGMA user_version`; raise it with every change of the tables or of what stands in them."""

ROW_BITS = 20
"""Rows of a note (blocks, links, tags) have the ids `note << ROW_BITS | n`: one range to read and delete."""

PRIVATE = "private."
"""The file of private notes, as the name of a table begins that stands in it."""

PRIVATE_FROM = 1 << 40
"""Ids of notes from which on they stand in the file of private notes: no id stands in both files."""

PRIVATE_ROWS = PRIVATE_FROM << ROW_BITS
"""Ids of rows from which on they are of private notes."""

_TYPES = {int: "INTEGER", float: "REAL", str: "TEXT", bytes: "BLOB"}
_TABLES: dict[str, tuple[dict[str, type], str]] = {
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
            "day": str,
            "provenance": str,
            "sensitivity": str,
            "verified": int,
        },
        "id",
    ),
    "blocks": (
        {
            "id": int,
            "start": int,
            "end": int,
            "line": int,
            "block_id": str,
            "heading": str,
            "speakers": str,
            "text": str,
        },
        "id",
    ),
    "vocabulary": ({"id": int, "word": str}, "id"),
    "links": ({"id": int, "key": str, "target": str, "subpath": str}, "id"),
    "tags": ({"id": int, "tag": str}, "id"),
    "paragraphs": ({"id": int, "etag": bytes, "json": str}, "id"),
    "vectors": (
        {"id": int, "model": str, "etag": bytes, "title": str, "hashes": bytes, "numbers": bytes},
        "id",
    ),
    "problems": ({"id": int, "scope": str, "path": str, "line": int, "code": str, "json": str}, "id"),
    "cards": ({"id": str, "json": str}, "id"),
    "entities": ({"id": str, "json": str}, "id"),
    "relations": ({"id": str, "json": str}, "id"),
    "runs": ({"id": str, "json": str}, "id"),
    "scalars": ({"name": str, "json": str}, "name"),
    "shown": ({"path": str, "etag": str, "json": str}, "path"),
    "journal": ({"seq": int, "at": str, "op": str, "json": str}, "seq"),
    "lines": ({"seq": int, "text": str}, "seq"),
}

_KEYS = (("notes", "path", True), ("vocabulary", "word", True), ("problems", "scope", False))
_LOOKUPS = (("notes", "key"), ("links", "key"), ("tags", "tag"))
_SENSITIVE = "CREATE INDEX notes_sensitive ON notes(id) WHERE sensitivity <> 'normal'"
"""What a search for others leaves out: where nobody declared anything it is empty."""

WORD_TABLES = {"words": "stems, head, near", "parts": "word", "fact_words": "stems"}
"""The word tables and their columns: of blocks, of parts of words (trigrams of `vocabulary`), of facts.

They keep no text of their own; what a word is, `words.py` says, and SQLite folds its accents.
"""

_FOLDED = "tokenize='unicode61 remove_diacritics 2'"
_WORDS = (
    f"CREATE VIRTUAL TABLE words USING fts5(stems, head, near, content='', {_FOLDED})",
    "CREATE VIRTUAL TABLE parts USING fts5(word, content='', tokenize='trigram')",
    "CREATE VIRTUAL TABLE terms USING fts5vocab(words, row)",
    f"CREATE VIRTUAL TABLE fact_words USING fts5(stems, content='', {_FOLDED})",
    "CREATE VIRTUAL TABLE fact_terms USING fts5vocab(fact_words, row)",
    # A save never pays for somebody else's merge: `Index.idle_step` merges when nothing waits.
    *(f"INSERT INTO {table}({table}, rank) VALUES('automerge', 0)" for table in WORD_TABLES),
    *(f"INSERT INTO {table}({table}, rank) VALUES('crisismerge', 1000)" for table in WORD_TABLES),
)


def create(connection: sqlite3.Connection) -> None:
    """Make every table of an empty file; `finish` comes when it is filled."""
    from parsers.model.facts import FACT_FIELDS  # noqa: PLC0415 - a search starts without

    numbers = {"version": int, "confidence": float}
    facts = {name: numbers.get(name, str) for name in FACT_FIELDS}
    for name, (columns, key) in {**_TABLES, "facts": (facts, "id, version")}.items():
        typed = ", ".join(f'"{column}" {_TYPES[kind]}' for column, kind in columns.items())
        connection.execute(f"CREATE TABLE {name}({typed}, PRIMARY KEY ({key}))")
    for table, column, unique in _KEYS:
        kind = "UNIQUE INDEX" if unique else "INDEX"
        connection.execute(f"CREATE {kind} {table}_{column} ON {table}({column})")
    for statement in _WORDS:
        connection.execute(statement)


def finish(connection: sqlite3.Connection) -> None:
    """Make what only looking things up needs, sorted at once, and mark the file with `VERSION`."""
    for table, column in _LOOKUPS:
        connection.execute(f"CREATE INDEX {table}_{column} ON {table}({column})")
    connection.execute(_SENSITIVE)
    connection.execute(f"PRAGMA user_version = {VERSION}")
