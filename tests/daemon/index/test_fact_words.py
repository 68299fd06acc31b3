from contextlib import closing

import pytest

from daemon.index import memory
from daemon.index.fact_words import fact_table, nearly, ranked_facts
from daemon.index.store import Index
from tests.daemon.index.test_memory import fact


@pytest.fixture
def index(tmp_path):
    index = Index.rebuild(tmp_path, lambda empty: None)
    yield index
    index.close()


def ids(db, query, limit=10):
    return [(name, version) for name, version, _ in ranked_facts(db, query, limit)]


def test_facts_are_found_by_their_stems_best_first(index):
    memory.put_facts(
        index,
        [
            fact(1, text="Réunions : le matin"),
            fact(2, text="Dentiste : Dr Martin"),
            fact(3, text="Meetings are held on Mondays"),
        ],
    )
    assert ids(index.connection, "réunion du matin") == [("f-00000001", 1)]
    assert ids(index.connection, "meeting monday") == [("f-00000003", 1)]
    (found,) = ranked_facts(index.connection, "dentiste", 5)
    assert found[:2] == ("f-00000002", 1)
    assert 0 < found[2] <= 1


def test_a_fact_that_is_put_again_is_found_by_its_new_words_only(index):
    memory.put_facts(index, [fact(1, text="tulipe"), fact(1, 2, text="rose")])
    memory.put_facts(index, [fact(1, text="")])
    assert ids(index.connection, "tulipe") == []
    assert ids(index.connection, "rose") == [("f-00000001", 2)]


def test_equal_facts_are_ordered_by_id_and_version(index):
    memory.put_facts(index, [fact(2, text="rose"), fact(1, 2, text="rose"), fact(1, text="rose")])
    assert ids(index.connection, "rose") == [("f-00000001", 1), ("f-00000001", 2), ("f-00000002", 1)]
    assert ids(index.connection, "rose", 1) == [("f-00000001", 1)]


def test_a_table_of_other_facts_answers_alike(index):
    facts = [fact(1, text="Réunions : le matin"), fact(2, text="会議は東京")]
    memory.put_facts(index, facts)
    with closing(fact_table(facts)) as table:
        for query in ("réunions", "matin", "東京", "le", "", "\ud800"):
            assert ranked_facts(table, query, 5) == ranked_facts(index.connection, query, 5)


def test_a_word_that_no_fact_has_stands_for_those_spelt_nearly_so(index):
    facts = [fact(1, text="Dentiste : Dr Martin"), fact(2, text="Rhododendron bleu")]
    memory.put_facts(index, facts)
    db = index.connection
    assert nearly(db, "dentise martin", db) == {"dentise": ("dentist",)}
    assert set(nearly(db, "rhodadendrons bleu", db)) == {"rhodadendrons"}
    assert nearly(db, "dantist denti bleux 東京 14:30 \ud800", db).keys() <= {"dantist", "bleux"}
    near = nearly(db, "dentise", db)
    assert [name for name, _, _ in ranked_facts(db, "dentise", 5, near)] == ["f-00000001"]
    assert ranked_facts(db, "dentise", 5) == []
    with closing(fact_table(facts)) as table:
        assert nearly(table, "dentise", db) == near
