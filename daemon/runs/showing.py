"""What a plan note says of a step before it runs: effect, diff, proof, undo, and the rule that decided.

Each is one line, or a fence; what notes and requests hold stands as code, with what cannot be seen written out.
"""

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from config.i18n import Catalogue
from daemon.runs.evidence import short
from daemon.tools.effects import Change, Effects
from parsers.model.policy import Decision

_MOST = 40
"""Lines of a diff that are shown, a step."""
_WIDEST = 160
_TICKS = re.compile("`+")
Reasons = Sequence[Sequence[str]]
"""Catalogue key below `policy.reason.`, and what it is about; as JSON gives them back too."""


def code(text: str) -> str:
    """Give a text as one span of code: shortened, on one line, with what cannot be seen written out."""
    seen = _cut(text)
    ticks = "`" * (max((len(run) for run in _TICKS.findall(seen)), default=0) + 1)
    pad = " " if not seen or "`" in (seen[0], seen[-1]) else ""
    return f"{ticks}{pad}{seen}{pad}{ticks}"


def _cut(text: str) -> str:
    seen = "".join(sign if sign.isprintable() else _written(sign) for sign in text[:_WIDEST])
    return f"{seen}…" if len(text) > _WIDEST else seen


def _written(sign: str) -> str:
    return "    " if sign == "\t" else sign.encode("unicode_escape").decode()


def lines(
    words: Catalogue, call: str, effects: Effects, decision: Decision, undo: str | None, *, proves: bool
) -> tuple[str, ...]:
    """Give the lines of a step: what it calls first; `undo` says what undoing does, None: it cannot be undone."""
    return (
        call,
        words.say("step.effect", text=effect_said(effects, words, call)),
        *_diffs(words, effects.changes),
        _proof(words, effects, proves=proves),
        words.say("step.undo", text=undo) if undo is not None else words.say("step.undo.none"),
        decided(words, decision),
    )


def target(args: Mapping[str, Any], effects: Effects) -> str:
    """Give the note a step is about: the one its call names, else those it changes, at most three."""
    named = [args[name] for name in ("path", "to") if isinstance(args.get(name), str)]
    if named:
        return " → ".join(map(code, named))
    names = [code(change.path) for change in effects.changes[:3]]
    return ", ".join([*names, "…"] if len(effects.changes) > 3 else names)


def decided(words: Catalogue, decision: Decision) -> str:
    """Give the line that says what the policy asks for, and which rule asks."""
    said = words.say(f"decision.{decision.kind}")
    why = reasons_said(words, decision.reasons)
    return words.say(
        "step.decision" if not why else "step.decision.why", said=said, rule=decision.rule, why=why
    )


def reasons_said(words: Catalogue, reasons: Reasons) -> str:
    """Give the facts that a rule used."""
    return "; ".join(reason_said(words, key, value) for key, value in reasons)


def reason_said(words: Catalogue, key: str, value: str) -> str:
    """Give one fact that a rule used."""
    return words.say(f"policy.reason.{key}", value=code(value) if value else "").rstrip()


def effect_said(effects: Effects, words: Catalogue, otherwise: str) -> str:
    """Give what effects do, in words; `otherwise` for a tool that has none."""
    key = f"tool.effect.{effects.says}"
    if key not in words.sentences:
        return otherwise
    values = {
        name: code(value) if isinstance(value, str) else value for name, value in effects.values.items()
    }
    return words.say(key, **values)


def _proof(words: Catalogue, effects: Effects, *, proves: bool) -> str:
    if not proves:
        return words.say("step.proof.none")
    after = ", ".join(f"{code(path)} {short(etag)}" for path, etag in effects.after().items())
    return words.say("step.proof", notes=after) if after else words.say("step.proof.tool")


def _diffs(words: Catalogue, changes: Iterable[Change]) -> Iterator[str]:
    room = _MOST
    for change in changes:
        if change.before == change.after and change.moved_from is not None:
            continue
        found = list(_diff(change))
        if not found:
            continue
        yield words.say("step.diff", note=code(change.path))
        if room:
            yield "\n".join(["```diff", *map(_cut, found[:room]), "```"])
        if len(found) > room:
            yield words.say("step.diff.more", number=words.number(len(found) - room))
        room = max(0, room - len(found))


def _diff(change: Change) -> Iterator[str]:
    before, after = _split(change.before), _split(change.after)
    if before is None or after is None:
        return
    yield from list(difflib.unified_diff(before, after, lineterm="", n=2))[2:]


def _split(data: bytes | None) -> list[str] | None:
    """Give a note's lines, without their line feeds; None for what is no text."""
    try:
        text = (data or b"").decode("utf-8")
    except UnicodeDecodeError:
        return None
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines
