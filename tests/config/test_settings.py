import re
import subprocess
import sys
from pathlib import Path

import pytest

from config.sections import Watch
from config.settings import KEYS, ConfigError, Settings, load, renewed, set_value, zone

ROOT = Path(__file__).parents[2]


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "config.toml"
    path.write_bytes(text.encode())
    return path


def refusal(tmp_path: Path, text: str, environ: dict[str, str] | None = None) -> str:
    with pytest.raises(ConfigError) as caught:
        load(environ or {}, written(tmp_path, text))
    return str(caught.value)


def test_without_file_or_variable_every_value_is_the_default(tmp_path) -> None:
    settings = load({}, tmp_path / "absent.toml")
    assert settings._replace(source=None) == Settings() == load({}, None)
    assert {settings.origin(key) for key in KEYS} == {"default"}
    assert (settings.memory.edit_window, settings.watch.settle, settings.cards.per_day) == (600, 2.0, 20)


def test_a_variable_wins_over_the_file_and_each_value_tells_its_origin(tmp_path) -> None:
    path = written(tmp_path, "[memory]\nenabled = true\nuser_id = 'anne'\n")
    settings = load({"CLAVAIRE_MEMORY__ENABLED": "false", "CLAVAIRE_VAULT": "x", "PATH": "y"}, path)
    assert (settings.memory.enabled, settings.memory.user_id) == (False, "anne")
    assert settings.origin("memory.enabled") == "CLAVAIRE_MEMORY__ENABLED"
    assert settings.origin("memory.user_id") == str(path)
    assert settings.origin("memory.vault") == "default"
    assert settings.value("memory.user_id") == "anne"


def test_variables_hold_each_type(tmp_path) -> None:
    environ = {
        "CLAVAIRE_WATCH__SETTLE": "1",
        "CLAVAIRE_INDEX__MAX_BYTES": "1_000",
        "CLAVAIRE_PRIVACY__PRIVATE": '["Santé/**", "Impôts/**"]',
        "CLAVAIRE_MEMORY__USER_ID": "12",
        "CLAVAIRE_MEMORY__ENABLED": "0",
    }
    settings = load(environ, None)
    assert settings.watch == Watch(settle=1.0)
    assert isinstance(settings.watch.settle, float)
    assert settings.index.max_bytes == 1000
    assert settings.privacy.private == ("Santé/**", "Impôts/**")
    assert (settings.memory.user_id, settings.memory.enabled) == ("12", False)


@pytest.mark.parametrize(
    ("text", "key", "nearest"),
    [
        ("[memory]\nenable = true\n", "memory.enable", "memory.enabled"),
        ("[memroy]\nenabled = true\n", "memroy.enabled", "memory.enabled"),
        ("[memory]\nsettle = 2\n", "memory.settle", "watch.settle"),
        ("timezone = 'Europe/Paris'\n", "timezone", "general.timezone"),
        ("[runs]\nmax_write = 3\n", "runs.max_write", "runs.max_writes"),
    ],
)
def test_an_unknown_key_is_named_with_its_place_and_the_nearest_known_one(
    tmp_path, text, key, nearest
) -> None:
    said = refusal(tmp_path, text)
    assert said.startswith(f"{tmp_path / 'config.toml'} : ")
    assert f"« {key} »" in said
    assert f"« {nearest} »" in said


def test_an_unknown_variable_is_named_too(tmp_path) -> None:
    said = refusal(tmp_path, "", {"CLAVAIRE_CARDS__PERDAY": "3"})
    assert said.startswith("CLAVAIRE_CARDS__PERDAY : ")
    assert "« cards.per_day »" in said


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[memory]\nenabled = 'oui'\n", "true ou false, pas « oui »"),
        ("[memory]\nenabled = 1\n", "true ou false, pas « 1 »"),
        ("[memory]\nedit_window = true\n", "un nombre entier, pas « true »"),
        ("[memory]\nedit_window = 1.5\n", "un nombre entier, pas « 1.5 »"),
        ("[watch]\nsettle = nan\n", "un nombre, pas « nan »"),
        ("[general]\nlocale = 3\n", "un texte, pas « 3 »"),
        ("[privacy]\nprivate = 'Santé'\n", "une liste de textes"),
        ("[privacy]\nprivate = [1]\n", "une liste de textes"),
        ("[watch]\nscan_seconds = 0\n", "au moins 1, pas 0"),
        ("[general]\nlocale = 'de'\n", "fr, en, pas « de »"),
        ("[general]\ntimezone = 'Paris'\n", "fuseau horaire inconnu, « Paris »"),
        ("[general]\ntimezone = '../etc'\n", "fuseau horaire inconnu"),
        ("[memory]\nsensitive_patterns = ['a', '(']\n", "« ( »"),
        ("memory = true\n", "« memory » est une section"),
        ("[memory.enabled]\nx = 1\n", "true ou false"),
    ],
)
def test_a_value_that_cannot_be_is_refused_with_its_key(tmp_path, text, expected) -> None:
    said = refusal(tmp_path, text)
    assert said.startswith(f"{tmp_path / 'config.toml'} : ")
    assert expected in said
    assert said.count("\n") == 0


