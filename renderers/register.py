"""Lines and month files of the register; the mirror of `parsers/register.py`."""

import json
from collections.abc import Collection, Mapping
from typing import Any

from parsers.errors import ClavaireError
from parsers.model.now import NowTexts
from parsers.model.register import Event
from parsers.register import ENVELOPE, MAC, mac_of

WORDS = frozenset({"text", "key", "value"})
"""Names of fields that hold the person's words, at any depth of a body; so does any name in `_text`."""
NAMES = frozenset({"name", "aliases", "note"})
"""Fields in which a record about an entity has words too."""
_MORE: Mapping[str, frozenset[str]] = {"now.written": frozenset(NowTexts._fields)}
"""Record → fields in which it has words too."""


class EventUnwritable(ClavaireError):
    """An event cannot become a line: a field of it is the envelope's, or is no JSON value."""

    def __init__(self, op: str, reason: str) -> None:
        """Name the event by its `op`, and what is wrong with it."""
        self.op, self.reason = op, reason
        super().__init__(f"The event {op} cannot be written in the register: {reason}.")


def render_line(event: Event, seq: int, at: str, prev: str, secret: bytes, more: int = 0) -> bytes:
    """Give an event's line, sealed, without line ending; `more` lines of its batch follow.

    Raises:
        EventUnwritable: a field of the body has a name of the envelope, or is no JSON value.
    """
    if taken := sorted(ENVELOPE.intersection(event.body)):
        raise EventUnwritable(event.op, f"the field « {taken[0]} » belongs to the envelope")
    fields = {"seq": seq, "at": at, "by": event.by, "op": event.op, **event.body}
    fields |= {"more": more, "prev": prev} if more else {"prev": prev}
    try:
        return _seal(fields, secret)
    except (TypeError, ValueError, RecursionError) as error:
        raise EventUnwritable(event.op, str(error)) from error


def blank_line(line: bytes, secret: bytes) -> bytes:
    """Give the same line with its words blanked and a new seal; what is blank already comes back equal."""
    fields = json.loads(line)
    del fields["mac"]
    words = WORDS | (NAMES if fields["op"].startswith("entity.") else _MORE.get(fields["op"], frozenset()))
    return _seal({name: _blank(name, value, words) for name, value in fields.items()}, secret)


def render_head(vault: str, sentence: str) -> bytes:
    """Give the top of a month file: properties, one sentence, and the fence that is never closed."""
    return f"---\nclavaire: registre\nvault: {vault}\n---\n{sentence}\n\n```jsonl\n".encode()


def _seal(fields: Mapping[str, Any], secret: bytes) -> bytes:
    text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    bare = text[:-1].encode()
    return bare + MAC + mac_of(bare, secret).encode() + b'"}'


def _blank(name: str, value: Any, words: Collection[str]) -> Any:
    if name in words or name.endswith("_text"):
        return "" if isinstance(value, str) else type(value)() if isinstance(value, dict | list) else None
    match value:
        case dict():
            return {inner: _blank(inner, each, words) for inner, each in value.items()}
        case list():
            return [_blank(name, each, words) for each in value]
        case _:
            return value
