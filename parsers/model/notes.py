"""Words about notes. Note: one `.md` file. Section: the lines between a begin and an end marker of ours."""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Literal, NamedTuple


@dataclass(frozen=True, slots=True)
class Section:
    """A well-formed managed section: offsets in characters of the note's decoded text."""

    name: str
    begin_line: int
    """1-based line of the begin marker."""
    end_line: int
    """1-based line of the end marker."""
    start: int
    """Offset just after the begin marker's line ending: where the content starts."""
    end: int
    """Offset of the end marker's first character: where the content stops."""
    eol: str
    """Line ending of the begin marker's line, the one new lines take."""


State = Literal["none", "ok", "invalid", "unclosed"]
Container = Literal["quote", "callout"]
LinkKind = Literal["wikilink", "embed", "markdown"]
CommentKind = Literal["block", "inline", "html"]


@dataclass(frozen=True, slots=True)
class Fault:
    """What freezes a managed note: a malformed section, or marks of a git conflict."""

    code: str
    """`section_unclosed`, `section_end_without_begin`, `section_twice`, `section_nested`, `git_conflict`."""
    line: int
    name: str
    """The section's name; `""` for a git conflict."""


@dataclass(frozen=True, slots=True)
class PropertyLink:
    """A link that is the whole value of a property, or of one element of a list."""

    key: str
    """`amis.0`: the property's name, then the position or the name inside it."""
    target: str
    subpath: str
    alias: str | None


@dataclass(frozen=True, slots=True)
class Properties:
    """The block between two `---` lines at the very start of a note: what it says, or why it is not read."""

    state: State
    start_line: int = 0
    """1 when there is an opening line, else 0."""
    end_line: int = 0
    """Line of the closing `---`; 0 when there is none."""
    start: int = 0
    """Offset just after the opening line: where the YAML starts."""
    end: int = 0
    """Offset of the closing line's first character: where the YAML stops."""
    body: int = 0
    """Offset where the note's body starts: after the closing line, else after the BOM."""
    values: Mapping[str, Any] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    """Without `#`, as written."""
    aliases: tuple[str, ...] = ()
    links: tuple[PropertyLink, ...] = ()
    opaque: tuple[str, ...] = ()
    """Names of properties that hold an unfilled template (`{{date}}`)."""
    reason: str = ""
    bad_line: int = 0
    """First line that cannot be understood, 0 when all can."""
    style: Literal["yaml", "json"] = "yaml"


class Heading(NamedTuple):
    """A heading; `text` is raw Markdown without the hashes."""

    line: int
    level: int
    text: str
    start: int
    """Offset of its line."""
    end_line: int
    """Line of a setext heading's underline, else `line`."""
    nested: bool
    """True inside a quote or a list item: it opens no part of the note."""


@dataclass(frozen=True, slots=True)
class Item:
    """A list item; a task when it has a box."""

    line: int
    end_line: int
    """Last line of its own content: before its first child item, without trailing blank lines."""
    last_line: int
    """Last line of the item with all its children."""
    text_line: int
    """Last line of its first paragraph, where Obsidian reads its id; `line` when it has no paragraph."""
    parent_line: int | None
    depth: int
    """Number of items it stands in."""
    container: Container | None
    """The innermost quote or callout around it."""
    marker: str
    """`-`, `*`, `+`, `1.`, `2)`."""
    start: int
    """Offset of its marker."""
    content: int
    """Offset of what follows the marker and its blanks (the box, if there is one)."""
    char: str | None
    """The character in the box, None when it is no task."""
    id: str | None
    """Block id at the end of its first paragraph."""

    @property
    def done(self) -> bool:
        """Whether Obsidian shows the box as ticked: any character but a space."""
        return self.char is not None and self.char != " "


@dataclass(frozen=True, slots=True)
class BlockId:
    """A block id where Obsidian reads it: at the end of a paragraph."""

    line: int
    id: str
    """Without `^`, as written."""
    start: int
    """Offset of the `^`."""
    block_line: int
    """First line of the paragraph that bears it."""


class Link(NamedTuple):
    """A link or embed to something in the vault."""

    line: int
    kind: LinkKind
    target: str
    """As written, decoded when it was percent-encoded; `""` for the note itself."""
    subpath: str
    """`#Heading`, `#^id`, or `""`."""
    alias: str | None
    """The text written for it, None when there is none."""
    start: int
    end: int

    @property
    def display(self) -> str:
        """What the reader sees: the text written for it, else the target and headings joined by ` > `."""
        if self.alias is not None:
            return self.alias
        return " > ".join(part for part in (self.target, *self.subpath.split("#")) if part)


class Tag(NamedTuple):
    """A tag of the body, with its `#`."""

    line: int
    tag: str
    start: int


@dataclass(frozen=True, slots=True)
class Comment:
    """Text the reader does not see: `%% %%` over several lines (block) or in one (inline), or `<!-- -->`."""

    kind: CommentKind
    start_line: int
    end_line: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Callout:
    """The first line of a callout."""

    line: int
    type: str
    """In lower case, as an unknown type is legal."""
    fold: str
    """`+`, `-` or `""`."""
    title: str
    depth: int
    """1 for a callout that stands in no other quote."""
    metadata: str


class Block(NamedTuple):
    """A span for search: paragraphs, items, tables, callouts, code of one heading, joined when small."""

    start: int
    end: int
    line: int
    path: tuple[str, ...]
    """Texts of the headings above it, outermost first."""
    id: str | None
    """Block id of a block that has one; such a block is never joined with the one before or after."""


@dataclass(frozen=True, slots=True)
class Outline:
    """What the index wants of any note."""

    text: str
    properties: Properties
    headings: tuple[Heading, ...]
    links: tuple[Link, ...]
    tags: tuple[Tag, ...]
    comments: tuple[Comment, ...]
    block_ids: tuple[BlockId, ...]
    blocks: tuple[Block, ...]

    def visible(self, block: Block) -> str:
        """Text of a block as the reader sees it: without comments."""
        return visible(self.text, self.comments, block.start, block.end)


@dataclass(frozen=True, slots=True)
class Note(Outline):
    """Everything a note says; offsets are characters of `text`, lines are 1-based."""

    lines: tuple[str, ...]
    """With their endings: joined, they are the text."""
    items: tuple[Item, ...]
    callouts: tuple[Callout, ...]
    sections: tuple[Section, ...]
    """The well-formed ones; trust them only when `frozen` is false."""
    faults: tuple[Fault, ...]

    @property
    def tasks(self) -> tuple[Item, ...]:
        """The list items that have a box."""
        return tuple(item for item in self.items if item.char is not None)

    @property
    def frozen(self) -> bool:
        """Whether nothing may be read from the note as an edit, nor written to it."""
        return bool(self.faults)

    def section(self, name: str) -> Section | None:
        """The section of that name, None when there is none (or the note is frozen)."""
        if self.frozen:
            return None
        return next((section for section in self.sections if section.name == name), None)


_END = attrgetter("end")


def visible(text: str, comments: tuple[Comment, ...], start: int, end: int) -> str:
    """`text[start:end]` without the parts that comments (in order and apart) cover."""
    first = bisect_right(comments, start, key=_END)
    if first == len(comments) or comments[first].start >= end:
        return text[start:end]
    parts, at = [], start
    for index in range(first, len(comments)):
        comment = comments[index]
        if comment.start >= end:
            break
        parts.append(text[at : max(at, comment.start)])
        at = min(comment.end, end)
    parts.append(text[at:end])
    return "".join(parts)