@pytest.mark.parametrize("text", ["soixante", "1\nother = 2", ""])
def test_a_variable_of_the_wrong_type_is_refused_by_its_name(text) -> None:
    with pytest.raises(ConfigError, match=r"CLAVAIRE_INDEX__MAX_BYTES : « index\.max_bytes » attend"):
        load({"CLAVAIRE_INDEX__MAX_BYTES": text}, None)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[memory]\nenabled = \n", 2),
        ("[memory]\nenabled true\nvault = ''\n", 2),
        ("[memory]\n\n[memory]\n", 3),
        ("[privacy]\nprivate = [\n  'a',\n", 3),
    ],
)
def test_a_file_that_is_no_toml_gives_one_sentence_with_its_line(tmp_path, text, line) -> None:
    said = refusal(tmp_path, text)
    assert said.startswith(f"{tmp_path / 'config.toml'}, ligne {line} : ")
    assert said.count("\n") == 0
    assert said.endswith(".")


def test_bytes_that_are_not_utf8_are_named_by_their_line(tmp_path) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(b"[memory]\nuser_id = 'Ren\xe9'\n")
    with pytest.raises(ConfigError, match="ligne 2"):
        load({}, path)


def test_a_file_that_cannot_be_read_is_one_sentence(tmp_path) -> None:
    with pytest.raises(ConfigError, match=re.escape(str(tmp_path))):
        load({}, tmp_path)


def test_a_byte_order_mark_is_no_error(tmp_path) -> None:
    assert load({}, written(tmp_path, "\ufeff[memory]\nenabled = false\n")).memory.enabled is False


def test_errors_speak_the_language_that_the_settings_ask_for(tmp_path) -> None:
    assert "there is no setting" in refusal(tmp_path, "[general]\nlocale = 'en'\n[memory]\nenable = true\n")
    assert "there is no setting" in refusal(tmp_path, "[memory]\nx = 1\n", {"CLAVAIRE_GENERAL__LOCALE": "en"})


def test_asking_for_an_unknown_key_names_the_nearest() -> None:
    for ask in (Settings().value, Settings().origin):
        with pytest.raises(ConfigError, match=r"watch\.settle"):
            ask("watch.setle")


COMMENTED = """\
# mine
[memory] # about memory
enabled = true   # for now

# how long to wait
[watch]
settle = 2.0
"""


def test_setting_a_value_keeps_comments_order_and_spacing(tmp_path) -> None:
    path = written(tmp_path, COMMENTED)
    assert set_value(path, "memory.enabled", "false") is False
    assert path.read_text() == COMMENTED.replace("enabled = true ", "enabled = false ")
    assert load({}, path).memory.enabled is False


def test_a_new_key_goes_after_the_last_of_its_section(tmp_path) -> None:
    path = written(tmp_path, COMMENTED)
    set_value(path, "memory.user_id", "anne")
    assert path.read_text() == COMMENTED.replace("for now\n", 'for now\nuser_id = "anne"\n')


def test_a_new_section_goes_to_the_end(tmp_path) -> None:
    path = written(tmp_path, COMMENTED)
    set_value(path, "privacy.private", '["Santé/**"]')
    assert path.read_text() == COMMENTED + '\n[privacy]\nprivate = ["Santé/**"]\n'


def test_a_list_keeps_the_comments_of_the_items_that_stay(tmp_path) -> None:
    path = written(tmp_path, "[privacy]\nprivate = [\n  'a', # why a\n  'b', # why b\n]\n")
    set_value(path, "privacy.private", '["a", "c"]')
    assert load({}, path).privacy.private == ("a", "c")
    assert "# why a" in path.read_text()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# only a comment",
        "[watch]",
        "[watch]\n# nothing yet\n\n# about memory\n[memory]\n",
        "watch.settle = 3 # dotted\nmemory.enabled = true\n",
        "watch = {settle = 3}\n",
        "[memory]\r\nenabled = true\r\n",
        "\ufeff[memory]\nenabled = true",
        "watch.settle = 3\nmemory.enabled = true\ncards.per_day = 4\nmemory.vault = 'x'\n",
    ],
)
def test_whatever_the_form_of_the_file_only_the_value_that_was_set_changes(tmp_path, text) -> None:
    path = written(tmp_path, text)
    before = load({}, path)
    set_value(path, "watch.scan_seconds", "60")
    set_value(path, "memory.user_id", "anne")
    after = load({}, path)
    changed = {key for key in KEYS if after.value(key) != before.value(key)}
    assert changed == {"watch.scan_seconds", "memory.user_id"}
    kept = path.read_bytes().decode()
    assert all(line in kept for line in text.splitlines() if line.startswith("#"))
    assert ("\r\n" in text) == ("\r\n" in kept)
    assert "\r\n" not in kept or re.search(r"(?<!\r)\n", kept) is None


