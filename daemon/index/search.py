"""Search over the blocks of all notes: read only, and light, as the command that searches must start fast.

The query is data. Each of its words is handed to FTS5 as a quoted string, joined by OR without the words that
say nothing, and ranked by bm25 over all columns at once; blocks that hold every word are lifted.
"""

import math
import re
import sqlite3
import unicodedata
from typing import NamedTuple

from daemon.index.pairs import pairs, runs

_MOST_WORDS = 32
_BETWEEN = re.compile(r'[\s\0:;,!?(){}\[\]<>|=*^~"«»“”…]+')
"""What stands between words; other signs inside a word make it a phrase, as in `M8-40`."""
_ALL_WORDS = 2.0
_ROW_BITS = 20
_PRIVATE, _PRIVATE_FROM = "private.", 1 << 60
"""The file of private notes, if it is open, and the first row that stands in it."""
# Weights: title and headings, the block, its pairs of characters. Snippets only for what is shown.
_RANKED = """SELECT rowid, bm25(words, 0.4, 1.0, 1.0) AS score
    FROM {file}words WHERE words MATCH ?{where} ORDER BY score LIMIT ?"""
_BELOW = """ AND rowid >> 20 IN (
        SELECT id FROM {file}notes WHERE path >= ? AND path < ?
        UNION SELECT id FROM {file}notes WHERE path >= ? AND path < ?)"""
_NO_AGENT = " AND rowid >> 20 NOT IN (SELECT id FROM notes WHERE path >= ? AND path < ?)"
_NOT_OUTSIDE = " AND rowid >> 20 NOT IN (SELECT id FROM notes WHERE sensitivity <> 'normal')"
_HIT = """SELECT notes.path, notes.title, blocks.heading, blocks.line, blocks.block_id, notes.verified,
    notes.provenance, notes.sensitivity
    FROM {file}blocks AS blocks JOIN {file}notes AS notes ON notes.id = blocks.id >> 20 WHERE blocks.id = ?"""
_SNIPPET = "SELECT snippet(words, 1, '', '', '…', 16) FROM {file}words WHERE words MATCH ? AND rowid = ?"

_ARTICLES = "c d j l m n qu s t jusqu lorsqu puisqu quoiqu"
_ELIDED = frozenset(_ARTICLES.split())
_DULL = """
    a à au aux avec ce ces cet cette dans de des du elle en et eux il ils je la le les leur lui ma mais me
    mes moi mon ne nos notre nous on ou où par pas pour qu que qui sa se ses son sur ta te tes toi ton tu un
    une vos votre vous y est sont an and are as at be by for from has have how i in is it its not of or that
    the this to was were what when where which who will with
"""
_STOP_WORDS = frozenset(_DULL.split())


class Hit(NamedTuple):
    """The best block of one note."""

    path: str
    title: str
    heading: str
    """Headings above the block, outermost first, joined by ` > `."""
    line: int
    """1-based line the block starts on."""
    block_id: str | None
    snippet: str
    score: float
    """Higher is better; comparable within one search only."""
    verified: bool
    """False when the last listing could not see the note."""
    provenance: str = "vault"
    """Where the note came from, as folders and properties say."""
    sensitivity: str = "normal"


def search(
    db: sqlite3.Connection,
    query: str,
    limit: int = 10,
    folder: str | None = None,
    *,
    agent: bool = False,
    external: bool = False,
) -> list[Hit]:
    """Give the best notes for the words of a query, each with its best block.

    Any string is legal; one without a word finds nothing. Equal scores are ordered by path, so the same vault
    gives the same list, however its index came about. An `agent` finds nothing private nor in the assistant folder,
    a reader that is `external` nothing private or sensitive (R-P04).
    """
    words = _words(query)
    if not words or limit < 1:
        return []
    below = () if folder is None else _spans(folder)
    either = " OR ".join(words)
    where, values = _BELOW if below else "", below
    if agent:
        from config.paths import NAMES  # noqa: PLC0415 - the person's search starts without

        where, values = where + _NO_AGENT, (*values, f"{NAMES.assistant}/", f"{NAMES.assistant}0")
    if external:
        where += _NOT_OUTSIDE
    query = _RANKED.format(file="", where=where.format(file=""))
    scores = dict(_best(db, query, (either, *values), limit))
    if len(words) > 1:
        for row, score in _best(db, query, (" AND ".join(words), *values), limit):
            scores[row] = score * _ALL_WORDS
    if not (agent or external) and _has_private(db):
        scores.update(_private(db, words, below))
    return _hits(db, either, scores, limit)


def _has_private(db: sqlite3.Connection) -> bool:
    return any(f"{name}." == _PRIVATE for _, name, _ in db.execute("PRAGMA database_list"))


