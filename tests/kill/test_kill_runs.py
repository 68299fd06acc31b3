"""Kill -9 at every event of a run of five steps and of its undo: each effect once, each claim in the note true (G6)."""

import json
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from daemon import acting
from parsers.model.runs import Run
from tests import claims
from tests.home import FAST, Home
from tests.kill.healing import drafts
from tests.kill.run_flows import AFTER, FILES, RUN_FLOWS, started
from tests.kill.test_kill_pipeline import reason
from tests.planned import note, notes, run_of, tick, work

SCRIPT = Path(__file__).with_name("run_flows.py")
UNTOUCHED = {path: text.encode() for path, text in FILES.items()}
NOTES = ("Neuf/n.md", "d.md", "Boîte/a.md", "Boîte/b.md", "Boîte/c.md", "Archive/a2.md")


def plays(folder: Path, scene: str, count: int) -> Iterator[tuple[Path, str, bool]]:
    command = [sys.executable, SCRIPT, folder, scene, str(count)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        for line in run.stdout:
            place, name, killed = json.loads(line)
            yield Path(place), name, killed
        assert run.wait() == 0, run.stderr.read()


def deaths(scene: str, count: int, *, edited: bool = False) -> int:
    """Play a scene, and resume each play; gives the number of kills."""
    kills, wrong, whole = 0, [], {}
    with tempfile.TemporaryDirectory(dir=FAST) as folder:
        for place, name, killed in plays(Path(folder).resolve(), scene, count):
            kills += killed
            try:
                whole = whole or ending(place, scene)
                resumed(place, scene, random.Random(name) if edited and killed else None, whole)
            except Exception as error:  # noqa: BLE001 - all points are told, not only the first
                wrong.append(f"{scene}, killed at {name}: {reason(error)}")
            shutil.rmtree(place)
    assert wrong == [], f"{len(wrong)} of {kills}\n" + "\n".join(wrong)
    return kills


def ending(place: Path, scene: str) -> dict[str, bytes]:
    """The notes as a play that nothing stops leaves them."""
    home = started(place)
    try:
        found = notes(home)
    finally:
        home.close()
    assert (found == UNTOUCHED) == (scene == "undo")
    return found


def resumed(place: Path, scene: str, drawn: random.Random | None, whole: dict[str, bytes]) -> None:
    """Start again where a process died, resume what it left, and hold every claim against the disk."""
    home = started(place, AFTER + timedelta(minutes=1))
    try:
        edits = edit(home, drawn) if drawn else {}
        acting.sync(home.app)
        assert drafts(home.root) == {}
        name = (place / "run").read_text()
        check(home, name, edits)
        run = go_on(home, the_run(home, name, scene), edits)
        check(home, name, edits)
        now = notes(home)
        if not edits:
            assert run.status == "succeeded", run
            assert now == whole
        effects_once(home)
        before = home.export()
        home.app.pipeline.rebuild()
        assert home.export() == before
        home.restart()
        assert notes(home) == now
    finally:
        home.close()


def edit(home: Home, drawn: random.Random) -> dict[str, bytes]:
    """Put another file in the place of one or two notes of the run."""
    found = {}
    for path in drawn.sample(NOTES, drawn.randint(1, 2)):
        found[path] = f"un autre {path}\n".encode()
        home.put(path, found[path])
    return found


def the_run(home: Home, name: str, scene: str) -> Run:
    """The run that is carried out: the plan's, or the one that undoes it."""
    if scene == "run":
        return run_of(home, name)
    return next(run for run in home.app.pipeline.runs.runs.values() if run.undoes == name)


def go_on(home: Home, run: Run, edits: dict[str, bytes]) -> Run:
    """Tick what the note offers until the run has ended, as a person does who wants it done.

    What they put in the place of a note stays, unless they approve the plan again as it is shown over that.
    """
    again = False
    for _ in range(6):
        run, now = run_of(home, run), notes(home)
        for path, data in edits.items():
            assert again or now.get(path) == data, f"the person's {path} was written over"
        if run.status == "paused":
            assert "[ ] Reprendre" in note(home, run)
            tick(home, run, f"resume-{run.transition}")
        elif run.status == "awaiting_approval":
            unsure = any(step.status == "uncertain" for step in run.steps)
            assert unsure == ("[?]" in note(home, run)) == (run.approved_at is not None)
            tick(home, run)
            again = True
        elif not run.live:
            return run
        work(home)
    raise AssertionError(f"no end: {run}")


def check(home: Home, name: str, touched: dict[str, bytes]) -> None:
    """Every claim of the notes of runs; an uncertain step is never said to be done."""
    for run in home.app.pipeline.runs.runs.values():
        if run.path:
            claims.check(home, run.id, touched)
    assert name in home.app.pipeline.runs.runs


def effects_once(home: Home) -> None:
    """No step was started twice unless the first start was found to have done nothing; nothing is said done twice."""
    begun: dict[str, int] = {}
    for record in home.records():
        step = record.body.get("step")
        if record.op == "step.started":
            begun[step] = begun.get(step, 0) + 1
            assert begun[step] == 1, f"{step} was started again"
        elif record.op == "step.again":
            begun[step] -= 1
        elif record.op == "step.done":
            assert begun.pop(step) == 1
            begun[step] = 1


@pytest.mark.parametrize("edited", [False, True], ids=["alone", "with the person's edits"])
@pytest.mark.parametrize("scene", RUN_FLOWS)
def test_g6_a_run_killed_at_some_points_goes_on_and_does_nothing_twice(scene, edited):
    assert deaths(scene, 12, edited=edited) >= 12


@pytest.mark.fuzz
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("edited", [False, True], ids=["alone", "with the person's edits"])
@pytest.mark.parametrize("scene", RUN_FLOWS)
def test_g6_a_run_killed_at_any_point_goes_on_and_does_nothing_twice(scene, edited):
    assert deaths(scene, 0, edited=edited) >= 200
