"""Plays one write again and again, each time in a process of its own that dies at another call.

    python tests/kill/scenes.py FOLDER SCENE

Each play leaves `FOLDER/N-call-when/` with the vault and its backups as the dead process left them. Prints
one line of JSON a play: the folder, and whether the process was killed or came to its end.
"""

import contextlib
import json
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from daemon.vault import rename
from daemon.vault.disk import etag_of
from daemon.vault.door import Vault
from parsers.model.places import NotePath
from tests.kill.killer import Killer

NOTE = NotePath("Été/Profil.md")
OLD = b"- th\xc3\xa9 ^f-1\n" * 40
NEW = b"- caf\xc3\xa9 ^f-1\n" * 30
PERSON = b"- miel, of the person ^f-1\n" * 35
TAIL = 12
DATA = b'{"seq":2}\n' * 8
_replace = os.replace  # the person's editor is not what dies


@dataclass(frozen=True)
class Scene:
    """What is done, and what the note may hold afterwards."""

    act: Callable[[Path], None]
    allowed: tuple[bytes, ...]
    start: bytes | None = OLD
    torn: bool = False
    """Whether the note may be in part until the next start mends it."""
    prepare: Callable[[Path], None] = lambda folder: None


def vault(folder: Path, exchange: rename.Exchange | None = rename.exchange) -> Vault:
    """The vault of one play."""
    return Vault(folder / "vault", folder / "backups", 5_000_000, exchange=exchange)


def write(folder: Path, exchange: rename.Exchange | None = rename.exchange) -> None:
    """Replace the note."""
    vault(folder, exchange).write(NOTE, NEW, etag_of(OLD))


def slip(save: Callable[[Path], None]) -> Callable[[Path], None]:
    """Replace the note while the person saves theirs between the check and the exchange."""

    def act(folder: Path) -> None:
        def exchange(draft: str, note: str) -> None:
            save(Path(note))
            (folder / "person-saved").write_bytes(b"")  # not by os.open, which may be the last call
            rename.exchange(draft, note)

        write(folder, exchange)

    return act


def by_rename(note: Path) -> None:
    """Save as vim does."""
    note.with_name("swap~").write_bytes(PERSON)
    _replace(note.with_name("swap~"), note)


def in_place(note: Path) -> None:
    """Save as Obsidian does."""
    note.write_bytes(PERSON)


def recover(folder: Path) -> None:
    """What a start does, the lead's merge apart."""
    door = vault(folder)
    for late in door.late(1e10, door.walk().drafts):
        door.heard(late.reading)
    door.late(2e10)


def crashed(act: Callable[[Path], None], call: str, nth: int, when: str) -> Callable[[Path], None]:
    """Let a process die at the `nth` call of this name."""

    def prepare(folder: Path) -> None:
        if os.fork() == 0:
            Killer(nth, when).arm([call])
            act(folder)
            os._exit(3)
        os.wait()

    return prepare


def link(folder: Path) -> None:
    """Give the note a second name."""
    os.link(folder / "vault" / NOTE, folder / "second name")


SCENES = {
    "write": Scene(write, (OLD, NEW)),
    "slip-rename": Scene(slip(by_rename), (OLD, PERSON, NEW)),
    "slip-in-place": Scene(slip(in_place), (OLD, PERSON, NEW)),
    "linked-twice": Scene(write, (OLD, NEW), torn=True, prepare=link),
    "no-exchange": Scene(lambda folder: write(folder, None), (OLD, NEW), torn=True),
    "create": Scene(lambda folder: vault(folder).create(NOTE, NEW) and None, (b"", NEW), start=None),
    "create-plain": Scene(
        lambda folder: vault(folder, None).create(NOTE, NEW) and None, (b"", NEW), start=None
    ),
    "append": Scene(
        lambda folder: vault(folder).append(NOTE, DATA, len(OLD)),
        (OLD, OLD + DATA[: len(DATA) // 2], OLD + DATA),
    ),
    "cut": Scene(lambda folder: vault(folder).cut(NOTE, len(OLD) - TAIL, OLD[-TAIL:]), (OLD, OLD[:-TAIL])),
    "recover-slip": Scene(
        recover, (NEW,), prepare=crashed(slip(in_place), "daemon.vault.rename:rename_with", 1, "after")
    ),
    "recover-in-place": Scene(
        recover,
        (OLD, NEW),
        torn=True,
        prepare=crashed(lambda folder: write(folder, None), "os:pwrite", 1, "half"),
    ),
}


def play(folder: Path, scene: Scene, killer: Killer) -> bool:
    """One play in a process of its own; whether it was killed."""
    note = folder / "vault" / NOTE
    note.parent.parent.mkdir(parents=True)
    vault(folder).prepare()
    if scene.start is not None:
        note.parent.mkdir()
        note.write_bytes(scene.start)
        scene.prepare(folder)
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            killer.arm()
            scene.act(folder)
            (folder / "calls").write_text(" ".join(killer.seen))
            os._exit(0)
        os._exit(1)
    _, status = os.waitpid(child, 0)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status):
        raise RuntimeError(f"the scene failed in {folder}")
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL


def main() -> None:
    """Every point of one scene."""
    folder, scene = Path(sys.argv[1]), SCENES[sys.argv[2]]
    play(folder / "whole", scene, Killer())
    print(json.dumps([str(folder / "whole"), False]))
    for point, call in enumerate((folder / "whole" / "calls").read_text().split(), 1):
        for when in ("before", "half", "after") if call in {"write", "pwrite"} else ("before", "after"):
            place = folder / f"{point}-{call}-{when}"
            print(json.dumps([str(place), play(place, scene, Killer(point, when))]))


if __name__ == "__main__":
    main()
