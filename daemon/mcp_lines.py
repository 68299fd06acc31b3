"""What a client sends on stdin that is no message: mended where that can be, else answered, so that nobody waits.

The SDK hands a line it cannot read on as an exception, and then drops it without a word.
"""

import json
import re
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Protocol, Self

import anyio
import mcp_types as types
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

_ESCAPE = re.compile(
    r"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)
"""An escaped backslash, a whole pair, or (the group) one half of a pair alone."""
_UNKNOWN = r"\ufffd"
_SAYS = {types.PARSE_ERROR: "Parse error", types.INVALID_REQUEST: "Invalid Request"}


class _Reading(Protocol):
    async def receive(self) -> SessionMessage | Exception: ...
    async def aclose(self) -> None: ...


class _Writing(Protocol):
    async def send(self, item: SessionMessage, /) -> None: ...


class Lines:
    """The stream of a client's messages, without what is none."""

    def __init__(self, reading: _Reading, writing: _Writing) -> None:
        self._reading, self._writing = reading, writing

    async def receive(self) -> SessionMessage | Exception:
        """Give the next message."""
        while True:
            item = await self._reading.receive()
            if not isinstance(item, ValidationError):
                return item
            try:
                return SessionMessage(_read_again(item))
            except ValidationError as error:
                answer = _answer(error)
            if answer is not None:
                await self._writing.send(SessionMessage(answer))

    async def aclose(self) -> None:
        """Read no more."""
        await self._reading.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


def mended(line: str) -> str:
    """Give a line of JSON with U+FFFD for every lone half of a character, as clients send that cut an emoji in two."""
    return _ESCAPE.sub(lambda found: _UNKNOWN if found[1] else found[0], line)


def _read_again(error: ValidationError) -> types.JSONRPCMessage:
    line = _line(error)
    again = mended(line or "")
    if not line or again == line:
        raise error
    return types.jsonrpc_message_adapter.validate_json(again, by_name=False)


def _line(error: ValidationError) -> str | None:
    """Give the line that is no JSON; None where it is, but no message."""
    first = error.errors(include_url=False)[0]
    return str(first["input"]) if first["type"] == "json_invalid" else None


def _answer(error: ValidationError) -> types.JSONRPCError | None:
    """Give what a line is answered that is no message; None for one that asks nothing."""
    line = _line(error)
    whole = _whole(error) if line is None else _parsed(line)
    asks = "method" in whole
    if (line is not None and not line.strip()) or (not asks and whole.keys() & {"result", "error"}):
        return None
    code = types.INVALID_REQUEST if line is None else types.PARSE_ERROR
    name = whole.get("id") if asks else None
    known = name if isinstance(name, str) or type(name) is int else None
    return types.JSONRPCError(jsonrpc="2.0", id=known, error=types.ErrorData(code=code, message=_SAYS[code]))


def _whole(error: ValidationError) -> Mapping[str, Any]:
    """Give the object that is no message: what it lacks to be a message of another sort is told with it."""
    found = (one["input"] for one in error.errors(include_url=False) if one["type"] == "missing")
    return next((one for one in found if isinstance(one, dict) and "jsonrpc" in one), {})


def _parsed(line: str) -> Mapping[str, Any]:
    """Give the object of a line that is nested deeper than the SDK reads; nothing where it is no JSON at all."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
