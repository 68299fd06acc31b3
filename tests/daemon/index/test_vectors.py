"""Vectors: kept with their note, as good as none once it changed, compared within what a reader may see."""

import math
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.i18n import catalogue
from config.paths import NAMES
from daemon.index.schema import ROW_BITS
from daemon.index.store import Index
from daemon.index.vectors import (
    MOST,
    Stale,
    Vectors,
    carry,
    hash_of,
    keep,
    known,
    made_by,
    matrix,
    quantised,
    stale,
    texts,
    waiting,
)
from daemon.recall.backlog import Backlog
from daemon.recall.embedding import load
from tests import trigrams
from tests.daemon.index.guarded import RULES, Guarded

NAME = "tests.trigrams"
KEY = f"{NAME} {trigrams.__version__}"
LEVAIN = "# Pain\n\nLe levain dort au frais.\n"


@pytest.fixture
def settled(tmp_path):
    settled = Guarded(tmp_path / "vault", tmp_path / "state")
    yield settled
    settled.index.close()


class Counting:
    """The model, and what it was given to read."""

    def __init__(self):
        self.read = []

    def passage(self, asked):
        self.read += asked
        return trigrams.passage(asked)


@pytest.fixture
def model():
    model = load(NAME, catalogue("en"))
    model._functions = Counting()
    return model


def made(settled, model):
    """Make every vector that is missing; gives what the model read for it."""
    model._functions.read.clear()
    backlog = Backlog(model)
    while backlog.step(settled.index):
        pass
    assert stale(settled.index, model.key) == []
    return list(model._functions.read)


def rows(index, file=""):
    query = f"SELECT path, numbers FROM {file}vectors JOIN {file}notes USING(id)"
    return dict(index.connection.execute(query))


def note(settled, path):
    return next(
        row for row in settled.index.connection.execute("SELECT id FROM notes WHERE path = ?", (path,))
    )[0]


# ---- what is kept of a vector


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40))
def test_a_vector_keeps_its_direction_in_one_byte_a_number(vector):
    packed = memoryview(quantised(vector)).cast("b")
    most = max(map(abs, vector))
    assert len(packed) == len(vector)
    for number, kept in zip(vector, packed, strict=True):
        assert abs(kept - (127 * number / most if most else 0)) <= 0.5 + 1e-6


@pytest.mark.parametrize("odd", [[], [0.0, 0.0], [math.nan, 1.0], [math.inf, 1.0]])
def test_a_vector_that_points_nowhere_is_kept_as_nothing(odd):
    assert quantised(odd) == bytes(len(odd))


def test_a_model_reads_title_and_headings_and_the_text_without_comments(settled):
    settled.put("Pain.md", "# Pain\n\n## Levain\n\nIl dort %%pas vrai%% au frais. ^a\n")
    settled.put("Vide.md", "")
    settled.put("Titres.md", "# Un\n\n## Deux\n")
    settled.put("Long.md", "mot " * MOST)
    settled.settle()
    waits = {one.title: one for one in stale(settled.index, "any 1")}
    said = texts(settled.index, waits["Pain"])[-1]
    assert said.startswith("Pain > Levain\n")
    assert "dort" in said
    assert "pas vrai" not in said
    assert texts(settled.index, waits["Vide"]) == ["Vide\n"]
    assert texts(settled.index, waits["Titres"]) == ["", ""]
    assert {len(text) for text in texts(settled.index, waits["Long"])} == {MOST}
    settled.put("Pain.md", LEVAIN)
    settled.settle()
    assert texts(settled.index, waits["Pain"]) == []


# ---- when they are made


def test_only_the_blocks_that_changed_are_read_again(settled, model):
    many = [f"## Jour {n}\n\nLe levain du jour {n} dort au frais.\n" for n in range(6)]
    settled.put("Journal.md", "\n".join(many))
    settled.settle()
    assert len(made(settled, model)) == 6
    before = known(settled.index, note(settled, "Journal.md"), model.key)
    many[0] = "## Jour 0\n\nUne brioche.\n"
    settled.put("Journal.md", "\n".join(["Un mot avant.\n", *many]))
    settled.settle()
    assert sorted(text.rpartition("\n")[2] or text for text in made(settled, model)) == sorted(
        ["Un mot avant.", "Une brioche."]
    )
    after = known(settled.index, note(settled, "Journal.md"), model.key)
    assert sum(before.get(one) == vector for one, vector in after.items()) == 5


def test_equal_blocks_of_a_note_are_read_once(settled, model):
    settled.put("a.md", "## Un\n\nRien.\n\n## Un\n\nRien.\n")
    settled.settle()
    assert len(made(settled, model)) == 1
    assert len(rows(settled.index)["a.md"]) == 2 * trigrams.WIDTH


