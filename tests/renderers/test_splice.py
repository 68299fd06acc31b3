"""A note is changed one range at a time, and nowhere else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from renderers.splice import Splice, spliced


def test_ranges_give_way_in_any_order_of_being_named():
    assert spliced("abcdef", [Splice(4, 5, "E"), Splice(0, 1, ""), Splice(2, 2, "-")]) == "b-cdEf"


def test_two_insertions_at_one_place_keep_their_order():
    assert spliced("ab", [Splice(1, 1, "x"), Splice(1, 1, "y")]) == "axyb"


def test_ranges_that_overlap_are_refused():
    with pytest.raises(ValueError, match="Splice"):
        spliced("abcdef", [Splice(0, 3, ""), Splice(2, 4, "")])


@given(st.text(max_size=20), st.data())
def test_what_no_range_names_stays(text, data):
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    pairs = list(zip(cuts[::2], cuts[1::2], strict=False))
    new = spliced(text, [Splice(start, end, "\0") for start, end in pairs])
    at, kept = 0, []
    for start, end in pairs:
        kept.append(text[at:start])
        at = end
    kept.append(text[at:])
    assert new == "\0".join(kept)
