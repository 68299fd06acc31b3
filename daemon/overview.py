"""What is kept, what waits, what is wrong, at a glance: `status`; changes nothing and is light to import."""

from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from config.i18n import Catalogue, catalogue
from config.settings import Settings, zone
from daemon.brain import Stale, boot_of
from daemon.doors import Clock, doors, wall_clock
from daemon.index.memory import scalar
from daemon.index.notes import count
from daemon.index.problems import problems
from daemon.index.store import open_index
from daemon.memory.state import State
from daemon.permits import load_runs
from daemon.places import original, state_folder
from daemon.reading import state_in
from daemon.recall.log import Tokens, tokens
from daemon.register.register import Register
from daemon.runs.state import Runs
from daemon.vault.door import Vault
from daemon.vault.errors import VaultCopied, VaultError
from parsers.model.places import Problem
from parsers.model.register import stamp

_WEEK = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Prompts:
    """What the person was asked in the last seven days."""

    week: int
    """Cards opened, and plans shown for approval."""
    batched: int
    """Those of them that stood for several: cards counted in one line, plans of more than one write."""

    def as_json(self) -> dict[str, int]:
        """Give it as JSON values; `per_day` is rounded."""
        return {"week": self.week, "per_day": round(self.week / _WEEK.days), "batched": self.batched}


@dataclass(frozen=True, slots=True)
class Status:
    """One vault at a glance."""

    vault: str
    path: str
    state: str
    host: str
    running: bool
    """A process keeps it in step now."""
    notes: int
    facts: Mapping[str, int]
    people: int
    cards: int
    events: int
    runs: Mapping[str, int]
    prompts: Prompts
    tokens: Tokens
    """What was given to agents as contexts in the last seven days."""
    codes_blocked: bool
    """Reinforced approvals do not count until `clavaire code --unblock`."""
    now_stale: tuple[Stale, ...]
    """Why now.md may no longer be true."""
    problems: tuple[Problem, ...]

    def as_json(self, words: Catalogue) -> dict[str, Any]:
        """Give it as JSON values, each problem with its sentence."""
        found = [told(one, words) for one in self.problems]
        fields = (
            "vault",
            "path",
            "state",
            "host",
            "running",
            "notes",
            "people",
            "cards",
            "events",
            "codes_blocked",
        )
        counts = {"facts": dict(self.facts), "runs": dict(self.runs), "prompts": self.prompts.as_json()}
        counts["tokens"] = self.tokens.as_json()
        stale = {"now_stale": [one.said(words) for one in self.now_stale]}
        return {name: getattr(self, name) for name in fields} | counts | stale | {"problems": found}

    def lines(self, words: Catalogue) -> list[str]:
        """Give it in words."""
        counts = ", ".join(
            f"{words.say(f'fact.status.{name}')} {number}" for name, number in self.facts.items()
        )
        runs = ", ".join(f"{words.say(f'plan.status.{name}')} {number}" for name, number in self.runs.items())
        return [
            words.say("status.vault", path=self.path, vault=self.vault),
            words.say("status.host", name=self.host or "?"),
            words.say("status.running" if self.running else "status.stopped"),
            words.say("status.notes", number=self.notes),
            words.say("status.facts", counts=counts or "0"),
            words.say("status.people", number=self.people),
            words.say("status.cards", number=self.cards),
            words.say("status.runs", counts=runs or "0"),
            words.say("status.prompts", **self.prompts.as_json()),
            words.say("status.tokens", **self.tokens.as_json()),
            *([words.say("status.codes_blocked")] if self.codes_blocked else []),
            *(one.said(words) for one in self.now_stale),
            *(words.problem(one) for one in self.problems),
        ]


def told(problem: Problem, words: Catalogue) -> dict[str, Any]:
    """Give a problem as JSON values, with its sentence."""
    where = {"path": problem.path, "line": problem.line, "code": problem.code}
    return where | {"sentence": words.problem(problem)}


def prompts(state: State, runs: Runs, now: datetime) -> Prompts:
    """Count what the person was asked in the seven days before `now`."""
    since = stamp(now - _WEEK)
    cards = [card for card in state.cards.values() if card.opened_at >= since]
    plans = [
        run
        for run in runs.shown()
        if run.approval in ("run_approval", "reinforced_approval")
        and any(line.what == "shown" and line.at >= since for line in run.evidence)
    ]
    several = [run for run in plans if sum(step.risk != "READ" for step in run.steps) > 1]
    return Prompts(len(cards) + len(plans), sum(card.grouped for card in cards) + len(several))


def status(root: Path, settings: Settings, clock: Clock = wall_clock) -> Status:
    """Look at a vault without changing anything.

    Raises:
        NoVault, NoIndex: there is nothing to look at yet.
    """
    folder = state_folder(root, settings)
    vault, register = doors(root, folder, settings)
    sentence = catalogue(settings.general.locale).say("error.no_index")
    with closing(open_index(folder, sentence, private=True)) as index:
        state, found = state_in(index), problems(index)
        runs, _ = load_runs(index)
        notes, seq = count(index), scalar(index, "mark", {"seq": 0})["seq"]
    here = _here(vault, register, folder, root)
    return Status(
        vault=folder.name,
        path=str(root),
        state=str(folder),
        host=register.read().end.host_name,
        running=not vault.available() and is_kept(vault),
        notes=notes,
        facts=dict(sorted(Counter(versions[-1].status for versions in state.facts.values()).items())),
        people=sum(one.kind == "person" and one.status == "confirmed" for one in state.entities.values()),
        cards=len(state.open_cards()),
        events=seq,
        runs=dict(sorted(Counter(run.status for run in runs.shown()).items())),
        prompts=prompts(state, runs, clock()),
        tokens=tokens(folder, clock()),
        codes_blocked=runs.codes.blocked,
        now_stale=boot_of(state, vault, settings, clock().astimezone(zone(settings)).date()).stale,
        problems=tuple(dict.fromkeys([*here, *found])),
    )


def _here(vault: Vault, register: Register, folder: Path, root: Path) -> list[Problem]:
    """Why this machine does not write in the vault."""
    missing, elsewhere = vault.available(), original(folder, root)
    if missing:
        return [missing]
    if elsewhere:
        return [VaultCopied(str(elsewhere)).problem]
    closed = register.may_write(register.read())
    return [closed] if closed else []


def is_kept(vault: Vault) -> bool:
    """Tell whether a process executes in a vault now."""
    try:
        executor = vault.executor()
    except VaultError:
        return False
    if executor is None:
        return True
    executor.close()
    return False
