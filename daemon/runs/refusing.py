"""A plan the policy refuses: the events that say so, and the card where the person should know (R-P03, R-P07)."""

from daemon.runs.evidence import SECRET
from daemon.runs.work import Prepared, Work
from parsers.model.places import NotePath
from parsers.model.policy import Decision


def refuse(work: Work, prepared: Prepared) -> None:
    """Refuse a plan for its refused steps; nothing of their arguments is said."""
    run, first = prepared.run, prepared.refused[0]
    reasons = [list(pair) for pair in first.decision.reasons]
    for one in prepared.refused:
        refuse_call(work, run.id, one.tool, run.origin, one.decision, run.path)
    work.emit(
        "plan.refused", run.origin, id=run.id, step=first.step, rule=first.decision.rule, reasons=reasons
    )


def refuse_call(
    work: Work, run: str, tool: str, origin: str, decision: Decision, note: NotePath | None = None
) -> None:
    """Refuse one call of a tool, with a card where the decision asks for one; `note`: of its run."""
    refused(work, run, tool, origin, decision)
    if decision.alert:
        secret = any(key == SECRET for key, _ in decision.reasons)
        said = "run.refused_card_secret" if secret else "run.refused_card"
        text = work.terms.words.say(said, tool=tool, origin=origin, rule=decision.rule)
        work.alert("refusal", text, f"{origin} {tool} {decision.rule}", origin, note)


def refused(work: Work, run: str, tool: str, origin: str, decision: Decision) -> None:
    """Record that a call was refused."""
    work.emit(
        "action.refused",
        origin,
        id=run,
        run=run,
        tool=tool,
        origin=origin,
        rule=decision.rule,
        reasons=[list(pair) for pair in decision.reasons],
    )
