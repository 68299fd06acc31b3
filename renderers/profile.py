"""Profil.md: the lines of its sections brought in step with the facts, and not a byte else (vault-notes.md, Facts)."""

from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

from parsers.frame import Frame
from parsers.model.cards import Card
from parsers.model.facts import SECTION_OF, Fact, over
from parsers.model.notes import Section
from parsers.profile import ProfileSaid
from parsers.sameness import folded
from parsers.statements import Spot, Statement, bearers
from renderers.fields import tail
from renderers.frame import first_place
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
    stated: tuple[str | None, ...] | None = None
    """Start, end and review day as its fields should state them, when a command changed them; None: as they are."""


@dataclass(frozen=True, slots=True)
class ProfileView:
    """What Profil.md should say."""

    facts: Mapping[str, ShownFact]
    leaving: Mapping[str, frozenset[str]]
    """Ids whose lines leave → the texts they have had."""
    anchors: Mapping[str, str]
    """Anchors of facts whose lines leave → their ids."""
    forgotten: frozenset[str]
    """Ids whose lines leave whatever they say: they stood, and their words are not known any more."""
    asked: frozenset[str] = frozenset()
    """Ids that came back and wait for an answer: their lines are nothing else's."""
    again: Callable[[str], bool] = bool
    """Whether a text says a current fact."""
    repeats: frozenset[str] = frozenset()
    """Folded texts of the lines that said a fact again: they leave with it."""


def view(
    facts: Collection[tuple[Fact, ...]],
    cards: Iterable[Card],
    today: str,
    words: Mapping[str, str],
    stood: Collection[str] = (),
    corrected: Collection[str] = (),
    repeats: frozenset[str] = frozenset(),
    again: Callable[[str], bool] = bool,
) -> ProfileView:
    """Give what these facts make of the note; `words` are the field names and values of the catalogue.

    `stood` are the facts whose lines stood in the note when it was last read or written, `corrected` those that
    a command corrected since, `repeats` what stood there more than once.
    """
    back = [(name, card) for card in cards if card.kind == "returned" for name in card.subjects]
    asked = {name for name, card in back if card.status == "open"}
    refused = [(name, card.text) for name, card in back if card.answer == "refuse"]
    shown: dict[str, ShownFact] = {}
    leaving: dict[str, frozenset[str]] = {}
    anchors: dict[str, str] = {}
    forgotten: set[str] = set()
    for versions in facts:
        fact = versions[-1]
        if fact.status in ("held", "pending") or fact.id in asked or fact.entity_id:
            continue
        past = frozenset(one.text for one in versions)
        if _stands(fact, today):
            fields = tail(fact, words)
            stated = (fact.valid_from_text, fact.valid_to_text, fact.review) if fact.id in corrected else None
            section = SECTION_OF[fact.kind]
            shown[fact.id] = ShownFact(fact.id, section, fact.text, fields, fact.anchor, past, stated)
            continue
        leaving[fact.id] = past.union(text for name, text in refused if name == fact.id)
        if fact.anchor:
            anchors[fact.anchor] = fact.id
        if fact.status == "forgotten" and fact.id in stood:
            forgotten.add(fact.id)
    waiting = frozenset(asked)
    # A line that said a wrong wording again, read with the command that corrects it, was never known to stand.
    wrong = frozenset(folded(one.text) for known in facts if known[-1].id in corrected for one in known[:-1])
    return ProfileView(shown, leaving, anchors, frozenset(forgotten), waiting, again, repeats | wrong)


def _stands(fact: Fact, today: str) -> bool:
    """A line stays while its fact holds, or when the person wrote its end themselves."""
    return fact.status == "confirmed" and fact.retracted_at is None and not over(fact, today)


@dataclass(frozen=True, slots=True)
class Rendered:
    """A note's text as it should be, and what stands in it; of resting lines nothing is said."""

    text: str
    ids: Mapping[str, frozenset[str]]
    """Section → facts whose lines stand there."""
    repeats: frozenset[str]
    """Folded texts of lines that say a current fact again."""


def render(
    shows: ProfileView,
    text: str,
    frame: Frame,
    said: ProfileSaid,
    active: Sequence[Spot],
    resting: Container[str],
) -> tuple[Rendered, Rendered]:
    """Give the note as it should be, and what stood in it as it was read; `frame` and `said` are its parse.

    Only `active` lines are looked at; those of the `resting` facts are as they should be. A line whose text clavaire
    never recorded is left alone: between our reading and this, it is the person's.
    """
    waiting = _waiting(shows, active)
    lines = _placed(shows, active, waiting)
    splices: list[Splice] = []
    for index, (spot, name) in enumerate(lines):
        if index not in waiting:
            splices += _line(spot, shows.facts[name]) if name else _loose(spot, shows, resting)
    there = {name for _, name in lines if name}
    missing = [fact for name, fact in shows.facts.items() if name not in there]
    added: list[ShownFact] = []
    for section in frame.sections:
        fresh = [fact for fact in missing if fact.section == section.name]
        if fresh:
            splices.append(_insertion(text, section, said.statements, fresh))
            added += fresh
    stood = [(spot, name or _left(spot, shows)) for spot, name in lines]
    loose = [spot.says.wording.text for spot, name in stood if name is None]
    repeats = frozenset(folded(words) for words in loose if words and shows.again(words))
    left = frozenset(map(folded, loose)) & shows.repeats
    after = Rendered(spliced(text, splices), _ids(lines, added), repeats)
    return after, Rendered(text, _ids(stood, []), repeats | left)


