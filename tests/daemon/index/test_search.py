import random
import string
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from daemon.index.search import search
from daemon.index.store import Index


def paths(settled, query, **options):
    return [hit.path for hit in search(settled.index.connection, query, **options)]


@pytest.fixture
def order(settled):
    settled.put("Commande.md", "Commande M8-40 pour l'été, en C++ demain ?\n")
    settled.put("Autre.md", "Rien de cela ici.\n")
    settled.settle()
    return settled


@pytest.mark.parametrize("query", ["M8-40", "l'été", "l’été", "C++", "demain?", "ETE", "été demain"])
def test_c19_words_with_signs_find_the_note(order, query):
    assert paths(order, query) == ["Commande.md"]


@pytest.mark.parametrize("query", ["?", '"', "", " ", "*", "()", "\0", "🎈", "^:-", "'", "’"])
def test_c19_a_query_without_a_word_finds_nothing(order, query):
    assert paths(order, query) == []


@pytest.mark.parametrize(
    "query",
    [
        "demain AND",
        "NOT demain",
        "demain*",
        "head:demain",
        '"demain',
        "NEAR(demain)",
        "{demain}",
        "+demain",
        "-demain",
    ],
)
def test_c19_the_grammar_of_the_engine_is_text_like_any_other(order, query):
    assert "Commande.md" in paths(order, query)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(query=st.text())
def test_c19_any_string_is_a_legal_query(order, query):
    search(order.index.connection, query)


@pytest.mark.parametrize(
    "query",
    ["\ud800", "x" * 100_000, "a-" * 5000, "mot " * 5000, " ".join(string.printable), "京" * 3000, "a\0b"],
)
def test_c19_long_and_broken_strings_are_legal_queries(order, query):
    search(order.index.connection, query)


@pytest.mark.parametrize("query", ["会議", "東京", "京", "会議は東京駅", "東京で 会議", "ます"])
def test_c20_parts_of_a_run_without_spaces_find_the_note(settled, query):
    settled.put("Note.md", "会議は東京駅で行います\n")
    settled.put("Latin.md", "Réunion à Tokyo\n")
    settled.settle()
    assert paths(settled, query) == ["Note.md"]


@pytest.mark.parametrize("query", ["大阪", "京東", "駅東", "行京"])
def test_c20_what_does_not_stand_there_finds_nothing(settled, query):
    settled.put("Note.md", "会議は東京駅で行います\n")
    settled.settle()
    assert paths(settled, query) == []


def test_c20_latin_searches_are_the_same_beside_other_scripts(settled):
    for n in range(20):
        settled.put(f"{n}.md", f"# Titre {n}\n" + "budget jardin\n" * (n % 4) + "maison\n" * (n % 3))
        settled.put(f"Bruit {n}.md", "La pluie tombe.\n\n# Suite\n\nElle tombe encore.\n")
    settled.settle()
    before = paths(settled, "budget jardin maison", limit=20)
    settled.put("会議.md", "会議は東京駅で行います\n")
    settled.settle()
    assert paths(settled, "budget jardin maison", limit=20) == before


def test_a_title_in_another_script_is_found(settled):
    settled.put("東京の会議.md", "texte\n")
    settled.settle()
    assert paths(settled, "会議") == ["東京の会議.md"]


def test_a_hit_says_where_its_best_block_stands(settled):
    body = "Premier paragraphe du contrat.\n\n## Jardin\n\nPlanter la girolle en mars. ^p1\n"
    settled.put("Dossier/Maison.md", f"# Maison\n\n{body}")
    settled.settle()
    (hit,) = search(settled.index.connection, "girolle")
    assert (hit.path, hit.title, hit.heading) == ("Dossier/Maison.md", "Maison", "Maison > Jardin")
    assert (hit.line, hit.block_id, hit.verified) == (5, "p1", True)
    assert "girolle" in hit.snippet
    assert "\n" not in hit.snippet


def test_a_note_is_found_by_title_and_alias_even_without_text(settled):
    settled.put("Dr Martin.md", "---\naliases: [Dentiste]\n---\n")
    settled.put("Vide.md", "")
    settled.settle()
    assert paths(settled, "martin") == paths(settled, "dentiste") == ["Dr Martin.md"]
    assert paths(settled, "vide") == ["Vide.md"]


def test_case_and_accents_do_not_matter(settled):
    settled.put("A.md", "La réunion préparatoire\n")
    settled.settle()
    assert paths(settled, "REUNION") == paths(settled, "Re\u0301union") == ["A.md"]


def test_each_note_comes_once_with_its_best_block(settled):
    settled.put("A.md", "\n\n".join(f"## Partie {n}\n\ntulipe {'mot ' * n}" for n in range(30)))
    settled.put("B.md", "une tulipe\n")
    settled.settle()
    assert sorted(paths(settled, "tulipe", limit=5)) == ["A.md", "B.md"]


