"""Recall: what memory and notes hold that answers a question, best first, each hit with how it came by its place.

Facts, relations and blocks are found by their words; what a reader may not see is kept back before anything is ranked
(`daemon.recall.known`); `daemon.recall.score` weighs and orders. Passages are of today: with `known_at` memory answers
alone.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import date, datetime, tzinfo
from typing import cast

from config.paths import NAMES
from daemon.index.fact_words import FactWords, Near, beginning, fact_table
from daemon.index.ranking import Passage, passages
from daemon.index.reader import text_of
from daemon.index.rows import title_of
from daemon.index.store import Index
from daemon.memory.places import note_of
from daemon.policy.privacy import harder
from daemon.reading import end_of
from daemon.recall import score
from daemon.recall.asked import forms, spelt_as, wanted
from daemon.recall.dates import days, within
from daemon.recall.known import Known, Source, below
from daemon.recall.log import note_recall
from daemon.recall.people import relation
from daemon.snapshot import Snapshot
from parsers.ids import DIGITS
from parsers.model.facts import Fact, Sensitivity
from parsers.model.policy import trust_of
from parsers.model.recall import Hit, Query, Recalled

_FEWEST, _SPARE = 20, 2
"""Facts looked at, at least and for each hit that is wanted: some may not be told, some fall behind."""
_SPARE_BLOCKS = 5
"""Blocks looked at beyond those that are wanted, at least; else half as many again: few fall behind."""
_LONGEST = 10_000
"""Characters of a question that count."""
_MOST_FACTS = 5_000
_TELLING, _WELL_SAID = 2, 0.9
"""Blocks whose words are counted, and from which share of the question on none are."""
_RANK_SHARE = 0.1
"""How much of a fact's fusion its rank among the facts decides; the rest is the share of the question it answers."""
_OURS = (NAMES.profile, NAMES.people)
"""Notes whose lines are facts and people: as such they are told, not as passages."""
_OUR_ID = re.compile(rf"\^[fe]-{DIGITS}(?![\w-])")


def recall(snapshot: Snapshot, query: Query, *, now: datetime, zone: tzinfo, logged: bool = True) -> Recalled:
    """Give the best hits for a question, every factor of their scores named and logged; ties by id.

    Raises:
        BadDay: `known_at` is no day.
        NoIndex, IndexRefused, IndexOutdated: as for `Snapshot.open`.
    """
    found = candidates(snapshot, query, now=now, zone=zone)
    found = replace(found, hits=found.hits[: max(query.k, 0)])
    if logged:
        note_recall(snapshot.index.state, found, now)
    return found


def candidates(snapshot: Snapshot, query: Query, *, now: datetime, zone: tzinfo) -> Recalled:
    """Give all that was looked at for a question, in order: more than the `k` hits that are wanted; not logged.

    Raises:
        As for `recall`.
    """
    with snapshot.still() as index:
        return _Asking(snapshot, index, query, now.astimezone(zone).date(), zone).answer()


def known(snapshot: Snapshot, query: Query, zone: tzinfo) -> Known:
    """Give what is known to the reader of a question, now or as of `known_at`; kept as long as the index holds it."""
    present, external = snapshot.state(), query.external
    if query.known_at is None:
        return snapshot.kept(
            ("recall", external), lambda index: Known(index, present, present, external=external)
        )
    then = snapshot.known_at(end_of(query.known_at, zone, query.known_at))
    return Known(snapshot.index, then, present, external=external)


