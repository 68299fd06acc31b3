import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.paths import NAMES
from daemon.app import open_writable
from daemon.memory.shown import Shown
from daemon.remembered import Remembered
from parsers.model.places import Etag
from tests.home import Home, temporary

ids = st.dictionaries(
    st.sampled_from(("facts", "goals", "cards")),
    st.frozensets(st.integers(0, 400).map("f-{}".format), max_size=200),
)
shown = st.builds(
    Shown,
    st.sampled_from(("a" * 64, "b" * 64)).map(Etag),
    ids,
    st.frozensets(st.text(max_size=3), max_size=3),
    st.just(("2026-11-30T09:00:00Z",)),
    st.just(Etag("c" * 64)),
)


@given(st.lists(shown, min_size=1, max_size=6))
def test_what_was_kept_last_is_read_back_by_whoever_opens_the_index(versions):
    with temporary() as home:
        home.sync()
        index, ours = home.app.history.index, Remembered()
        for one in versions:
            with index.batch():
                ours.keep(index, NAMES.profile, one)
            assert ours.stood(index, NAMES.profile) == one
            read = Remembered().stood(index, NAMES.profile)
            assert read == one
            assert read.coming == one.coming


def test_a_transaction_that_failed_is_not_remembered(tmp_path, monkeypatch):
    home = Home(tmp_path.resolve())
    home.add_line("- Prend le train")
    home.rest()
    history = home.app.history
    before = history.stood(NAMES.profile)
    many = Shown(before.etag, {"facts": frozenset(f"f-{number}" for number in range(200))})
    monkeypatch.setattr(history, "_fresh", ())

    def refused(*_):
        raise OSError("the disk is full")

    monkeypatch.setattr("daemon.history._keep", refused)
    with pytest.raises(OSError, match="full"):
        history.keep([(NAMES.profile, many)])
    assert history.stood(NAMES.profile) == before
    home.close()


def test_what_another_process_remembers_is_read_again(tmp_path):
    home = Home(tmp_path.resolve())
    home.add_line("- Prend le train")
    home.rest()
    other = open_writable(home.root, home.settings, home.clock)
    home.add_line("- Boit du thé")
    other.pipeline.sync()
    other.close()
    assert not home.sync([NAMES.profile]).records
    assert home.app.history.stood(NAMES.profile).ids["facts"] == {
        home.fact("Prend le train").id,
        home.fact("Boit du thé").id,
    }
    home.close()
