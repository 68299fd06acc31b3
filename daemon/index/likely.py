"""Which blocks are worth scoring, told from which blocks have which word: nothing of them is read.

To score a block costs five times what it costs to find it. Where many have a word of a query, those are scored whose
words are the rarest together, and of too many alike those of notes that are about it.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from daemon.index.reader import Reader
from daemon.index.schema import PRIVATE_ROWS, ROW_BITS

_MANY, _SPARE = 400, 1.5
"""From so many blocks on only the likely ones are scored; how many times as many as are wanted."""


class Heard(NamedTuple):
    """One word of a query, as the index has it."""

    forms: list[str]
    """What it is looked for as, quoted."""
    rows: list[int]
    """Blocks that have it, not only their neighbours."""
    counts: Counter[int]
    """In how many of its blocks each note has it."""
    rare: float
    exact: str | None
    """As it is written, where that is not its stem."""


def looked_up(reader: Reader, forms: list[str]) -> tuple[list[int], Counter[int]]:
    """Give the blocks that have one of some words, and how many each note has."""
    match = f"{{stems head}} : ({' OR '.join(forms)})"
    rows: list[int] = []
    for file in reader.files:
        rows += reader.rows(match, file)
    return rows, Counter([row >> ROW_BITS for row in rows])


def likely(reader: Reader, words: Iterable[Heard], most: int) -> list[int] | None:
    """Give the blocks worth scoring to find the best `most`; None where all are, being few.

    Those whose words are the rarest together; of too many that are alike in that, those that have the
    rarest in their heads too, and those of the notes that have it in the most blocks. No private ones: they
    are all scored, and would only keep others out.
    """
    if len(reader.files) > 1:
        words = [one._replace(rows=[row for row in one.rows if row < PRIVATE_ROWS]) for one in words]
    said = sorted((one for one in words if one.rows), key=lambda one: -one.rare)
    if sum(len(one.rows) for one in said) < _MANY:
        return None
    enough = int(_SPARE * most)
    if len(said) == 1:
        above, tied = [], said[0].rows
    else:
        weights, least = _weights(said, enough)
        above = [row for row, weight in weights.items() if weight > least]
        tied = [row for row, weight in weights.items() if weight == least]
    if len(tied) > 2 * enough:
        full = _fullest(tied, said[0].counts, enough - len(above))
        tied = list({*full, *(_headed(reader, said[0]) & set(tied))})
    return [*above, *tied]


def _weights(said: Sequence[Heard], enough: int) -> tuple[dict[int, float], float]:
    """Give how rare what each block has is, and of how much the best `enough` have at least; rarest words first.

    Blocks that could not be among those by what is left are not looked at any more.
    """
    weights: dict[int, float] = {}
    left, least = sum(one.rare for one in said), 0.0
    for one in said:
        rare = one.rare
        left -= rare
        if not weights:
            weights, least = dict.fromkeys(one.rows, rare), rare if len(one.rows) >= enough else 0.0
            continue
        if left + rare < least:
            for row in weights.keys() & set(one.rows):
                weights[row] += rare
        else:
            for row in one.rows:
                weights[row] = weights.get(row, 0.0) + rare
        least = _nth(Counter(weights.values()), enough)
    return weights, least


def _nth(alike: Counter[float], number: int) -> float:
    """Give the value that so many have at least; 0 where there are not so many."""
    for value in sorted(alike, reverse=True):
        number -= alike[value]
        if number <= 0:
            return value
    return 0.0


def _fullest(rows: Collection[int], counts: Counter[int], enough: int) -> list[int]:
    """Give those of the notes that have a word in the most blocks, at least so many: of notes alike in that, all."""
    of_rows = [counts[row >> ROW_BITS] for row in rows]
    least = _nth(Counter(of_rows), enough)
    return [row for row, count in zip(rows, of_rows, strict=True) if count >= least]


def _headed(reader: Reader, word: Heard) -> set[int]:
    """Give the blocks that have a word themselves and in their heads."""
    either = " OR ".join(word.forms)
    return set(reader.rows(f"({{stems}} : ({either})) AND ({{head}} : ({either}))", ""))
