"""now.md on the desk: written once for each writing of it; whatever the person makes of it afterwards stays.

It is wholly ours and yet nobody fights for it: only a writing that the note does not show yet changes it, a note that
was deleted stays away until the next one, and what was replaced is kept in the backups. One that the person made
private or sensitive since is theirs: what was to be written there never is.
"""

from collections.abc import Collection
from datetime import datetime

from config.paths import NAMES
from daemon import sessions
from daemon.desk import Desk
from daemon.history import History
from daemon.memory.now import Brain
from daemon.memory.shown import Shown
from daemon.now_file import KeptBack, read
from daemon.policy.privacy import Declared
from daemon.vault.disk import Reading, etag_of
from daemon.vault.errors import NoteChanged, NoteExists, NoteMissing, VaultError
from parsers.model.edits import SessionEnded
from parsers.model.places import Etag, NotePath, Problem
from parsers.model.register import Event, Record
from renderers.now import brought_up


def abandoned(history: History) -> tuple[SessionEnded, ...]:
    """Give the ends of agents' sessions that ended abruptly, which nobody recorded."""
    return sessions.abandoned(history.folder, history.state.brain.ended)


def keep_now(
    desk: Desk,
    declared: Declared,
    busy: Collection[NotePath],
    now: datetime,
    found: list[Problem],
    records: list[Record],
    written: list[NotePath],
) -> bool:
    """Bring now.md up to what was written last; True when it changed meanwhile and this must be tried again.

    What is wrong, what happened and what was written go to the lists. In `busy` it is left for the next pass.
    """
    brain = desk.history.state.brain
    if not brain.waits or brain.written is None or NAMES.now in busy:
        return False
    try:
        done = _kept(desk, declared, brain)
    except KeptBack:
        done = False
    except (NoteChanged, NoteExists, NoteMissing):
        desk.history.stand(NAMES.now, Shown(Etag("")))
        return True
    except VaultError as error:
        found.append(error.problem)
        return False
    if isinstance(done, Problem):
        found.append(done)
        return False
    written += [NAMES.now] if done else []
    records += desk.history.happen([Event("now.shown", "scheduled", {"written": brain.written.seq})], now)
    desk.history.keep()
    return False


def _kept(desk: Desk, declared: Declared, brain: Brain) -> bool | Problem:
    """Write the note where it does not show what was written; True when it was, a problem where it cannot be."""
    one = read(desk.vault, declared)
    text = _wanted(one, brain)
    if text is None:
        return Problem(NAMES.now, 0, "not_utf8")
    data = text.encode("utf-8")
    if one is not None and (one.data == data or _changed_since(desk, one, data)):
        return False
    # Should this be the last thing that happens here, it is known that what stands there then may be ours.
    desk.history.stand(NAMES.now, Shown(one.etag if one else Etag(""), coming=etag_of(data)))
    done = desk.vault.write(NAMES.now, data, one.etag) if one else desk.vault.create(NAMES.now, data)
    if done.displaced is not None:
        desk.vault.heard(done.displaced)  # a save between reading and writing: replaced, and kept
    desk.history.stand(NAMES.now, Shown(done.etag))
    return True


def _changed_since(desk: Desk, one: Reading, data: bytes) -> bool:
    """Whether a crash came right after this very version was written, and somebody changed it since."""
    before = desk.history.stood(NAMES.now)
    return before is not None and before.coming == etag_of(data) and before.etag != one.etag


def _wanted(one: Reading | None, brain: Brain) -> str | None:
    """The note as it should be; None where another first section cannot be put in."""
    whole = brain.written is not None and min(brain.written.seqs.values()) > brain.shown
    try:
        text = one.data.decode("utf-8", "replace" if whole else "strict") if one else None
    except UnicodeDecodeError:
        return None
    return brought_up(text, brain.written, brain.shown)
