"""The properties of a plan note that are ours: each is set in its own bytes, the person's keep theirs (law 2)."""

import json
import re
from collections.abc import Sequence

from parsers.model.notes import Properties
from parsers.properties import read
from renderers.splice import Splice, spliced

_PLAIN = re.compile(
    r"[A-Za-z](?:[A-Za-z0-9_./+-]|:(?=[A-Za-z0-9]))*|\d{4}-\d\d-\d\dT[0-9:+-]+Z?|[0-9a-f]*[a-df][0-9a-f]*"
)
_WORDS = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}


def property_lines(wanted: Sequence[tuple[str, str]]) -> list[str]:
    """Give the lines of the properties, without the two lines around them."""
    return [f"{name}: {_scalar(value)}" for name, value in wanted]


def with_properties(text: str, properties: Properties, wanted: Sequence[tuple[str, str]]) -> str:
    """Give the text with our properties as they should be.

    A block that cannot be read, or whose other values would not stay what they are, is left alone.
    """
    if properties.state not in {"ok", "none"} or properties.style == "json":
        return text
    values = properties.values
    differ = [(name, value) for name, value in wanted if values.get(name) != value]
    if not differ:
        return text
    eol = "\r\n" if "\r\n" in text else "\n"
    if properties.state == "none":
        block = "".join(line + eol for line in ("---", *property_lines(wanted), "---"))
        return text[: properties.body] + block + text[properties.body :]
    splices = [_splice(text, properties, name, value, eol) for name, value in differ]
    done = spliced(text, splices)
    after = read(done)
    return done if after.state == "ok" and after.values == {**values, **dict(wanted)} else text


def _splice(text: str, properties: Properties, name: str, value: str, eol: str) -> Splice:
    if name not in properties.values:
        return Splice(properties.end, properties.end, f"{name}: {_scalar(value)}{eol}")
    key = re.compile(
        rf"^(?:{name}|'{name}'|\"{name}\")[ \t]*:(?P<value>.*(?:\n(?:[ \t]+\S|- ).*)*)", re.MULTILINE
    )
    found = key.search(text, properties.start, properties.end)
    if found is None:
        return Splice(properties.end, properties.end, "")
    end = found.end("value") - found["value"].endswith("\r")
    return Splice(found.start("value"), end, f" {_scalar(value)}")


def _scalar(value: str) -> str:
    plain = _PLAIN.fullmatch(value) and value.lower() not in _WORDS
    return value if plain else json.dumps(value, ensure_ascii=False)
