"""The rows of the memory's state: facts with their four times, cards, what was shown, the register's tail.

Plain rows in and out: what they mean is decided in `daemon.memory`. Writers open one `index.batch()` for all.
"""

import json
from collections import deque
from collections.abc import Iterable
from typing import Any

from daemon.index.schema import FACT_FIELDS
from daemon.index.store import Index
from parsers.model.facts import Fact
from parsers.model.notes import Etag, NotePath
from parsers.model.register import Record

_FACT_NAMES = ", ".join(FACT_FIELDS)
_FACT_MARKS = ", ".join("?" for _ in FACT_FIELDS)


def load_facts(index: Index) -> list[Fact]:
    """Give every version of every fact, by id and version."""
    rows = index.connection.execute(f"SELECT {_FACT_NAMES} FROM facts ORDER BY id, version")  # noqa: S608
    return _facts(rows.fetchall())


def put_facts(index: Index, facts: Iterable[Fact]) -> None:
    """Add versions of facts, each in the place of the one with its id and version."""
    rows = ([getattr(fact, name) for name in FACT_FIELDS] for fact in facts)
    with index.batch() as db:
        db.executemany(f"INSERT OR REPLACE INTO facts({_FACT_NAMES}) VALUES({_FACT_MARKS})", rows)


def drop_facts(index: Index, keys: Iterable[tuple[str, int]]) -> None:
    """Forget versions of facts, each named by id and version."""
    with index.batch() as db:
        db.executemany("DELETE FROM facts WHERE id = ? AND version = ?", keys)


def load_cards(index: Index) -> dict[str, Any]:
    """Give every card's JSON value by its id, in the order of the ids."""
    return {
        card: json.loads(spelt)
        for card, spelt in index.connection.execute("SELECT id, json FROM cards ORDER BY id")
    }


def put_cards(index: Index, cards: Iterable[tuple[str, Any]]) -> None:
    """Add cards, each in the place of the one with its id."""
    with index.batch() as db:
        rows = ((card, _spelt(value)) for card, value in cards)
        db.executemany("INSERT OR REPLACE INTO cards(id, json) VALUES(?, ?)", rows)


def drop_cards(index: Index, cards: Iterable[str]) -> None:
    """Forget cards by their ids."""
    with index.batch() as db:
        db.executemany("DELETE FROM cards WHERE id = ?", ((card,) for card in cards))


def scalar(index: Index, name: str, default: Any = None) -> Any:
    """Give the JSON value kept under a name."""
    row = index.connection.execute("SELECT json FROM scalars WHERE name = ?", (name,)).fetchone()
    return json.loads(row[0]) if row else default


def scalars(index: Index) -> dict[str, Any]:
    """Give every JSON value by its name."""
    return {
        name: json.loads(spelt) for name, spelt in index.connection.execute("SELECT name, json FROM scalars")
    }


def set_scalar(index: Index, name: str, value: Any) -> None:
    """Keep a JSON value under a name."""
    with index.batch() as db:
        db.execute("INSERT OR REPLACE INTO scalars(name, json) VALUES(?, ?)", (name, _spelt(value)))


def drop_scalar(index: Index, name: str) -> None:
    """Forget the value kept under a name."""
    with index.batch() as db:
        db.execute("DELETE FROM scalars WHERE name = ?", (name,))


def shown(index: Index, path: NotePath) -> tuple[Etag, Any] | None:
    """Give the etag and ids of a managed note as it was last read or written; None before the first time."""
    row = index.connection.execute("SELECT etag, json FROM shown WHERE path = ?", (path,)).fetchone()
    return (Etag(row[0]), json.loads(row[1])) if row else None


def set_shown(index: Index, path: NotePath, etag: Etag, value: Any) -> None:
    """Remember what stood in the bytes of a managed note that were last read or written."""
    with index.batch() as db:
        db.execute(
            "INSERT OR REPLACE INTO shown(path, etag, json) VALUES(?, ?, ?)", (path, etag, _spelt(value))
        )


def drop_shown(index: Index, path: NotePath) -> None:
    """Forget what a managed note has shown."""
    with index.batch() as db:
        db.execute("DELETE FROM shown WHERE path = ?", (path,))


def add_journal(index: Index, records: Iterable[Record]) -> None:
    """Keep records of the register for the journal; the same `seq` again replaces."""
    rows = (
        (record.seq, record.at, record.op, _spelt([record.by, record.body, record.vouched]))
        for record in records
    )
    with index.batch() as db:
        db.executemany("INSERT OR REPLACE INTO journal(seq, at, op, json) VALUES(?, ?, ?, ?)", rows)


def journal(index: Index, since: str = "", limit: int = -1) -> list[Record]:
    """Give the newest records (all when `limit` is negative) of `since` (UTC time) or later, oldest first."""
    query = "SELECT seq, at, op, json FROM journal WHERE at >= ? ORDER BY seq DESC LIMIT ?"
    return [_record(*row) for row in index.connection.execute(query, (since, limit)).fetchall()[::-1]]


def drop_journal(index: Index, before: str) -> None:
    """Forget the records older than a UTC time."""
    with index.batch() as db:
        db.execute("DELETE FROM journal WHERE at < ?", (before,))


def add_lines(index: Index, lines: Iterable[tuple[int, str]]) -> None:
    """Keep lines of the register as they stand, to write back those a restored copy lost."""
    with index.batch() as db:
        db.executemany("INSERT OR REPLACE INTO lines(seq, text) VALUES(?, ?)", lines)


def lines(index: Index, after: int = 0) -> list[tuple[int, str]]:
    """Give the kept lines whose `seq` is beyond one, in order."""
    rows = index.connection.execute("SELECT seq, text FROM lines WHERE seq > ? ORDER BY seq", (after,))
    return list(rows)


def drop_lines(index: Index, before: int) -> None:
    """Forget the kept lines whose `seq` is below one."""
    with index.batch() as db:
        db.execute("DELETE FROM lines WHERE seq < ?", (before,))


def clear(index: Index) -> None:
    """Forget the whole state of the memory; notes and problems stay."""
    with index.batch() as db:
        for table in ("facts", "cards", "scalars", "shown", "journal", "lines"):
            db.execute(f"DELETE FROM {table}")  # noqa: S608 - names from the line above


def _facts(rows: list[tuple[Any, ...]]) -> list[Fact]:
    """Give `Fact(*row)` for each row in half the time: by field, past a frozen class's constructor."""
    facts = [object.__new__(Fact) for _ in rows]
    for name, column in zip(FACT_FIELDS, zip(*rows, strict=True), strict=False):
        deque(map(getattr(Fact, name).__set__, facts, column), maxlen=0)
    return facts


def _record(seq: int, at: str, op: str, spelt: str) -> Record:
    by, body, vouched = json.loads(spelt)
    return Record(seq, at, op, by, body, vouched)


def _spelt(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
