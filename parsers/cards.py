"""Cartes.md → what the person ticked and reworded there (vault-notes.md, Cards)."""

import re
from collections import Counter
from dataclasses import dataclass

from parsers.frame import Frame
from parsers.ids import CARD, DIGITS
from parsers.items import masked
from parsers.model.cards import SECTION
from parsers.statements import Spot, first_line, spots

SECTIONS = tuple(dict.fromkeys(SECTION.values()))
"""The sections of Cartes.md, in order."""

_BOX = re.compile(rf"^[ \t]+[-*+] \[(.)\] .*?\^({CARD}-{DIGITS})-([a-z]+)[ \t]*\r?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Box:
    """One box of a card: its choice, whether `[x]` or `[X]` stands in it."""

    choice: str
    ticked: bool


@dataclass(frozen=True, slots=True)
class CardSaid:
    """One card as it stands in the note."""

    id: str
    spot: Spot
    text: str
    """Its first line as it now reads, with its trailing fields."""
    boxes: tuple[Box, ...]

    @property
    def ticked(self) -> frozenset[str]:
        """The choices that are ticked."""
        return frozenset(box.choice for box in self.boxes if box.ticked)


def parse(text: str, frame: Frame) -> tuple[CardSaid, ...]:
    """Give the cards of a well-formed Cartes.md; a card or box that stands twice says nothing."""
    clear = masked(text, frame.comments)
    found = []
    for section in frame.sections:
        for spot in spots(clear, section) if section.name in SECTIONS else ():
            name = spot.says.id
            if name and name.startswith(f"{CARD}-"):
                found.append(CardSaid(name, spot, first_line(spot.says), _boxes(spot, name, frame.tasks)))
    count = Counter(card.id for card in found)
    return tuple(card for card in found if count[card.id] == 1)


def answers(said: tuple[CardSaid, ...]) -> tuple[tuple[str, str, str], ...]:
    """Give (card id, choice, first line) of each card with exactly one ticked box."""
    return tuple((card.id, next(iter(card.ticked)), card.text) for card in said if len(card.ticked) == 1)


def _boxes(spot: Spot, name: str, tasks: frozenset[int]) -> tuple[Box, ...]:
    """The boxes of a card that are tasks for Obsidian too: not those in code (case C11)."""
    text = spot.says.item.text
    found = [
        Box(box[3], box[1] in "xX")
        for box in _BOX.finditer(text)
        if box[2] == name and spot.line + text.count("\n", 0, box.start(1)) in tasks
    ]
    count = Counter(box.choice for box in found)
    return tuple(box for box in found if count[box.choice] == 1)
