"""Why the policy decided as it did, in the person's words: the rule by its number, and the facts it used (R-P02)."""

from typing import Any

from config.i18n import Catalogue
from daemon.runs.evidence import SECRET
from daemon.runs.showing import Reasons, reason_said, reasons_said
from parsers.model.runs import Run, Step


def rule_said(words: Catalogue, rule: int, reasons: Reasons) -> str:
    """Give the sentence of a rule; what holds a secret no rule of the table refuses."""
    if any(key == SECRET for key, _ in reasons):
        return words.say("policy.rule.secret")
    return words.say(f"policy.rule.{rule}")


def refusal_said(words: Catalogue, rule: int, reasons: Reasons) -> str:
    """Give why something is refused, in one sentence."""
    said = rule_said(words, rule, reasons).rstrip(".")
    return words.say("cli.refused", rule=rule, said=said, why=reasons_said(words, reasons))


def judged(run: Run) -> tuple[tuple[int, Step], ...]:
    """Give the steps that the policy judged, with their numbers; of a refused plan only those it refused."""
    numbered = enumerate(run.steps, 1)
    return tuple(
        (number, step) for number, step in numbered if run.status != "refused" or step.decision == "refused"
    )


def explained(words: Catalogue, number: int, step: Step) -> dict[str, Any]:
    """Give the decision about one step as JSON values."""
    return {
        "step": step.id,
        "number": number,
        "tool": step.tool,
        "decision": step.decision,
        "rule": step.rule,
        "shows": list(step.shows[1:-1]) if step.external else [],
        "sentence": rule_said(words, step.rule, step.reasons),
        "facts": [
            {"key": key, "value": value, "sentence": reason_said(words, key, value)}
            for key, value in step.reasons
        ],
    }
