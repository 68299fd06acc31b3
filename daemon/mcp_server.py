"""The agents' door on stdio: the official SDK's server around one agent's session.

Until something is called nothing of the vault is opened, so that a client's `initialize` is answered at once. Calls
are made one at a time in a thread of their own: the index is used in the thread that opened it, and a call that waits
for the vault's lock keeps no message waiting.
"""

import asyncio
import contextlib
import json
import logging
import os
import signal
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, TypeVar

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from daemon.mcp_lines import Lines

if TYPE_CHECKING:
    from daemon.agents.session import AgentSession

NAME = "clavaire"
NOW, PROFILE, RUN = "clavaire://now", "clavaire://profile", "clavaire://runs/"
_CLOSING = 1.5
"""Seconds for the receipt of a session that is told to end; a client kills its server two seconds after."""
_MISSING = types.INVALID_PARAMS
"""The protocol's code for a resource that is not there."""

T = TypeVar("T")
log = logging.getLogger("clavaire.agents")


class Door:
    """One client's session, opened with its first call and used in one thread."""

    def __init__(self, opening: "Callable[[], AgentSession]") -> None:
        self._opening = opening
        self._thread = ThreadPoolExecutor(1, "session")
        self._session: AgentSession | None = None

    async def do(self, work: "Callable[[AgentSession], T]", claimed: str = "") -> T:
        """Give what some work with the session gives; `claimed` is what the client calls itself."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._worked, work, claimed)

    def _worked(self, work: "Callable[[AgentSession], T]", claimed: str) -> T:
        if self._session is None:
            self._session = self._opening()
        if unusable := self._session.app.take_up_settings():
            log.warning("%s", unusable)
        self._session.log.claimed = self._session.log.claimed or claimed
        return work(self._session)

    def close(self) -> None:
        """End the session, after the call under way."""
        with contextlib.suppress(RuntimeError):  # closed before
            self._thread.submit(self._ended)
            self._thread.shutdown(wait=True)

    def _ended(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None


def server(door: Door, instructions: str, listed: Callable[[], list[types.Tool]]) -> Server[Any]:
    """Give a server whose calls go through a door; `listed` gives its tools."""

    async def list_tools(_: ServerRequestContext[Any], __: object) -> types.ListToolsResult:
        return types.ListToolsResult(tools=await asyncio.to_thread(listed))

    async def call_tool(
        context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        return await door.do(
            lambda session: _called(session, params.name, params.arguments or {}), _claimed(context)
        )

    async def list_resources(_: ServerRequestContext[Any], __: object) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=await door.do(_resources))

    async def list_templates(_: ServerRequestContext[Any], __: object) -> types.ListResourceTemplatesResult:
        template = types.ResourceTemplate(
            name="run", uri_template=f"{RUN}{{id}}", mime_type="application/json"
        )
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def read_resource(
        context: ServerRequestContext[Any], params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        return await door.do(lambda session: _resource(session, str(params.uri)), _claimed(context))

    return Server(
        NAME,
        version=version(NAME),
        instructions=instructions,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
    )


def _claimed(context: ServerRequestContext[Any]) -> str:
    """What a client calls itself: kept in the log of its session, believed nowhere."""
    params = context.session.client_params
    return f"{params.client_info.name} {params.client_info.version}" if params else ""


# ---- tools


def tools(locale: str) -> list[types.Tool]:
    """Give every tool of the table as the protocol lists it."""
    from config.i18n import catalogue  # noqa: PLC0415 - as in `_called`
    from daemon.agents.table import TABLE  # noqa: PLC0415 - as in `_called`

    return [
        types.Tool(
            name=one.name,
            description=one.description(catalogue(locale)),
            input_schema=one.schema(),
            annotations=types.ToolAnnotations(
                read_only_hint=one.hints.read_only,
                destructive_hint=one.hints.destructive,
                idempotent_hint=one.hints.idempotent,
                open_world_hint=one.hints.open_world,
            ),
        )
        for one in TABLE.values()
    ]


def _called(session: "AgentSession", name: str, arguments: Mapping[str, Any]) -> types.CallToolResult:
    from daemon.agents.table import call  # noqa: PLC0415 - what calls need is loaded with the first, not before

    reply = call(session, name, arguments)
    return types.CallToolResult(
        content=[types.TextContent(text=_sent(text)) for text in reply.texts],
        structured_content=json.loads(_sent(json.dumps(reply.values, ensure_ascii=False))),
        is_error=reply.failed,
    )


def _sent(text: str) -> str:
    """Give a text that can be sent: half a character of another encoding cannot."""
    return text.encode("utf-8", "replace").decode("utf-8")


# ---- resources


def _resources(session: "AgentSession") -> list[types.Resource]:
    words = session.words
    return [
        types.Resource(name=name, uri=uri, description=words.say(f"agent.resource.{name}"), mime_type=kind)
        for name, uri, kind in (("now", NOW, "text/markdown"), ("profile", PROFILE, "application/json"))
    ]


def _resource(session: "AgentSession", uri: str) -> types.ReadResourceResult:
    """Give a resource as the tool of its kind gives it: the policy, the log and the bounds are the same."""
    if uri == NOW:
        return _content(uri, _called(session, "brain_boot", {}), text=True)
    if uri == PROFILE:
        return _content(uri, _called(session, "profile_get", {}))
    if uri.startswith(RUN):
        return _content(uri, _called(session, "run_get", {"id": uri.removeprefix(RUN)}))
    raise MCPError(_MISSING, session.words.say("agent.error.no_resource"), {"uri": uri[:200]})


def _content(uri: str, result: types.CallToolResult, *, text: bool = False) -> types.ReadResourceResult:
    values = result.structured_content or {}
    if result.is_error:
        raise MCPError(_MISSING, str(values.get("sentence")), values)
    last = result.content[-1]
    spelt = (
        last.text if text and isinstance(last, types.TextContent) else json.dumps(values, ensure_ascii=False)
    )
    kind = "text/markdown" if text else "application/json"
    return types.ReadResourceResult(
        contents=[types.TextResourceContents(uri=uri, mime_type=kind, text=spelt)]
    )


# ---- the process


def serve(opening: "Callable[[], AgentSession]", instructions: str, locale: str) -> None:
    """Serve one client on stdin and stdout, until it closes them or the process is told to end."""
    asyncio.run(_serve(Door(opening), instructions, locale))


async def _serve(door: Door, instructions: str, locale: str) -> None:
    loop = asyncio.get_running_loop()
    with contextlib.suppress(NotImplementedError):  # where signals cannot be waited for, the log says the end
        for one in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(one, _end, loop, door)
    made = server(door, instructions, lambda: tools(locale))
    try:
        async with stdio_server() as (reading, writing):
            await made.run(Lines(reading, writing), writing, made.create_initialization_options())
    finally:
        door.close()


def _end(loop: asyncio.AbstractEventLoop, door: Door) -> None:
    """End without waiting for a client that does not close its end: the thread that reads from it cannot be stopped."""

    async def ended() -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.to_thread(door.close), _CLOSING)
        os._exit(0)

    loop.create_task(ended())
