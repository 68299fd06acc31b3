"""What is known: facts, cards and their histories, as the fold of the register's records.

`fold` is the only place where a record becomes state: the daemon applies new records with it, a rebuild applies
them all, `--known-at` applies those up to a day. It reads no setting, no clock and no note (law 1).

Records of memory and their bodies:
`fact.asserted`  every field of `Fact`, and `how`: stated, proposed, changed, corrected, revived
`fact.<verb>`    id, version, and the fields that take a new value: closed, retracted, rejected, restored, held,
                 kept, moved, anchored, seen, confirmed, refused, linked, named, merged
`fact.forgotten` id: every version loses its words
`entity.asserted`  every field of `Entity`, and `how`: stated, linked, named, revived
`entity.<verb>`    id, and the fields that take a new value: renamed, seen, anchored, marked, noted, rejected, restored,
                   held, kept
`entity.forgotten` id: it and its relations lose their words
`relation.asserted` every field of `Relation`, and `how`: stated, changed, corrected
`relation.<verb>`  id, entity_id, and the fields that take a new value: closed, retracted
`card.opened`    every field of `Card`
`card.<verb>`    id, and the fields that take a new value: answered, withdrawn, hidden, reshown
`key.several`    key, entity_id: several values are true at once
`reminder.given` week, cards
`host.taken`     id, name
`vault.opened`   user_id
`now.*`, `session.ended`: see `daemon.memory.now`
"""

from collections.abc import Callable, Iterable, MutableMapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from daemon.memory.now import Brain, after, brain_of, values_of
from daemon.memory.over import Over
from parsers.model.cards import Card
from parsers.model.entities import ENTITY_FIELDS, RELATION_FIELDS, Entity, Relation
from parsers.model.facts import Fact
from parsers.model.register import Body, Record
from parsers.sameness import core, folded

BY_COMMAND = "corrected_by_command"
"""How a wording came that no note said: `clavaire correct`."""

_FACT_FIELDS = frozenset(one.name for one in fields(Fact))
_CARD_FIELDS = frozenset(one.name for one in fields(Card))
_ENTITY_FIELDS, _RELATION_FIELDS = frozenset(ENTITY_FIELDS), frozenset(RELATION_FIELDS)


@dataclass(slots=True)
class State:
    """Memory at one moment. Only `fold` changes it; `fork` gives a scratch that may be folded further."""

    facts: MutableMapping[str, tuple[Fact, ...]] = field(default_factory=dict)
    """Versions of each fact, oldest first."""
    cards: MutableMapping[str, Card] = field(default_factory=dict)
    entities: MutableMapping[str, Entity] = field(default_factory=dict)
    relations: MutableMapping[str, tuple[Relation, ...]] = field(default_factory=dict)
    """Versions of the relations of each entity, by its id, oldest first."""
    several: frozenset[tuple[str, str]] = frozenset()
    """(entity or "", folded key) whose values are all true."""
    reminded: str = ""
    """Week of the last weekly reminder, `2026-W48`."""
    user_id: str = "moi"
    host: tuple[str, str] | None = None
    """(id, name) of the machine that writes."""
    by_text: MutableMapping[str, frozenset[str]] = field(default_factory=dict)
    by_key: MutableMapping[tuple[str, str], frozenset[str]] = field(default_factory=dict)
    reviewed: frozenset[str] = frozenset()
    """Facts that have, or had, a day of review."""
    worded: bool = True
    """`by_text`, `by_key` and `reviewed` are filled: whoever only reads goes without."""
    by_core: MutableMapping[str, frozenset[str]] | None = None
    """Built the first time contradictions are looked for."""
    brain: Brain = field(default_factory=Brain)
    """What is known of now.md and of the sessions that read it."""

    def fork(self) -> "State":
        """Give a scratch that may be folded and leaves this state as it is; it holds until this one is folded."""
        self._word()
        return State(
            Over(self.facts),
            Over(self.cards),
            Over(self.entities),
            Over(self.relations),
            self.several,
            self.reminded,
            self.user_id,
            self.host,
            Over(self.by_text),
            Over(self.by_key),
            self.reviewed,
            by_core=Over(self.by_core) if self.by_core is not None else None,
            brain=self.brain,
        )

    def latest(self, name: str) -> Fact | None:
        """Give the last version of a fact."""
        versions = self.facts.get(name)
        return versions[-1] if versions else None

    def holds(self) -> bool:
        """Tell whether anything is held until the person says what is to become of it."""
        facts = any(versions[-1].status == "held" for versions in self.facts.values())
        return facts or any(one.status == "held" for one in self.entities.values())

    def same_text(self, text: str) -> tuple[Fact, ...]:
        """Give the latest versions that say the same (rule 5), by id."""
        self._word()
        return self._latest(
            self.by_text.get(folded(text), frozenset()), lambda fact: folded(fact.text) == folded(text)
        )

    def same_key(self, key: str, entity_id: str | None) -> tuple[Fact, ...]:
        """Give the latest versions that have this key, by id."""
        self._word()
        place = (entity_id or "", folded(key))
        found = self.by_key.get(place, frozenset())
        return self._latest(found, lambda fact: place_of(fact.key, fact.entity_id) == place)

    def to_review(self, today: str) -> tuple[Fact, ...]:
        """Give the latest versions whose day of review has come, by id."""
        self._word()
        return self._latest(self.reviewed, lambda fact: fact.review is not None and fact.review <= today)

    def same_core(self, text: str) -> frozenset[str]:
        """Give the ids of facts whose words are the same but for negations (rule 6)."""
        if self.by_core is None:
            self.by_core = {}
            for versions in self.facts.values():
                _add(self.by_core, core(versions[-1].text), versions[-1].id)
        return self.by_core.get(core(text), frozenset())

    def _word(self) -> None:
        if not self.worded:
            self.worded = True
            for versions in self.facts.values():
                for fact in versions:
                    _note_words(self, fact)

    def _latest(self, names: Iterable[str], holds: Callable[[Fact], bool]) -> tuple[Fact, ...]:
        found = (self.facts[name][-1] for name in sorted(names) if name in self.facts)
        return tuple(fact for fact in found if holds(fact))

    def open_cards(self) -> tuple[Card, ...]:
        """Give the cards that wait, oldest first."""
        return tuple(
            sorted((c for c in self.cards.values() if c.status == "open"), key=lambda c: (c.opened_at, c.id))
        )


