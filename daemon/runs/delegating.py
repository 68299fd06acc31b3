"""What a delegation may be about: what none covers, the lines for a run's scope, and when one is offered (R-P06)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from daemon.policy.autonomy import HIGHEST
from daemon.runs.work import Work
from daemon.tools.tool import Tool
from parsers.autonomy import bounds
from parsers.model.policy import FLOOR, Delegation
from parsers.model.runs import Run, Step
from renderers.autonomy import line_words

Fault = tuple[str, str]
"""Catalogue key below `delegate.bad.`, and what it is about."""
ENOUGH = 3
"""Approvals of plans of one shape after which the next one offers a delegation."""
BY_HAND = ("tick", "code", "terminal")


def fault_of(says: Delegation, tools: Mapping[str, Tool]) -> Fault | None:
    """Give why a line cannot be delegated, None when it can: the floor is nobody's to delegate."""
    if says.domain in FLOOR:
        return "floor", says.domain
    if says.domain in tools:
        one = tools[says.domain]
        return ("floor", one.name) if _barred(one) else ("tool", one.domain)
    writing = [one for one in tools.values() if one.domain == says.domain and one.risk != "READ"]
    if not writing:
        return "domain", ", ".join(_domains(tools))
    if all(map(_barred, writing)):
        return "floor", says.domain
    if says.level != HIGHEST:
        return "level", str(says.level)
    nobody = [name for name in says.origins if name.endswith(":?")]
    return ("origin", nobody[0]) if nobody else None


def on_the_floor(says: Delegation, tools: Mapping[str, Tool]) -> bool:
    """Tell whether a line names what no delegation ever covers."""
    fault = fault_of(says, tools)
    return fault is not None and fault[0] == "floor"


def _barred(tool: Tool) -> bool:
    """Whether no delegation ever lets a call of it pass (rules 7, 8 and 10)."""
    return bool(tool.flags) or tool.effect != "internal" or tool.risk != "WRITE" or _lasts(tool)


def _lasts(tool: Tool) -> bool:
    return tool.inverse is None and tool.carried_by == "executor"


def _domains(tools: Mapping[str, Tool]) -> list[str]:
    return sorted({one.domain for one in tools.values() if not _barred(one)})


# ---- the scope of a run


def scope_of(run: Run, tools: Mapping[str, Tool]) -> tuple[Delegation, ...] | Fault:
    """Give the lines that would have let a run's writes pass, one a domain, bounded by its folders and its origin."""
    writing = _writing(run)
    if not writing:
        return "nothing", run.id
    barred = [step.tool for step in writing if step.tool not in tools or _barred(tools[step.tool])]
    if barred:
        return "floor", barred[0]
    lines: list[Delegation] = []
    for domain in dict.fromkeys(tools[step.tool].domain for step in writing):
        steps = [step for step in writing if tools[step.tool].domain == domain]
        globs = tuple(f"{folder}/**" if folder else "*" for folder in _folders(steps))
        lines.append(Delegation("", domain, HIGHEST, globs, (run.origin,)))
    faults = [fault for line in lines if (fault := fault_of(line, tools))]
    return faults[0] if faults else tuple(lines)


def _writing(run: Run) -> list[Step]:
    return [step for step in run.steps if step.risk != "READ"]


def _folders(steps: Sequence[Step]) -> tuple[str, ...]:
    """The folders of what is written; one inside another of them is not named besides."""
    found = sorted({path.rpartition("/")[0] for step in steps for path in step.writes})
    return tuple(one for one in found if not any(one.startswith(f"{other}/") for other in found if other))


# ---- the offer


@dataclass(frozen=True, slots=True)
class Shape:
    """What makes two plans alike."""

    origin: str
    tools: tuple[str, ...]
    folders: tuple[str, ...]

    @property
    def key(self) -> str:
        """What its card is known by."""
        return " ".join((self.origin, ",".join(self.tools), "|".join(self.folders)))


def shape_of(run: Run) -> Shape:
    """Give the shape of a plan: who asks, with which tools, in which folders."""
    writing = _writing(run)
    return Shape(run.origin, tuple(sorted({step.tool for step in writing})), _folders(writing))


def offer(work: Work, run: Run) -> None:
    """Offer a bounded delegation, once, with the plan that follows three approved ones of its shape."""
    if run.kind != "plan" or run.approval != "run_approval" or not run.keyed:
        return
    shape = shape_of(run)
    if work.memory.asked("delegate", shape.key):
        return
    alike = [one for one in work.runs.runs.values() if one.id != run.id and _was_approved(one)]
    if sum(shape_of(one) == shape for one in alike) < ENOUGH:
        return
    scope = scope_of(run, work.terms.tools())
    if len(scope) != 1 or not isinstance(scope[0], Delegation) or _holds(work, scope[0]):
        return
    text = line_words(scope[0], work.terms.words)
    if bounds(text) == scope[0] and work.moment.redacted(text) == text:
        work.memory.open_card("delegate", (), text, key=shape.key, origin=run.origin)


def _was_approved(run: Run) -> bool:
    return run.kind == "plan" and run.approved_how in BY_HAND


def _holds(work: Work, line: Delegation) -> bool:
    """Whether such a line is there already, though it did not let this plan pass, or waits for its code."""
    autonomy = work.runs.autonomy
    known = (*autonomy.active(), *autonomy.asked.values())
    return any(
        (one.domain, one.paths, one.origins) == (line.domain, line.paths, line.origins) for one in known
    )
