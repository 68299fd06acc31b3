"""What costs time, counted instead of timed: notes opened, folders listed, writes, statements, transactions."""

import contextlib
import os
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from config.paths import NAMES
from daemon.doors import doors
from daemon.index.search import search
from daemon.index.store import Index
from daemon.loop import Keeper
from daemon.rest import caught_up
from daemon.watcher import Watcher
from parsers.model.places import NotePath
from tests.home import Home

SIZES = (50, 500)
_seen: list[tuple[str, str]] | None = None


def _hear(event, arguments):
    if _seen is not None and event in ("open", "os.scandir", "os.listdir") and arguments:
        with contextlib.suppress(TypeError):  # a descriptor names nothing
            _seen.append((event, os.fsdecode(arguments[0])))


sys.addaudithook(_hear)


class Seen:
    """What the process asked of the files below a folder."""

    def __init__(self, root):
        self._root = f"{root}{os.sep}"
        self._private = f"{self._root}{NAMES.private_folder}{os.sep}"
        self.heard = []

    def opened(self):
        """Give how often each note was opened."""
        return Counter(
            path.removeprefix(self._root)
            for event, path in self.heard
            if event == "open"
            and path.startswith(self._root)
            and path.endswith(".md")
            and self._private not in path
        )

    def listed(self):
        """Give the folders of notes that were listed, in order."""
        folders = [f"{path}{os.sep}" for event, path in self.heard if event != "open"]
        ours = (self._private, f"{self._root}{NAMES.register_folder}/")
        return [path for path in folders if path.startswith(self._root) and not path.startswith(ours)]


@contextlib.contextmanager
def watched(root):
    """Hear what this process asks of the files below a folder."""
    global _seen  # noqa: PLW0603 - a hook cannot be taken away, only told to be quiet
    seen = Seen(root)
    _seen = seen.heard
    try:
        yield seen
    finally:
        _seen = None


@pytest.fixture(params=SIZES, ids=lambda count: f"{count} notes")
def home(request, vault):
    return house(vault, request.param)


def house(vault, count) -> Home:
    """Give a vault at rest of so many notes in ten folders, with some facts."""
    files = {
        f"Notes {n % 10}/note {n}.md": f"# Titre {n}\n\nUn [[note {n + 1}]] et #mot{n}.\n"
        for n in range(count)
    }
    home = vault(files=files)
    for n in range(20):
        home.add_line(f"- Le fait numéro {n} de cette vie")
    home.rest()
    home.clock.advance(minutes=2)  # what it displaced is then no longer looked at
    home.rest()
    return home


@pytest.fixture
def vault(tmp_path, clock):
    made = []

    def make(files):
        made.append(Home(tmp_path.resolve() / f"home-{len(made)}", files, clock=clock))
        return made[-1]

    yield make
    for home in made:
        home.close()


def unmanaged(paths):
    return {path for path in paths if not path.startswith(f"{NAMES.assistant}/")}


def test_a_start_with_nothing_changed_opens_managed_notes_only(home):
    home.restart()
    with watched(home.root) as seen:
        outcome = home.sync()
    assert not outcome.changes
    assert outcome.written == ()
    assert unmanaged(seen.opened()) == set()
    assert {NAMES.profile, NAMES.cards, NAMES.journal} <= set(seen.opened())
    assert max(Counter(seen.listed()).values()) == 1


def test_the_command_that_finds_nothing_changed_opens_managed_notes_only(home):
    home.sync()
    app = home.app
    home.close()
    with watched(home.root) as seen:
        changes = caught_up(*doors(home.root, app.folder, app.settings), app.settings, home.clock())
    assert changes is not None
    assert not changes
    assert unmanaged(seen.opened()) == set()
    assert max(Counter(seen.listed()).values()) == 1


