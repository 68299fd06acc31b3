"""How notes stand on the disk, compared with what a step says of them."""

from collections.abc import Mapping

from daemon.runs.evidence import short
from daemon.tools.effects import Change, Look
from daemon.vault.disk import etag_of
from daemon.vault.errors import VaultBusy, VaultError, VaultMissing
from parsers.model.places import NotePath

_UNREADABLE = "?"
"""Of a note that may not be read: no version that anything expects."""


def etag_now(look: Look, path: str) -> str:
    """Give the etag of a note, `""` where none stands."""
    try:
        data = look.read(NotePath(path))
    except (VaultBusy, VaultMissing):
        raise
    except VaultError:
        return _UNREADABLE
    return "" if data is None else etag_of(data)


def differing(wanted: Mapping[str, str], look: Look, also: Mapping[str, str] | None = None) -> str:
    """Say which notes are not the version that is wanted, nor the one in `also`: `a.md 8be1c0de → 03ff41a9`."""
    found = ((path, etag, etag_now(look, path)) for path, etag in wanted.items())
    return ", ".join(
        f"{path} {short(etag)} → {short(now)}"
        for path, etag, now in found
        if now != etag and (also is None or now != also.get(path))
    )


def stands(change: Change, look: Look) -> bool:
    """Tell whether a change was made, as far as its notes say."""
    if change.moved_from is not None and etag_now(look, change.moved_from):
        return False
    wanted = "" if change.after is None else etag_of(change.after)
    same = change.before == change.after and change.moved_from is None
    return not same and etag_now(look, change.path) == wanted
