"""Golden tasks: a vault before, what is done to it, what must be true after (README.md here is the template).

`python -m tests.golden.harness TASK FOLDER` plays one task in an empty folder: exit 1 when an assertion fails.
`python -m tests.golden.harness --dying FOLDER TIME CALL NTH WHEN ARGUMENT…` runs a command in a stage that stands,
in a process that kills itself at the `NTH` call of that name (tests/kill/killer.py).
"""

import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

from daemon import acting, doors
from daemon import app as wiring
from daemon.planning import Client
from daemon.policy.lineage import Output
from daemon.tools.effects import VaultLook
from daemon.tools.tool import Sources
from tests.asking import as_of, asked, cli, found, history, intervals, problems
from tests.home import Clock, Home
from tests.kill.killer import Killer

TASKS = Path(__file__).parent


class Stage:
    """A copy of a task's vault, a clock that stands until it is moved, the person's hand and the command line."""

    def __init__(self, task: str | None, folder: Path, start: str) -> None:
        """Set a task's vault out in an empty folder; without a task, take the folder as it stands."""
        self.clock = Clock(datetime.fromisoformat(start).astimezone(UTC))
        if task:
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

    def dies(self, call: str, nth: int, when: str, *arguments: str) -> None:
        """Run a command in a process that kills itself before, in or after the `nth` call of this name."""
        stage = [str(self.home.folder), self.clock.now.isoformat(), call, str(nth), when]
        environ = {**os.environ, "STAGE_ENVIRON": json.dumps(self.home.environ)}
        command = [sys.executable, "-B", "-m", "tests.golden.harness", "--dying", *stage, *arguments]
        died = subprocess.run(
            command, cwd=TASKS.parent.parent, env=environ, capture_output=True, text=True, check=False
        )
        assert died.returncode == -signal.SIGKILL, f"it did not die: {died.returncode} {died.stderr}"

    def plan(self, title: str, steps: "Sequence[Step]", origin: str) -> dict[str, Any]:
        """Propose a plan as an agent, by `clavaire plan FILE --as ORIGIN`; gives what it prints."""
        file = self.home.folder / "plan.json"
        asked = {"title": title, "steps": [{"tool": tool, "args": args} for tool, args in steps]}
        file.write_text(json.dumps(asked), "utf-8")
        said: dict[str, Any] = json.loads(self.run("plan", str(file), "--as", origin, "--json"))
        return said

    def agent(self, origin: str) -> "Agent":
        """Give an agent, who has read nothing yet."""
        return Agent(self, origin)

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

    def runs(self) -> list[dict[str, Any]]:
        """Give every run, oldest first, as `clavaire runs` does."""
        said: list[dict[str, Any]] = json.loads(self.run("runs", "--json"))
        return said

    def audit(self) -> list[dict[str, Any]]:
        """Give every refusal, oldest first."""
        said: list[dict[str, Any]] = json.loads(self.run("audit", "--json"))
        return said

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


Step = tuple[str, dict[str, Any]]


class Agent:
    """A program that reads with our tools and proposes plans; what it has read is known to the policy."""

    def __init__(self, stage: Stage, origin: str) -> None:
        self.stage, self.origin = stage, origin
        self.outputs: list[Output] = []

    def read(self, tool: str, **args: Any) -> list[str]:
        """Call a tool that reads; gives the texts it returned."""
        self.stage._open()
        app = self.stage.home.app
        known = app.pipeline.around.registry()[tool]
        sources = Sources(VaultLook(app.vault), lambda *_: (), lambda _: ("vault", "normal"))
        assert known.read is not None
        found = known.read(known.validated(args), sources)
        self.outputs += found
        return [json.dumps(one.value, ensure_ascii=False) for one in found]

    def propose(self, title: str, steps: Sequence[dict[str, Any]], instruction: str = "") -> str:
        """Propose a plan, as the agent's own wish unless it says whose; gives the status of the run."""
        self.stage._open()
        client = Client(self.origin, instruction, outputs=tuple(self.outputs))
        prepared, _ = acting.propose(self.stage.home.app, {"title": title, "steps": list(steps)}, client)
        return self.stage.home.app.pipeline.runs.runs[prepared.run.id].status


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


def die(folder: str, now: str, call: str, nth: str, when: str, *arguments: str) -> None:
    """Run a command in a stage that stands, and die at a call."""
    stage = Stage(None, Path(folder), now)
    stage.home.environ = json.loads(os.environ["STAGE_ENVIRON"])
    Killer(int(nth), when).arm([call])
    stage.run(*arguments)


if __name__ == "__main__":
    if sys.argv[1] == "--dying":
        die(*sys.argv[2:])
        sys.exit("it came to its end")
    try:
        play(sys.argv[1], Path(sys.argv[2]).resolve())
    except AssertionError as red:
        sys.exit(f"red: {red}")
