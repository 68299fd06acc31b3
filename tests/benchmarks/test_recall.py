"""Recall and the compiled context in one process that stays open, as in an agent's server (recall-and-context.md)."""

import json
import time
from datetime import timedelta
from itertools import pairwise

import common
import make_vault
import pytest

from daemon.index import memory, notes
from daemon.index.store import Index
from daemon.recall.compile import NowNote, compiled
from daemon.recall.recollecting import recall
from daemon.snapshot import Snapshot
from daemon.vault.door import Vault
from parsers.model.recall import Query
from tests.benchmarks.facts import sentences
from tests.daemon.recall.made import entity, fact, relation
from tests.daemon.recall.shelf import NOW, PARIS

NOTES, FACTS, PEOPLE = 10_000, 5_000, 300
_NOTE = NowNote(
    ("# Now — 2026-11-30\n\n## Étape courante\n" + "Ranger les réunions de la semaine. " * 60).encode()
)


def queries():
    """Words, and questions made of them, with a name or a date in some."""
    words = common.queries()
    asked = [f"Que disait {word} à propos de {other} ?" for word, other in pairwise(words)]
    named = [f"Que pense Prénom{n} Nom{n} de {word} ?" for n, word in enumerate(words[:10])]
    dated = [f"{word} en mars 2026" for word in words[:10]] + [
        f"what about {word} last week" for word in words[:10]
    ]
    return [*words, *asked, *named, *dated]


@pytest.fixture
def open_at(tmp_path, vault_of):
    """Give a snapshot of so many notes, with memory beside them."""
    opened = []

    def start(count):
        vault, state = Vault(vault_of(count), tmp_path / "backups", 5_000_000), tmp_path / f"state{count}"
        listing = vault.walk()

        def fill(index):
            kinds = ("fact", "preference", "goal", "decision", "procedure")
            about = lambda n: {"entity_id": f"e-{n % PEOPLE}"} if n % 10 == 0 else {}  # noqa: E731
            seen = lambda n: (NOW - timedelta(days=n % 900)).isoformat().replace("+00:00", "Z")  # noqa: E731
            memory.put_facts(
                index,
                [
                    fact(f"f-{n:08d}", text, kind=kinds[n % 5], last_seen_at=seen(n), **about(n))
                    for n, text in enumerate(sentences(FACTS))
                ],
            )
            people = [entity(f"e-{n}", f"Prénom{n} Nom{n}") for n in range(PEOPLE)]
            memory.put_entities(index, [(one.id, _values(one)) for one in people])
            relations = [relation(one.id, make_vault.WORDS[n + 50]) for n, one in enumerate(people)]
            memory.put_relations(index, [(one.id, _values(one)) for one in relations])
            notes.refresh(index, listing.rows, listing.unknown, vault.read)

        index = Index.rebuild(state, fill)
        while index.idle_step():  # as the daemon leaves it when nothing waits
            pass
        index.close()
        opened.append(Snapshot.open(state, "none", private=True))
        return opened[-1]

    yield start
    for one in opened:
        one.close()


def _values(one):
    return json.loads(json.dumps({name: getattr(one, name) for name in type(one).__slots__}))


def times(ask, rounds):
    took = []
    for turn in range(rounds + 1):
        for query in queries():
            start = time.perf_counter()
            ask(query)
            took.append(time.perf_counter() - start)
        if turn == 0:
            took.clear()
    return took


def test_recall_and_context_at_ten_thousand_notes(benchmark, open_at, limits):
    snapshot = open_at(NOTES)
    took = benchmark.pedantic(
        lambda: times(lambda query: recall(snapshot, Query(query), now=NOW, zone=PARIS), 5), rounds=1
    )
    limits.note(f"recall: {common.dist(took)} ms")
    limits.most("recall, p50", 1000 * common.pct(took, 50), 5, "ms", timed=True)
    limits.most("recall, p99", 1000 * common.pct(took, 99), 25, "ms", timed=True)

    def give(query):
        return compiled(snapshot, query, external=True, now=NOW, zone=PARIS, note=_NOTE)

    took = times(give, 3)
    limits.note(f"context: {common.dist(took)} ms")
    limits.most("context, p99", 1000 * common.pct(took, 99), 50, "ms", timed=True)
    limits.met()


def test_recall_at_a_hundred_thousand_notes(benchmark, large, open_at, limits):
    snapshot = open_at(10 * NOTES)
    took = benchmark.pedantic(
        lambda: times(lambda query: recall(snapshot, Query(query), now=NOW, zone=PARIS), 3), rounds=1
    )
    limits.note(f"recall at 100,000 notes: {common.dist(took)} ms")
    limits.most("recall at 100,000, p99", 1000 * common.pct(took, 99), 100, "ms", timed=True)
    limits.met()
