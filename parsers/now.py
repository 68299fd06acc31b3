"""now.md read: its day and four texts; and what may stand in them: no clock time, nothing that breaks the sections.

Whatever the person made of the note is read as far as it goes; only what somebody wants to write is checked (R-N02).
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from parsers.model.notes import Heading
from parsers.model.now import HEADINGS, MOST, NowFault, NowSaid, NowSection, NowSpan, NowTexts
from parsers.note import outline
from parsers.sameness import folded

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}(?!\d)")
_TITLE = re.compile(r"now\b", re.IGNORECASE)
_HOUR, _MINUTE = r"(?:[01]?\d|2[0-3])", r"[0-5]\d(?!\d)"
_ALONE, _APART = r"(?<!\d)(?<!\d[.,:])", r"(?<![^\W_])(?<!\d[.,:])"
"""Before what no longer number, and no word either, goes on with; a word after ends at `_OVER`."""
_OVER = r"(?![^\W_])"
_TIMES = re.compile(
    rf"{_ALONE}{_HOUR}[:∶]{_MINUTE}(?::{_MINUTE})?"  # 14:30, T10:29:14
    rf"|(?<![^\W_])(?:à|vers|dès|avant|après|depuis|at)\s{_HOUR}\s[:∶]\s?{_MINUTE}{_OVER}"  # à 14 : 30
    rf"|{_APART}(?:1\d|2[0-3])\s[:∶]\s?{_MINUTE}(?!\s*[^\W_])"  # 14 : 30, not « Lot 14 : 30 tests »
    rf"|{_ALONE}{_HOUR}\s?h\s?{_MINUTE}|{_APART}{_HOUR}\s?h{_OVER}"  # 14h30, 14 h
    rf"|{_APART}{_HOUR}\s(?:heures?|hours?)\s{_MINUTE}"  # 14 heures 30
    rf"|{_APART}(?:1[3-9]|2[0-3])\s?heures{_OVER}(?!\s(?:de\b|d['’]))"  # 14 heures; 9 may be how long it takes
    rf"|(?<![^\W_])(?:à|vers|dès|avant|après|depuis)\s{_HOUR}\s?heures?{_OVER}"  # à 14 heures
    rf"|{_APART}(?:0?[1-9]|1[0-2])(?:[:.]{_MINUTE})?\s?[ap](?:\.\s?m\.|m{_OVER})"  # 2pm, 2.30 p.m.
    rf"|{_APART}\d{{1,2}}\s?o['’]clock{_OVER}"
    r"|(?<!\d)\d{8}T(?:[01]\d|2[0-3])[0-5]\d",  # 20261130T1029
    re.IGNORECASE,
)
_PLACE = re.compile(r"[\w)\]]\.\w{1,9}:$")
"""Before a line and a column in a file (`pipeline.py:12:30`)."""
_OTHER: dict[str, NowSection] = {folded("Prochain action immédiate"): "next"}
_NAMES: dict[str, NowSection] = {**{folded(said): name for name, said in HEADINGS.items()}, **_OTHER}
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})", re.MULTILINE)
_CLOSERS = ("%%", "-->", "</pre>", "?>", "]]>", ">")
"""What ends the comments, and the HTML, that a blank line does not."""
_CONTROL = {number: None for number in range(32) if chr(number) not in "\t\n"} | {127: None}


def parse(text: str) -> NowSaid:
    """Give what a now.md says; any text gives an answer. Of two sections of one name the first counts."""
    known = outline(text)
    heads = [one for one in known.headings if one.level <= 2 and not one.nested]
    spans: dict[NowSection, NowSpan] = {}
    for place, head in enumerate(heads):
        name = _NAMES.get(folded(head.text))
        if name is not None and name not in spans:
            stop = heads[place + 1].start if place + 1 < len(heads) else len(text)
            spans[name] = NowSpan(min(_after(text, head), stop), stop)
    texts = NowTexts(**{name: plain(text[span.start : span.stop]) for name, span in spans.items()})
    title = next((one for one in heads if one.level == 1 and _TITLE.match(one.text)), None)
    if title is None:
        at = known.properties.body
        return NowSaid("", texts, spans, NowSpan(at, at), *_place(text, heads, at), headed=False)
    below = _after(text, title)
    found = _DAY.search(text, title.start, below)
    end = len(text[title.start : below].partition("\n")[0].rstrip()) + title.start
    there = NowSpan(*found.span()) if found else NowSpan(end, end)
    return NowSaid(found[0] if found else "", texts, spans, there, *_place(text, heads, below), headed=True)


def _place(text: str, heads: Sequence[Heading], below: int) -> tuple[int, str]:
    """Where a section would go: before the next heading, or at the end; and what closes there what is open still.

    Code or a comment that nothing closes goes on to the end of the note: closed there it reads the same.
    """
    nexts = [one.start for one in heads if one.start >= below]
    if nexts:
        return nexts[0], ""
    runs = _FENCE.findall(text)
    fences = (max((run for run in runs if run[0] == sign), key=len, default="") for sign in "`~")
    for closer in ("", *filter(None, fences), *_CLOSERS):
        if any(one.start > len(text) for one in outline(f"{text}\n{closer}\n\n# Now\n").headings):
            return len(text), closer
    return below, ""


def _after(text: str, head: Heading) -> int:
    """The offset of the line after a heading."""
    at = head.start
    for _ in range(head.end_line - head.line + 1):
        at = text.find("\n", at) + 1
        if not at:
            return len(text)
    return at


def plain(text: str) -> str:
    """Give a text as it is compared and written: LF, no control characters, no blank lines around it."""
    text = text.encode("utf-8", "replace").decode("utf-8")
    text = text.replace("\r\n", "\n").replace("\r", "\n").translate(_CONTROL)
    lines = text.split("\n")
    while lines and not lines[0].strip():
        del lines[0]
    return "\n".join(lines).rstrip()


def fault(name: NowSection, text: str) -> NowFault | None:
    """Give why a text cannot stand in a section, None when it can; `text` as `plain` gives it."""
    if len(text) > MOST:
        return NowFault("long", name, 1, str(len(text)))
    for line, found in _clock_times(text):
        return NowFault("time", name, line, found)
    start, end = "# Now\n\n## Étape courante\n\n", "\n\n## Contexte implicite\n\n"
    heads = [one for one in outline(start + text + end).headings if one.level <= 2 and not one.nested]
    inside = [one for one in heads[2:] if one.start < len(start) + len(text)]
    if inside:
        return NowFault("heading", name, inside[0].line - 4, inside[0].text.strip()[:60])
    if parse(start + text + end).texts != NowTexts(step=text) or len(heads) != 3:
        return NowFault("unclosed", name, text.count("\n") + 1, text.rpartition("\n")[2].strip()[:60])
    return None


def faults(texts: NowTexts, which: Literal["all", "step"] = "all") -> Iterator[NowFault]:
    """Give why texts cannot stand in now.md, section by section."""
    names: Iterable[NowSection] = HEADINGS if which == "all" else ("step",)
    for name in names:
        found = fault(name, plain(getattr(texts, name)))
        if found:
            yield found


def _clock_times(text: str) -> Iterator[tuple[int, str]]:
    """The lines on which a clock time stands, with it; digits and signs of any script count as ours."""
    for number, line in enumerate(text.split("\n"), 1):
        same = unicodedata.normalize("NFKC", line)
        for match in _TIMES.finditer(same):
            if not _PLACE.search(same[: match.start()]):
                yield number, match[0].strip()
