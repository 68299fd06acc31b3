"""The dentist changed by hand, in every order: the history and the days around the change are right each time."""

from collections.abc import Callable

import pytest

from config.paths import NAMES
from tests.asking import as_of, drop_line, history, intervals, line_with, now
from tests.home import Home

MARTIN, PETIT = "Dentiste : Dr Martin", "Dentiste : Dr Petit"
SINCE = " [depuis:: 2026-12-20]"
Way = Callable[[Home, str, str, str], None]
"""Makes a home's line for one dentist say another: old text, new text, trailing fields of the new line."""


def in_place(home: Home, old: str, new: str, tail: str) -> None:
    line = line_with(home, old)
    name = line.rpartition(" ^")[2]
    home.replace(line, f"- {new}{tail} ^{name}")
    home.rest()


def in_place_then_dated(home: Home, old: str, new: str, tail: str) -> None:
    """The words first, the field in a later save: editors save every two seconds."""
    in_place(home, old, new, "")
    home.clock.advance(minutes=1)
    in_place(home, new, new, tail)


def in_place_letter_by_letter(home: Home, old: str, new: str, tail: str) -> None:
    stem = "Dentiste : Dr "
    said = old
    for length in range(1, len(new) - len(stem) + 1):
        in_place(home, said, new[: len(stem) + length], "")
        said = new[: len(stem) + length]
        home.clock.advance(seconds=5)
    in_place(home, new, new, tail)


def without_id(home: Home, old: str, new: str, tail: str) -> None:
    home.replace(line_with(home, old), f"- {new}{tail}")
    home.rest()


def retyped_elsewhere(home: Home, old: str, new: str, tail: str) -> None:
    """Deleted and typed at the end of the section, in one save."""
    drop_line(home, old)
    home.add_line(f"- {new}{tail}")
    home.rest()


def delete_then_add(home: Home, old: str, new: str, tail: str) -> None:
    drop_line(home, old)
    home.rest()
    home.clock.advance(minutes=4)
    home.add_line(f"- {new}{tail}")
    home.rest()


def add_then_delete(home: Home, old: str, new: str, tail: str) -> None:
    home.add_line(f"- {new}{tail}")
    home.rest()
    assert [text for text in home.facts() if text.startswith("Dentiste")] == sorted((old, new))
    home.clock.advance(minutes=4)
    drop_line(home, old)
    home.rest()


def add_above_then_delete(home: Home, old: str, new: str, tail: str) -> None:
    line = line_with(home, old)
    home.replace(line, f"- {new}{tail}\n{line}")
    home.rest()
    drop_line(home, old)
    home.rest()


def under_another_heading(home: Home, old: str, new: str, tail: str) -> None:
    """The line is cut and pasted in another section, then reworded there, then put back."""
    line = drop_line(home, old)
    home.add_line(line, "goals")
    home.rest()
    in_place(home, old, new, tail)
    line = drop_line(home, new)
    home.add_line(line, "facts")
    home.rest()


def cut_waited_pasted(home: Home, old: str, new: str, tail: str) -> None:
    """As above, with a save while the line stands nowhere."""
    line = drop_line(home, old)
    home.rest()
    home.clock.advance(minutes=4)
    home.add_line(line, "facts")
    home.rest()
    in_place(home, old, new, tail)


WAYS = [
    in_place,
    in_place_then_dated,
    in_place_letter_by_letter,
    without_id,
    retyped_elsewhere,
    delete_then_add,
    add_then_delete,
    add_above_then_delete,
    under_another_heading,
    cut_waited_pasted,
]
ways = pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
dates = pytest.mark.parametrize("tail", ["", SINCE], ids=["undated", "dated"])


def started(vault) -> Home:
    home: Home = vault()
    home.add_line("- Pain : complet")
    home.add_line(f"- {MARTIN}")
    home.rest()
    return home


