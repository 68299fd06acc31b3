"""The story of the demo: a day with clavaire in a second, on a copy of the demo vault, each step checked.

A scene is what a person does, what clavaire makes of it, and what must then be so. The first scene that is
not as it should be ends the story.
"""

import shutil
import tempfile
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from config.i18n import Catalogue, catalogue
from config.paths import NAMES
from config.settings import Settings
from daemon import demo_agents as agents
from daemon import demo_plans as plans
from daemon.stage import LINK, Say, Stage
from parsers.model.edits import Remember

_START = datetime.fromisoformat("2026-11-30T09:00:00+01:00")
_YESTERDAY, _TODAY = "2026-11-29", "2026-11-30"
_AGENT = "mcp:agenda"

_TRAIN = "Train du jeudi\u00a0: 7 h 12, voie B"
_TEA = "Thé sans sucre, et pas de café après 14 h"
_MESSAGES = "Messages : courts, sans formule de politesse"
_OLD_DENTIST = "Dentiste : Dr Petit"
_ADOPTED = (
    "Allergie : pénicilline",
    "Courir dix kilomètres sans m'arrêter",
    _OLD_DENTIST,
    "Finir la cuisine avant le 31 janvier 2027",
    "Le compteur d'eau est sous l'escalier, derrière le panneau blanc qui se tire vers le haut",
    "Le plan de travail sera en chêne, pas en pierre",
    _MESSAGES,
    "Médecin traitant : Dr Lenoir",
    "Partir plus de deux jours",
    "Pas de nouvel engagement associatif avant l'été",
    "Préparer une réunion",
    "Réunions : le matin",
    _TEA,
    _TRAIN,
)
"""What the profile of the demo vault says before clavaire has been there."""


def play(settings: Settings, say: Say, *, keep: bool) -> bool:
    """Play the story; True when everything was as it should be."""
    words = catalogue(settings.general.locale)
    folder = Path(tempfile.mkdtemp(prefix="clavaire-demo-")).resolve()
    try:
        stage = Stage(_vault(), folder, words.locale, _START, say)
        try:
            return _played(stage, words, say)
        finally:
            stage.close()
    finally:
        if keep:
            say(words.say("demo.kept", folder=folder))
        else:
            shutil.rmtree(folder)


def _vault() -> Path:
    """The demo vault: in the package when it is installed, among the fixtures in a checkout."""
    here = Path(__file__).resolve().parent
    packed = here / "demo_vault"
    return packed if packed.is_dir() else here.parent / "vault-fixtures" / "demo"


def _played(stage: Stage, words: Catalogue, say: Say) -> bool:
    say(words.say("demo.title"))
    for number, (name, scene) in enumerate(_SCENES.items(), 1):
        say("")
        say(f"{number}. {words.say(f'demo.scene.{name}')}")
        before = stage.checked
        scene(stage)
        for one in stage.differences:
            say(words.say("demo.differs", what=one.what, found=one.found, wanted=one.wanted))
        if stage.differences:
            say(words.say("demo.failed", number=number))
            return False
        say(f"  {words.plural('demo.checked', stage.checked - before)}")
    say("")
    say(words.say("demo.done", number=len(_SCENES)))
    return True


def _adopt(stage: Stage) -> None:
    """Clavaire comes into a vault that is lived in."""
    typed = stage.text()
    stage.open()
    stage.sync()
    stage.expect_facts(_ADOPTED)
    stage.expect_profile(typed)


def _write(stage: Stage) -> None:
    """A new line is a fact; a slip corrected within ten minutes was never true."""
    before = stage.facts()
    stage.advance(minutes=30)
    train = stage.line_of(_TRAIN)
    stage.replace(train, f"{train}- Pédiatre : Dr Rivoir\n")
    stage.sync()
    stage.advance(minutes=2)
    stage.replace("Dr Rivoir ", "Dr Rivoire ")
    typed = stage.text()
    stage.sync()
    stage.expect_profile(typed)
    stage.expect_facts(before, more=["Pédiatre : Dr Rivoire"])
    fact = stage.fact("Pédiatre : Dr Rivoir")
    found = fact and (fact.text, fact.status, fact.source, fact.confidence, fact.version)
    stage.expect("corrected", found, ("Pédiatre : Dr Rivoire", "confirmed", "user", 1.0, 2))


