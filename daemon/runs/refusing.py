"""A plan the policy refuses: the events that say so, and the card where the person should know (R-P03, R-P07)."""

from daemon.runs.work import Prepared, Refused, Work
from parsers.model.runs import Run


def refuse(work: Work, prepared: Prepared) -> None:
    """Refuse a plan for its refused steps; nothing of their arguments is said."""
    run, first = prepared.run, prepared.refused[0]
    reasons = [list(pair) for pair in first.decision.reasons]
    for one in prepared.refused:
        _log(work, run, one)
    work.emit(
        "plan.refused", run.origin, id=run.id, step=first.step, rule=first.decision.rule, reasons=reasons
    )


def _log(work: Work, run: Run, refused: Refused) -> None:
    decision = refused.decision
    work.emit(
        "action.refused",
        run.origin,
        id=run.id,
        run=run.id,
        tool=refused.tool,
        origin=run.origin,
        rule=decision.rule,
        reasons=[list(pair) for pair in decision.reasons],
    )
    if decision.alert:
        text = work.terms.words.say(
            "run.refused_card", tool=refused.tool, origin=run.origin, rule=decision.rule
        )
        work.alert("refusal", text, f"{run.origin} {refused.tool} {decision.rule}", run.origin, run.path)
