"""The scan: what is listed, what is left out, what cannot be known."""

import errno
import os
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest

from config.i18n import catalogue
from config.paths import NAMES
from daemon.vault import errors
from daemon.vault.disk import etag_of
from parsers.model.places import NotePath
from tests.daemon.vault.shared import NOTE, put, seen


def test_a_scan_lists_notes_alone_sorted_and_opens_none(vault, monkeypatch):
    for path in ("b.md", "a/z.md", "a.md", "é.md", "image.png", "Profil.md~", "x.md.tmp", "#x.md#"):
        put(vault, path)
    for path in (".obsidian/a.md", ".trash/b.md", ".caché/c.md", "a/.d.md", ".clavaire/e.md"):
        put(vault, path)
    monkeypatch.setattr(os, "open", None)
    listing = vault.walk()
    assert [entry.path for entry in listing.entries] == sorted(["a.md", "a/z.md", "b.md", "é.md"])
    assert (listing.failures, listing.problems) == ((), ())
    status = (vault.root / "b.md").stat()
    assert listing.entries[2] == ("b.md", status.st_mtime_ns, status.st_size, status.st_ino, None)


def test_a_scan_and_the_look_at_one_note_agree(vault):
    put(vault, NAMES.ignore_file, b"Ignor*\n")
    for path in (
        "a.md",
        "b.txt",
        "Ignoré/c.md",
        "é/ü.md",
        "gros.md",
        "x.sync-conflict-20250301-101500-ABCDEF7.md",
    ):
        put(vault, path, b"x" * (2000 if path == "gros.md" else 5))
    listed = {entry.path: entry for entry in vault.walk().entries}
    every = [path.relative_to(vault.root).as_posix() for path in vault.root.rglob("*")]
    assert {path: entry for path in every if (entry := vault.entry(NotePath(path)))} == listed
    assert len(listed) == 3


def test_what_the_ignore_file_lists_is_neither_listed_nor_read(vault):
    for path in ("Privé/2024/santé.md", "Privé.md", "Privée/bail.md", "brouillon.md", "Notes/brouillon.md"):
        put(vault, path)
    put(vault, NAMES.ignore_file, "\ufeff/Privé/\r\nbrouillon*\r\n!/brouillon.md\r\n".encode())
    assert seen(vault) == sorted(["Privé.md", "Privée/bail.md", "brouillon.md"])
    with pytest.raises(errors.Ignored):
        vault.read(NotePath("Privé/2024/santé.md"))
    (vault.root / NAMES.ignore_file).unlink()
    assert len(seen(vault)) == 5
    assert vault.read(NotePath("Privé/2024/santé.md")).data


def test_c24_what_is_ignored_is_ignored_in_every_encoding_of_its_name(vault):
    put(vault, unicodedata.normalize("NFD", "Privé/a.md"))
    put(vault, unicodedata.normalize("NFC", "Privé/b.md"))
    for form in ("NFC", "NFD"):
        put(vault, NAMES.ignore_file, unicodedata.normalize(form, "Privé/\n").encode())
        assert seen(vault) == []


def test_patterns_of_the_settings_are_ignored_too(open_vault):
    vault = open_vault(ignore=("Archives/",))
    put(vault, "Archives/a.md")
    put(vault, "b.md")
    assert seen(vault) == ["b.md"]


def test_a_line_of_the_ignore_file_that_is_no_pattern_is_named_and_the_others_hold(vault):
    put(vault, "a.md")
    put(vault, "b.md")
    put(vault, NAMES.ignore_file, b"\\\na.md\n")
    assert seen(vault) == ["b.md"]
    assert [(problem.path, problem.code) for problem in vault.walk().problems] == [
        (NAMES.ignore_file, "ignore_pattern")
    ]


def test_an_ignore_file_that_cannot_be_read_stops_reading_and_makes_nothing_absent(vault):
    put(vault, NOTE)
    (vault.root / NAMES.ignore_file).mkdir()
    assert vault.walk().entries == ()
    assert vault.walk().unknown(NOTE)
    with pytest.raises(errors.Unreadable):
        vault.read(NOTE)


