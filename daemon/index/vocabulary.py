"""The words of the index, looked up by their parts: for words that no stem leads to, cut short or spelt wrong.

A word is added with the first note that has it. One that no note has any more leads nowhere and may stay, but where
no byte of a note may: `prune`.
"""

import sqlite3
from collections.abc import Iterable

SHORTEST, LONGEST = 4, 32
"""Letters of a word that is kept here: others say too little, or are no words."""


def add(db: sqlite3.Connection, file: str, words: Iterable[str]) -> None:
    """Add words to the vocabulary of a file of the index, inside a transaction."""
    kept = sorted(
        {word for word in words if SHORTEST <= len(word) <= LONGEST and word.isalpha() and word < "\u0250"}
    )
    if not kept:
        return
    last = db.execute(f"SELECT coalesce(max(id), 0) FROM {file}vocabulary").fetchone()  # noqa: S608
    put = f"INSERT INTO {file}vocabulary(word) VALUES(?) ON CONFLICT DO NOTHING"
    db.executemany(put, ((word,) for word in kept))
    new = db.execute(f"SELECT id, word FROM {file}vocabulary WHERE id > ?", last).fetchall()  # noqa: S608
    # Row by row: a statement that inserts many makes every word table write out its hash.
    db.executemany(f"INSERT INTO {file}parts(rowid, word) VALUES(?, ?)", new)


def prune(db: sqlite3.Connection, file: str) -> None:
    """Forget the words that no note of a file has any more."""
    gone = f"SELECT id, word FROM {file}vocabulary WHERE word NOT IN (SELECT term FROM {file}terms)"  # noqa: S608
    rows = db.execute(gone).fetchall()
    out = f"INSERT INTO {file}parts(parts, rowid, word) VALUES('delete', ?, ?)"
    db.executemany(out, rows)
    db.executemany(f"DELETE FROM {file}vocabulary WHERE id = ?", ((row,) for row, _ in rows))  # noqa: S608
