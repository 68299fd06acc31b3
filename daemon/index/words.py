"""Words as the index knows them: stems, French or English, without case, accents or ligatures (R-M05).

What is written into the index and what a query asks for is cut by the same functions, so they agree; SQLite sees
words between spaces only. The commands that only read start with this module: it imports the stemmer and no more.
"""

import codecs
import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

import Stemmer

from daemon.index.irregular import IRREGULAR
from daemon.index.pairs import has_runs, pairs, runs

LANGUAGES = ("fr", "en")

_FRENCH = """
    a à ai aie aient ainsi alors après apres as au aucun aucune aura aurait aussi autre autres aux avaient avais avait
    avant avec avez avoir avons ayant ça car ce ceci cela celle celles celui ces cet cette ceux chaque chez combien
    comme comment dans de depuis des dois doit donc dont du elle elles en entre es est et étaient etaient étais étant
    était etait êtes être etre eu eut eux fait faire font fut furent il ils je jusque la là laquelle le lequel les
    lesquelles lesquels leur leurs lors lorsque lui ma mais me même meme mêmes memes mes moi moins mon ne ni nos notre
    nous on ont ou où par parce pas peu peut peuvent plus plusieurs pour pourquoi puis puisque qu quand que quel
    quelle quelles quels qui quoi quoique sa sans se sera seront serait ses si soi soit sommes son sont sous suis sur
    ta te tes toi ton tous tout toute toutes très tres tu un une va vers vos votre vous y
"""
_ENGLISH = """
    a about after again all also am an and any are aren as at be because been before being both but by can could
    couldn did didn do does doesn doing don during each few for from further had hadn has hasn have haven having he
    her here hers herself him himself his how i if in into is isn it its itself just me more most my myself no nor not
    of on only or other our ours out re she should shouldn so some such than that the their theirs them themselves
    then there these they this those through to too under until up ve very was wasn we were weren what when where
    which while who whom whose why will with would wouldn you your yours yourself
    d ll m s t
"""
_ASKED_FOR = """
    an année années annee annees appelle appellent appelé appelée date dates dit dite genre nom nombre noms nommé
    nommée nomme parle permet permettent sert servent sorte sortes type types
    called kind kinds name named names number sort type types year years
"""
_ASKING = frozenset(_ASKED_FOR.split())
"""Words of a question that say what sort of answer is wanted: the answer itself seldom has them."""
_SAY_LITTLE = {language: frozenset(spelt.split()) for language, spelt in (("fr", _FRENCH), ("en", _ENGLISH))}
_DULL = _SAY_LITTLE["fr"] | _SAY_LITTLE["en"]
_ARTICLES = "c d j l m n s t qu jusqu lorsqu puisqu quoiqu"
_ELIDED = frozenset(f"{one}'" for one in _ARTICLES.split())
"""Articles and such that an apostrophe joins to their word: they are no words at all."""
_ACCENTED = re.compile("[àâçèéêëîïôùûœ]")

_WORD = re.compile(r"[^\W_]+'?")
_APOSTROPHES = "’ʼ"
_LIGATURES = {"œ": "oe", "æ": "ae", "ß": "ss", "ø": "o", "ł": "l", "đ": "d"}
_UNUSUAL = b"\xb5\xbc\xbd\xbe"
"""Signs of Latin-1 that are no single one of it once they are composed."""
_ONE_BYTE = bytes(
    ord(spelt) if len(spelt) == 1 and spelt < "\u0100" and (spelt.isalnum() or spelt == "'") else 0x20
    for spelt in (unicodedata.normalize("NFKC", chr(byte)).lower().replace("ø", "o") for byte in range(256))
)
_MARKS = re.compile("[\u0300-\u036f]+")
_LONGEST = 64
"""Characters of a word that count; what is longer is no word anybody remembers to its end."""
_KEPT = 30_000
_SAMPLE = 200
_MOST = 32
_LONGEST_QUERY = 1 << 14
_STEMMERS = {language: Stemmer.Stemmer(language, 0).stemWord for language in LANGUAGES}


class Term(NamedTuple):
    """One word of a query."""

    stems: tuple[str, ...]
    """By each language it may be of; for a run of Chinese or Japanese its pairs, one after the other."""
    plain: str
    """As it stands, without case and accents."""
    written: str
    """As it stands, without case."""
    named: bool
    """Whether it is written like a name."""
    run: bool = False
    """Whether it is a run of Chinese or Japanese, or a part of one."""
    dull: bool = False
    """Whether it says nothing by itself."""


