"""Facts change while their note cannot be written: nothing is lost, nothing said twice, and it heals."""

import pytest

from config.paths import NAMES
from daemon.vault.errors import NoteChanged, Unwritable
from tests.asking import intervals, line_with, now, problems
from tests.home import Home

MARTIN, PETIT = "Dentiste : Dr Martin", "Dentiste : Dr Petit"


@pytest.fixture
def home(vault) -> Home:
    made: Home = vault()
    made.add_line(f"- {MARTIN}")
    made.add_line("- Pain : complet")
    made.rest()
    made.clock.advance(days=30)
    return made


@pytest.fixture(
    params=[lambda: Unwritable(NAMES.profile, "disque plein"), lambda: NoteChanged(NAMES.profile)]
)
def stuck(home, monkeypatch, request):
    """Let no write of Profil.md succeed until the function it gives is called."""
    real = home.app.vault.write

    def write(path, data, expected):
        if path == NAMES.profile:
            raise request.param()
        return real(path, data, expected)

    home.app.vault.write = write

    def free() -> None:
        home.app.vault.write = real

    return free


def change() -> list[tuple[str, str | None, str | None]]:
    return [(MARTIN, None, "2026-12-30"), (PETIT, "2026-12-30", None)]


def test_the_line_of_a_closed_fact_that_still_stands_is_no_statement(home, stuck):
    home.remember(PETIT)
    home.replace("complet", "de seigle")
    home.sync()
    assert MARTIN in home.profile()
    stuck()
    home.rest()
    assert intervals(home, PETIT) == change()
    assert now(home) == [PETIT, "Pain : de seigle"]
    assert MARTIN not in home.profile()
    assert not home.open_cards()
    assert not problems(home)


def test_the_person_deletes_the_line_of_a_closed_fact_before_we_do(home, stuck):
    home.remember(PETIT)
    home.replace(line_with(home, MARTIN) + "\n", "")
    home.sync()
    stuck()
    home.rest()
    assert intervals(home, PETIT) == change()
    assert not home.open_cards()


def test_the_person_rewords_the_line_of_a_closed_fact_before_we_take_it_out(home, stuck):
    home.remember(PETIT)
    home.replace("Dr Martin", "Dr Martin, rue Haute")
    home.sync()
    stuck()
    home.rest()
    assert intervals(home, PETIT) == change()
    assert now(home) == [f"{MARTIN}, rue Haute", PETIT, "Pain : complet"]
    assert [card.kind for card in home.open_cards()] == ["key"]


def test_the_line_of_a_forgotten_fact_leaves_when_it_can(home, stuck):
    home.forget(home.fact(MARTIN).id)
    home.replace("complet", "de seigle")
    home.sync()
    assert MARTIN in home.profile()
    stuck()
    home.rest()
    assert now(home) == ["Pain : de seigle"]
    assert "Dentiste" not in home.profile()
    assert not home.open_cards()


def test_another_process_takes_over_where_this_one_could_not_write(home, stuck):
    home.remember(PETIT)
    home.replace("complet", "de seigle")
    home.restart()
    home.rest()
    assert intervals(home, PETIT) == change()
    assert now(home) == [PETIT, "Pain : de seigle"]
    assert MARTIN not in home.profile()
    assert not home.open_cards()
