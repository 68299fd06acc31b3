"""What must hold whenever a vault is at rest, whatever happened before."""

import dataclasses
import hashlib
import json
import re
from collections.abc import Mapping

from config.paths import NAMES
from daemon.app import open_writable
from daemon.fact_notes import Look
from daemon.managed import said
from daemon.memory.decide import decide
from daemon.memory.pairing import alive
from daemon.memory.people import said_of
from daemon.memory.places import FACT_NOTES, note_of
from daemon.permits import exported, load_runs
from daemon.reading import canonical, export, state_in
from parsers.frame import frame_of
from parsers.model.entities import Entity
from parsers.model.facts import SECTION_OF, Fact, over
from parsers.model.places import Etag
from parsers.people import parse as parse_people
from parsers.profile import parse
from parsers.sameness import folded
from parsers.statements import Spot
from tests.home import Home
from tests.peopled import bare, lines_of
from tests.person import ANY_OF_OURS, SECRET, Block, page

_OURS = re.compile(r"\^([ef]-[0-9a-hjkmnp-tv-z]{8})(?=[ \t\r\n]|\Z)")


def check_another_process(home: Home) -> None:
    """A process that has read nothing before finds nothing to do either."""
    other = open_writable(home.root, home.settings, home.clock)
    outcome = other.pipeline.sync()
    other.close()
    assert (outcome.records, outcome.written) == ((), ()), outcome


def check_knowledge(home: Home, ticked: set[str]) -> None:
    """Register, state and index agree; an agent's word is confirmed by a tick alone; no secret is known."""
    assert home.folded() == home.export()
    index = home.app.history.index
    assert canonical(export(state_in(index), exported(load_runs(index)[0]))) == home.export()
    for versions in home.state.facts.values():
        for fact in versions:
            if fact.source.startswith("mcp:") and fact.status in ("confirmed", "held"):
                cards = [
                    card for card in home.state.cards.values() if fact.id in card.subjects and card.answer
                ]
                assert any(card.id in ticked for card in cards), fact
    assert all(SECRET.encode() not in record.raw for record in home.records())


def check_register(home: Home) -> None:
    """Each line names the one before: counted here by hand."""
    before, seq = "0" * 16, 0
    for full in sorted(home.full(NAMES.register_folder).glob("*.md")):
        body = full.read_bytes().partition(b"```jsonl\n")[2]
        for line in body.splitlines():
            record = json.loads(line)
            assert (record["prev"], record["seq"]) == (before, seq + 1)
            before, seq = hashlib.sha256(line).hexdigest()[:16], record["seq"]
    assert seq == home.records()[-1].seq


def check_reading(home: Home) -> None:
    """What stands in the notes of facts, read again as if somebody had just saved them, says nothing new."""
    desk, moment = home.app.pipeline.desk, home.app.pipeline._moment()
    sources, looks = {}, {}
    for path in FACT_NOTES:
        stood, one = home.app.history.stood(path), desk.read(path)
        if stood and one.usable:
            sources[path] = one
            looks[path] = Look(dataclasses.replace(stood, etag=Etag("another")))
    if sources:
        what = said(sources, looks, home.state, moment.today.isoformat())
        events = decide(home.state, moment, what.readings, ())
        assert events == (), events


def check_lines(home: Home, text: str) -> None:
    """Every current fact has its line, every line with an id its fact, and no id stands twice in sections."""
    frame = frame_of(text)
    ids = [name for one in frame.sections for name in ANY_OF_OURS.findall(text[one.start : one.end])]
    assert len(ids) == len(set(ids)), ids
    lines, there = parse(text, frame).statements, {section.name for section in frame.sections}
    asked = {name for card in home.open_cards("returned") for name in card.subjects}
    held = {versions[-1].anchor for versions in home.state.facts.values() if _shown(home, versions[-1])} - {
        None
    }
    for name, versions in home.state.facts.items():
        line = _line_of(versions[-1], lines, home)
        if name in asked or note_of(home.state, versions[-1]) != NAMES.profile:
            continue
        if _shown(home, versions[-1]):
            _check_line(versions[-1], line, there)
        elif line is not None and line.says.anchor not in held:
            assert line.says.wording.text not in {one.text for one in versions}, (versions[-1], line)


