"""The context compiler: what an agent is given to know about a subject, within a budget of tokens (R-M06).

Sections in a fixed order, each with its share of the budget; what one leaves goes to the next. `now.md` comes first
and is cut, never dropped; facts are given whole or not at all, as half a fact may say the reverse; passages are cut.
Same state, same query, same day: the same bytes.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime, tzinfo
from types import MappingProxyType
from typing import NamedTuple

from config.paths import NAMES
from config.sections import Context as ContextSettings
from config.sections import Recall as RecallSettings
from daemon.index.declared import sensitivities
from daemon.index.rows import title_of
from daemon.recall.known import Source, is_pinned
from daemon.recall.people import relation
from daemon.recall.quotable import Quotable
from daemon.recall.recollecting import candidates, hit_of, known
from daemon.recall.score import relevance
from daemon.snapshot import Snapshot
from parsers.errors import ClavaireError
from parsers.model.entities import Entity
from parsers.model.facts import Fact
from parsers.model.recall import Context, Hit, Query
from renderers.context import CUT, Count, Part, cut, cut_line, framed, item, link, rendered, tokens, verbatim

LEAST = 200
"""The smallest budget: below it nothing of use stands beside the frame."""
_SHARES = {"now": 400, "profile": 700, "entities": 300, "facts": 700, "passages": 400}
"""Parts of a budget of 2,500; `procedures` shares with `profile`."""
_WHOLE = sum(_SHARES.values())
_NOW_MOST = 400
"""Tokens of now.md at most, whatever the budget; at least half of a small one may be its."""
_CANDIDATES = 40
_LEAST_CUT = 40
"""Tokens from which on the beginning of a passage is worth giving."""
_PROFILE = {"preference": "profile", "goal": "profile", "procedure": "procedures"}


class BudgetTooSmall(ClavaireError):
    """A budget leaves no room for a context."""


class NowNote(NamedTuple):
    """now.md, for a context."""

    text: bytes
    """As it stands."""
    says: Mapping[str, str] = MappingProxyType({})
    """What its tag says: who wrote it, on which day, with which provenance."""


class Limits(NamedTuple):
    """How much may stand in a context."""

    budget: int = ContextSettings().budget
    """Tokens at most."""
    threshold: float = RecallSettings().threshold
    """Score below which a hit is left out, its age aside."""
    count: Count = tokens
    """Gives the tokens of a text."""


def compiled(
    snapshot: Snapshot,
    query: str,
    *,
    external: bool,
    now: datetime,
    zone: tzinfo,
    note: NowNote | None = None,
    limits: Limits = Limits(),  # noqa: B008 - a tuple, which nobody can change
    quotable: Quotable | None = None,
) -> Context:
    """Give the context for a query, within the limits' budget.

    For an `external` reader nothing private or sensitive is in it, nor anything of the assistant folder but `note`,
    which is now.md. A note that `quotable` says no of gives nothing, nor does what was taken from it.

    Raises:
        BudgetTooSmall: the budget is below `LEAST`.
        NoIndex, IndexRefused, IndexOutdated: as for `Snapshot.open`.
    """
    if limits.budget < LEAST:
        raise BudgetTooSmall(f"a context takes at least {LEAST} tokens")
    asked = Query(query, _CANDIDATES, external=external, agent=external)
    with snapshot.still() as index:
        if external and sensitivities(index, [NAMES.now]).get(NAMES.now, "normal") != "normal":
            note = None
        subject = _Subject(snapshot, asked, now, zone, limits.threshold, quotable)
    filling = _Filling(limits.budget, limits.count, now.astimezone(zone).date().isoformat())
    if note is not None:
        filling.now(note)
    for share, sections in subject.sections():
        filling.add(share, sections)
    return filling.context()


_Lines = list[tuple[str, Hit | None]]
"""Lines of a section, best first, and the hits they give."""


class _Subject:
    """What is known of a subject, best first; the hits that count are those that reach the threshold."""

    def __init__(
        self,
        snapshot: Snapshot,
        query: Query,
        now: datetime,
        zone: tzinfo,
        threshold: float,
        quotable: Quotable | None,
    ) -> None:
        self._known = known(snapshot, query, zone)
        self._quotable: Quotable = quotable or (lambda _: True)
        self._day = now.astimezone(zone).date().isoformat()
        found = candidates(snapshot, query, now=now, zone=zone)
        self._named = found.entities
        self._hits = [hit for hit in found.hits if relevance(hit) >= threshold]
        facts = ((hit, self._holding(hit.id)) for hit in self._hits if hit.kind == "fact")
        self._facts = [(hit, fact) for hit, fact in facts if fact is not None]

    def _holding(self, name: str) -> Fact | None:
        """Give a fact as it holds on the day, None where the note it was taken from may not be quoted any more."""
        fact = self._known.holding(name, self._day)
        source = Source(fact).note if fact else ""
        taken = source.endswith(".md") and not source.startswith(f"{NAMES.assistant}/")
        return fact if not taken or self._quotable(source) else None

    def sections(self) -> Iterator[tuple[str, dict[str, _Lines]]]:
        """Give by share of the budget the sections that have it."""
        mine: dict[str, _Lines] = {"profile": [], "procedures": []}
        others: _Lines = []
        for hit, fact in (*self._facts, *self._pinned()):
            section = _PROFILE.get(fact.kind) if fact.entity_id is None else None
            (mine[section] if section else others).append((_fact_line(hit, fact), hit))
        yield "profile", mine
        yield "entities", {"entities": [(line, None) for line in self._people()]}
        yield "facts", {"facts": others}
        blocks = (hit for hit in self._hits if hit.kind == "block" and hit.note != NAMES.now)
        passages = [hit for hit in blocks if self._quotable(hit.note)]
        yield "passages", {"passages": [(_passage_line(hit), hit) for hit in passages]}

    def _pinned(self) -> Iterator[tuple[Hit, Fact]]:
        """Preferences, goals and procedures that stand in every context, whether they match or not."""
        here = {hit.id for hit, _ in self._facts}
        for name in self._known.pinned:
            fact = self._holding(name) if name not in here else None
            if fact is not None and fact.kind in _PROFILE and fact.entity_id is None and is_pinned(fact):
                yield hit_of(fact, self._known, {}), fact

    def _people(self) -> Iterator[str]:
        """Those who are named, whose relation is, or whom a fact is about."""
        entities = self._known.people.entities
        related = (hit.id for hit in self._hits if hit.kind == "fact")
        subjects = (fact.entity_id or "" for _, fact in self._facts)
        for name in dict.fromkeys((*self._named, *related, *subjects)):
            if name in entities:
                one = entities[name]
                home = one.note if one.note and self._quotable(one.note) else None
                yield _person_line(replace(one, note=home), relation(self._known.state, name, self._day))


def _fact_line(hit: Hit, fact: Fact) -> str:
    began, ends = fact.valid_from or "", fact.valid_to or ""
    text = f"{hit.heading} : {hit.text}" if hit.heading else hit.text
    return item(
        link(hit.note, hit.block, hit.title),
        (hit.provenance, f"{began}→{ends}" if began or ends else ""),
        text,
    )


def _passage_line(hit: Hit) -> str:
    where = hit.title if hit.block else f"{hit.title}:{hit.line}"
    heading = "" if hit.text.lstrip().startswith("#") else hit.heading
    says = (hit.provenance, "" if hit.verified else "unverified", heading)
    return item(link(hit.note, hit.block, where), says, hit.text)


def _person_line(one: Entity, stands: str) -> str:
    home = link(one.note, None, one.name) if one.note else ""
    listed = link(NAMES.people, one.anchor or one.id, title_of(NAMES.people))
    origin, beside = (home, "") if home and one.kind != "person" else (listed, home)
    others = f" ({', '.join(one.aliases)})" if one.aliases else ""
    return item(
        origin, (one.provenance, one.kind, beside), f"{one.name}{others}{f' — {stands}' if stands else ''}"
    )


class _Filling:
    """A budget being filled; each part counts for itself, and the whole once more at the end."""

    def __init__(self, budget: int, count: Count, day: str) -> None:
        self._budget, self._count, self._day = budget, count, day
        self._parts: list[tuple[Part, list[Hit]]] = []
        self._left = budget - count(rendered((), self._meta(budget)))
        """Tokens that are still free."""
        self._shared, self._over = budget, 0
        """What the shares are of: less than the budget where now.md took more than its own; and what was left."""

    def now(self, note: NowNote) -> None:
        """Put now.md first, as it stands; where it is long only its beginning, at least the mark of a cut."""
        part = Part("now", verbatim(note.text.decode("utf-8", "replace")), {"origin": NAMES.now, **note.says})
        frame, share = self._frame(part), self._share("now")
        most = min(_NOW_MOST, max(share, self._budget // 2)) - frame
        kept = (cut(part.lines, most, self._count) or [CUT]) if part.lines else []
        used = self._take(part._replace(lines=kept), [], frame)
        self._over = max(share - used, 0)
        if used > share:
            self._shared = (self._budget - used) * _WHOLE // (_WHOLE - _SHARES["now"])

    def add(self, share: str, sections: Mapping[str, _Lines]) -> None:
        """Add the lines of the sections that have a share, best first, as far as there is room."""
        allowed = self._share(share) + self._over
        for name, lines in sections.items():
            frame, kept, hits = self._frame(Part(name, ())), list[str](), list[Hit]()
            room = min(allowed, self._left) - frame
            for line, hit in lines:
                fitting = self._fitting(line, room, cuts=name == "passages")
                if fitting:
                    kept.append(fitting)
                    hits += [hit] if hit is not None else []
                    room -= self._count(f"{fitting}\n")
            allowed -= self._take(Part(name, kept), hits, frame)
        self._over = allowed

    def context(self) -> Context:
        """Give the whole block; what is too much in the end, by a counter that does not add up, leaves last lines."""
        text, used = self._counted()
        while used > self._budget and self._shorten():
            text, used = self._counted()
        hits = tuple(hit for _, found in self._parts for hit in found)
        return Context(text, tuple(part.name for part, _ in self._parts), used, self._budget, hits)

    def _fitting(self, line: str, room: int, *, cuts: bool) -> str:
        if self._count(f"{line}\n") <= room:
            return line
        return cut_line(line, room - 1, self._count) if cuts and room >= _LEAST_CUT else ""

    def _frame(self, part: Part) -> int:
        return self._count("\n".join((*framed(part._replace(lines=())), "")))

    def _take(self, part: Part, hits: list[Hit], frame: int) -> int:
        """Add a section, unless it has no line; gives what it takes."""
        if not part.lines:
            return 0
        used = frame + sum(self._count(f"{line}\n") for line in part.lines)
        self._parts.append((part, hits))
        self._left -= used
        return used

    def _counted(self) -> tuple[str, int]:
        """Give the block and its tokens, counted with that number standing in it."""
        parts, used = [part for part, _ in self._parts], 0
        while True:
            text = rendered(parts, self._meta(used))
            counted = self._count(text)
            if counted <= used:
                return text, used
            used = counted

    def _shorten(self) -> bool:
        """Take the last line away; False when nothing but the mark of now.md is left."""
        if not self._parts:
            return False
        part, hits = self._parts.pop()
        lines = [*part.lines[:-2], CUT] if part.name == "now" else list(part.lines[:-1])
        if lines:
            self._parts.append((part._replace(lines=lines), hits[: len(lines)]))
        return part.name != "now" or list(part.lines) != [CUT]

    def _share(self, name: str) -> int:
        return self._shared * _SHARES[name] // _WHOLE

    def _meta(self, used: int) -> dict[str, str]:
        return {"tokens": str(used), "budget": str(self._budget), "day": self._day}
