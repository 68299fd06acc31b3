"""Cartes.md → what the person ticked and reworded there (vault-notes.md, Cards)."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from parsers.frame import Frame
from parsers.ids import CARD, DIGITS
from parsers.items import masked
from parsers.model.cards import SECTION
from parsers.model.notes import Section
from parsers.statements import Spot, first_line, spots

SECTIONS = tuple(dict.fromkeys(SECTION.values()))
"""The sections of Cartes.md, in order."""

_CARD = re.compile(rf"(?:(?<=\s)|\A)\^({CARD}-{DIGITS})(?=\s|\Z)")
_BOX = re.compile(rf"^[ \t]+[-*+] \[(.)\] .*?\^({CARD}-{DIGITS})-([a-z]+)[ \t]*\r?$", re.MULTILINE)

_WORDS_AFTER = re.compile(
    rf"^[ \t]+[-*+] \[[xX]\] .*(?<!\\)\^{CARD}-{DIGITS}-[a-z]+(?:[^\s\w-]|[ \t]+\S).*$", re.MULTILINE
)
"""A ticked box whose id does not end its line: for Obsidian it is no id, and the words after it would go with it."""


@dataclass(frozen=True, slots=True)
class Box:
    """One box of a card: its choice, whether `[x]` or `[X]` stands in it, and where, in the note's text."""

    choice: str
    ticked: bool
    at: int


@dataclass(frozen=True, slots=True)
class CardSaid:
    """One card as it stands in the note."""

    id: str
    spot: Spot
    text: str
    """Its first line as it now reads, with its trailing fields."""
    boxes: tuple[Box, ...]
    doubled: bool = False
    """It stands more than once: no tick in it counts."""

    @property
    def ticked(self) -> frozenset[str]:
        """The choices that are ticked."""
        return frozenset(box.choice for box in self.boxes if box.ticked)


@dataclass(frozen=True, slots=True)
class CardsSaid:
    """What Cartes.md says."""

    cards: tuple[CardSaid, ...]
    copies: tuple[CardSaid, ...] = ()
    """Cards that stand there already, further up."""
    unreadable: tuple[tuple[str, int], ...] = ()
    """(card, line) of boxes whose card has no first line that can be read."""
    worded: tuple[int, ...] = ()
    """Lines of ticked boxes with words after their id: such a tick does not count, and nothing is lost."""


def parse(text: str, frame: Frame) -> CardsSaid:
    """Give the cards of a well-formed Cartes.md."""
    clear = masked(text, frame.comments)
    found: list[CardSaid] = []
    boxes: dict[str, int] = {}
    worded: list[int] = []
    for section in frame.sections:
        if section.name not in SECTIONS:
            continue
        found += filter(None, (_card(spot, frame.tasks) for spot in spots(clear, section)))
        for line, box in _tasks(_BOX, clear, section, frame):
            boxes.setdefault(box[2], line)
        worded += [line for line, _ in _tasks(_WORDS_AFTER, clear, section, frame)]
    count = Counter(card.id for card in found)
    firsts: dict[str, CardSaid] = {}
    for card in found:
        firsts.setdefault(card.id, replace(card, doubled=count[card.id] > 1))
    copies = [card for card in found if card.spot != firsts[card.id].spot]
    unreadable = [(name, line) for name, line in boxes.items() if name not in firsts]
    return CardsSaid(tuple(firsts.values()), tuple(copies), tuple(unreadable), tuple(worded))


def _tasks(
    pattern: re.Pattern[str], clear: str, section: Section, frame: Frame
) -> Iterator[tuple[int, re.Match[str]]]:
    """Give what a section has of a pattern on lines that are tasks for Obsidian too, each with its line."""
    for found in pattern.finditer(clear, section.start, section.end):
        line = section.begin_line + 1 + clear.count("\n", section.start, found.start())
        if line in frame.tasks:
            yield line, found


def answers(what: CardsSaid) -> tuple[tuple[str, str, str], ...]:
    """Give (card id, choice, first line) of each card with exactly one ticked box."""
    told = (card for card in what.cards if not card.doubled and len(card.ticked) == 1)
    return tuple((card.id, next(iter(card.ticked)), card.text) for card in told)


def _card(spot: Spot, tasks: frozenset[int]) -> CardSaid | None:
    item = spot.says.item
    names = _CARD.findall(item.text[item.body : item.para_end])
    return CardSaid(names[-1], spot, first_line(spot.says), _boxes(spot, names[-1], tasks)) if names else None


def _boxes(spot: Spot, name: str, tasks: frozenset[int]) -> tuple[Box, ...]:
    """The boxes of a card that are tasks for Obsidian too: not those in code (case C11)."""
    text = spot.says.item.text
    found = [
        Box(box[3], box[1] in "xX", spot.start + box.start(1))
        for box in _BOX.finditer(text)
        if box[2] == name and spot.line + text.count("\n", 0, box.start(1)) in tasks
    ]
    count = Counter(box.choice for box in found)
    return tuple(box for box in found if count[box.choice] == 1)
