"""Whether a note may still be quoted to a reader outside: the index is of the last pass, the note is of now."""

from collections.abc import Callable

from daemon.policy.privacy import Declared
from daemon.vault.door import Vault
from daemon.vault.errors import VaultError, VaultMissing
from parsers.model.places import NotePath
from parsers.note import outline

Quotable = Callable[[str], bool]
"""Tells whether what was read of a note at the last pass may be told of it now."""


def quotable(vault: Vault, declared: Declared) -> Quotable:
    """Give what tells it: a note that is there, that may be read, and that is of ordinary sensitivity; each once."""
    found: dict[str, bool] = {}

    def tells(path: str) -> bool:
        if path not in found:
            found[path] = _is_open(vault, declared, path)
        return found[path]

    return tells


def _is_open(vault: Vault, declared: Declared, path: str) -> bool:
    try:
        target = vault.target(path)
        text = vault.read(NotePath(path)).data.decode("utf-8", "replace")
    except VaultMissing:
        raise
    except VaultError:
        return False
    if target.reasons - {"linked"}:
        return False
    said = outline(text)
    return all(declared.judged(name, said)[1] == "normal" for name in {target.path, target.real})
