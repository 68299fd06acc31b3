"""Faults met by others between the disk and the index (cases C21, C24, C27, C28)."""

import errno
import os
import shutil
import unicodedata

import pytest

from config.paths import NAMES
from daemon.vault.errors import VaultMissing
from tests.asking import asked, cli, found, now, problems
from tests.home import Home

PROFILE = """\
<!-- clavaire:begin preferences -->
- thé ^p1
<!-- clavaire:end preferences -->
"""


def hits(home: Home, query: str) -> list[tuple[str, int, str]]:
    return [(hit["path"], hit["line"], hit["snippet"]) for hit in asked(home, "search", query)]


def notes_in_vault(home: Home) -> int:
    ours = (NAMES.cards, NAMES.journal, NAMES.autonomy)
    every = (path.relative_to(home.root).as_posix() for path in home.root.rglob("*.md"))
    return sum(1 for path in every if path not in ours and not path.startswith((NAMES.register_folder, ".")))


def test_c21_words_of_a_changed_or_deleted_note_are_found_no_more(vault):
    home = vault()
    home.put("A.md", "zinnia\n")
    home.sync()
    home.put("A.md", "dahlia\n")
    home.sync()
    home.full("A.md").unlink()
    home.sync()
    home.put("B.md", "tulipe\n")
    home.sync()
    words = ("zinnia", "dahlia", "tulipe")
    kept = [hits(home, word) for word in words]
    assert [[path for path, _, _ in one] for one in kept] == [[], [], ["B.md"]]
    assert asked(home, "status")["notes"] == notes_in_vault(home)
    home.drop_index()
    home.rest()
    assert [hits(home, word) for word in words] == kept
    assert asked(home, "status")["notes"] == notes_in_vault(home)


@pytest.mark.parametrize("everything", [True, False])
def test_c21_an_index_deleted_under_a_running_process_is_made_anew_and_used_by_all(vault, everything):
    home = vault(files={"A.md": "zinnia\n"})
    home.add_line("- thé", "preferences")
    home.rest()
    for path in home.app.folder.glob(f"{NAMES.index_prefix}*"):
        path.unlink()
    if everything:
        (home.app.folder / NAMES.current).unlink()
    home.put("A.md", "dahlia\n")
    home.add_line("- café", "preferences")
    home.sync(["A.md", NAMES.profile])
    assert sorted(fact["text"] for fact in asked(home, "facts")) == ["café", "thé"]
    assert found(home, "dahlia") == ["A.md"]


def test_a_rebuild_keeps_saying_what_is_wrong_with_notes(vault):
    home = vault(files={"A.md": "zinnia\n"})
    home.add_line("- thé", "preferences")
    home.rest()
    home.replace("<!-- clavaire:end preferences -->", "")
    home.sync()
    before = problems(home)
    assert [path for path, *_ in before] == [NAMES.profile]
    assert cli(home, "rebuild")[0] == 0
    assert problems(home) == before


def test_c21_one_by_one_and_at_once_give_the_same_index(vault):
    home = vault()
    for step, words in enumerate(["zinnia bleu", "dahlia bleu", "tulipe bleu bleu"]):
        home.put("A.md", f"{words}\n")
        home.put(f"Note {step}.md", f"# Titre {step}\n\n{words} encore\n")
        home.sync(["A.md", f"Note {step}.md"])
    home.full("Note 1.md").rename(home.full("Autre.md"))
    home.sync(["Note 1.md", "Autre.md"])
    before = [hits(home, word) for word in ("zinnia", "dahlia", "tulipe", "bleu")]
    home.drop_index()
    home.rest()
    assert [hits(home, word) for word in ("zinnia", "dahlia", "tulipe", "bleu")] == before


COMPOSED = unicodedata.normalize("NFC", "Été.md")
DECOMPOSED = unicodedata.normalize("NFD", "Été.md")


