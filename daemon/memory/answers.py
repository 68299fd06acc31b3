"""What a ticked box changes, and which cards have lost their object (vault-notes.md, Cards)."""

from collections.abc import Callable
from dataclasses import replace

from daemon.memory import naming, people
from daemon.memory.moment import Deliberation
from daemon.memory.pairing import alive
from daemon.memory.people import stays
from daemon.memory.proposals import may_go, propose, remember, take, wording_of
from daemon.memory.values import dated, give_way, stands
from parsers.model.cards import Card, choices
from parsers.model.edits import Answer, CardGone, Lines, LinesSettled, Remember
from parsers.model.entities import Entity
from parsers.model.facts import KIND_OF, Fact
from parsers.sameness import folded
from parsers.statements import Wording, first_line, reword, statements


def answer(work: Deliberation, edit: Answer) -> None:
    """Take one answer; a card that is not open, or a box it does not have, changes nothing."""
    card = work.state.cards.get(edit.card)
    if card is None or card.status != "open" or edit.choice not in choices(card):
        return
    work.emit("card.answered", id=card.id, status="answered", answer=edit.choice, answered_at=work.moment.at)
    _ANSWERS.get((card.kind, edit.choice), _chosen)(work, card, edit)


def _subjects(work: Deliberation, card: Card) -> list[Fact]:
    return [fact for name in card.subjects if (fact := work.state.latest(name))]


def _people(work: Deliberation, card: Card) -> list[Entity]:
    return [work.state.entities[name] for name in card.subjects if name in work.state.entities]


def _keep_proposal(work: Deliberation, card: Card, edit: Answer) -> None:
    for fact in _subjects(work, card):
        if fact.status != "pending":
            continue
        at = work.moment.at
        kept = replace(fact, status="confirmed", recorded_at=at, last_seen_at=at)
        wording = reword(work.moment.redacted(edit.text))
        if edit.text and not _as_shown(fact, wording):
            kept = replace(
                dated(work, kept, wording),
                text=wording.text,
                key=wording.key,
                value=wording.value,
                confidence=1.0,
                source="user",
                provenance="user",
                source_ref=None,
            )
        _take_once(work, fact, kept, work.state.latest(card.subjects[0]) if card.kind == "update" else None)


def _take_once(work: Deliberation, fact: Fact, kept: Fact, earlier: Fact | None = None) -> None:
    """Let a fact that waited stand as it is kept; where another one says it already, that one was seen again."""
    same = (one for one in work.state.same_text(kept.text) if one.entity_id == kept.entity_id)
    said = [one for one in same if one.id != fact.id and stands(work, one)]
    if said:
        work.amend("seen", said[0], last_seen_at=work.moment.at)
        work.amend("merged", fact, status="rejected", retracted_at=work.moment.at)
    else:
        take(work, kept, earlier, how="accepted")


def _as_shown(fact: Fact, wording: Wording) -> bool:
    """Tell whether a card's first line still says what was proposed: text and fields."""
    fields = wording.fields
    since, until, review = fields.since, fields.until, fields.review
    return (
        wording.text == fact.text.partition("\n")[0]
        and (since.text if since else None) == fact.valid_from_text
        and (until.text if until else None) == fact.valid_to_text
        and (review.first if review else None) == fact.review
        and bool(fields.sensitive) == (fact.sensitivity == "sensitive")
    )


def _refuse_proposal(work: Deliberation, card: Card, _: Answer) -> None:
    for fact in _subjects(work, card):
        if fact.status == "pending":
            work.amend("refused", fact, status="rejected", retracted_at=work.moment.at)


def _both(work: Deliberation, card: Card, _: Answer) -> None:
    facts = _subjects(work, card)
    if card.kind == "key" and facts and facts[0].key:
        work.emit("key.several", entity_id=facts[0].entity_id, key=folded(facts[0].key))


def _replace(work: Deliberation, card: Card, _: Answer) -> None:
    facts = [fact for fact in _subjects(work, card) if alive(fact)]
    if len(facts) == 2:
        give_way(work, facts[0], facts[1], correction=False)


def _typo(work: Deliberation, card: Card, _: Answer) -> None:
    """The change was a slip of the pen: the old wording was never true, the new one starts where it did."""
    for name in card.subjects:
        number = int((card.key or "").rpartition(".")[2])
        kept = [
            one
            for one in work.state.facts.get(name, ())
            if one.version >= number and one.retracted_at is None
        ]
        if len(kept) >= 2 and kept[0].version == number:
            old, new = kept[:2]
            work.amend("retracted", old, valid_to=None, retracted_at=work.moment.at)
            work.amend("linked", new, valid_from=old.valid_from, supersedes=old.supersedes)


def _forget_lost(work: Deliberation, card: Card, _: Answer) -> None:
    for fact in _subjects(work, card):
        if fact.status == "held":
            work.amend("rejected", fact, status="rejected", retracted_at=work.moment.at)
    for entity in _people(work, card):
        if entity.status == "held":
            work.emit("entity.rejected", id=entity.id, status="rejected", retracted_at=work.moment.at)


def _restore(work: Deliberation, card: Card, _: Answer) -> None:
    for fact in _subjects(work, card):
        if fact.status == "held":
            work.amend("kept", fact, status="confirmed")
    for entity in _people(work, card):
        if entity.status == "held":
            work.emit("entity.kept", id=entity.id, status="confirmed")