def test_pathspec_is_loaded_only_for_a_vault_with_an_ignore_file(vault):
    put(vault, NOTE)
    code = (
        "import sys; from pathlib import Path; from daemon.vault.door import Vault;"
        f"v = Vault(Path({str(vault.root)!r}), Path('b'), 9); v.walk(); v.read('{NOTE}'); print(*sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"pathspec", "filelock", "sqlite3", "pydantic"} & set(run.stdout.split())


def test_names_no_note_can_have_are_left_out_and_named(vault):
    for path in (b"a\\b.md", b"\xff.md", b"%2e%2e/x.md"):
        full = os.path.join(os.fsencode(vault.root), path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        Path(os.fsdecode(full)).write_bytes(b"x")
    put(vault, "50 %.md")
    listing = vault.walk()
    assert [entry.path for entry in listing.entries] == ["50 %.md"]
    assert sorted(problem.code for problem in listing.problems) == ["name_not_utf8", *["outside_vault"] * 2]
    assert all(problem.path.isprintable() for problem in listing.problems)


@pytest.mark.parametrize(
    ("path", "shown"),
    [(b"d/lat\xe9.md", "d/lat\\xe9.md"), ("été".encode() + b"\xff/a.md", "été\\xff")],
)
def test_a_name_that_is_not_utf8_is_a_problem_that_says_to_rename_it(vault, path, shown):
    full = os.path.join(os.fsencode(vault.root), path)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    Path(os.fsdecode(full)).write_bytes(b"x")
    (problem,) = vault.walk().problems
    assert (problem.path, problem.code) == (shown, "name_not_utf8")
    for locale, remedy in (("fr", "renommer"), ("en", "rename")):
        said = catalogue(locale).problem(problem)
        assert said.startswith(f"{shown} ")
        assert "UTF-8" in said
        assert remedy in said


def test_c23_the_old_name_of_an_editors_save_is_never_a_note(vault):
    put(vault, NOTE, "- thé ^p1\n".encode())
    inode = vault.entry(NOTE).inode
    (vault.root / NOTE).rename(vault.root / "Profil.md~")
    assert seen(vault) == []
    put(vault, NOTE, "- thé vert ^p1\n".encode())
    assert seen(vault) == [NOTE]
    assert vault.entry(NOTE).inode != inode
    assert vault.entry(NotePath("Profil.md~")) is None


def test_c27_a_folder_that_cannot_be_listed_is_unknown_not_empty(vault, monkeypatch):
    for number in range(50):
        put(vault, f"Carnets/Sous/{number}.md")
    put(vault, "Carnets-2/a.md")
    real = os.scandir

    def scandir(path):
        if os.fspath(path).rstrip("/").endswith("Carnets"):
            raise OSError(errno.EIO, "Input/output error")
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    listing = vault.walk()
    assert [(failure.path, failure.code) for failure in listing.failures] == [
        ("Carnets", "folder_unreadable")
    ]
    assert listing.unknown("Carnets/Sous/7.md")
    assert not listing.unknown("Carnets-2/b.md")
    assert [entry.path for entry in listing.entries] == ["Carnets-2/a.md"]
    monkeypatch.undo()
    assert len(seen(vault)) == 51


def test_c27_an_empty_mount_point_is_no_vault_and_nothing_is_written_there(vault):
    put(vault, f"{NAMES.register_folder}/2026-11.md")
    assert vault.available() is None
    vault.root.rename(vault.root.with_name("unmounted"))
    assert vault.walk().unknown(NOTE)
    vault.root.mkdir()
    assert vault.available().code == "vault_missing"
    assert vault.walk().unknown(NOTE)
    for ask in (
        lambda: vault.read(NOTE),
        lambda: vault.write(NOTE, b"x", etag_of(b"x")),
        lambda: vault.append(NOTE, b"x", 3),
        lambda: vault.locked().__enter__(),
        vault.executor,
    ):
        with pytest.raises(errors.VaultMissing):
            ask()
    assert list(vault.root.iterdir()) == []
    vault.root.rmdir()
    with pytest.raises(errors.VaultMissing):
        vault.prepare()


def test_c28_conflict_copies_are_told_from_notes_and_temporary_files_are_left_out(vault):
    copies = {
        "Profil.sync-conflict-20250301-101500-ABCDEF7.md": "Profil.md",
        "Plans/Tri (conflicted copy 2025-03-01).md": "Plans/Tri.md",
        "Profil (Conflicted copy pc 202503011015).md": "Profil.md",
        "Profil (Anne's conflicted copy 2025-03-01).md": "Profil.md",
    }
    for path in (
        *copies,
        "Profil.md",
        "Guerre (conflit).md",
        ".syncthing.Profil.md.tmp",
        "~syncthing~Profil.md.tmp",
    ):
        put(vault, path)
    listing = vault.walk()
    assert {entry.path: entry.conflict_of for entry in listing.entries if entry.conflict_of} == copies
    assert [entry.path for entry in listing.entries if not entry.conflict_of] == [
        "Guerre (conflit).md",
        "Profil.md",
    ]
    assert all(vault.entry(NotePath(path)).conflict_of == note for path, note in copies.items())


def test_c28_a_number_makes_a_copy_only_beside_a_managed_note_that_is_there(vault):
    copies = {
        "99_Assistant/Profil 2.md": "99_Assistant/Profil.md",
        "99_Assistant/Profil (1).md": "99_Assistant/Profil.md",
        "99_Assistant/Profil 2 (1).md": "99_Assistant/Profil.md",
    }
    others = ("99_Assistant/Cartes 2.md", "99_Assistant/Plans/Tri 2.md", "Profil 2.md", "Note (1).md")
    for path in (
        *copies,
        *others,
        "99_Assistant/Profil.md",
        "99_Assistant/Plans/Tri.md",
        "Profil.md",
        "Note.md",
    ):
        put(vault, path)
    assert {one.path: one.conflict_of for one in vault.walk().copies} == copies
    assert {path: vault.entry(NotePath(path)).conflict_of for path in copies} == copies
    assert not any(vault.entry(NotePath(path)).conflict_of for path in others)
