"""now.md and the state of the work for an agent: pushed once, read, and written within what the policy allows."""

import contextlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NoReturn

from config.paths import NAMES
from daemon import brain
from daemon.agents.answers import (
    Answer,
    Page,
    data_block,
    failed,
    listed,
    no_path,
    page_of,
    refused,
    start_of,
)
from daemon.agents.arguments import BrainFocus, BrainWrite, Listing, Nothing
from daemon.agents.places import UNKNOWN
from daemon.agents.session import AgentSession
from daemon.brain import Boot
from daemon.now_file import KeptBack, Why
from daemon.policy.lineage import Output
from daemon.tools.errors import ToolError
from daemon.tools.reads import check_limit
from daemon.vault.errors import VaultError
from parsers.errors import ClavaireError
from parsers.model.edits import NowGiven, NowWrite
from parsers.model.policy import Decision


def brain_boot(session: AgentSession, args: Nothing) -> Answer:
    """Give now.md as data, with its day, who wrote it and why it may be stale."""
    del args
    boot = _boot(session)
    _give(session, boot)
    text = brain.data_block(boot, session.words)
    values = {**boot.as_json(session.words), "client": session.who.origin, "today": session.today()}
    return Answer(f"{session.words.say('agent.data')}\n\n{text}", values, _read(boot))


def pushed(session: AgentSession) -> str:
    """Give the block that goes before a session's first answer."""
    boot = _boot(session)
    session.reads.add(_read(boot))
    _give(session, boot)
    return brain.data_block(boot, session.words)


def _boot(session: AgentSession) -> Boot:
    snapshot, app = session.snapshot, session.app
    return brain.boot(snapshot, app.vault, app.settings, session.moment().today, session.id)


def _read(boot: Boot) -> tuple[Output, ...]:
    return (Output(NAMES.now, boot.provenance, boot.text, domain="now"),) if boot.text else ()


def _give(session: AgentSession, boot: Boot) -> None:
    """Record once that this session was given now.md; where nothing can be recorded it is given all the same.

    Of one that is kept from agents nothing was given, and nobody is waited for to write it.
    """
    if not session.given:
        session.given = True
        if boot.barred is None:
            session.receipt(NowGiven(session.who.origin, session.id, boot.etag))


# ---- writing


def brain_write(session: AgentSession, args: BrainWrite) -> Answer:
    """Replace now.md; it keeps the worst provenance of what this session has read."""
    return _written(session, NowWrite(args.step, args.services, args.next, args.context))


def brain_focus(session: AgentSession, args: BrainFocus) -> Answer:
    """Give the first section of now.md, or replace it alone."""
    if args.text is not None:
        return _written(session, NowWrite(args.text))
    boot = _boot(session)
    focus = brain.focus(boot)
    values = {
        "text": focus,
        "etag": boot.etag or None,
        "day": boot.day or None,
        "provenance": boot.provenance,
    }
    read = (Output(NAMES.now, boot.provenance, focus, domain="now"),) if focus else ()
    block = brain.data_block(boot, session.words, focus)
    return Answer(f"{session.words.say('agent.data')}\n\n{block}", values, read)


def _written(session: AgentSession, says: NowWrite) -> Answer:
    below, who = session.reads.below or "user", session.who
    edit = replace(says, origin=who.origin, keyed=who.keyed, provenance=below)
    fault = brain.refused(edit, session.moment().redacted, session.words)
    if fault is not None:
        raise failed(session.words, "arguments", fault)
    tool = "brain_write" if edit.whole else "brain_focus"
    boot = _boot(session)
    _check(session, tool, boot)
    if not edit.whole and not boot.utf8:
        raise ToolError("not_utf8", path=NAMES.now)
    records = session.hand_in([edit]).records
    for record in records:
        if record.op == "action.refused":
            reasons = tuple((str(key), str(value)) for key, value in record.body["reasons"])
            raise refused(session.words, Decision("refused", int(record.body["rule"]), reasons))
    boot = _boot(session)
    _check(session, tool, boot)  # the person may have made it private just now: then it was not written
    values = {"status": "written", "day": boot.day, "etag": boot.etag or None, "provenance": boot.provenance}
    return Answer(session.words.say("agent.now.written", day=boot.day), values)


