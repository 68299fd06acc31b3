"""Lines of ours in a note of the person's: which line is whose, its id put right, what left taken out; no byte else."""

import re
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

from parsers.ids import DIGITS
from parsers.items import told_stop
from parsers.sameness import said_key
from parsers.statements import Spot, bearers
from renderers.splice import Splice

_OWN_ID = re.compile(rf"\s*\^[ef]-{DIGITS}\s*")


Again = Callable[[str, str | None], bool]
"""Whether a text says a current fact about an entity, None for the owner."""


def never(text: str, entity: str | None) -> bool:
    """Tell that nothing is said again."""
    del text, entity
    return False


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A fact, or a person, as their line should read."""

    id: str
    section: str
    """The section it stands in, or the person below whom."""
    text: str
    tail: str
    """Trailing fields of a line written by clavaire, each with a blank before it."""
    anchor: str | None
    past: frozenset[str]
    """Texts it has had: a line that reads like none of them is not clavaire's to change."""
    written: str | None = None
    """What a line written by clavaire says where that is not the text alone: a name that is a link."""
    stated: tuple[str | None, ...] | None = None
    """Start, end and review day as its fields should state them, when a command changed them; None: as they are."""


@dataclass(frozen=True, slots=True)
class LinesView:
    """What the lines of a note should say."""

    facts: Mapping[str, ShownLine]
    leaving: Mapping[str, frozenset[str]]
    """Ids whose lines leave → the texts they have had."""
    anchors: Mapping[str, str]
    """Anchors of facts whose lines leave → their ids."""
    forgotten: frozenset[str]
    """Ids whose lines leave whatever they say: they stood, and their words are not known any more."""
    asked: frozenset[str] = frozenset()
    """Ids that came back and wait for an answer: their lines are nothing else's."""
    again: Again = never
    namesakes: bool = False
    """Lines that say the same may be others': people's of one name."""
    earlier: frozenset[str] = frozenset()
    """Ids whose lines stood here before: of namesakes they had their lines first."""
    elsewhere: frozenset[str] = frozenset()
    """Ids whose lines stand in another note: here they are copies."""
    repeats: frozenset[str] = frozenset()
    """What the lines said that say a fact again (`said_key`): they leave with it."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """A note's text as it should be, and what stands in it; of resting lines nothing is said."""

    text: str
    ids: Mapping[str, frozenset[str]]
    """Section → facts whose lines stand there."""
    repeats: frozenset[str]
    """What lines say that say a current fact again (`said_key`)."""


def standing(
    lines: Sequence[tuple[Spot, str | None]], added: Sequence[ShownLine]
) -> dict[str, frozenset[str]]:
    """Give section, or person → whose lines stand there, with those that were added."""
    ids: dict[str, set[str]] = {}
    for spot, name in lines:
        if name:
            ids.setdefault(spot.section, set()).add(name)
    for fact in added:
        ids.setdefault(fact.section, set()).add(fact.id)
    return {section: frozenset(names) for section, names in ids.items()}


def asked_at(shows: LinesView, spots: Sequence[Spot]) -> frozenset[int]:
    """Give the lines that came back with an id and wait for an answer: of several with one id, the first."""
    first: dict[str, int] = {}
    for index, spot in enumerate(spots):
        if spot.says.id and spot.says.id in shows.asked:
            first.setdefault(spot.says.id, index)
    return frozenset(first.values())


def placed(
    shows: LinesView, spots: Sequence[Spot], waiting: Collection[int]
) -> list[tuple[Spot, str | None]]:
    """Give which line is which fact, in the order lines are paired: id and text, text alone, id alone."""
    found: list[str | None] = [None] * len(spots)
    taken: set[str] = set()

    def place(index: int, name: str | None) -> None:
        if name and found[index] is None and name not in taken:
            found[index] = name
            taken.add(name)

    def place_same(index: int, name: str | None) -> None:
        if name and shows.facts[name].text == spots[index].says.wording.text:
            place(index, name)

    names, anchors = _names(shows, spots), _anchors(shows, spots)
    for index, spot in enumerate(spots):
        place_same(index, names.get(index))
        name = anchors.get(index)
        if name and shows.facts[name].section == spot.section:
            place_same(index, name)
    for index, name in anchors.items():
        place_same(index, name)
    loose = [index for index, name in enumerate(found) if name is None and index not in waiting]
    _place_by_text(shows, spots, loose, found, taken)
    for index, name in names.items():
        place(index, name)
    anchored = [(index, spots[index]) for index in anchors if found[index] is None]
    known = {fact.anchor: (fact.id, fact.past) for fact in shows.facts.values() if fact.anchor}
    for index, name in bearers(anchored, known).items():
        place(index, name)
    return list(zip(spots, found, strict=True))


def _names(shows: LinesView, spots: Sequence[Spot]) -> dict[int, str]:
    """The shown fact each line names by an id of ours; a second use names nothing."""
    names: dict[str, int] = {}
    for index, spot in enumerate(spots):
        if spot.says.id and spot.says.id in shows.facts:
            names.setdefault(spot.says.id, index)
    return {index: name for name, index in names.items()}


