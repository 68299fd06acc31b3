"""The tools that write memory, as the policy sees them: what they do goes the memory's own way, as an edit."""

from typing import Any

from daemon.tools.arguments import MemoryForget, MemorySave, MemoryUpdate
from daemon.tools.effects import Effects, Look
from daemon.tools.tool import Tool, tool
from parsers.model.policy import Role

_WORDS: dict[str, Role] = {
    "text": "text",
    "about": "text",
    "kind": "query",
    "since": "query",
    "confidence": "query",
}
DOMAIN = CARRIED = "memory"


@tool(
    "memory_save",
    MemorySave,
    domain=DOMAIN,
    roles=_WORDS,
    inverse=None,
    verify=None,
    carried_by=CARRIED,
    proposable=False,
)
def memory_save(args: Any, look: Look) -> Effects:  # noqa: ARG001 - see `Plan`
    """A fact to keep."""
    return Effects(says="memory_save")


@tool(
    "memory_update",
    MemoryUpdate,
    domain=DOMAIN,
    roles=_WORDS,
    inverse=None,
    verify=None,
    carried_by=CARRIED,
    proposable=False,
)
def memory_update(args: Any, look: Look) -> Effects:  # noqa: ARG001 - see `Plan`
    """Another wording of a fact."""
    return Effects(says="memory_update")


@tool(
    "memory_forget",
    MemoryForget,
    domain=DOMAIN,
    inverse=None,
    verify=None,
    carried_by=CARRIED,
    proposable=False,
)
def memory_forget(args: Any, look: Look) -> Effects:  # noqa: ARG001 - see `Plan`
    """A fact less."""
    return Effects(says="memory_forget")


TOOLS: tuple[Tool, ...] = (memory_save, memory_update, memory_forget)
