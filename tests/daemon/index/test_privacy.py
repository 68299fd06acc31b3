"""R-P04, C17: private notes stand apart, and the files of the index that agents read hold no byte of them."""

import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from config.paths import NAMES
from daemon.index import notes, private
from daemon.index import search as searching
from daemon.index.private import Guard
from daemon.index.schema import PRIVATE, PRIVATE_FROM
from daemon.index.search import search
from daemon.index.store import Index
from daemon.policy.privacy import Declared
from parsers.model.places import Problem
from tests.daemon.index.conftest import Settled

SECRET = "code 7319"
RULES = Declared(("Privé/",), ("Argent",), (("Clippings", "web"),))
C17 = {
    "Privé/2024/santé.md": f"Le {SECRET} du coffre.\n",
    "Privé.md": "Le jardin.\n",
    "Privée/bail.md": "Le loyer.\n",
    "Carnet.md": "Voir ![[Privé/2024/santé]] ce soir.\n",
}


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


@pytest.fixture
def settled(tmp_path):
    settled = Guarded(tmp_path / "vault", tmp_path / "state")
    yield settled
    settled.index.close()


@pytest.fixture
def c17(settled):
    for path, text in C17.items():
        settled.put(path, text)
    return settled


def agents(settled, query):
    return settled.found(query, agent=True) + settled.found(query, external=True)


def assert_apart(settled):
    """The secret is in no row, result or byte of the common file; the rest of the vault is found as ever."""
    assert not settled.holds()
    assert agents(settled, "7319") == []
    assert settled.found("7319") == ["Privé/2024/santé.md"]
    for word, path in (("jardin", "Privé.md"), ("loyer", "Privée/bail.md"), ("soir", "Carnet.md")):
        assert agents(settled, word) == [path, path]
        assert settled.found(word) == [path]
    db = sqlite3.connect(next(settled.state.glob(f"{NAMES.index_prefix}*{NAMES.index_suffix}")))
    with closing(db):
        tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        assert not [name for name in tables if "7319" in repr(db.execute(f"SELECT * FROM {name}").fetchall())]


def test_c17_a_folder_excluded_from_the_start_is_in_no_file_an_agent_opens(c17):
    c17.declared = RULES
    c17.settle()
    assert_apart(c17)


def test_c17_a_folder_excluded_after_indexing_leaves_no_byte_behind_at_the_next_settle(c17):
    c17.settle()
    assert c17.holds()
    assert not list(c17.state.glob(f"{NAMES.private_prefix}*"))
    c17.declared = RULES
    c17.settle()
    assert_apart(c17)
    c17.restart()
    c17.opened.clear()
    assert not c17.settle()
    assert c17.opened == []


def test_c17_a_folder_excluded_before_a_rebuild_is_not_in_the_new_file_nor_in_an_old_one(c17):
    c17.settle()
    c17.declared = RULES
    c17.rebuilt()
    assert_apart(c17)


def test_c17_a_property_added_later_makes_a_note_leave_the_common_file(c17):
    c17.settle()
    path = c17.put("Privé/2024/santé.md", f"---\nprivé: oui\n---\nLe {SECRET} du coffre.\n")
    c17.saved(path)
    assert_apart(c17)


@pytest.mark.parametrize(
    "block", ["privé: oui\nprivé: oui", "a: [\nprivate: true", '{"a": 1, "privé": "oui",}']
)
def test_a_block_of_properties_that_cannot_be_read_protects_all_the_same(settled, block):
    settled.put("a.md", f"---\n{block}\n---\n{SECRET}\n")
    settled.settle()
    assert not settled.holds()
    assert settled.found("7319") == ["a.md"]


