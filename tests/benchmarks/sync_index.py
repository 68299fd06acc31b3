"""The index as `clavaire sync` does it: `sync_index.py VAULT STATE` brings it in step, says what changed."""

import sys
from pathlib import Path

from daemon.index import notes
from daemon.index.refresh import Changes, Reading
from daemon.index.store import Index, IndexOutdated
from daemon.vault.door import Vault
from daemon.vault.errors import VaultError
from parsers.model.places import NotePath, Problem

MAX_BYTES = 5_000_000


def sync(root: Path, state: Path) -> Changes:
    vault = Vault(root, state / "backups", MAX_BYTES)

    def read(path: NotePath) -> Reading | Problem:
        try:
            return vault.read(path)
        except VaultError as error:
            return error.problem

    def refresh(index: Index) -> Changes:
        listing = vault.walk()
        return notes.refresh(index, listing.entries, listing.unknown, read)

    try:
        index = Index.open(state, write=True)
    except IndexOutdated:
        changes: list[Changes] = []
        Index.rebuild(state, lambda index: changes.append(refresh(index))).close()
        return changes[0]
    changed = refresh(index)
    index.close()
    return changed


if __name__ == "__main__":
    done = sync(Path(sys.argv[1]), Path(sys.argv[2]))
    # Not `ru_maxrss`: it remembers the process that started this one.
    status = Path("/proc/self/status").read_text("utf-8")
    peak = int(status.partition("VmHWM:")[2].split()[0]) / 1024
    print(len(done.added), len(done.changed), len(done.removed), peak)
