"""What must hold whenever a vault is at rest, whatever happened before."""

import dataclasses
import hashlib
import json
import re

from config.paths import NAMES
from daemon.app import open_writable
from daemon.managed import said
from daemon.memory.decide import decide
from daemon.memory.pairing import alive
from daemon.permits import exported, load_runs
from daemon.reading import canonical, export, state_in
from parsers.frame import frame_of
from parsers.model.facts import SECTION_OF, Fact, over
from parsers.model.places import Etag
from parsers.profile import parse
from parsers.sameness import folded
from parsers.statements import Spot
from tests.home import Home
from tests.person import ANY_OF_OURS, SECRET, Block, page


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
    """What stands in Profil.md, read again as if somebody had just saved it, says nothing new."""
    desk, moment = home.app.pipeline.desk, home.app.pipeline._moment()
    stood, one = home.app.history.stood(NAMES.profile), desk.read(NAMES.profile)
    if stood and one.usable:
        before = {NAMES.profile: dataclasses.replace(stood, etag=Etag("another"))}
        what = said({NAMES.profile: one}, before, home.state, (), None, (), moment.today.isoformat())
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
        if name in asked:
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
