"""Places in a note: the part under a heading, where new lines go in it, and what must stand as it stood.

A place is open when a heading written there would be one of the note: in no fence, comment, quote or list.
"""

import re
import unicodedata
from dataclasses import dataclass

from parsers.model.notes import Heading, Item, Note
from parsers.note import scan
from renderers.amend.failure import Unamendable
from renderers.splice import Splice, spliced

_PROBE = "\n\n# probe\n"
_HASHES = re.compile("(#{1,6})[ \t]+")
_LINE_END = re.compile(r"\r?\n")
_FIRST_BLANKS = re.compile(r"(?:[ \t]*\r?\n)*")


@dataclass(frozen=True, slots=True)
class Part:
    """The lines under a heading, or the whole body when `heading` is None: `text[start:end]`."""

    start: int
    end: int
    heading: Heading | None
    following: Heading | None
    """The heading that ends it, None at the end of the note."""


def writable(text: str) -> Note:
    """Give what a note says, when it may be written to.

    Raises:
        Unamendable: a section of it is broken, a git conflict stands in it, or its properties never end.
    """
    note = scan(text)
    if note.frozen:
        raise Unamendable("frozen", line=note.faults[0].line)
    if note.properties.state == "unclosed":
        raise Unamendable("properties_unclosed")
    return note


def eol_near(text: str, offset: int) -> str:
    r"""Give the line ending used just before `offset`, else just after it, else `\n`."""
    at = text.rfind("\n", 0, offset)
    if at < 0:
        at = text.find("\n", offset)
    return "\r\n" if at > 0 and text[at - 1] == "\r" else "\n"


def with_endings(text: str, eol: str) -> str:
    """Give a text with every line ending turned into `eol`."""
    return _LINE_END.sub(eol, text)


def line_start(text: str, offset: int) -> int:
    """Give where the line of `offset` starts."""
    return text.rfind("\n", 0, offset) + 1


def line_stop(text: str, offset: int) -> int:
    """Give where the line of `offset` ends, after its line ending."""
    return text.find("\n", offset) + 1 or len(text)


def part_of(note: Note, heading: str | None) -> Part:
    """Give the part under a heading, up to the next of the same or a higher level; for None the whole body.

    Raises:
        Unamendable: no heading of the note, or more than one, has this text.
    """
    if heading is None:
        return Part(note.properties.body, len(note.text), None, None)
    found = _heading(note, heading)
    start = found.start
    for _ in range(found.end_line - found.line + 1):
        start = line_stop(note.text, start)
    after = (one for one in roots(note) if one.start > found.start and one.level <= found.level)
    following = next(after, None)
    return Part(start, following.start if following else len(note.text), found, following)


def roots(note: Note) -> list[Heading]:
    """Give the headings that open a part of the note: those in no quote and no list."""
    return [one for one in note.headings if not one.nested]


def _heading(note: Note, wanted: str) -> Heading:
    hashes = _HASHES.match(wanted.strip())
    level = len(hashes[1]) if hashes else None
    name = unicodedata.normalize("NFC", wanted.strip()[hashes.end() if hashes else 0 :])
    named = [(one, unicodedata.normalize("NFC", one.text)) for one in roots(note)]
    found = [one for one, text in named if text == name and level in {None, one.level}]
    found = found or [
        one for one, text in named if text.casefold() == name.casefold() and level in {None, one.level}
    ]
    if len(found) != 1:
        raise Unamendable("heading_twice" if found else "heading_missing", heading=wanted.strip())
    return found[0]


def filled(text: str, part: Part) -> tuple[int, int]:
    """Give where the lines with something on them start and end (before the last line ending); equal for none."""
    end = part.start + len(text[part.start : part.end].rstrip(" \t\r\n"))
    if end <= part.start:
        return part.start, part.start
    blanks = _FIRST_BLANKS.match(text, part.start)
    return (blanks.end() if blanks else part.start), end


def outside_sections(note: Note, start: int, end: int) -> None:
    """Make sure that no managed section, markers included, has a part in `text[start:end]` or around it.

    Raises:
        Unamendable: one has; what stands in one is clavaire's, or the person's answer to it.
    """
    for section in note.sections:
        first = line_start(note.text, section.start - 1)
        after = line_stop(note.text, section.end)
        if first < start < after or (start < end and start <= first < end):
            raise Unamendable("managed", name=section.name)


def require_open(note: Note, part: Part) -> None:
    """Make sure that the end of a part is in no fence and no comment.

    Raises:
        Unamendable: it is.
    """
    if part.following is None and not open_at_end(note.text):
        raise Unamendable("unclosed")


def open_at_end(text: str) -> bool:
    """Whether a heading written after the text would be one."""
    after = scan(text + _PROBE)
    return any(one.start == len(text) + 2 for one in roots(after))


@dataclass(frozen=True, slots=True)
class Addition:
    """New lines for a place: what is spliced in, and where the lines themselves start in the new text."""

    splice: Splice
    first: int


def placed(note: Note, part: Part, lines: str, *, tight: bool, joined: bool) -> Addition:
    """Give the addition of lines at the end of a part, apart from what stands before by a blank line.

    Args:
        note: What is added to.
        part: Where; its blank lines at the end stay there.
        lines: What is added, with or without a last line ending.
        tight: Put it before the blank lines at the end of the note, too.
        joined: It goes on with the block before it: no blank line between.
    """
    text = note.text
    start, end = filled(text, part)
    at = end if end == start else line_stop(text, end)
    if part.following is None and not (tight and end > start):
        at = part.end
    eol = eol_near(text, at)
    lead = eol if at and text[at - 1] not in "\ufeff\n" else ""
    adjacent = at > note.properties.body and text[line_start(text, at - 1) : at].strip() != ""
    if adjacent and not joined:
        lead += eol
    whole = not text.strip("\ufeff") or text.endswith("\n") or at < len(text)
    new = lead + with_endings(lines, eol) + (eol if whole else "")
    if part.following and part.following.start == at and (end == start or _setext(part.following)):
        new += eol
    return Addition(Splice(at, at, new), at + len(lead))


def _setext(heading: Heading) -> bool:
    return heading.end_line > heading.line


def last_root_item(note: Note, part: Part) -> Item | None:
    """Give the list item in no other and no quote whose last line is the last of the part with something on it."""
    start, end = filled(note.text, part)
    if end == start:
        return None
    line = note.text.count("\n", 0, end) + 1
    items = (one for one in note.items if not one.depth and one.container is None and one.start >= part.start)
    return next((one for one in items if one.last_line == line), None)


def kept(before: Note, part: Part, splice: Splice) -> Note:
    """Give what a note says once a splice is made in a part, when all that stood around it stands as it did.

    Raises:
        Unamendable: the new text swallows what follows it, or brings markers or properties.
    """
    text = spliced(before.text, [splice])
    after, moved = scan(text), len(splice.new) - (splice.end - splice.start)
    following = part.following
    if following is None:
        shut = open_at_end(text)
    else:
        place = (following.start + moved, following.level, following.text)
        shut = place in {(one.start, one.level, one.text) for one in roots(after)}
    if not shut:
        raise Unamendable("added_unclosed")
    same_sections = [one.name for one in after.sections] == [one.name for one in before.sections]
    first = [one for one in before.headings if one.start < splice.start]
    was, now = before.properties, after.properties
    same_properties = (was.state, was.start, was.end) == (now.state, now.start, now.end)
    if (
        after.faults
        or not same_sections
        or not same_properties
        or list(after.headings[: len(first)]) != first
    ):
        raise Unamendable("added_breaks")
    return after
