"""The words of facts: which facts answer a query best (R-M05), with the same stems as the notes.

The table stands in the index beside the facts and keeps no text of its own; it can be made in memory for what was
known at an earlier time. A fact is of no language that is stated: it is stemmed in each.
"""

import json
import math
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from functools import partial

from daemon.index.matching import slips, spelt_nearly
from daemon.index.reader import Reader
from daemon.index.words import LANGUAGES, asked, cut, is_dull, stem_of
from parsers.model.facts import Fact

TABLES = (
    "CREATE VIRTUAL TABLE fact_words USING fts5(stems, content='', tokenize='unicode61 remove_diacritics 2')",
    "CREATE VIRTUAL TABLE fact_terms USING fts5vocab(fact_words, row)",
)
Near = Mapping[str, tuple[str, ...]]
"""Word of a query, without case and accents → what it may stand for, as stems."""
Words = Callable[[str], Mapping[str, int]]
"""First letter → the words of facts that begin with it, each with how many have it."""
_NONE: Near = {}
_SHORTEST = 4
"""Letters of a stem of which one may be wrong."""
_FACTS = "CREATE TABLE facts(id TEXT, version INTEGER, text TEXT)"
_ROW = "SELECT rowid, text FROM facts WHERE id = ? AND version = ?"
_PUT = "INSERT INTO fact_words(rowid, stems) VALUES(?, ?)"
_OUT = "INSERT INTO fact_words(fact_words, rowid, stems) VALUES('delete', ?, ?)"
_BEGINNING = "SELECT json_group_object(term, doc) FROM fact_terms WHERE term >= ? AND term < ?"
_RANKED = """SELECT facts.id, facts.version, -bm25(fact_words) AS score
    FROM fact_words JOIN facts ON facts.rowid = fact_words.rowid
    WHERE fact_words MATCH ? ORDER BY score DESC, facts.id, facts.version LIMIT ?"""


def ranked_facts(
    db: sqlite3.Connection, query: str, limit: int, near: Near = _NONE, words: Words | None = None
) -> list[tuple[str, int, float]]:
    """Give id, version and score of the facts that match best, best first; ties by id and version.

    The score, 0…1, is about what share of the query a fact has, its rarest words first. Every version of every
    status that has text is looked at: what may be told is for who asks to decide. A word that is `near` others is
    looked for as these; `words` as for `nearly`.
    """
    wanted = asked(query)
    if limit < 1 or wanted.dull:
        return []
    sought = [near.get(term.plain, term.stems) for term in wanted.terms]
    stems = {stem: None for one in sought for stem in one}
    single = [f'"{term.plain}" *' for term in wanted.terms if not term.stems]
    match = " OR ".join([*(f'"{stem}"' for stem in stems), *single])
    found = db.execute(_RANKED, (match, limit)).fetchall()
    total, counts = (
        db.execute("SELECT count(*) FROM fact_words_docsize").fetchone()[0],
        words or partial(beginning, db),
    )
    bound = sum(
        min((_rarity(counts(stem[0]).get(stem, 0), total) for stem in one), default=1.0) for one in sought
    )
    return [(name, version, min(1.0, score / bound)) for name, version, score in found]


def nearly(
    db: sqlite3.Connection,
    query: str,
    notes: sqlite3.Connection,
    words: Words | None = None,
) -> Near:
    """Give for each word of a query that neither a fact nor a note has the words of facts that are spelt nearly so.

    They begin with the same letter, which hands seldom miss. `words` gives what `beginning` does, where it is kept.
    """
    reader, found = Reader(notes, None), dict[str, tuple[str, ...]]()
    there = words or partial(beginning, db)
    for term in asked(query).terms:
        known, most = dict.fromkeys((*term.stems, term.plain)), 0 if term.run else slips(term.plain)
        if most and not any(word in there(word[0]) or any(reader.count(word)) for word in known):
            near = _near(there, [word for word in known if len(word) >= _SHORTEST], most)
            found |= {term.plain: near} if near else {}
    return found


def beginning(db: sqlite3.Connection, letter: str) -> dict[str, int]:
    """Give the words of facts that begin with a letter, each with how many have it."""
    found: dict[str, int] = json.loads(db.execute(_BEGINNING, (letter, chr(ord(letter) + 1))).fetchone()[0])
    return found


def _near(there: Words, words: Iterable[str], most: int) -> tuple[str, ...]:
    near: dict[str, int] = {}
    for word in words:
        for other, gap in spelt_nearly(word, there(word[0]), most).items():
            near[other] = min(gap, near.get(other, gap))
    return tuple(sorted(near, key=lambda other: (near[other], other)))


def put_in(db: sqlite3.Connection, keys: Iterable[tuple[str, int]]) -> None:
    """Add the words of versions of facts, by id and version, that were just put."""
    rows = [row for key in keys for row in db.execute(_ROW, key)]
    db.executemany(_PUT, ((row, _stems(text)) for row, text in rows))


def take_out(db: sqlite3.Connection, keys: Iterable[tuple[str, int]]) -> None:
    """Take out the words of versions of facts that are about to be replaced, where there are any."""
    rows = [row for key in keys for row in db.execute(_ROW, key)]
    db.executemany(_OUT, ((row, _stems(text)) for row, text in rows))


def fact_table(facts: Iterable[Fact]) -> sqlite3.Connection:
    """Give a connection to a table in memory of just these facts, for `ranked_facts`; the caller closes it."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    for statement in (_FACTS, *TABLES):
        db.execute(statement)
    for row, fact in enumerate(facts, 1):
        db.execute(
            "INSERT INTO facts(rowid, id, version, text) VALUES(?, ?, ?, ?)",
            (row, fact.id, fact.version, fact.text),
        )
        db.execute(_PUT, (row, _stems(fact.text)))
    return db


def _stems(text: str) -> str:
    words = [word for word in cut(text or "") if not is_dull(word)]
    return " ".join(dict.fromkeys(stem_of(word, language) for language in LANGUAGES for word in words))


def _rarity(count: int, total: int) -> float:
    """Give what a word that so many facts have scores at least; one that none has is the rarest."""
    return max(math.log((total - count + 0.5) / (count + 0.5)), 1e-6) if count <= total else 1e-6