def _reword(stage: Stage) -> None:
    """Later, other words are a change: both were true, each in its time."""
    new = "Messages : un appel suffit, le soir"
    before = stage.facts()
    stage.advance(hours=1)
    stage.replace(_MESSAGES, new)
    typed = stage.text()
    stage.sync()
    stage.expect_profile(typed)
    stage.expect_facts(before, less=[_MESSAGES], more=[new])
    stage.expect_answers(_YESTERDAY, yes=_MESSAGES, no=new)
    stage.expect_answers(_TODAY, yes=new, no=_MESSAGES)


def _date(stage: Stage) -> None:
    """A stated start goes back in time; what was known before stays known."""
    new = "Train du jeudi : supprimé, prendre le car de 7 h 05"
    before, earlier = stage.facts(), stage.now.isoformat()
    stage.advance(minutes=30)
    stage.replace(_TRAIN, f"{new} [depuis:: 2026-09-01]")
    typed = stage.text()
    stage.sync()
    stage.expect_profile(typed)
    stage.expect_facts(before, less=[_TRAIN], more=[new])
    stage.expect_answers("2026-08-31", yes=_TRAIN, no=new)
    stage.expect_answers("2026-09-01", yes=new, no=_TRAIN)
    known = stage.facts(as_of="2026-10-15", known_at=earlier)
    stage.expect("known", (_TRAIN in known, new in known), (True, False), day="2026-10-15")


def _delete(stage: Stage) -> None:
    """A line that comes back within ten minutes was never gone; one that does not is."""
    before, fact = stage.facts(), stage.fact(_TEA)
    stage.advance(minutes=30)
    line, whole = stage.line_of(_TEA), stage.text()
    stage.replace(line, "")
    stage.sync()
    stage.expect_facts(before, less=[_TEA])
    stage.advance(minutes=3)
    stage.write(whole.replace(line, f"- {_TEA}\n"))
    stage.sync()
    stage.expect_facts(before)
    stage.expect("same", stage.text(), whole)
    stage.advance(minutes=30)
    earlier = stage.now.isoformat()
    stage.replace(line, "")
    typed = stage.text()
    stage.sync()
    stage.advance(minutes=11)
    stage.sync()
    stage.expect_profile(typed)
    stage.expect_facts(before, less=[_TEA])
    gone = stage.fact(_TEA)
    stage.expect("gone", gone and (gone.id, gone.status), fact and (fact.id, "rejected"))
    stage.expect("known", _TEA in stage.facts(known_at=earlier), wanted=True, day=_TODAY)


def _propose(stage: Stage) -> None:
    """What an agent proposes waits for a tick; then it follows the only value of its key."""
    new, source = "Dentiste : Dr Martin", "Quotidien/2026-11-27.md"
    before, typed = stage.facts(), stage.text()
    stage.advance(hours=2)
    stage.hand_in(Remember(new, "fact", _AGENT, 0.62, source_ref=source))
    fact = stage.fact(new)
    stage.expect("waits", fact and (fact.status, fact.source, fact.provenance), ("pending", _AGENT, _AGENT))
    stage.expect("same", stage.text(), typed)
    stage.advance(minutes=5)
    stage.tick("proposal", "keep")
    stage.sync()
    stage.expect_facts(before, less=[_OLD_DENTIST], more=[new])
    stage.expect_profile(typed, less=[f"- {_OLD_DENTIST}"], more=[f"- {new}"])
    stage.expect_answers(_YESTERDAY, yes=_OLD_DENTIST, no=new)
    stage.expect_answers(_TODAY, yes=new, no=_OLD_DENTIST)
    kept, past = stage.fact(new), stage.fact(_OLD_DENTIST)
    found = kept and (kept.status, kept.source_ref, kept.supersedes)
    stage.expect("follows", found, past and ("confirmed", source, past.id))


