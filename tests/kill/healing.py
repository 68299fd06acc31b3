"""What must hold once clavaire has started again after a death, whatever it was doing (tests/kill/flows.py)."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from config.paths import NAMES
from tests.home import Home
from tests.kill.flows import MARTIN, PROUST, SECRET_WORDS, Flow, purge, started

_OWN_ID = re.compile(r"[ \t]?\^?\b[fcsdeqrhv]-[0-9a-hjkmnp-tv-z]{8}\b(?:-\w+)?")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z|^- \d\d:\d\d ", re.MULTILINE)
_KNOWN_IN_STATE = re.compile(
    rf"{NAMES.index_prefix}\d+{re.escape(NAMES.index_suffix)}(-wal|-shm)?"
    rf"|{NAMES.backups}|{NAMES.secret}|{NAMES.host}|{NAMES.log}"
    rf"|({NAMES.current}|{NAMES.head}|{NAMES.vault_record})({re.escape(NAMES.draft_suffix)})?"
)
"""A draft whose name never changes is written over by the next one."""


@dataclass(frozen=True)
class Healed:
    """A vault at rest after a start: what it says, ids and times aside."""

    profile: list[str]
    cards_note: list[str]
    journal: list[str]
    facts: list[str]
    cards: list[str]
    events: list[str]
    now: list[str]


@dataclass(frozen=True)
class Crash:
    """What lay on disk when the process had died."""

    drafts: dict[str, bytes]
    kept: list[bytes]
    unmanaged: dict[str, tuple[bytes, int, int]] = field(default_factory=dict)


def bare(text: str) -> str:
    """A text without ids and times of ours."""
    return _TIME.sub("T ", _OWN_ID.sub("", text))


def drafts(root: Path) -> dict[str, bytes]:
    found = root.rglob(f"{NAMES.draft_prefix}*{NAMES.draft_suffix}")
    return {str(path.relative_to(root)): path.read_bytes() for path in found}


def kept(home: Home) -> list[bytes]:
    """The bytes of displaced files and backups."""
    folders = [home.root / NAMES.displaced, *(home.state_root.glob(f"v-*/{NAMES.backups}"))]
    return [path.read_bytes() for folder in folders if folder.is_dir() for path in folder.iterdir()]


def crash(home: Home) -> Crash:
    unmanaged = {
        path: found for path, found in home.snapshot(NAMES.assistant).items() if not path.startswith(".")
    }
    return Crash(drafts(home.root), kept(home), unmanaged)


def healed(folder: Path, flow: Flow, typed: Iterable[bytes]) -> Healed:
    """Start again in a folder where a process died, and hold the vault against the laws.

    `typed` are versions the person saved: each must still be somewhere.
    """
    home = started(folder, flow.after + timedelta(minutes=1))
    found = crash(home)
    if flow.fresh:
        home.init()
    else:
        home.restart()
    try:
        home.sync()
        assert drafts(home.root) == {}, "a draft is left after the next start"
        if flow.command and not flow.fresh:
            ask_again(home, flow)
        else:
            no_more_to_do(home)
        here = everything(home)
        purged = flow.act is purge
        for data in () if purged else (*found.drafts.values(), *found.kept, *typed):
            assert data in here, f"lost: {data[-300:]!r}"
        check_state(home)
        now = said(home)
        meanwhile = (PROUST,) if (folder / "typed-meanwhile").exists() else ()
        for text in (*flow.shows, *meanwhile):
            times = "\n".join(now.profile + now.cards_note).count(text)
            assert times == 1, f"{text!r} stands {times} times"
        check_rebuilt(home)
        check_kept_retires(home)
        check_folders(home)
        if purged:
            check_purged(home)
        assert said(home) == now
        assert crash(home).unmanaged == found.unmanaged, "an unmanaged note was touched"
        return now
    finally:
        home.close()


def ask_again(home: Home, flow: Flow) -> None:
    """Whoever asked got no answer and asks again, unless what they asked for has happened."""
    if any(MARTIN in card.text for card in home.open_cards()):
        no_more_to_do(home)
    else:
        flow.act(home)
        home.sync()
        no_more_to_do(home)


def no_more_to_do(home: Home) -> None:
    outcome = home.sync()
    assert outcome.closed is None, f"closed: {outcome.closed}"
    done = (outcome.records, outcome.written, outcome.changes.removed, outcome.changes.added)
    assert done == ((), (), (), ()), f"not at rest: {done}"
    assert not outcome.changes, f"not at rest: {outcome.changes}"


def everything(home: Home) -> set[bytes]:
    return {*kept(home), *(path.read_bytes() for path in home.root.rglob("*") if path.is_file())}


def check_state(home: Home) -> None:
    verified = home.app.register.verify()
    assert verified == (), f"register: {verified}"
    assert home.export() == home.folded(), "the index is not the register's fold"
    texts = [fact for fact in home.facts() if fact]
    assert len(texts) == len(set(texts)), f"doubled: {texts}"


def check_rebuilt(home: Home) -> None:
    before = home.export()
    home.app.pipeline.rebuild()
    assert home.export() == before, "another export after rebuild"
    no_more_to_do(home)
    home.restart()
    home.sync()
    assert home.export() == before, "another export after a restart"


def check_kept_retires(home: Home) -> None:
    """What was displaced becomes a backup: nothing of it waits to be read any more."""
    for _ in range(2):
        home.clock.advance(seconds=61)
        no_more_to_do(home)
    left = list((home.root / NAMES.displaced).iterdir())
    assert left == [], f"still displaced: {left}"


def check_folders(home: Home) -> None:
    assert drafts(home.root) == {}
    odd = [path.name for path in home.app.folder.iterdir() if not _KNOWN_IN_STATE.fullmatch(path.name)]
    assert odd == [], f"left in the state folder: {odd}"


def check_purged(home: Home) -> None:
    """No file holds the words: neither vault nor state folder."""
    home.close()
    for path in (*home.root.rglob("*"), *home.state_root.rglob("*")):
        if path.is_file():
            assert SECRET_WORDS.encode() not in path.read_bytes(), (
                f"not purged: {path.relative_to(home.folder)}"
            )
    home.restart()
    home.sync()


def said(home: Home) -> Healed:
    """What notes, memory and register say, ids and times aside."""
    exported = home.exported()
    there = home.full(NAMES.profile).exists()
    return Healed(
        profile=bare(home.profile()).split("\n") if there else [],
        cards_note=bare(home.cards()).split("\n"),
        journal=sorted(bare(home.journal()).split("\n")),
        facts=sorted(map(spelt, exported["facts"])),
        cards=sorted(map(spelt, exported["cards"])),
        events=sorted(spelt([record.op, record.by, dict(record.body)]) for record in home.records()),
        now=home.text(NAMES.now).split("\n") if home.full(NAMES.now).exists() else [],
    )


def spelt(value: Any) -> str:
    return bare(json.dumps(value, ensure_ascii=False, sort_keys=True))