def _anchors(shows: LinesView, spots: Sequence[Spot]) -> dict[int, str]:
    """The shown fact each line names by its anchor, unless its own id is that of a fact it was."""
    anchors = {fact.anchor: fact.id for fact in shows.facts.values() if fact.anchor}
    return {
        index: anchors[spot.says.anchor]
        for index, spot in enumerate(spots if anchors else ())
        if spot.says.anchor in anchors
        and spot.says.id not in shows.asked
        and not (spot.says.id and left(spot, shows))
    }


def _place_by_text(
    shows: LinesView, spots: Sequence[Spot], loose: Sequence[int], found: list[str | None], taken: set[str]
) -> None:
    by_text: dict[str, list[ShownLine]] = {}
    for fact in shows.facts.values():
        if fact.id not in taken:
            by_text.setdefault(fact.text, []).append(fact)
    for index, moved in [(index, moved) for moved in (False, True) for index in loose] if by_text else ():
        spot = spots[index]
        same = [
            fact.id
            for fact in by_text.get(spot.says.wording.text, [])
            if fact.id not in taken and (moved or fact.section == spot.section)
        ]
        if found[index] is None and same:
            found[index] = name = min(same, key=lambda name: (name not in shows.earlier, name))
            taken.add(name)


def unplaced(spot: Spot, shows: LinesView, resting: Container[str]) -> list[Splice]:
    """Take a line that is no current fact: it leaves if its fact did, its id goes if it is another's."""
    if left(spot, shows) or _no_more(spot, shows):
        return [Splice(spot.start, spot.start + told_stop(spot.says.item.text), "")]
    words = spot.says.wording.text
    said = spot.says.id in shows.leaving and any(fact.text == words for fact in shows.facts.values())
    others = said and not shows.namesakes
    if others or any(spot.says.id in known for known in (shows.facts, resting, shows.asked, shows.elsewhere)):
        return cut(spot, [span for span in spot.says.id_spans if _is_ours(spot, span)])
    return []


def _no_more(spot: Spot, shows: LinesView) -> bool:
    """Tell whether a line that said a fact again has lost it: the fact was forgotten, closed or corrected elsewhere."""
    says, words = spot.says, spot.says.wording.text
    loose = not says.id or says.id in shows.facts  # whose line is another one
    again = loose and bool(shows.repeats) and said_key(words, spot.entity) in shows.repeats
    return again and not shows.again(words, spot.entity)


def left(spot: Spot, shows: LinesView) -> str | None:
    """Give the fact that left of which a line, no current fact's, still says what clavaire knows of it."""
    name = spot.says.id or shows.anchors.get(spot.says.anchor or "")
    leaves = name in shows.forgotten or spot.says.wording.text in shows.leaving.get(name or "", ())
    return name if leaves else None


def in_step(spot: Spot, fact: ShownLine) -> list[Splice]:
    """Bring one line in step: its id at the end of its first paragraph, its text if what it says is past."""
    says = spot.says
    if says.wording.text != fact.text and says.wording.text in fact.past:
        return [_reworded(spot, fact)]
    if says.wording.text == fact.text and fact.stated not in (None, _stated(spot)):
        return [_reworded(spot, fact)]
    anchored = says.anchor is not None and says.anchor == fact.anchor
    ours = [span for span in says.id_spans if _is_ours(spot, span)]
    if (anchored and not ours) or (says.settled and says.id == fact.id and len(ours) == 1):
        return []
    if anchored:
        return cut(spot, ours)
    at, item = spot.start + says.item.para_stop, says.item
    blank = "" if item.text[item.para_end : item.para_stop] else " "
    return [*cut(spot, says.id_spans), Splice(at, at, f"{blank}^{fact.id}")]


def cut(spot: Spot, spans: Iterable[tuple[int, int]]) -> list[Splice]:
    """Take ids out of a line, each with the blank before it."""
    return [Splice(spot.start + start, spot.start + end, "") for start, end in spans]


def _stated(spot: Spot) -> tuple[str | None, ...]:
    fields = spot.says.wording.fields
    since, until, review = fields.since, fields.until, fields.review
    return (since.text if since else None, until.text if until else None, review.first if review else None)


def _reworded(spot: Spot, fact: ShownLine) -> Splice:
    """The fact's text in the place of a past one; fields, id and children that did not change stay as written."""
    says, item = spot.says, spot.says.item
    fields = "".join(
        char
        for at, char in enumerate(item.text[says.fields_start : item.para_end], says.fields_start)
        if not any(start <= at < end for start, end in says.id_spans)
    )
    if fact.stated not in (None, _stated(spot)):
        fields = fact.tail
    first, _, rest = fact.text.partition("\n")
    line = f"{first}{fields.rstrip()} ^{fact.anchor or fact.id}"
    if rest == says.wording.text.partition("\n")[2]:
        return Splice(spot.start + item.body, spot.start + item.para_end, line)
    eol = "\r\n" if item.text.endswith("\r\n") else "\n"
    lines = [line, *indented(rest, says.indent)]
    stop = spot.start + told_stop(item.text)
    return Splice(spot.start + item.body, stop, "".join(one + eol for one in lines))


def _is_ours(spot: Spot, span: tuple[int, int]) -> bool:
    return _OWN_ID.fullmatch(spot.says.item.text, *span) is not None


def indented(text: str, indent: str) -> list[str]:
    """Give the lines of what stands below an item's first line, each behind the same indent."""
    return [indent + line if line.strip() else line for line in text.split("\n")] if text else []
