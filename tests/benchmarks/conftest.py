import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "perf"))

import make_vault  # noqa: E402 - perf/ is a folder of programs, not a package


class Run(NamedTuple):
    """One whole process."""

    cpu: float
    said: list[str]


def measured(*command: object) -> Run:
    """Run one of the programs of this folder to its end; the kernel's own figures."""
    root = HERE.parent.parent
    with subprocess.Popen(
        [sys.executable, *map(str, command)],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(root)},
    ) as process:
        said = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, said
    return Run(usage.ru_utime + usage.ru_stime, said.split())


class Beside:
    """clavaire's program and the floor, run in turns on copies of one vault."""

    def __init__(self, folder: Path, vault: Path) -> None:
        self.folder, self.vault = folder, vault
        self.ours: list[Run] = []
        self.floor: list[Run] = []

    @property
    def state(self) -> Path:
        return self.folder / "state"

    @property
    def database(self) -> Path:
        return self.folder / "floor.db"

    def index(self, *, count: bool = True) -> None:
        ours = measured(HERE / "sync_index.py", self.vault, self.state)
        floor = measured(HERE / "perf" / "floor.py", "index", self.vault, self.database)
        if count:
            self.ours.append(ours)
            self.floor.append(floor)

    def forget(self) -> None:
        for path in (*self.state.glob("*"), *self.folder.glob("floor.db*")):
            path.unlink()

    def ratio(self) -> float:
        return self.cpu(self.ours) / self.cpu(self.floor)

    @staticmethod
    def cpu(runs: list[Run]) -> float:
        return statistics.median(run.cpu for run in runs)

    def report(self, what: str) -> str:
        ours, floor = self.cpu(self.ours), self.cpu(self.floor)
        cpu = f"{ours:.3f} CPU s, floor {floor:.3f}, ratio {self.ratio():.2f}"
        return f"\n{what}: {cpu}, peak {self.peak():.1f} MB"

    def said(self) -> list[int]:
        """Give what the last run says it added, changed and removed."""
        return [int(number) for number in self.ours[-1].said[:3]]

    def peak(self) -> float:
        """Give the most memory that clavaire's program took, in MB."""
        return max(float(run.said[3]) for run in self.ours)


@pytest.fixture(scope="session")
def vault_of(tmp_path_factory):
    """Give the deterministic vault of so many notes; each is made once."""
    made: dict[int, Path] = {}

    def vault(count: int) -> Path:
        if count not in made:
            made[count] = tmp_path_factory.mktemp(f"vault{count}") / "vault"
            make_vault.generate(str(made[count]), count, seed=1)
            (made[count] / "99_Assistant" / "Registre").mkdir(parents=True)
        return made[count]

    return vault


@pytest.fixture
def beside(tmp_path, vault_of):
    def start(count: int) -> Beside:
        return Beside(tmp_path, vault_of(count))

    return start
