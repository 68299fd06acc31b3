"""Writing: whole or not at all, in the right order, over nothing but what was read."""

import errno
import os
import stat
from pathlib import Path

import pytest

from daemon.vault import errors, rename
from daemon.vault.disk import etag_of
from parsers.model.places import NotePath
from tests.daemon.vault.shared import NOTE, NOW, backups, displaced, drafts, put, seen


def test_a_write_keeps_mode_and_attributes_and_gives_the_etag_and_stamp_of_what_stands_there(vault):
    path = put(vault, "Notes/a.md", b"old")
    (vault.root / path).chmod(0o640)
    os.setxattr(vault.root / path, "user.note", b"kept")
    written = vault.write(path, b"new text", vault.read(path).etag)
    reading = vault.read(path)
    assert reading.data == b"new text"
    assert (written.etag, written.stamp, written.displaced) == (reading.etag, reading.stamp, None)
    assert stat.S_IMODE((vault.root / path).stat().st_mode) == 0o640
    assert os.getxattr(vault.root / path, "user.note") == b"kept"
    assert drafts(vault) == []
    assert [kept.read_bytes() for kept in displaced(vault)] == [b"old"]


def test_a_write_of_the_same_bytes_writes_nothing(vault):
    put(vault, NOTE, b"same")
    before = vault.read(NOTE)
    written = vault.write(NOTE, b"same", before.etag)
    assert (written.etag, written.stamp) == (before.etag, before.stamp)
    assert vault.read(NOTE) == before
    assert displaced(vault) == []


def test_a_note_that_changed_is_not_written_and_no_draft_stays(vault):
    put(vault, NOTE, b"newer")
    with pytest.raises(errors.NoteChanged):
        vault.write(NOTE, b"x", etag_of(b"older"))
    (vault.root / NOTE).unlink()
    with pytest.raises(errors.NoteChanged):
        vault.write(NOTE, b"x", etag_of(b"newer"))
    assert drafts(vault) == []
    assert seen(vault) == []


def test_the_draft_is_on_disk_before_the_exchange_and_the_folder_before_the_displaced_file_moves(
    vault, calls
):
    path = put(vault, "Notes/a.md", b"old")
    calls.clear()
    vault.write(path, b"new", etag_of(b"old"))
    assert [call for call in calls if call[0] != "mkdir"] == [
        ("write", "draft-w"),
        ("fsync", "draft-w"),
        ("rename", "draft-w", "draft-x"),
        ("rename_with", "draft-x", "a.md"),
        ("fsync", "Notes"),
        ("rename", "draft-x", "kept:Notes/a.md"),
    ]


def test_a_new_note_is_on_disk_before_it_has_its_name_and_every_new_folder_in_its_parent(vault, calls):
    calls.clear()
    vault.create(NotePath("A/B/c.md"), b"new")
    assert calls == [
        ("mkdir", "A"),
        ("fsync", "vault"),
        ("mkdir", "B"),
        ("fsync", "A"),
        ("write", "draft-w"),
        ("fsync", "draft-w"),
        ("rename_with", "draft-w", "c.md"),
        ("unlink", "draft-w"),
        ("fsync", "B"),
    ]


def test_an_append_is_one_write_and_one_fsync(vault, calls):
    put(vault, NOTE, b"1\n")
    calls.clear()
    vault.append(NOTE, b"2\n", 2)
    assert calls == [("write", NOTE), ("fsync", NOTE)]
    assert vault.read(NOTE).data == b"1\n2\n"


def test_in_place_the_backup_is_on_disk_before_the_note_is_touched(open_vault, calls):
    vault = open_vault(exchange=None)
    Path(vault.kept.backups).mkdir(parents=True)
    path = put(vault, "Notes/a.md", b"older")
    calls.clear()
    vault.write(path, b"new", etag_of(b"older"))
    assert calls == [
        ("write", "draft-w"),
        ("fsync", "draft-w"),
        ("rename", "draft-w", "draft-i"),
        ("fsync", "Notes"),
        ("write", "kept:Notes/a.md"),
        ("fsync", "kept:Notes/a.md"),
        ("fsync", "backups"),
        ("pwrite", "a.md"),
        ("ftruncate", "a.md"),
        ("fsync", "a.md"),
        ("unlink", "draft-i"),
    ]


