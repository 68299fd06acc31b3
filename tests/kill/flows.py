"""Plays one scene of the flow again and again, each time in a process of its own that dies at another point.

    python tests/kill/flows.py FOLDER SCENE COUNT

Each play leaves `FOLDER/N/`: vault and state folder as the dead process left them. Prints one line of JSON a
play: its folder, the point it died at, how many processes were killed, what the person saved meanwhile (-1:
nothing). The first plays come to their end. COUNT is how many of the others are played, spread evenly; 0 all.
"""

import json
import os
import random
import shutil
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from config.paths import NAMES
from daemon import app as wiring
from daemon.places import set_place
from daemon.vault import rename
from parsers.model.edits import Forget, NowWrite, Remember
from tests.home import FIXTURES, START, Clock, Home
from tests.kill.killer import ARROWS, HALVES, Killer

NOTES = ("Accueil.md", "Maison/Artisans.md", "Santé/Rendez-vous.md", "Sans titre.md", "Lectures/À lire.md")
"""The notes of the demo vault that live beside the managed ones here."""
AGENT = "mcp:claude-code"
MARTIN = "Dentiste : Dr Martin"
SECRET_WORDS = "Le code de la grille est 4711"
LEA, PROUST = "- Pointure de Léa : 31", "- Lire Proust"
REWORKED = ("Dr Mercier", "Deux, c'est assez.", "Thé sans sucre", "\t3. Relire les deux derniers")
_replace = os.replace  # the person's editor is not what dies
_open = open


def nothing(home: Home) -> None:
    """Do nothing."""


def sync(home: Home) -> None:
    home.sync()


@dataclass(frozen=True)
class Flow:
    """What stands there, what the person did, and what the process does that dies."""

    act: Callable[[Home], object] = sync
    hand: Callable[[Home], object] = nothing
    prepare: Callable[[Home], object] = nothing
    """Before the vault comes to rest and the person begins."""
    after: timedelta = timedelta(hours=1)
    """Between the vault's last rest and the act."""
    command: bool = False
    """Whether somebody asks for the act, and asks again when it died before it was accepted."""
    saves: tuple[Callable[[Home], None], ...] = ()
    """What the person saves while the process works."""
    fresh: bool = False
    """No `init` yet."""
    plain: bool = False
    """On a file system that cannot exchange two files."""
    shows: tuple[str, ...] = ()
    """What Profil.md and Cartes.md hold in the end, each once."""


def by_rename(home: Home, text: str) -> None:
    """Save Profil.md as vim does."""
    full = home.full(NAMES.profile)
    for name in (f"{full}~", home.folder / "typed-meanwhile"):
        with _open(name, "wb") as stream:
            stream.write(text.encode())
    _replace(f"{full}~", full)


def in_place(home: Home, text: str) -> None:
    """Save Profil.md as Obsidian does."""
    for name in (home.full(NAMES.profile), home.folder / "typed-meanwhile"):
        with _open(name, "wb") as stream:
            stream.write(text.encode())


def typed(save: Callable[[Home, str], None]) -> Callable[[Home], None]:
    """Reword a line, add one, and write free text, over what stands there now."""

    def act(home: Home) -> None:
        with _open(home.full(NAMES.profile), "rb") as stream:
            text = stream.read().decode()
        text = text.replace("Réunions : le matin", "Réunions : le matin, jamais le lundi", 1)
        text = text.replace("<!-- clavaire:end goals -->", f"{PROUST}\n<!-- clavaire:end goals -->", 1)
        save(home, text.replace("## À trier", "Écrit pendant ce temps.\n\n## À trier", 1))

    return act


def stale(save: Callable[[Home, str], None]) -> Callable[[Home], None]:
    """Save what an editor has had open since before the act, with a line added."""

    def act(home: Home) -> None:
        with _open(home.folder / f"typed-{Path(NAMES.profile).name}", "rb") as stream:
            text = stream.read().decode()
        text = text.replace("<!-- clavaire:end goals -->", f"{PROUST}\n<!-- clavaire:end goals -->", 1)
        save(home, text)

    return act


def add(home: Home) -> None:
    home.add_line(LEA)


def rework(home: Home) -> None:
    text = home.profile()
    moved = next(line for line in text.split("\n") if "pas de café" in line)
    gone = next(line for line in text.split("\n") if "Train du jeudi" in line)
    text = text.replace(f"{moved}\n", "").replace(f"{gone}\n", "")
    text = text.replace("Dr Lenoir", "Dr Mercier")
    text = text.replace("<!-- clavaire:end facts -->", f"{moved}\n<!-- clavaire:end facts -->")
    text = text.replace("Deux, c'est déjà bien.", "Deux, c'est assez.")
    home.write_profile(text.replace("Relire le dernier compte rendu", "Relire les deux derniers"))


def lose(home: Home) -> None:
    text = home.profile()
    start = text.index("<!-- clavaire:begin goals -->")
    end = text.index("<!-- clavaire:end goals -->")
    kept = [line for line in text[start:end].split("\n") if not line.startswith("- ")]
    home.write_profile(text[:start] + "\n".join(kept) + text[end:])