def state_of(
    facts: Iterable[Fact],
    cards: Iterable[Body],
    scalars: Body,
    entities: Iterable[Body] = (),
    relations: Iterable[Body] = (),
) -> State:
    """Give the state that the index kept: facts, the JSON of the others, and what `scalars_of` gave."""
    state = State(worded=False)
    for fact in facts:
        state.facts[fact.id] = (*state.facts.get(fact.id, ()), fact)
    for values in cards:
        _keep_card(state, values)
    for values in entities:
        _keep_entity(state, values)
    for values in relations:
        _keep_relation(state, values)
    state.several = frozenset((entity, key) for entity, key in scalars.get("several", ()))
    state.reminded = scalars.get("reminded", "")
    state.user_id = scalars.get("user_id", state.user_id)
    state.host = tuple(scalars["host"]) if scalars.get("host") else None
    state.brain = brain_of(scalars.get("brain"))
    return state


def scalars_of(state: State) -> dict[str, Any]:
    """Give what the index keeps of a state besides facts, cards, entities and relations, as JSON values."""
    return {
        "several": sorted(state.several),
        "reminded": state.reminded,
        "user_id": state.user_id,
        "host": list(state.host) if state.host else None,
        "brain": values_of(state.brain),
    }


def fold(state: State, record: Record) -> None:
    """Apply one record; one of another part of clavaire, or that nobody vouches for and cannot be, changes nothing."""
    try:
        _fold(state, record)
    except (KeyError, TypeError, ValueError, AttributeError):
        if record.vouched:
            raise


def _fold(state: State, record: Record) -> None:
    noun, _, verb = record.op.partition(".")
    body = record.body
    if noun == "fact":
        _fold_fact(state, verb, body)
    elif noun == "card":
        _fold_card(state, verb, body)
    elif noun == "entity":
        _fold_entity(state, verb, body)
    elif noun == "relation":
        _fold_relation(state, verb, body)
    elif record.op == "key.several":
        state.several |= {(body.get("entity_id") or "", folded(body["key"]))}
    elif record.op == "reminder.given":
        state.reminded = body["week"]
    elif record.op == "host.taken":
        state.host = (body["id"], body["name"])
    elif record.op == "vault.opened":
        state.user_id = body["user_id"]
    else:
        state.brain = after(state.brain, record)


