"""The demo's scenes about people and agents: two of a name, what is found, an agent's session, what agents are given.

An agent talks to clavaire's server over stdio by the official client of the protocol, where the extra `mcp` is
installed; else its session is held in this process. What is asked, and what must come of it, is the same.
"""

import asyncio
import os
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from importlib.util import find_spec
from math import prod
from pathlib import Path
from typing import Any

from config.paths import NAMES
from config.settings import zone
from daemon.agents.keys import VARIABLE, client_of, make_key
from daemon.agents.session import AgentSession
from daemon.agents.table import call
from daemon.app import open_for_agents
from daemon.brain import boot
from daemon.recall.compile import Limits, NowNote, compiled
from daemon.recall.recollecting import recall
from daemon.recall.score import FACTORS
from daemon.snapshot import reading
from daemon.stage import Stage, bare, staged
from parsers.model.edits import Remember
from parsers.model.places import NotePath
from parsers.model.recall import Context, Hit, Query
from renderers.context import tokens

NAME = "agenda"
AGENT = f"mcp:{NAME}"
_HERE = str(Path(__file__).resolve().parent.parent)

_SISTER, _GARDENER = "Marie Destrade", "Marie Kermoal"
_SURPRISES = "N'aime pas les surprises"
_LINES = f"- [[{_SISTER}]] — sœur\n\t- {_SURPRISES}\n- [[{_GARDENER}]] — collègue de la coop\n"
_END = "<!-- clavaire:end people -->"
_SOWS = "Garde les semences dans des bocaux, jamais au soleil"
_AWAY = "Absente du 5 au 19 décembre"

_WATERED = "Pourquoi arrosait-on les parcelles le matin ?"
_WATER = "Arroser le matin et pas le soir : moins de limaces, moins de mildiou."
_TRAINS = "Quels trains partent le jeudi, et de quelle voie ?"
_OLD_TRAIN, _NEW_TRAIN = (
    "Train du jeudi\u00a0: 7 h 12, voie B",
    "Train du jeudi : supprimé, prendre le car de 7 h 05",
)
_BEFORE = "2026-08-31"
_DENTISTS, _DENTIST = "dentistes", "Dentiste : Dr Martin"

_PRIVATE = NotePath("Santé/Suivi du dos.md")
_NOW = {
    "step": "Préparer la réunion du 8 décembre",
    "services": "aucun",
    "next": "Demander à Marie Kermoal qui la remplace",
    "context": "Elle sera absente : ne rien lui confier ce jour-là.",
}
_SUBJECT = "préparer la réunion avec Marie"
_BUDGET = 600
_PARTS = ("now", "profile", "procedures", "entities", "facts")
_ALLERGIES, _ALLERGY = "allergies à la pénicilline", "Allergie : pénicilline"
_ITEM = re.compile(r"- \[\[[^\]|]+\|[^\]]+\]\] · \S+ · ")
"""A line of the context: where it stands, where it came from, what it says."""


# ---- two of a name


def meet(stage: Stage) -> None:
    """Two lines that say Marie are two people; ids appear, and nothing else changes."""
    before, profile = stage.facts(), stage.text()
    stage.advance(minutes=30)
    stage.replace(_END, f"{_LINES}{_END}", NAMES.people)
    typed = stage.text(NAMES.people)
    stage.sync()
    stage.expect("lines", bare(stage.text(NAMES.people)), bare(typed))
    stage.expect("same", stage.text(), profile)
    stage.expect_facts(before, more=[_SURPRISES])
    known = [(one.entity.name, one.relation, one.facts) for one in stage.people()]
    stage.expect("people", known, [(_SISTER, "sœur", 1), (_GARDENER, "collègue de la coop", 0)])


def which(stage: Stage) -> None:
    """What an agent says of « Marie » waits for the person to say which, then whether it is true."""
    before, people = stage.facts(), stage.text(NAMES.people)
    stage.advance(minutes=10)
    stage.hand_in(Remember(_SOWS, "fact", AGENT, 0.7, about="Marie"))
    stage.expect("cards", stage.cards(), ["name"])
    stage.expect("same", stage.text(NAMES.people), people)
    stage.advance(minutes=5)
    box = stage.line_of(f"[ ] {_GARDENER}", NAMES.cards)
    stage.replace(box, box.replace("[ ]", "[x]"), NAMES.cards)
    stage.sync()
    stage.expect("cards", stage.cards(), ["proposal"])
    stage.expect("same", stage.text(NAMES.people), people)
    stage.tick("proposal", "keep")
    stage.sync()
    stage.expect("cards", stage.cards(), [])
    stage.expect_facts(before, more=[_SOWS])
    _expect_below(stage, {_SISTER: [_SURPRISES], _GARDENER: [_SOWS]})


