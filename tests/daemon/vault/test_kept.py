"""What was replaced is kept, watched for late writes, and found again."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.paths import NAMES
from daemon.vault import names
from daemon.vault.disk import etag_of
from tests.daemon.vault.shared import NOTE, NOW, backups, displaced, drafts, put


def test_a_late_write_through_an_open_descriptor_is_found_by_later_passes(vault, clock):
    put(vault, NOTE, b"old")
    with (vault.root / NOTE).open("r+b", buffering=0) as editor:
        vault.write(NOTE, b"new", vault.read(NOTE).etag)
        assert vault.late(NOW) == []
        editor.write(b"late words")
        clock.now = NOW + 59
        (late,) = vault.late(clock.now)
        assert (late.path, late.reading.data) == (NOTE, b"late words")
        vault.heard(late.reading)
        editor.write(b", and more")
        clock.now += 61
        (late,) = vault.late(clock.now)
        assert late.reading.data == b"late words, and more"
    vault.heard(late.reading)
    assert vault.late(clock.now + 59) == []
    assert len(displaced(vault)) == 1
    assert vault.late(clock.now + 60) == []
    assert (displaced(vault), backups(vault)) == ([], [b"late words, and more"])
    assert vault.read(NOTE).data == b"new"


def test_a_version_nobody_took_care_of_is_handed_over_again_by_the_next_process(open_vault):
    first = open_vault()
    put(first, NOTE, b"old")
    with (first.root / NOTE).open("r+b", buffering=0) as editor:
        first.write(NOTE, b"new", etag_of(b"old"))
        editor.write(b"late")
    assert [late.reading.data for late in open_vault().late(NOW + 1000)] == [b"late"]
    assert [late.reading.data for late in open_vault().late(NOW + 2000)] == [b"late"]


@pytest.mark.parametrize("name", ["n" * 120 + ".md", "é : ~ % \"x\" 'y' * ?.md"])
def test_a_kept_file_knows_its_note_whatever_the_notes_name(vault, name):
    path = put(vault, f"Un dossier/{name}", b"old")
    with (vault.root / path).open("r+b", buffering=0) as editor:
        vault.write(path, b"new", etag_of(b"old"))
        editor.write(b"late")
    assert [late.path for late in vault.late(NOW)] == [path]
    assert all(len(kept.name.encode()) <= 140 for kept in displaced(vault))


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1))
def test_a_kept_name_gives_its_path_back_or_says_that_it_was_too_long(path):
    name = names.kept_name(NOW, etag_of(b""), path)
    kept = names.parse_kept(name)
    assert "/" not in name
    assert len(name.encode()) <= 140
    assert (kept.at, kept.etag) == (NOW, etag_of(b""))
    assert kept.path == path or (kept.path is None and kept.path_hash == names.path_hash(path))
    again = names.parse_kept(names.renamed(kept, NOW + 1, "0" * 64))
    assert (again.at, again.path, again.path_hash) == (NOW + 1, kept.path, kept.path_hash)


def test_a_draft_of_unknown_make_is_handed_over_and_never_deleted_unread(vault):
    put(vault, f"Notes/{NAMES.draft_prefix}abc{NAMES.draft_suffix}", b"words")
    listing = vault.walk()
    assert (listing.entries, len(listing.drafts)) == ((), 1)
    (late,) = vault.late(NOW, listing.drafts)
    assert (late.path, late.reading.data) == (None, b"words")
    assert drafts(vault) == []
    vault.heard(late.reading)
    assert vault.late(NOW + 60) == []
    assert backups(vault) == [b"words"]


def test_a_draft_that_went_away_meanwhile_is_no_matter(vault):
    assert vault.late(NOW, [f"{NAMES.draft_prefix}abc{NAMES.draft_suffix}"]) == []


def test_a_half_written_note_that_the_person_then_edited_is_left_to_them(open_vault):
    vault = open_vault(exchange=None)
    put(vault, NOTE, b"- a\n- b\n")
    name = names.draft_name(NOTE, etag_of(b"- a\n- b\n"), etag_of(b"- c\n- d\n"), "i")
    put(vault, name, b"- c\n- d\n")
    vault.kept.save(NOTE, b"- a\n- b\n")
    put(vault, NOTE, b"- c\n- b and mine\n")
    assert vault.late(NOW, vault.walk().drafts) == []
    assert vault.read(NOTE).data == b"- c\n- b and mine\n"
    put(vault, name, b"- c\n- d\n")
    put(vault, NOTE, b"- c\n- b\n")
    assert vault.late(NOW, vault.walk().drafts) == []
    assert vault.read(NOTE).data == b"- c\n- d\n"


def test_backups_on_another_disk_are_copied_there_whole_before_the_original_goes(open_vault, tmp_path):
    other = Path("/dev/shm")
    if not other.is_dir() or other.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("no second file system")
    vault = open_vault()
    vault.kept.backups = str(other / f"clavaire-test-{os.getpid()}" / "backups")
    try:
        put(vault, NOTE, b"old")
        vault.write(NOTE, b"new", etag_of(b"old"))
        assert vault.late(NOW + 60) == []
        assert (backups(vault), displaced(vault)) == ([b"old"], [])
    finally:
        for path in (*Path(vault.kept.backups).iterdir(), Path(vault.kept.backups)):
            path.unlink() if path.is_file() else path.rmdir()
        Path(vault.kept.backups).parent.rmdir()


def test_a_replaced_version_is_found_by_its_etag(vault):
    put(vault, NOTE, b"one")
    vault.write(NOTE, b"two", etag_of(b"one"))
    assert vault.kept.find(etag_of(b"one")) == b"one"
    vault.late(NOW + 60)
    assert vault.kept.find(etag_of(b"one")) == b"one"
    assert vault.kept.find(etag_of(b"two")) is None


def test_old_or_too_many_backups_go_oldest_first(vault, clock):
    for day, data in enumerate((b"a" * 600_000, b"b" * 600_000, b"c" * 600_000)):
        clock.now = NOW + day * 86_400
        vault.kept.save(NOTE, data)
    last = clock.now
    vault.kept.prune(last, 30, 2)
    assert len(backups(vault)) == 3
    vault.kept.prune(last, 30, 1)
    assert backups(vault) == [b"c" * 600_000]
    vault.kept.prune(last + 40 * 86_400, 30, 1)
    assert backups(vault) == []


def test_a_purge_reaches_backups_and_displaced_files_and_wakes_nothing(vault):
    vault.kept.save(NOTE, b"a secret b")
    put(vault, NOTE, b"the secret\n")
    (vault.root / NOTE).chmod(0o444)
    vault.write(NOTE, b"the\n", etag_of(b"the secret\n"))
    assert vault.kept.scrub(lambda data: data.replace(b"secret", b"")) == 2
    assert vault.late(NOW) == []
    assert vault.late(NOW + 60) == []
    assert sorted(backups(vault)) == [b"a  b", b"the \n"]


def test_a_version_keeps_its_name_when_it_becomes_a_backup(vault, clock):
    # The evidence of a run names it: what a note says stays true.
    put(vault, NOTE, b"old")
    etag = vault.read(NOTE).etag
    vault.write(NOTE, b"new", etag)
    name = vault.kept.name_of(etag)
    clock.now = NOW + 61
    assert vault.late(clock.now) == []
    assert (displaced(vault), backups(vault)) == ([], [b"old"])
    assert vault.kept.name_of(etag) == name
