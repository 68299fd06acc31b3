"""What the person's own lines change (memory.md, rules 1, 3, 4, 5, 6, 8 and 13)."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from daemon.memory.moment import Deliberation
from daemon.memory.pairing import Line, NoteReading, Paired, alive, asked_back, may_return
from daemon.memory.people import bring_back, said_of
from daemon.memory.people_lines import Gone
from daemon.memory.places import at_place, kind_at
from daemon.memory.state import place_of
from daemon.memory.values import (
    anchor_of,
    disputes,
    give_way,
    new_fact,
    revise,
    sensitivity,
    succeed,
)
from parsers.model.entities import Entity
from parsers.model.facts import KIND_OF, Fact
from parsers.model.places import NotePath
from parsers.people import SECTION as PEOPLE
from parsers.sameness import folded


def take_lines(work: Deliberation, paired: Paired, people: Sequence[Gone] = ()) -> None:
    """Decide everything the paired lines say, and what became of the `people` whose lines are gone.

    A line that holds a secret says nothing (rule 13).
    """
    gone = {fact.id: (reading, section, fact) for reading, section, fact in paired.gone}
    known = {reading.note: reading for reading, *_ in (*paired.gone, *people)}
    fresh: list[Line] = []
    for line in paired.lines:
        if _secret(work, line):
            if line.fact:
                gone.pop(line.fact.id, None)
        elif line.how in ("same", "reworded") and line.fact:
            _kept_line(work, line, line.fact)
        elif line.how == "returned" and line.fact:
            _returned(work, line, line.fact)
        elif line.how == "new":
            fresh.append(line)
    stated = [(line, _new_line(work, line, gone)) for line in fresh]
    _lost(work, gone, known, people)
    for line in paired.lines:
        if line.how == "returned" and line.fact:
            _stand_again(work, line, line.fact.id)
    kept = [(line, line.fact.id) for line in paired.lines if line.how in ("same", "reworded") and line.fact]
    _anchor_lines(work, [*kept, *stated])


def _stand_again(work: Deliberation, line: Line, name: str) -> None:
    """A line that came back with its id is where its fact stands, if another line revived it meanwhile."""
    fact = work.state.facts[name][-1]
    if alive(fact) and fact.text == line.spot.says.wording.text:
        _moved(work, line, fact)


def _moved(work: Deliberation, line: Line, fact: Fact) -> None:
    """A line found in another place keeps id and history (rule 1)."""
    if not at_place(fact, line.spot):
        ref = line.note if fact.source == "user" else fact.source_ref
        kind, entity = kind_at(line.spot), line.spot.entity
        work.amend("moved", fact, kind=kind, entity_id=entity, source_ref=ref)


def _anchor_lines(work: Deliberation, placed: Sequence[tuple[Line, str]]) -> None:
    """Give each fact the anchor of its line: first those that lost theirs, so that another may have it."""
    for line, name in sorted(placed, key=lambda one: one[0].spot.says.anchor is not None):
        fact = work.state.facts[name][-1]
        anchor = anchor_of(work, line.spot.says.anchor, name)
        if alive(fact) and anchor != fact.anchor and not _secret(work, line):
            work.amend("anchored", fact, anchor=anchor)


def _secret(work: Deliberation, line: Line) -> bool:
    return bool(work.moment.secret_spans(line.spot.says.wording.text))


def say_again(work: Deliberation, lines: tuple[Line, ...]) -> None:
    """Reinforce what lines say again that were not there before (rule 5)."""
    for line in lines:
        current = line.fact and work.state.latest(line.fact.id)
        if current and alive(current):
            work.amend("seen", current, last_seen_at=work.moment.at)


def _kept_line(work: Deliberation, line: Line, fact: Fact) -> None:
    """A line that is a known fact: back from a deletion, moved, reworded, its fields changed."""
    if line.how == "same" and _rests(work, line, fact):
        return
    if fact.status == "held":
        work.amend("kept", fact, status="confirmed")
    elif fact.status == "rejected":
        work.amend("restored", fact, status="confirmed", retracted_at=None)
    _moved(work, line, work.state.facts[fact.id][-1])
    if not (line.outdated and _was_said(work, line, fact.id)):
        revise(work, work.state.facts[fact.id][-1], line.spot.says.wording)


def _was_said(work: Deliberation, line: Line, name: str) -> bool:
    """Tell whether a line reads as an earlier version of its fact."""
    says, fields = line.spot.says.wording, line.spot.says.wording.fields
    stated = (fields.since.text if fields.since else None, fields.until.text if fields.until else None)
    return any(
        (one.text, one.valid_from_text, one.valid_to_text) == (says.text, *stated)
        for one in work.state.facts[name][:-1]
    )


def _rests(work: Deliberation, line: Line, fact: Fact) -> bool:
    """Tell at little cost that a line says of its fact what is known already."""
    fields = line.spot.says.wording.fields
    return (
        fact.status == "confirmed"
        and at_place(fact, line.spot)
        and fact.anchor == line.spot.says.anchor
        and fact.valid_from_text == (fields.since.text if fields.since else None)
        and fact.valid_to_text == (fields.until.text if fields.until else None)
        and fact.review == (fields.review.first if fields.review else None)
        and fact.sensitivity == sensitivity(work, fact.text, stated=fields.sensitive)
    )


def _returned(work: Deliberation, line: Line, fact: Fact) -> None:
    """The id of a fact that is no longer kept is back: an older version of the note, perhaps; ask (rule 8)."""
    if fact.id not in asked_back(work.state):
        key = f"{fact.id}.{fact.version}"
        work.open_card("returned", (fact.id,), line.spot.says.wording.text, key=key, note=line.note)


def _new_line(work: Deliberation, line: Line, gone: dict[str, tuple[NoteReading, str, Fact]]) -> str:
    """A line that is no known fact: a new one, one from the past, or what another became; gives its id."""
    wording, kind, entity = line.spot.says.wording, kind_at(line.spot), line.spot.entity
    bring_back(work, entity)
    earlier = _earlier(work, line, gone)
    if earlier:
        gone.pop(earlier.id, None)
        return succeed(work, earlier, wording, replace(new_fact(work, line.spot, line.note), kind=kind))
    past = next(
        (
            f
            for f in work.state.same_text(wording.text)
            if f.status in ("rejected", "pending") and f.entity_id == entity
        ),
        None,
    )
    fact = new_fact(work, line.spot, line.note)
    if past and past.status == "pending":
        _confirm(work, past, fact)
    elif past:
        work.assert_fact(replace(fact, id=past.id, version=past.version + 1), "revived")
    else:
        work.assert_fact(fact, "stated")
    name = past.id if past else fact.id
    disputes(work, work.state.facts[name][-1])
    return name


def _confirm(work: Deliberation, past: Fact, fact: Fact) -> None:
    """What was proposed is the person's own word now, as they wrote it."""
    told = (
        "kind",
        "text",
        "key",
        "value",
        "anchor",
        "sensitivity",
        "review",
        "confidence",
        "source",
        "provenance",
    )
    when = ("valid_from", "valid_to", "valid_from_text", "valid_to_text")
    changes = {name: getattr(fact, name) for name in (*told, *when)}
    work.amend("confirmed", past, status="confirmed", **changes)


