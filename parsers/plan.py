"""Plans/*.md → what the person ticked and typed there, and what its fence would run (vault-notes.md, Plans).

Nothing here decides whether a tick counts: that takes the run. What is no tick at all, whatever the run, is none here.
"""

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

from parsers.frame import Frame
from parsers.model.notes import Properties, Section
from parsers.model.places import NotePath, Problem
from parsers.model.runs import Control, Input
from parsers.plan_lines import APPROVE, CODE, COUNTING, REFUSE, Fence, Layout, OwnLine, shown_hash

KIND = "plan"
"""What the property `clavaire` of a plan note says."""
NOWHERE = NotePath("")
_DIGITS = re.compile(r"(?<!\d)(?:[0-9][ \u00a0\u202f]?){5}[0-9](?!\d)", re.ASCII)
_LABEL = re.compile(r"\S+[\s:,;–—-]*")


class Unreadable(ValueError):
    """Why a text is no step, or a step is none that can be digested; the text says it in English, for the log."""


@dataclass(frozen=True, slots=True)
class SaidStep:
    """One step as the fence says it."""

    id: str
    tool: str
    args: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PlanSaid:
    """What a plan note says."""

    plan: bool
    """Whether it is a plan note at all: its property `clavaire` says so."""
    run: str | None
    digest: str | None
    """The property: that of the plan which was last shown here."""
    steps: tuple[SaidStep, ...]
    """What the one fence of the section `plan` holds; none when it cannot be read."""
    shown: str
    """Hash of the section `steps` without its boxes, `""` when there is none."""
    approve: bool
    refuse: bool
    reason: str
    """What the person wrote at the box that refuses."""
    code: str | None
    """The six digits typed."""
    left_out: tuple[str, ...]
    """Steps whose box is ticked: before approval, those that are left out."""
    controls: tuple[tuple[Control, int], ...]
    """Controls that are ticked, each with the number it carries."""
    touched: bool
    """Whether anything stands in a box of the section `approval`, counting or not."""
    lines: tuple[OwnLine, ...]
    fences: tuple[Fence, ...]
    properties: Properties
    problems: tuple[Problem, ...]


class Called(Protocol):
    """A step, said or planned."""

    @property
    def id(self) -> str:
        """Its id."""
        ...

    @property
    def tool(self) -> str:
        """The tool that it calls."""
        ...

    @property
    def args(self) -> Mapping[str, Any]:
        """With what."""
        ...


def parse(text: str, frame: Frame, path: NotePath = NOWHERE) -> PlanSaid:
    """Give what a well-formed plan note says; problems are about `path`."""
    layout = Layout(text)
    sections = {section.name: section for section in frame.sections}
    lines = layout.own_lines(sections.values())
    standing = _standing(layout, lines)
    single = {name for name, at in standing.items() if len(at) == 1}
    ticked = [one for one in lines if one.ticked and (one.section == "steps" or one.id in single)]
    refusal = next((one for one in ticked if one.id == REFUSE), None)
    fences = tuple(layout.fences(sections["plan"])) if "plan" in sections else ()
    steps, problems = _steps(fences, path)
    values = layout.properties.values
    return PlanSaid(
        plan=values.get("clavaire") == KIND,
        run=_text(values.get("run")),
        digest=_text(values.get("digest")),
        steps=steps,
        shown=_shown(text, sections.get("steps")),
        approve=any(one.id == APPROVE for one in ticked),
        refuse=refusal is not None,
        reason=_reason(refusal) if refusal else "",
        code=next(filter(None, (_code(one) for one in lines if one.id == CODE and CODE in single)), None),
        left_out=tuple(dict.fromkeys(one.id for one in ticked if one.section == "steps")),
        controls=tuple(_control(one) for one in ticked if one.section == "controls"),
        touched=any(one.char not in {None, " "} for one in lines if one.section == "approval"),
        lines=lines,
        fences=fences,
        properties=layout.properties,
        problems=(*problems, *_doubled(standing, path)),
    )


