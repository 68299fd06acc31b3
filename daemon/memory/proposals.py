"""What is stated outside the notes: by the person on a terminal, by agents (memory.md, rules 2, 4, 5, 7, 9, 12, 13)."""

import re
from dataclasses import replace
from typing import Literal

from daemon.memory import naming, people
from daemon.memory.moment import Deliberation, Moment, instant
from daemon.memory.pairing import alive
from daemon.memory.state import State, place_of
from daemon.memory.values import correct, disputes, first_version, stands, supersede
from parsers.ids import DIGITS, FACT
from parsers.model.edits import Correct, Edit, Forget, ForgetAsked, Remember
from parsers.model.facts import Fact
from parsers.model.policy import least, trust_of
from parsers.sameness import folded
from parsers.statements import as_item, reword, says_nothing

Reason = Literal["empty", "own", "nameless", "refused", "forgotten", "past"]
"""Why nothing comes of what is stated."""

_SURE = 0.7
"""Confidence below which a proposal is a card, whoever may write."""
_OWN = re.compile(rf"\^[a-z]-{DIGITS}|<!--\s*clavaire:")
"""What only text that clavaire rendered carries (rule 12)."""


def remember(work: Deliberation, edit: Remember) -> None:
    """Take a stated fact: the person's at once, anybody else's as a card to keep or refuse."""
    if says_nothing(edit.text) or _is_own(edit) or naming.nameless(work.state, work.moment, edit):
        return
    earlier = _reworded(work, edit)
    if edit.replaces and earlier is None:
        return
    fact = _stated(work, edit)
    if earlier:
        _take(work, edit, replace(fact, kind=earlier.kind, entity_id=earlier.entity_id), earlier)
        return
    whom = naming.meant(work, edit)
    if not isinstance(whom, tuple):
        _take(work, edit, naming.about(work, fact, whom), None)
    elif not _refused(work.state, work.moment, fact.text, edit.origin):
        naming.ask_whom(work, fact, edit, whom)


def _take(work: Deliberation, edit: Remember, fact: Fact, earlier: Fact | None) -> None:
    equal = [one for one in work.state.same_text(fact.text) if one.entity_id == fact.entity_id]
    said = [one for one in equal if _known_to(work.state, one, edit.origin)]
    same = [one for one in said if stands(work, one)] or [one for one in said if one.status == "pending"]
    if same and (edit.origin != "person" or same[0].status != "pending"):
        work.amend("seen", same[0], last_seen_at=work.moment.at)
    elif edit.origin == "person":
        _state(work, fact, same or [one for one in said if one.status == "rejected"])
    elif any(one in said for one in _refused(work.state, work.moment, fact.text, edit.origin)):
        return
    elif edit.allowed and _may_stand(fact, edit) and not _meets_hidden(work, fact, equal, edit.origin):
        take(work, replace(fact, status="confirmed"), earlier)
    elif earlier:
        work.assert_fact(replace(fact, status="pending"), "proposed")
        first, _, _ = fact.text.partition("\n")
        work.open_card("update", (earlier.id, fact.id), f"{first}\n{earlier.text}", origin=edit.origin)
    else:
        work.assert_fact(replace(fact, status="pending"), "proposed")
        propose(work, fact)


def propose(work: Deliberation, fact: Fact) -> None:
    """Ask whether a fact that waits is to be kept; what it would replace is quoted."""
    replaced = _rivals(work, fact)
    other = len(replaced) == 1 and replaced[0].text != fact.text
    text = f"{fact.text}\n{replaced[0].text}" if other else fact.text
    work.open_card("proposal", (fact.id,), text, origin=fact.source)


def _reworded(work: Deliberation, edit: Remember) -> Fact | None:
    """Give the fact of which an agent states another wording, None where it is none that stands."""
    fact = work.state.latest(edit.replaces) if edit.replaces else None
    return fact if fact and stands(work, fact) else None


def take(work: Deliberation, fact: Fact, earlier: Fact | None, how: str = "stated") -> None:
    """Make a value current that is another wording of `earlier`, or where that is None or over, one of its own."""
    if earlier and stands(work, earlier):
        supersede(work, earlier, fact, how if how == "accepted" else "changed")
    else:
        accept(work, fact, how)


def ask_to_forget(work: Deliberation, edit: ForgetAsked) -> None:
    """Take an agent's wish to forget a fact: done where the policy allows it, else one card a wording (rule 2)."""
    fact = work.state.latest(edit.id)
    if fact is None or not may_go(fact):
        return
    if edit.allowed:
        forget(work, Forget(edit.id))
    elif not work.asked("forget", wording_of(fact)):
        work.open_card("forget", (fact.id,), fact.text, key=wording_of(fact), origin=edit.origin)


def may_go(fact: Fact) -> bool:
    """Tell whether there is something to forget."""
    return fact.status in ("confirmed", "pending", "held")


def wording_of(fact: Fact) -> str:
    """Give what names one version of a fact: what was asked about it is moot once it is reworded."""
    return f"{fact.id}.{fact.version}"


def _may_stand(fact: Fact, edit: Remember) -> bool:
    """Whether what a delegation lets pass is sure and plain enough to need no card (rule 2)."""
    trusted = fact.provenance == edit.origin or trust_of(fact.provenance) <= trust_of("vault")
    return fact.confidence >= _SURE and fact.sensitivity == "normal" and trusted


