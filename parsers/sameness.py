"""When two texts say the same, or the opposite (memory.md, rules 5 and 6)."""

import re
import unicodedata

_ELISION = re.compile(r"\b(n)['’](?=\w)")
_DO_NOT = re.compile(r"\b(?:do|does|did) (?=not\b)")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?|[^\w\s]")
_NEGATIONS = {
    *("ne", "n", "pas", "jamais", "non", "aucun", "aucune", "sans", "guere", "point"),
    *(
        "not",
        "no",
        "never",
        "don't",
        "doesn't",
        "didn't",
        "isn't",
        "aren't",
        "can't",
        "cannot",
        "won't",
        "without",
    ),
}
"""Words that turn a sentence round, accents folded."""
_AFTER_NE = {"plus", "rien", "personne", "nulle", "nul", "nullement"}
"""Words that do so together with `ne` only: `plus de thé` denies nothing."""


def folded(text: str) -> str:
    """Give the text without case, accents, doubled spaces and final point: equal means said again (rule 5).

    Numbers, dates and negation words are kept.
    """
    plain = text.casefold()
    if not plain.isascii():
        decomposed = unicodedata.normalize("NFD", plain)
        plain = "".join(char for char in decomposed if not unicodedata.combining(char))
    plain = " ".join(plain.split())
    return plain.removesuffix(".").rstrip()


def said_key(text: str, entity: str | None) -> str:
    """Give what two lines have in common that say the same of the same: entity, None for the owner (rule 5)."""
    return f"{folded(text)}\n{entity}" if entity else folded(text)


def core(text: str) -> str:
    """Give the words of a text without its negations: equal cores may contradict each other (rule 6)."""
    words = _words(text)
    denials = _denials(words)
    return " ".join(word for word in words if word not in denials)


def opposed(one: str, other: str) -> bool:
    """Tell whether two texts are equal but for a negation (rule 6)."""
    first, second = _words(one), _words(other)
    negated = {sum(word in _denials(words) for word in words) for words in (first, second)}
    return bool(core(one)) and core(one) == core(other) and len(negated) == 2 and 0 in negated


def _denials(words: list[str]) -> set[str]:
    return _NEGATIONS | _AFTER_NE if "ne" in words or "n" in words else _NEGATIONS


def _words(text: str) -> list[str]:
    plain = _DO_NOT.sub("", folded(text).replace("’", "'"))
    return _WORD.findall(_ELISION.sub("n ", plain))