@pytest.mark.parametrize("whole", [True, False])
def test_c17_a_note_moved_into_an_excluded_folder_leaves_the_common_file(c17, whole):
    c17.declared = RULES
    old = c17.put("Public/santé.md", f"Le {SECRET} du coffre.\n")
    (c17.root / "Privé/2024/santé.md").unlink()
    c17.settle()
    assert c17.holds()
    new = c17.root / "Privé/2024/santé.md"
    (c17.root / old).rename(new)
    changes = c17.settle() if whole else c17.saved(old, "Privé/2024/santé.md")
    assert changes.renamed == ((old, "Privé/2024/santé.md"),)
    assert_apart(c17)


def test_c17_a_move_that_is_seen_as_a_deletion_and_a_later_addition_leaves_no_byte_either(c17):
    c17.declared = RULES
    old, kept = c17.put("Public/santé.md", f"Le {SECRET} du coffre.\n"), c17.root / "Privé/2024/santé.md"
    kept.unlink()
    c17.settle()
    (c17.root / old).unlink()
    c17.saved(old)
    path = c17.put("Privé/2024/santé.md", f"Le {SECRET} du coffre.\n")
    c17.saved(path)
    assert_apart(c17)


def test_c17_a_note_ignored_later_is_in_no_file_at_all(c17):
    c17.declared = RULES
    c17.put("Public.md", "Le mot 4242.\n")
    c17.settle()
    c17.put(NAMES.ignore_file, "Privé/\nPublic.md\n")
    c17.settle()
    assert b"7319" not in c17.raw("")
    assert b"4242" not in c17.raw("")
    assert c17.found("7319 4242") == []


@pytest.mark.parametrize("inside", ["note.md", "Un dossier/note.md"])
def test_a_note_that_goes_to_the_trash_leaves_no_byte_behind(settled, inside):
    path = settled.put("Un dossier/note.md", f"{SECRET}\n")
    settled.put("Autre.md", "reste\n")
    settled.settle()
    target = settled.root / NAMES.trash / inside
    target.parent.mkdir(parents=True)
    (settled.root / path).rename(target)
    settled.saved(path)
    assert not settled.holds()


def test_a_note_that_is_no_longer_private_is_found_by_everyone(c17):
    c17.declared = RULES
    c17.settle()
    c17.declared = Declared()
    c17.settle()
    assert agents(c17, "7319") == ["Privé/2024/santé.md"] * 2
    assert c17.found("7319") == ["Privé/2024/santé.md"]
    assert notes.count(c17.index) == 4


def test_a_private_note_is_changed_renamed_and_deleted_as_any_other(c17):
    c17.declared = RULES
    c17.settle()
    path = c17.put("Privé/2024/santé.md", "Le code 8888 du coffre.\n")
    assert c17.saved(path).changed == (path,)
    assert c17.found("8888") == [path]
    assert c17.found("7319") == []
    (c17.root / path).rename(c17.root / "Privé/autre.md")
    assert c17.settle().renamed == ((path, "Privé/autre.md"),)
    assert c17.found("8888") == ["Privé/autre.md"]
    (c17.root / "Privé/autre.md").unlink()
    assert c17.settle().removed == ("Privé/autre.md",)
    assert c17.found("8888") == []
    assert not c17.settle()


def test_links_lead_the_person_to_private_notes_too(c17):
    c17.declared = RULES
    c17.settle()
    assert notes.resolve(c17.index, "santé") == ["Privé/2024/santé.md"]
    with closing(Index.open(c17.state, write=False)) as agent:
        assert notes.resolve(agent, "santé") == []


def test_where_nothing_is_private_there_is_no_second_file(settled):
    settled.declared = RULES
    settled.put("a.md", "un\n")
    settled.settle()
    settled.rebuilt()
    assert not list(settled.state.glob(f"{NAMES.private_prefix}*"))


def test_a_rebuild_drops_the_private_file_of_the_old_index(c17):
    c17.declared = RULES
    c17.settle()
    c17.rebuilt()
    c17.rebuilt()
    numbers = sorted(path.name for path in c17.state.glob(f"*{NAMES.index_suffix}"))
    assert numbers == [f"{NAMES.index_prefix}3.sqlite3", f"{NAMES.private_prefix}3.sqlite3"]


