"""The policy: the table of policy-and-runs.md, tried in order; the first rule that matches decides (R-P02).

Pure and total: what no rule allows is refused (rule 0). A value no rule knows (a risk, an effect, a flag, a
sensitivity, an origin) counts as the hardest of its kind. Each rule gives the facts it used, nothing else bears on it.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from parsers.model.policy import FLOOR, Action, Argument, Budget, Decision, DecisionKind, Delegation, trust_of

Reasons = tuple[tuple[str, str], ...]
Verdict = tuple[DecisionKind, Reasons] | None
"""What a rule says and the facts it used; None: it does not match."""

_UNUSED = Budget()
_MOST_REASONS = 20
_VAULT = trust_of("vault")
_OWN_PROVENANCE = {"person": "user", "scheduled": "automation", "undo": "own"}
"""What stands behind an origin that is no program outside."""


@dataclass(frozen=True, slots=True)
class Case:
    """One action with all that bears on it, and what several rules ask of it."""

    action: Action
    level: int
    external: bool
    agent: bool
    """A program asks (MCP, HTTP, one we do not know): never the person, never a local reader."""
    user: bool
    """The instruction is the person's own."""
    deciding: tuple[Argument, ...]
    leave: Delegation | None
    """The first delegation whose scope holds the action; only looked for where one may let something pass."""


def decide(
    action: Action, level: int, delegations: Sequence[Delegation], budgets: Mapping[str, Budget], today: str
) -> Decision:
    """Decide one action, alone, at the level of its domain; `today` is the local ISO day (R-P02, R-P06)."""
    case = _case(action, level, delegations, budgets, today)
    for number, rule in RULES:
        verdict = rule(case)
        if verdict is not None:
            kind, reasons = verdict
            alert = number in ALERTING and kind == "refused"
            given = next((value for key, value in reasons if key == "delegation"), "") if number == 12 else ""
            return Decision(kind, number, _bounded(reasons), alert, given)
    return Decision("refused", 0, (("tool", action.tool), ("risk", str(action.risk))))


def _bounded(reasons: Reasons) -> Reasons:
    """Give as many facts as somebody reads: a text of ten thousand links has as many to tell."""
    more = len(reasons) - _MOST_REASONS
    return reasons if more <= 0 else (*reasons[:_MOST_REASONS], ("more", str(more)))


def _case(
    action: Action, level: int, delegations: Sequence[Delegation], budgets: Mapping[str, Budget], today: str
) -> Case:
    agent, external = action.origin not in _OWN_PROVENANCE, action.effect != "internal"
    leave: Delegation | None = None
    if action.risk == "WRITE" and not external:
        holding = (one for one in delegations if covers(one, action, budgets.get(one.id, _UNUSED), today))
        leave = next(holding, None)
    return Case(
        action,
        level,
        external=external,
        agent=agent,
        user=action.instruction == "user" and not agent,
        deciding=tuple(one for one in action.arguments if one.role not in ("text", "query")),
        leave=leave,
    )


# ---- the rules, as they are numbered


def _control_note(case: Case) -> Verdict:
    if "managed" in case.action.faults and case.action.risk != "READ":
        return "refused", (("fault_managed", _targets(case)),)
    return None


def _beyond_the_vault(case: Case) -> Verdict:
    hidden = frozenset() if case.agent else frozenset({"managed", "private", "assistant"})
    faults = sorted(case.action.faults - hidden)
    if not faults:
        return None
    reasons = [(f"fault_{one}", _targets(case)) for one in faults if one in _FAULTS]
    reasons += [("fault_unknown", one) for one in faults if one not in _FAULTS]
    return "refused", (*reasons, ("origin", case.action.origin))


def _guarded_data_leaves(case: Case) -> Verdict:
    action = case.action
    leaves = case.external or (action.risk == "READ" and not _read_here(case))
    if not leaves:
        return None
    reasons = [
        (f"data_{_known(one.sensitivity)}", one.name)
        for one in action.arguments
        if one.sensitivity != "normal"
    ]
    # What a READ gives goes to its reader; only what it takes along goes to the other side.
    if action.sensitivity != "normal" and (action.risk != "READ" or not _read_here(case)):
        reasons.append((f"data_{_known(action.sensitivity)}", action.tool))
    if case.external and action.accepts is not None:
        reasons += [
            ("data_class", f"{one.name}: {', '.join(sorted(one.classes - action.accepts))}")
            for one in action.arguments
            if one.classes - action.accepts
        ]
    return ("refused", (*reasons, ("effect", action.tool))) if reasons else None


def _content_lifts(case: Case) -> Verdict:
    if case.action.lifts and not case.user:
        return "refused", (("lifts", case.action.tool), _instruction(case), ("origin", case.action.origin))
    return None


