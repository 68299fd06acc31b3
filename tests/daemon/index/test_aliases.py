"""Which note is somebody's home note, and the names it gives (memory.md, Entities; R-P04)."""

import pytest

from config.paths import NAMES
from daemon.index.aliases import home_notes

MARIE = "---\naliases: [Maman, « La chef »]\n---\n# Marie\n"


def homes(settled, name="Marie Dupont", note=None, **options):
    settled.settle()
    found = home_notes(settled.index, [("e-1", name, note), ("e-2", "Personne", None)], **options)
    assert set(found) <= {"e-1"}
    return (found["e-1"].path, found["e-1"].aliases) if found else None


def test_the_one_note_whose_title_is_exactly_the_name_is_the_home_note_and_its_aliases_count(settled):
    settled.put("Gens/Marie Dupont.md", MARIE)
    assert homes(settled) == ("Gens/Marie Dupont.md", ("Maman", "« La chef »"))
    assert homes(settled, "marie dupont") is None
    assert homes(settled, "Marie") is None


def test_a_name_composed_otherwise_is_the_same_name(settled):
    settled.put("Zoe\u0301.md", "rien\n")
    assert homes(settled, "Zo\u00e9") == ("Zoe\u0301.md", ())


def test_two_notes_of_the_name_are_nobodys_home(settled):
    settled.put("Gens/Marie Dupont.md", MARIE)
    settled.put("Ailleurs/Marie Dupont.md", "autre\n")
    assert homes(settled) is None


@pytest.mark.parametrize(
    "note", ["Gens/Marie Dupont.md", "Gens/Marie Dupont", "Marie Dupont", "marie dupont"]
)
def test_a_link_on_the_line_says_which_note_it_is(settled, note):
    settled.put("Gens/Marie Dupont.md", MARIE)
    settled.put("Très/loin/Marie Dupont.md", "autre\n")
    assert homes(settled, "M.", note) == ("Gens/Marie Dupont.md", ("Maman", "« La chef »"))


def test_a_link_that_leads_nowhere_gives_no_home(settled):
    settled.put("Gens/Marie Dupont.md", MARIE)
    assert homes(settled, "Marie Dupont", "Gens/Autre.md") is None


def test_a_note_of_the_assistant_folder_or_from_elsewhere_is_nobodys_home_by_its_title(settled):
    settled.put(f"{NAMES.assistant}/Marie Dupont.md", MARIE)
    assert homes(settled) is None
    settled.put("Clippings/Marie Dupont.md", "---\nsource: https://exemple.org\naliases: [Paul]\n---\nx\n")
    assert homes(settled) is None


@pytest.mark.parametrize("said", ["privé: oui", "sensible: oui"])
def test_a_reader_outside_gets_neither_a_private_nor_a_sensitive_note_nor_its_names(settled, said):
    settled.put("Marie Dupont.md", f"---\n{said}\naliases: [Maman]\n---\n")
    assert homes(settled) == ("Marie Dupont.md", ("Maman",))
    assert homes(settled, external=True) is None
    assert homes(settled, "x", "Marie Dupont", external=True) is None
