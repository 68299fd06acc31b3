"""Laws of a key with one value at a time, in any order of edits: one line, one answer a day, no gap, no overlap."""

from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.memory.recollect import holding
from tests.asking import believed, drop_line, line_with
from tests.home import Home, temporary

VALUES = ("Dr Anselme", "Dr Okoye, rue Haute", "Dr Zola")
GAPS = ({"minutes": 2}, {"hours": 5}, {"days": 3})


def in_place(home: Home, old: str, new: str) -> None:
    home.replace(old, new)


def without_id(home: Home, old: str, new: str) -> None:
    home.replace(line_with(home, "Dentiste"), f"- Dentiste : {new}")


def retyped(home: Home, old: str, new: str) -> None:
    drop_line(home, "Dentiste")
    home.add_line(f"- Dentiste : {new}")


def delete_then_add(home: Home, old: str, new: str) -> None:
    drop_line(home, "Dentiste")
    home.rest()
    home.clock.advance(minutes=1)
    home.add_line(f"- Dentiste : {new}")


def add_then_delete(home: Home, old: str, new: str) -> None:
    line = line_with(home, "Dentiste")
    home.add_line(f"- Dentiste : {new}")
    home.rest()
    home.clock.advance(minutes=1)
    home.replace(f"{line}\n", "")


def remembered(home: Home, old: str, new: str) -> None:
    home.remember(f"Dentiste : {new}")


WAYS: tuple[Callable[[Home, str, str], None], ...] = (
    in_place,
    without_id,
    retyped,
    delete_then_add,
    add_then_delete,
    remembered,
)
steps = st.lists(st.tuples(st.sampled_from(GAPS), st.sampled_from(WAYS), st.sampled_from((1, 2))), max_size=6)


@given(steps)
@pytest.mark.timeout(3600)
def test_every_day_has_one_dentist_whatever_the_way_of_changing(steps):
    # memory.md rules 1, 3 and 4; R-M01
    with temporary() as home:
        home.add_line("- Pain : complet")
        home.add_line(f"- Dentiste : {VALUES[0]}")
        home.rest()
        current = 0
        for gap, way, step in steps:
            home.clock.advance(**gap)
            following = (current + step) % len(VALUES)
            way(home, VALUES[current], VALUES[following])
            home.rest()
            current = following
            check(home, f"Dentiste : {VALUES[current]}")


def check(home: Home, current: str) -> None:
    assert line_with(home, "Dentiste").startswith(f"- {current} ^f-")
    today = holding(home.state, home.clock().date().isoformat())
    assert [fact.text for fact in today if fact.key == "Dentiste"] == [current]
    known = (fact for versions in home.state.facts.values() for fact in versions)
    kept = [fact for fact in known if fact.key == "Dentiste" and believed(fact)]
    spans = sorted((fact.valid_from or "", fact.valid_to or "9999") for fact in kept)
    assert spans[0][0] == ""
    assert spans[-1][1] == "9999"
    assert all(start < end for start, end in spans)
    assert all(one[1] == other[0] for one, other in pairwise(spans))
    assert not [card for card in home.open_cards() if card.kind != "typo"]
