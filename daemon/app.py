"""The only wiring: settings, folders, vault, register, history and pipeline of one vault."""

import os
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache, partial
from pathlib import Path

from config.i18n import LOCALES, Catalogue, catalogue
from config.paths import NAMES, state_root
from config.settings import ConfigError, Settings, renewed, zone
from daemon import homes, managed
from daemon.consent import autonomy_wanted
from daemon.doors import Clock, doors, wall_clock
from daemon.history import History
from daemon.index import memory as rows
from daemon.index.refresh import silent
from daemon.index.store import Index, NoIndex
from daemon.managed import Showing
from daemon.memory import proposals
from daemon.memory.moment import Moment
from daemon.memory.secrets import secret_spans
from daemon.memory.state import State
from daemon.permission import Rules
from daemon.pipeline import Circumstances, Outcome, Pipeline
from daemon.places import original, place, set_place, state_folder, stood_here, vault_id
from daemon.register import repair
from daemon.register.keys import make_secret
from daemon.register.register import Register, RegisterClosed
from daemon.reindex import fill
from daemon.rest import fingerprint, guard
from daemon.runs.state import Runs
from daemon.scheduler import JOBS, next_after
from daemon.source import Source, missing_sections, source
from daemon.tools.known import Registry
from daemon.vault.door import Vault
from daemon.vault.errors import NoteExists, VaultCopied, VaultMissing
from parsers.errors import ClavaireError
from parsers.ids import ENTITY, ENTROPY, VAULT, make_id
from parsers.model.edits import Edit, Remember
from parsers.model.now import NowTexts
from parsers.model.places import Etag, NotePath
from parsers.model.register import Event, Record

_HOST_QUIET = timedelta(minutes=1)


class HostNotQuiet(ClavaireError):
    """The machine that keeps the vault wrote in it a moment ago."""

    exit_code = 3


@dataclass(slots=True)
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
    _unusable: str = ""
    """Why the settings cannot be read anew, as it was told."""

    def take_up_settings(self) -> str:
        """Protect from now on what the settings by now say; other settings stay as they were at the start.

        Where they cannot be read those read last hold; why is given once.
        """
        before = self._unusable
        try:
            now = renewed(self.settings)
        except ConfigError as error:
            self._unusable = self.words.say("error.settings_kept", reason=error)
            return self._unusable if self._unusable != before else ""
        self._unusable = ""
        if now is not self.settings:
            self.settings = self.settings._replace(
                privacy=now.privacy, provenance=now.provenance, source=now.source
            )
            fence = guard(self.vault, self.settings, private=self.pipeline.around.fence.private)
            self.pipeline.protect(fence, fingerprint(self.settings))
        return ""

    def brought_up(self) -> Runs:
        """Give what is known of runs now, whoever recorded it."""
        with self.vault.locked():
            self.history.catch_up()
        return self.history.runs

    def close(self) -> None:
        """Let go of the index."""
        self.history.close()


def open_writable(root: Path, settings: Settings, clock: Clock | None = None) -> App:
    """Wire a vault that `init` has made, for writing.

    Raises:
        NoVault: it has no register here, and none is known to have stood here.
        VaultMissing: it is not there (an empty mount point).
        VaultCopied: it is a copy of another vault on this machine.
    """
    app = _wire(root, settings, state_folder(root, settings).name, clock or wall_clock)
    check_kept(app)
    if place(app.folder) != root:
        set_place(app.folder, root)
    return app


def open_for_agents(root: Path, settings: Settings, clock: Clock | None = None) -> App:
    """Wire a vault for a process that serves agents: it never opens the index of private notes (R-P04).

    Nothing is checked or made yet: `check_kept` does that before something is written.

    Raises:
        NoVault: it has no register here, and none is known to have stood here.
    """
    return _wire(root, settings, state_folder(root, settings).name, clock or wall_clock, private=False)


