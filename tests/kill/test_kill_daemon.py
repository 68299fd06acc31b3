"""Kill -9 from outside, at any moment: the daemon while saves come in, and the command line at a call of its own."""

import os
import random
import subprocess
import sys
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from config.paths import NAMES
from tests.home import FIXTURES, Clock, Home, temporary
from tests.kill.flows import NOTES
from tests.kill.healing import bare, check_rebuilt, check_state, drafts, no_more_to_do

KILLER = Path(__file__).with_name("killer.py")
MAIN = "from daemon.cli.main import main; main()"
SETTLE = "0.1"
SECTIONS = ("preferences", "goals", "procedures", "decisions", "facts")


def files() -> dict[str, bytes]:
    return {name: (FIXTURES / "demo" / name).read_bytes() for name in (*NOTES, NAMES.profile)}


def environment(home: Home, **more: str) -> dict[str, str]:
    settings = {f"CLAVAIRE_{name}": value for name, value in home.environ.items()}
    settings |= {"CLAVAIRE_GENERAL__STATE_FOLDER": str(home.state_root), "CLAVAIRE_WATCH__SETTLE": SETTLE}
    config = {"XDG_CONFIG_HOME": str(home.folder / "config"), "PYTHONPATH": str(Path(__file__).parents[2])}
    return {**os.environ, **settings, **config, **more}


def sync(home: Home) -> None:
    command = [sys.executable, "-c", MAIN, "--vault", home.root, "sync"]
    subprocess.run(command, env=environment(home), check=True, capture_output=True)


class Daemon:
    """`clavaire run`, in a process of its own."""

    def __init__(self, home: Home) -> None:
        command = [sys.executable, "-c", MAIN, "--vault", str(home.root), "run"]
        self._run = subprocess.Popen(
            command, env=environment(home), stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert self._run.stdout is not None
        assert self._run.stdout.readline(), "the daemon did not start"

    def kill(self) -> None:
        self._run.kill()
        self._run.communicate()
        assert self._run.returncode == -9


class Hand:
    """Types lines and free text into Profil.md, as editors save, and remembers what."""

    def __init__(self, home: Home, drawn: random.Random) -> None:
        self.home, self.drawn = home, drawn
        self.lines: list[str] = []
        self.free: list[str] = []

    def save(self) -> None:
        text, number = self.home.profile(), len(self.lines)
        marker = f"<!-- clavaire:end {self.drawn.choice(SECTIONS)} -->"
        self.lines.append(f"- Ligne {number} tapée pendant que le démon meurt")
        before, after = text[: text.rindex(marker)], text[text.rindex(marker) :]  # an example shows one too
        text = f"{before}{self.lines[-1]}\n{after}"
        if self.drawn.random() < 0.5:
            self.free.append(f"Texte libre {number}.")
            text = text.replace("## À trier", f"{self.free[-1]}\n\n## À trier")
        if self.drawn.random() < 0.5:
            self.home.write_profile(text)
        else:
            draft = self.home.put(f"{NAMES.profile}~", text)
            os.replace(self.home.full(draft), self.home.full(NAMES.profile))


def deaths(kills: int, seed: int) -> None:
    drawn, now = random.Random(seed), datetime.now(UTC)
    with temporary(files(), clock=Clock(now)) as home:
        home.rest()
        home.close()
        hand, unmanaged = Hand(home, drawn), home.snapshot(NAMES.assistant)
        for _ in range(kills):
            daemon = Daemon(home)
            left = drafts(home.root)
            for _ in range(drawn.randint(1, 3)):
                hand.save()
                time.sleep(drawn.choice((0.0, 0.05, 0.15)))
            time.sleep(drawn.uniform(0.0, 0.25))
            daemon.kill()
            assert left == {}, "a draft is left after the start"
        sync(home)
        sync(home)
        home.restart()
        home.clock.now = datetime.now(UTC)
        home.sync()
        no_more_to_do(home)
        check_state(home)
        check_hand(home, hand)
        check_rebuilt(home)
        assert drafts(home.root) == {}
        assert home.snapshot(NAMES.assistant) == unmanaged


def check_hand(home: Home, hand: Hand) -> None:
    """Every line and text once, every line one fact, and nothing asked about any of them."""
    there = Counter(bare(home.profile()).split("\n"))
    assert {line: there[line] for line in hand.lines + hand.free} == dict.fromkeys(hand.lines + hand.free, 1)
    facts = Counter(home.facts())
    assert [facts[line.removeprefix("- ")] for line in hand.lines] == [1] * len(hand.lines)
    stated = Counter(record.body.get("text") for record in home.records() if record.op == "fact.asserted")
    assert [stated[line.removeprefix("- ")] for line in hand.lines] == [1] * len(hand.lines)


def test_a_daemon_killed_a_few_times_while_saves_come_in_loses_and_doubles_nothing():
    deaths(4, 2)


@pytest.mark.fuzz
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(6))
def test_a_daemon_killed_again_and_again_while_saves_come_in_loses_and_doubles_nothing(seed):
    deaths(20, seed)


@pytest.mark.parametrize("point", ["12:before", "20:half", "24:after"])
def test_the_command_line_killed_at_a_call_heals_with_the_next_command(point):
    with temporary(files(), clock=Clock(datetime.now(UTC))) as home:
        home.rest()
        home.add_line("- Pointure de Léa : 31")
        typed = home.profile()
        home.close()
        command = [sys.executable, KILLER, "daemon.cli.main:main", "--vault", home.root, "sync"]
        died = subprocess.run(
            command, env=environment(home, CLAVAIRE_TEST_KILL=point), check=False, capture_output=True
        )
        assert died.returncode == -9
        sync(home)
        assert drafts(home.root) == {}
        before = home.snapshot()
        sync(home)
        assert home.snapshot() == before
        assert bare(home.profile()) == bare(typed)
        home.restart()
        home.sync()
        check_state(home)
        assert home.facts().count("Pointure de Léa : 31") == 1