def test_c24_a_name_composed_otherwise_is_the_same_note(vault):
    home = vault(files={COMPOSED: "La baignade ^b1\n", "Carnet.md": "Voir [[Été]].\n"})
    home.sync()
    total = asked(home, "status")["notes"]
    home.full(COMPOSED).rename(home.full(DECOMPOSED))
    outcome = home.sync()
    assert asked(home, "status")["notes"] == total
    assert found(home, "baignade") == [DECOMPOSED]
    assert asked(home, "search", "baignade")[0]["block_id"] == "b1"
    assert not outcome.changes.added
    assert not outcome.changes.removed
    assert outcome.changes.renamed == ((COMPOSED, DECOMPOSED),)
    links = "SELECT count(*) FROM links JOIN notes USING(key) WHERE notes.path = ?"
    assert home.app.history.index.connection.execute(links, (DECOMPOSED,)).fetchone() == (1,)
    assert not problems(home)


def test_c24_a_managed_note_in_a_folder_composed_otherwise_is_written_where_it_stands(vault, tmp_path):
    home = vault(files={f"{COMPOSED.removesuffix('.md')}/Note.md": "La baignade\n"})
    home.sync()
    home.full(COMPOSED.removesuffix(".md")).rename(home.full(DECOMPOSED.removesuffix(".md")))
    home.sync()
    assert found(home, "baignade") == [f"{DECOMPOSED.removesuffix('.md')}/Note.md"]


def test_c24_both_names_are_two_notes_with_one_warning_and_no_write(vault):
    home = vault(files={COMPOSED: "La baignade\n"})
    home.sync()
    home.put(DECOMPOSED, "La canicule\n")
    before = home.snapshot(NAMES.assistant)
    home.sync()
    assert found(home, "baignade") == [COMPOSED]
    assert found(home, "canicule") == [DECOMPOSED]
    named = [one for one in problems(home) if one[2] == "twin_names"]
    assert len(named) == 1
    home.remember("marche le soir")
    home.sync()
    assert home.snapshot(NAMES.assistant) == before
    home.full(DECOMPOSED).unlink()
    home.sync()
    assert not problems(home)


def test_c27_a_folder_that_cannot_be_listed_loses_nothing(vault, monkeypatch):
    home = vault(files={f"Carnets/Note {n}.md": f"La girolle numéro {n}\n" for n in range(50)})
    home.add_line("- thé", "preferences")
    home.rest()
    export, before = home.export(), home.snapshot()
    known = asked(home, "search", "girolle", "--limit", "100")
    real = os.scandir

    def failing(place="."):
        spelt = os.readlink(f"/proc/self/fd/{place}") if isinstance(place, int) else os.fspath(place)
        if str(spelt).rstrip("/").endswith("Carnets"):
            raise OSError(errno.EIO, os.strerror(errno.EIO), str(spelt))
        return real(place)

    with monkeypatch.context() as patched:
        patched.setattr(os, "scandir", failing)
        home.restart()
        outcome = home.sync()
        home.sync()
    assert not outcome.records
    assert not outcome.changes.removed
    assert home.export() == export
    assert home.snapshot() == before
    assert [one for one in problems(home) if one[2] == "folder_unreadable"] == [
        ("Carnets", 0, "folder_unreadable")
    ]
    unseen = asked(home, "search", "girolle", "--limit", "100")
    assert len(unseen) == 50
    assert not any(hit["verified"] for hit in unseen)
    outcome = home.sync()
    assert not outcome.records
    assert not outcome.changes.added
    assert asked(home, "search", "girolle", "--limit", "100") == known
    assert not problems(home)


