"""What settings say of plans, and the policy as levels, delegations and their use stand now."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta, tzinfo

from config.i18n import Catalogue
from config.sections import Policy
from daemon.memory.moment import Moment, instant
from daemon.policy.privacy import Declared
from daemon.policy.rules import decide
from daemon.runs.state import Runs
from parsers.model.policy import Action, Budget, Decision


@dataclass(frozen=True, slots=True)
class Rules:
    """What settings say of plans."""

    policy: Policy
    declared: Declared
    expiry: timedelta
    zone: tzinfo
    words: Catalogue

    @property
    def every_code(self) -> bool:
        """Whether every approval takes a code."""
        return self.policy.code == "all"


def judge(runs: Runs, moment: Moment, zone: tzinfo) -> Callable[[Action], Decision]:
    """Give the policy, with levels, delegations and what was used of them as they are now."""
    delegations = runs.autonomy.active()
    used = {one.id: _used(runs, one.id, moment, zone) for one in delegations}

    def decided(action: Action) -> Decision:
        budgets = {name: Budget(today) for name, today in used.items()}
        level = runs.autonomy.level(action.domain)
        return decide(action, level, delegations, budgets, moment.today.isoformat())

    return decided


def _used(runs: Runs, delegation: str, moment: Moment, zone: tzinfo) -> int:
    """Writes that a delegation let pass on the local day of the moment, begun or waiting to be."""
    return sum(
        step.risk != "READ" and step.status not in ("left_out", "cancelled")
        for run in runs.runs.values()
        if run.delegation == delegation and instant(run.requested_at).astimezone(zone).date() == moment.today
        for step in run.steps
    )