def _ids(lines: Sequence[tuple[Spot, str | None]], added: Sequence[ShownFact]) -> dict[str, frozenset[str]]:
    ids: dict[str, set[str]] = {}
    for spot, name in lines:
        if name:
            ids.setdefault(spot.section, set()).add(name)
    for fact in added:
        ids.setdefault(fact.section, set()).add(fact.id)
    return {section: frozenset(names) for section, names in ids.items()}


def _waiting(shows: ProfileView, spots: Sequence[Spot]) -> frozenset[int]:
    """The lines that came back with an id and wait for an answer: of several with one id, the first."""
    first: dict[str, int] = {}
    for index, spot in enumerate(spots):
        if spot.says.id and spot.says.id in shows.asked:
            first.setdefault(spot.says.id, index)
    return frozenset(first.values())


def _placed(
    shows: ProfileView, spots: Sequence[Spot], waiting: Collection[int]
) -> list[tuple[Spot, str | None]]:
    """Which line is which fact, in the order lines are paired: id and text, text alone, id alone."""
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


def _names(shows: ProfileView, spots: Sequence[Spot]) -> dict[int, str]:
    """The shown fact each line names by an id of ours; a second use names nothing."""
    names: dict[str, int] = {}
    for index, spot in enumerate(spots):
        if spot.says.id and spot.says.id in shows.facts:
            names.setdefault(spot.says.id, index)
    return {index: name for name, index in names.items()}


def _anchors(shows: ProfileView, spots: Sequence[Spot]) -> dict[int, str]:
    """The shown fact each line names by its anchor, unless its own id is that of a fact it was."""
    anchors = {fact.anchor: fact.id for fact in shows.facts.values() if fact.anchor}
    return {
        index: anchors[spot.says.anchor]
        for index, spot in enumerate(spots if anchors else ())
        if spot.says.anchor in anchors
        and spot.says.id not in shows.asked
        and not (spot.says.id and _left(spot, shows))
    }


def _place_by_text(
    shows: ProfileView, spots: Sequence[Spot], loose: Sequence[int], found: list[str | None], taken: set[str]
) -> None:
    by_text: dict[str, list[ShownFact]] = {}
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
            found[index] = min(same)
            taken.add(min(same))


def _loose(spot: Spot, shows: ProfileView, resting: Container[str]) -> list[Splice]:
    """A line that is no current fact: it leaves if its fact did, its id goes if it is another's."""
    if _left(spot, shows) or _no_more(spot.says, shows):
        return [Splice(spot.start, spot.stop, "")]
    words = spot.says.wording.text
    others = spot.says.id in shows.leaving and any(fact.text == words for fact in shows.facts.values())
    if others or any(spot.says.id in known for known in (shows.facts, resting, shows.asked)):
        return _cut(spot, [span for span in spot.says.id_spans if _is_ours(spot, span)])
    return []


def _no_more(says: Statement, shows: ProfileView) -> bool:
    """Tell whether a line that said a fact again has lost it: the fact was forgotten, closed or corrected elsewhere."""
    words = says.wording.text
    loose = not says.id or says.id in shows.facts  # whose line is another one
    return loose and bool(shows.repeats) and folded(words) in shows.repeats and not shows.again(words)


def _left(spot: Spot, shows: ProfileView) -> str | None:
    """The fact that left of which a line, no current fact's, still says what clavaire knows of it."""
    name = spot.says.id or shows.anchors.get(spot.says.anchor or "")
    leaves = name in shows.forgotten or spot.says.wording.text in shows.leaving.get(name or "", ())
    return name if leaves else None


def _line(spot: Spot, fact: ShownFact) -> list[Splice]:
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
        return _cut(spot, ours)
    at, item = spot.start + says.item.para_stop, says.item
    blank = "" if item.text[item.para_end : item.para_stop] else " "
    return [*_cut(spot, says.id_spans), Splice(at, at, f"{blank}^{fact.id}")]


def _cut(spot: Spot, spans: Iterable[tuple[int, int]]) -> list[Splice]:
    return [Splice(spot.start + start, spot.start + end, "") for start, end in spans]


def _stated(spot: Spot) -> tuple[str | None, ...]:
    fields = spot.says.wording.fields
    since, until, review = fields.since, fields.until, fields.review
    return (since.text if since else None, until.text if until else None, review.first if review else None)


def _reworded(spot: Spot, fact: ShownFact) -> Splice:
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
    lines = [line, *(rest.split("\n") if rest else ())]
    return Splice(spot.start + item.body, spot.stop, "".join(one + eol for one in lines))


def _is_ours(spot: Spot, span: tuple[int, int]) -> bool:
    name = spot.says.item.text[span[0] : span[1]].lstrip(" \t")
    return name.startswith("^f-") and len(name) == 11


def _insertion(text: str, section: Section, spots: Sequence[Spot], fresh: Sequence[ShownFact]) -> Splice:
    """New lines go after the last line of ours, before the end marker if there is none."""
    last = next((spot for spot in reversed(spots) if spot.section == section.name), None)
    marker = last.says.item.text[: last.says.item.body] if last else "- "
    marker = marker if marker in ("- ", "* ", "+ ") else "- "
    at = last.stop if last else first_place(text, section)
    lines = []
    for fact in fresh:
        first, *rest = fact.text.split("\n")
        lines += [f"{marker}{first}{fact.tail} ^{fact.anchor or fact.id}", *rest]
    return Splice(at, at, "".join(line + section.eol for line in lines))