def _fold_fact(state: State, verb: str, body: Body) -> None:
    name = body["id"]
    if verb == "asserted":
        fact = Fact(**{key: value for key, value in body.items() if key in _FACT_FIELDS})
        kept = tuple(one for one in state.facts.get(name, ()) if one.version != fact.version)
        state.facts[name] = tuple(sorted((*kept, fact), key=lambda one: one.version))
        _note_words(state, fact)
    elif verb == "forgotten":
        state.facts[name] = tuple(
            replace(one, status="forgotten", text="", key=None, value=None, retracted_at=body["retracted_at"])
            for one in state.facts.get(name, ())
        )
    else:
        changes = {key: value for key, value in body.items() if key in _FACT_FIELDS - {"id", "version"}}
        state.facts[name] = tuple(
            replace(one, **changes) if one.version == body["version"] else one
            for one in state.facts.get(name, ())
        )
        if changes.get("review"):
            state.reviewed |= {name}
        if "entity_id" in changes and name in state.facts:
            _note_words(state, state.facts[name][-1])


def _fold_card(state: State, verb: str, body: Body) -> None:
    if verb == "opened":
        _keep_card(state, body)
    elif body["id"] in state.cards:
        changes = {key: value for key, value in body.items() if key in _CARD_FIELDS - {"id"}}
        state.cards[body["id"]] = replace(state.cards[body["id"]], **changes)


def _keep_card(state: State, body: Body) -> None:
    values = {key: value for key, value in body.items() if key in _CARD_FIELDS}
    state.cards[body["id"]] = Card(**{**values, "subjects": tuple(values["subjects"])})


def _fold_entity(state: State, verb: str, body: Body) -> None:
    name = body["id"]
    if verb == "asserted":
        _keep_entity(state, body)
    elif name not in state.entities:
        return
    elif verb == "forgotten":
        state.entities[name] = replace(
            state.entities[name],
            status="forgotten",
            name="",
            aliases=(),
            note=None,
            retracted_at=body["retracted_at"],
        )
        state.relations[name] = tuple(
            replace(one, text="", retracted_at=one.retracted_at or body["retracted_at"])
            for one in state.relations.get(name, ())
        )
    else:
        changes = {key: value for key, value in body.items() if key in _ENTITY_FIELDS - {"id"}}
        if "aliases" in changes:
            changes["aliases"] = tuple(changes["aliases"])
        state.entities[name] = replace(state.entities[name], **changes)


def _keep_entity(state: State, body: Body) -> None:
    values = {key: value for key, value in body.items() if key in _ENTITY_FIELDS}
    state.entities[body["id"]] = Entity(**{**values, "aliases": tuple(values["aliases"])})


def _fold_relation(state: State, verb: str, body: Body) -> None:
    if verb == "asserted":
        _keep_relation(state, body)
        return
    changes = {key: value for key, value in body.items() if key in _RELATION_FIELDS - {"id", "entity_id"}}
    state.relations[body["entity_id"]] = tuple(
        replace(one, **changes) if one.id == body["id"] else one
        for one in state.relations.get(body["entity_id"], ())
    )


def _keep_relation(state: State, body: Body) -> None:
    fresh = Relation(**{key: value for key, value in body.items() if key in _RELATION_FIELDS})
    kept = (one for one in state.relations.get(fresh.entity_id, ()) if one.id != fresh.id)
    state.relations[fresh.entity_id] = tuple(sorted((*kept, fresh), key=number_of))


def number_of(relation: Relation) -> int:
    """Give the number at the end of a relation's id: of an entity's versions, the order they were recorded in."""
    return int(relation.id.rpartition(".")[2])


def place_of(key: str | None, entity_id: str | None) -> tuple[str, str] | None:
    """Give what makes two facts compete: entity and folded key; None for a fact without a key."""
    return (entity_id or "", folded(key)) if key else None


def _note_words(state: State, fact: Fact) -> None:
    if state.worded:
        _add(state.by_text, folded(fact.text), fact.id)
        place = place_of(fact.key, fact.entity_id)
        if place:
            _add(state.by_key, place, fact.id)
        if fact.review:
            state.reviewed |= {fact.id}
    if state.by_core is not None:
        _add(state.by_core, core(fact.text), fact.id)


def _add(names: MutableMapping[Any, frozenset[str]], key: Any, name: str) -> None:
    names[key] = names.get(key, frozenset()) | {name}
