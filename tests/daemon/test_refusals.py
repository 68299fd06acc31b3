"""What a command that cannot do as it is told says: one sentence with its reason, and no traceback."""

import json
import logging
import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from string import Formatter

import pytest

from config.i18n import LOCALES, catalogue, one_line
from config.paths import NAMES
from daemon.index.store import Index, IndexRefused
from daemon.loop import Keeper
from parsers.model.places import Problem
from tests.asking import asked
from tests.asking import cli as called
from tests.home import Clock, Home

PROFILE = """## Repères
<!-- clavaire:begin facts -->
- Dentiste : Dr Petit
- Train : 7 h 12 [depuis:: 2019-03-10]
<!-- clavaire:end facts -->
"""


@pytest.fixture
def home(vault) -> Home:
    """A vault at rest since an hour ago: the commands run at the real time."""
    made = vault(files={NAMES.profile: PROFILE}, clock=Clock(datetime.now(UTC) - timedelta(hours=1)))
    made.rest()
    return made


def refused(home: Home, code: int, *arguments: str) -> str:
    """The one sentence a command ends with, having printed nothing else."""
    ended, out, err = called(home, *arguments)
    assert (ended, out, len(err.splitlines())) == (code, "", 1), (ended, out, err)
    assert "Traceback" not in err
    return err


# ---- export


def test_export_replaces_no_file_and_writes_none_into_the_vault(home):
    file = home.folder / "export.json"
    assert called(home, "export", "--out", str(file))[0] == 0
    before = file.read_bytes()
    assert "existe déjà" in refused(home, 2, "export", "--out", str(file))
    assert file.read_bytes() == before
    (home.folder / "lien").symlink_to(home.root)
    for place in (home.root / "x.json", home.folder / "lien" / "x.json"):
        assert "hors du coffre" in refused(home, 2, "export", "--out", str(place))
        assert not place.exists()
    assert "rien" in refused(home, 2, "export", "--out", str(home.folder / "rien" / "x.json"))


# ---- what the system refuses


def in_the_way(path) -> None:
    """Put a file where a folder is wanted, or a folder where a file is."""
    if path.is_dir():
        shutil.rmtree(path)
        path.write_bytes(b"")
    else:
        path.unlink(missing_ok=True)
        path.mkdir()


def test_init_on_a_file_or_below_one_is_refused_in_a_sentence(home):
    file = home.folder / "fichier"
    file.write_bytes(b"")
    assert "n'est pas un dossier" in refused(home, 2, "init", str(file))
    assert str(file) in refused(home, 4, "init", str(file / "coffre"))


BROKEN = {
    "the state root": lambda home: home.state_root,
    "the vault's own folder": lambda home: home.root / NAMES.private_folder,
    "the lock": lambda home: home.root / NAMES.lock,
    "the pointer to the index": lambda home: home.app.folder / NAMES.current,
    "the secret": lambda home: home.app.folder / NAMES.secret,
}


@pytest.mark.parametrize("what", BROKEN)
def test_what_cannot_be_read_is_named_in_one_sentence(home, what):
    place = BROKEN[what](home)
    home.app.history.close()
    in_the_way(place)
    for command in (["sync"], ["remember", "Chat : Mistigri"]):
        code, out, err = called(home, *command)
        assert (code, out, len(err.splitlines())) == (4, "", 1), (what, code, out, err)
        assert "Traceback" not in err


def full(index: Index) -> None:
    """Leave no room in an index: SQLite says what it says of a full disk."""
    pages = index.connection.execute("PRAGMA page_count").fetchone()[0]
    index.connection.execute(f"PRAGMA max_page_count = {pages}")


def test_a_full_disk_is_no_damaged_index_and_starts_no_rebuild(home):
    index = home.app.history.index
    files = home.index_files()
    full(index)
    for n in range(40):
        home.put(f"{n}.md", " ".join(f"mot{n}x{k}" for k in range(2000)))
    with pytest.raises(IndexRefused) as refusal:
        home.sync()
    assert refusal.value.exit_code == 4
    assert "full" in catalogue("fr").problem(refusal.value.problem)
    assert home.index_files() == files
    home.restart()
    home.rest()
    assert home.index_files() == files


def test_the_daemon_says_once_in_one_line_that_the_disk_is_full(home, caplog):
    full(home.app.history.index)
    keeper = Keeper(home.app, lambda: datetime.now(UTC), lambda: None)
    for n in range(40):
        home.put(f"{n}.md", " ".join(f"mot{n}x{k}" for k in range(2000)))
    with caplog.at_level(logging.INFO, "clavaire"):
        assert keeper._pass(None) is False
        assert keeper._pass(None) is False
    (record,) = [one for one in caplog.records if one.levelno >= logging.WARNING]
    assert record.exc_info is None
    assert len(record.getMessage().splitlines()) == 1


def test_the_daemon_goes_on_where_tidying_meets_a_full_disk(home, caplog):
    home.rest()
    keeper = Keeper(home.app, lambda: datetime.now(UTC), lambda: None)
    keeper._untidy = True
    home.app.history.index.connection.execute("PRAGMA query_only = ON")  # refused like a disk without room
    with caplog.at_level(logging.WARNING, "clavaire"):
        assert keeper._tried(keeper._tidy_up) is False
    assert keeper._untidy is False
    assert [one.exc_info for one in caplog.records] == [None]


def test_the_daemon_goes_on_where_its_own_folder_is_in_the_way(home, caplog):
    keeper = Keeper(home.app, lambda: datetime.now(UTC), lambda: None)
    in_the_way(home.root / NAMES.private_folder)
    with caplog.at_level(logging.WARNING, "clavaire"):
        assert keeper._waiting() is False
        assert keeper._pass(None) is False
    assert [one.exc_info for one in caplog.records] == [None]


