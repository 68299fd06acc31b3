"""Words about now.md. Section: one of its four texts; fault: why a text cannot stand there."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

NowSection = Literal["step", "services", "next", "context"]
HEADINGS: Mapping[NowSection, str] = {
    "step": "Étape courante",
    "services": "Services actifs (connus)",
    "next": "Prochaine action immédiate",
    "context": "Contexte implicite",
}
"""The four headings, in order; they stay French in every language."""
MOST = 1_500
"""Characters of one section at the most."""


class NowTexts(NamedTuple):
    """The four texts of now.md, Markdown."""

    step: str = ""
    services: str = ""
    next: str = ""
    context: str = ""


class NowFault(NamedTuple):
    """Why a text cannot stand in now.md."""

    code: Literal["long", "time", "heading", "unclosed"]
    section: NowSection
    line: int
    """Of the text, from 1."""
    found: str
    """The clock time or heading that stands there; for `long` how many characters there are."""


class NowSpan(NamedTuple):
    """Where a section stands in the note, as offsets."""

    start: int
    """Of what follows its heading's line."""
    stop: int
    """Of the next heading of level 1 or 2, or the end of the note."""


class NowSaid(NamedTuple):
    """What a now.md says."""

    day: str
    """The ISO day in its title, `""` where none stands there."""
    texts: NowTexts
    spans: Mapping[NowSection, NowSpan]
    """Of the headings that are there."""
    title: NowSpan
    """The day in the title, or where it would go: then both are the same."""
    place: int
    """Offset where a first section would go: below the title and what stands there under no heading."""
    closer: str
    """Line that must stand above a section put there, `""` for none: it ends code or a comment still open."""
    headed: bool
    """A title stands there, with or without a day."""


@dataclass(frozen=True, slots=True)
class Written:
    """What was written into now.md last."""

    texts: NowTexts
    seqs: Mapping[NowSection, int]
    """Which record wrote each section."""
    client: str
    provenance: str
    day: str
    """Local ISO day."""
    seq: int