def test_c27_an_empty_mount_point_is_no_deletion(vault):
    home = vault(files={f"Carnets/Note {n}.md": f"La girolle numéro {n}\n" for n in range(50)})
    home.add_line("- thé", "preferences")
    home.rest()
    export = home.export()
    away = home.root.with_name("ailleurs")
    home.close()
    shutil.move(home.root, away)
    home.root.mkdir()
    with pytest.raises(VaultMissing):
        home.restart()
    code, _, err = cli(home, "sync")
    assert code != 0
    assert str(home.root) in err
    assert not list(home.root.iterdir())
    assert len(asked(home, "search", "girolle", "--limit", "100")) == 50
    assert [one[2] for one in problems(home)] == ["vault_missing"]
    home.root.rmdir()
    shutil.move(away, home.root)
    home.restart()
    assert not home.rest()
    assert home.export() == export
    assert asked(home, "status")["notes"] == notes_in_vault(home)


def test_c27_a_vault_that_vanishes_under_a_running_daemon_is_no_deletion(vault):
    home = vault(files={"Carnet.md": "La girolle\n"})
    home.add_line("- thé", "preferences")
    home.rest()
    export = home.export()
    away = home.root.with_name("ailleurs")
    shutil.move(home.root, away)
    home.root.mkdir()
    with pytest.raises(VaultMissing):
        home.sync()
    assert not list(home.root.iterdir())
    assert home.export() == export
    home.root.rmdir()
    shutil.move(away, home.root)
    home.rest()
    assert home.export() == export
    assert found(home, "girolle") == ["Carnet.md"]


CONFLICT = "99_Assistant/Profil.sync-conflict-20250301-101500-ABCDEF7.md"
TEMPORARY = "99_Assistant/.syncthing.Profil.md.tmp"
OTHER = "Tri (conflicted copy 2025-03-01).md"


@pytest.mark.parametrize("name", ["Profil 2", "Profil (1)"])
def test_c28_a_numbered_copy_of_a_managed_note_is_told_and_an_ordinary_note_is_read(vault, name):
    home = vault()
    home.write_profile(PROFILE)
    home.put("Carnet.md", "girolle\n")
    home.rest()
    copy = f"99_Assistant/{name}.md"
    home.put(copy, PROFILE.replace("thé", "café"))
    home.put("Carnet 2.md", "bolet\n")
    home.rest()
    assert now(home) == ["thé"]
    assert (found(home, "café"), found(home, "bolet")) == ([], ["Carnet 2.md"])
    (card,) = home.open_cards()
    assert (card.kind, "café" in home.cards()) == ("copy", True)
    home.full(copy).unlink()
    home.rest()
    assert not home.open_cards()


def test_c28_files_of_sync_tools_are_no_notes(vault):
    home = vault()
    home.write_profile(PROFILE)
    home.put("Tri.md", "Un tri\n")
    home.rest()
    home.put(CONFLICT, PROFILE.replace("thé", "café"))
    home.put(OTHER, "Un tri coché\n- [x] Approuver ^go\n")
    home.put(TEMPORARY, PROFILE[:40].replace("thé", "tisane"))
    mine = (CONFLICT, OTHER, TEMPORARY)
    before = [(home.full(path).read_bytes(), home.full(path).stat().st_mtime_ns) for path in mine]
    home.rest()
    home.remember("marche le soir", kind="preference")
    home.rest()
    assert now(home) == ["marche le soir", "thé"]
    assert "café" not in str(asked(home, "export")["facts"])
    assert [(home.full(path).read_bytes(), home.full(path).stat().st_mtime_ns) for path in mine] == before
    for word in ("café", "coché", "tisane"):
        assert found(home, word) == []
    (card,) = home.open_cards()
    assert card.kind == "copy"
    assert "café" in home.cards()
    facts = [fact for versions in home.state.facts.values() for fact in versions]
    for path in mine:
        home.full(path).unlink()
    home.rest()
    assert not home.open_cards()
    assert "café" not in home.cards()
    assert [fact for versions in home.state.facts.values() for fact in versions] == facts
    assert home.profile().startswith(PROFILE.partition("<!-- clavaire:end")[0])
