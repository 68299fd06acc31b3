"""The index as a process reads it that only answers."""

from contextlib import closing
from datetime import timedelta

import pytest

from daemon.index.store import NoIndex
from daemon.reading import known_at
from daemon.snapshot import Snapshot, reading
from parsers.model.register import stamp
from tests.home import START, temporary

NONE = "no index yet"


@pytest.fixture
def home():
    files = {"Note.md": "Le jardin.\n", "Secret.md": "---\nprivé: oui\n---\nLe coffre.\n"}
    with temporary(files) as home:
        home.sync()
        yield home


@pytest.fixture
def snapshot(home):
    with reading(home.app.folder, NONE, private=True) as opened:
        yield opened


def texts(snapshot):
    return sorted(versions[-1].text for versions in snapshot.state().facts.values())


def test_without_an_index_it_says_what_to_do(tmp_path):
    with pytest.raises(NoIndex, match=NONE):
        Snapshot.open(tmp_path, NONE, private=False)


def test_what_another_process_writes_is_seen_at_the_next_question(home, snapshot):
    assert texts(snapshot) == []
    home.remember("Dentiste : Dr Martin")
    assert texts(snapshot) == ["Dentiste : Dr Martin"]


def test_what_was_loaded_is_kept_until_something_is_written(home, snapshot):
    home.remember("Dentiste : Dr Martin")
    state, runs = snapshot.state(), snapshot.runs()
    assert (snapshot.state() is state, snapshot.runs() is runs) == (True, True)
    home.remember("Ville : Nantes")
    assert snapshot.state() is not state


def test_what_is_computed_from_the_index_is_kept_as_long_as_it_holds(home, snapshot):
    calls = []

    def count(index):
        calls.append(index.connection.execute("SELECT count(*) FROM facts").fetchone()[0])
        return calls[-1]

    assert [snapshot.kept("count", count), snapshot.kept("count", count)] == [0, 0]
    home.remember("Ville : Nantes")
    assert snapshot.kept("count", count) == 1
    assert calls == [0, 1]


def test_within_one_question_nothing_moves(home, snapshot):
    with snapshot.still():
        before = texts(snapshot)
        home.remember("Ville : Nantes")
        assert texts(snapshot) == before
    assert texts(snapshot) == ["Ville : Nantes"]


def test_a_rebuilt_index_is_followed_and_an_answer_that_began_with_the_old_one_may_end(home, snapshot):
    home.remember("Ville : Nantes")
    old = snapshot.index
    home.app.pipeline.rebuild()
    assert texts(snapshot) == ["Ville : Nantes"]
    assert snapshot.index.name != old.name
    assert old.connection.execute("SELECT count(*) FROM facts").fetchone() == (1,)


def test_private_notes_are_attached_only_for_the_person(home, snapshot):
    with closing(Snapshot.open(home.app.folder, NONE, private=False)) as agents:
        assert (agents.index.private, snapshot.index.private) == (False, True)


def test_private_notes_that_come_later_are_attached_too():
    with temporary({"Note.md": "Le jardin.\n"}) as home:
        home.sync()
        with reading(home.app.folder, NONE, private=True) as opened:
            assert not opened.index.private
            home.put("Secret.md", "---\nprivé: oui\n---\nLe coffre.\n")
            home.sync()
            assert opened.index.private


def test_what_was_known_at_a_time_is_what_the_register_says(home, snapshot):
    home.remember("Ville : Nantes")
    home.clock.advance(days=1)
    home.remember("Dentiste : Dr Petit")
    home.remember("Code : 1234")
    home.clock.advance(days=1)
    home.remember("Dentiste : Dr Martin")
    home.forget(home.fact("Code : 1234").id)
    for days in (0, 1, 2, 3):
        until = stamp(START + timedelta(days=days, hours=1))
        told = known_at(home.records(), until, home.state)
        assert snapshot.known_at(until).facts == told.facts
    assert snapshot.known_at(until) is snapshot.known_at(until)