def check_rest(home: Home, current: str) -> None:
    """Nothing waits, the note shows the one dentist there is, and the rebuilt index agrees."""
    assert not home.open_cards()
    assert line_with(home, "Dentiste").startswith(f"- {current}")
    assert now(home) == sorted([current, "Pain : complet"])
    before = home.export()
    home.drop_index()
    home.rest()
    assert home.export() == before


@ways
@dates
def test_a_dentist_changed_after_the_window_is_two_intervals(vault, way, tail):
    # memory.md rules 1, 3 and 4; R-M01
    home = started(vault)
    home.clock.advance(days=30)
    way(home, MARTIN, PETIT, tail)
    start = "2026-12-20" if tail else "2026-12-30"
    assert intervals(home, PETIT) == [(MARTIN, None, start), (PETIT, start, None)]
    assert as_of(home, "2026-12-19") == [MARTIN, "Pain : complet"]
    assert as_of(home, "2026-12-29") == sorted([PETIT if tail else MARTIN, "Pain : complet"])
    assert as_of(home, "2026-12-30") == sorted([PETIT, "Pain : complet"])
    assert as_of(home, "2026-12-30", known_at="2026-12-29") == [MARTIN, "Pain : complet"]
    check_rest(home, PETIT)


@ways
@dates
def test_a_dentist_changed_within_the_window_was_never_the_other(vault, way, tail):
    # memory.md rule 3
    home = started(vault)
    home.clock.advance(minutes=2)
    way(home, MARTIN, PETIT, tail)
    start = "2026-12-20" if tail else None
    assert intervals(home, PETIT) == [(PETIT, start, None)]
    assert [fact.text for fact in history(home, PETIT)][:1] == [MARTIN]
    assert as_of(home, "2026-11-29") == sorted(["Pain : complet"] if tail else [PETIT, "Pain : complet"])
    assert as_of(home, "2026-12-20") == sorted([PETIT, "Pain : complet"])


@ways
def test_the_old_dentist_again_is_three_intervals(vault, way):
    home = started(vault)
    home.clock.advance(days=30)
    way(home, MARTIN, PETIT, "")
    home.clock.advance(days=30)
    way(home, PETIT, MARTIN, "")
    first, second = "2026-12-30", "2027-01-29"
    assert intervals(home, PETIT) == [(MARTIN, None, first), (PETIT, first, second), (MARTIN, second, None)]
    for day, said in [
        ("2026-12-29", MARTIN),
        ("2026-12-30", PETIT),
        ("2027-01-28", PETIT),
        ("2027-01-29", MARTIN),
    ]:
        assert said in as_of(home, day)
        assert len(as_of(home, day)) == 2
    check_rest(home, MARTIN)


def test_the_old_dentist_again_by_remember_is_three_intervals(vault):
    # memory.md rule 4: the new value did not come from a note, and one current fact has the key
    home = started(vault)
    home.clock.advance(days=30)
    home.remember(PETIT)
    home.clock.advance(days=30)
    home.remember(MARTIN)
    first, second = "2026-12-30", "2027-01-29"
    assert intervals(home, PETIT) == [(MARTIN, None, first), (PETIT, first, second), (MARTIN, second, None)]
    check_rest(home, MARTIN)


def test_a_dentist_remembered_within_the_window_corrects_the_other(vault):
    # memory.md rule 4: within the edit window of the old version it is a correction
    home = started(vault)
    home.clock.advance(minutes=2)
    home.remember(PETIT)
    assert intervals(home, PETIT) == [(PETIT, None, None)]
    assert [fact.text for fact in history(home, PETIT)] == [MARTIN, PETIT]
    check_rest(home, PETIT)


def test_a_dentist_deleted_and_another_typed_after_the_window_are_two_statements(vault):
    # memory.md rule 1: after the window the deletion stands, valid_to untouched
    home = started(vault)
    home.clock.advance(days=30)
    drop_line(home, MARTIN)
    home.rest()
    home.clock.advance(minutes=11)
    home.add_line(f"- {PETIT}")
    home.rest()
    rejected = home.fact(MARTIN)
    assert (rejected.status, rejected.valid_to) == ("rejected", None)
    assert intervals(home, PETIT) == [(PETIT, None, None)]
    assert as_of(home, "2026-12-01") == sorted([PETIT, "Pain : complet"])
    assert as_of(home, "2026-12-01", known_at="2026-12-29") == sorted([MARTIN, "Pain : complet"])


