"""What an agent wants of memory: a fact kept, reworded or forgotten, each a run of one step (memory.md, rule 2)."""

from collections.abc import Iterable
from typing import Any

from daemon.agents.answers import Answer, failed, refused
from daemon.agents.session import AgentSession
from daemon.app import why_not
from daemon.memory.persons import open_to_others
from daemon.memory.recollect import holding
from daemon.tools.arguments import MemoryForget, MemorySave, MemoryUpdate
from daemon.tools.errors import ToolError
from parsers.dates import period
from parsers.model.edits import Edit, ForgetAsked, Remember
from parsers.model.facts import Fact
from parsers.model.policy import Argument, Decision
from parsers.model.register import Record

_LONGEST = 4_000
"""Characters of a fact that an agent proposes."""


def memory_save(session: AgentSession, args: MemorySave) -> Answer:
    """Propose a fact; a delegation keeps it at once, else it waits on a card."""
    since = period(args.since) if args.since else None
    if args.since and since is None:
        raise ToolError("argument_date", tool="memory_save", argument="since")
    sure = 1.0 if args.confidence is None else args.confidence
    if not 0 <= sure <= 1:
        raise ToolError("argument_confidence", tool="memory_save", argument="confidence")
    _check_length("memory_save", text=args.text, about=args.about or "")
    found = session.found("memory_save", {"text": args.text, "about": args.about})
    edit = Remember(
        args.text,
        args.kind,
        session.who.origin,
        sure,
        since,
        _taken_from(found),
        keyed=session.who.keyed,
        found=found,
        read_below=session.reads.below,
        about=args.about,
    )
    return _asked(session, edit)


def memory_update(session: AgentSession, args: MemoryUpdate) -> Answer:
    """Propose another wording of a fact this client may know."""
    fact = _known(session, args.id)
    _check_length("memory_update", text=args.text)
    found = session.found("memory_update", {"id": fact.id, "text": args.text})
    edit = Remember(
        args.text,
        fact.kind,
        session.who.origin,
        source_ref=_taken_from(found),
        keyed=session.who.keyed,
        found=found,
        read_below=session.reads.below,
        replaces=fact.id,
    )
    return _asked(session, edit)


def memory_forget(session: AgentSession, args: MemoryForget) -> Answer:
    """Ask for a fact this client may know to be forgotten."""
    fact = _known(session, args.id)
    found = session.found("memory_forget", {"id": fact.id})
    edit = ForgetAsked(
        fact.id, session.who.origin, keyed=session.who.keyed, found=found, read_below=session.reads.below
    )
    records = _records(session, edit)
    done = any(record.op == "fact.forgotten" for record in records)
    status = "forgotten" if done else "asked"
    return Answer(session.words.say(f"agent.memory.{status}", id=fact.id), {"id": fact.id, "status": status})


def _check_length(tool: str, **texts: str) -> None:
    """Check that what is to be remembered is a line and what stands below it, not a document.

    Raises:
        ToolError: it is too long.
    """
    for name, text in texts.items():
        if len(text) > _LONGEST:
            raise ToolError("argument_long", tool=tool, argument=name, most=str(_LONGEST))


def _known(session: AgentSession, name: str) -> Fact:
    """Give a fact that holds and that this client may know; whatever else has the id does not exist for it.

    Raises:
        Failed: there is none.
    """
    state = session.snapshot.state()
    bare, today = name.removeprefix("^"), session.today()
    fact = next((one for one in holding(state, today) if one.id == bare), None)
    if fact is None or fact.status != "confirmed" or not open_to_others(state, fact):
        raise failed(session.words, "not_found", session.words.say("agent.error.no_fact"))
    return fact


def _taken_from(found: Iterable[Argument]) -> str | None:
    """Give the note that the text was found in."""
    return next((one.where for one in found if one.name == "text" and one.where.endswith(".md")), None)


def _records(session: AgentSession, edit: Edit) -> tuple[Record, ...]:
    """Hand a wish in; gives what happened.

    Raises:
        Failed: the policy refuses it, or nothing can be recorded.
    """
    records = session.hand_in([edit]).records
    for record in records:
        if record.op == "action.refused" and record.body.get("origin") == session.who.origin:
            reasons = tuple((str(key), str(value)) for key, value in record.body["reasons"])
            raise refused(session.words, Decision("refused", int(record.body["rule"]), reasons))
    return records


def _asked(session: AgentSession, edit: Remember) -> Answer:
    """Tell what a statement came to; what this client may not know did not count."""
    records = _records(session, edit)
    told = next((one for one in reversed(records) if one.op == "fact.asserted"), None)
    told = told or next((one for one in records if one.op.startswith("fact.")), None)
    if told is not None:
        return _said(session, str(told.body["id"]), str(told.body.get("status", "known")))
    reason = why_not(session.app, edit) or "known"
    return _said(session, None, "unchanged", reason=reason)


def _said(session: AgentSession, name: str | None, status: str, **more: Any) -> Answer:
    said = session.words.say(f"agent.memory.{more.get('reason', status)}", id=name or "")
    return Answer(" ".join(said.split()), {"id": name, "status": status, **more})
