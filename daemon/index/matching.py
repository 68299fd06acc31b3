"""What matches a query, and how well: scores of blocks and of whole notes, before anything of them is read.

Which blocks have which word is looked up first; only blocks that have enough of the rare ones are scored. How well a
note answers as a whole follows from how many of its blocks have each word.

The query is data: its words are handed to FTS5 as quoted strings, joined by OR, over all columns at once. What is
private stands in a file of its own and is scored as if it stood among the rest.
"""

import json
import math
import sqlite3
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice, pairwise
from typing import Any, NamedTuple

from daemon.index.words import Asked, Term, asked, cut

ROW_BITS = 20
PRIVATE, PRIVATE_FROM = "private.", 1 << 40
"""As in `schema`, which a search starts without."""
_PRIVATE_ROWS = PRIVATE_FROM << ROW_BITS

_WEIGHTS = "1.0, 0.5, 0.35"
"""Of the block, its heads, its neighbours."""
_NOTE = f"rowid >> {ROW_BITS}"
_RANKED = f"""SELECT rowid, bm25(words, {_WEIGHTS}) AS score
    FROM {{file}}words WHERE words MATCH ?{{where}} ORDER BY score LIMIT ?"""  # noqa: S608 - numbers of ours
_ROWS = "SELECT json_group_array(rowid) FROM {file}words WHERE words MATCH ?{where}"
"""All in one row: a row for each block takes twice as long."""
_AMONG = " AND +rowid IN (SELECT value FROM json_each(?))"
"""With a `+`, or SQLite asks the word table once for each."""
_BELOW = """ AND {note} IN (
        SELECT id FROM {file}notes WHERE path >= ? AND path < ?
        UNION SELECT id FROM {file}notes WHERE path >= ? AND path < ?)"""
_NO_AGENT = " AND {note} NOT IN (SELECT id FROM {file}notes WHERE path >= ? AND path < ?)"
_NOT_OUTSIDE = " AND {note} NOT IN (SELECT id FROM {file}notes WHERE sensitivity <> 'normal')"
_OF_DAYS = " AND {note} IN (SELECT id FROM {file}notes WHERE day >= ? AND day < ?)"
_SEEN = "SELECT id FROM {file}notes WHERE TRUE"
TEXTS = "SELECT id, text FROM {file}blocks WHERE id IN (SELECT value FROM json_each(?))"
_HAVING = f"""SELECT blocks.id, text FROM {{file}}notes AS notes CROSS JOIN {{file}}blocks AS blocks
    ON blocks.id >= notes.id << {ROW_BITS} AND blocks.id < (notes.id + 1) << {ROW_BITS}
    WHERE text LIKE ?{{where}} ORDER BY path, blocks.id"""  # noqa: S608 - a number of ours
_COUNT = "SELECT doc FROM {file}terms WHERE term = ?"
_MATCHES = "SELECT count(*) FROM {file}words WHERE words MATCH ?"
_SIZE = "SELECT count(*) FROM {file}{table}"
_PARTS = "SELECT word FROM {file}vocabulary WHERE id IN (SELECT rowid FROM {file}parts WHERE parts MATCH ?)"
_SURE = 1.5
"""What a word that stands once in a block of usual length scores, as it is and by its stem, beside its rarity."""
_EXACT = 0.5
"""What a word adds, beside its rarity, that stands there as it was asked for."""
_DULL_BOUND = 10.0
"""What a query of which no word says anything asks for: a block that has them all answers a tenth of it."""
_MANY, _SPARE = 600, 2
"""From so many blocks on only the likely ones are scored; how many times as many as are wanted."""
_BY_PARTS = 0.5
_FEW_OTHERS = 3
_MOST_OTHERS = 12


