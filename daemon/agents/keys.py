"""The keys by which agents' clients are known: shown once when they are made, kept here as hashes alone."""

import hashlib
import hmac
import json
import os
import re
import secrets
from dataclasses import dataclass
from pathlib import Path

from config.paths import NAMES

VARIABLE = "CLAVAIRE_CLIENT_KEY"
"""Where a client hands its key in."""
NAME = re.compile(r"[\w.-]{1,64}")
UNKNOWN = "mcp:?"
"""The origin of whoever shows no key that is known, whatever name it claims."""
_BYTES = 32


@dataclass(frozen=True, slots=True)
class Client:
    """Who is at the other end, as far as that is known."""

    origin: str = UNKNOWN
    keyed: bool = False


def make_key(folder: Path, name: str) -> tuple[str, bool]:
    """Make a key for a client; gives it, and whether it replaces one. Only its hash stays, mode 0600."""
    known = _known(folder)
    key = secrets.token_urlsafe(_BYTES)
    _keep(folder, {**known, name: _hash(key)})
    return key, name in known


def client_of(folder: Path, key: str | None) -> Client:
    """Give whose key this is; an unknown one is nobody's."""
    if not key:
        return Client()
    spelt, found = _hash(key), ""
    for name, kept in sorted(_known(folder).items()):  # all of them: how long it takes tells nothing
        if hmac.compare_digest(spelt, kept):
            found = name
    return Client(f"mcp:{found}", keyed=True) if found else Client()


def _hash(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def _known(folder: Path) -> dict[str, str]:
    try:
        kept = json.loads((folder / NAMES.clients).read_text("utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    return {str(name): str(spelt) for name, spelt in kept.items() if NAME.fullmatch(str(name))}


def _keep(folder: Path, known: dict[str, str]) -> None:
    draft = folder / f"{NAMES.clients}-{os.getpid()}{NAMES.draft_suffix}"
    with os.fdopen(
        os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8"
    ) as file:
        json.dump(known, file, ensure_ascii=False, sort_keys=True)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(folder / NAMES.clients)
