"""The hashes of the paragraphs of notes that hold marks, as they stood when they were last looked at.

A row stands in the file of its note and goes with it; where it is gone the index has forgotten.
"""

import json
from collections.abc import Iterable

from daemon.index.store import Index
from parsers.model.places import Etag, NotePath


def kept(index: Index, path: NotePath) -> tuple[str, ...] | None:
    """Give the hashes of a note's paragraphs at the last look, None where there are none known."""
    for schema in index.schemas:
        query = f"SELECT json FROM {schema}paragraphs AS seen JOIN {schema}notes AS notes USING(id) WHERE path = ?"  # noqa: S608
        row = index.connection.execute(query, (path,)).fetchone()
        if row:
            return tuple(json.loads(row[0]))
    return None


def due(index: Index, marked: Iterable[NotePath]) -> set[NotePath]:
    """Give the notes that changed since their last look, and those of `marked` that were never looked at."""
    asked, found = json.dumps(list(marked)), set[NotePath]()
    for schema in index.schemas:
        query = f"""SELECT notes.path FROM {schema}paragraphs AS seen JOIN {schema}notes AS notes USING(id)
            WHERE notes.etag IS NOT seen.etag
            UNION SELECT notes.path FROM {schema}notes AS notes JOIN json_each(?) AS asked
            ON notes.path = asked.value WHERE notes.id NOT IN (SELECT id FROM {schema}paragraphs)"""  # noqa: S608
        found.update(path for (path,) in index.connection.execute(query, (asked,)))
    return found


def keep(index: Index, path: NotePath, etag: Etag, hashes: Iterable[str] | None) -> None:
    """Remember what stands in a note that holds marks; None forgets it."""
    with index.batch() as db:
        for schema in index.schemas:
            if hashes is None:
                forget = (
                    f"DELETE FROM {schema}paragraphs WHERE id = (SELECT id FROM {schema}notes WHERE path = ?)"  # noqa: S608
                )
                db.execute(forget, (path,))
                continue
            put = f"""INSERT OR REPLACE INTO {schema}paragraphs(id, etag, json)
                SELECT id, ?, ? FROM {schema}notes WHERE path = ?"""  # noqa: S608
            db.execute(put, (bytes.fromhex(etag), json.dumps(list(hashes)), path))
