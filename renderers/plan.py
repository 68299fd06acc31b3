"""A plan note: what it should say, written whole for a new one, else spliced into the person's (vault-notes.md, Plans).

Ours are the sections and seven properties. Before approval the boxes of the steps are the person's; from then on they
show what happened. The boxes of approval and controls are ours always: a tick that was read is taken out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from parsers.frame import Frame, frame_of
from parsers.model.controls import offered, taken_back, takes_code, wholly
from parsers.model.runs import BOX, Run, Step
from parsers.plan import KIND, PlanSaid, parse
from parsers.plan_lines import APPROVE, CODE, COUNTING, REFUSE, SECTIONS, STATE, Layout
from renderers.plan_evidence import evidence, numbers, reason_of
from renderers.plan_properties import property_lines, with_properties
from renderers.plan_sections import Keyed, ShownStep, by_section, content, fence, keyed, steps
from renderers.plan_text import child_shown, fence_lines, first_shown, inert, plain
from renderers.splice import Splice, spliced
from renderers.words import Words

_TITLE = 60
_NAME_BYTES = 200


@dataclass(frozen=True, slots=True)
class PlanView:
    """What a plan note should say."""

    run: str
    digest: str
    properties: tuple[tuple[str, str], ...]
    top: tuple[str, ...]
    """The lines of a new note above its first section."""
    headings: tuple[tuple[str, tuple[str, ...]], ...]
    """Section → the lines above it, where a new note has some."""
    open: bool
    """It waits for approval: steps that vanished come back."""
    approval: Keyed
    steps: tuple[ShownStep, ...]
    controls: Keyed
    evidence: Keyed
    fence: tuple[str, ...]

    def lines(self, section: str) -> tuple[str, ...]:
        """Give the lines of a section made anew."""
        if section == "steps":
            return tuple(line for step in self.steps for line in step.lines())
        known = {"approval": self.approval, "controls": self.controls, "evidence": self.evidence}
        return tuple(line for _, line in known[section]) if section in known else self.fence


def view(run: Run, zone: tzinfo, words: Words, *, every_code: bool = False) -> PlanView:
    """Give what the note of a run says; `every_code` tells whether every approval takes a code."""
    waits = run.status in {"proposed", "awaiting_approval"}
    coded = takes_code(run, every_code=every_code)
    why = (inert(run.why),) if plain(run.why) else ()
    return PlanView(
        run=run.id,
        digest=run.digest,
        properties=_properties(run, zone),
        top=(
            f"# {inert(run.title) or words.say('plan.untitled')}",
            *(line for one in why for line in ("", words.say("plan.why", why=one))),
        ),
        headings=(
            ("steps", (f"## {words.say('plan.heading.steps')}", words.say("plan.intro.steps"))),
            ("plan", (f"## {words.say('plan.heading.plan')}",)),
        ),
        open=waits,
        approval=_asking(run, words, coded=coded) if waits else (_state(run, zone, words),),
        steps=tuple(_step(step, number, waits=waits) for number, step in enumerate(run.steps, 1)),
        controls=_controls(run, words),
        evidence=evidence(run, zone, words),
        fence=fence_lines(run.steps),
    )


def _properties(run: Run, zone: tzinfo) -> tuple[tuple[str, str], ...]:
    status = "awaiting_approval" if run.status == "proposed" else run.status
    stated = {"clavaire": KIND, "run": run.id, "status": status, "origin": plain(run.origin)}
    dates = {"requested": _stamp(run.requested_at, zone), "expires": _stamp(run.expires_at, zone)}
    return tuple({**stated, **dates, "digest": run.digest}.items())


def _stamp(at: str, zone: tzinfo) -> str:
    return datetime.fromisoformat(at).astimezone(zone).isoformat(timespec="seconds") if at else ""


def _asking(run: Run, words: Words, *, coded: bool) -> Keyed:
    uncertain = any(step.status == "uncertain" for step in run.steps)
    label = words.say("plan.approve_again" if uncertain else "plan.approve", what=_counted(run, words))
    code = ((CODE, f"- {words.say('plan.code')}  ^{CODE}"),) if coded else ()
    return (
        (APPROVE, f"- [ ] {label} ^{APPROVE}"),
        (REFUSE, f"- [ ] {words.say('plan.refuse')} ^{REFUSE}"),
        *code,
    )


def _counted(run: Run, words: Words) -> str:
    """How many writes a plan makes, and how many of them cannot be undone."""
    writes = [step for step in run.steps if step.risk != "READ"]
    if not writes:
        return words.say("plan.no_write")
    lasting = sum(not step.undoable for step in writes)
    if lasting == 0:
        undo = words.plural("plan.undoable", len(writes))
    elif lasting == len(writes):
        undo = words.plural("plan.lasting_all", lasting)
    else:
        undo = words.plural("plan.lasting", lasting)
    return f"{words.plural('plan.writes', len(writes))}, {undo}"


def _state(run: Run, zone: tzinfo, words: Words) -> tuple[str, str]:
    """The one line that stands where the boxes stood."""
    parts = []
    if run.approved_at:
        at = datetime.fromisoformat(run.approved_at).astimezone(zone)
        how = reason_of("plan.how", run.approved_how, words)
        parts.append(words.say("plan.approved", day=f"{at:%Y-%m-%d}", time=f"{at:%H:%M:%S}", how=how))
    status = reason_of("plan.status", run.status, words)
    if run.reason:
        status += words.say("plan.because", reason=reason_of("run.reason", run.reason, words))
    parts.append(status)
    undone = taken_back(run)
    if run.undone_by and wholly(run, undone):
        parts.append(words.say("plan.undone_by", run=run.undone_by))
    elif undone:
        parts.append(words.say("plan.undone_partly", steps=numbers(run, undone)))
    return STATE, f"- {' · '.join(parts)} ^{STATE}"


def _step(step: Step, number: int, *, waits: bool) -> ShownStep:
    first, *children = step.shows or (f"`{step.tool}`",)
    lines = tuple(line for entry in children for line in child_shown(entry))
    box = None if waits and step.status == "waiting" else BOX[step.status]
    return ShownStep(step.id, f"**{number}** {first_shown(first)}", lines, box)


def _controls(run: Run, words: Words) -> Keyed:
    names = [(f"{one}-{run.transition}", reason_of("control", one, words)) for one in offered(run)]
    return tuple((name, f"- [ ] {label} ^{name}") for name, label in names)


def render(shows: PlanView, text: str | None, frame: Frame | None, said: PlanSaid | None) -> str:
    """Give the note's text: a new one when there is none, else the one there is with what is ours in it brought up.

    A plan note that does not name the run yet is a proposal: its sections are made anew and its ticks are taken out.
    """
    if text is None or frame is None or said is None:
        return _new(shows)
    if said.plan and said.run != shows.run:
        return _completed(shows, text, frame, said)
    done = spliced(text, _splices(shows, text, frame, said))
    return with_properties(done, said.properties, shows.properties)


def shown(shows: PlanView, text: str | None, frame: Frame | None, said: PlanSaid | None) -> str:
    """Give the hash of the steps as `render` leaves them: what a tick has to find (`parsers.plan.PlanSaid.shown`)."""
    return shown_in(render(shows, text, frame, said))


def shown_in(text: str) -> str:
    """Give the hash of the steps in the text of a plan note."""
    return parse(text, frame_of(text)).shown


def _splices(shows: PlanView, text: str, frame: Frame, said: PlanSaid) -> list[Splice]:
    own = by_section(said.lines)
    changed = said.digest is not None and said.digest != shows.digest
    hand = "" if said.touched or said.code or changed else CODE
    found: list[Splice] = []
    for section in frame.sections:
        lines = own.get(section.name, [])
        if section.name == "steps":
            found += steps(text, section, lines, shows.steps, emptied=changed, whole=shows.open)
        elif section.name == "plan":
            found += fence(text, section, said.fences, shows.fence)
        elif section.name in SECTIONS:
            wanted = {"approval": shows.approval, "controls": shows.controls, "evidence": shows.evidence}
            found += keyed(text, section, lines, wanted[section.name], hand)
    return found


def _new(shows: PlanView) -> str:
    lines = ["---", *property_lines(shows.properties), "---", *shows.top, ""]
    return "\n".join(lines) + "\n" + _sections(shows, SECTIONS, "\n")


def _sections(shows: PlanView, names: Sequence[str], eol: str) -> str:
    headings = dict(shows.headings)
    parts = []
    for name in names:
        above = "".join(line + eol for line in headings.get(name, ()))
        inside = content(shows.lines(name), eol)
        parts.append(f"{above}<!-- clavaire:begin {name} -->{eol}{inside}<!-- clavaire:end {name} -->{eol}")
    return eol.join(parts)


def _completed(shows: PlanView, text: str, frame: Frame, said: PlanSaid) -> str:
    """A proposal with its sections, its properties, and without the ticks it came with."""
    eol = "\r\n" if "\r\n" in text else "\n"
    ours = [section for section in frame.sections if section.name in SECTIONS]
    splices = [Splice(one.start, one.end, content(shows.lines(one.name), one.eol)) for one in ours]
    layout = Layout(text)
    boxes = layout.tasks()
    for block in layout.standing():
        inside = any(one.start <= block.start < one.end for one in ours)
        if not inside and COUNTING.match(block.id):
            splices += _disarmed(text, boxes.get(block.line), block.start, len(block.id) + 1)
    done = spliced(text, splices)
    missing = [name for name in SECTIONS if name not in {one.name for one in ours}]
    if missing:
        done += "" if done.endswith("\n") else eol
        done += ("" if done.endswith(eol * 2) else eol) + _sections(shows, missing, eol)
    return with_properties(done, said.properties, shows.properties)


def _disarmed(text: str, box: int | None, caret: int, length: int) -> list[Splice]:
    """A line that looks like one of ours where none of ours stands: its box is emptied, its id is taken off."""
    found = [Splice(caret - (text[caret - 1] in " \t"), caret + length, "")]
    return [*found, Splice(box, box + 1, " ")] if box is not None and box < caret else found


def note_name(run: Run, day: str) -> str:
    """Give the name of a run's note, without its folder: day, title and id."""
    kept = "".join(one if one.isalpha() or one.isdecimal() or one == "-" else " " for one in run.title)
    title = " ".join(kept.split())[:_TITLE].strip(" -")
    while len(title.encode()) > _NAME_BYTES:
        title = title[:-1]
    return " ".join(filter(None, (day, title, run.id))) + ".md"