@pytest.mark.parametrize("change", ["text", "name", "model"])
def test_a_note_waits_again_once_its_text_its_name_or_the_model_is_another(settled, model, change):
    settled.put("Pain.md", LEVAIN)
    settled.put("Autre.md", LEVAIN)
    settled.settle()
    made(settled, model)
    if change == "text":
        settled.put("Pain.md", LEVAIN + "Et encore.\n")
    elif change == "name":
        (settled.root / "Pain.md").rename(settled.root / "Brioche.md")
    settled.settle()
    assert waiting(settled.index, NAME) is (change != "model")
    assert waiting(settled.index, "another") is True
    assert made_by(settled.index, NAME) is True
    assert made_by(settled.index, "tests.tri") is False
    assert len(stale(settled.index, "another 1" if change == "model" else model.key)) == (
        2 if change == "model" else 1
    )


def test_what_was_made_of_a_note_that_changed_meanwhile_is_not_kept(settled, model):
    settled.put("Pain.md", LEVAIN)
    settled.settle()
    (before,) = stale(settled.index, model.key)
    settled.put("Pain.md", LEVAIN + "Et encore.\n")
    settled.settle()
    keep(settled.index, model.key, [(before, Vectors([hash_of("x")], [b"\1" * 4]))])
    assert rows(settled.index) == {}
    assert len(stale(settled.index, model.key)) == 1


def test_a_note_that_changes_and_changes_back_while_it_waits_gets_the_vectors_of_what_it_says(settled, model):
    settled.put("A.md", "Une brioche.\n")
    settled.put("Pain.md", LEVAIN)
    settled.settle()
    backlog = Backlog(model)
    backlog.step(settled.index, 0.0)
    backlog._next(settled.index)
    settled.put("Pain.md", "Autre chose.\n")
    settled.settle()
    backlog._next(settled.index)
    settled.put("Pain.md", LEVAIN)
    settled.settle()
    while backlog.step(settled.index):
        pass
    (said,) = texts(settled.index, Stale(note(settled, "Pain.md"), *etag_and_title(settled)))
    assert rows(settled.index)["Pain.md"] == model.passages([said])[0]


def etag_and_title(settled):
    return settled.index.connection.execute("SELECT etag, title FROM notes WHERE path = 'Pain.md'").fetchone()


def test_steps_and_one_go_make_the_same_whatever_came_before(settled, model):
    for n in range(5):
        settled.put(f"{n}.md", f"Note {n}, avec un levain.\n")
    settled.settle()
    made(settled, model)
    settled.put("3.md", "Autre chose.\n")
    (settled.root / "1.md").rename(settled.root / "un.md")
    settled.settle()
    made(settled, model)
    grown = rows(settled.index)
    settled.rebuilt()
    Backlog(model).finish(settled.index)
    assert rows(settled.index) == grown


def test_a_rebuilt_index_takes_over_what_did_not_change(settled, model):
    settled.put("Pain.md", LEVAIN)
    settled.put("Autre.md", LEVAIN)
    settled.settle()
    made(settled, model)
    before = rows(settled.index)
    settled.put("Autre.md", "Tout est neuf.\n")
    with closing(Index.open(settled.state, write=False, private=True)) as old:
        settled.index.close()
        settled.index = Index.rebuild(settled.state, lambda index: None)
        settled.settle()
        carry(old, settled.index)
    assert rows(settled.index) == {"Pain.md": before["Pain.md"]}
    assert [text.rpartition("\n")[2] for text in made(settled, model)] == ["Tout est neuf."]


# ---- privacy


def private_rows(settled):
    return rows(settled.index, "private.") if settled.index.private else {}


def test_c17_the_vectors_of_a_private_note_stand_in_the_private_file_alone(settled, model):
    settled.declared = RULES
    settled.put("Privé/santé.md", "Le code 7319 du coffre.\n")
    settled.put("Carnet.md", LEVAIN)
    settled.settle()
    made(settled, model)
    assert set(rows(settled.index)) == {"Carnet.md"}
    assert set(private_rows(settled)) == {"Privé/santé.md"}
    assert private_rows(settled)["Privé/santé.md"] not in settled.raw()


