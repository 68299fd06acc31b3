"""Two writers, two notes: whatever the person does in Personnes.md and Profil.md, the agents, the clock and crashes, in
any order, a few passes bring both to rest, no byte of the person's is lost, and the index made anew says the same.
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
from parsers.model.edits import Forget, Remember
from tests import rest
from tests.home import FAST, Home
from tests.peopled import Act, acts, adds, carried_over, flow_back, indices, names
from tests.seams import ARROWS, Crash, crash_at

_TICKED = re.compile(r"^\t- \[x\] .*\^(c-\w{8})-\w+$", re.MULTILINE)
_BOX = re.compile(r"\[.\](?= .* \^(c-\w{8})-\w+\r?$)", re.MULTILINE)
_NOTES = (NAMES.people, NAMES.profile)


class TwoNotes(RuleBasedStateMachine):
    """A vault in use. `saved` are the texts the person saved last, where there is something to hold us to."""

    def __init__(self) -> None:
        super().__init__()
        self.place = tempfile.TemporaryDirectory(dir=FAST)
        self.chance, os.urandom = os.urandom, random.randbytes
        self.home: Home | None = None
        self.other: App | None = None
        self.saved: dict[str, str | None] = {}
        self.versions: list[str] = []
        self.ticked: set[str] = set()

    @initialize(known=st.lists(adds, max_size=6), crlf=st.booleans())
    def begin(self, known: Sequence[Act], crlf: bool) -> None:
        files: dict[str, str | bytes] = {"Gens/Marie.md": "---\ntype: person\n---\n", "Note.md": "# Note\n"}
        self.home = Home(Path(self.place.name).resolve(), files)
        self.home.put("Atelier.md", "---\ntype: projet\n---\n")
        if crlf:
            self.save(NAMES.people, self.home.people().replace("\n", "\r\n"))
        self.home.rest()
        self.untouched = self.home.snapshot(NAMES.assistant)
        self.edit(known, True)
        self.versions.append(self.home.people())

    # ---- the person

    def text(self, path: str) -> str:
        return self.home.text(path) if self.home.full(path).exists() else ""

    def save(self, path: str, text: str) -> None:
        self.home.put(path, text)
        self.saved[path] = text if text.strip("\ufeff \t\r\n") else None

    @rule(acts=st.lists(acts, min_size=1, max_size=3), seen=st.booleans())
    def edit(self, acts: Sequence[Act], seen: bool) -> None:
        text = self.text(NAMES.people)
        for act in acts if text else ():
            text = act(text)
        if text:
            self.save(NAMES.people, text)
        if seen:
            self.home.sync()

    @rule(index=indices, back=st.booleans(), copied=st.booleans(), seen=st.booleans(), between=st.booleans())
    def carry_over(self, index: int, back: bool, copied: bool, seen: bool, between: bool) -> None:
        """Cut or copy a line of one note and paste it into the other; a pass may come in between."""
        people, profile = self.text(NAMES.people), self.text(NAMES.profile)
        if not people or not profile:
            return
        move = flow_back if back else carried_over
        new_people, new_profile = move(people, profile, index, keep=copied)
        first = (NAMES.people, new_people) if back else (NAMES.profile, new_profile)
        second = (NAMES.profile, new_profile) if back else (NAMES.people, new_people)
        self.save(*first)
        if between:
            self.home.sync()
            # The editor that has the other note open saves what the pass did not change there.
            if self.text(second[0]) != (profile if back else people):
                return
        self.save(*second)
        if seen:
            self.home.sync()

    @rule(how=st.sampled_from(["a marker", "the words", "the note"]))
    def lose(self, how: str) -> None:
        text = self.text(NAMES.people)
        if how == "a marker" and text:
            self.save(NAMES.people, text.replace("<!-- clavaire:end people -->", "", 1))
            return
        self.home.full(NAMES.people).unlink(missing_ok=True)
        self.saved[NAMES.people] = None
        if how == "the words":
            self.home.write_people("")

    @rule(index=indices)
    def restore_an_older_version(self, index: int) -> None:
        self.save(NAMES.people, self.versions[-1 - index % len(self.versions)])

    @rule(index=indices)
    def tick(self, index: int) -> None:
        text = self.text(NAMES.cards)
        boxes = list(_BOX.finditer(text))
        if boxes:
            box = boxes[index % len(boxes)]
            text = text[: box.start()] + "[x]" + text[box.end() :]
            self.home.write_cards(text)
            self.ticked |= set(_TICKED.findall(text))

    # ---- agents, the terminal, the clock

    @rule(
        text=st.sampled_from(["Aime le thé", "Dentiste : Dr Roux", "Court", "Lit [à propos:: [[Atelier]]]"]),
        about=st.none() | names,
        origin=st.sampled_from(["mcp:x", "person"]),
        kind=st.sampled_from(["fact", "preference"]),
        now=st.booleans(),
    )
    def remember(self, text: str, about: str | None, origin: str, kind, now: bool) -> None:
        edit = Remember(text, kind, origin, 1.0 if origin == "person" else 0.6, about=about)
        self.hand_in(edit, now=now)

    @rule(index=indices, whom=st.booleans(), now=st.booleans())
    def forget(self, index: int, whom: bool, now: bool) -> None:
        known = [*(self.home.state.entities if whom else self.home.state.facts)]
        if known:
            self.hand_in(Forget(known[index % len(known)]), now=now)

    def hand_in(self, edit, *, now: bool) -> None:
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

    @rule(paths=st.sampled_from([None, [NAMES.people], [NAMES.profile], ["Note.md"]]))
    def sync(self, paths: list[str] | None) -> None:
        self.home.sync(paths)

    @rule(busy=st.sets(st.sampled_from([NAMES.profile, NAMES.people]), min_size=1))
    def sync_while_notes_are_typed_in(self, busy) -> None:
        before = {path: self.text(path) for path in busy}
        self.home.app.pipeline.sync(None, (), busy)
        assert before == {path: self.text(path) for path in busy}

    @rule()
    def another_process_comes(self) -> None:
        if self.other is None:
            self.other = open_writable(self.home.root, self.home.settings, self.home.clock)
        self.other.pipeline.sync(None)

    @rule(forgetful=st.booleans())
    def reopen(self, forgetful: bool) -> None:
        if forgetful:
            self.home.drop_index()
        else:
            self.home.restart()

    @rule(arrow=st.sampled_from(ARROWS), after=st.booleans(), skip=st.integers(0, 2), act=acts)
    def crash(self, arrow: str, after: bool, skip: int, act: Act) -> None:
        if self.text(NAMES.people):
            self.save(NAMES.people, act(self.text(NAMES.people)))
        crash_at(self.home.app, arrow, skip, after=after)
        with contextlib.suppress(Crash):
            self.home.sync(None)
        self.home.restart()

    # ---- rest

    @rule()
    def settle(self) -> None:
        self.home.rest()
        for path in _NOTES:
            say(self.text(path))
        rest.check_another_process(self.home)
        rest.check_knowledge(self.home, self.ticked)
        rest.check_register(self.home)
        rest.check_reading(self.home)
        rest.check_people(self.home)
        assert self.home.snapshot(NAMES.assistant) == self.untouched
        profile, people = self.text(NAMES.profile), self.text(NAMES.people)
        if profile.strip("\ufeff \t\r\n") and not frame_of(profile).faults:
            rest.check_lines(self.home, profile)
        if people and frame_of(people).faults:
            assert self.saved.get(NAMES.people) in (None, people)
        elif people.strip("\ufeff \t\r\n"):
            if saved := self.saved.get(NAMES.people):
                rest.check_people_words(self.home, saved, people)
            self.versions.append(people)
        self.saved = {path: self.text(path) or None for path in _NOTES}

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


TestTwoNotes = pytest.mark.timeout(3600)(TwoNotes.TestCase)
TestTwoNotes.settings = settings(max_examples=settings().max_examples)
