"""Amendments of properties: the bytes of one name, never the block written again (obsidian.md, A1).

The block is read again after: the property must give the value that was asked, every other the one it gave.
"""

from collections.abc import Sequence
from typing import Any

from parsers.model.notes import Properties
from parsers.properties import read
from renderers.amend import yaml_lists
from renderers.amend.failure import Unamendable
from renderers.amend.places import eol_near, line_start, line_stop, writable
from renderers.amend.yaml_spans import Entry, Spans, habits, spans
from renderers.amend.yaml_text import Habits, Quote, Scalar, name, scalar
from renderers.splice import Splice, spliced

Value = Scalar | Sequence[Scalar]
_FENCE = "---"


def property_set(text: str, key: str, value: Value) -> str:
    """Give the text with a value for a property; its style is kept, a new one comes last.

    The block is made where there is none. Text that YAML would read as something else is quoted.

    Raises:
        Unamendable: the properties cannot be read for certain, or the value cannot stand in them.
    """
    wanted = _plain(key, value)
    properties = _readable(text)
    if properties.state == "none":
        return _checked(text, properties, _created(text, properties, key, wanted), {key: wanted})
    expected = {**properties.values, key: wanted}
    if repr(expected) == repr(properties.values):
        return text
    found = _found(text, properties, key)
    entry = found.entry(key)
    if entry is None:
        _no_twin(properties, key)
        line = _lines(key, wanted, habits(text, found), eol_near(text, properties.end))
        at = properties.end
        indent = _indent(text, found)
        splices = [Splice(at, at, "".join(indent + one for one in line.splitlines(keepends=True)))]
    else:
        splices = _changed(text, found, entry, properties.values[key], wanted)
    return _checked(text, properties, spliced(text, splices), expected)


def property_remove(text: str, key: str) -> str:
    """Give the text without a property; a block that nothing is left in goes with it.

    Raises:
        Unamendable: there is no such property, or the properties cannot be read for certain.
    """
    properties = _readable(text)
    if key not in properties.values:
        raise Unamendable("property_missing", key=key)
    entry = _found(text, properties, key).entry(key)
    if entry is None:
        raise Unamendable("property_shape", key=key)
    start, end = line_start(text, entry.key.start), line_stop(text, max(entry.colon, entry.node.end))
    expected = {one: value for one, value in properties.values.items() if one != key}
    left = text[properties.start : start] + text[min(end, properties.end) : properties.end]
    if not left:
        opening = properties.body - len(text[: properties.body].removeprefix("\ufeff"))
        bare = text[:opening] + text[properties.body :]
        if read(bare).state == "none":
            return bare
    return _checked(text, properties, spliced(text, [Splice(start, end, "")]), expected)


def _plain(key: str, value: Value) -> Any:
    """The value as the reader gives it back."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, list | tuple) and all(
        one is None or isinstance(one, str | int | float) for one in value
    ):
        return list(value)
    raise Unamendable("value", value=key)


def _readable(text: str) -> Properties:
    """The properties, when something may be written in them."""
    properties = writable(text).properties
    if properties.state == "invalid":
        raise Unamendable("properties_invalid", line=properties.bad_line)
    if properties.style == "json":
        raise Unamendable("properties_json")
    if properties.opaque:
        raise Unamendable("properties_template", name=properties.opaque[0])
    return properties


def _found(text: str, properties: Properties, key: str) -> Spans:
    """Where everything stands, when each name starts a line of its own."""
    found = spans(text, properties)
    starts = (text[line_start(text, one.key.start) : one.key.start] for one in found.entries)
    if found.flow or any(start.strip(" ") for start in starts) or any(one.colon < 0 for one in found.entries):
        raise Unamendable("property_shape", key=key)
    return found


def _no_twin(properties: Properties, key: str) -> None:
    """Obsidian takes two names that differ by case for one."""
    for one in properties.values:
        if one.casefold() == key.casefold():
            raise Unamendable("property_case", key=key, found=one)


def _indent(text: str, found: Spans) -> str:
    if not found.entries:
        return ""
    first = found.entries[0].key.start
    return text[line_start(text, first) : first]


def _created(text: str, properties: Properties, key: str, value: Any) -> str:
    eol = eol_near(text, properties.body)
    block = f"{_FENCE}{eol}{_lines(key, value, Habits(), eol)}{_FENCE}{eol}"
    return spliced(text, [Splice(properties.body, properties.body, block)])


def _lines(key: str, value: Any, style: Habits, eol: str) -> str:
    """The lines of a new property."""
    first = f"{name(key)}:"
    if not isinstance(value, list):
        return f"{first}{_after_colon(value, style)}{eol}"
    if style.flow or not value:
        return f"{first} {yaml_lists.brackets(value, style)}{eol}"
    return f"{first}{eol}" + yaml_lists.dashes(value, style, eol)


def _after_colon(value: Scalar, style: Habits, quote: Quote | None = None) -> str:
    written = scalar(value, "block", quote or (style.quote if style.always else None), style.quote)
    return f" {written}" if written else ""


def _changed(text: str, found: Spans, entry: Entry, old: Any, value: Any) -> list[Splice]:
    """What changes when a property that stands there takes another value."""
    node, style = entry.node, habits(text, found)
    if node.kind in {"list", "map"} and not node.flow and not node.flat:
        raise Unamendable("property_nested", key=entry.key.value)
    if isinstance(value, list):
        if node.flat:
            return yaml_lists.changed(text, entry, old, value, style)
        return _to_list(text, entry, value, style)
    if node.kind == "list" and not node.flow:
        after = _after_colon(value, style)
        return [*yaml_lists.without_lines(text, entry), Splice(entry.colon, entry.colon, after)]
    own: Quote | None = '"' if node.style == '"' else "'" if node.style == "'" else None
    after = _after_colon(value, style, own)
    if after and node.end > node.start:
        return [Splice(node.start, node.end, after[1:])]
    return [Splice(entry.colon, max(entry.colon, node.end), after)]


def _to_list(text: str, entry: Entry, value: list[Scalar], style: Habits) -> list[Splice]:
    """A list in the place of one value; a comment after that value stays where it is."""
    end = max(entry.colon, entry.node.end)
    if style.flow or not value or entry.node.flow:
        return [Splice(entry.colon, end, " " + yaml_lists.brackets(value, style))]
    after = line_stop(text, end)
    lines = yaml_lists.dashes(value, style, eol_near(text, after))
    return [Splice(entry.colon, end, ""), Splice(after, after, lines)]


def _checked(text: str, before: Properties, new: str, expected: dict[str, Any]) -> str:
    """The new text, when it reads as expected and its body is the same."""
    after = read(new)
    if repr((after.state, dict(after.values), after.opaque)) != repr(("ok", expected, ())) or (
        new[after.body :] != text[before.body :]
    ):
        raise Unamendable("property_shape", key=", ".join(expected.keys() ^ before.values.keys()) or "?")
    return new
