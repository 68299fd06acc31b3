"""Decide: state + edits + moment → events. Pure and total: the same inputs give the same events (memory.md)."""

from collections.abc import Sequence
from typing import assert_never

from daemon.memory import answers, clock, hand, now_edits, people, people_lines, proposals
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
    ForgetAsked,
    Lines,
    LinesSettled,
    NowGiven,
    NowWrite,
    Remember,
    SessionEnded,
)
from parsers.model.register import Event
from parsers.sameness import said_key

_LAST = (Correct, Forget, ForgetAsked, ClockTick)
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
        known = people_lines.take_people(work, readings)
        readings = known.readings
        paired = pair(readings, work.state, work.moment)
        hand.take_lines(work, paired, known.gone)
        hand.say_again(work, tuple(line for line in paired.lines if _said_anew(line, readings)))
    for edit in edits:
        if isinstance(edit, _LAST):
            _take(work, edit)
    answers.withdraw_moot(work)
    people.see(work)


def _said_anew(line: Line, readings: Sequence[NoteReading]) -> bool:
    """A repeated line counts once: when it was not among what stood there. Forgotten `shown`: it does not count."""
    shown = next(reading.shown for reading in readings if reading.note == line.note)
    return (
        line.how == "repeat"
        and shown is not None
        and said_key(line.spot.says.wording.text, line.spot.entity) not in shown.repeats
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
        case ForgetAsked():
            work.by = edit.origin
            proposals.ask_to_forget(work, edit)
            work.by = "person"
        case Answer() | CardGone() | Lines() | LinesSettled():
            _take_card(work, edit)
        case ClockTick():
            work.by = "scheduled"
            clock.tick(work)
            work.by = "person"
        case NowWrite() | NowGiven() | SessionEnded():
            _take_now(work, edit)
        case _:
            assert_never(edit)


def _take_card(work: Deliberation, edit: Answer | CardGone | Lines | LinesSettled) -> None:
    match edit:
        case Answer():
            answers.answer(work, edit)
        case CardGone():
            answers.hide(work, edit)
        case Lines():
            answers.ask_lines(work, edit)
        case LinesSettled():
            answers.settle_lines(work, edit)
        case _:
            assert_never(edit)


def _take_now(work: Deliberation, edit: NowWrite | NowGiven | SessionEnded) -> None:
    work.by = edit.origin if isinstance(edit, NowWrite) else edit.client
    match edit:
        case NowWrite():
            now_edits.write(work, edit)
        case NowGiven():
            now_edits.give(work, edit)
        case SessionEnded():
            now_edits.end(work, edit)
        case _:
            assert_never(edit)
    work.by = "person"
