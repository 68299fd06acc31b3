"""The stage of the demo: a copy of a vault, a clock that is moved, a person's hand, a witness of every byte.

The hand writes files as an editor does; everything else goes through the same pipeline as in daily use.
"""

import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta
from difflib import SequenceMatcher
from pathlib import Path

from config.i18n import catalogue
from config.paths import NAMES
from config.sections import Connectors, General
from config.settings import Settings, zone
from daemon import acting, reading
from daemon import app as wiring
from daemon.app import App
from daemon.index.store import open_index
from daemon.memory.persons import Person, persons
from daemon.permits import exported
from daemon.pipeline import Outcome
from daemon.planning import Client
from parsers.ids import ID
from parsers.model.edits import Edit
from parsers.model.facts import Fact
from parsers.model.places import NotePath
from parsers.model.runs import Run
from parsers.note import scan

Say = Callable[[str], None]

_OWN_ID = re.compile(rf" \^({ID.pattern})$", re.MULTILINE)
_OWN_DAY = re.compile(r" \[(?:vu|seen):: \d{4}-\d\d-\d\d\]$", re.MULTILINE)
_MANY = 14
"""Changed lines of one note that are printed."""
_FEW = 3
"""So many of the journal's, and of a note of which nearly everything changed."""
_PLAN = 70
"""So many of a plan's note, which is to be read before it is approved."""
_TITLED = re.compile(r"\[\[[^|\]]*\|([^\]]*)\]\]")
_WIDE = 150
LINK = " · [["
"""Before the link that ends a line of the journal."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that is not as it should be."""

    what: str
    found: object
    wanted: object


