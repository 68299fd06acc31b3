"""YAML 1.2 core: PyYAML's C parser with other scalars, for the properties of notes (obsidian.md, A2)."""

import json
import re
from dataclasses import dataclass, field
from typing import Any

import yaml
from frontmatter.default_handlers import YAMLHandler

from parsers.errors import BadBlock

_HANDLER = YAMLHandler()
_LONGEST = 10_000
"""Values read from one block: aliases may name more, and then it is refused."""
_DEEPEST = 50
_NOT_BREAKS = {"\x85": "\ue085", "\u2028": "\ue828", "\u2029": "\ue829"}
"""Line breaks of YAML 1.1 that are plain characters in 1.2, and what stands for them while PyYAML reads."""

_UNSURE = object()
_NAMED = re.compile(r"(\w(?:[\w -]{0,98}[\w-])?):(?: +(.*))?")
_DASHED = re.compile(r"( *)-(?: +(.*))?")
_TEXT = re.compile(r"\w(?:[\w ./_+()'’&!?,;-]|:(?=[\w/]))*")
_WORD = re.compile(r"\w[\w ./_+-]*")
_ODD = r"\\\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\uf8ff\ufeff\ufffe\uffff"
_QUOTED = re.compile(f""" "[^"{_ODD}]*" | '[^'{_ODD}]*' """, re.VERBOSE)


def values_of(block: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Give the values of a block, and the names whose values are templates nobody filled in.

    Raises:
        BadBlock: it is not a map in YAML 1.2 core.
    """
    plain = plain_values(block)
    return full_values(block) if plain is None else (plain, ())


def plain_values(block: str) -> dict[str, Any] | None:
    """Give what a block of plain lines says, in half of PyYAML's time; None where PyYAML has to read it.

    Plain are one word or text, quoted or not, after each name, and lists of them, on its line or below it.
    """
    if len(block) > _LONGEST:
        return None
    values: dict[str, Any] = {}
    name, dash = "", None
    for line in block.removesuffix("\n").split("\n") if block else ():
        if found := _NAMED.fullmatch(line):
            name, said = found.groups()
            dash = None if said else ""
            if name in values or (value := _plain(said)) is _UNSURE:
                return None
            values[name] = value
            continue
        found = _DASHED.fullmatch(line)
        if found is None or dash is None or (value := _plain(found[2])) is _UNSURE:
            return None
        if values[name] is None:
            values[name], dash = [], found[1]
        if found[1] != dash:
            return None
        values[name].append(value)
    return values


def _plain(said: str | None) -> Any:
    text = said.rstrip(" ") if said else ""
    if not text:
        return None
    if text[0] != "[" or text[-1] != "]":
        return _scalar_of(text, _TEXT)
    inner = text[1:-1].strip(" ")
    listed = [_scalar_of(one.strip(" "), _WORD) for one in inner.split(",")] if inner else []
    return _UNSURE if _UNSURE in listed else listed


def _scalar_of(text: str, unquoted: re.Pattern[str]) -> Any:
    if _QUOTED.fullmatch(text):
        return text[1:-1]
    if not unquoted.fullmatch(text):
        return _UNSURE
    for tag, pattern in _Loader.yaml_implicit_resolvers.get(text[0], ()):
        if pattern.match(text):
            return _scalar(tag, text)
    return text


def full_values(block: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Give what `values_of` does, of any block, by PyYAML."""
    unusual = [sign for sign in _NOT_BREAKS if sign in block]
    for sign in unusual:
        block = block.replace(sign, _NOT_BREAKS[sign])
    try:
        read: _Read | None = _HANDLER.load(block, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        raise BadBlock(error.problem or "not YAML", _line(error)) from error
    except yaml.reader.ReaderError as error:
        raise BadBlock(error.reason, _line_of_control(block)) from error
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise BadBlock("not YAML", 0) from error
    if read is None:
        return {}, ()
    if not isinstance(read.value, dict):
        raise BadBlock("not a list of names and values", 0)
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
        raise BadBlock("too many or too deep values", node.start_mark.line)
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


def _null(text: str) -> None:
    if text.lower() not in {"", "~", "null"}:  # `!!null x`
        raise ValueError


def _bool(text: str) -> bool:
    if text.lower() not in {"true", "false"}:  # `!!bool yes`, which is no truth value of YAML 1.2
        raise ValueError
    return text[0] in "tT"


def _int(text: str) -> int:
    return int(text, 0) if text[:2] in {"0o", "0x"} else int(text)


def _float(text: str) -> float:
    word = text.lower()
    return float(word.replace(".", "") if word[-1] in "fn" else word)


_SCALARS: dict[str, Any] = {
    "tag:yaml.org,2002:null": _null,
    "tag:yaml.org,2002:bool": _bool,
    "tag:yaml.org,2002:int": _int,
    "tag:yaml.org,2002:float": _float,
}


def _mapping(node: yaml.MappingNode, read: _Read, depth: int) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name_node, value_node in node.value:
        name = _name(name_node, read, depth)
        if name in values:
            raise BadBlock("duplicate key", name_node.start_mark.line)
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
