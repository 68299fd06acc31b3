import pytest
from hypothesis import given
from hypothesis import strategies as st
from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirModifiedEvent,
    DirMovedEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
)

from daemon.hints import Batch, Hint, Pending, hints

PROFILE = "99_Assistant/Profil.md"
DRAFT = "99_Assistant/.clavaire-0.tmp"
SETTLE = 2.0


def managed(path):
    return path.startswith("99_Assistant/")


def said(event, **options):
    return [(hint.kind, hint.path) for hint in hints(event, "/v", **options)]


def test_a_note_is_spoken_of_by_its_path_in_the_vault():
    assert said(FileClosedEvent("/v/a/B.md")) == [("saved", "a/B.md")]
    assert said(FileDeletedEvent("/v/a/B.md")) == [("saved", "a/B.md")]
    assert said(FileMovedEvent("/v/A.md", "/v/b/C.md")) == [("saved", "A.md"), ("saved", "b/C.md")]
    assert said(FileMovedEvent("", "/v/A.md")) == [("saved", "A.md")]
    assert said(FileMovedEvent("/v/A.md", "")) == [("saved", "A.md")]


def test_a_file_that_may_still_be_open_is_told_from_one_that_is_whole():
    assert said(FileCreatedEvent("/v/A.md")) == [("appeared", "A.md")]
    assert said(FileModifiedEvent("/v/A.md"), closes=True) == [("written", "A.md")]
    assert said(FileModifiedEvent("/v/A.md"), closes=False) == [("appeared", "A.md")]


@pytest.mark.parametrize(
    "path",
    [
        "/v/.obsidian/A.md", "/v/.A.md", "/v/a/.trash/B.md", "/v/A.txt", "/v/A.md~", "/v/A.md.tmp",
        "/v2/A.md", "/v/A\udcff.md", "/v/a\\b.md", "/v/.clavaire/lock", "/v/a/.clavaire-1.tmp", "/v",
    ],
)  # fmt: skip
def test_what_is_hidden_or_no_note_or_not_in_the_vault_is_not_spoken_of(path):
    assert said(FileClosedEvent(path)) == []


def test_two_dots_make_no_hidden_name():
    assert said(FileClosedEvent("/v/.../..bon..md")) == [("saved", ".../..bon..md")]


def test_a_placeholder_speaks_of_the_note_that_is_not_here_yet():
    assert said(FileDeletedEvent("/v/a/.B.md.icloud")) == [("saved", "a/B.md")]
    assert said(FileDeletedEvent("/v/a/.B.png.icloud")) == []


def test_c24_a_name_is_passed_on_as_it_is_spelt():
    composed, decomposed = "\u00c9t\u00e9.md", "E\u0301te\u0301.md"
    assert said(FileMovedEvent(f"/v/{composed}", f"/v/{decomposed}")) == [
        ("saved", composed),
        ("saved", decomposed),
    ]


def test_a_write_of_ours_is_known_by_the_name_of_its_draft():
    assert said(FileMovedEvent(f"/v/{DRAFT}", f"/v/{PROFILE}")) == [("own", PROFILE)]
    assert said(FileMovedEvent(f"/v/{PROFILE}", f"/v/{DRAFT}")) == [("own", PROFILE)]


def test_the_ignore_file_at_the_top_asks_for_a_scan():
    assert said(FileClosedEvent("/v/.clavaireignore")) == [("everything", "")]
    assert said(FileMovedEvent("/v/.tmp", "/v/.clavaireignore")) == [("everything", "")]
    assert said(FileClosedEvent("/v/a/.clavaireignore")) == []


