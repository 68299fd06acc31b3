"""One transaction that brings the index in step with what a merge of two listings found.

Renames keep a note's row: the same name composed otherwise, the same inode, or the same bytes in one scan.
"""

import codecs
from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import NamedTuple

from daemon.index.private import Guard, note_deleted, note_private, owe
from daemon.index.problems import problems, replace_problems
from daemon.index.rows import Rows, Version, title_of
from daemon.index.schema import PRIVATE, PRIVATE_FROM
from daemon.index.store import Index
from daemon.policy.privacy import doubtful
from daemon.vault.disk import Reading
from daemon.vault.names import composed
from daemon.vault.walk import Entry
from parsers.model.notes import Properties
from parsers.model.places import Etag, NotePath, Problem
from parsers.note import outline

_SCOPE = "note:"
_PROPERTIES = "properties:"
"""Scope of a note whose properties cannot be read: its text can; or that is all in UTF-16, where neither can."""
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


Read = Callable[[NotePath], Reading | Problem]
"""Reads a note, or says why it cannot be read."""
Unknown = Callable[[str], bool]
"""Tells of a path whether its absence from the listing means nothing: its folder could not be listed."""
Progress = Callable[[int, int], None]
"""Told how many notes are done, of how many."""


def silent(done: int, total: int) -> None:
    """Tell nobody."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What a refresh found to be different."""

    added: tuple[NotePath, ...] = ()
    changed: tuple[NotePath, ...] = ()
    """Notes whose bytes changed, under their new path; a new stamp alone is no change."""
    removed: tuple[NotePath, ...] = ()
    renamed: tuple[tuple[NotePath, NotePath], ...] = ()
    """Old and new path; the note keeps its row."""
    problems: tuple[Problem, ...] = ()
    """Those that were not known before."""

    def __bool__(self) -> bool:
        return any((self.added, self.changed, self.removed, self.renamed, self.problems))


class Known(NamedTuple):
    """One note as the index knows it."""

    path: NotePath
    mtime_ns: int
    size: int
    inode: int
    note: int
    verified: int


@dataclass(slots=True)
class Difference:
    """What the merge of two listings gives."""

    added: list[Entry] = field(default_factory=list)
    changed: list[tuple[Known, Entry]] = field(default_factory=list)
    gone: list[Known] = field(default_factory=list)
    seen_again: list[int] = field(default_factory=list)
    """Notes that are as they were, but were marked unverified."""
    anew: set[int] = field(default_factory=set)
    """Notes whose folders say something else than before, or that a crash left in both files."""
    twice: list[int] = field(default_factory=list)
    """What a crash left in the common file of notes that stand in the private one."""

    def __bool__(self) -> bool:
        return any((self.added, self.changed, self.gone, self.seen_again))


