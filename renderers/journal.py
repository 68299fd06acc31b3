"""Journal.md: what happened lately, in words, newest day first; read-only (vault-notes.md, Journal)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, tzinfo

from parsers.model.facts import Fact
from parsers.model.register import Record
from renderers import journal_people, journal_runs
from renderers.journal_runs import Known
from renderers.words import Words

SHOWN = frozenset(
    {
        *("fact.asserted", "fact.rejected", "fact.restored", "fact.moved", "fact.refused", "fact.forgotten"),
        *("card.opened", "card.answered", "reminder.given", "host.taken", "purged", "register.accepted"),
        "now.written",
        *journal_people.SHOWN,
        *journal_runs.SHOWN,
    }
)
"""Operations that may leave a line."""

_UNSAID = frozenset({"steps", "inputs", "why"})
"""What the records of plans carry that no line says."""
_QUIET_CARDS = ("proposal", "update", "forget", "reminder")
MAX_LINES = 300
"""Those the note holds at the most: the newest."""


@dataclass(frozen=True, slots=True)
class JournalView:
    """What Journal.md should say: (day, lines) newest first, and the links to the months of the register."""

    days: tuple[tuple[date, tuple[str, ...]], ...]
    months: tuple[str, ...]

    @property
    def full(self) -> bool:
        """Whether earlier records would change nothing: it says as much as it ever does."""
        return sum(len(lines) for _, lines in self.days) == MAX_LINES


@dataclass(slots=True)
class _Entry:
    at: datetime
    fact: str
    how: str
    line: str


@dataclass(frozen=True, slots=True)
class Notes:
    """The notes that lines link to."""

    profile: str
    autonomy: str
    now: str
    people: str


def kept(record: Record) -> Record:
    """Give a record with all that its line may say of it, and no more: plans and now.md carry whole notes."""
    if record.op == "now.written":
        return replace(record, body={})
    if not record.body.keys() & _UNSAID or record.op.startswith(("fact.", "card.", "run.")):
        return record
    return replace(record, body={name: said for name, said in record.body.items() if name not in _UNSAID})


def view(
    records: Sequence[Record],
    known: Known,
    months: Sequence[str],
    zone: tzinfo,
    words: Words,
    notes: Notes,
) -> JournalView:
    """Give the lines of these records (oldest first); `months` are the register's."""
    entries: list[_Entry] = []
    for record in records:
        if record.op not in SHOWN:
            continue
        at = datetime.fromisoformat(record.at).astimezone(zone)
        name = f"{record.body.get('id', '')}".partition(".")[0]
        how = str(record.body.get("how", record.op.partition(".")[2]))
        _collapse(entries, name, how)
        lines = _lines(record, known, words, notes)
        entries += [_Entry(at, name, how, f"- {at:%H:%M} {line}") for line in lines if line]
    days: dict[date, list[str]] = {}
    for entry in reversed(entries[-MAX_LINES:]):
        days.setdefault(entry.at.date(), []).append(entry.line)
    return JournalView(tuple((day, tuple(lines)) for day, lines in days.items()), tuple(months))


def _collapse(entries: list[_Entry], name: str, how: str) -> None:
    """One line for what was reworded, accepted or taken back within the window, not one for each step (rule 11)."""
    replaced = {
        "corrected": ("stated", "corrected", "changed", "accepted", "revived"),
        "accepted": ("proposed",),
        "changed": ("rejected", "restored"),
        "restored": ("rejected",),
    }.get(how, ())
    if entries and replaced:
        for at in range(len(entries) - 1, -1, -1):
            if entries[at].fact == name:
                if entries[at].how in replaced:
                    del entries[at]
                return


def _lines(record: Record, known: Known, words: Words, notes: Notes) -> Iterable[str]:
    if record.op in journal_runs.SHOWN:
        return journal_runs.lines(record, known, words, _who(record.by, words), notes.autonomy)
    if record.op == "now.written":
        link = f"[[{notes.now.removesuffix('.md')}|{notes.now.rpartition('/')[2]}]]"
        return (words.say("journal.now.written", who=_who(record.by, words), link=link),)
    if record.op in journal_people.SHOWN:
        return (journal_people.line(record, known.entity, words, _who(record.by, words), notes.people),)
    return (_line(record, known, words, notes),)


def _line(record: Record, known: Known, words: Words, notes: Notes) -> str:
    body: Mapping[str, object] = record.body
    noun, _, verb = record.op.partition(".")
    if noun == "fact":
        fact = known.fact(str(body["id"]))
        return _fact_line(record, fact, verb, words, known.note(fact) or notes.profile) if fact else ""
    who = _who(record.by, words)
    if noun == "card":
        if body.get("kind") in _QUIET_CARDS or verb != "opened":
            return ""
        kind, text = body["kind"], str(body["text"]).replace("\n", " · ")
        return words.say(f"journal.card.{kind}", text=text, note=body.get("note") or "", who=who)
    if record.op == "reminder.given":
        waiting = body.get("cards")
        number = len(waiting) if isinstance(waiting, list) else 0
        return words.say("journal.reminder", number=number, who=who) if number else ""
    return words.say(f"journal.{record.op}", name=body.get("name", ""), who=who)


def _fact_line(record: Record, fact: Fact, verb: str, words: Words, note: str) -> str:
    text = str(record.body.get("text") or fact.text).partition("\n")[0]
    if fact.status == "forgotten":
        text = words.say("journal.forgotten_text")
    how = str(record.body.get("how", verb))
    line = words.say(f"journal.fact.{how}", text=text, who=_who(record.by, words))
    if fact.status == "confirmed" and fact.retracted_at is None:
        note = note.removesuffix(".md")
        line += f" · [[{note}#^{fact.anchor or fact.id}|{note.rpartition('/')[2]}]]"
    return line


def _who(by: str, words: Words) -> str:
    known = {"person": "who.person", "scheduled": "who.scheduled", "undo": "who.undo"}
    return words.say(known[by]) if by in known else by


def render(shows: JournalView, words: Words, register_folder: str) -> str:
    """Give the whole note."""
    lines = [words.say("journal.title"), "", words.say("journal.intro"), ""]
    for day, entries in shows.days:
        lines += [f"## {day.isoformat()}", "", *entries, ""]
    if not shows.days:
        lines += [words.say("journal.empty"), ""]
    if shows.months:
        links = " · ".join(f"[[{register_folder}/{month}|{month}]]" for month in shows.months)
        lines += [words.say("journal.register", links=links), ""]
    return "\n".join(lines)
