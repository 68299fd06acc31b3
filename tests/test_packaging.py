"""What is installed: four packages, their data, the demo's vault, one command (style.md, Tools and writing)."""

import configparser
import os
import subprocess
import sys
import zipfile
from email.parser import Parser
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("config", "daemon", "parsers", "renderers")
FIXTURE = ROOT / "vault-fixtures" / "demo"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """The wheel, built without a network."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Path:
    """The wheel unpacked, as an installation holds it."""
    folder = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def test_the_wheel_holds_the_four_packages_and_nothing_beside_them(installed):
    found = {path.name for path in installed.iterdir() if not path.name.endswith(".dist-info")}
    assert found == set(PACKAGES)


def test_the_wheel_holds_every_file_of_the_packages(installed):
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*"):
            if path.is_file() and path.suffix in {".py", ".json"} and "__pycache__" not in path.parts:
                packed = installed / path.relative_to(ROOT)
                assert packed.read_bytes() == path.read_bytes()
    assert (installed / "config" / "chemins.json").is_file()
    assert {path.name for path in (installed / "config" / "locales").iterdir()} == {"en.json", "fr.json"}


def test_the_demos_vault_is_packed_to_the_byte(installed):
    packed = installed / "daemon" / "demo_vault"
    wanted = {path.relative_to(FIXTURE).as_posix() for path in FIXTURE.rglob("*") if path.is_file()}
    found = {path.relative_to(packed).as_posix() for path in packed.rglob("*") if path.is_file()}
    assert found == wanted
    assert all((packed / name).read_bytes() == (FIXTURE / name).read_bytes() for name in wanted)


def test_no_cache_test_or_fixture_is_packed(installed):
    names = [path.as_posix() for path in installed.rglob("*")]
    assert not [
        name for name in names if "__pycache__" in name or "/tests/" in name or "vault-fixtures" in name
    ]


def test_one_command_is_installed(installed):
    (file,) = installed.glob("*.dist-info/entry_points.txt")
    entries = configparser.ConfigParser()
    entries.read_string(file.read_text("utf-8"))
    assert dict(entries["console_scripts"]) == {"clavaire": "daemon.cli.start:main"}


def test_the_metadata_say_python_licence_and_readme(installed):
    (file,) = installed.glob("*.dist-info/METADATA")
    metadata = Parser().parsestr(file.read_text("utf-8"))
    assert (metadata["Name"], metadata["Requires-Python"]) == ("clavaire", ">=3.11")
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata.get_payload().startswith("# clavaire\n")
    assert list(installed.glob("*.dist-info/licenses/LICENSE"))


def test_the_four_import_names_are_ours_alone():
    owners = packages_distributions()
    assert [set(owners.get(package, ())) - {"clavaire"} for package in PACKAGES] == [set()] * 4


def test_the_installed_demo_plays_from_the_packed_vault(installed, tmp_path):
    code = "import daemon, sys; print(daemon.__file__, file=sys.stderr)\nfrom daemon.cli.main import main; main()"
    places = {name: str(tmp_path) for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "TMPDIR", "HOME")}
    done = subprocess.run(
        [sys.executable, "-c", code, "demo"],
        cwd=tmp_path,
        env=os.environ | places | {"PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == f"{installed / 'daemon' / '__init__.py'}\n"
    assert done.returncode == 0, done.stdout


def test_the_version_is_the_one_of_the_project(installed, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", "from daemon.cli.main import main; main()", "--version"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert done.stdout.strip().endswith("0.1.0")
