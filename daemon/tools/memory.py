"""The tools that write memory, as the policy sees them: what they do goes the memory's own way, as an edit."""

from functools import partial
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
_memory_tool = partial(tool, domain=DOMAIN, inverse=None, verify=None, carried_by=CARRIED, proposable=False)
"""Undoing and proving are the memory's own."""


@_memory_tool("memory_save", MemorySave, roles=_WORDS)
def memory_save(args: Any, look: Look) -> Effects:  # noqa: ARG001 - see `Plan`
    """A fact to keep."""
    return Effects(says="memory_save")


@_memory_tool("memory_update", MemoryUpdate, roles=_WORDS)
def memory_update(args: Any, look: Look) -> Effects:  # noqa: ARG001 - see `Plan`
    """Another wording of a fact."""
    return Effects(says="memory_update")


@_memory_tool("memory_forget", MemoryForget)
def memory_forget(args: Any, look: Look) -> Effects:  # noqa: ARG001 - see `Plan`
    """A fact less."""
    return Effects(says="memory_forget")


TOOLS: tuple[Tool, ...] = (memory_save, memory_update, memory_forget)
