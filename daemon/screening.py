"""What agents want of memory goes through the policy first, each wish a run of one step (memory.md, rule 2)."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from daemon.memory.now_edits import writable
from daemon.runs.refusing import refuse_call
from daemon.runs.work import Work
from parsers.ids import RUN
from parsers.model.edits import Edit, ForgetAsked, NowWrite, Remember
from parsers.model.policy import Action, Argument, Decision, Role
from parsers.statements import says_nothing

DOMAIN, NOW = "memory", "now"


def asks(edits: Iterable[Edit]) -> bool:
    """Tell whether somebody else than the person wants something of memory, or anybody writes now.md."""
    return any(
        isinstance(edit, NowWrite) or (isinstance(edit, Remember | ForgetAsked) and edit.origin != "person")
        for edit in edits
    )


def screen(work: Work, edits: Iterable[Edit], judge: Callable[[Action], Decision]) -> list[Edit]:
    """Give the edits that may go on: what the policy allows is kept at once, what it would have approved is a card.

    What it wants a stronger approval for has no card: it is refused, with the rule.
    """
    kept: list[Edit] = []
    for edit in edits:
        if isinstance(edit, NowWrite):
            kept += _screened_now(work, edit, judge)
            continue
        if not isinstance(edit, Remember | ForgetAsked) or edit.origin == "person" or _is_empty(edit):
            kept.append(edit)
            continue
        decision = judge(_action(work, edit))
        if decision.kind in ("allowed", "run_approval"):
            kept.append(replace(edit, allowed=decision.kind == "allowed"))
            _record(work, tool_of(edit), edit.origin, decision)
        else:
            refuse_call(work, work.moment.new_id(RUN), tool_of(edit), edit.origin, decision)
    return kept


def _is_empty(edit: Remember | ForgetAsked) -> bool:
    return isinstance(edit, Remember) and says_nothing(edit.text)


def tool_of(edit: Remember | ForgetAsked) -> str:
    """Give the tool that an agent's wish is a call of."""
    if isinstance(edit, ForgetAsked):
        return "memory_forget"
    return "memory_update" if edit.replaces else "memory_save"


def _action(work: Work, edit: Remember | ForgetAsked) -> Action:
    from daemon.policy.lineage import Said, trace  # noqa: PLC0415 - loaded when an agent asks for something

    said = Said("", (), edit.origin)
    name, value = ("id", edit.id) if isinstance(edit, ForgetAsked) else ("text", edit.text)
    role: Role = "deciding" if name == "id" else "text"
    return Action(
        tool=tool_of(edit),
        domain=DOMAIN,
        risk="WRITE",
        effect="internal",
        reversible=True,
        origin=edit.origin,
        keyed=edit.keyed,
        instruction=edit.origin,
        arguments=edit.found or trace(name, role, work.moment.redacted(value), said, domain=DOMAIN),
        read_below=edit.read_below,
        local_reader=False,
    )


def _record(work: Work, tool: str, origin: str, decision: Decision) -> None:
    work.emit(
        "run.recorded",
        origin,
        id=work.moment.new_id(RUN),
        tool=tool,
        origin=origin,
        decision=decision.kind,
        rule=decision.rule,
        delegation=decision.delegation,
        verified=True,
    )


# ---- now.md


def _screened_now(work: Work, edit: NowWrite, judge: Callable[[Action], Decision]) -> list[Edit]:
    """A writing of now.md passes or is refused with its rule: it never waits, what waits is no longer now."""
    if not writable(edit, work.moment):
        return []
    tool, person = "brain_write" if edit.whole else "brain_focus", edit.origin == "person"
    action = Action(
        tool=tool,
        domain=NOW,
        risk="WRITE",
        effect="internal",
        reversible=True,
        origin=edit.origin,
        keyed=edit.keyed,
        instruction="user" if person else edit.origin,
        arguments=(Argument("text", "text", edit.provenance, said=person),),
        local_reader=person,
    )
    decision = judge(action)
    if decision.kind != "allowed":
        refuse_call(work, work.moment.new_id(RUN), tool, edit.origin, decision)
        return []
    _record(work, tool, edit.origin, decision)
    return [replace(edit, allowed=True)]
