"""Commands with `recall.model` set: vectors are made by sync and rebuild, and a model that is missing stops nothing."""

import json
import subprocess

import pytest

from daemon.index.vectors import stale
from tests import trigrams
from tests.home import Home
from tests.terminal import ROOT, START, environ

NAME = "tests.trigrams"
ASKED = "lev eva vai ain dor fra"
"""No word of the vault, and every three letters of one note."""


@pytest.fixture
def home(tmp_path):
    notes = {f"Bruit/{n}.md": f"Facture numéro {n} du garage.\n" for n in range(20)}
    home = Home(tmp_path, {"Pain.md": "Le levain dort au frais.\n", **notes})
    home.rest()
    yield home
    home.close()


def ran(home, *arguments, model=NAME):
    env = environ(home) | {"CLAVAIRE_RECALL__MODEL": model}
    done = subprocess.run(
        [*START, *arguments], cwd=ROOT, env=env, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done


def hits(home, asked, model=NAME):
    return [hit["note"] for hit in json.loads(ran(home, "recall", asked, "--json", model=model).stdout)]


@pytest.mark.parametrize("command", ["sync", "rebuild"])
def test_sync_and_rebuild_make_vectors_and_recall_uses_them(home, command):
    assert hits(home, ASKED) == []
    assert ran(home, command).stderr == ""
    assert hits(home, ASKED)[0] == "Pain.md"
    assert hits(home, ASKED, model="") == []
    found = json.loads(ran(home, "recall", ASKED, "--json").stdout)[0]
    assert found["factors"]["fusion.vector"] > 0
    explained = ran(home, "recall", ASKED, "--explain").stdout
    assert "fusion.vector" in explained


def test_batches_are_answered_by_the_same_ranking(home):
    ran(home, "rebuild")
    asked = home.folder / "asked.jsonl"
    asked.write_text(json.dumps({"id": 1, "query": ASKED, "k": 1}) + "\n")
    answer = json.loads(ran(home, "recall", "--batch", str(asked)).stdout)
    assert [hit["note"] for hit in answer["hits"]] == ["Pain.md"]


@pytest.mark.parametrize("command", ["sync", "rebuild"])
def test_a_missing_model_is_one_sentence_and_the_command_does_the_rest(home, command):
    home.put("Neuf.md", "Une brioche.\n")
    done = ran(home, command, model="no_such_package")
    assert done.stderr.count("\n") == 1
    assert "no_such_package" in done.stderr
    assert ran(home, "recall", "brioche", model="no_such_package").stderr == ""
    assert hits(home, "brioche", model="no_such_package") == ["Neuf.md"]


def test_without_a_model_no_vector_is_made(home):
    ran(home, "sync", model="")
    home.restart()
    home.rest()
    assert home.app.history.index.connection.execute("SELECT count(*) FROM vectors").fetchone() == (0,)
    assert len(stale(home.app.history.index, f"{NAME} {trigrams.__version__}")) > 20
