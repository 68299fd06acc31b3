"""Journal.md on disk: wholly ours, rendered again when it differs, left alone where another program fights for it."""

from datetime import datetime, timedelta

from config.paths import NAMES
from daemon import managed
from daemon.desk import Desk
from daemon.managed import Showing
from daemon.memory.moment import Moment
from daemon.memory.shown import Shown
from daemon.vault.errors import NoteChanged, NoteMissing, VaultError
from parsers.model.places import NotePath, Problem

_FIGHT = timedelta(minutes=10)


def keep_journal(
    desk: Desk, before: Shown | None, moment: Moment, showing: Showing, found: list[Problem]
) -> list[NotePath]:
    """Write the journal if it is not as it should be; problems go to `found`. Gives its path when it was written."""
    path = NAMES.journal
    data = managed.journal(desk.history.state, showing).encode("utf-8")
    try:
        one = desk.vault.read(path)
    except NoteMissing:
        return _made(desk, data, found)
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


def _made(desk: Desk, data: bytes, found: list[Problem]) -> list[NotePath]:
    try:
        done = desk.vault.create(NAMES.journal, data)
    except VaultError as error:
        found.append(error.problem)
        return []
    desk.history.stand(NAMES.journal, Shown(done.etag))
    return [NAMES.journal]


def _fought(changed: tuple[str, ...], moment: Moment, showing: Showing) -> bool:
    """Tell whether a wholly owned note was changed back twice within ten minutes, today (a formatter, say)."""
    if len(changed) < 2:
        return False
    first, last = (datetime.fromisoformat(at) for at in changed)
    return last - first <= _FIGHT and last.astimezone(showing.zone).date() == moment.today
