"""The files of the index: `index-<n>.sqlite3`, and `current`, which names one and is replaced atomically.

A rebuild writes the next number and then points to it, so a search never finds nothing meanwhile, and a crash
leaves the old index current. No SQLite file is ever renamed or replaced: a stale WAL would be replayed over
it. Private notes stand in `private-<n>.sqlite3` beside it, made with the first of them and attached on demand: by
who brings the notes in step and by the person's own commands, never for an agent.
"""

import contextlib
import gc
import os
import sqlite3
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Self

from config.paths import NAMES
from daemon.index import schema
from parsers.errors import ClavaireError
from parsers.model.places import Problem

_CACHE = "PRAGMA cache_size = -8192"
_LOADING = ("journal_mode = OFF", "synchronous = OFF", "locking_mode = EXCLUSIVE", "cache_size = -1024")
_BULK_HASH, _USUAL_HASH = 2 << 20, 1 << 20
_MERGE_PAGES = 200
_REFUSED = frozenset(
    (
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_NOMEM,
    )
)
"""SQLite's codes for what is wrong around a file, not in it: making it anew would meet the same."""


class IndexOutdated(ClavaireError):
    """There is no index, or not one this version can use; the answer is a rebuild."""

    def __init__(self, place: Path, reason: str) -> None:
        """Build the sentence from what was found instead."""
        super().__init__(f"the index must be rebuilt: {reason}")
        self.problem = Problem(str(place), 0, "index_outdated", (("reason", reason),))


class IndexRefused(ClavaireError):
    """The system refuses to read or write the index: a full disk, no rights, a failing device."""

    exit_code = 4

    def __init__(self, place: Path, reason: str) -> None:
        """Build the sentence from what the system said."""
        super().__init__(f"the index in {place} cannot be read or written: {reason}")
        self.problem = Problem(str(place), 0, "index_unusable", (("reason", reason),))


class NoIndex(ClavaireError):
    """There is nothing to read from yet; the sentence says what to do."""


