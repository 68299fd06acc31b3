"""Whole processes on a vault: commands that end, and a daemon that stays; the kernel's own figures of both."""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from config.paths import NAMES

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
FLOOR = HERE / "perf" / "floor.py"
CLAVAIRE = Path(sys.executable).with_name("clavaire")


class Run(NamedTuple):
    """One process that ended."""

    cpu: float
    wall: float
    said: list[str]
    peak: float
    """MB, as last seen a few milliseconds before its end."""


def measured(*command: object, **environ: str) -> Run:
    """Run a program to its end."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as said:  # a pipe would fill, and it wait for us
        begun = time.perf_counter()
        process = subprocess.Popen(
            list(map(str, command)), stdout=said, env=os.environ | {"PYTHONPATH": str(ROOT)} | environ
        )
        peak, ended = 0.0, 0
        while not ended:
            peak = max(peak, memory(process.pid, "VmHWM"))
            time.sleep(0.002)
            ended, status, usage = os.wait4(process.pid, os.WNOHANG)
        wall = time.perf_counter() - begun
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        words = said.read().split()
    assert process.returncode == 0, words
    return Run(usage.ru_utime + usage.ru_stime, wall, words, peak)


def program(path: Path, *arguments: object) -> Run:
    """Run one of the programs of this folder."""
    return measured(sys.executable, path, *arguments)


def memory(pid: int, field: str = "VmRSS") -> float:
    """Give one of a process's figures of memory in MB; not `ru_maxrss`, which remembers who started it."""
    try:
        status = Path(f"/proc/{pid}/status").read_text("utf-8")
    except OSError:
        return 0.0
    _, found, rest = status.partition(f"{field}:")
    return int(rest.split()[0]) * 1024 / 1e6 if found else 0.0


def cpu_of(pid: int) -> float:
    """Give the CPU seconds of a living process, to the nanosecond: its CPU clock, which any process may read."""
    return time.clock_gettime(~pid << 3 | 2)


class House:
    """A vault with its state folder and settings, used through the command line only."""

    def __init__(self, folder: Path, notes: Path, **environ: str) -> None:
        self.folder, self.vault, self.states = folder, folder / "vault", folder / "states"
        self.environ = {
            "CLAVAIRE_VAULT": str(self.vault),
            "CLAVAIRE_GENERAL__STATE_FOLDER": str(self.states),
            "CLAVAIRE_GENERAL__TIMEZONE": "Europe/Paris",
            "XDG_CONFIG_HOME": str(folder / "config"),
            **environ,
        }
        shutil.copytree(notes, self.vault)
        shutil.rmtree(self.vault / "99_Assistant", ignore_errors=True)

    @property
    def state(self) -> Path:
        return next(self.states.glob("v-*"))

    @property
    def profile(self) -> Path:
        return self.vault / "99_Assistant" / "Profil.md"

    def run(self, *command: object, **environ: str) -> Run:
        return measured(CLAVAIRE, *command, **self.environ, **environ)

    def start_again(self) -> None:
        """Leave nothing of clavaire's."""
        for path in (self.states, self.vault / "99_Assistant", self.vault / ".clavaire"):
            shutil.rmtree(path, ignore_errors=True)

    def drop_index(self) -> None:
        for path in (*self.state.glob("index-*"), *self.state.glob("current*")):
            path.unlink()

    def wrote(self) -> list[str]:
        """Give the notes the daemon says it wrote, in their order."""
        lines = (self.state / NAMES.log).read_text("utf-8").splitlines()
        return [line.partition(" wrote ")[2] for line in lines if " wrote " in line]

    @contextlib.contextmanager
    def daemon(self, **environ: str) -> "Iterator[Living]":
        """Run `clavaire run`, ready when this gives it."""
        with living(CLAVAIRE, "run", **self.environ, **environ) as daemon:
            assert daemon.line(), "it ended before it was ready"
            yield daemon


class Living:
    """A process that stays."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process, self.pid = process, process.pid

    def line(self) -> str:
        return self._process.stdout.readline()

    def cpu(self) -> float:
        assert self._process.poll() is None, "it ended"
        return cpu_of(self.pid)

    def memory(self) -> float:
        return memory(self.pid)

    def rest(self, quiet: float = 1.0) -> None:
        """Wait until it has nothing left to do: less than a millisecond of CPU in so many seconds."""
        for _ in range(120):
            before = self.cpu()
            time.sleep(quiet)
            if self.cpu() - before < 0.001:
                return
        raise AssertionError("it never rests")


@contextlib.contextmanager
def living(*command: object, **environ: str) -> Iterator[Living]:
    """Run a process until the block ends."""
    with subprocess.Popen(
        list(map(str, command)),
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | environ,
    ) as process:
        try:
            yield Living(process)
        finally:
            process.terminate()
            process.wait(20)


class Machine(NamedTuple):
    """How quiet the machine is while nothing of ours runs."""

    load: float
    others: float
    """Cores that other processes keep busy."""
    late: dict[str, float]
    """How late a sleep of a millisecond wakes, in ms."""

    @property
    def quiet(self) -> bool:
        return self.others < 0.25 and self.late["p99"] < 3

    def __str__(self) -> str:
        late = f"a 1 ms sleep wakes {self.late['p50']} / {self.late['p99']} ms late (p50 / p99)"
        return f"load {self.load}, other processes use {self.others:.2f} cores, {late}"


def busy() -> float:
    """Give the CPU seconds that all processes used since the start of the machine."""
    fields = Path("/proc/stat").read_text("utf-8").split("\n")[0].split()[1:]
    user, nice, system, _, _, irq, soft, steal = map(int, fields[:8])
    return (user + nice + system + irq + soft + steal) / os.sysconf("SC_CLK_TCK")
