"""Commands that find: recall, over facts and passages, one question or many; context, what an agent would be given."""

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from daemon.cli.session import FOUND_PROBLEMS, Session, WrongUse, check_memory, json_option, pass_session
from parsers.errors import ClavaireError

if TYPE_CHECKING:
    from datetime import date

    from daemon.recall.compile import NowNote
    from daemon.snapshot import Snapshot
    from daemon.vault.door import Vault
    from parsers.model.recall import Hit, Query

_SHOWN = 160
"""Characters of a hit's text for a person."""
_MOST = 1000
_LIMIT = click.IntRange(1, _MOST)
_CONVERSATION = "terminal"


@click.command()
@click.argument("query", nargs=-1)
@click.option("-k", "--limit", "k", type=_LIMIT, default=10, show_default=True, help="How many.")
@click.option("--folder", metavar="DIR", help="Only what stands below this folder.")
@click.option("--as-of", metavar="DAY", help="What was true on that day.")
@click.option(
    "--known-at", metavar="DAY", help="What was known at the end of that day, or at a time: facts alone."
)
@click.option("--explain", is_flag=True, help="Show how each score came about.")
@click.option("--batch", metavar="FILE", help="Questions, one JSON object a line: id, query, folder?, k?.")
@json_option
@pass_session
def recall(
    session: Session,
    query: Sequence[str],
    k: int,
    folder: str | None,
    as_of: str | None,
    known_at: str | None,
    batch: str | None,
    *,
    explain: bool,
) -> None:
    """What memory and notes hold that answers a question; any text is a legal one."""
    from parsers.model.recall import Query

    if bool(query) == (batch is not None):
        raise WrongUse(session.say("error.recall_what"))
    check_memory(session)
    asked = Query(" ".join(query), k, _day(session, as_of), _until(session, known_at), folder)
    with _snapshot(session) as snapshot:
        if batch is not None:
            with _opened(session, batch) as lines:
                _answer_all(session, snapshot, lines, asked)
        else:
            _answer(session, snapshot, asked, explain=explain)


def _day(session: Session, spelt: str | None) -> str | None:
    from daemon import reading

    return reading.day(spelt, session.say("error.bad_day", day=spelt)) if spelt else None


def _until(session: Session, spelt: str | None) -> str | None:
    from config.settings import zone
    from daemon import reading

    if spelt:
        reading.end_of(spelt, zone(session.settings), session.say("error.bad_day", day=spelt))
    return spelt


@contextmanager
def _snapshot(session: Session) -> "Iterator[Snapshot]":
    from daemon.snapshot import reading

    near = None
    if session.settings.recall.model:
        from daemon.recall.embedding import nearness

        near = nearness(session.settings.recall.model, session.words, partial(click.echo, err=True))
    no_index = session.say("error.no_index")
    with reading(session.state_folder(), no_index, private=True, near=near) as opened:
        yield opened


def _answer(session: Session, snapshot: "Snapshot", asked: "Query", *, explain: bool) -> None:
    from config.settings import zone
    from daemon import doors
    from daemon.recall.recollecting import recall as recalled

    found = recalled(snapshot, asked, now=doors.wall_clock(), zone=zone(session.settings))
    session.show([_values(hit) for hit in found.hits], _lines(found.hits, explain=explain))


def _values(hit: "Hit") -> dict[str, Any]:
    values = {name: getattr(hit, name) for name in type(hit).__slots__}
    return values | {"factors": dict(hit.factors)}


def _lines(hits: Sequence["Hit"], *, explain: bool) -> Iterator[str]:
    for hit in hits:
        text = " ".join(hit.text.split())
        shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN].rstrip()}…"
        about = f"{hit.heading} : " if hit.kind == "fact" and hit.heading else ""
        yield f"{hit.score:.3f}  {hit.id}  {about}{shown}"
        if explain:
            factors = (f"{name} {value:g}" for name, value in hit.factors.items() if "." not in name)
            yield f"       = {' × '.join(factors)}"
            made_of = [f"{name} {value:g}" for name, value in hit.factors.items() if "." in name]
            if made_of:
                yield f"       {', '.join(made_of)}"


# ---- many questions


def _opened(session: Session, file: str) -> IO[bytes]:
    """Give the questions of a file, `-` for what comes in."""
    if file == "-":
        return sys.stdin.buffer
    try:
        return Path(file).open("rb")
    except OSError as error:
        raise WrongUse(session.say("error.recall_file", file=file, reason=error.strerror)) from error


