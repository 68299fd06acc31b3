"""What recall leaves in the state folder: how each hit came by its place, and the tokens each conversation was given.

Ids and numbers only: neither a question nor a text, nor the name of a note that is private or sensitive. A folder that
cannot be written costs the line, never the answer.
"""

import contextlib
import hashlib
import json
import os
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from config.paths import NAMES
from parsers.model.recall import Hit, Recalled
from parsers.model.register import stamp

_LARGEST = 1_000_000
"""Bytes after which a log begins anew; the one before it is kept."""
_OLD = ".1"
_WEEK = timedelta(days=7)


class Tokens(NamedTuple):
    """What was given as contexts in the last seven days."""

    week: int
    """Tokens of all of it."""
    contexts: int
    conversations: int

    def as_json(self) -> dict[str, int]:
        """Give it as JSON values; `per_conversation` is rounded."""
        each = round(self.week / self.conversations) if self.conversations else 0
        return {**self._asdict(), "per_conversation": each}


def note_recall(folder: Path, found: Recalled, now: datetime) -> None:
    """Log a recall: the question's hash, and each hit's id, score and factors."""
    asked = found.query
    _append(
        folder / NAMES.recalls,
        {
            "at": stamp(now),
            "query": _hash(asked.text),
            "k": asked.k,
            "as_of": asked.as_of,
            "known_at": asked.known_at,
            "external": asked.external,
            "hits": [
                {"id": _name(one), "score": one.score, "factors": dict(one.factors)} for one in found.hits
            ],
        },
    )


def note_tokens(folder: Path, conversation: str, used: int, now: datetime) -> None:
    """Log that a conversation was given a context of so many tokens."""
    _append(folder / NAMES.tokens, {"at": stamp(now), "conversation": conversation, "tokens": used})


def tokens(folder: Path, now: datetime) -> Tokens:
    """Give what was given as contexts in the seven days before `now`."""
    since, used, conversations = stamp(now - _WEEK), list[int](), set[str]()
    for name in (f"{NAMES.tokens}{_OLD}", NAMES.tokens):
        for line in _lines(folder / name):
            if line["at"] >= since:
                used.append(line["tokens"])
                conversations.add(line["conversation"])
    return Tokens(sum(used), len(used), len(conversations))


def _name(hit: Hit) -> str:
    return (
        hit.id if hit.kind == "fact" or hit.sensitivity == "normal" else f"{hit.sensitivity}:{_hash(hit.id)}"
    )


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _append(path: Path, values: Mapping[str, Any]) -> None:
    line = json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"
    with contextlib.suppress(OSError):
        file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(file, line)
            if os.fstat(file).st_size > _LARGEST:
                path.replace(path.with_name(path.name + _OLD))
        finally:
            os.close(file)


def _lines(path: Path) -> list[dict[str, Any]]:
    try:
        text = path.read_text("utf-8", "replace")
    except OSError:
        return []
    found = []
    for line in text.splitlines():
        with contextlib.suppress(ValueError):
            values = json.loads(line)
            if isinstance(values, dict) and isinstance(values.get("tokens"), int):
                found.append(
                    {
                        "at": str(values.get("at")),
                        "conversation": str(values.get("conversation")),
                        "tokens": values["tokens"],
                    }
                )
    return found
