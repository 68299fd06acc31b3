"""The only wiring: settings, folders, vault, register, history and pipeline of one vault."""

import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from config.i18n import LOCALES, Catalogue, catalogue
from config.paths import NAMES, config_file, state_root
from config.settings import Settings, load, zone
from daemon import managed
from daemon.history import History
from daemon.index import memory as rows
from daemon.index.refresh import Progress, silent
from daemon.managed import Showing
from daemon.memory.moment import Moment
from daemon.memory.state import State
from daemon.pipeline import Circumstances, Pipeline
from daemon.register.keys import make_secret
from daemon.register.register import Register
from daemon.vault.door import Vault
from daemon.vault.errors import NoteExists
from parsers.errors import ClavaireError
from parsers.ids import ENTROPY, VAULT, make_id
from parsers.model.notes import NotePath, Problem
from parsers.model.register import Event

Clock = Callable[[], datetime]


class NoVault(ClavaireError):
    """No vault was named and none stands around the current folder."""


class NotInitialised(ClavaireError):
    """The folder is no vault of clavaire's yet."""


@dataclass(frozen=True, slots=True)
class App:
    """One vault, wired."""

    settings: Settings
    words: Catalogue
    root: Path
    folder: Path
    """Its state folder."""
    vault: Vault
    register: Register
    history: History
    pipeline: Pipeline

    def close(self) -> None:
        """Let go of the index."""
        self.history.close()


def settings_of(environ: Mapping[str, str]) -> Settings:
    """Load the person's settings."""
    return load(environ, config_file())


def find_vault(named: str | None, settings: Settings, here: Path) -> Path:
    """Give the vault's folder: named, configured, or the nearest one around `here`.

    Raises:
        NoVault: there is none.
    """
    words = catalogue(settings.general.locale)
    spelt = named or settings.memory.vault
    if spelt:
        folder = Path(spelt).expanduser().resolve()
        if not folder.is_dir():
            raise NoVault(words.say("error.no_such_vault", folder=spelt))
        return folder
    for folder in (here, *here.parents):
        if (folder / NAMES.obsidian).is_dir() or (folder / NAMES.assistant).is_dir():
            return folder.resolve()
    raise NoVault(words.say("error.no_vault"))


def vault_id(root: Path) -> str | None:
    """Give the id the vault's register bears, None where there is no register yet."""
    folder = root / NAMES.register_folder
    for month in sorted(folder.glob("*.md")) if folder.is_dir() else ():
        with month.open("rb") as stream:
            found = re.search(rb"^vault: (v-[0-9a-z]{8})\r?$", stream.read(2000), re.MULTILINE)
        if found:
            return found[1].decode("ascii")
    return None


def open_vault(root: Path, settings: Settings, clock: Clock | None = None) -> App:
    """Wire a vault that `init` has made.

    Raises:
        NotInitialised: it has no register.
    """
    words = catalogue(settings.general.locale)
    name = vault_id(root) or _known_at(root, settings)
    if name is None:
        raise NotInitialised(words.say("error.not_initialised", folder=root))
    return _wire(root, settings, name, clock or _now)


def _now() -> datetime:
    return datetime.now(UTC)


def _wire(root: Path, settings: Settings, name: str, clock: Clock) -> App:
    words = catalogue(settings.general.locale)
    folder = state_root(settings, root) / name
    vault = Vault(root, folder / NAMES.backups, settings.index.max_bytes, clock=lambda: clock().timestamp())
    register = Register(vault, folder, words.say("register.sentence"))
    made: list[Pipeline] = []
    history = History(register, folder, lambda index: made[0].fill(silent, index))
    around = Circumstances(
        moment=partial(_moment, settings, clock),
        showing=partial(_showing, settings, words, root, history),
        words=words,
        memory=settings.memory.enabled,
    )
    made.append(Pipeline(vault, history, around))
    return App(settings, words, root, folder, vault, register, history, made[0])


def _moment(settings: Settings, clock: Clock, state: State) -> Moment:
    from daemon.memory.secrets import secret_spans  # noqa: PLC0415

    now = clock()
    local = now.astimezone(zone(settings))
    reminded = (local - timedelta(hours=9)).isocalendar()
    memory = settings.memory

    def new_id(letter: str) -> str:
        while (name := make_id(letter, os.urandom(ENTROPY))) in state.facts or name in state.cards:
            pass
        return name

    return Moment(
        now=now,
        today=local.date(),
        week=f"{reminded.year}-W{reminded.week:02d}",
        new_id=new_id,
        secret_spans=secret_spans,
        edit_window=timedelta(seconds=memory.edit_window),
        rejection=timedelta(days=memory.rejection_days),
        pending=timedelta(days=settings.cards.pending_days),
        cards_per_day=settings.cards.per_day,
        sensitive=tuple(re.compile(pattern) for pattern in memory.sensitive_patterns),
    )