def test_a_dentist_deleted_and_retyped_within_the_window_is_as_it_was(vault):
    # memory.md rule 1: same id, one journal line
    home = started(vault)
    name = home.fact(MARTIN).id
    home.clock.advance(days=30)
    drop_line(home, MARTIN)
    home.rest()
    home.clock.advance(minutes=9)
    home.add_line(f"- {MARTIN}")
    home.rest()
    assert home.fact(MARTIN).id == name
    assert intervals(home, MARTIN) == [(MARTIN, None, None)]
    today = home.journal().partition("## 2026-12-30")[2].partition("## ")[0]
    assert today.count("Dr Martin") == 1
    check_rest(home, MARTIN)


def test_a_dentist_deleted_and_retyped_after_the_window_is_revived(vault):
    # memory.md rule 1: its text written without the id revives it as a new version
    home = started(vault)
    name = home.fact(MARTIN).id
    home.clock.advance(days=30)
    drop_line(home, MARTIN)
    home.rest()
    home.clock.advance(minutes=11)
    home.add_line(f"- {MARTIN}")
    home.rest()
    versions = home.state.facts[name]
    assert [(one.version, one.status) for one in versions] == [(1, "rejected"), (2, "confirmed")]
    check_rest(home, MARTIN)


def test_a_start_corrected_later_moves_the_end_of_the_one_before(vault):
    home = started(vault)
    home.clock.advance(days=30)
    in_place(home, MARTIN, PETIT, "")
    home.clock.advance(days=10)
    in_place(home, PETIT, PETIT, " [depuis:: 2026-12-15]")
    assert intervals(home, PETIT) == [(MARTIN, None, "2026-12-15"), (PETIT, "2026-12-15", None)]
    in_place(home, PETIT, PETIT, "")
    assert intervals(home, PETIT) == [(MARTIN, None, "2026-12-15"), (PETIT, "2026-12-15", None)]


def test_a_start_corrected_to_before_the_one_before_leaves_that_one_no_day(vault):
    home = started(vault)
    home.clock.advance(days=30)
    in_place(home, MARTIN, PETIT, "")
    home.clock.advance(days=30)
    in_place(home, PETIT, "Dentiste : Dr Zola", "")
    home.clock.advance(days=1)
    in_place(home, "Dentiste : Dr Zola", "Dentiste : Dr Zola", SINCE)
    zola = "Dentiste : Dr Zola"
    assert intervals(home, zola) == [(MARTIN, None, "2026-12-20"), (zola, "2026-12-20", None)]
    for day in ("2026-12-19", "2026-12-20", "2026-12-30", "2027-01-29"):
        assert len(as_of(home, day)) == 2


def test_a_past_stated_right_after_the_present_corrects_nothing(vault):
    # memory.md rule 4: a statement that starts before a later version closes nothing
    home = vault()
    home.remember(f"{MARTIN} [depuis:: 2026-09-01]")
    home.clock.advance(minutes=1)
    home.remember(f"{PETIT} [depuis:: 2024]")
    assert as_of(home, "2025-06-01") == [PETIT]
    assert as_of(home, "2026-09-01") == [MARTIN]


def test_a_start_in_the_future_closes_the_present_one_on_that_day(vault):
    # memory.md rule 4
    home = started(vault)
    home.clock.advance(days=30)
    home.remember(f"{PETIT} [depuis:: 2027-01-10]")
    assert intervals(home, PETIT) == [(MARTIN, None, "2027-01-10"), (PETIT, "2027-01-10", None)]
    assert MARTIN in now(home)
    assert line_with(home, "Martin")
    home.clock.advance(days=11)
    home.rest()
    check_rest(home, f"{PETIT}")


