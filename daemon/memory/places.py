"""Where a fact's line stands: in which note, section or below whom (vault-notes.md); and where it was taken from."""

import re

from config.paths import NAMES
from daemon.memory.state import State
from parsers.model.facts import KIND_OF, Fact, Kind
from parsers.model.places import NotePath
from parsers.statements import Spot

FACT_NOTES = (NAMES.profile, NAMES.people)
"""The notes whose lines are facts, in the order in which they are read."""
TAKEN_FROM = re.compile(
    r"(?P<note>.*\.md|.*?)(?:#\^?(?P<block>.*)|:(?P<first>\d{1,9})(?:-(?P<last>\d{1,9}))?)?", re.DOTALL
)
"""`source_ref` of a fact: `note`, `note#^block`, `note:line` or `note:first-last`.

A note's name may hold what begins a place: it ends with the last `.md`.
"""


def kind_at(spot: Spot) -> Kind:
    """Give the kind of fact that a line is by its place: below somebody it is a plain fact."""
    return KIND_OF.get(spot.section, "fact")


def at_place(fact: Fact, spot: Spot) -> bool:
    """Tell whether a line stands where the line of a fact does."""
    return fact.kind == kind_at(spot) and fact.entity_id == spot.entity


def note_of(state: State, fact: Fact) -> NotePath:
    """Give the note in which a fact's line stands: below whom it is about, unless the person wrote it in Profil.md."""
    about = state.entities.get(fact.entity_id or "")
    if about is None or about.kind != "person":
        return NAMES.profile
    written = fact.source == "user" and fact.source_ref == NAMES.profile and about.note is not None
    return NAMES.profile if written else NAMES.people
