"""The rows of the memory's state: facts with their four times, cards, what was shown, the register's tail.

Plain rows in and out: what they mean is decided in `daemon.memory`. Writers open one `index.batch()` for all.
"""

import json
from collections import deque
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from daemon.index.store import Index
from parsers.model.facts import FACT_FIELDS, Fact
from parsers.model.places import Etag, NotePath
from parsers.model.register import Record

_FACT_NAMES = ", ".join(FACT_FIELDS)
_FACT_MARKS = ", ".join("?" for _ in FACT_FIELDS)


def load_facts(index: Index) -> list[Fact]:
    """Give every version of every fact, by id and version."""
    rows = index.connection.execute(f"SELECT {_FACT_NAMES} FROM facts ORDER BY id, version")  # noqa: S608
    return _facts(rows.fetchall())


def put_facts(index: Index, facts: Iterable[Fact]) -> None:
    """Add versions of facts, each in the place of the one with its id and version."""
    from daemon.index import fact_words  # noqa: PLC0415 - facts are read without

    put = list(facts)
    keys = list(dict.fromkeys((fact.id, fact.version) for fact in put))
    rows = ([getattr(fact, name) for name in FACT_FIELDS] for fact in put)
    with index.batch() as db:
        fact_words.take_out(db, keys)
        db.executemany(f"INSERT OR REPLACE INTO facts({_FACT_NAMES}) VALUES({_FACT_MARKS})", rows)
        fact_words.put_in(db, keys)


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


def load_entities(index: Index) -> list[Any]:
    """Give every entity's JSON value, by id."""
    return _values(index, "entities")


def put_entities(index: Index, entities: Iterable[tuple[str, Any]]) -> None:
    """Add entities, each in the place of the one with its id."""
    _put_values(index, "entities", entities)


def load_relations(index: Index) -> list[Any]:
    """Give every version of every relation as a JSON value, by id."""
    return _values(index, "relations")


def put_relations(index: Index, relations: Iterable[tuple[str, Any]]) -> None:
    """Add versions of relations, each in the place of the one with its id."""
    _put_values(index, "relations", relations)


def _values(index: Index, table: str) -> list[Any]:
    rows = index.connection.execute(f"SELECT json FROM {table} ORDER BY id")  # noqa: S608
    return [json.loads(spelt) for (spelt,) in rows]


def _put_values(index: Index, table: str, values: Iterable[tuple[str, Any]]) -> None:
    with index.batch() as db:
        rows = ((name, _spelt(value)) for name, value in values)
        db.executemany(f"INSERT OR REPLACE INTO {table}(id, json) VALUES(?, ?)", rows)


def load_runs(index: Index) -> dict[str, Any]:
    """Give every run's JSON value by its id, in the order they were proposed."""
    rows = index.connection.execute("SELECT id, json FROM runs ORDER BY rowid")
    return {run: json.loads(spelt) for run, spelt in rows}


def put_runs(index: Index, runs: Iterable[tuple[str, Any]]) -> None:
    """Add runs, each in the place of the one with its id."""
    with index.batch() as db:
        rows = ((run, _spelt(value)) for run, value in runs)
        db.executemany(
            "INSERT INTO runs(id, json) VALUES(?, ?) ON CONFLICT(id) DO UPDATE SET json = excluded.json", rows
        )


def scalar(index: Index, name: str, default: Any = None) -> Any:
    """Give the JSON value kept under a name."""
    row = index.connection.execute("SELECT json FROM scalars WHERE name = ?", (name,)).fetchone()
    return json.loads(row[0]) if row else default


def set_scalar(index: Index, name: str, value: Any) -> None:
    """Keep a JSON value under a name."""
    with index.batch() as db:
        db.execute("INSERT OR REPLACE INTO scalars(name, json) VALUES(?, ?)", (name, _spelt(value)))


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


def add_lines(index: Index, lines: Iterable[tuple[int, str]]) -> None:
    """Keep lines of the register as they stand, to write back those a restored copy lost."""
    with index.batch() as db:
        db.executemany("INSERT OR REPLACE INTO lines(seq, text) VALUES(?, ?)", lines)


def lines(index: Index) -> list[tuple[int, str]]:
    """Give the kept lines with their `seq`, in order."""
    return list(index.connection.execute("SELECT seq, text FROM lines ORDER BY seq"))


def _facts(rows: list[tuple[Any, ...]]) -> list[Fact]:
    """Give `Fact(*row)` for each row in half the time: by field, past a frozen class's constructor."""
    facts = [object.__new__(Fact) for _ in rows]
    for name, column in zip(FACT_FIELDS, zip(*rows, strict=True), strict=False):
        deque(map(getattr(Fact, name).__set__, facts, column), maxlen=0)
    return facts


@lru_cache(maxsize=1024)
def _record(seq: int, at: str, op: str, spelt: str) -> Record:
    """Give a record, which nobody changes: the journal asks for hundreds after each edit, all but the last again."""
    by, body, vouched = json.loads(spelt)
    return Record(seq, at, op, by, body, vouched)


def _spelt(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
