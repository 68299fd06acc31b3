import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from daemon.index import schema, store
from daemon.index.memory import scalar, set_scalar
from daemon.index.store import Index, IndexOutdated


def filled(value):
    return lambda index: set_scalar(index, "value", value)


def files(state):
    return sorted(path.name for path in state.iterdir())


@pytest.mark.parametrize("name", ["état %41", "a?mode=ro", "#1", "a b"])
def test_the_state_folder_may_have_any_name(tmp_path, name):
    Index.rebuild(tmp_path / name, filled(1)).close()
    assert files(tmp_path) == [name]
    index = Index.open(tmp_path / name, write=False)
    assert scalar(index, "value") == 1
    index.close()


def test_there_is_no_index_before_the_first_rebuild(tmp_path):
    with pytest.raises(IndexOutdated):
        Index.open(tmp_path / "state", write=False)


def test_a_rebuild_writes_the_next_number_and_points_to_it(tmp_path):
    Index.rebuild(tmp_path, filled(1)).close()
    assert files(tmp_path) == ["current", "index-1.sqlite3"]
    Index.rebuild(tmp_path, filled(2)).close()
    assert files(tmp_path) == ["current", "index-2.sqlite3"]
    index = Index.open(tmp_path, write=False)
    assert scalar(index, "value") == 2
    index.close()


def test_a_reader_finds_everything_while_a_rebuild_runs_and_then_learns_of_it(tmp_path):
    Index.rebuild(tmp_path, filled("old")).close()
    reader = Index.open(tmp_path, write=False)

    def fill(index):
        assert scalar(reader, "value") == "old"
        assert not reader.current_changed()
        set_scalar(index, "value", "new")

    Index.rebuild(tmp_path, fill).close()
    assert reader.current_changed()
    assert scalar(reader, "value") == "old"
    assert "index-1.sqlite3" in files(tmp_path)
    reader.close()
    store.drop_leftovers(tmp_path)
    assert files(tmp_path) == ["current", "index-2.sqlite3"]


def test_a_file_that_was_removed_or_replaced_under_its_name_is_no_longer_current(tmp_path):
    Index.rebuild(tmp_path, filled("old")).close()
    writer = Index.open(tmp_path, write=True)
    assert not writer.current_changed()
    file = tmp_path / writer.name
    file.rename(tmp_path / "away")
    assert writer.current_changed()
    shutil.copy(tmp_path / "away", file)
    assert writer.current_changed()
    writer.close()


def test_a_rebuild_never_takes_the_name_of_a_file_that_somebody_may_still_have_open(tmp_path):
    Index.rebuild(tmp_path, filled("old")).close()
    (tmp_path / "index-1.sqlite3").unlink()
    index = Index.rebuild(tmp_path, filled("new"))
    assert index.name == "index-2.sqlite3"
    index.close()


@pytest.mark.parametrize("code", [sqlite3.SQLITE_IOERR_READ, sqlite3.SQLITE_FULL, sqlite3.SQLITE_BUSY])
def test_a_failing_or_full_disk_is_no_reason_to_rebuild(tmp_path, monkeypatch, code):
    Index.rebuild(tmp_path, filled("old")).close()

    def failing(*_, **__):
        error = sqlite3.OperationalError("disk I/O error")
        error.sqlite_errorcode = code
        raise error

    monkeypatch.setattr(sqlite3, "connect", failing)
    with pytest.raises(store.IndexRefused):
        Index.open(tmp_path, write=False)


