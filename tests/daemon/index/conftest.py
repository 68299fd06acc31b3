import os
from collections.abc import Callable
from pathlib import Path

import pytest

from config.paths import NAMES
from daemon.index import notes
from daemon.index.refresh import Changes
from daemon.index.store import Index, IndexOutdated
from daemon.vault.disk import Reading
from daemon.vault.door import Vault
from daemon.vault.errors import VaultError
from parsers.model.places import NotePath, Problem


class Settled:
    """A vault and its index, brought in step the way the daemon does it."""

    def __init__(self, root: Path, state: Path) -> None:
        (root / NAMES.register_folder).mkdir(parents=True)
        self.root, self.state = root, state
        self.vault = Vault(root, state / "backups", 5_000_000)
        self.opened: list[str] = []
        self.unseen: Callable[[str], bool] | None = None
        try:
            self.index = Index.open(state, write=True)
        except IndexOutdated:
            self.index = Index.rebuild(state, lambda index: None)

    def put(self, path: str, text: str | bytes) -> NotePath:
        full = self.root / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_bytes(text if isinstance(text, bytes) else text.encode())
        return NotePath(path)

    def read(self, path: NotePath) -> Reading | Problem:
        self.opened.append(path)
        try:
            return self.vault.read(path)
        except VaultError as error:
            return error.problem

    def settle(self) -> Changes:
        listing = self.vault.walk()
        entries = [entry for entry in listing.entries if not (self.unseen and self.unseen(entry.path))]
        return notes.refresh(self.index, entries, self.unseen or listing.unknown, self.read)

    def saved(self, *paths: str) -> Changes:
        found = [(NotePath(path), self.vault.entry(NotePath(path))) for path in paths]
        return notes.refresh_paths(self.index, found, self.read)

    def rebuilt(self) -> Index:
        listing = self.vault.walk()

        def fill(index: Index) -> None:
            notes.refresh(index, listing.entries, listing.unknown, self.read)

        self.index.close()
        self.index = Index.rebuild(self.state, fill)
        return self.index

    def ids(self) -> dict[str, int]:
        return dict(self.index.connection.execute("SELECT path, id FROM notes"))


@pytest.fixture
def settled(tmp_path):
    settled = Settled(tmp_path / "vault", tmp_path / "state")
    yield settled
    settled.index.close()


@pytest.fixture
def touched():
    """Move a file's mtime without touching its bytes."""

    def touch(path: Path) -> None:
        status = path.stat()
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + 1_000_000_000))

    return touch
