"""What keeps private notes apart: a file of their own beside the common one, which holds no byte of them.

SQLite leaves what is deleted in free pages, FTS5 in its older segments. Whatever must not stay there is owed first,
in the transaction that deletes it, and cleaned out after it: a crash or a reader in between only delays it.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field

from daemon.index.memory import scalar, set_scalar
from daemon.index.schema import PRIVATE
from daemon.index.store import Index
from daemon.index.vocabulary import prune
from daemon.policy.privacy import Declared
from parsers.model.places import NotePath

_OWED, _LEFT, _DECLARED = "unclean", "deleted", "declared"


def _gone(_: NotePath) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Guard:
    """What decides where a note's rows go."""

    declared: Declared = field(default_factory=Declared)
    unseen: Callable[[NotePath], bool] = _gone
    """Whether a note that is no longer listed is there all the same: ignored, or in the trash."""
    private: bool = True
    """False in a process that serves agents: it never opens the private file, and leaves such notes to others."""


def owe(index: Index, schema: str) -> None:
    """Remember, in a transaction that deletes rows, that nothing of them may stay in that file."""
    owed = scalar(index, _OWED, [])
    if schema not in owed:
        set_scalar(index, _OWED, [*owed, schema])


def note_deleted(index: Index) -> None:
    """Remember that a note was deleted from the common file, of which something may have stayed there."""
    if not scalar(index, _LEFT):
        set_scalar(index, _LEFT, value=True)


def note_private(index: Index) -> None:
    """Owe what a note that is new among the private ones may have left when it was deleted elsewhere before."""
    if scalar(index, _LEFT):
        owe(index, "")


def clean(index: Index) -> bool:
    """Leave no byte of what was deleted in the files that are owed it; False where a reader still needs some.

    Not inside a transaction; each word index is optimised, each file vacuumed, its log emptied.
    """
    owed = scalar(index, _OWED)
    if not owed or index.connection.in_transaction:
        return True
    db, done = index.connection, True
    for schema in owed:
        if schema == PRIVATE and not index.private:
            continue
        name = schema.rstrip(".") or "main"
        db.execute(f"INSERT INTO {schema}words(words) VALUES('optimize')")
        with index.batch():
            prune(db, schema)
        db.execute(f"INSERT INTO {schema}parts(parts) VALUES('optimize')")
        db.execute(f"VACUUM {name}")
        busy = db.execute(f"PRAGMA {name}.wal_checkpoint(TRUNCATE)").fetchone()[0]
        done = done and not busy
    if done:
        with index.batch():
            db.execute("DELETE FROM scalars WHERE name IN (?, ?)", (_OWED, _LEFT))
    return done


def known(index: Index) -> Declared:
    """Give what the folders declared when the index was last brought in step."""
    spelt = scalar(index, _DECLARED)
    if not spelt:
        return Declared()
    private, sensitive, provenance = spelt
    return Declared(
        tuple(private), tuple(sensitive), tuple((folder, source) for folder, source in provenance)
    )


def keep(index: Index, declared: Declared) -> None:
    """Remember what the folders declare now."""
    spelt = [declared.private, declared.sensitive, declared.provenance]
    if json.loads(json.dumps(spelt)) != scalar(index, _DECLARED, [[], [], []]):
        set_scalar(index, _DECLARED, spelt)