class Stage:
    """A vault in use, in its own folder; of `checked` things, `differences` are not as they should be."""

    def __init__(self, source: Path, folder: Path, locale: str, start: datetime, say: Say) -> None:
        """Copy the vault; nothing of clavaire is in it yet."""
        self.root, self.now, self._say = folder / "vault", start, say
        self.settings, self.words = staged(folder, locale), catalogue(locale)
        self.mail = Path(self.settings.connectors.mailbox)
        self.differences: list[Difference] = []
        self.checked = 0
        shutil.copytree(source, self.root)
        self._first, self._seen = self._unmanaged(), self.notes()
        self._free: frozenset[str] = frozenset()
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

    def sync(self) -> None:
        """Let clavaire read the notes and write them; prints what it changed."""
        self._settle(acting.sync(self.app))

    def hand_in(self, edit: Edit) -> None:
        """Propose something, as an agent does with `clavaire remember --as`."""
        self._settle(wiring.accept(self.app, [edit]))

    def ask(self, plan: object, client: Client) -> Run:
        """Propose a plan, as an agent does with `clavaire plan FILE --as`; gives the run it became."""
        prepared, outcome = acting.propose(self.app, plan, client)
        self._settle(outcome)
        return self.run(prepared.run.id)

    def code(self, name: str) -> str:
        """Give the six digits that `clavaire code` shows on a terminal, `""` when none are."""
        shown = acting.show_code(self.app, name)
        return shown[0] if shown else ""

    def run(self, name: str) -> Run:
        """Give a run as it is now."""
        return self.app.pipeline.runs.runs[name]

    def drop_index(self) -> None:
        """Delete every file of the index while clavaire is stopped."""
        for path in self.app.folder.iterdir():
            if path.name.startswith((NAMES.index_prefix, NAMES.current)):
                path.unlink()

    def _settle(self, outcome: Outcome) -> None:
        self._show("demo.program")
        self.expect("open", outcome.closed, None)
        self.expect("unmanaged", sorted(set(_unlike(self._unmanaged(), self._first)) - self._free), [])
        again = self.app.pipeline.sync()
        self.expect("rest", (again.records, again.written), ((), ()))

    def _clock(self) -> datetime:
        return self.now

    # ---- the person

    def text(self, path: NotePath = NAMES.profile) -> str:
        """Give a note as it stands."""
        return (self.root / path).read_bytes().decode("utf-8")

    def write(self, text: str, path: NotePath = NAMES.profile) -> None:
        """Save a note as an editor does; prints what the hand changed."""
        (self.root / path).write_bytes(text.encode("utf-8"))
        self._show("demo.person")

    def delete(self, path: NotePath) -> None:
        """Delete a note; prints what is gone."""
        (self.root / path).unlink()
        self._show("demo.person")

    def replace(self, old: str, new: str, path: NotePath = NAMES.profile) -> None:
        """Change some words of a note."""
        text = self.text(path)
        self.expect("there", text.count(old), 1, text=old.strip())
        self.write(text.replace(old, new, 1), path)

    def ids(self) -> set[str]:
        """Give the ids that stand in the facts' note."""
        return set(_OWN_ID.findall(self.text()))

    def line_of(self, words: str, path: NotePath = NAMES.profile) -> str:
        """Give the whole line that holds these words, with its ending; empty when there is none."""
        return next((line for line in self.text(path).splitlines(keepends=True) if words in line), "")

    def tick(self, kind: str, choice: str) -> None:
        """Tick a box of the one open card of a kind."""
        cards = [card for card in self.app.history.state.open_cards() if card.kind == kind]
        self.expect("one_card", len(cards), 1)
        for card in cards[:1]:
            box = self.line_of(f"^{card.id}-{choice}", NAMES.cards)
            self.replace(box, box.replace("[ ]", "[x]"), NAMES.cards)

    def mark(self, run: Run, start: str) -> None:
        """Tick the box of a plan's note whose id starts so: `go`, `undo-`, or a step's."""
        assert run.path is not None
        boxes = [line for line in self.text(run.path).splitlines(keepends=True) if f" ^{start}" in line]
        self.expect("one_box", len(boxes), 1, text=start)
        for box in boxes[:1]:
            self.replace(box, box.replace("[ ]", "[x]", 1), run.path)

    def cards(self) -> list[str]:
        """Give the kinds of the cards that wait."""
        return [card.kind for card in self.app.history.state.open_cards()]

    # ---- what is known, as the commands that only read answer

    def facts(self, as_of: str | None = None, known_at: str | None = None) -> list[str]:
        """Give the first lines of the facts that hold, as `clavaire facts` does."""
        with closing(open_index(self.app.folder, "")) as index:
            state = reading.state_in(index)
        place = zone(self.settings)
        if known_at:
            until = reading.end_of(known_at, place, "")
            state = reading.known_at(self.app.register.read().records, until, state)
        found = reading.facts(state, reading.Question(as_of=as_of), self.now.astimezone(place).date())
        return sorted(_first_line(fact) for fact in found)

    def people(self) -> tuple[Person, ...]:
        """Give who is known and how they stand today, as `clavaire people` does."""
        with closing(open_index(self.app.folder, "")) as index:
            state = reading.state_in(index)
        return persons(state, self.now.astimezone(zone(self.settings)).date().isoformat(), "person")

    def latest(self) -> list[Fact]:
        """Give the latest version of every fact."""
        return [versions[-1] for versions in self.app.history.state.facts.values()]

    def fact(self, text: str) -> Fact | None:
        """Give the latest version of the fact that says, or said, this."""
        for versions in self.app.history.state.facts.values():
            if any(_first_line(one) == text for one in versions):
                return versions[-1]
        return None

    def export(self) -> str:
        """Give what `clavaire export` prints."""
        return reading.canonical(reading.export(self.app.history.state, exported(self.app.history.runs)))

    # ---- the witness

    def expect(self, what: str, found: object, wanted: object, **values: object) -> None:
        """Take note of what is not as it should be; `what` names it in the catalogue."""
        self.checked += 1
        if found != wanted:
            self.differences.append(Difference(self.words.say(f"demo.check.{what}", **values), found, wanted))

    def expect_facts(self, before: Sequence[str], less: Sequence[str] = (), more: Sequence[str] = ()) -> None:
        """The facts that hold are those of before, without some, with some others."""
        wanted = Counter(before) - Counter(less) + Counter(more)
        self.expect("facts", self.facts(), sorted(wanted.elements()))

    def expect_profile(self, typed: str, less: Sequence[str] = (), more: Sequence[str] = ()) -> None:
        """Besides ids, the facts' note is as the hand left it, but for these lines in its sections."""
        text = self.text()
        self.expect("outside", _outside(text), _outside(typed))
        kept = [line for line in bare(typed) if line not in less]
        stood = [line for line in bare(text) if line not in more]
        came = [line for line in bare(text) if line in more]
        self.expect("lines", (stood, came), (kept, list(more)))
        self.expect("ids", len(_OWN_ID.findall(text)), len(self.ids()))

    def expect_answers(self, day: str, yes: str, no: str) -> None:
        """On that day one text was true and the other was not; says so."""
        found = self.facts(as_of=day)
        self.expect("day", (yes in found, no in found), (True, False), day=day)
        self.tell("demo.on_day", day=day, text=yes)

    def notes(self) -> Mapping[str, bytes]:
        """Give the bytes of every note."""
        found = {_name(path, self.root): path for path in self.root.rglob("*.md")}
        private = f"{NAMES.private_folder}/"
        return {name: path.read_bytes() for name, path in found.items() if not name.startswith(private)}

    def let(self, *names: str) -> None:
        """These files may change from here on: a plan that the person approves says so. Without names none may."""
        self._free = frozenset(names)
        if not names:
            self._first = self._unmanaged()

    def first(self) -> Mapping[str, bytes]:
        """Give these bytes as they were before anything was let change."""
        return {name: data for name, (data, _) in self._first.items()}

    def files(self) -> Mapping[str, bytes]:
        """Give the bytes of every file that is not clavaire's."""
        return {name: data for name, (data, _) in self._unmanaged().items()}

    def expect_files(self, before: Mapping[str, bytes], changed: Mapping[str, bytes | None]) -> None:
        """The files are those of before, but for these, which hold exactly this; None: it is gone."""
        wanted = {name: data for name, data in {**before, **changed}.items() if data is not None}
        self.expect("files", _unlike(self.files(), wanted), [])

    def _unmanaged(self) -> Mapping[str, tuple[bytes, int]]:
        """Bytes and time of every file that is not clavaire's."""
        ours = (f"{NAMES.assistant}/", f"{NAMES.private_folder}/")
        found = {_name(path, self.root): path for path in self.root.rglob("*") if path.is_file()}
        return {
            name: (path.read_bytes(), path.stat().st_mtime_ns)
            for name, path in found.items()
            if not name.startswith(ours)
        }

    # ---- what changed, note by note

    def tell(self, key: str, **values: object) -> None:
        """Print a sentence below the scene."""
        self._say(f"  {short(self.words.say(key, **values))}")

    def _show(self, who: str) -> None:
        notes = self.notes()
        for name in sorted(notes.keys() | self._seen.keys()):
            before, after = self._seen.get(name, b""), notes.get(name, b"")
            lines = self._changes(name, before, after) if before != after else ()
            for line in (self.words.say(who, note=name), *(f"  {line}" for line in lines)) if lines else ():
                self._say(f"  {short(line)}")
        self._seen = notes

    def _changes(self, name: str, before: bytes, after: bytes) -> list[str]:
        link = LINK if name == NAMES.journal else None
        found = list(changes(_lines(before, link), _lines(after, link)))
        if name.startswith(f"{NAMES.register_folder}/"):
            return [self.words.plural("demo.register", len(found))]
        whole = not (before and after)
        most = _FEW if link or len(found) > (_MANY if whole else 3 * _MANY) else _MANY
        most = _PLAN if name.startswith(f"{NAMES.plans}/") else most
        more = len(found) - most
        return [*found[:most], self.words.plural("demo.more", more)] if more > 0 else found


