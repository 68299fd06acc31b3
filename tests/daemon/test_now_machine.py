"""now.md between an agent, the person, crashes and lost indexes, in any order: whoever wrote last stands there."""

import shutil
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from config.paths import NAMES
from daemon.vault.disk import etag_of
from parsers.model.edits import NowGiven, NowWrite
from parsers.model.now import NowTexts
from parsers.now import parse
from renderers.now import focused, render
from tests.home import FAST, Home

STEPS = st.sampled_from(["Un.", "Deux.", "", "- point\n\n```\n# code\n```"])
OTHERS = st.sampled_from(["", "Rien.", "### Titre"])
MINE = st.sampled_from(
    [
        "",
        "mes mots\n",
        "# Now — 2020-01-01\n\n## Étape courante\n\nà moi\n\n## À moi\n\nmots\n",
        "---\nprivé: oui\n---\nmien\n",
        "# Now\r\n\r\n## Contexte implicite\r\n\r\nmien\r\n",
        render(NowTexts("Un.", "Rien.", "Rien.", "Rien."), "2026-11-30"),
    ]
)
CLIENTS = st.sampled_from(["mcp:a", "mcp:b"])


class Between(RuleBasedStateMachine):
    """`wanted` is what must stand there once all is at rest, None for no note."""

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp(dir=FAST)).resolve()
        self.home = Home(self.folder)
        self.home.rest()
        self.wanted: bytes | None = None
        self.saved: list[bytes] = []
        self.waiting: list[NowWrite] = []

    def teardown(self) -> None:
        if hasattr(self, "home"):
            self.home.close()
            shutil.rmtree(self.folder)

    # ---- who writes

    @rule(step=STEPS, others=st.tuples(OTHERS, OTHERS, OTHERS), client=CLIENTS)
    def agent_writes(self, step, others, client) -> None:
        self.waiting.append(NowWrite(step, *others, origin=client))
        self.home.app.pipeline.submit(self.waiting[-1:])

    @rule(step=STEPS, client=CLIENTS)
    def agent_focuses(self, step, client) -> None:
        self.waiting.append(NowWrite(step, origin=client))
        self.home.app.pipeline.submit(self.waiting[-1:])

    @rule(client=CLIENTS, session=st.sampled_from(["s1", "s2"]))
    def agent_reads(self, client, session) -> None:
        self.home.app.pipeline.submit([NowGiven(client, session, "e")])

    @rule(text=MINE)
    def person_saves(self, text) -> None:
        self.wanted = text.encode()
        self.saved.append(self.wanted)
        self.home.put(NAMES.now, self.wanted)

    @rule()
    def person_deletes(self) -> None:
        self.wanted, self.saved = None, []
        self.home.full(NAMES.now).unlink(missing_ok=True)

    # ---- what happens to the program

    @rule()
    def a_day_passes(self) -> None:
        self.comes_to_rest()
        self.home.clock.advance(days=1)

    @rule()
    def comes_to_rest(self) -> None:
        self._written()
        self.home.rest()
        assert self._there() == self.wanted
        assert not self.home.state.brain.waits
        assert not self.home.sync().written

    @rule()
    def loses_its_index(self) -> None:
        self.home.drop_index()

    @rule()
    def starts_again(self) -> None:
        self.home.restart()

    def _written(self) -> None:
        """What the note says once all that waits is written: one rendering for all of it."""
        if not self.waiting:
            return
        if self.wanted is not None and b"oui" in self.wanted:  # kept from agents: what waited never comes
            self.waiting = []
            return
        day = self.home.clock().astimezone(self.home.zone).date().isoformat()
        whole = [at for at, one in enumerate(self.waiting) if one.whole]
        step = self.waiting[-1].step
        if self.wanted is None or whole:
            one = self.waiting[whole[-1]] if whole else None
            others = (one.services, one.next, one.context) if one else self._known()
            self.wanted = render(NowTexts(step, *(said or "" for said in others)), day).encode()
        else:
            text = self.wanted.decode()
            self.wanted = focused(text, parse(text), step, day).encode()
        self.waiting = []

    def _known(self) -> tuple[str, str, str]:
        """The other sections as an agent wrote them last."""
        state = self.home.told().brain.written
        assert state is not None
        return state.texts.services, state.texts.next, state.texts.context

    def _there(self) -> bytes | None:
        full = self.home.full(NAMES.now)
        return full.read_bytes() if full.exists() else None

    # ---- what always holds

    @invariant()
    def the_register_tells_the_same(self) -> None:
        if hasattr(self, "home"):
            self.home.app.brought_up()
            assert self.home.told().brain == self.home.state.brain

    @invariant()
    def what_we_wrote_over_is_kept(self) -> None:
        if hasattr(self, "home") and self.saved:
            last = self.saved[-1]
            replaced = self._there() != last and self.wanted != last and self.wanted is not None
            if replaced and last:
                assert self.home.app.vault.backup(etag_of(last)) == last


TestBetween = Between.TestCase
TestBetween.settings = settings(max_examples=10, stateful_step_count=20)
