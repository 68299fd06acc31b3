"""Cartes.md: cards put in and taken out; what the person wrote beside them stays (vault-notes.md, Cards)."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from parsers.cards import SECTIONS, CardSaid, CardsSaid
from parsers.frame import Frame
from parsers.ids import CARD, DIGITS
from parsers.model.cards import SECTION, Card, choices, proposed
from parsers.model.facts import Fact
from parsers.model.notes import Section
from parsers.model.policy import least
from parsers.statements import as_item
from renderers.fields import field_words, tail
from renderers.frame import first_place
from renderers.splice import Splice, spliced
from renderers.words import Words

Called = Callable[[str], str]
_PROPOSED = ("proposal", "update")
"""Cards whose first line is the text of the fact that is proposed."""
_HOLE = "\ue000"
"""Stands in a sentence where any value may."""
_OWN_BOX = re.compile(rf"\^{CARD}-{DIGITS}-[a-z]+\Z")


@dataclass(frozen=True, slots=True)
class ShownCard:
    """A card as its lines should read."""

    id: str
    section: str
    first: str
    detail: str
    about: str
    """Whom it is about, `""` where that is the owner: a line that is known by its id, as names change."""
    boxes: tuple[tuple[str, str], ...]
    """(choice, label)"""
    twice: str
    """What is said when more than one box is ticked."""


@dataclass(frozen=True, slots=True)
class CardsView:
    """What Cartes.md should say."""

    cards: Mapping[str, ShownCard]
    more: Mapping[str, str]
    """Section → the line that counts the cards without room, where there are any."""
    details: Mapping[str, re.Pattern[str]]
    """Card that stands in the note → what its detail line may say, in every language: what is ours to take out."""


def view(
    cards: Mapping[str, Card],
    facts: Callable[[str], Fact | None],
    standing: Iterable[str],
    room: int,
    words: Sequence[Words],
    called: Called = str,
    about: Called = str,
) -> CardsView:
    """Give the open cards that are shown, in the first language of `words`; `called` gives an entity's line by its id.

    A proposal about somebody says whom, as `about` tells them. At most `room` cards beyond a day's notices are shown;
    `standing` are the cards that are in the note now.
    """
    waiting = [card for card in cards.values() if card.status == "open" and not card.hidden]
    waiting.sort(key=lambda card: (card.opened_at, card.id))
    plain = [card for card in waiting if not card.grouped]
    grouped = [card for card in waiting if card.grouped]
    fits = max(0, room - len(plain))
    left = Counter(SECTION[card.kind] for card in grouped[fits:])
    more = {name: f"{words[0].say('card.more', number=count)} ^more-{name}" for name, count in left.items()}
    details = {
        name: re.compile("|".join(_any_detail(cards[name], one) for one in words))
        for name in standing
        if name in cards
    }
    shown = {card.id: _shown(card, facts, words[0], called, about) for card in plain + grouped[:fits]}
    return CardsView(shown, more, details)


def _shown(
    card: Card, facts: Callable[[str], Fact | None], words: Words, called: Called, about: Called
) -> ShownCard:
    first, *others = card.text.split("\n")
    fact = facts(proposed(card)) if card.kind in _PROPOSED else None
    if fact:
        first += tail(fact, field_words(words))
    if card.kind not in _PROPOSED:
        quoted = " · ".join(words.say("card.quoted", text=line) for line in (first, *others) if line)
        first = words.say(f"card.{card.kind}.title", text=as_item(quoted), note=card.note or "")
    boxes = tuple((choice, _label(card, choice, called, words)) for choice in choices(card))
    whom = about(fact.entity_id) if fact and fact.entity_id else ""
    return ShownCard(
        id=card.id,
        section=SECTION[card.kind],
        first=first,
        detail=_detail(card, fact, words),
        about=words.say("card.about", name=as_item(whom)) if whom else "",
        boxes=boxes,
        twice=words.say("card.twice"),
    )


def _label(card: Card, choice: str, called: Called, words: Words) -> str:
    """What a box says; a letter stands for whom the card names there."""
    if len(choice) > 1:
        return words.say(f"card.{card.kind}.{choice}")
    name = card.subjects[1 + ord(choice) - ord("a")]
    labels = [called(one) for one in card.subjects[1:]]
    label = as_item(called(name))
    return label if labels.count(called(name)) == 1 else f"{label} ({name})"


def _detail(card: Card, fact: Fact | None, words: Words) -> str:
    says, instead = _said(card, words)
    if card.kind not in _PROPOSED:
        return says
    # An agent that states no confidence has 1: nothing worth saying.
    sure = fact.confidence if fact else 0.0
    stated = words.say("card.proposal.sure", confidence=words.number(sure)) if sure < 1 else ""
    return f"{says}{stated}{instead}{_source(card, fact, words)}"


def _any_detail(card: Card, words: Words) -> str:
    """Give the pattern of what the detail of a card may say: its fact is not what it was once it is kept."""
    says, instead = map(re.escape, _said(card, words))
    if card.kind not in _PROPOSED:
        return says
    web = re.escape(words.say("card.proposal.web"))
    sure = re.escape(words.say("card.proposal.sure", confidence=_HOLE)).replace(_HOLE, r"[\d.,]+")
    source = re.escape(words.say("card.proposal.from", origin=_HOLE)).replace(_HOLE, r"\S+")
    return f"{says}(?:{sure})?{instead}(?:{web}|{source})?"


def _said(card: Card, words: Words) -> tuple[str, str]:
    """Say who asks, or what a card of another kind says there, and what would be replaced."""
    says = words.say(f"card.{card.kind}.detail", note=card.note or "", origin=card.origin)
    _, _, replaced = card.text.partition("\n")
    if not replaced or card.kind not in _PROPOSED:
        return says, ""
    return says, words.say("card.proposal.replaces", text=as_item(replaced))


def _source(card: Card, fact: Fact | None, words: Words) -> str:
    """Say where the words come from, where that is worse than the word of who proposes them."""
    if fact is None or least((fact.provenance, card.origin)) == card.origin:
        return ""
    if fact.provenance == "web":
        return words.say("card.proposal.web")
    return words.say("card.proposal.from", origin=as_item(fact.provenance))


def render(shows: CardsView, text: str, frame: Frame, what: CardsSaid) -> str:
    """Give the note's text with the cards that wait; a card that stood twice stands once, its boxes empty."""
    said = what.cards
    standing = {card.id for card in said} | {name for name, _ in what.unreadable}
    splices: list[Splice] = []
    for card in said:
        if card.id in shows.cards:
            splices += _twice(text, card, shows.cards[card.id])
            splices += [Splice(box.at, box.at + 1, " ") for box in card.boxes if card.doubled and box.ticked]
        else:
            splices += _leaving(text, card, shows.details.get(card.id))
    for card in what.copies:
        splices += _leaving(text, card, shows.details.get(card.id))
    for section in frame.sections:
        if section.name in SECTIONS:
            fresh = [
                one for one in shows.cards.values() if one.section == section.name and one.id not in standing
            ]
            splices += _section(text, section, said, fresh, shows.more.get(section.name))
    return spliced(text, splices)


