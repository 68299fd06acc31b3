import random
import time

import pytest

from daemon.index import memory
from daemon.index.problems import problems, replace_problems
from daemon.index.store import Index
from parsers.model.facts import FACT_FIELDS, Fact
from parsers.model.places import Problem
from parsers.model.register import Record


@pytest.fixture
def index(tmp_path):
    index = Index.rebuild(tmp_path, lambda empty: None)
    yield index
    index.close()


def fact(number, version=1, **changes):
    values = dict.fromkeys(FACT_FIELDS)
    values |= {
        "id": f"f-{number:08d}",
        "version": version,
        "user_id": "moi",
        "kind": "fact",
        "text": f"Dentiste : Dr Martin {number}\n\tsuite",
        "key": "dentiste",
        "status": "confirmed",
        "confidence": 0.62,
        "provenance": "user",
        "source": "99_Assistant/Profil.md",
        "sensitivity": "normal",
        "recorded_at": "2026-11-30T10:29:14.123Z",
        "last_seen_at": "2026-11-30T10:29:14.123Z",
    }
    return Fact(**(values | changes))


def test_facts_come_back_as_they_were_put_by_id_and_version(index):
    facts = [fact(2), fact(1, 2, confidence=1.0, supersedes="f-00000001", valid_to="2026-12"), fact(1)]
    memory.put_facts(index, facts)
    assert memory.load_facts(index) == sorted(facts, key=lambda each: (each.id, each.version))


def test_a_fact_replaces_the_one_with_its_id_and_version(index):
    memory.put_facts(index, [fact(1), fact(1, 2)])
    memory.put_facts(index, [fact(1, status="forgotten", text="")])
    assert [each.status for each in memory.load_facts(index)] == ["forgotten", "confirmed"]


def test_five_thousand_facts_load_in_the_time_of_a_start(index):
    numbers = random.Random(1).sample(range(5000), 5000)
    memory.put_facts(index, (fact(number) for number in numbers))
    took = []
    for _ in range(5):
        start = time.process_time()
        assert len(memory.load_facts(index)) == 5000
        took.append(time.process_time() - start)
    assert min(took) < 0.1  # 0.025 on the machine of reference; `make bench` prints it


def test_cards_scalars_and_shown_come_back_as_they_were_put(index):
    memory.put_cards(index, [("c-2", {"a": [1, None, "é"]}), ("c-1", {})])
    assert memory.load_cards(index) == {"c-1": {}, "c-2": {"a": [1, None, "é"]}}
    memory.set_scalar(index, "mark", {"seq": 3})
    assert (memory.scalar(index, "mark"), memory.scalar(index, "none"), memory.scalar(index, "none", 0)) == (
        {"seq": 3},
        None,
        0,
    )
    memory.set_shown(index, "Profil.md", "ab", {"facts": ["f-1"]})
    assert memory.shown(index, "Profil.md") == ("ab", {"facts": ["f-1"]})


def test_the_journal_gives_the_newest_records_oldest_first(index):
    records = [
        Record(n, f"2026-11-{n:02d}T10:00:00.000Z", "fact.asserted", "person", {"n": n}) for n in range(1, 20)
    ]
    records.append(Record(20, "2026-11-20T10:00:00.000Z", "card.opened", "mcp:x", {}, vouched=False))
    memory.add_journal(index, records)
    assert memory.journal(index) == records
    assert memory.journal(index, "2026-11-05", 3) == records[-3:]
    assert memory.journal(index, "2026-11-19") == records[-2:]


def test_lines_of_the_register_are_kept_as_they_stand(index):
    memory.add_lines(index, [(2, "b\u2028"), (1, "a"), (3, "c")])
    assert memory.lines(index) == [(1, "a"), (2, "b\u2028"), (3, "c")]


def test_problems_are_replaced_by_scope_and_given_once(index):
    one = Problem("A.md", 12, "section_unclosed", (("name", "faits"),))
    other = Problem("", 0, "vault_missing")
    replace_problems(index, "A.md", [one])
    replace_problems(index, "check", [one, other])
    assert problems(index) == [other, one]
    assert problems(index, "A.md") == [one]
    replace_problems(index, "check", [])
    assert problems(index) == [one]
