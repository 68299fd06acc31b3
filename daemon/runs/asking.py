"""A request for a plan as a file, a tool or a note gives it: what is wrong with it is said in one sentence.

A plan is bounded, since it is planned under the vault's lock and its note has to stay one that can be read.
"""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from config.i18n import Catalogue
from daemon.tools.tool import Tool
from parsers.errors import ClavaireError
from parsers.model.runs import Call, Request
from parsers.plan import Unreadable, canonical

_LONGEST_TITLE = 200
_LONGEST_WHY = 4000
_MOST_STEPS = 500
MOST_BYTES = 400_000
"""Of a plan's canonical JSON: written out with what its steps show, it is well below `index.max_bytes`."""
MOST_VALUES = 5_000
"""Texts, numbers and names in the arguments of a plan: each is looked up in all that the run has read."""
DEEPEST = 20


class BadRequest(ClavaireError):
    """A request that is no plan: it says which step, and what to write instead."""


def asked(raw: object, registry: Mapping[str, Tool], words: Catalogue) -> Request:
    """Give the request that JSON holds: `{"title", "why", "steps": [{"tool", "args"}]}`; a step may bear an id.

    Raises:
        BadRequest: it is none.
    """
    if not isinstance(raw, Mapping):
        raise _bad(words, "object")
    unknown = sorted(set(raw) - {"title", "why", "steps"})
    if unknown:
        raise _bad(words, "unknown", name=unknown[0])
    title, why, steps = raw.get("title"), raw.get("why", ""), raw.get("steps")
    if not isinstance(title, str) or not title.strip() or len(title) > _LONGEST_TITLE:
        raise _bad(words, "title", most=_LONGEST_TITLE)
    if not isinstance(why, str) or len(why) > _LONGEST_WHY:
        raise _bad(words, "why", most=_LONGEST_WHY)
    if not isinstance(steps, list) or not 0 < len(steps) <= _MOST_STEPS:
        raise _bad(words, "steps", most=_MOST_STEPS)
    calls = tuple(_call(number, one, registry, words) for number, one in enumerate(steps, 1))
    return _bounded(Request(" ".join(title.split()), why.strip(), calls), words)


def check(request: Request, registry: Mapping[str, Tool], words: Catalogue) -> Request:
    """Give a request that was read elsewhere, if it can be a plan.

    Raises:
        BadRequest: it cannot.
    """
    steps = [{"tool": call.tool, "args": dict(call.args)} for call in request.calls]
    return asked({"title": request.title, "why": request.why, "steps": steps}, registry, words)


def _bounded(request: Request, words: Catalogue) -> Request:
    """Give a request that is of a size to be planned; what its texts hold was found to be UTF-8, a title may not be."""
    args = [dict(call.args) for call in request.calls]
    steps = [{"tool": call.tool, "args": one} for call, one in zip(request.calls, args, strict=True)]
    said = {"title": request.title, "why": request.why, "steps": steps}
    try:
        size = len(canonical(said))
    except Unreadable:
        raise _bad(words, "text") from None
    if size > MOST_BYTES:
        raise _bad(words, "size", size=words.number(size), most=words.number(MOST_BYTES))
    depths = list(islice(_depths(args), MOST_VALUES + 1))
    if len(depths) > MOST_VALUES or max(depths, default=0) > DEEPEST:
        raise _bad(words, "values", most=words.number(MOST_VALUES), deep=DEEPEST)
    return request


def _depths(value: object) -> Iterator[int]:
    """Give how deep each value lies, level by level; names of fields count as values."""
    level: list[object] = [value]
    depth = 0
    while level and depth <= DEEPEST + 1:
        below: list[object] = []
        for one in level:
            yield depth
            if isinstance(one, Mapping):
                yield from (depth for _ in one)
                below += one.values()
            elif isinstance(one, list | tuple):
                below += one
        level, depth = below, depth + 1
    yield from (depth for _ in level)


def _call(number: int, one: Any, registry: Mapping[str, Tool], words: Catalogue) -> Call:
    if not isinstance(one, Mapping) or not {"tool"} <= set(one) <= {"id", "tool", "args"}:
        raise _bad(words, "step", number=number)
    tool, args = one["tool"], one.get("args", {})
    known = registry.get(tool) if isinstance(tool, str) else None
    if known is None or not known.proposable:
        raise _bad(words, "tool", number=number, tool=str(tool)[:60])
    if not isinstance(args, Mapping):
        raise _bad(words, "step", number=number)
    if not _canonical(args):
        raise _bad(words, "value", number=number)
    return Call(known.name, dict(args))


def _canonical(value: object) -> bool:
    """Whether a value has the canonical form that a plan's digest is made of."""
    try:
        canonical(value)
    except Unreadable:
        return False
    return True


def _bad(words: Catalogue, code: str, **values: object) -> BadRequest:
    return BadRequest(words.say(f"plan.bad.{code}", **values))
