"""R-P04: what a search finds depends on who reads, and the index says of each note what it is."""

from contextlib import closing

import pytest

from config.paths import NAMES
from daemon.index.search import search
from daemon.index.store import Index
from daemon.policy.privacy import Declared
from tests.daemon.index.guarded import RULES, Guarded


@pytest.fixture
def settled(tmp_path):
    settled = Guarded(tmp_path / "vault", tmp_path / "state")
    yield settled
    settled.index.close()


def test_sensitive_notes_are_found_by_local_readers_and_not_by_external_ones(settled):
    settled.declared = RULES
    settled.put("Argent/compte.md", "le solde\n")
    settled.put("b.md", "---\nsensible: oui\n---\nle solde\n")
    settled.put("c.md", "le solde\n")
    settled.settle()
    assert sorted(settled.found("solde")) == ["Argent/compte.md", "b.md", "c.md"]
    assert sorted(settled.found("solde", agent=True)) == ["Argent/compte.md", "b.md", "c.md"]
    assert settled.found("solde", agent=True, external=True) == ["c.md"]
    settled.declared = Declared()
    settled.settle()
    assert sorted(settled.found("solde", external=True)) == ["Argent/compte.md", "c.md"]


def test_the_assistant_folder_does_not_exist_for_an_agent(settled):
    settled.put(NAMES.profile, "aime le thé\n")
    settled.put("Thé.md", "le thé\n")
    settled.settle()
    assert settled.found("thé", agent=True) == ["Thé.md"]
    assert set(settled.found("thé")) == {"Thé.md", NAMES.profile}


def test_where_a_note_came_from_stands_in_the_index_and_follows_settings(settled):
    settled.put("Clippings/a.md", "un\n")
    settled.put("b.md", "---\nsource: https://exemple.org\n---\n")
    settled.put("c.md", "rien\n")
    settled.settle()
    assert settled.kinds()["Clippings/a.md"] == ["normal", "vault"]
    settled.declared = RULES
    settled.opened.clear()
    assert not settled.settle().changed
    assert settled.opened == ["Clippings/a.md"]
    assert settled.kinds() == {
        "Clippings/a.md": ["normal", "web"],
        "b.md": ["normal", "web"],
        "c.md": ["normal", "vault"],
    }


COMMENTED = """# Titre %%7319 en titre%%

Visible un. %% 7319 en ligne [[7319 lien]] #t7319 %%

%%
# 7319 caché

[[7319 encore]] #u7319
%%

Visible deux <!-- 7319 en html --> fin.
"""


def test_text_in_comments_is_in_no_file_of_the_index(settled):
    settled.put("a.md", COMMENTED)
    settled.settle()
    assert b"7319" not in settled.raw("")
    assert settled.found("visible deux fin") == ["a.md"]


def test_private_notes_are_ranked_among_the_others_as_if_in_one_file(settled):
    """A word that is rare in the whole vault counts, however many of the few private notes have it."""
    settled.declared = RULES
    for n in range(40):
        settled.put(f"n{n:02d}.md", f"une tulipe dans le jardin numéro {n} au milieu des autres fleurs\n")
    settled.put("Privé/a.md", "tulipe noire\n")
    settled.settle()
    assert settled.found("tulipe noire")[0] == "Privé/a.md"
    assert settled.found("tulipe")[0] == "Privé/a.md"
    assert settled.found("tulipe noire", agent=True)
    assert settled.found("tulipe", folder="Privé") == []  # an agent's door, as every call with a reader here
    with closing(Index.open(settled.state, write=False, private=True)) as index:
        assert [hit.path for hit in search(index.connection, "tulipe", folder="Privé")] == ["Privé/a.md"]


def test_many_private_blocks_keep_no_other_note_out(settled):
    settled.declared = RULES
    settled.put("Privé/serre.md", "\n\n".join(f"tulipe ^b-{n}" for n in range(500)))
    for n in range(30):
        settled.put(f"N{n}.md", "\n\n".join(f"une tulipe ^b-{n}" for n in range(10)))
    settled.settle()
    assert len(settled.found("tulipe")) == 10
