"""Profil.md: the lines of its sections brought in step with the facts, and not a byte else (vault-notes.md, Facts)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from parsers.model.cards import Card
from parsers.model.facts import SECTION_OF, Fact
from parsers.model.notes import Note, Section
from parsers.profile import ProfileSaid
from parsers.sameness import folded
from parsers.statements import Statement
from renderers.splice import Splice, spliced


@dataclass(frozen=True, slots=True)
class ShownFact:
    """A fact as its line should read."""

    id: str
    section: str
    text: str
    tail: str
    """Trailing fields of a line written by clavaire, each with a blank before it."""
    anchor: str | None
    past: frozenset[str]
    """Texts it has had: a line that reads like none of them is not clavaire's to change."""


@dataclass(frozen=True, slots=True)
class ProfileView:
    """What Profil.md should say."""

    facts: Mapping[str, ShownFact]
    leaving: Mapping[str, frozenset[str]]
    """Ids whose lines leave → the texts they have had."""


def view(facts: Iterable[tuple[Fact, ...]], cards: Iterable[Card], today: str, words: Mapping[str, str]) -> ProfileView:
    """Give what the facts make of the note; `words` are the field names and values of the catalogue."""
    asked = {name for card in cards if card.status == "open" and card.kind == "returned" for name in card.subjects}
    shown: dict[str, ShownFact] = {}
    leaving: dict[str, frozenset[str]] = {}
    for versions in facts:
        fact = versions[-1]
        past = frozenset(one.text for one in versions)
        if fact.status in ("held", "pending") or fact.id in asked or fact.entity_id:
            continue
        if _stands(fact, today):
            tail = "".join(_tail(fact, words))
            shown[fact.id] = ShownFact(fact.id, SECTION_OF[fact.kind], fact.text, tail, fact.anchor, past)
        else:
            leaving[fact.id] = past
    return ProfileView(shown, leaving)


def _stands(fact: Fact, today: str) -> bool:
    """A line stays while its fact holds, or when the person wrote its end themselves."""
    held = fact.valid_to is None or fact.valid_to > today or fact.valid_to_text is not None
    return fact.status == "confirmed" and fact.retracted_at is None and held


def _tail(fact: Fact, words: Mapping[str, str]) -> Iterable[str]:
    if fact.valid_from_text:
        yield f" [{words['since']}:: {fact.valid_from_text}]"
    if fact.valid_to_text:
        yield f" [{words['until']}:: {fact.valid_to_text}]"
    if fact.sensitivity == "sensitive":
        yield f" [{words['sensitive']}:: {words['yes']}]"
    if fact.review:
        yield f" [{words['review']}:: {fact.review}]"


@dataclass(frozen=True, slots=True)
class Rendered:
    """A note's text as it should be, and what stands in it."""

    text: str
    ids: Mapping[str, tuple[str, ...]]
    """Section → facts whose lines stand there."""
    repeats: frozenset[str]
    """Folded texts of lines that are no fact of their own."""


def standing(shows: ProfileView, said: ProfileSaid) -> Rendered:
    """Give what stands in the note as it was read (with no text)."""
    placed = _place(shows, said.statements)
    return Rendered("", _ids(placed, said.statements, []), _repeats(placed, said.statements))


def render(shows: ProfileView, text: str, note: Note, said: ProfileSaid) -> Rendered:
    """Give the note's text with the lines of ours as they should be; `note` and `said` are its parse.

    A line whose text clavaire never recorded is left alone: between our reading and this, it is the person's.
    """
    placed = _place(shows, said.statements)
    splices: list[Splice] = []
    for index, statement in enumerate(said.statements):
        fact = shows.facts.get(placed.get(index, ""))
        if fact:
            splices += _line(text, statement, fact)
        elif statement.id and statement.id in shows.leaving:
            if statement.wording.text in shows.leaving[statement.id]:
                splices.append(Splice(statement.item.start, statement.item.end, ""))
        elif statement.id in shows.facts:
            splices += [Splice(start, end, "") for start, end in statement.id_spans if _is_ours(text, start, end)]
    there = set(placed.values())
    missing = [fact for name, fact in shows.facts.items() if name not in there]
    added: list[ShownFact] = []
    for section in note.sections:
        fresh = [fact for fact in missing if fact.section == section.name]
        if fresh:
            splices.append(_insertion(text, section, said.statements, fresh))
            added += fresh
    ids = _ids(placed, said.statements, added)
    return Rendered(spliced(text, splices), ids, _repeats(placed, said.statements))


def _ids(
    placed: Mapping[int, str], statements: tuple[Statement, ...], added: list[ShownFact]
) -> dict[str, tuple[str, ...]]:
    ids: dict[str, list[str]] = {}
    for index, name in sorted(placed.items()):
        ids.setdefault(statements[index].section, []).append(name)
    for fact in added:
        ids.setdefault(fact.section, []).append(fact.id)
    return {section: tuple(names) for section, names in ids.items()}


