"""What the state folder holds about a register, never the vault: secret, id of this machine, last head."""

import contextlib
import json
import os
from dataclasses import dataclass
from pathlib import Path

from config.paths import NAMES
from daemon.vault.disk import sync_folder, write_new
from parsers.ids import ENTROPY, HOST, make_id

SECRET_BYTES = 32


@dataclass(frozen=True, slots=True)
class Keys:
    """One vault's state folder as the register sees it; read anew each time, since files may come and go."""

    folder: Path

    def secret(self) -> bytes | None:
        """Give what seals lines, None where there is none."""
        found = _content(self.folder / NAMES.secret)
        return found if len(found) == SECRET_BYTES else None

    def host(self) -> str:
        """Give this machine's id for this vault, `""` where it has none."""
        return _content(self.folder / NAMES.host).decode("ascii", "replace").strip()

    def head(self) -> tuple[int, str] | None:
        """Give number and hash of the last line this machine knows of, None where nothing is kept."""
        try:
            kept = json.loads(_content(self.folder / NAMES.head))
            return int(kept["seq"]), str(kept["head"])
        except (ValueError, TypeError, KeyError):
            return None

    def keep_head(self, seq: int, head: str) -> None:
        """Replace the last head, whole or not at all.

        It is not synced: after a power cut an older one (or none) names a line the register still has, so at
        worst the loss of the very last lines goes unnoticed until the next batch, which replaces it. For the
        same reason a full disk is no failure: the lines have happened.
        """
        draft = self.folder / f"{NAMES.head}{NAMES.draft_suffix}"
        with contextlib.suppress(OSError):
            draft.write_text(json.dumps({"seq": seq, "head": head}), "ascii")
            draft.replace(self.folder / NAMES.head)


def make_secret(state: Path) -> bytes:
    """Give the state folder's secret, made and on disk when this returns; one that is there stays."""
    return _make(state / NAMES.secret, os.urandom(SECRET_BYTES))


def make_host(state: Path) -> str:
    """Give this machine's id for the vault, made if there was none."""
    return _make(state / NAMES.host, make_id(HOST, os.urandom(ENTROPY)).encode()).decode("ascii", "replace")


def _make(file: Path, content: bytes) -> bytes:
    """Make a private file whole or not at all: another process may be making it too."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if file.exists():
        return file.read_bytes()
    draft = file.with_name(f"{file.name}-{os.urandom(4).hex()}{NAMES.draft_suffix}")
    write_new(str(draft), content)
    try:
        with contextlib.suppress(FileExistsError):
            os.link(draft, file)
    finally:
        draft.unlink()
    sync_folder(str(file.parent))
    return file.read_bytes()


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return b""
