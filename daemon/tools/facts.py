"""What the policy wants to know of the notes a call is about: which, and what is wrong with them."""

from typing import Any

from daemon.tools.effects import Effects, Look
from daemon.tools.tool import Tool
from daemon.vault.targets import Reason
from parsers.model.places import NotePath
from parsers.model.policy import TargetFault

_NAMES = ("path", "to", "folder")
_FAULT: dict[Reason, TargetFault] = {
    "outside": "outside",
    "hidden": "managed",
    "managed": "managed",
    "assistant": "assistant",
    "ignored": "ignored",
}


def action_facts(
    tool: Tool, args: Any, look: Look, effects: Effects | None = None
) -> tuple[tuple[str, ...], frozenset[TargetFault]]:
    """Give the notes a call is about, and every fault of those it names; `private` is the reader's to add.

    With its `effects`, the notes it writes besides (links to a moved note) are among the paths: a delegation must
    cover them too. Only what is written can be `managed`: reading a note of ours is in the assistant folder.
    """
    faults: set[TargetFault] = set()
    paths: list[str] = []
    for name in named(args):
        target = look.target(name)
        told = target.reasons - {"managed"} if tool.risk == "READ" else target.reasons
        faults |= {_FAULT[reason] for reason in told if reason in _FAULT}
        paths.append(target.path)
    for path in effects.writes if effects else ():
        if path not in paths:
            paths.append(path)
            faults |= {
                _FAULT[reason] for reason in look.target(path).reasons if reason in ("outside", "managed")
            }
    return tuple(paths), frozenset(faults)


def named(args: Any) -> tuple[str, ...]:
    """Give the paths that a call of a built-in tool names; a third party's tool names none of ours."""
    found = [value for name in _NAMES if isinstance(value := getattr(args, name, None), str) and value]
    for one in getattr(args, "notes", ()) or ():
        found += [value for name in ("path", "at") if (value := getattr(one, name, None))]
    return tuple(dict.fromkeys(NotePath(one) for one in found))
