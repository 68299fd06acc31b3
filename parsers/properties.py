"""Properties: the YAML (or JSON) block at the very start of a note, read as Obsidian reads it.

YAML 1.2 core: a date is text, `yes` is text, `010` is ten, and a name that stands twice makes the block
invalid. A block that cannot be read is never an empty one: its state says so, with the reason and the line.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml
from frontmatter.default_handlers import YAMLHandler

from parsers.model.notes import Properties, PropertyLink

TAG_CHARACTER = r"""[^\u2000-\u206F\u2E00-\u2E7F'!"#$%&()*+,.:;<=>?@^`{|}~\[\]\\\s]"""
"""What a tag is made of: everything but blanks and these signs."""

_OPENING = re.compile(r"\ufeff?---[ \t]*\r?\n")
_CLOSING = re.compile(r"\n---[ \t]*\r?(?:\n|\Z)")
_TAG = re.compile(TAG_CHARACTER + "+")
_LINK = re.compile(r"\[\[([^\[\]\n]+)\]\]")
_HANDLER = YAMLHandler()
_LONGEST = 10_000
"""Values read from one block: aliases may name more, and then it is refused."""
_DEEPEST = 50
_NOT_BREAKS = {"\x85": "\ue085", "\u2028": "\ue828", "\u2029": "\ue829"}
"""Line breaks of YAML 1.1 that are plain characters in 1.2, and what stands for them while PyYAML reads."""


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
    except _BadBlockError as error:
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


class _BadBlockError(Exception):
    """Why the block cannot be read; `line` counts from 0 inside it."""

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(reason)
        self.reason, self.line = reason, line


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
    values, opaque = _yaml(block) if json_values is None else (json_values, ())
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


def _yaml(block: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    unusual = [sign for sign in _NOT_BREAKS if sign in block]
    for sign in unusual:
        block = block.replace(sign, _NOT_BREAKS[sign])
    try:
        read: _Read | None = _HANDLER.load(block, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        raise _BadBlockError(error.problem or "not YAML", _line(error)) from error
    except yaml.reader.ReaderError as error:
        raise _BadBlockError(error.reason, _line_of_control(block)) from error
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise _BadBlockError("not YAML", 0) from error
    if read is None:
        return {}, ()
    if not isinstance(read.value, dict):
        raise _BadBlockError("not a list of names and values", 0)
    return (_restored(read.value) if unusual else read.value), tuple(read.opaque)


def _line(error: yaml.MarkedYAMLError) -> int:
    """Where the fault is: an unclosed quote is at fault where it opens, anything else where it is noticed."""
    opening = error.context in {"while scanning a quoted scalar", "while scanning a simple key"}
    mark = (error.context_mark if opening else None) or error.problem_mark or error.context_mark
    return mark.line if mark else 0


def _line_of_control(block: str) -> int:
    found = re.search(r"[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", block)
    return block.count("\n", 0, found.start()) if found else 0


def _restored(value: Any) -> Any:
    if isinstance(value, str):
        for sign, stand_in in _NOT_BREAKS.items():
            value = value.replace(stand_in, sign)
        return value
    if isinstance(value, dict):
        return {_restored(key): _restored(one) for key, one in value.items()}
    return [_restored(one) for one in value] if isinstance(value, list) else value


@dataclass(slots=True)
class _Read:
    value: Any = None
    opaque: list[str] = field(default_factory=list)
    count: int = 0


class _Loader(yaml.CSafeLoader):
    """PyYAML's C parser with the scalars of YAML 1.2 core; tags of any kind change nothing."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012  # PyYAML's own

    def get_single_data(self) -> _Read | None:
        """The one document of the block, None when it is empty."""
        node = self.get_single_node()
        if node is None:
            return None
        read = _Read()
        read.value = _value(node, read, 0)
        return read


def _resolver(kind: str, pattern: str, first: str) -> None:
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{kind}", re.compile(f"(?:{pattern})$"), list(first))


_resolver("null", r"~|null|Null|NULL|", "~nN")
_Loader.yaml_implicit_resolvers[""] = [("tag:yaml.org,2002:null", re.compile("$"))]
_resolver("bool", r"true|True|TRUE|false|False|FALSE", "tTfF")
_resolver("int", r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", "-+0123456789")
_resolver(
    "float",
    r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)",
    "-+.0123456789",
)


def _value(node: yaml.Node, read: _Read, depth: int) -> Any:
    read.count += 1
    if read.count > _LONGEST or depth > _DEEPEST:
        raise _BadBlockError("too many or too deep values", node.start_mark.line)
    if isinstance(node, yaml.ScalarNode):
        return _scalar(node.tag, node.value)
    if isinstance(node, yaml.SequenceNode):
        return [_value(one, read, depth + 1) for one in node.value]
    assert isinstance(node, yaml.MappingNode)
    return _mapping(node, read, depth)


def _scalar(tag: str, text: str) -> Any:
    convert = _SCALARS.get(tag)
    try:
        return convert(text) if convert else text
    except ValueError:  # `!!int x`, or more digits than Python converts
        return text


def _int(text: str) -> int:
    return int(text, 0) if text[:2] in {"0o", "0x"} else int(text)


def _float(text: str) -> float:
    word = text.lower()
    return float(word.replace(".", "") if word[-1] in "fn" else word)


_SCALARS: dict[str, Any] = {
    "tag:yaml.org,2002:null": lambda _: None,
    "tag:yaml.org,2002:bool": lambda text: text[0] in "tT",
    "tag:yaml.org,2002:int": _int,
    "tag:yaml.org,2002:float": _float,
}


def _mapping(node: yaml.MappingNode, read: _Read, depth: int) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name_node, value_node in node.value:
        name = _name(name_node, read, depth)
        if name in values:
            raise _BadBlockError("duplicate key", name_node.start_mark.line)
        was = len(read.opaque)
        values[name] = _value(value_node, read, depth + 1)
        if depth == 0 and len(read.opaque) > was:
            read.opaque[was:] = [name]
    return values


def _name(node: yaml.Node, read: _Read, depth: int) -> str:
    """A name as text; `{{date}}`, a map whose name is a map, is a template nobody filled in."""
    if isinstance(node, yaml.ScalarNode):
        return str(node.value)
    read.opaque.append("")
    return json.dumps(_value(node, read, depth + 1), ensure_ascii=False)


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