def propose(home: Home) -> None:
    wiring.accept(home.app, [Remember(MARTIN, "fact", AGENT, 0.62)])


def tick(home: Home) -> None:
    home.tick(MARTIN, home_choice(home))


def home_choice(home: Home) -> str:
    """What the open card calls keeping the proposed fact."""
    card = next(card for card in home.open_cards() if MARTIN in card.text)
    return "keep" if f"^{card.id}-keep" in home.cards() else "replace"


def state_words(home: Home) -> None:
    home.add_line(f"- {SECRET_WORDS}")


def purge(home: Home) -> None:
    name = (home.folder / "purged").read_text()
    wiring.accept(home.app, [Forget(name)])
    wiring.purge(home.app, name, home.clock())


def name_it(home: Home) -> None:
    """Note down which fact goes: in the end nothing says its words any more."""
    (home.folder / "purged").write_text(home.fact(SECRET_WORDS).id)


def journal(home: Home) -> None:
    home.put(NAMES.journal, home.journal().replace("# ", "# Mon ", 1) + "\nj'ai écrit ici\n")


def rebuild(home: Home) -> None:
    home.app.pipeline.rebuild()


def write_late(home: Home) -> None:
    """Save into the version that was displaced last, as a program does that had the note open."""
    kept = max((home.root / NAMES.displaced).glob(f"*{Path(NAMES.profile).name}"))
    text = kept.read_bytes().decode()
    kept.write_bytes(text.replace("- Courir", f"{PROUST}\n- Courir", 1).encode())
    shutil.copy(kept, home.folder / "typed-late")


def write_now(home: Home, step: str = "Deux.") -> None:
    home.app.brought_up()
    written = home.state.brain.written
    if written is None or written.texts.step != step:
        wiring.accept(home.app, [NowWrite(step, "- api", "Suite.", "Rien.", AGENT)])


def focus_now(home: Home) -> None:
    home.app.brought_up()
    if home.state.brain.written is None or home.state.brain.written.texts.step != "Trois.":
        wiring.accept(home.app, [NowWrite("Trois.", origin=AGENT)])


def reword_now(home: Home) -> None:
    home.put(NAMES.now, home.text(NAMES.now).replace("Rien.", "Mes mots.") + "\n## À moi\n\nmots\n")


def begin(home: Home) -> None:
    home.init()
    home.sync()


FLOWS = {
    "add": Flow(hand=add, shows=(LEA,)),
    "rework": Flow(hand=rework, shows=REWORKED),
    "remember": Flow(act=propose, command=True, shows=(MARTIN,)),
    "tick": Flow(prepare=propose, hand=tick, shows=(MARTIN,)),
    "init": Flow(act=begin, fresh=True, command=True),
    "rebuild": Flow(act=rebuild, command=True),
    "purge": Flow(act=purge, prepare=state_words, hand=name_it, command=True),
    "journal": Flow(hand=journal),
    "now": Flow(act=write_now, command=True),
    "now-again": Flow(
        act=write_now, prepare=lambda home: write_now(home, "Un."), hand=reword_now, command=True
    ),
    "now-focus": Flow(act=focus_now, prepare=write_now, hand=reword_now, command=True),
    "lose": Flow(hand=lose, shows=("Finir la cuisine",)),
    "month": Flow(hand=add, after=timedelta(days=2), shows=(LEA,)),
    "vanish": Flow(hand=lambda home: home.full(NAMES.profile).unlink()),
    "no-index": Flow(hand=lambda home: (add(home), drop_index(home))),
    "saved-in-place": Flow(hand=add, saves=(typed(in_place), stale(in_place)), shows=(LEA,)),
    "saved-by-rename": Flow(hand=add, saves=(typed(by_rename), stale(by_rename)), shows=(LEA,)),
    "late": Flow(hand=write_late, shows=(PROUST,)),
    "plain": Flow(hand=rework, plain=True, shows=REWORKED),
    "twice": Flow(hand=rework, shows=REWORKED),
    "twice-saved": Flow(hand=rework, saves=(typed(by_rename),), shows=REWORKED),
}
"""Scenes by name."""


def drop_index(home: Home) -> None:
    for path in home.index_files():
        path.unlink()


def started(folder: Path, after: timedelta) -> Home:
    """The home in a folder, as a process finds it that starts some time after the vault was at rest."""
    return Home(folder, start=False, clock=Clock(START + after))


def template(folder: Path, flow: Flow) -> None:
    """The vault as it stands when the process begins."""
    files = {name: (FIXTURES / "demo" / name).read_bytes() for name in (*NOTES, NAMES.profile)}
    home = Home(folder, files, start=not flow.fresh)
    if not flow.fresh:
        home.rest()
        flow.prepare(home)
        home.rest()
    flow.hand(home)
    home.close()
    for path in (NAMES.profile, NAMES.cards, NAMES.journal, NAMES.now):
        if home.full(path).exists():
            shutil.copy(home.full(path), folder / f"typed-{Path(path).name}")


