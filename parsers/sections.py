"""Markers of ours: which lines are one, which sections they make, and what is wrong with the others."""

import re
from bisect import bisect_right
from collections import Counter
from typing import Literal, NamedTuple

from parsers.model.notes import Fault, Section

_MARK = re.compile(r"<!-- clavaire:(begin|end) ([A-Za-z0-9_-]+) -->[ \t]*\r?$")
_CONFLICT = re.compile(r"^(?:\A\ufeff)?(<{7} .*|={7}|>{7} .*)\r?$", re.MULTILINE)


class Mark(NamedTuple):
    """A marker of ours."""

    kind: Literal["begin", "end"]
    name: str
    line: int
    start: int
    end: int
    """Offset after its line ending."""
    eol: str


def mark(raw: str, line: int, start: int, size: int) -> Mark | None:
    """The marker that a line is (without its line feed, in a text of `size` characters); None for another."""
    found = _MARK.match(raw)
    if found is None:
        return None
    kind: Literal["begin", "end"] = "begin" if found[1] == "begin" else "end"
    eol = "\r\n" if raw.endswith("\r") else "\n"
    return Mark(kind, found[2], line, start, min(start + len(raw) + 1, size), eol)


def pair(marks: list[Mark]) -> tuple[list[Section], list[Fault]]:
    """The well-formed sections, and a fault for each marker or section that is not."""
    sections: list[Section] = []
    faults: list[Fault] = []
    opened: list[Mark] = []
    names: Counter[str] = Counter()
    for one in marks:
        if one.kind == "begin":
            opened.append(one)
            names[one.name] += 1
        elif not names[one.name]:
            faults.append(Fault("section_end_without_begin", one.line, one.name))
        else:
            while (begin := opened.pop()).name != one.name:
                names[begin.name] -= 1
                faults.append(Fault("section_unclosed", begin.line, begin.name))
            names[one.name] -= 1
            sections.append(Section(one.name, begin.line, one.line, begin.end, one.start, begin.eol))
    faults += [Fault("section_unclosed", one.line, one.name) for one in opened]
    return _apart(sections, faults)


def _apart(sections: list[Section], faults: list[Fault]) -> tuple[list[Section], list[Fault]]:
    """Without sections that stand twice, in one another, or around a marker that is no section's."""
    sections.sort(key=lambda section: section.begin_line)
    counts = Counter(section.name for section in sections)
    good: list[Section] = []
    seen: set[str] = set()
    outer_end = 0
    for section in sections:
        if section.begin_line < outer_end:
            faults.append(Fault("section_nested", section.begin_line, section.name))
        elif section.name in seen:
            faults.append(Fault("section_twice", section.begin_line, section.name))
        elif counts[section.name] == 1:
            good.append(section)
        seen.add(section.name)
        outer_end = max(outer_end, section.end_line)
    faults.sort(key=lambda fault: fault.line)
    lines = [fault.line for fault in faults]
    return [one for one in good if not _between(lines, one.begin_line, one.end_line)], faults


def _between(lines: list[int], first: int, last: int) -> bool:
    index = bisect_right(lines, first)
    return index < len(lines) and lines[index] < last


def conflict(text: str, code: list[tuple[int, int]]) -> list[Fault]:
    """One fault when the three kinds of lines that git leaves stand in order, the first outside `code`."""
    if "<<<<<<< " not in text:
        return []
    starts = [start for start, _ in code]
    line, number, counted, waiting = 0, 1, 0, "<"
    for found in _CONFLICT.finditer(text):
        sign = found[1][0]
        number += text.count("\n", counted, found.start())
        counted = found.start()
        if sign == "<" and waiting != ">":
            index = bisect_right(starts, found.start()) - 1
            if index < 0 or found.start() >= code[index][1]:
                line, waiting = number, "="
        elif sign == waiting == "=":
            waiting = ">"
        elif sign == waiting == ">":
            return [Fault("git_conflict", line, "")]
    return []