def _line_of(fact: Fact, lines: tuple[Spot, ...], home: Home) -> Spot | None:
    """The line with a fact's id, or with its anchor and no other fact's id: one that says it, in its section."""
    free = [spot for spot in lines if spot.says.id not in home.state.facts]
    own = [spot for spot in lines if spot.says.id == fact.id]
    own += [spot for spot in free if fact.anchor and spot.says.anchor == fact.anchor]
    same = [spot for spot in own if spot.says.wording.text == fact.text]
    there = [spot for spot in same if spot.section == SECTION_OF[fact.kind]]
    return next(iter((*there, *same, *own)), None)


def _shown(home: Home, fact: Fact) -> bool:
    today = home.clock.now.astimezone(home.zone).date().isoformat()
    return fact.status == "confirmed" and alive(fact) and not over(fact, today)


def _check_line(fact: Fact, line: Spot | None, there: set[str]) -> None:
    place = SECTION_OF[fact.kind]
    if line is None:
        assert place not in there, fact
    elif SECRET not in line.says.wording.text:
        assert line.says.wording.text == fact.text, (line, fact)
        assert line.section == place or place not in there, (line, fact)


def check_words(home: Home, saved: str, text: str) -> None:
    """What the person saved last stands there, byte for byte but ids, or was taken up; nothing is doubled."""
    mine, found = page(saved), page(text)
    assert found.skeleton == mine.skeleton
    bare = [block.bare for block in found.items]
    known = {folded(fact.text) for versions in home.state.facts.values() for fact in versions}
    forgotten = any(versions[-1].status == "forgotten" for versions in home.state.facts.values())
    for spot in parse(saved, frame_of(saved)).statements:
        item = saved[spot.start : spot.stop]
        block = next(one for one in mine.items if one.lines[0].rstrip("\r\n") in item)
        assert block.bare in bare or folded(spot.says.wording.text) in known or forgotten, block
    loose = [block.bare for block in found.items if not _of_a_fact(block, home)]
    for one in loose:
        assert loose.count(one) <= sum(block.bare == one for block in mine.items), one


def _of_a_fact(block: Block, home: Home) -> bool:
    words = "".join(block.lines)
    anchors = {versions[-1].anchor for versions in home.state.facts.values()} - {None}
    return any(f"^{name}" in words for name in (*home.state.facts, *anchors))


def check_cards(home: Home, saved: str | None) -> None:
    """The cards that wait stand in Cartes.md, no other of ours does, and the person's lines are as they were."""
    text = home.cards()
    if saved is not None:
        assert _free(text) == _free(saved)
    if frame_of(text).faults:
        return
    ids = re.findall(r"^- .* \^(c-\w{8})\r?$", text, re.MULTILINE)
    assert {card.id for card in home.open_cards() if not card.hidden and not card.grouped} <= set(ids)
    done = {card.id for card in home.state.cards.values() if card.status != "open" or card.hidden}
    assert not {name for name in ids if ids.count(name) == 1} & done


def _free(text: str) -> list[str]:
    return [line for line in text.split("\n") if "libre" in line or not re.match(r"\s*- |\s*$", line)]


