"""The tools that read notes: each thing they give carries where it came from."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar

from daemon.policy.lineage import Output
from daemon.tools.arguments import NoteList, NoteRead, NoteSearch, TaskList
from daemon.tools.errors import ToolError
from daemon.tools.tool import Sources, Tool, reader
from daemon.vault.disk import etag_of
from daemon.vault.errors import NoteMissing, VaultError, VaultMissing
from parsers.dates import period
from parsers.model.notes import Item, Note, visible
from parsers.model.places import NotePath
from parsers.note import scan

MOST = 100
"""Hits that one search or recall gives at most, and candidates that one name has."""
_MOST_LOOKED_AT = 10 * MOST
"""Hits looked at, at most, where some of the best are not given."""
T = TypeVar("T")
_TASK = re.compile(rb"^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[.{1,4}\]", re.MULTILINE)
_DUE = re.compile(r"(?:📅\ufe0f? *|\[(?:due|échéance):: *|\((?:due|échéance):: *)(\d{4}-\d{2}-\d{2})")
STATUS = {" ": "todo", "/": "in_progress", "x": "done", "X": "done", "-": "cancelled"}
"""What the character in a box says; any other is `other`."""


def check_limit(limit: int, argument: str = "limit") -> None:
    """Check how many hits are asked for; `argument` is what asks for them.

    Raises:
        ToolError: none, or more than `MOST`.
    """
    if not 1 <= limit <= MOST:
        raise ToolError("limit", argument=argument, most=str(MOST))


@reader("note_read", NoteRead)
def note_read(args: NoteRead, sources: Sources) -> tuple[Output, ...]:
    """A note's text, with the etag of exactly this version; what stands in comments is for no reader outside."""
    target = sources.look.target(args.path)
    data = None if _unseen(sources, target.path) else sources.look.read(target.path)
    if data is None:
        raise NoteMissing(args.path)
    text = data.decode("utf-8", "replace")
    told = visible(text, scan(text).comments, 0, len(text)) if sources.external else text
    return (_output(sources, target.path, text, {"path": target.path, "etag": etag_of(data), "text": told}),)


@reader("note_search", NoteSearch, roles={"query": "query", "limit": "query"})
def note_search(args: NoteSearch, sources: Sources) -> tuple[Output, ...]:
    """The best notes for some words."""
    check_limit(args.limit)

    def given(found: tuple[NotePath, Mapping[str, Any]]) -> Output | None:
        path, hit = found
        if not quotable(sources, path):
            return None
        one = _output(sources, path, str(hit.get("snippet", "")), hit)
        return None if sources.external and one.sensitivity != "normal" else one

    return filled(lambda limit: sources.search(args.query, limit), given, args.limit)


def filled(
    ask: Callable[[int], Sequence[T]], give: Callable[[T], Output | None], wanted: int
) -> tuple[Output, ...]:
    """Give as many of the best hits as are wanted; where some are not for this reader the next ones are."""
    limit = wanted
    while True:
        found = ask(limit)
        given = tuple(islice(filter(None, map(give, found)), wanted))
        if len(given) == wanted or len(found) < limit or limit >= _MOST_LOOKED_AT:
            return given
        limit = min(4 * limit, _MOST_LOOKED_AT)


def quotable(sources: Sources, path: NotePath) -> bool:
    """Tell whether a hit in a note is for this reader: the index is of the last pass, the note is of now.

    What cannot be read now is nobody's; to a reader outside a note that is gone may be one that was made private.
    """
    try:
        if _unseen(sources, path) or "ignored" in sources.look.target(path).reasons:
            return False
        return sources.look.read(path) is not None or not sources.external
    except VaultMissing:
        raise
    except VaultError:
        return False


@reader("note_list", NoteList, roles={"folder": "query", "glob": "query"})
def note_list(args: NoteList, sources: Sources) -> tuple[Output, ...]:
    """The paths of the notes below a folder, or that a pattern fits."""
    paths = tuple(_below(sources, args.folder, args.glob))
    return (Output(args.folder or "", "vault", list(paths), domain="vault"),)


@reader("task_list", TaskList, roles={"folder": "query", "status": "query", "due_before": "query"})
def task_list(args: TaskList, sources: Sources) -> tuple[Output, ...]:
    """The tasks of the notes below a folder, note by note."""
    if args.due_before is not None and period(args.due_before) is None:
        raise ToolError("argument_date", tool="task_list", argument="due_before")
    outputs = []
    for path in _below(sources, args.folder, None):
        data = _read(sources, path)
        if data is None or not _TASK.search(data):
            continue
        note = scan(data.decode("utf-8", "replace"))
        tasks = [
            task
            for item in note.tasks
            if _wanted(task := _task(path, note, item, outside=sources.external), args)
        ]
        if tasks:
            outputs.append(_output(sources, path, "\n".join(task["text"] for task in tasks), tasks))
    return tuple(outputs)


def _unseen(sources: Sources, path: NotePath) -> bool:
    """Tell what this reader does not see, whatever name leads to it."""
    return sources.hidden(path) or sources.hidden(sources.look.target(path).real)


def _read(sources: Sources, path: NotePath) -> bytes | None:
    try:
        return sources.look.read(path)
    except VaultError:
        return None


def _output(sources: Sources, path: NotePath, text: str, value: Any) -> Output:
    provenance, sensitivity = sources.label(path, text)
    return Output(path, provenance, value, sensitivity, domain="vault")


def _below(sources: Sources, folder: str | None, glob: str | None) -> Iterator[NotePath]:
    prefix = f"{folder.strip('/')}/" if folder and folder.strip("/") else ""
    fits = glob_pattern(glob) if glob else None
    for path in sources.look.paths():
        if path.startswith(prefix) and (fits is None or fits.fullmatch(path)) and not _unseen(sources, path):
            yield path


def glob_pattern(glob: str) -> re.Pattern[str]:
    """Give what a glob means: `*` and `?` within a name, `**` over folders."""
    spelt = ""
    for part in re.split(r"(\*\*/|\*\*|\*|\?)", glob):
        spelt += {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}.get(part) or re.escape(part)
    return re.compile(spelt)


def _task(path: NotePath, note: Note, item: Item, *, outside: bool) -> dict[str, Any]:
    end = note.text.find("\n", item.content)
    hidden = note.comments if outside else ()
    line = visible(note.text, hidden, item.content, end if end >= 0 else len(note.text)).rstrip()
    text = line.partition("]")[2].strip()
    due = _DUE.search(text)
    return {
        "path": path,
        "line": item.line,
        "id": item.id,
        "text": text,
        "status": STATUS.get(item.char or " ", "other"),
        "due": due[1] if due else None,
    }


def _wanted(task: dict[str, Any], args: TaskList) -> bool:
    if args.status is not None and task["status"] != args.status:
        return False
    before = period(args.due_before) if args.due_before else None
    return before is None or (task["due"] is not None and task["due"] < before.first)


TOOLS: tuple[Tool, ...] = (note_read, note_search, note_list, task_list)
