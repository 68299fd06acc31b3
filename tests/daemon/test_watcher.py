import os
import select
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from daemon.vault.rename import exchange
from daemon.watcher import Batch, Watcher

ROOT = Path(__file__).parents[2]
PROFILE = "99_Assistant/Profil.md"
DRAFT = "99_Assistant/.clavaire-0.tmp"
LAST = "Dernière.md"
"""Saved at the end of a test: when it is handed out, nothing of what came before is still on its way."""


def managed(path):
    return path.startswith("99_Assistant/")


@contextmanager
def watching(root, settle=0.3):
    watcher = Watcher(root, managed, settle)
    watcher.start()
    try:
        yield watcher
    finally:
        watcher.stop()


@pytest.fixture
def vault(tmp_path):
    root = tmp_path / "vault"
    for path in (PROFILE, "A.md", "Dossier/B.md"):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("avant")
    return root


def handed(watcher, wanted=(), *, rescan=False, seconds=20):
    """Take batches until all of this came."""
    end, paths, scan = time.monotonic() + seconds, set(), False
    while not (paths >= set(wanted) and scan >= rescan):
        batch = watcher.next(max(end - time.monotonic(), 0))
        assert batch is not None, f"only {paths}, rescan {scan}"
        paths |= batch.paths
        scan |= batch.rescan
    return paths, scan


def all_handed(watcher, root, wanted=(), **options):
    """Take batches until all of this came, and everything that came before it."""
    paths, scan = handed(watcher, wanted, **options)
    (root / LAST).write_text("fin")
    more, again = handed(watcher, [LAST])
    return (paths | more) - {LAST}, scan | again


def in_place(note):
    note.write_text("après")


def by_temporary_file(note):
    draft = note.with_name(f"{note.name}.tmp.1234")
    draft.write_text("après")
    draft.replace(note)


def by_hidden_temporary_file(note):
    draft = note.with_name(f".{note.name}.swp")
    draft.write_text("après")
    draft.replace(note)


def by_backup_rename(note):
    backup = note.with_name(f"{note.name}~")
    note.rename(backup)
    note.write_text("après")
    backup.unlink()


def by_deletion(note):
    note.unlink()
    note.write_text("après")


def from_outside(note):
    draft = note.parents[2] / "draft"
    draft.write_text("après")
    draft.replace(note)


SAVES = [in_place, by_temporary_file, by_hidden_temporary_file, by_deletion, from_outside, by_backup_rename]


@pytest.mark.parametrize("save", SAVES)
@pytest.mark.parametrize("path", [PROFILE, "Dossier/B.md"])
def test_c23_a_note_saved_in_any_manner_is_handed_out_and_no_other(vault, path, save):
    with watching(vault) as watcher:
        save(vault / path)
        assert all_handed(watcher, vault, [path]) == ({path}, False)


def test_c23_a_save_in_three_events_far_apart_is_one_change_of_a_managed_note(vault):
    note, backup = vault / PROFILE, vault / f"{PROFILE}~"
    with watching(vault, settle=1.0) as watcher:
        note.rename(backup)
        assert watcher.next(0.3) is None
        note.write_text("après")
        assert watcher.next(0.3) is None
        backup.unlink()
        assert handed(watcher, [PROFILE]) == ({PROFILE}, False)
        assert watcher.next(0) is None


def test_a_managed_note_written_in_two_parts_is_not_handed_out_in_between(vault):
    with watching(vault, settle=1.0) as watcher, (vault / PROFILE).open("w") as note:
        note.write("une ")
        note.flush()
        assert watcher.next(0.4) is None
        assert watcher.busy() == {PROFILE}
        second = time.monotonic()
        note.write("deux")
        note.flush()
        assert handed(watcher, [PROFILE]) == ({PROFILE}, False)
        assert time.monotonic() - second >= 1.0
        assert watcher.busy() == frozenset()


def test_an_unmanaged_note_written_in_two_parts_is_handed_out_when_it_is_closed(vault):
    with watching(vault) as watcher:
        with (vault / "A.md").open("w") as note:
            note.write("une ")
            note.flush()
            assert watcher.next(0.4) is None
        assert handed(watcher, ["A.md"]) == ({"A.md"}, False)


def test_a_note_under_a_second_name_is_handed_out(vault):
    with watching(vault) as watcher:
        os.link(vault / "A.md", vault / "Lien.md")
        assert all_handed(watcher, vault, ["Lien.md"]) == ({"Lien.md"}, False)


def test_our_own_exchange_makes_no_note_busy(vault):
    with watching(vault, settle=30) as watcher:
        (vault / DRAFT).write_text("après")
        exchange(str(vault / DRAFT), str(vault / PROFILE))
        (vault / DRAFT).unlink()
        assert handed(watcher, [PROFILE]) == ({PROFILE}, False)
        assert watcher.busy() == frozenset()


def test_reading_listing_and_changing_rights_wake_nobody(vault):
    with watching(vault) as watcher:
        (vault / "A.md").read_text()
        os.listdir(vault / "Dossier")
        (vault / "A.md").chmod(0o600)
        (vault / ".obsidian").mkdir()
        (vault / ".obsidian/app.json").write_text("{}")
        (vault / "image.png").write_text("png")
        assert all_handed(watcher, vault) == (set(), False)


