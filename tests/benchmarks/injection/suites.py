"""Suites of AgentDojo in our vocabulary: one adapter for all, which knows no suite, no tool and no task by name.

A tool is declared from the label `ours` it carries. What a label leaves open (`depends`, `partly`) is settled by the
arguments of the call: whether someone other than the account's owner is concerned. What cannot be settled, or is a
word we do not know, counts as the hardest. `ours.reference` is never read; `ours.trace` only by the check of lineage.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import yaml

from daemon.policy.formats import whole
from daemon.policy.lineage import Output, Said, trace
from parsers.model.policy import Action, Argument, Role, least

FLAGS = {"delete_permanent": "permanent_delete", "security": "security_change", "delete_to_trash": None}
"""Their word → ours; None: no flag of ours (the trash can be emptied of it). Any other word is kept as it is."""
ROLES: dict[str, Role] = {"content": "text", "time": "text", "query": "query"}
"""Their role → ours; any other decides."""
REACHING = frozenset({"recipient", "url", "link", "address", "host"})
"""Roles of what a call goes to."""
ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")


@dataclass(frozen=True, slots=True)
class Call:
    """One recorded call: what was asked, and what it returned."""

    tool: str
    args: dict[str, Any]
    output: str
    trace: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Suite:
    """One file of the benchmark."""

    name: str
    tools: dict[str, dict[str, Any]]
    users: tuple[tuple[str, str, tuple[Call, ...]], ...]
    """(id, prompt, calls)."""
    attacks: tuple[tuple[str, str, tuple[Call, ...]], ...]
    """(id, goal, calls)."""
    owner: str
    """The address that stands in most outputs: whose account it is."""

    @property
    def source(self) -> str:
        """Give the provenance of what its tools return."""
        return f"connector:{self.name}"


def read(data: dict[str, Any]) -> Suite:
    """Give a suite from its JSON."""
    users = tuple((one["id"], one["prompt"], _calls(one)) for one in data["user_tasks"])
    attacks = tuple((one["id"], one["goal"], _calls(one)) for one in data["injection_tasks"])
    outputs = {call.output for _, _, calls in users for call in calls}
    tools = {one["name"]: _label(one) for one in data["tools"]}
    return Suite(data["suite"], tools, users, attacks, _owner(outputs))


def _label(tool: dict[str, Any]) -> dict[str, Any]:
    label = tool.get("ours", {})
    roles = {name: str(role) for name, role in label.get("arg_roles", {}).items()}
    return {**label, "arg_roles": roles, "parts": tool.get("environment_parts", [])}


def _calls(task: dict[str, Any]) -> tuple[Call, ...]:
    return tuple(
        Call(one["function"], one["args"], str(one["output"]), one.get("ours", {}).get("trace", {}))
        for one in task["calls"]
    )


def _owner(outputs: set[str]) -> str:
    found = [ADDRESS.findall(one) for one in outputs]
    outside = Counter(address for one in found for address in set(one))
    every = Counter(address for one in found for address in one)
    return max(outside, key=lambda one: (outside[one], every[one], one), default="")


# ---- what a call returned


@lru_cache(maxsize=4096)
def record(text: str) -> Any:
    """Give the record a printed output shows, None where it shows none; a cut one gives what stands before the cut."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError):
        pass
    lines = text.splitlines()
    for kept in range(len(lines), max(len(lines) - 80, 0), -1):
        try:
            found = yaml.load("\n".join(lines[:kept]), Loader=yaml.CBaseLoader)
        except yaml.YAMLError:
            continue
        return found if isinstance(found, (dict, list)) else None
    return None


def returned(suite: Suite, call: Call, number: int, said: Said) -> Output:
    """Give what a call returned, with its provenance: of a write `own` at best, never better than what it was given."""
    label = suite.tools.get(call.tool, {})
    roles = label.get("arg_roles", {})
    provenance = suite.source
    if label.get("risk") != "READ" and not any(roles.get(name) == "target" for name in call.args):
        given = [
            one.provenance
            for name, value in call.args.items()
            for one in _traced(roles, name, value, said, _domain(suite, label))
        ]
        provenance = least(("own", *given))
    source = f"{'wrote' if label.get('risk') != 'READ' else 'read'} {number}"
    sensitive = label.get("output_sensitivity") == "sensitive"
    return Output(
        source,
        provenance,
        [record(call.output), call.output],
        "sensitive" if sensitive else "normal",
        _domain(suite, label),
    )


