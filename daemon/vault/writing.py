"""How a note is replaced: whole or not at all, only if it is the version that was read, and nothing is lost.

The order is the guarantee. The draft is whole and on disk before it gets the note's name; exchanging the two
names keeps whatever stood there at that moment, even a version that came after the check; what was displaced
is moved, never unlinked. Where files cannot be exchanged, or the note has other names, its bytes are
backed up, then overwritten.
"""

import contextlib
import errno
import os
from dataclasses import dataclass
from typing import Final

from daemon.vault import names
from daemon.vault.disk import (
    Reading,
    Stamp,
    etag_of,
    make_folders,
    opened,
    overwrite,
    read_all,
    read_file,
    stamp_of,
    sync_folder,
    write_new,
)
from daemon.vault.errors import NoteChanged, NoteExists
from daemon.vault.kept import Store
from daemon.vault.rename import UNSUPPORTED, Exchange, take_name
from parsers.model.places import Etag, NotePath

_UNSURE: Final = Stamp(0, 0, 0)
"""A stamp no file has: the note is read again at the next scan."""

_NEW: Final = 0o666
"""Mode of a new note, before the person's umask."""


@dataclass(frozen=True, slots=True)
class Written:
    """What stands in the note now, and what a write displaced if that was not the version that was read."""

    etag: Etag
    stamp: Stamp
    displaced: Reading | None = None


class Writer:
    """Writes into one vault; `exchange` is None on a file system that has no such call."""

    def __init__(self, root: str, store: Store, exchange: Exchange | None) -> None:
        self._root, self._store, self._exchange = root, store, exchange

    def replace(self, path: NotePath, data: bytes, expected: Etag) -> Written:
        """Replace a note, whole or not at all, if it is still the one that was read.

        Raises:
            NoteChanged: It is not.
            OSError: Nothing was written.
        """
        full = os.path.join(self._root, path)
        with opened(full) as like:
            status = os.fstat(like)
            if etag_of(read_all(like)) != expected:
                raise NoteChanged(path)
            if (new := etag_of(data)) == expected:
                return Written(expected, stamp_of(status))
            movable = self._exchange and status.st_nlink == 1 and self._store.same_disk(full)
            folder, name = os.path.split(full)
            draft = os.path.join(folder, names.draft_name(name, expected, new, "w"))
            stamp = write_new(draft, data, like)
        if not movable or not self._exchanged(draft, path, expected, new):
            return self._in_place(draft, path, data, expected)
        sync_folder(folder)
        kept = self._store.shelve(names.with_state(draft, "x"), path, expected)
        displaced = self._store.reading(kept, path)
        return Written(new, stamp, None if displaced.etag == expected else displaced)

    def create(self, path: NotePath, data: bytes) -> Written:
        """Make a note, whole or not at all, and the folders above it.

        Raises:
            NoteExists: The name is taken.
            OSError: Nothing was made but folders.
        """
        full = os.path.join(self._root, path)
        folder, name = os.path.split(full)
        make_folders(folder)
        draft = os.path.join(folder, names.draft_name(name, None, etag_of(data), "w"))
        stamp = write_new(draft, data, mode=_NEW)
        try:
            if not self._take_name(draft, full):
                stamp = write_new(full, data, mode=_NEW)
        except FileExistsError:
            raise NoteExists(path) from None
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(draft)
        sync_folder(folder)
        return Written(etag_of(data), stamp)

    def append(self, path: NotePath, data: bytes, size: int) -> None:
        """Add bytes at a file's end in one write, on disk when this returns; where none is, size 0, make it.

        Raises:
            NoteChanged: The file has another size.
            OSError: Nothing was added.
        """
        full = os.path.join(self._root, path)
        if size == 0 and not os.path.lexists(full):
            self.create(path, data)
            return
        with opened(full, os.O_WRONLY | os.O_APPEND) as fd:
            if os.fstat(fd).st_size != size:
                raise NoteChanged(path)
            _add(fd, data, size)

    def cut(self, path: NotePath, size: int, tail: bytes) -> None:
        """Cut a file back to this size, the bytes beyond it first kept in the backups.

        Raises:
            NoteChanged: What stands beyond it is not `tail`.
            OSError: Nothing was cut.
        """
        full = os.path.join(self._root, path)
        with opened(full, os.O_RDWR) as fd:
            if not _ends_with(fd, size, tail):
                raise NoteChanged(path)
            self._store.save(path, tail)
            if not _ends_with(fd, size, tail):
                raise NoteChanged(path)
            os.ftruncate(fd, size)
            os.fsync(fd)

    def _exchanged(self, draft: str, path: NotePath, expected: Etag, new: Etag) -> bool:
        """Exchange draft and note; False, with the draft as it was, where that cannot be done."""
        full = os.path.join(self._root, path)
        if self._exchange is None:
            return False
        ready = names.with_state(draft, "x")
        os.rename(draft, ready)
        try:
            _unchanged(full, path, expected)
            self._exchange(ready, full)
        except OSError as error:
            if error.errno in UNSUPPORTED:
                os.rename(ready, draft)
                return False
            _drop(ready, new)
            raise
        except NoteChanged:
            _drop(ready, new)
            raise
        return True

    def _in_place(self, draft: str, path: NotePath, data: bytes, expected: Etag) -> Written:
        """Overwrite the note itself; the whole draft stays until that is done, so a crash can be mended."""
        whole = names.with_state(draft, "i")
        os.rename(draft, whole)
        sync_folder(os.path.dirname(whole))
        with contextlib.ExitStack() as undo:
            undo.callback(os.unlink, whole)
            with opened(os.path.join(self._root, path), os.O_RDWR) as fd:
                self._store.save(path, _still(fd, path, expected))
                old = _still(fd, path, expected)
                undo.pop_all()
                _change(fd, old, data)
                stamp = stamp_of(os.fstat(fd))
                unchanged = _from_start(fd) == data
        os.unlink(whole)
        return Written(etag_of(data), stamp if unchanged else _UNSURE)

    def _take_name(self, draft: str, full: str) -> bool:
        """Give the draft its name if that is free; False where neither call for it exists."""
        if self._exchange is not None:
            try:
                take_name(draft, full)
            except OSError as error:
                if error.errno not in UNSUPPORTED:
                    raise
            else:
                return True
        try:
            os.link(draft, full)
        except FileExistsError:
            raise
        except OSError:
            return False
        return True