_REASONS: Mapping[Why, tuple[int, str]] = {
    "private": (2, "fault_private"),
    "unclear": (2, "fault_private"),
    "ignored": (2, "fault_ignored"),
    "sensitive": (3, "data_sensitive"),
}
"""Why now.md is kept back → the rule that keeps any such note from agents, and the reason as it is recorded."""


def _check(session: AgentSession, tool: str, boot: Boot) -> None:
    """Check that this agent may have now.md, whatever it wants to write there.

    Raises:
        Failed: the person keeps it from agents, or it cannot be read, which is told as the same.
        LinkedNote: it is a link.
    """
    if isinstance(boot.barred, KeptBack):
        _refuse(session, tool, boot.barred.why)
    if isinstance(boot.barred, UNKNOWN):
        raise no_path(session.words)
    if isinstance(boot.barred, VaultError):
        raise boot.barred


def _refuse(session: AgentSession, tool: str, why: Why) -> NoReturn:
    rule, reason = _REASONS[why]
    # The person sees it in the register, where it can be recorded; the agent is not told which it is.
    with contextlib.suppress(ClavaireError, OSError):
        session.refuse(tool, Decision("refused", rule, ((reason, NAMES.now),)))
    raise no_path(session.words)


# ---- what can be derived


def brain_state(session: AgentSession, args: Nothing) -> Answer:
    """Give what is under way: this client's runs, how many others there are, cards, host, projects, services."""
    del args
    found = brain.state_of_work(session.snapshot, session.app.settings, session.who.origin)
    own = _own(session, found["runs"])
    values = {**found, "runs": own, "other_runs": found["other_runs"] + len(found["runs"]) - len(own)}
    values["executing"] = session.executing()
    text = json.dumps(values, ensure_ascii=False, indent=1)
    block = data_block(text, source="brain_state", provenance="automation")
    read = (Output("brain_state", "automation", values, domain="now"),)
    return Answer(f"{session.words.say('agent.data')}\n\n{block}", values, read)


def _own(session: AgentSession, runs: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    names = {run.id for run in session.own_runs()}
    return [dict(run) for run in runs if run["id"] in names]


def brain_decisions(session: AgentSession, args: Listing) -> Answer:
    """Give the decisions that hold, the newest first."""
    known = _allowed(session, "profile_get", {"kind": "decision"})
    found = brain.decisions(
        session.snapshot, session.moment().today, len(known), hidden=lambda fact: fact.id not in known
    )
    page = _page(session, found, args)
    return _facts(session, "decisions", page, known, {})


def brain_workflows(session: AgentSession, args: Listing) -> Answer:
    """Give this client's unfinished runs, then the procedures."""
    known = _allowed(session, "procedure_get", {})
    found = brain.workflows(
        session.snapshot,
        session.moment().today,
        session.who.origin,
        hidden=lambda fact: fact.id not in known,
    )
    page = _page(session, found["procedures"], args)
    return _facts(session, "procedures", page, known, {"runs": _own(session, found["runs"])})


def _allowed(session: AgentSession, tool: str, args: Mapping[str, Any]) -> dict[str, Output]:
    """Give by id what the tool of memory gives this client: what it keeps back is kept back here."""
    return {str(one.value["id"]): one for one in session.read(tool, args)}


def _page(session: AgentSession, found: Sequence[dict[str, Any]], args: Listing) -> Page:
    check_limit(args.limit)
    start, _ = start_of(args.cursor, session.words)
    return page_of(found, start, args.limit)


def _facts(
    session: AgentSession, name: str, page: Page, known: Mapping[str, Output], more: Mapping[str, Any]
) -> Answer:
    runs = [
        f"- {run['id']}  {run['status']}  {' '.join(str(run['title']).split())}"
        for run in more.get("runs", ())
    ]
    blocks = [
        data_block(str(one["text"]), source=one["id"], provenance=one["provenance"]) for one in page.items
    ]
    said = session.words.say("agent.data" if blocks or runs else "agent.nothing")
    text = listed(session.words, said, [*(["\n".join(runs)] if runs else []), *blocks], page)
    values = {**more, name: list(page.items), "cursor": page.cursor}
    return Answer(text, values, tuple(known[str(one["id"])] for one in page.items))
