"""Home notes, as decisions ask for them: which note a link leads to, and what kind of thing it says it is about."""

from collections.abc import Iterable

from config.paths import NAMES
from daemon.history import History
from daemon.index import aliases
from daemon.index.notes import resolve
from daemon.vault.door import Vault
from daemon.vault.errors import VaultError
from parsers.model.entities import Entity, EntityKind
from parsers.model.places import NotePath

_KINDS: dict[str, EntityKind] = {
    "person": "person",
    "personne": "person",
    "people": "person",
    "place": "place",
    "lieu": "place",
    "project": "project",
    "projet": "project",
    "org": "org",
    "organisation": "org",
    "organization": "org",
    "topic": "topic",
    "sujet": "topic",
}
"""What a note's `type` or `kind` may say, in either language."""


def note_of(history: History, target: str) -> NotePath | None:
    """Give the note that a link leads to, outside the assistant folder; None where there is none yet."""
    found = (path for path in resolve(history.index, target) if not path.startswith(f"{NAMES.assistant}/"))
    return next(found, None)


def at_home(history: History, entities: Iterable[Entity], outside: bool) -> tuple[Entity, ...]:  # noqa: FBT001
    """Give entities with their home notes and the names these give; `outside`: as an agent may know them."""
    return aliases.at_home(history.index, entities, external=outside)


def kind_of(vault: Vault, path: NotePath) -> EntityKind | None:
    """Give the kind of thing that a note's properties say it is about; None where they say none, or cannot be read."""
    try:
        text = vault.read(path).data.decode("utf-8")
    except (VaultError, UnicodeDecodeError):
        return None
    from parsers.properties import read  # noqa: PLC0415 - YAML, for a link that is new

    values = read(text).values
    said = (values.get(name) for name in ("type", "kind"))
    return next(
        (_KINDS[one.casefold()] for one in said if isinstance(one, str) and one.casefold() in _KINDS), None
    )
