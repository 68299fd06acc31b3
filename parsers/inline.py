"""What stands inside lines: code spans and comments first, then links, tags and block ids outside them."""

import re
from bisect import bisect_left, bisect_right
from urllib.parse import unquote

from parsers.blocks import Scanner
from parsers.model.notes import BlockId, Comment, CommentKind, Link, Tag
from parsers.properties import TAG_CHARACTER, split_link
from parsers.structure import PERCENTS, Paragraph

_TOKEN = re.compile(r"\\.|`+|<!--|%%+|<[A-Za-z/!?][^<>\n]*>")
_RUN = re.compile("`+")
_WIKI = re.compile(r"\[\[([^\[\]\n]+)\]\]")
_MARKDOWN = re.compile(
    r"\]\((<[^<>\n]*>|(?:[^\s()<>]++|\([^\s()<>]*+\))++)"
    r"(?:[ \t]++(?:\"[^\"\n]*+\"|'[^'\n]*+'))?[ \t]*+\)"
)
_DELIMITER = re.compile(r"[ \t>]*\|?[ \t]*:?-++:?[ \t]*(?:\|[ \t]*:?-++:?[ \t]*)*\|?[ \t]*\r?(?:\n|$)")
_EXTERNAL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_TAG = re.compile("#" + TAG_CHARACTER + "+")
_ID = re.compile(r"\^([A-Za-z0-9-]+)[ \t]*$")


PARAGRAPHS = ("`", "<", "%%", "^")
"""Signs in a text without which `cover` and `block_ids` ask for no paragraph."""


class Covered:
    """Spans of the text where nothing inline counts, in order and apart."""

    __slots__ = ("_ends", "_starts")

    def __init__(self, spans: list[tuple[int, int]]) -> None:
        """Take spans in any order."""
        spans.sort()
        self._starts = [start for start, _ in spans]
        self._ends = [end for _, end in spans]

    def __bool__(self) -> bool:
        return bool(self._starts)

    def __contains__(self, offset: int) -> bool:
        index = bisect_right(self._starts, offset) - 1
        return index >= 0 and offset < self._ends[index]


def cover(scanner: Scanner) -> tuple[Covered, tuple[Comment, ...]]:
    """Where no link, tag or id counts (code, HTML), and every comment of the note, in order."""
    text, comments = scanner.text, list(scanner.comments)
    spans = scanner.code + [(start, end) for start, end, _ in scanner.html]
    for start, end, line in scanner.html:
        comments += _html_comments(text, start, end, line)
    for para in _signed(text, scanner.paragraphs):
        for piece in _pieces(text, para) if "|" in text else (para,):
            _Inline(text, piece, spans, comments).run()
    comments.sort(key=lambda comment: comment.start)
    return Covered(spans), tuple(comments)


def _signed(text: str, paragraphs: list[Paragraph]) -> list[Paragraph]:
    """The paragraphs that may hold a code span, a comment or HTML."""
    found: set[int] = set()
    starts: list[int] = []
    for sign in ("`", "<", "%%"):
        at = text.find(sign)
        while at >= 0:
            starts = starts or [para.start for para in paragraphs]
            index = bisect_right(starts, at) - 1
            if index >= 0 and at < paragraphs[index].end:
                found.add(index)
            at = text.find(sign, starts[index + 1]) if index + 1 < len(starts) else -1
    return [paragraphs[index] for index in sorted(found)]


def _pieces(text: str, para: Paragraph) -> list[Paragraph]:
    """The rows of a table, in which no code span goes over the end of a row; else the paragraph itself."""
    second = text.find("\n", para.start, para.end) + 1
    if not second or not _DELIMITER.match(text, second, para.end):
        return [para]
    rows, at, line = [], para.start, para.line
    for row in text[para.start : para.end].split("\n"):
        rows.append(Paragraph(at, at + len(row), line, line, None, heading=False))
        at, line = at + len(row) + 1, line + 1
    return rows


def _html_comments(text: str, start: int, end: int, line: int) -> list[Comment]:
    found, counted = [], start
    while (start := text.find("<!--", start, end)) >= 0:
        close = text.find("-->", start + 2, end)
        stop = close + 3 if close >= 0 else end
        first = line = line + text.count("\n", counted, start)
        line += text.count("\n", start, stop)
        found.append(Comment("html", first, line, start, stop))
        start = counted = stop
    return found


