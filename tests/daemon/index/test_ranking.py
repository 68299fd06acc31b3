import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from config.paths import NAMES
from daemon.index import matching, ranking
from daemon.index.ranking import passages
from daemon.index.reader import text_of
from tests.daemon.index.guarded import RULES, Guarded

TALK = """# 1:56 pm on 8 May, 2023

**Caroline:** I went to the support group yesterday. ^d1-1

**Melanie:** Wow, how was it? ^d1-2

**Caroline:** It was powerful, everyone told their story. ^d1-3
"""


def best(settled, query, limit=10, **options):
    return passages(settled.index.connection, query, limit, **options)


def blocks(settled, query, **options):
    return [one.block_id for one in best(settled, query, **options)]


@pytest.fixture
def talks(settled):
    settled.put("Session 1.md", TALK)
    settled.put("Session 2.md", TALK.replace("8 May", "9 June").replace("^d1", "^d2"))
    for n in range(12):
        settled.put(f"Bruit {n}.md", f"Nothing of all that is told in here, number {n}.\n")
    settled.settle()
    return settled


def test_a_passage_says_where_it_stands_to_the_byte(settled):
    text = "# Été\n\nPremier paragraphe, déjà.\n\n## Œuvre\n\nLa girolle pousse en forêt. ^p1\n\nFin.\n"
    settled.put("Dossier/Forêt.md", text)
    settled.settle()
    one = best(settled, "girolles")[0]
    assert (one.path, one.title, one.heading, one.line, one.block_id) == (
        "Dossier/Forêt.md", "Forêt", "Été > Œuvre", 5, "p1",
    )  # fmt: skip
    assert (
        text.encode()[one.start : one.end].decode() == text_of(settled.index.connection, [one.row])[one.row]
    )
    assert "La girolle" in text.encode()[one.start : one.end].decode()
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", one.modified)
    assert (one.provenance, one.sensitivity, one.verified) == ("vault", "normal", True)


def test_a_block_with_an_id_is_a_passage_of_its_own(talks):
    assert set(blocks(talks, "support group powerful")) >= {"d1-1", "d1-3"}


def test_irregular_forms_find_each_other(settled):
    settled.put("Vélo.md", "Ann bought a bike and took the train home with it.\n")
    settled.put("Bruit.md", "Ann and her bike, and the train that they have at home.\n")
    settled.put("Vie.md", "Il est né à Lyon, où il a vécu.\n")
    settled.settle()
    assert best(settled, "What did Ann buy?")[0].title == "Vélo"
    assert best(settled, "date de naissance")[0].title == "Vie"
    assert best(settled, "où vit-il, où vivait-elle")[0].title == "Vie"


def test_neighbours_words_help_a_short_block(talks):
    assert blocks(talks, "support group")[0] in {"d1-1", "d2-1"}
    assert "d1-2" in blocks(talks, "support group")


def test_who_is_named_in_the_query_lifts_the_blocks_they_speak_in(talks):
    plain, named = (best(talks, query) for query in ("what story was told", "what story did Caroline tell"))
    assert not any("person" in one.factors for one in plain)
    assert named[0].block_id in {"d1-3", "d2-3"}
    assert named[0].factors["person"] == 1.35
    assert all("person" not in one.factors for one in named if one.block_id in {"d1-2", "d2-2"})


def test_lifted_names_lift_what_they_speak_in_and_what_is_theirs(talks):
    talks.put("Melanie.md", "She likes the powerful story.\n")
    talks.settle()
    found = {one.block_id: one for one in best(talks, "powerful story", lifted=["Melanie"])}
    lifted = {block for block, one in found.items() if "person" in one.factors}
    assert lifted == {None, "d1-2", "d2-2"}  # her own note, which has no block id, and what she says


def test_days_lift_the_notes_of_these_days_and_filter_none(talks):
    found = best(talks, "support group", days=[("2023-06-09", "2023-06-10")])
    assert found[0].path == "Session 2.md"
    assert found[0].factors["date"] == 2.0
    assert {one.path for one in found} == {"Session 1.md", "Session 2.md"}


def test_a_stem_finds_other_forms_and_the_word_itself_comes_first(settled):
    settled.put("Un.md", "Les jardins de la ville sont grands.\n")
    settled.put("Deux.md", "Le jardin de la ville est grand.\n")
    for n in range(9):
        settled.put(f"Bruit {n}.md", "La pluie tombe sur les toits.\n")
    settled.settle()
    assert [one.path for one in best(settled, "jardins")] == ["Un.md", "Deux.md"]
    assert [one.path for one in best(settled, "jardin")] == ["Deux.md", "Un.md"]