@dataclass(frozen=True)
class Play:
    """One death: at which point and how, and before which point the person saves what."""

    point: int = 0
    when: str = "never"
    at: int = 0
    save: int = -1
    first: tuple[int, str, int] = (0, "", 0)
    """The death before this one, and where the person saved before it."""
    name: str = "end"


def copy(template_folder: Path, folder: Path) -> None:
    """A copy that is the vault itself, as far as its state folder knows."""
    shutil.copytree(template_folder, folder, symlinks=True)
    for state in (folder / "state").glob("v-*"):
        if (state / NAMES.vault_record).exists():
            set_place(state, (folder / "vault").resolve())


def die(folder: Path, flow: Flow, killer: Callable[[Home], Killer], act: Callable[[Home], object]) -> bool:
    """Let a process do the act until it dies; whether it was killed."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            home = started(folder, flow.after)
            if flow.plain:
                rename._CALL = None
            armed = killer(home).arm().arm(ARROWS).sql()
            if not flow.fresh:
                home.restart()
            act(home)
            home.close()
            with _open(folder / "points", "w") as stream:
                json.dump(armed.seen, stream)
            code = 0
        except Exception:  # noqa: BLE001 - the parent says that it failed
            traceback.print_exc()
        os._exit(code)
    _, status = os.waitpid(child, 0)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status):
        raise RuntimeError(f"the scene failed in {folder}")
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL


def play(folder: Path, start: Path, flow: Flow, one: Play) -> int:
    """One play in a folder of its own; how many processes were killed."""
    copy(start, folder)

    def save(home: Home) -> Callable[[], object]:
        return (lambda: flow.saves[one.save](home)) if one.save >= 0 else (lambda: None)

    if one.first[0]:
        point, when, at = one.first
        first = die(folder, flow, lambda home: Killer(point, when, at, save(home)), flow.act)
        return first + die(folder, flow, lambda _: Killer(one.point, one.when), sync)
    return die(folder, flow, lambda home: Killer(one.point, one.when, one.at, save(home)), flow.act)


def points(seen: Sequence[str]) -> list[tuple[int, str, str]]:
    """Every (number, how, name) at which a process may die."""
    found = []
    for number, name in enumerate(seen, 1):
        ways = ("before",) if name.startswith("sql") else ("before", "after")
        ways = ("before", "half", "after") if name in HALVES else ways
        found += [(number, when, f"{number} {name} {when}") for when in ways]
    return found


def found_something(one: Play, seen: Sequence[str]) -> bool:
    """Whether this death once found a fault: half a batch in the register, a save at the last moment of a write."""
    if one.first[0]:
        return False
    call, before = seen[one.point - 1], seen[one.point - 2]
    half_a_batch = (before, call, one.when) == ("Vault.append", "write", "half")
    return half_a_batch or (call, one.when, one.at) == ("rename_with", "after", one.point)


def chosen(name: str, flow: Flow, seen: Sequence[str], count: int) -> list[Play]:
    """The plays of a scene, at most `count` spread over it, all for 0."""
    found, drawn = points(seen), random.Random(name)
    if name.startswith("twice"):
        # Dies at one point of the act, then the start after it dies as well.
        plays = []
        for point, when, said in found:
            again, at = drawn.randint(1, len(seen)), drawn.randint(1, point) if flow.saves else 0
            how = drawn.choice(("before", "after", "half"))
            name = f"{said}, again {again} {how}, saved before {at}"
            plays.append(Play(again, how, save=0 if at else -1, first=(point, when, at), name=name))
    elif flow.saves:
        plays = []
        for point, when, said in found:
            last_moment = [number for number, name in enumerate(seen[:point], 1) if name == "rename_with"]
            for at in sorted({point, drawn.randint(1, point), *last_moment}):
                save = drawn.randrange(len(flow.saves))
                plays.append(
                    Play(point, when, at, save, name=f"{said}, saved {save} before {at} {seen[at - 1]}")
                )
    else:
        plays = [Play(point, when, name=said) for point, when, said in found]
    if count and count < len(plays):
        offset = drawn.random()
        some = [plays[int((n + offset) * len(plays) / count)] for n in range(count)]
        plays = [*some, *(one for one in plays if one not in some and found_something(one, seen))]
    middle = len(seen) // 2
    ends = [Play(at=middle, save=save, name=f"end, saved {save}") for save in range(len(flow.saves))]
    return [*ends, *plays]


def main() -> None:
    """Play one scene."""
    folder, name, count = Path(sys.argv[1]).resolve(), sys.argv[2], int(sys.argv[3])
    flow, start = FLOWS[name], folder / "template"
    template(start, flow)
    whole = folder / "whole"
    play(whole, start, flow, Play())
    print(json.dumps([str(whole), "end", 0, -1]), flush=True)
    seen = json.loads((whole / "points").read_text())
    (folder / "points").write_text("\n".join(seen))
    for number, one in enumerate(chosen(name, flow, seen, count)):
        place = folder / str(number)
        killed = play(place, start, flow, one)
        print(json.dumps([str(place), one.name, killed, one.save]), flush=True)


if __name__ == "__main__":
    main()
