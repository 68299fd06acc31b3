"""Personnes.md → who stands in it, and the facts below each (memory.md, Entities and relations).

`- NAME[ — RELATION][ fields] ^e-…`: the first ` — ` separates. The items directly below are facts about that person;
deeper ones belong to them. Everything else stays the person's.
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from parsers.frame import Frame
from parsers.items import families, masked, pieces
from parsers.model.notes import Section
from parsers.profile import ProfileSaid, strays
from parsers.protection import marked
from parsers.statements import (
    Fields,
    Spot,
    Statement,
    Wording,
    codeless,
    cut,
    fact_wording,
    link_target,
    one_line,
    statement,
    trailing,
    uncut,
    unlinked,
    wholes,
)

SECTION = "people"
"""The one section of the note."""

_SEPARATOR = re.compile(r"[ \u00a0\u202f]+—(?:[ \u00a0\u202f]+|\Z)")
_NAMES = {
    "depuis": "since",
    "since": "since",
    "jusqu'à": "until",
    "until": "until",
    "sensible": "sensitive",
    "sensitive": "sensitive",
    "vu": "seen",
    "seen": "seen",
}
_OWN = re.compile(r"[ \t]?(\[(?:vu|seen):: \d{4}-\d\d-\d\d\])")
"""The field of ours as clavaire writes it: ours wherever the person's hand left it."""
_CALLED = re.compile(r"(?<!\S)\^\S*")
_SEEN = re.compile(r"\[\s*(?:vu|seen)\s*::[ \t]*([^\[\]]*?)[ \t]*\]", re.IGNORECASE)


def parse(text: str, frame: Frame) -> ProfileSaid:
    """Give what a well-formed Personnes.md states: each person's line, followed by the facts below it."""
    clear = masked(text, frame.comments)
    found: list[Spot] = []
    for section in frame.sections:
        if section.name == SECTION:
            found += _spots(clear, section)
    anchored = any(spot.says.anchor for spot in found)
    return ProfileSaid(tuple(found), strays(clear, frame, (SECTION,)), anchored=anchored)


def _spots(clear: str, section: Section) -> list[Spot]:
    found: list[Spot] = []
    line, counted = section.begin_line + 1, section.start
    for at, piece in pieces(clear[section.start : section.end]):
        start = section.start + at
        line += clear.count("\n", counted, start)
        counted = start
        for person, below in _people(piece):
            head = person._replace(
                start=start + person.start, line=line + person.line, reach=start + person.reach
            )
            found.append(head)
            found += (
                one._replace(start=start + one.start, line=line + one.line, under=head.start) for one in below
            )
    return found


@lru_cache(maxsize=4096)
def _people(piece: str) -> tuple[tuple[Spot, tuple[Spot, ...]], ...]:
    """The people of a piece with what stands below each; offsets and lines count from its start."""
    found = []
    for one in families(piece):
        below = tuple(
            Spot(SECTION, offset, lines, statement(item, indent, _below_wording))
            for offset, lines, item, indent in one.below
        )
        says = statement(one.head, reads=person_wording)
        if _marked(piece[one.offset : one.stop], one.offset, below):
            says = replace(
                says, wording=replace(says.wording, fields=replace(says.wording.fields, sensitive=True))
            )
        found.append((Spot(SECTION, one.offset, one.line, says, reach=one.stop), below))
    return tuple(found)


def _marked(text: str, offset: int, below: Iterable[Spot]) -> bool:
    """Whether somebody is sensitive by what is theirs: all but what the facts below them say for themselves."""
    if "::" not in text:
        return False
    for spot in below:
        if spot.says.wording.text:
            start, stop = spot.start - offset, spot.stop - offset
            text = text[:start] + "\n" * (stop - start) + text[stop:]
    return marked(text)


def person_wording(said: str, below: str = "") -> tuple[int, Wording]:
    """Take a person's line apart: its key is the name, its value how they stand to the owner."""
    del below
    own = _own_spans(said)
    kept, found = trailing(cut(said, own).rstrip(), _NAMES)
    found.pop("seen", None)
    name, parted, relation = _parted(one_line(kept))
    fields = Fields(**found, about=link_target(name))  # type: ignore[arg-type]  # as for a fact
    name = unlinked(name).strip()
    text = line_text(name, relation) if parted else name
    return uncut(len(kept.rstrip()), own), Wording(text if name else "", name or None, relation, fields)


def _below_wording(said: str, below: str) -> tuple[int, Wording]:
    """Take a fact below somebody apart: a line that was a person's, put below another, still bears our field."""
    own = _own_spans(said)
    stop, wording = fact_wording(cut(said, own).rstrip(), _OWN.sub("", below))
    return uncut(stop, own), wording


def _own_spans(para: str) -> list[tuple[int, int]]:
    """Where our own field stands, with the blank before it unless a word comes right after."""
    bare = codeless(para)
    blanked = _OWN.sub(lambda one: " " * len(one[0]), bare)
    return wholes(para, [one.span(1) for one in _OWN.finditer(bare)], blanked)


def _parted(text: str) -> tuple[str, bool, str | None]:
    found = _SEPARATOR.search(text)
    return (text[: found.start()], True, text[found.end() :] or None) if found else (text, False, None)


def line_text(name: str, relation: str | None) -> str:
    """Give what a person's line says, without its fields."""
    return f"{name} — {relation}" if relation else name


def names_somebody(said: str) -> bool:
    """Tell whether a stated name is one: a letter or a digit stands in it, apart from ids and what follows a dash."""
    name = person_wording(" ".join(_CALLED.sub(" ", said).split()))[1].key or ""
    return any(char.isalnum() for char in name.partition("—")[0])


def seen_span(says: Statement) -> tuple[int, int] | None:
    """Give where the day stands on which somebody was last seen, in the item; None where no field says it."""
    found = list(_SEEN.finditer(says.item.text, says.fields_start, says.item.para_end))
    return found[-1].span(1) if found else None


def left_over(says: Statement) -> list[tuple[int, int]]:
    """Give where else our own field stands on a person's line, in the item: they went on typing after it."""
    body, stands, found = says.item.body, seen_span(says), list[tuple[int, int]]()
    ids = [(start - body, end - body) for start, end in says.id_spans]
    for span in _own_spans(cut(says.item.text[body : says.item.para_end], ids).rstrip()):
        at, stop = (body + uncut(one, ids) for one in span)
        if stands and at <= stands[0] < stop:
            continue
        for start, end in says.id_spans:  # an id between is cut, or not, for itself
            if at <= start and end <= stop:
                found.append((at, start))
                at = end
        found.append((at, stop))
    return [(start, end) for start, end in found if start < end]


def people_in(lines: str) -> list[Spot]:
    """Give the people's lines that these list items are."""
    return [person for _, piece in pieces(lines) for person, _ in _people(piece)]


def below_in(lines: str) -> list[str]:
    """Give what the lines below one person say, when they and that person's line are these; none for other lines."""
    found = [below for _, piece in pieces(lines) for _, below in _people(piece)]
    return [spot.says.wording.text for spot in found[0]] if len(found) == 1 else []


def stated_in(lines: str) -> str | None:
    """Give what the one person's line says that these lines are; None where they are something else."""
    found = people_in(lines)
    return found[0].says.wording.text if len(found) == 1 else None
