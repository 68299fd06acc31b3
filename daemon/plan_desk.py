"""The plan notes on the desk: which a pass looks at, whose run each is, and how a run gets its note.

A run's note is the one at the path in its last `plan.shown`. Any other note with its id is a copy in which nothing
counts; one that is alone when that path is gone is the note, moved (vault-notes.md, Plans).
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from daemon.consent import plan_edits, plan_view, plan_wanted
from daemon.desk import Desk
from daemon.managed import Showing
from daemon.memory.moment import instant
from daemon.memory.shown import Shown
from daemon.runs.state import fold
from daemon.source import PLANS, Source, is_plan
from daemon.vault.errors import NoteChanged, NoteExists, NoteMissing, VaultError
from daemon.vault.walk import Listing
from parsers.model.places import NotePath, Problem
from parsers.model.register import Event, Record
from parsers.model.run_edits import Approve, Moved, RunEdit
from parsers.model.runs import Request, Run
from parsers.plan_proposal import proposal
from renderers import plan as plan_renderer

_NAMES_TRIED = 20


@dataclass(slots=True)
class Wishes:
    """What the plan notes of a pass ask for."""

    edits: list[RunEdit] = field(default_factory=list)
    proposals: list[tuple[Source, Request]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


@dataclass(slots=True)
class Brought:
    """What bringing the notes of runs up came to."""

    written: list[NotePath] = field(default_factory=list)
    shown: list[Event] = field(default_factory=list)
    """The `plan.shown` of notes that were made."""
    problems: list[Problem] = field(default_factory=list)
    again: bool = False
    """A note changed meanwhile: the pass must be made again."""


class PlanDesk:
    """The plan notes of one vault; every call is under the vault's lock."""

    def __init__(self, desk: Desk, *, every_code: bool) -> None:
        self.desk, self.history, self.vault = desk, desk.history, desk.vault
        self._every_code = every_code

    # ---- reading

    def sources(
        self, changed: Collection[NotePath] | None, listing: Listing | None, busy: Collection[NotePath]
    ) -> dict[NotePath, Source]:
        """Read the plan notes that may say something new, or of whose run something new is to be said."""
        known = self._by_path()
        looked = {path for path in changed or () if is_plan(path)}
        if listing is not None:
            looked |= {entry.path for entry in listing.entries if is_plan(entry.path)}
        looked |= {
            run.path for run in self.history.runs.shown() if run.path and (run.live or self._unsaid(run))
        }
        found: dict[NotePath, Source] = {}
        for path in sorted(looked - set(busy)):
            run = known.get(path)
            stood = self.history.stood(path)
            reading = self.desk.on_disk(path)
            same = reading is not None and stood is not None and reading.etag == stood.etag
            if same and run is not None and not self._unsaid(run) and path not in self.desk.displaced:
                continue
            found[path] = self.desk.read(path)
        return found

    def _unsaid(self, run: Run) -> bool:
        return self.history.unsaid is None or run.id in self.history.unsaid

    def _by_path(self) -> dict[NotePath, Run]:
        return {run.path: run for run in self.history.runs.shown() if run.path}

    # ---- what they ask for

    def wishes(self, sources: Mapping[NotePath, Source], now: Callable[[NotePath], str]) -> Wishes:
        """Give what the notes ask for; `now` gives the etag of a note, `""` where none stands."""
        found, known = Wishes(), self._by_path()
        strays: dict[str, list[Source]] = {}
        for path, one in sources.items():
            found.problems += one.problems
            if not one.usable or one.plan is None:
                continue
            run = known.get(path)
            if run is not None:
                found.problems += one.plan.problems
                if one.plan.run == run.id and run.id not in self.history.runs.doubted:
                    found.edits += plan_edits(one.plan, run, now)
            elif one.plan.run in self.history.runs.runs:
                strays.setdefault(str(one.plan.run), []).append(one)
            elif one.plan.plan:
                self._propose(one, found)
        for name, copies in strays.items():
            self._stray(self.history.runs.runs[name], copies, found)
        found.edits.sort(key=lambda edit: isinstance(edit, Approve) - isinstance(edit, Moved))
        return found

    def _propose(self, one: Source, found: Wishes) -> None:
        request = proposal(one.text or "", one.path)
        if isinstance(request, Problem):
            found.problems.append(request)
        elif request is not None:
            found.proposals.append((one, request))

    def _stray(self, run: Run, copies: list[Source], found: Wishes) -> None:
        """Notes with the id of a run that stand elsewhere than its note."""
        there = run.path is not None and self.desk.on_disk(run.path) is not None
        if len(copies) == 1 and run.path is not None and not there and self._alone(run, copies[0].path):
            found.edits.append(Moved(run.id, copies[0].path))
            return
        at = (("run", run.id), ("note", run.path or ""))
        found.problems += [Problem(one.path, 0, "plan_copy", at) for one in copies]

    def _alone(self, run: Run, path: NotePath) -> bool:
        """Whether no other note in the folder bears the run's id."""
        others = [entry.path for entry in self.vault.walk().entries if is_plan(entry.path)]
        return not any(
            (source := self.desk.read(other)).plan is not None and source.plan.run == run.id
            for other in others
            if other != path
        )

    # ---- writing

    def write(
        self, sources: Mapping[NotePath, Source], showing: Showing, busy: Collection[NotePath]
    ) -> Brought:
        """Bring the notes of runs up."""
        done = Brought()
        for run in self._wanted(sources):
            if run.path in busy:
                continue
            try:
                if run.path is None or (run.live and self._is_gone(run.path)):
                    done.shown += self._make(run, showing, done.written)
                elif run.path in sources:
                    done.written += self._bring_up(run, sources[run.path], showing)
            except (NoteChanged, NoteExists, NoteMissing):
                done.again = True
            except VaultError as error:
                done.problems.append(error.problem)
        return done

    def _is_gone(self, path: NotePath) -> bool:
        try:
            return self.vault.entry(path) is None
        except VaultError:
            return False

    def _wanted(self, sources: Mapping[NotePath, Source]) -> Iterable[Run]:
        """The runs whose notes may not say what is known of them; what was refused as it came gets none."""
        for run in self.history.runs.shown():
            never = run.kind == "memory" or (run.path is None and run.status == "refused")
            if not never and (run.path is None or run.live or self._unsaid(run) or run.path in sources):
                yield run

    def _bring_up(self, run: Run, one: Source, showing: Showing) -> list[NotePath]:
        if one.vanished or one.etag is None:
            self.history.said(run.id)
            return []
        want = plan_wanted(one, run, showing, every_code=self._every_code)
        done = self.desk.write(one, want, self.history.stood(one.path), showing)
        if want is not None:
            self.history.said(run.id)
            if not done:
                self.history.stand(one.path, replace(want.stands, etag=one.on_disk or one.etag))
        return done

    def _make(self, run: Run, showing: Showing, written: list[NotePath]) -> list[Event]:
        """Write the note of a run that has none; it says already that it is shown."""
        for path in self._free_names(run, showing):
            event = Event("plan.shown", "scheduled", {"id": run.id, "path": path})
            shows = plan_view(self._as_shown(run, event, showing), showing, every_code=self._every_code)
            text = plan_renderer.render(shows, None, None, None)
            try:
                done = self.vault.create(path, text.encode("utf-8"))
            except NoteExists:
                standing = self.desk.read(path)
                if standing.plan is None or standing.plan.run != run.id:
                    continue
            else:
                # Made again, it may read otherwise than what was shown there: then the next pass shows it again.
                if plan_renderer.shown_in(text) == run.shown:
                    self.history.stand(path, Shown(done.etag))
                written.append(path)
            return [event] if run.path != path else []
        return []

    def _as_shown(self, run: Run, event: Event, showing: Showing) -> Run:
        if run.path is not None:
            return run
        runs = replace(self.history.runs, runs={run.id: run})
        at = max(showing.stamp, self.history.mark.at)  # as the register will say it
        fold(runs, Record(0, at, event.op, event.by, event.body))
        return runs.runs[run.id]

    def _free_names(self, run: Run, showing: Showing) -> Iterable[NotePath]:
        if run.path is not None:
            yield run.path
            return
        day = instant(run.requested_at).astimezone(showing.zone).date().isoformat()
        stem = plan_renderer.note_name(run, day).removesuffix(".md")
        yield NotePath(f"{PLANS}{stem}.md")
        for number in range(2, _NAMES_TRIED):
            yield NotePath(f"{PLANS}{stem} {number}.md")
