"""How much one run may do before a person looks at it again (R-R03); counted from its last start or resumption."""

from dataclasses import dataclass
from datetime import datetime

from parsers.model.runs import Happened, Run

_BEGINS = ("started", "resumed", "recovered")


@dataclass(frozen=True, slots=True)
class Caps:
    """The limits; 0: none."""

    max_writes: int = 50
    max_wall_seconds: int = 300
    max_iterations: int = 500
    """Steps begun, reads and repetitions among them."""
    max_tokens: int = 0
    """Of models that steps asked, where these say how many."""


def reached(run: Run, caps: Caps, now: datetime) -> str:
    """Give the limit that keeps a run from going on, a catalogue key below `run.reason.`; `""` for none."""
    since = stretch(run)
    begun = datetime.fromisoformat(since[0].at) if since else now
    writing = {step.id for step in run.steps if step.risk != "READ"}
    spent = {
        "max_writes": sum(one.what == "step_done" and one.step in writing for one in since),
        "max_wall_seconds": (now - begun).total_seconds(),
        "max_iterations": sum(one.what == "step_started" for one in since),
        "max_tokens": sum(int(dict(one.values).get("tokens", "0")) for one in since),
    }
    return next((name for name, used in spent.items() if 0 < getattr(caps, name) <= used), "")


def stretch(run: Run) -> tuple[Happened, ...]:
    """Give the evidence of a run from its last start or resumption on."""
    at = max((n for n, one in enumerate(run.evidence) if one.what in _BEGINS), default=len(run.evidence))
    return run.evidence[at:]
