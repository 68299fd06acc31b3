"""Kill -9 at every arrow of the flow and every step below: the next start heals, nothing is lost or doubled."""

import dataclasses
import json
import shutil
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.paths import NAMES
from tests.home import FAST
from tests.kill.flows import FLOWS
from tests.kill.healing import Healed, healed

SCRIPT = Path(__file__).with_name("flows.py")


def plays(folder: Path, scene: str, count: int) -> Iterator[tuple[Path, str, int, int]]:
    command = [sys.executable, SCRIPT, folder, scene, str(count)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        for line in run.stdout:
            place, name, kills, save = json.loads(line)
            yield Path(place), name, kills, save
        assert run.wait() == 0, run.stderr.read()


def deaths(scene: str, count: int) -> int:
    """Play a scene, and hold each play against the one that came to its end; gives the number of kills."""
    flow, kills, wrong, reference = FLOWS[scene], 0, [], {}
    with tempfile.TemporaryDirectory(dir=FAST) as folder:
        for place, name, killed, save in plays(Path(folder).resolve(), scene, count):
            kills += killed
            try:
                now = healed(place, flow, typed(place))
                differs(now, reference.setdefault(save, now))
            except Exception as error:  # noqa: BLE001 - all points are told, not only the first
                wrong.append(f"{scene}, killed at {name}: {reason(error)}")
            shutil.rmtree(place)
    assert wrong == [], f"{len(wrong)} of {kills}\n" + "\n".join(wrong)
    return kills


def reason(error: Exception) -> str:
    where = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {where.name}:{where.lineno} {str(error)[:600]}"


def typed(place: Path) -> list[bytes]:
    """Versions the person saved, but for one they wrote over themselves."""
    files = {file.name: file.read_bytes() for file in place.glob("typed-*")}
    if "typed-meanwhile" in files:
        del files[f"typed-{Path(NAMES.profile).name}"]
    return list(files.values())


def differs(now: Healed, wanted: Healed) -> None:
    for part in dataclasses.fields(Healed):
        found, expected = getattr(now, part.name), getattr(wanted, part.name)
        missing = [one for one in expected if one not in found or found.count(one) < expected.count(one)]
        more = [one for one in found if one not in expected or found.count(one) > expected.count(one)]
        assert found == expected, f"{part.name}: missing {missing}, too many {more}"


LEAST = 90
"""Kills a scene has at the least, when all its points are played."""


@pytest.mark.parametrize("scene", FLOWS)
def test_a_death_at_some_points_of_the_flow_heals(scene):
    assert deaths(scene, 6) >= 6


@pytest.mark.fuzz
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("scene", FLOWS)
def test_a_death_at_any_point_of_the_flow_heals(scene):
    assert deaths(scene, 0) >= LEAST


def test_the_long_run_kills_more_than_300_times():
    assert LEAST * len(FLOWS) > 300
