"""The demo: the pipeline of daily use, every step checked, and loud when one is not as it should be."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from config.i18n import catalogue
from config.sections import General
from config.settings import Settings
from daemon.demo import play

ROOT = Path(__file__).parents[2]
FIXTURE = ROOT / "vault-fixtures" / "demo"


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """Where the demo makes its folder."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def _files(root: Path) -> dict[str, tuple[bytes, int]]:
    return {str(p): (p.read_bytes(), p.stat().st_mtime_ns) for p in root.rglob("*") if p.is_file()}


@pytest.mark.parametrize("locale", ["fr", "en"])
def test_the_story_is_as_it_should_be_and_is_told_in_the_persons_language(temporary, locale):
    said: list[str] = []
    assert play(Settings(general=General(locale=locale)), said.append, keep=False), "\n".join(said)
    told = "\n".join(said)
    assert catalogue(locale).say("demo.done", number=21) in told
    assert catalogue(locale).say("demo.program", note="99_Assistant/Profil.md") in told
    assert not list(temporary.iterdir())


@pytest.fixture(scope="module")
def told() -> str:
    """The story in French, once for all that look at it."""
    said: list[str] = []
    assert play(Settings(), said.append, keep=False), "\n".join(said)
    return "\n".join(said)


def test_each_scene_shows_note_by_note_what_changed(told):
    assert re.search(
        r"    - - Dentiste : Dr Petit \^f-\w{8}\n    \+ - Dentiste : Dr Martin \^f-\w{8}\n", told
    )
    assert re.search(r"    ~ - Réunions : le matin \^f-\w{8}\n", told)
    assert "- [x] Garder" in told


def test_the_fixture_is_never_touched_and_the_copy_is_kept_only_when_asked(temporary):
    before = _files(FIXTURE)
    said: list[str] = []
    assert play(Settings(), said.append, keep=True)
    assert _files(FIXTURE) == before
    (kept,) = temporary.iterdir()
    assert "Dr Martin" in (kept / "vault/99_Assistant/Profil.md").read_text("utf-8")
    assert str(kept) in said[-1]


def test_the_persons_own_settings_do_not_change_the_story(temporary):
    settings = Settings()
    odd = type(settings.memory)(enabled=False, edit_window=0)
    assert play(Settings(memory=odd), lambda _: None, keep=False)


def test_the_plan_of_the_demo_is_shown_struck_out_proved_and_undone(told):
    assert re.search(r"    \+ - \[x\] \*\*2\*\* `note_append` .*\^s-\w{8}\n", told)
    assert re.search(r"    \+ - \[-\] \*\*2\*\* `note_append` .*\^s-\w{8}\n", told)
    assert re.search(r"étape 4 faite et vérifiée · Maison/Artisans.md.: \w{12} → \w{12}", told)
    assert "    - relu: 2026-11-30\n" in told
    assert "mail_send" in told


def test_people_are_met_asked_about_recalled_and_given_to_an_agent(told):
    assert re.search(r"    ~ - \[\[Marie Kermoal\]\] — .* \[vu:: 2026-11-30\] \^e-\w{8}\n", told)
    assert re.search(r"    \+ \t- \[x\] Marie Kermoal — .*\^c-\w{8}-b\n", told)
    assert re.search(r"  0\.\d{3}  Projets/Jardin partagé des Lices.md#\^arroser .*\n +\S* = fusion ", told)
    assert '<now written-by="mcp:agenda" day="2026-11-30"' in told
    assert '<meta tokens="' in told


def test_an_agent_talks_by_the_protocols_official_client(told):
    words = catalogue("fr")
    assert f"\n  {words.say('demo.by_mcp')}\n" in told
    assert words.say("demo.no_mcp") not in told


def test_without_the_protocols_sdk_the_story_is_the_same(temporary, monkeypatch):
    for name in ("mcp", "mcp.client.client"):  # the latter may be loaded by another test
        monkeypatch.setitem(sys.modules, name, None)
    said: list[str] = []
    assert play(Settings(), said.append, keep=False), "\n".join(said)
    words = catalogue("fr")
    assert f"  {words.say('demo.no_mcp')}" in said
    assert f"  {words.say('demo.by_mcp')}" not in said