def staged(folder: Path, locale: str) -> Settings:
    """Give the settings of a stage in a folder: the person's own, but for the language, do not change the story."""
    general = General(timezone="Europe/Paris", locale=locale, state_folder=str(folder / "state"))
    return Settings(general=general, connectors=Connectors(mailbox=str(folder / "mail")))


def short(line: str) -> str:
    """Give a line that is not too long to read."""
    return line if len(line) <= _WIDE else f"{line[:_WIDE]}…"


def changes(before: Sequence[str], after: Sequence[str]) -> Iterable[str]:
    """Give what changed between two versions: `-` gone, `+` new, `~` the same line with its id."""
    for tag, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        old, new = before[i:j], after[k:m]
        if tag == "equal":
            continue
        if bare("\n".join(old)) == bare("\n".join(new)):
            yield from (f"~ {line}" for line in new)
        else:
            yield from (f"- {line}" for line in old if _tells(line))
            yield from (f"+ {line}" for line in new if _tells(line))


def _tells(line: str) -> bool:
    return bool(line.strip()) and not line.startswith("<!-- ")


def _lines(data: bytes, end: str | None) -> list[str]:
    lines = data.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
    return [_TITLED.sub(r"\1", line.partition(end)[0]) for line in lines] if end else lines


def bare(text: str) -> list[str]:
    """Give the lines of a text without what clavaire adds to a line: its id, and the day somebody was last seen."""
    return _OWN_DAY.sub("", _OWN_ID.sub("", text)).split("\n")


def _outside(text: str) -> str:
    """A note without what its sections hold."""
    parts, at = [], 0
    for section in scan(text).sections:
        parts.append(text[at : section.start])
        at = section.end
    return "".join([*parts, text[at:]])


def _first_line(fact: Fact) -> str:
    return fact.text.partition("\n")[0]


def _unlike(found: Mapping[str, object], wanted: Mapping[str, object]) -> list[str]:
    return sorted(name for name in found.keys() | wanted.keys() if found.get(name) != wanted.get(name))


def _name(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix()
