"""Passages: the blocks that answer a query best, in one list whose order also is the best order of notes (R-M05).

One MATCH over all columns ranks blocks; a block's score is fused with its note's next best blocks and with how the note
answers as a whole. Rows are ranked first, details are read of what is shown. Any string is a legal query. Ties are
ordered by path and place: same query, same vault, same list, however the index came about.
"""

import json
import math
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from datetime import date, timedelta
from heapq import nsmallest
from types import MappingProxyType
from typing import NamedTuple

from daemon.index.contents import silent
from daemon.index.matching import Matched, matched
from daemon.index.reader import Reader, from_files
from daemon.index.schema import PRIVATE, PRIVATE_FROM, PRIVATE_ROWS, ROW_BITS
from daemon.index.words import folded, spaced

_NONE: Mapping[str, float] = MappingProxyType({})
_NOT_NEAR: Mapping[int, float] = MappingProxyType({})
_POOL = 45
"""Blocks that are looked at, at least: what is not among them, no boost brings up."""
_REST, _WHOLE = 0.3, 0.5
"""How much the next best blocks of a note, and the note as a whole, add to the best block there can be."""
_HALVES = (0.5, 0.25, 0.125)
_TOP = 1.0 + _REST * sum(_HALVES) + _WHOLE
_PERSON, _DATE = 1.35, 2.0
_SATURATION, _USUAL = 1.2, 3_000
"""How much a word counts that stands in many blocks of a note; bytes of a note of usual length."""
_CLOSELY = 16
"""How many of the best blocks are looked at word for word."""

_NOTES = """SELECT id, path, title, aliases, day, provenance, sensitivity, verified, mtime_ns, size
    FROM {file}notes WHERE id IN (SELECT value FROM json_each(?))"""
_SPEAKERS = (
    "SELECT id, speakers FROM {file}blocks WHERE id IN (SELECT value FROM json_each(?)) AND speakers NOT NULL"
)
_BLOCKS = """SELECT id, heading, line, start, end, block_id
    FROM {file}blocks WHERE id IN (SELECT value FROM json_each(?))"""


class Passage(NamedTuple):
    """One block of one note; its text is asked for with `text_of`."""

    row: int
    """Its row in the index: what `text_of` takes; not to be kept nor shown."""
    path: str
    title: str
    heading: str
    """Headings above the block, outermost first, joined by ` > `."""
    line: int
    """1-based line it starts on."""
    start: int
    end: int
    """Bytes of the note it spans."""
    block_id: str | None
    """Its own block id, without `^`."""
    provenance: str
    sensitivity: str
    verified: bool
    """False when the last listing could not see the note."""
    modified: str
    """ISO day (UTC) on which the note was last changed on disk."""
    score: float
    """0…1, lifted by boosts up to nearly three times that: what share of the query it answers."""
    factors: Mapping[str, float] = _NONE
    """What made the score: `block`, `rest`, `note`, `share`, `trigram`, `vector`, `person`, `date`."""


class _Note(NamedTuple):
    path: str
    title: str
    aliases: str | None
    day: str | None
    provenance: str
    sensitivity: str
    verified: int
    mtime_ns: int
    size: int


class _Scored(NamedTuple):
    score: float
    row: int
    factors: dict[str, float]


def passages(  # noqa: PLR0913 - each is one thing that a reader asks
    db: sqlite3.Connection,
    query: str,
    limit: int,
    *,
    folder: str | None = None,
    agent: bool = False,
    external: bool = False,
    lifted: Collection[str] = (),
    days: Sequence[tuple[str, str]] = (),
    near: Mapping[int, float] = _NOT_NEAR,
) -> list[Passage]:
    """Give the best `limit` blocks for the words of a query, best first.

    Blocks that one of the `lifted` names speaks in or owns (so do the speakers that the query names), and notes of
    one of the `days` (first day, day after the last; ISO), are lifted, never filtered. An `agent` finds nothing
    private nor in the assistant folder, an `external` reader nothing private or sensitive (R-P04). What is `near`
    in meaning (by row, 0…1) adds to what the words say, and comes in where they say nothing.
    """
    if limit < 1:
        return []
    reader = Reader(db, folder, agent=agent, external=external)
    found = matched(reader, query, limit, max(_POOL, 2 * limit), days)
    near = _seen(reader, near)
    for row in near:
        found.blocks.setdefault(row, 0.0)
    notes = _notes(reader, found.blocks)
    ranked = _ranked(reader, found, notes, lifted, days, near)
    return _passages(reader, _saying(reader, ranked, limit), notes)


