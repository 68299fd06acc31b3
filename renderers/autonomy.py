"""Autonomie.md: each line as it holds, what waits for its code said beside it (vault-notes.md)."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from parsers.autonomy import AutonomySaid, Row, claimed, words_of_code_line
from parsers.frame import Frame
from parsers.model.notes import Section
from parsers.model.policy import Delegation
from renderers.frame import first_place
from renderers.splice import Splice, spliced
from renderers.words import Words

DEFAULT_PER_RUN = Delegation("", "", 0).per_run


@dataclass(frozen=True, slots=True)
class ShownLine:
    """One line as it should read, without list marker and id."""

    words: str
    waits: bool
    """Whether a `Code :` line stands below it."""


@dataclass(frozen=True, slots=True)
class AutonomyView:
    """What Autonomie.md should say."""

    levels: Mapping[str, ShownLine]
    """By id, `level-vault`."""
    delegations: Mapping[str, ShownLine]
    """By id; the revoked ones only where they stand."""
    known: tuple[Delegation, ...]
    """Those that a line without an id may be: as they wait, else as they hold."""
    host: str
    """The line of the section `host`."""
    hosts: tuple[str, ...]
    """How such a line begins, in every language."""
    changes: tuple[str, ...]
    """How it ends, in every language."""
    code: str
    """What stands before the digits."""
    waiting: tuple[str, ...]
    """What a level that waits for its code says at its end, in every language."""


def view(
    levels: Mapping[str, int],
    asked_levels: Mapping[str, int],
    delegations: Mapping[str, Delegation],
    asked: Mapping[str, Delegation],
    host: str,
    words: Sequence[Words],
) -> AutonomyView:
    """Give the lines, in the first language of `words`."""
    first = words[0]
    shown_levels = {
        f"level-{domain}": ShownLine(
            _waiting(f"{domain} : {asked_levels.get(domain, level)}", domain in asked_levels, first),
            domain in asked_levels,
        )
        for domain, level in {**dict.fromkeys(asked_levels, 0), **levels}.items()
    }
    names = sorted({*delegations, *asked})
    latest = {name: asked.get(name) or delegations[name] for name in names}
    shown = {
        name: ShownLine(
            _waiting(_ticked(line_words(one, first), one, name in asked), name in asked, first), name in asked
        )
        for name, one in latest.items()
    }
    live = tuple(one for name, one in latest.items() if one.status != "revoked")
    label = first.say("autonomy.host")
    return AutonomyView(
        shown_levels,
        shown,
        live,
        f"{label}{host} {first.say('autonomy.host.change')}" if host else "",
        tuple(one.say("autonomy.host") for one in words),
        tuple(one.say("autonomy.host.change") for one in words),
        first.say("autonomy.code"),
        tuple(_waiting("", True, one) for one in words),
    )


def _waiting(said: str, waits: bool, words: Words) -> str:  # noqa: FBT001 - one word of the line
    return f"{said} · {words.say('autonomy.waiting')}" if waits else said


def _ticked(said: str, one: Delegation, waits: bool) -> str:  # noqa: FBT001 - as above
    return f"[{'x' if waits or one.status == 'active' else ' '}] {said}"


def line_words(one: Delegation, words: Words) -> str:
    """Give what a delegation allows, as its line says it; `parsers.autonomy.bounds` reads it back."""
    parts = [one.domain, words.say("autonomy.level", level=one.level), *one.paths]
    parts.append(words.say("autonomy.origins", names=", ".join(one.origins)))
    if one.covers:
        parts.append(words.say("autonomy.covers", names=", ".join(one.covers)))
    parts.append(words.say("autonomy.per_day", number=one.per_day))
    if one.per_run != DEFAULT_PER_RUN:
        parts.append(words.say("autonomy.per_run", number=one.per_run))
    if one.review:
        parts.append(words.say("autonomy.review", day=one.review))
    return " · ".join(parts)


def render(shows: AutonomyView, text: str, frame: Frame, what: AutonomySaid) -> str:
    """Give the note's text with its lines as they hold; the person's own lines stay, typed digits go."""
    names = claimed(what, shows.known)
    splices: list[Splice] = []
    standing: set[str] = set()
    for row in (*(row for _, row in what.levels), *(row for _, row in what.delegations)):
        name = row.id or names.get(row.line, "")
        line = shows.levels.get(name) or shows.delegations.get(name)
        if line is not None:
            splices += _line(text, row, name, line, shows)
            standing.add(name)
    for section in frame.sections:
        if section.name == "host" and shows.host:
            splices += _host(text, section, shows)
        elif section.name == "levels":
            splices += _added(text, section, _missing(shows.levels, standing), what.levels, shows.code)
        elif section.name == "delegations":
            live = {one.id for one in shows.known}
            wanted = {name: line for name, line in shows.delegations.items() if name in live}
            splices += _added(text, section, _missing(wanted, standing), what.delegations, shows.code)
    return spliced(text, splices)


def _missing(lines: Mapping[str, ShownLine], standing: Iterable[str]) -> dict[str, ShownLine]:
    there = set(standing)
    return {name: line for name, line in lines.items() if name not in there}


def _line(text: str, row: Row, name: str, line: ShownLine, shows: AutonomyView) -> list[Splice]:
    """The line's words where they differ; its `Code :` line added, emptied or taken out."""
    now = text[row.body : row.para_end]
    wanted = _level_words(text, row, name, line, shows) if row.said_end else f"{line.words} ^{name}"
    splices = [] if now == wanted else [Splice(row.body, row.para_end, wanted)]
    eol = "\r\n" if "\r\n" in text[row.start : row.stop] else "\n"
    own = f"\t- {shows.code}^{name}-code{eol}"
    after = text.find("\n", row.para_end, row.stop) + 1
    if line.waits and not row.code_lines:
        splices.append(Splice(after or row.stop, after or row.stop, own if after else eol + own))
    for number, (start, stop) in enumerate(row.code_lines):
        ours = own if line.waits and number == 0 else ""
        left = words_of_code_line(text[start:stop])
        kept = ours + (f"\t- {left}{eol}" if left else "")
        if text[start:stop] != kept:
            splices.append(Splice(start, stop, kept))
    return splices