def digest_of(run: str, nonce: str, steps: Iterable[Called], inputs: Iterable[Input]) -> str:
    """Give the digest of a plan: SHA-256 of the canonical JSON of what runs and of what it was made from.

    Raises:
        Unreadable: an argument holds what has no canonical form, a float say.
    """
    whole = {
        "run": run,
        "nonce": nonce,
        "steps": [{"id": one.id, "tool": one.tool, "args": one.args} for one in steps],
        "inputs": [{"path": one.path, "etag": one.etag} for one in inputs],
    }
    return hashlib.sha256(canonical(whole)).hexdigest()


def canonical(value: object) -> bytes:
    """Give a value's canonical JSON: UTF-8, keys sorted, no spaces, strings as they are, no floats.

    Raises:
        Unreadable: it has none.
    """
    try:
        plain = _plain(value)
        return json.dumps(plain, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
    except UnicodeEncodeError as error:
        raise Unreadable("a text that is no UTF-8") from error
    except RecursionError as error:
        raise Unreadable("a value nested too deep") from error


def _plain(value: object) -> object:
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, Mapping):
        if not all(isinstance(key, str) for key in value):
            raise Unreadable("a key that is no text")
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    raise Unreadable(f"a value of type {type(value).__name__}")


def json_line(raw: str) -> Any:
    """Give the value of a JSON text.

    Raises:
        Unreadable: it is none, or holds a float, a name twice, or a text that is no UTF-8.
    """
    try:
        value = json.loads(
            raw, object_pairs_hook=_unique, parse_float=_no_float, parse_constant=_no_float
        )  # fmt: skip
    except (ValueError, RecursionError) as error:
        raise Unreadable(str(error)) from error
    canonical(value)
    return value


def _unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) < len(pairs):
        raise Unreadable("a name that stands twice")
    return dict(pairs)


def _no_float(said: str) -> float:
    raise Unreadable(f"a number that is not whole: {said}")


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _shown(text: str, section: Section | None) -> str:
    return shown_hash(text[section.start : section.end]) if section else ""


def _steps(fences: Sequence[Fence], path: NotePath) -> tuple[tuple[SaidStep, ...], list[Problem]]:
    if len(fences) > 1:
        return (), [Problem(path, fences[1].line, "plan_fences")]
    steps: list[SaidStep] = []
    for fence in fences:
        for number, raw in enumerate(fence.content.split("\n"), fence.line + 1):
            if raw.strip():
                try:
                    steps.append(_step(json_line(raw)))
                except Unreadable:
                    return (), [Problem(path, number, "plan_step_unreadable")]
    return tuple(steps), []


def _step(value: Any) -> SaidStep:
    if not isinstance(value, dict) or value.keys() != {"id", "tool", "args"}:
        raise Unreadable("a step has id, tool and args")
    if not (isinstance(value["id"], str) and isinstance(value["tool"], str)):
        raise Unreadable("id and tool are texts")
    if not isinstance(value["args"], dict):
        raise Unreadable("args is an object")
    return SaidStep(value["id"], value["tool"], value["args"])


def _standing(layout: Layout, lines: Sequence[OwnLine]) -> dict[str, list[int]]:
    """Give the lines on which each id that counts once stands, in the whole note."""
    found: defaultdict[str, set[int]] = defaultdict(set)
    for block in layout.standing():
        if COUNTING.match(block.id):
            found[block.id.lower()].add(block.line)
    for one in lines:
        if COUNTING.match(one.id):
            found[one.id].add(one.line)
    return {name: sorted(at) for name, at in found.items()}


def _doubled(standing: Mapping[str, Sequence[int]], path: NotePath) -> list[Problem]:
    return [
        Problem(path, at[1], "plan_doubled", (("id", name),))
        for name, at in sorted(standing.items())
        if len(at) > 1
    ]


def _reason(line: OwnLine) -> str:
    """What stands behind the id, else behind the label, which is one word in every language."""
    return line.after or line.before[_end(_LABEL.match(line.before)) :].strip()


def _end(found: re.Match[str] | None) -> int:
    return found.end() if found else 0


def _code(line: OwnLine) -> str | None:
    found = _DIGITS.search(f"{line.before.partition(':')[2]} {line.after}")
    return re.sub(r"[^0-9]", "", found[0]) if found else None


def _control(line: OwnLine) -> tuple[Control, int]:
    name, _, number = line.id.partition("-")
    return cast("Control", name), int(number)
