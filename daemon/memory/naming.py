"""Whom a stated name means: the one it clearly does, or a card that asks; nothing merges by itself (R-M07)."""

from collections.abc import Sequence
from dataclasses import replace

from daemon.memory.moment import Deliberation, Moment
from daemon.memory.people import assert_entity, bring_back, home, linked, new_entity, stays, subject
from daemon.memory.relations import relate
from daemon.memory.state import State
from parsers.model.cards import MOST_NAMED, Card, proposed
from parsers.model.edits import Remember
from parsers.model.entities import Candidate, Entity
from parsers.model.facts import Fact
from parsers.people import names_somebody, person_wording
from parsers.statements import as_item, reword


def meant(work: Deliberation, edit: Remember) -> str | tuple[str, ...] | None:
    """Give the id of what a stated fact is about, None for the owner, or those it may be: then a card asks.

    A name nobody has is somebody new where the person says it; from anybody else that is asked too.
    """
    if edit.about is None:
        return _linked(work, edit)
    from daemon.memory.resolving import clear_winner  # noqa: PLC0415 - only what is stated about somebody needs it

    outside = edit.origin != "person"
    called = _called(work.state, edit)
    if called:
        return called.id
    winner = clear_winner(_candidates(work, edit, outside=outside))
    if winner:
        return winner.entity_id
    candidates = _candidates(work, edit, outside=False)  # the card is the person's, who may mean anybody
    if candidates or outside:
        return tuple(one.entity_id for one in candidates[:MOST_NAMED])
    return _somebody(work, _name(work, edit.about))


def nameless(state: State, moment: Moment, edit: Remember) -> bool:
    """Tell whether a fact is stated about somebody without saying who: by no id that is known, and by no name."""
    if edit.about is None or _called(state, edit):
        return False
    return not names_somebody(moment.redacted(edit.about))


def _called(state: State, edit: Remember) -> Entity | None:
    """Give whom the id is, where it is one of somebody whom its author may name."""
    called = state.entities.get((edit.about or "").removeprefix("^"))
    return called if called and called.status != "forgotten" and _named_by(edit, called) else None


def _candidates(work: Deliberation, edit: Remember, *, outside: bool) -> tuple[Candidate, ...]:
    """Give whom the name may mean; `outside`: of those that exist for an agent."""
    from daemon.memory.persons import standing, told  # noqa: PLC0415 - as above
    from daemon.memory.resolving import resolve  # noqa: PLC0415

    known = told(work.state, work.moment.today.isoformat(), external=outside)
    everybody = standing(work.state, external=outside)
    return resolve(edit.about or "", work.moment.at_home(everybody, outside), edit.text, known)


def _named_by(edit: Remember, entity: Entity) -> bool:
    """Whether who states something may name an entity: for an agent, who is sensitive is nobody (R-M06)."""
    from daemon.memory.persons import known_outside  # noqa: PLC0415 - as above

    return edit.origin == "person" or known_outside(entity)


def _linked(work: Deliberation, edit: Remember) -> str | None:
    """What the last field of a stated text is about; an agent's makes nothing new."""
    target = reword(as_item(edit.text)).fields.about
    if target is None:
        return None
    if edit.origin == "person":
        return subject(work, target)
    known = linked(work.state, home(work, target), target)
    return known.id if known and stays(known) and _named_by(edit, known) else None


def _name(work: Deliberation, said: str) -> str:
    return as_item(work.moment.redacted(said))


def _somebody(work: Deliberation, name: str) -> str:
    wording = person_wording(name)[1]
    entity = new_entity(work, wording.key or name, "person")
    assert_entity(work, entity, "named")
    relate(work, entity.id, wording)
    return entity.id


def about(work: Deliberation, fact: Fact, name: str | None) -> Fact:
    """Give the fact as one about an entity: about a person it is a plain fact, as its line below them says."""
    entity = work.state.entities.get(name or "")
    plain = entity is not None and entity.kind == "person"
    return replace(fact, entity_id=name, kind="fact" if plain else fact.kind)


def ask_whom(work: Deliberation, fact: Fact, edit: Remember, candidates: Sequence[str]) -> None:
    """Let a fact wait until the person says whom it is about; asked once for each name and text."""
    name = _name(work, edit.about or "")
    key = f"{name}/{fact.text}"
    asked = (card for card in work.state.open_cards() if card.kind == "name" and card.key == key)
    if any(edit.origin in ("person", card.origin) for card in asked):
        return
    work.assert_fact(replace(fact, status="pending"), "proposed")
    text = f"{name}\n{fact.text.partition(chr(10))[0]}"
    work.open_card("name", (fact.id, *candidates), text, key=key, origin=edit.origin)


def answered(work: Deliberation, card: Card, choice: str) -> Fact | None:
    """Give the fact of an answered card as one about whom the person chose; None where it no longer waits."""
    fact = work.state.latest(proposed(card))
    if fact is None or fact.status != "pending":
        return None
    if choice == "new":
        name = _somebody(work, card.text.partition("\n")[0])
    else:
        name = card.subjects[1 + ord(choice) - ord("a")]
        if work.state.entities[name].status == "forgotten":
            return None
        bring_back(work, name)
    placed = about(work, fact, name)
    work.amend("named", fact, entity_id=placed.entity_id, kind=placed.kind)
    return placed
