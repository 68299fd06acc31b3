"""Two writers, one vault: whatever the person, the agents, the clock and crashes do, in any order, a few passes
bring it to rest, no byte of the person's is lost, and the index made anew says the same.
"""

import contextlib
import hashlib
import json
import os
import random
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import note as say
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from config.paths import NAMES
from daemon.app import open_writable
from daemon.memory.pairing import alive
from daemon.reading import canonical, export, state_in
from parsers.frame import frame_of
from parsers.model.edits import Correct, Edit, Forget, Remember
from parsers.model.facts import SECTION_OF, Fact
from parsers.profile import parse
from tests import person
from tests.home import FAST, Home
from tests.person import ANY_OF_OURS, SECRET, Act, acts, indices, page, wordings

_TICKED = re.compile(r"^\t- \[x\] .*\^(c-\w{8})-(\w+)$", re.MULTILINE)
_BOX = re.compile(r"\[.\](?= .* \^c-\w{8}-\w+\r?$)", re.MULTILINE)

_ARROWS = (
    ("register", "append"),
    ("vault", "append"),
    ("vault", "write"),
    ("vault", "create"),
    ("vault", "heard"),
    ("history", "_apply"),
    ("history", "stand"),
    ("history", "catch_up"),
    ("pipeline", "_index"),
    ("exchange", ""),
    ("torn", ""),
)
"""Where a crash comes, before or after the real call."""

_SLIPS = ("read", "write", "before", "after", "late")
"""When a save of the person's slips in: after we read, before we write, around the exchange, into the old file."""


class Crash(BaseException):
    """The process ends here."""


