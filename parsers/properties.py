"""Properties: the YAML (or JSON) block at the very start of a note, read as Obsidian reads it.

YAML 1.2 core: a date is text, `yes` is text, `010` is ten, and a name that stands twice makes the block
invalid. A block that cannot be read is never an empty one: its state says so, with the reason and the line.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from parsers.errors import BadBlock
from parsers.model.notes import Properties, PropertyLink

TAG_CHARACTER = r"""[^\u2000-\u206F\u2E00-\u2E7F'!"#$%&()*+,.:;<=>?@^`{|}~\[\]\\\s]"""
"""What a tag is made of: everything but blanks and these signs."""

_OPENING = re.compile(r"\ufeff?---[ \t]*\r?\n")
_CLOSING = re.compile(r"\n---[ \t]*\r?(?:\n|\Z)")
_TAG = re.compile(TAG_CHARACTER + "+")
_LINK = re.compile(r"\[\[([^\[\]\n]+)\]\]")


def read(text: str) -> Properties:
    """Properties of a note's text; any text gives an answer."""
    opening = _OPENING.match(text)
    if opening is None:
        return Properties("none", body=int(text.startswith("\ufeff")))
    start = opening.end()
    closing = _CLOSING.search(text, start - 1)
    if closing is None:
        return Properties("unclosed", start_line=1, body=int(text.startswith("\ufeff")))
    block = text[start : closing.start() + 1]
    place = _Place(start, closing.start() + 1, closing.end(), block.count("\n") + 2)
    try:
        return _understood(block, place)
    except BadBlock as error:
        line = min(max(2, error.line + 2), max(2, place.end_line - 1))
        return place.properties(state="invalid", reason=error.reason, bad_line=line)


def split_link(inner: str) -> tuple[str, str, str | None]:
    """Target, subpath (`#…` or `""`) and alias of what stands between `[[` and `]]`."""
    place, bar, alias = inner.partition("|")
    target, sign, rest = (place.removesuffix("\\") if bar else place).partition("#")
    return target.strip(), (sign + rest).strip(), alias.strip() if bar else None


def is_tag(name: str) -> bool:
    """Whether `name`, without its `#`, is a legal tag: at least one character that is no digit."""
    return _TAG.fullmatch(name) is not None and not name.isdigit()


@dataclass(frozen=True, slots=True)
class _Place:
    start: int
    end: int
    body: int
    end_line: int

    def properties(self, **known: Any) -> Properties:
        return Properties(
            start_line=1, end_line=self.end_line, start=self.start, end=self.end, body=self.body, **known
        )


def _understood(block: str, place: _Place) -> Properties:
    json_values = _json(block) if block.startswith("{") else None
    if json_values is None:
        from parsers.yaml_core import values_of  # noqa: PLC0415 - 20 ms that a vault at rest does not need

        values, opaque = values_of(block)
    else:
        values, opaque = json_values, ()
    return place.properties(
        state="ok",
        values=values,
        tags=_tags(values),
        aliases=_aliases(values),
        links=tuple(_links("", values)) if "[[" in block else (),
        opaque=opaque,
        style="yaml" if json_values is None else "json",
    )


def _json(block: str) -> dict[str, Any] | None:
    """A JSON object, None when the block is something else (`{a: b}` is YAML)."""
    try:
        return dict(json.loads(block, object_pairs_hook=_unique))
    except (ValueError, TypeError, RecursionError):
        return None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError
    return dict(pairs)


def _entry(values: Mapping[str, Any], name: str) -> list[str]:
    """Texts of a reserved property: a list, or one text without a comma (Obsidian 1.9 ignores `a, b`)."""
    value = values.get(name)
    if value is None:
        value = next((one for key, one in values.items() if key.lower() == name), None)
    if isinstance(value, str):
        return [value.strip()] if value.strip() and "," not in value else []
    if not isinstance(value, list):
        return []
    return [str(one).strip() for one in value if isinstance(one, str | int | float) and str(one).strip()]


def _tags(values: Mapping[str, Any]) -> tuple[str, ...]:
    names = (name.removeprefix("#").rstrip("/") for name in _entry(values, "tags"))
    return tuple(name for name in names if is_tag(name))


def _aliases(values: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(_entry(values, "aliases"))


def _links(key: str, value: Any) -> Iterator[PropertyLink]:
    if isinstance(value, str):
        if found := _LINK.fullmatch(value.strip()):
            target, subpath, alias = split_link(found[1])
            if target or subpath:
                yield PropertyLink(key, target, subpath, alias)
        return
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, one in pairs:
        yield from _links(f"{key}.{name}" if key else str(name), one)
