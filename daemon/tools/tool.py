"""A tool: one thing a step can do, declared with every fact the policy and the executor need of it.

    plan     pure: what it would change, found by reading
    apply    does exactly that, each change once
    verify   reads the disk again and says whether it stands there
    inverse  the call that brings the exact bytes back, or None, said out loud

A tool that reads gives outputs, each with where it came from. `@tool` makes a tool that changes something out of its
plan, `@reader` one that reads.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from daemon.tools.arguments import validated
from daemon.tools.effects import Change, Effects, Look
from daemon.tools.hands import Hands
from daemon.vault.disk import etag_of
from daemon.vault.errors import VaultError
from parsers.model.entities import Entity
from parsers.model.facts import Sensitivity
from parsers.model.places import NotePath
from parsers.model.policy import Effect, Flag, Risk, Role
from parsers.model.recall import Query, Recalled
from parsers.model.runs import Call

if TYPE_CHECKING:  # what looks values up is loaded when a plan is made
    from daemon.memory.state import State
    from daemon.policy.lineage import Output


@dataclass(frozen=True, slots=True)
class Memory:
    """What is remembered: all of it; the tools that read it give each reader its part."""

    state: "State"
    today: str
    """The local ISO day."""
    recall: Callable[[Query], Recalled]
    """Gives the best facts and passages for a query, from the index this reader may open."""
    entities: Callable[[bool], tuple[Entity, ...]]
    """Gives who is known, with home notes and the names they give; True: as a reader outside may know them."""


@dataclass(frozen=True, slots=True)
class Sources:
    """What a tool that reads may use."""

    look: Look
    search: Callable[[str, int], Sequence[tuple[NotePath, Mapping[str, Any]]]]
    """Gives the best notes for a query, from the index this reader may open."""
    label: Callable[[NotePath, str], tuple[str, Sensitivity]]
    """Gives the worst provenance of a note's text, and how sensitive it is."""
    hidden: Callable[[NotePath], bool] = field(default=lambda _: False)
    """Tells what this reader never sees: for an agent private notes and the assistant folder."""
    memory: Memory | None = None
    """None: memory is put out."""
    external: bool = False
    """Whoever reads is an agent: nothing private or sensitive is for it (R-M06)."""


Plan = Callable[[Any, Look], Effects]
Apply = Callable[[Any, Hands, Effects, str], None]
Verify = Callable[[Any, Look, Effects, str], bool]
Inverse = Callable[[Any, Effects], Call | None]
Read = Callable[[Any, Sources], "tuple[Output, ...]"]


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool; a step calls it with JSON, `arguments` is what that JSON must be."""

    name: str
    domain: str
    risk: Risk
    effect: Effect
    flags: frozenset[Flag]
    arguments: type[Any]
    """A dataclass or pydantic model."""
    roles: Mapping[str, Role]
    """What each argument decides; one that is not named here is `deciding`."""
    data_classes: frozenset[str] | None
    """Classes of data it may be handed; None: any."""
    plan: Plan
    apply: Apply | None = None
    verify: Verify | None = None
    inverse: Inverse | None = None
    """None: it cannot be undone."""
    read: Read | None = None
    provenance: str = ""
    """Of what it reads, where that is not a note's."""
    proposable: bool = True
    """Whether a plan may name it."""
    carried_by: str = "executor"
    """`memory`: its effect and its proof are the memory's own."""
    third_party: bool = False

    def validated(self, args: Mapping[str, Any]) -> Any:
        """Give a call's arguments as `plan` and the others take them.

        Raises:
            ToolError: The first bad one, in one sentence.
        """
        return validated(self.name, self.arguments, args)

    def role(self, argument: str) -> Role:
        """Give what an argument decides; `recipients.0` has the role of `recipients`."""
        return self.roles.get(argument.partition(".")[0], "deciding")


def carry_out(args: Any, hands: Hands, effects: Effects, key: str) -> None:  # noqa: ARG001 - see `Apply`
    """Make every change in its order, each once (see `Hands.carry`)."""
    for change in effects.changes:
        hands.carry(change)


def holds(args: Any, look: Look, effects: Effects, key: str = "") -> bool:  # noqa: ARG001 - see `Verify`
    """Tell whether every change stands on the disk, byte for byte; what cannot be read is not proved."""
    return all(_stands(change, look) for change in effects.changes)


def _stands(change: Change, look: Look) -> bool:
    try:
        if change.moved_from is not None and look.read(change.moved_from) is not None:
            return False
        return look.read(change.path) == change.after
    except VaultError:
        return False


def restoring(args: Any, effects: Effects) -> Call | None:  # noqa: ARG001 - see `Inverse`
    """Give the call that brings the exact bytes back, each note only if it still is as the effect left it."""
    return Call("note_restore", {"notes": [_back(one) for one in effects.changes]})


def _back(change: Change) -> dict[str, str]:
    back = {
        "path": change.moved_from or change.path,
        "etag": "" if change.before is None else etag_of(change.before),
        "expected": "" if change.after is None else etag_of(change.after),
    }
    return back if change.moved_from is None else {**back, "at": change.path}


def tool(  # noqa: PLR0913 - everything the policy asks of a tool, each by its name
    name: str,
    arguments: type[Any],
    *,
    inverse: Inverse | None,
    verify: Verify | None = holds,
    apply: Apply = carry_out,
    risk: Risk = "WRITE",
    domain: str = "vault",
    effect: Effect = "internal",
    flags: frozenset[Flag] = frozenset(),
    roles: Mapping[str, Role] | None = None,
    data_classes: frozenset[str] | None = None,
    proposable: bool = True,
    carried_by: str = "executor",
) -> Callable[[Plan], Tool]:
    """Make the decorated plan a tool; `inverse=None` is written out, never forgotten."""

    def made(plan: Plan) -> Tool:
        return Tool(
            name,
            domain,
            risk,
            effect,
            flags,
            arguments,
            roles or {},
            data_classes,
            plan,
            apply,
            verify,
            inverse,
            proposable=proposable,
            carried_by=carried_by,
        )

    return made


def reader(
    name: str,
    arguments: type[Any],
    *,
    domain: str = "vault",
    effect: Effect = "internal",
    roles: Mapping[str, Role] | None = None,
    data_classes: frozenset[str] | None = None,
    provenance: str = "",
) -> Callable[[Read], Tool]:
    """Make the decorated function a tool that reads and changes nothing."""

    def made(read: Read) -> Tool:
        return Tool(
            name,
            domain,
            "READ",
            effect,
            frozenset(),
            arguments,
            roles or {},
            data_classes,
            _nothing,
            read=read,
            provenance=provenance,
        )

    return made


def _nothing(args: Any, look: Look) -> Effects:  # noqa: ARG001 - see `Plan`
    return Effects(says="read")