class TwoWriters(RuleBasedStateMachine):
    """A vault in use. `saved` is the text the person saved last, None when there is nothing to hold us to."""

    def __init__(self) -> None:
        super().__init__()
        self.place = tempfile.TemporaryDirectory(dir=FAST)
        self.chance, os.urandom = os.urandom, random.randbytes  # hypothesis seeds it: a failure can be played again
        self.saved: str | None = None
        self.cards_saved: str | None = None
        self.versions: list[str] = []
        self.ticked: set[str] = set()
        self.overwritten: list[bytes] = []

    @initialize(free=st.booleans(), crlf=st.booleans())
    def begin(self, free: bool, crlf: bool) -> None:
        files: dict[str, str | bytes] = {"Note.md": "# Note\n\n- Aime le thé ^abc\n"}
        if free:
            text = "---\nalias: [moi]\n---\n# Moi\n\nTexte libre 0.\n"
            files[NAMES.profile] = text.replace("\n", "\r\n") if crlf else text
        self.home = Home(Path(self.place.name).resolve(), files)
        self.untouched = self.home.snapshot(NAMES.assistant)
        self.sync()
        self.versions.append(self.home.profile())

    # ---- the person

    def save(self, text: str) -> None:
        self.home.write_profile(text)
        self.saved = text if text.strip("\ufeff \t\r\n") else None

    def now_in_note(self) -> str | None:
        full = self.home.full(NAMES.profile)
        return full.read_bytes().decode("utf-8") if full.exists() else None

    @rule(acts=st.lists(acts, min_size=1, max_size=3))
    def edit_profile(self, acts: list[Act]) -> None:
        text = self.now_in_note()
        if text:
            for act in acts:
                text = act(text)
            self.save(text)

    @rule(index=indices)
    def lose_a_marker(self, index: int) -> None:
        text = self.now_in_note()
        if text:
            self.save(person.break_marker(index)(text))

    @rule(how=st.sampled_from(["empty", "delete", "again"]))
    def lose_the_note(self, how: str) -> None:
        text = self.now_in_note()
        if text is None:
            return
        self.home.full(NAMES.profile).unlink()
        self.saved = None
        if how == "empty":
            self.home.write_profile("")
        elif how == "again" and text:
            self.save(text)

    @rule(index=indices)
    def restore_an_older_version(self, index: int) -> None:
        if self.versions:
            self.save(self.versions[-1 - index % len(self.versions)])

    @rule(index=indices, wording=st.none() | wordings)
    def tick(self, index: int, wording: tuple[str, ...] | None) -> None:
        text = self.home.cards() if self.home.full(NAMES.cards).exists() else ""
        boxes = list(_BOX.finditer(text))
        if boxes:
            box = boxes[index % len(boxes)]
            text = text[: box.start()] + "[x]" + text[box.end() :]
            name = re.search(r"\^(c-\w{8})-", text[box.start() :])
            if wording and name:
                head = re.compile(rf"^- .* \^{name[1]}(?=\r?$)", re.MULTILINE)
                text = head.sub(lambda _: f"- {wording[0]} ^{name[1]}", text, count=1)
            self.save_cards(text)

    @rule(index=indices, how=st.sampled_from(["card", "free", "flip", "delete", "empty", "twice", "reply"]))
    def edit_cards(self, index: int, how: str) -> None:
        if not self.home.full(NAMES.cards).exists():
            return
        text = self.home.cards()
        heads = list(re.finditer(r"^- .* (\^c-\w{8})\r?\n(\t.*\n)*", text, re.MULTILINE))
        head = heads[index % len(heads)] if heads else None
        if how == "delete":
            self.home.full(NAMES.cards).unlink()
            self.cards_saved = None
            return
        if how == "empty":
            text = ""
        elif how == "flip":
            text = person.flip_endings(text)
        elif how == "free":
            text = text.replace("# Cartes", "# Cartes libre", 1)
        elif head and how == "card":
            text = text[: head.start()] + text[head.end() :]
        elif head and how == "twice":
            text = text[: head.end()] + head[0] + text[head.end() :]
        elif head and how == "reply":
            text = text[: head.end()] + "\t- libre, sous la carte" + page(text).eol + text[head.end() :]
        self.save_cards(text)

    def save_cards(self, text: str) -> None:
        self.home.write_cards(text)
        self.cards_saved = text if text.strip("\ufeff \t\r\n") else None
        self.ticked |= {name for name, _ in _TICKED.findall(text.replace("\r\n", "\n"))}

    # ---- agents, the terminal, the clock

    @rule(wording=wordings, origin=st.sampled_from(["mcp:x", "mcp:y", "person"]), kind=st.sampled_from([*SECTION_OF]))
    def remember(self, wording: tuple[str, ...], origin: str, kind: Any) -> None:
        self.sync((), [Remember("\n".join(wording), kind, origin, 1.0 if origin == "person" else 0.6)])

    @rule(index=indices, wording=wordings)
    def correct(self, index: int, wording: tuple[str, ...]) -> None:
        fact = self.some_fact(index)
        if fact:
            self.sync((), [Correct(fact.id, "\n".join(wording))])

    @rule(index=indices)
    def forget(self, index: int) -> None:
        fact = self.some_fact(index)
        if fact:
            self.sync((), [Forget(fact.id)])

    def some_fact(self, index: int) -> Fact | None:
        facts = [versions[-1] for versions in self.home.state.facts.values()]
        return facts[index % len(facts)] if facts else None

    @rule(step=st.sampled_from([{"seconds": 3}, {"minutes": 11}, {"days": 1}, {"days": 31}]))
    def wait(self, step: dict[str, float]) -> None:
        self.home.clock.advance(**step)

    # ---- clavaire

    @rule(paths=st.sampled_from([None, [NAMES.profile], [NAMES.cards, NAMES.profile], ["Note.md"]]))
    def sync(self, paths: list[str] | None = None, edits: tuple[Edit, ...] | list[Edit] = ()) -> None:
        self.home.sync(paths, edits)

    @rule()
    def restart(self) -> None:
        self.home.restart()

    @rule()
    def delete_the_index(self) -> None:
        self.home.drop_index()

    @rule(
        arrow=st.sampled_from(_ARROWS),
        after=st.booleans(),
        skip=st.integers(0, 2),
        act=st.none() | acts,
        agent=st.booleans(),
    )
    def crash(self, arrow: tuple[str, str], after: bool, skip: int, act: Act | None, agent: bool) -> None:
        """A process dies at an arrow of a pass, and another one opens the vault."""
        text = self.now_in_note()
        if text and act:
            self.save(act(text))
        self.arm(arrow, skip, after)
        with contextlib.suppress(Crash):
            self.sync(None, [Remember("Aime le vélo", "fact", "mcp:x", 0.6)] if agent else [])
        self.home.restart()

    def arm(self, arrow: tuple[str, str], skip: int, after: bool) -> None:
        what, name = arrow
        left = [skip]

        def crashing(real: Callable[..., Any]) -> Callable[..., Any]:
            def call(*args: Any, **kwargs: Any) -> Any:
                left[0] -= 1
                if left[0] < 0 and not after:
                    raise Crash
                done = real(*args, **kwargs)
                if left[0] < 0:
                    raise Crash
                return done

            return call

        app = self.home.app
        if what == "exchange":
            app.vault._writer._exchange = crashing(app.vault._writer._exchange)
        elif what == "torn":
            real = app.vault.append

            def torn(path: Any, data: bytes, size: int) -> None:
                real(path, data[: max(1, len(data) - (1 if after else 40))] if size else data, size)
                raise Crash

            app.vault.append = torn
        else:
            owner = getattr(app, what)
            setattr(owner, name, crashing(getattr(owner, name)))

    @rule(when=st.sampled_from(_SLIPS), act=acts, first=st.none() | acts)
    def slip_in(self, when: str, act: Act, first: Act | None) -> None:
        """The person saves while a pass is at work."""
        text = self.now_in_note()
        if not text:
            return
        if first:
            text = first(text)
            self.save(text)
        app, done = self.home.app, []
        stream = self.home.full(NAMES.profile).open("r+b")

        def slip() -> None:
            if not done:
                done.append(when)
                new = act(text)
                if when == "late":
                    stream.write(new.encode("utf-8"))
                    stream.truncate()
                    stream.flush()
                    self.saved = new if new.strip() else None
                else:
                    self.save(new)

        vault, writer = app.vault, app.vault._writer
        real_read, real_write, real_exchange = vault.read, vault.write, writer._exchange

        def read(path: Any) -> Any:
            found = real_read(path)
            if when == "read" and path == NAMES.profile:
                slip()
            return found

        def write(path: Any, *args: Any) -> Any:
            if when == "write" and path == NAMES.profile:
                slip()
            return real_write(path, *args)

        def exchange(draft: str, full: str) -> None:
            ours = full.endswith(NAMES.profile)
            if when == "before" and ours:
                slip()
            real_exchange(draft, full)
            if when in ("after", "late") and ours:
                slip()

        vault.read, vault.write, writer._exchange = read, write, exchange
        try:
            self.sync()
        finally:
            vault.read, vault.write, writer._exchange = real_read, real_write, real_exchange
            stream.close()

    # ---- rest

    @rule()
    def settle(self) -> None:
        """Come to rest; everything that must hold then is looked at."""
        self.home.rest()
        self.check_another_process()
        self.check_knowledge()
        self.check_profile()
        self.check_cards()
        self.check_register()
        assert self.home.snapshot(NAMES.assistant) == self.untouched
        text = self.now_in_note()
        if text and text.strip():
            self.versions.append(text)
        self.saved = text if text and text.strip() else None
        self.cards_saved = self.home.cards()

    def teardown(self) -> None:
        try:
            if hasattr(self, "home"):
                self.settle()
                before = self.home.export()
                self.home.drop_index()
                assert self.home.app.pipeline.rebuild() >= 0
                assert self.home.export() == before
                self.home.rest()
                assert self.home.export() == before
        finally:
            if hasattr(self, "home"):
                self.home.close()
            self.place.cleanup()
            os.urandom = self.chance

    def check_another_process(self) -> None:
        """A process that has read nothing before finds nothing to do either."""
        home = self.home
        other = open_writable(home.root, home.settings, home.clock)
        outcome = other.pipeline.sync()
        other.close()
        assert (outcome.records, outcome.written) == ((), ())

    def check_knowledge(self) -> None:
        home = self.home
        assert home.folded() == home.export()
        assert canonical(export(state_in(home.app.history.index))) == home.export()
        for versions in home.state.facts.values():
            for fact in versions:
                if fact.source.startswith("mcp:") and fact.status in ("confirmed", "held"):
                    answered = [c for c in home.state.cards.values() if fact.id in c.subjects and c.answer]
                    assert any(card.id in self.ticked for card in answered), fact
        assert SECRET not in home.export()

    def check_profile(self) -> None:
        text = self.now_in_note()
        if not text or not text.strip("\ufeff \r\n"):
            return
        note = frame_of(text)
        say(text)
        if note.faults:
            assert self.saved is None or text == self.saved
            return
        ids = ANY_OF_OURS.findall(text)
        assert len(ids) == len(set(ids)), ids
        lines = parse(text, note).statements
        said = {name: spot for spot in reversed(lines) for name in (spot.says.anchor, spot.says.id)}
        there = {section.name for section in note.sections}
        today = self.home.clock.now.astimezone().date().isoformat()
        asked = {name for card in self.home.open_cards("returned") for name in card.subjects}
        for versions in self.home.state.facts.values():
            fact = versions[-1]
            ended = fact.valid_to is not None and fact.valid_to <= today and fact.valid_to_text is None
            line = said.get(fact.id) or (said.get(fact.anchor) if fact.anchor else None)
            if fact.status == "confirmed" and alive(fact) and not ended and fact.id not in asked:
                if line is None:
                    assert SECTION_OF[fact.kind] not in there, fact
                else:
                    says, place = line.says.wording.text, SECTION_OF[fact.kind]
                    assert SECRET in says or says == fact.text, (line, fact)
                    assert SECRET in says or line.section == place or place not in there
            elif line is not None and fact.id not in asked:
                texts = {one.text for one in versions}
                assert line.says.wording.text not in texts, (fact, line)
        self.check_words(text)

    def check_words(self, text: str) -> None:
        """What the person saved last stands there, or was taken up."""
        if self.saved is None:
            return
        mine, found = page(self.saved), page(text)
        assert found.skeleton == mine.skeleton
        bare = [block.bare for block in found.items]
        known = {fact.text for versions in self.home.state.facts.values() for fact in versions}
        forgotten = any(v[-1].status == "forgotten" for v in self.home.state.facts.values())
        for spot in parse(self.saved, frame_of(self.saved)).statements:
            item = self.saved[spot.start : spot.stop]
            block = next(one for one in mine.items if one.lines[0].rstrip("\r\n") in item)
            assert block.bare in bare or spot.says.wording.text in known or forgotten, block
        for block in found.items:
            most = max(1, sum(one.bare == block.bare for one in mine.items))
            assert sum(one == block.bare for one in bare) <= most, block

    def check_cards(self) -> None:
        text = self.home.cards()
        ids = re.findall(r"^- .* \^(c-\w{8})\r?$", text, re.MULTILINE)
        if self.cards_saved is not None:
            mine = [line for line in self.cards_saved.split("\n") if not re.match(r"\s*- |\s*$", line) or "libre" in line]
            left = [line for line in text.split("\n") if not re.match(r"\s*- |\s*$", line) or "libre" in line]
            assert left == mine
        if frame_of(text).faults:
            return
        twice = {name for name in ids if ids.count(name) > 1}
        standing = {c.id for c in self.home.open_cards() if not c.hidden and not c.grouped}
        assert standing <= set(ids), standing
        closed = {c.id for c in self.home.state.cards.values() if c.status != "open" or c.hidden}
        assert not (closed & set(ids)) - twice, closed & set(ids)

    def check_register(self) -> None:
        """Each line names the one before: counted here by hand."""
        before, seq = "0" * 16, 0
        for full in sorted(self.home.full(NAMES.register_folder).glob("*.md")):
            body = full.read_bytes().partition(b"```jsonl\n")[2]
            for line in body.splitlines():
                record = json.loads(line)
                assert (record["prev"], record["seq"]) == (before, seq + 1)
                before, seq = hashlib.sha256(line).hexdigest()[:16], record["seq"]
        assert seq == self.home.records()[-1].seq


TestTwoWriters = TwoWriters.TestCase
