"""The folder of the note that was read last, kept open: the way to the next one there is not looked at again.

A pass over the whole vault reads folder by folder. What stands under a folder's descriptor stands in the folder that
was looked at, whatever is put in its place meanwhile.
"""

import os

from daemon.vault.disk import NO_FOLLOW, read_file
from daemon.vault.places import Places

_FOLDER = os.O_RDONLY | NO_FOLLOW | getattr(os, "O_DIRECTORY", 0)
_KNOWN = os.open in os.supports_dir_fd
"""Whether this system opens a file by its folder's descriptor."""


class Folders:
    """One open folder at a time; `close` when all is read."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._folder: str | None = None
        self._fd: int | None = None

    def read(self, path: str, limit: int) -> tuple[bytes, os.stat_result | None]:
        """Bytes and status of a note; no status where it takes a closer look: a link, another spelling, a refusal."""
        folder, _, name = path.rpartition("/")
        try:
            if folder != self._folder:
                self._enter(folder, path)
            if self._fd is not None:
                return read_file(name, limit, at=self._fd)
        except OSError:
            pass
        return b"", None

    def _enter(self, folder: str, path: str) -> None:
        self.close()
        self._folder = folder
        if _KNOWN and not self._places.below_link(path):
            self._fd = os.open(self._places.full(folder), _FOLDER)

    def close(self) -> None:
        """Let go of the folder."""
        if self._fd is not None:
            os.close(self._fd)
        self._folder = self._fd = None