def test_the_command_opens_the_note_that_changed_and_no_other(home):
    home.sync()
    app = home.app
    home.close()
    home.put("Notes 3/note 3.md", "autre chose\n")
    with watched(home.root) as seen:
        changes = caught_up(*doors(home.root, app.folder, app.settings), app.settings, home.clock())
    assert changes is not None
    assert changes.changed == ("Notes 3/note 3.md",)
    assert unmanaged(seen.opened()) == {"Notes 3/note 3.md"}
    assert seen.opened()["Notes 3/note 3.md"] == 1


def test_a_save_opens_that_note_once_and_lists_no_folder(home):
    path = home.put("Notes 3/note 3.md", "autre chose\n")
    with watched(home.root) as seen:
        outcome = home.sync([path])
    assert outcome.changes.changed == (path,)
    assert unmanaged(seen.opened()) == {path}
    assert seen.opened()[path] == 1
    assert not {NAMES.profile, NAMES.cards, NAMES.journal} & set(seen.opened())
    assert seen.listed() == []


def test_an_edited_profile_opens_no_other_note_of_the_person_and_lists_no_folder(home):
    home.add_line("- Un fait de plus")
    with watched(home.root) as seen:
        outcome = home.sync([NAMES.profile])
    assert outcome.records
    assert unmanaged(seen.opened()) == set()
    assert seen.listed() == []


def writes_of(home):
    """Record every write of a note from now on, each of which still happens."""
    done, write, create = Counter(), home.app.vault.write, home.app.vault.create

    def recorded(door):
        def call(path, *rest):
            done[path] += 1
            return door(path, *rest)

        return call

    home.app.vault.write, home.app.vault.create = recorded(write), recorded(create)
    return done


def test_a_save_of_an_unmanaged_note_writes_no_note(home):
    writes, path = writes_of(home), home.put("Notes 3/note 3.md", "autre chose\n")
    before = home.snapshot()
    home.sync([path])
    home.sync()
    assert not writes
    assert home.snapshot() == before


def test_an_edit_writes_each_note_that_had_to_change_once(home):
    writes = writes_of(home)
    home.add_line("- Un fait de plus")
    outcome = home.sync([NAMES.profile])
    assert writes == {NAMES.profile: 1, NAMES.journal: 1}
    assert set(outcome.written) == set(writes)
    home.sync(outcome.written)
    home.sync()
    assert sum(writes.values()) == 2


def test_a_ticked_card_writes_each_note_that_had_to_change_once(home):
    home.remember("Boit son thé sans sucre le matin", origin="mcp:agent", confidence=0.6)
    home.rest()
    writes = writes_of(home)
    home.tick("thé sans sucre", "keep")
    home.sync([NAMES.cards])
    assert writes == {NAMES.profile: 1, NAMES.cards: 1, NAMES.journal: 1}
    home.sync()
    assert sum(writes.values()) == 3


@contextlib.contextmanager
def statements(home):
    """Give the statements the index is sent; not those FTS5 sends itself, nor one for each word that is new.

    An id, drawn by chance, may happen to be one.
    """
    sent = []
    connection = home.app.history.index.connection
    left_out = (
        "--",
        "INSERT INTO vocabulary",
        "INSERT INTO parts",
        "SELECT id, word",
        "SELECT coalesce(max(id), 0) FROM vocabulary",
    )
    connection.set_trace_callback(lambda sql: None if sql.startswith(left_out) else sent.append(sql))
    try:
        yield sent
    finally:
        connection.set_trace_callback(None)


def counted(home, *changed):
    with statements(home) as sent:
        home.sync(changed)
    verbs = Counter(sql.split(maxsplit=1)[0] for sql in sent)
    assert verbs["ROLLBACK"] == 0
    assert verbs["BEGIN"] == verbs["COMMIT"]
    return len(sent), verbs["BEGIN"]


def both(vault, change):
    """Give statements and transactions of one batch in a small and in a large vault."""
    found = []
    for count in SIZES:
        home = house(vault, count)
        found.append(counted(home, *change(home)))
    return found


