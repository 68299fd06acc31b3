"""The tools that read memory: each thing they give carries where it came from, as what the notes give does.

A reader outside is given what the person confirmed and what is of ordinary sensitivity, whatever memory or the notes
hold: a fact counts as its own wording, as whom it is about, and as the note it was taken from (R-M06, R-P04).
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from config.paths import NAMES
from daemon.memory.persons import facts_for, open_to_others, relation_on, relations_on, told
from daemon.memory.places import TAKEN_FROM
from daemon.memory.resolving import clear_winner, resolve
from daemon.policy.lineage import Output
from daemon.policy.privacy import harder
from daemon.tools.arguments import EntityResolve, MemoryRecall, ProcedureGet, ProfileGet
from daemon.tools.errors import ToolError
from daemon.tools.reads import MOST, check_limit, filled, quotable
from daemon.tools.tool import Memory, Sources, Tool, reader
from daemon.vault.errors import VaultError
from parsers.dates import period
from parsers.model.entities import Candidate, Entity
from parsers.model.facts import Fact, Sensitivity
from parsers.model.places import NotePath
from parsers.model.policy import Role, least
from parsers.model.recall import Hit, Query
from parsers.sameness import folded

DOMAIN = "memory"
_QUERIES = ("query", "k", "as_of", "known_at", "folder", "kind", "name", "context")
_ROLES: dict[str, Role] = dict.fromkeys(_QUERIES, "query")
_TOLD = ("id", "kind", "text", "key", "value", "valid_from", "valid_to", "confidence", "provenance")
"""Fields of a fact that every reader gets."""
_SITE = ("title", "heading", "line", "block")
"""Fields of a passage besides its text and note."""


@reader("memory_recall", MemoryRecall, domain=DOMAIN, roles=_ROLES)
def memory_recall(args: MemoryRecall, sources: Sources) -> tuple[Output, ...]:
    """The best facts and passages for a question, as of a day and as known on a day."""
    memory = _memory(sources)
    check_limit(args.k, "k")
    as_of, known_at = (_day(name, getattr(args, name)) for name in ("as_of", "known_at"))
    outside = sources.external
    asked = Query(args.query, args.k, as_of, known_at, args.folder, external=outside, agent=outside)
    given = _Given(sources, memory)
    return filled(lambda k: memory.recall(replace(asked, k=k)).hits, given.hit, args.k)


@reader("profile_get", ProfileGet, domain=DOMAIN, roles=_ROLES)
def profile_get(args: ProfileGet, sources: Sources) -> tuple[Output, ...]:
    """The facts of the profile that hold today: preferences, goals, procedures, decisions, facts."""
    memory = _memory(sources)
    held = facts_for(memory.state, memory.today, external=sources.external)
    wanted = (one for one in held if one.status == "confirmed" and args.kind in (None, one.kind))
    return _Given(sources, memory).facts(
        "profile_get", (one for one in wanted if not _of_somebody(memory, one))
    )


@reader("entity_resolve", EntityResolve, domain=DOMAIN, roles=_ROLES)
def entity_resolve(args: EntityResolve, sources: Sources) -> tuple[Output, ...]:
    """Whom a name means: the one that is clear, if any, and every candidate."""
    memory, outside = _memory(sources), sources.external
    known = {one.id: one for one in memory.entities(outside) if not outside or one.sensitivity == "normal"}
    said = told(memory.state, memory.today, external=outside)
    found = resolve(args.name, known.values(), args.context or "", said)
    given, winner = _Given(sources, memory), clear_winner(found)
    value = {
        "name": args.name,
        "winner": winner.entity_id if winner else None,
        "candidates": [given.candidate(one, known[one.entity_id]) for one in found[:MOST]],
    }
    met = [known[one.entity_id] for one in found[:MOST]]
    sensitivity: Sensitivity = "normal"
    for one in met:
        sensitivity = harder(sensitivity, one.sensitivity)
    provenance = least(where for one in met for where in _stands_on(memory, one))
    return (Output("entity_resolve", provenance, value, sensitivity, domain=DOMAIN),)


@reader("procedure_get", ProcedureGet, domain=DOMAIN, roles=_ROLES)
def procedure_get(args: ProcedureGet, sources: Sources) -> tuple[Output, ...]:
    """The procedures of a name, each whole with its steps; without a name all of them."""
    memory = _memory(sources)
    held = facts_for(memory.state, memory.today, external=sources.external)
    fits = _titled(args.name) if args.name is not None else lambda _: 1
    ranked = [(fits(one), one) for one in held if one.kind == "procedure" and one.status == "confirmed"]
    best = sorted((pair for pair in ranked if pair[0]), key=lambda pair: (-pair[0], pair[1].id))
    return _Given(sources, memory).facts("procedure_get", (one for _, one in best))


def _memory(sources: Sources) -> Memory:
    if sources.memory is None:
        raise ToolError("memory_off")
    return sources.memory


def _day(argument: str, spelt: str | None) -> str | None:
    stated = period(spelt) if spelt is not None else None
    if spelt is not None and stated is None:
        raise ToolError("argument_date", tool="memory_recall", argument=argument)
    return stated.first if stated else None


def _of_somebody(memory: Memory, fact: Fact) -> bool:
    """Whether a fact stands in Personnes.md, not in the profile."""
    about = memory.state.entities.get(fact.entity_id) if fact.entity_id else None
    return about is not None and about.kind == "person"


def _stands_on(memory: Memory, one: Entity) -> Iterator[str]:
    """Where what is told of somebody came from: themselves, and how they stand to the owner."""
    yield one.provenance
    yield from (relation.provenance for relation in relations_on(memory.state, one.id, memory.today))


def _titled(name: str) -> Callable[[Fact], int]:
    """Give how well the first line of a procedure fits a name: 3 it is the name, 2 it holds it, 1 all its words."""
    wanted = folded(name)
    words = set(wanted.split())

    def fits(fact: Fact) -> int:
        title = folded(fact.text.partition("\n")[0])
        if title == wanted or (fact.key is not None and folded(fact.key) == wanted):
            return 3
        if not words:
            return 0
        return 2 if wanted in title else int(words <= set(title.split()))

    return fits


class _Given:
    """What one call gives to its reader."""

    def __init__(self, sources: Sources, memory: Memory) -> None:
        self._sources, self._memory = sources, memory
        self._notes: dict[str, Sensitivity] = {}
        """How sensitive the notes are that facts were taken from; what this reader never sees is private."""

    def facts(self, call: str, facts: Iterable[Fact]) -> tuple[Output, ...]:
        found = (self._fact(call, one, {}) for one in facts)
        return tuple(one for one in found if one is not None)

    def _fact(self, call: str, fact: Fact, more: dict[str, Any]) -> Output | None:
        sensitivity = harder(fact.sensitivity, self._taken_from(fact))
        about = self._memory.state.entities.get(fact.entity_id) if fact.entity_id else None
        if about is not None:
            sensitivity = harder(sensitivity, about.sensitivity)
        if self._sources.external and sensitivity != "normal":
            return None
        value = {name: getattr(fact, name) for name in _TOLD} | more
        value["about"] = about.name if about else None
        provenance = least((fact.provenance, about.provenance)) if about else fact.provenance
        return Output(f"{call} {fact.id}", provenance, value, sensitivity, domain=DOMAIN)

    def _taken_from(self, fact: Fact) -> Sensitivity:
        match = TAKEN_FROM.fullmatch(fact.source_ref or "")
        path = NotePath(match["note"] if match else "")
        if not path.endswith(".md"):
            return "normal"
        if path not in self._notes:
            self._notes[path] = self._sensitivity(path)
        return self._notes[path]

    def _sensitivity(self, path: NotePath) -> Sensitivity:
        """To a reader outside a note that is not there any more, or that is ignored, cannot say that it is harmless."""
        try:
            target = self._sources.look.target(path)
            own = path.startswith(f"{NAMES.assistant}/")
            if (
                self._sources.external
                and not own
                and (target.reasons or self._gone(path) or self._unseen(path))
            ):
                return "private"
            return self._sources.label(path, "")[1]
        except VaultError:
            return "private"

    def _gone(self, path: NotePath) -> bool:
        return self._sources.look.read(path) is None

    def hit(self, hit: Hit) -> Output | None:
        more = {"score": hit.score, "factors": dict(hit.factors)}
        if hit.kind == "fact":
            return self._fact_hit(hit, more)
        path = NotePath(hit.note)
        if not quotable(self._sources, path):
            return None
        provenance, sensitivity = self._sources.label(path, hit.text)
        sensitivity = harder(sensitivity, hit.sensitivity)
        if self._sources.external and sensitivity != "normal":
            return None
        provenance = least((provenance, hit.provenance))
        value = {"kind": "passage", "id": hit.id, "text": hit.text, "note": path}
        value |= {name: getattr(hit, name) for name in _SITE} | {"provenance": provenance} | more
        return Output(path, provenance, value, sensitivity, domain="vault")

    def _fact_hit(self, hit: Hit, more: dict[str, Any]) -> Output | None:
        """A fact that was found as it once was is given as it was, and kept back as it is now."""
        if hit.id in self._memory.state.entities:
            return self._relation_hit(hit, more)
        versions = self._memory.state.facts.get(hit.id, ())
        latest = versions[-1] if versions else None
        if latest is None or latest.status == "forgotten":
            return None
        if self._sources.external and (
            hit.sensitivity != "normal"
            or latest.status != "confirmed"
            or not all(open_to_others(self._memory.state, one) for one in versions)
        ):
            return None
        found = next((one for one in reversed(versions) if one.text == hit.text), latest)
        return self._fact("memory_recall", found, {"text": hit.text, **more})

    def _relation_hit(self, hit: Hit, more: dict[str, Any]) -> Output | None:
        """How somebody stands to the owner, found as a fact is."""
        one = self._memory.state.entities[hit.id]
        sensitivity = harder(one.sensitivity, hit.sensitivity)
        hidden = self._sources.external and (sensitivity != "normal" or one.status != "confirmed")
        if hidden or one.status == "forgotten":
            return None
        provenance = least((one.provenance, hit.provenance))
        value = {"id": one.id, "kind": one.kind, "text": hit.text, "about": one.name} | more
        told = value | {"provenance": provenance}
        return Output(f"memory_recall {one.id}", provenance, told, sensitivity, domain=DOMAIN)

    def candidate(self, one: Candidate, entity: Entity) -> dict[str, Any]:
        relation = relation_on(self._memory.state, entity.id, self._memory.today)
        return {
            "entity_id": one.entity_id,
            "name": one.name,
            "kind": entity.kind,
            "relation": relation,
            "note": self._home(entity),
            "score": one.score,
            "how": one.how,
        }

    def _home(self, entity: Entity) -> str | None:
        """Give somebody's own note, None where it is not for this reader."""
        path = entity.note
        hidden = path is not None and self._sources.external and self._sensitivity(NotePath(path)) != "normal"
        return None if hidden else path

    def _unseen(self, path: NotePath) -> bool:
        return self._sources.hidden(path) or self._sources.hidden(self._sources.look.target(path).real)


TOOLS: tuple[Tool, ...] = (memory_recall, profile_get, entity_resolve, procedure_get)