def _revive(work: Deliberation, card: Card, _: Answer) -> None:
    for entity in _people(work, card):
        if not stays(entity):
            people.revive(work, entity.id, card.text)
    for fact in _subjects(work, card):
        if not stands(work, fact):
            wording = reword(card.text)
            at = work.moment.at
            again = replace(
                fact,
                version=fact.version + 1,
                text=wording.text,
                key=wording.key,
                value=wording.value,
                status="confirmed",
                confidence=1.0,
                source="user",
                provenance="user",
                valid_from=work.moment.today.isoformat() if fact.valid_to else fact.valid_from,
                valid_to=None,
                valid_to_text=None,
                recorded_at=at,
                last_seen_at=at,
                retracted_at=None,
            )
            work.assert_fact(again, "revived")


def _forget_reviewed(work: Deliberation, card: Card, _: Answer) -> None:
    for fact in _subjects(work, card):
        work.emit("fact.forgotten", id=fact.id, retracted_at=work.moment.at)


def _still_true(work: Deliberation, card: Card, _: Answer) -> None:
    for fact in _subjects(work, card):
        work.amend("seen", fact, last_seen_at=work.moment.at)


def _take_strays(work: Deliberation, card: Card, _: Answer) -> None:
    """The lines become facts of the section they stand beside; they stay where they are."""
    section = (card.key or "").partition("/")[0]
    if section not in KIND_OF:
        people.name_lines(work, "".join(f"- {line}\n" for line in card.text.split("\n")))
        return
    for line in card.text.split("\n"):
        for _at, _before, says in statements(f"- {line}\n"):
            remember(work, Remember(first_line(says), KIND_OF[section], "person"))


def _chosen(work: Deliberation, card: Card, edit: Answer) -> None:
    """The person said whom a fact is about: their own stands now, another's waits as any proposal does."""
    fact = naming.answered(work, card, edit.choice)
    if fact is None:
        return
    if fact.source != "user":
        propose(work, fact)
        return
    at = work.moment.at
    _take_once(work, fact, replace(fact, status="confirmed", recorded_at=at, last_seen_at=at))


def _noted(_work: Deliberation, _card: Card, _edit: Answer) -> None:
    """The answer itself is all there is."""


_ANSWERS: dict[tuple[str, str], Callable[[Deliberation, Card, Answer], None]] = {
    ("proposal", "keep"): _keep_proposal,
    ("proposal", "refuse"): _refuse_proposal,
    ("key", "both"): _both,
    ("key", "replace"): _replace,
    ("contradiction", "both"): _both,
    ("contradiction", "replace"): _replace,
    ("typo", "correct"): _typo,
    ("typo", "change"): _noted,
    ("loss", "forget"): _forget_lost,
    ("loss", "restore"): _restore,
    ("returned", "keep"): _revive,
    ("returned", "refuse"): _noted,
    ("stray", "take"): _take_strays,
    ("stray", "leave"): _noted,
    ("late", "seen"): _noted,
    ("review", "keep"): _still_true,
    ("review", "forget"): _forget_reviewed,
    ("reminder", "seen"): _noted,
    ("refusal", "seen"): _noted,
    ("forged", "seen"): _noted,
    ("codes", "seen"): _noted,
    ("delegate", "delegate"): _noted,  # the line it asks for is `daemon.consent`'s
    ("delegate", "leave"): _noted,
    ("update", "keep"): _keep_proposal,
    ("update", "refuse"): _refuse_proposal,
    ("forget", "forget"): _forget_reviewed,
    ("forget", "keep"): _noted,
    ("name", "refuse"): _refuse_proposal,
}


def hide(work: Deliberation, edit: CardGone) -> None:
    """A deleted card is no answer: it comes back with the weekly reminder (rule 14)."""
    card = work.state.cards.get(edit.card)
    if card and card.status == "open" and not card.hidden:
        work.emit("card.hidden", id=card.id, hidden=True)


def ask_lines(work: Deliberation, edit: Lines) -> None:
    """Ask about lines that could not be read or merged, once each."""
    if not work.asked(edit.kind, edit.key):
        work.open_card(edit.kind, (), edit.text, key=edit.key, note=edit.note)


def settle_lines(work: Deliberation, edit: LinesSettled) -> None:
    """Withdraw the cards about lines that are no longer there."""
    for card in work.state.open_cards():
        if card.kind == edit.kind and card.key not in edit.keys and edit.note in (None, card.note):
            withdraw(work, card)


def withdraw_moot(work: Deliberation) -> None:
    """Withdraw every open card whose object is gone."""
    for card in work.state.open_cards():
        if _moot(work, card):
            withdraw(work, card)


def withdraw(work: Deliberation, card: Card) -> None:
    """Close a card without an answer."""
    work.emit("card.withdrawn", id=card.id, status="withdrawn")


def _moot(work: Deliberation, card: Card) -> bool:
    facts = [work.state.latest(name) for name in card.subjects]
    if card.kind == "name":
        return facts[0] is None or facts[0].status != "pending"
    if card.kind in ("proposal", "update"):
        return all(fact is None or fact.status != "pending" for fact in facts)
    if card.kind == "forget":
        return not any(fact and may_go(fact) and card.key == wording_of(fact) for fact in facts)
    if card.kind in ("key", "contradiction"):
        return not all(fact and stands(work, fact) for fact in facts)
    if card.kind == "loss":
        people_held = any(one.status == "held" for one in _people(work, card))
        return not people_held and not any(fact and fact.status == "held" for fact in facts)
    if card.kind in ("typo", "review"):
        return not all(alive(fact) for fact in facts)
    back = any(fact and stands(work, fact) for fact in facts) or any(map(stays, _people(work, card)))
    return card.kind == "returned" and back