def test_a_note_with_every_word_comes_before_one_that_repeats_some(settled):
    filler = "et beaucoup autre chose encore " * 12
    settled.put("Tous.md", f"budget jardin {filler}\n")
    settled.put("Un.md", f"jardin jardin jardin jardin {filler}\n")
    for n in range(30):
        settled.put(f"Bruit {n}.md", f"{'budget' if n < 9 else 'texte'} {n} {filler}\n")
    settled.settle()
    assert paths(settled, "budget jardin")[:2] == ["Tous.md", "Un.md"]


def test_one_word_of_several_is_enough_to_be_found(settled):
    settled.put("A.md", "budget de la maison\n")
    settled.settle()
    assert paths(settled, "budget introuvable") == ["A.md"]


def test_words_that_say_nothing_find_nothing_more_but_are_searched_when_alone(settled):
    settled.put("A.md", "le chat de la voisine\n")
    settled.put("B.md", "la voiture dans le garage\n")
    settled.settle()
    assert paths(settled, "le chat dans la") == ["A.md"]
    assert paths(settled, "dans") == ["B.md"]


def test_a_word_in_the_title_does_not_change_the_order_that_the_content_gives(settled):
    settled.put("Premier.md", "# x\n\n" + "dahlia dahlia dahlia et terre\n")
    settled.put("Second.md", "# x\n\n" + "dahlia et beaucoup d'autres fleurs du jardin de la maison\n")
    for n in range(20):
        settled.put(f"Bruit {n}.md", "pluie\n")
    settled.settle()
    before = paths(settled, "dahlia terre")
    for name in ("Premier", "Second"):
        (settled.root / f"{name}.md").rename(settled.root / f"Terre {name}.md")
    settled.settle()
    assert [path.removeprefix("Terre ") for path in paths(settled, "dahlia terre")] == before


def test_only_the_folder_asked_for_is_searched_whatever_way_its_name_is_composed(settled):
    settled.put("E\u0301te\u0301/A.md", "tulipe\n")
    settled.put("Été 2/B.md", "tulipe\n")
    settled.put("C.md", "tulipe\n")
    settled.settle()
    assert paths(settled, "tulipe", folder="Été") == ["E\u0301te\u0301/A.md"]
    assert paths(settled, "tulipe", folder="E\u0301te\u0301/") == ["E\u0301te\u0301/A.md"]
    assert len(paths(settled, "tulipe", folder="")) == len(paths(settled, "tulipe", folder="/")) == 3


def test_equal_scores_are_ordered_by_path_however_many_there_are(settled):
    names = [f"{n:03d}.md" for n in range(300)]
    for name in random.Random(4).sample(names, len(names)):
        settled.put(name, "tulipe\n")
        settled.saved(name)
    assert paths(settled, "tulipe", limit=10) == names[:10]
    assert paths(settled, "tulipe", limit=0) == []


def test_searching_imports_nothing_that_is_slow_to_start():
    program = "import sys, daemon.index.search; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    assert {name.partition(".")[0] for name in loaded.split()}.isdisjoint(
        {
            "yaml",
            "pydantic",
            "watchdog",
            "rich",
            "click",
            "babel",
            "dataclasses",
            "parsers",
            "config",
        }
    )


def test_opening_and_searching_loads_no_library_of_the_writer(tmp_path):
    Index.rebuild(tmp_path, lambda index: None).close()
    program = """import sys
from pathlib import Path
from daemon.index.store import Index
from daemon.index.search import search
index = Index.open(Path(sys.argv[1]), write=False)
assert search(index.connection, "rien") == []
print(*sys.modules)"""
    command = [sys.executable, "-c", program, str(tmp_path)]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert {name.partition(".")[0] for name in loaded.split()}.isdisjoint(
        {"yaml", "pydantic", "watchdog", "rich", "ruamel", "babel", "markdown_it"}
    )


@pytest.fixture
def small(settled):
    for path, text in {
        "A.md": "le jardin, le toit\n",
        "B.md": "# Un\nla cour et le mur\n",
        "C.md": "les arbres, la haie, le banc\n",
        "D.md": "jardin, maison, toit\n",
    }.items():
        settled.put(path, text)
    settled.settle()
    return settled


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("le la les", ["C.md", "B.md", "A.md"]),
        ("les le", ["C.md", "A.md", "B.md"]),
        ("le", ["A.md", "B.md", "C.md"]),
        ("les", ["C.md"]),
        ("le vous", ["A.md", "B.md", "C.md"]),
        ("vous", []),
        ("le banc", ["C.md"]),
    ],
)
def test_small_words_alone_find_what_has_all_of_them_and_then_what_has_some(small, query, wanted):
    assert paths(small, query) == wanted
    assert paths(small, query, limit=1) == wanted[:1]
    small.rebuilt()
    assert paths(small, query) == wanted


def test_all_of_some_small_words_come_before_many_parts_with_most_of_them(settled):
    settled.put("A.md", "\n\n".join(f"# {number}\nle la les des {number}" for number in range(9)))
    settled.put("Z.md", "le la les des du\n")
    settled.settle()
    assert paths(settled, "le la les des du", limit=1) == ["Z.md"]
    assert paths(settled, "le la les des du") == ["Z.md", "A.md"]
