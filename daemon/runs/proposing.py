"""A request becomes a plan: every step planned over what the steps before it would leave, and judged by the policy.

Nothing is changed and nothing is recorded here; `propose` emits what was prepared. A plan is a pure function of the
request and of what is read through `Planning`: approved and unchanged, the executor comes to the same effects.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from config.i18n import Catalogue
from daemon.runs import showing
from daemon.runs.asking import BadRequest, check
from daemon.runs.drafting import Asker, Draft, Planning, RefusedEarly, draft
from daemon.runs.evidence import SECRET
from daemon.runs.undoing import first_uses
from daemon.runs.work import Prepared, Refused
from parsers.ids import RUN, STEP
from parsers.model.policy import HARDNESS, Decision, DecisionKind
from parsers.model.register import stamp
from parsers.model.runs import Request, Run, Step

SECRET_RULE = 0
"""None of the table: a key or token of a known format goes nowhere, and the reason says so."""


def prepare(request: Request, asker: Asker, planning: Planning) -> Prepared:
    """Give the plan that a request comes to, every step shown, decided and sealed.

    Raises:
        BadRequest: it is no plan, or one of its steps cannot be: the sentence says which and why.
    """
    request = check(request, planning.registry, planning.words)
    bare = _bare(request, asker, planning)
    if _has_secret(request, planning):
        return _with_secret(bare, planning)
    writes = sum(planning.registry[call.tool].risk != "READ" for call in request.calls)
    drafts: list[Draft] = []
    for number, step in enumerate(bare.steps, 1):
        try:
            drafts.append(draft(step, number, drafts, asker, planning, writes))
            asker = asker.having_read(drafts[-1].outputs)
        except RefusedEarly as early:
            return _refusal(bare, [Refused(step.id, step.tool, early.decision)], planning)
    return _finished(bare, drafts, planning)


def again(run: Run, asker: Asker, planning: Planning) -> Prepared:
    """Plan the open steps of a run that waits anew, from the notes as they are; the others stay as they are.

    A step that can no longer be planned says why, and will not run. The nonce is a new one.
    """
    writes = sum(step.risk != "READ" for step in run.steps)
    fresh = replace(run, nonce=planning.nonce(), evidence=())
    drafts: list[Draft] = []
    kept: dict[str, Step] = {}
    for number, step in enumerate(run.steps, 1):
        if step.status != "waiting":
            kept[step.id] = step
            continue
        try:
            drafts.append(draft(step, number, drafts, asker, planning, writes))
            asker = asker.having_read(drafts[-1].outputs)
        except RefusedEarly as early:
            return _refusal(fresh, [Refused(step.id, step.tool, early.decision)], planning)
        except BadRequest as error:
            said = planning.words.say("step.impossible", why=str(error))
            kept[step.id] = replace(step, shows=(step.shows[0], said), expects={}, before={})
    return _finished(fresh, drafts, planning, kept)


# ---- the run around the steps


def _bare(request: Request, asker: Asker, planning: Planning) -> Run:
    new_id = planning.moment.new_id
    return Run(
        id=new_id(RUN),
        kind="plan",
        status="proposed",
        transition=0,
        title=request.title,
        why=request.why,
        origin=asker.origin,
        instruction=asker.instruction,
        requested_at=stamp(planning.moment.now),
        expires_at=planning.expires,
        nonce=planning.nonce(),
        digest="",
        shown="",
        approval="allowed",
        steps=tuple(Step(new_id(STEP), call.tool, call.args) for call in request.calls),
        keyed=asker.keyed,
    )


def _finished(
    bare: Run, drafts: Sequence[Draft], planning: Planning, kept: Mapping[str, Step] | None = None
) -> Prepared:
    refused = [
        Refused(one.step.id, one.tool.name, one.decision) for one in drafts if one.decision.kind == "refused"
    ]
    if refused:
        return _refusal(bare, refused, planning)
    made = {**{one.step.id: one.step for one in drafts}, **(kept or {})}
    steps = tuple(made[step.id] for step in bare.steps)
    kinds = [one.decision.kind for one in drafts]
    hardest: DecisionKind = max(kinds, key=HARDNESS.__getitem__, default="allowed")
    if kept is not None and hardest == "allowed":
        hardest = "run_approval"  # what was shown to be approved stays so
    writing = [one for one in drafts if one.tool.risk != "READ"]
    direct = kept is None and hardest == "allowed" and len(writing) <= 1
    run = replace(
        bare,
        kind="direct" if direct else bare.kind,
        approval=hardest,
        steps=steps,
        inputs=first_uses(tuple(one.step for one in drafts)),
        delegation=next((one.decision.delegation for one in drafts if one.decision.delegation), ""),
    )
    digest, shown = planning.seal(run)
    return Prepared(replace(run, digest=digest, shown=shown))


# ---- refusals


def _refusal(bare: Run, refused: Sequence[Refused], planning: Planning) -> Prepared:
    """A refused plan keeps which tools it called, and nothing of what it handed them (R-P07)."""
    why = {one.step: one.decision for one in refused}
    steps = tuple(_emptied(step, why.get(step.id), planning.words) for step in bare.steps)
    redacted = planning.moment.redacted
    run = replace(bare, approval="refused", steps=steps, inputs=(), title=redacted(bare.title))
    run = replace(run, why=redacted(bare.why))
    digest, shown = planning.seal(run)
    return Prepared(replace(run, digest=digest, shown=shown), tuple(refused))


def _emptied(step: Step, decision: Decision | None, words: Catalogue) -> Step:
    shows: tuple[str, ...] = (words.say("step.call", tool=step.tool, target=""),)
    if decision is None:
        return Step(step.id, step.tool, {}, shows=shows)
    shows = (*shows, showing.decided(words, decision))
    return Step(
        step.id,
        step.tool,
        {},
        decision=decision.kind,
        rule=decision.rule,
        reasons=decision.reasons,
        shows=shows,
    )


def _has_secret(request: Request, planning: Planning) -> bool:
    return any(
        planning.moment.secret_spans(text)
        for text in (request.title, request.why, *_texts([call.args for call in request.calls]))
    )


def _with_secret(bare: Run, planning: Planning) -> Prepared:
    decision = Decision("refused", SECRET_RULE, ((SECRET, ""),), alert=True)
    spans = planning.moment.secret_spans
    found = [step for step in bare.steps if any(map(spans, _texts(step.args)))] or bare.steps[:1]
    return _refusal(bare, [Refused(step.id, step.tool, decision) for step in found], planning)


def _texts(value: object) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, one in value.items():
            yield str(key)
            yield from _texts(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _texts(one)
