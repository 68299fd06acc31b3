"""The scan: every note of the vault with its stamp, and what of the vault could not be seen.

A folder that cannot be listed says nothing about its notes: a listing knows which paths it cannot speak for.
Nothing is opened; a link is never followed; the loop does as little as it can for each file, because most
scans find ten thousand notes unchanged.
"""

import os
import stat
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple, cast

from config.paths import NAMES, conflict_original, numbered_original, placeholder_original
from daemon.vault import names
from daemon.vault.errors import OutsideVault, TooLarge, TwinNames
from parsers.model.places import NotePath, Problem

NOTE = ".md"
_OURS = f"{NAMES.assistant}/"
_KIND, _FILE = 0o170000, stat.S_IFREG


class Entry(NamedTuple):
    """One note as a scan sees it, without opening it."""

    path: NotePath
    """As it is spelt on disk."""
    mtime_ns: int
    size: int
    inode: int
    conflict_of: NotePath | None = None
    """The note of which a sync tool made this conflict copy."""


Row = tuple[NotePath, int, int, int, NotePath | None]
"""An `Entry` whose parts have no names: to name those of ten thousand notes takes as long as to look at them twice."""


@dataclass(frozen=True, slots=True)
class Listing:
    """What one scan saw."""

    rows: tuple[Row, ...]
    """The notes, sorted by path."""
    failures: tuple[Problem, ...] = ()
    """Folders that could not be listed (`""` is the vault): what is below them is unknown, not gone."""
    problems: tuple[Problem, ...] = ()
    """Notes over the size limit, twin names, names no note can have."""
    linked: tuple[NotePath, ...] = ()
    """Notes that are links, left out."""
    waiting: tuple[NotePath, ...] = ()
    """Notes a sync tool has not fetched yet."""
    drafts: tuple[str, ...] = ()
    """Drafts of writes: under the lock, what a crash left."""

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The notes, sorted by path."""
        return tuple(map(Entry._make, self.rows))

    @property
    def copies(self) -> tuple[Entry, ...]:
        """The notes that are a sync tool's conflict copies."""
        return tuple(Entry._make(row) for row in self.rows if row[4] is not None)

    def unknown(self, path: str) -> bool:
        """Whether this scan cannot tell if there is such a note; then its absence means nothing."""
        return names.composed(path) in map(names.composed, self.waiting) or any(
            not failure.path or path == failure.path or path.startswith(f"{failure.path}/")
            for failure in self.failures
        )


class Walk:
    """One scan of the folder `root`.

    Args:
        root: The vault, in full.
        max_bytes: Size over which a note is left out with a problem.
        ignored: Whether a path (a folder's ends in `/`) is never read; None when all are.
    """

    def __init__(self, root: str, max_bytes: int, ignored: Callable[[str], bool] | None) -> None:
        self._root, self._max_bytes, self._ignored = root, max_bytes, ignored
        self._rows: list[tuple[str, int, int, int, NotePath | None]] = []
        self._failures: list[Problem] = []
        self._problems: list[Problem] = []
        self._linked: list[NotePath] = []
        self._waiting: list[NotePath] = []
        self._drafts: list[str] = []
        self._folders = [""]

    def listing(self, problems: Iterable[Problem] = ()) -> Listing:
        """Scan every folder; `problems` are known already."""
        self._problems += problems
        while self._folders:
            folder = self._folders.pop()
            try:
                self._scan(folder)
            except OSError as error:
                self._failures.append(unlistable(folder[:-1], error))
        self._rows.sort()
        rows = cast("list[Row]", self._rows)
        self._problems += _twins(rows)
        return Listing(
            tuple(rows),
            tuple(self._failures),
            tuple(self._problems),
            tuple(self._linked),
            tuple(self._waiting),
            tuple(self._drafts),
        )

    def _scan(self, folder: str) -> None:
        """List one folder; its path ends in `/`, that of the vault is empty."""
        add, most, all_read = self._rows.append, self._max_bytes, self._ignored is None
        odd, ours = names.ODD.search, folder == _OURS
        with os.scandir(f"{self._root}/{folder}") as found:
            for item in found:
                name = item.name
                if name[0] == "." and self._hidden(folder, name):
                    continue
                if name.endswith(NOTE):
                    path = folder + name
                    try:
                        status = item.stat(follow_symlinks=False)
                    except FileNotFoundError:
                        continue
                    plain = status.st_mode & _KIND == _FILE and status.st_size <= most and all_read
                    if (plain and not odd(name)) or self._odd(path, status):
                        copied = copied_from(self._root, path) if ours or "onfli" in name else None
                        add((path, status.st_mtime_ns, status.st_size, status.st_ino, copied))
                elif item.is_dir(follow_symlinks=False):
                    self._folder(folder + name)
                elif ".md." in name:
                    self._wait(folder + name)

    def _odd(self, path: str, status: os.stat_result) -> bool:
        """Whether a file that is no plain small note under a plain name is a note all the same."""
        if stat.S_ISDIR(status.st_mode):
            self._folder(path)
            return False
        if self._ignored is not None and self._ignored(path):
            return False
        if stat.S_ISLNK(status.st_mode):
            self._linked.append(NotePath(path))
        elif stat.S_ISREG(status.st_mode):
            return self._usable(path, status.st_size)
        return False

    def _usable(self, path: str, size: int) -> bool:
        if size > self._max_bytes:
            self._problems.append(TooLarge(path, size, self._max_bytes).problem)
            return False
        return not names.ODD.search(path) or self._allowed(path)

    def _allowed(self, path: str) -> bool:
        try:
            names.check(path)
        except OutsideVault as error:
            self._problems.append(error.problem)
            return False
        return True

    def _folder(self, path: str) -> None:
        if self._ignored is not None and self._ignored(f"{path}/"):
            return
        if not names.ODD.search(path) or self._allowed(path):
            self._folders.append(f"{path}/")

    def _hidden(self, folder: str, name: str) -> bool:
        """Whether to leave a name out that starts with a dot, having noted what it may tell."""
        if names.is_draft(name):
            self._drafts.append(folder + name)
        elif names.hidden(name):
            self._wait(folder + name)
        else:
            return False
        return True

    def _wait(self, path: str) -> None:
        absent = placeholder_original(path)
        if absent and absent.endswith(NOTE):
            self._waiting.append(NotePath(absent))


def copied_from(root: str, path: str) -> NotePath | None:
    """Give the note of which a sync tool made this conflict copy; a number only tells one beside a note of ours."""
    original = conflict_original(path)
    if original is None and path.startswith(_OURS):
        numbered = numbered_original(path)
        return numbered if numbered and os.path.lexists(f"{root}/{numbered}") else None
    return original


def unlistable(folder: str, error: OSError) -> Problem:
    """The problem of a folder that cannot be listed."""
    reason = error.strerror or type(error).__name__
    return Problem(folder, 0, "folder_unreadable", (("reason", reason),))


def _twins(rows: list[Row]) -> list[Problem]:
    """One problem for each name that stands there in more than one encoding of its accents."""
    paths = [row[0] for row in rows if not row[0].isascii()]
    if unicodedata.is_normalized("NFC", "\0".join(paths)):
        return []
    seen: set[str] = set()
    twins: dict[str, Problem] = {}
    for path in paths:
        name = names.composed(path)
        if name in seen:
            twins[name] = TwinNames(name).problem
        seen.add(name)
    return list(twins.values())
