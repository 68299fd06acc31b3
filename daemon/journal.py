"""Notes wholly ours on disk: rendered again when they differ, left alone where another program fights for them.

They are Journal.md, and Plans.base which lists the plan notes.
"""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import partial

from config.paths import NAMES
from daemon import managed
from daemon.desk import Desk
from daemon.history import History
from daemon.managed import Showing
from daemon.memory.moment import Moment
from daemon.memory.places import note_of
from daemon.memory.shown import Shown
from daemon.vault.errors import NoteChanged, NoteMissing, VaultError
from parsers.model.places import NotePath, Problem
from parsers.model.runs import Run
from renderers.journal_runs import Known

_FIGHT = timedelta(minutes=10)
_RENDERS: Mapping[NotePath, Callable[[History, Showing], str]] = {
    NAMES.journal: lambda history, showing: managed.journal(known(history), showing),
    NotePath(NAMES.plans_base): lambda _, showing: managed.plans_base(showing),
}


def known(history: History) -> Known:
    """Give what the journal says of facts, runs and delegations besides their records."""

    def gone(run: Run) -> frozenset[str]:
        stood = history.stood(run.path) if run.path else None
        return stood.ids.get(managed.GONE, frozenset()) if stood else frozenset()

    runs = history.runs
    state = history.state
    permits = runs.autonomy.delegations.get
    return Known(state.latest, runs.runs.get, permits, gone, state.entities.get, partial(note_of, state))


def keep_owned(
    desk: Desk,
    path: NotePath,
    before: Shown | None,
    moment: Moment,
    showing: Showing,
    found: list[Problem],
) -> list[NotePath]:
    """Write a note of ours if it is not as it should be; problems go to `found`. Gives its path when it was written."""
    data = _RENDERS[path](desk.history, showing).encode("utf-8")
    try:
        one = desk.vault.read(path)
    except NoteMissing:
        return _made(desk, path, data, found)
    except VaultError as error:
        found.append(error.problem)
        return []
    if one.linked:
        found.append(Problem(path, 0, "linked_note"))
        return []
    if one.data == data:
        if before is None or before.etag != one.etag:
            desk.history.stand(path, Shown(one.etag))
        return []
    changed = before.changed_at if before else ()
    if before is not None and before.etag != one.etag:
        changed = (*changed, moment.at)[-2:]
    if _fought(changed, moment, showing):
        found.append(Problem(path, 0, "changed_back"))
        return []
    try:
        done = desk.vault.write(path, data, one.etag)
    except (NoteChanged, NoteMissing):
        return []
    except VaultError as error:
        found.append(error.problem)
        return []
    desk.history.stand(path, Shown(done.etag, changed_at=changed))
    return [path]


def _made(desk: Desk, path: NotePath, data: bytes, found: list[Problem]) -> list[NotePath]:
    try:
        done = desk.vault.create(path, data)
    except VaultError as error:
        found.append(error.problem)
        return []
    desk.history.stand(path, Shown(done.etag))
    return [path]


def _fought(changed: tuple[str, ...], moment: Moment, showing: Showing) -> bool:
    """Tell whether a wholly owned note was changed back twice within ten minutes, today (a formatter, say)."""
    if len(changed) < 2:
        return False
    first, last = (datetime.fromisoformat(at) for at in changed)
    return last - first <= _FIGHT and last.astimezone(showing.zone).date() == moment.today