class Refresh:
    """Works through one difference and remembers what it did."""

    def __init__(self, index: Index, read: Read, guard: Guard, progress: Progress = silent) -> None:
        self.index, self._db = index, index.connection
        self._read, self._progress = read, progress
        self._guard, self._anew = guard, set[int]()
        self._common, self._apart = Rows(self._db), Rows(self._db, PRIVATE)
        self.troubled = self._paths(_SCOPE)
        """Paths of the notes that could not be read."""
        self._odd = self._paths(_PROPERTIES)
        self._added: list[NotePath] = []
        self._changed: list[NotePath] = []
        self._removed: list[NotePath] = []
        self._renamed: list[tuple[NotePath, NotePath]] = []
        self._problems: list[Problem] = []
        self._done = self._total = 0

    def _paths(self, scope: str) -> set[str]:
        rows = self._db.execute("SELECT DISTINCT scope FROM problems WHERE scope GLOB ?", (f"{scope}*",))
        return {spelt.removeprefix(scope) for (spelt,) in rows}

    def apply(self, found: Difference, unknown: Unknown) -> None:
        """Keep what could not be seen, read what changed, recognise what moved, add, and remove the rest."""
        self._total = len(found.added) + len(found.changed)
        self._anew = found.anew
        for note in found.twice:
            self._drop(note, owed=True)
        for note in found.seen_again:
            self._rows(note).mark([note], verified=True)
        for row in (row for row in found.gone if unknown(row.path)):
            self._lose_sight(row, row.path)
        for row, entry in found.changed:
            self._update(row, entry.path)
        gone = _Gone(row for row in found.gone if not unknown(row.path))
        new = [entry for entry in found.added if not self._moved(gone, entry)]
        etags = self._etags(gone) if new and gone.left else {}
        for entry in new:
            self._add(entry.path, gone, etags)
        for row in gone.left.values():
            self._drop(row.note, owed=self._guard.unseen(row.path))
            self._solved(row.path)
            self._judge(row.path, 0)
            self._removed.append(row.path)
        self._common.flush()
        if self.index.private:
            self._apart.flush()

    def forget_problems(self, still_there: Callable[[], AbstractSet[str]], unknown: Unknown) -> None:
        """Drop the problems of notes that are no longer there."""
        if not self.troubled:
            return
        for path in sorted(self.troubled - still_there()):
            if not unknown(path):
                self._solved(path)

    def changes(self) -> Changes:
        """Give what was done."""
        lists = (self._added, self._changed, self._removed)
        added, changed, removed = (tuple(sorted(paths)) for paths in lists)
        return Changes(added, changed, removed, tuple(sorted(self._renamed)), tuple(self._problems))

    def _update(self, row: Known, path: NotePath) -> None:
        """Read a known note again, where it stands now."""
        reading = self._reading(path)
        if reading is None:
            self._lose_sight(row, path)
            return
        as_before = title_of(row.path) == title_of(path) and self._alike(row, path)
        if self._etag(row.note) == reading.etag and as_before:
            self._rows(row.note).touch(row.note, reading.stamp)
            return
        if self._etag(row.note) != reading.etag:
            self._changed.append(path)
        self._put(self._version(path, reading), row.note)

    def _moved(self, gone: "_Gone", entry: Entry) -> bool:
        row = gone.by_name.get(composed(entry.path)) or gone.by_inode.get(entry.inode)
        if row is None or not gone.take(row):
            return False
        self._rows(row.note).move(row.note, entry.path)
        self._renamed.append((row.path, entry.path))
        for problem in problems(self.index, _PROPERTIES + row.path) if row.path in self._odd else ():
            self._judge(row.path, 0)
            self._judge(entry.path, problem.line, problem.code)
        same = row[1:4] == (entry.mtime_ns, entry.size, entry.inode)
        if same and title_of(row.path) == title_of(entry.path) and self._alike(row, entry.path):
            self._tick()
        else:
            self._update(row, entry.path)
        self._solved(row.path)
        return True

    def _add(self, path: NotePath, gone: "_Gone", etags: dict[Etag, Known]) -> None:
        reading = self._reading(path)
        if reading is None:
            return
        row, version = etags.pop(reading.etag, None), self._version(path, reading)
        if row is not None and gone.take(row):
            self._judge(row.path, 0)
            self._put(version, row.note)
            self._renamed.append((row.path, path))
        elif self._put(version):
            self._added.append(path)

    def _version(self, path: NotePath, reading: Reading) -> Version:
        said = outline(reading.data.decode("utf-8", "replace"))
        return Version(path, reading, said, *self._guard.declared.judged(path, said))

    def _put(self, version: Version, note: int | None = None) -> bool:
        """Write a version into the file it belongs to, in the place of the note it is; False where that is closed."""
        secret = version.sensitivity == "private"
        if note is not None and secret == (note >= PRIVATE_FROM):
            self._rows(note).update(note, version)
        else:
            if note is not None:
                self._drop(note, owed=secret)
            if secret and not self._guard.private:
                return False
            if secret:
                self.index.attach(write=True, make=True)
                note_private(self.index)
            (self._apart if secret else self._common).insert(version)
        self._judge(version.path, *_trouble(version))
        return True

    def _rows(self, note: int) -> Rows:
        return self._common if note < PRIVATE_FROM else self._apart

    def _drop(self, note: int, *, owed: bool) -> None:
        """Delete a note's rows; `owed`: no byte of them may stay."""
        rows = self._rows(note)
        rows.delete(note)
        if owed:
            owe(self.index, PRIVATE if rows is self._apart else "")
        elif rows is self._common:
            note_deleted(self.index)

    def _alike(self, row: Known, path: NotePath) -> bool:
        """Whether what folders say of a note is what they said when it was taken in."""
        return row.note not in self._anew and self._guard.declared.alike(row.path, path)

    def _lose_sight(self, row: Known, path: NotePath) -> None:
        """Keep a note that cannot be seen or read as it was; but not where its folder became private."""
        if self._alike(row, path):
            if row.verified:
                self._rows(row.note).mark([row.note], verified=False)
            return
        sensitivity = self._guard.declared.by_folder(path)[1]
        if sensitivity == "private" and row.note < PRIVATE_FROM:
            self._drop(row.note, owed=True)
        else:
            self._rows(row.note).doubt(row.note, sensitivity)

    def _reading(self, path: NotePath) -> Reading | None:
        self._tick()
        reading = self._read(path)
        if not isinstance(reading, Problem):
            self._solved(path)
            return reading
        if problems(self.index, _SCOPE + path) != [reading]:
            replace_problems(self.index, _SCOPE + path, [reading])
            self._problems.append(reading)
        return None

    def _solved(self, path: str) -> None:
        if path in self.troubled:
            replace_problems(self.index, _SCOPE + path, ())
            self.troubled.discard(path)

    def _judge(self, path: str, line: int, code: str = "") -> None:
        """Keep the problem of properties that are not understood from a line on; drop it when they are (0)."""
        if line or path in self._odd:
            found = [Problem(path, line, code)] if line else []
            replace_problems(self.index, _PROPERTIES + path, found)
            (self._odd.add if line else self._odd.discard)(path)

    def _etag(self, note: int) -> Etag:
        query = f"SELECT etag FROM {PRIVATE if note >= PRIVATE_FROM else ''}notes WHERE id = ?"  # noqa: S608
        return Etag(self._db.execute(query, (note,)).fetchone()[0].hex())

    def _etags(self, gone: "_Gone") -> dict[Etag, Known]:
        return {self._etag(row.note): row for row in gone.left.values()}

    def _tick(self) -> None:
        self._done += 1
        self._progress(self._done, self._total)


def _trouble(version: Version) -> tuple[int, str]:
    """Give from which line on a note or its properties are not understood (0: they are), and the code of why."""
    if version.reading.data.startswith(_UTF16):
        return 1, "note_utf16"
    if unclear := doubtful(version.said):
        return unclear, "protection_unclear"
    return _bad_line(version.said.properties), "properties_invalid"


def _bad_line(said: Properties) -> int:
    return said.bad_line if said.state == "invalid" else 0


class _Gone:
    """The notes that left their paths: each may turn up once under another."""

    def __init__(self, known: Iterable[Known]) -> None:
        self.left = {row.note: row for row in known}
        self.by_name = {composed(row.path): row for row in self.left.values()}
        self.by_inode = {row.inode: row for row in self.left.values() if row.inode}

    def take(self, row: Known) -> bool:
        """Claim a note; False when somebody did before."""
        return self.left.pop(row.note, None) is not None