class Asked(NamedTuple):
    """What a query asks for."""

    terms: tuple[Term, ...] = ()
    phrases: tuple[str, ...] = ()
    """Stems of words that stand side by side, but for such as say nothing."""
    dull: bool = False
    """Whether no word of it says anything: then they are looked for as they stand."""


class Cutter(dict[str, str]):
    """The stem of each word of one language, without accents, `""` for one that says nothing; each is stemmed once.

    `fresh` collects the stems met since it was last emptied.
    """

    def __init__(self, language: str) -> None:
        super().__init__()
        self._language = language
        self.fresh: list[str] = []

    def __missing__(self, word: str) -> str:
        bare = _bare(word)
        stem = "" if word in _ELIDED or bare in _DULL else _stemmed(bare, self._language)
        if len(self) < _KEPT:  # the frequent words come early: the others are stemmed each time
            self[word] = word if stem == word else stem  # one string kept instead of two that are equal
        self.fresh.append(stem)
        return stem

    def stems(self, words: Iterable[str]) -> list[str]:
        """Give the stems of words that say something, in their order."""
        return list(filter(None, map(self.__getitem__, words)))


class Cutters(dict[str, Cutter]):
    """A cutter for each language; of another one, that for the first."""

    def __missing__(self, language: str) -> Cutter:
        cutter = self[language] = Cutter(language) if language in LANGUAGES else self[LANGUAGES[0]]
        return cutter


def cut(text: str) -> list[str]:
    """Give the words of a text in their order, in lower case; one before an apostrophe keeps it."""
    return spaced(text).split()


def spaced(text: str) -> str:
    """Give what `cut` cuts: the words with nothing but spaces between them."""
    try:
        data = text.encode("latin-1", _AS_SPACES)
    except UnicodeEncodeError:
        return _spaced_any(text)
    if any(map(data.__contains__, _UNUSUAL)):
        return _spaced_any(text)
    data = data.translate(_ONE_BYTE)
    if b"'" in data:
        data = b" %b" % data.replace(b"'", b"' ")
        data = data.replace(b" '", b" ")
    found = data.decode("latin-1")
    return found.replace("ß", "ss").replace("æ", "ae") if "ß" in found or "æ" in found else found


class _Signs(dict[str, str]):
    """What stands for a sign that Latin-1 lacks, as far as words go: mostly a space."""

    def __missing__(self, sign: str) -> str:
        spelt, kind = _composed(sign), unicodedata.category(sign)
        plain = kind[0] in "SPZ" or kind == "Cf"
        if not plain or any(one == "'" or one.isalnum() or unicodedata.combining(one) for one in spelt):
            raise KeyError(sign)
        self[sign] = " "
        return " "


_SIGNS = _Signs({"’": "'", "œ": "oe", "Œ": "oe"})
_AS_SPACES = "clavaire.signs"


def _as_spaces(error: UnicodeError) -> tuple[str, int]:
    """Spell out what a codec could not encode, where no letter and no mark is among it."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    try:
        return "".join([_SIGNS[sign] for sign in error.object[error.start : error.end]]), error.end
    except KeyError:
        raise error from None


codecs.register_error(_AS_SPACES, _as_spaces)


def _spaced_any(text: str) -> str:
    """Give what `spaced` gives, of any text, three times slower."""
    text = _composed(text).lower()
    for sign, spelt in _LIGATURES.items():
        if sign in text:
            text = text.replace(sign, spelt)
    found = _WORD.findall(text)
    return " ".join(_without_runs(found) if has_runs(text.encode()) else found)


def stems(text: str, language: str) -> list[str]:
    """Give the stems of the words of a text that say something, without accents, in their order."""
    return Cutter(language).stems(cut(text))


@lru_cache(maxsize=1 << 11)
def stem_of(word: str, language: str) -> str:
    """Give the stem of a word in lower case, without accents."""
    return _stemmed(_bare(word), language)


def _stemmed(bare: str, language: str) -> str:
    return folded(_STEMMERS[language](IRREGULAR[language].get(bare, bare)))


def _bare(word: str) -> str:
    return word.rstrip("'")[:_LONGEST]


def is_dull(word: str) -> bool:
    """Tell of a word in lower case whether it says nothing by itself (`le`, `the`), or is no word (`l'`)."""
    return word in _ELIDED or word.rstrip("'") in _DULL


def folded(text: str) -> str:
    """Give a text without accents."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFKD", text)))