def _expect_below(stage: Stage, wanted: Mapping[str, list[str]]) -> None:
    """Below each name stand these facts, in the note and in memory."""
    found: dict[str, list[str]] = {}
    for line in bare(stage.text(NAMES.people)):
        if line.startswith("- [["):
            found[line[4:].partition("]]")[0]] = []
        elif line.startswith("\t- "):
            found[list(found)[-1]].append(line[3:])
    stage.expect("below", found, wanted)
    names = {one.entity.id: one.entity.name for one in stage.people()}
    subjects = {text: name for name, texts in wanted.items() for text in texts}
    facts = {text: stage.fact(text) for text in subjects}
    stage.expect(
        "about", {text: fact and names.get(fact.entity_id or "") for text, fact in facts.items()}, subjects
    )


# ---- what is found


def find(stage: Stage) -> None:
    """A question in other word forms finds the paragraph, and the fact that holds; every factor is told."""
    stage.advance(minutes=5)
    hits = _explained(stage, Query(_WATERED, 3))
    stage.expect("found", _WATER in hits[0].text if hits else None, wanted=True, text=_WATERED)
    hits = _explained(stage, Query(_TRAINS, 3))
    stage.expect("found", hits[0].text if hits else None, _NEW_TRAIN, text=_TRAINS)
    stage.expect("replaced", [hit.text for hit in hits if hit.text == _OLD_TRAIN], [])
    hits = _explained(stage, Query(_TRAINS, 1, as_of=_BEFORE))
    stage.expect("day", [hit.text for hit in hits], [_OLD_TRAIN], day=_BEFORE)
    facts = [hit.text for hit in _recalled(stage, Query(_DENTISTS, 20)) if hit.kind == "fact"]
    stage.expect("replaced", facts, [_DENTIST])


def _recalled(stage: Stage, asked: Query) -> tuple[Hit, ...]:
    """Give what `clavaire recall` does."""
    with reading(stage.app.folder, "", private=True) as snapshot:
        return recall(snapshot, asked, now=stage.now, zone=zone(stage.settings)).hits


def _explained(stage: Stage, asked: Query) -> tuple[Hit, ...]:
    """Give what `clavaire recall --explain` does; prints the best and how it came by its score."""
    hits = _recalled(stage, asked)
    for hit in hits[:1]:
        factors = {name: hit.factors[name] for name in FACTORS}
        stage.expect("product", round(prod(factors.values()), 6), hit.score)
        day = f" ({asked.as_of})" if asked.as_of else ""
        stage.tell("demo.asked", text=f"{asked.text}{day}")
        stage.tell("demo.line", line=f"{hit.score:.3f}  {hit.id}  {' '.join(hit.text.split())}")
        shown = " × ".join(f"{name} {value:g}" for name, value in factors.items())
        stage.tell("demo.line", line=f"       = {shown}")
    return hits


# ---- an agent's session


@dataclass(frozen=True, slots=True)
class Heard:
    """What an agent is answered."""

    text: str
    values: Mapping[str, Any]
    failed: bool

    @property
    def code(self) -> str:
        """Give the error's code, `""` where it is none."""
        return str(self.values.get("error", "")) if self.failed else ""


_Calls = Sequence[tuple[str, Mapping[str, Any]]]


def serve(stage: Stage) -> None:
    """An agent is told the state of the work and writes it; what it wants kept is a card; the rest is refused."""
    stage.advance(minutes=20)
    stage.let(_PRIVATE)
    stage.replace("---\ntags: [santé, dos]\n", "---\ntags: [santé, dos]\nprivé: oui\n", _PRIVATE)
    stage.sync()
    key, _ = make_key(stage.app.folder, NAME)
    stage.tell("demo.by_mcp" if _has_sdk() else "demo.no_mcp")
    calls: _Calls = (
        ("brain_boot", {}),
        ("memory_save", {"text": _AWAY, "about": _GARDENER}),
        ("brain_write", _NOW),
        ("note_read", {"path": _PRIVATE}),
        ("note_read", {"path": NAMES.cards}),
        ("run_approve", {"id": "r-9c3v7b2k"}),
    )
    first = _heard(stage, key, calls)
    found = [one.code for one in first]
    stage.expect("answers", found, ["", "", "", "not_found", "refused", "no_tool"])
    stage.expect("saved", (first[1].values.get("status"), stage.cards()), ("pending", ["proposal"]))
    _expect_now(stage, key)
    stage.tick("proposal", "keep")
    stage.sync()
    _expect_below(stage, {_SISTER: [_SURPRISES], _GARDENER: [_SOWS, _AWAY]})
    stage.let()


