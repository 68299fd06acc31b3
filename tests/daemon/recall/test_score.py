"""R-M05: every factor by its name, their product, and what replaced something always above it."""

from datetime import date, timedelta
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.recall import score
from daemon.recall.score import FACTORS
from parsers.model.recall import Hit
from tests.daemon.recall.made import fact

TODAY = date(2026, 11, 30)


def hit(name, kind="fact"):
    return Hit(kind, name, name, "n.md", "n", "", 0, 0, 0, None, 0.0)


@pytest.mark.parametrize(("kind", "half"), [("goal", 180), ("fact", 365), ("preference", 730)])
def test_a_fact_weighs_half_after_its_half_life(kind, half):
    assert score.fact_freshness(kind, TODAY, TODAY) == 1
    assert score.fact_freshness(kind, TODAY - timedelta(days=half), TODAY) == pytest.approx(0.5)
    assert score.fact_freshness(kind, TODAY + timedelta(days=9), TODAY) == 1


@pytest.mark.parametrize("kind", ["procedure", "decision"])
def test_procedures_and_decisions_do_not_age(kind):
    assert score.fact_freshness(kind, date(1990, 1, 1), TODAY) == 1


@given(st.dates())
def test_the_age_of_a_note_takes_five_per_cent_at_most(changed):
    assert 0.95 <= score.block_freshness(changed, TODAY) <= 1


def test_the_share_is_of_the_wanted_words_in_any_form():
    wanted = (frozenset({"dentist", "dent"}), frozenset({"martin"}))
    assert score.share(wanted, {"dent", "x"}) == 0.5
    assert score.share(wanted, {"dent", "martin"}) == 1
    assert score.share((), {"x"}) == 0


numbers = st.floats(0, 3, allow_nan=False)


@given(st.dictionaries(st.sampled_from([*FACTORS, "fusion.block", "fusion.note"]), numbers))
def test_the_score_is_the_product_of_the_named_factors(factors):
    found = score.scored(hit("f-1"), factors)
    assert set(FACTORS) <= set(found.factors)
    product = prod(value for name, value in found.factors.items() if "." not in name)
    assert found.score == pytest.approx(product, abs=1e-6)


names = st.sampled_from("abcdefg")
links = st.lists(st.tuples(names, names), max_size=12)
fusions = st.dictionaries(names, st.floats(0, 1, allow_nan=False), min_size=1)


@given(fusions, links, st.frozensets(names), st.lists(st.tuples(st.sampled_from("xyz"), names), max_size=4))
def test_what_replaced_a_hit_always_stands_above_it(found, replaced, untold, quoted):
    """Whatever the scores, whoever else was found, and however the links run: chains, forks, circles."""
    after = score.successors(fact(new, supersedes=old) for new, old in replaced)
    sources = {block: {*(after.get(name, ()))} for block, name in quoted}

    def replaced_by(one):
        return after.get(one.id, ()) if one.kind == "fact" else sources[one.id]

    def make(name, fusion):
        return None if name in untold else score.scored(hit(name), {"fusion": fusion, "confidence": 0.5})

    facts = [
        score.scored(hit(name), {"fusion": value}) for name, value in found.items() if name not in untold
    ]
    blocks = [score.scored(hit(block, "block"), {"fusion": 0.7}) for block in sources]
    ranked = score.ranked([*facts, *blocks], replaced_by, make)
    place = {one.id: number for number, one in enumerate(ranked)}
    for one in ranked:
        for name in replaced_by(one):
            assert name in untold or place[name] < place[one.id], (name, one.id)
    assert [score.order(one) for one in ranked] == sorted(score.order(one) for one in ranked)
    for one in ranked:
        product = prod(value for name, value in one.factors.items() if "." not in name)
        assert one.score == pytest.approx(product, abs=1e-6)


def test_a_successor_that_was_not_found_comes_in_for_what_it_replaced():
    after = score.successors([fact("new", supersedes="mid"), fact("mid", supersedes="old")])
    assert after == {"mid": ("new",), "old": ("mid", "new")}
    found = score.scored(hit("old"), {"fusion": 0.8})
    ranked = score.ranked(
        [found], lambda one: after.get(one.id, ()), lambda name, f: score.scored(hit(name), {"fusion": f})
    )
    assert [one.id for one in ranked] == ["new", "mid", "old"]
    assert ranked[-1].factors["replaced"] < 1


def test_facts_that_replaced_each_other_replaced_nothing():
    assert score.successors([fact("a", supersedes="b"), fact("b", supersedes="a")]) == {"a": (), "b": ()}


@given(st.permutations([("b", 0.5), ("a", 0.5), ("c", 0.5)]))
def test_equal_scores_stand_in_the_order_of_ids(given_order):
    hits = [score.scored(hit(name), {"fusion": value}) for name, value in given_order]
    assert [one.id for one in score.ranked(hits, lambda _: (), lambda *_: None)] == ["a", "b", "c"]
