"""Which notes may be quoted to a reader outside, as they stand now."""

import pytest

from config.paths import NAMES
from daemon.policy.privacy import Declared
from daemon.recall.quotable import quotable
from daemon.vault.errors import VaultMissing
from tests.daemon.tools.shared import opened

DECLARED = Declared(private=("Privé",), sensitive=("Argent",))
FILES = {
    "Libre.md": b"texte\n",
    "Oui.md": b"---\nsensible: oui\n---\n",
    "Casse.md": b"---\nsensible: oui\n : [\n---\n",
    "Caché.md": "---\nprivé: oui\n---\n".encode(),
    "Argent/a.md": b"texte\n",
    "Privé/p.md": b"texte\n",
    "Tas/i.md": b"texte\n",
    NAMES.profile: b"texte\n",
    ".clavaireignore": b"Tas/\n",
}


@pytest.fixture
def vault():
    with opened(FILES) as made:
        yield made


def test_only_a_note_that_is_there_and_of_ordinary_sensitivity_is_quoted(vault):
    (vault.root / "Dossier.md").mkdir()
    for name, leads in (("Lien", "Libre.md"), ("Secret", "Privé/p.md"), ("Ours", NAMES.profile)):
        (vault.root / f"{name}.md").symlink_to(vault.root / leads)
    paths = [*FILES, "Absente.md", "Dossier.md", "Lien.md", "Secret.md", "Ours.md", "../x.md", "Tas/i.md"]
    tells = quotable(vault, DECLARED)
    assert {path for path in paths if tells(path)} == {"Libre.md", "Lien.md"}


def test_a_vault_that_is_not_there_is_told(vault):
    tells = quotable(vault, DECLARED)
    vault.root.rename(vault.root.with_name("ailleurs"))
    with pytest.raises(VaultMissing):
        tells("Libre.md")
