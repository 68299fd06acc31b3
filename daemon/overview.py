"""What is kept, what waits, what is wrong, at a glance: `status`; changes nothing and is light to import."""

from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from config.i18n import Catalogue, catalogue
from config.settings import Settings
from daemon.doors import doors
from daemon.index.memory import scalar
from daemon.index.notes import count
from daemon.index.problems import problems
from daemon.index.store import open_index
from daemon.places import original, state_folder
from daemon.reading import state_in
from daemon.register.register import Register
from daemon.vault.door import Vault
from daemon.vault.errors import VaultCopied, VaultError
from parsers.model.places import Problem


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
    cards: int
    events: int
    problems: tuple[Problem, ...]

    def as_json(self, words: Catalogue) -> dict[str, Any]:
        """Give it as JSON values, each problem with its sentence."""
        found = [told(one, words) for one in self.problems]
        fields = ("vault", "path", "state", "host", "running", "notes", "cards", "events")
        return {name: getattr(self, name) for name in fields} | {"facts": dict(self.facts), "problems": found}

    def lines(self, words: Catalogue) -> list[str]:
        """Give it in words."""
        counts = ", ".join(
            f"{words.say(f'fact.status.{name}')} {number}" for name, number in self.facts.items()
        )
        return [
            words.say("status.vault", path=self.path, vault=self.vault),
            words.say("status.host", name=self.host or "?"),
            words.say("status.running" if self.running else "status.stopped"),
            words.say("status.notes", number=self.notes),
            words.say("status.facts", counts=counts or "0"),
            words.say("status.cards", number=self.cards),
            *(words.problem(one) for one in self.problems),
        ]


def told(problem: Problem, words: Catalogue) -> dict[str, Any]:
    """Give a problem as JSON values, with its sentence."""
    where = {"path": problem.path, "line": problem.line, "code": problem.code}
    return where | {"sentence": words.problem(problem)}


def status(root: Path, settings: Settings) -> Status:
    """Look at a vault without changing anything.

    Raises:
        NoVault, NoIndex: there is nothing to look at yet.
    """
    folder = state_folder(root, settings)
    vault, register = doors(root, folder, settings)
    with closing(open_index(folder, catalogue(settings.general.locale).say("error.no_index"))) as index:
        state, found = state_in(index), problems(index)
        notes, seq = count(index), scalar(index, "mark", {"seq": 0})["seq"]
    here = _here(vault, register, folder, root)
    return Status(
        vault=folder.name,
        path=str(root),
        state=str(folder),
        host=register.read().end.host_name,
        running=not vault.available() and _is_kept(vault),
        notes=notes,
        facts=dict(sorted(Counter(versions[-1].status for versions in state.facts.values()).items())),
        cards=len(state.open_cards()),
        events=seq,
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


def _is_kept(vault: Vault) -> bool:
    try:
        executor = vault.executor()
    except VaultError:
        return False
    if executor is None:
        return True
    executor.close()
    return False
