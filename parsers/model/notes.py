"""Words about notes. Note: one `.md` file. Section: the lines between a begin and an end marker of ours."""

from dataclasses import dataclass
from typing import NewType

NotePath = NewType("NotePath", str)
"""Path of a note inside the vault: relative, `/` separated, as it is spelt on disk."""

Etag = NewType("Etag", str)
"""SHA-256 (64 hex digits) of exactly the bytes that were read."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing the owner should look at: where, and a catalogue key with its values for what and the remedy."""

    path: str
    """Note (or folder) it is about; `""` when about the vault itself."""
    line: int
    """1-based line, 0 when about the whole note."""
    code: str
    """Key of the sentence in the catalogue, without the leading `problem.`."""
    values: tuple[tuple[str, str], ...] = ()
    """Placeholders of the sentence, sorted by name."""


@dataclass(frozen=True, slots=True)
class Section:
    """A well-formed managed section: offsets in characters of the note's decoded text."""

    name: str
    begin_line: int
    """1-based line of the begin marker."""
    end_line: int
    """1-based line of the end marker."""
    start: int
    """Offset just after the begin marker's line ending: where the content starts."""
    end: int
    """Offset of the end marker's first character: where the content stops."""
    eol: str
    """Line ending of the begin marker's line, the one new lines take."""