def best_of_notes(reader: Reader, query: str, limit: int) -> list[Passage]:
    """Give the best block of each of the best `limit` notes, best first."""
    shown, pool = limit, max(_POOL, 4 * limit)
    while True:
        found = matched(reader, query, shown, pool)
        of_notes = {row >> ROW_BITS for row in found.blocks}
        if len(of_notes) >= limit or not found.more:
            break
        shown, pool = 4 * shown, 4 * pool
    notes = _notes(reader, found.blocks)
    of_note: dict[int, list[_Scored]] = {}
    for scored in _ranked(reader, found, notes, (), ()):
        of_note.setdefault(scored.row >> ROW_BITS, []).append(scored)
    best = list(of_note.values())[:limit]
    bare = silent(reader, [ranked[0].row for ranked in best])
    return _passages(reader, [_shown(reader, ranked, bare) for ranked in best], notes)


def _saying(reader: Reader, ranked: Sequence[_Scored], limit: int) -> list[_Scored]:
    """Give the best blocks that say something; a heading alone stands for the block below it."""
    given: dict[int, _Scored] = {}
    for start in range(0, len(ranked), limit):
        some = ranked[start : start + limit]
        bare = silent(reader, [one.row for one in some])
        for one in some:
            row = bare.get(one.row, one.row)
            if row is not None:
                given.setdefault(row, one._replace(row=row))
        if len(given) >= limit:
            break
    return list(given.values())[:limit]


def _shown(reader: Reader, ranked: Sequence[_Scored], bare: Mapping[int, int | None]) -> _Scored:
    """Give the block that shows a note: the best that says something; a heading alone where none does."""
    best = ranked[0]
    if best.row not in bare:
        return best
    row = bare[best.row]
    if row is None:
        others = [one.row for one in ranked[1 : 1 + _CLOSELY]]
        mute = silent(reader, others)
        row = next((one for one in others if one not in mute), best.row)
    return best._replace(row=row)


def _ranked(
    reader: Reader,
    found: Matched,
    notes: Mapping[int, _Note],
    lifted: Collection[str],
    days: Sequence[tuple[str, str]],
    near: Mapping[int, float] = _NOT_NEAR,
) -> list[_Scored]:
    """Fuse what blocks and notes score, and lift."""
    if not found.blocks:
        return []
    _lift_exact(reader, found, notes)
    best = max(found.blocks.values()) or 1.0
    share = min(1.0, best / found.bound) if found.bound else 1.0
    wholes = _wholes(found, notes)
    whole = max(wholes.values(), default=0.0) or 1.0
    rest = _rest(found.blocks)
    named = {folded(name).lower() for name in lifted}
    spoken = _speakers(reader, found.blocks) if named or found.names else {}
    ranked = []
    for row, score in found.blocks.items():
        note = row >> ROW_BITS
        factors = {
            "block": score / best,
            "rest": _REST * rest[note] / best,
            "note": _WHOLE * wholes.get(note, 0.0) / whole,
        }
        value = sum(factors.values()) / _TOP * share
        factors["share"] = share
        if row in found.by_parts:
            factors["trigram"] = found.by_parts[row]
            value *= found.by_parts[row]
        if row in near:
            factors["vector"] = near[row]
            value += near[row]
        if (named or row in spoken) and _lifts(spoken.get(row, ""), notes[note], named, found.names):
            factors["person"] = _PERSON
            value *= _PERSON
        if days and (day := notes[note].day) and any(first <= day < after for first, after in days):
            factors["date"] = _DATE
            value *= _DATE
        ranked.append(_Scored(value, row, factors))
    ranked.sort(key=lambda one: (-one.score, notes[one.row >> ROW_BITS].path, one.row))
    return ranked


