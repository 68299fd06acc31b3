"""What is known of runs, and of what may pass without asking, as the fold of the register's records.

`fold` is the only place where a record becomes a run. It is total: a record about a run nobody knows, or that cannot
happen to a run in its status, changes nothing. It reads no setting, no clock and no note (law 1). The evidence of a
run is made here and nowhere else, so a note that shows it says what the register says.
"""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from daemon.policy.autonomy import Autonomy
from daemon.policy.autonomy import fold as fold_autonomy
from daemon.policy.codes import Codes
from daemon.policy.marks import Marks
from daemon.policy.marks import fold as fold_marks
from daemon.runs.changes import BEGINS, TAKES, nothing
from daemon.runs.evidence import happened
from daemon.runs.life import may, next_status, spelt
from parsers.model.register import Record
from parsers.model.runs import Run


@dataclass(slots=True)
class Runs:
    """Runs and permissions at one moment. Only `fold` changes it; `fork` gives a copy that may be folded further."""

    runs: dict[str, Run] = field(default_factory=dict)
    autonomy: Autonomy = field(default_factory=Autonomy)
    codes: Codes = field(default_factory=Codes)
    marks: Marks = field(default_factory=Marks)
    doubted: frozenset[str] = frozenset()
    """Runs about which a line says something that this machine's secret did not seal."""

    def fork(self) -> "Runs":
        """Give a copy; folding one leaves the other as it is."""
        return Runs(dict(self.runs), self.autonomy.fork(), self.codes.fork(), self.marks.fork(), self.doubted)

    def names(self, name: str) -> bool:
        """Tell whether an id is taken."""
        return name in self.runs or name in self.autonomy.delegations

    def known(self, name: str) -> Run | None:
        """Give a run about which something may be decided; one that is doubted is none."""
        return None if name in self.doubted else self.runs.get(name)

    def shown(self) -> tuple[Run, ...]:
        """Give the runs a person or an export sees: all but the unfinished ones that are doubted."""
        return tuple(run for name, run in self.runs.items() if name not in self.doubted or not run.live)

    def live(self) -> tuple[Run, ...]:
        """Give the runs in which something may still happen."""
        return tuple(run for name, run in self.runs.items() if run.live and name not in self.doubted)

    def recent_writes(self, origin: str, now: datetime, burst: timedelta) -> int:
        """Give how many writes an origin made of late outside an approved plan (rule 13)."""
        return sum(
            len([step for step in run.steps if step.risk != "READ" and step.status != "left_out"])
            for run in self.runs.values()
            if run.kind in ("direct", "memory")
            and run.origin == origin
            and run.status != "refused"
            and now - datetime.fromisoformat(run.approved_at or run.requested_at) <= burst
        )


def fold(runs: Runs, record: Record) -> None:
    """Apply one record; a record of another part of clavaire changes nothing here.

    Of lines that nobody vouches for, only marks are read, and what they say of runs is in doubt.
    """
    if record.vouched:
        fold_autonomy(runs.autonomy, record)
        runs.codes.fold(record)
    if record.vouched or record.op == "mark.put":
        fold_marks(runs.marks, record)
    try:
        changed = _changed(runs, record)
    except (KeyError, TypeError, ValueError, AttributeError):
        return  # a line that holds something else than we write: it says nothing
    if changed is not None:
        runs.runs[changed.id] = changed
        if not record.vouched:
            runs.doubted |= {changed.id}


def _changed(runs: Runs, record: Record) -> Run | None:
    """Give the run as a record leaves it, None when it changes none."""
    if record.op in BEGINS:
        name = str(record.body["id"])
        return None if name in runs.runs else BEGINS[record.op](record)
    run = runs.runs.get(str(record.body.get("id")))
    op = spelt(record.op, record.body)
    if run is None or not may(run.status, op):
        return None
    taken = TAKES.get(record.op, nothing)(run, record)
    if taken is None:
        return None
    status = next_status(run.status, op)
    consumed = record.op == "control.used" and record.body.get("control") == "undo"
    counts = status != run.status or (consumed and not record.body.get("stale"))
    evidence = (*run.evidence, *happened(run, record))
    return replace(taken, status=status, transition=run.transition + counts, evidence=evidence)
