"""The notes in the index: brought in step with a listing of the vault, reading only what differs.

Two sorted listings, of disk and index, are merged by path and compared by (size, mtime, inode). Equal
bytes change nothing but the stamp. What a listing could not see is kept and marked, never taken for deleted.
"""

from collections.abc import Collection, Iterable, Sequence
from itertools import starmap, zip_longest
from operator import eq

from config.paths import NAMES
from daemon.index import private
from daemon.index.private import Guard
from daemon.index.refresh import Changes, Difference, Known, Progress, Read, Refresh, Unknown, silent
from daemon.index.rows import base_key, fold
from daemon.index.store import Index, drop_leftovers
from daemon.vault.walk import Entry, Row
from parsers.model.places import NotePath

_BULK = 500
"""From so many notes on, the word index gets more memory for the load."""
_UNSEARCHED = (f"{NAMES.register_folder}/", f"{NAMES.plans}/")
"""Register and plan notes are not for searching: each line they get would have a whole note indexed again."""
_KNOWN = "path, mtime_ns, size, inode, id, verified"
_AS_LISTED = "path, mtime_ns, size, inode, nullif(verified, 1)"
"""Rows equal to the entries of a listing where nothing differs: no entry for searching is another's copy."""

_OPEN = Guard()


def refresh(
    index: Index,
    entries: Iterable[Row],
    unknown: Unknown,
    read: Read,
    progress: Progress = silent,
    guard: Guard = _OPEN,
) -> Changes:
    """Bring the index in step with a listing sorted by path, in one transaction; open only notes that differ.

    Notes that are not listed but `unknown` are kept and marked unverified; so are all, when nothing at all is
    listed any more: a mount point without its disk. When this returns, the common file holds no byte of a note that
    became private or ignored, unless a reader still needs it: then the next pass cleans it.
    """
    with index.intact():
        _attach(index, guard)
        listed = [entry for entry in entries if not entry[0].startswith(_UNSEARCHED)]
        anew = _said_otherwise(index, guard)
        found = (
            Difference() if not anew and _same(index, listed) else compare(listed, _known(index), anew or ())
        )
        if not listed and len(found.gone) > 1:
            unknown = _everything
        step = Refresh(index, read, guard, progress)
        step.forget_problems(lambda: {path for path, *_ in listed}, unknown)
        changes = _applied(step, found, unknown)
        if anew is not None:
            private.keep(index, guard.declared)
        private.clean(index)
        drop_leftovers(index.state)
        return changes


def refresh_paths(
    index: Index, found: Iterable[tuple[NotePath, Entry | None]], read: Read, guard: Guard = _OPEN
) -> Changes:
    """Bring some notes in step with what stands at their paths now (None: nothing); look at no others."""
    with index.intact():
        _attach(index, guard)
        asked = dict(found)
        # The same name composed otherwise comes back as it is spelt on disk.
        there = {
            entry.path: entry for entry in asked.values() if entry is not None and _is_searched(entry.path)
        }
        paths = {path for path in asked if _is_searched(path)}.union(there)
        known: list[Known] = []
        query, files = _of_all(index, _KNOWN, "WHERE path = ?", "ORDER BY id DESC"), len(index.schemas)
        for path in sorted(paths):
            known += map(Known._make, index.connection.execute(query, (path,) * files))
        step = Refresh(index, read, guard)
        step.forget_problems(lambda: step.troubled - paths.difference(there), _nothing)
        changes = _applied(step, compare([there[path] for path in sorted(there)], known), _nothing)
        private.clean(index)
        return changes


def _attach(index: Index, guard: Guard) -> None:
    if guard.private:
        index.attach(write=True)


def _said_otherwise(index: Index, guard: Guard) -> set[NotePath] | None:
    """Give the notes of which folders say something else than at the last pass; None where they declare the same."""
    before, now = private.known(index), guard.declared
    if before == now:
        return None
    rows = index.connection.execute(_of_all(index, "path"))
    return {path for (path,) in rows if before.by_folder(path) != now.by_folder(path)}


def _of_all(index: Index, columns: str, where: str = "", order: str = "") -> str:
    """Give the query for notes in each file that is open."""
    each = (f"SELECT {columns} FROM {schema}notes {where}" for schema in index.schemas)  # noqa: S608
    return f"{' UNION ALL '.join(each)} {order}"


def _same(index: Index, listed: Sequence[Row]) -> bool:
    """Whether nothing differs, as most scans find; row by row in C, which takes half the time of `compare`."""
    rows = index.connection.execute(_of_all(index, _AS_LISTED, order="ORDER BY path"))
    return all(starmap(eq, zip_longest(listed, rows)))


def _known(index: Index) -> Iterable[Known]:
    # What is private comes first: that is what counts of a note that a crash left in both files.
    return map(Known._make, index.connection.execute(_of_all(index, _KNOWN, order="ORDER BY path, id DESC")))


def compare(listed: Sequence[Row], known: Iterable[Known], anew: Collection[str] = ()) -> Difference:
    """Merge two listings sorted by path into what differs; notes in `anew` do in any case."""
    found, rows = Difference(), iter(known)
    row = next(rows, None)
    for entry in map(Entry._make, listed):
        while row is not None and row.path < entry.path:
            found.gone.append(row)
            row = next(rows, None)
        if row is None or row.path != entry.path:
            found.added.append(entry)
            continue
        one, row = row, next(rows, None)
        if row is not None and row.path == entry.path:
            found.twice.append(row.note)
            found.anew.add(one.note)
            row = next(rows, None)
        if entry.path in anew:
            found.anew.add(one.note)
        if one.note in found.anew or one[1:4] != (entry.mtime_ns, entry.size, entry.inode):
            found.changed.append((one, entry))
        elif not one.verified:
            found.seen_again.append(one.note)
    if row is not None:
        found.gone += [row, *rows]
    found.anew.update(one.note for one in found.gone if one.path in anew)
    return found


def count(index: Index) -> int:
    """Give the number of notes in the index."""
    return sum(n for (n,) in index.connection.execute(_of_all(index, "count(*)")))


def resolve(index: Index, target: str) -> list[NotePath]:
    """Give the notes a link leads to, nearest to the root first; case and composition do not matter."""
    wanted = f"/{fold(target.strip('/').removesuffix('.md'))}"
    keys = (base_key(target),) * len(index.schemas)
    rows = index.connection.execute(_of_all(index, "path", "WHERE key = ?"), keys)
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