def _showing(settings: Settings, words: Catalogue, root: Path, history: History, moment: Moment) -> Showing:
    months = sorted((path.stem for path in (root / NAMES.register_folder).glob("*.md")), reverse=True)
    return Showing(
        today=moment.today,
        now=moment.now,
        zone=zone(settings),
        words=(words, *(catalogue(name) for name in LOCALES if name != words.locale)),
        cards_per_day=settings.cards.per_day,
        months=tuple(months),
        records=lambda since: rows.journal(history.index, since),
    )


def init(root: Path, settings: Settings, host: str, *, new_id: bool = False, clock: Clock | None = None) -> App:
    """Create or adopt the managed notes of a vault; no other note is touched.

    Raises:
        VaultError: a note of ours cannot be written.
    """
    clock = clock or _now
    known = vault_id(root)
    name = known or make_id(VAULT, os.urandom(ENTROPY))
    if new_id and known:
        name = make_id(VAULT, os.urandom(ENTROPY))
    app = _wire(root, settings, name, clock)
    app.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    app.vault.prepare()
    with app.vault.locked():
        if new_id and known:
            _rename_register(app, known)
        _first_lines(app, host, clock())
        for path in (NAMES.profile, NAMES.cards) if settings.memory.enabled else ():
            _frame(app, path)
    record_place(app)
    return app


def _first_lines(app: App, host: str, now: datetime) -> None:
    """Make the secret and the first line of the register, where this machine has none and no other keeps the vault."""
    reading = app.register.read()
    if not reading.end.seq:
        make_secret(app.folder)
        taken = app.register.take_host(host, now)
        opened = Event("vault.opened", "person", {"user_id": app.settings.memory.user_id})
        app.register.append((opened,), now, taken.mark)
    elif app.register.keys.secret() is None:
        make_secret(app.folder)


def _rename_register(app: App, known: str) -> None:
    """Give a copy's register an id of its own; what vouched for its lines on this machine still does."""
    for month in sorted((app.root / NAMES.register_folder).glob("*.md")):
        path = NotePath(f"{NAMES.register_folder}/{month.name}")
        reading = app.vault.read(path)
        head, fence, lines = reading.data.partition(b"```")
        renamed = head.replace(known.encode(), app.folder.name.encode())
        app.vault.write(path, renamed + fence + lines, reading.etag)
    for name in (NAMES.secret, NAMES.host):
        source = app.folder.with_name(known) / name
        if source.is_file():
            copy = app.folder / name
            copy.touch(mode=0o600)
            copy.write_bytes(source.read_bytes())


def _frame(app: App, path: NotePath) -> None:
    one = app.pipeline.source(path)
    if one.problems:
        return
    text = managed.frames(path, None if one.vanished and one.etag is None else one, app.words)
    if one.etag is None:
        try:
            app.vault.create(path, text.encode("utf-8"))
        except NoteExists:
            return
    elif text != one.text:
        app.vault.write(path, text.encode("utf-8"), one.etag)


def record_place(app: App) -> None:
    """Remember where this vault stands on this machine."""
    draft = app.folder / f"{NAMES.vault_record}{NAMES.draft_suffix}"
    draft.write_text(json.dumps({"path": str(app.root)}), "utf-8")
    draft.replace(app.folder / NAMES.vault_record)


def copied_from(app: App) -> Problem | None:
    """Say that this is a copy of a vault that stands elsewhere on this machine (then it is only read)."""
    try:
        place = Path(json.loads((app.folder / NAMES.vault_record).read_text("utf-8"))["path"])
    except (OSError, ValueError, KeyError):
        return None
    if place == app.root or not place.is_dir() or vault_id(place) != app.folder.name:
        return None
    return Problem("", 0, "vault_copied", (("folder", str(place)),))


def _known_at(root: Path, settings: Settings) -> str | None:
    """The id of a vault that stood here and whose register is gone or not mounted (case C27)."""
    states = state_root(settings, root)
    for folder in sorted(states.glob("v-*")) if states.is_dir() else ():
        try:
            if json.loads((folder / NAMES.vault_record).read_text("utf-8"))["path"] == str(root):
                return folder.name
        except (OSError, ValueError, KeyError):
            continue
    return None
