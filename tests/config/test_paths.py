import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest
from platformdirs import user_config_path, user_state_path

from config.paths import NAMES, config_file, conflict_original, placeholder_original, state_root
from config.settings import ConfigError, load

ROOT = Path(__file__).parents[2]
CODE = ("daemon", "parsers", "renderers", "config")
PATTERNS = ("conflict_marks", "placeholders")
JOINS = {"Path", "PurePath", "PurePosixPath", "joinpath", "with_name", "with_suffix", "join"}


def persistent_names() -> set[str]:
    """Give every name of chemins.json, and the last part of those that are paths."""
    spelt = {name: value for name, value in NAMES._asdict().items() if name not in PATTERNS}
    whole = {name for value in spelt.values() for name in ([value] if isinstance(value, str) else value)}
    return whole | {PurePosixPath(name).name for name in whole}


DISTINCTIVE = {name for name in persistent_names() if re.search(r"[./_A-Z0-9]", name)}
ORDINARY = persistent_names() - DISTINCTIVE
"""Words that code may use (`"host"`), but not as a part of a path."""

SPELT = re.compile(
    "|".join(
        rf"{chr(92)}b{re.escape(name)}" if name[0].isalnum() else re.escape(name)
        for name in sorted(DISTINCTIVE)
    )
)


def docstrings(tree: ast.Module) -> set[ast.expr]:
    """Give the strings that stand alone as statements: docstrings, and those under a field."""
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}


def path_parts(tree: ast.Module) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            yield from (node.left, node.right)
        if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in JOINS:
            yield from node.args


