"""A vault that is there without its register: nothing is written, and what was known is put back."""

import shutil
from datetime import UTC, datetime

import pytest

from config.paths import NAMES
from daemon.doctor import unvouched
from daemon.index import memory as rows
from daemon.places import vault_id
from tests.asking import asked, cli, problems


def without_folder(home):
    shutil.rmtree(home.full(NAMES.register_folder))


def with_a_file_in_its_place(home):
    without_folder(home)
    home.put(NAMES.register_folder, "une note sans nom\n")


def with_an_empty_folder(home):
    without_folder(home)
    home.full(NAMES.register_folder).mkdir()


def without_the_first_lines_of_its_only_month(home):
    (month,) = home.full(NAMES.register_folder).iterdir()
    month.write_bytes(month.read_bytes()[200:])


def without_any_folder_of_ours(home):
    shutil.rmtree(home.full(NAMES.assistant))
    shutil.rmtree(home.full(NAMES.private_folder))


LOSSES = (
    without_folder,
    with_a_file_in_its_place,
    with_an_empty_folder,
    without_the_first_lines_of_its_only_month,
    without_any_folder_of_ours,
)


def register_of(home):
    return {path.name: path.read_bytes() for path in home.full(NAMES.register_folder).iterdir()}


@pytest.fixture
def home(vault):
    home = vault(files={".obsidian/app.json": "{}", "Carnet.md": "La girolle\n"})
    home.add_line("- thé", "preferences")
    home.rest()
    return home


@pytest.mark.parametrize("lose", LOSSES)
def test_a_vault_without_its_register_is_read_and_not_written(home, lose):
    export = home.export()
    lose(home)
    before = home.snapshot()
    home.restart()
    outcome = home.sync()
    assert outcome.closed is not None
    assert outcome.closed.path.startswith(NAMES.register_folder)
    assert home.export() == export
    assert cli(home, "sync")[0] == 3
    assert cli(home, "remember", "café")[0] == 3
    assert list(asked(home, "facts"))
    assert len(asked(home, "search", "girolle")) == 1
    assert len(problems(home)) == 1
    assert home.snapshot() == before


@pytest.mark.parametrize("lose", LOSSES)
def test_init_makes_no_other_vault_where_one_lost_its_register(home, lose):
    lose(home)
    before, states = home.snapshot(), sorted(home.state_root.iterdir())
    code, _, err = cli(home, "init")
    assert code == 3
    assert "clavaire doctor" in err
    assert len(err.splitlines()) == 1
    assert home.snapshot() == before
    assert sorted(home.state_root.iterdir()) == states


@pytest.mark.parametrize("lose", LOSSES)
def test_doctor_puts_a_lost_register_back_byte_for_byte(home, lose):
    register, facts = register_of(home), set(home.state.facts)
    lines = rows.lines(home.app.history.index)
    home.close()
    lose(home)
    cli(home, "doctor", "--fix")
    assert cli(home, "verify-register")[0] == 0
    there = register_of(home)
    assert there.keys() >= register.keys()  # what doctor did is told in the month in which it did
    assert all(there[name].startswith(data) for name, data in register.items())
    home.restart()
    home.rest()
    assert rows.lines(home.app.history.index)[: len(lines)] == lines
    assert set(home.state.facts) == facts


def test_a_file_that_stood_in_the_registers_place_is_kept(home):
    with_a_file_in_its_place(home)
    assert cli(home, "doctor", "--fix")[0] == 0
    kept = [path.read_bytes() for path in home.full(NAMES.displaced).iterdir()]
    assert b"une note sans nom\n" in kept


def test_init_in_an_empty_mount_point_of_a_known_vault_makes_none_but_with_a_new_id(home):
    name = home.app.folder.name
    home.close()
    shutil.rmtree(home.root)
    home.root.mkdir()
    code, _, err = cli(home, "init")
    assert code == 4
    assert str(home.root) in err
    assert not list(home.root.iterdir())
    assert cli(home, "init", "--new-id")[0] == 0
    assert vault_id(home.root) not in (None, name)


def without_its_last_lines(home):
    (month,) = home.full(NAMES.register_folder).iterdir()
    month.write_bytes(b"".join(month.read_bytes().splitlines(keepends=True)[:-2]))


def test_lines_that_the_index_has_are_offered_back_and_others_are_not(home):
    whole = register_of(home)
    without_its_last_lines(home)
    home.restart()
    (told,) = asked(home, "doctor")
    assert told["code"] == "register_shorter"
    assert "--fix" in told["sentence"]
    assert asked(home, "doctor", "--fix") == []
    assert register_of(home) == whole

    without_its_last_lines(home)
    home.drop_index()
    home.restart()
    (told,) = asked(home, "doctor", "--fix")
    assert told["code"] == "register_lines_lost"
    assert "--fix" not in told["sentence"]
    assert home.sync().closed.code == "register_lines_lost"
    end, _ = unvouched(home.app)
    home.app.register.accept(end, datetime.now(UTC))
    home.restart()
    assert home.sync().closed is None
    assert asked(home, "doctor") == []
