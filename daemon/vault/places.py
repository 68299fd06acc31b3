"""Where a note's path leads: never out of the vault, to the name on disk; and what its absence means."""

import os
import stat

from config.paths import NAMES, placeholder_original
from daemon.vault import names
from daemon.vault.errors import (
    LedOutside,
    LinkedNote,
    NoteExists,
    NoteMissing,
    NotHereYet,
    OutsideVault,
    TwinNames,
    VaultError,
    VaultMissing,
)
from parsers.model.places import NotePath


class Places:
    """The paths of one vault, whose real folder is `root`."""

    def __init__(self, root: str) -> None:
        self.root = root

    def full(self, path: str) -> str:
        """The path for the system."""
        return f"{self.root}/{path}"

    def there(self) -> bool:
        """Whether the vault is there, and not an empty mount point: it holds a folder of ours or of Obsidian."""
        own = (NAMES.private_folder, NAMES.assistant, NAMES.obsidian)
        return any(os.path.isdir(self.full(folder)) for folder in own)

    def below_link(self, path: str) -> bool:
        """Whether a folder on the path is a link."""
        at = path.find("/")
        while at > 0:
            try:
                if stat.S_ISLNK(os.lstat(f"{self.root}/{path[:at]}").st_mode):
                    return True
            except FileNotFoundError:
                return False
            at = path.find("/", at + 1)
        return False

    def followed(self, path: str) -> str:
        """Where the links on a path lead, in full.

        Raises:
            LedOutside: Out of the vault, or to a hidden file.
        """
        real = os.path.realpath(self.full(path))
        inside = os.path.relpath(real, self.root).replace(os.sep, "/")
        try:
            names.check(inside)
        except OutsideVault:
            raise LedOutside(path) from None
        return real

    def plain(self, path: str) -> str:
        """The path for the system, with no link on it.

        Raises:
            OutsideVault: It is not a note's, or a link on it leads out of the vault.
            LinkedNote: A link is on it.
        """
        names.check(path)
        full = self.full(path)
        if self.below_link(path) or os.path.islink(full):
            self.followed(path)
            raise LinkedNote(path)
        return full

    def resolve(self, path: NotePath) -> NotePath:
        """The path as it is spelt on disk, where another encoding of accents (or case) names the same file.

        Raises:
            NoteMissing: There is no such file.
            TwinNames: None is spelt so, and several would do.
        """
        names.check(path)
        folder, spelt = self.root, ""
        for part in path.split("/"):
            try:
                found = names.spelling(folder, part)
            except (FileNotFoundError, NotADirectoryError):
                found = None
            if found is None and os.path.isdir(folder) and names.twinned(folder, part):
                raise TwinNames(path)
            if found is None:
                raise self.missing(path)
            folder, spelt = f"{folder}/{found}", f"{spelt}/{found}"
        return NotePath(spelt[1:])

    def writable(self, path: NotePath) -> NotePath:
        """The path of a note that may be written, as it is spelt on disk.

        Raises:
            OutsideVault: It is not a note's.
            LinkedNote: A link is on it.
            TwinNames: Part of it exists in two encodings.
            NoteMissing: There is no such file.
        """
        self.plain(path)
        if path.isascii():
            return path
        self._single(path)
        spelt = self.resolve(path)
        self.plain(spelt)
        return spelt

    def free(self, path: NotePath) -> NotePath:
        """The path for a note to be made: folders as they are spelt on disk, a name not taken in any.

        Raises:
            OutsideVault: It is not a note's.
            LinkedNote: A link is on it.
            NoteExists: The name is taken.
        """
        self.plain(path)
        folder, spelt = self.root, ""
        for part in path.split("/"):
            found = None
            if not part.isascii() and os.path.isdir(folder):
                found = names.spelling(folder, part)
            folder, spelt = f"{folder}/{found or part}", f"{spelt}/{found or part}"
        if os.path.lexists(folder):
            raise NoteExists(path)
        self.plain(spelt[1:])
        return NotePath(spelt[1:])

    def missing(self, path: NotePath) -> VaultError:
        """What the absence of this file means: gone, not fetched yet, or the vault itself is not there."""
        if not self.there():
            return VaultMissing(self.root)
        folder, name = os.path.split(path)
        try:
            placeholders = os.listdir(self.full(folder))
        except OSError:
            return NoteMissing(path)
        awaited = (placeholder_original(other) for other in placeholders if name in names.composed(other))
        return NotHereYet(path) if name in awaited else NoteMissing(path)

    def _single(self, path: NotePath) -> None:
        folder = self.root
        for part in path.split("/"):
            if os.path.isdir(folder) and names.twinned(folder, part):
                raise TwinNames(path)
            folder = f"{folder}/{part}"
