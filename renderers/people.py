"""Personnes.md: people's lines and the facts below them in step with what is known, and not a byte else.

A person's line is a line like a fact's, but for `[vu:: DAY]`, which is ours; what stands below it that is no fact of
ours stays where it is.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from parsers.frame import Frame
from parsers.ids import ENTITY
from parsers.model.cards import Card
from parsers.model.entities import Entity, Relation
from parsers.people import SECTION, left_over, line_text, seen_span
from parsers.profile import ProfileSaid
from parsers.statements import Spot
from renderers.lines import (
    LinesView,
    Rendered,
    ShownLine,
    asked_at,
    cut,
    in_step,
    left,
    placed,
    standing,
    unplaced,
)
from renderers.people_added import additions
from renderers.profile import Before, returned, said_again
from renderers.splice import Splice, spliced


@dataclass(frozen=True, slots=True)
class PeopleView:
    """What Personnes.md should say."""

    people: LinesView
    facts: LinesView
    seen: Mapping[str, str]
    """Person → the day on which they were last seen."""
    word: str
    """Name of the field that says it, on a line written by clavaire."""


def view(
    entities: Collection[tuple[Entity, Relation | None]],
    cards: Collection[Card],
    facts: LinesView,
    words: Mapping[str, str],
    before: Before,
) -> PeopleView:
    """Give what these people, each with their present relation, make of the note."""
    back = list(returned(cards, ENTITY))
    asked = frozenset(name for name, card in back if card.status == "open")
    shown: dict[str, ShownLine] = {}
    leaving: dict[str, frozenset[str]] = {}
    anchors: dict[str, str] = {}
    for entity, relation in entities:
        if entity.status in ("held", "pending") or entity.id in asked:
            continue
        said = relation.text if relation else None
        text = line_text(entity.name, said)
        if entity.status == "confirmed" and entity.retracted_at is None:
            shown[entity.id] = ShownLine(
                entity.id,
                SECTION,
                text,
                _tail(entity, relation, words),
                entity.anchor,
                frozenset({text}),
                line_text(_linked(entity), said),
            )
            continue
        refused = {card.text for name, card in back if name == entity.id and card.answer == "refuse"}
        leaving[entity.id] = frozenset({text, *refused})
        if entity.anchor:
            anchors[entity.anchor] = entity.id
    gone = frozenset(one.id for one, _ in entities if one.status == "forgotten" and one.id in before.stood)
    stood = frozenset(before.stood)
    people = LinesView(
        shown, leaving, anchors, gone, asked, namesakes=True, earlier=stood, repeats=before.repeats
    )
    seen = {one.id: one.last_seen for one, _ in entities if one.last_seen}
    return PeopleView(people, facts, seen, words["seen"])


def _linked(entity: Entity) -> str:
    """The name, as a link where a note is about them."""
    if entity.note is None:
        return entity.name
    target = entity.note.removesuffix(".md")
    return f"[[{target}]]" if target == entity.name else f"[[{target}|{entity.name}]]"


def _tail(entity: Entity, relation: Relation | None, words: Mapping[str, str]) -> str:
    stated = {"since": relation.valid_from_text, "until": relation.valid_to_text} if relation else {}
    if entity.sensitivity == "sensitive":
        stated["sensitive"] = words["yes"]
    stated["seen"] = entity.last_seen
    return "".join(f" [{words[name]}:: {value}]" for name, value in stated.items() if value)


def render(
    shows: PeopleView, text: str, frame: Frame, said: ProfileSaid, active: Sequence[Spot]
) -> tuple[Rendered, Rendered]:
    """Give the note as it should be, and what stood in it as it was read; `frame` and `said` are its parse.

    Only `active` lines are looked at: of somebody's, all that stand below are.
    """
    heads = [spot for spot in active if spot.reach]
    waiting = asked_at(shows.people, heads)
    lines = placed(shows.people, heads, waiting)
    splices: list[Splice] = []
    for index, (spot, name) in enumerate(lines):
        if name:
            splices += [*_seen(spot, shows, name), *in_step(spot, shows.people.facts[name])]
        elif index not in waiting and not _keeps(spot, active, shows):
            splices += unplaced(spot, shows.people, shows.facts.facts)
    stood = [(spot, name or left(spot, shows.people)) for spot, name in lines]
    owners = {spot.start: name for index, (spot, name) in enumerate(stood) if index not in waiting}
    below = _below(active, owners)
    facts, known = _facts(shows, below)
    splices += facts
    there = {name for _, name in known if name}
    missing = [one for one in shows.facts.facts.values() if one.id not in there]
    added, inserted = additions(shows.people, text, frame, said, lines, below, missing)
    loose = [spot for spot, name in known if name is None and left(spot, shows.facts) is None]
    repeats, gone = said_again(shows.facts, loose)
    ids = standing([*lines, *known], added)
    was = standing([*stood, *((spot, name or left(spot, shows.facts)) for spot, name in known)], [])
    after = Rendered(spliced(text, [*splices, *inserted]), ids, repeats)
    return after, Rendered(text, was, repeats | gone)


def _keeps(spot: Spot, active: Sequence[Spot], shows: PeopleView) -> bool:
    """Whether something below a line that leaves would then stand below somebody else."""
    if spot.says.id in shows.people.forgotten or left(spot, shows.people) is None:
        return False
    return any(one.under == spot.start and left(one, shows.facts) is None for one in active)


def _below(active: Sequence[Spot], owners: Mapping[int, str | None]) -> list[Spot]:
    """The lines below people, each knowing whose they are; those below a line that is nobody's are left alone."""
    found = ((spot, owners.get(spot.under)) for spot in active if spot.under)
    return [spot._replace(section=name, entity=name) for spot, name in found if name]


def _facts(
    everybody: PeopleView, below: Sequence[Spot]
) -> tuple[list[Splice], list[tuple[Spot, str | None]]]:
    shows = everybody.facts
    waiting = asked_at(shows, below)
    lines = placed(shows, below, waiting)
    splices: list[Splice] = []
    for index, (spot, name) in enumerate(lines):
        if index not in waiting:
            splices += (
                in_step(spot, shows.facts[name]) if name else unplaced(spot, shows, everybody.people.facts)
            )
    return splices, lines


def _seen(spot: Spot, shows: PeopleView, name: str) -> list[Splice]:
    """The day on which somebody was last seen, in the last field of their line."""
    day, says = shows.seen.get(name), spot.says
    if day is None:
        return []
    span, moved = seen_span(says), cut(spot, left_over(says))
    if span:
        start, end = (spot.start + at for at in span)
        return moved if says.item.text[span[0] : span[1]] == day else [*moved, Splice(start, end, day)]
    if says.anchor:
        stays = [one for one in says.id_spans if says.item.text[slice(*one)].strip()[1:] == says.anchor]
    else:
        stays = list(says.id_spans) if says.settled else []
    at = stays[0][0] if stays else says.item.para_end
    return [*moved, Splice(spot.start + at, spot.start + at, f" [{shows.word}:: {day}]")]
