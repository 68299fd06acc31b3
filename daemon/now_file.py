"""now.md as it stands on disk, for whoever writes it or hands it on: what the person keeps from agents is neither."""

from collections.abc import Mapping
from typing import Literal

from config.paths import NAMES
from daemon.policy.privacy import Declared, declaring
from daemon.vault.disk import Reading
from daemon.vault.door import Vault
from daemon.vault.errors import Ignored, LinkedNote, NoteMissing
from parsers.errors import ClavaireError
from parsers.model.facts import Sensitivity
from parsers.model.notes import Properties
from parsers.properties import read as properties_of

Why = Literal["private", "sensitive", "ignored", "unclear"]
_NONE: Mapping[str, object] = {}
_LOST = "\ufffd"


class KeptBack(ClavaireError):
    """The person keeps now.md from agents: no agent, and nothing that works for one, reads or writes it (R-P04)."""

    def __init__(self, why: Why) -> None:
        """Keep what it is; `unclear`: its properties cannot be read, so that what they say is not known."""
        super().__init__(why)
        self.why = why


def read(vault: Vault, declared: Declared) -> Reading | None:
    """Give now.md, None where there is none.

    Raises:
        KeptBack: it is private, sensitive or ignored, or may be.
        LinkedNote: it, or a folder above it, is a link, wherever that leads.
        VaultError: it cannot be read: what it declares is not known.
    """
    _check(declared.sensitivity(NAMES.now, _NONE))
    reasons = vault.target(NAMES.now).reasons
    if "ignored" in reasons:
        raise KeptBack("ignored")
    if reasons & {"linked", "outside"}:
        raise LinkedNote(NAMES.now)
    try:
        one = vault.read(NAMES.now)
    except Ignored:
        raise KeptBack("ignored") from None
    except NoteMissing:
        return None
    if one.linked:
        raise LinkedNote(NAMES.now)
    text = one.data.decode("utf-8", "replace")
    block = properties_of(text)
    _check(declared.sensitivity(NAMES.now, declaring(text, block)))
    if _unclear(text, block):
        raise KeptBack("unclear")
    return one


def _check(known: Sensitivity) -> None:
    if known != "normal":
        raise KeptBack(known)


def _unclear(text: str, block: Properties) -> bool:
    """Whether properties stand there whose letters are lost: `privé` may be among them."""
    return block.state != "none" and _LOST in text[: len(text) if block.state == "unclosed" else block.body]
