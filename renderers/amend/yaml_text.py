"""YAML of a name or of one value, written so that our own reader gives the same back."""

import re
from dataclasses import dataclass
from typing import Literal

import yaml

from parsers.errors import BadBlock
from parsers.yaml_core import values_of
from renderers.amend.failure import Unamendable

Scalar = str | int | float | bool | None
Quote = Literal['"', "'"]
Where = Literal["block", "item", "flow"]
"""After a name, after the dash of a list, between the brackets of one."""

_TRIED: dict[Where, str] = {"block": "k: {}\n", "item": "k:\n  - {}\n", "flow": "k: [{}, 0]\n"}
_PLAIN = re.compile(r"[^\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]+")
_ESCAPED = re.compile(r'[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff"\\]')
_SHORT = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_OLDER = yaml.resolver.Resolver()
"""Knows what YAML 1.1 takes for no text: `yes`, `12:30`, `1_000`, …"""


@dataclass(frozen=True, slots=True)
class Habits:
    """How the values of a block are written."""

    quote: Quote = '"'
    always: bool = False
    """Text stands in quotes even where it need not."""
    flow: bool = False
    """Lists stand between brackets."""
    dash: str = "  - "
    """What comes before an element of a list."""


def scalar(value: Scalar, where: Where, quote: Quote | None, fallback: Quote = '"') -> str:
    """Give the YAML of one value; nothing for None after a name.

    Args:
        value: What it must read as.
        where: What stands around it.
        quote: What text stands in, None where it may stand bare.
        fallback: What it stands in where it may not.

    Raises:
        Unamendable: no YAML reads as it.
    """
    if value is None:
        return "" if where == "block" else "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _text(str(value), where, quote, fallback)
    written = _number(value)
    if not _reads(written, where, value):
        raise Unamendable("value", value=written[:40])
    return written


def _number(value: float) -> str:
    written = repr(value)
    return {"inf": ".inf", "-inf": "-.inf", "nan": ".nan"}.get(written, written)


def _text(text: str, where: Where, quote: Quote | None, fallback: Quote) -> str:
    if _SURROGATE.search(text):
        raise Unamendable("value", value=ascii(text)[:40])
    if quote is None and _is_plain(text) and _reads(text, where, text):
        return text
    for written in (quoted(text, quote or fallback), quoted(text, '"')):
        if _reads(written, where, text):
            return written
    raise Unamendable("value", value=text[:40])


def quoted(text: str, quote: Quote) -> str:
    """Give a text in quotes; in double ones when single ones cannot hold it."""
    if quote == "'" and _PLAIN.fullmatch(text):
        return "'" + text.replace("'", "''") + "'"
    return '"' + _ESCAPED.sub(lambda found: _SHORT.get(found[0], f"\\u{ord(found[0]):04x}"), text) + '"'


def bare(text: str) -> bool:
    """Whether a text may stand after a name without quotes."""
    return _is_plain(text) and _reads(text, "block", text)


def _is_plain(text: str) -> bool:
    """Whether a text is text for readers of YAML 1.1 too; a day is one all the same."""
    if not _PLAIN.fullmatch(text) or text != text.strip() or "\t" in text:
        return False
    tag = _OLDER.resolve(yaml.ScalarNode, text, (True, False))  # type: ignore[no-untyped-call]
    return tag in {"tag:yaml.org,2002:str", "tag:yaml.org,2002:timestamp"}


def _reads(written: str, where: Where, value: Scalar) -> bool:
    """Whether our reader gives the value back."""
    expected = {"block": value, "item": [value], "flow": [value, 0]}[where]
    try:
        values, opaque = values_of(_TRIED[where].replace("{}", written))
    except BadBlock:
        return False
    return repr(values) == repr({"k": expected}) and not opaque


def name(key: str) -> str:
    """Give the YAML of a property's name.

    Raises:
        Unamendable: it is empty, of several lines, or no YAML reads as it.
    """
    if not key or key != key.strip() or not _PLAIN.fullmatch(key):
        raise Unamendable("key", key=ascii(key)[1:-1][:40])
    for written in (key, quoted(key, '"')):
        try:
            values, opaque = values_of(f"{written}: 0\n")
        except BadBlock:
            continue
        if values == {key: 0} and not opaque:
            return written
    raise Unamendable("key", key=key[:40])