class _Inline:
    """Reads one paragraph: what opens first wins."""

    __slots__ = (
        "_close_comments", "_comments", "_counted", "_line", "_para", "_runs", "_spans", "_text",
    )  # fmt: skip

    def __init__(
        self, text: str, para: Paragraph, spans: list[tuple[int, int]], comments: list[Comment]
    ) -> None:
        self._text, self._para, self._spans, self._comments = text, para, spans, comments
        self._runs: dict[int, list[int]] | None = None
        self._close_comments = True
        self._line, self._counted = para.line, para.start

    def run(self) -> None:
        at, end = self._para.start, self._para.end
        while found := _TOKEN.search(self._text, at, end):
            sign = found[0]
            if sign[0] == "`":
                at = self._code(found.start(), len(sign))
            elif sign[0] == "%":
                at = self._percents(found.start(), len(sign))
            elif sign == "<!--":
                at = self._html_comment(found.start())
            else:
                at = found.end()
                if sign[0] == "<":
                    self._spans.append(found.span())

    def _code(self, start: int, length: int) -> int:
        if self._runs is None:
            self._runs = {}
            for run in _RUN.finditer(self._text, start, self._para.end):
                self._runs.setdefault(len(run[0]), []).append(run.start())
        closers = self._runs.get(length, [])
        index = bisect_left(closers, start + length)
        if index == len(closers):
            return start + length
        end = closers[index] + length
        self._spans.append((start, end))
        return end

    def _percents(self, start: int, length: int) -> int:
        line_end = self._text.find("\n", start, self._para.end)
        closer = None
        if length == 2:
            line_end = self._para.end if line_end < 0 else line_end
            closer = PERCENTS.search(self._text, start + 2, line_end)
        if closer is None:
            return start + length
        self._comment("inline", start, closer.end())
        return closer.end()

    def _html_comment(self, start: int) -> int:
        close = self._text.find("-->", start + 2, self._para.end) if self._close_comments else -1
        if close < 0:
            self._close_comments = False
            return start + 4
        self._comment("html", start, close + 3)
        self._spans.append((start, close + 3))
        return close + 3

    def _comment(self, kind: CommentKind, start: int, end: int) -> None:
        first = self._line + self._text.count("\n", self._counted, start)
        self._line = last = first + self._text.count("\n", start, end)
        self._counted = end
        self._comments.append(Comment(kind, first, last, start, end))


def links(text: str, offset: int, line: int, covered: Covered) -> tuple[Link, ...]:
    """Links and embeds to something in the vault, from `offset` (on `line`) on, in order."""
    spots = [match.span() for match in _WIKI.finditer(text, offset)]
    if "](" in text:
        spots += [match.span() for match in _MARKDOWN.finditer(text, offset)]
        spots.sort()
    found, counted = [], offset
    for start, end in spots:
        if covered and start in covered:
            continue
        line += text.count("\n", counted, start)
        counted = start
        link = _wiki(text, line, start, end) if text[start] == "[" else _markdown(text, line, start, end)
        if link is not None:
            found.append(link)
    return tuple(found)


def _wiki(text: str, line: int, start: int, end: int) -> Link | None:
    before = text[start - 1 : start]
    if before == "\\" and not _escaped(text, start - 1):
        return None
    target, subpath, alias = split_link(text[start + 2 : end - 2])
    if not target and not subpath:
        return None
    if before == "!" and not _escaped(text, start - 1):
        return Link(line, "embed", target, subpath, alias, start - 1, end)
    return Link(line, "wikilink", target, subpath, alias, start, end)


def _markdown(text: str, line: int, close: int, end: int) -> Link | None:
    """The link whose text ends at `close`; None when it goes outside the vault or nowhere."""
    start = _opening(text, close)
    found = _MARKDOWN.match(text, close)
    if start < 0 or found is None:
        return None
    written = found[1].removeprefix("<").removesuffix(">")
    if _EXTERNAL.match(written):
        return None
    target, sign, rest = written.partition("#")
    embed = text[start - 1 : start] == "!" and not _escaped(text, start - 1)
    return Link(
        line,
        "embed" if embed else "markdown",
        unquote(target).strip(),
        unquote(sign + rest),
        text[start + 1 : close],
        start - embed,
        end,
    )


def _opening(text: str, close: int) -> int:
    """The `[` of the link text that ends at `close`, on the same line and not far; -1 when there is none."""
    low = max(0, close - 500)
    low = max(low, text.rfind("\n", low, close) + 1)
    depth = 0
    for index in range(close - 1, low - 1, -1):
        if text[index] == "]" and not _escaped(text, index):
            depth += 1
        elif text[index] == "[" and not _escaped(text, index):
            if depth == 0:
                return index
            depth -= 1
    return -1


def _escaped(text: str, index: int) -> bool:
    count = 0
    while index - count > 0 and count < 100 and text[index - count - 1] == "\\":
        count += 1
    return count % 2 == 1


def tags(text: str, offset: int, line: int, covered: Covered, known: tuple[Link, ...]) -> tuple[Tag, ...]:
    """Tags of the body: at the start of a line or after a blank, outside links, not of digits alone."""
    found, counted = [], offset
    inside: Covered | None = None
    for match in _TAG.finditer(text, offset):
        start = match.start()
        if (start > offset and not _may_precede(text, start)) or (covered and start in covered):
            continue
        if inside is None:
            inside = Covered([(link.start, link.end) for link in known if link.kind != "markdown"])
        name = match[0].rstrip("/")
        if len(name) < 2 or name[1:].isdigit() or start in inside:
            continue
        line += text.count("\n", counted, start)
        counted = start
        found.append(Tag(line, name, start))
    return tuple(found)


def _may_precede(text: str, start: int) -> bool:
    before = text[start - 1]
    return before.isspace() or (before == "[" and _escaped(text, start - 1))


def block_ids(text: str, paragraphs: list[Paragraph], covered: Covered) -> tuple[BlockId, ...]:
    """Ids at the end of paragraphs, table or item text: where Obsidian reads them."""
    if "^" not in text:
        return ()
    found = []
    for para in paragraphs:
        caret = text.rfind("^", para.start, para.end)
        if caret < 0 or para.heading or caret in covered:
            continue
        match = _ID.match(text, caret, para.end - (text[para.end - 1] == "\r"))
        if match and (caret == para.start or text[caret - 1] in " \t\n"):
            found.append(BlockId(para.last_line, match[1], caret, para.line))
    return tuple(found)
