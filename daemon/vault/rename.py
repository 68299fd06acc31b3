"""The two renames that lose nothing: exchange two names, or take a name only if it is free."""

import ctypes
import errno
import os
import sys
from collections.abc import Callable

Exchange = Callable[[str, str], None]
"""Gives each of two files the other's name, in one step."""

UNSUPPORTED = frozenset(
    {errno.EINVAL, errno.ENOSYS, errno.EXDEV, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM}
)
"""What file systems answer that do not know these renames."""

_MAC = sys.platform == "darwin"
_SWAP, _FREE = 2, 4 if _MAC else 1
_AT_FDCWD = -100
_LIBC = ctypes.CDLL(None, use_errno=True) if os.name == "posix" else None
_CALL = getattr(_LIBC, "renamex_np" if _MAC else "renameat2", None)


def rename_with(source: str, target: str, flags: int) -> None:
    """Call the system's rename with flags.

    Raises:
        OSError: With `ENOSYS` where the system has none.
    """
    if _CALL is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), source)
    old, new = os.fsencode(source), os.fsencode(target)
    failed = _CALL(old, new, flags) if _MAC else _CALL(_AT_FDCWD, old, _AT_FDCWD, new, flags)
    if failed:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), source, None, target)


def exchange(draft: str, note: str) -> None:
    """Give each of the two files the other's name; at no moment is one of the names missing."""
    rename_with(draft, note, _SWAP)


def take_name(draft: str, note: str) -> None:
    """Rename, refusing a name that is taken."""
    rename_with(draft, note, _FREE)
