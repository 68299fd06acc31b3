"""Kill -9 before, in and after each call of a write: nothing lost or half done, no draft after a start."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from config.paths import NAMES
from tests.kill.scenes import NOTE, PERSON, SCENES, TAIL, Scene, recover, vault

SCRIPT = Path(__file__).with_name("scenes.py")


def plays(folder: Path, name: str) -> list[tuple[Path, bool]]:
    run = subprocess.run([sys.executable, SCRIPT, folder, name], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return [(Path(place), killed) for place, killed in map(json.loads, run.stdout.splitlines())]


def content(place: Path) -> bytes:
    note = place / "vault" / NOTE
    return note.read_bytes() if note.exists() else b""


def all_bytes(place: Path) -> list[bytes]:
    return [path.read_bytes() for path in place.rglob("*") if path.is_file() and path.name != "second name"]


def drafts(place: Path) -> list[Path]:
    return list((place / "vault").rglob(f"{NAMES.draft_prefix}*{NAMES.draft_suffix}"))


def check(place: Path, scene: Scene) -> None:
    saved = (place / "person-saved").exists()
    assert scene.torn or content(place) in scene.allowed
    if saved:
        assert PERSON in all_bytes(place)
    elif scene.start:
        assert any(data.startswith(scene.start[:-TAIL]) for data in all_bytes(place))

    door = vault(place)
    late = door.late(time.time(), door.walk().drafts)
    assert drafts(place) == []
    assert content(place) in scene.allowed
    if scene.act is not recover:
        unread = saved and content(place) != PERSON
        assert [(one.path, one.reading.data) for one in late] == ([(NOTE, PERSON)] if unread else [])
    for one in late:
        door.heard(one.reading)
    assert door.late(time.time()) == []
    assert door.late(time.time() + 61) == []
    assert list((place / "vault" / NAMES.displaced).iterdir()) == []
    assert not saved or PERSON in all_bytes(place)


@pytest.mark.parametrize("name", SCENES)
def test_a_write_killed_at_any_call_loses_nothing_and_leaves_nothing_half(tmp_path, name):
    found = plays(tmp_path, name)
    whole, killed = found.pop(0)
    assert not killed
    assert content(whole) == SCENES[name].allowed[-1]
    assert sum(killed for _, killed in found) == len(found) >= 5
    for place, _ in found:
        try:
            check(place, SCENES[name])
        except AssertionError as error:
            raise AssertionError(f"{name}, killed at {place.name}") from error


@pytest.mark.parametrize("point", ["2:before", "3:after"])
def test_the_killer_ends_any_program_at_the_call_it_is_told(tmp_path, point):
    killer = Path(__file__).with_name("killer.py")
    target = [killer, point, "tests.kill.test_kill_writes:three_folders", str(tmp_path)]
    run = subprocess.run([sys.executable, *target], capture_output=True, check=False)
    assert run.returncode == -9
    assert len(list(tmp_path.iterdir())) == int(point[0]) - point.endswith("before")


def test_the_killer_counts_the_calls_of_a_program(tmp_path):
    killer = Path(__file__).with_name("killer.py")
    target = [
        killer,
        f"count:{tmp_path / 'calls'}",
        "tests.kill.test_kill_writes:three_folders",
        str(tmp_path),
    ]
    subprocess.run([sys.executable, *target], check=True)
    assert (tmp_path / "calls").read_text().split() == ["mkdir"] * 3


def three_folders() -> None:
    for number in range(3):
        (Path(sys.argv[1]) / str(number)).mkdir()
