"""Block structure of a note: CommonMark's, with Obsidian's `%%` comments, found line by line.

One pass. `Scanner.run` has a short way for what most lines are, text and plain list items at the root; any
other goes through `_feed`: which open containers does it continue, which blocks does it start. What a line
says inline (links, tags, code spans) is not decided here.
"""

import re
from typing import ClassVar

from parsers.html_blocks import opens_html
from parsers.model.notes import Callout, Comment, Heading
from parsers.sections import Mark, mark
from parsers.structure import PERCENTS, Open, Paragraph, Unit, indent, offset_of, read_callout

_DEEPEST = 100
"""Containers inside one another; deeper ones are text, so that hostile lines never cost the square."""
_TEXT, _FENCE, _HTML, _CODE, _COMMENT = range(5)
_SPECIAL = frozenset("#>-*+0123456789`~<% \t=_\r") | {""}
"""First characters of lines that may be more than text; `""` for a blank line."""
_BULLETS = frozenset({"- ", "* ", "+ "})

_HEADING = re.compile("(#{1,6})(?: |$)")
_SETEXT = re.compile("(=+|-+) *$")
_RULE = re.compile(r"([*_-])(?: *\1){2,} *$")
_FENCE_OPEN = re.compile("`{3,}(?=[^`]*$)|~{3,}")
_MARKER = re.compile(r"([-+*]|[0-9]{1,9}[.)])(?= |$)")
_BOX = re.compile(r"\[(.)\](?= |$)")


