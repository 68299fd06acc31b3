"""Words about cards. Card: something that waits for the person in Cartes.md; choice: one of its boxes."""

from dataclasses import dataclass
from typing import Literal

CardKind = Literal[
    "proposal",  # an agent proposes a fact
    "key",  # two values for one key
    "contradiction",  # two texts equal but for a negation
    "typo",  # a change that looks like a correction
    "loss",  # lines gone all at once
    "returned",  # the line of a rejected fact is back
    "stray",  # lines next to a section, not in it
    "copy",  # a conflict copy of a managed note
    "late",  # lines of a version that could not be merged
    "review",  # the day to look at a fact again has passed
    "reminder",  # proposals that have waited for long
    "refusal",  # an action that the policy refused
    "forged",  # an approval that no hand of the person's gave
    "codes",  # too many wrong codes
    "delegate",  # plans of one shape are approved again and again
    "update",  # an agent proposes another wording of a fact
    "forget",  # an agent wants a fact forgotten
    "name",  # a name that several may be meant by
]

SECTION: dict[CardKind, str] = {
    "proposal": "pending",
    "key": "conflicts",
    "contradiction": "conflicts",
    "typo": "conflicts",
    "loss": "alerts",
    "returned": "alerts",
    "stray": "alerts",
    "copy": "alerts",
    "late": "alerts",
    "review": "alerts",
    "reminder": "alerts",
    "refusal": "alerts",
    "forged": "alerts",
    "codes": "alerts",
    "delegate": "pending",
    "update": "pending",
    "forget": "pending",
    "name": "conflicts",
}
"""Kind of card → the section of Cartes.md that shows it."""

CHOICES: dict[CardKind, tuple[str, ...]] = {
    "proposal": ("keep", "refuse"),
    "key": ("both", "replace"),
    "contradiction": ("both", "replace"),
    "typo": ("correct", "change"),
    "loss": ("forget", "restore"),
    "returned": ("keep", "refuse"),
    "stray": ("take", "leave"),
    "copy": (),
    "late": ("seen",),
    "review": ("keep", "forget"),
    "reminder": ("seen",),
    "refusal": ("seen",),
    "forged": ("seen",),
    "codes": ("seen",),
    "delegate": ("delegate", "leave"),
    "update": ("keep", "refuse"),
    "forget": ("forget", "keep"),
    "name": ("new", "refuse"),
}
"""Kind of card → its boxes, in order; a box's id is `^<card id>-<choice>`."""

MOST_NAMED = 8
"""People that a card about a name offers at the most."""


@dataclass(frozen=True, slots=True)
class Card:
    """One card, as the export prints it."""

    id: str
    kind: CardKind
    status: Literal["open", "answered", "withdrawn"]
    subjects: tuple[str, ...]
    """Ids of the facts it is about, the older first."""
    text: str
    """Its first line: for a proposal, the fact's text; else what it quotes. `\\n` between lines."""
    origin: str
    note: str | None
    """Note it is about, for cards that are about a file."""
    key: str | None
    """What makes it the only one of its kind: a key, a date, a content hash."""
    grouped: bool
    """True when the day's notices were used up: it is counted, and shown when there is room."""
    hidden: bool
    """True when its lines were deleted: no answer; it comes back with the weekly reminder."""
    opened_at: str
    answer: str | None
    answered_at: str | None


def proposed(card: Card) -> str:
    """Give the id of the fact that somebody proposed: of an update, what would take the older one's place."""
    return card.subjects[-1] if card.kind == "update" else card.subjects[0]


def choices(card: Card) -> tuple[str, ...]:
    """Give the boxes of a card in order: of one about a name a letter for each whom it may mean comes first."""
    letters = "abcdefgh"[: len(card.subjects) - 1] if card.kind == "name" else ""
    return (*letters, *CHOICES[card.kind])
