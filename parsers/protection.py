"""What protects a statement or a note by its words: `sensible`, `privé` and their like (vault-notes.md; R-P04).

In doubt it protects: anything but a clear no does, wherever it stands outside code.
"""

import re
from typing import Any

YES = frozenset({"oui", "yes", "true", "vrai", "1"})
NO = frozenset({"non", "no", "false", "faux", "0"})
"""Words of a yes and of a no, in either language."""

_FENCED = re.compile(
    r"^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})[^\n`]*\n.*?^[ \t]*\1[`~]*[ \t]*$",
    re.DOTALL | re.MULTILINE,
)
_INLINE = re.compile(r"(?<![`\\])(`+)(?!`)[^\n]*?(?<!`)\1(?!`)")
_KEY = r"(?:sensible|sensitive)"
_MARK = re.compile(
    rf"[\[(][ \t*_~]*{_KEY}[ \t*_~]*::([^\[\]()\n]*)"
    rf"|(?<!\w){_KEY}[*_]{{0,2}}[ \t]*::[ \t]*[*_]{{0,2}}(?:{'|'.join(sorted(YES))})(?!\w)",
    re.IGNORECASE,
)


def protects(value: Any) -> bool:
    """Tell whether a property of such a name protects: whatever its value is, but for none and a clear no."""
    if isinstance(value, list):
        return any(bool(one) if isinstance(one, list | dict) else protects(one) for one in value)
    if isinstance(value, dict):
        return bool(value)
    return value is not None and _word(value) not in NO | {""}


def understood(value: Any) -> bool:
    """Tell whether a property's value is a yes, a no, none, or a list of these."""
    values = value if isinstance(value, list) else [value]
    return all(one is None or _word(one) in YES | NO | {""} for one in values)


def marked(text: str) -> bool:
    """Tell whether a statement says of itself that it is sensitive, anywhere outside code.

    `[sensible:: oui]` and `(sensible:: oui)` do with any value but a no, a bare `sensible:: oui` with a yes.
    """
    if "::" not in text:
        return False
    clear = _INLINE.sub(" ", _FENCED.sub("\n", text))
    return any(found[1] is None or _word(found[1]) not in NO for found in _MARK.finditer(clear))


def _word(value: Any) -> str:
    return str(value).strip(" \t*_~").casefold()
