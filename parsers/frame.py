"""The frame of a managed note: its sections, and what is hidden or broken in it.

A note is scanned once. Afterwards an edit that stays inside one section and touches nothing that opens or closes a
block, a comment or a marker only shifts the frame: a save in a note of thousands of lines costs what it changed.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from parsers.model.notes import Comment, Fault, Section
from parsers.note import scan

_TAGS = re.compile(r"^ {0,3}<(?!!-- clavaire:(?:begin|end) )", re.MULTILINE)
"""HTML blocks end at blank lines, so a harmless-looking edit may open what they hide."""
_HARMFUL = re.compile(r"[<>]|%%|```|~~~|={7}")


_STEP = 1 << 13
"""Characters compared at once: their copies stay in the processor's cache."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Where the sections of a text stand; offsets are characters, lines 1-based."""

    sections: tuple[Section, ...]
    comments: tuple[Comment, ...]
    """The `%%` block comments."""
    tasks: frozenset[int]
    """Lines that are tasks for Obsidian too."""
    faults: tuple[Fault, ...]
    shiftable: bool
    """Whether an edit inside a section may only shift it."""


def frame_of(text: str, *, tasks: bool = False) -> Frame:
    """Give the frame of a text; with `tasks`, the lines that are tasks too (it is then never shifted)."""
    note = scan(text)
    return Frame(
        note.sections,
        tuple(comment for comment in note.comments if comment.kind == "block"),
        frozenset(task.line for task in note.tasks) if tasks else frozenset(),
        note.faults,
        not tasks and not note.faults and not _TAGS.search(text),
    )


@dataclass(frozen=True, slots=True)
class Difference:
    """The whole lines in which two texts differ."""

    start: int
    """Offset of the first, in both texts."""
    stop: int
    """Offset after the last, in the old text."""
    fresh_stop: int
    """Offset after the last, in the new text."""

    @property
    def moved(self) -> int:
        """Characters by which what follows has moved."""
        return self.fresh_stop - self.stop

    def lines(self, old: str, new: str) -> int:
        """Give the lines by which what follows has moved."""
        return new.count("\n", self.start, self.fresh_stop) - old.count("\n", self.start, self.stop)


def shifted(frame: Frame, old: str, new: str, where: Difference) -> Frame | None:
    """Give the frame of `new` from that of `old`, None when it has to be scanned."""
    if not frame.shiftable:
        return None
    start, stop, fresh_stop = where.start, where.stop, where.fresh_stop
    inside = next((one for one in frame.sections if one.start <= start and stop <= one.end), None)
    if inside is None or _HARMFUL.search(old[start:stop]) or _HARMFUL.search(new[start:fresh_stop]):
        return None
    moved, lines = where.moved, where.lines(old, new)
    sections = tuple(_shifted_section(one, stop, moved, lines) for one in frame.sections)
    comments = tuple(_shifted_comment(one, start, stop, moved, lines) for one in frame.comments)
    return replace(frame, sections=sections, comments=comments)


def difference(old: str, new: str) -> Difference:
    """Give the whole lines in which two texts differ."""
    least = min(len(old), len(new))
    head = _longest(least, lambda low, high: old[low:high] == new[low:high])
    start = old.rfind("\n", 0, head) + 1
    ends = len(old), len(new)
    tail = _longest(
        least - start,
        lambda low, high: old[ends[0] - high : ends[0] - low] == new[ends[1] - high : ends[1] - low],
    )
    stop, fresh_stop = len(old) - tail, len(new) - tail
    if not (_starts_line(old, start, stop) and _starts_line(new, start, fresh_stop)):
        stop = old.find("\n", stop) + 1 or len(old)
    return Difference(start, stop, len(new) - (len(old) - stop))


def _starts_line(text: str, start: int, at: int) -> bool:
    return at == start or text[at - 1] == "\n"


def _longest(most: int, same: Callable[[int, int], bool]) -> int:
    """How far two texts are the same; `same` compares a part of them, so that each is looked at once."""
    low, high = 0, min(_STEP, most)
    while high > low and same(low, high):
        low, high = high, min(high + _STEP, most)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if same(low, middle) else (low, middle - 1)
    return low


def _shifted_section(one: Section, stop: int, moved: int, lines: int) -> Section:
    if one.end < stop:
        return one
    if one.start <= stop:
        return replace(one, end=one.end + moved, end_line=one.end_line + lines)
    return replace(
        one,
        start=one.start + moved,
        end=one.end + moved,
        begin_line=one.begin_line + lines,
        end_line=one.end_line + lines,
    )


def _shifted_comment(one: Comment, start: int, stop: int, moved: int, lines: int) -> Comment:
    if one.end <= start:
        return one
    if one.start < stop:
        return replace(one, end=one.end + moved, end_line=one.end_line + lines)
    return replace(
        one,
        start=one.start + moved,
        end=one.end + moved,
        start_line=one.start_line + lines,
        end_line=one.end_line + lines,
    )
