"""Decide: state + edits + moment → events. Pure and total: the same inputs give the same events (memory.md)."""

from collections.abc import Sequence
from typing import assert_never

from daemon.memory import answers, clock, hand, proposals
from daemon.memory.moment import Deliberation, Moment
from daemon.memory.pairing import Line, NoteReading, pair
from daemon.memory.state import State
from parsers.model.edits import (
    Answer,
    CardGone,
    ClockTick,
    Correct,
    Edit,
    Forget,
    Lines,
    LinesSettled,
    Remember,
)
from parsers.model.register import Event
from parsers.sameness import folded

_LAST = (Correct, Forget, ClockTick)
"""Taken after the lines: whatever these say is corrected, forgotten or reviewed too."""


def decide(
    state: State,
    moment: Moment,
    readings: Sequence[NoteReading],
    edits: Sequence[Edit],
) -> tuple[Event, ...]:
    """Give the events that the notes read in one pass and other edits come to; `state` is left as it is."""
    work = begin(state, moment, readings)
    deliberate(work, readings, edits)
    return tuple(work.events)


def begin(state: State, moment: Moment, readings: Sequence[NoteReading] = ()) -> Deliberation:
    """Give the scratch on which a pass decides."""
    if any(reading.statements for reading in readings):
        state.same_core("")
    return Deliberation(state.fork(), moment)


def deliberate(work: Deliberation, readings: Sequence[NoteReading], edits: Sequence[Edit]) -> None:
    """Decide what the notes read in one pass and other edits come to."""
    for edit in edits:
        if not isinstance(edit, _LAST):
            _take(work, edit)
    if readings:
        paired = pair(readings, work.state, work.moment)
        hand.take_lines(work, paired)
        hand.say_again(work, tuple(line for line in paired.lines if _said_anew(line, readings)))
    for edit in edits:
        if isinstance(edit, _LAST):
            _take(work, edit)
    answers.withdraw_moot(work)


def _said_anew(line: Line, readings: Sequence[NoteReading]) -> bool:
    """A repeated line counts once: when it was not among what stood there. Forgotten `shown`: it does not count."""
    shown = next(reading.shown for reading in readings if reading.note == line.note)
    return (
        line.how == "repeat"
        and shown is not None
        and folded(line.spot.says.wording.text) not in shown.repeats
    )


def _take(work: Deliberation, edit: Edit) -> None:
    match edit:
        case Remember():
            work.by = edit.origin
            proposals.remember(work, edit)
            work.by = "person"
        case Correct():
            proposals.correct_fact(work, edit)
        case Forget():
            proposals.forget(work, edit)
        case Answer():
            answers.answer(work, edit)
        case CardGone():
            answers.hide(work, edit)
        case Lines():
            answers.ask_lines(work, edit)
        case LinesSettled():
            answers.settle_lines(work, edit)
        case ClockTick():
            work.by = "scheduled"
            clock.tick(work)
            work.by = "person"
        case _:
            assert_never(edit)