@pytest.mark.parametrize("how", ["folder", "property", "moved", "deleted"])
def test_c17_a_vector_leaves_the_common_file_with_its_note_and_no_byte_stays(settled, model, how):
    settled.declared = RULES if how in {"moved", "property"} else settled.declared
    path = "Privé/santé.md" if how == "folder" else "Public/santé.md"
    text = "Le code 7319 du coffre est ici, et rien d'autre.\n"
    full = settled.root / settled.put(path, text)
    settled.put("Carnet.md", LEVAIN)
    settled.settle()
    made(settled, model)
    vector = rows(settled.index)[path]
    settled.index.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert vector in settled.raw()
    if how == "folder":
        settled.declared = RULES
    elif how == "property":
        settled.put(path, f"---\nprivé: oui\n---\n{text}")
    elif how == "moved":
        (settled.root / "Privé").mkdir()
        full.rename(settled.root / "Privé/santé.md")
    else:
        full.unlink()
    settled.settle()
    assert set(rows(settled.index)) == {"Carnet.md"}
    if how != "deleted":
        assert vector not in settled.raw()
    made(settled, model)
    assert set(rows(settled.index)) == {"Carnet.md"}
    assert len(private_rows(settled)) == (how != "deleted")


def test_c17_a_rebuild_takes_a_vector_into_the_file_its_note_stands_in_now(settled, model):
    path = settled.put("Privé/santé.md", "Le code 7319 du coffre.\n")
    settled.settle()
    made(settled, model)
    vector = rows(settled.index)[path]
    settled.declared = RULES
    with closing(Index.open(settled.state, write=False, private=True)) as old:
        settled.index.close()
        settled.index = Index.rebuild(settled.state, lambda index: None)
        settled.settle()
        carry(old, settled.index)
    assert rows(settled.index) == {}
    assert private_rows(settled) == {path: vector}


def test_an_agents_index_holds_no_vector_of_a_private_note(settled, model):
    settled.declared = RULES
    settled.put("Privé/santé.md", "Le code 7319 du coffre.\n")
    settled.put("Carnet.md", LEVAIN)
    settled.settle()
    made(settled, model)
    sizes = []
    for private in (True, False):
        with closing(Index.open(settled.state, write=False, private=private)) as index:
            sizes.append(len(matrix(index, model.key)))
    assert sizes == [2, 1]
    assert list(settled.state.glob(f"{NAMES.private_prefix}*"))


# ---- comparing


@pytest.fixture
def vault(settled, model):
    for n in range(30):
        settled.put(f"Bruit/{n}.md", f"Facture numéro {n} du garage, à payer.\n")
    settled.put("Pain.md", LEVAIN)
    settled.put("Privé/pain.md", "Les levains dorment au frais, dit-on.\n")
    settled.declared = RULES
    settled.settle()
    made(settled, model)
    return settled


def near(settled, model, asked, most=10, seen=None):
    return matrix(settled.index, model.key).near(trigrams.query([asked])[0], most, seen)


def paths(settled, found):
    names = {n: path for path, n in settled.ids().items()}
    return [names.get(row >> ROW_BITS, "private") for row in found]


def test_what_reads_alike_is_near_and_the_rest_is_not(vault, model):
    found = near(vault, model, "levain endormi")
    assert set(paths(vault, found)[:2]) == {"Pain.md", "private"}
    assert list(found.values()) == sorted(found.values(), reverse=True)
    assert all(0 < one <= 1 for one in found.values())


def test_only_notes_that_may_be_seen_count_and_are_found(vault, model):
    common = near(vault, model, "levain endormi", seen=set(vault.ids().values()))
    assert "private" not in paths(vault, common)
    assert paths(vault, common)[0] == "Pain.md"
    assert near(vault, model, "levain", seen=()) == {}


def test_at_most_as_many_as_asked_are_given_and_ties_go_by_row(vault, model):
    all_of_them = near(vault, model, "facture", 100)
    assert list(near(vault, model, "facture", 5).items()) == list(all_of_them.items())[:5]
    order = [(-value, row) for row, value in all_of_them.items()]
    assert order == sorted(order)


def test_what_says_nothing_is_near_nothing(settled, model):
    for n in range(20):
        settled.put(f"{n}.md", f"Facture numéro {n} du garage, à payer.\n")
    settled.put("Levain.md", "# Levain\n")
    settled.settle()
    made(settled, model)
    assert "Levain.md" not in paths(settled, near(settled, model, "levain"))
    assert len(matrix(settled.index, model.key)) == 20


def test_vectors_of_another_width_are_not_compared(vault, model):
    assert matrix(vault.index, model.key).near([1.0, 2.0], 10) == {}
    assert len(matrix(vault.index, "another 1")) == 0


def test_where_nothing_tells_blocks_apart_nothing_is_near(settled, model):
    settled.put("Seul.md", LEVAIN)
    settled.settle()
    made(settled, model)
    assert near(settled, model, "levain") == {}
