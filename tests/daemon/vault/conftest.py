"""Vaults in a temporary folder, with a clock that stands, and a record of the calls that change the disk."""

import os
from pathlib import Path

import pytest

from daemon.vault import names, rename
from daemon.vault.door import Vault
from tests.daemon.vault.shared import NOW


class Clock:
    now = NOW

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def open_vault(tmp_path, clock):
    def make(**options) -> Vault:
        (tmp_path / "vault").mkdir(exist_ok=True)
        settings = {"max_bytes": 1000, "clock": clock, **options}
        vault = Vault(tmp_path / "vault", tmp_path / "state" / "backups", **settings)
        vault.prepare()
        return vault

    return make


@pytest.fixture
def vault(open_vault):
    return open_vault()


@pytest.fixture
def calls(monkeypatch):
    """Names of the calls that change the disk, each with the file names it is about."""
    recorded: list[tuple[str, ...]] = []
    files: dict[int, str] = {}

    def short(place) -> str:
        name = Path(files.get(place, "?") if isinstance(place, int) else place).name
        draft = names.parse_draft(name)
        kept = names.parse_kept(name)
        return f"draft-{draft.state}" if draft else f"kept:{kept.path}" if kept else name

    def record(module, name: str, places: int) -> None:
        real = getattr(module, name)

        def wrapper(*args, **kwargs):
            recorded.append((name, *map(short, args[:places])))
            return real(*args, **kwargs)

        monkeypatch.setattr(module, name, wrapper)

    real_open = os.open

    def opening(path, flags, *args, **kwargs):
        fd = real_open(path, flags, *args, **kwargs)
        files[fd] = os.fspath(path)
        return fd

    monkeypatch.setattr(os, "open", opening)
    for name in ("write", "pwrite", "fsync", "ftruncate", "unlink", "mkdir"):
        record(os, name, 1)
    for name in ("rename", "link"):
        record(os, name, 2)
    record(rename, "rename_with", 2)
    return recorded
