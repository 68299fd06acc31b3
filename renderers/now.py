"""now.md written: whole, or its first section over what stands in the others (vault-notes.md, now.md)."""

from parsers.model.now import HEADINGS, NowSaid, NowSpan, NowTexts, Written
from parsers.now import parse


def render(texts: NowTexts, day: str) -> str:
    """Give the whole note."""
    parts = [f"# Now — {day}\n"]
    for name, heading in HEADINGS.items():
        text = getattr(texts, name)
        parts.append(f"\n## {heading}\n" + (f"\n{text}\n" if text else ""))
    return "".join(parts)


def brought_up(text: str | None, said: Written | None, shown: int) -> str | None:
    """Give the note as what was written last wants it; None where there is none and nothing was written.

    `text` is the note as it stands (None: there is none), `shown` the number of the writing it shows.
    """
    if said is None or said.seq <= shown:
        return text
    if text is None or min(said.seqs.values()) > shown:
        return render(said.texts, said.day)
    return focused(text, parse(text), said.texts.step, said.day)


def focused(text: str, said: NowSaid, step: str, day: str) -> str:
    """Give a note with another first section and the day of its title; every other byte is as it was.

    A title or section that is missing is put in; code or a comment that is open at the end of the note is closed before
    a section that comes after it. Line endings are the note's.
    """
    end = "\r\n" if "\r\n" in text else "\n"
    edits = [_section(text, said, step.replace("\n", end), end), _title(text, said, day, end)]
    for start, stop, new in sorted(edits, key=lambda one: one[0], reverse=True):
        text = text[:start] + new + text[stop:]
    return text


def _section(text: str, said: NowSaid, step: str, end: str) -> tuple[int, int, str]:
    """The bytes that become the first section, and what with."""
    span = said.spans.get("step", NowSpan(said.place, said.place))
    apart = f"{said.closer}{end}{end}" if said.closer else _blank(text, span.start, end)
    head = "" if "step" in said.spans else f"{apart}## {HEADINGS['step']}{end}"
    body = f"{end}{step}{end}" if step else ""
    after = "" if span.stop == len(text) else end
    return span.start, span.stop, f"{_gap(text, span.start, end)}{head}{body}{after}"


def _blank(text: str, at: int, end: str) -> str:
    """What keeps a heading apart from the lines above."""
    return end if text[:at].rstrip(" \t\ufeff") and not text[:at].endswith(("\n\n", "\n\r\n")) else ""


def _title(text: str, said: NowSaid, day: str, end: str) -> tuple[int, int, str]:
    """The bytes that become the day of the title, and what with."""
    start, stop = said.title
    if said.headed:
        return start, stop, day if start < stop else f" — {day}"
    return start, stop, f"{_gap(text, start, end)}# Now — {day}{end}{end}"


def _gap(text: str, at: int, end: str) -> str:
    """What begins a line there."""
    return "" if at == 0 or text[at - 1] in "\n\ufeff" else end
