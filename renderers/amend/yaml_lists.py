"""Lists of properties: elements that stay keep their characters and comments, in either style."""

from collections.abc import Sequence
from dataclasses import replace

from renderers.amend.failure import Unamendable
from renderers.amend.places import eol_near, line_start, line_stop
from renderers.amend.yaml_spans import Entry, Node
from renderers.amend.yaml_text import Habits, Quote, Scalar, Where, scalar
from renderers.splice import Splice


def brackets(values: Sequence[Scalar], style: Habits) -> str:
    """Give a list on one line: `[a, b]`."""
    return "[" + ", ".join(_element(one, "flow", style) for one in values) + "]"


def dashes(values: Sequence[Scalar], style: Habits, eol: str) -> str:
    """Give the lines of a list, one for each element."""
    return "".join(f"{style.dash}{_element(one, 'item', style)}{eol}" for one in values)


def _element(value: Scalar, where: Where, style: Habits, own: Quote | None = None) -> str:
    return scalar(value, where, own or (style.quote if style.always else None), style.quote)


def changed(
    text: str, entry: Entry, old: Sequence[Scalar], new: Sequence[Scalar], style: Habits
) -> list[Splice]:
    """Give what changes when a list of scalars takes other elements."""
    before, after = _shared(old, new)
    nodes = entry.node.children
    gone, come = nodes[before : len(nodes) - after], new[before : len(new) - after]
    style = _own(nodes, style)
    where: Where = "flow" if entry.node.flow else "item"
    both = min(len(gone), len(come))
    splices = [
        _exchanged(text, node, _element(one, where, style, _quote(node)))
        for node, one in zip(gone, come, strict=False)
    ]
    stays = nodes[: before + both]
    if entry.node.flow:
        return splices + _in_brackets(entry.node, stays, gone[both:], come[both:], style)
    if not new:
        return [*without_lines(text, entry), Splice(entry.colon, entry.colon, " []")]
    splices += [_line(text, entry, node) for node in gone[both:]]
    return splices + _more_lines(text, entry, stays, come[both:], style)


def _shared(old: Sequence[Scalar], new: Sequence[Scalar]) -> tuple[int, int]:
    """How many elements both start with, and how many both end with."""
    most = min(len(old), len(new))
    before = next((at for at in range(most) if repr(old[at]) != repr(new[at])), most)
    most -= before
    after = next((at for at in range(most) if repr(old[-1 - at]) != repr(new[-1 - at])), most)
    return before, after


def _own(nodes: Sequence[Node], style: Habits) -> Habits:
    """The habits inside one list: quotes where every element has them."""
    marks = {_quote(node) for node in nodes}
    if len(marks) == 1 and (mark := marks.pop()):
        return replace(style, quote=mark, always=True)
    return style


def _quote(node: Node) -> Quote | None:
    return '"' if node.style == '"' else "'" if node.style == "'" else None


def _exchanged(text: str, node: Node, written: str) -> Splice:
    apart = " " if node.start == node.end and text[node.start - 1] == "-" else ""
    return Splice(node.start, node.end, apart + written)


def _in_brackets(
    node: Node, stays: Sequence[Node], gone: Sequence[Node], come: Sequence[Scalar], style: Habits
) -> list[Splice]:
    """Elements that come or go between brackets, after those that stay before them."""
    written = ", ".join(_element(one, "flow", style) for one in come)
    rest = node.children[len(stays) + len(gone) :]
    if written and stays:
        return [Splice(stays[-1].end, stays[-1].end, f", {written}")]
    if written:
        at = rest[0].start if rest else node.end - 1
        return [Splice(at, at, f"{written}, " if rest else written)]
    if not gone:
        return []
    if stays:
        return [Splice(stays[-1].end, gone[-1].end, "")]
    return [Splice(gone[0].start, rest[0].start if rest else node.end - 1, "")]


def without_lines(text: str, entry: Entry) -> list[Splice]:
    """Give the splices that take every line of a list away; comments on lines of their own stay."""
    return [_line(text, entry, node) for node in entry.node.children]


def _line(text: str, entry: Entry, node: Node) -> Splice:
    return Splice(_dash_line(text, entry, node), line_stop(text, node.end), "")


def _dash_line(text: str, entry: Entry, node: Node) -> int:
    """Where the line of an element's dash starts; nothing but blanks stands before and after the dash."""
    dash = text.rfind("-", entry.colon, node.start)
    start = line_start(text, dash)
    if dash < 0 or text[start:dash].strip(" ") or text[dash + 1 : node.start].strip():
        raise Unamendable("property_shape", key=entry.key.value)
    return start


def _more_lines(
    text: str, entry: Entry, stays: Sequence[Node], come: Sequence[Scalar], style: Habits
) -> list[Splice]:
    """Lines for elements that come after those that stay, with the dash of their list."""
    if not come:
        return []
    first = entry.node.children[0]
    dash = text[_dash_line(text, entry, first) : first.start]
    style = replace(style, dash=dash if dash.endswith(" ") and "\n" not in dash else dash.rstrip() + " ")
    at = line_stop(text, stays[-1].end) if stays else _dash_line(text, entry, first)
    return [Splice(at, at, dashes(come, style, eol_near(text, at)))]
