"""The tools agents call: one table of them, and the way every call takes.

The table holds every tool of interfaces.md but `ask`. None of them approves, delegates, answers a card, reads a code,
sees a private or ignored note, or leaves the vault; whatever they are handed, what they read is judged by the policy
and what they want goes the pipeline's way.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from config.i18n import Catalogue
from daemon.agents import arguments as takes
from daemon.agents import brain, memory, notes, runs
from daemon.agents.answers import Answer, failed, failure_of
from daemon.agents.session import AgentSession, Reply
from daemon.tools.arguments import EntityResolve, MemoryForget, MemorySave, MemoryUpdate, schema, validated

log = logging.getLogger("clavaire.agents")

Handler = Callable[[AgentSession, Any], Answer]


class Hints(NamedTuple):
    """What a client is told a tool does to its world; nothing of ours reaches beyond the vault."""

    read_only: bool
    destructive: bool
    """It may take the place of something, or end it."""
    idempotent: bool
    open_world: bool = False


READS = Hints(read_only=True, destructive=False, idempotent=True)
ADDS = Hints(read_only=False, destructive=False, idempotent=True)
PROPOSES = Hints(read_only=False, destructive=False, idempotent=False)
REPLACES = Hints(read_only=False, destructive=True, idempotent=True)


@dataclass(frozen=True, slots=True)
class AgentTool:
    """One tool as agents see it."""

    name: str
    arguments: type[Any]
    hints: Hints
    handler: Handler

    def description(self, words: Catalogue) -> str:
        """Give what it is for, in the person's language."""
        return words.say(f"agent.tool.{self.name}")

    def schema(self) -> dict[str, Any]:
        """Give the JSON schema of its arguments; nothing else is taken."""
        found = schema(self.arguments)
        return {"type": "object", **{key: value for key, value in found.items() if key not in _UNTOLD}}


_UNTOLD = ("title", "description")
"""Of a schema: how our class is called."""


TABLE: Mapping[str, AgentTool] = {
    one.name: one
    for one in (
        AgentTool("brain_boot", takes.Nothing, READS, brain.brain_boot),
        AgentTool("brain_write", takes.BrainWrite, REPLACES, brain.brain_write),
        AgentTool("brain_state", takes.Nothing, READS, brain.brain_state),
        AgentTool("brain_focus", takes.BrainFocus, REPLACES, brain.brain_focus),
        AgentTool("brain_decisions", takes.Listing, READS, brain.brain_decisions),
        AgentTool("brain_workflows", takes.Listing, READS, brain.brain_workflows),
        AgentTool("memory_recall", takes.MemoryRecallPart, READS, notes.memory_recall),
        AgentTool("memory_save", MemorySave, ADDS, memory.memory_save),
        AgentTool("memory_update", MemoryUpdate, REPLACES, memory.memory_update),
        AgentTool("memory_forget", MemoryForget, REPLACES, memory.memory_forget),
        AgentTool("profile_get", takes.ProfileGetPart, READS, notes.profile_get),
        AgentTool("entity_resolve", EntityResolve, READS, notes.entity_resolve),
        AgentTool("procedure_get", takes.ProcedureGetPart, READS, notes.procedure_get),
        AgentTool("note_search", takes.NoteSearchPart, READS, notes.note_search),
        AgentTool("note_read", takes.NoteReadPart, READS, notes.note_read),
        AgentTool("plan_propose", takes.PlanPropose, PROPOSES, runs.plan_propose),
        AgentTool("run_get", takes.RunGet, READS, runs.run_get),
        AgentTool("run_list", takes.RunList, READS, runs.run_list),
        AgentTool("run_cancel", takes.RunCancel, REPLACES, runs.run_cancel),
    )
}
"""Name → tool, in the order they are listed."""


def call(session: AgentSession, name: str, arguments: Mapping[str, Any]) -> Reply:
    """Make one call; whatever goes wrong is an error that says what to do. The first answer brings now.md along."""
    read: tuple[str, ...] = ()
    try:
        answer = _answer(session, name, arguments)
        read = tuple(dict.fromkeys(one.source for one in answer.read))
        reply, code = Reply((answer.text,), answer.values), "ok"
    except Exception as error:  # a fault of ours is an answer to this call, and must not end the session
        failure = failure_of(error, session.words)
        if failure.code == "internal":
            log.exception("%s failed", name)
        reply, code = Reply((failure.text(),), failure.values(), failed=True), failure.code
    session.log.note(session.app.pipeline.now(), name if name in TABLE else "?", code, read)
    session.receipt()
    return _with_now(session, reply)


def _answer(session: AgentSession, name: str, arguments: Mapping[str, Any]) -> Answer:
    tool = TABLE.get(name)
    if tool is None:
        known = ", ".join(TABLE)
        raise failed(session.words, "no_tool", session.words.say("agent.error.no_tool", known=known))
    answer = tool.handler(session, validated(name, tool.arguments, arguments))
    session.reads.add(answer.read)
    return answer


def _with_now(session: AgentSession, reply: Reply) -> Reply:
    """Give the reply with now.md before it, once a session."""
    if session.given:
        return reply
    try:
        block = brain.pushed(session)
    except Exception as error:  # noqa: BLE001 - an answer is not lost for what should precede it
        log.warning("what precedes an answer is not given: %s", failure_of(error, session.words).said)
        return reply
    return Reply((block, *reply.texts), {**reply.values, "now": block}, reply.failed) if block else reply
