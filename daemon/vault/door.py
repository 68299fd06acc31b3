"""The only door to the notes: every byte of the vault is read and written here.

Reading gives bytes and the etag of exactly these bytes. Writing needs the etag that was read and loses
nothing: writing.py says how, kept.py what becomes of what was replaced. Paths are checked first, links are
never written nor followed out of the vault, and a vault that is not there is not an empty one.
"""

import contextlib
import errno
import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

from config.paths import NAMES
from daemon.vault import locks, names
from daemon.vault.disk import Reading, etag_of, read_file, stamp_of
from daemon.vault.errors import (
    Ignored,
    LinkedNote,
    NotAFile,
    NoteChanged,
    NoteMissing,
    OutsideVault,
    TooLarge,
    TwinNames,
    Unreadable,
    Unwritable,
    VaultMissing,
)
from daemon.vault.folders import Folders
from daemon.vault.ignore import IgnoreFile
from daemon.vault.kept import Late, Store
from daemon.vault.moves import Moves
from daemon.vault.places import Places
from daemon.vault.rename import Exchange, exchange
from daemon.vault.targets import Target, target
from daemon.vault.walk import NOTE, Entry, Listing, Walk, copied_from, unlistable
from daemon.vault.writing import Writer, Written
from parsers.model.places import Etag, NotePath, Problem

_GONE = (FileNotFoundError, NotADirectoryError)


