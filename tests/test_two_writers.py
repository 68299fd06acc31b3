"""Two writers, one vault: whatever the person, the agents, the clock and crashes do, in any order, a few passes
bring it to rest, no byte of the person's is lost, and the index made anew says the same.
"""

import contextlib
import os
import random
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import note as say
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from config.paths import NAMES
from daemon.app import App, open_writable
from parsers.frame import frame_of
from parsers.model.edits import Correct, Edit, Forget, Remember
from parsers.model.facts import SECTION_OF, Kind
from parsers.model.places import NotePath
from tests import person, rest
from tests.home import FAST, Home
from tests.person import Act, acts, adds, indices, page, wordings
from tests.seams import ARROWS, SLIPS, Crash, crash_at, slipping

_TICKED = re.compile(r"^\t- \[x\] .*\^(c-\w{8})-\w+$", re.MULTILINE)
_BOX = re.compile(r"\[.\](?= .* \^(c-\w{8})-\w+\r?$)", re.MULTILINE)
_CARD = re.compile(r"^- .* (\^c-\w{8})\r?\n(\t.*\n)*", re.MULTILINE)


class TwoWriters(RuleBasedStateMachine):
    """A vault in use. `saved` is the text the person saved last, None when there is nothing to hold us to."""

    def __init__(self) -> None:
        super().__init__()
        self.place = tempfile.TemporaryDirectory(dir=FAST)
        self.chance, os.urandom = (
            os.urandom,
            random.randbytes,
        )  # hypothesis seeds it: a failure can be replayed
        self.home: Home | None = None
        self.other: App | None = None
        self.saved: str | None = None
        self.cards_saved: str | None = None
        self.versions: list[str] = []
        self.ticked: set[str] = set()

    @initialize(free=st.booleans(), crlf=st.booleans(), known=st.lists(adds, max_size=8))
    def begin(self, free: bool, crlf: bool, known: Sequence[Act]) -> None:
        files: dict[str, str | bytes] = {"Note.md": "# Note\n\n- Aime le thé ^abc\n"}
        if free:
            text = "---\nalias: [moi]\n---\n# Moi\n\nTexte libre 0.\n"
            files[NAMES.profile] = text.replace("\n", "\r\n") if crlf else text
        self.home = Home(Path(self.place.name).resolve(), files)
        self.untouched = self.home.snapshot(NAMES.assistant)
        self.edit_profile(known, True)
        self.versions.append(self.home.profile())

    # ---- the person

    def in_note(self, path: str = NAMES.profile) -> str:
        return self.home.text(path) if self.home.full(path).exists() else ""

    def save(self, text: str) -> None:
        self.home.write_profile(text)
        self.saved = text if text.strip("\ufeff \t\r\n") else None

    def save_cards(self, text: str) -> None:
        self.home.write_cards(text)
        self.cards_saved = text if text.strip("\ufeff \t\r\n") else None
        self.ticked |= set(_TICKED.findall(text.replace("\r\n", "\n")))

    @rule(acts=st.lists(acts, min_size=1, max_size=3), seen=st.booleans())
    def edit_profile(self, acts: Sequence[Act], seen: bool) -> None:
        text = self.in_note()
        for act in acts if text else ():
            text = act(text)
        if text:
            self.save(text)
        if seen:
            self.home.sync()

    @rule(act=acts, also=acts)
    def edit_profile_twice(self, act: Act, also: Act) -> None:
        self.edit_profile([act], True)
        self.edit_profile([also], True)

    @rule(how=st.sampled_from(["a marker", "the words", "the note", "neither"]), index=indices)
    def lose(self, how: str, index: int) -> None:
        """Lose a marker, all the words, the note; or delete the note and make it again as it was."""
        text = self.in_note()
        if how == "a marker" and text:
            self.save(person.break_marker(index)(text))
            return
        self.home.full(NAMES.profile).unlink(missing_ok=True)
        self.saved = None
        if how == "the words":
            self.home.write_profile("")
        elif how == "neither" and text:
            self.save(text)

    @rule(index=indices)
    def restore_an_older_version(self, index: int) -> None:
        self.save(self.versions[-1 - index % len(self.versions)])

    @rule(index=indices, wording=st.none() | wordings)
    def tick(self, index: int, wording: tuple[str, ...] | None) -> None:
        """Tick a box, the card's first line reworded or not."""
        text = self.in_note(NAMES.cards)
        boxes = list(_BOX.finditer(text))
        if boxes:
            box = boxes[index % len(boxes)]
            text = text[: box.start()] + "[x]" + text[box.end() :]
            if wording:
                head = re.compile(rf"^- .* \^{box[1]}(?=\r?$)", re.MULTILINE)
                text = head.sub(lambda _: f"- {wording[0]} ^{box[1]}", text, count=1)
            self.save_cards(text)

    @rule(index=indices, how=st.sampled_from(["cut", "twice", "reply", "free", "flip", "delete", "empty"]))
    def edit_cards(self, index: int, how: str) -> None:
        """Delete a card, copy it, write below it; or change the note around the cards."""
        text = self.in_note(NAMES.cards)
        heads = list(_CARD.finditer(text))
        if how == "delete":
            self.home.full(NAMES.cards).unlink(missing_ok=True)
            self.cards_saved = None
        elif text and how == "flip":
            self.save_cards(person.flip_endings(text))
        elif text and how in ("free", "empty"):
            self.save_cards("" if how == "empty" else text.replace("# Cartes", "# Cartes libre", 1))
        elif heads and how in ("cut", "twice", "reply"):
            head = heads[index % len(heads)]
            reply = "\t- libre, sous la carte" + page(text).eol
            new = {"cut": "", "twice": head[0] * 2, "reply": head[0] + reply}[how]
            self.save_cards(text[: head.start()] + new + text[head.end() :])

    # ---- agents, the terminal, the clock

    @rule(
        wording=wordings,
        origin=st.sampled_from(["mcp:x", "mcp:y", "person"]),
        kind=st.sampled_from([*SECTION_OF]),
    )
    def remember(self, wording: tuple[str, ...], origin: str, kind: Kind) -> None:
        self.hand_in(Remember("\n".join(wording), kind, origin, 1.0 if origin == "person" else 0.6), now=True)

    @rule(index=indices, wording=st.none() | wordings, now=st.booleans())
    def amend(self, index: int, wording: tuple[str, ...] | None, now: bool) -> None:
        """Correct a fact on a terminal, or forget it when there are no words."""
        facts = [versions[-1].id for versions in self.home.state.facts.values()]
        if facts:
            name = facts[index % len(facts)]
            self.hand_in(Correct(name, "\n".join(wording)) if wording else Forget(name), now=now)

    def hand_in(self, edit: Edit, *, now: bool) -> None:
        """Make the whole pass, or only record it as a command does while the daemon runs."""
        if now:
            self.home.sync((), [edit])
        else:
            command = open_writable(self.home.root, self.home.settings, self.home.clock)
            command.pipeline.submit([edit])
            command.close()

    @rule(step=st.sampled_from([{"seconds": 3}, {"minutes": 11}, {"days": 1}, {"days": 31}]))
    def wait(self, step: dict[str, float]) -> None:
        self.home.clock.advance(**step)

    # ---- clavaire

    @rule(paths=st.sampled_from([None, [NAMES.profile], [NAMES.cards, NAMES.profile], ["Note.md"]]))
    def sync(self, paths: list[str] | None = None) -> None:
        self.home.sync(paths)

    @rule(busy=st.sets(st.sampled_from([NAMES.profile, NAMES.cards, NAMES.journal]), min_size=1))
    def sync_while_notes_are_typed_in(self, busy: set[NotePath]) -> None:
        before = {path: self.in_note(path) for path in busy}
        self.home.app.pipeline.sync(None, (), busy)
        assert before == {path: self.in_note(path) for path in busy}

    @rule(edit=st.none() | st.builds(Remember, st.just("Lit le soir"), st.just("fact"), st.just("mcp:z")))
    def another_process_comes(self, edit: Edit | None) -> None:
        """It stays open beside the first: each finds what the other did."""
        if self.other is None:
            self.other = open_writable(self.home.root, self.home.settings, self.home.clock)
        self.other.pipeline.sync(None, [edit] if edit else [])

    @rule(forgetful=st.booleans())
    def reopen(self, forgetful: bool) -> None:
        """Another process opens the vault; with its index deleted, if `forgetful`."""
        if forgetful:
            self.home.drop_index()
        else:
            self.home.restart()

    @rule(
        arrow=st.sampled_from(ARROWS),
        after=st.booleans(),
        skip=st.integers(0, 2),
        act=st.none() | acts,
        agent=st.booleans(),
        look=st.booleans(),
    )
    def crash(self, arrow: str, after: bool, skip: int, act: Act | None, agent: bool, look: bool) -> None:
        """A process dies at an arrow of a pass, and another one opens the vault."""
        if self.in_note() and act:
            self.save(act(self.in_note()))
        crash_at(self.home.app, arrow, skip, after=after)
        with contextlib.suppress(Crash):
            self.home.sync(None, [Remember("Aime le vélo", "fact", "mcp:x", 0.6)] if agent else [])
        self.home.restart()
        if look:
            self.settle()

    @rule(when=st.sampled_from(SLIPS), act=acts, first=st.none() | acts, look=st.booleans())
    def slip_in(self, when: str, act: Act, first: Act | None, look: bool) -> None:
        """The person saves while a pass is at work; into an emptied note they paste an older version."""
        if not self.home.full(NAMES.profile).exists():
            return
        text = self.in_note()
        if text and first:
            text = first(text)
            self.save(text)
        with slipping(self.home, when, lambda: act(text or self.versions[0])) as saved:
            self.home.sync()
        for new in saved:
            self.saved = new if new.strip("\ufeff \t\r\n") else None
        if look:
            self.settle()

    # ---- rest

    @rule()
    def settle(self) -> None:
        """Come to rest; everything that must hold then is looked at."""
        self.home.rest()
        text = self.in_note()
        say(text)
        rest.check_another_process(self.home)
        rest.check_knowledge(self.home, self.ticked)
        rest.check_register(self.home)
        rest.check_cards(self.home, self.cards_saved)
        rest.check_reading(self.home)
        assert self.home.snapshot(NAMES.assistant) == self.untouched
        if text and frame_of(text).faults:
            assert self.saved in (None, text)
        elif text.strip("\ufeff \t\r\n"):
            rest.check_lines(self.home, text)
            if self.saved is not None:
                rest.check_words(self.home, self.saved, text)
        if text.strip("\ufeff \t\r\n"):
            self.versions.append(text)
            self.saved = text
        else:
            self.saved = None
        self.cards_saved = self.home.cards()

    def teardown(self) -> None:
        try:
            if self.home:
                self.settle()
                before = self.home.export()
                self.home.drop_index()
                self.home.app.pipeline.rebuild()
                assert self.home.export() == before
                self.home.rest()
                assert self.home.export() == before
        finally:
            if self.home:
                self.home.close()
            if self.other:
                self.other.close()
            self.place.cleanup()
            os.urandom = self.chance


TestTwoWriters = pytest.mark.timeout(3600)(TwoWriters.TestCase)
TestTwoWriters.settings = settings(max_examples=2 * settings().max_examples)