def names_spelt(source: str) -> Iterator[tuple[int, str]]:
    tree = ast.parse(source)
    documentation = docstrings(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in documentation:
            yield from ((node.lineno, found) for found in SPELT.findall(node.value))
    for part in path_parts(tree):
        if isinstance(part, ast.Constant) and part.value in ORDINARY:
            yield part.lineno, str(part.value)


def test_no_persistent_name_is_spelt_in_the_code() -> None:
    found = [
        f"{source.relative_to(ROOT)}:{line}: {name}"
        for folder in CODE
        for source in sorted((ROOT / folder).rglob("*.py"))
        for line, name in names_spelt(source.read_text("utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize(
    "source",
    [
        'path = "99_Assistant/Profil.md"',
        'title = f"[[{folder}/Profil.md]]"',
        'draft = f"{stem}.tmp"',
        'index = root / f"index-{number}.sqlite3"',
        'folder = root / "secret"',
        'folder = root.joinpath("backups")',
        'skip = {".trash"}',
    ],
)
def test_the_search_finds_a_name_that_is_spelt(source: str) -> None:
    assert list(names_spelt(source))


@pytest.mark.parametrize(
    "source",
    [
        '"""Reads 99_Assistant/Profil.md."""',
        'op = "host.taken"',
        'row["current"]',
        'text = "backups"',
        "import sqlite3",
    ],
)
def test_the_search_leaves_ordinary_words_and_docstrings_alone(source: str) -> None:
    assert list(names_spelt(source)) == []


def test_every_managed_note_is_in_the_assistant_folder() -> None:
    notes = ("profile", "people", "cards", "autonomy", "now", "questions", "requests", "journal")
    folders = ("plans", "plans_base", "register_folder")
    assert all(getattr(NAMES, name).startswith(f"{NAMES.assistant}/") for name in (*notes, *folders))
    assert set(NAMES.wholly_ours) == {NAMES.now, NAMES.journal, NAMES.plans_base, NAMES.register_folder}


def test_locks_and_displaced_files_are_in_a_dot_folder_of_the_vault() -> None:
    inside = (NAMES.lock, NAMES.executor, NAMES.displaced, NAMES.private_ignore)
    assert NAMES.private_folder.startswith(".")
    assert all(name.startswith(f"{NAMES.private_folder}/") for name in inside)


@pytest.mark.parametrize(
    "copy",
    [
        "Profil.sync-conflict-20250301-101500-ABCDEF7.md",
        "Profil (Conflicted copy iPhone 202503011015).md",
        "Profil (conflicted copy 2025-03-01).md",
        "Profil (conflicted copy 2025-03-01 101500).md",
        "Profil (Anne's conflicted copy 2025-03-01).md",
        "Profil (Copie en conflit de Anne 2025-03-01).md",
        "Profil (SFConflict anne@exemple.fr 2025-03-01-10-15-00).md",
        "Profil (conflict 2025-03-01-10-15-00).md",
        "Profil_conflict-20250301-101500.md",
        "Profil.sync-conflict-20250301-101500-ABCDEF7.sync-conflict-20250302-101500-ABCDEF7.md",
    ],
)
def test_c28_a_conflict_copy_is_known_by_its_name_and_leads_to_its_note(copy: str) -> None:
    assert conflict_original(f"99_Assistant/{copy}") == NAMES.profile


@pytest.mark.parametrize(
    "name",
    [
        "Profil.md",
        "Gérer un conflit (2025).md",
        "Gestion (conflict resolution).md",
        "Profil 2.md",
        "Profil-1.md",
    ],
)
def test_a_note_of_the_person_is_no_conflict_copy(name: str) -> None:
    assert conflict_original(name) is None


def test_a_placeholder_leads_to_the_file_that_is_not_here_yet() -> None:
    assert placeholder_original("99_Assistant/.Profil.md.icloud") == NAMES.profile
    assert placeholder_original("Carnets/Été.md.nextcloud") == "Carnets/Été.md"
    assert placeholder_original("99_Assistant/Profil.md") is None


def test_the_platform_says_where_the_state_goes_unless_the_person_does(tmp_path, monkeypatch) -> None:
    if sys.platform == "linux":
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
        assert state_root(load({}, None)) == tmp_path / "state" / NAMES.application
    chosen = load({"CLAVAIRE_GENERAL__STATE_FOLDER": str(tmp_path / "mine")}, None)
    assert state_root(chosen, tmp_path / "Vault") == tmp_path / "mine"


def test_the_settings_file_is_where_the_platform_puts_it(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert config_file().name == NAMES.config_file
    assert config_file().parent.name == NAMES.application


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere platformdirs itself is asked")
@pytest.mark.parametrize("given", ["/etc/xdg", "relative", "", None])
@pytest.mark.parametrize("home", ["/home/anne", "relative", "", None])
def test_our_folders_are_those_that_platformdirs_names(given, home, monkeypatch) -> None:
    for name, value in {"XDG_CONFIG_HOME": given, "XDG_STATE_HOME": given, "HOME": home}.items():
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)
    folder = user_config_path(NAMES.application, appauthor=False)
    assert config_file() == folder / NAMES.config_file
    assert state_root(load({}, None)) == user_state_path(NAMES.application, appauthor=False)


def test_a_state_folder_inside_the_vault_is_refused_even_through_a_link(tmp_path) -> None:
    (tmp_path / "Vault" / "Notes").mkdir(parents=True)
    (tmp_path / "elsewhere").symlink_to(tmp_path / "Vault" / "Notes")
    for inside in (tmp_path / "Vault", tmp_path / "Vault" / "état", tmp_path / "elsewhere" / "état"):
        settings = load({"CLAVAIRE_GENERAL__STATE_FOLDER": str(inside)}, None)
        with pytest.raises(ConfigError, match=r"CLAVAIRE_GENERAL__STATE_FOLDER : .*hors du vault"):
            state_root(settings, tmp_path / "Vault")


def test_a_state_folder_that_depends_on_the_current_folder_is_refused() -> None:
    settings = load({"CLAVAIRE_GENERAL__STATE_FOLDER": "state"}, None)
    with pytest.raises(ConfigError, match=r"general\.state_folder"):
        state_root(settings)


def test_settings_names_and_words_load_nothing_heavy() -> None:
    heavy = (
        "pydantic",
        "tomlkit",
        "babel",
        "rich",
        "platformdirs",
        "tomllib",
        "zoneinfo",
        "tzlocal",
        "difflib",
    )
    code = (
        "import sys; from config import i18n, paths, settings; settings.load({}, None); i18n.catalogue('fr');"
        f"print([name for name in {heavy!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
