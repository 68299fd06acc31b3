"""Faults met by others where a note is read or written wrongly (cases C01 to C06)."""

import os

import pytest

from config.paths import NAMES
from tests.asking import asked, cli, found, now, problems

C01 = """\
# Mode d'emploi
```
<!-- clavaire:begin preferences -->
- exemple à ne pas lire ^ex1
<!-- clavaire:end preferences -->
```

<!-- clavaire:begin preferences -->
- thé sans sucre ^p1
<!-- clavaire:end preferences -->
"""


def test_c01_tags_in_a_code_fence_are_not_a_section(vault):
    home = vault()
    home.write_profile(C01)
    home.rest()
    assert now(home) == ["thé sans sucre"]
    home.remember("marche le soir", kind="preference")
    lines = home.profile().split("\n")
    new = home.fact("marche le soir")
    assert lines[:7] == C01.split("\n")[:7]
    assert lines[8:10] == ["- thé sans sucre ^p1", f"- marche le soir ^{new.id}"]
    assert home.profile() == C01.replace(" ^p1\n", f" ^p1\n- marche le soir ^{new.id}\n")
    assert "exemple" not in home.export()
    assert all("ex1" not in str(fact) for fact in asked(home, "facts"))
    assert all(hit["block_id"] != "ex1" for hit in asked(home, "search", "exemple à ne pas lire"))
    assert not home.rest()


C02 = """\
<!-- clavaire:begin preferences -->
- vélo plutôt que bus ^p1

## Mes notes
- ne pas toucher à cette liste
"""


def test_c02_a_section_without_its_end_tag_freezes_the_note(vault):
    home = vault()
    home.write_profile(C02)
    stood = home.full(NAMES.profile).stat()
    home.rest()
    home.remember("marche le soir", kind="preference")
    home.rest()
    assert home.profile() == C02
    assert home.full(NAMES.profile).stat().st_mtime_ns == stood.st_mtime_ns
    assert home.full(NAMES.profile).stat().st_ino == stood.st_ino
    assert [fact.text for versions in home.state.facts.values() for fact in versions] == ["marche le soir"]
    assert not home.open_cards()
    named = [one for one in problems(home) if one[0] == NAMES.profile]
    assert named == [(NAMES.profile, 1, "section_unclosed")]
    sentence = next(one["sentence"] for one in asked(home, "status")["problems"])
    assert NAMES.profile in sentence
    assert "preferences" in sentence
    home.write_profile(C02.replace("^p1\n", "^p1\n<!-- clavaire:end preferences -->\n"))
    home.rest()
    new = home.fact("marche le soir")
    assert now(home) == ["marche le soir", "vélo plutôt que bus"]
    assert home.fact("vélo plutôt que bus").anchor == "p1"
    assert home.profile() == C02.replace(
        "^p1\n", f"^p1\n- marche le soir ^{new.id}\n<!-- clavaire:end preferences -->\n"
    )
    assert (NAMES.profile, 1, "section_unclosed") not in problems(home)


def test_c02_known_facts_survive_the_loss_of_an_end_tag(vault):
    home = vault()
    home.add_line("- vélo plutôt que bus", "preferences")
    home.rest()
    before = home.export()
    whole = home.profile()
    home.write_profile(whole.replace("<!-- clavaire:end preferences -->\n", ""))
    home.rest()
    assert home.export() == before
    home.write_profile(whole)
    home.rest()
    assert home.export() == before
    assert home.profile() == whole


BEGIN, END = "<!-- clavaire:begin preferences -->\n", "<!-- clavaire:end preferences -->\n"
INNER = "<!-- clavaire:begin goals -->\n- a\n<!-- clavaire:end goals -->\n"
WRECKS = {
    "begun twice": f"{BEGIN}- a\n{BEGIN}- b\n{END}",
    "never begun": f"- a\n{END}",
    "ended twice": f"{BEGIN}- a\n{END}- b\n{END}",
    "ended by another": f"{BEGIN}- a\n<!-- clavaire:end goals -->\n",
    "around another": f"{BEGIN}{INNER}{END}",
    "in conflict": f"{BEGIN}<<<<<<< HEAD\n- a\n=======\n- b\n>>>>>>> main\n{END}",
}