def _answer_all(session: Session, snapshot: "Snapshot", batch: IO[bytes], usual: "Query") -> None:
    """Print one line a question, in their order; a line that is none is named on stderr, and the others go on."""
    from dataclasses import replace

    from config.settings import zone
    from daemon import doors
    from daemon.recall.recollecting import recall as recalled

    now, where, bad = doors.wall_clock(), zone(session.settings), False
    for number, line in enumerate(batch, 1):
        if not line.strip():
            continue
        try:
            name, asked = _question(line)
        except _BadQuestion as error:
            reason = session.say(f"error.{error}")
            click.echo(session.say("error.bad_question", line=number, reason=reason), err=True)
            bad = True
            continue
        found = recalled(snapshot, replace(usual, **asked), now=now, zone=where, logged=False)
        hits = [
            {key: getattr(hit, key) for key in ("note", "block", "start", "end", "score")}
            for hit in found.hits
        ]
        click.echo(json.dumps({"id": name, "hits": hits}, ensure_ascii=False))
    if bad:
        raise SystemExit(FOUND_PROBLEMS)


class _BadQuestion(ClavaireError):
    """A line is no question; it says what of it is wrong, as a key of the catalogue ends."""


def _question(line: bytes) -> tuple[Any, dict[str, Any]]:
    """Give the id of a question and what it changes in the usual one.

    Raises:
        _BadQuestion: It is none.
    """
    try:
        said = json.loads(line.decode("utf-8-sig"), parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise _BadQuestion("question_json") from None
    if not isinstance(said, dict) or "id" not in said:
        raise _BadQuestion("question_id")
    if not isinstance(said.get("query"), str):
        raise _BadQuestion("question_query")
    folder, k = said.get("folder"), said.get("k")
    if not isinstance(folder, str | None):
        raise _BadQuestion("question_folder")
    if k is not None and (type(k) is not int or not 1 <= k <= _MOST):
        raise _BadQuestion("question_k")
    changed = {"text": said["query"], "folder": folder, "k": k}
    return said["id"], {name: value for name, value in changed.items() if value is not None}


def _no_number(spelt: str) -> None:
    """Refuse `NaN` and its like, which are no JSON: an answer could not repeat them."""
    raise ValueError(spelt)


# ---- the context


@click.command()
@click.argument("query", nargs=-1, required=True)
@click.option("--budget", type=click.IntRange(200), help="Tokens at most; else the setting context.budget.")
@click.option(
    "--private", is_flag=True, help="With what is private or sensitive: for you, not for a tool outside."
)
@json_option
@pass_session
def context(session: Session, query: Sequence[str], budget: int | None, *, private: bool) -> None:
    """What an agent is given to know about a subject, as one block of data."""
    from config.settings import zone
    from daemon import doors
    from daemon.recall.compile import Limits, compiled
    from daemon.recall.log import note_tokens
    from daemon.recall.quotable import quotable
    from daemon.rest import guard

    check_memory(session)
    settings, now = session.settings, doors.wall_clock()
    limits = Limits(budget or settings.context.budget, settings.recall.threshold)
    with _snapshot(session) as snapshot:
        where = zone(settings)
        vault, _ = doors.doors(session.root, session.state_folder(), settings)
        note = _now_note(session, snapshot, vault, now.astimezone(where).date())
        asked = " ".join(query)
        given = compiled(
            snapshot,
            asked,
            external=not private,
            now=now,
            zone=where,
            note=note,
            limits=limits,
            quotable=None if private else quotable(vault, guard(vault, settings).declared),
        )
    note_tokens(session.state_folder(), _CONVERSATION, given.used, now)
    values = {"text": given.text, "sections": given.sections, "used": given.used, "budget": given.budget}
    session.show(values | {"hits": [_values(hit) for hit in given.hits]}, given.text.splitlines())


def _now_note(session: Session, snapshot: "Snapshot", vault: "Vault", today: "date") -> "NowNote | None":
    from daemon.brain import boot
    from daemon.recall.compile import NowNote

    one = boot(snapshot, vault, session.settings, today)
    if not one.text:
        return None
    says = {"day": one.day, "by": ",".join(one.written_by), "provenance": one.provenance}
    stale = ",".join(reason.code for reason in one.stale)
    return NowNote(
        one.text.encode(), {name: value for name, value in (says | {"stale": stale}).items() if value}
    )