def test_c26_an_edit_of_the_same_length_and_time_is_not_overwritten(vault):
    put(vault, NOTE, "- thé ^p1\n".encode())
    reading = vault.read(NOTE)
    (vault.root / NOTE).write_bytes(b"- miel ^p1\n")
    assert len(b"- miel ^p1\n") == reading.stamp.size
    os.utime(vault.root / NOTE, ns=(reading.stamp.mtime_ns, reading.stamp.mtime_ns))
    assert vault.entry(NOTE)[1:4] == reading.stamp
    with pytest.raises(errors.NoteChanged):
        vault.write(NOTE, reading.data + b"- cacao\n", reading.etag)
    assert vault.read(NOTE).data == b"- miel ^p1\n"


@pytest.mark.parametrize("how", ["in place", "by rename"])
def test_c26_a_save_between_check_and_exchange_is_handed_over_and_kept(open_vault, how):
    def exchange(draft: str, note: str) -> None:
        target = Path(note)
        if how == "by rename":
            target = target.with_name("swap")
        target.write_bytes(b"- miel ^p1\n")
        target.replace(note)
        rename.exchange(draft, note)

    vault = open_vault(exchange=exchange)
    put(vault, NOTE, b"- thym ^p1\n")
    written = vault.write(NOTE, b"- thym ^p1\n- cacao\n", vault.read(NOTE).etag)
    assert vault.read(NOTE).data == b"- thym ^p1\n- cacao\n"
    assert (written.displaced.path, written.displaced.data) == (NOTE, b"- miel ^p1\n")
    assert [(one.path, one.reading) for one in vault.late(NOW)] == [(NOTE, written.displaced)]
    vault.heard(written.displaced)
    assert vault.late(NOW) == []
    assert vault.late(NOW + 61) == []
    assert backups(vault) == [b"- miel ^p1\n"]


def test_a_hard_linked_note_is_written_in_place_after_a_backup(vault, tmp_path):
    put(vault, NOTE, b"a longer old text")
    (tmp_path / "second").hardlink_to(vault.root / NOTE)
    inode = (vault.root / NOTE).stat().st_ino
    written = vault.write(NOTE, b"new", vault.read(NOTE).etag)
    assert (tmp_path / "second").read_bytes() == b"new"
    assert (vault.root / NOTE).stat().st_ino == inode
    assert written.stamp == vault.read(NOTE).stamp
    assert (backups(vault), displaced(vault), drafts(vault)) == ([b"a longer old text"], [], [])


def unsupported(draft: str, note: str) -> None:
    raise OSError(errno.EINVAL, "Invalid argument", draft)


@pytest.mark.parametrize("exchange", [None, unsupported])
def test_without_exchange_a_note_is_written_in_place_after_a_backup(open_vault, exchange):
    vault = open_vault(exchange=exchange)
    put(vault, NOTE, b"old")
    assert vault.write(NOTE, b"a longer new text", etag_of(b"old")).etag == vault.read(NOTE).etag
    assert vault.read(NOTE).data == b"a longer new text"
    assert (backups(vault), displaced(vault), drafts(vault)) == ([b"old"], [], [])
    with pytest.raises(errors.NoteChanged):
        vault.write(NOTE, b"x", etag_of(b"old"))
    assert drafts(vault) == []


@pytest.mark.parametrize("exchange", [None, rename.exchange])
def test_a_full_disk_leaves_the_note_as_it_was(open_vault, monkeypatch, exchange):
    vault = open_vault(exchange=exchange)
    put(vault, NOTE, b"old")
    real, room = os.write, [2, 0]

    def write(fd, data):
        if not room[0]:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(fd, data[: room.pop(0)])

    monkeypatch.setattr(os, "write", write)
    with pytest.raises(errors.Unwritable):
        vault.write(NOTE, b"new text", etag_of(b"old"))
    assert (vault.read(NOTE).data, drafts(vault)) == (b"old", [])


def test_a_note_deleted_just_before_the_exchange_stays_deleted(open_vault):
    def exchange(draft: str, note: str) -> None:
        Path(note).unlink()
        rename.exchange(draft, note)

    vault = open_vault(exchange=exchange)
    put(vault, NOTE, b"old")
    with pytest.raises(errors.NoteChanged):
        vault.write(NOTE, b"new", etag_of(b"old"))
    assert (seen(vault), drafts(vault)) == ([], [])


def test_a_disk_that_fills_while_writing_in_place_gets_the_old_text_back(open_vault, monkeypatch):
    vault = open_vault(exchange=None)
    put(vault, NOTE, b"old")
    real, used = os.pwrite, []

    def pwrite(fd, data, at):
        used.append(at)
        if len(used) == 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(fd, data[:2] if len(used) == 1 else data, at)

    monkeypatch.setattr(os, "pwrite", pwrite)
    with pytest.raises(errors.Unwritable):
        vault.write(NOTE, b"new text", etag_of(b"old"))
    assert vault.read(NOTE).data == b"old"


