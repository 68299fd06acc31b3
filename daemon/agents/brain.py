"""now.md and the state of the work for an agent: pushed once, read, and written within what the policy allows."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from config.paths import NAMES
from daemon import brain
from daemon.agents.answers import Answer, Page, data_block, failed, listed, page_of, refused, start_of
from daemon.agents.arguments import BrainFocus, BrainWrite, Listing, Nothing
from daemon.agents.session import AgentSession
from daemon.brain import Boot
from daemon.policy.lineage import Output
from daemon.tools.reads import check_limit
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
    """Record once that this session was given now.md; where nothing can be recorded it is given all the same."""
    if not session.given:
        session.given = True
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
    records = session.hand_in([edit]).records
    for record in records:
        if record.op == "action.refused":
            reasons = tuple((str(key), str(value)) for key, value in record.body["reasons"])
            raise refused(session.words, Decision("refused", int(record.body["rule"]), reasons))
    boot = _boot(session)
    values = {"status": "written", "day": boot.day, "etag": boot.etag or None, "provenance": boot.provenance}
    return Answer(session.words.say("agent.now.written", day=boot.day), values)


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
