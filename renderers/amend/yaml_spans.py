"""Where the names and values of a block of properties stand, character by character."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import yaml

from parsers.model.notes import Properties
from renderers.amend.yaml_text import Habits, Quote, bare

_OTHER_BREAKS = {0x85: "\ue085", 0x2028: "\ue828", 0x2029: "\ue829"}
"""Characters in YAML 1.2 that PyYAML takes for line breaks, and what stands for them, one for one."""
_BACK = {ord(sign): chr(code) for code, sign in _OTHER_BREAKS.items()}
Kind = Literal["scalar", "alias", "list", "map"]


@dataclass(frozen=True, slots=True)
class Node:
    """One value: `text[start:end]` without blanks at its end; an empty one stands where it would start."""

    kind: Kind
    start: int
    end: int
    flow: bool = False
    """A list or map between brackets."""
    style: str = ""
    """The quotes or the sign of a block scalar; `""` for bare text."""
    value: str = ""
    children: tuple["Node", ...] = ()
    """Elements of a list; names and values in turn for a map."""

    @property
    def flat(self) -> bool:
        """Whether it is a list of nothing but scalars."""
        return self.kind == "list" and all(one.kind in {"scalar", "alias"} for one in self.children)


@dataclass(frozen=True, slots=True)
class Entry:
    """One property: its name, the offset after its colon, its value."""

    key: Node
    colon: int
    node: Node


@dataclass(frozen=True, slots=True)
class Spans:
    """The properties of a block, in order."""

    entries: tuple[Entry, ...]
    flow: bool
    """The whole block stands between brackets."""

    def entry(self, key: str) -> Entry | None:
        """Give the property of that name."""
        return next((one for one in self.entries if one.key.value == key), None)

    def scalars(self) -> Iterator[Node]:
        """Give every scalar value, at any depth."""
        waiting = [entry.node for entry in reversed(self.entries)]
        while waiting:
            node = waiting.pop()
            if node.kind == "scalar":
                yield node
            waiting += reversed(node.children[1::2] if node.kind == "map" else node.children)


def spans(text: str, properties: Properties) -> Spans:
    """Give where everything stands in a block that reads well; offsets are the note's."""
    root = _Walk(text, properties).root()
    if root is None or root.kind != "map":
        return Spans((), flow=False)
    pairs = zip(root.children[::2], root.children[1::2], strict=True)
    return Spans(tuple(Entry(key, _colon(text, key), node) for key, node in pairs), root.flow)


def _colon(text: str, key: Node) -> int:
    """The offset after the colon of a name, -1 when it does not simply follow."""
    colon = text.find(":", key.end)
    return colon + 1 if not text[key.end : colon].strip(" \t") else -1


class _Walk:
    """Makes nodes of the parser's events."""

    def __init__(self, text: str, properties: Properties) -> None:
        self._text, self._offset = text, properties.start
        block = text[properties.start : properties.end].translate(_OTHER_BREAKS)
        self._events: Iterator[yaml.Event] = yaml.parse(block, Loader=yaml.CSafeLoader)

    def root(self) -> Node | None:
        """Give the node everything is in, None for an empty block."""
        first = next((one for one in self._events if isinstance(one, yaml.NodeEvent)), None)
        return None if first is None else self._node(first)

    def _span(self, event: yaml.Event) -> tuple[int, int]:
        assert event.start_mark is not None
        assert event.end_mark is not None
        return self._offset + event.start_mark.index, self._offset + event.end_mark.index

    def _node(self, event: yaml.Event) -> Node:
        start, end = self._span(event)
        if isinstance(event, yaml.AliasEvent):
            return Node("alias", start, end)
        if isinstance(event, yaml.ScalarEvent):
            end = start + len(self._text[start:end].rstrip(" \t\r\n"))
            return Node("scalar", start, end, style=event.style or "", value=event.value.translate(_BACK))
        assert isinstance(event, yaml.CollectionStartEvent)
        children = []
        for inner in self._events:
            end = self._span(inner)[1]
            if isinstance(inner, yaml.CollectionEndEvent):
                break
            children.append(self._node(inner))
        flow = bool(event.flow_style)
        if not flow:
            end = children[-1].end if children else start
        kind: Kind = "list" if isinstance(event, yaml.SequenceStartEvent) else "map"
        return Node(kind, start, end, flow, children=tuple(children))


def habits(text: str, found: Spans) -> Habits:
    """Give how the values of a block are written; what it does not show is as Obsidian writes it."""
    texts = [one for one in found.scalars() if one.style in {'"', "'"} or (one.value and not one.style)]
    quoted = [one for one in texts if one.style]
    counts = Counter(one.style for one in quoted)
    quote: Quote = "'" if counts["'"] > counts['"'] else '"'
    always = len(texts) == len(quoted) and any(bare(one.value) for one in quoted)
    lists = [entry.node for entry in found.entries if entry.node.kind == "list" and entry.node.children]
    blocks = [one for one in lists if not one.flow]
    inner = text[blocks[-1].start : blocks[-1].children[0].start] if blocks else ""
    before = text[text.rfind("\n", 0, blocks[-1].start) + 1 : blocks[-1].start] if blocks else ""
    shown = before + inner if inner[:1] == "-" and not (before + inner[1:]).strip(" ") else "  - "
    dash = shown if shown.endswith(" ") else shown + " "
    return Habits(quote, always=always, flow=len(lists) > 2 * len(blocks), dash=dash)
