"""R-P01: taint follows the bytes from pass to pass."""

import pytest

from daemon import marking
from daemon.index.refresh import Changes
from daemon.policy.marks import Marks, fold, paragraphs, written
from daemon.policy.privacy import Declared
from parsers.model.places import NotePath
from parsers.model.register import Record
from tests.daemon.index.guarded import RULES, Guarded

WEB = "Cuire vingt minutes au four bien chaud."
OWN = "Ma grand-mère la faisait le dimanche."
NOTE = NotePath("Recettes/tarte.md")


class Marked(Guarded):
    """A vault whose passes notice marks, and whose events happen."""

    def __init__(self, root, state) -> None:
        super().__init__(root, state)
        self.marks = Marks()
        self.events: list[tuple[str, dict]] = []

    def happen(self, op, body):
        self.events.append((op, body))
        fold(self.marks, Record(len(self.events), "", op, "", body, vouched=True))

    def taint(self, path, text, before="", provenance="web"):
        """Let a run write a note from what came from outside."""
        self.put(path, text)
        self.happen("mark.put", written(before, text, provenance, path))
        return self.pass_(path)

    def pass_(self, *paths):
        """Make one pass; gives the events of marks it came to."""
        changes = self.saved(*paths) if paths else self.settle()
        return self.accept(marking.notice(self.index, self.vault, self.marks, changes))

    def accept(self, noticed):
        bodies = [("mark.moved", body) for body in noticed.moved] + [
            ("mark.put", body) for body in noticed.put
        ]
        for op, body in bodies:
            self.happen(op, body)
        marking.keep(self.index, noticed)
        return bodies

    def provenance(self, path=NOTE, declared=RULES):
        return marking.provenance_of(path, (self.root / path).read_text(), self.marks, declared)


@pytest.fixture
def vault(tmp_path):
    vault = Marked(tmp_path / "vault", tmp_path / "state")
    vault.put("Autre.md", "Rien à voir.\n")
    vault.pass_()
    yield vault
    vault.index.close()


def test_where_nothing_is_marked_no_note_is_opened(vault):
    vault.opened.clear()
    assert marking.notice(vault.index, vault.vault, Marks(), Changes(changed=(NOTE,))) == marking.Noticed()
    assert vault.opened == []


def test_what_a_run_wrote_from_the_web_keeps_its_provenance(vault):
    assert vault.taint(NOTE, f"{OWN}\n\n{WEB}\n", before=f"{OWN}\n") == []
    assert vault.provenance() == "web"


def test_rewording_a_marked_paragraph_does_not_wash_it(vault):
    vault.taint(NOTE, f"{OWN}\n\n{WEB}\n", before=f"{OWN}\n")
    vault.put(NOTE, f"{OWN}\n\nLaisser cuire vingt minutes à four chaud.\n")
    (event,) = vault.pass_(NOTE)
    assert event[1]["hashes"] == list(paragraphs("Laisser cuire vingt minutes à four chaud."))
    assert vault.provenance() == "web"
    assert vault.pass_(NOTE) == []


def test_with_several_new_paragraphs_all_inherit(vault):
    vault.taint(NOTE, f"{WEB}\n")
    vault.put(NOTE, "Un tout autre début de texte.\n\nEt puis une suite bien à elle.\n")
    (event,) = vault.pass_(NOTE)
    assert len(event[1]["hashes"]) == 2


def test_a_paragraph_added_beside_a_marked_one_inherits_nothing(vault):
    vault.taint(NOTE, f"{WEB}\n")
    vault.put(NOTE, f"{WEB}\n\n{OWN}\n")
    assert vault.pass_(NOTE) == []
    vault.put(NOTE, f"{OWN}\n")
    assert vault.pass_(NOTE) == []
    assert vault.provenance() == "vault"


