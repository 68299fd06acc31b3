"""Blocks of data for an agent: what stands in one, or in what its tag says, cannot end it or open another (R-M06).

Texts are data that somebody else may have written. A sign that opens the name of one of our tags is escaped, however
the two are disguised; everything else stays as it is spelt.
"""

import re
import unicodedata
from collections.abc import Mapping

NOW, DATA = "now", "data"
FRAME = "assistant-context"
SECTIONS = (NOW, "profile", "procedures", "entities", "facts", "passages", "commitments", "briefing")
"""The sections of the context block in their order."""
META = "meta"
TAGS = (DATA, FRAME, *SECTIONS, META)
"""Every tag that an agent is told to take for ours."""

_OPENINGS = "<\uff1c\ufe64\u226e\u02c2\u1438\u2039\u2329\u3008\u276c\u276e\u2770\u27e8"
"""`<`, and what may be read as one."""
_OPENING = re.compile(f"[{_OPENINGS}]")
_NAMES = frozenset(name.replace("-", "") for name in TAGS)
_BEGINNINGS = frozenset(name[:end] for name in _NAMES for end in range(1, len(name) + 1))
_LETTERS = frozenset(("Lu", "Ll", "Lt", "Lo"))
_UNSEEN = "\u115f\u1160"
"""Fillers: letters that nobody sees."""
_UNKNOWN = "\ufffd"
_SIGNS = str.maketrans({"&": "&amp;", '"': "&quot;", "<": "&lt;", ">": "&gt;"})
_DISGUISED = (
    _SIGNS
    | str.maketrans(dict.fromkeys(_OPENINGS, "&lt;"))
    | str.maketrans({"\uff1e": "&gt;", "\ufe65": "&gt;", "\uff02": "&quot;"})
)


def attributes(values: Mapping[str, object]) -> str:
    """Give what a tag says: ` name="value"` for each value that is not None, on one line and spelt as it is."""
    return "".join(f' {name}="{_value(value)}"' for name, value in values.items() if value is not None)


def _value(value: object) -> str:
    spelt = " ".join(str(value).replace("\0", _UNKNOWN).split())
    # A path may hold a sign that looks like `>`: it stays, unless a tag of ours stands there too.
    return spelt.translate(_SIGNS if escaped(spelt) == spelt else _DISGUISED)


def escaped(text: str) -> str:
    """Give a text in which nothing opens or closes one of our tags."""
    ahead = _Ahead(text)
    shown = _OPENING.sub(lambda found: "&lt;" if ahead.named(found.end()) else found[0], text)
    return shown.replace("\0", _UNKNOWN)


class _Ahead:
    """What follows the signs of a text, asked from its beginning to its end: no stretch is walked for each of them."""

    def __init__(self, text: str) -> None:
        self._text, self._first, self._named = text, -1, False

    def named(self, place: int) -> bool:
        """Whether the first letters from here on are the name of one of our tags, whatever else stands among them."""
        if place > self._first:
            self._first = next((at for at in self._from(place) if _plain(self._text[at])), len(self._text))
            self._named = self._names(self._first)
        return self._named

    def _names(self, place: int) -> bool:
        letters = ""
        for at in self._from(place):
            more = _plain(self._text[at])
            if letters in _NAMES and not more.isalpha():
                return True
            letters += more
            if letters and letters not in _BEGINNINGS:
                return False
        return letters in _NAMES

    def _from(self, place: int) -> range:
        return range(place, len(self._text))


def _plain(char: str) -> str:
    """Give the letters and digits that a character may be read as, in lower case."""
    if char.isascii():
        return char.lower() if char.isalnum() else ""
    if char in _OPENINGS:
        return ""
    folded = unicodedata.normalize("NFKC", char).casefold()
    return "".join(
        one
        for one in folded
        if one.isdigit() or (unicodedata.category(one) in _LETTERS and one not in _UNSEEN)
    )
