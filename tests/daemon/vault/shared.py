"""What the tests of the door share: names, and what lies in a vault."""

import unicodedata
from pathlib import Path

from config.paths import NAMES
from daemon.vault.door import Vault
from parsers.model.places import NotePath

NOTE = NotePath("Profil.md")
NFC, NFD = NotePath("Été.md"), NotePath(unicodedata.normalize("NFD", "Été.md"))
NOW = 1_800_000_000.0


def put(vault: Vault, path: str, data: bytes = b"- th\xc3\xa9\n") -> NotePath:
    full = vault.root / path
    full.parent.mkdir(parents=True, exist_ok=True)
    full.write_bytes(data)
    return NotePath(path)


def seen(vault: Vault) -> list[str]:
    return [entry.path for entry in vault.walk().entries]


def displaced(vault: Vault) -> list[Path]:
    return sorted((vault.root / NAMES.displaced).iterdir())


def backups(vault: Vault) -> list[bytes]:
    folder = Path(vault.kept.backups)
    return [path.read_bytes() for path in sorted(folder.iterdir())] if folder.exists() else []


def drafts(vault: Vault) -> list[Path]:
    return list(vault.root.rglob(f"{NAMES.draft_prefix}*"))