class Reader:
    """Who reads, and what of the index they see."""

    def __init__(
        self, db: sqlite3.Connection, folder: str | None, *, agent: bool = False, external: bool = False
    ) -> None:
        self.db, self._where, self._values = db, "", tuple[str, ...]()
        self.files: tuple[str, ...] = ("",)
        if not (agent or external) and any(
            f"{name}." == PRIVATE for _, name, _ in db.execute("PRAGMA database_list")
        ):
            self.files = ("", PRIVATE)
        if folder is not None:
            self._where, self._values = _BELOW, _spans(folder)
        if agent:
            from config.paths import NAMES  # noqa: PLC0415 - the person's search starts without

            self._where += _NO_AGENT
            self._values = (*self._values, f"{NAMES.assistant}/", f"{NAMES.assistant}0")
        if external:
            self._where += _NOT_OUTSIDE

    def rows(self, match: str, file: str) -> list[int]:
        """Give the rows of blocks that match."""
        where = self._where.format(file=file, note=_NOTE)
        (found,) = self.db.execute(_ROWS.format(file=file, where=where), (match, *self._values)).fetchone()
        rows: list[int] = json.loads(found)
        return rows

    def best(
        self, match: str, most: int, among: Collection[int] | None = None, days: tuple[str, ...] = ()
    ) -> list[tuple[int, float]]:
        """Give rows and scores of the best `most` blocks, and of all that tie with the last of them."""
        where = (self._where + (_OF_DAYS if days else "")).format(file="", note=_NOTE)
        values = (match, *self._values, *days)
        if among is not None:
            where, values = where + _AMONG, (*values, json.dumps(list(among)))
        wanted = 2 * most
        while True:
            rows = self.db.execute(_RANKED.format(file="", where=where), (*values, wanted)).fetchall()
            if len(rows) < wanted or rows[most - 1][1] < rows[-1][1]:
                break
            wanted *= 4
        last = rows[most - 1][1] if most <= len(rows) else 0.0
        return [(row, -score) for row, score in rows if score <= last]

    def private(self, match: str) -> list[tuple[int, float]]:
        """Give rows and scores of everything private that matches."""
        where = self._where.format(file=PRIVATE, note=_NOTE)
        rows = self.db.execute(
            _RANKED.format(file=PRIVATE, where=where), (match, *self._values, -1)
        ).fetchall()
        return [(row, -score) for row, score in rows]

    def count(self, term: str) -> list[int]:
        """Give in how many blocks a word stands, in each file."""
        found = (self.db.execute(_COUNT.format(file=file), (term,)).fetchone() for file in self.files)
        return [row[0] if row else 0 for row in found]

    def notes(self) -> set[int] | None:
        """Give the notes that are seen; None: all that are in the files which are open."""
        if not self._where:
            return None
        query = _SEEN + self._where
        files = (query.format(file=file, note="id") for file in self.files)
        return {note for one in files for (note,) in self.db.execute(one, self._values)}

    def having(self, word: str, file: str) -> Iterator[tuple[int, str]]:
        """Give blocks and their texts, by path and place, that may have a word; what is not ASCII is not looked at."""
        like = f"%{word if word.isascii() else ''}%"
        where = self._where.format(file=file, note="notes.id")
        return self.db.execute(_HAVING.format(file=file, where=where), (like, *self._values))

    def size(self, table: str, file: str) -> int:
        """Give the number of rows of a table."""
        return int(self.db.execute(_SIZE.format(file=file, table=table)).fetchone()[0])


class Matched:
    """What matches a query."""

    def __init__(self) -> None:
        self.blocks: dict[int, float] = {}
        """Score of each block, by row."""
        self.heard: list[tuple[Counter[int], float]] = []
        """Of each word of the query: in how many of its blocks each note has it, and how rare it is among notes."""
        self.bound = 0.0
        """About what a block scores that has every word of the query once; 0 where that is not known."""
        self.exact: dict[str, float] = {}
        """What a word adds to a block that has it as it is asked for: a stem is also that of other words."""
        self.names: frozenset[str] = frozenset()
        """Words of the query that are written like names."""
        self.by_parts: dict[int, float] = {}
        """Blocks that only parts of words lead to, and what that counts."""
        self.more = False
        """Whether there are blocks that were not looked at."""


class _Heard(NamedTuple):
    """One word of a query."""

    forms: list[str]
    """What it is looked for as, quoted."""
    rows: list[int]
    """Blocks that have it."""
    rare: float
    exact: str | None
    """As it is written, where that is not its stem."""


def matched(
    reader: Reader, query: str, limit: int, most: int, days: Sequence[tuple[str, str]] = ()
) -> Matched:
    """Give at least the best `most` blocks that have a word of a query, of notes of `days` some more.

    Of a query of which no word says anything, only as many as are shown: `limit`.
    """
    wanted = asked(query)
    if wanted.dull:
        return _as_they_stand(reader, wanted, limit)
    total = sum(reader.size("words_docsize", file) for file in reader.files)
    heard = [_heard(reader, term, total) for term in wanted.terms]
    found = _found(reader, wanted, heard, most, days)
    found.bound = sum(one.rare for one in heard) * _SURE
    found.exact = {one.exact: one.rare * _EXACT for one in heard if one.exact}
    if len(found.blocks) < most:
        _add_parts(reader, wanted, found, most)
    return found


def _as_they_stand(reader: Reader, wanted: Asked, most: int) -> Matched:
    """Give the first blocks, by path, that have every word of a query of which none says anything."""
    found = Matched()
    words = {term.written for term in wanted.terms}
    for file in reader.files if words else ():
        there = (
            row
            for row, text in reader.having(max(words, key=len), file)
            if words <= {word.rstrip("'") for word in cut(text)}
        )
        rows = list(islice(there, most + 1))
        found.blocks.update(dict.fromkeys(rows, 1.0))
        found.more |= len(rows) > most
    found.bound = _DULL_BOUND
    return found


