"""How soon an approved plan begins, and what a step costs besides its fsyncs (goals: 100 ms, 10 ms)."""

import os
import time
from itertools import count

import common
import pytest

from daemon import acting
from daemon.acting import Carrier
from daemon.planning import Client
from tests.home import Home

NOTES = {f"Dossier {n % 20}/note {n}.md": f"# Note {n}\n\nvoir [[note {n + 1}]]\n" for n in range(1_000)}
STEPS = 20


def propose(home: Home, steps: list[dict[str, object]]) -> str:
    plan = {"title": "Mesurer", "why": "", "steps": steps}
    prepared, _ = acting.propose(home.app, plan, Client("mcp:banc"))
    return prepared.run.id


def tick(home: Home, run: str) -> str:
    path = home.app.pipeline.runs.runs[run].path
    assert path is not None
    note = home.full(path)
    note.write_bytes(note.read_bytes().replace(b"- [ ] Approuver", b"- [x] Approuver"))
    return path


@pytest.fixture
def home(tmp_path_factory):
    home = Home(tmp_path_factory.mktemp("runs", numbered=True).resolve(), NOTES)
    home.rest()
    yield home
    home.close()


def test_a_ticked_plan_begins_at_once(benchmark, home, limits):
    numbers, took = count(), []

    def setup():
        made = f"Nouveau/{next(numbers)}.md"
        steps = [
            {"tool": "note_create", "args": {"path": made, "text": "# Neuf\n"}},
            {"tool": "note_append", "args": {"path": "Dossier 1/note 1.md", "text": "mot"}},
        ]
        return (tick(home, propose(home, steps)), made), {}

    def begin(path, made):
        begun = time.perf_counter()
        home.app.pipeline.sync([path])
        carrier = Carrier(home.app)
        while not home.full(made).exists():
            assert carrier.step()
        took.append(time.perf_counter() - begun)
        carrier.all()

    benchmark.pedantic(begin, setup=setup, rounds=30, warmup_rounds=2)
    limits.note(f"tick seen → first effect: {common.dist(took[2:])} ms")
    limits.most("tick seen → first effect, p50", 1000 * common.pct(took[2:], 50), 100, "ms", timed=True)
    limits.met()


def test_a_step_costs_little_besides_its_fsyncs(benchmark, home, limits, monkeypatch):
    synced, took, fsync, numbers = [0.0], [], os.fsync, count()

    def timed(descriptor):
        begun = time.perf_counter()
        fsync(descriptor)
        synced[0] += time.perf_counter() - begun

    monkeypatch.setattr(os, "fsync", timed)

    def setup():
        text = f"ligne {next(numbers)}"
        steps = [
            {"tool": "note_append", "args": {"path": f"Dossier {n}/note {n}.md", "text": text}}
            for n in range(STEPS)
        ]
        home.app.pipeline.sync([tick(home, propose(home, steps))])
        return (), {}

    def carry():
        carrier, synced[0] = Carrier(home.app), 0.0
        begun = time.perf_counter()
        carrier.all()
        took.append((time.perf_counter() - begun - synced[0]) / STEPS)

    benchmark.pedantic(carry, setup=setup, rounds=10, warmup_rounds=1)
    limits.note(f"a step, without its fsyncs: {common.dist(took[1:])} ms")
    limits.most("a step without its fsyncs, p50", 1000 * common.pct(took[1:], 50), 10, "ms", timed=True)
    limits.met()
