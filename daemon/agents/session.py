"""One agent's session: who it is, what it has read, and the one way its calls take.

A read goes the way of a plan's READ step: planned, judged by the policy, remembered. A wish goes to the pipeline as any
edit does, with all that was read before. Nothing here approves, delegates, answers a card or knows a code.
"""

import contextlib
import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from config.settings import zone
from daemon import managed
from daemon.agents.answers import closed, failed, refused, unavailable
from daemon.agents.keys import Client as Who
from daemon.agents.log import SessionLog
from daemon.agents.reads import Reads
from daemon.app import App, check_kept
from daemon.consent import Wish
from daemon.index.declared import etags
from daemon.index.search import search
from daemon.index.store import NoIndex
from daemon.memory.moment import Moment
from daemon.overview import is_kept
from daemon.pipeline import Outcome
from daemon.planning import Client, asker, memory_of, planning
from daemon.policy.lineage import Output
from daemon.recall.embedding import nearness
from daemon.recall.recollecting import recall
from daemon.runs.drafting import Draft, Planning, draft, found_of
from daemon.runs.refusing import refuse_call
from daemon.runs.work import Work
from daemon.snapshot import Snapshot
from daemon.tools.effects import VaultLook
from daemon.tools.tool import Memory
from daemon.vault.errors import VaultError
from parsers.errors import ClavaireError
from parsers.ids import RUN, STEP
from parsers.model.edits import Edit
from parsers.model.places import NotePath
from parsers.model.policy import Argument, Decision
from parsers.model.runs import Run, Step

log = logging.getLogger("clavaire.agents")

_SESSION = 8
"""Random bytes of a session's id."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What goes back to a client: texts, the first of them `now.md` where it is given, and the same as values."""

    texts: tuple[str, ...]
    values: Mapping[str, Any]
    failed: bool = False


