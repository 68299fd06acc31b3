"""Plays a run of five steps, or its undo, again and again, each time in a process that dies at another point.

    python tests/kill/run_flows.py FOLDER SCENE COUNT

Each play leaves `FOLDER/N/` as the dead process left it. Prints one line of JSON a play: its folder, the point it
died at, whether it was killed. The first comes to its end. COUNT is how many of the others are played, 0 all.
"""

import json
import os
import random
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from daemon import acting
from tests.home import START, Clock, Home
from tests.kill.flows import copy
from tests.kill.killer import HALVES, Killer
from tests.planned import propose, run_of, tick, work

FILES = {
    "Boîte/a.md": "---\ntitre: 'A'  # gardé\n---\n# A\n\nla note a\n",
    "Boîte/b.md": "# B\r\n\r\nvoir [[a]] et [[Boîte/a#A|le titre]]\r\n",
    "Boîte/c.md": "un passage à changer\n\n![[a]]\n",
    "d.md": "pas de fin de ligne",
}
FIVE = (
    ("note_create", {"path": "Neuf/n.md", "text": "# Neuf\n"}),
    ("note_append", {"path": "d.md", "text": "ajouté"}),
    ("note_edit", {"path": "Boîte/c.md", "old": "un passage", "new": "le passage"}),
    ("note_move", {"path": "Boîte/a.md", "to": "Archive/a2.md"}),
    ("property_set", {"path": "Neuf/n.md", "key": "fait", "value": True}),
)
STEPS = (
    *(f"daemon.history:History.{name}" for name in ("happen", "keep")),
    "daemon.register.register:Register.append",
    "daemon.tools.hands:Hands.carry",
    *(f"daemon.runs.executor:Executor.{name}" for name in ("recover", "_begin", "_finish", "_end")),
    *(
        f"daemon.vault.door:Vault.{name}"
        for name in ("write", "create", "move", "trash", "untrash", "append")
    ),
)
"""The steps of a run, besides the calls that change the disk."""
AFTER = timedelta(minutes=5)


@dataclass(frozen=True)
class RunFlow:
    """What stands there when the process starts that dies."""

    prepare: Callable[[Home], object]


def ticked(home: Home) -> str:
    run = propose(home, *FIVE)
    tick(home, run)
    return run.id


def undoing(home: Home) -> str:
    name = ticked(home)
    work(home)
    run = run_of(home, name)
    assert run.status == "succeeded", run
    tick(home, run, f"undo-{run.transition}")
    return name


RUN_FLOWS = {"run": RunFlow(ticked), "undo": RunFlow(undoing)}


def template(folder: Path, flow: RunFlow) -> None:
    """The vault as it stands when the process begins."""
    home = Home(folder, FILES)
    home.rest()
    (folder / "run").write_text(str(flow.prepare(home)))
    home.close()


def started(folder: Path, after: timedelta = AFTER) -> Home:
    """The home in a folder, as the next process finds it."""
    home = Home(folder, start=False, clock=Clock(START + after))
    home.restart()
    return home


def die(folder: Path, point: int, when: str) -> bool:
    """Let a process carry the run out until it dies; whether it was killed."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            killer = Killer(point, when).arm().arm(STEPS)
            acting.sync(started(folder).app)
            (folder / "points").write_text(json.dumps(killer.seen))
            code = 0
        except Exception:  # noqa: BLE001 - the parent says that it failed
            traceback.print_exc()
        os._exit(code)
    _, status = os.waitpid(child, 0)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status):
        raise RuntimeError(f"the scene failed in {folder}")
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL


def points(seen: Sequence[str]) -> list[tuple[int, str, str]]:
    """Every (number, how, name) at which the process may die."""
    ways = dict.fromkeys(HALVES, ("before", "half", "after"))
    return [
        (number, when, f"{number} {name} {when}")
        for number, name in enumerate(seen, 1)
        for when in ways.get(name, ("before", "after"))
    ]


def main() -> None:
    """Play one scene."""
    folder, name, count = Path(sys.argv[1]).resolve(), sys.argv[2], int(sys.argv[3])
    start, drawn = folder / "template", random.Random(name)
    template(start, RUN_FLOWS[name])
    whole = folder / "whole"
    copy(start, whole)
    die(whole, 0, "never")
    print(json.dumps([str(whole), "end", False]), flush=True)
    found = points(json.loads((whole / "points").read_text()))
    if count and count < len(found):
        offset = drawn.random()
        found = [found[int((n + offset) * len(found) / count)] for n in range(count)]
    for number, (point, when, said) in enumerate(found):
        place = folder / str(number)
        copy(start, place)
        print(json.dumps([str(place), said, die(place, point, when)]), flush=True)


if __name__ == "__main__":
    main()
