"""What each tool takes, and how a call's arguments are checked: by pydantic, which is loaded at the first call.

The classes are plain, so that listing the tools costs nothing; `validated` reads them as pydantic models.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from daemon.tools.errors import ToolError

if TYPE_CHECKING:  # 100 ms that only a call needs
    from pydantic import TypeAdapter, ValidationError

Scalar = str | int | bool | None
PropertyValue = Scalar | list[str | int | bool | None]
"""No decimal number: a plan's digest knows none; as text it is written the same."""
TaskStatus = Literal["todo", "in_progress", "done", "cancelled"]
MemoryKind = Literal["preference", "goal", "procedure", "decision", "fact"]


class Arguments:
    """What every class of arguments is: nothing unknown, nothing converted."""

    __slots__ = ()
    __pydantic_config__: ClassVar[Mapping[str, Any]] = {"extra": "forbid", "strict": True}


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteRead(Arguments):
    """Of `note_read`."""

    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteSearch(Arguments):
    """Of `note_search`."""

    query: str
    limit: int = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteList(Arguments):
    """Of `note_list`; `glob` is matched against the path, `**` over folders."""

    folder: str | None = None
    glob: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskList(Arguments):
    """Of `task_list`."""

    folder: str | None = None
    status: TaskStatus | None = None
    due_before: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRecall(Arguments):
    """Of `memory_recall`; days as `2026-12-01`, `folder` leaves only what stands below it."""

    query: str
    k: int = 10
    as_of: str | None = None
    known_at: str | None = None
    folder: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileGet(Arguments):
    """Of `profile_get`."""

    kind: MemoryKind | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityResolve(Arguments):
    """Of `entity_resolve`; `context` is what stands around the name."""

    name: str
    context: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcedureGet(Arguments):
    """Of `procedure_get`."""

    name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing(Arguments):
    """Of every tool that changes a note."""

    path: str
    expected_etag: str | None = None
    """The version the caller has read; any other is refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteCreate(Writing):
    """Of `note_create`."""

    text: str
    overwrite: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteAppend(Writing):
    """Of `note_append`; under a heading, at its end."""

    text: str
    heading: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteEdit(Writing):
    """Of `note_edit`; `old` occurs exactly once."""

    old: str
    new: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionReplace(Writing):
    """Of `section_replace`."""

    heading: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PropertySet(Writing):
    """Of `property_set`."""

    key: str
    value: PropertyValue


@dataclass(frozen=True, slots=True, kw_only=True)
class PropertyRemove(Writing):
    """Of `property_remove`."""

    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteMove(Writing):
    """Of `note_move`."""

    to: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteGone(Writing):
    """Of `note_trash` and `note_delete`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskAdd(Writing):
    """Of `task_add`."""

    text: str
    heading: str | None = None
    due: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSet(Writing):
    """Of `task_set`; `task` is a block id or the task's exact text."""

    task: str
    status: TaskStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class MemorySave(Arguments):
    """Of `memory_save`."""

    text: str
    kind: MemoryKind = "fact"
    about: str | None = None
    since: str | None = None
    confidence: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryUpdate(Arguments):
    """Of `memory_update`."""

    id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryForget(Arguments):
    """Of `memory_forget`."""

    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored(Arguments):
    """One note that `note_restore` brings back."""

    path: str
    etag: str
    """Of the version that is to stand there again; `""`: none, so it goes to the trash."""
    expected: str
    """Of the version that stands there, or at `at`, now; `""`: none."""
    at: str | None = None
    """Where it stands now, if elsewhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteRestore(Arguments):
    """Of `note_restore`, which nobody can propose."""

    notes: list[Restored]


_ODD = "none of several"
_WANTED = {
    "string_type": "argument_text",
    "bool_type": "argument_boolean",
    "int_type": "argument_integer",
    _ODD: "argument_value",
}
"""What pydantic calls a wrong type → the sentence that says what is wanted."""


def validated(name: str, kind: type[Any], given: Mapping[str, Any]) -> Any:
    """Give the arguments of a call as an instance of its class (a dataclass, or a third party's pydantic model).

    Raises:
        ToolError: The first bad one, in one sentence.
    """
    from pydantic import ValidationError  # noqa: PLC0415 - see the module's first line

    spelt = ", ".join(f"{json.dumps(key)}: {_as_json(name, key, value)}" for key, value in given.items())
    try:
        return _adapter(kind).validate_json(f"{{{spelt}}}")  # as JSON, strict types still take an object
    except ValidationError as error:
        raise _first(name, kind, error) from None


def schema(kind: type[Any]) -> dict[str, Any]:
    """Give the JSON schema of a class of arguments."""
    return _adapter(kind).json_schema()


_ADAPTERS: "dict[type[Any], TypeAdapter[Any]]" = {}
"""Each is made once: it costs more than a thousand calls."""


def _adapter(kind: type[Any]) -> "TypeAdapter[Any]":
    from pydantic import TypeAdapter  # noqa: PLC0415 - see the module's first line

    return _ADAPTERS.get(kind) or _ADAPTERS.setdefault(kind, TypeAdapter(kind))


def _as_json(name: str, argument: str, value: object) -> str:
    try:
        spelt = json.dumps(value, ensure_ascii=False, allow_nan=False)
        spelt.encode("utf-8")
    except (TypeError, ValueError):
        raise ToolError("argument_wrong", tool=name, argument=argument, reason="JSON") from None
    return spelt


def _first(name: str, kind: type[Any], error: "ValidationError") -> ToolError:
    problem = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in problem["loc"] if not _is_branch(part)) or "?"
    known = ", ".join(_names(kind))
    if problem["type"] == "missing":
        return ToolError("argument_missing", tool=name, argument=place, known=known)
    if problem["type"] in {"extra_forbidden", "unexpected_keyword_argument"}:
        return ToolError("argument_unknown", tool=name, argument=place, known=known)
    if problem["type"] == "literal_error":
        choices = str(problem.get("ctx", {}).get("expected", "")).replace("'", "").replace(" or ", ", ")
        return ToolError("argument_choice", tool=name, argument=place, choices=choices)
    wanted = _ODD if len({one["loc"][0] for one in error.errors()}) < error.error_count() else problem["type"]
    code = _WANTED.get(wanted, "argument_wrong")
    return ToolError(code, tool=name, argument=place, reason=problem["msg"])


def _is_branch(part: object) -> bool:
    """Tell the name pydantic gives to one branch of a union from that of an argument."""
    return (
        isinstance(part, str)
        and re.fullmatch(r"str|int|bool|none|list\[.*\]|constrained-.*", part) is not None
    )


def _names(kind: type[Any]) -> list[str]:
    return [name for name, _ in optional(kind)]


def optional(kind: type[Any]) -> tuple[tuple[str, bool], ...]:
    """Give the arguments of a class, each with whether it may be left out."""
    if is_dataclass(kind):
        return tuple(
            (one.name, one.default is not MISSING or one.default_factory is not MISSING)
            for one in fields(kind)
        )
    known: Mapping[str, Any] = getattr(kind, "model_fields", {})
    return tuple((name, not one.is_required()) for name, one in known.items())
