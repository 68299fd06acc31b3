"""Reading notes and memory for an agent: what the tools of that name give, in parts."""

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

from daemon.agents.answers import (
    Answer,
    Page,
    data_block,
    failed,
    listed,
    page_of,
    page_of_text,
    start_of,
)
from daemon.agents.arguments import (
    MemoryRecallPart,
    NoteReadPart,
    NoteSearchPart,
    ProcedureGetPart,
    ProfileGetPart,
)
from daemon.agents.places import UNKNOWN, check_folder, check_spelling, is_nobodys
from daemon.agents.session import AgentSession
from daemon.policy.lineage import Output
from daemon.runs.asking import BadRequest
from daemon.tools.arguments import EntityResolve
from daemon.tools.reads import MOST, check_limit
from daemon.vault.walk import NOTE
from parsers.errors import ClavaireError


def note_read(session: AgentSession, args: NoteReadPart) -> Answer:
    """Give a note's text, in parts where it is long, with the etag of the version they are of."""
    start, version = start_of(args.cursor, session.words)
    check_spelling("note_read", "path", args.path)
    one = _seen(session, args.path)
    if one is None or not _is_note(session, args.path):
        check_folder(session, args.path)
        raise failed(session.words, "not_found", session.words.say("agent.error.no_note"))
    etag = str(one.value["etag"])
    if version and not etag.startswith(version):
        raise failed(session.words, "changed", session.words.say("agent.error.changed", path=args.path))
    page = page_of_text(str(one.value["text"]), start, etag)
    about = {"path": one.value["path"], "etag": etag, "provenance": one.provenance}
    values = {**about, "text": page.text, "start": start, "characters": page.whole, "cursor": page.cursor}
    block = data_block(page.text, **about, start=start or None)
    return Answer(listed(session.words, session.words.say("agent.data"), [block], page), values, (one,))


def _seen(session: AgentSession, path: str) -> Output | None:
    """Give a note, None where there is none for an agent: what one may not read is told as what is not there.

    Raises:
        Failed: no note of the vault could ever be read at this path: it is ours, or not one below the vault.
    """
    try:
        drafted = session.drafted("note_read", {"path": path})
    except BadRequest as error:
        if isinstance(error.__context__, UNKNOWN):
            return None
        raise
    if drafted.decision.kind == "allowed":
        return next((one for one in drafted.outputs if one.sensitivity == "normal"), None)
    if is_nobodys(path):
        session.refuse("note_read", drafted.decision)
    # The person sees it in the register, where it can be recorded; the agent is told neither.
    with contextlib.suppress(ClavaireError, OSError):
        session.refuse("note_read", drafted.decision)
    return None


def _is_note(session: AgentSession, path: str) -> bool:
    """Whether a name leads to a note, and to no other file that lies in the vault."""
    target = session.app.vault.target(path)
    return target.path.endswith(NOTE) and target.real.endswith(NOTE)


def note_search(session: AgentSession, args: NoteSearchPart) -> Answer:
    """Give the best notes for some words, each with its best passage."""
    start, _ = start_of(args.cursor, session.words)
    check_limit(args.limit)
    if start >= MOST:
        return _listing(session, (), start, args.limit, "hits")
    more = min(start + args.limit + 1, MOST)
    found = session.read("note_search", {"query": args.query, "limit": more})
    return _listing(session, found, start, args.limit, "hits")


def memory_recall(session: AgentSession, args: MemoryRecallPart) -> Answer:
    """Give the best facts and passages for a question."""
    asked = {
        "query": args.query,
        "k": args.k,
        "as_of": args.as_of,
        "known_at": args.known_at,
        "folder": args.folder,
    }
    return _memory(session, "memory_recall", asked, args.cursor, MOST, "hits")


def profile_get(session: AgentSession, args: ProfileGetPart) -> Answer:
    """Give what holds of the person today."""
    return _memory(session, "profile_get", {"kind": args.kind}, args.cursor, args.limit, "facts")


def procedure_get(session: AgentSession, args: ProcedureGetPart) -> Answer:
    """Give how something is done."""
    return _memory(session, "procedure_get", {"name": args.name}, args.cursor, args.limit, "procedures")


def entity_resolve(session: AgentSession, args: EntityResolve) -> Answer:
    """Give whom a name means."""
    found = session.read("entity_resolve", _given({"name": args.name, "context": args.context}))
    value = dict(found[0].value) if found else {"name": args.name, "winner": None, "candidates": []}
    page = page_of(value["candidates"], 0, MOST)
    values = {**value, "candidates": list(page.items)}
    said = session.words.say("agent.resolved" if values["winner"] else "agent.unresolved")
    blocks = [data_block(_lines(one), provenance=found[0].provenance) for one in page.items]
    return Answer(listed(session.words, said, blocks, Page()), values, found)


def _memory(
    session: AgentSession, tool: str, asked: Mapping[str, Any], cursor: str | None, limit: int, name: str
) -> Answer:
    start, _ = start_of(cursor, session.words)
    found = session.read(tool, _given(asked))
    check_limit(limit)
    return _listing(session, found, start, limit, name)


def _given(args: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in args.items() if value is not None}


def _listing(session: AgentSession, found: Sequence[Output], start: int, limit: int, name: str) -> Answer:
    """Give a part of what a call found; only that part counts as read."""
    items = [{**one.value, "provenance": one.provenance} for one in found]
    page = page_of(items, start, limit)
    for item in page.items:
        path = item.get("path") or (item.get("note") if item.get("kind") == "passage" else None)
        if path:
            item["etag"] = session.etag(str(path))
    given = found[start : start + len(page.items)]
    blocks = [
        data_block(_lines(item), source=one.source, provenance=one.provenance)
        for one, item in zip(given, page.items, strict=True)
    ]
    said = session.words.say("agent.data") if blocks else session.words.say("agent.nothing")
    values = {name: list(page.items), "cursor": page.cursor}
    return Answer(listed(session.words, said, blocks, page), values, tuple(given))


_BESIDE = frozenset(("score", "factors", "provenance", "verified", "sensitivity", "path", "note", "etag"))
"""What a model is not told line by line: it stands beside the text, or only in the values."""


def _lines(item: Mapping[str, Any]) -> str:
    """Give a record as lines, what it says first."""
    first = [str(item[name]) for name in ("text", "snippet") if item.get(name)]
    told = [
        f"{name}: {value}"
        for name, value in item.items()
        if name not in _BESIDE and name not in ("text", "snippet") and value not in (None, "", ())
    ]
    return "\n".join((*first, *told))
