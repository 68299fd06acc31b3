"""What of a note's text is searched: for each block its stems, its heads, its neighbours.

A pure function of what stands in `notes` and `blocks`: the word tables keep no text of their own, so what is to be
taken out of them is cut again, to the letter as it went in.
"""

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

from daemon.index.words import Cutter, Cutters, cut, language_of

NEAR = 40
"""Words of the neighbouring blocks that stand with a short block; more drown it."""
_LONG = 30
"""Words from which on a block needs its neighbours less."""
_NEAR_LONG = 16


class Text(NamedTuple):
    """A note as it is searched."""

    title: str
    aliases: tuple[str, ...]
    language: str | None
    """None where it is to be found out."""
    blocks: Sequence[tuple[int, str, str]]
    """Row, heading and text of each, comments left out."""


class Searched(NamedTuple):
    """The rows of the table of words, as its columns stand in `schema`."""

    blocks: dict[int, tuple[str, str, str]]
    """By row: stems, heads, neighbours."""
    language: str
    """`""` where it is unsure."""


def searched(text: Text, cutters: Cutters) -> Searched:
    """Give the rows of a note, its words stemmed by what is of its language."""
    words = [cut(body) for _, _, body in text.blocks]
    language = language_of(chain.from_iterable(words)) if text.language is None else text.language
    cutter = cutters[language]
    stems = [cutter.stems(one) for one in words]
    title = _head(text.title, cutter)
    named = " ".join((title, *(_head(alias, cutter) for alias in text.aliases))) if text.aliases else title
    rows: dict[int, tuple[str, str, str]] = {}
    heads = {"": ""}
    head = named
    for at, (row, heading, _) in enumerate(text.blocks):
        if heading not in heads:
            heads[heading] = f" {_head(heading, cutter)}"
        rows[row] = (" ".join(stems[at]), f"{head}{heads[heading]}", _near(stems, at))
        head = title
    return Searched(rows, language)


def _near(stems: list[list[str]], at: int) -> str:
    """Give the last words before a block and the first after it; what one side lacks the other fills."""
    most = NEAR if len(stems[at]) < _LONG else _NEAR_LONG
    before = stems[at - 1] if at else []
    after = stems[at + 1] if at + 1 < len(stems) else []
    following = after[: max(most // 2, most - len(before))]
    left = most - len(following)
    return " ".join([*before[-left:], *following]) if left else " ".join(following)


def _head(text: str, cutter: Cutter) -> str:
    """Give the stems of a title or heading, and its words that say nothing: it may have no others."""
    return " ".join([cutter[word] or word for word in cut(text)])
