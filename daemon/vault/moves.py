"""How a note gets another name, goes to the trash and comes back, or goes for good: at no point is a byte lost.

Each is one rename of the file itself, from a name that holds the version that was read to one that is free, then
both folders are made durable, the new name first. A version that slipped in between is moved back, and what was
asked is refused.
"""

import itertools
import os
from collections.abc import Iterator

from config.paths import NAMES
from daemon.vault.disk import etag_of, make_folders, read_file, stamp_of, sync_folder
from daemon.vault.errors import LinkedNote, NoteChanged, NoteExists
from daemon.vault.kept import Store
from daemon.vault.places import Places
from daemon.vault.rename import UNSUPPORTED, Exchange, take_name
from daemon.vault.writing import Written
from parsers.model.places import Etag, NotePath


class Moves:
    """Moves within one vault; `exchange` is None on a file system that only knows plain calls."""

    def __init__(self, places: Places, store: Store, exchange: Exchange | None) -> None:
        self._places, self._store, self._renames = places, store, exchange is not None

    def move(self, path: NotePath, to: NotePath, expected: Etag) -> Written:
        """Give a note another name, the same file, if it is still the one that was read.

        Raises:
            NoteChanged: It is not; nothing moved.
            NoteExists: The name is taken.
            OSError: Nothing moved.
        """
        source = self._places.full(self._places.writable(path))
        _check(source, path, expected)
        target = self._places.full(self._places.free(to))
        try:
            return self._rename(source, target, path, expected)
        except FileExistsError:
            raise NoteExists(to) from None

    def trash(self, path: NotePath, expected: Etag) -> str:
        """Move a note to the vault's trash, below the folders it stood in; gives its path inside the trash.

        Raises:
            NoteChanged: It is not the one that was read; nothing moved.
            LinkedNote: The trash, or a folder in it, is a link.
            OSError: Nothing moved.
        """
        path = self._places.writable(path)
        source = self._places.full(path)
        _check(source, path, expected)
        for spelt in _numbered(path):
            target = self._in_trash(spelt)
            if os.path.lexists(target):
                continue
            try:
                self._rename(source, target, path, expected)
            except FileExistsError:
                continue
            return spelt
        raise NoteExists(path)

    def untrash(self, trashed: str, path: NotePath, expected: Etag) -> Written:
        """Move a note out of the trash, to a name that is free.

        Raises:
            NoteChanged: The trash does not hold this version any more.
            NoteExists: The name is taken.
            OSError: Nothing moved.
        """
        source = self._in_trash(trashed)
        _check(source, path, expected)
        target = self._places.full(self._places.free(path))
        try:
            return self._rename(source, target, path, expected)
        except FileExistsError:
            raise NoteExists(path) from None

    def trashed(self, path: NotePath, etag: Etag) -> tuple[str, bytes] | None:
        """Give the path inside the trash of this version of a note, and its bytes; None when it is not there."""
        for spelt in _numbered(path):
            full = self._in_trash(spelt)
            if not os.path.lexists(full):
                return None
            if os.path.isfile(full) and not os.path.islink(full):
                data = read_file(full)[0]
                if etag_of(data) == etag:
                    return spelt, data
        return None

    def delete(self, path: NotePath, expected: Etag) -> None:
        """Take a note away for good; its bytes are kept as those that a write replaces, late writes too.

        Raises:
            NoteChanged: It is not the one that was read; it stays.
            OSError: It stays.
        """
        path = self._places.writable(path)
        full = self._places.full(path)
        data, status = read_file(full)
        if etag_of(data) != expected:
            raise NoteChanged(path)
        if status.st_nlink > 1 or not self._store.same_disk(full):
            self._store.save(path, data)
            _check(full, path, expected)
            os.unlink(full)
        else:
            self._shelve(full, path, expected)
        sync_folder(os.path.dirname(full))

    def _shelve(self, full: str, path: NotePath, expected: Etag) -> None:
        name = self._store.shelve(full, path, expected)
        sync_folder(self._store.displaced)
        if self._store.reading(name, path).etag != expected:
            self._back(os.path.join(self._store.displaced, name), full)
            raise NoteChanged(path)

    def _rename(self, source: str, target: str, path: NotePath, expected: Etag) -> Written:
        make_folders(os.path.dirname(target))
        self._take(source, target)
        sync_folder(os.path.dirname(target))
        if os.path.dirname(source) != os.path.dirname(target):
            sync_folder(os.path.dirname(source))
        data, status = read_file(target)
        if etag_of(data) != expected:
            self._back(target, source)
            raise NoteChanged(path)
        return Written(expected, stamp_of(status))

    def _back(self, now: str, before: str) -> None:
        """Give a version nobody has read its name back; where that is taken by now, both stay."""
        try:
            self._take(now, before)
        except FileExistsError:
            return
        sync_folder(os.path.dirname(before))

    def _take(self, source: str, target: str) -> None:
        """Rename, refusing a taken name; where no call does that, one of the two names holds the file throughout."""
        if self._renames:
            try:
                take_name(source, target)
            except OSError as error:
                if error.errno not in UNSUPPORTED:
                    raise
            else:
                return
        try:
            os.link(source, target)
        except FileExistsError:
            raise
        except OSError:
            if os.path.lexists(target):
                raise FileExistsError(target) from None
            os.rename(source, target)
            return
        sync_folder(os.path.dirname(target))
        if os.path.samestat(os.lstat(source), os.lstat(target)):
            os.unlink(source)

    def _in_trash(self, spelt: str) -> str:
        path = f"{NAMES.trash}/{spelt}"
        if self._places.below_link(path):
            raise LinkedNote(NAMES.trash)
        return self._places.full(path)


def _check(full: str, path: NotePath, expected: Etag) -> None:
    if etag_of(read_file(full)[0]) != expected:
        raise NoteChanged(path)


def _numbered(path: str) -> Iterator[str]:
    """Give the name, then `name 1`, `name 2`, as Obsidian does where one is taken."""
    yield path
    stem, ending = os.path.splitext(path)
    for number in itertools.count(1):
        yield f"{stem} {number}{ending}"
