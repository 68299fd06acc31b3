"""What the index holds of single notes: how sensitive they declare themselves or their folders do, and versions."""

import json
from collections.abc import Iterable
from typing import Any, cast

from daemon.index.store import Index
from parsers.model.facts import Sensitivity


def sensitivities(index: Index, paths: Iterable[str]) -> dict[str, Sensitivity]:
    """Give the sensitivity of the notes at some paths that the open files hold; others are left out."""
    return cast("dict[str, Sensitivity]", _column(index, "sensitivity", paths))


def etags(index: Index, paths: Iterable[str]) -> dict[str, str]:
    """Give the versions that the open files hold of the notes at some paths, in hex; others are left out."""
    return {path: etag.hex() for path, etag in _column(index, "etag", paths).items()}


def _column(index: Index, name: str, paths: Iterable[str]) -> dict[str, Any]:
    asked, found = json.dumps(sorted(set(paths))), dict[str, Any]()
    for schema in index.schemas:
        query = f"SELECT path, {name} FROM {schema}notes WHERE path IN (SELECT value FROM json_each(?))"  # noqa: S608
        found.update(index.connection.execute(query, (asked,)).fetchall())
    return found