def _content_commands(case: Case) -> Verdict:
    if not (case.external or case.action.flags):
        return None
    what = (*_floor(case.action), *((("effect", case.action.tool),) if case.external else ()))
    if _content(case):
        return "refused", (_instruction(case), *what)
    planted = [
        one for one in case.deciding if one.where and not one.said and trust_of(one.provenance) > _VAULT
    ]
    if case.agent and planted:
        return "refused", (*_told(planted), *what, ("origin", case.action.origin))
    return None


def _level_nought(case: Case) -> Verdict:
    if case.action.risk != "READ" and case.level not in (1, 2, 3):
        return "refused", (("level", f"{case.action.domain}: {case.level}"),)
    return None


def _unsaid(case: Case) -> Verdict:
    unsaid = [one for one in case.deciding if not (one.said and case.user)]
    if case.external and unsaid and case.action.risk in _RISKS:
        return "reinforced_approval", (*_told(unsaid), ("effect", case.action.tool))
    return None


def _on_the_floor(case: Case) -> Verdict:
    reasons = _floor(case.action)
    return ("reinforced_approval", reasons) if reasons and case.action.risk in _RISKS else None


def _reading(case: Case) -> Verdict:
    action = case.action
    if action.risk != "READ" or (action.sensitivity != "normal" and not _read_here(case)):
        return None
    return "allowed", (("reads", action.tool), ("origin", action.origin))


def _dangerous(case: Case) -> Verdict:
    if case.action.risk == "DANGEROUS":
        return "reinforced_approval", (("danger", case.action.tool),)
    if case.action.risk == "WRITE" and not case.action.reversible:
        return "reinforced_approval", (("no_inverse", case.action.tool),)
    return None


def _foreign_text(case: Case) -> Verdict:
    action = case.action
    if action.risk != "WRITE" or case.external or _of_now(case):
        return None
    written = [one for one in action.arguments if one.role != "query"]
    foreign = [one for one in written if not _covered_by_instruction(case, one.provenance)]
    # Without arguments there is nothing to trace: the choice itself is composed, of what was read.
    unguided = not written and not _covered_by_instruction(case, action.read_below or "user")
    if (foreign or unguided) and case.leave is None:
        read: Reasons = (("read", action.read_below),) if unguided else ()
        return "run_approval", (*_told(foreign), *read, _instruction(case))
    return None


def _delegated(case: Case) -> Verdict:
    action = case.action
    if action.risk != "WRITE" or case.external or not action.reversible or action.flags or action.lifts:
        return None
    found = case.leave
    return ("allowed", (("delegation", found.id), ("origin", action.origin))) if found else None


def _one_own_write(case: Case) -> Verdict:
    action = case.action
    single = action.asked_writes == 1 and action.recent_writes == 0
    if action.risk != "WRITE" or case.external or not action.reversible or not case.user or not single:
        return None
    if action.flags or action.lifts or case.level not in (2, 3):
        return None
    return "allowed", (
        ("single", action.tool),
        _instruction(case),
        ("level", f"{action.domain}: {case.level}"),
    )


def _any_other_write(case: Case) -> Verdict:
    action = case.action
    if action.risk != "WRITE" or case.level not in (1, 2, 3) or _of_now(case):
        return None
    reasons: Reasons = (("level", f"{action.domain}: {case.level}"), _instruction(case))
    if action.asked_writes != 1:
        reasons += (("several", str(action.asked_writes)),)
    if action.recent_writes != 0:
        reasons += (("recent", str(action.recent_writes)),)
    return "run_approval", reasons


def _now_note(case: Case) -> Verdict:
    """Whoever may call may say what is under way: what they had read stays with the text, which is data."""
    if not _of_now(case) or case.level not in (1, 2, 3):
        return None
    return "allowed", (("level", f"{case.action.domain}: {case.level}"), ("origin", case.action.origin))


RULES: tuple[tuple[int, Callable[[Case], Verdict]], ...] = (
    (1, _control_note),
    (2, _beyond_the_vault),
    (3, _guarded_data_leaves),
    (4, _content_lifts),
    (5, _content_commands),
    (6, _level_nought),
    (7, _unsaid),
    (8, _on_the_floor),
    (9, _reading),
    (10, _dangerous),
    (11, _foreign_text),
    (12, _delegated),
    (13, _one_own_write),
    (14, _any_other_write),
    (15, _now_note),
)
"""Number in docs/features/policy.md → what it says; tried in this order, the first that matches decides."""
ALERTING = frozenset({3, 4, 5})
"""Rules whose refusal opens an alert card."""
NOW_TOOLS = ("brain_write", "brain_focus")
"""What writes now.md, and nothing else (rule 15)."""


# ---- what rules ask


_RISKS = ("READ", "WRITE", "DANGEROUS")
_FAULTS = ("managed", "outside", "ignored", "private", "assistant")


def _of_now(case: Case) -> bool:
    """Whether an action writes now.md and nothing else, and who asks wants it."""
    action = case.action
    plain = (
        action.risk == "WRITE" and action.reversible and not (case.external or action.flags or action.lifts)
    )
    return plain and action.domain == "now" and action.tool in NOW_TOOLS and not _content(case)


