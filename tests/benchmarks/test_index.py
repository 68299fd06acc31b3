"""The index beside the floor, in one run: ratios of CPU are the result, seconds are what they mean here."""

import random
import shutil
import statistics
import time

import common
import make_vault
import pytest

from daemon.index import memory, notes
from daemon.index.search import search
from daemon.index.store import Index
from daemon.vault.door import Vault
from parsers.model.facts import FACT_FIELDS, Fact
from parsers.model.places import NotePath

NOTES = 10_000


class Resident:
    """An index that is open, as in the daemon."""

    def __init__(self, vault, state):
        self.root, self.vault = vault, Vault(vault, state / "backups", 5_000_000)
        listing = self.vault.walk()
        self.index = Index.rebuild(
            state, lambda index: notes.refresh(index, listing.entries, listing.unknown, self.vault.read)
        )
        self.paths = [entry.path for entry in listing.entries]

    def write(self, path, text):
        with (self.root / path).open("a", encoding="utf-8") as note:
            note.write(text)

    def saved(self, *paths):
        found = [(NotePath(path), self.vault.entry(NotePath(path))) for path in paths]
        return notes.refresh_paths(self.index, found, self.vault.read)

    def idle(self):
        while self.index.idle_step():
            pass


@pytest.fixture
def resident(tmp_path, vault_of):
    opened = []

    def start(count):
        vault = tmp_path / f"vault{count}"
        shutil.copytree(vault_of(count), vault)
        opened.append(Resident(vault, tmp_path / f"state{count}"))
        return opened[-1]

    yield start
    for each in opened:
        each.index.close()


def test_cold_index(benchmark, beside):
    pair = beside(NOTES)
    benchmark.pedantic(pair.index, setup=pair.forget, rounds=5)
    print(pair.report("cold index"))
    assert pair.said() == [NOTES, 0, 0]
    assert pair.ratio() <= 4
    assert pair.peak() <= 60


def test_start_with_nothing_changed(benchmark, beside):
    pair = beside(NOTES)
    pair.index(count=False)
    benchmark.pedantic(pair.index, rounds=9)
    print(pair.report("nothing changed"))
    assert pair.said() == [0, 0, 0]
    assert pair.ratio() <= 3


def test_start_with_one_per_cent_changed(benchmark, beside, tmp_path):
    pair = beside(NOTES)
    shutil.copytree(pair.vault, tmp_path / "vault")
    pair.vault = tmp_path / "vault"
    pair.index(count=False)
    seeds = iter(range(100))
    benchmark.pedantic(
        pair.index, setup=lambda: make_vault.mutate(str(pair.vault), 0.01, next(seeds)) and None, rounds=7
    )
    print(pair.report("1 % changed"))
    assert pair.said() == [0, NOTES // 100, 0]
    assert pair.ratio() <= 3
    assert pair.peak() <= 60


def test_search(benchmark, resident):
    index, queries = resident(NOTES).index, common.queries()
    took = []

    def ask():
        for query in queries:
            start = time.perf_counter()
            search(index.connection, query)
            took.append(time.perf_counter() - start)

    benchmark.pedantic(ask, rounds=5, warmup_rounds=1)
    took = took[len(queries) :]
    print(f"\nsearch: {common.dist(took)} ms")
    assert common.pct(took, 50) <= 0.003
    assert common.pct(took, 95) <= 0.008


def cpu_of_saves(daemon):
    took = []
    for n, path in enumerate(random.Random(3).sample(daemon.paths, 100)):
        daemon.write(path, f"\nun mot neuf {n}\n")
        start = time.process_time()
        assert len(daemon.saved(path).changed) == 1
        took.append(time.process_time() - start)
        if n % 10 == 9:
            daemon.idle()
    return took


def test_cpu_of_a_save_at_two_sizes(benchmark, resident):
    small, large = resident(NOTES // 10), resident(NOTES)
    few = cpu_of_saves(small)
    many = benchmark.pedantic(cpu_of_saves, args=(large,), rounds=1)
    print(f"\na save: {common.dist(few)} ms of CPU at 1,000 notes, {common.dist(many)} at 10,000")
    assert statistics.mean(many) <= 0.020
    assert statistics.median(many) <= 2.5 * statistics.median(few)


def test_a_hundred_saves_at_once(benchmark, resident):
    daemon = resident(NOTES)
    paths = random.Random(5).sample(daemon.paths, 100)

    def change():
        for path in paths:
            daemon.write(path, "\nencore un mot\n")

    benchmark.pedantic(lambda: daemon.saved(*paths), setup=change, rounds=5)
    print(f"\n100 saves at once: {benchmark.stats.stats.median:.3f} s")
    assert benchmark.stats.stats.median <= 0.5


def test_load_of_five_thousand_facts(benchmark, tmp_path, limits):
    index = Index.rebuild(tmp_path, lambda index: None)
    texts = ("user_id", "kind", "text", "key", "value", "status", "provenance", "source", "sensitivity")
    values = dict.fromkeys(FACT_FIELDS) | dict.fromkeys((*texts, "recorded_at", "last_seen_at"), "une valeur")
    values |= {"version": 1, "confidence": 1.0}
    memory.put_facts(index, (Fact(**(values | {"id": f"f-{n:08d}"})) for n in range(5000)))
    facts = benchmark.pedantic(memory.load_facts, args=(index,), rounds=9, warmup_rounds=1)
    index.close()
    assert len(facts) == 5000
    limits.most("5,000 facts loaded", 1000 * benchmark.stats.stats.median, 25, "ms", timed=True)
    limits.met()
