"""The tools by which a note gets another name or goes, and the one that brings exact bytes back."""

import re
import unicodedata
from typing import Any
from urllib.parse import unquote

from daemon.tools.arguments import NoteGone, NoteMove, NoteRestore, Restored
from daemon.tools.effects import Change, Effects, Look, Values
from daemon.tools.errors import ToolError
from daemon.tools.hands import Hands
from daemon.tools.notes import ENDING, TARGET, counted, existing, free, writable
from daemon.tools.tool import Tool, restoring, tool
from daemon.vault.disk import etag_of
from daemon.vault.errors import NoteChanged, NoteExists, VaultError
from daemon.vault.targets import ours
from parsers.model.places import Etag, NotePath
from renderers import amend


@tool("note_move", NoteMove, inverse=restoring, roles={**TARGET, "to": "deciding"})
def note_move(args: NoteMove, look: Look) -> Effects:
    """Another name for a note, and the links to it in every note: the note first, then the links."""
    path, data = existing(look, args.path, args.expected_etag)
    to = free(look, args.to)
    every = look.paths()
    mend = amend.Relinker({path: to}, every)
    own = _relinked(mend, path, data)
    names = frozenset(_plain(one.rpartition("/")[2].removesuffix(ENDING)) for one in (path, to))
    found = [one for other in every if other != path and (one := _links(look, other, mend, names))]
    links = tuple(one for one in found if one.before != one.after)
    left = len(found) - len(links) + (own is None)
    says = counted("move", len(links)) if links else "move"
    values: Values = {"path": path, "to": to, "notes": len(links), "left": left}
    moved = Change(to, data, data if own is None else own, moved_from=path)
    return Effects((moved, *links), "move_left" if left else says, values)


def _links(look: Look, path: NotePath, mend: amend.Relinker, names: frozenset[str]) -> Change | None:
    """Give the change of a note that links to the one that moves, None for one that does not or is ours.

    Links that cannot be mended stay: the change is none, and is counted.
    """
    if "managed" in ours(path):
        return None
    try:
        before = look.read(path)
    except VaultError:
        return None
    if before is None or not _mentions(before, names):
        return None
    after = _relinked(mend, path, before)
    return None if after == before else Change(path, before, before if after is None else after)


def _relinked(mend: amend.Relinker, path: NotePath, data: bytes) -> bytes | None:
    """Give a note's bytes with its links mended, None where they cannot be."""
    try:
        return mend.relinked(data.decode("utf-8"), path).encode("utf-8")
    except UnicodeDecodeError:
        return data
    except amend.Unamendable:
        return None


def _mentions(data: bytes, names: frozenset[str]) -> bool:
    """Tell cheaply whether a note may link to one of these names."""
    text = data.decode("utf-8", "ignore")
    if not ("[[" in text or "](" in text or re.search(r"\]:", text)):
        return False
    spelt = [_plain(text), *([_plain(unquote(text))] if "%" in text else ())]
    return any(name in one for name in names for one in spelt)


def _plain(text: str) -> str:
    return text.casefold() if text.isascii() else unicodedata.normalize("NFC", text).casefold()


@tool("note_trash", NoteGone, inverse=restoring, roles=TARGET)
def note_trash(args: NoteGone, look: Look) -> Effects:
    """A note into the vault's trash."""
    path, data = existing(look, args.path, args.expected_etag)
    return Effects((Change(path, data, None),), "trash", {"path": path})


def _delete(args: NoteGone, hands: Hands, effects: Effects, key: str) -> None:  # noqa: ARG001 - see `Apply`
    for change in effects.changes:
        hands.carry(change, delete=True)


@tool(
    "note_delete",
    NoteGone,
    risk="DANGEROUS",
    flags=frozenset({"permanent_delete"}),
    apply=_delete,
    inverse=None,
    roles=TARGET,
)
def note_delete(args: NoteGone, look: Look) -> Effects:
    """A note gone for good."""
    path, data = existing(look, args.path, args.expected_etag)
    return Effects((Change(path, data, None),), "delete", {"path": path})


def _restore(args: Any, hands: Hands, effects: Effects, key: str) -> None:  # noqa: ARG001 - see `Apply`
    for change in effects.changes:
        hands.carry(change, untrash=True)


@tool("note_restore", NoteRestore, apply=_restore, inverse=restoring, proposable=False)
def note_restore(args: NoteRestore, look: Look) -> Effects:
    """Exact bytes again: from the backups, from the name the note was moved to, or out of the trash."""
    changes = tuple(_restored(one, look) for one in args.notes)
    return Effects(changes, counted("restore", len(changes)), {"notes": len(changes)})


def _restored(one: Restored, look: Look) -> Change:
    path, stands = writable(look, one.path), writable(look, one.at or one.path)
    now = look.read(stands)
    if (etag_of(now) if now is not None else "") != one.expected:
        raise NoteChanged(stands)
    if stands != path and look.read(path) is not None:
        raise NoteExists(path)
    wanted = now
    if one.etag != one.expected:
        wanted = look.kept(path, Etag(one.etag)) if one.etag else None
        if one.etag and wanted is None:
            raise ToolError("version_lost", path=path)
    return Change(path, now, wanted, moved_from=stands if stands != path else None)


TOOLS: tuple[Tool, ...] = (note_move, note_trash, note_delete, note_restore)