def _known(sensitivity: str) -> str:
    return sensitivity if sensitivity == "private" else "sensitive"


def _targets(case: Case) -> str:
    """Give what an action is about; a program that asks learns the name of no note that it did not name itself."""
    action = case.action
    told = action.named if case.agent else action.paths
    more = ("…",) if case.agent and told and len(action.paths) > len(told) else ()
    return ", ".join((*told, *more)) or action.tool


def _instruction(case: Case) -> tuple[str, str]:
    return "instruction", str(case.action.instruction)


def _floor(action: Action) -> Reasons:
    """What stands on the floor in an action; widening what may pass stands there too."""
    lifts: Reasons = (("lifts", action.tool),) if action.lifts else ()
    flags = tuple(
        (f"flag_{one}", action.tool) if one in FLOOR else ("flag_unknown", str(one))
        for one in sorted(action.flags)
    )
    return (*flags, *lifts)


def _told(arguments: Sequence[Argument]) -> Reasons:
    """Where arguments come from, as a card says it."""
    return tuple(
        ("found", f"{one.name} ← {one.provenance} ({one.where})")
        if one.where
        else ("composed", f"{one.name} ← {one.provenance}")
        for one in arguments
    )


def _read_here(case: Case) -> bool:
    return case.action.local_reader and not case.agent


def _caller(case: Case) -> bool:
    """Whether the instruction is what a program that calls wants itself: its call, not content."""
    action = case.action
    return case.agent and action.instruction in (action.origin, "user", f"mcp:{action.origin}")


def _content(case: Case) -> bool:
    """Whether the instruction was read somewhere: nobody who may ask gave it."""
    own = _OWN_PROVENANCE.get(case.action.origin)
    return not (case.user or _caller(case) or (own is not None and own == case.action.instruction))


def _covered_by_instruction(case: Case, provenance: str) -> bool:
    """Whether a provenance is at least as good as who asks; an instruction that is content covers the vault's only."""
    trust = trust_of(provenance)
    if trust <= _VAULT:
        return True
    instruction = case.action.instruction
    return not _content(case) and (provenance == instruction or trust < trust_of(instruction))


# ---- delegations


def covers(delegation: Delegation, action: Action, budget: Budget, today: str) -> bool:
    """Tell whether a delegation holds for an action today: in force, in scope, within budget (R-P06).

    It holds for an origin it names and, of programs, only for one that showed its key; what is written comes from
    that origin, the vault or a provenance the line names. It does not look at risk: rule 12 does, and the floor
    never gets so far.
    """
    return (
        delegation.status == "active"
        and delegation.level == 3
        and delegation.domain == action.domain
        and today < delegation.review
        and _in_paths(delegation.paths, action.paths)
        and _names_origin(delegation, action)
        and _within(delegation, action, budget)
        and all(_names_provenance(delegation, action, one) for one in _provenances(action))
    )


def _names_origin(delegation: Delegation, action: Action) -> bool:
    keyed = action.origin in _OWN_PROVENANCE or (action.keyed and not action.origin.endswith(":?"))
    return keyed and action.origin in delegation.origins


def _within(delegation: Delegation, action: Action, budget: Budget) -> bool:
    more = max(action.asked_writes, 1)
    return budget.today + more <= delegation.per_day and budget.this_run + more <= delegation.per_run


def _provenances(action: Action) -> tuple[str, ...]:
    written = tuple(one.provenance for one in action.arguments if one.role != "query")
    return (action.instruction, *(written or (action.read_below or "user",)))


def _names_provenance(delegation: Delegation, action: Action, provenance: str) -> bool:
    if trust_of(provenance) <= _VAULT or provenance == _OWN_PROVENANCE.get(action.origin, action.origin):
        return True
    kind = provenance.partition(":")[0]
    return provenance in delegation.covers or f"{kind}:*" in delegation.covers


@lru_cache(maxsize=4096)
def _in_paths(globs: tuple[str, ...], paths: tuple[str, ...]) -> bool:
    if not globs:
        return True
    return bool(paths) and all(any(_glob(one).fullmatch(_composed(path)) for one in globs) for path in paths)


def _composed(path: str) -> str:
    """Give a path as it is compared; one that climbs matches nothing."""
    climbs = path.startswith("/") or ".." in path.split("/")
    return "" if climbs else unicodedata.normalize("NFC", path)


@lru_cache(maxsize=1024)
def _glob(pattern: str) -> re.Pattern[str]:
    """Give a glob as a pattern: `**` over folders, `*` and `?` within one name."""
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", unicodedata.normalize("NFC", pattern))
    means = {"**/": r"(?:[^/]+/)*", "**": r".+", "*": r"[^/]*", "?": r"[^/]"}
    return re.compile("".join(means.get(part, re.escape(part)) for part in parts), re.DOTALL)
