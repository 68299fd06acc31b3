"""What matches a query, and how well: scores of blocks and of whole notes, before anything of them is read.

Which blocks have which word is looked up first; only blocks that have enough of the rare ones are scored. How well a
note answers as a whole follows from how many of its blocks have each word.

The query is data: its words are handed to FTS5 as quoted strings, joined by OR, over all columns at once. What is
private stands in a file of its own and is scored as if it stood among the rest.
"""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import islice, pairwise

from daemon.index.likely import Heard, likely, looked_up
from daemon.index.reader import Reader
from daemon.index.schema import ROW_BITS
from daemon.index.words import Asked, Term, asked, cut

_MATCHES = "SELECT count(*) FROM {file}words WHERE words MATCH ?"
_PARTS = "SELECT word FROM {file}vocabulary WHERE id IN (SELECT rowid FROM {file}parts WHERE parts MATCH ?)"
_SURE = 1.5
"""What a word that stands once in a block of usual length scores, as it is and by its stem, beside its rarity."""
_EXACT = 0.5
"""What a word adds, beside its rarity, that stands there as it was asked for."""
_DULL_BOUND = 10.0
"""What a query of which no word says anything asks for: a block that has them all answers a tenth of it."""
_BY_PARTS = 0.5
_FEW_OTHERS = 3
_MOST_OTHERS = 12


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
    words = [_heard(reader, term, total) for term in wanted.terms]
    found = _found(reader, wanted, words, most, days)
    found.bound = sum(one.rare for one in words) * _SURE
    found.exact = {one.exact: one.rare * _EXACT for one in words if one.exact}
    found.names = frozenset(term.plain for term in wanted.terms if term.named)
    if len(found.blocks) < most:
        _add_parts(reader, wanted, found, most)
    return found


def _as_they_stand(reader: Reader, wanted: Asked, most: int) -> Matched:
    """Give the first blocks, by path, that have every word of a query of which none says anything, then any word."""
    found = Matched()
    words = {term.written for term in wanted.terms}
    for file in reader.files if words else ():
        rows = _standing(reader, words, len(words), file, most)
        if len(rows) <= most and len(words) > 1:
            rows = {**_standing(reader, words, 1, file, most), **rows}
        found.blocks.update(rows)
        found.more |= len(rows) > most
    found.bound = _DULL_BOUND
    return found


def _standing(reader: Reader, words: set[str], least: int, file: str, most: int) -> dict[int, float]:
    """Give the first blocks of a file that have at least so many of some words, scored by how many they have."""
    every = len(words)
    there = reader.having(max(words, key=len) if least == every else "", file)
    counts = ((row, len(words & {word.rstrip("'") for word in cut(text)})) for row, text in there)
    # Half at most for some of them, or a note with several such blocks would come before one that has all.
    scores = ((row, 1.0 if has == every else has / every / 2) for row, has in counts if has >= least)
    return dict(islice(scores, most + 1))


def _found(
    reader: Reader, wanted: Asked, words: list[Heard], most: int, days: Sequence[tuple[str, str]]
) -> Matched:
    found, phrases = Matched(), _phrases(wanted, words)
    if not phrases:
        return found
    either = " OR ".join(phrases)
    among = likely(reader, words, most)
    timely = [row for span in days for row in _of_days(reader, words, most, span)]
    if among is not None and timely:  # in one go: to go through all that match is what takes long
        among = list({*among, *timely})
        rows = reader.best(either, len(among), among)
    else:
        rows = reader.best(either, most, among)
        rows += reader.best(either, most, timely) if timely else []
    found.blocks, found.more = dict(rows), len(rows) >= most
    if len(reader.files) > 1:
        found.blocks.update(_private(reader, phrases))
    notes = sum(reader.size("notes", file) for file in reader.files)
    found.heard = [(one.counts, rarity(notes, len(one.counts))) for one in words]
    return found


def _of_days(reader: Reader, words: Sequence[Heard], most: int, days: tuple[str, str]) -> Collection[int]:
    """Give the blocks worth scoring of notes of some days."""
    notes = reader.notes_of(days)
    there = [one._replace(rows=[row for row in one.rows if row >> ROW_BITS in notes]) for one in words]
    rows = likely(reader, there, most)
    return {row for one in there for row in one.rows} if rows is None else rows


def _phrases(wanted: Asked, words: Sequence[Heard]) -> list[str]:
    """Give what to look for: words that some block has, and such as stand side by side in the query."""
    there = dict.fromkeys(form for one in words if one.rows for form in one.forms)
    pairs = (one for one in wanted.phrases if all(f'"{word}"' in there for word in one.split()))
    return [*there, *(f'"{one}"' for one in pairs)]


def _heard(reader: Reader, term: Term, total: int) -> Heard:
    """Look a word up; one that no block has, as what is spelt nearly so."""
    forms = [f'"{stem}"' for stem in term.stems] or [f'"{term.plain}" *']
    rows, counts = looked_up(reader, forms)
    rare = rarity(total, len(rows))
    if not rows and not term.run and (near := _nearly(reader, term)):
        forms += [f'"{word}"' for word in near]
        rows, counts = looked_up(reader, forms)
    return Heard(forms, rows, counts, rare, None if term.run or term.plain in term.stems else term.written)


def rarity(rows: int, found: int) -> float:
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
        weight = rarity(sum(sizes), common + own) / rarity(sizes[1], own)
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
    """Give the words of the index that one it has not may stand for."""
    words = {word: slips(word) for word in (*term.stems, term.plain)}
    found = misspelt(words, lambda word, most: _having(reader, _pieces(word, most)))
    return _there(reader, found, _FEW_OTHERS)


def misspelt(words: Mapping[str, int], there: Callable[[str, int], Iterable[str]]) -> list[str]:
    """Give what differs from one of some words by at most as many letters as may be wrong in it, the nearest first.

    What there is to compare it with is asked for each.
    """
    gaps: dict[str, int] = {}
    for word, most in words.items():
        if most:
            for other, gap in _spelt_nearly(word, there(word, most), most):
                gaps[other] = min(gap, gaps.get(other, gap))
    return sorted(gaps, key=lambda other: (gaps[other], other))


def _spelt_nearly(word: str, others: Iterable[str], most: int) -> list[tuple[str, int]]:
    """Give those of some words that differ from a word by at most so many letters, each with how many."""
    from rapidfuzz.distance import OSA  # noqa: PLC0415 - only for a word that is not known
    from rapidfuzz.process import extract  # noqa: PLC0415

    near = extract(word, list(others), scorer=OSA.distance, score_cutoff=most, limit=None)
    return [(other, int(gap)) for other, gap, _ in near]


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
