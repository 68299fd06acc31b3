"""The daemon's turns: what it does once nothing waits."""

import pytest

from daemon import loop
from daemon.index.store import Index
from daemon.loop import Keeper
from daemon.watcher import Batch

FEW = 3


@pytest.fixture
def home(vault):
    made = vault()
    made.rest()
    return made


@pytest.fixture
def given_back(monkeypatch):
    """Every time that memory was given back."""
    calls = []
    shrink = Index.shrink
    monkeypatch.setattr(Index, "shrink", lambda index: (calls.append(index), shrink(index)))
    monkeypatch.setattr(loop, "_MANY", FEW)
    return calls


def changed(home, number):
    """Write so many notes; gives them as the watcher does."""
    return Batch(frozenset(home.put(f"{number} {n}.md", "mot\n") for n in range(number)), rescan=False)


def tidied(keeper):
    while keeper._untidy:
        assert keeper._tried(keeper._tidy_up)


def test_memory_is_given_back_once_after_a_pass_over_many_notes_and_not_after_a_small_one(home, given_back):
    keeper = Keeper(home.app, home.clock, lambda: None)
    for batch, wanted in (
        (None, 1),
        (changed(home, FEW - 1), 1),
        (changed(home, FEW), 2),
        (changed(home, 1), 2),
        (Batch(frozenset(), rescan=True), 3),
    ):
        assert keeper._pass(batch)
        tidied(keeper)
        assert len(given_back) == wanted


def test_a_small_pass_before_all_is_tidy_takes_nothing_back_of_what_is_owed(home, given_back):
    keeper = Keeper(home.app, home.clock, lambda: None)
    assert keeper._pass(changed(home, FEW))
    assert keeper._pass(changed(home, 1))
    assert given_back == []
    tidied(keeper)
    assert len(given_back) == 1