def check_people(home: Home) -> None:
    """Everybody who is known has one line, and below it stand the facts about them; no id stands twice.

    Of a line with a token in it nothing is taken, and not a byte is changed: its id may be a copy, or out of place.
    """
    text = home.people() if home.full(NAMES.people).exists() else ""
    frame = frame_of(text)
    if frame.faults or "people" not in {one.name for one in frame.sections}:
        return
    spots = parse_people(text, frame).statements
    asked = {name for card in home.open_cards("returned") for name in card.subjects}
    heads = {_named(spot, home.state.entities): spot for spot in spots if spot.reach}
    known = {name for name, one in home.state.entities.items() if one.status == "confirmed"} - asked
    read = {spot.start for name, spot in heads.items() if name in known}
    secret = [one for one in spots if SECRET in one.says.wording.text]
    ours = [one for one in spots if one not in secret and (one.start in read or one.under in read)]
    heads_of = (one.says.item for one in ours)
    ids = _OURS.findall("\n".join(item.text[: item.para_end] for item in heads_of))
    assert len(ids) == len(set(ids)), (ids, text)
    for name, entity in home.state.entities.items():
        if entity.kind != "person" or name in asked:
            continue
        stands = entity.status == "confirmed" and entity.retracted_at is None
        aside = any(card.answer == "refuse" and name in card.subjects for card in home.state.cards.values())
        aside = aside or heads.get(name) in secret
        assert (name in heads) == stands or (aside and not stands), (entity, text)
        if stands:
            text_there = heads[name].says.wording.text
            assert text_there == said_of(home.state, entity) or SECRET in text_there, (entity, heads[name])
            assert f"{entity.last_seen}]" in heads[name].says.item.text
            kept = {spot.says.id for spot in secret} - {None}
            _check_below(
                home, name, [spot for spot in spots if spot.under == heads[name].start], asked | kept
            )


def _check_below(home: Home, name: str, below: list[Spot], asked: set[str]) -> None:
    latest = {one: versions[-1] for one, versions in home.state.facts.items()}
    there = {_named(spot, latest): spot for spot in below}
    for fact in latest.values():
        if fact.entity_id != name or fact.id in asked or note_of(home.state, fact) != NAMES.people:
            continue
        assert (fact.id in there) == _shown(home, fact), (fact, home.people())
        if fact.id in there and SECRET not in there[fact.id].says.wording.text:
            assert there[fact.id].says.wording.text == fact.text, (fact, there[fact.id])


def _named(spot: Spot, known: Mapping[str, Fact | Entity]) -> str | None:
    """Whom or what a line is by its id, else by its anchor: of several that had it, the one that is kept."""
    if spot.says.id in known:
        return spot.says.id
    anchored = [one for one in known.values() if one.anchor and one.anchor == spot.says.anchor]
    return max(anchored, key=lambda one: (one.retracted_at is None, one.recorded_at)).id if anchored else None


def check_people_words(home: Home, saved: str, text: str) -> None:
    """What the person saved last in Personnes.md stands there, byte for byte but for what is ours, or was taken up."""
    mine, found = [bare(line) for line in lines_of(saved)], [bare(line) for line in lines_of(text)]
    free = [line for line in mine if not re.match(r"[ \t]*[-*+] ", line) or "libre" in line]
    assert [line for line in found if line in free] == free, (free, found)
    known = {folded(fact.text) for versions in home.state.facts.values() for fact in versions}
    known |= {folded(one.name) for one in home.state.entities.values()}
    forgotten = any(one.status == "forgotten" for one in home.state.entities.values())
    forgotten |= any(versions[-1].status == "forgotten" for versions in home.state.facts.values())
    assert forgotten or {line for line in mine if SECRET in line} <= set(found)
    for spot in parse_people(saved, frame_of(saved)).statements:
        line = bare(saved[spot.start : spot.stop].partition("\n")[0])
        words = spot.says.wording.key if spot.reach else spot.says.wording.text
        there = any(one.rstrip("\r\n") == line.rstrip("\r") for one in found)
        assert there or forgotten or folded(words or "") in known or _renamed(home, words or ""), (
            line,
            found,
        )


def _renamed(home: Home, name: str) -> bool:
    return any(folded(name) in map(folded, one.aliases) for one in home.state.entities.values())
