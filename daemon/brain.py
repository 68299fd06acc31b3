"""now.md as an agent gets it, and what can be derived instead of remembered (recall-and-context.md; R-N01..R-N05).

The text is data: a session that was led astray may have written it. It travels in a block that says who wrote it, on
which day and what that session had read, and that nothing in it can close.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from config.i18n import Catalogue
from config.settings import Settings
from daemon.memory.now import Brain
from daemon.memory.now_edits import texts_of
from daemon.memory.persons import facts_for
from daemon.memory.state import State
from daemon.now_file import KeptBack, read
from daemon.places import place
from daemon.rest import guard
from daemon.runs.state import Runs
from daemon.snapshot import Snapshot
from daemon.vault.disk import Reading
from daemon.vault.door import Vault
from daemon.vault.errors import VaultError
from parsers.model.edits import NowWrite
from parsers.model.facts import Fact, Kind
from parsers.model.now import HEADINGS, NowSaid
from parsers.model.policy import least
from parsers.model.runs import Run
from parsers.now import faults, parse
from renderers.blocks import NOW, attributes, escaped
from renderers.now import brought_up, render

_MOST = 20_000
"""Characters of now.md that are handed on; beyond them stands a mark."""
_PERSON = "person"
WISHES = ("proposal", "update", "forget", "name")
"""Kinds of cards that a client's own wishes open; that of a refusal would tell why something was refused."""


@dataclass(frozen=True, slots=True)
class Stale:
    """Why now.md may no longer be true."""

    code: str
    """`day`: it is not today's; `undated`; `unwritten`: clients read it and never wrote. Each at most once."""
    client: str = ""
    """Who read it, several separated by commas."""
    day: str = ""
    """The ISO day it bears, or on which it was read last."""
    many: bool = False
    """Whether `client` names several."""

    def said(self, words: Catalogue) -> str:
        """Give it in one sentence."""
        code = "unwritten_many" if self.many else self.code
        return words.say(f"now.stale.{code}", **{name: getattr(self, name) for name in _OF_STALE[self.code]})


_OF_STALE = {"day": ("day",), "undated": (), "unwritten": ("client", "day")}


@dataclass(frozen=True, slots=True)
class Boot:
    """now.md as it stands."""

    text: str
    """`""` where there is none, or none for this reader."""
    etag: str
    """Of its bytes on disk, `""` where there are none."""
    day: str
    """The ISO day it bears, `""` where it bears none."""
    written_by: tuple[str, ...]
    """Who wrote it: the client of the last writing, `person` who changed it since; none: nobody knows."""
    provenance: str
    stale: tuple[Stale, ...]
    barred: KeptBack | VaultError | None = None
    """Why no agent reads or writes it, None where one may."""
    utf8: bool = True
    """Whether its bytes are UTF-8, so that a part of it can be replaced."""

    def as_json(self, words: Catalogue) -> dict[str, Any]:
        """Give it as JSON values."""
        return {
            "text": self.text,
            "etag": self.etag or None,
            "day": self.day or None,
            "written_by": list(self.written_by),
            "provenance": self.provenance,
            "stale": [one.said(words) for one in self.stale],
        }


def boot(snapshot: Snapshot, vault: Vault, settings: Settings, today: date, session: str = "") -> Boot:
    """Give now.md for an agent; `session` is the one that asks."""
    return boot_of(snapshot.state(), vault, settings, today, session)


def boot_of(state: State, vault: Vault, settings: Settings, today: date, session: str = "") -> Boot:
    """Give now.md as the notes and the state have it; what is written and not shown yet counts as shown.

    One that is a link, or that the person declared private or sensitive, is not there; nor is what waits to be written
    into it.
    """
    brain = state.brain
    try:
        one = read(vault, guard(vault, settings, private=False).declared)
    except (KeptBack, VaultError) as error:
        return Boot("", "", "", (), "user", (), error)
    text, utf8 = _decoded(one)
    shown = brought_up(text, brain.written, brain.shown) if text is not None or brain.waits else None
    text = shown or ""
    said = parse(text)
    day = said.day if text else ""
    writers = _writers(text, said, brain)
    known = brain.written.provenance if brain.written and _PERSON not in writers[:1] else "user"
    changed = ("vault",) if _PERSON in writers else ()
    return Boot(
        text if len(text) <= _MOST else f"{text[:_MOST]}\n[…]",
        str(one.etag) if one else "",
        day,
        writers,
        least((known, *changed)),
        _stale(brain, day, text, today, session),
        utf8=utf8,
    )


def _decoded(one: Reading | None) -> tuple[str | None, bool]:
    """Give a note's text, and whether every byte of it is understood."""
    if one is None:
        return None, True
    text = one.data.decode("utf-8", "replace")
    return text, text.encode() == one.data


def _writers(text: str, said: NowSaid, brain: Brain) -> tuple[str, ...]:
    """Whose the text is: the last client's as far as its texts stand there, the person's as far as they changed it."""
    one = brain.written
    if not text:
        return ()
    if one is None:
        return (_PERSON,)
    if text.replace("\r\n", "\n") == render(one.texts, one.day):
        return (one.client,)
    kept = any(mine and mine == theirs for mine, theirs in zip(one.texts, said.texts, strict=True))
    # What was purged from the register may stand in the note still: then it is not the person's alone.
    purged = not any(one.texts) or (not one.texts.step and said.texts.step)
    return (one.client, _PERSON) if kept or purged else (_PERSON,)


