"""Words about entities. Entity: a person, place, project, organisation or topic that facts are about (memory.md)."""

from dataclasses import dataclass, fields
from typing import Literal

from parsers.model.facts import Sensitivity, Status

EntityKind = Literal["person", "place", "project", "org", "topic"]
How = Literal["exact", "alias", "folded", "initials", "part", "fuzzy"]
"""What of a name made somebody a candidate, the strongest first; `part`: some of their names."""


@dataclass(frozen=True, slots=True)
class Entity:
    """One entity, as the export prints it; its id stays, whatever it is called."""

    id: str
    user_id: str
    kind: EntityKind
    name: str
    """As its line, or its home note's title, spells it."""
    aliases: tuple[str, ...]
    """Other names, given one by one; those of its home note's property count too, and stay in the note."""
    note: str | None
    """Path of its home note."""
    anchor: str | None
    """Another block id the person put on its line, without `^`."""
    status: Status
    provenance: str
    source: str
    sensitivity: Sensitivity
    last_seen: str | None
    """ISO day on which it was last met; shown on its line, ignored when read."""
    recorded_at: str
    retracted_at: str | None


@dataclass(frozen=True, slots=True)
class Relation:
    """One version of how an entity stands to the owner, or to another entity; two axes of time, like a fact."""

    id: str
    """`<entity id>.<number>`."""
    entity_id: str
    to_id: str | None
    """The entity it is a relation to; None: the owner."""
    text: str
    """In the person's words: `sœur`, `médecin traitant`."""
    valid_from: str | None
    valid_to: str | None
    """First day on which it is no longer true (half-open)."""
    valid_from_text: str | None
    valid_to_text: str | None
    recorded_at: str
    retracted_at: str | None
    provenance: str
    source: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """Somebody a name may mean."""

    entity_id: str
    name: str
    score: float
    """0…1."""
    how: How


ENTITY_FIELDS = tuple(field.name for field in fields(Entity))
"""The fields of `Entity` in their order."""
RELATION_FIELDS = tuple(field.name for field in fields(Relation))
"""The fields of `Relation` in their order."""
