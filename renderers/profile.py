"""Profil.md: the lines of its sections brought in step with the facts, and not a byte else (vault-notes.md, Facts)."""

from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from parsers.frame import Frame
from parsers.ids import FACT
from parsers.model.cards import Card
from parsers.model.facts import SECTION_OF, Fact, over
from parsers.model.notes import Section
from parsers.profile import ProfileSaid
from parsers.sameness import said_key
from parsers.statements import Spot
from renderers.fields import tail
from renderers.frame import first_place
from renderers.lines import (
    Again,
    LinesView,
    Rendered,
    ShownLine,
    asked_at,
    in_step,
    left,
    never,
    placed,
    standing,
    unplaced,
)
from renderers.splice import Splice, spliced

Place = Callable[[Fact], tuple[str, str] | None]
"""The section in which a fact's line stands and what its last field says it is about; None: it is another note's."""


def in_profile(fact: Fact) -> tuple[str, str] | None:
    """Give the place of a fact about the owner."""
    return None if fact.entity_id else (SECTION_OF[fact.kind], "")


@dataclass(frozen=True, slots=True)
class Before:
    """What is known of a note since it was last read or written."""

    stood: Collection[str] = ()
    """Facts whose lines stood in it."""
    corrected: Collection[str] = ()
    """Facts that a command corrected since."""
    repeats: frozenset[str] = frozenset()
    """What stood there more than once (`said_key`)."""


def view(
    facts: Collection[tuple[Fact, ...]],
    cards: Iterable[Card],
    today: str,
    words: Mapping[str, str],
    before: Before,
    again: Again = never,
    place: Place = in_profile,
) -> LinesView:
    """Give what these facts make of the note; `words` are the field names and values of the catalogue."""
    back = list(returned(cards, FACT))
    asked = {name for name, card in back if card.status == "open"}
    refused = [(name, card.text) for name, card in back if card.answer == "refuse"]
    shown: dict[str, ShownLine] = {}
    leaving: dict[str, frozenset[str]] = {}
    anchors: dict[str, str] = {}
    forgotten, elsewhere = set[str](), set[str]()
    for versions in facts:
        fact = versions[-1]
        if fact.status in ("held", "pending") or fact.id in asked:
            continue
        past = frozenset(one.text for one in versions)
        if _stands(fact, today):
            section, about = place(fact) or ("", "")
            if not section:
                elsewhere.add(fact.id)
                continue
            fields, stated = tail(fact, words) + about, _stated(fact, before)
            shown[fact.id] = ShownLine(fact.id, section, fact.text, fields, fact.anchor, past, stated=stated)
            continue
        leaving[fact.id] = past.union(text for name, text in refused if name == fact.id)
        if fact.anchor:
            anchors[fact.anchor] = fact.id
        if fact.status == "forgotten" and fact.id in before.stood:
            forgotten.add(fact.id)
    waiting = frozenset(asked)
    # A line that said a wrong wording again, read with the command that corrects it, was never known to stand.
    wrong = frozenset(
        again_key(one) for known in facts if known[-1].id in before.corrected for one in known[:-1]
    )
    return LinesView(
        shown,
        leaving,
        anchors,
        frozenset(forgotten),
        waiting,
        again,
        elsewhere=frozenset(elsewhere),
        repeats=before.repeats | wrong,
    )


def _stated(fact: Fact, before: Before) -> tuple[str | None, ...] | None:
    """The days the line's fields should state, where a command changed them."""
    days = fact.valid_from_text, fact.valid_to_text, fact.review
    return days if fact.id in before.corrected else None


def _stands(fact: Fact, today: str) -> bool:
    """A line stays while its fact holds, or when the person wrote its end themselves."""
    return fact.status == "confirmed" and fact.retracted_at is None and not over(fact, today)


def returned(cards: Iterable[Card], letter: str) -> Iterator[tuple[str, Card]]:
    """Give the facts, or people, whose lines came back, with the cards that ask about them."""
    for card in cards:
        if card.kind == "returned":
            yield from ((name, card) for name in card.subjects if name.startswith(f"{letter}-"))


def again_key(fact: Fact) -> str:
    """Give what a line has that says this fact again."""
    return said_key(fact.text, fact.entity_id)


def render(
    shows: LinesView,
    text: str,
    frame: Frame,
    said: ProfileSaid,
    active: Sequence[Spot],
    resting: Container[str],
) -> tuple[Rendered, Rendered]:
    """Give the note as it should be, and what stood in it as it was read; `frame` and `said` are its parse.

    Only `active` lines are looked at; those of the `resting` facts are as they should be. A line whose text clavaire
    never recorded is left alone: between our reading and this, it is the person's.
    """
    waiting = asked_at(shows, active)
    lines = placed(shows, active, waiting)
    splices: list[Splice] = []
    for index, (spot, name) in enumerate(lines):
        if index not in waiting:
            splices += in_step(spot, shows.facts[name]) if name else unplaced(spot, shows, resting)
    there = {name for _, name in lines if name}
    missing = [fact for name, fact in shows.facts.items() if name not in there]
    added: list[ShownLine] = []
    for section in frame.sections:
        fresh = [fact for fact in missing if fact.section == section.name]
        if fresh:
            splices.append(_insertion(text, section, said.statements, fresh))
            added += fresh
    stood = [(spot, name or left(spot, shows)) for spot, name in lines]
    repeats, gone = said_again(shows, (spot for spot, name in stood if name is None))
    after = Rendered(spliced(text, splices), standing(lines, added), repeats)
    return after, Rendered(text, standing(stood, []), repeats | gone)


def said_again(shows: LinesView, loose: Iterable[Spot]) -> tuple[frozenset[str], frozenset[str]]:
    """Give what lines that are no fact's say again, and what of it they said already when they were read."""
    spots = [spot for spot in loose if spot.says.wording.text]
    keys = [said_key(spot.says.wording.text, spot.entity) for spot in spots]
    again = {
        key for key, spot in zip(keys, spots, strict=True) if shows.again(spot.says.wording.text, spot.entity)
    }
    return frozenset(again), frozenset(keys) & shows.repeats


def _insertion(text: str, section: Section, spots: Sequence[Spot], fresh: Sequence[ShownLine]) -> Splice:
    """New lines go after the last line of ours, before the end marker if there is none."""
    last = next((spot for spot in reversed(spots) if spot.section == section.name), None)
    marker = last.says.item.text[: last.says.item.body] if last else "- "
    marker = marker if marker in ("- ", "* ", "+ ") else "- "
    at = last.stop if last else first_place(text, section)
    lines = []
    for fact in fresh:
        first, *rest = fact.text.split("\n")
        lines += [f"{marker}{first}{fact.tail} ^{fact.anchor or fact.id}", *rest]
    return Splice(at, at, "".join(line + section.eol for line in lines))
