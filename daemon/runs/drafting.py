"""One step of a plan while it is made: what it would do over the steps before it, and what the policy says of it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from config.i18n import Catalogue
from daemon.memory.moment import Moment
from daemon.policy.lineage import Output, Said, trace
from daemon.policy.privacy import HARDER, harder
from daemon.runs import showing
from daemon.runs.asking import BadRequest
from daemon.runs.work import Seal
from daemon.tools.effects import Effects, Look, Overlay
from daemon.tools.errors import sentence
from daemon.tools.facts import action_facts, named
from daemon.tools.tool import Memory, Sources, Tool
from parsers.errors import ClavaireError
from parsers.model.facts import Sensitivity
from parsers.model.places import NotePath
from parsers.model.policy import HARDNESS, Action, Argument, Decision, TargetFault, least, trust_of
from parsers.model.runs import Step


@dataclass(frozen=True, slots=True)
class Declares:
    """What a note is, by its folders, its properties and the marks in it."""

    sensitivity: Sensitivity
    source: str
    """Where folders and properties say its content comes from."""
    worst: str
    """Where the worst of it comes from, marks included."""


@dataclass(frozen=True, slots=True)
class Planning:
    """What planning reads and asks, besides the request."""

    registry: Mapping[str, Tool]
    look: Look
    judge: Callable[[Action], Decision]
    """The policy, with level, delegations and budgets as they are."""
    declares: Callable[[NotePath, bytes], Declares]
    """Gives what a note with these bytes is."""
    search: Callable[[str, int], Sequence[tuple[NotePath, Mapping[str, Any]]]]
    """Gives the best notes for a query."""
    mark_of: Callable[[str], str]
    """Gives the worst provenance of a paragraph that stands in a text and is known from elsewhere, else `""`."""
    seal: Seal
    words: Catalogue
    moment: Moment
    nonce: Callable[[], str]
    expires: str
    memory: Memory | None = None
    """What is remembered; None: memory is put out."""


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks for a plan, and what is known of where the words come from."""

    origin: str = "person"
    instruction: str = "user"
    keyed: bool = True
    said: Said = field(default_factory=Said)
    """The person's own words of this run, and what its earlier calls returned."""
    recent_writes: int = 0
    local_reader: bool = True

    @property
    def read_below(self) -> str:
        """The worst provenance of what this run has read, `""` when it read nothing."""
        found = [one.provenance for one in self.said.outputs]
        return least(found) if found else ""

    def having_read(self, outputs: Iterable[Output]) -> "Asker":
        """Give the same after more was read: what is written then is looked up in it too."""
        return replace(self, said=replace(self.said, outputs=(*self.said.outputs, *outputs)))


@dataclass(frozen=True, slots=True)
class Draft:
    """One step that was planned and judged."""

    step: Step
    tool: Tool
    effects: Effects
    decision: Decision
    outputs: tuple[Output, ...] = ()
    """What it read: the steps after it have read that too."""


class RefusedEarly(Exception):
    """A step the policy refuses that cannot even be planned."""

    def __init__(self, decision: Decision) -> None:
        super().__init__(decision.rule)
        self.decision = decision


class _Noting(Overlay):
    """An overlay that notes which notes were read through it."""

    def __init__(self, below: Look, effects: Iterable[Effects]) -> None:
        super().__init__(below, effects)
        self.seen: set[NotePath] = set()

    def read(self, path: NotePath) -> bytes | None:
        self.seen.add(path)
        return super().read(path)


@dataclass(frozen=True, slots=True)
class _Bench:
    """What one step is planned with."""

    step: Step
    tool: Tool
    args: Any
    asker: Asker
    planning: Planning
    writes: int