# ---- a call as the policy sees it


def action_of(suite: Suite, call: Call, said: Said, instruction: str) -> Action:
    """Declare one call with the facts the policy may use."""
    label = suite.tools.get(call.tool, {})
    roles: dict[str, str] = label.get("arg_roles", {})
    arguments = tuple(
        one
        for name, value in call.args.items()
        for one in _traced(roles, name, value, said, _domain(suite, label))
    )
    others = _others(suite, roles, call, said)
    external = _is_external(label, roles, call, others=others)
    settled = label.get("effect") == "depends" and external
    flags = {FLAGS.get(one, one) for one in label.get("flags", [])} - {None}
    reversible = label.get("reversible") == "yes" or (label.get("reversible") == "partly" and not external)
    return Action(
        tool=call.tool,
        domain=_domain(suite, label),
        risk=label.get("risk", "unknown"),
        effect="external" if external else "internal",
        flags=frozenset(flags | {"send"} if settled else flags),
        reversible=reversible,
        instruction=instruction,
        arguments=arguments,
        sensitivity="sensitive" if any(one.sensitivity != "normal" for one in arguments) else "normal",
        read_below=said.composed() if said.outputs else "",
    )


def _domain(suite: Suite, label: dict[str, Any]) -> str:
    """Give the part of the account a tool works on."""
    return next(iter(label.get("parts", [])), suite.name)


def _traced(roles: dict[str, str], name: str, value: Any, said: Said, domain: str) -> tuple[Argument, ...]:
    theirs = roles.get(name, "")
    return trace(
        name, ROLES.get(theirs, "deciding"), value, said, "amount" if theirs == "amount" else None, domain
    )


def _is_external(label: dict[str, Any], roles: dict[str, str], call: Call, *, others: bool) -> bool:
    effect = label.get("effect")
    if effect == "depends":
        return others
    if effect == "none" and label.get("risk") == "READ":
        return any(roles.get(name) in REACHING or _is_link(value) for name, value in call.args.items())
    return effect not in ("none", "internal")


def _is_link(value: Any) -> bool:
    found = [whole(text) for text in _strings(value)]
    return any(one is not None and one.kind == "link" for one in found)


def _others(suite: Suite, roles: dict[str, str], call: Call, said: Said) -> bool:
    """Tell whether someone else is concerned: named in the call, or in the record it acts on; not known: yes."""
    named = {
        text for name, value in call.args.items() if roles.get(name) in REACHING for text in _strings(value)
    } - {suite.owner}
    targets = [
        text for name, value in call.args.items() if roles.get(name) == "target" for text in _strings(value)
    ]
    concerned = [_concerned(suite, target, said) for target in targets]
    return bool(named) or any(one is not False for one in concerned)


def _concerned(suite: Suite, target: str, said: Said) -> bool | None:
    """Tell whether the record of a target names others in fields of their own; None: it was never seen."""
    seen = None
    for output in said.outputs:
        parsed = output.value[0] if isinstance(output.value, list) else None
        for one in _records(parsed):
            if target in [value for value in one.values() if isinstance(value, str)]:
                others = {text for text in _strings(one) if ADDRESS.fullmatch(text)} - {suite.owner}
                seen = bool(seen) or bool(others)
    return seen


def _records(value: Any) -> Iterator[dict[Any, Any]]:
    if isinstance(value, dict):
        yield value
        for one in value.values():
            yield from _records(one)
    elif isinstance(value, list):
        for one in value:
            yield from _records(one)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, one in value.items():
            yield str(key)
            yield from _strings(one)
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from _strings(one)
    elif value is not None:
        yield str(value)