def language_of(words: Iterable[str]) -> str:
    """Give the language that most of some small words belong to; `""` where that is unsure."""
    there = set(islice(words, _SAMPLE))
    french, english = (len(there & _TELLING[language]) for language in LANGUAGES)
    if french == english:
        return "fr" if any(map(_ACCENTED.search, there)) else ""
    return "fr" if french > english else "en"


@lru_cache(maxsize=1 << 4)
def asked(query: str) -> Asked:
    """Give what a query asks for; any string is legal, one without a word asks for nothing."""
    spelt = _composed(query[:_LONGEST_QUERY].encode("utf-8", "replace").decode())
    sure = language_of(cut(spelt))
    terms: dict[tuple[str, ...], Term] = {}
    asking: dict[Term, None] = {}
    dull: dict[Term, None] = {}
    phrases: dict[str, None] = {}
    before: tuple[str, ...] = ()
    for term in _terms(spelt, (sure,) if sure else LANGUAGES):
        if len(terms) + len(asking) + len(dull) >= _MOST:
            break
        if term.dull or term.written in _ASKING:
            (dull if term.dull else asking)[term] = None
            continue
        if before and not term.run:
            phrases.update((f"{one} {two}", None) for one, two in zip(before, term.stems, strict=False))
        key = term.stems or (term.plain,)
        terms[key] = term if term.named else terms.get(key, term)
        before = () if term.run else term.stems
    return Asked(tuple(terms.values() or asking or dull), tuple(phrases), not terms and not asking)


def _terms(spelt: str, languages: tuple[str, ...]) -> Iterator[Term]:
    for written in _WORD.findall(spelt):
        if has_runs(written.encode()):
            yield from _run_terms(written, languages)
            continue
        for word in cut(written):
            if word not in _ELIDED:
                yield _term(word, languages, named=written[0].isupper())


def _term(word: str, languages: tuple[str, ...], *, named: bool) -> Term:
    stems = tuple(dict.fromkeys(stem_of(word, language) for language in languages))
    bare = _bare(word)
    return Term(stems, folded(bare), bare, named, dull=bare in _DULL)


def _run_terms(written: str, languages: tuple[str, ...]) -> Iterator[Term]:
    """Give the terms of a word that holds Chinese or Japanese: a long run asks for each of its pairs."""
    for part in _split(written):
        if not has_runs(part.encode()):
            yield from (_term(word, languages, named=False) for word in cut(part))
        elif len(part) == 1:
            yield Term((), part, part, named=False, run=True)
        elif len(part) <= 3:
            yield Term((pairs(part).rpartition(" ")[0],), part, part, named=False, run=True)
        else:
            yield from (
                Term((pair,), pair, pair, named=False, run=True)
                for pair in _telling(pairs(part).split()[:-1])
            )


def _telling(cut: list[str]) -> list[str]:
    """Leave out pairs of nothing but hiragana, which are endings, where there are others."""
    return [pair for pair in cut if not all("\u3040" <= sign <= "\u309f" for sign in pair)] or cut


def _without_runs(words: Iterable[str]) -> Iterator[str]:
    """Give pairs for the runs of Chinese and Japanese among words."""
    for word in words:
        if word.isascii() or not has_runs(word.encode()):
            yield word
            continue
        for part in _split(word):
            yield from pairs(part).split() or (part,)


def _split(word: str) -> list[str]:
    """Cut a word into runs of Chinese or Japanese and what stands between them."""
    parts, rest = [], word
    for run in runs(word):
        before, _, rest = rest.partition(run)
        parts += [before, run]
    return [part for part in (*parts, rest) if part]


def _composed(text: str) -> str:
    """Give a text with accents composed, ligatures of print written out and one sort of apostrophe."""
    if text.isascii():
        return text
    if not unicodedata.is_normalized("NFKC", text):
        text = unicodedata.normalize("NFKC", text)
    for sign in _APOSTROPHES:
        if sign in text:
            text = text.replace(sign, "'")
    return text


_TELLING = {
    "fr": _SAY_LITTLE["fr"] - _SAY_LITTLE["en"] | _ELIDED,
    "en": _SAY_LITTLE["en"] - _SAY_LITTLE["fr"]
    | {"don'", "doesn'", "didn'", "isn'", "it'", "he'", "she'", "that'"},
}
