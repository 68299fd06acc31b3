"""Words about memory. Fact: one line of one section; version: what one hand said of it at one time (memory.md)."""

from dataclasses import dataclass, fields
from typing import Literal

Kind = Literal["preference", "goal", "procedure", "decision", "fact"]
Status = Literal["pending", "confirmed", "held", "rejected", "forgotten"]
Sensitivity = Literal["normal", "private", "sensitive"]

SECTION_OF: dict[Kind, str] = {
    "preference": "preferences",
    "goal": "goals",
    "procedure": "procedures",
    "decision": "decisions",
    "fact": "facts",
}
"""Kind of fact → the section of Profil.md that shows it."""

KIND_OF: dict[str, Kind] = {section: kind for kind, section in SECTION_OF.items()}
"""Section of Profil.md → the kind of its facts."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One version of one fact: every row the export prints. Times are ISO UTC with `Z`, days ISO, None unknown."""

    id: str
    version: int
    user_id: str
    kind: Kind
    text: str
    """The item's Markdown, children included, without list marker, id and trailing fields; `\\n` between lines."""
    key: str | None
    value: str | None
    anchor: str | None
    """Another block id the person put on the line, without `^`."""
    entity_id: str | None
    status: Status
    confidence: float
    provenance: str
    source: str
    source_ref: str | None
    sensitivity: Sensitivity
    valid_from: str | None
    valid_to: str | None
    """First day on which it is no longer true (half-open)."""
    valid_from_text: str | None
    valid_to_text: str | None
    review: str | None
    recorded_at: str
    retracted_at: str | None
    supersedes: str | None
    last_seen_at: str


FACT_FIELDS = tuple(field.name for field in fields(Fact))
"""The fields of `Fact` in their order; columns of the index's table `facts`."""


def over(fact: Fact, today: str) -> bool:
    """Tell whether a fact's line leaves its note: it ended, and not on a day the person wrote there themselves."""
    return fact.valid_to is not None and fact.valid_to <= today and fact.valid_to_text is None