def test_an_exchange_that_fails_after_it_was_done_loses_nothing(open_vault):
    def exchange(draft: str, note: str) -> None:
        rename.exchange(draft, note)
        raise OSError(errno.EIO, "Input/output error")

    vault = open_vault(exchange=exchange)
    put(vault, NOTE, b"old")
    with pytest.raises(errors.Unwritable):
        vault.write(NOTE, b"new", etag_of(b"old"))
    assert [draft.read_bytes() for draft in drafts(vault)] == [b"old"]


def test_a_link_put_in_the_notes_place_before_the_exchange_is_kept(open_vault, tmp_path):
    def exchange(draft: str, note: str) -> None:
        Path(note).unlink()
        Path(note).symlink_to(tmp_path / "dehors")
        rename.exchange(draft, note)

    vault = open_vault(exchange=exchange)
    (tmp_path / "dehors").write_bytes(b"d")
    put(vault, NOTE, b"old")
    written = vault.write(NOTE, b"new", etag_of(b"old"))
    assert written.displaced.data == os.fsencode(tmp_path / "dehors")
    vault.heard(written.displaced)
    vault.late(NOW + 60)
    assert (tmp_path / "dehors").read_bytes() == b"d"
    assert [path.is_symlink() for path in Path(vault.kept.backups).iterdir()] == [True]


@pytest.mark.parametrize("exchange", [None, rename.exchange])
def test_a_new_note_never_takes_a_name_that_is_taken(open_vault, exchange, monkeypatch):
    vault = open_vault(exchange=exchange)
    written = vault.create(NotePath("Neuf/a.md"), b"a")
    reading = vault.read(NotePath("Neuf/a.md"))
    assert (written.etag, written.stamp) == (reading.etag, reading.stamp)
    mask = os.umask(0o022)
    os.umask(mask)
    assert stat.S_IMODE((vault.root / "Neuf/a.md").stat().st_mode) == 0o666 & ~mask
    monkeypatch.setattr(os.path, "lexists", lambda path: False)
    with pytest.raises(errors.NoteExists):
        vault.create(NotePath("Neuf/a.md"), b"b")
    assert vault.read(NotePath("Neuf/a.md")).data == b"a"
    assert drafts(vault) == []


def test_a_note_is_made_even_where_neither_call_exists(open_vault, monkeypatch):
    def no_link(*args):
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_link)
    vault = open_vault(exchange=None)
    written = vault.create(NOTE, b"a")
    assert written.stamp == vault.read(NOTE).stamp
    with pytest.raises(errors.NoteExists):
        vault.create(NOTE, b"b")
    assert (vault.read(NOTE).data, drafts(vault)) == (b"a", [])


def test_an_append_to_a_file_of_another_size_adds_nothing(vault):
    with pytest.raises(errors.NoteChanged):
        vault.append(NOTE, b"x", 3)
    put(vault, NOTE, b"four")
    for size in (0, 3, 5):
        with pytest.raises(errors.NoteChanged):
            vault.append(NOTE, b"x", size)
    assert vault.read(NOTE).data == b"four"


def test_an_append_makes_the_file_and_its_folder_when_it_starts_at_zero(vault):
    vault.append(NotePath("Registre/2026-11.md"), b"one\n", 0)
    assert vault.read(NotePath("Registre/2026-11.md")).data == b"one\n"


@pytest.mark.parametrize("fault", ["short write", "failed fsync"])
def test_an_append_that_is_not_whole_on_disk_is_taken_away_again(vault, monkeypatch, fault):
    put(vault, NOTE, b"1\n")
    real = os.write

    def fail(fd):
        raise OSError(errno.EIO, "Input/output error")

    if fault == "short write":
        monkeypatch.setattr(os, "write", lambda fd, data: real(fd, data[:1]))
    else:
        monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(errors.Unwritable):
        vault.append(NOTE, b"2\n", 2)
    assert vault.read(NOTE).data == b"1\n"


def test_a_cut_keeps_what_it_cuts_and_cuts_only_what_was_read(vault):
    put(vault, NOTE, b"whole\ntorn")
    for size, tail in ((6, b"tor"), (6, b"thrn"), (5, b"torn"), (0, b"torn")):
        with pytest.raises(errors.NoteChanged):
            vault.cut(NOTE, size, tail)
    vault.cut(NOTE, 6, b"torn")
    assert vault.read(NOTE).data == b"whole\n"
    assert backups(vault) == [b"torn"]
    with pytest.raises(errors.NoteChanged):
        vault.cut(NotePath("absent.md"), 0, b"")
