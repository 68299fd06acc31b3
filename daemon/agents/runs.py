"""An agent's runs: it proposes, looks at its own, and may stop them. Approving is the person's alone."""

from collections.abc import Mapping, Sequence
from typing import Any

from daemon import acting
from daemon.agents.answers import (
    Answer,
    Failed,
    Page,
    data_block,
    failed,
    listed,
    no_path,
    page_of,
    refused,
    sentenced,
    start_of,
    unavailable,
)
from daemon.agents.arguments import PlanPropose, PlanStep, RunCancel, RunGet, RunList
from daemon.agents.places import UNKNOWN, check_spelling
from daemon.agents.probing import check_probes
from daemon.agents.session import AgentSession
from daemon.agents.versions import OpenVersions
from daemon.runs.asking import BadRequest
from daemon.runs.work import Prepared
from daemon.tools.reads import check_limit
from parsers.model.run_edits import Steer
from parsers.model.runs import Run, Step

_MOST_STEPS = 100
_PATHS = ("path", "to")
"""Arguments that name a note."""


def plan_propose(session: AgentSession, args: PlanPropose) -> Answer:
    """Propose a plan; nothing of it happens here, whatever the policy says of it."""
    raw = {
        "title": args.title,
        "why": args.why,
        "steps": [{"tool": step.tool, "args": step.args} for step in args.steps],
    }
    _check_paths(args.steps)
    check_probes(session, args.steps)
    prepared = _prepared(session, raw)
    session.proposed.add(prepared.run.id)
    if prepared.refused:
        raise _refused(session, prepared)
    run = session.app.history.runs.runs.get(prepared.run.id, prepared.run)
    return _told(session, run)


def _check_paths(steps: Sequence[PlanStep]) -> None:
    for step in steps:
        for name in _PATHS:
            if isinstance(path := step.args.get(name), str):
                check_spelling(step.tool, name, path)


def _prepared(session: AgentSession, raw: Mapping[str, Any]) -> Prepared:
    """Hand a plan in; a note that is not there is told like one that does not exist for this client."""
    try:
        with session.writing():
            prepared, _ = acting.propose(
                session.app, raw, session.client(), lambda _, wishes: session.hand_in((), wishes)
            )
    except BadRequest as error:
        if isinstance(error.__context__, UNKNOWN):
            raise no_path(session.words) from None
        raise
    return prepared


def _refused(session: AgentSession, prepared: Prepared) -> Failed:
    """Give why a plan is refused; a reason that tells what a note is goes before, and then no run is named."""
    decisions = [one.decision for one in prepared.refused]
    hidden = next((one for one in decisions if unavailable(one.rule, one.reasons)), None)
    failure = refused(session.words, hidden or decisions[0])
    failure.run = "" if hidden else prepared.run.id
    return failure


def run_get(session: AgentSession, args: RunGet) -> Answer:
    """Give one of this client's runs, with its steps and what is known to have happened."""
    start, _ = start_of(args.cursor, session.words)
    return _told(session, session.own_run(args.id), start)


def run_list(session: AgentSession, args: RunList) -> Answer:
    """Give this client's runs, the newest first."""
    check_limit(args.limit)
    start, _ = start_of(args.cursor, session.words)
    runs = [run for run in session.own_runs() if args.status in (None, run.status)]
    page = page_of([_head(run) for run in reversed(runs)], start, args.limit)
    said = session.words.say("agent.runs" if page.items else "agent.nothing")
    blocks = ["\n".join(_line(session, one) for one in page.items)] if page.items else []
    return Answer(
        listed(session.words, said, blocks, page), {"runs": list(page.items), "cursor": page.cursor}
    )


def run_cancel(session: AgentSession, args: RunCancel) -> Answer:
    """Stop one of this client's runs before its next effect; what is done stays, and is said."""
    run = session.own_run(args.id)
    if not run.live:
        status = session.words.say(f"plan.status.{run.status}")
        raise failed(session.words, "over", session.words.say("agent.error.over", id=run.id, status=status))
    session.hand_in((), [Steer(run.id, "cancel", None, session.who.origin)])
    return _told(session, session.app.history.runs.runs[run.id])


# ---- what is told of a run


def _head(run: Run) -> dict[str, Any]:
    return {
        "id": run.id,
        "title": run.title,
        "status": run.status,
        "origin": run.origin,
        "requested_at": run.requested_at,
        "expires_at": run.expires_at,
        "ended_at": run.ended_at,
        "approval": run.approval,
    }


def _told(session: AgentSession, run: Run, start: int = 0) -> Answer:
    versions = OpenVersions(session)
    steps = [_step(number, step, versions) for number, step in enumerate(run.steps, 1)]
    page = page_of(steps, start, _MOST_STEPS)
    happened = [
        {"at": one.at, "what": one.what, "step": one.step or None} for one in run.evidence[-_MOST_STEPS:]
    ]
    executing = session.executing() if run.live else None
    values = {
        **_head(run),
        "reason": run.reason or None,
        "note": run.path,
        "executing": executing,
        "steps": list(page.items),
        "evidence": happened,
        "cursor": page.cursor,
    }
    return Answer(
        listed(session.words, _standing(session, run, values), _blocks(session, page, run), page), values
    )


def _blocks(session: AgentSession, page: Page, run: Run) -> list[str]:
    lines = [
        session.words.say(
            "agent.step",
            number=one["number"],
            tool=one["tool"],
            paths=" → ".join(one["paths"]),
            status=one["status"],
            decision=session.words.say(f"decision.{one['decision']}"),
            rule=one["rule"],
        )
        for one in page.items
    ]
    reason = [data_block(run.reason, source=run.id, provenance="user")] if run.reason else []
    return [*(["\n".join(lines)] if lines else []), *reason]


def _step(number: int, step: Step, versions: OpenVersions) -> dict[str, Any]:
    """Give a step without its texts; of the notes it touches those its call names, as it names them."""
    paths = [str(step.args[name]) for name in _PATHS if isinstance(step.args.get(name), str)]
    return {
        "number": number,
        "id": step.id,
        "tool": step.tool,
        "paths": paths,
        "decision": step.decision,
        "rule": step.rule,
        "status": step.status,
        "verified": step.verified,
        "before": versions.told(step.before, paths),
        "after": versions.told(step.after, paths),
        "reason": step.reason or None,
    }


def _standing(session: AgentSession, run: Run, values: Mapping[str, Any]) -> str:
    words = session.words
    stands = words.say("cli.run.stands", id=run.id, status=words.say(f"plan.status.{run.status}"))
    said = [sentenced(stands)]
    if run.status in ("proposed", "awaiting_approval"):
        said.append(words.say("agent.run.waits"))
    if values["executing"] is False:
        said.append(words.say("agent.run.nobody"))
    return " ".join(said)


def _line(session: AgentSession, one: Mapping[str, Any]) -> str:
    status = session.words.say(f"plan.status.{one['status']}")
    return f"- {one['id']}  {status}  {one['requested_at']}  {' '.join(str(one['title']).split())}"