def draft(
    step: Step, number: int, earlier: Sequence[Draft], asker: Asker, planning: Planning, writes: int
) -> Draft:
    """Plan one step over the earlier ones and ask the policy; a decision made before never becomes milder.

    Raises:
        BadRequest: it cannot be planned; the sentence says why.
        RefusedEarly: it cannot, and the policy would refuse it too.
    """
    tool, words = planning.registry.get(step.tool), planning.words
    if tool is None:
        raise BadRequest(words.say("plan.bad.tool", number=number, tool=step.tool))
    look = _Noting(planning.look, [one.effects for one in earlier])
    try:
        bench = _Bench(step, tool, tool.validated(step.args), asker, planning, writes)
    except ClavaireError as error:
        raise BadRequest(words.say("plan.bad.plan", number=number, why=sentence(error, words))) from None
    try:
        effects = tool.plan(bench.args, look)
    except ClavaireError as error:
        decision = _judged(bench, None, look, reversible=False)
        if decision.kind == "refused":
            raise RefusedEarly(decision) from None
        raise BadRequest(words.say("plan.bad.plan", number=number, why=sentence(error, words))) from None
    undo = _undo(bench, effects, look)
    arguments = _arguments(bench)
    decision = _judged(bench, effects, look, reversible=undo is not None)
    made = _made(bench, effects, decision, undo, arguments)
    needs = tuple(one.step.id for one in earlier if _needs(bench, effects, one, earlier, look.seen))
    return Draft(replace(made, needs=needs), tool, effects, decision, _outputs(bench, look, decision, number))


def _made(
    bench: _Bench, effects: Effects, decision: Decision, undo: str | None, arguments: Sequence[Argument]
) -> Step:
    tool, words = bench.tool, bench.planning.words
    texts = [one.provenance for one in arguments if one.role == "text"]
    first = words.say("step.call", tool=tool.name, target=showing.target(bench.step.args, effects))
    return replace(
        bench.step,
        decision=decision.kind,
        rule=decision.rule,
        reasons=decision.reasons,
        shows=showing.lines(
            words,
            first.rstrip(),
            effects,
            decision,
            undo,
            proves=tool.verify is not None,
            sent=showing.sent(words, tool, bench.step.args),
            room=showing.room(bench.writes),
        ),
        writes=effects.writes,
        provenance=least((bench.asker.instruction, *texts, *_carried(effects, bench.planning))),
        external=tool.effect == "external",
        risk=tool.risk,
        undoable=undo is not None,
        verifiable=tool.verify is not None,
        before=effects.before(),
        expects=effects.after(),
    )


# ---- what undoing it would do


def _undo(bench: _Bench, effects: Effects, look: Look) -> str | None:
    """Say what undoing does, None where it would not bring back every byte: tried in memory, over the effects."""
    tool, words = bench.tool, bench.planning.words
    call = tool.inverse(bench.args, effects) if tool.inverse and effects.changes else None
    inverse = bench.planning.registry.get(call.tool) if call else None
    if call is None or inverse is None or tool.effect == "external":
        return None
    try:
        back = inverse.plan(inverse.validated(call.args), Overlay(look, [effects]))
    except ClavaireError:
        return None
    exact = back.before() == effects.after() and back.after() == effects.before()
    return showing.effect_said(back, words, inverse.name) if exact else None


# ---- what it depends on


def _needs(
    bench: _Bench, effects: Effects, other: Draft, earlier: Sequence[Draft], seen: set[NotePath]
) -> bool:
    """Whether a step would do something else without an earlier one."""
    theirs = set(other.effects.writes)
    if theirs & set(effects.writes):
        return True
    if not theirs & seen:
        return False
    without = Overlay(bench.planning.look, [one.effects for one in earlier if one is not other])
    try:
        return bench.tool.plan(bench.args, without) != effects
    except ClavaireError:
        return True


# ---- what the policy says


def _outputs(bench: _Bench, look: Look, decision: Decision, number: int) -> tuple[Output, ...]:
    """What a step that reads gives: read while it is planned, so that what follows is traced to it (R-P01)."""
    if bench.tool.read is None or decision.kind == "refused":
        return ()
    try:
        return bench.tool.read(bench.args, _readable(bench, look))
    except ClavaireError as error:
        words = bench.planning.words
        raise BadRequest(words.say("plan.bad.plan", number=number, why=sentence(error, words))) from None


