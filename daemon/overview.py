"""What is kept, what waits, what is wrong: `status` and `doctor`."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from config.i18n import Catalogue
from config.settings import Settings
from daemon import reading
from daemon.app import App, open_vault
from daemon.index import memory as rows
from daemon.index.problems import problems
from daemon.places import original
from daemon.register import repair
from daemon.vault.errors import VaultError
from parsers.model.notes import Problem
from parsers.model.register import Mark


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
        found = [
            {"path": one.path, "line": one.line, "code": one.code, "sentence": words.problem(one)}
            for one in self.problems
        ]
        fields = ("vault", "path", "state", "host", "running", "notes", "cards", "events")
        return {name: getattr(self, name) for name in fields} | {"facts": dict(self.facts), "problems": found}

    def lines(self, words: Catalogue) -> list[str]:
        """Give it in words."""
        counts = ", ".join(f"{words.say(f'fact.status.{name}')} {number}" for name, number in self.facts.items())
        return [
            words.say("status.vault", path=self.path, vault=self.vault),
            words.say("status.host", name=self.host or "?"),
            words.say("status.running" if self.running else "status.stopped"),
            words.say("status.notes", number=self.notes),
            words.say("status.facts", counts=counts or "0"),
            words.say("status.cards", number=self.cards),
            *(words.problem(one) for one in self.problems),
        ]


def status(root: Path, settings: Settings) -> Status:
    """Look at a vault without changing anything.

    Raises:
        NoVault, NoIndex: there is nothing to look at yet.
    """
    app = open_vault(root, settings)
    index = reading.open_index(app.folder, app.words.say("error.no_index"))
    try:
        seen = reading.overview(index)
    finally:
        index.close()
    register = app.register.read()
    found = list(seen.problems)
    missing = app.vault.available()
    elsewhere = original(app.folder, root)
    if missing:
        found.insert(0, missing)
    elif elsewhere:
        found.insert(0, Problem("", 0, "vault_copied", (("folder", str(elsewhere)),)))
    else:
        found += [one for one in (app.register.may_write(register),) if one]
    return Status(
        app.folder.name,
        str(root),
        str(app.folder),
        register.end.host_name,
        not missing and _is_kept(app),
        seen.notes,
        seen.facts,
        seen.cards,
        seen.seq,
        tuple(dict.fromkeys(found)),
    )


def _is_kept(app: App) -> bool:
    try:
        executor = app.vault.executor()
    except VaultError:
        return False
    if executor is None:
        return True
    executor.close()
    return False


def doctor(app: App, *, fix: bool) -> tuple[Problem, ...]:
    """Check vault, register and index, and mend what can be mended; gives what is still wrong."""
    if fix:
        with app.vault.locked():
            _mend(app)
    outcome = app.pipeline.sync()
    found = [*app.register.verify(), *problems(app.history.index)]
    if outcome.closed:
        found.insert(0, outcome.closed)
    return tuple(dict.fromkeys(found))


def _mend(app: App) -> None:
    """Write lost register lines back from the index, and finish purges a crash stopped."""
    app.history.catch_up()
    known = app.register.read()
    if known.mode == "maintenance":
        repair.write_back(app.register, [text.encode("utf-8") for _, text in rows.lines(app.history.index)])
        app.history.catch_up()
    elif known.unfinished:
        repair.finish_purges(app.register)


def unvouched(app: App) -> tuple[Mark, list[str]]:
    """Give the end of the register as accepting it would vouch for it, and the lines that are not vouched for.

    Raises:
        RegisterClosed: it is broken, which no acceptance heals.
    """
    end = app.register.acceptable()
    seen = app.register.read()
    doubtful = [record for record in seen.records if not record.vouched or record.seq > seen.mark.seq]
    return end, [f"{record.seq}  {record.at}  {record.by}  {record.op}  {_words(record.body)}" for record in doubtful]


def _words(body: Mapping[str, Any]) -> str:
    return str(body.get("text") or body.get("name") or body.get("id") or "")
