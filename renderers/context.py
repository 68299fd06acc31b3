"""The context block as text: every line is data that says where it came from, and cannot end the block (R-P01, R-M06).

One item is one line, its origin and provenance first, its text last: no text can add a line of its own or speak for
another origin. What would open or close one of our tags inside a text is escaped, however it is disguised.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from renderers.blocks import FRAME, META, attributes, escaped

CUT = "[…]"
"""Stands where a text was cut."""
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f]")
_PLAIN = re.compile(r"[^\w.,:?@/ -]")

Count = Callable[[str], int]


class Part(NamedTuple):
    """One section: its name, what its tag says, its lines."""

    name: str
    lines: Sequence[str]
    says: Mapping[str, str] = MappingProxyType({})


def tokens(text: str) -> int:
    """Give how many tokens a text takes: a quarter of its bytes, rounded up."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // 4)


def rendered(parts: Iterable[Part], says: Mapping[str, str]) -> str:
    """Give the block of some sections, those without a line left out; `says` stands in `meta`, at its end."""
    lines = [f"<{FRAME}>"]
    for part in parts:
        if part.lines:
            lines += framed(part)
    return "\n".join((*lines, f"<{META}{_attributes(says)}/>", f"</{FRAME}>", ""))


def framed(part: Part) -> list[str]:
    """Give the lines of a section with its tags."""
    return [f"<{part.name}{_attributes(part.says)}>", *part.lines, f"</{part.name}>"]


def item(origin: str, says: Iterable[str], text: str) -> str:
    """Give the line of an item: a link to where it stands, what is said of it, its text on one line."""
    return f"- {' · '.join((origin, *map(one_line, filter(None, says)), one_line(text)))}"


def link(path: str, block: str | None, shown: str) -> str:
    """Give the link to a block, or to a note; what would end the link is taken out of the words shown."""
    target = path.removesuffix(".md") + (f"#^{block}" if block else "")
    words = re.sub(r"[\[\]|]+", " ", shown)
    return one_line(f"[[{target}|{words}]]")


def one_line(text: str) -> str:
    """Give a text on one line, escaped; ` ⏎ ` stands where a line ended."""
    lines = (" ".join(_CONTROL.sub(" ", line).split()) for line in text.splitlines())
    return escaped(" ⏎ ".join(line for line in lines if line))


def verbatim(text: str) -> list[str]:
    """Give the lines of a text as they stand, escaped, without blank lines at its ends."""
    plain = _CONTROL.sub("", text.replace("\r\n", "\n")).strip()
    return escaped(plain).split("\n") if plain else []


def cut(lines: Sequence[str], most: int, count: Count) -> list[str]:
    """Give the first lines that take at most so many tokens; a mark stands last where some are missing.

    Of a line that does not fit its first words are kept; nothing at all where not even the mark fits.
    """
    if count("\n".join(lines)) <= most:
        return list(lines)
    kept: list[str] = []
    for line in lines:
        if count("\n".join((*kept, line, CUT))) > most:
            words = _first_words(line, lambda part: count("\n".join((*kept, f"{part} {CUT}"))) <= most)
            return (
                [*kept, f"{words} {CUT}"]
                if words
                else [*kept, CUT]
                if count("\n".join((*kept, CUT))) <= most
                else []
            )
        kept.append(line)
    return kept


def cut_line(line: str, most: int, count: Count) -> str:
    """Give the first words of a line and the mark, within so many tokens; `""` where nothing fits."""
    if count(line) <= most:
        return line
    words = _first_words(line, lambda part: count(f"{part} {CUT}") <= most)
    return f"{words} {CUT}" if words else ""


def _first_words(line: str, fits: Callable[[str], bool]) -> str:
    """Give the longest beginning that fits, up to the end of a word."""
    low, high = 0, len(line)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(line[:middle]) else (low, middle - 1)
    part = line[:low]
    return (part if low == len(line) else part.rpartition(" ")[0] or part).rstrip()


def _attributes(says: Mapping[str, str]) -> str:
    return attributes({name: _PLAIN.sub("?", value) for name, value in says.items()})
