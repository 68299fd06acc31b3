"""Which note is somebody's home note, and the names it gives (memory.md, Entities; R-P04)."""

import pytest

from config.paths import NAMES
from daemon.index.aliases import at_home, home_notes
from parsers.model.entities import Entity

MARIE = "---\naliases: [Maman, « La chef »]\n---\n# Marie\n"


def homes(settled, name="Marie Dupont", note=None, **options):
    settled.settle()
    found = home_notes(settled.index, [("e-1", name, note), ("e-2", "Personne", None)], **options)
    assert set(found) <= {"e-1"}
    return (found["e-1"].path, found["e-1"].aliases) if found else None


def marie(aliases=(), note=None):
    who = {"id": "e-1", "user_id": "moi", "kind": "person", "name": "Marie", "aliases": aliases, "note": note}
    where = {"anchor": None, "status": "confirmed", "provenance": "user", "source": "user"}
    return Entity(
        **who, **where, sensitivity="normal", last_seen=None, recorded_at="2026-11-30", retracted_at=None
    )


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


def test_a_home_note_adds_its_names_and_none_twice(settled):
    settled.put("Gens/Marie.md", "---\naliases: [Nana, Marie, M.]\n---\n# Marie\n")
    settled.settle()
    (found,) = at_home(settled.index, [marie(aliases=("M.",))])
    assert (found.note, found.aliases) == ("Gens/Marie.md", ("M.", "Nana"))


def test_a_home_note_that_a_reader_outside_may_not_see_does_not_exist_for_it(settled):
    settled.put("Secrets/Marie.md", "---\nprivé: oui\n---\n")
    settled.settle()
    line = marie(note="Secrets/Marie.md")
    assert at_home(settled.index, [line])[0].note == "Secrets/Marie.md"
    assert at_home(settled.index, [line], external=True)[0].note is None