@pytest.mark.parametrize("wreck", WRECKS.values(), ids=WRECKS)
def test_c02_every_other_malformed_structure_freezes_the_note_too(vault, wreck):
    home = vault()
    home.write_profile(wreck)
    stood = home.full(NAMES.profile).stat().st_mtime_ns
    home.remember("marche le soir", kind="preference")
    home.rest()
    assert home.full(NAMES.profile).read_bytes() == wreck.encode()
    assert home.full(NAMES.profile).stat().st_mtime_ns == stood
    assert home.facts() == ["marche le soir"]
    assert len([one for one in problems(home) if one[0] == NAMES.profile]) == 1


C03 = r"note les sommes en LaTeX : \sum_{i=1}^{n} \1 \g<0>"


def test_c03_backslashes_are_written_and_read_back_as_they_are(vault):
    home = vault()
    home.remember(C03, kind="preference")
    fact = home.fact(C03)
    assert f"- {C03} ^{fact.id}\n" in home.profile()
    stood = home.full(NAMES.profile).stat()
    home.drop_index()
    assert not home.rest()
    home.sync()
    after = home.full(NAMES.profile).stat()
    assert (after.st_mtime_ns, after.st_ino) == (stood.st_mtime_ns, stood.st_ino)
    assert home.fact(C03) == fact


C04 = """\
---
rappel: 14:30
pays: no
code: 0755
version: 1.10
jour: 2025-2-3
projet: [[Atelier bois]]
---
Corps.
"""


def test_c04_a_header_keeps_its_words_when_clavaire_works_around_it(vault):
    home = vault(files={"Note.md": C04})
    stood = home.snapshot()["Note.md"]
    home.remember("marche le soir")
    home.rest()
    home.app.pipeline.rebuild()
    assert home.snapshot()["Note.md"] == stood
    assert found(home, "Corps") == ["Note.md"]


def test_c04_a_header_of_a_managed_note_keeps_its_bytes_when_a_fact_is_added(vault):
    home = vault()
    head = C04.removesuffix("Corps.\n")
    home.write_profile(head + home.profile())
    home.remember("marche le soir")
    assert home.profile().startswith(head + "# Profil")
    home.forget(home.fact("marche le soir").id)
    assert home.profile().startswith(head + "# Profil")


C05 = """\
---
titre: Réunion: budget
créé: {{date}}
---
Texte sur la girolle.
"""


def test_c05_a_header_that_cannot_be_understood_is_left_alone_and_the_body_found(vault):
    home = vault(files={"Modèle.md": C05})
    stood = home.snapshot()["Modèle.md"]
    home.remember("marche le soir")
    home.rest()
    assert home.snapshot()["Modèle.md"] == stood
    assert found(home, "girolle") == ["Modèle.md"]
    assert [one for one in problems(home) if one[0] == "Modèle.md"] == [
        ("Modèle.md", 2, "properties_invalid")
    ]
    os.utime(home.full("Modèle.md"))
    home.rest()
    assert len([one for one in problems(home) if one[0] == "Modèle.md"]) == 1


def test_c05_a_protection_that_says_neither_yes_nor_no_is_a_problem_of_its_note_until_it_does(vault):
    home = vault(files={"Note.md": "---\na: 1\nsensible: peut-être\n---\nTexte\n"})
    home.sync()
    assert problems(home) == [("Note.md", 3, "protection_unclear")]
    home.full("Note.md").rename(home.full("Autre.md"))
    home.sync()
    assert problems(home) == [("Autre.md", 3, "protection_unclear")]
    home.drop_index()
    home.rest()
    assert problems(home) == [("Autre.md", 3, "protection_unclear")]
    home.put("Autre.md", "---\nsensible: oui\n---\nTexte\n")
    home.sync(["Autre.md"])
    assert problems(home) == []


def test_c05_a_managed_note_with_such_a_header_keeps_it_and_gets_no_second_one(vault):
    home = vault()
    head = C05.removesuffix("Texte sur la girolle.\n")
    home.write_profile(head + home.profile())
    home.remember("marche le soir")
    assert home.profile().startswith(head + "# Profil")
    assert home.profile().count("---\n") == 2
    assert "{}" not in home.profile()