class Index:
    """One open index file; `connection` is for the modules of this package."""

    def __init__(self, state: Path, name: str, connection: sqlite3.Connection) -> None:
        self.state, self.name, self.connection = state, name, connection
        self.private = False
        """Whether the file of private notes is attached."""
        self._file = _identity(state / name)

    @classmethod
    def open(cls, state: Path, *, write: bool, private: bool = False) -> Self:
        """Open the current index; with `private` the private notes too, which no agent's door asks for.

        Raises:
            IndexOutdated: none is there, it is damaged, or another version wrote it.
            IndexRefused: the disk fails or is full.
        """
        name = _current(state)
        if name is None:
            raise IndexOutdated(state, "there is none")
        try:
            connection = _connect(state / name, "rw" if write else "ro")
            version = connection.execute("PRAGMA user_version").fetchone()[0]
        except sqlite3.DatabaseError as error:
            if _current(state) != name:  # a rebuild came in between and dropped the file
                return cls.open(state, write=write, private=private)
            if _refused(error) and (state / name).exists():
                raise IndexRefused(state, str(error)) from error
            raise IndexOutdated(state, str(error)) from error
        if version != schema.VERSION:
            connection.close()
            raise IndexOutdated(state, f"it has version {version}, not {schema.VERSION}")
        if write:
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA wal_autocheckpoint = 0")
        opened = cls(state, name, connection)
        if private:
            opened.attach(write=write)
        return opened

    def attach(self, *, write: bool, make: bool = False) -> None:
        """Attach the file of private notes, where there is one or one is to be made; attached, it stays so.

        Raises:
            IndexOutdated, IndexRefused: as for `open`.
        """
        path = self.state / private_name(self.name)
        if self.private or not (make or path.exists()):
            return
        with self.intact():
            if not path.exists():
                _write(path, lambda _: None)
            uri = f"{path.absolute().as_uri()}?mode={'rw' if write else 'ro'}"
            self.connection.execute("ATTACH ? AS private", (uri,))
            version = self.connection.execute("PRAGMA private.user_version").fetchone()[0]
        if version != schema.VERSION:
            raise IndexOutdated(path, f"the private part has version {version}, not {schema.VERSION}")
        self.private = True

    @property
    def schemas(self) -> tuple[str, ...]:
        """What the names of tables begin with, in each file that is open."""
        return ("", schema.PRIVATE) if self.private else ("",)

    @classmethod
    def rebuild(cls, state: Path, fill: "Callable[[Self], None]") -> Self:
        """Write the next numbered index with `fill`, point `current` to it and open it for writing.

        When `fill` fails, the index that was current stays so. The caller holds the vault's lock.
        """
        state.mkdir(parents=True, exist_ok=True)
        name = f"{NAMES.index_prefix}{_last_number(state) + 1}{NAMES.index_suffix}"
        try:
            with intact(state):
                _write(state / name, lambda connection: fill(cls(state, name, connection)))
            private = state / private_name(name)
            if private.exists():
                _sync(private)
        except BaseException:
            _remove(state / name)
            _remove(state / private_name(name))
            raise
        _point(state, name)
        drop_leftovers(state)
        return cls.open(state, write=True)

    def current_changed(self) -> bool:
        """Tell whether another file is current since this one was opened: by a rebuild, or as it was removed."""
        return self.name != _current(self.state) or self._file != _identity(self.state / self.name)

    def foreign_writes(self) -> int:
        """Give a number that differs once another process has written in this file."""
        return int(self.connection.execute("PRAGMA data_version").fetchone()[0])

    @contextlib.contextmanager
    def batch(self) -> Iterator[sqlite3.Connection]:
        """Open the one writer transaction of a batch, all or nothing; inside another one, join it.

        Raises:
            IndexOutdated, IndexRefused: as for `intact`.
        """
        if self.connection.in_transaction:
            yield self.connection
            return
        with self.intact():
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield self.connection
                self.connection.execute("COMMIT")
            except BaseException:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def still(self) -> Iterator[None]:
        """Read one state of the files, whatever others write meanwhile; inside a transaction, join it.

        Raises:
            IndexOutdated, IndexRefused: as for `intact`.
        """
        with self.intact():
            if self.connection.in_transaction:
                yield
                return
            self.connection.execute("BEGIN")
            try:
                yield
            finally:
                self.connection.execute("ROLLBACK")

    def intact(self) -> contextlib.AbstractContextManager[None]:
        """Use what was opened, to read or to write.

        Raises:
            IndexOutdated, IndexRefused: as for `intact` of this module.
        """
        return intact(self.state)

    @contextlib.contextmanager
    def bulk(self) -> Iterator[None]:
        """Load many notes with a larger hash in memory: a third less time, 6 MB more.

        Nothing of a note is left once it is written, so the collector, which would look for it again and again, rests.
        """
        collects = gc.isenabled()
        gc.disable()
        try:
            _hashsize(self.connection, _BULK_HASH)
            yield
            _hashsize(self.connection, _USUAL_HASH)
        finally:
            if collects:
                gc.enable()

    def shrink(self) -> None:
        """Let go of the pages that are kept in memory: at rest they are read again when somebody asks."""
        self.connection.execute("PRAGMA shrink_memory")

    def idle_step(self) -> bool:
        """Merge a few pages of the word index, then checkpoint; False once nothing is left to do."""
        for file, table in product(self.schemas, schema.WORD_TABLES):
            before = self.connection.total_changes
            merge = f"INSERT INTO {file}{table}({table}, rank) VALUES('merge', ?)"
            self.connection.execute(merge, (_MERGE_PAGES,))
            if self.connection.total_changes - before >= 2:
                return True
        self.connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        return False

    def close(self) -> None:
        """Close the file; the last one to do so leaves no WAL behind."""
        self.connection.close()


