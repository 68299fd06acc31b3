"""Whom a question names, and what is known of whom, as words to be found by."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from daemon.index.aliases import at_home
from daemon.index.rows import title_of
from daemon.index.store import Index
from daemon.index.words import cut, folded
from daemon.memory.persons import relations_on, standing
from daemon.memory.state import State
from daemon.recall.asked import forms
from parsers.model.entities import Entity

_SHORTEST = 3
"""Letters from which on a first name alone may name somebody."""


@dataclass(frozen=True, slots=True)
class People:
    """The entities that one reader may know, with their home notes and the names these give."""

    entities: Mapping[str, Entity]
    by_name: Mapping[str, Sequence[tuple[tuple[str, ...], str]]]
    """First word of a name → the names that begin so, as words, and whose they are."""
    by_word: Mapping[str, frozenset[str]]
    """A form of a word in any of somebody's relations → those it may lead to, by id."""

    def named(self, text: str) -> tuple[str, ...]:
        """Give the ids of those that a text names: by a name, an alias, or a person's first name; whole words."""
        words = _words(text)
        return tuple(
            sorted(
                {
                    name
                    for place, word in enumerate(words)
                    for called, name in self.by_name.get(word, ())
                    if words[place : place + len(called)] == called
                }
            )
        )

    def related(self, words: frozenset[str]) -> set[str]:
        """Give the ids of those who have one of some words in a relation."""
        return {name for word in words for name in self.by_word.get(word, ())}

    def names(self, name: str) -> tuple[str, ...]:
        """Give every name of an entity: its own, its aliases, the title of its home note."""
        one = self.entities[name]
        title = (title_of(one.note),) if one.note else ()
        return tuple(dict.fromkeys((one.name, *one.aliases, *title)))


def people(index: Index, state: State, present: State, *, external: bool) -> People:
    """Give who is known, as far as a reader may know it: for one outside nobody who is private or sensitive (R-M06).

    `present` is what is known now: nobody whom it keeps from others was ever for them.
    """
    open_now = {one.id for one in standing(present, external=True)} if external else state.entities.keys()
    known = [
        one for one in standing(state, external=external) if one.status == "confirmed" and one.id in open_now
    ]
    found = at_home(index, known, external=external)
    by_name: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    by_word: dict[str, set[str]] = {}
    for one in found:
        for words in dict.fromkeys(map(_words, _called(one))):
            if words:
                by_name.setdefault(words[0], []).append((words, one.id))
        for relation in state.relations.get(one.id, ()):
            for word in forms(relation.text):
                by_word.setdefault(word, set()).add(one.id)
    return People(
        {one.id: one for one in found}, by_name, {word: frozenset(names) for word, names in by_word.items()}
    )


def relation(state: State, name: str, day: str) -> str:
    """Give how an entity stands to the owner on a day, in the person's words; `""` where nothing is known."""
    return ", ".join(one.text for one in relations_on(state, name, day) if one.to_id is None)


def _called(one: Entity) -> tuple[str, ...]:
    """Every way to call an entity: a person by the first name alone too."""
    first, _, rest = one.name.strip().partition(" ")
    alone = one.kind == "person" and rest and len(first) >= _SHORTEST and not first.endswith(".")
    return (one.name, *one.aliases, *((first,) if alone else ()))


def _words(text: str) -> tuple[str, ...]:
    return tuple(map(folded, cut(text)))
