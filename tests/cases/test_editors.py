"""The saves editors and tools really make, driven step by step (cases C23 and C26; R-A01)."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from config.paths import NAMES
from daemon.vault import rename
from tests.asking import found, history, now, problems
from tests.home import Home

PROFILE = NAMES.profile
BEFORE = """\
# Profil

<!-- clavaire:begin preferences -->
- thé ^p1
- vélo ^p2
- train ^p3
<!-- clavaire:end preferences -->
"""
AFTER = BEFORE.replace("thé", "thé vert")
Save = Callable[[Path, bytes], Iterator[None]]
"""Saves bytes to a path, with a pause wherever another process may look."""


def in_place(path: Path, data: bytes) -> Iterator[None]:
    path.write_bytes(data)
    yield


def truncate_then_two_parts(path: Path, data: bytes) -> Iterator[None]:
    with path.open("wb") as stream:
        yield
        stream.write(data[: len(data) // 2])
        stream.flush()
        yield
        stream.write(data[len(data) // 2 :])
    yield


def vim(path: Path, data: bytes) -> Iterator[None]:
    """The old file is renamed, a new one written, the old one deleted (case C23)."""
    backup = path.with_name(path.name + "~")
    path.rename(backup)
    yield
    path.write_bytes(data)
    yield
    backup.unlink()
    yield


def vim_with_a_probe(path: Path, data: bytes) -> Iterator[None]:
    probe = path.with_name("4913")
    probe.touch()
    yield
    probe.unlink()
    yield from vim(path, data)


def vim_copy(path: Path, data: bytes) -> Iterator[None]:
    """`backupcopy=yes`."""
    backup = path.with_name(path.name + "~")
    shutil.copy2(path, backup)
    yield
    path.write_bytes(data)
    yield
    backup.unlink()
    yield


def temporary_and_rename(path: Path, data: bytes) -> Iterator[None]:
    """VS Code's atomic save, and most sync tools'."""
    draft = path.with_name(f"{path.name}.vsctmp")
    draft.write_bytes(data)
    yield
    draft.replace(path)
    yield


def delete_then_create(path: Path, data: bytes) -> Iterator[None]:
    path.unlink()
    yield
    path.write_bytes(data)
    yield


def note_temporary_and_rename(path: Path, data: bytes) -> Iterator[None]:
    """A tool whose temporary file is itself a note."""
    draft = path.with_name("Profil 1.md")
    draft.write_bytes(data)
    yield
    draft.replace(path)
    yield


SAVES = [
    in_place,
    truncate_then_two_parts,
    vim,
    vim_with_a_probe,
    vim_copy,
    temporary_and_rename,
    delete_then_create,
    note_temporary_and_rename,
]
saves = pytest.mark.parametrize("save", SAVES, ids=lambda save: save.__name__)
looks = pytest.mark.parametrize("between", [False, True], ids=["watched-after", "watched-between"])


def check_one_change(home: Home, name: str) -> None:
    fact = home.state.facts[name][-1]
    assert (fact.text, fact.anchor, fact.status) == ("thé vert", "p1", "confirmed")
    assert now(home) == ["thé vert", "train", "vélo"]
    assert [one.text for one in history(home, "thé vert")] == ["thé", "thé vert"]
    assert not any(version.status == "rejected" for known in home.state.facts.values() for version in known)
    assert not home.open_cards()
    assert home.profile() == AFTER
    assert not [one for one in problems(home) if one[2] != "section_missing"]
    assert found(home, "thé") == [PROFILE]


@saves
@looks
def test_c23_a_save_is_one_change_of_the_one_fact(vault, save, between):
    home = vault()
    home.write_profile(BEFORE)
    home.rest()
    name = home.fact("thé").id
    home.clock.advance(days=1)
    rejected = 0
    for _ in save(home.full(PROFILE), AFTER.encode()):
        if between:
            home.clock.advance(seconds=0.5)
            home.sync()
            rejected += sum(home.state.facts[name][-1].status == "rejected" for _ in [0])
            assert not any("~" in path or "vsctmp" in path for path in found(home, "thé"))
    home.rest()
    assert rejected == 0
    check_one_change(home, name)


@saves
def test_c23_a_section_of_one_line_survives_every_save_too(vault, save):
    home = vault()
    small = BEFORE.replace("- vélo ^p2\n- train ^p3\n", "")
    home.write_profile(small)
    home.rest()
    name = home.fact("thé").id
    home.clock.advance(days=1)
    for _ in save(home.full(PROFILE), small.replace("thé", "thé vert").encode()):
        home.clock.advance(seconds=0.5)
        home.sync()
        assert home.state.facts[name][-1].status != "rejected"
    home.rest()
    assert [one.text for one in history(home, "thé vert")] == ["thé", "thé vert"]
    assert now(home) == ["thé vert"]
    assert home.profile() == small.replace("thé", "thé vert")


@saves
def test_an_unmanaged_note_is_found_by_its_new_words_after_every_save(vault, save):
    home = vault(files={"Note.md": "Le zinnia ^z1\n"})
    home.sync()
    for _ in save(home.full("Note.md"), b"Le dahlia ^z1\n"):
        home.sync()
    home.sync()
    assert found(home, "dahlia") == ["Note.md"]
    assert found(home, "zinnia") == []
    assert home.full("Note.md").read_bytes() == b"Le dahlia ^z1\n"


def git(root: Path, *words: str) -> None:
    identity = ["-c", "user.name=x", "-c", "user.email=x@y.z", "-c", "core.autocrlf=false"]
    subprocess.run(["git", *identity, *words], cwd=root, check=True, capture_output=True)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_git_checkout_and_back_is_a_change_and_back(vault):
    home = vault(files={"Note.md": "Le zinnia\n"})
    home.write_profile(BEFORE)
    home.rest()
    name = home.fact("thé").id
    (home.root / ".gitignore").write_text("99_Assistant/Registre\n99_Assistant/Journal.md\n.clavaire\n")
    git(home.root, "init", "-q", "-b", "main")
    git(home.root, "add", "-A")
    git(home.root, "commit", "-qm", "un")
    git(home.root, "checkout", "-qb", "autre")
    home.write_profile(AFTER)
    home.put("Note.md", "Le dahlia\n")
    home.clock.advance(days=1)
    home.rest()
    check_one_change(home, name)
    git(home.root, "commit", "-qam", "deux")
    home.clock.advance(days=1)
    git(home.root, "checkout", "-q", "main")
    home.rest()
    assert home.profile() == BEFORE
    assert now(home) == ["thé", "train", "vélo"]
    assert found(home, "zinnia") == ["Note.md"]
    assert [one.text for one in history(home, "thé vert")] == ["thé", "thé vert", "thé"]
    assert found(home, "commit") == []


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_git_merge_conflict_freezes_the_note_until_it_is_solved(vault):
    home = vault()
    home.write_profile(BEFORE)
    home.rest()
    (home.root / ".gitignore").write_text("99_Assistant/Registre\n99_Assistant/Journal.md\n.clavaire\n")
    git(home.root, "init", "-q", "-b", "main")
    git(home.root, "add", "-A")
    git(home.root, "commit", "-qm", "un")
    git(home.root, "checkout", "-qb", "autre")
    home.write_profile(AFTER)
    git(home.root, "commit", "-qam", "deux")
    git(home.root, "checkout", "-q", "main")
    home.write_profile(BEFORE.replace("thé", "café"))
    git(home.root, "commit", "-qam", "trois")
    with pytest.raises(subprocess.CalledProcessError):
        git(home.root, "merge", "-q", "autre")
    conflicted = home.profile()
    assert "<<<<<<<" in conflicted
    export = home.export()
    home.rest()
    assert home.profile() == conflicted
    assert home.export() == export
    assert [one[2] for one in problems(home) if one[0] == PROFILE and one[2] != "section_missing"] == [
        "git_conflict"
    ]
    home.write_profile(AFTER)
    home.rest()
    assert now(home) == ["thé vert", "train", "vélo"]


def test_a_folder_moved_out_and_in_is_found_again(vault):
    home = vault(files={f"Carnets/Note {n}.md": f"girolle {n}\n" for n in range(5)})
    home.sync()
    away = home.folder / "Carnets"
    home.full("Carnets").rename(away)
    home.sync()
    assert found(home, "girolle") == []
    away.rename(home.full("Carnets"))
    home.sync()
    assert len(found(home, "girolle")) == 5
    home.full("Carnets").rename(home.full("Cahiers"))
    outcome = home.sync()
    assert len(outcome.changes.renamed) == 5
    assert sorted(found(home, "girolle")) == [f"Cahiers/Note {n}.md" for n in range(5)]


def test_the_assistant_folder_moved_out_and_in_loses_no_fact(vault):
    home = vault(files={"Note.md": "girolle\n"})
    home.add_line("- thé", "preferences")
    home.add_line("- vélo", "preferences")
    home.rest()
    export = home.export()
    away = home.folder / "Assistant"
    home.full(NAMES.assistant).rename(away)
    code = 0
    try:
        outcome = home.sync()
        assert not outcome.written
    except Exception as error:  # noqa: BLE001 - which one is not what this is about
        code = getattr(error, "exit_code", 1)
    assert not home.full(PROFILE).exists(), code
    shutil.rmtree(home.full(NAMES.assistant), ignore_errors=True)
    away.rename(home.full(NAMES.assistant))
    home.restart()
    home.rest()
    assert home.export() == export


C26 = BEFORE
MIEL = C26.replace("thé", "miel")


def interposed(
    home: Home, monkeypatch: pytest.MonkeyPatch, moment: str, act: Callable[[], None]
) -> list[str]:
    """Let `act` happen once, just before or after the next time two files exchange names; gives the calls."""
    calls: list[str] = []
    real = home.app.vault._writer._exchange

    def exchange(draft: str, note: str) -> None:
        calls.append(note)
        first = len(calls) == 1
        if first and moment == "before":
            act()
        real(draft, note)
        if first and moment == "after":
            act()

    monkeypatch.setattr(home.app.vault._writer, "_exchange", exchange)
    return calls


def same_length_save(home: Home, how: str) -> Callable[[], None]:
    full = home.full(PROFILE)
    times = full.stat()

    def save() -> None:
        if how == "rename":
            draft = full.with_name("brouillon")
            draft.write_bytes(MIEL.encode())
            draft.replace(full)
        else:
            full.write_bytes(MIEL.encode())
        os.utime(full, ns=(times.st_atime_ns, times.st_mtime_ns))

    return save


def check_miel(home: Home, name: str) -> None:
    new = home.fact("marche le soir")
    home.rest()
    assert home.profile() == MIEL.replace("train ^p3\n", f"train ^p3\n- marche le soir ^{new.id}\n")
    assert home.state.facts[name][-1].text == "miel"
    assert now(home) == ["marche le soir", "miel", "train", "vélo"]
    assert not home.open_cards()


@pytest.mark.parametrize("how", ["in place", "rename"])
def test_c26_a_save_of_the_same_length_and_time_between_read_and_write_wins(vault, monkeypatch, how):
    home = vault()
    home.write_profile(C26)
    home.rest()
    name = home.fact("thé").id
    assert len("thé".encode()) == len(b"miel")
    save = same_length_save(home, how)
    writes: list[str] = []
    real = home.app.vault.write

    def write(path, data, expected):
        if path == PROFILE:
            writes.append(path)
            if len(writes) == 1:
                save()
        return real(path, data, expected)

    monkeypatch.setattr(home.app.vault, "write", write)
    home.remember("marche le soir", kind="preference")
    check_miel(home, name)
    assert len(writes) <= 3


@pytest.mark.parametrize("how", ["in place", "rename"])
def test_c26_a_save_between_the_last_check_and_the_exchange_is_merged(vault, monkeypatch, how):
    home = vault()
    home.write_profile(C26)
    home.rest()
    name = home.fact("thé").id
    calls = interposed(home, monkeypatch, "before", same_length_save(home, how))
    home.remember("marche le soir", kind="preference")
    check_miel(home, name)
    assert len([note for note in calls if note.endswith("Profil.md")]) <= 2


def test_c26_a_late_write_into_the_displaced_file_is_read_at_the_next_pass(vault, monkeypatch):
    home = vault()
    home.write_profile(C26)
    home.rest()
    name = home.fact("thé").id
    with home.full(PROFILE).open("r+b") as stream:
        home.remember("marche le soir", kind="preference")
        stream.write(MIEL.encode())
    check_miel(home, name)


def test_c26_where_files_cannot_be_exchanged_the_save_wins_too(vault, monkeypatch):
    home = vault()
    home.write_profile(C26)
    home.rest()
    name = home.fact("thé").id
    os.link(home.full(PROFILE), home.folder / "autre nom")
    home.remember("marche le soir", kind="preference")
    assert home.full(PROFILE).stat().st_nlink == 2
    home.write_profile(home.profile().replace("thé", "miel"))
    check_miel(home, name)
    assert rename.exchange is not None
