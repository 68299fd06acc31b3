"""Whether a vault is as the last whole pass left it, but for notes to search: then the index is all there is to do.

Light to import and cheap: one listing, one SELECT, the bytes of the managed notes. Any doubt says no, and the pass
itself finds out.
"""

import hashlib
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from datetime import datetime
from functools import partial
from itertools import takewhile
from operator import itemgetter

from config.paths import NAMES
from config.settings import KEYS, Settings
from daemon.index import memory as rows
from daemon.index.notes import refresh
from daemon.index.private import Guard
from daemon.index.refresh import Changes, Progress, silent
from daemon.index.store import Index, IndexOutdated
from daemon.policy.privacy import Declared
from daemon.register.register import Register
from daemon.sessions import left
from daemon.vault.disk import Reading
from daemon.vault.door import Vault
from daemon.vault.errors import VaultError
from daemon.vault.walk import Listing, Row
from parsers.model.places import NotePath, Problem
from parsers.model.register import Mark

_NAME = "rest"
_PLANS = f"{NAMES.plans}/"
_UNSEARCHED = frozenset((NAMES.cards, NAMES.journal, NAMES.autonomy, NAMES.plans_base))
"""Files of ours that only repeat what stands elsewhere."""


def searched(rows: Iterable[Row]) -> list[Row]:
    """Give the notes of a listing that are for searching: no conflict copy, nor one that repeats others."""
    return [row for row in rows if row[4] is None and row[0] not in _UNSEARCHED]


def guard(vault: Vault, settings: Settings, *, private: bool = True) -> Guard:
    """Give what decides where notes go in the index; `private` is false in a process that serves agents."""
    folders = tuple(sorted(settings.provenance.folders.items()))
    declared = Declared(settings.privacy.private, settings.privacy.sensitive, folders)
    return Guard(declared, vault.unseen, private)


def fingerprint(settings: Settings) -> str:
    """Give a hash of every setting: another value of any may ask for another rendering."""
    spelt = repr([(key, settings.value(key)) for key in KEYS])
    return hashlib.sha256(spelt.encode()).hexdigest()[:16]


def remember(
    index: Index, listing: Listing, etags: Mapping[NotePath, str], until: datetime, settings: str
) -> None:
    """Keep how a whole pass left the vault: it holds until the clock asks for something, at `until`."""
    value = {
        "etags": dict(etags),
        "until": until.isoformat(),
        "settings": settings,
        "seq": rows.scalar(index, "mark", {}).get("seq"),
        "beside": _beside(listing),
    }
    if rows.scalar(index, _NAME) != value:
        rows.set_scalar(index, _NAME, value)


def plans(seen: Listing) -> list[Row]:
    """Give the notes that stand among the plans: a new one may be a proposal."""
    first = bisect_left(seen.rows, _PLANS, key=itemgetter(0))
    return list(takewhile(lambda row: row[0].startswith(_PLANS), seen.rows[first:]))


def _beside(seen: Listing) -> str:
    """A hash of what a listing holds besides notes to search."""
    odd = (seen.copies, seen.failures, seen.problems, seen.linked, seen.waiting, seen.drafts, plans(seen))
    return hashlib.sha256(repr(odd).encode()).hexdigest()[:16]


def resting(index: Index, vault: Vault, register: Register, settings: str, now: datetime) -> Listing | None:
    """Give the vault's listing when nothing happened since, but perhaps to notes that are only for searching."""
    kept = rows.scalar(index, _NAME)
    if not kept or kept["settings"] != settings or now >= datetime.fromisoformat(kept["until"]):
        return None
    mark = Mark(**rows.scalar(index, "mark"))
    reading = register.read(mark)
    if (
        mark.seq != kept["seq"]
        or reading.records
        or reading.mark != mark
        or reading.mode != "ok"
        or reading.loose
        or left(register.keys.folder)
    ):
        return None
    try:
        if vault.kept.waiting() or any(vault.read(NotePath(p)).etag != e for p, e in kept["etags"].items()):
            return None
        listing = vault.walk()
    except VaultError:
        return None
    return listing if _beside(listing) == kept["beside"] else None


def caught_up(
    vault: Vault, register: Register, settings: Settings, now: datetime, progress: Progress = silent
) -> Changes | None:
    """Bring the index in step with the notes, where a pass over this vault would do no more; None where it might."""
    try:
        with vault.locked(0), closing(Index.open(register.keys.folder, write=True)) as index:
            listing = resting(index, vault, register, fingerprint(settings), now)
            if listing is None:
                return None
            entries, read = searched(listing.rows), partial(readable, vault.read)
            return refresh(index, entries, listing.unknown, read, progress, guard(vault, settings))
    except (IndexOutdated, VaultError):
        return None


def readable(read: Callable[[NotePath], Reading], path: NotePath) -> Reading | Problem:
    """Give a note's bytes for the index, or why it cannot be read."""
    try:
        return read(path)
    except VaultError as error:
        return error.problem