def _lines(text: str, card: CardSaid) -> Iterable[tuple[int, int]]:
    """Ranges of the item's lines after its first paragraph, endings included."""
    at = text.find("\n", card.spot.start + card.spot.says.item.para_stop) + 1
    while 0 < at < card.spot.stop:
        stop = text.find("\n", at) + 1 or len(text)
        yield at, stop
        at = stop


def _leaving(text: str, card: CardSaid, detail: re.Pattern[str] | None) -> list[Splice]:
    """Take the card's own lines out: what the person added under it stays."""
    cut = [
        Splice(
            card.spot.start,
            text.find("\n", card.spot.start + card.spot.says.item.para_stop) + 1 or len(text),
            "",
        )
    ]
    for start, stop in _lines(text, card):
        line = text[start:stop].strip()
        if _OWN_BOX.search(line) or (detail and detail.fullmatch(line.lstrip("-*+ "))):
            cut.append(Splice(start, stop, ""))
    return cut


def _twice(text: str, card: CardSaid, shown: ShownCard) -> list[Splice]:
    """Say, or no longer say, that more than one box is ticked."""
    name = f"^{card.id}-twice"
    spot = next(((a, b) for a, b in _lines(text, card) if text[a:b].rstrip().endswith(name)), None)
    if spot and len(card.ticked) < 2:
        return [Splice(*spot, "")]
    if spot or len(card.ticked) < 2:
        return []
    eol = "\r\n" if text[card.spot.start : card.spot.stop].count("\r\n") else "\n"
    return [Splice(card.spot.stop, card.spot.stop, f"\t- {shown.twice} {name}{eol}")]


def _section(
    text: str,
    section: Section,
    said: tuple[CardSaid, ...],
    fresh: Sequence[ShownCard],
    more: str | None,
) -> list[Splice]:
    """New cards after the last one of the section; the line that counts the others below them."""
    own = [card for card in said if card.spot.section == section.name]
    at = own[-1].spot.stop if own else first_place(text, section)
    splices = []
    start = text.find(f" ^more-{section.name}", section.start, section.end)
    line_start = text.rfind("\n", 0, start) + 1 if start >= 0 else -1
    wanted = f"- {more}{section.eol}" if more else ""
    if start >= 0:
        stop = text.find("\n", start) + 1
        if text[line_start:stop] != wanted:
            splices.append(Splice(line_start, stop, wanted))
        if not own:
            at = line_start
    added = "".join(_card(card, section.eol) for card in fresh) + (wanted if start < 0 else "")
    if added:
        splices.append(Splice(at, at, added))
    return splices


def _card(card: ShownCard, eol: str) -> str:
    lines = [f"- {card.first} ^{card.id}"]
    if card.detail:
        lines.append(f"\t- {card.detail}")
    if card.about:
        lines.append(f"\t- {card.about} ^{card.id}-about")
    lines += [f"\t- [ ] {label} ^{card.id}-{choice}" for choice, label in card.boxes]
    return "".join(line + eol for line in lines)