def _found(
    reader: Reader, wanted: Asked, heard: list[_Heard], most: int, days: Sequence[tuple[str, str]]
) -> Matched:
    forms = (form for one in heard for form in one.forms)
    phrases = list(dict.fromkeys((*forms, *(f'"{phrase}"' for phrase in wanted.phrases))))
    either = " OR ".join(phrases)
    rows = reader.best(either, most, _likely(reader, heard, most))
    found = Matched()
    found.blocks, found.more = dict(rows), len(rows) >= most
    for span in days:
        found.blocks.update(reader.best(either, most, days=span))
    if len(reader.files) > 1:
        found.blocks.update(_private(reader, phrases))
    notes = sum(reader.size("notes", file) for file in reader.files)
    of_notes = (Counter([row >> ROW_BITS for row in one.rows]) for one in heard)
    found.heard = [(counts, _rarity(notes, len(counts))) for counts in of_notes]
    found.names = frozenset(term.plain for term in wanted.terms if term.named)
    return found


def _heard(reader: Reader, term: Term, total: int) -> _Heard:
    """Look a word up; one that no block has, as what is spelt nearly so."""
    forms = [f'"{stem}"' for stem in term.stems] or [f'"{term.plain}" *']
    rows = _having_one(reader, forms)
    rare = _rarity(total, len(rows))
    if not rows and not term.run and (near := _nearly(reader, term)):
        forms += [f'"{word}"' for word in near]
        rows = _having_one(reader, forms)
    return _Heard(forms, rows, rare, None if term.run or term.plain in term.stems else term.written)


def _having_one(reader: Reader, forms: Sequence[str]) -> list[int]:
    """Give the blocks that have one of some words, not only their neighbours."""
    match = f"{{stems head}} : ({' OR '.join(forms)})"
    return [row for file in reader.files for row in reader.rows(match, file)]


def _likely(reader: Reader, heard: list[_Heard], most: int) -> list[int] | None:
    """Give the blocks worth scoring: those whose words are the rarest together; None where all are, being few.

    Of too many that are alike in that, those that have a word in their heads too, and those of the notes that have
    the most of them.
    """
    said = [one for one in heard if one.rows]
    if sum(len(one.rows) for one in said) < _MANY:
        return None
    enough = _SPARE * most
    weights, least = _weights(said, enough)
    above = [row for row, weight in weights.items() if weight > least]
    tied = [row for row, weight in weights.items() if weight == least]
    if len(tied) > 2 * enough:
        tied = list(_fullest(tied, enough - len(above)) | (_headed(reader, said) & set(tied)))
    return [row for row in (*above, *tied) if row < _PRIVATE_ROWS]


def _weights(said: Sequence[_Heard], enough: int) -> tuple[dict[int, float], float]:
    """Give how rare what each block has is, and of how much the best `enough` have at least; rarest words first.

    Blocks that could not be among those by what is left are not looked at any more.
    """
    weights: dict[int, float] = {}
    left, least = sum(one.rare for one in said), 0.0
    for one in sorted(said, key=lambda one: -one.rare):
        rare = one.rare
        if not weights:
            weights = dict.fromkeys(one.rows, rare)
        elif left < least:
            for row in weights.keys() & set(one.rows):
                weights[row] += rare
        else:
            for row in one.rows:
                weights[row] = weights.get(row, 0.0) + rare
        left -= rare
        least = _nth(weights.values(), enough)
    return weights, least


def _nth(values: Collection[float], number: int) -> float:
    """Give the value that so many have at least; 0 where there are not so many."""
    alike = Counter(values)
    for value in sorted(alike, reverse=True):
        number -= alike[value]
        if number <= 0:
            return value
    return 0.0


def _fullest(rows: Collection[int], enough: int) -> set[int]:
    """Give those of the notes that have the most of them, at least so many: of notes alike in that, all."""
    of_notes = [row >> ROW_BITS for row in rows]
    counts = Counter(of_notes)
    least = _nth([count for count in counts.values() for _ in range(count)], enough)
    full = {note for note, count in counts.items() if count >= least}
    return {row for row, note in zip(rows, of_notes, strict=True) if note in full}


def _headed(reader: Reader, heard: Iterable[_Heard]) -> set[int]:
    """Give the blocks that have a word themselves and one in their heads."""
    either = " OR ".join(form for one in heard for form in one.forms)
    return set(reader.rows(f"({{stems}} : ({either})) AND ({{head}} : ({either}))", ""))


def _rarity(rows: int, found: int) -> float:
    """Give the weight of a word as FTS5 computes it."""
    weight = math.log((rows - found + 0.5) / (found + 0.5)) if found < rows else 0.0
    return weight if weight > 0 else 1e-6


