"""What a note declares of itself: who may read it, and where it came from (policy-and-runs.md, Privacy; R-P04).

A folder counts with everything below it, compared segment by segment: `Privé` is neither `Privé.md` nor `Privée/`.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from parsers.model.facts import Sensitivity
from parsers.model.notes import Outline, Properties
from parsers.model.policy import ORDER, trust_of
from parsers.protection import YES, protects, understood

_PRIVATE = frozenset({"prive", "privee", "private"})
_SENSITIVE = frozenset({"sensible", "sensitive"})
_PROTECTING = _PRIVATE | _SENSITIVE
"""Names of properties, without accents."""
_SOURCES = frozenset({"source", "url"})
_WORD_OF_THE_PERSON = "provenance"
_TELLING = _PROTECTING | _SOURCES | {_WORD_OF_THE_PERSON}
_NAMED = r"""(priv[ée\ufffd]e?|private|sensible|sensitive)["']?[ \t]*(?:\r?\n)?:"""
_UNREAD = re.compile(
    rf"""(?:^|[{{,?])[ \t]*["']?{_NAMED}([^\n]*(?:\n(?:$|[ \t\r\[{{-][^\n]*))*)""",
    re.IGNORECASE | re.MULTILINE,
)
"""Such a name in a block of properties that cannot be read, and what stands behind and below it."""
_SAYS_YES = re.compile(rf"""\b{_NAMED}[ \t]*["']?({"|".join(sorted(YES))})\b""", re.IGNORECASE)
_COMMENT = re.compile(r"(?:^|[ \t])#[^\n]*", re.MULTILINE)
_BETWEEN = re.compile(r"""(?:[\s\[\]{},"'?:-]|(?<!\S)[!&|>]\S*)+""")
_OF_UTF16 = "\ufffd\ufffd"
"""What the first two bytes of such a note are, read as UTF-8: no text begins so."""
_HIDDEN: Mapping[str, Any] = {"privé": "oui"}
_NONE: Mapping[str, Any] = {}
HARDER: dict[Sensitivity, int] = {"normal": 0, "sensitive": 1, "private": 2}
"""Sensitivities from the mildest on."""


@dataclass(frozen=True, slots=True)
class Declared:
    """Folders that settings name, as the rules need them."""

    private: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    provenance: tuple[tuple[str, str], ...] = ()
    """(folder, provenance of what lies below it)."""

    def sensitivity(self, path: str, properties: Mapping[str, Any]) -> Sensitivity:
        """Give what a note is: by its folders, or by its own properties; the harder counts."""
        if _below_any(path, self.private) or _says(properties, _PRIVATE):
            return "private"
        if _below_any(path, self.sensitive) or _says(properties, _SENSITIVE):
            return "sensitive"
        return "normal"

    def source(self, path: str, properties: Mapping[str, Any]) -> str:
        """Give where a note's content came from, as folders and properties say; `vault` where nothing does.

        The property `provenance` is the person's word and settles it.
        """
        own = settled(properties)
        if own is not None:
            return own
        said = {_folded(key): value for key, value in properties.items() if isinstance(key, str)}
        found = ["vault", *(source for folder, source in self.provenance if _below(path, folder))]
        if any(_is_address(said.get(name)) for name in _SOURCES):
            found.append("web")
        return max(found, key=trust_of)

    def judged(self, path: str, said: Outline) -> tuple[str, Sensitivity]:
        """Give where a note came from and what it is, as for `source` and `sensitivity`.

        A block that cannot be read protects all the same; of a note in UTF-16 nothing can be read, so it is private.
        """
        block = said.properties
        readable = block.state in {"ok", "none"} and not said.text.startswith(_OF_UTF16)
        if readable and not any(map(_tells, block.values)):
            return self.by_folder(path)
        values = declaring(said.text, block)
        return self.source(path, values), self.sensitivity(path, values)

    def alike(self, path: str, other: str) -> bool:
        """Whether the folders of two paths say the same of the same bytes."""
        return path == other or not self._folders or self.by_folder(path) == self.by_folder(other)

    def by_folder(self, path: str) -> tuple[str, Sensitivity]:
        """Give what the folders alone say of a path: where it came from and what it is."""
        if not self._folders:
            return "vault", "normal"
        return _said_by(self, path if self._names_notes else path.rpartition("/")[0])

    @property
    def _folders(self) -> bool:
        return bool(self.private or self.sensitive or self.provenance)

    @property
    def _names_notes(self) -> bool:
        named = (*self.private, *self.sensitive, *(folder for folder, _ in self.provenance))
        return any(_folded(name).endswith(".md") for name in named)


@lru_cache(maxsize=2048)
def _said_by(declared: Declared, path: str) -> tuple[str, Sensitivity]:
    return declared.source(path, _NONE), declared.sensitivity(path, _NONE)


def declaring(text: str, block: Properties) -> Mapping[str, Any]:
    """Give the properties of a note's text; of a block that cannot be read, those that protect the note."""
    if text.startswith(_OF_UTF16):
        return _HIDDEN
    if block.state in {"ok", "none"}:
        return block.values
    start = text.find("\n") + 1
    end = block.end or (text.find("\n\n", start) + 1 or len(text))
    broken = unicodedata.normalize("NFC", text[start:end])
    said: dict[str, Any] = {name: ["oui"] for name, _ in _SAYS_YES.findall(broken)}
    for name, value in _UNREAD.findall(broken):
        said.setdefault(name, []).extend(_BETWEEN.split(_COMMENT.sub("", value)))
    return said


def doubtful(said: Outline) -> int:
    """Give the line of a property that protects a note though its value is neither a yes nor a no; 0 for none."""
    block = said.properties
    for spelt, value in block.values.items():
        if _name(spelt) in _PROTECTING and spelt not in block.opaque and not understood(value):
            lines = said.text[block.start : block.end].split("\n")
            return next((number for number, line in enumerate(lines, 2) if spelt in line), 1)
    return 0


def settled(properties: Mapping[str, Any]) -> str | None:
    """Give the provenance that the property of that name says, at best `vault`; None where it says none."""
    for key, value in properties.items():
        if isinstance(key, str) and _folded(key) == _WORD_OF_THE_PERSON:
            known = isinstance(value, str) and value.partition(":")[0] in ORDER
            return max(value, "vault", key=trust_of) if known else None
    return None


def harder(one: Sensitivity, other: Sensitivity) -> Sensitivity:
    """Give the harder of two sensitivities."""
    return one if HARDER[one] >= HARDER[other] else other


def _below_any(path: str, folders: Iterable[str]) -> bool:
    return any(_below(path, folder) for folder in folders)


def _below(path: str, folder: str) -> bool:
    """Whether a path is a folder's note, at any depth, or the note the setting names."""
    wanted = _parts(folder)
    return bool(wanted) and _parts(path)[: len(wanted)] == wanted


@lru_cache(maxsize=256)
def _parts(path: str) -> list[str]:
    return [_folded(part) for part in path.split("/") if part]


def _tells(name: object) -> bool:
    return _name(name) in _TELLING


@lru_cache(maxsize=4096)
def _name(spelt: object) -> str:
    """Give the name of a property as it is compared, without accents; `""` for what is no name.

    What is not UTF-8 may be the é of another encoding.
    """
    named = spelt.replace("\ufffd", "e") if isinstance(spelt, str) else ""
    bare = unicodedata.normalize("NFKD", named)
    return "".join(one for one in bare if not unicodedata.combining(one)).casefold().strip()


@lru_cache(maxsize=4096)
def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold().strip()


def _says(properties: Mapping[str, Any], names: frozenset[str]) -> bool:
    return any(protects(value) for key, value in properties.items() if _name(key) in names)


def _is_address(value: object) -> bool:
    values = value if isinstance(value, list) else [value]
    return any(
        isinstance(one, str) and one.strip().lower().startswith(("http://", "https://")) for one in values
    )
