"""How somebody stands to the owner: corrected, changed, closed, like a fact (memory.md, rule 3 and Relations)."""

from dataclasses import asdict, replace

from daemon.memory.moment import Deliberation
from daemon.memory.state import State, number_of
from parsers.model.entities import Relation
from parsers.sameness import folded
from parsers.statements import Wording


def current(state: State, name: str) -> Relation | None:
    """Give the relation that an entity's line says: the last one that is believed and was not followed by none."""
    known = [one for one in state.relations.get(name, ()) if one.retracted_at is None and one.to_id is None]
    last = known[-1] if known else None
    return last if last and (last.valid_to is None or last.valid_to_text is not None) else None


def relate(work: Deliberation, name: str, wording: Wording) -> None:
    """Take the relation and the days of somebody's line as they now read."""
    old, text = current(work.state, name), wording.value
    if old is None:
        if text:
            _assert(work, _dated(_first(work, name, text), wording), "stated")
    elif not text:
        _retract(work, old)
    else:
        _revise(work, old, _dated(replace(old, text=text), wording), wording)


def _first(work: Deliberation, name: str, text: str) -> Relation:
    return Relation(
        id="",
        entity_id=name,
        to_id=None,
        text=text,
        valid_from=None,
        valid_to=None,
        valid_from_text=None,
        valid_to_text=None,
        recorded_at=work.moment.at,
        retracted_at=None,
        provenance="user",
        source="user",
    )


def _dated(relation: Relation, wording: Wording) -> Relation:
    """The relation with what the line's fields state; what they leave open keeps its value."""
    since, until = wording.fields.since, wording.fields.until
    return replace(
        relation,
        valid_from=since.first if since else relation.valid_from,
        valid_to=until.after if until else relation.valid_to,
        valid_from_text=since.text if since else None,
        valid_to_text=until.text if until else None,
    )


def _revise(work: Deliberation, old: Relation, again: Relation, wording: Wording) -> None:
    earlier = _before(work.state, old)
    if again.valid_from_text is None and old.valid_from_text is not None and earlier is None:
        again = replace(again, valid_from=None)
    if again.valid_to_text is None and old.valid_to_text is not None:
        again = replace(again, valid_to=None)
    if again == old:
        return
    since = wording.fields.since
    start = since.first if since else work.moment.today.isoformat()
    same = folded(again.text) == folded(old.text) or work.moment.recent(old.recorded_at)
    if same or (old.valid_from is not None and start <= old.valid_from):
        _retract(work, old)
        _assert(work, again, "corrected")
        if earlier and again.valid_from and again.valid_from != old.valid_from:
            _close(work, earlier, again.valid_from)
        return
    if old.valid_to is None or start < old.valid_to:
        _close(work, old, start)
    _assert(work, replace(again, valid_from=start), "changed")


def _before(state: State, relation: Relation) -> Relation | None:
    """The relation that ended where this one starts."""
    known = state.relations.get(relation.entity_id, ())
    before = [one for one in known if one.retracted_at is None and one.id != relation.id]
    return next((one for one in before if one.valid_to and one.valid_to == relation.valid_from), None)


def _assert(work: Deliberation, relation: Relation, how: str) -> None:
    known = work.state.relations.get(relation.entity_id, ())
    number = max(map(number_of, known), default=0) + 1
    fresh = replace(relation, id=f"{relation.entity_id}.{number}", recorded_at=work.moment.at)
    work.emit("relation.asserted", **asdict(fresh), how=how)


def _retract(work: Deliberation, relation: Relation) -> None:
    at = work.moment.at
    work.emit("relation.retracted", id=relation.id, entity_id=relation.entity_id, retracted_at=at)


def _close(work: Deliberation, relation: Relation, day: str) -> None:
    if relation.valid_from is not None and day <= relation.valid_from:
        _retract(work, relation)
    else:
        changes = {"valid_to": day, "valid_to_text": None}
        work.emit("relation.closed", id=relation.id, entity_id=relation.entity_id, **changes)