class Vault:
    """The notes below one folder.

    Args:
        root: The vault's folder.
        backups: Where replaced versions end up, outside the vault.
        max_bytes: Size over which a note is not read.
        ignore: Patterns that are ignored besides those of the ignore file.
        exchange: How two files exchange names; None where the file system only knows plain calls.
        clock: Seconds since 1970, for the names of kept files.
    """

    def __init__(
        self,
        root: Path,
        backups: Path,
        max_bytes: int,
        ignore: tuple[str, ...] = (),
        *,
        exchange: Exchange | None = exchange,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.root = Path(os.path.realpath(root))
        self._root = str(self.root)
        self._places = Places(self._root)
        self._max_bytes = max_bytes
        self._ignore = IgnoreFile(self._root, ignore)
        self.kept = Store(self._root, self._places.full(NAMES.displaced), str(backups), clock)
        self._writer = Writer(self._root, self.kept, exchange)
        self._moves = Moves(self._places, self.kept, exchange)

    def available(self) -> Problem | None:
        """None when the vault is there, with or without its register, and not an empty mount point."""
        return None if self._places.there() else VaultMissing(self._root).problem

    def prepare(self) -> None:
        """Make our own folder in the vault with all it holds, where it is missing.

        Raises:
            VaultMissing: The vault's folder is not there.
            OutsideVault: Our folder is a link.
        """
        if not os.path.isdir(self._root):
            raise VaultMissing(self._root)
        if os.path.islink(self._places.full(NAMES.private_folder)):
            raise OutsideVault(NAMES.private_folder)
        os.makedirs(self._places.full(NAMES.displaced), exist_ok=True)
        for name, text in ((NAMES.private_ignore, b"*\n"), (NAMES.lock, b""), (NAMES.executor, b"")):
            with contextlib.suppress(FileExistsError):
                fd = os.open(self._places.full(name), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
                os.write(fd, text)
                os.close(fd)

    def make_way(self, folder: NotePath) -> None:
        """Keep a file that stands where a folder of ours belongs, as what a write replaces is. Under the lock.

        Raises:
            Unwritable: The system refuses.
        """
        full = self._places.full(folder)
        with _writing(folder):
            if os.path.isfile(full):
                self.kept.shelve(full, folder, etag_of(read_file(full)[0]))

    def locked(self, timeout: float = 10.0) -> AbstractContextManager[None]:
        """Hold the vault's lock, for one batch.

        Raises:
            VaultBusy: Another process held it all the time.
            VaultMissing: The vault, or our folder in it, is not there.
        """
        return locks.locked(self._places.full(NAMES.lock), timeout)

    def executor(self, timeout: float = 0.0) -> locks.Held | None:
        """Become the process that executes, until the lock is closed; None when another is for so many seconds."""
        return locks.lock_within(self._places.full(NAMES.executor), timeout)

    def read(self, path: NotePath) -> Reading:
        """A note's bytes, with etag and stamp of exactly these.

        Raises:
            NoteMissing: There is no such note, and the vault is there.
            OutsideVault: The path, or a link on it, leads out of the vault.
            Unreadable: The system refuses; `Ignored`, `TooLarge`: we do; `NotHereYet`, `VaultMissing`: later.
        """
        self._allow(path)
        try:
            return self._read(path)
        except _GONE:
            pass
        try:
            return self._read(self._places.resolve(path))
        except _GONE:
            raise self._places.missing(path) from None
        except OSError as error:
            raise _unreadable(path, error) from None

    @contextlib.contextmanager
    def reading(self) -> Iterator[Callable[[NotePath], Reading]]:
        """Give what reads as `read` does, for many notes in the order of their folders."""
        with contextlib.closing(Folders(self._places)) as folders:

            def read(path: NotePath) -> Reading:
                self._allow(path)
                data, status = folders.read(path, self._max_bytes)
                return (
                    self.read(path)
                    if status is None
                    else Reading(path, data, etag_of(data), stamp_of(status))
                )

            yield read

    def write(self, path: NotePath, data: bytes, expected: Etag) -> Written:
        """Replace a note, whole or not at all, if it is still the one that was read.

        Mode, owner and extended attributes stay; what was replaced is kept. Under the lock.

        Raises:
            NoteChanged: It is not, or it is gone.
            LinkedNote: It is a link, or below one.
            TwinNames: It exists in two encodings of its name.
            Unwritable: The system refuses.
        """
        with _writing(path):
            try:
                path = self._places.writable(path)
                return self._writer.replace(path, data, expected)
            except (*_GONE, NoteMissing):
                raise self._lost(path) from None

    def create(self, path: NotePath, data: bytes) -> Written:
        """Make a note and the folders above it, whole or not at all.

        Where neither a rename that refuses a taken name nor hard links exist, a crash may leave it in part.

        Raises:
            NoteExists: The name is taken, perhaps spelt otherwise.
            LinkedNote: A folder above it is a link.
            Unwritable: The system refuses.
        """
        with _writing(path):
            return self._writer.create(self._places.free(path), data)

    def move(self, path: NotePath, to: NotePath, expected: Etag) -> Written:
        """Rename a note that is still the one that was read to a free name, making folders. Under the lock.

        Raises:
            NoteExists: The name is taken; `NoteChanged`, `LinkedNote`, `TwinNames`, `Unwritable`: as for `write`.
        """
        with self._leaving(path):
            return self._moves.move(path, to, expected)

    def trash(self, path: NotePath, expected: Etag) -> str:
        """Move a note to the trash, as Obsidian does; gives its path inside it. Errors as for `write`."""
        with self._leaving(path):
            return self._moves.trash(path, expected)

    def untrash(self, trashed: str, path: NotePath, expected: Etag) -> Written:
        """Move a note from its path inside the trash to a free name. Errors as for `move`."""
        names.check(trashed)
        with self._leaving(path):
            return self._moves.untrash(trashed, path, expected)

    def trashed(self, path: NotePath, etag: Etag) -> tuple[str, bytes] | None:
        """Give the path inside the trash of this version of a note, and its bytes; None when it is not there."""
        names.check(path)
        with _writing(path):
            return self._moves.trashed(path, etag)

    def delete(self, path: NotePath, expected: Etag) -> None:
        """Take a note away; its bytes are kept as what a write replaces. Errors as for `write`."""
        with self._leaving(path):
            self._moves.delete(path, expected)

    def backup(self, etag: str) -> bytes | None:
        """Give the bytes with this etag that a write or a deletion replaced, None when they are not kept."""
        return self.kept.find(etag)

    def target(self, path: str) -> Target:
        """Give where a path leads, and every reason why nothing may be done there.

        Raises:
            Unreadable: The ignore file cannot be read.
        """
        try:
            return target(self._places, self._ignore.matcher(), path)
        except OSError as error:
            raise _unreadable(path, error) from None

    def append(self, path: NotePath, data: bytes, size: int) -> None:
        """Add bytes at the end of a file of `size` bytes, in one write, on disk when this returns.

        A missing file is made when `size` is 0.

        Raises:
            NoteChanged: It has another size, or is gone.
            Unwritable: The system refuses; nothing was added.
        """
        with _writing(path):
            try:
                self._places.plain(path)
                self._writer.append(path, data, size)
            except _GONE:
                raise self._lost(path) from None

    def cut(self, path: NotePath, size: int, expected_tail: bytes) -> None:
        """Cut a file back to `size`; the bytes beyond, which must be these, are in the backups first.

        Raises:
            NoteChanged: Other bytes stand there.
            Unwritable: The system refuses.
        """
        with _writing(path):
            try:
                self._places.plain(path)
                self._writer.cut(path, size, expected_tail)
            except _GONE:
                raise self._lost(path) from None

    def walk(self) -> Listing:
        """Every note with its stamp, without opening one."""
        try:
            ignored = self._ignore.matcher()
        except OSError as error:
            return Listing((), failures=(unlistable("", error),))
        listing = Walk(self._root, self._max_bytes, ignored).listing(self._ignore.problems)
        if listing.rows or self._places.there():
            return listing
        return Listing((), failures=(VaultMissing(self._root).problem,))

    def entry(self, path: NotePath) -> Entry | None:
        """What a scan would list of this one note; None when it would not.

        Raises:
            Unreadable: The system refuses, so it is not known; `NotHereYet`, `VaultMissing`: as for `read`.
        """
        try:
            self._allow(path)
            spelt, status = self._status(path)
        except _GONE:
            self._absent(path)
            return None
        except OSError as error:
            raise _unreadable(path, error) from None
        except (NoteMissing, OutsideVault, LinkedNote, Ignored, TwinNames):
            return None
        if (
            not path.endswith(NOTE)
            or not stat.S_ISREG(status.st_mode)
            or not self._fits(path, status.st_size)
        ):
            return None
        return Entry(spelt, *stamp_of(status), conflict_of=copied_from(self._root, spelt))

    def unseen(self, path: NotePath) -> bool:
        """Whether a note that no scan shows is there all the same: ignored, no longer usable, or in the trash."""
        trash = f"{self._places.full(NAMES.trash)}/"
        places = (self._places.full(path), trash + path, trash + path.rpartition("/")[2])
        return any(map(os.path.lexists, places))

    def resolve(self, path: NotePath) -> NotePath:
        """The path as it is spelt on disk, where another encoding of accents (or case) names the same file.

        Raises:
            NoteMissing: There is no such file.
            TwinNames: None is spelt so, and several would do.
        """
        return self._places.resolve(path)

    def late(self, now: float, drafts: Iterable[str] = ()) -> list[Late]:
        """Versions nobody has read: displaced files that changed since, and `drafts` that a crash left.

        Each is handed over again until `heard`. Files quiet for a minute go to the backups. Under the lock.
        """
        with _writing(NAMES.displaced):
            for draft in drafts:
                self.kept.sweep(draft)
            return self.kept.late(now)

    def heard(self, reading: Reading) -> Reading:
        """Say that a displaced or late version has been taken care of: it is not handed over again."""
        return self.kept.heard(reading)

    def _allow(self, path: NotePath) -> None:
        names.check(path)
        try:
            ignored = self._ignore.matcher()
        except OSError as error:
            raise _unreadable(NAMES.ignore_file, error) from None
        if ignored is not None and ignored(path) and not _register(path):
            raise Ignored(path, NAMES.ignore_file)

    def _read(self, path: NotePath) -> Reading:
        full, limit = self._places.full(path), None if _register(path) else self._max_bytes
        try:
            linked = self._places.below_link(path) or os.path.islink(full)
            data, status = read_file(self._places.followed(path) if linked else full, limit)
        except _GONE:
            raise
        except OSError as error:
            if error.errno == errno.EFBIG:
                raise TooLarge(path, os.stat(full).st_size, self._max_bytes) from None
            raise _unreadable(path, error) from None
        return Reading(path, data, etag_of(data), stamp_of(status), linked)

    def _status(self, path: NotePath) -> tuple[NotePath, os.stat_result]:
        try:
            return path, os.lstat(self._places.plain(path))
        except _GONE:
            spelt = path if path.isascii() else self._places.resolve(path)
            return spelt, os.lstat(self._places.plain(spelt))

    def _fits(self, path: str, size: int) -> bool:
        return size <= self._max_bytes or _register(path)

    def _absent(self, path: NotePath) -> None:
        reason = self._places.missing(path)
        if not isinstance(reason, NoteMissing):
            raise reason

    @contextlib.contextmanager
    def _leaving(self, path: NotePath) -> Iterator[None]:
        with _writing(path):
            try:
                yield
            except (*_GONE, NoteMissing):
                raise self._lost(path) from None

    def _lost(self, path: NotePath) -> NoteChanged | VaultMissing:
        reason = self._places.missing(path)
        return reason if isinstance(reason, VaultMissing) else NoteChanged(path)


def _register(path: str) -> bool:
    return path.startswith(f"{NAMES.register_folder}/")


def _unreadable(path: str, error: OSError) -> Unreadable:
    if error.errno == errno.EINVAL:
        return NotAFile(path)
    return Unreadable(path, error.strerror or type(error).__name__)


@contextlib.contextmanager
def _writing(path: str) -> Iterator[None]:
    """Turn what the system says into what the owner can act on."""
    try:
        yield
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise LinkedNote(path) from None
        raise Unwritable(path, error.strerror or type(error).__name__) from None
