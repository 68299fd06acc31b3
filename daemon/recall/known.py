"""What is known, as one reader may use it, ready to be asked (R-M05, R-M06).

A fact is told only when it is confirmed (or held: lost by accident, not by wish) and holds on the day. A reader outside
is told nothing that is not of ordinary sensitivity as it is known now: neither by its own wording in any version, nor
by its subject, nor by the note it was taken from.
"""

import re
from collections.abc import Iterable

from config.paths import NAMES
from daemon.index.declared import sensitivities
from daemon.index.store import Index
from daemon.memory.persons import open_to_others
from daemon.memory.places import TAKEN_FROM
from daemon.memory.recollect import holds
from daemon.memory.state import State
from daemon.recall.people import people
from daemon.recall.score import successors
from parsers.model.facts import Fact

_BELIEVED = frozenset(("confirmed", "held"))
_PIN = re.compile(r"(?<!\S)#(?:épinglé|épingle|pinned|pin)(?![\w/-])", re.IGNORECASE)


class Known:
    """A state, what follows from it, and what of it is kept back from a reader outside."""

    def __init__(self, index: Index, state: State, present: State, *, external: bool) -> None:
        """Take the state that is asked, and the one that says what is sensitive now: the same, or a later one."""
        self.state = state
        self.people = people(index, state, present, external=external)
        versions = [fact for known in state.facts.values() for fact in known]
        self.after = successors(versions)
        """Fact → those that replaced it."""
        self.about: dict[str, set[str]] = {}
        """Entity → facts about it."""
        self.quoted: dict[str, list[Source]] = {}
        """Note → what was taken from it and has been replaced."""
        self.pinned = sorted({fact.id for fact in versions if is_pinned(fact)})
        """Facts that are, or were, kept in every context."""
        for fact in versions:
            if fact.entity_id:
                self.about.setdefault(fact.entity_id, set()).add(fact.id)
            if self.after.get(fact.id) and fact.source_ref:
                source = Source(fact)
                self.quoted.setdefault(source.note, []).append(source)
        self._kept_back = _kept_back(index, state, present) if external else frozenset[str]()

    def holding(self, name: str, day: str) -> Fact | None:
        """Give the version of a fact that may be told as what holds on a day, None where none may."""
        if name in self._kept_back:
            return None
        found = (one for one in reversed(self.state.facts.get(name, ())) if self.told(one, day))
        return next(found, None)

    def told(self, fact: Fact, day: str) -> bool:
        """Tell whether a version may be told as what holds on a day."""
        return fact.status in _BELIEVED and holds(fact, day) and fact.id not in self._kept_back

    def replaced_at(self, note: str, block: str | None, lines: range, text: str) -> set[str]:
        """Give the facts that replaced those taken from a block, with those that replaced these."""
        return {
            name
            for source in self.quoted.get(note, ())
            if source.stands(block, lines, text)
            for name in self.after[source.fact]
        }


def is_pinned(fact: Fact) -> bool:
    """Tell whether a fact bears the tag `#épinglé`, or `#pinned`: it stands in every context."""
    return "#" in fact.text and _PIN.search(fact.text) is not None


class Source:
    """Where a fact was taken from, as `TAKEN_FROM` reads it."""

    def __init__(self, fact: Fact) -> None:
        self.fact, self._text = fact.id, fact.text
        match = TAKEN_FROM.fullmatch(fact.source_ref or "")
        self.note: str = match["note"] if match else ""
        self._block: str | None = match["block"] if match else None
        first = match["first"] if match else None
        self._lines = range(int(first), int((match and match["last"]) or first) + 1) if first else None

    def stands(self, block: str | None, lines: range, text: str) -> bool:
        """Tell whether a block of its note is what it names; of a whole note it is the block with its words."""
        if self._block is not None:
            return self._block == block
        if self._lines is not None:
            return self._lines.start < lines.stop and lines.start < self._lines.stop
        return bool(self._text) and self._text in text


def _kept_back(index: Index, state: State, present: State) -> frozenset[str]:
    """The facts that no reader outside may know of: as they are now, whatever they were."""
    versions = [fact for name in state.facts for fact in (*state.facts[name], *present.facts.get(name, ()))]
    sources = [(fact.id, Source(fact).note) for fact in versions if fact.source_ref]
    declared = sensitivities(index, (note for _, note in sources))
    closed = {one.id for one in versions if not (open_to_others(present, one) and open_to_others(state, one))}
    closed.update(name for name, note in sources if _protected(note, declared.get(note)))
    return frozenset(closed)


def _protected(note: str, declared: str | None) -> bool:
    """Whether what was taken from a note is not for others: it says so, or is not there to say otherwise."""
    if declared is None:
        return note.endswith(".md") and not note.startswith(f"{NAMES.assistant}/")
    return declared != "normal"


def below(folder: str | None, paths: Iterable[str | None]) -> bool:
    """Tell whether one of some paths lies below a folder; without a folder, all do."""
    return folder is None or any(path is not None and path.startswith(folder) for path in paths)