def _private(db: sqlite3.Connection, words: list[str], below: tuple[str, ...]) -> dict[int, float]:
    """Give the private rows that have any of the words, scored as if they stood among all the others.

    bm25 adds up over words, and weighs each by how rare it is in its own file: that part is exchanged.
    """
    query = _RANKED.format(file=_PRIVATE, where=_BELOW.format(file=_PRIVATE) if below else "")
    files = ("", _PRIVATE)
    rows = [db.execute(f"SELECT count(*) FROM {file}words_docsize").fetchone()[0] for file in files]  # noqa: S608
    scores: dict[int, float] = {}
    every: set[int] | None = None
    for word in words:
        counts = (f"SELECT count(*) FROM {file}words WHERE words MATCH ?" for file in files)  # noqa: S608
        common, own = (db.execute(count, (word,)).fetchone()[0] for count in counts)
        weight = _rarity(sum(rows), common + own) / _rarity(rows[1], own)
        found = {row: -score * weight for row, score in db.execute(query, (word, *below, -1))}
        for row, score in found.items():
            scores[row] = scores.get(row, 0.0) + score
        every = set(found) if every is None else every.intersection(found)
    both = (every or set()) if len(words) > 1 else set()
    return {row: score * (_ALL_WORDS if row in both else 1.0) for row, score in scores.items()}


def _rarity(rows: int, found: int) -> float:
    """Give the weight of a word as FTS5 computes it."""
    weight = math.log((rows - found + 0.5) / (found + 0.5))
    return weight if weight > 0 else 1e-6


def _best(db: sqlite3.Connection, query: str, values: tuple[str, ...], limit: int) -> list[tuple[int, float]]:
    """Give rows and scores of at least the best `limit` notes, and of all that ties with the last of them."""
    most = 4 * limit
    while True:
        found = [(row, -score) for row, score in db.execute(query, (*values, most))]
        if len(found) < most or _is_enough(found, limit):
            return found
        most *= 4


def _is_enough(found: list[tuple[int, float]], limit: int) -> bool:
    """Tell whether the notes that count all score better than the last row that was looked at."""
    seen: set[int] = set()
    for row, score in found:
        seen.add(row >> _ROW_BITS)
        if len(seen) == limit:
            return score > found[-1][1]
    return False


def _hits(db: sqlite3.Connection, match: str, scores: dict[int, float], limit: int) -> list[Hit]:
    best: dict[int, tuple[float, int]] = {}
    for row, score in scores.items():
        note, place = row >> _ROW_BITS, (-score, row)
        best[note] = min(place, best.get(note, place))
    order = sorted(best.values())
    last = order[min(limit, len(order)) - 1][0] if order else 0.0
    tied = [
        (score, row, db.execute(_HIT.format(file=_file(row)), (row,)).fetchone())
        for score, row in order
        if score <= last
    ]
    tied.sort(key=lambda found: (found[0], found[2][0]))
    return [_hit(db, match, row, -score, columns) for score, row, columns in tied[:limit]]


def _hit(
    db: sqlite3.Connection,
    match: str,
    row: int,
    score: float,
    columns: tuple[str, str, str, int, str, int, str, str],
) -> Hit:
    path, title, heading, line, block_id, verified, *kind = columns
    snippet = " ".join(db.execute(_SNIPPET.format(file=_file(row)), (match, row)).fetchone()[0].split())
    return Hit(path, title, heading, line, block_id, snippet, score, bool(verified), *kind)


def _file(row: int) -> str:
    return _PRIVATE if row >= _PRIVATE_FROM else ""


def _words(query: str) -> list[str]:
    """Give the words of a query as quoted FTS5 strings, each once."""
    words: dict[str, None] = {}
    dull: dict[str, None] = {}
    for word in _BETWEEN.split(query.encode("utf-8", "replace").decode()):
        for part in _parts(_without_elision(word)):
            (dull if _bare(part) in _STOP_WORDS else words)[part] = None
    return [_quoted(word) for word in list(words or dull)[:_MOST_WORDS]]


def _parts(word: str) -> list[str]:
    """Cut a word into what the index can find: a run of Chinese or Japanese apart from what surrounds it."""
    parts, rest = [], word
    for run in runs(word):
        before, _, rest = rest.partition(run)
        parts += [before, run]
    return [part for part in (*parts, rest) if any(map(str.isalnum, part))]


def _quoted(part: str) -> str:
    if not runs(part):
        escaped = part.replace('"', '""')
        return f'"{escaped}"'
    if len(part) == 1:
        return f'pairs : "{part}" *'
    return f'pairs : "{pairs(part).rpartition(" ")[0]}"'


def _without_elision(word: str) -> str:
    """Give `été` for `l'été`: the article is joined to its word, but says nothing."""
    before, mark, after = word.replace("’", "'").partition("'")
    return after if mark and _bare(before) in _ELIDED else word


def _bare(word: str) -> str:
    return "".join(filter(str.isalnum, word)).casefold()


def _spans(folder: str) -> tuple[str, ...]:
    """Give between which paths the notes below a folder stand, for both ways of composing its name."""
    name, spans = folder.strip("/"), []
    for form in ("NFC", "NFD"):
        spelt = unicodedata.normalize(form, name)
        # Paths that start with `folder/` stand before `folder0`.
        spans += [f"{spelt}/", f"{spelt}0"] if name else ["", "\U0010ffff"]
    return tuple(spans)
