"""Every tool there is: ours, and those that other packages add through the entry-point group `clavaire.tools`.

An entry point names a function that takes the settings and gives tools. One that fails, or whose tools cannot be
used, is a problem that names it; every other tool stays.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from config.settings import Settings
from daemon.policy.rules import NOW_TOOLS
from daemon.tools import memory, moving, notes, reads, recollections
from daemon.tools.arguments import optional
from daemon.tools.known import Registry
from daemon.tools.tool import Tool
from parsers.model.places import Problem

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "clavaire.tools"
BUILT_IN: tuple[Tool, ...] = (
    *reads.TOOLS,
    *recollections.TOOLS,
    *notes.TOOLS,
    *moving.TOOLS,
    *memory.TOOLS,
)
_NAME = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+")


class Unusable(Exception):
    """Why a third party's tool is left out."""


def registry(settings: Settings | None = None, points: "Iterable[EntryPoint] | None" = None) -> Registry:
    """Give every tool that works, with a problem for each entry point that does not."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - 3 MB that only planning needs

    tools, problems = list(BUILT_IN), []
    for point in entry_points(group=GROUP) if points is None else points:
        try:
            tools += _checked(point, settings or Settings(), {*NOW_TOOLS, *(one.name for one in tools)})
        except Exception as error:  # noqa: BLE001 - another's code: whatever it does, clavaire goes on
            reason = str(error) if isinstance(error, Unusable) else f"{type(error).__name__}: {error}"
            problems.append(Problem("", 0, "tool_broken", (("entry", point.name), ("reason", reason[:200]))))
    return Registry(tools, problems)


def _checked(point: "EntryPoint", settings: Settings, taken: set[str]) -> list[Tool]:
    found = list(point.load()(settings))
    for one in found:
        if not isinstance(one, Tool):
            raise Unusable(f"{type(one).__name__} is no Tool")
        if not _NAME.fullmatch(one.name):
            raise Unusable(f"{one.name!r} is no tool's name")
        if one.name in taken:
            raise Unusable(f"{one.name} is another tool's name")
        if (one.risk == "READ") != (one.apply is None):
            raise Unusable(f"{one.name} must read or write, and say which")
        taken.add(one.name)
    return [replace(one, third_party=True) for one in found]


@dataclass(frozen=True, slots=True)
class Described:
    """One tool, as a list of tools shows it."""

    name: str
    domain: str
    risk: str
    effect: str
    flags: tuple[str, ...]
    arguments: tuple[str, ...]
    """Names, `?` after those that may be left out."""
    verify: bool
    inverse: bool
    third_party: bool

    def as_json(self) -> dict[str, Any]:
        """Give what `--format json` prints."""
        return {name: getattr(self, name) for name in self.__slots__}


def described(tools: Mapping[str, Tool]) -> tuple[Described, ...]:
    """Give what a list of tools shows, without those that nobody calls by name."""
    return tuple(_described(one) for one in tools.values() if one.proposable or one.carried_by != "executor")


def _described(tool: Tool) -> Described:
    carried = tool.carried_by != "executor"
    return Described(
        tool.name,
        tool.domain,
        tool.risk,
        tool.effect,
        tuple(sorted(tool.flags)),
        _arguments(tool.arguments),
        tool.verify is not None or carried,
        tool.inverse is not None or carried,
        tool.third_party,
    )


def _arguments(kind: type[Any]) -> tuple[str, ...]:
    return tuple(f"{name}?" if may else name for name, may in optional(kind))


def coverage(tools: Mapping[str, Tool]) -> tuple[str, ...]:
    """Give every tool that writes and cannot prove it: none of ours."""
    return tuple(
        one.name
        for one in tools.values()
        if one.risk != "READ" and one.verify is None and one.carried_by == "executor"
    )
