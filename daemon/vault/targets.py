"""Where a path leads, with every reason why it may not be a target: what a policy needs to know of it."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from config.paths import NAMES
from daemon.vault import names
from daemon.vault.errors import OutsideVault, VaultError
from daemon.vault.places import Places
from parsers.model.places import NotePath

Reason = Literal["outside", "hidden", "managed", "assistant", "ignored", "linked"]
"""`outside`: not a path below the vault, or a link on it leads out; `hidden`: a dot-file, or in a dot-folder;
`managed`: a note of ours, a plan or the register; `assistant`: anything in the assistant folder."""


@dataclass(frozen=True, slots=True)
class Target:
    """What is known of a path before anything is done there."""

    path: NotePath
    """As it is spelt on disk; as it was given where nothing stands there."""
    real: NotePath
    """Where the links on it lead, inside the vault."""
    free: bool
    """Whether nothing stands there."""
    reasons: frozenset[Reason] = frozenset()


def target(places: Places, ignored: Callable[[str], bool] | None, path: str) -> Target:
    """Give where a path leads, and why it may not be written there."""
    given = NotePath(path)
    try:
        names.check(path)
    except OutsideVault:
        return Target(given, given, free=False, reasons=frozenset({_unusable(path)}))
    spelt = _spelt(places, given)
    real, reasons = spelt, set[Reason]()
    if places.below_link(spelt) or os.path.islink(places.full(spelt)):
        try:
            real = NotePath(os.path.relpath(places.followed(spelt), places.root).replace(os.sep, "/"))
            reasons.add("linked")
        except OutsideVault:
            reasons.add("outside")
    for one in {spelt, real}:
        reasons |= ours(one)
        if ignored is not None and ignored(one):
            reasons.add("ignored")
    free = not os.path.lexists(places.full(spelt))
    return Target(spelt, real, free, frozenset(reasons))


def ours(path: str) -> frozenset[Reason]:
    """Give whether a path is `managed`, or in the assistant folder, however its case and accents are spelt."""
    folded = names.composed(path).casefold()
    if not _below(folded, _folded(NAMES.assistant)):
        return frozenset()
    if folded in _MANAGED or any(_below(folded, folder) for folder in _MANAGED_FOLDERS):
        return frozenset({"managed", "assistant"})
    return frozenset({"assistant"})


def _folded(path: str) -> str:
    return names.composed(path).casefold()


_MANAGED = frozenset(
    map(
        _folded,
        (
            NAMES.profile,
            NAMES.people,
            NAMES.cards,
            NAMES.autonomy,
            NAMES.now,
            NAMES.questions,
            NAMES.requests,
            NAMES.journal,
            NAMES.plans_base,
        ),
    )
)
_MANAGED_FOLDERS = (_folded(NAMES.plans), _folded(NAMES.register_folder))


def _below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


def _unusable(path: str) -> Reason:
    """Tell a path that is only hidden from one that is none of this vault."""
    shown = "/".join(part[1:] if names.hidden(part) else part for part in path.split("/"))
    try:
        names.check(shown)
    except OutsideVault:
        return "outside"
    return "hidden"


def _spelt(places: Places, path: NotePath) -> NotePath:
    if path.isascii() or os.path.lexists(places.full(path)):
        return path
    try:
        return places.resolve(path)
    except VaultError:
        return path
