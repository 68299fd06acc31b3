"""Who speaks in a block: the names at the heads of its lines, as in `**Caroline:** yes` or `[10:32] Marie : oui`."""

import re

_NAME = r"[^\W\d_][\w'’.-]*(?: [^\W\d_][\w'’.-]*){0,2}"
_HEAD = re.compile(
    r"^[ \t]*(?:[-*+>] +)?(?:[\[(][^\])\n]{1,24}[\])] *)?[*_]{0,3}(" + _NAME + r")[*_]{0,3}"
    r"(?: *\([^)\n]{1,24}\))?[ \u00a0\u202f]?:(?![:/])",
    re.MULTILINE,
)
_REACH = 64
"""Characters at the head of a block within which the first speaker's colon stands."""


def speakers(text: str) -> tuple[str, ...]:
    """Give the names that stand before a colon at the heads of lines, each once; none where the first line has none."""
    if ":" not in text[:_REACH] or not _HEAD.match(text):
        return ()
    names = (name for name in _HEAD.findall(text) if name[0].isupper())
    return tuple(dict.fromkeys(names))
