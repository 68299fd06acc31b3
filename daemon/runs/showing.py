"""What a plan note says of a step before it runs: effect, diff, proof, undo, and the rule that decided.

Each is one line, or a fence; what notes and requests hold stands as code, with what cannot be seen written out.
"""

import difflib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from config.i18n import Catalogue
from daemon.runs.evidence import short
from daemon.tools.effects import Change, Effects
from daemon.tools.tool import Tool
from parsers.model.policy import Decision
from renderers.plan_text import fence_run

_MOST = 40
"""Lines of a diff that are shown, a step."""
_LEAST = 4
_MOST_OF_ALL = 2_000
"""Lines of diffs in one plan: its note has to stay one that can be read."""
_MOST_SENT = 100
"""Lines of a text that leaves."""
_SPANS = 20
"""Values that stand on one line."""
_WIDEST = 160
_COMPARED = 400
"""Lines up to which two versions are compared: finding the shortest difference takes the cube of it at worst."""
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
    seen = _seen(text[: _WIDEST + 1])
    return f"{seen[:_WIDEST]}…" if len(seen) > _WIDEST else seen


def _seen(text: str) -> str:
    return "".join(sign if sign.isprintable() else _written(sign) for sign in text)


def _written(sign: str) -> str:
    return "    " if sign == "\t" else sign.encode("unicode_escape").decode()


def lines(
    words: Catalogue,
    call: str,
    effects: Effects,
    decision: Decision,
    undo: str | None,
    *,
    proves: bool,
    sent: Sequence[str] = (),
    room: int = _MOST,
) -> tuple[str, ...]:
    """Give the lines of a step: what it calls first; `undo` says what undoing does, None: it cannot be undone.

    `sent`: what leaves (see `sent`); `room`: lines of diffs (see `room`).
    """
    return (
        call,
        words.say("step.effect", text=effect_said(effects, words, call)),
        *sent,
        *_diffs(words, effects.changes, room),
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


def room(writes: int) -> int:
    """Give how many lines of diffs a step may show in a plan with so many writes."""
    return max(_LEAST, min(_MOST, _MOST_OF_ALL // max(writes, 1)))


# ---- what leaves


def sent(words: Catalogue, tool: Tool, args: Mapping[str, Any]) -> tuple[str, ...]:
    """Give every argument of a call that leaves, whole: what approves it has to show it (R-P05).

    What decides stands as code; a text, or what is too long for a line, in a fence. Only a text is cut short, by
    lines, and how many are left is said.
    """
    if tool.effect == "internal" and not tool.third_party:
        return ()
    return tuple(entry for name, value in args.items() for entry in _sent(words, tool, name, value))


def _sent(words: Catalogue, tool: Tool, name: str, value: Any) -> Iterator[str]:
    text = tool.role(name) == "text"
    spans = None if text else _spans(value)
    if spans is None:
        yield words.say("step.sent.text", name=code(name))
        yield from _written_out(words, name, value, _MOST_SENT if text else None)
        return
    for start in range(0, len(spans), _SPANS):
        row = ", ".join(spans[start : start + _SPANS])
        yield words.say("step.sent", name=code(name), value=row)


def _spans(value: Any) -> list[str] | None:
    """Give values that each fit a line, as code; None for what does not, or is a record."""
    found = [_text(one) for one in (value if isinstance(value, list | tuple) else (value,))]
    fit = all(one is not None and len(_seen(one[: _WIDEST + 1])) <= _WIDEST for one in found)
    return [code(one) for one in found if one is not None] if fit and found else None


def _text(value: Any) -> str | None:
    if isinstance(value, str):
        return value
    return None if isinstance(value, Mapping | list | tuple) else json.dumps(value)


def _written_out(words: Catalogue, name: str, value: Any, most: int | None) -> Iterator[str]:
    """Give a fence of a value's lines, each folded to what is seen of it."""
    said = _text(value)
    text = json.dumps(value, ensure_ascii=False, indent=1) if said is None else said
    folded = [part for line in text.split("\n") for part in _folded(_seen(line))]
    shown = folded[:most]
    run = fence_run("\n".join(shown))
    yield "\n".join([f"{run}text", *shown, run])
    if len(folded) > len(shown):
        more, where = words.number(len(folded) - len(shown)), words.say("plan.heading.plan")
        yield words.say("step.sent.more", number=more, name=code(name), where=where)


def _folded(line: str) -> list[str]:
    return [line[start : start + _WIDEST] for start in range(0, len(line), _WIDEST)] or [""]


# ---- differences


def _diffs(words: Catalogue, changes: Iterable[Change], room: int) -> Iterator[str]:
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
    start, end = _common(before, after)
    was, comes = before[start : len(before) - end], after[start : len(after) - end]
    if len(was) + len(comes) <= _COMPARED:
        yield from list(difflib.unified_diff(before, after, lineterm="", n=2))[2:]
        return
    yield f"@@ -{start + 1},{len(was)} +{start + 1},{len(comes)} @@"
    yield from (f"-{line}" for line in was)
    yield from (f"+{line}" for line in comes)


def _common(before: Sequence[str], after: Sequence[str]) -> tuple[int, int]:
    """Give how many lines two versions begin and end with alike."""
    most = min(len(before), len(after))
    start = next((at for at in range(most) if before[at] != after[at]), most)
    rest = most - start
    return start, next((at for at in range(rest) if before[-1 - at] != after[-1 - at]), rest)


def _split(data: bytes | None) -> list[str] | None:
    """Give a note's lines, without their line feeds; None for what is no text."""
    try:
        text = (data or b"").decode("utf-8")
    except UnicodeDecodeError:
        return None
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines
