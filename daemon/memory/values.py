"""How one wording follows another: corrections, changes, several values of one key (memory.md, rules 3, 4, 6)."""

from dataclasses import replace

from daemon.memory.moment import Deliberation
from daemon.memory.pairing import alive
from daemon.memory.places import kind_at
from daemon.memory.state import BY_COMMAND, place_of
from parsers.dates import Period
from parsers.ids import FACT
from parsers.model.facts import Fact, Kind, Sensitivity, over
from parsers.model.places import NotePath
from parsers.protection import marked
from parsers.sameness import folded, opposed
from parsers.statements import Spot, Statement, Wording

_NEAR = 90.0
"""Likeness (rapidfuzz, of 100) from which a change may be a slip of the pen (rule 3)."""


def new_fact(work: Deliberation, spot: Spot, note: NotePath) -> Fact:
    """Give the first version of a fact the person wrote: theirs, certain (rule 1)."""
    name, anchor = _free_id(work, spot.says), anchor_of(work, spot.says.anchor, None)
    wording = spot.says.wording
    fact = first_version(work, name, kind_at(spot), wording, anchor=anchor, source_ref=note)
    return replace(fact, entity_id=spot.entity)


def first_version(
    work: Deliberation,
    name: str,
    kind: Kind,
    wording: Wording,
    *,
    anchor: str | None = None,
    confidence: float = 1.0,
    source: str = "user",
    source_ref: str | None = None,
) -> Fact:
    """Give the first version of what somebody states: confirmed, and dated by the fields of its wording."""
    at = work.moment.at
    fact = Fact(
        id=name,
        version=1,
        user_id=work.state.user_id,
        kind=kind,
        text=wording.text,
        key=wording.key,
        value=wording.value,
        anchor=anchor,
        entity_id=None,
        status="confirmed",
        confidence=confidence,
        provenance=source,
        source=source,
        source_ref=source_ref,
        sensitivity="normal",
        valid_from=None,
        valid_to=None,
        valid_from_text=None,
        valid_to_text=None,
        review=None,
        recorded_at=at,
        retracted_at=None,
        supersedes=None,
        last_seen_at=at,
    )
    return dated(work, fact, wording)


def anchor_of(work: Deliberation, anchor: str | None, name: str | None) -> str | None:
    """Give the anchor of a line for the fact `name`, None when another line has it: it stands for one only."""
    if anchor is None:
        return None
    named = (versions[-1] for versions in work.state.facts.values() if versions[-1].anchor == anchor)
    today = work.moment.today.isoformat()
    return None if any(f.id != name and alive(f) and not over(f, today) for f in named) else anchor


def _free_id(work: Deliberation, statement: Statement) -> str:
    """An id of ours that nothing has yet is kept (a vault that comes with its lines); else a new one."""
    name = statement.id
    if name and name.startswith(f"{FACT}-") and name not in work.state.facts:
        return name
    return work.moment.new_id(FACT)


def dated(work: Deliberation, fact: Fact, wording: Wording) -> Fact:
    """Give the fact with what the line's fields state; what they leave open keeps its value."""
    fields = wording.fields
    return replace(
        fact,
        sensitivity=sensitivity(work, wording.text, stated=fields.sensitive),
        valid_from=fields.since.first if fields.since else fact.valid_from,
        valid_to=fields.until.after if fields.until else fact.valid_to,
        valid_from_text=_said(fields.since),
        valid_to_text=_said(fields.until),
        review=fields.review.first if fields.review else None,
    )


def sensitivity(work: Deliberation, text: str, *, stated: bool | None) -> Sensitivity:
    """Tell whether a text is sensitive: its fields say so, it does anywhere, or `memory.sensitive_patterns` match."""
    matches = any(pattern.search(text) for pattern in work.moment.sensitive)
    return "sensitive" if stated or matches or marked(text) else "normal"


def _said(stated: Period | None) -> str | None:
    return stated.text if stated else None


def revise(work: Deliberation, fact: Fact, wording: Wording) -> None:
    """Take the line of a known fact as it now reads: nothing, other fields, a correction, a change (rule 3)."""
    again = dated(work, replace(fact, text=wording.text, key=wording.key, value=wording.value), wording)
    if wording.fields.since is None and fact.valid_from_text is not None and fact.supersedes is None:
        again = replace(again, valid_from=None)
    if wording.fields.until is None and fact.valid_to_text is not None:
        again = replace(again, valid_to=None)
    if again == fact:
        return
    same = again.text == fact.text or folded(again.text) == folded(fact.text)
    if same or (fact.source == "user" and work.moment.recent(fact.recorded_at)):
        _correct(work, fact, again)
    else:
        change(work, fact, again, since=wording.fields.since)


def correct(work: Deliberation, fact: Fact, wording: Wording) -> None:
    """Replace a wrong wording: it was never true, and what it started stays (`clavaire correct`)."""
    said = replace(fact, text=wording.text, key=wording.key, value=wording.value)
    if replace(wording.fields, about=None) != type(wording.fields)():
        said = dated(work, said, wording)
    if wording.fields.sensitive is None:
        # Other words lift no protection; they may ask for it.
        asked = sensitivity(work, wording.text, stated=fact.sensitivity == "sensitive")
        said = replace(said, sensitivity=asked)
    _correct(work, fact, said, how=BY_COMMAND)


def _correct(work: Deliberation, fact: Fact, again: Fact, how: str = "corrected") -> None:
    work.amend("retracted", fact, retracted_at=work.moment.at)
    work.assert_fact(_next(work, fact, again), how)
    _move_end(work, fact, again.valid_from)


def _move_end(work: Deliberation, fact: Fact, start: str | None) -> None:
    """What a fact followed ended where it started: when that day is corrected, so is the end."""
    if fact.valid_from is None or start is None or start == fact.valid_from:
        return
    for one in work.state.facts.get(fact.supersedes or "", ()):
        if (
            one.retracted_at is None
            and one.valid_to == fact.valid_from
            and (one.id, one.version) != (fact.id, fact.version)
        ):
            if one.valid_from and start <= one.valid_from:
                work.amend("retracted", one, retracted_at=work.moment.at)
                _move_end(work, one, start)
            else:
                work.amend("closed", one, valid_to=start)


def _close(work: Deliberation, fact: Fact, day: str) -> None:
    """End a fact on a day, unless it had ended before."""
    if fact.valid_to is None or day < fact.valid_to:
        work.amend("closed", fact, valid_to=day, valid_to_text=None)


def _next(work: Deliberation, fact: Fact, again: Fact) -> Fact:
    return replace(
        again,
        id=fact.id,
        version=fact.version + 1,
        recorded_at=work.moment.at,
        last_seen_at=work.moment.at,
        retracted_at=None,
    )


def change(work: Deliberation, fact: Fact, again: Fact, *, since: Period | None) -> None:
    """Close the old wording on the day the new one starts: the stated day, else today (rule 3)."""
    start = since.first if since else work.moment.today.isoformat()
    if fact.valid_from and start <= fact.valid_from:
        _correct(work, fact, again)
        return
    _close(work, fact, start)
    valid_to = again.valid_to if again.valid_to_text else None
    work.assert_fact(
        replace(_next(work, fact, again), valid_from=start, valid_to=valid_to, supersedes=fact.id), "changed"
    )
    if _near(fact.text, again.text):
        key = f"{fact.id}.{fact.version}"
        if not work.asked("typo", key):
            work.open_card("typo", (fact.id,), f"{fact.text}\n{again.text}", key=key)


def _near(one: str, other: str) -> bool:
    from rapidfuzz import fuzz  # noqa: PLC0415 - 15 ms and 6 MB that only a change needs

    return fuzz.ratio(one, other) >= _NEAR


def succeed(work: Deliberation, earlier: Fact, wording: Wording, fact: Fact) -> str:
    """A new line takes the place of one that left: a correction within the window, else a change; gives its fact."""
    if earlier.status == "rejected":
        work.amend("restored", earlier, status="confirmed", retracted_at=None)
        earlier = work.state.facts[earlier.id][-1]
    lately = earlier.source == "user" and work.moment.recent(earlier.recorded_at)
    if lately or _before(work, fact, earlier):
        kept = replace(
            earlier, text=fact.text, key=fact.key, value=fact.value, kind=fact.kind, anchor=fact.anchor
        )
        _correct(work, earlier, dated(work, kept, wording))
        return earlier.id
    supersede(work, earlier, fact)
    return fact.id


def supersede(work: Deliberation, earlier: Fact, fact: Fact, how: str = "changed") -> None:
    """Record a fact that follows another: ordered by start, a later start closes the earlier one (rule 4)."""
    start = fact.valid_from or work.moment.today.isoformat()
    if fact.valid_from and earlier.valid_from and fact.valid_from < earlier.valid_from:
        work.assert_fact(replace(fact, valid_to=earlier.valid_from), "stated")
        return
    lately = earlier.source == fact.source and work.moment.recent(earlier.recorded_at)
    if lately or start == earlier.valid_from:
        work.amend("retracted", earlier, retracted_at=work.moment.at)
        followed = earlier.supersedes or earlier.id
        work.assert_fact(
            replace(fact, valid_from=fact.valid_from or earlier.valid_from, supersedes=followed), how
        )
        _move_end(work, earlier, fact.valid_from)
        return
    if earlier.valid_from and start < earlier.valid_from:
        work.assert_fact(replace(fact, valid_to=earlier.valid_from), "stated")
        return
    _close(work, earlier, start)
    work.assert_fact(replace(fact, valid_from=start, supersedes=earlier.id), how)


def _before(work: Deliberation, fact: Fact, earlier: Fact) -> bool:
    """Tell whether what takes the place of a fact starts no later: then there was no day on which that one was true."""
    start = fact.valid_from or work.moment.today.isoformat()
    return earlier.valid_from is not None and start <= earlier.valid_from


def give_way(work: Deliberation, earlier: Fact, heir: Fact, *, correction: bool = True) -> None:
    """Make a fact that stands already the one that follows another (rule 4); a correction within the window."""
    lately = correction and earlier.source == "user" and work.moment.recent(earlier.recorded_at)
    if lately or _before(work, heir, earlier):
        work.amend("retracted", earlier, retracted_at=work.moment.at)
        followed = earlier.supersedes or earlier.id
        work.amend("linked", heir, supersedes=followed, valid_from=heir.valid_from or earlier.valid_from)
        _move_end(work, earlier, heir.valid_from)
        return
    start = heir.valid_from or work.moment.today.isoformat()
    _close(work, earlier, start)
    work.amend("linked", heir, supersedes=earlier.id, valid_from=start)


def disputes(work: Deliberation, fact: Fact) -> None:
    """Ask about a fact that stands beside another value of its key, or beside its own negation (rules 4, 6)."""
    place = place_of(fact.key, fact.entity_id)
    if not stands(work, fact):
        return
    if fact.key and place and place not in work.state.several and not work.asked("key", "/".join(place)):
        others = [
            f for f in work.state.same_key(fact.key, fact.entity_id) if f.id != fact.id and stands(work, f)
        ]
        if others and not any(opposed(other.text, fact.text) for other in others):
            work.open_card(
                "key", (others[-1].id, fact.id), f"{others[-1].text}\n{fact.text}", key="/".join(place)
            )
    for other in _opposites(work, fact):
        key = "/".join(sorted((other.id, fact.id)))
        if not work.asked("contradiction", key):
            work.open_card("contradiction", (other.id, fact.id), f"{other.text}\n{fact.text}", key=key)


def _opposites(work: Deliberation, fact: Fact) -> list[Fact]:
    near = (work.state.latest(name) for name in sorted(work.state.same_core(fact.text)))
    return [
        f
        for f in near
        if f
        and f.id != fact.id
        and f.entity_id == fact.entity_id
        and stands(work, f)
        and opposed(f.text, fact.text)
    ]


def stands(work: Deliberation, fact: Fact) -> bool:
    """Tell whether a fact is kept and not over today."""
    return alive(fact) and (fact.valid_to is None or fact.valid_to > work.moment.today.isoformat())
