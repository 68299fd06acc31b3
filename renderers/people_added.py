"""New lines of Personnes.md: facts below whom they are about, people after everybody.

Where a line goes it must be read as what it is, and nothing of the person's may become part of it: each place is tried
by parsing, and where none will do the line waits.
"""

from collections.abc import Iterable, Sequence

from parsers.frame import Frame
from parsers.items import masked
from parsers.model.notes import Section
from parsers.people import SECTION, below_in, stated_in
from parsers.profile import ProfileSaid
from parsers.statements import Spot
from renderers.frame import first_place
from renderers.lines import LinesView, ShownLine, indented
from renderers.splice import Splice


def additions(
    people: LinesView,
    text: str,
    frame: Frame,
    said: ProfileSaid,
    lines: Sequence[tuple[Spot, str | None]],
    below: Sequence[Spot],
    missing: Sequence[ShownLine],
) -> tuple[list[ShownLine], list[Splice]]:
    """Give the lines that come to a note, and how; `lines` are its people's, `below` those of facts."""
    section = next((one for one in frame.sections if one.name == SECTION), None)
    there = {name for _, name in lines if name}
    new = [one for one in people.facts.values() if one.id not in there]
    if section is None or not (missing or new):
        return [], []
    clear = masked(text, frame.comments)
    style = next((spot.says.indent for spot in reversed(said.statements) if spot.under), "\t")
    added: list[ShownLine] = []
    splices: list[Splice] = []
    for spot, name in lines:
        facts = [one for one in missing if one.section == name] if name else []
        if facts:
            own = [one for one in below if one.under == spot.start]
            places = (own[-1].stop if own else spot.stop, spot.reach)
            kept, splice = _fitted(clear, spot, places, facts, own[-1].says.indent if own else style, section)
            added += kept
            splices += splice
    written, came = _people(new, missing, style, section)
    if written:
        last = next((spot.reach for spot in reversed(said.statements) if spot.reach), None)
        at = first_place(text, section) if last is None else last
        splices.append(Splice(at, at, written))
    return [*added, *came], splices


def _people(
    new: Sequence[ShownLine], missing: Sequence[ShownLine], style: str, section: Section
) -> tuple[str, list[ShownLine]]:
    """The lines of people who come, each with the facts about them."""
    written, came = "", list[ShownLine]()
    for person in new:
        head = f"- {person.written or person.text}{person.tail} ^{person.anchor or person.id}{section.eol}"
        if stated_in(head) != person.text:
            continue  # it would be read as somebody else's, or as no line at all
        indent = _indents(len("- "), style)[0]
        facts = _readable(head, [one for one in missing if one.section == person.id], indent, section)
        written += head + _text(facts, indent, section)
        came += [person, *facts]
    return written, came


def _readable(head: str, facts: Iterable[ShownLine], indent: str, section: Section) -> list[ShownLine]:
    """The facts that are read as what they are below a line."""
    return [one for one in facts if below_in(head + _text([one], indent, section)) == [one.text]]


def _fitted(
    clear: str,
    spot: Spot,
    places: Sequence[int],
    facts: Sequence[ShownLine],
    style: str,
    section: Section,
) -> tuple[Sequence[ShownLine], list[Splice]]:
    """The facts that come below somebody's line, at the first place where they are read as what they are."""
    whole = clear[spot.start : spot.reach]
    had = below_in(whole)
    width = len(spot.says.item.text[: spot.says.item.body].expandtabs(4))
    head = spot.says.item.text
    for indent in _indents(width, style):
        readable = _readable(head, facts, indent, section)
        for at in places if readable else ():
            cut, lines = at - spot.start, _text(readable, indent, section)
            before = len(below_in(whole[:cut]))
            wanted = [*had[:before], *(one.text for one in readable), *had[before:]]
            if below_in(whole[:cut] + lines + whole[cut:]) == wanted:
                return readable, [Splice(at, at, lines)]
    return (), []


def _indents(width: int, style: str) -> list[str]:
    """What may put a line below one whose words start after so many characters, as the others do it first."""
    fitting = [style] if width <= len(style.expandtabs(4)) < width + 4 else []
    return list(dict.fromkeys([*fitting, *(["\t"] if width <= 4 else []), " " * width]))


def _text(facts: Sequence[ShownLine], indent: str, section: Section) -> str:
    lines: list[str] = []
    for fact in facts:
        first, _, rest = fact.text.partition("\n")
        lines += [f"{indent}- {first}{fact.tail} ^{fact.anchor or fact.id}", *indented(rest, indent)]
    return "".join(line + section.eol for line in lines)
