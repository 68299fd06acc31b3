"""Who and what is known besides the owner: people, and what a link says a fact is about (memory.md, Entities)."""

from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import Any

from daemon.memory.moment import Deliberation
from daemon.memory.relations import current, relate
from daemon.memory.state import State
from parsers.ids import ENTITY
from parsers.model.entities import Entity, EntityKind
from parsers.model.places import NotePath
from parsers.people import line_text, people_in, person_wording
from parsers.sameness import folded

_STATED = ("fact.asserted", "fact.seen", "fact.confirmed", "fact.moved")
"""Events about a fact after which whoever it is about was met."""


def stays(entity: Entity | None) -> bool:
    """Tell whether an entity is one that a note may show."""
    return entity is not None and entity.status in ("confirmed", "held") and entity.retracted_at is None


def said_of(state: State, entity: Entity) -> str:
    """Give what the line of an entity says, without its fields."""
    relation = current(state, entity.id)
    return line_text(entity.name, relation.text if relation else None)


def told(state: State, name: str) -> str:
    """Give who an entity is, with its present relation in brackets; `""` for none that is known.

    Its id stands there too where that may as well be said of somebody else who is known.
    """
    entity = state.entities.get(name)
    if entity is None:
        return ""
    label, called = _label(state, entity), entity.name
    others = [one for one in state.entities.values() if one.name == called and one.id != name and stays(one)]
    same = any(label in (called, _label(state, one)) for one in others)
    return f"{label} ({name})" if same else label


def _label(state: State, entity: Entity) -> str:
    relation = current(state, entity.id)
    return f"{entity.name} ({relation.text})" if relation else entity.name


def new_entity(
    work: Deliberation,
    called: str,
    kind: EntityKind,
    *,
    note: NotePath | None = None,
    name: str | None = None,
) -> Entity:
    """Give somebody or something the person speaks of; `name` is an id that a line brings along."""
    return Entity(
        id=name or work.moment.new_id(ENTITY),
        user_id=work.state.user_id,
        kind=kind,
        name=called,
        aliases=(),
        note=note,
        anchor=None,
        status="confirmed",
        provenance="user",
        source="user",
        sensitivity="normal",
        last_seen=work.moment.today.isoformat(),
        recorded_at=work.moment.at,
        retracted_at=None,
    )


def assert_entity(work: Deliberation, entity: Entity, how: str) -> None:
    """Record an entity."""
    work.emit("entity.asserted", **{**asdict(entity), "aliases": list(entity.aliases)}, how=how)


def amend(work: Deliberation, verb: str, entity_id: str, **changes: Any) -> None:
    """Give fields of an entity new values."""
    work.emit(f"entity.{verb}", id=entity_id, **changes)


def bring_back(work: Deliberation, name: str | None) -> None:
    """Let an entity be known again of which something new is stated."""
    entity = work.state.entities.get(name or "")
    if entity and entity.status == "rejected":
        amend(work, "restored", entity.id, status="confirmed", retracted_at=None)


def forget(work: Deliberation, name: str) -> None:
    """Forget somebody, and every fact about them (rule 9)."""
    entity, at = work.state.entities.get(name), work.moment.at
    if entity is None or entity.status == "forgotten":
        return
    for fact_id in sorted(work.state.facts):
        fact = work.state.facts[fact_id][-1]
        if fact.entity_id == name and fact.status != "forgotten":
            work.emit("fact.forgotten", id=fact_id, retracted_at=at)
    amend(work, "forgotten", name, retracted_at=at)


def revive(work: Deliberation, name: str, said: str) -> None:
    """Let somebody whose line came back be known again, with the facts that left with them (rule 8)."""
    entity = work.state.entities[name]
    called = person_wording(said)[1].key or entity.name
    amend(work, "restored", name, name=called, status="confirmed", retracted_at=None)
    for versions in list(work.state.facts.values()):
        fact = versions[-1]
        together = fact.status == "rejected" and fact.retracted_at == entity.retracted_at
        if fact.entity_id == name and together:
            work.amend("restored", fact, status="confirmed", retracted_at=None)


def name_lines(work: Deliberation, lines: str) -> None:
    """Take list items as people's lines: who is not known yet is now (vault-notes.md, Sections)."""
    for spot in people_in(lines):
        wording = spot.says.wording
        known = {folded(said_of(work.state, one)) for one in work.state.entities.values() if stays(one)}
        if wording.key and folded(wording.text) not in known and not work.moment.secret_spans(wording.text):
            entity = new_entity(work, wording.key, "person")
            assert_entity(work, entity, "stated")
            relate(work, entity.id, wording)


def see(work: Deliberation) -> None:
    """Note that whoever something was stated about was last seen today: at most once a day."""
    today = work.moment.today.isoformat()
    for name in sorted({name for name in _met(work) if name}):
        entity = work.state.entities.get(name)
        if entity and stays(entity) and (entity.last_seen or "") < today:
            amend(work, "seen", name, last_seen=today)


def _met(work: Deliberation) -> Iterable[str | None]:
    for event in work.events:
        if event.op in _STATED:
            fact = work.state.latest(str(event.body["id"]))
            yield fact.entity_id if fact and fact.status == "confirmed" else None
        elif event.op in ("entity.renamed", "entity.restored"):
            yield str(event.body["id"])
        elif event.op == "relation.asserted":
            yield str(event.body["entity_id"])


# ---- what a link says a fact is about


def home(work: Deliberation, target: str) -> NotePath:
    """Give the note a link leads to, or would if it were made."""
    return work.moment.note_of(target) or NotePath(f"{target.removesuffix('.md')}.md")


def subject(work: Deliberation, target: str) -> str:
    """Give the entity that a link in a fact's last field means; one is made where there is none (R-M07)."""
    note = home(work, target)
    known = linked(work.state, note, target, lambda one: work.moment.note_of(one.removesuffix(".md")) == one)
    if known is None:
        kind = work.moment.kind_of(note) or "topic"
        known = new_entity(work, _title(target), kind, note=note)
        assert_entity(work, known, "linked")
    elif known.note is not None and known.note != note:
        amend(work, "noted", known.id, note=note)
    return known.id


def linked(
    state: State, note: NotePath, target: str, stands: Callable[[NotePath], bool] = lambda _: False
) -> Entity | None:
    """Give the entity whose home note this is, else the only one called so that has no other home note."""
    known = [one for one in state.entities.values() if one.status != "forgotten"]
    at_home = [one for one in known if one.note == note]
    if at_home:
        return min(at_home, key=lambda one: (not stays(one), one.id))
    title = folded(_title(target))
    called = [one for one in known if stays(one) and folded(one.name) == title]
    free = [one for one in called if one.note is None or not stands(NotePath(one.note))]
    return free[0] if len(free) == len(called) == 1 else None


def _title(target: str) -> str:
    return target.rpartition("/")[2].removesuffix(".md").strip()
