"""What every test may ask for: a vault in use (`tests.home`); HYPOTHESIS_PROFILE says how long to look."""

import os

import pytest
from hypothesis import HealthCheck, settings

from tests.home import Clock, Home, copied

_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]

settings.register_profile(
    "quick",
    max_examples=20,
    stateful_step_count=25,
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=_SLOW,
)
settings.register_profile(
    "fuzz",
    max_examples=2000,
    stateful_step_count=50,
    deadline=None,
    print_blob=True,
    suppress_health_check=_SLOW,
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


@pytest.fixture
def clock():
    """A clock that stands at 10:00 in Paris, Monday 30 November 2026, until `clock.advance(minutes=11)`."""
    return Clock()


@pytest.fixture
def vault(tmp_path, clock):
    """Give homes: `vault()` is new, `vault("demo")` a copy of that fixture; files, settings as for `Home`."""
    made: list[Home] = []

    def make(name: str | None = None, **options) -> Home:
        folder = tmp_path.resolve() / f"home-{len(made)}"
        options = {"clock": clock, **options}
        made.append(copied(name, folder, **options) if name else Home(folder, **options))
        return made[-1]

    yield make
    for home in made:
        home.close()
