"""A crash changes nothing of what a pass comes to: whatever the person saved is taken once, as if nothing had been."""

import contextlib
import json
import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.home import Home, temporary
from tests.person import OUR_ID, Act, acts, adds
from tests.rest import check_lines, check_reading
from tests.seams import ARROWS, Crash, crash_at

_ID = re.compile(r"\b[fc]-[0-9a-hjkmnp-tv-z]{8}")


def _said(known: Sequence[Act], edits: Sequence[Act], step: dict[str, float], crash: Sequence | None) -> list:
    """What is known and what stands in the note once a vault is at rest; of ids only which line bears one."""
    with temporary() as home:
        for act in known:
            home.write_profile(act(home.profile()))
        home.rest()
        home.clock.advance(**step)
        text = home.profile()
        for act in edits:
            text = act(text)
        home.write_profile(text)
        if crash:
            _die(home, *crash)
        home.rest()
        check_lines(home, home.profile())
        check_reading(home)
        return [OUR_ID.sub("", home.profile()), *_knowledge(home)]


def _die(home: Home, arrow: str, skip: int, after: bool) -> None:
    crash_at(home.app, arrow, skip, after=after)
    with contextlib.suppress(Crash):
        home.sync()
    home.restart()


def _knowledge(home: Home) -> list[list[str]]:
    found = home.exported()
    names = {fact["id"]: fact for fact in found["facts"]}

    def bare(one: dict) -> str:
        told = {key: value for key, value in one.items() if key not in ("id", "supersedes", "key")}
        follows = names.get(one.get("supersedes") or "", {}).get("text")
        return _ID.sub("ID", json.dumps([told, follows], sort_keys=True))

    return [sorted(map(bare, found["facts"])), sorted(map(bare, found["cards"]))]


@given(
    known=st.lists(adds, max_size=5),
    edits=st.lists(acts, min_size=1, max_size=4),
    step=st.sampled_from([{"seconds": 3}, {"minutes": 11}, {"days": 1}]),
    arrow=st.sampled_from(ARROWS),
    skip=st.integers(0, 1),
    after=st.booleans(),
)
@pytest.mark.timeout(3600)
def test_a_crash_changes_nothing_of_what_a_pass_comes_to(known, edits, step, arrow, skip, after):
    assert _said(known, edits, step, (arrow, skip, after)) == _said(known, edits, step, None)
