"""A vault whose notes folders and properties protect, with its index."""

from contextlib import closing

from config.paths import NAMES
from daemon.index import notes
from daemon.index.private import Guard
from daemon.index.search import search
from daemon.index.store import Index
from daemon.policy.privacy import Declared
from tests.daemon.index.conftest import Settled

RULES = Declared(("Privé/",), ("Argent",), (("Clippings", "web"),))


class Guarded(Settled):
    """A vault whose index is brought in step under what folders declare."""

    declared = Declared()
    private = True

    def guard(self) -> Guard:
        return Guard(self.declared, self.vault.unseen, self.private)

    def settle(self):
        listing = self.vault.walk()
        entries = [entry for entry in listing.rows if not (self.unseen and self.unseen(entry[0]))]
        unknown = self.unseen or listing.unknown
        return notes.refresh(self.index, entries, unknown, self.read, guard=self.guard())

    def saved(self, *paths):
        found = [(path, self.vault.entry(path)) for path in paths]
        return notes.refresh_paths(self.index, found, self.read, self.guard())

    def rebuilt(self):
        listing = self.vault.walk()

        def fill(index):
            notes.refresh(index, listing.rows, listing.unknown, self.read, guard=self.guard())

        self.index.close()
        self.index = Index.rebuild(self.state, fill)
        return self.index

    def restart(self):
        self.index.close()
        self.index = Index.open(self.state, write=True)

    def found(self, query, **reader):
        """Give the paths a search finds: the person's, or that of an agent through its own door."""
        with closing(Index.open(self.state, write=False, private=not reader)) as index:
            return [hit.path for hit in search(index.connection, query, 10, **reader)]

    def raw(self, *prefixes):
        """Give every byte of the files of the index that agents read."""
        files = [
            path for path in self.state.iterdir() if path.name.startswith(prefixes or NAMES.index_prefix)
        ]
        assert files
        return b"".join(path.read_bytes() for path in sorted(files))

    def kinds(self):
        query = notes._of_all(self.index, "path, sensitivity, provenance")
        return {path: kind for path, *kind in self.index.connection.execute(query)}

    def holds(self, secret=b"7319"):
        return secret in self.raw()
