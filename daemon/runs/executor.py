"""Carries out approved runs, one thing at a time; whoever holds the vault's executor lock has one of these.

    step.started   on disk before anything is done; from here on the step may have been done
    effect         exactly what was shown, over exactly the notes it was shown for, else the step fails here
    verify         reads again: a step is done when its proof is there, and not before
    step.done      with what it left, and the call that undoes it

A step that was started and whose end nobody recorded is looked at, never just done again: its proof is there, or
its notes are as they were, or it is uncertain and a person decides (R-R06).
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from config.i18n import Catalogue
from daemon.policy.marks import written
from daemon.runs.caps import Caps, reached, stretch
from daemon.runs.deciding import reshow
from daemon.runs.evidence import INTERRUPTED
from daemon.runs.looking import differing, stands
from daemon.runs.readying import Ready, Unready, as_begun, ready
from daemon.runs.standing import outcome, unfinished
from daemon.runs.undoing import told
from daemon.runs.work import Acts, Work, withdrawn
from daemon.tools.effects import Change, Effects, Look
from daemon.tools.errors import sentence
from daemon.tools.hands import Hands
from daemon.tools.tool import Tool
from daemon.vault.disk import etag_of
from daemon.vault.errors import Unwritable, VaultBusy, VaultMissing
from parsers.errors import ClavaireError
from parsers.model.places import Etag, NotePath
from parsers.model.runs import Run, Step

_TRIES = 3
"""How often a step is started in one stretch before its run is paused."""


class Executor:
    """Carries out the runs of one vault, the oldest approval first, one run at a time.

    Args:
        acts: Records what happens.
        registry: The tools.
        look: Gives the vault as it is now.
        hands: What tools change the vault with.
        caps: What one run may use.
        words: For the sentences of what goes wrong.
        kept: Gives the name, among the backups, of a version that was replaced; `""` when none is kept.
        recovered: Whether what another process left was looked at already: what runs now was resumed since.
    """

    def __init__(
        self,
        acts: Acts,
        registry: Mapping[str, Tool],
        look: Callable[[], Look],
        hands: Hands,
        caps: Caps,
        words: Catalogue,
        kept: Callable[[NotePath, Etag], str] = lambda _path, _etag: "",
        *,
        recovered: bool = False,
    ) -> None:
        self._acts, self._registry, self._look, self._hands = acts, registry, look, hands
        self._caps, self._words, self._kept = caps, words, kept
        self._recovered = recovered

    def recover(self) -> bool:
        """Pause every run that another process was carrying out when it ended; True when there was one (R-R02).

        To be called before the first pass: what is resumed after it goes on.
        """
        paused: list[str] = []

        def pause(work: Work) -> None:
            for run in work.runs.live():
                if run.status == "running":
                    work.emit("run.paused", "scheduled", id=run.id, reason=INTERRUPTED)
                    paused.append(run.id)

        self._recovered = self._acts.happen(pause)
        return bool(paused)

    def advance(self) -> bool:
        """Do one thing of one run; False when there is nothing to do, or nothing can be recorded.

        Raises:
            VaultBusy, VaultMissing: try again; what was begun is looked at then.
        """
        if not self._recovered:
            found = self.recover()
            if found or not self._recovered:
                return found
        run = self._next()
        return run is not None and self._go_on(run)

    def _next(self) -> Run | None:
        """What was begun and stopped first, then the run under way, then the oldest approval."""
        runs = self._acts.runs
        known = [run for name, run in runs.runs.items() if name not in runs.doubted]
        stopped = [run for run in known if run.status == "cancelled" and unfinished(run)]
        under_way = [run for run in known if run.status == "running"]
        approved = [run for run in known if run.status == "approved"]
        return next(iter(stopped or under_way or sorted(approved, key=_by_approval)), None)

    def _go_on(self, run: Run) -> bool:
        if run.status == "approved":
            return self._record(run, "approved", "run.started", id=run.id)
        begun = unfinished(run)
        if begun is not None:
            return self._examine(run, begun)
        step = None if _stopped(run) else next((one for one in run.steps if one.status == "waiting"), None)
        if step is None:
            return self._end(run)
        limit = reached(run, self._caps, self._acts.now())
        if (
            not limit
            and sum(one.what == "step_started" and one.step == step.id for one in stretch(run)) >= _TRIES
        ):
            limit = "stuck"
        if limit:
            return self._record(run, "running", "run.paused", id=run.id, reason=limit)
        return self._do(run, step)

    def _record(self, run: Run, status: str, op: str, **body: Any) -> bool:
        """Let one thing happen to a run if it still stands as it did: whether it happened."""
        done: list[str] = []

        def decide(work: Work) -> None:
            known = work.runs.known(run.id)
            if known is not None and known.status == status:
                work.emit(op, "scheduled", **body)
                done.append(op)

        return self._acts.happen(decide) and (bool(done) or self._acts.runs.runs[run.id] != run)

    def _end(self, run: Run) -> bool:
        """End a run; what it undid is said of the run that was undone, also where it is not all of it."""
        status, reason = outcome(run)

        def end(work: Work) -> None:
            known = work.runs.known(run.id)
            if known is None or known.status != "running":
                return
            work.emit("run.ended", "scheduled", id=run.id, status=status, reason=reason)
            told(work, run.id)

        return self._acts.happen(end)

    # ---- one step

    def _do(self, run: Run, step: Step) -> bool:
        look = self._look()
        begun = any(one.what == "step_started" and one.step == step.id for one in run.evidence)
        try:
            doing = ready(self._registry.get(step.tool), step, look, self._words, begun=begun)
        except Unready as why:
            return self._record(
                run,
                "running",
                "step.failed",
                id=run.id,
                step=step.id,
                reason=why.reason,
                detail=why.detail,
                after={},
                inverse=None,
            )
        key = key_of(run, step)
        before = doing.effects.before()
        if not self._begin(run, step, key, before):
            return self._acts.runs.runs.get(run.id) != run
        problem, kept_out = "", False
        try:
            if doing.tool.apply is not None:
                doing.tool.apply(doing.args, self._hands, doing.effects, key)
        except (VaultBusy, VaultMissing):
            raise
        except ClavaireError as error:
            problem, kept_out = sentence(error, self._words), isinstance(error, Unwritable)
        if kept_out and self._untouched(step, doing):
            return self._put_back(run, step, problem)
        return self._finish(run, step, doing, key, problem)

    def _begin(self, run: Run, step: Step, key: str, before: Mapping[str, str]) -> bool:
        """Record that a step starts, unless the run was paused or cancelled meanwhile: whether it may."""
        begun: list[str] = []

        def decide(work: Work) -> None:
            known = work.runs.known(run.id)
            if known is None or known.status != "running" or known.step(step.id) != step:
                return
            if withdrawn(work, known):
                work.emit("run.paused", "scheduled", id=run.id, reason="delegation")
            else:
                work.emit("step.started", "scheduled", id=run.id, step=step.id, key=key, before=dict(before))
                begun.append(step.id)

        return self._acts.happen(decide) and bool(begun)

    def _untouched(self, step: Step, doing: Ready) -> bool:
        """Whether every note is as it was before; of an effect elsewhere nobody can tell."""
        before = doing.effects.before()
        return bool(before) and not step.external and not differing(before, self._look())

    def _put_back(self, run: Run, step: Step, problem: str) -> bool:
        """Let a step wait again that the system kept from its notes, and pause its run until it is resumed."""

        def again(work: Work) -> None:
            work.emit("step.again", "scheduled", id=run.id, step=step.id, detail=problem)
            known = work.runs.known(run.id)
            if known is not None and known.status == "running":
                work.emit("run.paused", "scheduled", id=run.id, reason="disk")

        return self._acts.happen(again)

    def _finish(self, run: Run, step: Step, done: Ready, key: str, problem: str) -> bool:
        """Look at what a step left, and record it with its proof."""
        look = self._look()
        if not (problem and done.tool.verify is None) and done.proved(look, key):
            return self._done(run, step, done)
        left = [change for change in done.effects.changes if stands(change, look)]
        whole = len(left) == len(done.effects.changes)
        reason = "unproved" if whole or not problem else "partly" if left else "impossible"
        part = Effects(tuple(left))
        detail = problem or differing(step.expects, look)
        return self._recorded_anyway(
            "step.failed",
            id=run.id,
            step=step.id,
            reason=reason,
            detail=detail,
            after=part.after(),
            inverse=done.inverse(part) if left else None,
            marks=_marks(step, left),
        )

    def _done(self, run: Run, step: Step, done: Ready) -> bool:
        effects, tool = done.effects, done.tool
        return self._recorded_anyway(
            "step.done",
            id=run.id,
            step=step.id,
            verified=True if tool.verify is not None else None,
            after=effects.after(),
            inverse=done.inverse(effects) if effects.changes or tool.effect == "external" else None,
            kept=self._backups(effects.changes),
            marks=_marks(step, effects.changes),
        )

    def _recorded_anyway(self, op: str, marks: Iterable[Mapping[str, Any]] = (), **body: Any) -> bool:
        """Record what was done, and where it came from: also when the run was paused or cancelled meanwhile."""

        def record(work: Work) -> None:
            work.emit(op, "scheduled", **body)
            for mark in marks:
                work.emit("mark.put", "scheduled", **mark)
            told(work, str(body["id"]))

        return self._acts.happen(record)

    def _backups(self, changes: Iterable[Change]) -> dict[str, str]:
        found = {
            (one.moved_from or one.path): self._kept(one.moved_from or one.path, etag_of(one.before))
            for one in changes
            if one.before is not None
        }
        return {path: name for path, name in found.items() if name}

    # ---- a step that was begun, and of whose end nobody knows

    def _examine(self, run: Run, step: Step) -> bool:
        look = self._look()
        past = as_begun(self._registry.get(step.tool), step, look)
        if past is not None and self._came_to_pass(step, past, look):
            return self._done(run, step, past)
        if past is None and self._as_expected(step, look):
            return self._found_done(run, step)
        if self._may_go_on(step, past, look):
            return self._recorded_anyway("step.again", id=run.id, step=step.id)
        return self._doubt(run, step, look)

    def _came_to_pass(self, step: Step, past: Ready, look: Look) -> bool:
        """Whether there is proof; a tool without one has none to show now, unless every note is as it should be."""
        if past.tool.verify is None:
            return bool(step.expects) and not differing(step.expects, look)
        return past.proved(look, step.key)

    def _as_expected(self, step: Step, look: Look) -> bool:
        """Whether every note is, byte for byte, what the step was to leave: then it was done."""
        tool = self._registry.get(step.tool)
        known = tool is not None and not tool.third_party and not step.external
        return known and bool(step.expects) and not differing(step.expects, look)

    def _found_done(self, run: Run, step: Step) -> bool:
        """Record a step of which only the result is left: how to undo it is no longer known."""
        return self._recorded_anyway(
            "step.done",
            id=run.id,
            step=step.id,
            verified=True if step.verifiable else None,
            after=dict(step.expects),
            inverse=None,
            kept={},
        )

    def _may_go_on(self, step: Step, past: Ready | None, look: Look) -> bool:
        """Whether the step may be done: each note is as it was.

        Of a tool of ours each may also be as it will be: what was made is not made again (`Hands.carry`). An effect
        elsewhere leaves no note to tell it by.
        """
        if not step.before or step.external:
            return False
        own = past is not None and not past.tool.third_party
        return not differing(step.before, look, step.expects if own else None)

    def _doubt(self, run: Run, step: Step, look: Look) -> bool:
        detail = differing(step.expects, look)

        def doubt(work: Work) -> None:
            work.emit("step.uncertain", "scheduled", id=run.id, step=step.id, reason="unknown", detail=detail)
            known = work.runs.known(run.id)
            if known is not None and known.status == "running":
                expires = work.expires()
                work.emit("run.uncertain", "scheduled", id=run.id, reason="uncertain", expires_at=expires)
                reshow(work, run.id, "uncertain", known.digest)

        return self._acts.happen(doubt)


def _marks(step: Step, changes: Iterable[Change]) -> list[dict[str, Any]]:
    """Give the bodies of `mark.put` for what a step wrote: it keeps the provenance of the step (R-P01)."""
    found = (
        written(_said(None if one.moved_from else one.before), _said(one.after), step.provenance, one.path)
        for one in changes
        if one.after is not None
    )
    return [body for body in found if body is not None]


def _said(data: bytes | None) -> str:
    return "" if data is None else data.decode("utf-8", "replace")


def key_of(run: Run, step: Step) -> str:
    """Give the idempotency key of a step: hash of run, number and arguments."""
    number = next(n for n, one in enumerate(run.steps, 1) if one.id == step.id)
    spelt = json.dumps([run.id, number, step.tool, dict(step.args)], ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(spelt.encode()).hexdigest()[:32]


def _by_approval(run: Run) -> tuple[str, str]:
    return run.approved_at or "", run.id


def _stopped(run: Run) -> bool:
    """A failed step stops a plan; what an undo cannot bring back does not keep it from the rest."""
    return run.kind != "undo" and any(step.status == "failed" for step in run.steps)