def _private(reader: Reader, phrases: Iterable[str]) -> dict[int, float]:
    """Give the private rows that have any of the phrases, scored as if they stood among all the others.

    bm25 adds up over phrases, and weighs each by how rare it is in its own file: that part is exchanged.
    """
    sizes = [reader.size("words_docsize", file) for file in reader.files]
    scores: dict[int, float] = {}
    for phrase in phrases:
        rows = reader.private(phrase)
        if not rows:
            continue
        counts = (_MATCHES.format(file=file) for file in reader.files)
        common, own = (reader.db.execute(count, (phrase,)).fetchone()[0] for count in counts)
        weight = _rarity(sum(sizes), common + own) / _rarity(sizes[1], own)
        for row, score in rows:
            scores[row] = scores.get(row, 0.0) + score * weight
    return scores


def _add_parts(reader: Reader, wanted: Asked, found: Matched, most: int) -> None:
    """Add the blocks that have words of which a word of the query is a part; they come after all others."""
    others = [word for term in wanted.terms if not term.run for word in _containing(reader, term.plain)]
    if not others:
        return
    phrases = [f'"{word}"' for word in dict.fromkeys(others)]
    blocks = dict(reader.best(" OR ".join(phrases), most))
    if len(reader.files) > 1:
        blocks.update(_private(reader, phrases))
    new = {row: score for row, score in blocks.items() if row not in found.blocks}
    if not new:
        return
    best = max(new.values())
    least = min(found.blocks.values(), default=0.0) or best
    for row, score in new.items():
        found.blocks[row] = least * score / best
        found.by_parts[row] = _BY_PARTS


def _nearly(reader: Reader, term: Term) -> list[str]:
    """Give the words of the index that differ from one it has not by a letter, two where it is long."""
    found: dict[str, None] = {}
    for word in dict.fromkeys((*term.stems, term.plain)):
        most = slips(word)
        if not most:
            continue
        from rapidfuzz.distance import OSA  # noqa: PLC0415 - only for a word that is not known

        near = (
            (OSA.distance(word, other, score_cutoff=most), other)
            for other in _having(reader, _pieces(word, most))
            if abs(len(other) - len(word)) <= most
        )
        found.update((other, None) for gap, other in sorted(near) if gap <= most)
    return _there(reader, found, _FEW_OTHERS)


def slips(word: str) -> int:
    """Give how many letters of a word may be wrong for it to be still the same."""
    if len(word) < 5 or not word.isalpha():
        return 0
    return 1 if len(word) < 9 else 2


def _pieces(word: str, most: int) -> list[str]:
    """Give parts of which a word with that many letters wrong keeps at least one, but where the parts meet."""
    count = most + 1
    cuts = [len(word) * part // count for part in range(count + 1)]
    pieces = [word[first:after] for first, after in pairwise(cuts)]
    middle = len(word) // 2
    return [
        piece for piece in (*pieces, word[:3], word[-3:], word[middle - 2 : middle + 2]) if len(piece) >= 3
    ]


def _containing(reader: Reader, word: str) -> list[str]:
    if len(word) < 4 or not word.isalpha():
        return []
    others = sorted((len(other), other) for other in _having(reader, [word]) if other != word)
    return _there(reader, [other for _, other in others], _MOST_OTHERS)


def _having(reader: Reader, pieces: Iterable[str]) -> set[str]:
    either = " OR ".join(f'"{piece}"' for piece in dict.fromkeys(pieces))
    rows = (reader.db.execute(_PARTS.format(file=file), (either,)).fetchall() for file in reader.files)
    return {word for found in rows for (word,) in found}


def _there(reader: Reader, words: Iterable[str], most: int) -> list[str]:
    """Give the first words that a block has: the vocabulary remembers some that none has any more."""
    found = []
    for word in words:
        if any(reader.count(word)):
            found.append(word)
            if len(found) == most:
                break
    return found


def _spans(folder: str) -> tuple[str, ...]:
    """Give between which paths the notes below a folder stand, for both ways of composing its name."""
    name, spans = folder.strip("/"), []
    for form in ("NFC", "NFD"):
        spelt = unicodedata.normalize(form, name)
        # Paths that start with `folder/` stand before `folder0`.
        spans += [f"{spelt}/", f"{spelt}0"] if name else ["", "\U0010ffff"]
    return tuple(spans)


def from_files(
    db: sqlite3.Connection, query: str, ids: Iterable[int], private_from: int
) -> list[tuple[Any, ...]]:
    """Give the rows with some ids from the file each stands in."""
    found, every = [], list(ids)
    for file, there in (
        ("", [one for one in every if one < private_from]),
        (PRIVATE, [one for one in every if one >= private_from]),
    ):
        if there:
            found += db.execute(query.format(file=file), (json.dumps(there),)).fetchall()
    return found