class _Asking:
    """One question being answered."""

    def __init__(self, snapshot: Snapshot, index: Index, query: Query, today: date, zone: tzinfo) -> None:
        self._snapshot = snapshot
        self._index, self._query, self._today, self._zone = index, query, today, zone
        self._known = known(snapshot, query, zone)
        self._marks = snapshot.runs().marks
        self._day = query.as_of or today.isoformat()
        self._text = query.text[:_LONGEST].encode("utf-8", "replace").decode()
        self._wanted = wanted(self._text)
        self._named = self._known.people.named(self._text)
        self._days = days(self._text, today)
        folder = query.folder.strip("/") if query.folder else ""
        self._folder = f"{unicodedata.normalize('NFC', folder)}/" if folder else None
        self._quotes: dict[str, set[str]] = {}
        """Block → facts that replaced what was taken from it."""

    def answer(self) -> Recalled:
        query = self._query
        if query.k < 1 or not self._wanted:
            return Recalled(query, (), self._named, self._days)
        hits = [*self._facts(), *self._related(), *(self._blocks() if query.known_at is None else ())]
        ranked = score.ranked(hits, self._replaced_by, self._fact)
        return Recalled(query, tuple(ranked), self._named, self._days)

    # ---- facts

    def _facts(self) -> Iterator[Hit]:
        """Facts that have a word of the question, and those about whom it names."""
        ranks, near = self._ranks()
        asked = spelt_as(self._wanted, near)
        about = {name: 0.0 for one in self._named for name in self._known.about.get(one, ())}
        for name, rank in (about | ranks).items():
            fact = self._known.holding(name, self._day)
            if fact is not None and self._stands_below(fact):
                words = score.share(asked, forms(fact.text) | self._names_of(fact.entity_id))
                fusion = words * (1 - _RANK_SHARE + _RANK_SHARE * rank)
                yield self._weighed(fact, {"fusion": fusion, "fusion.words": words, "fusion.rank": rank})

    def _ranks(self) -> tuple[dict[str, float], Near]:
        """Give the facts that match best and hold, with what their words are worth among all, and misspelt words."""
        enough, text, known = max(_FEWEST, _SPARE * self._query.k), self._text, self._known
        notes = self._index.connection
        if self._query.known_at is not None:
            versions = (fact for one in known.state.facts.values() for fact in one)
            with closing(fact_table(one for one in versions if known.told(one, self._day))) as table:
                facts = FactWords(table)
                near = facts.misspelt(text, notes)
                return {name: rank for name, _, rank in facts.ranked(text, enough, near)}, near
        facts = FactWords(notes, self._beginning)
        limit, near = enough, facts.misspelt(text, notes)
        while True:
            ranked = facts.ranked(text, limit, near)
            told = {
                name: rank
                for name, version, rank in ranked
                if any(
                    one.version == version and known.told(one, self._day)
                    for one in known.state.facts.get(name, ())
                )
            }
            if len(told) >= enough or len(ranked) < limit or limit >= _MOST_FACTS:
                return told, near
            limit *= 4

    def _beginning(self, letter: str) -> dict[str, int]:
        return self._snapshot.kept(("words", letter), lambda index: beginning(index.connection, letter))

    def _fact(self, name: str, fusion: float) -> Hit | None:
        fact = self._known.holding(name, self._day)
        if fact is None or not self._stands_below(fact):
            return None
        return self._weighed(fact, {"fusion": fusion})

    def _weighed(self, fact: Fact, factors: dict[str, float]) -> Hit:
        seen = _local(fact.last_seen_at, self._zone) or self._today
        began = fact.valid_from or (_local(fact.recorded_at, self._zone) or self._today).isoformat()
        more = {
            "confidence": fact.confidence,
            "freshness": score.fact_freshness(fact.kind, seen, self._today),
            "entity": score.ENTITY_BOOST if fact.entity_id in self._named else 1.0,
            "date": score.DATE_BOOST if within(began, self._days) else 1.0,
        }
        return hit_of(fact, self._known, factors | more)

    def _names_of(self, entity: str | None) -> frozenset[str]:
        if entity is None or entity not in self._known.people.entities:
            return frozenset()
        return forms("\n".join(self._known.people.names(entity)))

    def _stands_below(self, fact: Fact) -> bool:
        return below(self._folder, [Source(fact).note if fact.source_ref else None])

    # ---- relations

    def _related(self) -> Iterator[Hit]:
        """How people stand to the owner on the day: those that are named, and those whose relation is."""
        known = self._known.people
        words = frozenset(form for one in self._wanted for form in one)
        for name in sorted({*self._named, *known.related(words)}):
            text, one = relation(self._known.state, name, self._day), known.entities[name]
            if not text or not below(self._folder, [one.note]):
                continue
            share = score.share(self._wanted, forms(text) | self._names_of(name))
            boost = score.ENTITY_BOOST if name in self._named else 1.0
            factors = {"fusion": share, "fusion.words": share, "entity": boost}
            value, rounded = score.weighed(factors)
            yield Hit(
                kind="fact",
                id=name,
                text=f"{one.name} — {text}",
                note=NAMES.people,
                title=title_of(NAMES.people),
                heading="",
                line=0,
                start=0,
                end=0,
                block=one.anchor or name,
                score=value,
                factors=rounded,
                provenance=one.provenance,
                sensitivity=one.sensitivity,
            )

    # ---- blocks

    def _blocks(self) -> Iterator[Hit]:
        query = self._query
        names = [name for one in self._named for name in self._known.people.names(one)]
        near = self._snapshot.near
        found = passages(
            self._index.connection,
            self._text,
            query.k + max(_SPARE_BLOCKS, query.k // 2),
            folder=query.folder,
            agent=query.agent,
            external=query.external,
            lifted=names,
            days=self._days,
            near=near(self._snapshot, query) if near else {},
        )
        texts = text_of(self._index.connection, [one.row for one in found])
        scale = self._scale(found, texts)
        for one in found:
            text = texts.get(one.row, "")
            if not (one.path in _OURS and _is_ours(text)):
                yield self._block(one, text, scale)

    def _scale(self, found: Sequence[Passage], texts: Mapping[int, str]) -> float:
        """Give what all blocks' scores are multiplied by, so that the best says how much of the question it answers.

        The index weighs words by how rare they are; among few notes that says nothing, and a word that none of them
        has outweighs all others. There the words themselves are counted, as for facts.
        """
        said = max((one.factors.get("share", 0.0) for one in found), default=0.0)
        if said >= _WELL_SAID:
            return 1.0
        heads = (f"{one.title}\n{one.heading}\n{texts.get(one.row, '')}" for one in found[:_TELLING])
        counted = max((score.share(self._wanted, forms(text)) for text in heads), default=0.0)
        return max(counted / said, 1.0) if said > 0 else 1.0

    def _block(self, one: Passage, text: str, scale: float) -> Hit:
        name = f"{one.path}#^{one.block_id}"
        if one.block_id is None or name in self._quotes:  # an id that stands twice names the better block
            name = f"{one.path}:{one.line}"
        lines = range(one.line, one.line + text.count("\n") + 1)
        self._quotes[name] = self._known.replaced_at(one.path, one.block_id, lines, text)
        made_of = {
            f"fusion.{key}": value for key, value in one.factors.items() if key not in {"person", "date"}
        }
        entity, day = one.factors.get("person", 1.0), one.factors.get("date", 1.0)
        near = one.factors.get("vector", 0.0)
        changed = _day_of(one.modified) or self._today
        factors = {
            "fusion": scale * (one.score / (entity * day) - near) + near,
            "freshness": score.block_freshness(changed, self._today),
            "entity": entity,
            "date": day,
        }
        value, rounded = score.weighed(factors | made_of)
        return Hit(
            kind="block",
            id=name,
            text=text,
            note=one.path,
            title=one.title,
            heading=one.heading,
            line=one.line,
            start=one.start,
            end=one.end,
            block=one.block_id,
            score=value,
            factors=rounded,
            provenance=self._provenance(one, text),
            sensitivity=cast("Sensitivity", one.sensitivity),
            verified=one.verified,
        )

    def _provenance(self, one: Passage, text: str) -> str:
        """Where a block came from: at best as its note, at worst as any marked paragraph of it."""
        if not self._marks.notes and not self._marks.everywhere:
            return one.provenance
        here = self._marks.notes.get(one.path, {}).values()
        known = self._marks.known(text)
        return max((one.provenance, *here, *([known] if known else [])), key=trust_of)

    # ---- what replaced what

    def _replaced_by(self, hit: Hit) -> set[str]:
        """The facts a hit must not outrank: in a question about the present, those that replaced it."""
        if self._query.as_of is not None:
            return set()
        return (
            set(self._known.after.get(hit.id, ())) if hit.kind == "fact" else self._quotes.get(hit.id, set())
        )


def hit_of(fact: Fact, known: Known, factors: Mapping[str, float]) -> Hit:
    """Give the hit of a fact; whom it is about stands above it, like a heading."""
    about = known.people.entities.get(fact.entity_id or "")
    note = note_of(known.state, fact)
    value, rounded = score.weighed(factors)
    return Hit(
        kind="fact",
        id=fact.id,
        text=fact.text,
        note=note,
        title=title_of(note),
        heading=about.name if about else "",
        line=0,
        start=0,
        end=0,
        block=fact.anchor or fact.id,
        score=value,
        factors=rounded,
        provenance=fact.provenance,
        sensitivity=harder(fact.sensitivity, about.sensitivity) if about else fact.sensitivity,
    )


def _is_ours(text: str) -> bool:
    """Tell whether a block of a managed note holds lines of ours."""
    return _OUR_ID.search(text) is not None


def _local(moment: str, zone: tzinfo) -> date | None:
    """Give the local day of a UTC time, None where it is none."""
    try:
        return datetime.fromisoformat(moment).astimezone(zone).date()
    except (ValueError, OverflowError):
        return None


def _day_of(spelt: str | None) -> date | None:
    try:
        return date.fromisoformat(spelt or "")
    except ValueError:
        return None
