"""Words about recall. Hit: one fact or passage that answers a query, with every factor of its score (R-M05)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from parsers.model.facts import Sensitivity


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked of memory and notes together."""

    text: str
    k: int = 10
    """Hits that are wanted at most."""
    as_of: str | None = None
    """ISO day in the world; None: today."""
    known_at: str | None = None
    """ISO day: as it was known at its end; None: now."""
    folder: str | None = None
    """Only notes below it; facts are left out then, but those whose source stands there."""
    external: bool = False
    """For a reader outside: nothing `sensitive` or `private` (R-M06)."""
    agent: bool = False
    """For an agent: the assistant folder and private notes do not exist."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One fact, or one block of a note."""

    kind: Literal["fact", "block"]
    id: str
    """The fact's id; for a block `path#^id`, or `path:line` where it has no id of its own."""
    text: str
    """The fact's text, or the block's as it stands."""
    note: str
    """Path of the note it stands in; for a fact, where its line or its source stands."""
    title: str
    heading: str
    """Headings above, outermost first, joined by ` > `."""
    line: int
    """1-based; 0 for a fact."""
    start: int
    end: int
    """Byte span in the note; 0, 0 for a fact."""
    block: str | None
    """The block's own id, or the line's for a fact, without `^`."""
    score: float
    """Higher is better: the product of `factors`."""
    factors: Mapping[str, float] = field(default_factory=dict)
    """Each factor by its name: `fusion`, `confidence`, `freshness`, `entity`, …; with a dot, what made the fusion."""
    provenance: str = "vault"
    sensitivity: Sensitivity = "normal"
    verified: bool = True
    """False when the last listing could not see the note."""


@dataclass(frozen=True, slots=True)
class Recalled:
    """The answer to a query."""

    query: Query
    hits: tuple[Hit, ...]
    entities: tuple[str, ...] = ()
    """Entities the query named, by id."""
    days: tuple[tuple[str, str], ...] = ()
    """Periods the query named: first day, and the day after the last."""


@dataclass(frozen=True, slots=True)
class Context:
    """What an agent is given to know before it begins: data, each line with its origin and provenance (R-M06)."""

    text: str
    """The whole block, its delimiters included."""
    sections: tuple[str, ...]
    """The sections in it, in their order."""
    used: int
    """Tokens of the text, at most the budget."""
    budget: int
    hits: tuple[Hit, ...]
    """What stands in it, section by section; not what is pinned or only named."""
