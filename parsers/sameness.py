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


def folded(text: str) -> str:
    """Give the text without case, accents, doubled spaces and final point: equal means said again (rule 5).

    Numbers, dates and negation words are kept.
    """
    plain = text.casefold()
    if not plain.isascii():
        decomposed = unicodedata.normalize("NFKD", plain)
        plain = "".join(char for char in decomposed if not unicodedata.combining(char))
    plain = " ".join(plain.split())
    return plain.removesuffix(".").rstrip()


def core(text: str) -> str:
    """Give the words of a text without its negations: equal cores may contradict each other (rule 6)."""
    return " ".join(word for word in _words(text) if word not in _NEGATIONS)


def opposed(one: str, other: str) -> bool:
    """Tell whether two texts are equal but for a negation (rule 6)."""
    first, second = _words(one), _words(other)
    negated = {sum(word in _NEGATIONS for word in words) for words in (first, second)}
    return bool(core(one)) and core(one) == core(other) and len(negated) == 2 and 0 in negated


def _words(text: str) -> list[str]:
    plain = _DO_NOT.sub("", folded(text).replace("’", "'"))
    return _WORD.findall(_ELISION.sub("n ", plain))
