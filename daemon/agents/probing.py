"""What a plan must not be used for: to find out, guess by guess, what stands in a note that its agent may not read.

A step that takes an exact text or heading is planned or not by what the note holds: the answer alone would tell. Where
an agent may not read the note it is refused like the reading; in a note that it may read, what stands in comments is
not there for it.
"""

from collections.abc import Sequence

from daemon.agents.answers import failed
from daemon.agents.arguments import PlanStep
from daemon.agents.session import AgentSession
from daemon.runs.drafting import Planning
from daemon.vault.errors import VaultError
from parsers.model.notes import visible
from parsers.model.places import NotePath
from parsers.model.policy import Decision
from parsers.note import scan

_EXACT = {
    "note_edit": "old",
    "section_replace": "heading",
    "property_remove": "key",
    "task_set": "task",
    "note_append": "heading",
    "task_add": "heading",
}
"""Tool → the argument that must stand in the note."""
_SENSITIVE = 3
"""The rule by which what is sensitive leaves for nobody outside."""


def check_probes(session: AgentSession, steps: Sequence[PlanStep]) -> None:
    """Check that no step of a plan asks what a note holds that this agent is not given.

    Raises:
        Failed: one does; where it is about a sensitive note the refusal is in the register.
    """
    if not any(map(_asks, steps)):
        return
    snapshot = session.snapshot
    with snapshot.still():
        plan = session.planning(snapshot)
    stood: dict[NotePath, NotePath] = {}
    for step in steps:
        path = _path(plan, step.args.get("path"))
        path = stood.get(path, path)
        if _asks(step):
            _check(session, plan, step, path)
        if step.tool == "note_move":
            stood[_path(plan, step.args.get("to"))] = path


def _asks(step: PlanStep) -> bool:
    return any(isinstance(step.args.get(name), str) for name in (_EXACT.get(step.tool, ""), "expected_etag"))


def _check(session: AgentSession, plan: Planning, step: PlanStep, path: NotePath) -> None:
    text = _text(plan, path)
    if text is None:
        return
    if plan.declares(path, text.encode()).sensitivity == "sensitive":
        reasons = (("data_sensitive", step.tool),)
        session.refuse(step.tool, Decision("refused", _SENSITIVE, reasons, alert=True))
    old = step.args.get("old")
    if step.tool == "note_edit" and isinstance(old, str) and _only_hidden(text, old):
        raise failed(session.words, "arguments", session.words.say("amend.text_missing"))


def _path(plan: Planning, named: object) -> NotePath:
    return plan.look.target(named if isinstance(named, str) else "").path


def _text(plan: Planning, path: NotePath) -> str | None:
    try:
        data = plan.look.read(path)
    except VaultError:
        return None
    return None if data is None else data.decode("utf-8", "replace")


def _only_hidden(text: str, old: str) -> bool:
    """Whether a text stands in a note, but not in what a reader outside is given of it."""
    if not old or old not in text:
        return False
    return old not in visible(text, scan(text).comments, 0, len(text))
