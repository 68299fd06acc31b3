"""Amendments of tasks: a new one at the end of a list, another character in a box."""

import re
from datetime import date

from parsers.model.notes import Item, Note
from renderers.amend.failure import Unamendable
from renderers.amend.places import (
    Part,
    kept,
    last_root_item,
    line_start,
    outside_sections,
    part_of,
    placed,
    require_open,
    writable,
)
from renderers.splice import Splice, spliced

BOXES = {"todo": " ", "done": "x", "in_progress": "/", "cancelled": "-"}
"""What stands in a box, by the name of a status."""
_DUE = "📅"
_OWN_ID = re.compile(r"[ \t]+\^[A-Za-z0-9-]+[ \t]*\Z")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_NUMBER = re.compile(r"([0-9]+)([.)])")


def task_add(text: str, task: str, heading: str | None = None, due: str | None = None) -> str:
    """Give the text with an open task added at its end, or at the end of the part under a heading.

    It goes on with the list that stands there, in its style; a block id at its end stays last.

    Raises:
        Unamendable: the task is no single line, the day is none, or the place is not there or not open.
    """
    said = _said(task, due)
    note = writable(text)
    part = part_of(note, heading)
    require_open(note, part)
    before = last_root_item(note, part)
    head = _head(note, part, before)
    joined = before is not None and before.marker[-1] == head.strip()[-1]
    addition = placed(note, part, f"{head}[ ] {said}", tight=before is not None, joined=joined)
    outside_sections(note, addition.splice.start, addition.splice.end)
    after = kept(note, part, addition.splice)
    chars = [one.char for one in after.tasks if line_start(after.text, one.start) != addition.first]
    if chars != [one.char for one in note.tasks] or len(after.tasks) != len(chars) + 1:
        raise Unamendable("added_breaks")
    return after.text


def _said(task: str, due: str | None) -> str:
    said = task.strip(" \t\r\n")
    if not said or re.search(r"[\r\n]", said):
        raise Unamendable("task_text")
    if due is None:
        return said
    if not _is_day(due):
        raise Unamendable("due", due=due)
    own = _OWN_ID.search(said)
    place = own.start() if own else len(said)
    return f"{said[:place]} {_DUE} {due}{said[place:]}"


def _is_day(due: str) -> bool:
    try:
        return bool(_DAY.fullmatch(due) and date.fromisoformat(due))
    except ValueError:
        return False


def _head(note: Note, part: Part, before: Item | None) -> str:
    """What comes before the box: the indentation, marker and blanks of the nearest list."""
    if before is not None:
        return _next(note.text, before)
    here = [one for one in note.items if not one.depth and one.container is None]
    inside = [one for one in here if part.start <= one.start < part.end]
    earlier = [one for one in here if one.start < part.start]
    near = (inside or earlier or here)[-1:] if inside or earlier else here[:1]
    marker = near[0].marker if near else "-"
    return f"1{marker[-1]} " if _NUMBER.fullmatch(marker) else f"{marker} "


def _next(text: str, item: Item) -> str:
    """The same as before the content of an item, counted on when it has a number."""
    blanks = text[line_start(text, item.start) : item.start]
    gap = text[item.start + len(item.marker) : item.content]
    marker = item.marker
    if number := _NUMBER.fullmatch(marker):
        following = str(int(number[1]) + 1)
        marker = (following if len(following) < 10 else number[1]) + number[2]
    return (blanks if not blanks.strip(" ") else "") + marker + (gap if gap and not gap.strip(" \t") else " ")


def task_set(text: str, task: str, status: str) -> str:
    """Give the text with another character in the box of one task, named by its block id or its exact text.

    Raises:
        Unamendable: no such task, or several; it stands in a managed section; the status is none.
    """
    char = BOXES.get(status, status)
    if len(char) != 1 or char in "[]" or not (char == " " or char.isprintable()):
        raise Unamendable("status", status=status)
    note = writable(text)
    found = _named(note, task)
    if len(found) != 1:
        raise Unamendable("task_twice" if found else "task_missing", task=task.strip())
    item = found[0]
    assert item.char is not None
    outside_sections(note, item.start, item.start + 1)
    box = item.content + 1
    new = spliced(text, [Splice(box, box + len(item.char), char)])
    after = writable(new)
    expected = [char if one is item else one.char for one in note.tasks]
    if [one.char for one in after.tasks] != expected or not new.startswith(f"[{char}]", item.content):
        raise Unamendable("status", status=status)
    return new


def _named(note: Note, task: str) -> list[Item]:
    wanted = task.strip()
    own = wanted.removeprefix("^").casefold()
    found = [one for one in note.tasks if one.id is not None and one.id.casefold() == own]
    if wanted.startswith("^"):
        return found
    return found + [one for one in note.tasks if one not in found and wanted in _texts(note.text, one)]


def _texts(text: str, item: Item) -> set[str]:
    """What the first line of a task says, with and without its block id."""
    stop = text.find("\n", item.content)
    said = text[item.content + 3 : stop if stop >= 0 else len(text)].strip(" \t\r")
    own = _OWN_ID.search(said)
    return {said, said[: own.start()]} if own else {said}
