"""Words that name things: a note, a version of its bytes, a problem somewhere. Apart, as every command needs them."""

from typing import NamedTuple, NewType

NotePath = NewType("NotePath", str)
"""Path of a note inside the vault: relative, `/` separated, as it is spelt on disk."""

Etag = NewType("Etag", str)
"""SHA-256 (64 hex digits) of exactly the bytes that were read."""


class Problem(NamedTuple):
    """One thing the owner should look at: where, and a catalogue key with values for what and the remedy."""

    path: str
    """Note (or folder) it is about; `""` when about the vault itself."""
    line: int
    """1-based line, 0 when about the whole note."""
    code: str
    """Key of the sentence in the catalogue, without the leading `problem.`."""
    values: tuple[tuple[str, str], ...] = ()
    """Placeholders of the sentence, sorted by name."""