def _empty(stage: Stage) -> None:
    """A note emptied by accident is no wish: what it said is held, and nothing is written into it."""
    before, whole = stage.facts(), stage.text()
    stage.advance(minutes=30)
    stage.write("")
    stage.sync()
    stage.expect("held", sum(fact.status == "held" for fact in stage.latest()), len(before))
    stage.expect("cards", stage.cards(), ["loss"])
    stage.expect("left", stage.text(), "")
    stage.advance(minutes=5)
    stage.write(whole)
    stage.sync()
    stage.expect("same", stage.text(), whole)
    stage.expect("held", sum(fact.status == "held" for fact in stage.latest()), 0)
    stage.expect("cards", stage.cards(), [])
    stage.expect_facts(before)


def _lose(stage: Stage) -> None:
    """All lines of a section gone at once are held too; the card puts them back."""
    before, whole = stage.facts(), stage.text()
    lines = [stage.line_of(words) for words in ("Réunions : ", "Messages : ")]
    stage.advance(minutes=30)
    typed = whole
    for line in lines:
        typed = typed.replace(line, "")
    stage.write(typed)
    stage.sync()
    stage.expect_profile(typed)
    stage.tick("loss", "restore")
    stage.sync()
    stage.expect_facts(before)
    stage.expect("cards", stage.cards(), [])
    stage.expect("lines_back", sorted(stage.text().split("\n")), sorted(whole.split("\n")))


def _vanish(stage: Stage) -> None:
    """The note is deleted: the card gives the facts back, the person's own version comes back beside them."""
    before, whole = stage.facts(), stage.text()
    ids = {fact.id for fact in stage.latest() if fact.status == "confirmed" and fact.valid_to is None}
    stage.advance(minutes=30)
    stage.delete(NAMES.profile)
    stage.sync()
    stage.expect_facts(before)
    stage.tick("loss", "restore")
    stage.sync()
    stage.expect("same_ids", stage.ids(), ids)
    stage.advance(minutes=30)
    stage.write(whole)
    stage.sync()
    stage.expect("same", stage.text(), whole)
    stage.expect("cards", stage.cards(), [])
    stage.expect_facts(before)


def _tell(stage: Stage) -> None:
    """The journal says in words what the register holds; the register vouches for every line."""
    lines = [line for line in stage.text(NAMES.journal).split("\n") if line.startswith("- ")]
    for line in lines[: -len(_ADOPTED) - 1]:
        stage.tell("demo.line", line=line.partition(LINK)[0])
    for words in ("Dr Rivoire", "Dr Martin", "7 h 05"):
        stage.expect("journal", sum(words in line and LINK in line for line in lines), 1, text=words)
    stage.expect("journal", [line for line in lines if "Dr Rivoir " in line], [], text="Dr Rivoir")
    stage.expect("register", list(stage.app.register.verify()), [])


def _rebuild(stage: Stage) -> None:
    """The index is derived: without it, register and notes say the same to the byte."""
    before, notes = stage.export(), stage.notes()
    stage.close()
    stage.drop_index()
    stage.open()
    stage.sync()
    stage.expect("export", stage.export(), before)
    stage.expect("same", stage.notes() == notes, wanted=True)
    stage.tell("demo.exported", number=len(before.encode("utf-8")))


_SCENES: dict[str, Callable[[Stage], None]] = {
    "adopt": _adopt,
    "write": _write,
    "reword": _reword,
    "date": _date,
    "delete": _delete,
    "propose": _propose,
    "empty": _empty,
    "lose": _lose,
    "vanish": _vanish,
    "plan": plans.plan,
    "undo": plans.undo,
    "interrupt": plans.interrupt,
    "refuse": plans.refuse,
    "delegate": plans.delegate,
    "meet": agents.meet,
    "which": agents.which,
    "find": agents.find,
    "serve": agents.serve,
    "brief": agents.brief,
    "tell": _tell,
    "rebuild": _rebuild,
}
"""The scenes in their order; `demo.scene.NAME` says what happens."""