def test_a_private_file_that_is_gone_is_made_again_by_the_next_pass(c17):
    c17.declared = RULES
    c17.settle()
    c17.index.close()
    for path in c17.state.glob(f"{NAMES.private_prefix}*"):
        path.unlink()
    c17.index = Index.open(c17.state, write=True)
    c17.settle()
    assert_apart(c17)


class Crash(Exception):
    pass


def test_a_crash_between_the_two_files_heals_at_the_next_pass(c17):
    """SQLite commits one file after the other: a note may be left in both, or in neither."""
    c17.settle()
    c17.declared = RULES
    c17.settle()
    db = c17.index.connection
    columns = ", ".join(name for _, name, *_ in db.execute("PRAGMA table_info(notes)") if name != "id")
    db.execute(f"INSERT INTO notes(id, {columns}) SELECT 900, {columns} FROM private.notes")
    db.execute("INSERT INTO blocks(id) VALUES(900 << 20)")
    db.execute("INSERT INTO words(rowid, head, body, pairs) VALUES(900 << 20, '', 'le code 7319', '')")
    c17.restart()
    c17.settle()
    assert_apart(c17)
    db = c17.index.connection
    for table in ("blocks", "words", "notes"):
        db.execute(f"DELETE FROM {PRIVATE}{table}")
    c17.settle()
    assert_apart(c17)


def test_a_crash_before_the_cleaning_only_delays_it(c17, monkeypatch):
    c17.settle()
    c17.declared = RULES

    def crash(_):
        raise Crash

    with monkeypatch.context() as patch:
        patch.setattr(private, "clean", crash)
        with pytest.raises(Crash):
            c17.settle()
    c17.restart()
    assert agents(c17, "7319") == []
    c17.settle()
    assert_apart(c17)


def test_a_reader_that_still_needs_the_old_pages_only_delays_the_cleaning(c17):
    c17.settle()
    c17.index.connection.execute("PRAGMA busy_timeout = 50")
    with closing(Index.open(c17.state, write=False)) as reader:
        reader.connection.execute("BEGIN")
        assert reader.connection.execute("SELECT count(*) FROM notes").fetchall() == [(4,)]
        c17.declared = RULES
        c17.settle()
        assert agents(c17, "7319") == []
    c17.settle()
    assert_apart(c17)


@pytest.mark.parametrize("seen", [True, False])
def test_a_note_that_cannot_be_read_leaves_the_common_file_when_its_folder_is_excluded(c17, seen):
    path = c17.root / "Privé/2024/santé.md"
    c17.settle()
    c17.declared = RULES
    if seen:
        read = c17.read
        refusal = Problem("Privé/2024/santé.md", 0, "unreadable", (("reason", "essai"),))
        c17.read = lambda one: refusal if one == refusal.path else read(one)
    else:
        c17.unseen = lambda one: one.startswith("Privé/")
    c17.settle()
    assert not c17.holds()
    c17.unseen = None
    c17.read = partial(Settled.read, c17)
    c17.settle()
    assert path.exists()
    assert_apart(c17)


def test_a_process_that_serves_agents_leaves_private_notes_to_others(c17):
    c17.declared, c17.private = RULES, False
    c17.settle()
    c17.rebuilt()
    assert not list(c17.state.glob(f"{NAMES.private_prefix}*"))
    assert not c17.holds()
    c17.private = True
    c17.settle()
    assert_apart(c17)
    c17.restart()
    c17.private = False
    c17.put("Privé/2024/santé.md", "Le code 7319, encore.\n")
    c17.settle()
    assert not c17.index.private
    assert not c17.holds()


def test_an_agents_door_never_opens_the_private_file(c17):
    c17.declared = RULES
    c17.settle()
    with closing(Index.open(c17.state, write=False)) as index:
        names = [name for _, name, _ in index.connection.execute("PRAGMA database_list")]
        assert names == ["main"]
        assert [hit.path for hit in search(index.connection, "7319")] == []


