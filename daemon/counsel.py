"""What a pass decides runs with: the policy as it stands, the notes as they are, how a plan will be shown."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from daemon.consent import seal
from daemon.desk import Desk
from daemon.index.search import search
from daemon.managed import Showing
from daemon.memory.moment import Deliberation, Moment
from daemon.permission import Rules
from daemon.planning import Client, asker, memory_of, planning, terms
from daemon.runs.asking import BadRequest
from daemon.runs.deciding import propose
from daemon.runs.drafting import Planning
from daemon.runs.proposing import again, prepare
from daemon.runs.state import Runs
from daemon.runs.work import Prepared, Work
from daemon.snapshot import reading
from daemon.source import Source, Sources
from daemon.tools.effects import VaultLook
from daemon.tools.known import Registry
from daemon.tools.tool import Memory
from parsers.model.places import NotePath, Problem
from parsers.model.recall import Query, Recalled
from parsers.model.runs import Request, Run


class Counsel:
    """Prepares plans, and the scratch on which runs are decided; every call is under the vault's lock."""

    def __init__(
        self,
        desk: Desk,
        rules: Rules,
        registry: Callable[[], Registry],
        moment: Callable[[], Moment],
        memory: bool,  # noqa: FBT001 - as the settings say them
        private: bool,  # noqa: FBT001
    ) -> None:
        """Take what plans are made with; whether memory is on, and whether private notes may be opened here."""
        self._desk, self.rules, self._registry, self._moment = desk, rules, registry, moment
        self._history, self._remembers, self._private = desk.history, memory, private

    def work(self, memory: Deliberation, showing: Showing, sources: Sources | None = None) -> Work:
        """Give the scratch for runs beside that of memory; `sources` are plan notes that were read."""
        plans = sources or {}
        runs = self._history.runs.fork()
        replan, sealed = partial(self._replan, showing, plans, runs), partial(self._seal, showing, plans)
        secret = self._history.register.secret
        return Work(memory, runs, terms(secret, replan, self.rules, sealed, self._registry))

    def planning(
        self, showing: Showing, sources: Sources | None = None, runs: Runs | None = None
    ) -> Planning:
        """Give what a plan is made with now; `runs`: as the decisions under way leave them."""
        look, sealed = VaultLook(self._desk.vault), partial(self._seal, showing, sources or {})
        known, moment = self._history.runs if runs is None else runs, self._moment()
        memory = self._memory(moment) if self._remembers else None
        return planning(look, self._search, self._registry(), known, moment, self.rules, sealed, memory)

    def _memory(self, moment: Moment) -> Memory:
        history, no_index = self._history, self.rules.words.say("error.no_index")

        def recalled(query: Query) -> Recalled:  # of what the index holds: all that has happened
            from daemon.recall.recollecting import recall  # noqa: PLC0415 - stems and more, for plans that recall

            with reading(history.folder, no_index, private=self._private) as snapshot:
                return recall(snapshot, query, now=moment.now, zone=self.rules.zone)

        return memory_of(history.index, history.state, moment, recalled)

    def _search(self, query: str, limit: int) -> list[tuple[NotePath, dict[str, Any]]]:
        return [
            (NotePath(hit.path), hit._asdict())
            for hit in search(self._history.index.connection, query, limit)
        ]

    def take_note(self, work: Work, one: Source, request: Request, showing: Showing) -> list[Problem]:
        """Propose a plan that came as a note: it is the vault's, and that very note shows it."""
        there = {one.path: one}
        plan = self.planning(showing, runs=work.runs)
        plan = replace(plan, seal=lambda run: self._seal(showing, there, replace(run, path=one.path)))
        who = asker(Client("person", "vault", keyed=False), work.runs, work.moment, self.rules)
        try:
            prepared = prepare(request, who, plan)
        except BadRequest as error:
            return [Problem(one.path, 0, "plan_bad", (("why", str(error)),))]
        propose(work, prepared, one.path)
        work.emit("plan.shown", "scheduled", id=prepared.run.id, path=one.path)
        return []

    def _seal(self, showing: Showing, sources: Sources, run: Run) -> tuple[str, str]:
        one = sources.get(run.path) if run.path else None
        return seal(run, one, showing, every_code=self.rules.every_code)

    def _replan(self, showing: Showing, sources: Sources, runs: Runs, run: Run) -> Prepared:
        """Plan a run that waits anew, from the notes as they are."""
        if run.path and run.path not in sources:
            sources = {**sources, run.path: self._desk.read(run.path)}
        client = Client(run.origin, run.instruction, keyed=run.keyed)
        who = asker(client, runs, self._moment(), self.rules)
        return again(run, who, self.planning(showing, sources, runs))