class Scanner:
    """Reads the lines of `text` from `offset` on; its public lists are the structure."""

    def __init__(self, text: str, offset: int, line: int, *, lean: bool = False) -> None:
        """Start at `offset`, the start of 1-based `line`; `lean` leaves `paragraphs` and `items` incomplete."""
        self._lean = lean
        self.text, self._pos, self._line = text, offset, line
        self._stack: list[Open] = []
        self._leaf, self._leaf_start, self._leaf_line = _TEXT, 0, 0
        self._closer: re.Pattern[str] | None = None
        self._fence_run = ""
        self._para, self._para_line = -1, 0
        self._last, self._matched, self._raw = 0, 0, ""
        self.units: list[Unit] = []
        self.headings: list[Heading] = []
        self.paragraphs: list[Paragraph] = []
        self.items: list[Open] = []
        self.code: list[tuple[int, int]] = []
        self.html: list[tuple[int, int, int]] = []
        """Start, end, first line."""
        self.comments: list[Comment] = []
        self.callouts: list[Callout] = []
        self.marks: list[Mark] = []

    def run(self, *, quick: bool = True) -> "Scanner":
        """Read every line; without `quick`, each goes the long way, and the answer is the same."""
        pos, number, stack = self._pos, self._line - 1, self._stack
        for number, raw in enumerate(self.text[pos:].split("\n"), self._line):
            if quick and not self._leaf:
                if (first := raw[:1]) not in _SPECIAL:
                    if self._para < 0:
                        self._pos, self._line = pos, number
                        self._open_text()
                    self._last = number
                    pos += len(raw) + 1
                    continue
                if not first and (not stack or (len(stack) == 1 and stack[0].plain)):
                    if self._para >= 0:
                        self._pos, self._line = pos, number
                        self._end_paragraph()
                    pos += 1
                    continue
            self._pos, self._line = pos, number
            if (quick and self._plain_line(raw)) or self._feed(raw):
                self._last = number
            pos += len(raw) + 1
        self._pos, self._line = pos, number + 1
        self._close(0)
        return self

    def _open_text(self) -> None:
        """Start a paragraph with text in the first column, which no list or quote contains."""
        if self._stack:
            self._close(0)
        self._para, self._para_line = self._pos, self._line
        self.units.append((self._pos, self._line, -1))

    def _plain_line(self, raw: str) -> bool:
        return self._plain_item(raw) if raw[:2] in _BULLETS else raw[:1] == "#" and self._plain_heading(raw)

    def _plain_item(self, raw: str) -> bool:
        """Take a bullet in the first column, which no list or quote contains, and the text after it."""
        if self._leaf or raw[2:3] in _SPECIAL or "\t" in raw:
            return False
        self.units.append((self._pos, self._line, -1))
        if self._lean and len(self._stack) == 1 and self._stack[0].plain:
            self._para, self._para_line = self._pos, self._line
            return True  # the item above stands for this one too
        self._close(0)
        item = Open(self._line)
        item.plain, item.marker, item.start, item.content = True, raw[0], self._pos, self._pos + 2
        if raw[2] == "[" and (box := _BOX.match(raw, 2)):
            item.char = box[1]
        self.items.append(item)
        self._stack.append(item)
        self._para, self._para_line = self._pos, self._line
        return True

    def _plain_heading(self, raw: str) -> bool:
        """Take a heading in the first column, which ends every list and quote."""
        if self._leaf or "\t" in raw:
            return False
        self._raw, self._matched = raw, 0
        return self._atx(raw.removesuffix("\r"), 0, 0) is not None

    def _feed(self, raw: str) -> bool:
        """Take one line; whether it is anything but blank."""
        self._raw = raw
        line = raw.removesuffix("\r")
        if "\t" in line:
            line = line.expandtabs(4)
        if self._leaf == _COMMENT:
            self._continue_comment(raw)
            return True
        column, self._matched = self._continue_containers(line)
        if self._matched < len(self._stack) and self._para < 0:
            self._close(self._matched)
        start = indent(line, column)
        if self._leaf and self._continue_leaf(line, column, start):
            return start < len(line)
        return self._start_blocks(line, column, start)

    def _continue_containers(self, line: str) -> tuple[int, int]:
        """Column where the content starts, and the number of open containers the line belongs to."""
        column = matched = 0
        for container in self._stack:
            start = indent(line, column)
            if container.quote:
                if start - column > 3 or line[start : start + 1] != ">":
                    break
                column = start + (2 if line[start + 1 : start + 2] == " " else 1)
            elif start == len(line):
                if container.empty:
                    break
            elif start - column >= container.width:
                column += container.width
                container.empty = False
            else:
                break
            matched += 1
        return column, matched

    def _continue_leaf(self, line: str, column: int, start: int) -> bool:
        """Whether the open code or HTML takes the line."""
        blank = start == len(line)
        if self._leaf == _CODE:
            if blank or start - column > 3:
                return True
            self._end_leaf(self._pos - 1)
            return False
        if self._leaf == _HTML:
            if blank and self._closer is None:
                self._end_leaf(self._pos - 1)
                return False
            if self._closer is not None and self._closer.search(line, column):
                self._end_leaf(self._pos + len(self._raw))
            return True
        closes = start - column <= 3 and line.startswith(self._fence_run, start)
        if closes and not line[start:].rstrip(" ").strip(self._fence_run[0]):
            self._end_leaf(self._pos + len(self._raw))
        return True

    def _start_blocks(self, line: str, column: int, start: int) -> bool:
        """Open what the line starts, one block inside the other; whether it is anything but blank."""
        while start < len(line):
            if start - column > 3:
                if self._para < 0:
                    self._open_leaf(_CODE, None)
                return True
            begin = self._STARTS.get(line[start])
            inner = begin(self, line, column, start) if begin else None
            if inner is None:
                break
            if inner < 0:
                return True
            column, start = inner, indent(line, inner)
        else:
            if self._para >= 0:
                self._close(self._matched)
            return column > 0 and bool(line.strip())
        if self._para < 0:
            self._open_unit()
            self._para, self._para_line = self._pos, self._line
        return True

    def _open_unit(self) -> None:
        if not self._stack:
            self.units.append((self._pos, self._line, -1))

    def _open_leaf(self, leaf: int, closer: re.Pattern[str] | None) -> None:
        self._close(self._matched)
        self._open_unit()
        self._leaf, self._closer = leaf, closer
        self._leaf_start, self._leaf_line = self._pos, self._line

    def _end_leaf(self, end: int) -> None:
        if self._leaf == _HTML:
            self.html.append((self._leaf_start, end, self._leaf_line))
        elif self._leaf == _COMMENT:
            self.comments.append(Comment("block", self._leaf_line, self._line, self._leaf_start, end))
        else:
            self.code.append((self._leaf_start, end))
        self._leaf = _TEXT

    def _end_paragraph(self) -> None:
        if self._lean:
            self._para = -1
            return
        owner = self._stack[-1] if self._stack else None
        item = owner if owner is not None and not owner.quote else None
        para = Paragraph(self._para, self._pos - 1, self._para_line, self._line - 1, item, heading=False)
        if item is not None and item.text is None:
            item.text = para
        self.paragraphs.append(para)
        self._para = -1

    def _close(self, depth: int) -> None:
        """Close the open paragraph, the open leaf, and the containers beyond `depth`."""
        if self._para >= 0:
            self._end_paragraph()
        if self._leaf:
            end = min(self._pos - 1, len(self.text))
            self._line -= 1
            self._end_leaf(end)
            self._line += 1
        while len(self._stack) > depth:
            container = self._stack.pop()
            container.last_line = max(self._last, container.line)

    def _push(self, container: Open) -> None:
        self._open_unit()
        self._stack.append(container)
        self._matched = len(self._stack)

    def _offset(self, column: int) -> int:
        """Offset in the text of a column of the line with its tabs expanded."""
        return self._pos + (offset_of(self._raw, column) if "\t" in self._raw else column)

    # What a line may start: the column after a container, -1 for a leaf, None for neither.

    def _quote(self, line: str, _column: int, start: int) -> int | None:
        if len(self._stack) >= _DEEPEST:
            return None
        self._close(self._matched)
        quote = Open(self._line, quote=True)
        inner = start + (2 if line[start + 1 : start + 2] == " " else 1)
        self._push(quote)
        depth = sum(container.quote for container in self._stack)
        if found := read_callout(line, inner, self._line, depth):
            self.callouts.append(found)
        quote.shape = "callout" if found else "quote"
        return inner

    def _atx(self, line: str, _column: int, start: int) -> int | None:
        if (found := _HEADING.match(line, start)) is None:
            return None
        self._close(self._matched)
        raw = self._raw.removesuffix("\r")
        text = raw[self._offset(found.end(1)) - self._pos :].strip(" \t")
        bare = text.rstrip("#")
        if not bare or bare[-1] in " \t":
            text = bare.rstrip(" \t")
        self._heading(len(found[1]), text, self._pos, self._line)
        self.paragraphs.append(
            Paragraph(self._pos, self._pos + len(raw), self._line, self._line, None, heading=True)
        )
        return -1

    def _heading(self, level: int, text: str, start: int, line: int) -> None:
        nested = bool(self._stack)
        self.headings.append(Heading(line, level, text, start, self._line, nested))
        if not nested:
            self.units.append((start, line, len(self.headings) - 1))

    def _fence(self, line: str, _column: int, start: int) -> int | None:
        if (found := _FENCE_OPEN.match(line, start)) is None:
            return None
        self._open_leaf(_FENCE, None)
        self._fence_run = found[0]
        return -1

    def _html(self, line: str, _column: int, start: int) -> int | None:
        opens, closer = opens_html(line, start, in_paragraph=self._para >= 0)
        if not opens:
            return None
        self._open_leaf(_HTML, closer)
        if closer is not None and closer.search(line, start):
            self._end_leaf(self._pos + len(self._raw))
            if not self._stack and (found := mark(self._raw, self._line, self._pos, len(self.text))):
                self.marks.append(found)
        return -1

    def _comment(self, line: str, _column: int, start: int) -> int | None:
        """`%%` at the start of a line, with no second one on it, hides all up to the next `%%`."""
        found = PERCENTS.match(line, start)
        if found is None or PERCENTS.search(line, found.end()):
            return None
        self._open_leaf(_COMMENT, None)
        self._leaf_start = self._offset(start)
        return -1

    def _continue_comment(self, raw: str) -> None:
        if found := PERCENTS.search(raw):
            self._end_leaf(self._pos + found.end())

    def _underline(self, line: str, _column: int, start: int) -> int | None:
        if self._para < 0 or self._matched < len(self._stack):
            return None
        if (found := _SETEXT.match(line, start)) is None:
            return None
        first, first_line = self._para, self._para_line
        text = " ".join(part.strip(" \t\r") for part in self.text[first : self._pos - 1].split("\n"))
        if not self._stack:
            self.units.pop()
        self._close(self._matched)
        if not self._lean:
            self.paragraphs[-1] = self.paragraphs[-1]._replace(heading=True)
        self._heading(1 if found[1][0] == "=" else 2, text, first, first_line)
        return -1

    def _rule(self, line: str, _column: int, start: int) -> int | None:
        if not _RULE.match(line, start):
            return None
        self._close(self._matched)
        self._open_unit()
        return -1

    def _dash(self, line: str, column: int, start: int) -> int | None:
        for begin in (Scanner._underline, Scanner._rule, Scanner._item):
            if (inner := begin(self, line, column, start)) is not None:
                return inner
        return None

    def _star(self, line: str, column: int, start: int) -> int | None:
        inner = self._rule(line, column, start)
        return self._item(line, column, start) if inner is None else inner

    def _item(self, line: str, column: int, start: int) -> int | None:
        found = _MARKER.match(line, start)
        if found is None or len(self._stack) >= _DEEPEST:
            return None
        after = found.end()
        inner = indent(line, after)
        empty = inner == len(line)
        if (
            self._para >= 0
            and self._matched == len(self._stack)
            and (empty or (found[1][0].isdigit() and int(found[1][:-1]) != 1))
        ):
            return None
        if empty or inner - after > 4:
            inner = after + 1
        self._close(self._matched)
        item = self._new_item(found[1], start, inner, line)
        item.width, item.empty = inner - column, empty
        self._push(item)
        return min(inner, len(line))

    def _new_item(self, marker: str, start: int, inner: int, line: str) -> Open:
        item = Open(self._line)
        item.marker, item.start, item.content = (
            marker,
            self._offset(start),
            self._offset(min(inner, len(line))),
        )
        if box := _BOX.match(line, inner):
            item.char = box[1]
        for container in self._stack:
            if container.quote:
                item.shape = container.shape
            else:
                item.parent, item.depth = container, item.depth + 1
        if item.parent is not None and not item.parent.end_line:
            item.parent.end_line = max(item.parent.line, self._last)
        self.items.append(item)
        return item

    _STARTS: ClassVar = {
        ">": _quote,
        "#": _atx,
        "`": _fence,
        "~": _fence,
        "<": _html,
        "%": _comment,
        "=": _underline,
        "-": _dash,
        "*": _star,
        "_": _rule,
        **dict.fromkeys("+0123456789", _item),
    }
