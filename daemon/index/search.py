"""Search over the notes: read only, and light, as the command that searches must start fast.

The query is data, and ranked as recall ranks it; a hit is the best block of a note, with the words around.
"""

import sqlite3
from typing import NamedTuple

from daemon.index.ranking import best_of_notes
from daemon.index.reader import Reader, text_of
from daemon.index.words import LANGUAGES, asked, cut, folded, stem_of

_AROUND = 16
"""Words of a snippet."""
_LOOKED_AT = 500


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
    """Higher is better: what share of the query the block and its note answer."""
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
    if limit < 1:
        return []
    found = best_of_notes(Reader(db, folder, agent=agent, external=external), query, limit)
    texts = text_of(db, [one.row for one in found])
    wanted = _wanted(query) if found else frozenset()
    return [
        Hit(
            one.path,
            one.title,
            one.heading,
            one.line,
            one.block_id,
            snippet(texts[one.row], wanted),
            one.score,
            one.verified,
            one.provenance,
            one.sensitivity,
        )
        for one in found
    ]


def snippet(text: str, wanted: frozenset[str]) -> str:
    """Give the words of a text around those that are wanted, on one line: where most different ones stand."""
    pieces = text.split(None, _LOOKED_AT)[:_LOOKED_AT]
    if len(pieces) <= _AROUND:
        return " ".join(pieces)
    starts = {form[:3] for form in wanted}
    has = [frozenset(wanted.intersection(_forms(piece, starts))) for piece in pieces]
    first = max(
        (at for at, found in enumerate(has) if found),
        key=lambda at: (len(frozenset[str]().union(*has[at : at + _AROUND])), -at),
        default=0,
    )
    first = max(0, min(first - 2, len(pieces) - _AROUND))
    shown = " ".join(pieces[first : first + _AROUND])
    return f"{'…' if first else ''}{shown}{'…' if first + _AROUND < len(pieces) else ''}"


def _wanted(query: str) -> frozenset[str]:
    terms = asked(query).terms
    return frozenset(form for term in terms for stem in (*term.stems, term.plain) for form in stem.split())


def _forms(piece: str, starts: set[str]) -> set[str]:
    """Give what the words of a piece of text may be asked for as, of those that start like one that is wanted."""
    forms = set[str]()
    lower = folded(piece).lower()
    if any(start in lower for start in starts):
        for word in cut(piece):
            forms.update((folded(word.rstrip("'")), *(stem_of(word, language) for language in LANGUAGES)))
    return forms
