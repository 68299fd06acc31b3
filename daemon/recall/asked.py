"""The words of a question and of short texts, in every form by which one may be found in the other."""

from collections.abc import Iterable, Mapping
from functools import lru_cache

from daemon.index.words import LANGUAGES, asked, cut, folded, stem_of

Wanted = tuple[frozenset[str], ...]
"""The words of a question that say something, each as the forms it may have."""


def forms(text: str) -> frozenset[str]:
    """Give every form of every word of a text: its stems by both languages, itself, the first sign of a pair."""
    found = set[str]()
    for word in set(cut(text)):
        found.update(_forms(word))
    return frozenset(found)


def wanted(query: str) -> Wanted:
    """Give the words of a question that say something, each once; all of them where none does."""
    terms = (frozenset((term.plain, *" ".join(term.stems).split())) for term in asked(query).terms)
    return tuple(dict.fromkeys(terms))


def spelt_as(words: Wanted, near: Mapping[str, Iterable[str]]) -> Wanted:
    """Give the words of a question, each also in the forms of what it is `near`."""
    return (
        tuple(one.union(*(near[plain] for plain in near if plain in one)) for one in words) if near else words
    )


@lru_cache(maxsize=1 << 13)
def _forms(word: str) -> tuple[str, ...]:
    plain = folded(word.rstrip("'"))
    return (
        plain,
        *(stem_of(word, language) for language in LANGUAGES),
        *(() if plain.isascii() else plain[:1]),
    )
