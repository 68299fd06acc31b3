"""Amendments of plain text: at the end of a note or of a part, in the place of one wording, under a heading."""

import re

from parsers.blocks import Scanner
from parsers.model.notes import Note
from renderers.amend.failure import Unamendable
from renderers.amend.places import (
    Part,
    eol_near,
    filled,
    kept,
    last_root_item,
    line_start,
    outside_sections,
    part_of,
    placed,
    require_open,
    roots,
    with_endings,
    writable,
)
from renderers.splice import Splice, spliced

_ITEM = re.compile(r" {0,3}([-*+]|[0-9]{1,9}[.)])[ \t]")


def append(text: str, added: str, heading: str | None = None) -> str:
    """Give the text with lines added at its end, or at the end of the part under a heading.

    A blank line comes between, unless the lines go on with the list or table that stands there.

    Raises:
        Unamendable: nothing is added, the place is not there or not open, or what follows would change.
    """
    lines = _trimmed(added)
    if not lines:
        raise Unamendable("empty")
    note = writable(text)
    part = part_of(note, heading)
    return _appended(note, part, lines)


def _appended(note: Note, part: Part, lines: str) -> str:
    require_open(note, part)
    splice = placed(note, part, lines, tight=False, joined=_joins(note, part, lines)).splice
    outside_sections(note, splice.start, splice.end)
    return kept(note, part, splice).text


def _trimmed(added: str) -> str:
    """Without blank lines before and after."""
    lines = re.sub(r"\A(?:[ \t]*\r?\n)+", "", added)
    return lines.rstrip(" \t\r\n") if lines.strip() else ""


def _joins(note: Note, part: Part, lines: str) -> bool:
    """Whether lines start with what goes on with the last block of a part: an item of its list, a row."""
    item, new = last_root_item(note, part), _ITEM.match(lines)
    if item is not None:
        return new is not None and new[1][-1] == item.marker[-1]
    last = line_start(note.text, filled(note.text, part)[1])
    if not (lines.startswith("|") and note.text.startswith("|", last)):
        return False
    scanner = Scanner(note.text, note.properties.body, note.properties.end_line + 1).run()
    return any(one.start < last < one.end for one in scanner.paragraphs)


def edit(text: str, old: str, new: str) -> str:
    """Give the text with one wording in the place of another, which stands in it exactly once.

    Raises:
        Unamendable: it stands there not once, in a managed section, or the properties could not be read after.
    """
    if not old:
        raise Unamendable("text_empty")
    note = writable(text)
    start, end = _only(text, old)
    splice = _difference(text, start, end, new.replace("\r\n", "\n"))
    if splice.start == splice.end and not splice.new:
        return text
    outside_sections(note, splice.start, splice.end)
    return _edited(note, splice)


def _only(text: str, old: str) -> tuple[int, int]:
    """Where a wording stands, whichever line endings the text has."""
    lines = old.replace("\r\n", "\n").split("\n")
    wording = re.compile(r"\r?\n".join(re.escape(line) for line in lines))
    found = wording.search(text)
    if found is None:
        raise Unamendable("text_missing")
    start = found.start()
    if wording.search(text, start + (2 if text.startswith("\r\n", start) else 1)):
        raise Unamendable("text_twice")
    return found.span()


def _difference(text: str, start: int, end: int, new: str) -> Splice:
    """What of `text[start:end]` gives way so that it reads `new`: nothing that both start or end with."""
    eol = eol_near(text, text.find("\n", start, end) + 1 or start)
    first, last = 0, len(new)
    while start < end and first < last:
        width = 2 if text.startswith("\r\n", start) and start + 2 <= end else 1
        if new[first] != ("\n" if width == 2 else text[start]):
            break
        start, first = start + width, first + 1
    while start < end and first < last:
        width = 2 if end - 2 >= start and text.startswith("\r\n", end - 2) else 1
        if new[last - 1] != ("\n" if width == 2 else text[end - 1]):
            break
        end, last = end - width, last - 1
    return Splice(start, end, with_endings(new[first:last], eol))


def _edited(before: Note, splice: Splice) -> str:
    after = _still_writable(spliced(before.text, [splice]))
    if [one.name for one in after.sections] != [one.name for one in before.sections]:
        raise Unamendable("added_breaks")
    if after.properties.state == "invalid" and before.properties.state != "invalid":
        raise Unamendable("properties_broken")
    return after.text


def _still_writable(text: str) -> Note:
    """Give what an amended text says.

    Raises:
        Unamendable: it could not be written to any more.
    """
    try:
        return writable(text)
    except Unamendable as error:
        code = "added_breaks" if error.code == "frozen" else "properties_broken"
        raise Unamendable(code) from error


def section_replace(text: str, heading: str, body: str) -> str:
    """Give the text with other lines under a heading, its smaller headings included.

    The heading, the blank lines around and what follows stay; without a body, nothing is left under it.

    Raises:
        Unamendable: the heading is not there once, the part holds a managed section, or what follows would change.
    """
    note = writable(text)
    part = part_of(note, heading)
    lines = _trimmed(body)
    require_open(note, part)
    start, end = filled(text, part)
    if start == end:
        return _under(note, part, _appended(note, part, lines)) if lines else text
    outside_sections(note, part.start, part.end)
    return _under(note, part, kept(note, part, _replacement(text, part, (start, end), lines)).text)


def _replacement(text: str, part: Part, span: tuple[int, int], lines: str) -> Splice:
    start, end = span
    if lines:
        eol = eol_near(text, text.find("\n", start, end) + 1 or start)
        new, following = with_endings(lines, eol), part.following
        stands_close = following is not None and text[end : following.start].count("\n") < 2
        if following and stands_close and following.end_line > following.line:
            new += eol
        return Splice(start, end, new)
    stop = text.find("\n", end) + 1
    if stop:
        return Splice(part.start, stop, "")
    before = part.start - (2 if text.startswith("\r\n", part.start - 2) else 1)
    return Splice(before, len(text), "")


def _under(before: Note, part: Part, text: str) -> str:
    """The text, when no heading was brought that would end the part."""
    after = writable(text)
    assert part.heading is not None
    level = part.heading.level
    if [one.level for one in roots(after) if one.level <= level] != [
        one.level for one in roots(before) if one.level <= level
    ]:
        raise Unamendable("heading_in_body", heading=part.heading.text)
    return text
