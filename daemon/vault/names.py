"""Names: which paths may be a note's, one name under two encodings, and what our own file names carry.

A draft's name tells, after a crash, whose bytes it holds: the note, the version read, the new text,
and how far the write had come. A kept file's name tells when it was displaced, whence, and the etag of the
bytes that were taken care of; bytes of another etag are a version nobody has looked at.
"""

import hashlib
import os
import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from config.paths import NAMES
from daemon.vault.errors import BYTE, NotUtf8Name, OutsideVault
from parsers.model.places import Etag, NotePath

_SHORT = 16
_NOTHING = "0" * _SHORT
_LONGEST = 140
"""Bytes of a file name that every file system takes, encrypting ones too."""
ODD = re.compile(r"[\\\x00\ud800-\udfff%]")
_NEVER = re.compile(r"[\\\x00\ud800-\udfff]|%(?:00|2f|5c)", re.IGNORECASE)
_DOT = re.compile("%2e", re.IGNORECASE)
_ENCODED = re.compile(r'[%~:*?"<>|\\/\x00-\x1f\x7f]')
_DECODED = re.compile(r"%([0-9A-F]{2})")

State = Literal["w", "x", "i"]
"""`w`: our text, perhaps in part; `x`: about to be exchanged; `i`: about to be copied into the note."""

_DRAFT = re.compile(
    re.escape(NAMES.draft_prefix)
    + "(?P<note>[0-9a-f]{16})(?P<old>[0-9a-f]{16})(?P<new>[0-9a-f]{16})[0-9a-f]{8}(?P<state>[wxi])"
    + re.escape(NAMES.draft_suffix)
)
_KEPT = re.compile(r"(?P<at>\d{14})-(?P<etag>[0-9a-f]{16,64})-[0-9a-f]{8}-(?P<path>.+)")


def check(path: str) -> None:
    """Accept the path of a file of the vault, as text.

    Raises:
        OutsideVault: It is absolute or empty, has an empty, `.`, `..` or hidden part, a backslash or NUL, or
            would have one of these when decoded once more; as `NotUtf8Name` where bytes of it are no UTF-8.
    """
    if ODD.search(path):
        if _NEVER.search(path):
            raise NotUtf8Name(path) if BYTE.search(path) else OutsideVault(path)
        parts = _DOT.sub(".", path).split("/")
    else:
        parts = path.split("/")
    if "" in parts or os.path.isabs(path) or os.path.splitdrive(path)[0] or any(map(_refused, parts)):
        raise OutsideVault(path)


def hidden(name: str) -> bool:
    """Whether the name is a dot-file's; one that starts with two dots is an ordinary name."""
    return name[:1] == "." and name[:2] != ".."


def _refused(part: str) -> bool:
    return part[:1] == "." and (part in {".", ".."} or hidden(part))


def composed(path: str) -> str:
    """The path with its accents composed (NFC): equal for two spellings of one name."""
    return path if path.isascii() else unicodedata.normalize("NFC", path)


def spelling(folder: str, name: str) -> str | None:
    """How a name is spelt in a folder: exactly so, else the one that differs only in how accents are encoded.

    Where the file system also takes another case for the same name, that spelling is found too.
    None when there is none, or when several would do.
    """
    there = os.listdir(folder)
    if name in there:
        return name
    same = [other for other in there if composed(other) == composed(name)]
    if not same and os.path.lexists(os.path.join(folder, name)):
        same = [other for other in there if composed(other).casefold() == composed(name).casefold()]
    return same[0] if len(same) == 1 else None


def twinned(folder: str, name: str) -> bool:
    """Whether a folder holds this name in more than one encoding of its accents."""
    if name.isascii():
        return False
    return sum(composed(other) == composed(name) for other in os.listdir(folder)) > 1


@dataclass(frozen=True, slots=True)
class Draft:
    """What a draft's name says; the hashes are the first 16 digits of etags."""

    note: str
    old: str
    new: str
    state: State


def name_hash(name: str) -> str:
    """What stands for a note's name in its drafts."""
    return hashlib.sha256(os.fsencode(composed(name))).hexdigest()[:_SHORT]


def draft_name(name: str, old: Etag | None, new: Etag, state: State) -> str:
    """A name no other draft has."""
    before = old[:_SHORT] if old else _NOTHING
    stem = f"{name_hash(name)}{before}{new[:_SHORT]}{os.urandom(4).hex()}{state}"
    return f"{NAMES.draft_prefix}{stem}{NAMES.draft_suffix}"


def with_state(draft: str, state: State) -> str:
    """The same draft's path, one step further."""
    return f"{draft[: -len(NAMES.draft_suffix) - 1]}{state}{NAMES.draft_suffix}"


def is_draft(name: str) -> bool:
    """Whether a file of this name is a draft, of this version of clavaire or another."""
    return name.startswith(NAMES.draft_prefix) and name.endswith(NAMES.draft_suffix)


def parse_draft(name: str) -> Draft | None:
    """What the name of a draft says, None when it is not one of ours as we name them today."""
    found = _DRAFT.fullmatch(name)
    if found is None:
        return None
    state: State = "w" if found["state"] == "w" else "x" if found["state"] == "x" else "i"
    return Draft(found["note"], found["old"], found["new"], state)


class Kept(NamedTuple):
    """What the name of a displaced file or of a backup says."""

    name: str
    at: float
    """When it was displaced or last looked at, in seconds."""
    etag: str
    """Etag, or its first digits, of the bytes that were taken care of."""
    path: NotePath | None
    """The note it comes from; None when its path was too long for a name."""
    path_hash: str


def kept_name(at: float, etag: str, path: str) -> str:
    """A name that says all of this and that no other file has."""
    head = f"{round(at * 1000):014d}-{etag}-{os.urandom(4).hex()}-"
    return head + _encoded(path, _LONGEST - len(head) - (64 - len(etag)))


@lru_cache(maxsize=1024)
def parse_kept(name: str) -> Kept | None:
    """Read a kept file's name, None when it is not one of ours."""
    found = _KEPT.fullmatch(name)
    if found is None:
        return None
    spelt = found["path"]
    at = int(found["at"]) / 1000
    if spelt.startswith("~"):
        return Kept(name, at, found["etag"], None, spelt[1:])
    path = NotePath(_DECODED.sub(lambda code: chr(int(code[1], 16)), spelt))
    return Kept(name, at, found["etag"], path, "")


def renamed(kept: Kept, at: float, etag: str) -> str:
    """A new name for the same kept file, at another time, with another etag."""
    return f"{round(at * 1000):014d}-{etag}-{os.urandom(4).hex()}-{kept.name.split('-', 3)[3]}"


def path_hash(path: str) -> str:
    """What stands for a path too long for a file name."""
    return hashlib.sha256(os.fsencode(composed(path))).hexdigest()[:32]


def _encoded(path: str, room: int) -> str:
    spelt = _ENCODED.sub(lambda sign: f"%{ord(sign[0]):02X}", path)
    return spelt if len(spelt.encode()) <= room else f"~{path_hash(path)}"
