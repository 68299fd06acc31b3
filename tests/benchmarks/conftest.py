import statistics
import sys
import time
from pathlib import Path

import pytest

from tests.benchmarks.whole import FLOOR, HERE, House, Machine, Run, busy, program

sys.path.insert(0, str(HERE / "perf"))

import common
import make_vault


def pytest_addoption(parser):
    parser.addoption("--large", action="store_true", help="measure 100,000 notes too: some minutes")


@pytest.fixture
def large(request):
    if not request.config.getoption("--large", default=False):
        pytest.skip("100,000 notes are measured with --large")


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
        ours = program(HERE / "sync_index.py", self.vault, self.state)
        floor = program(FLOOR, "index", self.vault, self.database)
        if count:
            self.ours.append(ours)
            self.floor.append(floor)

    def forget(self) -> None:
        for path in (*self.state.glob("*"), *self.folder.glob("floor.db*")):
            path.unlink()

    def ratio(self) -> float:
        """Give the median of the rounds' own ratios: what slows one process of a round slows the other."""
        return statistics.median(a.cpu / b.cpu for a, b in zip(self.ours, self.floor, strict=True))

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


class Limits:
    """The numbers of one test beside their limits: `met` prints each and fails for those that are over.

    A time in seconds means something on a quiet machine only. On a busy one what is over is reported, as an
    expected failure that says how busy; a ratio to the floor, a count or a size is never excused.
    """

    def __init__(self) -> None:
        self._before, self._over, self._excused = noise(), [], []
        print(f"\n  before: {self._before}")

    def note(self, line: str) -> None:
        print(f"  {line}")

    def most(self, what: str, value: float, limit: float, unit: str = "", *, timed: bool = False) -> None:
        verdict = "ok" if value <= limit else "OVER"
        print(f"  {verdict:4} {what}: {value:.4g} {unit} (at most {limit:g})")
        if value > limit:
            (self._excused if timed else self._over).append(f"{what}: {value:.4g} {unit} > {limit:g}")

    def met(self) -> None:
        assert not self._over, "; ".join(self._over)
        if not self._excused:
            return
        after = noise()
        missed = "; ".join(self._excused)
        assert not (self._before.quiet and after.quiet), missed
        busy = after if self._before.quiet else self._before
        pytest.xfail(f"on a busy machine ({busy}): {missed}")


def noise() -> Machine:
    """Look at the machine for a second."""
    used, own, begun = busy(), time.process_time(), time.perf_counter()
    late = common.jitter(1.0)
    others = (busy() - used - time.process_time() + own) / (time.perf_counter() - begun)
    return Machine(common.load()[0], max(0.0, others), late)


@pytest.fixture
def limits():
    """Give what checks the numbers of a test, and asks of the machine before and after."""
    return Limits()


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


@pytest.fixture(scope="session")
def house_of(tmp_path_factory, vault_of):
    """Give a copy of the vault of so many notes that `clavaire init` has made its own; each is made once."""
    made: dict[int, House] = {}

    def house(count: int) -> House:
        if count not in made:
            made[count] = House(tmp_path_factory.mktemp(f"house{count}").resolve(), vault_of(count))
            made[count].run("init", made[count].vault)
            made[count].run("sync")
        return made[count]

    return house