def _earlier(work: Deliberation, line: Line, gone: dict[str, tuple[NoteReading, str, Fact]]) -> Fact | None:
    """The fact whose place a new line takes: same key, gone in this pass or within the edit window (rules 1, 4)."""
    kind, entity = kind_at(line.spot), line.spot.entity
    place = place_of(line.spot.says.wording.key, entity)
    if not place:
        return None
    same_pass = [fact for _, _, fact in gone.values() if place_of(fact.key, fact.entity_id) == place]
    if same_pass:
        return min(same_pass, key=lambda fact: (fact.kind != kind, fact.id))
    lately = [
        fact
        for fact in work.state.same_key(line.spot.says.wording.key or "", entity)
        if fact.kind == kind and may_return(work.state, work.moment, fact)
    ]
    return max(lately, key=lambda fact: (fact.retracted_at or "", fact.id), default=None)


def _lost(
    work: Deliberation,
    gone: Mapping[str, tuple[NoteReading, str, Fact]],
    known: Mapping[NotePath, NoteReading],
    people: Sequence[Gone],
) -> None:
    """Reject what the person deleted; hold what vanished suddenly (law 8), and whoever facts are about (rule 8)."""
    by_section: dict[tuple[NotePath, str], list[Fact | Entity]] = defaultdict(list)
    for one in people:
        by_section[one.reading.note, one.entity.id if one.has_facts else PEOPLE].append(one.entity)
    for reading, section, fact in gone.values():
        below = section not in KIND_OF and section in reading.sections
        by_section[reading.note, PEOPLE if below else section].append(fact)
    held: dict[NotePath, list[Fact | Entity]] = defaultdict(list)
    for (note, section), lines in sorted(by_section.items()):
        reading = known[note]
        lost = sum(len(by_section[at]) for at in by_section if at[0] == note and at[1] not in KIND_OF)
        if section in KIND_OF:
            lost = len(lines)
        if reading.vanished or section not in reading.sections or _sudden(work, reading, section, lost):
            held[note].extend(lines)
        else:
            for line in lines:
                _deleted(work, line)
    for note, lines in held.items():
        _hold(work, lines, note)


def _hold(work: Deliberation, lines: Sequence[Fact | Entity], note: NotePath) -> None:
    texts = []
    for line in lines:
        if isinstance(line, Fact):
            work.amend("held", line, status="held")
            texts.append(line.text.partition("\n")[0])
        else:
            work.emit("entity.held", id=line.id, status="held")
            texts.append(said_of(work.state, line))
    work.open_card("loss", tuple(line.id for line in lines), "\n".join(texts), note=note)


def _sudden(work: Deliberation, reading: NoteReading, section: str, lost: int) -> bool:
    shown = reading.shown.ids if reading.shown else {}
    stood = shown.get(section, frozenset()) if section in KIND_OF else frozenset().union(*shown.values())
    total = max(lost, len(work.state.facts.keys() & stood) + len(work.state.entities.keys() & stood))
    return (lost >= 5 and 3 * lost >= total) or (lost == total and total >= 2)


def _deleted(work: Deliberation, fact: Fact | Entity) -> None:
    """A deleted line: its fact is rejected, or gave way to one of the same key written just before (rule 4)."""
    if isinstance(fact, Entity):
        work.emit("entity.rejected", id=fact.id, status="rejected", retracted_at=work.moment.at)
        return
    several = place_of(fact.key, fact.entity_id) in work.state.several
    newer = [
        other
        for other in (work.state.same_key(fact.key, fact.entity_id) if fact.key and not several else ())
        if alive(other) and other.id != fact.id and other.source == "user" and other.supersedes is None
        if other.recorded_at > fact.recorded_at and work.moment.recent(other.recorded_at)
    ]
    if newer and folded(newer[-1].text) != folded(fact.text):
        give_way(work, fact, max(newer, key=lambda other: (other.recorded_at, other.id)))
    else:
        work.amend("rejected", fact, status="rejected", retracted_at=work.moment.at)