def check_kept(app: App) -> None:
    """Check that a vault may be written from here.

    Raises:
        VaultMissing: it is not there (an empty mount point).
        VaultCopied: it is a copy of another vault on this machine.
    """
    if app.vault.available():
        raise VaultMissing(str(app.root))
    elsewhere = original(app.folder, app.root)
    if elsewhere:
        raise VaultCopied(str(elsewhere))
    app.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    app.vault.prepare()


def _wire(root: Path, settings: Settings, name: str, clock: Clock, *, private: bool = True) -> App:
    words = catalogue(settings.general.locale)
    folder = state_root(settings, root) / name
    vault, register = doors(root, folder, settings, clock)
    fence = guard(vault, settings, private=private)

    def made(index: Index) -> None:
        if not private:  # it would be an index without the private notes: it is left to others
            raise NoIndex(words.say("error.no_index"))
        fill(vault, silent, index, guard=pipeline.around.fence)

    history = History(register, folder, made)
    around = Circumstances(
        moment=partial(_moment, settings, clock, history, vault),
        showing=partial(_showing, settings, words, root, history),
        words=words,
        next_due=lambda now: next_after(JOBS, now, zone(settings)),
        settings=fingerprint(settings),
        backups=(settings.backups.days, settings.backups.mebibytes),
        memory=settings.memory.enabled,
        rules=Rules(
            settings.policy,
            fence.declared,
            timedelta(days=settings.runs.expiry_days),
            zone(settings),
            words,
        ),
        registry=cache(partial(_registry, settings)),
        fence=fence,
    )
    pipeline = Pipeline(vault, history, around)
    return App(settings, words, root, folder, vault, register, history, pipeline)


def _registry(settings: Settings) -> Registry:
    from daemon.tools.registry import registry  # noqa: PLC0415 - 5 MB that a daemon without plans does without

    return registry(settings)


def _moment(settings: Settings, clock: Clock, history: History, vault: Vault, state: State) -> Moment:
    now = clock()
    local = now.astimezone(zone(settings))
    reminded = (local - timedelta(hours=9)).isocalendar()
    memory = settings.memory

    last: dict[str, int] = {}

    def new_id(letter: str) -> str:
        # Ids of one moment grow: sorted, they keep the order of the lines they were given to.
        while True:
            step = int.from_bytes(os.urandom(3), "big") + 1
            last[letter] = (
                last[letter] + step if letter in last else int.from_bytes(os.urandom(ENTROPY), "big") >> 1
            )
            last[letter] %= 1 << 8 * ENTROPY
            name = make_id(letter, last[letter].to_bytes(ENTROPY, "big"))
            known = (state.facts, state.cards, state.entities)
            if not any(name in one for one in known) and not history.runs.names(name):
                return name

    return Moment(
        now=now,
        today=local.date(),
        week=f"{reminded.year}-W{reminded.week:02d}",
        new_id=new_id,
        secret_spans=secret_spans,
        note_of=partial(homes.note_of, history),
        kind_of=partial(homes.kind_of, vault),
        at_home=partial(homes.at_home, history),
        edit_window=timedelta(seconds=memory.edit_window),
        rejection=timedelta(days=memory.rejection_days),
        pending=timedelta(days=settings.cards.pending_days),
        cards_per_day=settings.cards.per_day,
        sensitive=tuple(re.compile(pattern) for pattern in memory.sensitive_patterns),
    )


def _showing(settings: Settings, words: Catalogue, root: Path, history: History, moment: Moment) -> Showing:
    folder = root / NAMES.register_folder
    return Showing(
        today=moment.today,
        now=moment.now,
        zone=zone(settings),
        words=(words, *(catalogue(name) for name in LOCALES if name != words.locale)),
        cards_per_day=settings.cards.per_day,
        months=lambda: sorted((path.stem for path in folder.glob("*.md")), reverse=True),
        records=lambda since, most: rows.journal(history.index, since, most),
    )