def _expect_now(stage: Stage, key: str) -> None:
    """Whoever comes next gets now.md as data that says who wrote it, and the journal says so too."""
    text = stage.text(NAMES.now)
    stage.expect("now", [one for one in _NOW.values() if text.count(f"\n{one}\n") != 1], [])
    (heard,) = _heard(stage, key, [("brain_boot", {})])
    block = heard.text.partition("<now ")[2].partition(">")
    says = dict(re.findall(r'([\w-]+)="([^"]*)"', block[0]))
    stage.expect("now_says", (says.get("written-by"), says.get("day")), (AGENT, stage.now.date().isoformat()))
    stage.expect("now_whole", block[2].partition("</now>")[0].strip(), text.strip())
    said = stage.words.say("journal.now.written", who=AGENT, link="").strip()
    lines = [line for line in stage.text(NAMES.journal).split("\n") if said in line]
    stage.expect("journal", len(lines), 1, text=said)


def _heard(stage: Stage, key: str, calls: _Calls) -> list[Heard]:
    """Give the answers of one session, and print what was asked."""
    talk = _over_stdio if _has_sdk() else _in_process
    heard = talk(stage, key, calls)
    for (tool, _), one in zip(calls, heard, strict=True):
        block = one.text.partition("<now")
        said = one.values.get("sentence") or one.values.get("status") or "".join(block[1:])
        stage.tell("demo.call", client=AGENT, tool=tool, answer=" ".join(str(said).split()))
    stage.sync()
    return heard


def _has_sdk() -> bool:
    try:
        return find_spec("mcp.client.client") is not None
    except ModuleNotFoundError:
        return False


def _in_process(stage: Stage, key: str, calls: _Calls) -> list[Heard]:
    app = open_for_agents(stage.root, stage.settings, lambda: stage.now)
    with closing(AgentSession(app, client_of(app.folder, key))) as session:
        replies = [call(session, tool, args) for tool, args in calls]
    return [Heard("\n".join(one.texts), one.values, one.failed) for one in replies]


def _over_stdio(stage: Stage, key: str, calls: _Calls) -> list[Heard]:
    from mcp.client.client import Client  # noqa: PLC0415 - the extra may not be installed
    from mcp.client.stdio import StdioServerParameters, stdio_client  # noqa: PLC0415

    where = [str(stage.root.parent), stage.words.locale, stage.now.isoformat()]
    command = StdioServerParameters(
        command=sys.executable,
        args=["-c", "from daemon.demo_agents import served; served()", *where],
        env={VARIABLE: key, "PYTHONPATH": os.pathsep.join((_HERE, *filter(None, sys.path)))},
    )

    async def talked() -> list[Heard]:
        async with Client(stdio_client(command, errlog=sys.__stderr__ or sys.stderr)) as client:
            found = [await client.call_tool(tool, dict(args)) for tool, args in calls]
        return [
            Heard(
                "\n".join(getattr(part, "text", "") for part in one.content),
                one.structured_content or {},
                bool(one.is_error),
            )
            for one in found
        ]

    return asyncio.run(talked())


def served() -> None:
    """Serve a staged vault as `clavaire mcp` does, at the stage's hour; folder, language and hour are the arguments."""
    from daemon.mcp_server import serve as serving  # noqa: PLC0415 - needs the extra, which this process has

    folder, locale, hour = sys.argv[1:]
    now, settings = datetime.fromisoformat(hour), staged(Path(folder), locale)
    key = os.environ.pop(VARIABLE, None)

    def opening() -> AgentSession:
        app = open_for_agents(Path(folder) / "vault", settings, lambda: now)
        return AgentSession(app, client_of(app.folder, key))

    serving(opening, "", locale)


# ---- what an agent is given to know


def brief(stage: Stage) -> None:
    """The context of a subject fits its budget, says where each line stands, and keeps what is sensitive back."""
    stage.advance(minutes=5)
    given = _context(stage, _SUBJECT)
    stage.expect("budget", (given.used <= _BUDGET, tokens(given.text)), (True, given.used))
    stage.expect("sections", given.sections[:5], _PARTS)
    lines = [line for line in given.text.split("\n") if line.startswith("- ")]
    stage.expect("origins", [line for line in lines if not _ITEM.match(line)], [])
    for line in filter(None, given.text.splitlines()):
        stage.tell("demo.line", line=line)
    told = [_ALLERGY in _context(stage, _ALLERGIES, external=external).text for external in (True, False)]
    stage.expect("sensitive", told, [False, True])


def _context(stage: Stage, subject: str, *, external: bool = True) -> Context:
    """Give what `clavaire context` does."""
    place, limits = zone(stage.settings), Limits(_BUDGET)
    with reading(stage.app.folder, "", private=True) as snapshot:
        one = boot(snapshot, stage.app.vault, stage.settings, stage.now.astimezone(place).date())
        note = NowNote(one.text.encode(), {"day": one.day, "by": ",".join(one.written_by)})
        return compiled(
            snapshot, subject, external=external, now=stage.now, zone=place, note=note, limits=limits
        )