@contextlib.contextmanager
def intact(state: Path) -> Iterator[None]:
    """Use the index of a state folder.

    Raises:
        IndexOutdated: the file turns out to be damaged.
        IndexRefused: the system refuses to read or write it.
    """
    try:
        yield
    except sqlite3.DatabaseError as error:
        if _refused(error):
            raise IndexRefused(state, str(error)) from error
        if type(error) is sqlite3.DatabaseError:  # its subclasses are about one statement
            raise IndexOutdated(state, str(error)) from error
        raise


def _refused(error: sqlite3.DatabaseError) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _REFUSED  # Python's own errors have none


def open_index(state: Path, sentence: str, *, private: bool = False) -> Index:
    """Open the index for reading, in a process that makes none; `private` as for `Index.open`.

    Raises:
        NoIndex: there is none it can use; `sentence` says what to do.
    """
    try:
        return Index.open(state, write=False, private=private)
    except IndexOutdated as error:
        raise NoIndex(sentence) from error


def drop_leftovers(state: Path) -> None:
    """Remove the index files that are not current, those that nobody has open."""
    current = _current(state)
    used = (current, private_name(current)) if current else ()
    for path in _files(state):
        if path.name not in used and _exclusive(path):
            _remove(path)


def private_name(name: str) -> str:
    """Give the name of the file of private notes that belongs to an index file."""
    return f"{NAMES.private_prefix}{name.removeprefix(NAMES.index_prefix)}"


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode={mode}", uri=True, isolation_level=None)
    connection.execute(_CACHE)
    return connection


def _write(path: Path, fill: Callable[[sqlite3.Connection], None]) -> None:
    """Fill a new file without a journal, which it does not need: until `current` names it, it is nobody's."""
    connection = _connect(path, "rwc")
    try:
        for pragma in _LOADING:
            connection.execute(f"PRAGMA {pragma}").fetchall()
        schema.create(connection)
        fill(connection)
        schema.finish(connection)
        connection.execute("PRAGMA main.locking_mode = NORMAL").fetchall()
        connection.execute("PRAGMA main.journal_mode = WAL").fetchall()
        connection.execute("PRAGMA main.wal_checkpoint(TRUNCATE)").fetchall()
    finally:
        connection.close()
    _sync(path)


def _point(state: Path, name: str) -> None:
    draft = state / f"{NAMES.current}{NAMES.draft_suffix}"
    draft.write_text(f"{name}\n", encoding="utf-8")
    _sync(draft)
    draft.replace(state / NAMES.current)
    _sync(state)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _current(state: Path) -> str | None:
    try:
        return (state / NAMES.current).read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return None


def _identity(path: Path) -> tuple[int, int] | None:
    """Give what tells a file from another of its name; None where there is none."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


def _files(state: Path) -> list[Path]:
    prefixes = (NAMES.index_prefix, NAMES.private_prefix)
    return sorted(path for prefix in prefixes for path in state.glob(f"{prefix}*{NAMES.index_suffix}"))


def _last_number(state: Path) -> int:
    names = (_current(state) or "", *(path.name for path in _files(state)))
    numbers = (name.removesuffix(NAMES.index_suffix).rpartition("-")[2] for name in names)
    return max((int(number) for number in numbers if number.isdecimal()), default=0)


def _exclusive(path: Path) -> bool:
    """Tell whether no other connection has the file open; one that is no database is nobody's."""
    connection = sqlite3.connect(path, timeout=0, isolation_level=None)
    try:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("BEGIN EXCLUSIVE")
        connection.execute("ROLLBACK")
    except sqlite3.OperationalError:
        return False
    except sqlite3.DatabaseError:
        return True
    finally:
        connection.close()
    return True


def _remove(path: Path) -> None:
    for suffix in ("-wal", "-shm", "-journal", ""):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def _hashsize(connection: sqlite3.Connection, size: int) -> None:
    # An undocumented setting: an SQLite that does not know it loads more slowly, nothing else.
    with contextlib.suppress(sqlite3.OperationalError):
        connection.execute("INSERT INTO words(words, rank) VALUES('hashsize', ?)", (size,))