def _known_to(state: State, fact: Fact, origin: str) -> bool:
    """Whether who states something may learn that this fact is known: the person, whose proposal it was, else by rule.

    What an agent may not see does not count as said: its proposal is a new one, with its card (R-M06).
    """
    own = fact.source == origin and fact.status in ("pending", "rejected")
    return origin == "person" or own or _open(state, fact)


def _open(state: State, fact: Fact) -> bool:
    from daemon.memory.persons import open_to_others  # noqa: PLC0415 - nothing that the person states needs it

    return open_to_others(state, fact)


def _meets_hidden(work: Deliberation, fact: Fact, equal: list[Fact], origin: str) -> bool:
    """Whether a fact would double or replace one that its author may not see: the person decides, not a delegation."""
    met = [one for one in (*equal, *_rivals(work, fact)) if stands(work, one)]
    return any(not _known_to(work.state, one, origin) for one in met)


def _is_own(edit: Remember) -> bool:
    return edit.origin != "person" and _OWN.search(edit.text) is not None


def why_not(state: State, moment: Moment, edit: Edit) -> Reason | None:
    """Give why nothing comes of what is stated outside the notes, None where something does."""
    match edit:
        case Remember():
            if says_nothing(edit.text):
                return "empty"
            if _is_own(edit):
                return "own"
            if naming.nameless(state, moment, edit):
                return "nameless"
            text = reword(as_item(moment.redacted(edit.text))).text
            return "refused" if _refused(state, moment, text, edit.origin) else None
        case Correct():
            fact = state.latest(edit.id)
            if fact is None or fact.status == "forgotten":
                return "forgotten"
            if says_nothing(edit.text):
                return "empty"
            return None if alive(fact) else "past"
    return None


def _state(work: Deliberation, fact: Fact, earlier: list[Fact]) -> None:
    """Take the person's word: it confirms what was proposed and revives what was rejected (rule 7)."""
    if not earlier:
        accept(work, fact)
    elif earlier[0].status == "pending":
        accept(work, replace(fact, id=earlier[0].id, version=earlier[0].version), "accepted")
    else:
        accept(work, replace(fact, id=earlier[0].id, version=earlier[0].version + 1), "revived")


def accept(work: Deliberation, fact: Fact, how: str = "stated") -> None:
    """Make a value that came from no note current: it follows the only fact of its key, or stands beside several."""
    people.bring_back(work, fact.entity_id)
    rivals = _rivals(work, fact)
    if len(rivals) == 1:
        supersede(work, rivals[0], fact, how)
    else:
        work.assert_fact(fact, how)
        disputes(work, fact)


def _rivals(work: Deliberation, fact: Fact) -> list[Fact]:
    """The current facts of the same key, none where the person said that all its values are true."""
    if fact.key is None or place_of(fact.key, fact.entity_id) in work.state.several:
        return []
    same = work.state.same_key(fact.key, fact.entity_id)
    return [other for other in same if other.id != fact.id and stands(work, other)]


def correct_fact(work: Deliberation, edit: Correct) -> None:
    """`clavaire correct`: the last wording was wrong; right is what another fact says already (rule 5), or this."""
    fact = work.state.latest(edit.id)
    if fact is None or not alive(fact) or says_nothing(edit.text):
        return
    wording = reword(as_item(work.moment.redacted(edit.text)))
    same = (one for one in work.state.same_text(wording.text) if one.entity_id == fact.entity_id)
    said = [one for one in same if one.id != fact.id and stands(work, one)]
    if said:
        work.amend("seen", said[0], last_seen_at=work.moment.at)
        work.amend("merged", fact, status="rejected", retracted_at=work.moment.at)
    else:
        correct(work, fact, wording)


def forget(work: Deliberation, edit: Forget) -> None:
    """Forget a fact, or somebody with all facts about them: only the register still holds the words (rule 9)."""
    people.forget(work, edit.id)
    fact = work.state.latest(edit.id)
    if fact and fact.status != "forgotten":
        work.emit("fact.forgotten", id=edit.id, retracted_at=work.moment.at)


def _stated(work: Deliberation, edit: Remember) -> Fact:
    wording = reword(as_item(work.moment.redacted(edit.text)))
    if edit.since:
        wording = replace(wording, fields=replace(wording.fields, since=edit.since))
    person = edit.origin == "person"
    fact = first_version(
        work,
        work.moment.new_id(FACT),
        edit.kind,
        wording,
        confidence=1.0 if person else edit.confidence,
        source="user" if person else edit.origin,
        source_ref=edit.source_ref,
    )
    # What is composed is as good as the worst of who asks and of what was found or read (R-P01).
    written = (one.provenance for one in edit.found if one.role == "text")
    return fact if person else replace(fact, provenance=least((edit.origin, *written)))


def _refused(state: State, moment: Moment, text: str, origin: str) -> list[Fact]:
    """Negative memory: what equals it and was rejected or refused not long ago (rule 7); the person's word ends it."""
    if origin == "person":
        return []
    words = folded(text)
    return [
        past
        for past in state.same_text(text)
        if past.status == "rejected"
        and folded(past.text) == words
        and _known_to(state, past, origin)
        and past.retracted_at is not None
        and moment.now - instant(past.retracted_at) <= moment.rejection
    ]