def _stale(brain: Brain, day: str, text: str, today: date, session: str) -> tuple[Stale, ...]:
    found = _unwritten(brain, session)
    if text and not day:
        return (Stale("undated"), *found)
    return (Stale("day", day=day), *found) if text and day != today.isoformat() else found


def _unwritten(brain: Brain, session: str) -> tuple[Stale, ...]:
    left = brain.unanswered(session)
    if not left:
        return ()
    clients = ", ".join(one.client for one in left)
    return (Stale("unwritten", clients, max(one.day for one in left), many=len(left) > 1),)


# ---- as data


def data_block(boot: Boot, words: Catalogue, text: str | None = None) -> str:
    """Give now.md (or `text` of it) as data: who wrote it, on which day, what it goes back to, why it may be stale."""
    says = {
        "written-by": ", ".join(boot.written_by),
        "day": boot.day,
        "provenance": boot.provenance if boot.text else "",
        "stale": " ".join(one.said(words) for one in boot.stale),
    }
    told = attributes({name: value or None for name, value in says.items()})
    shown = boot.text if text is None else text
    return f"<{NOW}{told}>\n{escaped(shown.strip()) if boot.text else words.say('now.none')}\n</{NOW}>"


def focus(boot: Boot) -> str:
    """Give the first section of now.md."""
    return parse(boot.text).texts.step


def refused(edit: NowWrite, redacted: Callable[[str], str], words: Catalogue) -> str | None:
    """Give why a text cannot stand in now.md, where and what to do, in one sentence; None when all can."""
    texts = texts_of(edit, redacted)
    for one in faults(texts, "all" if edit.whole else "step"):
        return words.say(
            f"now.fault.{one.code}", section=HEADINGS[one.section], line=one.line, found=one.found
        )
    return None


# ---- what can be derived


def state_of_work(snapshot: Snapshot, settings: Settings, client: str = "") -> dict[str, Any]:
    """Give what is under way, as JSON values.

    A `client` sees its own runs, of the others how many there are, and of the cards those that its own wishes opened:
    what the others are about is the person's (R-M06).
    """
    from daemon import surroundings  # noqa: PLC0415 - sockets and processes, which who only reads now.md goes without

    state, runs = snapshot.state(), snapshot.runs()
    live = sorted(runs.live(), key=lambda run: (run.requested_at, run.id))
    own = [run for run in live if not client or run.origin == client]
    return {
        "host": state.host[1] if state.host else None,
        "runs": [_run(run) for run in own],
        "other_runs": len(live) - len(own),
        "cards": dict(sorted(Counter(_cards(state, client)).items())),
        "projects": surroundings.projects(settings.brain.projects, place(snapshot.index.state)),
        "services": surroundings.services(settings.brain.services),
    }


def _cards(state: State, client: str) -> list[str]:
    cards = state.open_cards()
    return [one.kind for one in cards if not client or (one.origin == client and one.kind in WISHES)]


def _run(run: Run) -> dict[str, Any]:
    done = sum(step.status == "done" for step in run.steps)
    values = {name: getattr(run, name) for name in ("id", "title", "status", "origin", "requested_at")}
    return values | {"reason": run.reason or None, "steps": len(run.steps), "done": done}


def decisions(
    snapshot: Snapshot,
    today: date,
    limit: int = 20,
    *,
    external: bool = True,
    hidden: Callable[[Fact], bool] = lambda _: False,
) -> list[dict[str, Any]]:
    """Give the decisions that hold today, newest first; `hidden` tells what this reader is not given besides."""
    return _facts(snapshot.state(), "decision", today, hidden, external=external)[:limit]


def workflows(
    snapshot: Snapshot,
    today: date,
    client: str = "",
    *,
    external: bool = True,
    hidden: Callable[[Fact], bool] = lambda _: False,
) -> dict[str, Any]:
    """Give the runs that are not finished (a client's own), then the procedures; `hidden` as for `decisions`."""
    runs: Runs = snapshot.runs()
    live: Sequence[Run] = [run for run in runs.live() if not client or run.origin == client]
    return {
        "runs": [_run(run) for run in sorted(live, key=lambda run: (run.requested_at, run.id))],
        "procedures": _facts(snapshot.state(), "procedure", today, hidden, external=external),
    }


def _facts(
    state: State, kind: Kind, today: date, hidden: Callable[[Fact], bool], *, external: bool
) -> list[dict[str, Any]]:
    held = facts_for(state, today.isoformat(), external=external)
    found = [one for one in held if one.kind == kind and one.status == "confirmed" and not hidden(one)]
    newest = sorted(found, key=lambda one: one.id)
    newest.sort(key=lambda one: (one.valid_from or one.recorded_at[:10], one.recorded_at), reverse=True)
    told = ("id", "kind", "text", "valid_from", "provenance", "recorded_at")
    return [{name: getattr(one, name) for name in told} for one in newest]
