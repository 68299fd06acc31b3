"""A vault with runs, for tests: real notes, real tools, the real policy; the register is a list that survives."""

import dataclasses
import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from config.i18n import catalogue
from daemon.memory.moment import Deliberation, Moment
from daemon.memory.secrets import secret_spans
from daemon.memory.state import State
from daemon.memory.state import fold as fold_memory
from daemon.policy.codes import code_of
from daemon.policy.lineage import Said
from daemon.policy.rules import decide
from daemon.runs.caps import Caps
from daemon.runs.deciding import expire, propose, take
from daemon.runs.drafting import Asker, Declares, Planning
from daemon.runs.executor import Executor
from daemon.runs.proposing import again, prepare
from daemon.runs.state import Runs, fold
from daemon.runs.work import Terms, Work
from daemon.tools.effects import VaultLook
from daemon.tools.hands import Hands
from daemon.tools.registry import registry
from daemon.vault.disk import etag_of
from daemon.vault.door import Vault
from parsers.ids import make_id
from parsers.model.places import NotePath
from parsers.model.register import Record, stamp
from parsers.model.run_edits import Approve, RunEdit, Steer
from parsers.model.runs import Call, Input, Request, Run
from parsers.plan import digest_of
from parsers.register import ENVELOPE

START = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
SECRET = b"s" * 32
FR = catalogue("fr")
AGENT = "mcp:claude-code"
Calls = Sequence[tuple[str, dict[str, object]]]


class Crash(BaseException):
    """The process ends here."""


class Scene:
    """One vault; `restart` gives what the next process finds."""

    def __init__(self, folder: Path, files: dict[str, str] | None = None, caps: Caps | None = None) -> None:
        self.root = folder / "vault"
        self.root.mkdir(parents=True, exist_ok=True)
        for path, text in (files or {}).items():
            self.put(path, text)
        self.vault = Vault(self.root, folder / "backups", 5_000_000)
        self.vault.prepare()
        self.time = START
        self.records: list[Record] = []
        self.state, self.runs = State(), Runs()
        self.tools = dict(registry(points=()))
        self.caps = caps or Caps()
        self.every_code = False
        self.crash: Callable[[str, str], None] = lambda op, when: None
        self._ids = 0
        self.executor = self.process()

    # ---- what the pipeline does

    def process(self) -> Executor:
        look, hands = (lambda: VaultLook(self.vault)), Hands(self.vault)
        return Executor(self, self.tools, look, hands, self.caps, FR)

    def restart(self) -> None:
        """A new process: it knows what the register says."""
        self.crash = lambda op, when: None
        self.state, self.runs = State(), Runs()
        for record in self.records:
            fold_memory(self.state, record)
            fold(self.runs, record)
        self.executor = self.process()

    def now(self) -> datetime:
        return self.time

    def happen(self, decide: Callable[[Work], None]) -> bool:
        work = Work(Deliberation(self.state.fork(), self.moment), self.runs.fork(), self.terms)
        decide(work)
        for event in work.events:
            self.crash(event.op, "before")
            assert not ENVELOPE & set(event.body), "a field of the line's own"
            line = json.loads(json.dumps(dict(event.body)))
            self.accept(Record(len(self.records) + 1, stamp(self.time), event.op, event.by, line))
            self.crash(event.op, "after")
        assert self.runs.runs == work.runs.runs
        return True

    def accept(self, record: Record) -> None:
        self.records.append(record)
        fold_memory(self.state, record)
        fold(self.runs, record)

    @property
    def moment(self) -> Moment:
        return Moment(self.time, self.time.date(), "2026-W49", self.new_id, secret_spans)

    def new_id(self, letter: str) -> str:
        self._ids += 1
        return make_id(letter, self._ids.to_bytes(5, "big"))

    def nonce(self) -> str:
        return self.new_id("n")

    @property
    def terms(self) -> Terms:
        return Terms(
            code=lambda digest, out: code_of(SECRET, digest, out),
            nonce=self.nonce,
            seal=seal,
            words=FR,
            replan=lambda run: again(run, Asker(run.origin, run.instruction), self.planning),
            every_code=self.every_code,
        )

    @property
    def planning(self) -> Planning:
        autonomy = self.runs.autonomy
        return Planning(
            registry=self.tools,
            look=VaultLook(self.vault),
            judge=lambda action: decide(
                action, autonomy.level(action.domain), autonomy.active(), {}, "2026-11-30"
            ),
            declares=lambda path, data: Declares(
                "private" if path.startswith("Privé/") else "normal", "vault", "vault"
            ),
            search=lambda _query, _limit: (),
            mark_of=lambda _text: "",
            seal=seal,
            words=FR,
            moment=self.moment,
            nonce=self.nonce,
            expires=stamp(self.time + timedelta(days=7)),
        )

    # ---- what the person and the agents do

    def propose(self, *calls: tuple[str, dict[str, object]], asker: Asker | None = None) -> Run:
        request = Request("Ranger", "parce que", tuple(Call(tool, args) for tool, args in calls))
        asker = asker or Asker(AGENT, AGENT)
        prepared = prepare(request, asker, self.planning)
        self.happen(lambda work: propose(work, prepared))
        run = self.runs.runs[prepared.run.id]
        if run.status == "proposed":
            path = NotePath(f"99_Assistant/Plans/{run.id}.md")
            self.happen(lambda work: work.emit("plan.shown", id=run.id, path=path))
        return self.run(run.id)

    def take(self, *edits: RunEdit) -> None:
        def decided(work: Work) -> None:
            expire(work)
            for edit in edits:
                take(work, edit)

        self.happen(decided)

    def ticked(self, run: Run, *left_out: str, code: str | None = None, **other: object) -> Approve:
        """The tick as the note gives it, read from bytes that are as they were rendered."""
        inputs = tuple(Input(one.path, self.etag(one.path)) for one in run.inputs)
        edit = Approve(run.id, "tick", left_out, run.digest, run.shown, inputs, code)
        return replace(edit, **other)

    def approve(self, run: Run, *left_out: str, **other: object) -> Run:
        self.take(self.ticked(run, *left_out, **other))
        return self.run(run.id)

    def steer(self, run: Run, control: str, by: str = "person") -> Run:
        self.take(Steer(run.id, control, self.run(run.id).transition, by))
        return self.run(run.id)

    def work(self, most: int = 200) -> None:
        """Let the executor work until there is nothing to do."""
        for _ in range(most):
            if not self.executor.advance():
                return
        raise AssertionError("the executor does not come to an end")

    # ---- what is there

    def run(self, name: str) -> Run:
        return self.runs.runs[name]

    def ops(self, prefix: str = "") -> list[str]:
        return [record.op for record in self.records if record.op.startswith(prefix)]

    def put(self, path: str, text: str) -> None:
        full = self.root / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_bytes(text.encode())

    def text(self, path: str) -> str | None:
        full = self.root / path
        return full.read_bytes().decode() if full.exists() else None

    def etag(self, path: str) -> str:
        full = self.root / path
        return etag_of(full.read_bytes()) if full.exists() else ""

    def notes(self) -> dict[str, str]:
        found = {}
        for full in sorted(self.root.rglob("*.md")):
            path = full.relative_to(self.root).as_posix()
            if not path.startswith("."):
                found[path] = full.read_bytes().decode()
        return found