def test_a_branch_checked_out_hands_out_what_it_changed(vault):
    def git(*arguments):
        command = ["git", "-c", "user.name=n", "-c", "user.email=n@localhost", *arguments]
        subprocess.run(command, cwd=vault, check=True, capture_output=True)

    git("init", "-q", "-b", "un")
    git("add", "-A")
    git("commit", "-qm", "un")
    git("checkout", "-qb", "deux")
    (vault / "A.md").write_text("deux")
    shutil.rmtree(vault / "Dossier")
    (vault / PROFILE).write_text("deux")
    (vault / "C.md").write_text("deux")
    git("add", "-A")
    git("commit", "-qm", "deux")
    with watching(vault) as watcher:
        git("checkout", "-q", "un")
        changed = {"A.md", "Dossier/B.md", PROFILE, "C.md"}
        # The folder is new: its note comes as a path or by the scan.
        paths, _ = all_handed(watcher, vault, changed - {"Dossier/B.md"}, rescan=True)
        assert changed - {"Dossier/B.md"} <= paths <= changed


def test_a_folder_moved_out_in_and_about_is_scanned_and_watched_where_it_is(vault, tmp_path):
    with watching(vault) as watcher:
        (vault / "Dossier").rename(tmp_path / "dehors")
        handed(watcher, rescan=True)
        (tmp_path / "dehors/B.md").write_text("dehors")
        (tmp_path / "dehors").rename(vault / "Dedans")
        handed(watcher, rescan=True)
        (vault / "Dedans").rename(vault / "Autre")
        paths, _ = handed(watcher, ["Autre/B.md"], rescan=True)
        assert paths <= {"Dedans/B.md", "Autre/B.md"}
        (vault / "Autre/B.md").write_text("dedans")
        assert all_handed(watcher, vault, ["Autre/B.md"]) == ({"Autre/B.md"}, False)


def test_a_folder_that_is_moved_out_and_made_anew_does_not_end_the_watch(vault, tmp_path):
    with watching(vault) as watcher:
        (vault / "Dossier").rename(tmp_path / "dehors")
        handed(watcher, rescan=True)
        (vault / "Dossier").mkdir()
        handed(watcher, rescan=True)
        (vault / "Dossier").rmdir()
        shutil.rmtree(tmp_path / "dehors")
        handed(watcher, rescan=True)
        assert watcher.alive()
        (vault / "A.md").write_text("après")
        assert all_handed(watcher, vault, ["A.md"])[0] == {"A.md"}


@pytest.mark.parametrize("leave", [Path.rename, lambda root, _: shutil.rmtree(root)])
def test_a_vault_that_goes_and_comes_back_is_watched_again(vault, tmp_path, leave):
    with watching(vault) as watcher:
        leave(vault, tmp_path / "ailleurs")
        handed(watcher, rescan=True)
        while watcher.alive():
            handed(watcher, rescan=True)
        vault.mkdir()
        (vault / "A.md").write_text("retour")
        handed(watcher, rescan=True)
        assert watcher.alive()
        (vault / "A.md").write_text("après")
        assert "A.md" in handed(watcher, ["A.md"])[0]


def test_a_vault_that_is_not_there_yet_is_waited_for(tmp_path):
    with watching(tmp_path / "plus tard") as watcher:
        assert not watcher.alive()
        assert watcher.next(0) is None
        (tmp_path / "plus tard").mkdir()
        (tmp_path / "plus tard/A.md").write_text("là")
        assert handed(watcher, rescan=True) == (set(), True)
        assert watcher.alive()


def test_a_watch_whose_thread_died_is_replaced_and_asks_for_a_scan(vault):
    with watching(vault) as watcher:
        watcher._eye.close()
        assert not watcher.alive()
        watcher._look = 0.0
        handed(watcher, rescan=True)
        assert watcher.alive()


def test_the_ignore_file_asks_for_a_scan(vault):
    with watching(vault) as watcher:
        (vault / ".clavaireignore").write_text("Dossier/")
        assert all_handed(watcher, vault, rescan=True) == (set(), True)


def test_next_gives_none_in_time_and_an_empty_batch_when_woken(vault):
    with watching(vault) as watcher:
        assert watcher.next(0.01) is None
        watcher.wake()
        watcher.wake()
        assert watcher.next() == Batch()
        assert watcher.next(0) is None


def test_a_signal_handler_may_wake(vault):
    with watching(vault) as watcher:
        before = signal.signal(signal.SIGALRM, lambda *_: watcher.wake())
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.1)
            assert watcher.next() == Batch()
        finally:
            signal.signal(signal.SIGALRM, before)


def test_asking_what_is_busy_takes_nothing_from_next(vault):
    with watching(vault) as watcher:
        (vault / PROFILE).write_text("après")
        while not watcher.busy():
            assert watcher.next(0.01) is None
        assert handed(watcher, [PROFILE]) == ({PROFILE}, False)


def test_waiting_costs_no_processor_time(vault):
    with watching(vault) as watcher:
        before = time.process_time()
        assert watcher.next(1.5) is None
        assert time.process_time() - before < 0.02


CHILD = """
import pathlib, sys
from daemon.watcher import Watcher
watcher = Watcher(pathlib.Path(sys.argv[1]), lambda path: False, 1.0)
watcher.start()
print("ready", flush=True)
while batch := watcher.next(20):
    if batch.rescan:
        print("rescan", flush=True)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux drops events of a full queue")
def test_events_dropped_while_the_process_was_stopped_ask_for_a_scan(vault):
    most = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    with subprocess.Popen([sys.executable, "-c", CHILD, vault], cwd=ROOT, stdout=subprocess.PIPE) as child:
        try:
            assert child.stdout.readline() == b"ready\n"
            child.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, child.pid, os.WSTOPPED | os.WNOWAIT)
            for number in range(most // 2):
                (vault / f"{number}.txt").write_text("x")
            child.send_signal(signal.SIGCONT)
            assert select.select([child.stdout], [], [], 30)[0]
            assert child.stdout.readline() == b"rescan\n"
        finally:
            child.kill()
