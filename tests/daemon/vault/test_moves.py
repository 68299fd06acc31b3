"""Moving, trashing, deleting: the file itself, never over another, and at every point one name holds its bytes."""

import errno
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.paths import NAMES
from daemon.vault import errors, moves, rename
from daemon.vault.disk import etag_of
from daemon.vault.door import Vault
from parsers.model.places import NotePath
from tests.daemon.vault.shared import NFC, NFD, NOTE, NOW, backups, displaced, put, seen

A, B = NotePath("Notes/a.md"), NotePath("Archives/2026/b.md")
OLD = etag_of(b"old")


def trash(vault: Vault) -> dict[str, bytes]:
    folder = vault.root / NAMES.trash
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


@pytest.fixture(params=["with exchange", "with hard links", "with neither"])
def any_vault(request, open_vault, monkeypatch):
    if request.param == "with neither":

        def link(*args, **kwargs):
            raise OSError(errno.EPERM, "Operation not permitted")

        monkeypatch.setattr(os, "link", link)
    return open_vault(exchange=rename.exchange if request.param == "with exchange" else None)


def test_a_moved_note_is_the_same_file_under_a_name_whose_folders_are_made(any_vault):
    put(any_vault, A, b"old")
    (any_vault.root / A).chmod(0o640)
    before = (any_vault.root / A).stat()
    written = any_vault.move(A, B, OLD)
    after = (any_vault.root / B).stat()
    assert (after.st_ino, after.st_mode, after.st_mtime_ns) == (
        before.st_ino,
        before.st_mode,
        before.st_mtime_ns,
    )
    assert (written.etag, written.stamp) == (OLD, any_vault.read(B).stamp)
    assert seen(any_vault) == [B]
    assert displaced(any_vault) == []


def test_a_move_never_takes_a_name_that_is_taken(any_vault):
    put(any_vault, A, b"old")
    put(any_vault, B, b"another")
    with pytest.raises(errors.NoteExists):
        any_vault.move(A, B, OLD)
    with pytest.raises(errors.NoteExists):
        any_vault.move(A, A, OLD)
    assert (any_vault.read(A).data, any_vault.read(B).data) == (b"old", b"another")


def test_a_name_that_is_taken_at_the_last_moment_is_not_taken_from_it(any_vault, monkeypatch):
    put(any_vault, A, b"old")
    real = moves.make_folders

    def slow(folder, mode=0o777):
        real(folder, mode)
        put(any_vault, B, b"the person's")

    monkeypatch.setattr(moves, "make_folders", slow)
    with pytest.raises(errors.NoteExists):
        any_vault.move(A, B, OLD)
    assert (any_vault.read(A).data, any_vault.read(B).data) == (b"old", b"the person's")


@pytest.mark.parametrize("what", ["move", "trash", "delete"])
def test_a_note_that_is_not_the_one_that_was_read_stays_where_it_is(any_vault, what):
    put(any_vault, A, b"newer")
    call = {
        "move": lambda: any_vault.move(A, B, OLD),
        "trash": lambda: any_vault.trash(A, OLD),
        "delete": lambda: any_vault.delete(A, OLD),
    }
    with pytest.raises(errors.NoteChanged):
        call[what]()
    assert (seen(any_vault), any_vault.read(A).data, trash(any_vault)) == ([A], b"newer", {})
    assert not (any_vault.root / B).parent.exists()
    (any_vault.root / A).unlink()
    with pytest.raises(errors.NoteChanged):
        call[what]()


@pytest.mark.parametrize("what", ["move", "trash", "delete"])
def test_a_save_between_the_check_and_the_rename_keeps_its_name(vault, monkeypatch, what):
    put(vault, A, b"old")
    real = moves._check

    def slow(full, path, expected):
        real(full, path, expected)
        swap = Path(full).with_name("swap")
        swap.write_bytes(b"the person's")
        swap.replace(full)

    monkeypatch.setattr(moves, "_check", slow)
    if what == "delete":
        real_shelve = vault.kept.shelve

        def shelve(source, path, etag):
            Path(source).write_bytes(b"the person's")
            return real_shelve(source, path, etag)

        monkeypatch.setattr(vault.kept, "shelve", shelve)
    with pytest.raises(errors.NoteChanged):
        {
            "move": lambda: vault.move(A, B, OLD),
            "trash": lambda: vault.trash(A, OLD),
            "delete": lambda: vault.delete(A, OLD),
        }[what]()
    assert (seen(vault), vault.read(A).data, trash(vault)) == ([A], b"the person's", {})


def test_the_new_name_is_durable_before_the_old_one_is_gone_for_good(vault, calls):
    put(vault, A, b"old")
    calls.clear()
    vault.move(A, B, OLD)
    assert calls == [
        ("mkdir", "Archives"),
        ("fsync", "vault"),
        ("mkdir", "2026"),
        ("fsync", "Archives"),
        ("rename_with", "a.md", "b.md"),
        ("fsync", "2026"),
        ("fsync", "Notes"),
    ]


