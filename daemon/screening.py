"""What agents want of memory goes through the policy first, each wish a run of one step (memory.md, rule 2)."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from daemon.runs.refusing import refuse_call
from daemon.runs.work import Work
from parsers.ids import RUN
from parsers.model.edits import Edit, Remember
from parsers.model.policy import Action, Decision
from parsers.statements import says_nothing

TOOL, DOMAIN = "memory_save", "memory"


def asks(edits: Iterable[Edit]) -> bool:
    """Tell whether somebody else than the person wants something of memory."""
    return any(isinstance(edit, Remember) and edit.origin != "person" for edit in edits)


def screen(work: Work, edits: Iterable[Edit], judge: Callable[[Action], Decision]) -> list[Edit]:
    """Give the edits that may go on: what the policy allows is kept at once, what it would have approved is a card.

    What it wants a stronger approval for has no card: it is refused, with the rule.
    """
    kept: list[Edit] = []
    for edit in edits:
        if not isinstance(edit, Remember) or edit.origin == "person" or says_nothing(edit.text):
            kept.append(edit)
            continue
        decision = judge(_action(work, edit))
        if decision.kind in ("allowed", "run_approval"):
            kept.append(replace(edit, allowed=decision.kind == "allowed"))
            _record(work, edit, decision)
        else:
            refuse_call(work, work.moment.new_id(RUN), TOOL, edit.origin, decision)
    return kept


def _action(work: Work, edit: Remember) -> Action:
    from daemon.policy.lineage import Said, trace  # noqa: PLC0415 - loaded when an agent asks for something

    said = Said("", (), edit.origin)
    return Action(
        tool=TOOL,
        domain=DOMAIN,
        risk="WRITE",
        effect="internal",
        reversible=True,
        origin=edit.origin,
        keyed=edit.keyed,
        instruction=edit.origin,
        arguments=trace("text", "text", work.moment.redacted(edit.text), said, domain=DOMAIN),
        local_reader=False,
    )


def _record(work: Work, edit: Remember, decision: Decision) -> None:
    work.emit(
        "run.recorded",
        edit.origin,
        id=work.moment.new_id(RUN),
        tool=TOOL,
        origin=edit.origin,
        decision=decision.kind,
        rule=decision.rule,
        delegation=decision.delegation,
        verified=True,
    )
