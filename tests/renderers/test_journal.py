"""Journal.md from records: days newest first, one line an event, what was taken back collapsed."""

from datetime import date
from zoneinfo import ZoneInfo

from config.i18n import catalogue
from parsers.model.register import Record
from renderers.journal import JournalView, Notes, kept, render, view
from renderers.journal_runs import Known

WORDS = catalogue("fr")
PARIS = ZoneInfo("Europe/Paris")


def record(at: str, op: str, by: str = "person", **body: object) -> Record:
    return Record(0, at, op, by, body)


NOTES = Notes(
    "99_Assistant/Profil.md",
    "99_Assistant/Autonomie.md",
    "99_Assistant/now.md",
    "99_Assistant/Personnes.md",
)


def days(*records: Record, known: Known | None = None) -> dict[date, tuple[str, ...]]:
    shown = view(records, known or Known(), [], PARIS, WORDS, NOTES)
    return dict(shown.days)


def test_days_are_local_and_newest_first():
    shown = days(
        record("2026-11-29T22:30:00.000Z", "host.taken", name="un"),
        record("2026-11-29T23:30:00.000Z", "host.taken", name="deux"),
    )
    assert list(shown) == [date(2026, 11, 30), date(2026, 11, 29)]
    assert shown[date(2026, 11, 30)] == ("- 00:30 Machine hôte : deux",)


def test_at_most_three_hundred_lines_are_shown_and_the_newest_kept():
    every = [
        record(f"2026-11-30T10:{n // 60:02d}:{n % 60:02d}.000Z", "host.taken", name=str(n))
        for n in range(400)
    ]
    (lines,) = days(*every).values()
    assert len(lines) == 300
    assert lines[0].endswith("399")


def test_operations_that_are_not_shown_leave_no_line():
    assert days(record("2026-11-30T10:00:00.000Z", "fact.seen", id="f-00000000")) == {}


def test_rendering_ends_with_the_months_of_the_register():
    text = render(JournalView((), ("2026-12", "2026-11")), WORDS, "99_Assistant/Registre")
    assert text.endswith(
        "[[99_Assistant/Registre/2026-12|2026-12]] · [[99_Assistant/Registre/2026-11|2026-11]]\n"
    )
    assert WORDS.say("journal.empty") in text


def test_what_a_plan_holds_is_not_kept_for_the_journal_and_its_lines_are_the_same_without_it():
    one = record(
        "2026-11-30T10:00:00.000Z", "plan.proposed", id="r-9c3v7b2k", steps=[{"args": "secret"}], why=""
    )
    assert dict(kept(one).body) == {"id": "r-9c3v7b2k"}
    fact = record("2026-11-30T10:00:00.000Z", "fact.asserted", id="f-00000000", why="a field of another")
    assert kept(fact) is fact
