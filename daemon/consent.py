"""The notes in which the person consents, as one pass sees them: plan notes and Autonomie.md.

What they say becomes edits, what the state says becomes text; this module opens nothing itself. Which tick counts is
not decided here (`daemon.runs.deciding`).
"""

import hmac
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import assert_never

from daemon.managed import GONE, Showing
from daemon.memory.moment import Deliberation
from daemon.memory.shown import Shown
from daemon.policy.autonomy import (
    DEFAULT_LEVELS,
    DEFAULT_REVIEW_DAYS,
    ask,
    give_code,
    revoke,
    take_delegations,
    take_levels,
)
from daemon.policy.codes import PER_THING
from daemon.runs.deciding import expire, propose, take
from daemon.runs.delegating import offer, on_the_floor
from daemon.runs.state import Runs
from daemon.runs.work import Prepared, Work
from daemon.source import Source, Wanted, missing_sections
from daemon.tools.tool import Tool
from parsers.autonomy import AutonomySaid, bounds, claimed
from parsers.ids import DELEGATION
from parsers.model.autonomy import DelegationLine, LevelLine
from parsers.model.places import NotePath, Problem
from parsers.model.policy import Delegation
from parsers.model.run_edits import Altered, Approve, Delegate, Permit, Refuse, Revoke, RunEdit, Steer, Trust
from parsers.model.runs import Input, Run
from parsers.plan import PlanSaid, Unreadable, digest_of
from renderers import autonomy as autonomy_renderer
from renderers import plan as plan_renderer


def consider(work: Work, wishes: Iterable["Wish"]) -> None:
    """Decide what is asked of runs and of autonomy, and what the clock asks of them."""
    expire(work)
    held = _held(work.runs)
    # What is narrowed holds for whatever else is decided in the same pass.
    for wish in sorted(wishes, key=lambda wish: not isinstance(wish, AutonomyRead)):
        if isinstance(wish, AutonomyRead):
            take_autonomy(work, wish)
        elif isinstance(wish, Prepared):
            narrowed = not wish.refused and _held(work.runs) != held
            propose(work, work.terms.replan(wish.run) if narrowed else wish)
            offer(work, wish.run)
        elif isinstance(wish, Delegate | Revoke | Trust):
            permit(work, wish)
        else:
            take(work, wish)


def _held(runs: Runs) -> tuple[Mapping[str, int], tuple[Delegation, ...]]:
    """What may pass without asking."""
    return dict(runs.autonomy.levels), runs.autonomy.active()


# ---- plan notes


def plan_edits(said: PlanSaid, run: Run, now: Callable[[NotePath], str]) -> list[RunEdit]:
    """Give what the note of a run asks for; `now` gives the etag of a note, `""` where none stands.

    A plan that waits and is no longer what was shown is shown again, ticked or not: a tick that arrives later was
    meant for the other text (C12). Both boxes ticked ask for nothing.
    """
    edits: list[RunEdit] = [Steer(run.id, control, number) for control, number in said.controls]
    if run.status != "awaiting_approval":
        return edits
    digest = _digest(said, run)
    # The property names the plan that was shown when this was written.
    found = digest if said.digest == run.digest else said.digest or ""
    given = said.approve or said.code is not None
    if said.refuse and not given:
        edits.append(Refuse(run.id, said.reason))
    elif given and not said.refuse:
        inputs = tuple(Input(one.path, now(one.path)) for one in run.inputs)
        edits.append(Approve(run.id, "tick", said.left_out, found, said.shown, inputs, said.code))
    elif digest != run.digest or said.shown != run.shown:
        edits.append(Altered(run.id, found))
    return edits


def _digest(said: PlanSaid, run: Run) -> str:
    try:
        return digest_of(run.id, run.nonce, said.steps, run.inputs)
    except Unreadable:
        return ""


def plan_wanted(one: Source, run: Run, showing: Showing, *, every_code: bool) -> Wanted | None:
    """Give the note of a run as it should be."""
    if one.etag is None or one.frame is None or one.text is None or one.plan is None or not one.usable:
        return None
    shows = plan_view(run, showing, every_code=every_code)
    text = plan_renderer.render(shows, one.text, one.frame, one.plan)
    there = Shown(one.etag, _gone(run, one.plan, shows))
    return Wanted(text, there, there)