def test_sensitive_notes_are_found_by_local_readers_and_not_by_external_ones(settled):
    settled.declared = RULES
    settled.put("Argent/compte.md", "le solde\n")
    settled.put("b.md", "---\nsensible: oui\n---\nle solde\n")
    settled.put("c.md", "le solde\n")
    settled.settle()
    assert sorted(settled.found("solde")) == ["Argent/compte.md", "b.md", "c.md"]
    assert sorted(settled.found("solde", agent=True)) == ["Argent/compte.md", "b.md", "c.md"]
    assert settled.found("solde", agent=True, external=True) == ["c.md"]
    settled.declared = Declared()
    settled.settle()
    assert settled.found("solde", external=True) == ["Argent/compte.md", "c.md"]


def test_the_assistant_folder_does_not_exist_for_an_agent(settled):
    settled.put(NAMES.profile, "aime le thé\n")
    settled.put("Thé.md", "le thé\n")
    settled.settle()
    assert settled.found("thé", agent=True) == ["Thé.md"]
    assert set(settled.found("thé")) == {"Thé.md", NAMES.profile}


def test_where_a_note_came_from_stands_in_the_index_and_follows_settings(settled):
    settled.put("Clippings/a.md", "un\n")
    settled.put("b.md", "---\nsource: https://exemple.org\n---\n")
    settled.put("c.md", "rien\n")
    settled.settle()
    assert settled.kinds()["Clippings/a.md"] == ["normal", "vault"]
    settled.declared = RULES
    settled.opened.clear()
    assert not settled.settle().changed
    assert settled.opened == ["Clippings/a.md"]
    assert settled.kinds() == {
        "Clippings/a.md": ["normal", "web"],
        "b.md": ["normal", "web"],
        "c.md": ["normal", "vault"],
    }


COMMENTED = """# Titre %%7319 en titre%%

Visible un. %% 7319 en ligne [[7319 lien]] #t7319 %%

%%
# 7319 caché

[[7319 encore]] #u7319
%%

Visible deux <!-- 7319 en html --> fin.
"""


def test_text_in_comments_is_in_no_file_of_the_index(settled):
    settled.put("a.md", COMMENTED)
    settled.settle()
    assert b"7319" not in settled.raw("")
    assert settled.found("visible deux fin") == ["a.md"]


def test_private_notes_are_ranked_among_the_others_as_if_in_one_file(settled):
    """A word that is rare in the whole vault counts, however many of the few private notes have it."""
    settled.declared = RULES
    for n in range(40):
        settled.put(f"n{n:02d}.md", f"une tulipe dans le jardin numéro {n} au milieu des autres fleurs\n")
    settled.put("Privé/a.md", "tulipe noire\n")
    settled.settle()
    assert settled.found("tulipe noire")[0] == "Privé/a.md"
    assert settled.found("tulipe")[0] == "Privé/a.md"
    assert settled.found("tulipe noire", agent=True)
    assert settled.found("tulipe", folder="Privé") == []  # an agent's door, as every call with a reader here
    with closing(Index.open(settled.state, write=False, private=True)) as index:
        assert [hit.path for hit in search(index.connection, "tulipe", folder="Privé")] == ["Privé/a.md"]


def test_search_knows_where_private_rows_start():
    assert searching._PRIVATE == PRIVATE
    assert searching._PRIVATE_FROM == PRIVATE_FROM << searching._ROW_BITS


def test_the_private_file_is_named_after_the_index_it_belongs_to(c17):
    c17.declared = RULES
    c17.settle()
    current = (c17.state / NAMES.current).read_text().strip()
    number = current.removeprefix(NAMES.index_prefix)
    assert Path(c17.state / f"{NAMES.private_prefix}{number}").is_file()
