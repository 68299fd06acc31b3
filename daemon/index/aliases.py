"""Home notes: which note is about somebody, and the other names its `aliases` property gives (memory.md, Entities)."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from config.paths import NAMES
from daemon.index.rows import base_key, fold
from daemon.index.store import Index
from daemon.vault.names import composed
from parsers.model.entities import Entity
from parsers.model.places import NotePath
from parsers.model.policy import trust_of

_NOTES = """SELECT path, key, title, aliases, provenance, sensitivity FROM {file}notes
    WHERE key IN (SELECT value FROM json_each(?))"""
_OWN = trust_of("vault")


class HomeNote(NamedTuple):
    """The note about an entity."""

    path: NotePath
    aliases: tuple[str, ...]


class _Row(NamedTuple):
    path: str
    key: str
    title: str
    aliases: str | None
    provenance: str
    sensitivity: str


def at_home(index: Index, entities: Iterable[Entity], *, external: bool = False) -> tuple[Entity, ...]:
    """Give entities with the note that is about them and the other names it gives.

    For a reader that is `external` a note it may not see does not exist.
    """
    there = tuple(entities)
    homes = home_notes(index, ((one.id, one.name, one.note) for one in there), external=external)
    return tuple(_at_home(one, homes.get(one.id), external=external) for one in there)


def _at_home(one: Entity, home: HomeNote | None, *, external: bool) -> Entity:
    if home is None:
        return replace(one, note=None) if external and one.note else one
    named = dict.fromkeys((*one.aliases, *(alias for alias in home.aliases if alias != one.name)))
    return replace(one, note=home.path, aliases=tuple(named))


def home_notes(
    index: Index, called: Iterable[tuple[str, str, str | None]], *, external: bool = False
) -> dict[str, HomeNote]:
    """Give by id the home notes of entities given as (id, name, linked note or None); one query for all of them.

    A link on the entity's line says which note it is. Without one it is the note, outside the assistant folder, whose
    title is exactly the name: where there are several, or where it came from elsewhere than the vault, there is none.
    For a reader that is `external` notes that are not of ordinary sensitivity do not exist (R-P04).
    """
    asked = list(called)
    keys = json.dumps(sorted({base_key(note or name) for _, name, note in asked}))
    by_key: dict[str, list[_Row]] = {}
    for row in _rows(index, keys, external=external):
        by_key.setdefault(row.key, []).append(row)
    found = ((name, _home(by_key.get(base_key(note or said), ()), said, note)) for name, said, note in asked)
    return {name: HomeNote(NotePath(row.path), _aliases(row)) for name, row in found if row is not None}


def _rows(index: Index, keys: str, *, external: bool) -> Iterator[_Row]:
    for file in ("",) if external else index.schemas:
        rows = map(_Row._make, index.connection.execute(_NOTES.format(file=file), (keys,)))
        yield from (row for row in rows if not external or row.sensitivity == "normal")


def _home(rows: Iterable[_Row], name: str, note: str | None) -> _Row | None:
    outside = [row for row in rows if not row.path.startswith(f"{NAMES.assistant}/")]
    if note is not None:
        wanted = f"/{fold(note.strip('/').removesuffix('.md'))}"
        fitting = [row for row in outside if f"/{fold(row.path.removesuffix('.md'))}".endswith(wanted)]
        return min(fitting, key=lambda row: (row.path.count("/"), row.path), default=None)
    titled = [row for row in outside if composed(row.title) == composed(name)]
    return titled[0] if len(titled) == 1 and trust_of(titled[0].provenance) <= _OWN else None


def _aliases(row: _Row) -> tuple[str, ...]:
    return tuple(json.loads(row.aliases)) if row.aliases else ()
