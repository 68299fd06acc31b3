"""The vault's notes in the index: after a save those that changed, in a whole pass whatever differs."""

from collections.abc import Collection, Sequence
from contextlib import closing, suppress
from functools import partial

from daemon.index.notes import refresh, refresh_paths
from daemon.index.private import Guard
from daemon.index.problems import problems, replace_problems
from daemon.index.refresh import Changes, Progress
from daemon.index.store import Index, IndexOutdated, IndexRefused
from daemon.index.vectors import carry
from daemon.rest import readable, searched
from daemon.vault.door import Vault
from daemon.vault.errors import VaultError
from daemon.vault.walk import Entry, Listing
from parsers.model.places import NotePath


def fill(vault: Vault, progress: Progress, index: Index, *, guard: Guard) -> None:
    """Fill a new index with every note of the vault."""
    listing = vault.walk()
    entries = searched(listing.rows)
    with vault.reading() as read:
        refresh(index, entries, listing.unknown, partial(readable, read), progress, guard)
    _take_vectors(index, guard)


def _take_vectors(index: Index, guard: Guard) -> None:
    """Take from the index that is current until now what took hours to make, where it can be read."""
    with (
        suppress(IndexOutdated, IndexRefused),
        closing(Index.open(index.state, write=False, private=guard.private)) as before,
        before.intact(),
    ):
        carry(before, index)


def saved(vault: Vault, index: Index, paths: Collection[NotePath], guard: Guard) -> Changes:
    """Bring some notes in step; only these are opened."""
    return refresh_paths(index, _entries(vault, paths), partial(readable, vault.read), guard)


def whole(
    vault: Vault,
    index: Index,
    listing: Listing,
    written: Sequence[NotePath],
    progress: Progress,
    guard: Guard,
) -> Changes:
    """Bring every note in step with a listing, then those `written` since; keep what the listing found wrong."""
    entries = searched(listing.rows)
    changes = refresh(index, entries, listing.unknown, partial(readable, vault.read), progress, guard)
    noted = (*listing.failures, *listing.problems)
    if list(noted) != problems(index, "vault"):
        replace_problems(index, "vault", noted)
    if written:
        saved(vault, index, written, guard)
    return changes


def _entries(vault: Vault, paths: Collection[NotePath]) -> list[tuple[NotePath, Entry | None]]:
    """What stands at paths now; where that cannot be known the index keeps what it has."""
    found: list[tuple[NotePath, Entry | None]] = []
    for path in sorted(paths):
        try:
            entry = vault.entry(path)
        except VaultError:
            continue
        if entry is None or searched([entry]):
            found.append((path, entry))
    return found
