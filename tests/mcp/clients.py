"""Agents in tests: a session without a protocol around it, the official client beside it, and one over stdio."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Self, TypeVar

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from config.paths import NAMES
from config.settings import load
from daemon import acting
from daemon import app as wiring
from daemon.agents.keys import Client as Who
from daemon.agents.session import AgentSession, Reply
from daemon.agents.table import call
from daemon.app import open_for_agents
from daemon.mcp_server import Door, server, tools
from tests.home import Home
from tests.planned import type_code
from tests.terminal import ROOT, START, environ

T = TypeVar("T")
NAME = "claude-code"
KEYED = Who(f"mcp:{NAME}", keyed=True)
UNKEYED = Who()


class Agent:
    """One agent's session on a home, called directly."""

    def __init__(self, home: Home, who: Who = KEYED, *, booted: bool = True) -> None:
        self.home = home
        self.session = AgentSession(open_for_agents(home.root, home.settings, home.clock), who)
        self.session.given = booted

    def reply(self, tool: str, **args: Any) -> Reply:
        return call(self.session, tool, args)

    def ask(self, tool: str, **args: Any) -> dict[str, Any]:
        """Give the values of a call that works."""
        reply = self.reply(tool, **args)
        assert not reply.failed, reply.values
        return dict(reply.values)

    def text(self, tool: str, **args: Any) -> str:
        return "\n".join(self.reply(tool, **args).texts)

    def fails(self, tool: str, **args: Any) -> dict[str, Any]:
        """Give the error of a call that does not."""
        reply = self.reply(tool, **args)
        assert reply.failed, reply.values
        assert {"error", "sentence", "do"} <= reply.values.keys()
        return dict(reply.values)

    def close(self) -> None:
        self.session.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def in_process(
    home: Home,
    work: Callable[[Client], Awaitable[T]],
    who: Who = KEYED,
    *,
    mode: str = "legacy",
) -> T:
    """Let the official client talk to a server in this process; gives what `work` gives."""

    async def run() -> T:
        door = Door(lambda: AgentSession(open_for_agents(home.root, home.settings, home.clock), who))
        said = home.app.words.say("agent.instructions")
        made = server(door, said, lambda: tools(home.settings.general.locale))
        try:
            async with Client(made, mode=mode) as client:
                return await work(client)
        finally:
            await asyncio.to_thread(door.close)

    return asyncio.run(run())


def over_stdio(
    home: Home, work: Callable[[Client], Awaitable[T]], key: str = "", *, mode: str = "legacy"
) -> T:
    """Let the official client start `clavaire mcp` and talk to it; gives what `work` gives."""

    async def run() -> T:
        given = {**environ(home), **({"CLAVAIRE_CLIENT_KEY": key} if key else {})}
        command = StdioServerParameters(
            command=sys.executable, args=[*START[1:], "mcp"], env=given, cwd=str(ROOT)
        )
        async with Client(stdio_client(command), mode=mode) as client:
            return await work(client)

    return asyncio.run(run())


def values(result: Any) -> dict[str, Any]:
    """Give the values of a result."""
    found: Mapping[str, Any] = result.structured_content or {}
    return json.loads(json.dumps(found))


def log_of(home: Home, session: str) -> list[dict[str, Any]]:
    """Give the lines of a session's log."""
    folder: Path = home.app.folder / "sessions"
    (path,) = folder.glob(f"{session}.*")
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def delegated(home: Home, line: str = "memory · niveau 3 · origine mcp:claude-code") -> None:
    """Let a delegation hold: the person writes its line, and gives its code."""
    marker = "<!-- clavaire:end delegations -->"
    home.put(NAMES.autonomy, home.text(NAMES.autonomy).replace(marker, f"- [x] {line}\n{marker}"))
    home.rest()
    (name,) = home.app.history.runs.autonomy.asked
    shown = acting.show_code(home.app, name)
    assert shown is not None
    type_code(home, NAMES.autonomy, shown[0], f"{name}-code")
    home.rest()
    assert home.app.history.runs.autonomy.delegations[name].status == "active"


def taken_elsewhere(home: Home, name: str = "salon") -> None:
    """Let another machine become the one that keeps the vault."""
    home.clock.advance(minutes=2)
    spelt = {f"CLAVAIRE_{key}": value for key, value in home.environ.items()}
    settings = load({**spelt, "CLAVAIRE_GENERAL__STATE_FOLDER": str(home.folder / "elsewhere")}, None)
    other = wiring.open_writable(home.root, settings, home.clock)
    wiring.take_host(other, name, home.clock())
    other.close()


INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "claude-code", "version": "9"},
    },
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


class Talk:
    """A process `clavaire mcp` and its messages, line by line."""

    def __init__(self, home: Home, **env: str) -> None:
        self.process = subprocess.Popen(
            [*START, "mcp"],
            cwd=ROOT,
            env={**environ(home), **env},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._id, self._begun = 0, False

    def post(self, message: Mapping[str, Any]) -> None:
        """Send a message."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def answer(self, name: object) -> dict[str, Any]:
        """Give the answer to the message of an id; what comes before it is passed over."""
        assert self.process.stdout is not None
        while True:
            line = self.process.stdout.readline()
            assert line, "the server ended"
            found: dict[str, Any] = json.loads(line)
            if found.get("id") == name:
                return found

    def send(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Send a message; gives the answer where it has an id."""
        self.post(message)
        return self.answer(message["id"]) if "id" in message else {}

    def begin(self) -> dict[str, Any]:
        self._begun = True
        answer = self.send(INITIALIZE)
        self.send(INITIALIZED)
        return answer

    def ask(self, tool: str, args: Mapping[str, Any]) -> dict[str, Any]:
        """Give what a call answers: whether it failed, its values and texts."""
        if not self._begun:
            self.begin()
        self._id += 1
        params = {"name": tool, "arguments": args}
        answer = self.send({"jsonrpc": "2.0", "id": self._id, "method": "tools/call", "params": params})
        result = answer["result"]
        texts = [one["text"] for one in result["content"]]
        return {"failed": result.get("isError", False), "values": result["structuredContent"], "texts": texts}

    def close(self) -> str:
        """Close its input and wait for its end; gives what it said on stderr."""
        _, said = self.process.communicate(timeout=60)
        assert self.process.returncode == 0, said
        return said.decode()
