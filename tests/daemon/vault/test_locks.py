"""Our own folder in the vault, and the two locks in it."""

import subprocess
import sys
import threading

import pytest

from config.paths import NAMES
from daemon.vault import errors


def test_our_folder_holds_the_locks_and_displaced_files_and_hides_from_git(vault):
    found = sorted(path.relative_to(vault.root).as_posix() for path in vault.root.rglob("*"))
    ours = [NAMES.private_folder, NAMES.private_ignore, NAMES.displaced, NAMES.executor, NAMES.lock]
    assert found == sorted(ours)
    assert (vault.root / NAMES.private_ignore).read_bytes() == b"*\n"
    (vault.root / NAMES.private_ignore).write_bytes(b"mine\n")
    vault.prepare()
    assert (vault.root / NAMES.private_ignore).read_bytes() == b"mine\n"


def test_our_folder_must_not_be_a_link(open_vault, tmp_path):
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / NAMES.private_folder).symlink_to(tmp_path)
    with pytest.raises(errors.OutsideVault):
        open_vault()


def test_the_lock_is_held_by_one_at_a_time_and_waiting_has_an_end(vault):
    with vault.locked(), pytest.raises(errors.VaultBusy), vault.locked(timeout=0.02):
        pass
    with vault.locked(timeout=0):
        pass


def test_the_lock_of_a_killed_process_is_free(vault):
    code = (
        "import os, signal; from pathlib import Path; from daemon.vault.door import Vault;"
        f"lock = Vault(Path({str(vault.root)!r}), Path('b'), 9).locked(); lock.__enter__();"
        "print('held', flush=True); os.kill(os.getpid(), signal.SIGKILL)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (run.stdout, run.returncode) == ("held\n", -9)
    with vault.locked(timeout=0):
        pass


def test_a_lock_file_that_was_replaced_is_locked_anew(vault):
    with vault.locked():
        (vault.root / NAMES.lock).unlink()
        with vault.locked(timeout=0.5):
            pass


def test_the_executor_is_one_process_until_it_lets_go(vault):
    held = vault.executor()
    assert held is not None
    assert vault.executor() is None
    held.close()
    with vault.executor() as again:
        assert again is not None


def test_who_waits_to_execute_does_once_the_other_lets_go(vault):
    held = vault.executor()
    assert held is not None
    letting_go = threading.Timer(0.1, held.close)
    letting_go.start()
    with vault.executor(timeout=20) as again:
        assert again is not None
        assert vault.executor(timeout=0.02) is None
    letting_go.join()