def test_without_that_rename_the_file_has_both_names_before_it_loses_one(open_vault, calls):
    vault = open_vault(exchange=None)
    put(vault, A, b"old")
    put(vault, "Archives/2026/c.md")
    calls.clear()
    vault.move(A, B, OLD)
    assert calls == [
        ("link", "a.md", "b.md"),
        ("fsync", "2026"),
        ("unlink", "a.md"),
        ("fsync", "2026"),
        ("fsync", "Notes"),
    ]


class Crash(BaseException):
    pass


@pytest.mark.parametrize("what", ["move", "trash", "delete"])
@pytest.mark.parametrize("exchange", [None, rename.exchange])
def test_wherever_it_stops_a_name_or_what_is_kept_holds_the_bytes(
    open_vault, tmp_path, monkeypatch, exchange, what
):
    real = {name: getattr(os, name) for name in ("rename", "link", "unlink", "fsync", "mkdir")}
    real_rename = rename.rename_with
    for stop in range(12):
        vault = open_vault(exchange=exchange)
        put(vault, A, b"old")
        left = [stop]

        def crashing(call, left=left):
            def wrapper(*args, **kwargs):
                left[0] -= 1
                if left[0] < 0:
                    raise Crash
                return call(*args, **kwargs)

            return wrapper

        with monkeypatch.context() as patch:
            for name, call in real.items():
                patch.setattr(os, name, crashing(call))
            patch.setattr(rename, "rename_with", crashing(real_rename))
            try:
                if what == "move":
                    vault.move(A, B, OLD)
                elif what == "trash":
                    vault.trash(A, OLD)
                else:
                    vault.delete(A, OLD)
            except Crash:
                pass
        places = [A, B, f"{NAMES.trash}/{A}"]
        held = [(vault.root / place).read_bytes() for place in places if (vault.root / place).exists()]
        assert b"old" in (*held, *(path.read_bytes() for path in displaced(vault))), stop
        for place in [*places, *displaced(vault)]:
            (vault.root / place).unlink(missing_ok=True)


def test_a_trashed_note_keeps_its_folder_and_gets_a_free_name(any_vault):
    for data in (b"1", b"2", b"3"):
        put(any_vault, A, data)
        any_vault.trash(A, etag_of(data))
    assert trash(any_vault) == {"Notes/a.md": b"1", "Notes/a 1.md": b"2", "Notes/a 2.md": b"3"}
    assert any_vault.trashed(A, etag_of(b"2")) == ("Notes/a 1.md", b"2")
    assert any_vault.trashed(A, OLD) is None
    assert any_vault.untrash("Notes/a 1.md", A, etag_of(b"2")).etag == etag_of(b"2")
    assert (any_vault.read(A).data, trash(any_vault)) == (b"2", {"Notes/a.md": b"1", "Notes/a 2.md": b"3"})
    with pytest.raises(errors.NoteExists):
        any_vault.untrash("Notes/a.md", A, etag_of(b"1"))
    with pytest.raises(errors.NoteChanged):
        any_vault.untrash("Notes/a.md", B, etag_of(b"2"))


@pytest.mark.parametrize("where", [NAMES.trash, f"{NAMES.trash}/Notes"])
def test_a_trash_that_is_a_link_is_not_used(vault, tmp_path, where):
    put(vault, A, b"old")
    (tmp_path / "elsewhere").mkdir()
    (vault.root / where).parent.mkdir(exist_ok=True)
    (vault.root / where).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(errors.LinkedNote):
        vault.trash(A, OLD)
    assert seen(vault) == [A]
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_what_is_deleted_is_kept_with_what_is_written_into_it_later(vault, clock):
    put(vault, A, b"old")
    with (vault.root / A).open("r+b") as program:
        vault.delete(A, OLD)
        assert (seen(vault), vault.backup(OLD)) == ([], b"old")
        program.write(b"late")
    [late] = vault.late(NOW)
    assert (late.path, late.reading.data) == (A, b"late")
    vault.heard(late.reading)
    vault.late(NOW + 61)
    assert backups(vault) == [b"late"]


def test_a_deleted_note_with_another_name_leaves_the_other_as_it_is(vault, tmp_path):
    put(vault, A, b"old")
    (tmp_path / "second").hardlink_to(vault.root / A)
    vault.delete(A, OLD)
    assert (seen(vault), (tmp_path / "second").read_bytes(), backups(vault)) == ([], b"old", [b"old"])
    assert displaced(vault) == []


@pytest.mark.parametrize("path", ["../out.md", ".obsidian/a.md", "/a.md", "a\\b.md", "a\0.md", "%2e%2e/a.md"])
def test_no_move_leaves_the_vault_or_goes_to_a_hidden_place(vault, path):
    put(vault, A, b"old")
    before = sorted(vault.root.parent.rglob("*"))
    for call in (
        lambda: vault.move(A, path, OLD),
        lambda: vault.move(path, B, OLD),
        lambda: vault.trash(path, OLD),
        lambda: vault.delete(path, OLD),
        lambda: vault.untrash(path, B, OLD),
        lambda: vault.trashed(path, OLD),
    ):
        with pytest.raises(errors.OutsideVault):
            call()
    assert sorted(vault.root.parent.rglob("*")) == before


