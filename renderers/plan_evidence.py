"""The evidence of a plan note: one line a transition, made from what the run knows of it (R-R04)."""

import re
from collections.abc import Collection, Mapping
from datetime import datetime, tzinfo

from parsers.model.runs import Happened, Run, Step
from renderers.plan_text import inert
from renderers.words import Words

HASH = 12
"""Digits of an etag or digest that are shown."""
_KEY = re.compile(r"[a-z][a-z_]*\Z")
_NONE = dict.fromkeys(
    (
        *("by", "path", "was", "digest", "how", "reason", "detail", "rule", "status", "control", "number"),
        *("step", "steps", "run"),
    ),
    "",
)


def evidence(run: Run, zone: tzinfo, words: Words) -> tuple[tuple[str, str], ...]:
    """Give (id, line) of each transition of a run, in order; a line on another day than the one before says the day."""
    lines = []
    day = _local(run.requested_at, zone).date()
    for number, one in enumerate(run.evidence, 1):
        at = _local(one.at, zone)
        when = f"{at:%H:%M:%S}" if at.date() == day else f"{at:%Y-%m-%d %H:%M:%S}"
        day = at.date()
        lines.append((f"ev-{number}", f"- {when} {_said(run, one, words)} ^ev-{number}"))
    return tuple(lines)


def reason_of(prefix: str, reason: str, words: Words, values: Mapping[str, str] = _NONE) -> str:
    """Give the sentence of a reason: of the catalogue when it is a key there, else the words as they stand."""
    if _KEY.match(reason):
        try:
            return words.say(f"{prefix}.{reason}", **values)
        except KeyError:
            pass
    return inert(reason)


def _local(stamp: str, zone: tzinfo) -> datetime:
    return datetime.fromisoformat(stamp).astimezone(zone)


def _said(run: Run, one: Happened, words: Words) -> str:
    step = run.step(one.step) if one.step else None
    parts = [words.say(_key(one, step), **_values(run, one, words))]
    detail = dict(one.values).get("detail", "")
    if detail:
        parts.append(inert(detail))
    if step and one.what in {"step_done", "step_failed", "step_uncertain"}:
        parts += _targets(step, words)
    return " · ".join(parts)


def _key(one: Happened, step: Step | None) -> str:
    unproved = one.what == "step_done" and step is not None and step.verified is not True
    return "evidence.step_done_unproved" if unproved else f"evidence.{one.what}"


def _values(run: Run, one: Happened, words: Words) -> Mapping[str, str]:
    """The placeholders of a sentence: texts from elsewhere made harmless, keys in words, hashes cut."""
    given = dict(one.values)
    values = {**_NONE, "by": run.origin, "run": run.id, **given}
    said = {name: inert(value) for name, value in values.items()}
    if one.what == "proposed":
        said["by"] = proposer(run.origin, given.get("way", ""), words)
    said |= {name: value[:HASH] for name, value in said.items() if name in {"was", "digest"}}
    said["step"] = _number(run, one.step or given.get("step", ""))
    said["steps"] = numbers(run, given.get("steps", "").split())
    prefix = "step.reason" if one.what.startswith("step_") else "run.reason"
    reason = given.get("reason", "")
    said["reason"] = (
        words.say("plan.because", reason=reason_of(prefix, reason, words, values)) if reason else ""
    )
    said["cause"] = reason_of("evidence.cause", given.get("cause", "other"), words)
    for name, group in (("how", "plan.how"), ("status", "plan.status"), ("control", "control")):
        said[name] = reason_of(group, given.get(name, ""), words)
    left = int(given.get("left_out") or 0)
    said["left_out"] = words.plural("plan.left_out", left) if left else ""
    return said


def proposer(origin: str, way: str, words: Words) -> str:
    """Give who proposed a plan, in words; `way`: how it came where the origin does not say it."""
    if way:
        return reason_of("way", way, words)
    return words.say("who.person") if origin == "person" else inert(origin)


def numbers(run: Run, names: Collection[str]) -> str:
    """Give the numbers of steps as a note shows them, in the order of the plan."""
    return ", ".join(str(n) for n, step in enumerate(run.steps, 1) if step.id in names)


def _number(run: Run, name: str) -> str:
    return next((str(n) for n, step in enumerate(run.steps, 1) if step.id == name), inert(name))


def _targets(step: Step, words: Words) -> list[str]:
    """Etags before and after of each note that a step touched, and where the version before is kept."""
    parts = []
    for path in dict.fromkeys((*step.before, *step.after)):
        was, now = (_etag(known.get(path), words) for known in (step.before, step.after))
        kept = step.kept.get(path)
        where = words.say("evidence.kept", where=inert(kept)) if kept else ""
        parts.append(words.say("evidence.target", path=inert(path), before=was, after=now) + where)
    return parts


def _etag(etag: str | None, words: Words) -> str:
    if etag is None:
        return words.say("evidence.unknown")
    return etag[:HASH] if etag else words.say("evidence.absent")
