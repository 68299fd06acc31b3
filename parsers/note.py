"""A note's text read as Obsidian reads it: everything for a managed note, an outline for the index.

Both come from one scanner (blocks.py) and one reader of lines (inline.py), so they cannot disagree. Text in,
values out: the byte order mark and every line ending stay where they are, and any text gives an answer.
"""

from bisect import bisect_right
from collections.abc import Iterator

from parsers.blocks import Scanner
from parsers.inline import PARAGRAPHS, block_ids, cover, links, tags
from parsers.model.notes import Block, BlockId, Comment, Heading, Item, Note, Outline, visible
from parsers.properties import read
from parsers.sections import conflict, pair
from parsers.structure import Open, Unit

JOINED = 1_000
"""Characters up to which small blocks of one heading are joined for search."""


def outline(text: str) -> Outline:
    """What the index wants of a note: the same answers as `scan`, without what only managed notes need."""
    scanner, said = _outline(text, lean=not any(sign in text for sign in PARAGRAPHS))
    for item in scanner.items:
        item.text = None  # its text knows the item: without the cycle, nothing is left to collect
    return said


def scan(text: str) -> Note:
    """Everything a note says; line-preserving, and any text gives an answer."""
    scanner, known = _outline(text)
    sections, faults = pair(scanner.marks)
    faults += conflict(text, scanner.code)
    return Note(
        text=text,
        properties=known.properties,
        headings=known.headings,
        links=known.links,
        tags=known.tags,
        comments=known.comments,
        block_ids=known.block_ids,
        blocks=known.blocks,
        lines=_lines(text),
        items=_items(scanner.items, known.block_ids),
        callouts=tuple(scanner.callouts),
        sections=tuple(sections),
        faults=tuple(sorted(faults, key=lambda fault: fault.line)),
    )


def _outline(text: str, *, quick: bool = True, lean: bool = False) -> tuple[Scanner, Outline]:
    properties = read(text)
    line = properties.end_line + 1
    scanner = Scanner(text, properties.body, line, lean=lean).run(quick=quick)
    covered, comments = cover(scanner)
    found = links(text, properties.body, line, covered)
    ids = block_ids(text, scanner.paragraphs, covered)
    return scanner, Outline(
        text=text,
        properties=properties,
        headings=tuple(scanner.headings),
        links=found,
        tags=tags(text, properties.body, line, covered, found),
        comments=comments,
        block_ids=ids,
        blocks=_blocks(scanner, ids, comments),
    )


def _lines(text: str) -> tuple[str, ...]:
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return tuple(lines if lines[-1] else lines[:-1])


def _items(opened: list[Open], ids: tuple[BlockId, ...]) -> tuple[Item, ...]:
    by_line = {found.block_line: found for found in ids}
    items = []
    for item in opened:
        para = item.text
        own = by_line.get(para.line) if para else None
        items.append(
            Item(
                line=item.line,
                end_line=item.end_line or item.last_line,
                last_line=item.last_line,
                text_line=para.last_line if para else item.line,
                parent_line=item.parent.line if item.parent else None,
                depth=item.depth,
                container=item.shape,
                marker=item.marker,
                start=item.start,
                content=item.content,
                char=item.char,
                id=own.id if own else None,
            )
        )
    return tuple(items)


def _blocks(scanner: Scanner, ids: tuple[BlockId, ...], comments: tuple[Comment, ...]) -> tuple[Block, ...]:
    """Blocks with something to see, without the blank lines after them."""
    text, blocks = scanner.text, []
    for start, stop, line, names, own in _joined(
        scanner, *(_named(scanner, ids) if ids else (scanner.units, {}))
    ):
        end = stop
        while end > start and text[end - 1] in " \t\r\n":
            end -= 1
        if not comments or visible(text, comments, start, end).strip():
            blocks.append(Block(start, end, line, names, own))
    return tuple(blocks)


def _joined(
    scanner: Scanner, units: list[Unit], owned: dict[int, str]
) -> Iterator[tuple[int, int, int, tuple[str, ...], str | None]]:
    """Units joined under their heading up to `JOINED` characters; one with an id of its own stands alone."""
    size = len(scanner.text)
    path: list[Heading] = []
    names: tuple[str, ...] = ()
    start, line, own, bare = -1, 0, None, False
    for index, (offset, number, heading) in enumerate(units):
        end = units[index + 1][0] if index + 1 < len(units) else size
        id_here = owned.get(offset) if owned else None
        if start >= 0 and (heading >= 0 or own or (not bare and (id_here or end - start > JOINED))):
            yield start, offset, line, names, own
            start = -1
        if start < 0:
            start, line, own = offset, number, None
        bare = heading >= 0
        if bare:
            opened = scanner.headings[heading]
            path = [*(one for one in path if one.level < opened.level), opened]
            names = tuple(one.text for one in path)
        own = id_here or own
    if start >= 0:
        yield start, size, line, names, own


def _named(scanner: Scanner, ids: tuple[BlockId, ...]) -> tuple[list[Unit], dict[int, str]]:
    """The units, and by offset the id of each that has one: on its first paragraph, or on a line below it.

    An id alone in its paragraph is the last line of the unit before it, not a unit.
    """
    owned: dict[int, str] = {}
    glued: set[int] = set()
    starts = [start for start, _, _ in scanner.units]
    for found in ids:
        index = bisect_right(starts, found.start) - 1
        alone = scanner.text[found.start - 1 : found.start] in {"", "\n"}
        if alone and index and found.start == starts[index] and scanner.units[index - 1][2] < 0:
            glued.add(starts[index])
            owned.setdefault(starts[index - 1], found.id)
        elif alone or scanner.units[index][1] == found.block_line:
            owned.setdefault(starts[index], found.id)
    return [unit for unit in scanner.units if unit[0] not in glued], owned