def test_a_link_is_neither_moved_nor_trashed_nor_deleted_nor_a_folder_to_move_to(vault, tmp_path):
    put(vault, A, b"old")
    (vault.root / "link.md").symlink_to(vault.root / A)
    (vault.root / "Linked").symlink_to(vault.root / "Notes")
    for call in (
        lambda: vault.move(NotePath("link.md"), B, OLD),
        lambda: vault.trash(NotePath("link.md"), OLD),
        lambda: vault.delete(NotePath("Linked/a.md"), OLD),
        lambda: vault.move(A, NotePath("Linked/b.md"), OLD),
    ):
        with pytest.raises(errors.LinkedNote):
            call()
    assert vault.read(A).data == b"old"


def test_a_note_is_found_under_the_other_encoding_of_its_name(vault):
    put(vault, NFD, b"old")
    vault.move(NFC, B, OLD)
    assert seen(vault) == [B]


@given(
    data=st.binary(max_size=40),
    names=st.lists(st.sampled_from(["a", "b", "é", "..c.."]), min_size=1, max_size=3),
)
def test_a_note_that_is_moved_or_trashed_and_brought_back_is_the_same_file(tmp_path_factory, data, names):
    root = tmp_path_factory.mktemp("vault")
    vault = Vault(root, root.parent / "backups", 1000)
    vault.prepare()
    path = put(vault, f"{'/'.join(names)}.md", data)
    inode = (root / path).stat().st_ino
    vault.move(path, B, etag_of(data))
    vault.move(B, path, etag_of(data))
    vault.untrash(vault.trash(path, etag_of(data)), path, etag_of(data))
    assert (vault.read(path).data, (root / path).stat().st_ino) == (data, inode)


# ---- where a path leads


@pytest.mark.parametrize(
    ("path", "reasons"),
    [
        ("Notes/a.md", set()),
        ("Notes/..bon..md", set()),
        ("Notes/.../x.md", set()),
        ("../dehors.md", {"outside"}),
        ("Notes/%2e%2e/%2e%2e/dehors.md", {"outside"}),
        ("Notes\\..\\..\\dehors.md", {"outside"}),
        ("/etc/x.md", {"outside"}),
        ("Notes/a\0.md", {"outside"}),
        ("", {"outside"}),
        (".", {"outside"}),
        (f"{NAMES.obsidian}/app.json", {"hidden"}),
        (NAMES.lock, {"hidden"}),
        ("Notes/.secret.md", {"hidden"}),
        (NAMES.autonomy, {"managed", "assistant"}),
        (NAMES.autonomy.upper(), {"managed", "assistant"}),
        (f"{NAMES.plans}/x.md", {"managed", "assistant"}),
        (f"{NAMES.register_folder}/2026-11.md", {"managed", "assistant"}),
        (f"{NAMES.assistant}/mine.md", {"assistant"}),
        (f"{NAMES.assistant}-else/mine.md", set()),
        ("Ignored/a.md", {"ignored"}),
        ("link.md", {"linked"}),
        ("Linked/a.md", {"linked"}),
        ("to-autonomy.md", {"linked", "managed", "assistant"}),
        ("out.md", {"outside"}),
    ],
)
def test_where_a_path_leads_is_told_with_every_reason_against_it(vault, tmp_path, path, reasons):
    put(vault, A, b"old")
    put(vault, NAMES.autonomy)
    put(vault, NAMES.ignore_file, b"Ignored/\n")
    (vault.root / "link.md").symlink_to(vault.root / A)
    (vault.root / "Linked").symlink_to(vault.root / "Notes")
    (vault.root / "to-autonomy.md").symlink_to(vault.root / NAMES.autonomy)
    (vault.root / "out.md").symlink_to(tmp_path / "out.md")
    assert vault.target(path).reasons == reasons


def test_a_name_is_free_when_nothing_at_all_stands_there(vault):
    put(vault, A)
    (vault.root / "folder.md").mkdir()
    (vault.root / "nowhere.md").symlink_to(vault.root / "gone.md")
    free = {path: vault.target(path).free for path in (A, B, "folder.md", "nowhere.md", "../x.md")}
    assert free == {A: False, B: True, "folder.md": False, "nowhere.md": False, "../x.md": False}


def test_a_target_is_given_as_it_is_spelt_on_disk_with_where_its_links_lead(vault):
    put(vault, NFD)
    put(vault, NOTE)
    (vault.root / "link.md").symlink_to(vault.root / NOTE)
    assert vault.target(NFC).path == NFD
    assert (vault.target("link.md").path, vault.target("link.md").real) == ("link.md", NOTE)
