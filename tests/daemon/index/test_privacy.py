"""R-P04, C17: private notes stand apart, and the files of the index that agents read hold no byte of them."""

import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from config.paths import NAMES
from daemon.index import notes, private
from daemon.index.rows import Rows
from daemon.index.schema import PRIVATE
from daemon.index.search import search
from daemon.index.store import Index
from daemon.index.texts import searched
from daemon.index.words import Cutters
from daemon.policy.privacy import Declared, declaring
from parsers.model.places import Problem
from parsers.properties import read
from tests.daemon.index.conftest import Settled
from tests.daemon.index.guarded import RULES, Guarded

SECRET = "code 7319"
C17 = {
    "Privé/2024/santé.md": f"Le {SECRET} du coffre.\n",
    "Privé.md": "Le jardin.\n",
    "Privée/bail.md": "Le loyer.\n",
    "Carnet.md": "Voir ![[Privé/2024/santé]] ce soir.\n",
}


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
        rows = {name: db.execute(f"SELECT * FROM {name}").fetchall() for name in tables}
        # Numbers (times, inodes) hold any digits by chance.
        said = {
            name: [one for row in found for one in row if not isinstance(one, int)]
            for name, found in rows.items()
        }
        assert not [name for name, found in said.items() if "7319" in repr(found)]


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


def test_c17_nothing_stays_in_free_pages_nor_in_older_segments_of_the_word_index(settled):
    settled.index.connection.execute("PRAGMA secure_delete = OFF")  # many builds of SQLite have it on
    for n in range(120):
        settled.saved(settled.put(f"Privé/note {n}.md", f"Le code 7319{n:03d} du coffre.\n" * 30))
        settled.saved(settled.put(f"Note {n}.md", f"Le jardin numéro {n} et ses tulipes.\n" * 30))
    assert settled.holds()
    settled.declared = RULES
    settled.settle()
    assert not settled.holds()
    assert len(settled.found("coffre")) == 10


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
    db.execute("INSERT INTO blocks(id, heading, text) VALUES(900 << 20, '', 'le code 7319')")
    rows = Rows(db)
    of_words = searched(rows._known(900, rows._there("blocks", 900)), Cutters())
    db.executemany(
        "INSERT INTO words(rowid, stems, head, near) VALUES(?, ?, ?, ?)",
        [(row, *texts) for row, texts in of_words.blocks.items()],
    )
    c17.restart()
    c17.settle()
    assert_apart(c17)
    db = c17.index.connection
    for (note,) in db.execute(f"SELECT id FROM {PRIVATE}notes").fetchall():
        Rows(db, PRIVATE).delete(note)
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


def test_the_private_file_is_named_after_the_index_it_belongs_to(c17):
    c17.declared = RULES
    c17.settle()
    current = (c17.state / NAMES.current).read_text().strip()
    number = current.removeprefix(NAMES.index_prefix)
    assert Path(c17.state / f"{NAMES.private_prefix}{number}").is_file()


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_a_note_in_utf_16_whose_protection_cannot_be_read_is_private(settled, codec):
    bom = "\ufeff".encode(codec)
    settled.put("A.md", bom + "---\nprivé: oui\n---\nle code 7319\n".encode(codec))
    settled.settle()
    db = settled.index.connection
    assert db.execute("SELECT count(*) FROM notes").fetchone()[0] == 0
    assert b"7\x003\x001" not in settled.raw()
    text = (bom + "le code".encode(codec)).decode("utf-8", "replace")
    assert Declared().sensitivity("A.md", declaring(text, read(text))) == "private"


@pytest.mark.parametrize("head", ["privé: oui", "privée: true", "a: [\nprivé: oui"])
def test_a_note_in_latin_1_that_says_it_is_private_is(settled, head):
    settled.put("A.md", f"---\n{head}\n---\nle code 7319\n".encode("latin-1"))
    settled.settle()
    assert b"7319" not in settled.raw()
