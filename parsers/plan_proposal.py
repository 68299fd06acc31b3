"""A plan that a person or another program wrote into `Plans/`: a JSON fence of steps → a request (vault-notes.md).

It is a proposal of provenance `vault`, whatever it says of itself, and no tick that it came with counts.
"""

from collections.abc import Sequence
from typing import Any

from parsers.model.places import NotePath, Problem
from parsers.model.runs import Call, Request
from parsers.note import outline
from parsers.plan import KIND, Unreadable, json_line
from parsers.plan_lines import Fence, Layout

_PROBE = "\n\n<!-- clavaire:begin probe -->\n<!-- clavaire:end probe -->\n"
"""Added to a text, it is a section unless the text ends inside something that is still open."""


def proposal(text: str, path: NotePath) -> Request | Problem | None:
    """Give what a note proposes; None when it is no plan note, the problem when its steps cannot be read.

    Whether its run is known already is for the caller to see.
    """
    layout = Layout(text)
    if layout.properties.values.get("clavaire") != KIND:
        return None
    fences = list(layout.fences())
    if not fences:
        return Problem(path, 0, "plan_no_steps")
    try:
        request = _of_fence(fences[0])
    except Unreadable:
        return Problem(path, fences[0].line, "plan_fence_unreadable")
    if not Layout(text + _PROBE).marks("probe"):
        return Problem(path, 0, "plan_open_end")
    return Request(request.title or _title(text, path), request.why, request.calls)


def _of_fence(fence: Fence) -> Request:
    """One object of the whole plan, else a step a line, else a list of steps."""
    try:
        whole = json_line(fence.content)
    except Unreadable:
        lines = [json_line(raw) for raw in fence.content.split("\n") if raw.strip()]
        return Request("", "", _calls(lines))
    if isinstance(whole, dict) and "steps" in whole:
        return _request(whole)
    return Request("", "", _calls(whole if isinstance(whole, list) else [whole]))


def _request(value: Any) -> Request:
    if not isinstance(value, dict) or not isinstance(value.get("steps"), list):
        raise Unreadable("a plan is an object with steps")
    title, why = value.get("title", ""), value.get("why", "")
    if not (isinstance(title, str) and isinstance(why, str)):
        raise Unreadable("title and why are texts")
    return Request(title.strip(), why.strip(), _calls(value["steps"]))


def _calls(values: Sequence[Any]) -> tuple[Call, ...]:
    if not values:
        raise Unreadable("a plan has a step at least")
    return tuple(map(_call, values))


def _call(value: Any) -> Call:
    if not isinstance(value, dict) or not isinstance(value.get("tool"), str):
        raise Unreadable("a step names its tool")
    args = value.get("args", {})
    if not isinstance(args, dict):
        raise Unreadable("args is an object")
    return Call(value["tool"], args)


def _title(text: str, path: NotePath) -> str:
    heading = next((one.text for one in outline(text).headings if one.level == 1 and not one.nested), "")
    return heading.strip() or path.rpartition("/")[2].removesuffix(".md")
