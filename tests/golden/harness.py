"""Golden tasks: a vault before, what is done to it, what must be true after (README.md here is the template).

`python -m tests.golden.harness TASK FOLDER` plays one task in an empty folder: exit 1 when an assertion fails.
"""

import importlib.util
import shutil
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

from daemon import app as wiring
from daemon import doors
from tests.asking import as_of, asked, cli, found, history, intervals, problems
from tests.home import Clock, Home

TASKS = Path(__file__).parent


class Stage:
    """A copy of a task's vault, a clock that stands until it is moved, the person's hand and the command line."""

    def __init__(self, task: str, folder: Path, start: str) -> None:
        self.clock = Clock(datetime.fromisoformat(start).astimezone(UTC))
        shutil.copytree(TASKS / task / "before", folder / "vault")
        self.home = Home(folder, clock=self.clock, start=False)
        self.before = self.home.snapshot()

    # ---- what is done

    def run(self, *arguments: str) -> str:
        """Run `clavaire ARGUMENTS` at the stage's time; gives what it printed."""
        # The clock of the machine is the one thing a command does not take as a value.
        with patch.object(doors, "wall_clock", self.clock), patch.object(wiring, "wall_clock", self.clock):
            code, out, err = cli(self.home, *arguments)
        assert code == 0, f"clavaire {' '.join(arguments)} ended with {code}: {err or out}"
        return out

    def wait(self, **step: float) -> None:
        """Let time pass: `wait(days=30)`."""
        self.clock.advance(**step)

    def edit(self, path: str, old: str, new: str) -> None:
        """Replace the one place where `old` stands in a note."""
        assert self.home.text(path).count(old) == 1, f"{old!r} stands {self.home.text(path).count(old)} times"
        self.home.replace(old, new, path)

    def tick(self, path: str, label: str) -> None:
        """Tick the first empty box with this label."""
        self.home.replace(f"- [ ] {label}", f"- [x] {label}", path)

    # ---- what must be true

    def line(self, path: str, text: str) -> str:
        """Give the one line of a note that holds a text."""
        lines = [line for line in self.home.text(path).split("\n") if text in line]
        assert len(lines) == 1, lines
        return lines[0]

    def as_of(self, day: str, known_at: str | None = None) -> list[str]:
        """Give the facts that were true on a day, as known on a day."""
        return as_of(self.home, day, known_at)

    def intervals(self, text: str) -> list[tuple[str, str | None, str | None]]:
        """Give the believed versions of a fact's history: text, from, to."""
        self._open()
        return intervals(self.home, text)

    def history(self, text: str) -> list[str]:
        """Give the texts a fact has had, oldest first."""
        self._open()
        return [fact.text for fact in history(self.home, text)]

    def register(self) -> list[tuple[str, str]]:
        """Give (who, operation) of each line of the register, once its chain and seals have been checked."""
        self.run("verify-register")
        self._open()
        return [(record.by, record.op) for record in self.home.records()]

    def export(self) -> dict[str, Any]:
        """Give the whole memory."""
        exported: dict[str, Any] = asked(self.home, "export")
        return exported

    def found(self, query: str) -> list[str]:
        """Give the notes a search finds."""
        return found(self.home, query)

    def problems(self) -> list[tuple[str, int, str]]:
        """Give note, line and code of what `status` complains about."""
        return problems(self.home)

    def check_untouched(self, *changed: str) -> None:
        """Assert that of the notes there were only those named have other bytes, another time or mode."""
        after = self.home.snapshot()
        differ = {path for path in self.before if after.get(path) != self.before[path]}
        assert differ <= set(changed), differ

    def check_rest(self) -> None:
        """Assert that nothing more happens by itself and that the index is only an index."""
        self.run("sync")
        vault, export = self.home.snapshot(), self.export()
        self.run("sync")
        assert self.home.snapshot() == vault
        self.run("rebuild")
        assert self.export() == export
        self.run("sync")
        assert self.home.snapshot() == vault

    def _open(self) -> None:
        self.home.restart()
        self.home.app.history.catch_up()


def tasks() -> list[str]:
    """Give the names of the golden tasks: the folders that hold a `task.py`."""
    return sorted(path.parent.name for path in TASKS.glob("*/task.py"))


def play(task: str, folder: Path) -> None:
    """Play one task in an empty folder.

    Raises:
        AssertionError: something is not as it must be.
    """
    module = _module(task)
    stage = Stage(task, folder, module.START)
    story: Callable[[Stage], None] = module.play
    try:
        story(stage)
    finally:
        stage.home.close()


def _module(task: str) -> ModuleType:
    path = TASKS / task / "task.py"
    spec = importlib.util.spec_from_file_location(f"golden_{task.replace('-', '_')}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    try:
        play(sys.argv[1], Path(sys.argv[2]).resolve())
    except AssertionError as red:
        sys.exit(f"red: {red}")
