"""HTML blocks of CommonMark: which lines open one, and what closes it."""

import re

_TAGS = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt"
    "|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main"
    "|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead"
    "|title|tr|track|ul"
)
_ATTRIBUTE = (
    r"(?>\s+[a-zA-Z_:][a-zA-Z0-9:._-]*+"
    r"(?:\s*+=\s*+(?:[^\"'=<>`\x00-\x20]++|'[^']*'|\"[^\"]*\"))?+)"
)
_STARTS = (
    (
        re.compile(r"<(?:script|pre|textarea|style)(?:\s|>|$)", re.IGNORECASE),
        re.compile("</(?:script|pre|textarea|style)>", re.IGNORECASE),
    ),
    (re.compile("<!--"), re.compile("-->")),
    (re.compile(r"<\?"), re.compile(r"\?>")),
    (re.compile("<![A-Za-z]"), re.compile(">")),
    (re.compile(r"<!\[CDATA\["), re.compile(r"\]\]>")),
    (re.compile(rf"</?(?:{_TAGS})(?:\s|/?>|$)", re.IGNORECASE), None),
)
_ALONE = re.compile(rf"(?:<[A-Za-z][A-Za-z0-9-]*+{_ATTRIBUTE}*+\s*+/?>|</[A-Za-z][A-Za-z0-9-]*+\s*+>)\s*$")


def opens_html(line: str, start: int, *, in_paragraph: bool) -> tuple[bool, re.Pattern[str] | None]:
    """Whether an HTML block opens at `start`, and what closes it; None stands for a blank line.

    A tag of a name HTML does not know opens a block only where it cannot be part of a paragraph.
    """
    for opener, closer in _STARTS:
        if opener.match(line, start):
            return True, closer
    return not in_paragraph and _ALONE.match(line, start) is not None, None
