"""The tools that write one note: made, added to, changed in one place, each byte that was not asked for kept."""

from collections.abc import Callable

from config.paths import NAMES
from daemon.tools.arguments import (
    NoteAppend,
    NoteCreate,
    NoteEdit,
    PropertyRemove,
    PropertySet,
    SectionReplace,
    TaskAdd,
    TaskSet,
    Writing,
)
from daemon.tools.effects import Change, Effects, Look, Values
from daemon.tools.errors import ToolError
from daemon.tools.tool import Tool, restoring, tool
from daemon.vault.disk import etag_of
from daemon.vault.errors import Ignored, LinkedNote, NoteChanged, NoteExists, NoteMissing, OutsideVault
from parsers.model.places import NotePath
from parsers.model.policy import Role
from parsers.model.runs import Call
from renderers import amend

ENDING = ".md"
_LONGEST = 255
"""Bytes of a name that file systems take."""
_CONTROL = {chr(code) for code in (*range(32), 127)}
TARGET: dict[str, Role] = {"path": "deciding", "expected_etag": "query"}
"""Roles that every tool that writes shares."""


def writable(look: Look, path: str) -> NotePath:
    """Give the path of a note that a tool may write, as it is spelt on disk.

    Raises:
        VaultError: It leads out of the vault, to a hidden or ignored file, or is a link.
        ToolError: It is no note's, or a note of ours.
    """
    target = look.target(path)
    if target.reasons & {"outside", "hidden"}:
        raise OutsideVault(path)
    if "managed" in target.reasons:
        raise ToolError("managed_note", path=path)
    if "ignored" in target.reasons:
        raise Ignored(path, NAMES.ignore_file)
    if "linked" in target.reasons:
        raise LinkedNote(path)
    if not path.endswith(ENDING) or path.rpartition("/")[2] == ENDING:
        raise ToolError("not_a_note", path=path)
    if not _CONTROL.isdisjoint(path) or any(len(part.encode()) > _LONGEST for part in path.split("/")):
        raise ToolError("unusable_name", path=path.encode("unicode_escape").decode()[:80])
    return target.path


def free(look: Look, path: str) -> NotePath:
    """Give the path of a note to be made.

    Raises:
        NoteExists: The name is taken; the others as for `writable`.
    """
    spelt = writable(look, path)
    if look.read(spelt) is not None or not look.target(path).free:
        raise NoteExists(spelt)
    return spelt


def existing(look: Look, path: str, expected_etag: str | None = None) -> tuple[NotePath, bytes]:
    """Give a note that a tool may write, with its bytes.

    Raises:
        NoteMissing: There is none; `NoteChanged`: it is not the version that is expected; as for `writable`.
    """
    spelt = writable(look, path)
    data = look.read(spelt)
    if data is None:
        raise NoteMissing(spelt)
    if expected_etag is not None and etag_of(data) != expected_etag:
        raise NoteChanged(spelt)
    return spelt, data


def text_of(path: NotePath, data: bytes) -> str:
    """Give a note's text.

    Raises:
        ToolError: It is not UTF-8.
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise ToolError("not_utf8", path=path) from None


def counted(key: str, number: int) -> str:
    """Give the catalogue key that says it of one, or of several."""
    return f"{key}.one" if number == 1 else f"{key}.other"


def _amended(args: Writing, look: Look, change: Callable[[str], str], says: str, values: Values) -> Effects:
    """Give the effects of changing one note's text."""
    path, data = existing(look, args.path, args.expected_etag)
    after = change(text_of(path, data)).encode("utf-8")
    said = {"path": path, **values}
    return Effects((Change(path, data, after),), says if after != data else "same", said)


def _uncreated(args: NoteCreate, effects: Effects) -> Call | None:
    change = effects.changes[0]
    if change.before is not None or change.after is None:
        return restoring(args, effects)
    return Call("note_trash", {"path": change.path, "expected_etag": etag_of(change.after)})


@tool("note_create", NoteCreate, inverse=_uncreated, roles={**TARGET, "text": "text", "overwrite": "query"})
def note_create(args: NoteCreate, look: Look) -> Effects:
    """A note that was not there; over one that was only when asked."""
    after = args.text.encode("utf-8")
    lines = len(args.text.splitlines())
    path = writable(look, args.path)
    if not args.overwrite or look.read(path) is None:
        path = free(look, args.path)
        if args.expected_etag:
            raise NoteChanged(path)
        return Effects((Change(path, None, after),), counted("create", lines), {"path": path, "lines": lines})
    path, before = existing(look, args.path, args.expected_etag)
    return Effects(
        (Change(path, before, after),), counted("overwrite", lines), {"path": path, "lines": lines}
    )


@tool("note_append", NoteAppend, inverse=restoring, roles={**TARGET, "text": "text", "heading": "query"})
def note_append(args: NoteAppend, look: Look) -> Effects:
    """Text at the end of a note, or of what stands under a heading."""
    lines = len(args.text.splitlines())

    def appended(text: str) -> str:
        return amend.append(text, args.text, args.heading)

    return _amended(args, look, appended, counted("append", lines), {"lines": lines})


@tool("note_edit", NoteEdit, inverse=restoring, roles={**TARGET, "old": "query", "new": "text"})
def note_edit(args: NoteEdit, look: Look) -> Effects:
    """Another text in place of one that occurs exactly once."""
    return _amended(args, look, lambda text: amend.edit(text, args.old, args.new), "edit", {})


@tool(
    "section_replace", SectionReplace, inverse=restoring, roles={**TARGET, "heading": "query", "text": "text"}
)
def section_replace(args: SectionReplace, look: Look) -> Effects:
    """Another text under a heading."""
    values = {"heading": args.heading}
    return _amended(
        args, look, lambda text: amend.section_replace(text, args.heading, args.text), "section", values
    )


@tool("property_set", PropertySet, inverse=restoring, roles={**TARGET, "key": "query", "value": "text"})
def property_set(args: PropertySet, look: Look) -> Effects:
    """One property's value; every other byte of the block stays."""
    values = {"key": args.key}
    return _amended(
        args, look, lambda text: amend.property_set(text, args.key, args.value), "property_set", values
    )


@tool("property_remove", PropertyRemove, inverse=restoring, roles={**TARGET, "key": "query"})
def property_remove(args: PropertyRemove, look: Look) -> Effects:
    """One property less."""
    values = {"key": args.key}
    return _amended(args, look, lambda text: amend.property_remove(text, args.key), "property_remove", values)


@tool(
    "task_add",
    TaskAdd,
    inverse=restoring,
    roles={**TARGET, "text": "text", "heading": "query", "due": "text"},
)
def task_add(args: TaskAdd, look: Look) -> Effects:
    """One more task."""
    return _amended(
        args,
        look,
        lambda text: amend.task_add(text, args.text, args.heading, args.due),
        "task_add",
        {"task": args.text},
    )


@tool("task_set", TaskSet, inverse=restoring, roles={**TARGET, "task": "deciding", "status": "query"})
def task_set(args: TaskSet, look: Look) -> Effects:
    """Another box for one task."""
    values = {"task": args.task, "status": args.status}
    return _amended(args, look, lambda text: amend.task_set(text, args.task, args.status), "task_set", values)


TOOLS: tuple[Tool, ...] = (
    note_create,
    note_append,
    note_edit,
    section_replace,
    property_set,
    property_remove,
    task_add,
    task_set,
)
