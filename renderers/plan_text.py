"""Text from elsewhere in a plan note: nothing in it makes a line, a box, an id, a marker, a link or a fence of ours."""

import json
import re
from collections.abc import Iterable
from typing import Any

from parsers.plan import Called

_BLANKS = re.compile(r"[ \t\r\n\v\f\0-\x1f\x7f-\x9f\u2028\u2029]+")
_UNSEEN = re.compile("[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")
"""Characters that change what the reader sees without being seen, and halves of characters."""
_SIGNS = re.compile(r"[\\`*\[\]<~=|$]|%(?=%)|(?<=%)%|(?:(?<=\s)|\A)[#^]|::(?=\s)")
_BLOCK = re.compile(
    r"(?:[-+*](?=\s|\Z)|#{1,6}(?=\s|\Z)|>|`{3}|~{3}|<|\||=|[-_*](?:[ \t]*[-_*]){2,}[ \t]*\Z|\[.\](?=\s|\Z))"
)
_NUMBER = re.compile(r"\d{1,9}(?=[.)](?:\s|\Z))")
_UNESCAPED = re.compile(
    r"(?<!\\)(?:\[(?=\[)|!(?=\[)|<(?=[A-Za-z/!?])|(?<=\])\(|(?:(?<=\s)|\A)\^(?=[A-Za-z0-9-])|(?:(?<=\s)|\A)#(?=\S))"
)
_PERCENTS = re.compile(r"(?<!\\)%(?=\\?%)|(?<=%)%")
_CODE = re.compile(r"(?<![`\\])(`+)(?!`).*?(?<!`)\1(?!`)")
_RUNS = re.compile("`+")
_OUT_OF_SIGHT = re.compile("[\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


def plain(text: str) -> str:
    """Give a text on one line, without what the reader cannot see."""
    return _UNSEEN.sub("", _BLANKS.sub(" ", text)).strip(" ")


def inert(text: str) -> str:
    """Give a text as words inside a line of Markdown: read, it is the same text and nothing else."""
    return _SIGNS.sub(lambda sign: "".join("\\" + one for one in sign[0]), plain(text))


def first_shown(line: str) -> str:
    """Give a step's first line, whose Markdown is meant, without what would make it more than a line.

    Code in it stays as it is: nothing counts there.
    """
    line, at, parts = plain(line), 0, []
    for code in _CODE.finditer(line):
        parts += [_harmless(line[at : code.start()]), code[0]]
        at = code.end()
    return "".join((*parts, _harmless(line[at:])))


def _harmless(words: str) -> str:
    return _PERCENTS.sub(r"\\%", _UNESCAPED.sub(lambda sign: "\\" + sign[0], words))


def child_shown(entry: str) -> tuple[str, ...]:
    """Give the lines of a step's child: one item, or a fenced block when it starts with three backticks.

    One without a word gives none: a dash alone would underline the line above it as a heading.
    """
    if entry.startswith("```"):
        return _fenced(entry)
    line = first_shown(entry)
    number = _NUMBER.match(line)
    if number:
        line = f"{number[0]}\\{line[number.end() :]}"
    elif _BLOCK.match(line):
        line = "\\" + line
    return (f"\t- {line}",) if line else ()


def _fenced(entry: str) -> tuple[str, ...]:
    first, *inside = entry.replace("\r\n", "\n").split("\n")
    language = re.sub(r"[^a-z]", "", first.strip("`"))
    if inside and inside[-1].strip() and not inside[-1].strip().strip("`"):
        inside.pop()
    inside = [line.replace("\r", " ").replace("\0", " ") for line in inside]
    run = fence_run("\n".join(inside))
    return (f"\t{run}{language}", *(f"\t{line}" if line else "" for line in inside), f"\t{run}")


def fence_run(content: str) -> str:
    """Give the backticks of a fence that a content cannot close."""
    return "`" * max(3, 1 + max((len(run) for run in _RUNS.findall(content)), default=0))


def fence_lines(steps: Iterable[Called]) -> tuple[str, ...]:
    """Give the JSON fence of a plan, one step a line; read back, the steps are the same."""
    lines = [_json({"id": one.id, "tool": one.tool, "args": dict(one.args)}) for one in steps]
    run = fence_run("\n".join(lines))
    return (f"{run}json", *lines, run)


def _json(value: Any) -> str:
    said = json.dumps(value, ensure_ascii=False)
    return _OUT_OF_SIGHT.sub(lambda sign: f"\\u{ord(sign[0]):04x}", said)
