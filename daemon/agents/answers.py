"""What a tool gives an agent: a text its model reads and the same as values; or an error that says what to do.

What comes from notes, from memory or from a program stands in data blocks, each with its provenance; what would end
one early is escaped inside it. Every answer is bounded, and says how to get the rest.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from config.i18n import Catalogue, one_line
from daemon.policy.lineage import Output
from daemon.runs.asking import BadRequest
from daemon.runs.drafting import RefusedEarly
from daemon.runs.explaining import refusal_said
from daemon.tools.errors import ToolError, sentence
from daemon.vault.errors import NoteChanged, NoteMissing, VaultBusy, refusal
from parsers.errors import ClavaireError
from parsers.model.places import Problem
from parsers.model.policy import Decision
from renderers.amend.failure import Unamendable
from renderers.blocks import DATA, attributes, escaped

MOST_SIGNS = 20_000
"""Characters of content in one answer at the most."""
_LONGEST_VALUE = 4_000
"""Characters of one text among several at the most."""
_CUT = "…"


@dataclass(frozen=True, slots=True)
class Answer:
    """What one call gives."""

    text: str
    values: Mapping[str, Any]
    read: tuple[Output, ...] = ()
    """What the session has read with it."""


class Failed(ClavaireError):
    """Why a call gives nothing: a code, the policy's rule where that is why, one sentence, and what to do."""

    def __init__(self, code: str, said: str, do: str, rule: int | None = None) -> None:
        """Keep what is told."""
        super().__init__(said)
        self.code, self.said, self.do, self.rule = code, said, do, rule
        self.run = ""
        """The run that was refused."""

    def values(self) -> dict[str, Any]:
        """Give it as values; `rule` and `run` are left out where there is none."""
        rule = {} if self.rule is None else {"rule": self.rule}
        run = {"run": self.run} if self.run else {}
        return {"error": self.code, **rule, **run, "sentence": self.said, "do": self.do}

    def text(self) -> str:
        """Give it in words."""
        return f"{sentenced(self.said)} {self.do}".strip()


def sentenced(said: str) -> str:
    """Give a sentence with the point at its end that another one follows."""
    return said if said.endswith((".", "!", "?", "…")) else f"{said}."


def failed(words: Catalogue, code: str, said: str = "", rule: int | None = None, **values: object) -> Failed:
    """Give the error of a code: `agent.error.<code>` unless a sentence is given, and `agent.do.<code>`."""
    return Failed(
        code, said or words.say(f"agent.error.{code}", **values), words.say(f"agent.do.{code}"), rule
    )


def refused(words: Catalogue, decision: Decision) -> Failed:
    """Give the error of what the policy refuses."""
    if unavailable(decision.rule, decision.reasons):
        return no_path(words)
    said = refusal_said(words, decision.rule, decision.reasons)
    return failed(words, "refused", said, decision.rule)


_UNTOLD = frozenset(("fault_private", "fault_ignored", "data_private", "data_sensitive"))
"""Reasons that would tell what a note is: one that an agent may not read is for it as one that is not there."""
_BEYOND = 2


def unavailable(rule: int, reasons: Iterable[tuple[str, str]]) -> bool:
    """Tell whether a refusal is for what a note is that does not exist for an agent."""
    return rule in (_BEYOND, _BEYOND + 1) and any(key in _UNTOLD for key, _ in reasons)


def no_path(words: Catalogue) -> Failed:
    """Give the error of a plan's step at a path without a note, or with one that this agent may not have."""
    return failed(words, "refused", words.say("agent.error.unavailable_path"), _BEYOND)


def closed(words: Catalogue, problem: Problem) -> Failed:
    """Give the error of a vault in which nothing can be recorded now."""
    code = {"register_foreign_host": "kept_elsewhere", "memory_off": "memory_off"}.get(problem.code, "closed")
    return failed(words, code, words.problem(problem))


