"""Words about Autonomie.md: its lines as they were read (vault-notes.md)."""

from dataclasses import dataclass

from parsers.model.policy import Delegation


@dataclass(frozen=True, slots=True)
class LevelLine:
    """One line of the section `levels`."""

    domain: str
    level: int
    code: str | None = None
    """Digits typed below it."""


@dataclass(frozen=True, slots=True)
class DelegationLine:
    """One line of the section `delegations` with at least a domain and a level."""

    id: str
    """`""` for a line the person just wrote."""
    ticked: bool
    says: Delegation
    """With defaults where the line is silent; `id` and `status` say nothing here."""
    code: str | None = None