def seal(run: Run) -> tuple[str, str]:
    shown = "\n".join(line for step in run.steps for line in step.shows)
    return digest_of(run.id, run.nonce, run.steps, run.inputs), hashlib.sha256(shown.encode()).hexdigest()


def words(text: str, origin: str = "person") -> Asker:
    """The person asks, in these words."""
    return Asker(origin, "user", said=Said(text))


# ---- runs that are stopped

FILES = {"a.md": "un\n", "b.md": "voir [[a]]\n", "e.md": "encore [[a]]\n"}
FIVE = (
    ("note_create", {"path": "c.md", "text": "trois\n"}),
    ("note_append", {"path": "c.md", "text": "quatre\n"}),
    ("note_move", {"path": "a.md", "to": "Archives/a2.md"}),
    ("note_trash", {"path": "e.md"}),
    ("property_set", {"path": "c.md", "key": "fait", "value": True}),
)
TWO = (("note_append", {"path": "a.md", "text": "x\n"}), ("note_append", {"path": "b.md", "text": "y\n"}))


def whole(folder, calls=FIVE):
    """The vault as a run that nothing stops leaves it."""
    other = Scene(folder, FILES)
    run = other.approve(other.propose(*calls))
    other.work()
    assert other.run(run.id).status == "succeeded"
    return other.notes()


class Deaths:
    """Dies at the event number `at` that the executor records."""

    def __init__(self, at, when):
        self.left, self.when = at, when

    def __call__(self, op, when):
        if op.split(".")[0] in ("run", "step") and when == self.when:
            self.left -= 1
            if not self.left:
                raise Crash


def spoilt(scene, **changes):
    scene.tools["note_append"] = dataclasses.replace(scene.tools["note_append"], **changes)
    scene.restart()
