"""Whole reads and whole writes on descriptors, and what a read gives: bytes and etag that belong together."""

import contextlib
import errno
import hashlib
import os
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from parsers.model.places import Etag, NotePath

CHUNK = 1 << 18
NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_READ = os.O_RDONLY | NO_FOLLOW | getattr(os, "O_NONBLOCK", 0)  # a pipe must not hold the daemon up
_FULL_COPY = 1 | 4  # COPYFILE_ACL | COPYFILE_XATTR


class Stamp(NamedTuple):
    """What tells cheaply that a file is probably unchanged."""

    mtime_ns: int
    size: int
    inode: int


@dataclass(frozen=True, slots=True)
class Reading:
    """One version of a note: its bytes, and the etag and stamp of exactly these."""

    path: NotePath
    """As it is spelt on disk."""
    data: bytes
    etag: Etag
    stamp: Stamp
    linked: bool = False
    """Reached through a link: not managed, never written."""
    kept: str = ""
    """Its name in `displaced/`, for a version that was displaced."""


def etag_of(data: bytes) -> Etag:
    """SHA-256 of the bytes."""
    return Etag(hashlib.sha256(data).hexdigest())


def stamp_of(status: os.stat_result) -> Stamp:
    """The stamp in a file's status."""
    return Stamp(status.st_mtime_ns, status.st_size, status.st_ino)


@contextlib.contextmanager
def opened(full: str, flags: int = _READ) -> Iterator[int]:
    """A descriptor of a regular file, never one reached by a link in the last component.

    Raises:
        OSError: Also with `EINVAL` for a folder, a pipe or a device.
    """
    fd = os.open(full, flags | NO_FOLLOW)
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", full)
        yield fd
    finally:
        os.close(fd)


def read_all(fd: int, size: int | None = None) -> bytes:
    """Every byte from the descriptor's position on; a short read is not the end, but at the `size` a file has."""
    first = os.read(fd, CHUNK if size is None else size + 1)
    if not first or len(first) == size:
        return first
    rest = [first]
    while more := os.read(fd, CHUNK):
        rest.append(more)
    return b"".join(rest) if len(rest) > 1 else first


def read_file(full: str, limit: int | None = None, *, at: int | None = None) -> tuple[bytes, os.stat_result]:
    """Bytes and status from one descriptor; the status is the older, so a write in between is seen next time.

    With `at`, the descriptor of a folder, `full` is a name in it.

    Raises:
        OSError: Also with `EINVAL` for what is no regular file, `EFBIG` for one of more than `limit` bytes.
    """
    fd = os.open(full, _READ, dir_fd=at)
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a regular file", full)
        if limit is not None and status.st_size > limit:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), full)
        return read_all(fd, status.st_size), status
    finally:
        os.close(fd)


def write_all(fd: int, data: bytes) -> None:
    """Write every byte, however little the system takes at once."""
    left = memoryview(data)
    while left:
        left = left[os.write(fd, left) :]


def write_new(full: str, data: bytes, like: int | None = None, mode: int = 0o600) -> Stamp:
    """Make a file that did not exist, on disk when this returns; nothing stays of it if it cannot be whole.

    Args:
        full: Where; its folder exists.
        data: All of its bytes.
        like: Descriptor of a file whose mode, owner and extended attributes it takes.
        mode: Its mode where there is no `like`.
    """
    fd = os.open(full, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_FOLLOW, mode)
    try:
        if like is not None:
            _dress(fd, like)
        write_all(fd, data)
        os.fsync(fd)
        return stamp_of(os.fstat(fd))
    except BaseException:
        os.unlink(full)
        raise
    finally:
        os.close(fd)


def overwrite(fd: int, data: bytes) -> None:
    """Put these bytes in place of a file's, in the same file, and on disk."""
    done = 0
    while done < len(data):
        done += os.pwrite(fd, data[done : done + CHUNK], done)
    os.ftruncate(fd, len(data))
    os.fsync(fd)


def sync_folder(folder: str) -> None:
    """Make the names in a folder durable."""
    if os.name == "nt":
        return
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def make_folders(folder: str, mode: int = 0o777) -> None:
    """Make a folder and those above it that are missing, each durable in its parent."""
    if os.path.isdir(folder):
        return
    parent = os.path.dirname(folder)
    make_folders(parent, mode)
    with contextlib.suppress(FileExistsError):
        os.mkdir(folder, mode)
    sync_folder(parent)


def _dress(fd: int, like: int) -> None:
    """Copy mode, owner and extended attributes, as far as the system lets us."""
    status = os.fstat(like)
    with contextlib.suppress(OSError, AttributeError):
        os.fchown(fd, status.st_uid, status.st_gid)
    os.fchmod(fd, stat.S_IMODE(status.st_mode))
    if sys.platform == "darwin":
        import ctypes  # noqa: PLC0415  (only this system needs it here)

        ctypes.CDLL(None).fcopyfile(like, fd, None, _FULL_COPY)
    elif hasattr(os, "listxattr"):
        for name in _attributes(like):
            with contextlib.suppress(OSError):
                os.setxattr(fd, name, os.getxattr(like, name))


def _attributes(fd: int) -> list[str]:
    try:
        return os.listxattr(fd)
    except OSError:
        return []
