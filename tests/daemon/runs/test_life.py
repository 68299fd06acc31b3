"""The life of a run is one table; whatever it does not hold cannot happen, whatever a register says."""

import pytest

from daemon.runs.life import OPS, STATUSES, TABLE, NotInLife, next_status
from parsers.model.runs import ENDED

LIVE = [one for one in STATUSES if one not in ENDED]
LEADS = {
    "proposed": {"awaiting_approval", "approved", "refused", "expired", "cancelled"},
    "awaiting_approval": {"approved", "refused", "expired", "cancelled"},
    "approved": {"running", "paused", "cancelled"},
    "running": {"succeeded", "partially_succeeded", "failed", "paused", "cancelled", "awaiting_approval"},
    "paused": {"running", "cancelled"},
}
"""Status → every other one it may become, as policy-and-runs.md says it."""


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("status", STATUSES)
def test_each_pair_is_in_the_table_or_an_error(status, op):
    if (status, op) in TABLE:
        assert next_status(status, op) == TABLE[status, op]
    else:
        with pytest.raises(NotInLife, match=status):
            next_status(status, op)


@pytest.mark.parametrize("status", STATUSES)
def test_a_status_leads_where_the_design_says_and_nowhere_else(status):
    leads = {after for (before, _), after in TABLE.items() if before == status and after != status}
    assert leads == LEADS.get(status, set())


def test_what_has_ended_stays_as_it_ended():
    assert all(after == before for (before, _), after in TABLE.items() if before in ENDED)


def test_only_an_approved_run_starts_and_only_a_waiting_one_is_approved():
    assert [one for one in STATUSES if (one, "run.started") in TABLE] == ["approved"]
    assert [one for one in STATUSES if (one, "plan.approved") in TABLE] == ["proposed", "awaiting_approval"]
    assert [one for one in STATUSES if (one, "step.started") in TABLE] == ["running"]


def test_a_name_nobody_knows_is_an_error():
    with pytest.raises(NotInLife):
        next_status("running", "run.ended approved")
    with pytest.raises(NotInLife):
        next_status("running", "fact.asserted")