def test_statements_of_a_save_do_not_depend_on_the_size_of_the_vault(vault):
    small, large = both(vault, lambda home: [home.put("Notes 3/note 3.md", "autre chose\n")])
    assert small == large
    assert large[1] == 1
    assert large[0] <= 36


def test_a_hundred_saves_at_once_are_one_transaction(vault):
    home = house(vault, SIZES[1])
    one = counted(home, home.put("Notes 3/note 3.md", "autre chose\n"))
    many = counted(home, *(home.put(f"Notes {n % 10}/note {n}.md", "encore\n") for n in range(100, 200)))
    assert many[1] == 1
    assert many[0] <= 100 * one[0]


def test_statements_of_an_edited_profile_do_not_depend_on_the_size_of_the_vault(vault):
    def edit(home):
        home.add_line("- Un fait de plus")
        return [NAMES.profile]

    small, large = both(vault, edit)
    assert small == large
    assert large[1] <= 6


def test_a_note_saved_again_as_it_was_is_only_touched(home):
    path = NotePath("Notes 3/note 3.md")
    home.put(path, home.text(path))
    with statements(home) as sent:
        outcome = home.sync([path])
    assert not outcome.changes
    assert not [sql for sql in sent if sql.startswith(("INSERT", "DELETE"))]


def test_an_edit_of_a_long_note_writes_the_words_that_changed(vault):
    home = vault(files={"Long.md": "".join(f"# Titre {n}\n\nphrase numéro {n}\n\n" for n in range(400))})
    home.rest()
    home.replace("phrase numéro 200\n", "phrase tout autre\n", "Long.md")
    with statements(home) as sent:
        home.sync(["Long.md"])
    # The block and its two neighbours, in which some of its words stand: each out and in.
    assert len([sql for sql in sent if sql.startswith("INSERT INTO words")]) == 6


def save(root, path, text):
    full = root / path
    full.parent.mkdir(parents=True, exist_ok=True)
    full.write_text(text, "utf-8")


def test_no_event_of_a_folder_makes_a_save_a_scan(home):
    watcher = Watcher(home.root, lambda path: False, 0.0)
    watcher.start()
    try:
        for n in range(5):
            path = f"Notes {n}/note {n}.md"
            save(home.root, path, "autre chose\n")
            draft = home.root / f"Notes {n}/note {n}.md.tmp"  # as editors do that rename
            draft.write_text("encore autre chose\n", "utf-8")
            draft.replace(home.root / path)
            os.utime(home.root / f"Notes {n}")
            batches, end = [], time.monotonic() + 10
            while not any(path in batch.paths for batch in batches) and time.monotonic() < end:
                batches += [batch] if (batch := watcher.next(1.0)) else []
            batches += [batch] if (batch := watcher.next(0.5)) else []
            assert {one for batch in batches for one in batch.paths} == {path}
            assert not any(batch.rescan for batch in batches)
    finally:
        watcher.stop()


def test_the_daemon_lists_no_folder_after_a_save(home):
    home.restart()
    ready = threading.Event()
    keeper = Keeper(home.app, home.clock, ready.set)

    def person(seen):
        """Save some notes, and wait until each is found."""
        try:
            assert ready.wait(30)
            seen.heard.clear()
            index = Index.open(home.app.folder, write=False)
            with contextlib.closing(index.connection):
                for n in range(5):
                    save(home.root, f"Notes {n}/note {n}.md", f"motunique{n}\n")
                    end = time.monotonic() + 20
                    while not search(index.connection, f"motunique{n}"):
                        assert time.monotonic() < end, f"save {n} was not seen"
        finally:
            keeper.stop()

    with watched(home.root) as seen, ThreadPoolExecutor(1) as pool:
        edited = pool.submit(person, seen)
        keeper.keep()
        edited.result()
    assert seen.listed() == []
    assert unmanaged(seen.opened()) == {f"Notes {n}/note {n}.md" for n in range(5)}