def _level_words(text: str, row: Row, name: str, line: ShownLine, shows: AutonomyView) -> str:
    """The line of a level as it should read: what it states is ours, every other word of it the person's."""
    rest = text[row.said_end : row.para_end]
    for waiting in shows.waiting:
        rest = rest.replace(waiting, "", 1)
    named = re.search(rf"\^{re.escape(name)}(?=\s|\Z)", rest)
    return f"{line.words}{rest}" if named else f"{line.words}{rest.rstrip()} ^{name}"


def _added(
    text: str,
    section: Section,
    lines: Mapping[str, ShownLine],
    there: Sequence[tuple[object, Row]],
    code: str,
) -> list[Splice]:
    """New lines after the last one of ours."""
    if not lines:
        return []
    at = there[-1][1].stop if there else first_place(text, section)
    added = ""
    for name, line in lines.items():
        added += f"- {line.words} ^{name}{section.eol}"
        if line.waits:
            added += f"\t- {code}^{name}-code{section.eol}"
    return [Splice(at, at, added)]


def _host_line(line: str, at: int, shows: AutonomyView) -> list[Splice]:
    """Our words of the line, where they differ; what stands behind them is the person's and stays."""
    begins, ends = ("|".join(map(re.escape, said)) for said in (shows.hosts, shows.changes))
    ours = re.match(rf"(?:{begins})\S*(?: (?:{ends}))?", line)
    end = ours.end() if ours else 0
    return [] if line[:end] == shows.host else [Splice(at, at + end, shows.host)]


def _host(text: str, section: Section, shows: AutonomyView) -> list[Splice]:
    at = section.start
    while at < section.end:
        stop = text.find("\n", at, section.end)
        end = stop if stop >= 0 else section.end
        line = text[at:end].removesuffix("\r")
        if line.startswith(shows.hosts):
            return _host_line(line, at, shows)
        at = end + 1
    place = first_place(text, section)
    return [Splice(place, place, shows.host + section.eol)]
