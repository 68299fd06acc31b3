"""The lines of Journal.md about plans, runs and what may pass without asking (vault-notes.md, Journal)."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from parsers.model.entities import Entity
from parsers.model.facts import Fact
from parsers.model.policy import Delegation
from parsers.model.register import Record
from parsers.model.runs import Run, Step
from renderers.plan_evidence import numbers, proposer, reason_of
from renderers.plan_text import inert, plain
from renderers.words import Words

SHOWN = frozenset(
    {
        *("plan.proposed", "plan.approved", "plan.refused", "plan.reshown"),
        *("run.started", "run.paused", "run.resumed", "run.uncertain", "run.cancelled", "run.expired"),
        *("run.ended", "run.undone", "step.failed", "step.uncertain", "code.wrong", "code.blocked"),
        "code.missing",
        *("code.unblocked", "delegation.asked", "delegation.active", "delegation.narrowed"),
        *("delegation.revoked", "level.asked", "level.set", "action.refused"),
    }
)
"""Operations about runs and permissions that may leave a line."""

_QUIET: Mapping[str, frozenset[str]] = {
    "undo": frozenset({"plan.proposed", "plan.approved", "run.started", "run.ended succeeded"}),
    "direct": frozenset({"plan.proposed", "run.started"}),
    "memory": SHOWN,
}
"""Kind of run → what it does not say: undoing is said of what was undone, one small write in two lines."""
_SIGNS = str.maketrans({"[": "(", "]": ")", "|": "/", "<": "‹", ">": "›", "`": "'", "\\": "/"})
"""Signs that would end a link, or begin something else in it, and what stands for them."""
_TWICE = re.compile("([%:=~$])\\1+")
"""Signs that begin something only when they are doubled: a comment, a field, a highlight."""
_NO_LINK = re.compile(r"[\[\]|#^\\]")
_OVER = frozenset({"run.ended", "run.cancelled"})


@dataclass(frozen=True, slots=True)
class Known:
    """What lines say besides their records; None: nobody knows it."""

    fact: Callable[[str], Fact | None] = lambda _: None
    run: Callable[[str], Run | None] = lambda _: None
    delegation: Callable[[str], Delegation | None] = lambda _: None
    gone: Callable[[Run], frozenset[str]] = lambda _: frozenset()
    """The steps of a run whose lines the person took out of its note: only the journal says what became of them."""
    entity: Callable[[str], Entity | None] = lambda _: None
    note: Callable[[Fact], str | None] = lambda _: None
    """Gives the note in which a fact's line stands."""


def lines(record: Record, known: Known, words: Words, who: str, autonomy: str) -> Iterator[str]:
    """Give the lines of a record about runs or permissions; `autonomy` is the note of those.

    One that this machine's secret did not seal changed nothing: it gives none.
    """
    if not record.vouched:
        return
    noun = record.op.partition(".")[0]
    if noun in ("delegation", "level"):
        yield _permission(record, known, words, who, autonomy)
    elif noun == "code":
        yield _code(record, known, words)
    elif noun == "action":
        if known.run(_id(record)) is None:  # a refused plan, a forged approval: said there
            values = {name: inert(str(record.body.get(name, ""))) for name in ("tool", "rule")}
            yield words.say("journal.action.refused", who=who, **values)
    elif run := known.run(_id(record)):
        yield from _run(record, run, known, words, who)


def _id(record: Record) -> str:
    return str(record.body.get("id", ""))


# ---- runs


def _run(record: Record, run: Run, known: Known, words: Words, who: str) -> Iterator[str]:
    status = str(record.body.get("status", ""))
    said = f"{record.op} {status}" if record.op == "run.ended" else record.op
    if record.op in _OVER:
        for number, step in enumerate(run.steps, 1):
            if step.status == "done" and step.id in known.gone(run):
                yield words.say("journal.step.done", step=number, plan=linked(run))
    refused_at_once = record.op == "plan.proposed" and run.approval == "refused"  # the next line says so
    if said not in _QUIET.get(run.kind, ()) and not refused_at_once:
        yield words.say(_key(record, run), **_values(record, run, words, who))


