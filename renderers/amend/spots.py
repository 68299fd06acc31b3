"""Where the targets of a note's links stand, and how another is written there."""

import json
import re
from collections.abc import Iterator
from typing import Literal, NamedTuple
from urllib.parse import quote, unquote

from parsers.blocks import Scanner
from parsers.inline import cover
from parsers.model.notes import Link, Note
from parsers.properties import split_link
from renderers.amend.failure import Unamendable
from renderers.amend.yaml_spans import Node, spans
from renderers.amend.yaml_text import quoted

Writing = Literal["wiki", "bare", "angle", "single", "double", "again"]
"""`again`: the whole value is written again, as the target's characters are not all there in it."""

_UNSAFE = re.compile(r"[#^|\[\]\n]|%%|\A\s|\s\Z")
_DESTINATION = re.compile(r"<([^<>\n]*)>|(\S+)")
_ENCODED = re.compile("%[89A-Fa-f][0-9A-Fa-f]")
_TO_ENCODE = {"bare": re.compile(r"[\s()<>#%:|\[\]\\`\"]"), "angle": re.compile(r"[\r\n<>#%:|\[\]\\`]")}
_DEFINITION = re.compile(
    r" {0,3}\[(?!\^)[^\[\]\n]+\]:[ \t]*(?=(<[^<>\n]*>|[^\s<]\S*))\1"
    r"(?:[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'|\([^()\n]*\)))?[ \t]*\r?(?:\n|\Z)"
)
_OUTSIDE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_VALUE = re.compile(r"\[\[([^\[\]\n]+)\]\]")
_STRING = re.compile(r'("(?:[^"\\\n]|\\.)*")(\s*:)?')


class Spot(NamedTuple):
    """The target of one link: `text[start:end]`, and what it says."""

    start: int
    end: int
    target: str
    writing: Writing
    value: str = ""
    """For `again`: the whole value."""

    @property
    def markdown(self) -> bool:
        """Whether it is the destination of a link of Markdown's."""
        return self.writing in {"bare", "angle"}

    def written(self, text: str, target: str) -> str:
        """Give what stands in the place of `text[start:end]` for another target.

        Raises:
            Unamendable: no link of this kind can name it.
        """
        if self.markdown:
            return _encoded(target, self.writing, text[self.start : self.end])
        if _UNSAFE.search(target):
            raise Unamendable("link_name", target=target)
        if self.writing == "again":
            inner = self.value.partition("[[")[2]
            return quoted("[[" + inner.replace(self.target, target, 1), '"')
        if self.writing == "single":
            return target.replace("'", "''")
        return quoted(target, '"')[1:-1] if self.writing == "double" else target


def _encoded(target: str, writing: Writing, old: str) -> str:
    if writing == "bare" and _ENCODED.search(old):
        return quote(target, safe="/!$&'*+,;=@~")
    return _TO_ENCODE[writing].sub(lambda found: quote(found[0], safe=""), target)


def spots(note: Note) -> Iterator[Spot]:
    """Give the targets of every link of a note, in its properties and in its body."""
    yield from _in_properties(note)
    for link in note.links:
        yield _wiki(note.text, link) if note.text[link.end - 1] == "]" else _markdown(note.text, link)
    if "]:" in note.text:
        yield from _definitions(note)


def _wiki(text: str, link: Link) -> Spot:
    first = text.find("[[", link.start) + 2
    inner, bar, _ = text[first : link.end - 2].partition("|")
    raw = (inner.removesuffix("\\") if bar else inner).partition("#")[0]
    start = first + len(raw) - len(raw.lstrip())
    return Spot(start, start + len(raw.strip()), link.target, "wiki")


def _markdown(text: str, link: Link) -> Spot:
    close = link.start + (text[link.start] == "!") + 1 + len(link.alias or "")
    return _destination(text, close + 2)


def _destination(text: str, start: int) -> Spot:
    found = _DESTINATION.match(text, start)
    assert found is not None
    angle = found[1] is not None
    first = found.start(1 if angle else 2)
    raw = found[1] if angle else found[2]
    raw = raw.partition("#")[0] if angle or "#" in raw else _closed(raw)
    return Spot(first, first + len(raw), unquote(raw).strip(), "angle" if angle else "bare")


def _closed(raw: str) -> str:
    """A bare destination without the bracket that closes the link."""
    depth = 0
    for at, sign in enumerate(raw):
        depth += (sign == "(") - (sign == ")")
        if depth < 0:
            return raw[:at]
    return raw


def _definitions(note: Note) -> Iterator[Spot]:
    """Destinations of reference links, `[a]: Note.md`, at the start of a paragraph."""
    scanner = Scanner(note.text, note.properties.body, note.properties.end_line + 1).run()
    covered, _ = cover(scanner)
    for para in scanner.paragraphs:
        at = para.start
        while not para.heading and at < para.end and (found := _DEFINITION.match(note.text, at)):
            if at not in covered and not _OUTSIDE.match(found[1].removeprefix("<")):
                yield _destination(note.text, found.start(1))
            at = found.end()


def _in_properties(note: Note) -> Iterator[Spot]:
    properties = note.properties
    if not properties.links:
        return
    if properties.style == "json":
        yield from _in_json(note.text, properties.start, properties.end)
        return
    for node in spans(note.text, properties).scalars():
        found = _VALUE.fullmatch(node.value.strip())
        if found and (target := split_link(found[1])[0]):
            yield _in_value(note.text, node, target)


def _in_json(text: str, start: int, end: int) -> Iterator[Spot]:
    for string in _STRING.finditer(text, start, end):
        value = "" if string[2] else json.loads(string[1], strict=False)
        found = _VALUE.fullmatch(value.strip())
        if found and (target := split_link(found[1])[0]):
            yield _in_value(text, Node("scalar", *string.span(1), style='"', value=value), target)


def _in_value(text: str, node: Node, target: str) -> Spot:
    writing: Writing = "double" if node.style == '"' else "single" if node.style == "'" else "wiki"
    there = target.replace("'", "''") if writing == "single" else target
    start = text.find("[[", node.start, node.end) + 2
    start += len(text[start : node.end]) - len(text[start : node.end].lstrip(" "))
    if text.startswith(there, start) and "\\" not in there:
        return Spot(start, start + len(there), target, writing)
    return Spot(node.start, node.end, target, "again", node.value)