def _gone(run: Run, said: PlanSaid, shows: plan_renderer.PlanView) -> dict[str, frozenset[str]]:
    """The steps whose lines stay out of the note of a run, since the person took them out (C15)."""
    standing = {line.id for line in said.lines if line.section == "steps"}
    missing = frozenset(step.id for step in run.steps) - standing
    known = said.run == run.id and not shows.open
    return {GONE: missing} if missing and known else {}


def plan_view(run: Run, showing: Showing, *, every_code: bool) -> plan_renderer.PlanView:
    """Give what the note of a run says."""
    return plan_renderer.view(run, showing.zone, showing.words[0], every_code=every_code)


def seal(run: Run, one: Source | None, showing: Showing, *, every_code: bool) -> tuple[str, str]:
    """Give the digest of a run, and the hash its steps will have in its note, as `one` now reads."""
    digest = digest_of(run.id, run.nonce, run.steps, run.inputs)
    shows = plan_view(replace(run, digest=digest), showing, every_code=every_code)
    text, frame, said = (one.text, one.frame, one.plan) if one and one.usable else (None, None, None)
    return digest, plan_renderer.shown(shows, text, frame, said)


# ---- Autonomie.md


@dataclass(frozen=True, slots=True)
class AutonomyRead:
    """What Autonomie.md says, and the ids of the delegations that stood there."""

    said: AutonomySaid
    stood: frozenset[str]
    told: frozenset[str] = frozenset()
    """Those whose lines showed that they are revoked."""


def _autonomy_read(said: AutonomySaid, stood: Shown | None) -> AutonomyRead:
    ids = stood.ids if stood else {}
    return AutonomyRead(said, ids.get("delegations", frozenset()), ids.get("revoked", frozenset()))


Wish = RunEdit | Permit | AutonomyRead | Prepared
"""What may be asked of runs, and of what may pass without asking."""
_PLAIN_DOMAINS = DEFAULT_LEVELS.keys() - {"external"}
"""Domains of tools of ours, none of them on the floor."""
Tools = Callable[[], Mapping[str, Tool]]


def autonomy_said(one: Source | None, stood: Shown | None, tools: Tools) -> tuple[list[Wish], list[Problem]]:
    """Give what Autonomie.md asks for beside what is remembered of it, and what is wrong in it.

    `stood` is None where the index has forgotten; the same bytes as stood there ask for nothing new.
    """
    if one is None or not one.usable or one.autonomy is None:
        return [], []
    fresh = stood is None or stood.etag != one.etag
    asked: list[Wish] = [_autonomy_read(one.autonomy, stood)] if fresh else []
    return asked, _autonomy_problems(one, one.autonomy, tools)


def answered_offers(memory: Deliberation) -> Iterator[Delegate]:
    """Give the lines that were asked for by the cards answered in this pass."""
    for event in memory.events:
        card = memory.state.cards.get(str(event.body.get("id"))) if event.op == "card.answered" else None
        says = bounds(card.text) if card and (card.kind, card.answer) == ("delegate", "delegate") else None
        if says is not None:
            yield Delegate(says)


def permit(work: Work, edit: Permit) -> None:
    """Decide an edit of what may pass without asking: a line waits for its code, a revocation holds at once."""
    match edit:
        case Delegate(says):
            if not on_the_floor(says, work.terms.tools()):
                review = says.review or review_day(work.moment.today)
                wants = replace(says, id=work.moment.new_id(DELEGATION), review=review)
                ask(work.runs.autonomy, wants, work.terms.nonce, work.emit)
        case Revoke(name):
            revoke(work.runs.autonomy, name, work.emit)
        case Trust(note, hashes):
            if hashes:
                work.emit("mark.lifted", note=note, hashes=list(hashes))
        case _:
            assert_never(edit)


def take_autonomy(work: Work, read: AutonomyRead) -> None:
    """Decide the lines of Autonomie.md, and the codes typed there."""
    autonomy, nonce = work.runs.autonomy, work.terms.nonce
    take_levels(autonomy, [line for line, _ in read.said.levels], nonce, work.emit)
    lines = [_dated(line, work) for line in named_lines(work, read.said) if _counts(line, work, read)]
    take_delegations(autonomy, lines, sorted(read.stood), nonce, work.emit)
    for name, digits in _typed(read.said):
        digest = autonomy.waiting(name)
        if digest is None or not work.runs.codes.is_open(name, work.moment.now):
            continue
        many = work.runs.codes.too_many(work.moment.now)
        good = hmac.compare_digest(work.terms.code(digest, ()), digits)
        last = work.runs.codes.wrong_for(name) + 1 >= PER_THING
        give_code(autonomy, name, right=good, last=last, emit=work.emit)
        if not good and many:
            work.block_codes("person")


