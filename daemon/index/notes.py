"""The notes in the index: brought in step with a listing of the vault, reading only what differs.

Two sorted listings, of disk and index, are merged by path and compared by (size, mtime, inode). Equal
bytes change nothing but the stamp. What a listing could not see is kept and marked, never taken for deleted.
"""

from collections.abc import Iterable, Sequence
from itertools import starmap, zip_longest
from operator import eq

from config.paths import NAMES
from daemon.index.refresh import Changes, Difference, Known, Progress, Read, Refresh, Unknown, silent
from daemon.index.rows import base_key, fold
from daemon.index.store import Index
from daemon.vault.walk import Entry, Row
from parsers.model.places import NotePath

_BULK = 500
"""From so many notes on, the word index gets more memory for the load."""
_UNSEARCHED = f"{NAMES.register_folder}/"
"""The register is not for searching, and each of its appends would index a whole month again."""
_SELECT = "SELECT path, mtime_ns, size, inode, id, verified FROM notes"
_AS_LISTED = "SELECT path, mtime_ns, size, inode, nullif(verified, 1) FROM notes ORDER BY path"
"""Rows equal to the entries of a listing where nothing differs: no entry for searching is another's copy."""


def refresh(
    index: Index, entries: Iterable[Row], unknown: Unknown, read: Read, progress: Progress = silent
) -> Changes:
    """Bring the index in step with a listing sorted by path, in one transaction; open only notes that differ.

    Notes that are not listed but `unknown` are kept and marked unverified; so are all, when nothing at all is
    listed any more: a mount point without its disk.
    """
    with index.intact():
        listed = [entry for entry in entries if not entry[0].startswith(_UNSEARCHED)]
        found = Difference() if _same(index, listed) else compare(listed, _known(index))
        if not listed and len(found.gone) > 1:
            unknown = _everything
        step = Refresh(index, read, progress)
        step.forget_problems(lambda: {path for path, *_ in listed}, unknown)
        return _applied(step, found, unknown)


def refresh_paths(index: Index, found: Iterable[tuple[NotePath, Entry | None]], read: Read) -> Changes:
    """Bring some notes in step with what stands at their paths now (None: nothing); look at no others."""
    with index.intact():
        asked = dict(found)
        # The same name composed otherwise comes back as it is spelt on disk.
        there = {
            entry.path: entry for entry in asked.values() if entry is not None and _is_searched(entry.path)
        }
        paths = {path for path in asked if _is_searched(path)}.union(there)
        known: list[Known] = []
        for path in sorted(paths):
            known += map(Known._make, index.connection.execute(f"{_SELECT} WHERE path = ?", (path,)))
        step = Refresh(index, read)
        step.forget_problems(lambda: step.troubled - paths.difference(there), _nothing)
        return _applied(step, compare([there[path] for path in sorted(there)], known), _nothing)


def _same(index: Index, listed: Sequence[Row]) -> bool:
    """Whether nothing differs, as most scans find; row by row in C, which takes half the time of `compare`."""
    rows = index.connection.execute(_AS_LISTED)
    return all(starmap(eq, zip_longest(listed, rows)))


def _known(index: Index) -> Iterable[Known]:
    return map(Known._make, index.connection.execute(f"{_SELECT} ORDER BY path"))


def compare(listed: Sequence[Row], known: Iterable[Known]) -> Difference:
    """Merge two listings sorted by path into what differs."""
    found, rows = Difference(), iter(known)
    row = next(rows, None)
    for entry in map(Entry._make, listed):
        while row is not None and row.path < entry.path:
            found.gone.append(row)
            row = next(rows, None)
        if row is None or row.path != entry.path:
            found.added.append(entry)
            continue
        if row[1:4] != (entry.mtime_ns, entry.size, entry.inode):
            found.changed.append((row, entry))
        elif not row.verified:
            found.seen_again.append(row.note)
        row = next(rows, None)
    if row is not None:
        found.gone += [row, *rows]
    return found


def count(index: Index) -> int:
    """Give the number of notes in the index."""
    return int(index.connection.execute("SELECT count(*) FROM notes").fetchone()[0])


def resolve(index: Index, target: str) -> list[NotePath]:
    """Give the notes a link leads to, nearest to the root first; case and composition do not matter."""
    wanted = f"/{fold(target.strip('/').removesuffix('.md'))}"
    rows = index.connection.execute("SELECT path FROM notes WHERE key = ?", (base_key(target),))
    found = [path for (path,) in rows if f"/{fold(path.removesuffix('.md'))}".endswith(wanted)]
    return [NotePath(path) for path in sorted(found, key=lambda path: (path.count("/"), path))]


def _applied(step: Refresh, found: Difference, unknown: Unknown) -> Changes:
    if not found:
        return step.changes()
    with step.index.batch():
        if len(found.added) + len(found.changed) < _BULK:
            step.apply(found, unknown)
        else:
            with step.index.bulk():
                step.apply(found, unknown)
    return step.changes()


def _everything(_: str) -> bool:
    return True


def _nothing(_: str) -> bool:
    return False


def _is_searched(path: str) -> bool:
    return not path.startswith(_UNSEARCHED)