def test_an_old_file_that_another_process_reads_is_not_removed(tmp_path):
    Index.rebuild(tmp_path, filled("old")).close()
    program = (
        "import sys; from pathlib import Path; from daemon.index.store import Index\n"
        "index = Index.open(Path(sys.argv[1]), write=False); print('open', flush=True); sys.stdin.read()\n"
        "print(index.connection.execute('SELECT json FROM scalars').fetchone()[0])"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as reader:
        assert reader.stdout.readline() == "open\n"
        Index.rebuild(tmp_path, filled("new")).close()
        assert "index-1.sqlite3" in files(tmp_path)
        assert reader.communicate("")[0] == '"old"\n'
    store.drop_leftovers(tmp_path)
    assert files(tmp_path) == ["current", "index-2.sqlite3"]


def test_a_rebuild_that_fails_leaves_the_old_index_current_and_nothing_else(tmp_path):
    Index.rebuild(tmp_path, filled("old")).close()

    def fail(index):
        set_scalar(index, "value", "half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Index.rebuild(tmp_path, fail)
    assert files(tmp_path) == ["current", "index-1.sqlite3"]
    index = Index.open(tmp_path, write=True)
    assert scalar(index, "value") == "old"
    index.close()


def test_a_rebuild_that_is_killed_leaves_the_old_index_current_and_its_file_goes_with_the_next(tmp_path):
    Index.rebuild(tmp_path, filled("old")).close()
    program = (
        "import os, signal, sys; from pathlib import Path; from daemon.index.store import Index\n"
        "Index.rebuild(Path(sys.argv[1]), lambda index: os.kill(os.getpid(), signal.SIGKILL))"
    )
    assert subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=False).returncode == -9
    assert "index-2.sqlite3" in files(tmp_path)
    index = Index.open(tmp_path, write=True)
    assert scalar(index, "value") == "old"
    index.close()
    Index.rebuild(tmp_path, filled("new")).close()
    assert files(tmp_path) == ["current", "index-3.sqlite3"]


def test_a_file_that_is_no_database_goes_with_the_next_rebuild(tmp_path):
    (tmp_path / "index-7.sqlite3").write_bytes(b"x" * 5000)
    (tmp_path / "index-8.sqlite3").write_bytes(b"")
    Index.rebuild(tmp_path, filled(1)).close()
    assert files(tmp_path) == ["current", "index-9.sqlite3"]


def test_no_database_is_renamed_and_current_is_on_disk_before_it_is_named(tmp_path, monkeypatch):
    calls = []
    monkeypatch.setattr(os, "fsync", lambda fd: calls.append(Path(f"/proc/self/fd/{fd}").readlink().name))
    replaced = []
    replace = os.replace
    monkeypatch.setattr(os, "replace", lambda *a, **k: (replaced.append(a), replace(*a, **k)))
    Index.rebuild(tmp_path, filled(1)).close()
    assert calls == ["index-1.sqlite3", "current.tmp", tmp_path.name]
    assert all("sqlite3" not in str(name) for pair in replaced for name in pair)


@pytest.mark.parametrize("damage", [b"", b"not a database at all" * 300])
def test_a_damaged_index_is_outdated(tmp_path, damage):
    Index.rebuild(tmp_path, filled(1)).close()
    (tmp_path / "index-1.sqlite3").write_bytes(damage)
    for write in (True, False):
        with pytest.raises(IndexOutdated):
            Index.open(tmp_path, write=write)


def test_a_damage_found_while_writing_asks_for_a_rebuild(settled):
    for n in range(200):
        settled.put(f"{n}.md", f"texte {n} " + " ".join(f"mot{n}x{k}" for k in range(50)))
    settled.settle()
    db = settled.index.connection
    roots = [page for (page,) in db.execute("SELECT rootpage FROM sqlite_master WHERE rootpage > 1")]
    settled.index.close()
    with (settled.state / settled.index.name).open("r+b") as file:
        for page in roots:
            file.seek((page - 1) * 4096)
            file.write(b"\xff" * 4096)
    settled.index = Index.open(settled.state, write=True)
    for n in range(200):
        settled.put(f"{n}.md", f"autre texte {n}")
    with pytest.raises(IndexOutdated):
        settled.settle()
    settled.rebuilt()
    assert not settled.settle()


def test_current_that_names_a_missing_file_is_outdated(tmp_path):
    Index.rebuild(tmp_path, filled(1)).close()
    (tmp_path / "index-1.sqlite3").unlink()
    for write in (True, False):
        with pytest.raises(IndexOutdated):
            Index.open(tmp_path, write=write)
    assert files(tmp_path) == ["current"]


def test_an_index_of_another_version_is_outdated(tmp_path):
    index = Index.rebuild(tmp_path, filled(1))
    index.connection.execute(f"PRAGMA user_version = {schema.VERSION + 1}")
    index.close()
    with pytest.raises(IndexOutdated):
        Index.open(tmp_path, write=False)


def test_a_batch_is_written_whole_or_not_at_all(tmp_path):
    index = Index.rebuild(tmp_path, filled("before"))

    def interrupted():
        with index.batch():
            set_scalar(index, "value", "after")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert not index.connection.in_transaction
    assert scalar(index, "value") == "before"
    with index.batch():
        with index.batch():
            set_scalar(index, "value", "after")
        assert index.connection.in_transaction
    assert scalar(index, "value") == "after"
    index.close()


def test_an_index_opened_for_reading_writes_nothing(tmp_path):
    Index.rebuild(tmp_path, filled(1)).close()
    index = Index.open(tmp_path, write=False)
    with pytest.raises(store.IndexRefused):
        set_scalar(index, "value", 2)
    index.close()


def test_idle_steps_come_to_an_end_and_leave_an_empty_wal(settled):
    for n in range(40):
        settled.put(f"{n}.md", f"texte {n} " + " ".join(f"mot{n}x{k}" for k in range(200)))
        settled.saved(f"{n}.md")
    segments = "SELECT count(DISTINCT segid) FROM words_idx"
    before = settled.index.connection.execute(segments).fetchone()[0]
    steps = 0
    while settled.index.idle_step():
        steps += 1
    assert 0 < steps < 1000
    assert settled.index.connection.execute(segments).fetchone()[0] < before
    busy, pages, written = settled.index.connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
    assert (busy, pages) == (0, written)
    assert not settled.index.idle_step()


def test_a_save_merges_and_checkpoints_nothing(settled):
    wal = settled.state / (settled.index.name + "-wal")
    sizes = []
    for n in range(60):
        settled.put("A.md", f"texte {n} " + " ".join(f"mot{n}x{k}" for k in range(2000)))
        settled.saved("A.md")
        sizes.append(wal.stat().st_size)
    assert sizes == sorted(set(sizes))
    assert settled.index.connection.execute("SELECT count(DISTINCT segid) FROM words_idx").fetchone()[0] >= 60
