"""The vault's notes in the index: after a save those that changed, in a whole pass whatever differs."""

from collections.abc import Collection, Sequence
from functools import partial

from daemon.index.notes import refresh, refresh_paths
from daemon.index.private import Guard
from daemon.index.problems import problems, replace_problems
from daemon.index.refresh import Changes, Progress
from daemon.index.store import Index
from daemon.rest import readable, searched
from daemon.vault.door import Vault
from daemon.vault.errors import VaultError
from daemon.vault.walk import Entry, Listing
from parsers.model.places import NotePath


def fill(vault: Vault, progress: Progress, index: Index, *, guard: Guard) -> None:
    """Fill a new index with every note of the vault."""
    listing = vault.walk()
    entries = searched(listing.rows)
    refresh(index, entries, listing.unknown, partial(readable, vault), progress, guard)


def saved(vault: Vault, index: Index, paths: Collection[NotePath], guard: Guard) -> Changes:
    """Bring some notes in step; only these are opened."""
    return refresh_paths(index, _entries(vault, paths), partial(readable, vault), guard)


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
    changes = refresh(index, entries, listing.unknown, partial(readable, vault), progress, guard)
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
