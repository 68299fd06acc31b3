"""What can go wrong at the door: each error builds its sentence, and the problem it becomes."""

import os
import re
from typing import ClassVar

from parsers.errors import ClavaireError
from parsers.model.places import Problem

BYTE = re.compile("[\udc80-\udcff]")
"""How the system's bytes that are no UTF-8 stand in a path."""


def _printable(path: str) -> str:
    return path if path.isprintable() else path.encode("unicode_escape").decode()


class VaultError(ClavaireError):
    """Something about one file, or about the vault itself (`path` is then empty)."""

    code: ClassVar[str]

    def __init__(self, path: str, sentence: str, **values: str) -> None:
        """Keep the sentence, and the same as a catalogue key with its values."""
        self.path = path
        self.problem = Problem(path, 0, self.code, tuple(sorted(values.items())))
        super().__init__(sentence)


class NoteMissing(VaultError):
    """There is no such file; the vault itself is there."""

    code = "note_missing"

    def __init__(self, path: str) -> None:
        super().__init__(path, f"{path} does not exist; check its name.")


class NotHereYet(VaultError):
    """A sync tool left a placeholder: the note exists elsewhere and was not fetched."""

    code = "not_here_yet"

    def __init__(self, path: str) -> None:
        super().__init__(path, f"{path} is not on this machine yet; let the sync tool fetch it.")


class NoteExists(VaultError):
    """A note that was to be made stands there already, under this name or one that only looks the same."""

    code = "note_exists"

    def __init__(self, path: str) -> None:
        super().__init__(path, f"{path} exists already; choose another name.")


class NoteChanged(VaultError):
    """The file is no longer the one that was read: nothing was written; read it again."""

    code = "note_changed"

    def __init__(self, path: str) -> None:
        super().__init__(path, f"{path} changed since it was read; it will be read again.")


class OutsideVault(VaultError):
    """Not the path of a note in this vault: absolute, with `..`, hidden, or led out of it by a link."""

    code = "outside_vault"

    def __init__(self, path: str, sentence: str = "") -> None:
        shown = _printable(path)
        said = sentence or f"{shown} is not the path of a note in this vault; give one below its folder."
        super().__init__(shown, said)


class NotUtf8Name(OutsideVault):
    """A file or folder whose name holds bytes that are no UTF-8: it cannot be written down anywhere else."""

    code = "name_not_utf8"

    def __init__(self, path: str) -> None:
        shown = BYTE.sub(lambda byte: f"\\x{ord(byte[0]) - 0xDC00:02x}", path)
        super().__init__(shown, f"{_printable(shown)} is not read, since its name is not UTF-8; rename it.")


class LedOutside(OutsideVault):
    """A link on the path leads out of the vault, or to a hidden file: nothing is read there."""

    code = "linked_note"


class LinkedNote(VaultError):
    """The note, or a folder above it, is a link: it may be read, never written."""

    code = "linked_note"

    def __init__(self, path: str) -> None:
        super().__init__(path, f"{path} is a link, so it is never written; put a real file in its place.")


class TwinNames(VaultError):
    """Two files whose names differ only in how accents are encoded."""

    code = "twin_names"

    def __init__(self, path: str) -> None:
        super().__init__(
            path, f"{path} exists twice, its accents encoded in two ways; rename one of the two."
        )


class TooLarge(VaultError):
    """The file is over the size limit."""

    code = "too_large"

    def __init__(self, path: str, size: int, limit: int) -> None:
        super().__init__(
            path,
            f"{path} has {size} bytes, more than {limit}; split it or raise index.max_bytes.",
            size=str(size),
            limit=str(limit),
        )


class Ignored(VaultError):
    """The ignore file lists it."""

    code = "ignored"

    def __init__(self, path: str, ignore_file: str) -> None:
        super().__init__(
            path, f"{path} is listed in {ignore_file}; take it out to have it read.", file=ignore_file
        )


class Unreadable(VaultError):
    """The system refused to read; the file may well be there."""

    code = "unreadable"
    exit_code = 4

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(
            path, f"{path} cannot be read ({reason}); check its rights and its disk.", reason=reason
        )


class NotAFile(Unreadable):
    """A folder, a pipe or a device has the note's name."""

    code = "not_a_file"

    def __init__(self, path: str) -> None:
        super().__init__(path, "not a regular file")


class Unwritable(VaultError):
    """The system refused to write; the file holds what it held."""

    code = "unwritable"
    exit_code = 4

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(
            path, f"{path} cannot be written ({reason}); check its rights and its disk.", reason=reason
        )


class VaultBusy(VaultError):
    """Another process held the lock for the whole waiting time."""

    code = "vault_busy"
    exit_code = 4

    def __init__(self, seconds: float) -> None:
        super().__init__("", f"The vault is busy since {seconds:g} s; try again.", seconds=f"{seconds:g}")


class VaultCopied(VaultError):
    """The same id stands at another place of this machine: here clavaire only reads."""

    code = "vault_copied"
    exit_code = 3

    def __init__(self, original: str) -> None:
        super().__init__(
            "", f"This vault is a copy of {original}; run clavaire init --new-id.", folder=original
        )


class VaultMissing(VaultError):
    """The vault's folder is not there, or is an empty mount point: nothing can be said of its notes."""

    code = "vault_missing"
    exit_code = 4

    def __init__(self, root: str) -> None:
        super().__init__(
            "", f"No vault in {root}; mount the disk, or run clavaire init --new-id there.", folder=root
        )


def refusal(error: OSError) -> Problem:
    """Give what the system refused, with the path it was about where it says one."""
    reason = ("reason", error.strerror or type(error).__name__)
    place = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else ""
    return Problem(place, 0, "system_refused_path" if place else "system_refused", (reason,))