def _unchanged(full: str, path: NotePath, expected: Etag) -> None:
    if etag_of(read_file(full)[0]) != expected:
        raise NoteChanged(path)


def _drop(draft: str, new: Etag) -> None:
    """Unlink a draft, unless it is no longer our text: an exchange may fail after it was done."""
    if etag_of(read_file(draft)[0]) == new:
        os.unlink(draft)


def _from_start(fd: int) -> bytes:
    os.lseek(fd, 0, os.SEEK_SET)
    return read_all(fd)


def _still(fd: int, path: NotePath, expected: Etag) -> bytes:
    data = _from_start(fd)
    if etag_of(data) != expected:
        raise NoteChanged(path)
    return data


def _change(fd: int, old: bytes, new: bytes) -> None:
    try:
        overwrite(fd, new)
    except OSError:
        overwrite(fd, old)
        raise


def _add(fd: int, data: bytes, size: int) -> None:
    """One write; what cannot be written whole and made durable is taken away again."""
    try:
        _write_once(fd, data)
        os.fsync(fd)
    except OSError:
        if os.fstat(fd).st_size <= size + len(data):
            os.ftruncate(fd, size)
        raise


def _write_once(fd: int, data: bytes) -> None:
    if os.write(fd, data) < len(data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _ends_with(fd: int, size: int, tail: bytes) -> bool:
    return os.fstat(fd).st_size == size + len(tail) and os.pread(fd, len(tail) + 1, size) == tail