def _repeats(placed: Mapping[int, str], statements: tuple[Statement, ...]) -> frozenset[str]:
    return frozenset(folded(one.wording.text) for index, one in enumerate(statements) if index not in placed)


def _place(shows: ProfileView, statements: tuple[Statement, ...]) -> dict[int, str]:
    """Which statement is which fact, in the order lines are paired: id and text, text alone, id alone."""
    anchors = {fact.anchor: fact.id for fact in shows.facts.values() if fact.anchor}
    names: list[str] = []
    used: set[str] = set()
    for one in statements:
        name = one.id if one.id and one.id in shows.facts else anchors.get(one.anchor or "", "")
        names.append("" if name in used else name or "")
        used.add(name or "")
    placed: dict[int, str] = {}
    for index, one in enumerate(statements):
        if names[index] and shows.facts[names[index]].text == one.wording.text:
            placed[index] = names[index]
    _place_by_text(shows, statements, placed)
    taken = set(placed.values())
    for index, name in enumerate(names):
        if name and index not in placed and name not in taken:
            placed[index] = name
    return placed


def _place_by_text(shows: ProfileView, statements: tuple[Statement, ...], placed: dict[int, str]) -> None:
    taken = set(placed.values())
    by_text: dict[str, list[ShownFact]] = {}
    for fact in shows.facts.values():
        if fact.id not in taken:
            by_text.setdefault(folded(fact.text), []).append(fact)
    for index, one in enumerate(statements):
        same = by_text.get(folded(one.wording.text), []) if index not in placed and by_text else []
        same = [fact for fact in same if fact.id not in taken and fact.text == one.wording.text]
        if same and one.id not in shows.leaving:
            best = min(same, key=lambda fact: (fact.section != one.section, fact.id))
            placed[index] = best.id
            taken.add(best.id)


def _line(text: str, one: Statement, fact: ShownFact) -> list[Splice]:
    """Bring one line in step: its id at the end of its first paragraph, its text if what it says is past."""
    reads = one.wording.text
    if reads != fact.text and reads in fact.past:
        return [Splice(one.item.body, one.item.end, _reworded(text, one, fact))]
    anchored = one.anchor is not None and one.anchor == fact.anchor
    ours = [text[start:end].lstrip(" \t") for start, end in one.id_spans if _is_ours(text, start, end)]
    if (anchored and not ours) or (one.settled and ours == [f"^{fact.id}"]):
        return []
    cut = [Splice(start, end, "") for start, end in one.id_spans if not anchored or _is_ours(text, start, end)]
    end = one.item.para_end
    if anchored:
        return cut
    blank = "" if text[end : one.item.para_stop] else " "
    at = one.item.para_stop
    return [*cut, Splice(at, at, f"{blank}^{fact.id}")]


def _reworded(text: str, one: Statement, fact: ShownFact) -> str:
    """The item's body with the fact's text; the fields and the id stay as they were written."""
    eol = "\r\n" if text[one.item.para_stop : one.item.para_stop + 2] == "\r\n" else "\n"
    fields = text[one.fields_start : one.item.para_end]
    for start, end in reversed(one.id_spans):
        low, high = max(start, one.fields_start) - one.fields_start, end - one.fields_start
        if high > 0:
            fields = fields[:low] + fields[high:]
    first, *rest = fact.text.split("\n")
    name = fact.anchor or fact.id
    return eol.join([f"{first}{fields.rstrip()} ^{name}", *rest]) + eol


def _is_ours(text: str, start: int, end: int) -> bool:
    name = text[start:end].lstrip(" \t")
    return name.startswith("^f-") and len(name) == 11


def _insertion(text: str, section: Section, statements: tuple[Statement, ...], fresh: list[ShownFact]) -> Splice:
    """New lines go after the last line of ours, before the end marker if there is none."""
    own = [one for one in statements if one.section == section.name]
    marker = text[own[-1].item.start : own[-1].item.body] if own else "- "
    marker = marker if marker in ("- ", "* ", "+ ") else "- "
    at = own[-1].item.end if own else _before_end(text, section)
    lines = []
    for fact in fresh:
        first, *rest = fact.text.split("\n")
        lines += [f"{marker}{first}{fact.tail} ^{fact.anchor or fact.id}", *rest]
    return Splice(at, at, "".join(line + section.eol for line in lines))


def _before_end(text: str, section: Section) -> int:
    """Before the end marker; between the two blank lines of a section that is still as clavaire made it."""
    content = text[section.start : section.end]
    if content in ("\n\n", "\r\n\r\n"):
        return section.start + len(content) // 2
    return section.end