def test_a_mistake_in_a_statement_is_not_the_disks(home):
    with pytest.raises(sqlite3.OperationalError), home.app.history.index.intact():
        home.app.history.index.connection.execute("SELECT nothing FROM nowhere")


# ---- init


def test_init_says_a_command_that_works_from_anywhere(vault, tmp_path):
    home = vault(start=False)
    root = tmp_path / "mon coffre"
    assert f"clavaire --vault '{root}' run" in called(home, "init", str(root))[1]


def test_init_without_the_state_folder_says_only_who_keeps_the_vault(home):
    home.close()
    shutil.rmtree(home.state_root)
    assert "atelier" in refused(home, 3, "init")


# ---- notes that cannot be written


def to_a_folder(home: Home, path: str) -> None:
    home.full(path).unlink()
    home.full(path).mkdir()


@pytest.mark.parametrize("path", [NAMES.profile, NAMES.cards, NAMES.journal])
def test_a_folder_in_a_notes_place_is_called_one(home, path):
    to_a_folder(home, path)
    for _ in range(2):
        code, _, err = called(home, "sync")
        assert (code, len(err.splitlines())) == (0, 1), err
        assert path in err
        assert "dossier" in err


def test_a_link_out_of_the_vault_is_called_a_link(home):
    outside = home.folder / "Profil.md"
    home.full(NAMES.profile).rename(outside)
    home.full(NAMES.profile).symlink_to(outside)
    code, _, err = called(home, "sync")
    assert (code, len(err.splitlines())) == (0, 1), err
    assert "est un lien" in err


def test_what_is_noted_but_cannot_be_shown_is_said_so(home):
    home.replace("<!-- clavaire:end facts -->", "")
    code, out, err = called(home, "remember", "Chat : Mistigri")
    assert (code, out.startswith("Noté")) == (0, True)
    assert len(err.splitlines()) == 1
    assert NAMES.profile in err


def test_a_register_that_cannot_be_written_ends_with_4(home):
    (month,) = home.full(NAMES.register_folder).iterdir()
    home.close()
    for folder in home.state_root.iterdir():  # so that nobody takes the index for newer
        shutil.rmtree(folder)
    month.unlink()
    month.mkdir()
    assert called(home, "init")[0] == 4


# ---- why nothing came of it


def test_each_refusal_of_a_statement_has_its_own_reason(home):
    name = home.fact("Dentiste : Dr Petit").id

    def why(*arguments: str) -> str:
        told = asked(home, *arguments)
        assert told["status"] == "unchanged"
        assert set(told["events"]) <= {"run.recorded"}  # an agent's wish is a run, whatever comes of it
        return told["reason"]

    assert why("remember", "Chat ^f-00000000", "--as", "http") == "own"
    home.replace(f"- Dentiste : Dr Petit ^{name}\n", "")
    called(home, "sync")
    assert why("remember", "Dentiste : Dr Petit", "--as", "http") == "refused"
    assert why("correct", name, "Dentiste : Dr Grand") == "past"
    called(home, "forget", name)
    assert why("correct", name, "Dentiste : Dr Grand") == "forgotten"
    assert "oublié" in called(home, "correct", name, "Dentiste : Dr Grand")[1]


def test_a_confidence_is_an_agents(home):
    assert "--as" in refused(home, 2, "remember", "x", "--confidence", "0.5")


def test_memory_put_out_answers_nothing_but_search_does(home):
    home.environ["MEMORY__ENABLED"] = "false"
    for command in (["facts"], ["export"], ["remember", "x"], ["history", "f-00000000"]):
        assert "memory.enabled" in refused(home, 3, *command)
    assert called(home, "search", "dentiste")[0] == 0


def test_a_state_folder_inside_the_vault_is_refused_before_it_is_set(home):
    inside = home.root / "état"
    assert str(inside) in refused(home, 2, "config", "set", "general.state_folder", str(inside))
    assert called(home, "config", "set", "general.state_folder", str(home.folder / "état"))[0] == 0


def test_a_year_or_a_month_is_its_first_day(home):
    def train(day: str) -> list[str]:
        return [one["text"] for one in json.loads(called(home, "--json", "facts", "--as-of", day)[1])]

    assert [len(train(day)) for day in ("2019-03", "2019-04", "2020")] == [1, 2, 2]


# ---- sentences


@pytest.mark.parametrize("locale", LOCALES)
def test_a_problem_of_a_whole_note_names_no_line(locale):
    words = catalogue(locale)
    for key in words.sentences:
        if key.startswith("problem."):
            names = {field for _, field, _, _ in Formatter().parse(words.sentences[key]) if field}
            values = tuple((name, "x") for name in sorted(names - {"path", "place"}))
            said = words.problem(Problem("A.md", 0, key.removeprefix("problem."), values))
            assert ":0" not in said
            assert " 0" not in said


def test_a_value_with_line_ends_leaves_one_line(home):
    assert one_line("a\r\n b\u2028\u00ab\u00a0c\u00a0\u00bb") == "a b «\u00a0c\u00a0»"
    for arguments in (
        ["facts", "--as-of", "2019\n01"],
        ["history", "f-0\n\n0"],
        ["facts", "--no\npe"],
        ["config", "get", "a\nb"],
    ):
        refused(home, 2, *arguments)
    with closing(home.app):
        assert len(called(home, "facts")[1].splitlines()) == 2