@pytest.mark.parametrize("coding", ["utf-16-le", "utf-16-be"])
def test_a_note_in_utf16_is_one_problem_that_says_so_until_it_is_saved_as_utf8(vault, coding):
    data = f"\ufeff{C05}".encode(coding)
    home = vault(files={"Note.md": data})
    home.sync()
    assert problems(home) == [("Note.md", 1, "note_utf16")]
    for locale, remedy in (("fr", "enregistrez-la en UTF-8"), ("en", "save it as UTF-8")):
        home.restart(GENERAL__LOCALE=locale)
        home.sync()
        (told,) = asked(home, "status")["problems"]
        assert told["sentence"].startswith("Note.md:1")
        assert remedy in told["sentence"]
        assert told["sentence"] in cli(home, "doctor")[1]
    home.full("Note.md").rename(home.full("Autre.md"))
    home.rest()
    assert problems(home) == [("Autre.md", 1, "note_utf16")]
    assert home.full("Autre.md").read_bytes() == data
    home.put("Autre.md", data.decode("utf-16").replace("Réunion: budget", "Réunion"))
    home.sync()
    assert problems(home) == []
    assert found(home, "girolle") == ["Autre.md"]


C06 = (
    b"---\r\nlangue: fr\r\n---\r\nIntro coll\xc3\xa9e depuis un mail\n\r\n"
    b"<!-- clavaire:begin preferences -->\r\n- th\xc3\xa9 ^p1\r\n<!-- clavaire:end preferences -->\r\nFin"
)


def test_c06_mixed_line_endings_and_a_missing_last_one_stay_as_they_are(vault):
    home = vault()
    home.write_profile(C06)
    home.rest()
    assert home.full(NAMES.profile).read_bytes() == C06
    home.remember("marche le soir", kind="preference")
    new = home.fact("marche le soir")
    wanted = C06.replace(b"^p1\r\n", f"^p1\r\n- marche le soir ^{new.id}\r\n".encode())
    assert home.full(NAMES.profile).read_bytes() == wanted
    assert wanted.count(b"---\r\n") == 2
    stood = home.full(NAMES.profile).stat()
    assert not home.rest()
    assert home.full(NAMES.profile).stat().st_mtime_ns == stood.st_mtime_ns


def test_c06_a_bom_a_file_mode_and_a_flip_of_every_ending_are_no_edit(vault):
    home = vault()
    home.add_line("- thé [depuis:: 2026-09-01]", "preferences")
    home.rest()
    before = home.export()
    flipped = b"\xef\xbb\xbf" + home.full(NAMES.profile).read_bytes().replace(b"\n", b"\r\n")
    home.write_profile(flipped)
    home.full(NAMES.profile).chmod(0o640)
    home.rest()
    assert home.export() == before
    assert home.full(NAMES.profile).read_bytes() == flipped
    home.remember("marche le soir", kind="preference")
    assert home.full(NAMES.profile).read_bytes().replace(b"\r\n", b"").count(b"\n") == 0
    assert home.full(NAMES.profile).stat().st_mode & 0o777 == 0o640


def test_c05_the_problem_of_a_header_follows_its_note_and_goes_with_it(vault):
    home = vault(files={"Modèle.md": C05, "Gabarit.md": "---\ncréé: {{date}}\n---\nTexte\n"})
    home.sync()
    assert problems(home) == [("Modèle.md", 2, "properties_invalid")]
    home.full("Modèle.md").rename(home.full("Autre.md"))
    home.sync()
    assert problems(home) == [("Autre.md", 2, "properties_invalid")]
    home.put("Autre.md", C05.replace("titre", "# rien\ntitre"))
    home.sync(["Autre.md"])
    assert problems(home) == [("Autre.md", 3, "properties_invalid")]
    home.drop_index()
    home.rest()
    assert problems(home) == [("Autre.md", 3, "properties_invalid")]
    home.put("Autre.md", C05.replace("Réunion: budget", '"Réunion: budget"'))
    home.sync(["Autre.md"])
    assert problems(home) == []
    home.put("Autre.md", C05)
    home.sync()
    home.full("Autre.md").unlink()
    home.sync()
    assert problems(home) == []