def test_a_line_that_leaves_on_its_day_is_no_return_when_the_note_was_edited_too(vault):
    home = started(vault)
    home.clock.advance(days=30)
    home.remember(f"{PETIT} [depuis:: 2027-01-10]")
    home.clock.advance(days=11)
    home.add_line("- Boulanger : rue Haute")
    home.rest()
    assert not home.open_cards()
    assert "Martin" not in home.profile()
    assert intervals(home, PETIT) == [(MARTIN, None, "2027-01-10"), (PETIT, "2027-01-10", None)]


def test_a_start_before_a_later_version_ends_there_and_closes_nothing(vault):
    # memory.md rule 4
    home = vault()
    home.add_line(f"- {MARTIN} [depuis:: 2026-09-01]")
    home.rest()
    home.clock.advance(days=30)
    home.remember(f"{PETIT} [depuis:: 2024]")
    assert [(f.valid_from, f.valid_to) for f in (home.fact(PETIT), home.fact(MARTIN))] == [
        ("2024-01-01", "2026-09-01"),
        ("2026-09-01", None),
    ]
    assert as_of(home, "2025-06-01") == [PETIT]
    assert as_of(home, "2026-09-01") == [MARTIN]


def test_a_line_replaced_by_one_that_starts_earlier_leaves_no_day_to_the_old_one(vault):
    home = vault()
    home.add_line(f"- {MARTIN} [depuis:: 2026-09-01]")
    home.rest()
    home.clock.advance(days=30)
    without_id(home, MARTIN, PETIT, " [depuis:: 2026-01]")
    assert intervals(home, PETIT) == [(PETIT, "2026-01-01", None)]
    assert as_of(home, "2026-10-01") == [PETIT]
    assert as_of(home, "2025-12-31") == []
    assert home.profile().count("Dentiste") == 1


def test_an_older_version_of_the_note_with_the_old_dentist_is_a_change_back(vault):
    home = started(vault)
    home.clock.advance(days=30)
    old = home.profile()
    without_id(home, MARTIN, PETIT, "")
    home.clock.advance(days=30)
    home.write_profile(old)
    home.rest()
    first, second = "2026-12-30", "2027-01-29"
    assert intervals(home, PETIT) == [(MARTIN, None, first), (PETIT, first, second), (MARTIN, second, None)]
    check_rest(home, MARTIN)


def test_a_stated_end_that_passed_is_not_moved_when_another_follows(vault):
    home = vault()
    home.add_line(f"- {MARTIN} [jusqu'à:: 2026-10]")
    home.rest()
    home.clock.advance(days=30)
    in_place(home, MARTIN, PETIT, "")
    assert intervals(home, PETIT) == [(MARTIN, None, "2026-11-01"), (PETIT, "2026-12-30", None)]
    assert as_of(home, "2026-11-15") == []


def test_the_day_of_a_change_is_the_local_day(vault):
    home = vault(GENERAL__TIMEZONE="Pacific/Auckland")
    home.add_line(f"- {MARTIN}")
    home.rest()
    home.clock.advance(days=30, hours=4)  # 13:00 UTC, two in the morning there
    in_place(home, MARTIN, PETIT, "")
    assert intervals(home, PETIT)[1][1] == "2026-12-31"
    home.restart(GENERAL__TIMEZONE="America/Los_Angeles")
    home.drop_index()
    home.rest()
    assert intervals(home, PETIT)[1][1] == "2026-12-31"


def test_only_the_changed_line_of_the_note_is_written(vault):
    # R-M10
    home = started(vault)
    home.clock.advance(days=30)
    before = home.profile().split("\n")
    home.remember(PETIT)
    after = home.profile().split("\n")
    assert [line for line in after if line not in before] == [f"- {PETIT} ^{home.fact(PETIT).id}"]
    assert [line for line in before if line not in after] == [line for line in before if MARTIN in line]
    assert home.full(NAMES.profile).read_bytes().endswith(b"<!-- clavaire:end facts -->\n")
