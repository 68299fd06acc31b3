"""The agents whose hooks we know: where their settings stand, what their entries look like, what they read of ours."""

import json
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

Hook = Literal["session-start", "pre-compact"]
HOOKS: tuple[Hook, ...] = ("session-start", "pre-compact")
_SECONDS = 30
"""How long an agent waits for us at the most: the vault's lock is waited for ten."""


@dataclass(frozen=True, slots=True)
class Agent:
    """One agent and its hooks."""

    name: str
    home: str
    """Its settings folder below the home folder."""
    home_variable: str
    """Names another place for it."""
    file: str
    events: Mapping[Hook, str]
    """Our hook → how the agent calls the event."""
    entry: Callable[[str], Any]
    """Gives an entry for a command."""
    commands: Callable[[Any], tuple[str, ...]]
    """Gives the commands of an entry."""
    starts: Callable[[str], str]
    """Gives what session-start prints for a text."""
    compacts: Callable[[str], str]
    """Gives what pre-compact prints for a sentence."""
    begins: Mapping[str, Any]
    """What a new settings file holds besides the hooks."""

    def settings(self, environ: Mapping[str, str], home: Path) -> Path:
        """Give its settings file, whether it exists or not."""
        folder = environ.get(self.home_variable)
        return (Path(folder) if folder else home / self.home) / self.file


def _grouped(command: str) -> Any:
    return {"hooks": [{"type": "command", "command": command, "timeout": _SECONDS}]}


def _in_group(entry: Any) -> tuple[str, ...]:
    inner = entry.get("hooks") if isinstance(entry, dict) else None
    return tuple(spelt for one in inner for spelt in _plain(one)) if isinstance(inner, list) else ()


def _plain(entry: Any) -> tuple[str, ...]:
    spelt = entry.get("command") if isinstance(entry, dict) else None
    return (spelt,) if isinstance(spelt, str) else ()


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _context(text: str) -> str:
    return _json({"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": text}})


_EVENTS: Mapping[Hook, str] = {"session-start": "SessionStart", "pre-compact": "PreCompact"}
AGENTS: Mapping[str, Agent] = {
    one.name: one
    for one in (
        Agent(
            "claude-code",
            ".claude",
            "CLAUDE_CONFIG_DIR",
            "settings.json",
            _EVENTS,
            _grouped,
            _in_group,
            _context,
            str,  # what it prints joins the instructions for the summary; a JSON of another event it would refuse
            {},
        ),
        Agent(
            "codex",
            ".codex",
            "CODEX_HOME",
            "hooks.json",
            _EVENTS,
            _grouped,
            _in_group,
            _context,
            lambda said: _json({"systemMessage": said}),
            {},
        ),
        Agent(
            "cursor",
            ".cursor",
            "",
            "hooks.json",
            {"session-start": "sessionStart", "pre-compact": "preCompact"},
            lambda command: {"command": command},
            _plain,
            lambda text: _json({"additional_context": text}),
            lambda said: _json({"user_message": said}),
            {"version": 1},
        ),
    )
}
"""Name → agent."""


def is_ours(command: str, hook: Hook, agent: str) -> bool:
    """Tell whether a command is the one `hook install` writes for a hook of an agent, wherever clavaire stands."""
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    ends = ["hook", hook, "--client", agent]
    return words[-4:] == ends and Path(words[0]).name.partition(".")[0] == "clavaire"
