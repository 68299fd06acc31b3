"""Taint follows the bytes: what came from outside keeps its provenance, paragraph by paragraph (R-P01).

A paragraph is known by the hash of its normalised words. Rewording one does not wash it: when a marked paragraph
leaves a note and another comes, the new one inherits the mark. Only the person lifts a mark.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from parsers.model.policy import trust_of
from parsers.model.register import Record

_PARAGRAPHS = re.compile(r"(?:\r?\n[ \t>]*){2,}")
_WORD = re.compile(r"\w+")
_ENOUGH = 4
"""Words from which on a paragraph is known anywhere, not only in the note it was written into."""


def paragraphs(text: str) -> tuple[str, ...]:
    """Give the hash of each paragraph that has words, in order; list items of one list stand together."""
    found = (_hash(part) for part in _PARAGRAPHS.split(text))
    return tuple(dict.fromkeys(one for one in found if one))


def begun_before(text: str, end: int) -> tuple[str, ...]:
    """Give the hashes of the paragraphs up to the one in which offset `end` lies."""
    cut = _PARAGRAPHS.search(text, end)
    return paragraphs(text[: cut.start()] if cut else text)


def _hash(part: str) -> str:
    words = _WORD.findall(unicodedata.normalize("NFKC", part).casefold())
    if not words:
        return ""
    digest = hashlib.sha256(" ".join(words).encode()).hexdigest()[:24]
    return digest if len(words) >= _ENOUGH else f"{digest}-"


@dataclass(slots=True)
class Marks:
    """Provenances below `vault` of paragraphs. Only `fold` and `move` change it."""

    notes: dict[str, dict[str, str]] = field(default_factory=dict)
    """Note → hash → provenance, as they were written there or inherited."""
    everywhere: dict[str, str] = field(default_factory=dict)
    """Hash of a paragraph of some length → its worst provenance, in whatever note it stands."""

    def fork(self) -> "Marks":
        """Give a copy; folding one leaves the other as it is."""
        return Marks({path: dict(known) for path, known in self.notes.items()}, dict(self.everywhere))

    def of(self, path: str, hashes: Iterable[str]) -> dict[str, str]:
        """Give the marked ones among the paragraphs of a note, with their provenance."""
        here = self.notes.get(path, {})
        found: dict[str, str] = {}
        for one in hashes:
            known = [mark for mark in (here.get(one), self.everywhere.get(one)) if mark]
            if known:
                found[one] = max(known, key=trust_of)
        return found

    def known(self, text: str) -> str:
        """Give the worst provenance of the paragraphs of a text that are known from elsewhere, `""` when none is."""
        if not self.everywhere:
            return ""
        found = [mark for one in paragraphs(text) if (mark := self.everywhere.get(one))]
        return max(found, key=trust_of, default="")

    def worst(self, path: str, text: str, declared: str) -> str:
        """Give the provenance of a note's whole text: what it declares, or the worst mark in it."""
        return max((declared, *self.of(path, paragraphs(text)).values()), key=trust_of)


def fold(marks: Marks, record: Record) -> None:
    """Apply one record; any other than `mark.*` changes nothing."""
    body = record.body
    if record.op == "mark.put":
        here = marks.notes.setdefault(str(body["note"]), {})
        for one in body["hashes"]:
            _put(here, str(one), str(body["provenance"]))
            if not str(one).endswith("-"):
                _put(marks.everywhere, str(one), str(body["provenance"]))
    elif record.op == "mark.moved":
        move(marks, str(body["note"]), str(body["to"]))
    elif record.op == "mark.left":
        here = marks.notes.get(str(body["note"]), {})
        for one in body["hashes"]:
            here.pop(str(one), None)
        if not here:
            marks.notes.pop(str(body["note"]), None)
    elif record.op == "mark.lifted":
        for one in body["hashes"]:
            marks.notes.get(str(body["note"]), {}).pop(str(one), None)
            marks.everywhere.pop(str(one), None)


def move(marks: Marks, note: str, to: str) -> None:
    """Let the marks of a note go along to where it is now."""
    here = marks.notes.pop(note, {})
    marks.notes.setdefault(to, {}).update(here)


def _put(known: dict[str, str], one: str, provenance: str) -> None:
    known[one] = max((known.get(one, "user"), provenance), key=trust_of)


def written(before: str, after: str, provenance: str, note: str) -> dict[str, Any] | None:
    """Give the body of `mark.put` for what a step wrote: the paragraphs that are new; None when nothing is marked."""
    if trust_of(provenance) <= trust_of("vault"):
        return None
    old = set(paragraphs(before))
    hashes = [one for one in paragraphs(after) if one not in old]
    return {"note": note, "hashes": hashes, "provenance": provenance} if hashes else None


def inherited(
    marks: Marks, path: str, before: Sequence[str] | None, now: Sequence[str]
) -> list[dict[str, Any]]:
    """Give the bodies of `mark.put` for paragraphs that came when marked ones left; with several, all inherit all.

    `before` are the hashes of the paragraphs at the last pass, None where the index has forgotten them: every
    paragraph that is not marked may then be a rewording.
    """
    here = marks.notes.get(path, {})
    stood = set(here) if before is None else marks.of(path, before).keys()
    gone = {one: here.get(one) or marks.everywhere.get(one, "") for one in stood if one not in set(now)}
    known = marks.of(path, now)
    fresh = [one for one in now if one not in known and (before is None or one not in set(before))]
    worst = max((mark for mark in gone.values() if mark), key=trust_of, default="")
    return [{"note": path, "hashes": fresh, "provenance": worst}] if worst and fresh else []


def rows_of(marks: Marks) -> Mapping[str, Any]:
    """Give what the index keeps, as JSON values."""
    return {"notes": marks.notes, "everywhere": marks.everywhere}


def marks_of(rows: Mapping[str, Any]) -> Marks:
    """Give what `rows_of` kept."""
    return Marks({path: dict(known) for path, known in rows["notes"].items()}, dict(rows["everywhere"]))
