"""What commands and agents ask of runs: propose, approve, steer, show a code; and who carries out what is approved.

One process executes: the holder of the executor lock. Whoever asks something while another holds it submits and
reports; where nobody does, the one who asks carries it out (architecture.md, Processes).
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from daemon import managed
from daemon.app import App
from daemon.consent import Wish
from daemon.index.refresh import Progress, silent
from daemon.marking import lifting, provenance_of
from daemon.pipeline import Outcome
from daemon.planning import Client, asker
from daemon.policy.codes import code_of
from daemon.runs.asking import asked
from daemon.runs.caps import Caps
from daemon.runs.executor import Executor
from daemon.runs.looking import etag_now
from daemon.runs.proposing import prepare
from daemon.runs.standing import left_out_of
from daemon.runs.work import Prepared
from daemon.tools.effects import VaultLook
from daemon.tools.hands import Hands
from parsers.model.places import Etag, NotePath
from parsers.model.register import Record
from parsers.model.run_edits import Approve, CodeShown, Trust
from parsers.model.runs import Input, Request, Run

_BRING_UP = timedelta(seconds=1)
"""How often the note of a run under way is written at the most."""


def executor_of(app: App, *, recovered: bool = False) -> Executor:
    """Give what carries out the runs of a vault; for the holder of its executor lock alone."""
    runs = app.settings.runs
    caps = Caps(runs.max_writes, runs.max_wall_seconds, runs.max_iterations, runs.max_tokens)

    def kept(path: NotePath, etag: Etag) -> str:
        del path
        return app.vault.kept.name_of(etag)

    return Executor(
        app.pipeline,
        app.pipeline.around.registry(),
        lambda: VaultLook(app.vault),
        Hands(app.vault),
        caps,
        app.words,
        kept,
        recovered=recovered,
    )


class Carrier:
    """Carries out what is approved, and keeps the notes of runs in step while it does; `recovered`: see `recover`."""

    def __init__(self, app: App, *, recovered: bool = False) -> None:
        self._app, self._executor = app, executor_of(app, recovered=recovered)
        self._brought_up: datetime | None = None
        self.written: dict[NotePath, None] = {}
        """Notes that were brought up."""

    def step(self, busy: Collection[NotePath] = ()) -> bool:
        """Do one thing, and bring the notes up when it is time; False when there is nothing to do."""
        done = self._executor.advance()
        now = self._app.pipeline.now()
        if not done or self._brought_up is None or now - self._brought_up >= _BRING_UP:
            self.bring_up(busy)
            self._brought_up = now
        return done

    def bring_up(self, busy: Collection[NotePath] = ()) -> Outcome:
        """Write what happened into the notes that show it."""
        outcome = self._app.pipeline.sync(managed.SHOWN_NOTES, busy=busy)
        self.written |= dict.fromkeys(outcome.written)
        return outcome

    def all(self) -> None:
        """Carry out everything that is approved."""
        while self.step():
            pass


def recover(app: App) -> bool:
    """Pause what another process was carrying out when it ended; for the new holder of the executor lock (R-R02).

    To be called before the first pass: what runs after it was resumed by the person. False: it could not be recorded.
    """
    left = any(run.status == "running" for run in app.brought_up().live())
    return not left or executor_of(app).recover()


def sync(app: App, progress: Progress = silent) -> Outcome:
    """One pass to rest: what the notes say is read, what is approved is carried out, what came of it is shown."""
    executor = app.vault.executor()
    if executor is None:
        return app.pipeline.sync(progress=progress)
    with executor:
        recovered = recover(app)
        outcome = app.pipeline.sync(progress=progress)
        if not app.pipeline.working:
            return outcome
        begun, carrier = app.history.mark, Carrier(app, recovered=recovered)
        carrier.all()
        last = app.pipeline.sync()
        records = app.register.read(begun).records
        written = (*outcome.written, *_notes_of(records), *carrier.written, *last.written)
        return replace(outcome, records=(*outcome.records, *records), written=tuple(dict.fromkeys(written)))


def _notes_of(records: Iterable[Record]) -> list[NotePath]:
    """The notes that steps wrote."""
    after = (record.body.get("after", {}) for record in records if record.op in ("step.done", "step.failed"))
    return [NotePath(path) for one in after for path, etag in one.items() if etag]


def do(app: App, wishes: Sequence[Wish]) -> Outcome:
    """Hand in what is asked of runs; carried out at once where no other process does that."""
    executor = app.vault.executor()
    if executor is None:
        return app.pipeline.submit((), wishes)
    with executor:
        recovered = recover(app)
        outcome = app.pipeline.sync(managed.SHOWN_NOTES, wishes=wishes)
        if app.pipeline.working:
            Carrier(app, recovered=recovered).all()
        return outcome


def propose(
    app: App, raw: object, client: Client, hand_in: Callable[[App, Sequence[Wish]], Outcome] | None = None
) -> tuple[Prepared, Outcome]:
    """Propose a plan from JSON, or from a `Request`; what the policy allows is carried out, by `do` or `hand_in`.

    Raises:
        BadRequest: it is no plan; the sentence says why.
    """
    pipeline = app.pipeline
    registry = pipeline.around.registry()
    request = raw if isinstance(raw, Request) else asked(raw, registry, app.words)
    with app.vault.locked():
        app.history.catch_up()
        moment = pipeline.around.moment(app.history.state)
        who = asker(client, pipeline.runs, moment, pipeline.around.rules)
        prepared = prepare(request, who, pipeline.counsel.planning(pipeline.around.showing(moment)))
    return prepared, (hand_in or do)(app, [prepared])


def approve(app: App, run: Run, out: tuple[str, ...], code: str | None) -> Outcome:
    """Approve a plan on the person's terminal as they were shown it, with these steps left out, inputs as now."""
    look = VaultLook(app.vault)
    inputs = tuple(Input(one.path, etag_now(look, one.path)) for one in run.inputs)
    return do(app, [Approve(run.id, "terminal", out, run.digest, run.shown, inputs, code)])


def trust(app: App, path: NotePath) -> tuple[Outcome, tuple[str, ...], str]:
    """Lift the marks of a note for the person: the provenances lifted, and what the note still declares of itself.

    Raises:
        VaultError: there is no such note, or it cannot be read.
    """
    marks = app.brought_up().marks
    text = app.vault.read(path).data.decode("utf-8", "replace")
    hashes = tuple((lifting(path, text, marks) or {}).get("hashes", ()))
    found = {**marks.notes.get(path, {}), **marks.of(path, hashes)}
    outcome = do(app, [Trust(path, hashes)])
    still = provenance_of(path, text, app.pipeline.runs.marks, app.pipeline.around.rules.declared)
    return outcome, tuple(sorted(set(found.values()))), still


def left_out(app: App, run: Run) -> tuple[str, ...]:
    """Give the steps that are struck out in the note of a run now, with those that need them."""
    source = app.pipeline.desk.read(run.path) if run.path else None
    ticked = source.plan.left_out if source and source.plan and source.plan.run == run.id else ()
    return left_out_of(run, ticked)


def show_code(app: App, name: str) -> tuple[str, tuple[str, ...]] | None:
    """Open the code of a waiting run or line for 15 minutes: the digits, and the steps left out; None: none waits."""
    run = app.brought_up().known(name)
    out = left_out(app, run) if run else ()
    app.pipeline.submit((), [CodeShown(name, out)])
    runs = app.pipeline.runs
    if not runs.codes.is_open(name, app.pipeline.now(), out):
        return None
    digest = run.digest if run else runs.autonomy.waiting(name)
    return (code_of(app.register.secret(), digest, out), out) if digest else None