@pytest.mark.parametrize("query", ["girole", "giroles", "jirolle", "grolle"])
def test_a_word_spelt_wrong_by_a_letter_finds_what_was_meant(settled, query):
    settled.put("A.md", "La girolle pousse.\n")
    settled.put("B.md", "La pluie tombe.\n")
    settled.settle()
    assert [one.path for one in best(settled, query)] == ["A.md"]


def test_a_part_of_a_word_finds_it_after_whole_words(settled):
    settled.put("A.md", "Le multijardinage.\n")
    settled.put("B.md", "Un jardin.\n")
    settled.put("C.md", "Rien.\n")
    settled.settle()
    found = best(settled, "jardin")
    assert [one.path for one in found] == ["B.md", "A.md"]
    assert "trigram" in found[1].factors


def test_a_forgotten_word_misleads_nobody(settled):
    settled.put("A.md", "La girolle pousse.\n")
    settled.settle()
    settled.put("A.md", "La pluie tombe.\n")
    settled.settle()
    assert best(settled, "girolle") == best(settled, "girole") == []


def test_words_that_say_nothing_are_found_when_alone(settled):
    settled.put("B.md", "la voiture dans le garage\n")
    settled.put("A.md", "un danseur\n")
    settled.settle()
    assert [one.path for one in best(settled, "dans le")] == ["B.md"]
    assert best(settled, "yourselves") == []


def test_the_order_of_blocks_is_that_of_notes_too(settled):
    settled.put("Long.md", "\n\n".join(f"La tulipe numéro {n} du jardin. ^p{n}" for n in range(5)))
    settled.put("Court.md", "Une tulipe. ^c1\n\nAutre chose. ^c2\n")
    settled.settle()
    assert {one.path for one in best(settled, "tulipe jardin")[:3]} == {"Long.md"}


def test_no_agent_and_no_outsider_is_given_what_is_not_for_them(tmp_path):
    settled = Guarded(tmp_path / "vault", tmp_path / "state")
    settled.declared = RULES
    paths = ("Privé/a.md", "Argent/b.md", NAMES.profile, "c.md")
    for path in paths:
        settled.put(path, "une tulipe noire\n")
    settled.settle()
    for options, seen in (
        ({}, set(paths)),
        ({"agent": True}, {"Argent/b.md", "c.md"}),
        ({"external": True}, {NAMES.profile, "c.md"}),
        ({"agent": True, "external": True}, {"c.md"}),
    ):
        for query in ("tulipe", "tulippe", "tuli", "une"):
            assert {one.path for one in best(settled, query, **options)} == seen, (query, options)
    settled.index.close()


NOTES = st.lists(
    st.sampled_from(
        [
            "la tulipe noire ^a",
            "# Jardin\n\nune rose",
            "**Marie:** oui, demain ^b",
            "the black tulip",
            "会議は",
            "",
        ]
    ),
    min_size=1,
    max_size=4,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=25)
@given(first=st.lists(NOTES, max_size=5), then=st.lists(NOTES, max_size=5))
def test_c21_a_rebuilt_index_ranks_as_the_one_that_grew(tmp_path_factory, settled, first, then):
    folder = tmp_path_factory.mktemp("grown")
    grown = type(settled)(folder / "vault", folder / "state")
    for notes in (first, then):
        for number, parts in enumerate(notes):
            grown.put(f"{number}.md", "\n\n".join(parts))
        grown.settle()
    queries = ("tulipe noire", "Marie demain", "tulip", "tulippe", "会議", "rose jardin", "une")

    def answers():
        found = [best(grown, query, 50) for query in queries]
        return [[one._replace(row=0) for one in each] for each in found]

    before = answers()
    grown.rebuilt()
    assert answers() == before
    grown.index.close()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(query=st.text(), names=st.lists(st.text(), max_size=2))
def test_c19_any_string_is_a_legal_query_and_any_name_may_be_lifted(talks, query, names):
    for one in best(talks, query, lifted=names, days=[("2023-05-01", "2023-06-01")]):
        assert 0 <= one.score <= 2.0 * 1.35


def test_the_day_of_a_time_is_that_of_the_calendar():
    assert [ranking._day(seconds * 10**9) for seconds in (0, 951_782_400, 1_796_083_200)] == [
        "1970-01-01", "2000-02-29", "2026-12-01",
    ]  # fmt: skip


def test_a_word_stands_for_the_nearest_words_by_any_of_its_forms():
    there = {"paris", "pariss", "parade", "perle", "parl"}
    asked = []

    def having(word, most):
        asked.append((word, most))
        return there

    assert matching.misspelt({"parrade": 1, "parl": 0, "parizs": 2}, having) == ["parade", "paris", "pariss"]
    assert asked == [("parrade", 1), ("parizs", 2)]
    assert matching.misspelt({"pariss": 1, "parist": 1}, having) == ["pariss", "paris"]