def test_folders_ask_for_a_scan_unless_they_are_hidden_or_only_modified():
    assert said(DirModifiedEvent("/v/a")) == []
    assert said(DirCreatedEvent("/v/a")) == [("folder", "")]
    assert said(DirDeletedEvent("/v/a/b.md")) == [("folder", "")]
    assert said(DirMovedEvent("", "/v/a")) == [("folder", "")]
    assert said(DirMovedEvent("/v/a", "/v/.trash/a")) == [("folder", "")]
    assert said(DirCreatedEvent("/v/.git/objects/ab")) == []
    assert said(DirMovedEvent("/v/a", "")) == [("doubt", "")]
    assert said(DirDeletedEvent("/v")) == [("doubt", "")]


def pending(*given_hints):
    waiting = Pending(managed, SETTLE)
    for kind, path, at in given_hints:
        waiting.add(Hint(kind, path, at))
    return waiting


@given(
    st.lists(
        st.tuples(
            st.integers(0, 24).map(lambda tick: tick / 8),
            st.sampled_from(["saved", "own", "written", "appeared", "folder", "everything", "take"]),
            st.sampled_from(["A.md", "B.md", PROFILE, "99_Assistant/Cartes.md"]),
        ),
        max_size=40,
    )
)
def test_nothing_is_lost_and_no_managed_note_comes_out_before_it_is_quiet(steps):
    waiting, now = Pending(managed, SETTLE), 0.0
    owed, quiet, scan = {}, {}, False
    for gap, kind, path in [*steps, (SETTLE, "take", "")]:
        now += gap
        if kind in {"folder", "everything"}:
            scan = True
        elif kind == "take":
            assert waiting.busy(now) == {one for one, until in quiet.items() if until > now and one in owed}
            batch = waiting.take(now)
            for one in batch.paths:
                assert quiet.get(one, now) <= now
                del owed[one]
            assert "saved" not in [owed[one] for one in owed if not managed(one)]
            scan &= not batch.rescan
        elif managed(path):
            owed[path] = kind
            if kind != "own":
                quiet[path] = now + SETTLE
        elif kind != "written":
            owed[path] = "saved" if "saved" in {kind, owed.get(path)} else kind
        waiting.add(Hint("look" if kind == "take" else kind, path, now))
    assert (owed, scan, waiting.due()) == ({}, False, None)


def test_an_unmanaged_note_is_ready_at_once_and_only_once():
    waiting = pending(("saved", "A.md", 5.0))
    assert waiting.due() == 5.0
    assert waiting.take(5.0) == Batch(frozenset({"A.md"}))
    assert waiting.take(9.0) == Batch()


def test_a_new_name_waits_a_moment_for_its_writer_to_close_it():
    waiting = pending(("appeared", "A.md", 5.0), ("written", "A.md", 5.1))
    assert waiting.take(5.1) == Batch()
    waiting.add(Hint("saved", "A.md", 5.1))
    assert waiting.take(5.1) == Batch(frozenset({"A.md"}))
    assert pending(("appeared", "A.md", 5.0)).due() == pytest.approx(5.2)


def test_a_managed_note_waits_for_the_settle_time_after_the_last_write():
    waiting = pending(("saved", PROFILE, 5.0), ("written", PROFILE, 6.5))
    assert waiting.take(8.0) == Batch()
    assert waiting.busy(8.0) == {PROFILE}
    assert waiting.take(8.5) == Batch(frozenset({PROFILE}))
    assert waiting.busy(8.5) == frozenset()


def test_a_write_of_ours_neither_waits_nor_shortens_the_wait_of_a_person():
    assert pending(("own", PROFILE, 5.0)).busy(5.0) == frozenset()
    assert pending(("own", PROFILE, 5.0)).take(5.0) == Batch(frozenset({PROFILE}))
    assert pending(("saved", PROFILE, 5.0), ("own", PROFILE, 6.0)).due() == 7.0
    assert pending(("own", PROFILE, 5.0), ("saved", PROFILE, 6.0)).due() == 8.0


def test_changes_of_folders_are_gathered_into_one_scan():
    waiting = pending(("folder", "", 5.0), ("folder", "", 5.1))
    assert waiting.take(5.1) == Batch()
    assert waiting.take(5.2) == Batch(rescan=True)
    assert waiting.due() is None
