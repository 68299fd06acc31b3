"""What of a note's text is searched: for each block its stems, its heads, its neighbours.

A pure function of what stands in `notes` and `blocks`: the word tables keep no text of their own, so what is to be
taken out of them is cut again, to the letter as it went in.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from daemon.index.words import Cutter, Cutters, cut, folded, language_of

NEAR = 40
"""Words of the neighbouring blocks that stand with a short block; more drown it."""
_LONG = 30
"""Words from which on a block needs its neighbours less."""
_NEAR_LONG = 16
_NONE: list[str] = []


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


def searched(text: Text, cutters: Cutters, among: Collection[int] | None = None) -> Searched:
    """Give the rows of a note, or those `among` them, its words stemmed by what is of its language."""
    blocks = text.blocks
    places = [at for at, (row, _, _) in enumerate(blocks) if among is None or row in among]
    beside = {at + step for at in places for step in (-1, 0, 1)} if among is not None else range(len(blocks))
    words = {at: cut(blocks[at][2]) for at in beside if 0 <= at < len(blocks)}
    language = text.language
    if language is None:
        language = language_of(
            word for at in range(len(blocks)) for word in words.get(at) or cut(blocks[at][2])
        )
    cutter = cutters[language]
    stems = {at: cutter.stems(one) for at, one in words.items()}
    title = _head(text.title, cutter)
    named = " ".join((title, *(_head(alias, cutter) for alias in text.aliases))) if text.aliases else title
    rows: dict[int, tuple[str, str, str]] = {}
    heads = {"": ""}
    for at in places:
        row, heading, _ = blocks[at]
        if heading not in heads:
            heads[heading] = f" {_head(heading, cutter)}"
        head = title if at else named
        rows[row] = (" ".join(stems[at]), f"{head}{heads[heading]}", _near(stems, at))
    return Searched(rows, language)


def _near(stems: Mapping[int, list[str]], at: int) -> str:
    """Give the last words before a block and the first after it; what one side lacks the other fills."""
    most = NEAR if len(stems[at]) < _LONG else _NEAR_LONG
    before, after = stems.get(at - 1, _NONE), stems.get(at + 1, _NONE)
    following = after[: max(most // 2, most - len(before))]
    left = most - len(following)
    return " ".join([*before[-left:], *following]) if left else " ".join(following)


def _head(text: str, cutter: Cutter) -> str:
    """Give the stems of a title or heading, and its words that say nothing: it may have no others."""
    return " ".join([cutter[word] or folded(word) for word in cut(text)])