def test_setting_a_value_makes_the_file_and_its_folder(tmp_path) -> None:
    path = tmp_path / "new" / "config.toml"
    set_value(path, "memory.enabled", "false")
    assert load({}, path).memory.enabled is False
    assert [file.name for file in path.parent.iterdir()] == ["config.toml"]


def test_the_file_keeps_its_mode_and_a_link_stays_a_link(tmp_path) -> None:
    target = written(tmp_path, "[memory]\nenabled = true\n")
    target.chmod(0o640)
    link = tmp_path / "link.toml"
    link.symlink_to(target)
    set_value(link, "memory.enabled", "false")
    assert link.is_symlink()
    assert target.stat().st_mode & 0o777 == 0o640
    assert load({}, target).memory.enabled is False


@pytest.mark.parametrize(
    ("key", "text"), [("memory.enable", "true"), ("memory.enabled", "oui"), ("cards.per_day", "-1")]
)
def test_a_value_that_cannot_be_is_not_written(tmp_path, key, text) -> None:
    path = written(tmp_path, COMMENTED)
    with pytest.raises(ConfigError):
        set_value(path, key, text)
    assert path.read_text() == COMMENTED


def test_a_file_that_is_no_toml_is_not_written(tmp_path) -> None:
    path = written(tmp_path, "[memory]\nenabled true\n")
    with pytest.raises(ConfigError, match="ligne 2"):
        set_value(path, "memory.enabled", "true")
    assert path.read_text() == "[memory]\nenabled true\n"


def test_a_section_written_as_a_value_is_not_overwritten(tmp_path) -> None:
    path = written(tmp_path, "memory = 3\n")
    with pytest.raises(ConfigError, match="est une section"):
        set_value(path, "memory.enabled", "true")
    assert path.read_text() == "memory = 3\n"


def machine_zone(tz: str) -> str:
    code = "from config.settings import Settings, zone; print(zone(Settings()).key)"
    environ = {"TZ": tz, "PYTHONWARNINGS": "error"}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, check=False, cwd=ROOT, env=environ, capture_output=True, text=True)
    return (done.stdout or done.stderr).strip()


def test_the_zone_is_the_one_set_else_the_machines() -> None:
    assert zone(load({"CLAVAIRE_GENERAL__TIMEZONE": "Europe/Paris"}, None)).key == "Europe/Paris"
    assert machine_zone("America/Lima") == "America/Lima"


def test_a_machine_whose_zone_cannot_be_read_is_one_sentence_naming_the_setting() -> None:
    said = machine_zone("Nowhere/Atall").rsplit("\n", 1)[-1]
    assert said.startswith("config.settings.ConfigError: ")
    assert "« general.timezone »" in said


def test_ports_are_a_table_of_numbers_from_1_to_65535(tmp_path) -> None:
    path = written(tmp_path, "[brain]\nservices = { api = 8000 }\n")
    assert load({}, path).brain.services == {"api": 8000}
    assert load({"CLAVAIRE_BRAIN__SERVICES": "{ api = 1 }"}, path).value("brain.services") == {"api": 1}
    for wrong, said in (
        ("{ api = 0 }", "n'est pas un port"),
        ("{ api = '8000' }", "table de nombres"),
        ("3", "table"),
    ):
        with pytest.raises(ConfigError, match=said):
            load({"CLAVAIRE_BRAIN__SERVICES": wrong}, None)
    set_value(path, "brain.services", "{ web = 65535 }")
    assert load({}, path).brain.services == {"web": 65_535}


def test_settings_are_read_anew_once_their_file_was_written_and_only_then(tmp_path) -> None:
    path = tmp_path / "config.toml"
    environ = {"CLAVAIRE_MEMORY__ENABLED": "false"}
    first = load(environ, path)
    assert renewed(first) is first
    set_value(path, "privacy.private", '["a"]')
    second = renewed(first)
    assert (second.privacy.private, second.memory.enabled) == (("a",), False)
    assert renewed(second) is second
    path.write_text("[privacy]\nprivate = ['b']\n", "utf-8")
    assert renewed(second).privacy.private == ("b",)
    assert renewed(Settings()) == Settings()


@pytest.mark.parametrize(("text", "said"), [(None, "n'existe plus"), ("", "vide"), ("[privacy", "TOML")])
def test_a_file_that_is_gone_empty_or_broken_is_no_word_of_the_person(tmp_path, text, said) -> None:
    path = written(tmp_path, "[privacy]\nprivate = ['a']\n")
    settings = load({}, path)
    path.unlink() if text is None else path.write_text(text, "utf-8")
    with pytest.raises(ConfigError, match=said):
        renewed(settings)