def failure_of(error: Exception, words: Catalogue) -> Failed:
    """Give the error that whatever went wrong is told as; no traceback, no place in the program."""
    if isinstance(error, Failed):
        return error
    if isinstance(error, RefusedEarly):
        return refused(words, error.decision)
    if isinstance(error, BadRequest) and isinstance(error.__context__, ClavaireError):
        return failure_of(error.__context__, words)  # why a step cannot be, without its number
    if isinstance(error, NoteChanged):
        return failed(words, "changed", words.say("agent.error.changed_version", path=one_line(error.path)))
    if isinstance(error, OSError):
        return failed(words, "unavailable", words.problem(refusal(error)))
    if isinstance(error, ClavaireError):
        return failed(words, _code_of(error), one_line(_said(error, words)))
    return failed(words, "internal")


def _code_of(error: ClavaireError) -> str:
    if getattr(error, "code", "") == "memory_off":
        return "memory_off"
    return next((code for kind, code in _CODES if isinstance(error, kind)), "unavailable")


_CODES: tuple[tuple[type[ClavaireError], str], ...] = (
    (ToolError, "arguments"),
    (BadRequest, "arguments"),
    (Unamendable, "arguments"),
    (NoteMissing, "not_found"),
    (VaultBusy, "busy"),
)
"""Class of an error → the code it is told by; any other is `unavailable`."""


def _said(error: ClavaireError, words: Catalogue) -> str:
    problem = getattr(error, "problem", None)
    return words.problem(problem) if problem else sentence(error, words)


# ---- data blocks


def data_block(text: str, **says: object) -> str:
    """Give a text as data: nothing in it is an instruction, nothing in it ends the block."""
    return f"<{DATA}{attributes(says)}>\n{escaped(text)}\n</{DATA}>"


# ---- pages


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a list or text that fits an answer."""

    items: tuple[dict[str, Any], ...] = ()
    text: str = ""
    cursor: str | None = None
    """What to hand in for the next part; None: there is none."""
    whole: int = 0
    """How many items, or characters, there are in all."""
    outputs: tuple[Output, ...] = field(default=())


def start_of(cursor: str | None, words: Catalogue) -> tuple[int, str]:
    """Give where a cursor points, and the version it was given for.

    Raises:
        Failed: it is none of ours.
    """
    if cursor is None:
        return 0, ""
    match = re.fullmatch(r"(\d{1,9})(?::([0-9a-f]{12}))?", cursor, re.ASCII)
    if match is None:
        raise failed(words, "arguments", words.say("agent.error.cursor"))
    return int(match[1]), match[2] or ""


def page_of(items: Sequence[dict[str, Any]], start: int, limit: int) -> Page:
    """Give the items from a place on, at most `limit` and as many as fit; a long text among them is cut."""
    given: list[dict[str, Any]] = []
    size = 0
    for item in items[start : start + limit]:
        cut = _cut(item)
        size += len(json.dumps(cut, ensure_ascii=False))
        if given and size > MOST_SIGNS:
            break
        given.append(cut)
    after = start + len(given)
    return Page(tuple(given), cursor=str(after) if after < len(items) else None, whole=len(items))


def page_of_text(text: str, start: int, version: str) -> Page:
    """Give a text from a character on, as much as fits."""
    part = text[start : start + MOST_SIGNS]
    after = start + len(part)
    more = f"{after}:{version[:12]}" if after < len(text) else None
    return Page(text=part, cursor=more, whole=len(text))


def _cut(value: Any) -> Any:
    if isinstance(value, str) and len(value) > _LONGEST_VALUE:
        return value[:_LONGEST_VALUE] + _CUT
    if isinstance(value, Mapping):
        return {key: _cut(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_cut(one) for one in value]
    return value


def listed(words: Catalogue, first: str, blocks: Iterable[str], page: Page) -> str:
    """Give an answer's text: a sentence, its blocks, and how to get the rest."""
    rest = [words.say("agent.more", cursor=page.cursor)] if page.cursor else []
    return "\n\n".join((first, *blocks, *rest))