def _readable(bench: _Bench, look: Look) -> Sources:
    """What the reader of this plan may see."""
    planning, agent = bench.planning, not bench.asker.local_reader

    def label(path: NotePath, text: str) -> tuple[str, Sensitivity]:
        data = look.read(path) or text.encode()
        known = planning.declares(path, data)
        return known.worst, known.sensitivity

    def hidden(path: NotePath) -> bool:
        return agent and (
            _sensitivity(path, look, planning) == "private" or "assistant" in look.target(path).reasons
        )

    return Sources(look, planning.search, label, hidden, planning.memory, external=agent)


def _arguments(bench: _Bench) -> tuple[Argument, ...]:
    return found_of(bench.tool, bench.step.args, bench.asker.said, bench.planning.mark_of)


def found_of(
    tool: Tool, args: Mapping[str, Any], said: Said, mark_of: Callable[[str], str]
) -> tuple[Argument, ...]:
    """Give what was found about each argument; text known from elsewhere keeps its mark, whoever hands it on."""
    found: list[Argument] = []
    for name, value in args.items():
        traced = trace(name, tool.role(name), value, said, domain=tool.domain)
        mark = mark_of(value) if isinstance(value, str) else ""
        found += [replace(one, provenance=least((one.provenance, mark))) if mark else one for one in traced]
    return tuple(found)


def _judged(bench: _Bench, effects: Effects | None, look: Look, *, reversible: bool) -> Decision:
    tool, asker, planning = bench.tool, bench.asker, bench.planning
    paths, faults = action_facts(tool, bench.args, look, effects)
    arguments = _arguments(bench)
    kinds = [_sensitivity(path, look, planning) for path in paths]
    private: frozenset[TargetFault] = frozenset({"private"} if "private" in kinds else ())
    sensitivity: Sensitivity = "normal"
    for one in (*(argument.sensitivity for argument in arguments), *(kinds if tool.risk == "READ" else ())):
        sensitivity = harder(sensitivity, one)
    action = Action(
        tool=tool.name,
        domain=tool.domain,
        risk=tool.risk,
        effect=tool.effect,
        flags=tool.flags,
        reversible=reversible,
        origin=asker.origin,
        keyed=asker.keyed,
        instruction=asker.instruction,
        arguments=arguments,
        accepts=tool.data_classes,
        paths=paths,
        named=named(bench.args),
        faults=faults | private,
        sensitivity=sensitivity,
        lifts=effects is not None and _lifts(effects, planning),
        read_below=asker.read_below,
        local_reader=asker.local_reader,
        recent_writes=asker.recent_writes,
        asked_writes=bench.writes,
    )
    decision = planning.judge(action)
    before = bench.step
    if before.shows and HARDNESS[before.decision] > HARDNESS[decision.kind]:
        return Decision(before.decision, before.rule, before.reasons)
    return decision


def _sensitivity(path: str, look: Look, planning: Planning) -> Sensitivity:
    try:
        data = look.read(NotePath(path))
    except ClavaireError:
        data = None
    return planning.declares(NotePath(path), data or b"").sensitivity


def _lifts(effects: Effects, planning: Planning) -> bool:
    """Whether a note would come out milder than it was: what protects it is the person's to take away."""
    for change in effects.changes:
        if change.before is None or change.after is None:
            continue
        was = planning.declares(change.moved_from or change.path, change.before)
        comes = planning.declares(change.path, change.after)
        if HARDER[comes.sensitivity] < HARDER[was.sensitivity]:
            return True
        if change.moved_from is None and trust_of(comes.source) < trust_of(was.source):
            return True
    return False


def _carried(effects: Effects, planning: Planning) -> list[str]:
    """Where the content of moved notes comes from: it goes along."""
    return [
        planning.declares(change.moved_from, change.before).worst
        for change in effects.changes
        if change.moved_from is not None and change.before is not None
    ]
