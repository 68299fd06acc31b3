"""Marks in a pass: which paragraphs inherit one as notes change, which go along with a note, what a note is worth.

Called once the index is in step with the notes. What it finds is accepted in the register before the new hashes are
kept, so that a crash in between only has it found again.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from daemon.index import paragraphs as rows
from daemon.index.refresh import Changes
from daemon.index.store import Index
from daemon.policy.marks import Marks, begun_before, inherited, move, paragraphs
from daemon.policy.privacy import Declared, settled
from daemon.vault.door import Vault
from daemon.vault.errors import VaultError
from parsers.model.places import Etag, NotePath
from parsers.properties import read


@dataclass(frozen=True, slots=True)
class Noticed:
    """What a pass found out about marks."""

    moved: tuple[dict[str, Any], ...] = ()
    """Bodies of `mark.moved`, to happen before the others."""
    put: tuple[dict[str, Any], ...] = ()
    """Bodies of `mark.put`."""
    left: tuple[dict[str, Any], ...] = ()
    """Bodies of `mark.left`, for marked paragraphs that stand in their note no more; after the others."""
    seen: tuple[tuple[NotePath, Etag, tuple[str, ...] | None], ...] = ()
    """For `keep`: the paragraphs of notes that were looked at, None where none of them is marked."""


def notice(index: Index, vault: Vault, marks: Marks, changes: Changes) -> Noticed:
    """Compare the paragraphs of notes that hold marks with what stood there before; opens no other note.

    Where nothing is marked it does nothing at all. A marked paragraph that someone pasted elsewhere makes that note
    one of those that are looked at.
    """
    if not marks.notes and not marks.everywhere:
        return Noticed()
    moved = [{"note": old, "to": new} for old, new in changes.renamed if old in marks.notes]
    marks = _after(marks, moved)
    changed = {*changes.added, *changes.changed, *(new for _, new in changes.renamed)}
    asked = changed if marks.everywhere else changed.intersection(marks.notes)
    put: list[dict[str, Any]] = []
    left: list[dict[str, Any]] = []
    seen = []
    for path in sorted(asked | rows.due(index, map(NotePath, marks.notes))):
        found = _text(vault, path)
        if found is None:
            continue
        etag, text = found
        before, now = rows.kept(index, path), paragraphs(text)
        own = _word_of_the_person(path, text, marks)
        bodies = inherited(marks, path, before, [one for one in now if one not in own])
        put += bodies
        if gone := sorted(marks.notes.get(path, {}).keys() - set(now)):
            left.append({"note": path, "hashes": gone})
        holds = bool(bodies or path in marks.notes or marks.of(path, now))
        if holds or before is not None:
            seen.append((path, etag, now if holds else None))
    return Noticed(tuple(moved), tuple(put), tuple(left), tuple(seen))


def keep(index: Index, noticed: Noticed) -> None:
    """Remember what was looked at, once its events have happened."""
    if noticed.seen:
        with index.batch():
            for path, etag, hashes in noticed.seen:
                rows.keep(index, path, etag, hashes)


def provenance_of(path: str, text: str, marks: Marks, declared: Declared) -> str:
    """Give where a note's whole text comes from: what it declares, or the worst mark in it.

    The property `provenance` settles it, unless a run wrote it there: it is the person's word, nobody else's.
    """
    values = read(text).values
    if _word_of_the_person(path, text, marks):
        return declared.source(path, values)
    others = {key: value for key, value in values.items() if settled({key: value}) is None}
    return marks.worst(path, text, declared.source(path, others))


def lifting(path: str, text: str, marks: Marks) -> dict[str, Any] | None:
    """Give the body of `mark.lifted` for all of a note, as `clavaire trust` asks; None where nothing is marked."""
    hashes = {*marks.of(path, paragraphs(text)), *marks.notes.get(path, ())}
    return {"note": path, "hashes": sorted(hashes)} if hashes else None


def _after(marks: Marks, moved: Iterable[dict[str, Any]]) -> Marks:
    """Give the marks as the moves leave them."""
    if not moved:
        return marks
    marks = marks.fork()
    for body in moved:
        move(marks, body["note"], body["to"])
    return marks


def _text(vault: Vault, path: NotePath) -> tuple[Etag, str] | None:
    try:
        reading = vault.read(path)
    except VaultError:
        return None
    return reading.etag, reading.data.decode("utf-8", "replace")


def _word_of_the_person(path: str, text: str, marks: Marks) -> tuple[str, ...]:
    """Give the hashes of the paragraphs that hold the properties, where these state a provenance that no run wrote."""
    block = read(text)
    if settled(block.values) is None:
        return ()
    hashes = begun_before(text, block.end)
    return () if marks.of(path, hashes) else hashes