def named_lines(work: Work, said: AutonomySaid) -> list[DelegationLine]:
    """Give the lines with an id each: their own, that of what they lost it from, or a new one."""
    autonomy = work.runs.autonomy
    known = claimed(said, (*autonomy.asked.values(), *autonomy.active()))
    return [
        line if line.id else replace(line, id=known.get(row.line) or work.moment.new_id(DELEGATION))
        for line, row in said.delegations
    ]


def _counts(line: DelegationLine, work: Work, read: AutonomyRead) -> bool:
    """Whether a line says what the person wants: not one on the floor, nor one revoked since by a command."""
    known = work.runs.autonomy.delegations.get(line.id)
    revoked = known is not None and known.status == "revoked" and line.id not in work.runs.autonomy.asked
    if revoked and line.id in read.stood - read.told:
        return False
    return not barred(line.says, work.terms.tools)


def barred(says: Delegation, tools: Tools) -> bool:
    """Tell whether a line names what no delegation ever covers."""
    return says.domain not in _PLAIN_DOMAINS and on_the_floor(says, tools())


def _dated(line: DelegationLine, work: Work) -> DelegationLine:
    """A line without a review day has the one it had, else the default."""
    if line.says.review:
        return line
    autonomy = work.runs.autonomy
    known = autonomy.asked.get(line.id) or autonomy.delegations.get(line.id)
    review = known.review if known and known.review else review_day(work.moment.today)
    return replace(line, says=replace(line.says, review=review))


def review_day(today: date) -> str:
    """Give the day on which a delegation made today ends by itself."""
    return (today + timedelta(days=DEFAULT_REVIEW_DAYS)).isoformat()


def _typed(said: AutonomySaid) -> list[tuple[str, str]]:
    lines: Sequence[tuple[LevelLine | DelegationLine, object]] = (*said.levels, *said.delegations)
    named = [(f"level-{one.domain}" if isinstance(one, LevelLine) else one.id, one.code) for one, _ in lines]
    return [(name, code) for name, code in named if name and code]


def autonomy_wanted(one: Source, runs: Runs, host: tuple[str, str] | None, showing: Showing) -> Wanted | None:
    """Give Autonomie.md as it should be."""
    if one.etag is None or one.frame is None or one.text is None or one.autonomy is None or not one.usable:
        return None
    autonomy = runs.autonomy
    shows = autonomy_renderer.view(
        autonomy.levels,
        {domain: level for domain, (level, _) in autonomy.asked_levels.items()},
        autonomy.delegations,
        autonomy.asked,
        host[1] if host else "",
        showing.words,
    )
    text = autonomy_renderer.render(shows, one.text, one.frame, one.autonomy)
    standing = frozenset(line.id for line, _ in one.autonomy.delegations if line.id)
    live = frozenset(known.id for known in shows.known)
    read = standing & (shows.delegations.keys() | live)
    unticked = {line.id for line, _ in one.autonomy.delegations if not line.ticked}
    as_written, as_read = _ids(live | read, read - live), _ids(read, read & unticked)
    return Wanted(text, Shown(one.etag, as_written), Shown(one.etag, as_read))


def _ids(names: Iterable[str], revoked: Iterable[str]) -> Mapping[str, frozenset[str]]:
    found = {"delegations": frozenset(names), "revoked": frozenset(revoked)}
    return {section: ids for section, ids in found.items() if ids}


def _autonomy_problems(one: Source, said: AutonomySaid, tools: Tools) -> list[Problem]:
    """Give the lines that are not understood or can never hold, and the sections that are missing."""
    unread = [Problem(one.path, line, "autonomy_line_unreadable") for line in said.unreadable]
    unread += [Problem(one.path, line, "level_line_unreadable") for line in said.unread_levels]
    floor = [
        Problem(one.path, row.line, "delegation_floor", (("domain", line.says.domain),))
        for line, row in said.delegations
        if line.ticked and barred(line.says, tools)
    ]
    return [*missing_sections(one), *unread, *floor]
