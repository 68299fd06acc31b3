from contextlib import closing

import pytest

from daemon.index import memory
from daemon.index.fact_words import FactWords, fact_table
from daemon.index.store import Index
from tests.daemon.index.test_memory import fact


@pytest.fixture
def index(tmp_path):
    index = Index.rebuild(tmp_path, lambda empty: None)
    yield index
    index.close()


def ids(db, query, limit=10):
    return [(name, version) for name, version, _ in FactWords(db).ranked(query, limit)]


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
    (found,) = FactWords(index.connection).ranked("dentiste", 5)
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
            assert FactWords(table).ranked(query, 5) == FactWords(index.connection).ranked(query, 5)


def test_a_word_that_no_fact_has_stands_for_those_spelt_nearly_so(index):
    facts = [fact(1, text="Dentiste : Dr Martin"), fact(2, text="Rhododendron bleu")]
    memory.put_facts(index, facts)
    db = index.connection
    words = FactWords(db)
    assert words.misspelt("dentise martin", db) == {"dentise": ("dentist",)}
    assert set(words.misspelt("rhodadendrons bleu", db)) == {"rhodadendrons"}
    assert words.misspelt("dantist denti bleux 東京 14:30 \ud800", db).keys() <= {"dantist", "bleux"}
    near = words.misspelt("dentise", db)
    assert [name for name, _, _ in words.ranked("dentise", 5, near)] == ["f-00000001"]
    assert words.ranked("dentise", 5) == []
    with closing(fact_table(facts)) as table:
        assert FactWords(table).misspelt("dentise", db) == near


@pytest.mark.parametrize(
    ("query", "texts"),
    [
        ("parleraient", set()),
        ("Pariss", {"Habite à Paris"}),
        ("Paries", {"Habite à Paris"}),
        ("habtie", {"Habite à Paris"}),
        ("parrade", {"Aime la parade"}),
        ("pelre", {"Perle de culture"}),
        ("parlez", set()),
        ("voyez", set()),
    ],
)
def test_how_many_letters_may_be_wrong_is_told_by_each_stem_itself(index, query, texts):
    told = ["Habite à Paris", "Papa aime le thé", "Perle de culture", "Aime la parade", "Une voix douce"]
    facts = {one.id: one for one in (fact(number, text=text) for number, text in enumerate(told, 1))}
    memory.put_facts(index, facts.values())
    words = FactWords(index.connection)
    near = words.misspelt(query, index.connection)
    assert {facts[name].text for name, _, _ in words.ranked(query, 5, near)} == texts


def test_what_stands_side_by_side_is_found_though_a_part_of_it_stood_before(index):
    memory.put_facts(index, [fact(1, text="東京と京都、東京都"), fact(2, text="京都と東京")])
    assert ids(index.connection, "東京都") == [("f-00000001", 1)]


def test_pairs_side_by_side_are_as_rare_as_the_rarest_of_them(index):
    facts = [fact(number, text="東京都" if number < 4 else "tulipe") for number in range(1, 10)]
    memory.put_facts(index, facts)
    ranked = FactWords(index.connection).ranked("東京都", 5)
    assert len(ranked) == 3
    assert all(score > 0.5 for _, _, score in ranked)
