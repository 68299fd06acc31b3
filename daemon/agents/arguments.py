"""What the agents' tools take: the arguments of the tool they are a call of, and where in its answer to go on."""

from dataclasses import dataclass
from typing import Any

from daemon.tools.arguments import (
    Arguments,
    MemoryRecall,
    NoteRead,
    NoteSearch,
    ProcedureGet,
    ProfileGet,
)
from parsers.model.runs import RunStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class Nothing(Arguments):
    """Of tools that take nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteReadPart(NoteRead):
    """Of `note_read`; `cursor` as the part before gave it."""

    cursor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteSearchPart(NoteSearch):
    """Of `note_search`."""

    cursor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRecallPart(MemoryRecall):
    """Of `memory_recall`."""

    cursor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileGetPart(ProfileGet):
    """Of `profile_get`."""

    limit: int = 50
    cursor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcedureGetPart(ProcedureGet):
    """Of `procedure_get`."""

    limit: int = 20
    cursor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BrainWrite(Arguments):
    """Of `brain_write`: the four sections of now.md, Markdown."""

    step: str
    services: str
    next: str
    context: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BrainFocus(Arguments):
    """Of `brain_focus`; with `text` it replaces the first section."""

    text: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing(Arguments):
    """Of tools that give a list."""

    limit: int = 20
    cursor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanStep(Arguments):
    """One call of a plan."""

    tool: str
    args: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanPropose(Arguments):
    """Of `plan_propose`."""

    title: str
    steps: list[PlanStep]
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunGet(Arguments):
    """Of `run_get`; `cursor` goes on in its steps."""

    id: str
    cursor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunList(Listing):
    """Of `run_list`."""

    status: RunStatus | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCancel(Arguments):
    """Of `run_cancel`."""

    id: str
