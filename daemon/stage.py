"""The stage the demo plays on: a copy of a vault, a clock moved by hand, a person's hand, and a witness of every byte.

The hand writes files as an editor does; everything else goes through the same pipeline as in daily use.
"""

import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from difflib import SequenceMatcher
from pathlib import Path

from config.i18n import Catalogue, catalogue
from config.paths import NAMES
from config.settings import General, Settings, zone
from daemon import app as wiring
from daemon import reading
from daemon.app import App
from daemon.index.store import open_index
from daemon.pipeline import Outcome
from parsers.ids import is_id
from parsers.model.edits import Edit
from parsers.model.facts import Fact
from parsers.model.notes import NotePath
from parsers.note import scan

Say = Callable[[str], None]
Files = Mapping[str, bytes]

_OWN_ID = re.compile(r" \^([a-z]-[0-9a-z]{8})(?=\r?$)")
_MOST_LINES = 16
"""Lines of one note's changes that are printed."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that is not as it should be."""

    what: str
    found: object
    wanted: object


class Stage:
    """A vault in use, in a folder of its own; `differences` is what was not as it should be, so far."""

    def __init__(self, source: Path, folder: Path, locale: str, start: datetime, say: Say) -> None:
        """Copy the vault; nothing of clavaire is in it yet."""
        self.root, self._say, self.now = folder / "vault", say, start
        general = General(timezone="Europe/Paris", locale=locale, state_folder=str(folder / "state"))
        self.settings = Settings(general=general)
        self.words: Catalogue = catalogue(locale)
        self.differences: list[Difference] = []
        shutil.copytree(source, self.root)
        self._first = self._unmanaged()
        self._seen = self._notes()
        self._app: App | None = None

    # ---- the program

    @property
    def app(self) -> App:
        """The vault, wired."""
        assert self._app is not None
        return self._app

    def open(self) -> None:
        """Start clavaire: `init` the first time, later as any new process does."""
        if self._app is None:
            self._app = wiring.init(self.root, self.settings, "demo", clock=self._clock)
        else:
            self._app = wiring.open_writable(self.root, self.settings, self._clock)

    def close(self) -> None:
        """Stop clavaire."""
        if self._app is not None:
            self._app.close()

    def advance(self, **step: float) -> None:
        """Let time pass."""
        self.now += timedelta(**step)

    def sync(self) -> Outcome:
        """Let clavaire read the notes and write them; prints what it changed."""
        outcome = self.app.pipeline.sync()
        self._settled(outcome)
        return outcome

    def hand_in(self, edit: Edit) -> Outcome:
        """Let an agent propose something, as `clavaire remember --as` does."""
        outcome = wiring.accept(self.app, [edit])
        self._settled(outcome)
        return outcome

    def _settled(self, outcome: Outcome) -> None:
        self.expect(self.words.say("demo.check.open"), outcome.closed, None)
        self._show("demo.clavaire")
        self.expect(self.words.say("demo.check.unmanaged"), _unlike(self._unmanaged(), self._first), [])
        again = self.app.pipeline.sync()
        self.expect(self.words.say("demo.check.rest"), (again.records, again.written), ((), ()))

    def drop_index(self) -> None:
        """Delete every file of the index while clavaire is stopped."""
        for path in self.app.folder.iterdir():
            if path.name.startswith((NAMES.index_prefix, NAMES.current)):
                path.unlink()

    def _clock(self) -> datetime:
        return self.now

    # ---- the person

    def text(self, path: NotePath) -> str:
        """Give a note as it stands."""
        return (self.root / path).read_bytes().decode("utf-8")

    def write(self, path: NotePath, text: str) -> None:
        """Save a note as an editor does; prints what the hand changed."""
        (self.root / path).write_bytes(text.encode("utf-8"))
        self._show("demo.you")

    def replace(self, old: str, new: str, path: NotePath = NAMES.profile) -> None:
        """Change some words of a note."""
        text = self.text(path)
        self.expect(self.words.say("demo.check.there", text=old.strip()), text.count(old), 1)
        self.write(path, text.replace(old, new))

    def line_of(self, text: str, path: NotePath = NAMES.profile) -> str:
        """Give the whole line that holds a text, with its ending; empty when there is none."""
        return next((line for line in self.text(path).splitlines(keepends=True) if text in line), "")

    def tick(self, kind: str, choice: str) -> str:
        """Tick a box of the one open card of a kind; gives what the card quotes."""
        cards = [card for card in self.app.history.state.open_cards() if card.kind == kind]
        self.expect(self.words.say("demo.check.one_card"), len(cards), 1)
        for card in cards[:1]:
            box = self.line_of(f"^{card.id}-{choice}", NAMES.cards)
            self.replace(box, box.replace("[ ]", "[x]"), NAMES.cards)
            return card.text
        return ""

    # ---- what is known, as the commands that only read answer

    def facts(self, as_of: str | None = None, known_at: str | None = None) -> list[str]:
        """Give the first lines of the facts that hold, as `clavaire facts` would."""
        index = open_index(self.app.folder, "")
        try:
            state = reading.state_in(index)
        finally:
            index.close()
        place = zone(self.settings)
        if known_at:
            state = reading.known_at(
                self.app.register.read().records, reading.end_of(known_at, place, ""), state
            )
        found = reading.facts(state, reading.Question(as_of=as_of), self.now.astimezone(place).date())
        return sorted(fact.text.partition("\n")[0] for fact in found)

    def fact(self, text: str) -> Fact | None:
        """Give the latest version of the fact that says, or said, this."""
        for versions in self.app.history.state.facts.values():
            if any(one.text.partition("\n")[0] == text for one in versions):
                return versions[-1]
        return None

    def export(self) -> str:
        """Give what `clavaire export` prints."""
        return reading.canonical(reading.export(self.app.history.state))

    # ---- the witness

    def expect(self, what: str, found: object, wanted: object) -> None:
        """Take note of what is not as it should be."""
        if found != wanted:
            self.differences.append(Difference(what, found, wanted))

    def expect_facts(
        self, before: Sequence[str], *, less: Iterable[str] = (), more: Iterable[str] = ()
    ) -> None:
        """The facts that hold are those of before, without some, with some others."""
        wanted = Counter(before) - Counter(less) + Counter(more)
        self.expect(self.words.say("demo.check.facts"), self.facts(), sorted(wanted.elements()))

    def expect_profile(self, typed: str, *, less: Iterable[str] = (), more: Iterable[str] = ()) -> None:
        """Besides ids, Profil.md is as the hand left it, but for these lines of its sections."""
        text = self.text(NAMES.profile)
        self.expect(self.words.say("demo.check.outside"), _outside(text), _outside(typed))
        wanted = Counter(_bare(typed)) - Counter(less) + Counter(more)
        self.expect(self.words.say("demo.check.lines"), sorted(_bare(text)), sorted(wanted.elements()))
        names = _OWN_ID.findall(text.replace("\r", ""), 0) if False else _ids(text)
        self.expect(self.words.say("demo.check.ids"), len(names), len(set(names)))

    def _notes(self) -> Files:
        paths = (path for path in self.root.rglob("*") if path.is_file())
        return {name: path.read_bytes() for path in paths if _shown(name := _name(path, self.root))}

    def _unmanaged(self) -> Mapping[str, tuple[bytes, int]]:
        """Bytes and time of every file that is not clavaire's."""
        found = {}
        for path in self.root.rglob("*"):
            name = _name(path, self.root)
            if path.is_file() and not name.startswith((f"{NAMES.assistant}/", f"{NAMES.private_folder}/")):
                found[name] = (path.read_bytes(), path.stat().st_mtime_ns)
        return found