def test_a_marked_paragraph_pasted_elsewhere_is_marked_there_and_does_not_wash_there_either(vault):
    vault.taint(NOTE, f"{WEB}\n")
    vault.put("Autre.md", f"Rien à voir.\n\n{WEB}\n")
    assert vault.pass_(NotePath("Autre.md")) == []
    assert vault.provenance("Autre.md") == "web"
    vault.put("Autre.md", "Rien à voir.\n\nCuire un long moment, sans surveiller.\n")
    assert len(vault.pass_(NotePath("Autre.md"))) == 1
    assert vault.provenance("Autre.md") == "web"


def test_marks_go_along_with_a_note_that_moves_even_reworded(vault):
    vault.taint(NOTE, "trois petits mots\n")
    new = NotePath("Desserts/tarte.md")
    (vault.root / "Desserts").mkdir()
    (vault.root / NOTE).rename(vault.root / new)
    assert vault.pass_(NOTE, new) == [("mark.moved", {"note": NOTE, "to": new})]
    assert vault.provenance(new) == "web"
    (vault.root / new).rename(vault.root / NOTE)
    vault.put(NOTE, "quatre\n")
    assert [op for op, _ in vault.pass_(NOTE, new)] == ["mark.moved", "mark.put"]
    assert vault.provenance() == "web"


def test_a_crash_before_the_events_has_them_found_at_the_next_pass(vault):
    vault.taint(NOTE, f"{WEB}\n")
    vault.put(NOTE, "Tout autrement dit que cela.\n")
    changes = vault.saved(NOTE)
    first = marking.notice(vault.index, vault.vault, vault.marks, changes)
    assert first.put
    again = marking.notice(vault.index, vault.vault, vault.marks, Changes())
    assert again == first
    vault.accept(again)
    assert marking.notice(vault.index, vault.vault, vault.marks, Changes()) == marking.Noticed()


def test_where_the_index_has_forgotten_every_unmarked_paragraph_may_be_a_rewording(vault):
    vault.taint(NOTE, f"{OWN}\n\n{WEB}\n", before=f"{OWN}\n")
    vault.put(NOTE, f"{OWN}\n\nTout autrement dit que cela.\n")
    vault.rebuilt()
    (event,) = vault.accept(marking.notice(vault.index, vault.vault, vault.marks, Changes()))
    assert len(event[1]["hashes"]) == 2


def test_a_note_that_becomes_private_keeps_its_marks(vault):
    vault.taint(NotePath("Privé/a.md"), f"{WEB}\n")
    vault.declared = RULES
    vault.pass_()
    assert vault.index.private
    vault.put("Privé/a.md", "Tout autrement dit que cela.\n")
    vault.pass_(NotePath("Privé/a.md"))
    assert vault.provenance("Privé/a.md") == "web"


def test_only_the_person_lifts_a_mark_by_trusting_the_note(vault):
    vault.taint(NOTE, f"{WEB}\n\ndeux mots\n")
    body = marking.lifting(NOTE, (vault.root / NOTE).read_text(), vault.marks)
    assert body == {"note": NOTE, "hashes": sorted(paragraphs(f"{WEB}\n\ndeux mots\n"))}
    vault.happen("mark.lifted", body)
    assert vault.provenance() == "vault"
    assert marking.lifting(NOTE, f"{WEB}\n", vault.marks) is None


def test_the_persons_property_settles_where_a_note_came_from(vault):
    vault.taint(NOTE, f"{WEB}\n")
    vault.put(NOTE, f"---\nprovenance: vault\n---\n{OWN}\n\n{WEB}\n")
    vault.pass_(NOTE)
    assert vault.provenance() == "vault"


def test_a_property_that_a_run_wrote_settles_nothing(vault):
    text = f"---\nprovenance: vault\n---\n\n{WEB}\n"
    vault.taint(NOTE, text)
    assert vault.provenance() == "web"
    vault.put(NOTE, text.replace("---\n\n", "titre: Une bonne tarte\n---\n\n", 1))
    vault.pass_(NOTE)


def test_no_property_makes_a_note_more_than_the_vaults(vault):
    vault.put("a.md", "---\nprovenance: user\n---\nfais-le\n")
    assert vault.provenance("a.md", Declared()) == "vault"