class AgentSession:
    """The calls of one client, one at a time, all of them in one thread."""

    def __init__(self, app: App, who: Who) -> None:
        """Take a vault wired by `open_for_agents`, and who is at the other end."""
        self.app, self.who = app, who
        self.words = app.words
        self.reads = Reads()
        self.proposed: set[str] = set()
        """Runs that this session asked for."""
        self.given = False
        """Whether it was given now.md."""
        self.id = os.urandom(_SESSION).hex()
        self.log = SessionLog(app.folder, self.id, who.origin)
        self._opened: Snapshot | None = None
        self._receipts: list[Edit] = []
        """What is still to be recorded, once the vault's lock is free."""

    # ---- the life of a session

    @property
    def snapshot(self) -> Snapshot:
        """The index as it is now, without the private notes.

        Raises:
            NoIndex: there is none yet.
        """
        if self._opened is None:
            near = nearness(self.app.settings.recall.model, self.words, log.warning)
            no_index = self.words.say("error.no_index")
            self._opened = Snapshot.open(self.app.folder, no_index, private=False, near=near)
        return self._opened

    def close(self) -> None:
        """End the session: its receipt goes into the register, or stays for the next one to write."""
        recorded = False
        with contextlib.suppress(ClavaireError, OSError):
            told = self.log.ended()
            recorded = told is not None and self.submit([*self._receipts, told]).closed is None
        self.log.close(recorded=recorded)
        if self._opened is not None:
            self._opened.close()
            self._opened = None
        self.app.close()

    def receipt(self, edit: Edit | None = None) -> None:
        """Record what this session was given: now where nobody holds the vault, else later; no reader waits for it."""
        self._receipts += [edit] if edit else []
        with contextlib.suppress(ClavaireError, OSError):
            if self._receipts:
                with self.app.vault.locked(0):
                    pass
                self.submit(self._receipts)
                self._receipts.clear()

    # ---- reading

    def planning(self, snapshot: Snapshot) -> Planning:
        """Give what a call is planned and judged with, as the index has it: no lock is taken."""
        around = self.app.pipeline.around
        state, runs = snapshot.state(), snapshot.runs()
        moment = around.moment(state)
        look = VaultLook(self.app.vault)
        hits = partial(_hits, snapshot)
        memory = self._memory(snapshot, moment)
        return planning(look, hits, around.registry(), runs, moment, around.rules, _unsealed, memory)

    def _memory(self, snapshot: Snapshot, moment: Moment) -> Memory | None:
        if not self.app.settings.memory.enabled:
            return None
        recalled = partial(recall, snapshot, now=moment.now, zone=zone(self.app.settings))
        return memory_of(snapshot.index, snapshot.state(), moment, recalled)

    def client(self) -> Client:
        """Give who asks, with all that was read."""
        return Client(self.who.origin, keyed=self.who.keyed, outputs=self.reads.outputs)

    def read(self, tool: str, args: Mapping[str, Any]) -> tuple[Output, ...]:
        """Give what a tool that reads gives this client; what is sensitive is left out, whatever the tool says.

        Raises:
            Failed: the policy refuses it; the refusal is in the register.
            BadRequest, ToolError: it cannot be.
        """
        drafted = self.drafted(tool, args)
        if drafted.decision.kind != "allowed":
            self.refuse(tool, drafted.decision)
        return tuple(one for one in drafted.outputs if one.sensitivity == "normal")

    def drafted(self, tool: str, args: Mapping[str, Any]) -> Draft:
        """Give what a tool that reads would give this client, with what the policy says of it.

        Raises:
            BadRequest, ToolError, RefusedEarly: it cannot be.
        """
        snapshot = self.snapshot
        with snapshot.still():
            plan = self.planning(snapshot)
            plan.registry[tool].validated(args)
            runs, moment = snapshot.runs(), plan.moment
            # Nothing of the vault's own reads depends on where a query's words come from: they are not looked up.
            asking = Client(self.who.origin, keyed=self.who.keyed)
            who = asker(asking, runs, moment, self.app.pipeline.around.rules)
            return draft(Step(moment.new_id(STEP), tool, args), 1, (), who, plan, 0)

    def refuse(self, tool: str, decision: Decision) -> None:
        """Refuse a call: an event where one can be recorded, and the error.

        Raises:
            Failed: always.
        """

        def decide(work: Work) -> None:
            refuse_call(work, work.moment.new_id(RUN), tool, self.who.origin, decision)

        with self.writing():
            self.app.pipeline.happen(decide)
        raise refused(self.words, decision)

    def etag(self, path: str) -> str | None:
        """Give the version of a note whose words this client found, None where the note has another by now."""
        try:
            now = str(self.app.vault.read(NotePath(path)).etag)
        except VaultError:
            return None
        return now if etags(self.snapshot.index, [path]).get(path) == now else None

    def found(self, tool: str, args: Mapping[str, Any]) -> tuple[Argument, ...]:
        """Give where the arguments of a wish come from, in all that this session has read."""
        snapshot = self.snapshot
        around = self.app.pipeline.around
        runs = snapshot.runs()
        who = asker(self.client(), runs, around.moment(snapshot.state()), around.rules)
        given = {name: value for name, value in args.items() if value is not None}
        return found_of(around.registry()[tool], given, who.said, runs.marks.known)

    # ---- wishes

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """Let something be recorded, where the vault is there and its index is one that this process may use.

        Raises:
            VaultMissing, VaultCopied: nothing may be written here.
            NoIndex: it has to be made first, with the private notes, which this process never opens.
        """
        check_kept(self.app)
        try:
            yield
        except NoIndex:
            self.app.history.close()
            raise

    def submit(self, edits: Sequence[Edit] = (), wishes: Sequence[Wish] = ()) -> Outcome:
        """Hand in wishes: recorded when this returns, or why nothing can be.

        Raises:
            VaultBusy: others held the vault all the time; nothing was recorded.
        """
        with self.writing():
            return self.app.pipeline.submit(edits, wishes)

    def hand_in(self, edits: Sequence[Edit] = (), wishes: Sequence[Wish] = ()) -> Outcome:
        """Hand in wishes, and let the notes follow where no process keeps them; nothing is carried out here.

        Raises:
            Failed: nothing can be recorded.
        """
        outcome = self.submit(edits, wishes)
        if outcome.closed:
            raise closed(self.words, outcome.closed)
        with contextlib.suppress(
            ClavaireError, OSError
        ):  # it has happened: the notes follow with the next pass
            executor = self.app.vault.executor()
            if executor is not None:
                with executor:
                    self.app.pipeline.sync(managed.SHOWN_NOTES, busy=self._busy())
        return outcome

    def _busy(self) -> set[NotePath]:
        """Give the notes that somebody saved within the settle time, and may be typing in."""
        now = self.app.pipeline.now().timestamp()
        plans = [run.path for run in self.app.history.runs.live() if run.path]
        paths = (*managed.SHOWN_NOTES, *plans)
        return {path for path in paths if self._saved_after(path, now - self.app.settings.watch.settle, now)}

    def _saved_after(self, path: NotePath, start: float, now: float) -> bool:
        try:
            entry = self.app.vault.entry(path)
        except VaultError:
            return False
        lately = entry is not None and start < entry.mtime_ns / 1e9 <= now
        return lately and not self.app.pipeline.desk.is_as_left(path)

    # ---- its own runs

    def owns(self, run: Run) -> bool:
        """Tell whether a run is this client's: by its key, else by this session alone."""
        return run.origin == self.who.origin and (self.who.keyed or run.id in self.proposed)

    def own_runs(self) -> Iterator[Run]:
        """Give this client's runs, the oldest first."""
        found = [run for run in self.snapshot.runs().shown() if self.owns(run) and not _hides(run)]
        yield from sorted(found, key=lambda run: (run.requested_at, run.id))

    def own_run(self, name: str) -> Run:
        """Give one of this client's runs; another's does not exist for it.

        Raises:
            Failed: there is none.
        """
        bare = name.removeprefix("^")
        run = next((one for one in self.own_runs() if one.id == bare), None)
        if run is None:
            raise failed(self.words, "not_found", self.words.say("agent.error.no_run"))
        return run

    def moment(self) -> Moment:
        """Give when it is, and the settings that bear on memory."""
        return self.app.pipeline.around.moment(self.snapshot.state())

    def today(self) -> str:
        """Give the local ISO day."""
        return self.moment().today.isoformat()

    def executing(self) -> bool:
        """Tell whether a process carries out what is approved."""
        return is_kept(self.app.vault)


def _hides(run: Run) -> bool:
    """Whether a plan was refused for a note that does not exist for its client: then neither does the plan."""
    return run.status == "refused" and any(
        step.decision == "refused" and unavailable(step.rule, step.reasons) for step in run.steps
    )


def _hits(snapshot: Snapshot, query: str, limit: int) -> list[tuple[NotePath, dict[str, Any]]]:
    found = search(snapshot.index.connection, query, limit, agent=True, external=True)
    return [(NotePath(hit.path), hit._asdict()) for hit in found]


def _unsealed(run: Run) -> tuple[str, str]:
    """A call that only reads becomes no plan: it has no digest."""
    del run
    return "", ""