def init(
    root: Path, settings: Settings, host: str, *, new_id: bool = False, clock: Clock | None = None
) -> App:
    """Create or adopt the managed notes of a vault; no other note is touched.

    Raises:
        VaultCopied: it is a copy, and no `new_id` is asked for.
        RegisterClosed, VaultMissing: a vault that stood here lost its register, or is not there; same.
        VaultError: a note of ours cannot be written.
    """
    clock = clock or wall_clock
    known = vault_id(root)
    elsewhere = original(state_root(settings, root) / known, root) if known and not new_id else None
    if elsewhere:
        raise VaultCopied(str(elsewhere))
    if not known and not new_id:
        _refuse_lost(root, settings)
    name = known if known and not new_id else make_id(VAULT, os.urandom(ENTROPY))
    app = _wire(root, settings, name, clock)
    app.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    app.vault.prepare()
    with app.vault.locked():
        if new_id and known:
            _copy_keys(app, known)
            repair.rename_vault(app.register, app.folder.name)
        _first_lines(app, host, clock())
        memory = (NAMES.profile, NAMES.people, NAMES.cards) if settings.memory.enabled else ()
        for path in (*memory, NAMES.autonomy):
            _frame(app, path, None if known else host)
    set_place(app.folder, root)
    return app


def _refuse_lost(root: Path, settings: Settings) -> None:
    """A register that is gone can come back: under another id its history would be nobody's."""
    folder = stood_here(root, settings)
    if folder is None:
        return
    vault, register = doors(root, folder, settings)
    reading = register.read()
    if reading.mode == "maintenance":
        raise VaultMissing(str(root)) if vault.available() else RegisterClosed(reading.problems[0])


def _first_lines(app: App, host: str, now: datetime) -> None:
    """Make the secret and the first line of the register, where this machine has none and no other keeps the vault."""
    reading = app.register.open()
    make_secret(app.folder)
    if not reading.end.seq:
        reading = app.register.take_host(host, now)
    if reading.mode == "ok" and not any(record.op == "vault.opened" for record in reading.records):
        opened = Event("vault.opened", "person", {"user_id": app.settings.memory.user_id})
        app.register.append((opened,), now, reading.mark)


def _copy_keys(app: App, known: str) -> None:
    """What vouched for a copy's lines on this machine still does under its new id."""
    for name in (NAMES.secret, NAMES.host):
        source, copy = app.folder.with_name(known) / name, app.folder / name
        if source.is_file() and not copy.exists():
            copy.touch(mode=0o600)
            copy.write_bytes(source.read_bytes())


class UnclosedEnd(ClavaireError):
    """Sections cannot be added at the end of a note: something opened there is never closed."""


def _frame(app: App, path: NotePath, host: str | None) -> None:
    """Make a note, or give it the sections it lacks; in a new vault, `host` and levels stand there at once."""
    one = app.pipeline.desk.read(path)
    if one.problems:
        return
    text = managed.frames(path, None if one.vanished and one.etag is None else one, app.words)
    if missing_sections(source(path, text.encode("utf-8"), Etag(""))):
        raise UnclosedEnd(app.words.say("error.unclosed_end", path=path))
    if one.etag is None:
        if host and path == NAMES.autonomy:
            text = _with_levels(app, source(path, text.encode("utf-8"), Etag("")), host)
        try:
            app.vault.create(path, text.encode("utf-8"))
        except NoteExists:
            return
    elif text != one.text:
        app.vault.write(path, text.encode("utf-8"), one.etag)


def _with_levels(app: App, one: Source, host: str) -> str:
    around = app.pipeline.around
    showing = around.showing(around.moment(app.history.state))
    wanted = autonomy_wanted(one, app.history.runs, ("", host), showing)
    assert wanted is not None
    return wanted.text


