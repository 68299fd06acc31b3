"""Cartes.md → what the person ticked and reworded there (vault-notes.md, Cards)."""

import re
from collections import Counter
from dataclasses import dataclass

from parsers.items import Item, items, masked
from parsers.model.cards import SECTION
from parsers.model.notes import Note
from parsers.statements import statement

SECTIONS = tuple(dict.fromkeys(SECTION.values()))
"""The sections of Cartes.md, in order."""

_BOX = re.compile(r"^[ \t]+[-*+] \[(.)\] .*?\^(c-[0-9a-hjkmnp-tv-z]{8})-([a-z]+)[ \t]*\r?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Box:
    """One box of a card: its choice, whether `[x]` or `[X]` stands in it, where its character is."""

    choice: str
    ticked: bool
    at: int


@dataclass(frozen=True, slots=True)
class CardSaid:
    """One card as it stands in the note."""

    id: str
    section: str
    item: Item
    text: str
    """Its first line as it now reads."""
    boxes: tuple[Box, ...]

    @property
    def ticked(self) -> frozenset[str]:
        """The choices that are ticked."""
        return frozenset(box.choice for box in self.boxes if box.ticked)


def parse(text: str, note: Note) -> tuple[CardSaid, ...]:
    """Give the cards of a well-formed Cartes.md; a card or box that stands twice says nothing."""
    clear = masked(text, note.comments)
    live = {task.line for task in note.tasks}
    found = []
    for section in note.sections:
        if section.name not in SECTIONS:
            continue
        for item in items(clear[section.start : section.end], section.start, section.begin_line + 1):
            said = statement(text, item, section.name)
            if said.id and said.id.startswith("c-"):
                boxes = _boxes(clear, item, said.id, live)
                found.append(CardSaid(said.id, section.name, item, said.wording.text.partition("\n")[0], boxes))
    count = Counter(card.id for card in found)
    return tuple(card for card in found if count[card.id] == 1)


def answers(said: tuple[CardSaid, ...]) -> tuple[tuple[str, str, str], ...]:
    """Give (card id, choice, first line) of each card with exactly one ticked box."""
    return tuple((card.id, next(iter(card.ticked)), card.text) for card in said if len(card.ticked) == 1)


def _boxes(clear: str, item: Item, name: str, live: set[int]) -> tuple[Box, ...]:
    """The boxes of a card that are tasks for Obsidian too: not those in code (case C11)."""
    found = [
        Box(box[3], box[1] in "xX", box.start(1))
        for box in _BOX.finditer(clear, item.start, item.end)
        if box[2] == name and item.line + clear.count("\n", item.start, box.start(1)) in live
    ]
    count = Counter(box.choice for box in found)
    return tuple(box for box in found if count[box.choice] == 1)