def _key(record: Record, run: Run) -> str:
    if record.op == "run.ended":
        return f"journal.ended.{record.body['status']}"
    if record.op == "run.paused" and record.body.get("reason") == "interrupted":
        return "journal.run.interrupted"
    if record.op == "plan.approved" and run.kind == "direct":
        return "journal.plan.allowed"
    if record.op == "plan.reshown" and record.body.get("found") not in (None, "", record.body.get("was")):
        return "journal.plan.reshown_found"
    if record.op == "run.undone" and _in_part(record, run):
        return "journal.run.undone_partly"
    return f"journal.{record.op}"


def _in_part(record: Record, run: Run) -> bool:
    """Whether something was left when a run was undone, as its evidence says of that moment."""
    said = {"by": str(record.body.get("run")), "steps": " ".join(_texts(record.body.get("steps")))}
    return any(line.what == "undone_partly" and dict(line.values) == said for line in run.evidence)


def _values(record: Record, run: Run, words: Words, who: str) -> dict[str, object]:
    """The placeholders of a sentence; what came from elsewhere is made harmless."""
    body = record.body
    plainly = {name: inert(str(body.get(name, ""))) for name in ("was", "found", "digest", "rule")}
    left = body.get("left_out")
    way = _way(run) if record.op == "plan.proposed" else ""
    return {
        **plainly,
        "plan": linked(run),
        "who": proposer(run.origin, way, words) if way else who,
        "steps": numbers(run, _texts(body.get("steps"))),
        "step": _number(run, str(body.get("step", ""))),
        "how": reason_of("plan.how", str(body.get("how", "")), words),
        "left_out": words.plural("plan.left_out", len(left)) if isinstance(left, list) and left else "",
        "reason": _because(record, words),
        "cause": reason_of("evidence.cause", str(body.get("cause") or "other"), words),
    }


def _way(run: Run) -> str:
    """How the plan came, as the first line of its evidence says it."""
    return next((dict(line.values).get("way", "") for line in run.evidence if line.what == "proposed"), "")


def _because(record: Record, words: Words) -> str:
    reason = record.body.get("reason")
    reasons = record.body.get("reasons")
    if record.op == "plan.refused" and isinstance(reasons, list) and ["secret", ""] in reasons:
        reason = "secret"
    if not isinstance(reason, str) or not reason:
        return ""
    prefix = "step.reason" if record.op.startswith("step.") else "run.reason"
    return f" · {reason_of(prefix, reason, words)}"


def _number(run: Run, name: str) -> int | str:
    found: list[tuple[int, Step]] = [(n, step) for n, step in enumerate(run.steps, 1) if step.id == name]
    return found[0][0] if found else inert(name)


def linked(run: Run) -> str:
    """Give a run's title as a link to its note; the title alone where there is none to link to."""
    title = _TWICE.sub(r"\1", plain(run.title).translate(_SIGNS)) or run.id
    if run.path is None or _NO_LINK.search(run.path):
        return title
    return f"[[{run.path.removesuffix('.md')}|{title}]]"


# ---- codes and permissions


def _code(record: Record, known: Known, words: Words) -> str:
    if record.op not in ("code.wrong", "code.missing"):
        return words.say(f"journal.{record.op}")
    run, name = known.run(_id(record)), inert(_id(record))
    return words.say(f"journal.{record.op}", plan=linked(run) if run else name, run=name)


def _permission(record: Record, known: Known, words: Words, who: str, note: str) -> str:
    body = record.body
    link = f"[[{note.removesuffix('.md')}|{note.rpartition('/')[2].removesuffix('.md')}]]"
    if record.op.startswith("level."):
        says = f"{inert(str(body.get('domain', '')))} {inert(str(body.get('level', '')))}"
    else:
        says = _bounds(body, known.delegation(_id(record)), words)
    return words.say(f"journal.{record.op}", says=says, who=who, link=link)


def _bounds(body: Mapping[str, object], known: Delegation | None, words: Words) -> str:
    """What a delegation allows, as the record says it; as it was known last where the record names it alone."""
    if "domain" in body:
        domain, level = str(body["domain"]), str(body.get("level", ""))
        paths, origins = body.get("paths"), body.get("origins")
    elif known is not None:
        domain, level, paths, origins = known.domain, str(known.level), known.paths, known.origins
    else:
        return inert(str(body.get("id", "")))
    parts = [domain, words.say("autonomy.level", level=level), *_texts(paths)]
    names = ", ".join(_texts(origins))
    return inert(" · ".join([*parts, words.say("autonomy.origins", names=names)] if names else parts))


def _texts(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list | tuple) else []
