"""A vault in use, for tests: real files, real register, real index, a clock that stands until it is moved."""

import contextlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from config.paths import NAMES
from config.settings import Settings, load, zone
from daemon import app as wiring
from daemon.app import App
from daemon.memory.state import State, fold
from daemon.permits import exported
from daemon.pipeline import Outcome
from daemon.reading import canonical, export
from daemon.runs.state import Runs
from daemon.runs.state import fold as fold_runs
from parsers.model.cards import Card
from parsers.model.edits import Correct, Edit, Forget, Remember
from parsers.model.entities import Entity
from parsers.model.facts import Fact, Kind
from parsers.model.places import NotePath
from parsers.model.register import Record

START = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
"""A Monday, ten o'clock in Paris."""
FIXTURES = Path(__file__).parent.parent / "vault-fixtures"
_MEMORY = Path("/dev/shm")
FAST = _MEMORY if _MEMORY.is_dir() and os.access(_MEMORY, os.W_OK) else None
"""Where files live in memory, if there is such a place: an fsync costs nothing there."""


class Clock:
    """Gives the time a test has set."""

    def __init__(self, now: datetime = START) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **step: float) -> None:
        self.now += timedelta(**step)


class Home:
    """One vault with a state folder of its own.

    `environ` are settings as variables without their prefix: `MEMORY__EDIT_WINDOW="60"`.
    """

    def __init__(
        self,
        folder: Path,
        files: Mapping[str, str | bytes] | None = None,
        *,
        start: bool = True,
        clock: Clock | None = None,
        **environ: str,
    ) -> None:
        self.folder, self.root, self.state_root = folder, folder / "vault", folder / "state"
        self.clock = clock or Clock()
        self.environ = {"GENERAL__TIMEZONE": "Europe/Paris", **environ}
        self.root.mkdir(parents=True, exist_ok=True)
        for path, text in (files or {}).items():
            self.put(path, text)
        self._app: App | None = None
        if start:
            self.init()

    # ---- the program

    @property
    def settings(self) -> Settings:
        spelt = {f"CLAVAIRE_{name}": value for name, value in self.environ.items()}
        return load({**spelt, "CLAVAIRE_GENERAL__STATE_FOLDER": str(self.state_root)}, self.config)

    @property
    def config(self) -> Path:
        """Where processes of its own find its settings file."""
        return self.folder / "config" / NAMES.application / NAMES.config_file

    @property
    def zone(self) -> ZoneInfo:
        return zone(self.settings)

    @property
    def app(self) -> App:
        assert self._app is not None
        return self._app

    def init(self) -> App:
        self._app = wiring.init(self.root, self.settings, "atelier", clock=self.clock)
        return self._app

    def sync(self, paths: Sequence[str] | None = None, edits: Sequence[Edit] = ()) -> Outcome:
        return self.app.pipeline.sync(None if paths is None else [NotePath(path) for path in paths], edits)

    def rest(self, turns: int = 4) -> list[Outcome]:
        """Sync until a pass records and writes nothing; gives the passes that did."""
        outcomes: list[Outcome] = []
        for _ in range(turns + 1):
            outcome = self.sync()
            assert outcome.closed is None, outcome.closed
            if not outcome.records and not outcome.written:
                return outcomes
            outcomes.append(outcome)
        raise AssertionError(f"no rest after {turns} passes: {outcomes[-1]}")

    def restart(self, **environ: str) -> App:
        """Let a new process open the vault, under other settings if some are given."""
        if self._app:
            self._app.close()
        self.environ.update(environ)
        self._app = wiring.open_writable(self.root, self.settings, self.clock)
        return self._app

    def close(self) -> None:
        if self._app:
            self._app.close()
            self._app = None

    # ---- what stands on disk

    def full(self, path: str) -> Path:
        return self.root / path

    def put(self, path: str, text: str | bytes) -> NotePath:
        full = self.full(path)
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
        return NotePath(path)

    def text(self, path: str) -> str:
        return self.full(path).read_bytes().decode("utf-8")

    def profile(self) -> str:
        return self.text(NAMES.profile)

    def write_profile(self, text: str | bytes) -> None:
        self.put(NAMES.profile, text)

    def people(self) -> str:
        return self.text(NAMES.people)

    def write_people(self, text: str | bytes) -> None:
        self.put(NAMES.people, text)

    def add_person(self, line: str, *below: str) -> None:
        """Type somebody's line and those below it before the end marker of their section."""
        marker = "<!-- clavaire:end people -->"
        lines = "".join(f"{one}\n" for one in (f"- {line}", *(f"\t- {text}" for text in below)))
        self.write_people(self.people().replace(marker, f"{lines}{marker}"))

    def cards(self) -> str:
        return self.text(NAMES.cards)

    def write_cards(self, text: str | bytes) -> None:
        self.put(NAMES.cards, text)

    def journal(self) -> str:
        return self.text(NAMES.journal)

    def add_line(self, line: str, section: str = "facts") -> None:
        """Type a line before the end marker of a section."""
        marker = f"<!-- clavaire:end {section} -->"
        self.write_profile(self.profile().replace(marker, f"{line}\n{marker}"))

    def replace(self, old: str, new: str, path: str = NAMES.profile) -> None:
        """Edit a note in place, once."""
        text = self.text(path)
        assert old in text, f"{old!r} is not in {path}"
        self.put(path, text.replace(old, new, 1))

    def tick(self, text: str, choice: str) -> str:
        """Tick a box of the open card that quotes `text`; gives the card's id."""
        card = next(card for card in self.open_cards() if text in card.text)
        box = next(line for line in self.cards().split("\n") if f"^{card.id}-{choice}" in line)
        self.replace(box, box.replace("[ ]", "[x]", 1), NAMES.cards)
        return card.id

    def snapshot(self, *leave: str) -> dict[str, tuple[bytes, int, int]]:
        """Give bytes, mtime and mode of every file of the vault; not in dot-folders nor below `leave`."""
        found = {}
        for full in sorted(self.root.rglob("*")):
            path = full.relative_to(self.root).as_posix()
            private = any(part.startswith(".") for part in path.split("/")[:-1])
            if full.is_file() and not private and not any(path.startswith(one) for one in leave):
                found[path] = (full.read_bytes(), full.stat().st_mtime_ns, full.stat().st_mode)
        return found

    # ---- what is known

    @property
    def state(self) -> State:
        return self.app.history.state

    def facts(self, status: str = "confirmed") -> list[str]:
        """Give the texts of the latest versions with a status; `confirmed` ones only while current."""
        latest = [versions[-1] for versions in self.state.facts.values() if versions[-1].status == status]
        if status == "confirmed":
            latest = [fact for fact in latest if not (fact.retracted_at or fact.valid_to)]
        return sorted(fact.text for fact in latest)

    def fact(self, text: str) -> Fact:
        """Give the latest version of the one fact whose text this is, or was."""
        names = {name for name, known in self.state.facts.items() if any(one.text == text for one in known)}
        assert len(names) == 1, f"{len(names)} facts say {text!r}"
        return self.state.facts[names.pop()][-1]

    def person(self, name: str) -> Entity:
        """Give the one entity of this name."""
        found = [one for one in self.state.entities.values() if one.name == name]
        assert len(found) == 1, f"{len(found)} are called {name!r}"
        return found[0]

    def open_cards(self, kind: str | None = None) -> list[Card]:
        return [card for card in self.state.open_cards() if kind in (None, card.kind)]

    def remember(
        self, text: str, origin: str = "person", kind: Kind = "fact", confidence: float = 1.0
    ) -> Outcome:
        return self.sync((), [Remember(text, kind, origin, confidence)])

    def correct(self, name: str, text: str) -> Outcome:
        return self.sync((), [Correct(name, text)])

    def forget(self, name: str) -> Outcome:
        return self.sync((), [Forget(name)])

    def records(self) -> tuple[Record, ...]:
        reading = self.app.register.read()
        assert reading.mode != "maintenance", reading.problems
        return reading.records

    def export(self) -> str:
        return canonical(export(self.state, exported(self.app.history.runs)))

    def told(self) -> State:
        """Give the register's fold alone."""
        state = State()
        for record in self.records():
            fold(state, record)
        return state

    def told_runs(self) -> Runs:
        """Give the register's fold alone, of runs."""
        runs = Runs()
        for record in self.records():
            fold_runs(runs, record)
        return runs

    def folded(self) -> str:
        return canonical(export(self.told(), exported(self.told_runs())))

    def exported(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.export())
        return found

    # ---- the index

    def index_files(self) -> list[Path]:
        prefix = (NAMES.index_prefix, NAMES.current)
        return [path for path in self.app.folder.iterdir() if path.name.startswith(prefix)]

    def drop_index(self) -> None:
        """Delete every file of the index while no process has it open."""
        folder = self.app.folder
        self.close()
        for path in folder.iterdir():
            if path.name.startswith((NAMES.index_prefix, NAMES.current)):
                path.unlink(missing_ok=True)
        self.restart()


@contextlib.contextmanager
def temporary(files: Mapping[str, str | bytes] | None = None, **options: Any) -> Iterator[Home]:
    """Give a home that is gone afterwards: for each example of a property its own."""
    with tempfile.TemporaryDirectory(dir=FAST) as folder:
        home = Home(Path(folder).resolve(), files, **options)
        try:
            yield home
        finally:
            home.close()


def copied(name: str, folder: Path, **options: Any) -> Home:
    """Give a home around a copy of `vault-fixtures/<name>`."""
    shutil.copytree(FIXTURES / name, folder / "vault")
    return Home(folder, **options)
