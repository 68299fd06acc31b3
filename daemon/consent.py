"""The notes in which the person consents, as one pass sees them: plan notes and Autonomie.md.

What they say becomes edits, what the state says becomes text; this module opens nothing itself. Which tick counts is
not decided here (`daemon.runs.deciding`).
"""

import hmac
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any

from daemon.managed import Showing, Wanted
from daemon.memory.shown import Shown
from daemon.policy.autonomy import DEFAULT_REVIEW_DAYS, give_code, take_delegations, take_levels
from daemon.policy.codes import PER_THING
from daemon.runs.deciding import expire, take
from daemon.runs.proposing import propose
from daemon.runs.state import Runs
from daemon.runs.work import Prepared, Work
from daemon.source import Source, missing_sections
from parsers.autonomy import AutonomySaid, claimed
from parsers.ids import DELEGATION
from parsers.model.autonomy import DelegationLine, LevelLine
from parsers.model.places import NotePath, Problem
from parsers.model.run_edits import Altered, Approve, Refuse, RunEdit, Steer
from parsers.model.runs import Input, Run
from parsers.plan import PlanSaid, Unreadable, digest_of
from renderers import autonomy as autonomy_renderer
from renderers import plan as plan_renderer


def consider(work: Work, wishes: Iterable["Wish"]) -> None:
    """Decide what is asked of runs and of autonomy, and what the clock asks of them."""
    expire(work)
    for wish in wishes:
        if isinstance(wish, AutonomyRead):
            take_autonomy(work, wish)
        elif isinstance(wish, Prepared):
            propose(work, wish)
        else:
            take(work, wish)


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
    given = said.approve or said.code is not None
    if said.refuse and not given:
        edits.append(Refuse(run.id, said.reason))
    elif given and not said.refuse:
        inputs = tuple(Input(one.path, now(one.path)) for one in run.inputs)
        # The property names the plan that was shown when the box was ticked.
        ticked = digest if said.digest == run.digest else said.digest or ""
        edits.append(Approve(run.id, "tick", said.left_out, ticked, said.shown, inputs, said.code))
    elif digest != run.digest or said.shown != run.shown:
        edits.append(Altered(run.id, digest))
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
    return Wanted(text, Shown(one.etag), Shown(one.etag))


def plan_view(run: Run, showing: Showing, *, every_code: bool) -> plan_renderer.PlanView:
    """Give what the note of a run says."""
    coded = True if every_code else None
    return plan_renderer.view(run, showing.zone, showing.words[0], coded=coded)


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


Wish = RunEdit | AutonomyRead | Prepared
"""What may be asked of runs, and of what may pass without asking."""


def take_autonomy(work: Work, read: AutonomyRead) -> None:
    """Decide the lines of Autonomie.md, and the codes typed there."""

    def emit(op: str, **body: Any) -> None:
        work.emit(op, **body)

    autonomy, nonce = work.runs.autonomy, work.terms.nonce
    take_levels(autonomy, [line for line, _ in read.said.levels], nonce, emit)
    lines = [_dated(line, work) for line in named_lines(work, read.said)]
    take_delegations(autonomy, lines, sorted(read.stood), nonce, emit)
    for name, digits in _typed(read.said):
        digest = autonomy.waiting(name)
        if digest is None or not work.runs.codes.is_open(name, work.moment.now):
            continue
        many = work.runs.codes.too_many(work.moment.now)
        good = hmac.compare_digest(work.terms.code(digest, ()), digits)
        last = work.runs.codes.wrong_for(name) + 1 >= PER_THING
        give_code(autonomy, name, right=good, last=last, emit=emit)
        if not good and many:
            work.emit("code.blocked")
            work.alert("codes", work.terms.words.say("run.codes_blocked"), "blocked", "person")


def named_lines(work: Work, said: AutonomySaid) -> list[DelegationLine]:
    """Give the lines with an id each: their own, that of what they lost it from, or a new one."""
    autonomy = work.runs.autonomy
    live = [one for one in autonomy.delegations.values() if one.status == "active"]
    known = claimed(said, (*autonomy.asked.values(), *live))
    return [
        line if line.id else replace(line, id=known.get(row.line) or work.moment.new_id(DELEGATION))
        for line, row in said.delegations
    ]


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
    return Wanted(text, Shown(one.etag, _ids(live | read)), Shown(one.etag, _ids(read)))


def _ids(names: Iterable[str]) -> Mapping[str, frozenset[str]]:
    found = frozenset(names)
    return {"delegations": found} if found else {}


def autonomy_problems(one: Source) -> list[Problem]:
    """Give the lines that are not understood, and the sections that are missing."""
    if one.autonomy is None:
        return []
    unread = [Problem(one.path, line, "autonomy_line_unreadable") for line in one.autonomy.unreadable]
    return [*missing_sections(one), *unread]
