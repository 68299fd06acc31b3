"""The sections of a plan note rendered into a text: our lines come, change and go, the person's stay (laws 2 and 3)."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from parsers.model.notes import Section
from parsers.plan_lines import Fence, OwnLine
from renderers.frame import first_place
from renderers.splice import Splice

Keyed = Sequence[tuple[str, str]]
"""(id, line) in order; a line is given whole, without its line ending."""

_LABEL = re.compile(r"\t- ([^:]{1,40}?)[ \u00a0\u202f]?: ")
_LINES = re.compile(r"[^\n]*\n|[^\n]+")
_OPENS = re.compile(r"\t(`{3,})[^`]*\Z")


@dataclass(frozen=True, slots=True)
class ShownStep:
    """A step as its lines should read."""

    id: str
    first: str
    """Its first line between box and id."""
    children: tuple[str, ...]
    box: str | None
    """What stands in its box; None: what the person left there, `x` or nothing."""

    def lines(self, box: str = " ") -> tuple[str, ...]:
        """Give all its lines."""
        return (f"- [{self.box or box}] {self.first} ^{self.id}", *self.children)


def keyed(text: str, section: Section, own: Iterable[OwnLine], wanted: Keyed, hand: str = "") -> list[Splice]:
    """Bring the lines of a section that have an id: each stands once, its box as we write it.

    The line whose id is `hand` is left as it is where it stands.
    """
    lines = dict(wanted)
    kept: dict[str, OwnLine] = {}
    splices: list[Splice] = []
    first: OwnLine | None = None
    for one in own:
        first = first or one
        if one.id not in lines or one.id in kept:
            splices.append(Splice(one.start, one.stop, ""))
            continue
        kept[one.id] = one
        if one.id != hand and text[one.start : one.end] != lines[one.id]:
            splices.append(Splice(one.start, one.end, lines[one.id]))
    at = first.start if first else first_place(text, section)
    for name, line in wanted:
        if name in kept:
            at = kept[name].stop
        else:
            splices.append(Splice(at, at, line + section.eol))
    return splices


def steps(
    text: str,
    section: Section,
    own: Sequence[OwnLine],
    wanted: Sequence[ShownStep],
    *,
    emptied: bool,
    whole: bool,
) -> list[Splice]:
    """Bring the steps of a section; with `emptied` the person's boxes are, with `whole` missing ones come back."""
    found: dict[str, OwnLine] = {}
    splices: list[Splice] = []
    shown = {one.id: one for one in wanted}
    for one in own:
        if one.id in found:
            splices += _copy(text, section, one, shown[one.id])
        elif one.id in shown:
            found[one.id] = one
            splices += _step(text, section, one, shown[one.id], emptied=emptied)
    at = min((one.start for one in found.values()), default=first_place(text, section))
    for step in wanted:
        if step.id in found:
            at = _item_stop(text, found[step.id], section)
        elif whole:
            splices.append(Splice(at, at, "".join(line + section.eol for line in step.lines())))
    return splices


def _step(text: str, section: Section, line: OwnLine, step: ShownStep, *, emptied: bool) -> list[Splice]:
    left = line.char in {"x", "X"} and not emptied
    first, *children = step.lines(line.char if left and line.char else " ")
    splices = []
    if text[line.start : line.end] != first:
        splices.append(_first(text, line, first))
    stop = _item_stop(text, line, section)
    was = text[line.stop : stop]
    new = _merged(was, children, section.eol)
    return [*splices, Splice(line.stop, stop, new)] if new != was else splices


def _first(text: str, line: OwnLine, first: str) -> Splice:
    """Only the character in the box when nothing else differs."""
    boxed = f"- [{line.char}]"
    if line.char and text[line.start : line.end] == boxed + first[len("- [ ]") :]:
        return Splice(line.box, line.box + 1, first[3])
    return Splice(line.start, line.end, first)


def _copy(text: str, section: Section, line: OwnLine, step: ShownStep) -> list[Splice]:
    """A line that stood there already, further up: it goes when it is the same, with the children that are ours."""
    if text[line.start : line.end] not in {step.lines(char)[0] for char in (line.char or " ", " ")}:
        return []
    stop = _item_stop(text, line, section)
    return [Splice(line.start, stop, _merged(text[line.stop : stop], (), section.eol, step.children))]


def _item_stop(text: str, line: OwnLine, section: Section) -> int:
    """After the last line of the item: those below it that are indented, with the blank ones between them."""
    stop = at = line.stop
    while at < section.end:
        end = text.find("\n", at) + 1 or len(text)
        raw = text[at:end]
        if raw[:1] in {" ", "\t"} and raw.strip():
            stop = end
        elif raw.strip():
            break
        at = end
    return stop


def _merged(was: str, wanted: Sequence[str], eol: str, known: Sequence[str] = ()) -> str:
    """The children of a step: ours as they should be, the person's each behind the one of ours it stood behind.

    Ours are those that are wanted or known, those that start with the label of one, and fences like one.
    """
    groups = [(_bare(group), "".join(group)) for group in _groups(_LINES.findall(was))]
    todo = [_bare(group) for group in _groups(list(wanted))]
    ours = [*todo, *(_bare(group) for group in _groups(list(known)))]
    labels = {_kind(one) for one in ours}
    if [bare for bare, _ in groups] == todo:
        return was
    extras: dict[int, list[str]] = {}
    at = -1
    for bare, raw in groups:
        if bare in todo[at + 1 :]:
            at = todo.index(bare, at + 1)
        elif bare not in ours and _kind(bare) not in labels:
            extras.setdefault(at, []).append(raw)
    parts = extras.get(-1, [])
    for index, bare in enumerate(todo):
        parts += [bare.replace("\n", eol) + eol, *extras.get(index, [])]
    return "".join(parts)


def _groups(lines: list[str]) -> Iterator[list[str]]:
    """Lines one by one, a fence of a step's as one group."""
    at = 0
    while at < len(lines):
        start = at
        opening = _OPENS.match(lines[at].rstrip("\r\n"))
        at += 1
        if opening:
            close = next((n for n in range(at, len(lines)) if lines[n].strip() == opening[1]), None)
            at = at if close is None else close + 1
        yield lines[start:at]


def _bare(group: Sequence[str]) -> str:
    return "\n".join(line.rstrip("\r\n") for line in group)


def _kind(bare: str) -> str:
    """What a line of ours is known by when it says something else: its label, or the fence it opens."""
    label = _LABEL.match(bare)
    opening = _OPENS.match(bare.partition("\n")[0])
    return label[1] if label else "```" + opening[0].strip("\t`") if opening else bare


def fence(text: str, section: Section, found: Sequence[Fence], wanted: Sequence[str]) -> list[Splice]:
    """Bring the JSON fence of a section: it stands once."""
    lines = section.eol.join(wanted)
    if not found:
        at = first_place(text, section)
        return [Splice(at, at, lines + section.eol)]
    one, *others = found
    splices = [] if text[one.start : one.end] == lines else [Splice(one.start, one.end, lines)]
    return splices + [
        Splice(extra.start, text.find("\n", extra.end) + 1 or len(text), "") for extra in others
    ]


def content(lines: Iterable[str], eol: str) -> str:
    """Give the content of a section made anew, a blank line at both ends."""
    return eol + "".join(line + eol for line in lines) + eol


def by_section(own: Iterable[OwnLine]) -> Mapping[str, list[OwnLine]]:
    """Give our lines by section."""
    found: dict[str, list[OwnLine]] = {}
    for one in own:
        found.setdefault(one.section, []).append(one)
    return found