MUTATIONS = {
    "a render that adds a byte outside the sections": """
import daemon.managed as m, dataclasses
real = m.wanted
def wanted(*given):
    one = real(*given)
    return one and dataclasses.replace(one, text=one.text if one.text.endswith(" ") else one.text + " ")
m.wanted = wanted
""",
    "a change that leaves the old value open": """
import daemon.memory.moment as m
real = m.Deliberation.amend
m.Deliberation.amend = lambda self, verb, *a, **k: None if verb == "closed" else real(self, verb, *a, **k)
""",
    "a sudden loss taken for a wish": """
import daemon.memory.hand as m
m._sudden = lambda *given: False
""",
    "a deletion that is final at once": """
import daemon.memory.moment as m
m.Moment.recent = lambda self, at: False
""",
    "a card nobody needs to tick": """
import dataclasses, daemon.memory.proposals as m
real = m.remember
m.remember = lambda work, edit: real(work, dataclasses.replace(edit, origin="person"))
""",
    "another note touched": """
import os, daemon.pipeline as m
real = m.Pipeline.sync
def sync(self, *given, **more):
    os.utime(os.path.join(self.vault.root, "Accueil.md"))
    return real(self, *given, **more)
m.Pipeline.sync = sync
""",
    "a rebuild that forgets": """
import daemon.history as m
real = m.History.rebuild
def rebuild(self, *given):
    real(self, *given)
    if self.state.facts:
        self.state.facts.popitem()
m.History.rebuild = rebuild
""",
    "a step struck out that runs all the same": """
import daemon.runs.deciding as m
m.left_out_of = lambda run, ticked: ()
""",
    "a plan nobody needs to tick": """
import dataclasses, daemon.runs.proposing as m
real = m._finished
def finished(*given, **more):
    one = real(*given, **more)
    return dataclasses.replace(one, run=dataclasses.replace(one.run, approval="allowed"))
m._finished = finished
""",
    "a move that leaves the links to it": """
import daemon.tools.moving as m
m._relinked = lambda *given: None
""",
    "a proof that is not looked at and an effect that does not come": """
import daemon.tools.hands as m
m.Hands.carry = lambda *given, **more: None
import daemon.runs.executor as e
e.Executor._proved = lambda *given: True
""",
    "an undo that forgets a step": """
import daemon.runs.undoing as m
real = m._steps
m._steps = lambda *given: list(real(*given))[1:]
""",
    "a step done again after a kill": """
import daemon.runs.executor as m
m.Executor._came_to_pass = lambda *given: False
m.Executor._may_go_on = lambda *given: True
m.differing = lambda *given: ""
""",
    "a text that commands": """
import daemon.policy.rules as m
m.RULES = tuple((n, rule if n not in (5, 6) else lambda case: None) for n, rule in m.RULES)
""",
    "a delegation that needs no code": """
import daemon.policy.autonomy as m
real = m._fold_delegation
def fold(autonomy, verb, name, body):
    real(autonomy, "active" if verb == "asked" else verb, name, body)
m._fold_delegation = fold
""",
    "a delegation that outlives its tick": """
import daemon.policy.autonomy as m
m.revoke = lambda *given: None
""",
    "two of a name made one": """
import daemon.memory.resolving as m
m.clear_winner = lambda candidates: next(iter(candidates), None)
""",
    "a fact put below whoever comes first": """
import dataclasses, daemon.memory.naming as m
real = m.answered
m.answered = lambda work, card, choice: real(work, card, "a")
""",
    "a note of people that loses a byte": """
import dataclasses, daemon.managed as m
real = m.wanted
def wanted(*given):
    one = real(*given)
    return one and dataclasses.replace(one, text=one.text.replace(" — sœur", " — soeur"))
m.wanted = wanted
""",
    "words that are found only as they stand": """
import daemon.index.words as m, daemon.recall.asked as a
m.stem_of = a.stem_of = lambda word, language: m.folded(word)
""",
    "a fact that is recalled after it was replaced": """
import daemon.recall.known as m
m.holds = lambda fact, day: True
""",
    "a score that is not what its factors say": """
import daemon.recall.score as m
real = m.weighed
m.weighed = lambda factors: (lambda value, rounded: (value + 0.1, rounded))(*real(factors))
""",
    "a context that tells what is sensitive": """
import daemon.recall.known as m
m._kept_back = lambda *given: frozenset()
""",
    "a context that takes more than it may": """
import daemon.recall.compile as m
m._Filling._fitting = lambda self, line, room, cuts: line
m._Filling._shorten = lambda self: False
""",
    "a line of a context without its origin": """
import daemon.recall.compile as m
m.item = lambda origin, says, text: f"- {text}"
""",
    "an agent that reads what is private": """
import daemon.policy.rules as m
real = dict(m.RULES)[2]
beyond = lambda case: None if case.action.risk == "READ" else real(case)
m.RULES = tuple((n, beyond if n == 2 else rule) for n, rule in m.RULES)
""",
    "a state of the work that is given as orders": """
import daemon.brain as m
m.data_block = lambda boot, words, text=None: boot.text
""",
    "a state of the work that nobody signed": """
import daemon.brain as m
m._writers = lambda *given: ()
""",
    "a code that stays where it was typed": """
import renderers.autonomy as m
real = m._line
m._line = lambda text, row, name, line, code: [] if row.code_lines else real(text, row, name, line, code)
""",
}


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_the_demo_fails_loudly_on(mutation, tmp_path):
    # What is changed is changed in this process: the agent's session is held here too.
    alone = "import sys\nsys.modules['mcp'] = None"
    code = f"{alone}\n{MUTATIONS[mutation]}\nfrom daemon.cli.main import main\nmain(['demo'])"
    places = {name: str(tmp_path) for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "TMPDIR")}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=os.environ | places,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert "✗" in done.stdout, done.stdout + done.stderr
    assert catalogue("fr").say("demo.done", number=21) not in done.stdout
