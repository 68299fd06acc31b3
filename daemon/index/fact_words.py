"""The words of facts: which facts answer a query best (R-M05), with the same stems as the notes.

The table stands in the index beside the facts and keeps no text of its own; it can be made in memory for what was
known at an earlier time. A fact is of no language that is stated: it is stemmed in each.
"""

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from functools import partial

from daemon.index.matching import misspelt, rarity, slips
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
_FACTS = "CREATE TABLE facts(id TEXT, version INTEGER, text TEXT)"
_ROW = "SELECT rowid, text FROM facts WHERE id = ? AND version = ?"
_PUT = "INSERT INTO fact_words(rowid, stems) VALUES(?, ?)"
_OUT = "INSERT INTO fact_words(fact_words, rowid, stems) VALUES('delete', ?, ?)"
_BEGINNING = "SELECT json_group_object(term, doc) FROM fact_terms WHERE term >= ? AND term < ?"
_RANKED = """SELECT facts.id, facts.version, -bm25(fact_words) AS score
    FROM fact_words JOIN facts ON facts.rowid = fact_words.rowid
    WHERE fact_words MATCH ? ORDER BY score DESC, facts.id, facts.version LIMIT ?"""


class FactWords:
    """The words of facts, to be asked; `words` gives what `beginning` does, where it is kept."""

    def __init__(self, db: sqlite3.Connection, words: Words | None = None) -> None:
        self._db, self._words = db, words or partial(beginning, db)

    def ranked(self, query: str, limit: int, near: Near = _NONE) -> list[tuple[str, int, float]]:
        """Give id, version and score of the facts that match best, best first; ties by id and version.

        The score, 0…1, is about what share of the query a fact has, its rarest words first. Every version of every
        status that has text is looked at: what may be told is for who asks to decide. A word that is `near` others
        is looked for as these.
        """
        wanted = asked(query)
        if limit < 1 or wanted.dull:
            return []
        sought = [near.get(term.plain, term.stems) for term in wanted.terms]
        stems = {stem: None for one in sought for stem in one}
        single = [f'"{term.plain}" *' for term in wanted.terms if not term.stems]
        match = " OR ".join([*(f'"{stem}"' for stem in stems), *single])
        found = self._db.execute(_RANKED, (match, limit)).fetchall()
        (total,) = self._db.execute("SELECT count(*) FROM fact_words_docsize").fetchone()
        bound = sum(min((rarity(total, self._most(stem)) for stem in one), default=1.0) for one in sought)
        return [(name, version, min(1.0, score / bound)) for name, version, score in found]

    def misspelt(self, query: str, notes: sqlite3.Connection) -> Near:
        """Give for each word of a query that neither a fact nor a note has the words of facts spelt nearly so.

        They begin with the same letter, which hands seldom miss.
        """
        reader, found = Reader(notes, None), dict[str, tuple[str, ...]]()
        for term in asked(query).terms:
            known = dict.fromkeys((*term.stems, term.plain))
            # A short word is no slip, however long the word that it is a form of.
            if term.run or not slips(term.plain):
                continue
            if any(self._most(word) or any(reader.count(word)) for word in known):
                continue
            may_be = {word: _slips(word, term.plain) for word in known}
            near = misspelt(may_be, lambda word, _: self._words(word[0]))
            found |= {term.plain: tuple(near)} if near else {}
        return found

    def _most(self, stem: str) -> int:
        """Give how many facts may have a stem; of pairs side by side, as many as have the rarest."""
        return min(self._words(word[0]).get(word, 0) for word in stem.split())


def beginning(db: sqlite3.Connection, letter: str) -> dict[str, int]:
    """Give the words of facts that begin with a letter, each with how many have it."""
    found: dict[str, int] = json.loads(db.execute(_BEGINNING, (letter, chr(ord(letter) + 1))).fetchone()[0])
    return found


def _slips(stem: str, word: str) -> int:
    """Give how many letters of a stem of a word may be wrong; one in a word of five though its stem has four."""
    return slips(stem) or int(word[:-1] == stem)


def put_in(db: sqlite3.Connection, keys: Iterable[tuple[str, int]]) -> None:
    """Add the words of versions of facts, by id and version, that were just put."""
    rows = [row for key in keys for row in db.execute(_ROW, key)]
    db.executemany(_PUT, ((row, _stems(text)) for row, text in rows))


def take_out(db: sqlite3.Connection, keys: Iterable[tuple[str, int]]) -> None:
    """Take out the words of versions of facts that are about to be replaced, where there are any."""
    rows = [row for key in keys for row in db.execute(_ROW, key)]
    db.executemany(_OUT, ((row, _stems(text)) for row, text in rows))


def fact_table(facts: Iterable[Fact]) -> sqlite3.Connection:
    """Give a connection to a table in memory of just these facts, for `FactWords`; the caller closes it."""
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
    """Give the stems of a text by each language, those of one word together: phrases stand side by side."""
    words = [word for word in cut(text or "") if not is_dull(word)]
    return " ".join(
        stem for word in words for stem in dict.fromkeys(stem_of(word, language) for language in LANGUAGES)
    )
