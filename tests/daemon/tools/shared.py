"""What the tests of the tools share: a vault of some notes, the tools, and one call carried out from end to end."""

import contextlib
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from config.paths import NAMES
from daemon.policy.lineage import Output
from daemon.tools.effects import Effects, VaultLook
from daemon.tools.hands import Hands
from daemon.tools.registry import BUILT_IN, Registry
from daemon.tools.tool import Sources
from daemon.vault.door import Vault
from parsers.model.runs import Call
from tests.home import FAST

TOOLS = Registry(BUILT_IN)
KEY = "k"

_PROJECT = """---\r
titre: 'Le projet'\r
état:   ouvert # à revoir\r
---\r
# Projet\r
\r
- [ ] Appeler Zoé ^t1\r
- [x] Écrire"""
_MEETING = "# Réunion\n\n## Présents\n* [[Projet]]\n* [le projet](../Projet.md#Projet)\n\n## Notes\n\tcode\n"
_LINKS = b"- [[Projet|P]]\n- ![[Projet#^t1]]\n| a |\n|---|\n| [[Projet\\|P]] |\n"
NOTES: dict[str, bytes] = {
    "Projet.md": _PROJECT.encode(),
    "Réunions/2026-12-01.md": _MEETING.encode(),
    "Index.md": b"\xef\xbb\xbf" + _LINKS,
    "Autre.md": b"rien\n",
    "Vide.md": b"",
    "Binaire.md": b"\xff\xfe\x00b",
    "Conflit.md": b"<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n",
    NAMES.profile: b"# Profil\n\n- [[Projet]]\n",
}


@contextlib.contextmanager
def opened(files: Mapping[str, bytes] | None = None) -> Iterator[Vault]:
    """Give a vault of these notes in memory, gone afterwards."""
    with tempfile.TemporaryDirectory(dir=FAST) as folder:
        root = Path(folder).resolve() / "vault"
        for path, data in (NOTES if files is None else files).items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(data)
        vault = Vault(root, root.parent / "backups", 100_000)
        vault.prepare()
        yield vault


def bytes_of(vault: Vault) -> dict[str, bytes]:
    """Give every file outside dot-folders."""
    found = {}
    for full in sorted(vault.root.rglob("*")):
        path = full.relative_to(vault.root).as_posix()
        if full.is_file() and not any(part[0] == "." and part[1:2] != "." for part in path.split("/")):
            found[path] = full.read_bytes()
    return found


def everything(vault: Vault) -> dict[str, bytes | None]:
    """Give every file and folder inside the vault and beside it, but for the locks."""
    top = vault.root.parent
    return {
        full.relative_to(top).as_posix(): full.read_bytes() if full.is_file() else None
        for full in sorted(top.rglob("*"))
    }


def planned(vault: Vault, name: str, /, **args: Any) -> Effects:
    """Give what a call would change."""
    return TOOLS[name].plan(TOOLS[name].validated(args), VaultLook(vault))


def called(vault: Vault, name: str, /, **args: Any) -> tuple[Effects, Call | None]:
    """Plan, apply and verify a call; gives its effects and its inverse."""
    tool = TOOLS[name]
    checked = tool.validated(args)
    effects = tool.plan(checked, VaultLook(vault))
    assert tool.apply
    assert tool.verify
    tool.apply(checked, Hands(vault), effects, KEY)
    assert tool.verify(checked, VaultLook(vault), effects, KEY)
    return effects, tool.inverse(checked, effects) if tool.inverse else None


def read(
    vault: Vault, name: str, *, hidden=lambda path: False, external: bool = False, **args: Any
) -> tuple[Output, ...]:
    """Give the outputs of a call that reads; every note is of provenance `vault`, those in `Web/` of `web`."""
    tool = TOOLS[name]
    sources = Sources(
        VaultLook(vault),
        search=lambda query, limit: [("Projet.md", {"path": "Projet.md", "snippet": query})][:limit],
        label=lambda path, text: ("web" if path.startswith("Web/") else "vault", "normal"),
        hidden=hidden,
        external=external,
    )
    assert tool.read
    return tool.read(tool.validated(args), sources)
