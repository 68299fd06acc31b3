"""Whole processes of the command line, from the shell's fork to their end, beside the floor's."""

import json
import statistics

import common
import make_vault
import pytest

from tests.benchmarks.facts import with_facts
from tests.benchmarks.whole import FLOOR, House, program

NOTES = 10_000


class Pair:
    """A house and the floor's database of the same vault; each round runs one process of both."""

    def __init__(self, house):
        self.house, self.ours, self.floor = house, [], []
        self.database = house.folder / "floor.db"

    def round(self, *command):
        self.ours.append(self.house.run(*command))
        self.floor.append(program(FLOOR, "index", self.house.vault, self.database))

    def forget(self):
        for path in self.house.folder.glob("floor.db*"):
            path.unlink()
        self.ours.clear()
        self.floor.clear()

    def ratio(self):
        """Give the median of the rounds' own ratios: what slows one process of a round slows the other."""
        return statistics.median(a.cpu / b.cpu for a, b in zip(self.ours, self.floor, strict=True))

    def report(self, limits, what, most):
        limits.note(f"{what}: {median(self.ours):.3f} CPU s, floor {median(self.floor):.3f}")
        limits.most(f"{what}, CPU", self.ratio(), most, "x the floor")
        limits.most(f"{what}, peak RSS", max(run.peak for run in self.ours), 60, "MB")


def median(runs):
    return statistics.median(run.cpu for run in runs)


@pytest.fixture
def fresh(tmp_path, vault_of):
    """Give a pair on a vault that clavaire has not seen."""
    return lambda count: Pair(House(tmp_path.resolve() / str(count), vault_of(count)))


def test_cold_index_by_init_and_by_sync(benchmark, fresh, limits):
    pair = fresh(NOTES)

    def cold(command):
        if command == "init":
            pair.house.start_again()
        else:
            pair.house.drop_index()
        for path in pair.house.folder.glob("floor.db*"):
            path.unlink()
        pair.round(command, *([pair.house.vault] if command == "init" else []))

    for command in ("init", "sync"):
        pair.forget()
        if command == "init":
            for _ in range(3):
                cold(command)
        else:
            benchmark.pedantic(cold, args=(command,), rounds=3)
        pair.report(limits, f"cold index by {command}", 4)
    limits.met()


def test_sync_with_nothing_changed(benchmark, house_of, limits):
    pair = Pair(house_of(NOTES))
    pair.house.run("sync")
    program(FLOOR, "index", pair.house.vault, pair.database)
    benchmark.pedantic(pair.round, args=("sync",), rounds=15)
    pair.report(limits, "nothing changed", 3)
    limits.met()


def test_sync_with_one_per_cent_changed(benchmark, house_of, limits):
    pair = Pair(house_of(NOTES))
    program(FLOOR, "index", pair.house.vault, pair.database)
    seeds = iter(range(100))

    def change():
        make_vault.mutate(str(pair.house.vault), 0.01, next(seeds))

    benchmark.pedantic(pair.round, args=("--json", "sync"), setup=change, rounds=9)
    assert json.loads(" ".join(pair.ours[-1].said))["changed"] == NOTES // 100
    pair.report(limits, "1 % changed", 3)
    limits.met()


def test_search_as_a_process(benchmark, house_of, limits):
    house, queries = house_of(NOTES), iter(common.queries() * 2)
    runs, floors = [], []
    program(FLOOR, "index", house.vault, house.folder / "floor.db")

    def ask():
        query = next(queries)
        runs.append(house.run("search", query).wall)
        floors.append(program(FLOOR, "search", house.folder / "floor.db", query).wall)

    benchmark.pedantic(ask, rounds=51)
    limits.note(f"clavaire search: {common.dist(runs)} ms, floor {common.dist(floors)}")
    limits.most("clavaire search, p50", 1000 * statistics.median(runs), 80, "ms", timed=True)
    limits.met()


def test_five_thousand_facts_as_a_process(benchmark, fresh, limits):
    house = fresh(100).house
    with_facts(house, 5_000)
    runs = []
    benchmark.pedantic(lambda: runs.append(house.run("--json", "facts")), rounds=21)
    assert len(json.loads(" ".join(runs[-1].said))) == 5_000
    plain = [house.run("facts").wall for _ in range(11)]
    took = [run.wall for run in runs]
    limits.note(f"clavaire facts: {common.dist(plain)} ms, with --json {common.dist(took)}")
    limits.most("clavaire facts, p50", 1000 * statistics.median(plain), 250, "ms", timed=True)
    limits.most("clavaire --json facts, p50", 1000 * statistics.median(took), 250, "ms", timed=True)
    limits.met()


def test_ten_times_as_many_notes(benchmark, large, fresh, limits):
    small, many = fresh(NOTES), fresh(10 * NOTES)
    small.round("init", small.house.vault)
    benchmark.pedantic(many.round, args=("init", many.house.vault), rounds=1)
    limits.note(f"100,000 notes: {median(many.ours):.1f} CPU s, floor {median(many.floor):.1f}")
    limits.most("cold index of 100,000", median(many.ours) / median(small.ours), 11, "x that of 10,000")
    small.house.run("sync")
    many.house.run("sync")
    for pair in (small, many):
        pair.ours.clear()
        for _ in range(3):
            pair.round("sync")
    limits.most("nothing changed in 100,000", median(many.ours) / median(small.ours), 11, "x that of 10,000")
    limits.met()