def _seen(reader: Reader, near: Mapping[int, float]) -> Mapping[int, float]:
    """Leave out what the reader does not see, whoever compared it."""
    if not near:
        return near
    seen = reader.notes()
    last = PRIVATE_ROWS if PRIVATE not in reader.files else math.inf
    return {row: one for row, one in near.items() if row < last and (seen is None or row >> ROW_BITS in seen)}


def _lift_exact(reader: Reader, found: Matched, notes: Mapping[int, _Note]) -> None:
    """Add to the best blocks what they have word for word; the only ones whose text is read."""
    if not found.exact:
        return
    blocks = found.blocks
    best = nsmallest(_CLOSELY, blocks, key=lambda row: (-blocks[row], notes[row >> ROW_BITS].path, row))
    for row, text in reader.texts(best).items():
        there = f" {spaced(text)} "
        blocks[row] += sum(worth for word, worth in found.exact.items() if f" {word} " in there)


def _wholes(found: Matched, notes: Mapping[int, _Note]) -> dict[int, float]:
    """Give how well each note answers as a whole: how many of its blocks have which word, against its length."""
    scores = dict.fromkeys(notes, 0.0)
    lengths = {note: _SATURATION * (0.5 + 0.5 * one.size / _USUAL) for note, one in notes.items()}
    for counts, rare in found.heard:
        for note in notes.keys() & counts.keys():
            count = counts[note]
            scores[note] += rare * count * (1 + _SATURATION) / (count + lengths[note])
    return scores


def _rest(blocks: Mapping[int, float]) -> dict[int, float]:
    """Give for each note what its next best blocks score, each half as much as the one before."""
    per_note: dict[int, list[float]] = {}
    for row, score in blocks.items():
        per_note.setdefault(row >> ROW_BITS, []).append(score)
    rest = {}
    for note, scores in per_note.items():
        scores.sort(reverse=True)
        rest[note] = sum(score * half for score, half in zip(scores[1:], _HALVES, strict=False))
    return rest


def _lifts(spoken: str, note: _Note, named: Collection[str], asked: Collection[str]) -> bool:
    """Whether somebody who is named speaks in a block, or its note is theirs."""
    speakers = [folded(speaker).lower() for speaker in spoken.split("\n")] if spoken else []
    if any(one == name or name in one.split() for one in speakers for name in (*named, *asked)):
        return True
    if not named:
        return False
    own = (note.title, *json.loads(note.aliases)) if note.aliases else (note.title,)
    return any(folded(name).lower() in named for name in own)


def _notes(reader: Reader, blocks: Collection[int]) -> dict[int, _Note]:
    ids = {row >> ROW_BITS for row in blocks}
    return {row[0]: _Note(*row[1:]) for row in from_files(reader.db, _NOTES, ids, PRIVATE_FROM)}


def _speakers(reader: Reader, blocks: Collection[int]) -> dict[int, str]:
    return dict(from_files(reader.db, _SPEAKERS, blocks, PRIVATE_ROWS))


def _passages(reader: Reader, ranked: Sequence[_Scored], notes: Mapping[int, _Note]) -> list[Passage]:
    rows = {one.row for one in ranked}
    details = {row[0]: row[1:] for row in from_files(reader.db, _BLOCKS, rows, PRIVATE_ROWS)}
    given = []
    for score, row, factors in ranked:
        note = notes[row >> ROW_BITS]
        heading, line, start, end, block_id = details[row]
        kind = (note.provenance, note.sensitivity, bool(note.verified), _day(note.mtime_ns))
        given.append(
            Passage(row, note.path, note.title, heading, line, start, end, block_id, *kind, score, factors)
        )
    return given


def _day(mtime_ns: int) -> str:
    """Give the ISO day of a time, as UTC counts days."""
    return (date(1970, 1, 1) + timedelta(mtime_ns // 86_400_000_000_000)).isoformat()
