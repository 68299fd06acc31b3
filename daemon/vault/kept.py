"""What writes replaced: first in `displaced/`, where late writes still reach it, then in the backups.

A displaced file keeps its inode, so a program that had the note open writes into it. Its bytes are hashed at
each pass until they were quiet for a minute. Bytes that its name does not vouch for are handed over until
`heard` says that they were taken care of: after a crash in between, once more.
"""

import contextlib
import errno
import os
import stat
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import zip_longest

from daemon.vault import names
from daemon.vault.disk import (
    NO_FOLLOW,
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
from parsers.model.places import Etag, NotePath

QUIET = 60.0
"""Seconds for which a displaced file's bytes must not have changed before it becomes a backup."""

_UNKNOWN = "0" * 16
_CLEAN, _SCRUBBED = "..", "."
"""What the names of a scrubbed version's clean copy and of the file that is overwritten with it start with."""
_DAY = 86_400
_MEBIBYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Late:
    """A version of a note that a write displaced, or a crash left, and that nobody has read yet."""

    path: NotePath | None
    """The note it is a version of; None when that cannot be known any more."""
    reading: Reading


class Store:
    """The folders `displaced/` and backups of one vault."""

    def __init__(self, root: str, displaced: str, backups: str, clock: Callable[[], float]) -> None:
        self.root, self.displaced, self.backups, self._clock = root, displaced, backups, clock
        self._vouched: dict[str, tuple[int, int, int]] = {}
        """Displaced files that held what they should when last hashed: none is hashed at each pass for nothing."""

    def shelve(self, source: str, path: str, etag: str) -> str:
        """Move a file into `displaced/`, the same file under another name; gives that name.

        Args:
            source: Where it is now, in full.
            path: The note it is a version of.
            etag: Of the version it should be.
        """
        name = names.kept_name(self._clock(), etag, path)
        make_folders(self.displaced)
        _move(source, os.path.join(self.displaced, name))
        return name

    def same_disk(self, full: str) -> bool:
        """Whether a file can be moved into `displaced/`, which is made if need be."""
        make_folders(self.displaced)
        return os.lstat(full).st_dev == os.stat(self.displaced).st_dev

    def save(self, path: str, data: bytes) -> None:
        """Put bytes that are about to be overwritten into the backups, on disk when this returns."""
        make_folders(self.backups, 0o700)
        write_new(os.path.join(self.backups, names.kept_name(self._clock(), etag_of(data), path)), data)
        sync_folder(self.backups)

    def reading(self, name: str, path: NotePath) -> Reading:
        """The version in `displaced/` under this name."""
        data, stamp = _content(os.path.join(self.displaced, name))
        return Reading(path, data, etag_of(data), stamp, kept=name)

    def waiting(self) -> bool:
        """Whether a displaced version is still to be looked at."""
        return bool(_listed(self.displaced))

    def late(self, now: float) -> list[Late]:
        """Every displaced version that its name does not vouch for; what was quiet becomes a backup."""
        self._end_scrubs()
        found = []
        known, self._vouched = self._vouched, {}
        for kept in _listed(self.displaced):
            try:
                status = os.lstat(os.path.join(self.displaced, kept.name))
                mark = (status.st_ctime_ns, status.st_size, status.st_ino)
                if known.get(kept.name) == mark and now - kept.at < QUIET:
                    self._vouched[kept.name] = mark
                    continue
                reading = self.reading(kept.name, kept.path or NotePath(""))
            except OSError:
                continue
            if not reading.etag.startswith(kept.etag):
                found.append(self._handed_over(kept, reading))
            elif now - kept.at >= QUIET:
                self._retire(kept, reading.etag)
            else:
                self._vouched[kept.name] = mark
        return found

    def heard(self, reading: Reading) -> Reading:
        """Take a displaced version's bytes as taken care of; later changes are watched for another minute."""
        kept = names.parse_kept(reading.kept)
        if kept is None:
            return reading
        name = names.renamed(kept, self._clock(), reading.etag)
        with contextlib.suppress(FileNotFoundError):
            os.rename(os.path.join(self.displaced, kept.name), os.path.join(self.displaced, name))
        return replace(reading, kept=name)

    def sweep(self, draft: str) -> None:
        """Put a draft that a crash left into `displaced/`, vouched for unless the bytes are a third version.

        A note that was being overwritten in place is first made whole.
        """
        full = os.path.join(self.root, draft)
        folder, name = os.path.split(full)
        try:
            data, _ = _content(full)
        except OSError:
            return
        said = names.parse_draft(name)
        note = next((n for n in os.listdir(folder) if said and names.name_hash(n) == said.note), None)
        path = f"{draft[: -len(name)]}{note or name}"
        if said and note and said.state == "w" and _same_file(full, os.path.join(folder, note)):
            os.unlink(full)  # a second name of the note itself, from a `create` that a crash stopped
            return
        if said and note and said.state == "i":
            self._mend(path, said, data)
        etag = etag_of(data)
        ours = said is not None and (said.state != "x" or etag.startswith((said.old, said.new)))
        self.shelve(full, path, etag if ours else said.old if said else _UNKNOWN)

    def find(self, etag: str) -> bytes | None:
        """The bytes with this etag (or these first digits), from the backups or from `displaced/`."""
        for folder in (self.backups, self.displaced):
            for kept in _listed(folder):
                if kept.etag.startswith(etag):
                    data, _ = _content(os.path.join(folder, kept.name))
                    if etag_of(data).startswith(etag):
                        return data
        return None

    def name_of(self, etag: str) -> str:
        """Give the name under which a version is kept, `""` when it is not."""
        for folder in (self.backups, self.displaced):
            for kept in _listed(folder):
                if etag.startswith(kept.etag):
                    return kept.name
        return ""

    def prune(self, now: float, days: float, mebibytes: float) -> None:
        """Drop the oldest backups beyond this age or this size."""
        kept = _listed(self.backups)
        sizes = [os.lstat(os.path.join(self.backups, one.name)).st_size for one in kept]
        total = sum(sizes)
        for one, size in zip(kept, sizes, strict=True):
            if now - one.at > days * _DAY or total > mebibytes * _MEBIBYTE:
                os.unlink(os.path.join(self.backups, one.name))
                total -= size

    def scrub(self, cleaned: Callable[[bytes], bytes]) -> int:
        """Replace each kept file by what `cleaned` makes of it (a purge); gives how many changed."""
        changed = 0
        self._end_scrubs()
        for folder in (self.displaced, self.backups):
            for kept in _listed(folder):
                changed += self._scrubbed(folder, kept, cleaned)
        return changed

    def _scrubbed(self, folder: str, kept: names.Kept, cleaned: Callable[[bytes], bytes]) -> bool:
        full = os.path.join(folder, kept.name)
        data, _ = _content(full)
        clean = cleaned(data)
        if clean == data or os.path.islink(full):
            return False
        vouched = etag_of(clean) if etag_of(data).startswith(kept.etag) else kept.etag
        name = names.renamed(kept, kept.at, vouched)
        if folder == self.backups:
            write_new(os.path.join(folder, name), clean)
            sync_folder(folder)
            os.unlink(full)
            return True
        # Late writes must still reach the file itself; half overwritten it must not pass for one of them.
        write_new(os.path.join(folder, f"{_CLEAN}{name}"), clean)
        os.chmod(full, 0o600)
        os.rename(full, os.path.join(folder, f"{_SCRUBBED}{name}"))
        self._end_scrub(name)
        return True

    def _end_scrub(self, name: str) -> None:
        spare, full = (os.path.join(self.displaced, f"{sign}{name}") for sign in (_CLEAN, _SCRUBBED))
        if os.path.lexists(full):
            with opened(full, os.O_RDWR) as fd:
                overwrite(fd, read_file(spare)[0])
            os.rename(full, os.path.join(self.displaced, name))
        os.unlink(spare)

    def _end_scrubs(self) -> None:
        """End what a crash stopped."""
        for name in sorted(os.listdir(self.displaced)) if os.path.isdir(self.displaced) else ():
            if name.startswith(_CLEAN):
                self._end_scrub(name.removeprefix(_CLEAN))

    def _handed_over(self, kept: names.Kept, reading: Reading) -> Late:
        path = kept.path or self._long_path(kept.path_hash)
        if path is None or names.is_draft(os.path.basename(path)):
            return Late(None, reading)
        return Late(path, replace(reading, path=path))

    def _retire(self, kept: names.Kept, etag: Etag) -> None:
        make_folders(self.backups, 0o700)
        source = os.path.join(self.displaced, kept.name)
        target = os.path.join(self.backups, kept.name)  # the evidence of a run names it
        if etag != kept.etag or os.path.lexists(target):
            target = os.path.join(self.backups, names.renamed(kept, kept.at, etag))
        _move(source, target)

    def _mend(self, path: str, said: names.Draft, new: bytes) -> None:
        full = os.path.join(self.root, path)
        now, old = read_file(full)[0], self.find(said.old)
        if old is None or now in (old, new) or not _half_written(now, old, new):
            return
        self.save(path, now)
        with opened(full, os.O_RDWR) as fd:
            overwrite(fd, new)

    def _long_path(self, path_hash: str) -> NotePath | None:
        for folder, _, files in os.walk(self.root):
            inside = os.path.relpath(folder, self.root).replace(os.sep, "/")
            for name in files:
                path = name if inside == "." else f"{inside}/{name}"
                if names.path_hash(path) == path_hash:
                    return NotePath(path)
        return None


def _listed(folder: str) -> list[names.Kept]:
    try:
        found = map(names.parse_kept, sorted(os.listdir(folder)))
    except FileNotFoundError:
        return []
    return [kept for kept in found if kept is not None]


def _content(full: str) -> tuple[bytes, Stamp]:
    """Bytes of a kept file; of a link that was displaced, where it leads."""
    status = os.lstat(full)
    stamp = stamp_of(status)
    if stat.S_ISLNK(status.st_mode):
        return os.fsencode(os.readlink(full)), stamp
    return read_file(full)[0], stamp


def _same_file(one: str, other: str) -> bool:
    try:
        return os.path.samestat(os.lstat(one), os.lstat(other))
    except FileNotFoundError:
        return False


def _half_written(now: bytes, old: bytes, new: bytes) -> bool:
    """Whether every byte stands in its place in the old or new text: what a crash leaves, no person."""
    if not min(len(old), len(new)) <= len(now) <= max(len(old), len(new)):
        return False
    return all(n in (o, w) for n, o, w in zip_longest(now, old[: len(now)], new[: len(now)], fillvalue=0))


def _move(source: str, target: str) -> None:
    """Rename; to another file system copy, and take the source away only if it still holds the same."""
    try:
        os.rename(source, target)
    except OSError as error:
        if error.errno != errno.EXDEV or os.path.islink(source):
            raise
        with opened(source, os.O_RDONLY | NO_FOLLOW) as fd:
            data = read_all(fd)
        write_new(target, data)
        sync_folder(os.path.dirname(target))
        if read_file(source)[0] == data:
            os.unlink(source)