def accept(app: App, edits: Sequence[Edit]) -> Outcome:
    """Hand in edits: the notes follow at once, or by the daemon when one runs."""
    executor = app.vault.executor()
    if executor is None:
        return app.pipeline.submit(edits)
    with executor:
        if not all(isinstance(edit, Remember) for edit in edits):
            return app.pipeline.sync(managed.SHOWN_NOTES, edits)
        told = app.pipeline.submit(edits)
        done = app.pipeline.sync(managed.SHOWN_NOTES)
        return replace(done, records=told.records, closed=told.closed or done.closed)


def why_not(app: App, edit: Edit) -> str | None:
    """Give why nothing comes of an edit, None where something does."""
    state = app.history.state
    return proposals.why_not(state, app.pipeline.around.moment(state), edit)


def take_host(app: App, name: str, now: datetime) -> None:
    """Make this machine the one that writes, once the register has been quiet for a minute.

    Raises:
        HostNotQuiet: another machine wrote a moment ago.
        RegisterClosed: the register is damaged.
    """
    with app.vault.locked():
        reading = app.register.read()
        last = datetime.fromisoformat(reading.end.at) if reading.end.at else None
        ours = reading.end.host == app.register.keys.host()
        if not ours and last and now - last < _HOST_QUIET:
            raise HostNotQuiet(app.words.say("error.host_not_quiet", name=reading.end.host_name))
        make_secret(app.folder)
        app.register.take_host(name, now)


def purge(app: App, name: str, now: datetime) -> None:
    """Erase a forgotten fact's words from the register, the index and the backups (rule 9)."""
    with app.vault.locked():
        app.history.catch_up()
        records = app.register.read().records
        said = [record for record in records if name in _named_in(record)]
        whose = "fact." if name.startswith(f"{ENTITY}-") else ""  # a name alone may stand anywhere
        texts = {str(r.body["text"]) for r in said if r.body.get("text") and r.op.startswith(whose)}
        # From the copies first: once the register has lost the words, nobody knows what to look for.
        ids = {str(record.body.get("id")) for record in said} if whose else set()
        names = {str(record.body.get(key) or "") for record in said for key in ("name", "old_text")} - {""}
        erased = {line.strip() for text in (*texts, *names) for line in text.split("\n")} - {""}
        quoted = {one.seq: lines for one in records if (lines := _quoting(one, erased))}
        texts.update(*quoted.values())
        gone = _Gone(sorted(texts, key=len, reverse=True), sorted(ids), sorted(names))
        app.vault.kept.scrub(partial(_without, gone))
        repair.purge(app.register, [*(record.seq for record in said), *quoted], now)
        app.vault.kept.scrub(repair.scrubber(app.register))
        app.history.rebuild()


def _quoting(record: Record, words: Collection[str]) -> list[str]:
    """Give the lines that a record wrote into now.md and that hold some of these words."""
    if record.op != "now.written" or not words:
        return []
    found = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, words))})(?!\w)", re.IGNORECASE)
    lines = (line for name in NowTexts._fields for line in str(record.body.get(name) or "").split("\n"))
    return list(filter(found.search, lines))


def _named_in(record: Record) -> tuple[str, ...]:
    body = record.body
    return (str(body.get("id")), str(body.get("entity_id")), *map(str, body.get("subjects") or ()))


@dataclass(frozen=True, slots=True)
class _Gone:
    """What is to be erased from copies: texts, lines that bear an id, people's lines."""

    texts: Sequence[str]
    ids: Sequence[str]
    names: Sequence[str]


def _without(gone: _Gone, data: bytes) -> bytes:
    for name in gone.ids:
        data = re.sub(rb"[^\n]*\^" + re.escape(name.encode()) + rb"(?!\w)[^\n]*", "…".encode(), data)
    for name in gone.names:
        pattern = rb"(?m)^[-*+][ \t]+(?:\[\[)?" + re.escape(name.encode()) + rb"(?![\w-])[^\n]*"
        data = re.sub(pattern, "- …".encode(), data)
    for text in gone.texts:
        for line in text.split("\n"):
            if line.strip():
                data = data.replace(line.encode("utf-8"), "…".encode())
    return data
