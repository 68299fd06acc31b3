"""How sensitive notes are, as they declare themselves or their folders do, for what was taken from them."""

import json
from collections.abc import Iterable
from typing import cast

from daemon.index.store import Index
from parsers.model.facts import Sensitivity


def sensitivities(index: Index, paths: Iterable[str]) -> dict[str, Sensitivity]:
    """Give the sensitivity of the notes at some paths that the open files hold; others are left out."""
    asked, found = json.dumps(sorted(set(paths))), dict[str, str]()
    for schema in index.schemas:
        query = f"SELECT path, sensitivity FROM {schema}notes WHERE path IN (SELECT value FROM json_each(?))"  # noqa: S608
        found.update(index.connection.execute(query, (asked,)).fetchall())
    return cast("dict[str, Sensitivity]", found)
