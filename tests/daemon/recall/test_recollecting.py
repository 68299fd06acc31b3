"""R-M05: what memory and notes answer; who is not told what (R-M06, R-P04); and what answers are good for."""

import json
from dataclasses import replace
from datetime import timedelta
from math import prod

import pytest

from config.paths import NAMES
from daemon.policy.privacy import Declared
from tests.daemon.recall.asking import ask
from tests.daemon.recall.made import entity, fact, relation
from tests.daemon.recall.shelf import NOW, shelf
from tests.home import temporary

OLD = fact(
    "f-old",
    "Dentiste : Dr Petit",
    key="Dentiste",
    valid_to="2026-09-01",
    last_seen_at="2026-01-01T00:00:00.000Z",
)
NEW = fact("f-new", "Dentiste : Dr Martin", key="Dentiste", valid_from="2026-09-01", supersedes="f-old")
TEA = fact("f-tea", "Thé sans sucre", kind="preference")


@pytest.fixture
def one():
    with shelf() as made:
        yield made


# ---- which facts


def test_a_fact_that_holds_is_found_and_one_that_ended_is_not(one):
    one.know([OLD, NEW, TEA])
    assert one.found("mon dentiste") == ["Dentiste : Dr Martin"]
    assert one.found("dentiste", as_of="2026-03-01") == ["Dentiste : Dr Petit"]
    assert one.found("the sugar") == []


@pytest.mark.parametrize("query", ["dentise", "dentiist", "denitste", "mon dentise", "DENTISE"])
def test_a_misspelt_word_finds_the_fact_it_is_meant_for(one, query):
    one.know([OLD, NEW, TEA])
    assert one.found(query) == ["Dentiste : Dr Martin"]


def test_a_word_that_a_fact_or_a_note_has_is_not_taken_for_a_misspelt_one(one):
    one.know([NEW, TEA, fact("f-pump", "Pompe : 80 euros")])
    one.put("Verger.md", "La pomme est mûre.\n")
    assert one.found("pomme") == ["Verger.md:1"]
    assert one.found("ponpe")[0] == "Pompe : 80 euros"
    assert one.found("thym") == []


@pytest.mark.parametrize("status", ["pending", "rejected", "forgotten"])
def test_what_was_not_confirmed_is_never_told(one, status):
    one.know([replace(TEA, status=status), NEW])
    assert one.found("thé") == []


def test_a_fact_lost_by_accident_is_still_told(one):
    one.know([replace(TEA, status="held")])
    assert one.found("thé") == ["Thé sans sucre"]


def test_a_version_that_was_retracted_is_not_told(one):
    one.know([replace(TEA, retracted_at=NEW.recorded_at), replace(TEA, version=2, text="Thé sucré")])
    assert one.found("thé") == ["Thé sucré"]


def test_the_better_known_fact_comes_first(one):
    one.know(
        [replace(TEA, id="f-a", text="Thé vert", confidence=0.8), replace(TEA, id="f-b", text="Thé noir")]
    )
    assert one.found("thé") == ["Thé noir", "Thé vert"]


def test_what_was_stated_again_comes_first(one):
    seen = (NOW - timedelta(days=730)).isoformat().replace("+00:00", "Z")
    one.know(
        [replace(TEA, id="f-a", text="Thé vert", last_seen_at=seen), replace(TEA, id="f-b", text="Thé noir")]
    )
    hits = one.recall("thé").hits
    assert [hit.text for hit in hits] == ["Thé noir", "Thé vert"]
    assert hits[1].factors["freshness"] == 0.5


def test_a_fact_says_where_its_line_stands(one):
    one.know([replace(TEA, anchor="p1")])
    (hit,) = one.recall("thé").hits
    assert (hit.note, hit.title, hit.block, hit.line, hit.start, hit.end) == (
        NAMES.profile,
        "Profil",
        "p1",
        0,
        0,
        0,
    )


# ---- factors


def test_every_score_is_the_product_of_its_factors(one):
    one.put("Santé.md", "Le dentiste a appelé hier.\n", days=40)
    one.know([NEW, TEA], [entity("e-m", "Marie")], [relation("e-m", "dentiste")])
    hits = one.recall("dentiste de Marie le 1er septembre").hits
    assert len(hits) == 3
    for hit in hits:
        assert hit.score == pytest.approx(
            prod(v for name, v in hit.factors.items() if "." not in name), abs=1e-6
        )


def test_the_same_question_has_the_same_answer(one):
    for number in range(20):
        one.put(f"n{number}.md", "Le dentiste.\n")
    one.know([NEW, OLD, TEA])
    assert one.recall("dentiste") == one.recall("dentiste")


def test_a_recall_is_logged(one):
    one.know([NEW])
    one.recall("dentiste")
    line = json.loads((one.state / NAMES.recalls).read_text("utf-8"))
    assert [hit["id"] for hit in line["hits"]] == ["f-new"]
    assert "entiste" not in json.dumps(line)


@pytest.mark.parametrize(
    "query", ["", "?", '"', "*", "AND", "a" * 9000, "👍", "\x00", "\ud800", "-", "le la les"]
)
def test_any_text_is_a_legal_question(one, query):
    one.put("a.md", "Le texte.\n")
    one.know([NEW], [entity("e-m", "Marie")])
    one.recall(query)


def test_a_date_lifts_what_began_then(one):
    one.know([
        replace(TEA, id="f-a", text="Réunion Alpha", valid_from="2024-03-05"),
        replace(TEA, id="f-b", text="Réunion Bravo", valid_from="2024-05-05"),
    ])  # fmt: skip
    first, second = one.recall("réunion en mars 2024").hits
    assert (first.text, first.factors["date"], second.factors["date"]) == ("Réunion Alpha", 2.0, 1.0)
    assert one.recall("réunion en mai 2024").hits[0].text == "Réunion Bravo"


# ---- people

MARIE = entity("e-m", "Marie Dupont", aliases=("Mimi",))
PAUL = entity("e-p", "Paul", note="Gens/Paul.md")
HERS = fact("f-hers", "aime le thé vert", entity_id="e-m")


def test_facts_about_somebody_are_found_by_each_of_their_names(one):
    one.know([HERS, TEA], [MARIE])
    for name in ("Marie Dupont", "mimi", "MARIE", "Que boit Mimi ?"):
        (hit,) = one.recall(name).hits
        assert (hit.id, hit.heading, hit.factors["entity"]) == ("f-hers", "Marie Dupont", 1.35)
    assert one.recall("thé").hits[0].factors["entity"] == 1.0


def test_a_name_lifts_whom_it_names(one):
    one.know([HERS, replace(HERS, id="f-his", entity_id="e-p")], [MARIE, PAUL])
    assert one.recall("le thé de Paul").hits[0].id == "f-his"
    assert one.recall("le thé de Paul").entities == ("e-p",)


def test_a_name_inside_a_word_names_nobody(one):
    one.know([], [entity("e-a", "Ana")], [relation("e-a", "amie")])
    assert one.recall("banane anabel").entities == ()


def test_the_names_a_home_note_gives_count(one):
    one.put("Gens/Paul.md", "---\naliases: [Popol]\n---\nGrand.\n")
    one.know([replace(HERS, entity_id="e-p")], [PAUL])
    assert one.recall("Popol").entities == ("e-p",)


def test_a_relation_is_found_while_it_holds(one):
    sister = relation("e-m", "sœur")
    boss = relation("e-p", "patronne", valid_from="2020-01-01", valid_to="2026-01-01")
    one.know([], [MARIE, PAUL], [sister, boss])
    (hit,) = one.recall("ma soeur").hits
    assert (hit.kind, hit.id, hit.text, hit.note, hit.block) == (
        "fact",
        "e-m",
        "Marie Dupont — sœur",
        NAMES.people,
        "e-m",
    )
    assert one.found("patronne") == []
    assert one.found("patronne", as_of="2025-06-01") == ["Paul — patronne"]


def test_somebody_who_was_rejected_names_nobody(one):
    one.know([], [replace(MARIE, status="rejected")], [relation("e-m", "sœur")])
    assert (one.found("Marie"), one.recall("Marie").entities) == ([], ())


# ---- what replaced what


def test_no_heading_rule_or_marker_alone_is_a_hit_nor_a_passage_of_a_context(one):
    section = "## Faits\n<!-- clavaire:begin facts -->\n<!-- clavaire:end facts -->\n"
    one.put(NAMES.profile, f"# Dentiste\n\n{section}\n---\n")
    one.put("Santé.md", "# Santé\n\n## Dentiste\n\n### Adresse\n\nRue Haute. ^p1\n\n---\n\n## Dentiste\n")
    assert one.found("dentiste") == ["Santé.md#^p1"]
    assert one.found("faits") == []
    assert [hit.id for hit in one.context("dentiste", external=False).hits] == ["Santé.md#^p1"]


@pytest.mark.parametrize("source", ["Santé.md#^p1", "Santé.md:3", "Santé.md:2-4", "Santé.md"])
def test_a_block_that_an_old_fact_was_taken_from_stands_below_what_replaced_it(one, source):
    one.put("Santé.md", "# Santé\n\nDentiste : Dr Petit, dentiste depuis longtemps dentiste ^p1\n")
    one.know([replace(OLD, source_ref=source), replace(NEW, confidence=0.3)])
    found = one.found("dentiste depuis longtemps")
    assert found.index("Dentiste : Dr Martin") < [name.startswith("Santé.md") for name in found].index(True)


def test_a_question_about_the_past_is_answered_by_the_past(one):
    one.put("Santé.md", "Dentiste : Dr Petit ^p1\n")
    one.know([replace(OLD, source_ref="Santé.md#^p1"), NEW])
    assert sorted(one.found("dentiste", as_of="2026-03-01")) == ["Dentiste : Dr Petit", "Santé.md#^p1"]


# ---- notes


def test_lines_of_ours_are_told_as_facts_and_not_again_as_passages(one):
    one.put(
        NAMES.profile,
        "# Profil\n\nMon dentiste, en prose.\n\n## Repères\n\n- Dentiste : Dr Martin ^f-7h2k9qd3\n",
    )
    one.know([NEW])
    found = one.found("dentiste")
    assert found[0] == "Dentiste : Dr Martin"
    assert all("f-7h2k9qd3" not in hit.text for hit in one.recall("dentiste").hits)


def test_a_folder_keeps_what_stands_below_it_and_facts_that_were_taken_from_there(one):
    one.put("A/x.md", "Le dentiste.\n")
    one.put("B/x.md", "Le dentiste.\n")
    one.know([NEW, replace(TEA, text="Dentiste sérieux", source_ref="A/x.md#^p")])
    assert sorted(one.found("dentiste", folder="A")) == ["A/x.md:1", "Dentiste sérieux"]


def test_at_most_k_hits(one):
    one.know([replace(TEA, id=f"f-{n}", text=f"Thé {n}") for n in range(30)])
    assert len(one.recall("thé", k=3).hits) == 3
    assert len(one.recall("thé", k=30).hits) == 30


def test_a_block_id_that_stands_twice_loses_no_block(one):
    one.put("a.md", "Le dentiste rit. ^p1\n\n# Autre\n\nUn autre dentiste, plus loin, dort. ^p1\n")
    assert sorted(one.found("dentiste")) == ["a.md#^p1", "a.md:3"]


def test_many_old_versions_hide_no_fact(one):
    old = [replace(TEA, id=f"f-{n}", text="Thé thé thé", status="rejected") for n in range(300)]
    one.know([*old, replace(TEA, id="f-z", text="Thé sans sucre ni lait, le matin")])
    assert one.found("thé") == ["Thé sans sucre ni lait, le matin"]


def test_what_came_from_elsewhere_says_so(one):
    marks = {"notes": {"a.md": {"0" * 24: "web"}}, "everywhere": {}}
    one.put("a.md", "Le dentiste.\n")
    one.put("b.md", "Le dentiste.\n")
    one.know(marks=marks)
    assert {hit.note: hit.provenance for hit in one.recall("dentiste").hits} == {
        "a.md": "web",
        "b.md": "vault",
    }


# ---- who is told what


def test_a_reader_outside_is_told_nothing_that_is_not_ordinary():
    with shelf(Declared(sensitive=("Argent",), private=("Privé",))) as one:
        one.put("Argent/a.md", "Le dentiste coûte.\n")
        one.put("Argent/C#.md", "Le dentiste code.\n")
        one.put("Privé/a.md", "Le dentiste ment.\n")
        one.put("b.md", "Le dentiste rit.\n")
        one.put(f"{NAMES.assistant}/notes.md", "Le dentiste dort.\n")
        about = {"entity_id": "e-s"}
        one.know(
            [
                NEW,
                replace(TEA, id="f-1", text="Dentiste cher", sensitivity="sensitive"),
                replace(TEA, id="f-2", text="Dentiste intime", sensitivity="private"),
                replace(TEA, id="f-3", text="Dentiste amoureux", **about),
                replace(TEA, id="f-4", text="Dentiste payé", source_ref="Argent/a.md"),
                replace(TEA, id="f-5", text="Dentiste menteur", source_ref="Privé/a.md#^p"),
                replace(TEA, id="f-6", text="Dentiste disparu", source_ref="Partie.md:3"),
                replace(TEA, id="f-7", text="Dentiste rieur", source_ref="b.md"),
                replace(TEA, id="f-8", text="Dentiste en dièse", source_ref="Argent/C#.md"),
                replace(TEA, id="f-9", text="Dentiste en bloc", source_ref="Argent/C#.md#^p"),
            ],
            [entity("e-s", "Sacha", sensitivity="sensitive")],
            [relation("e-s", "dentiste")],
        )
        assert sorted(one.found("dentiste", external=True, k=30)) == [
            "Dentiste : Dr Martin",
            "Dentiste rieur",
            "b.md:1",
        ]
        assert one.recall("Sacha", external=True).entities == ()
        assert len(one.found("dentiste", k=30)) == 16


def test_what_is_sensitive_now_was_never_for_others(tmp_path):
    with temporary() as home:
        home.remember("Dentiste : Dr Petit")
        home.clock.advance(days=2)
        name = home.fact("Dentiste : Dr Petit").id
        home.rest(10)
        home.replace("Dentiste : Dr Petit", "Dentiste : Dr Petit [sensible:: oui]")
        home.rest(10)
        assert home.fact("Dentiste : Dr Petit").sensitivity == "sensitive"

        assert [hit.id for hit in ask(home, "dentiste", known_at="2026-11-30").hits] == [name]
        assert ask(home, "dentiste", known_at="2026-11-30", external=True).hits == ()


# ---- as it was known


def test_what_was_known_at_a_day_is_answered_from_the_register():

    with temporary({"Santé.md": "Le dentiste.\n"}) as home:
        home.remember("Dentiste : Dr Petit")
        home.clock.advance(days=10)
        home.remember("Dentiste : Dr Martin")
        home.rest(10)
        texts = lambda **asked: [hit.text for hit in ask(home, "dentiste", **asked).hits]  # noqa: E731
        assert texts(known_at="2026-12-01") == ["Dentiste : Dr Petit"]
        assert texts(known_at="2026-12-20") == ["Dentiste : Dr Martin"]
        assert texts(known_at="2026-11-01") == []
        home.forget(home.fact("Dentiste : Dr Petit").id)
        assert texts(known_at="2026-12-01") == []


def test_what_is_forgotten_or_rejected_is_gone_at_once():

    with temporary() as home:
        home.remember("Dentiste : Dr Petit")
        home.remember("Thé sans sucre")
        home.rest(10)
        home.forget(home.fact("Thé sans sucre").id)
        assert ask(home, "thé sucre").hits == ()
        home.replace(next(line for line in home.profile().splitlines() if "Dr Petit" in line) + "\n", "")
        home.rest(10)
        assert ask(home, "dentiste").hits == ()


# ---- cases of others' faults


@pytest.mark.parametrize("query", ["M8-40", "l'été", "C++", "demain?"])
def test_c19_signs_in_a_question_are_data(one, query):
    one.put("a.md", "Commande M8-40 pour l'été, en C++ demain ?\n")
    assert one.found(query) == ["a.md:1"]


@pytest.mark.parametrize("query", ["?", '"', ""])
def test_c19_a_question_without_a_word_finds_nothing(one, query):
    one.put("a.md", "Commande M8-40 pour l'été, en C++ demain ?\n")
    assert one.found(query) == []


@pytest.mark.parametrize(("query", "there"), [("会議", True), ("東京", True), ("京", True), ("大阪", False)])
def test_c20_words_that_no_space_separates_are_found_in_notes_and_facts(one, query, there):
    one.put("a.md", "会議は東京駅で行います\n")
    one.know([replace(TEA, text="会議は東京駅で行います")])
    assert (sorted(one.found(query)) == ["a.md:1", "会議は東京駅で行います"]) is there


@pytest.mark.parametrize("query", ["ete", "Été", "e\u0301te\u0301", "L’ÉTÉ"])
def test_c20_accents_case_and_apostrophes_do_not_matter(one, query):
    one.know([replace(TEA, text="Vacances : l'été"), replace(TEA, id="f-2", text="Œuvre : cœur")])
    assert one.found(query) == ["Vacances : l'été"]
    assert one.found("coeur") == ["Œuvre : cœur"]


def test_c17_a_private_note_is_told_to_the_person_alone():
    with shelf(Declared(private=("Privé",))) as one:
        one.put("Privé/2024/santé.md", "code 7319\n")
        one.put("Privé.md", "jardin\n")
        one.put("Privée/bail.md", "loyer\n")
        one.put("Carnet.md", "![[Privé/2024/santé]]\n")
        for query in ("7319", "code", "Carnet"):
            assert all("7319" not in hit.text for hit in one.recall(query, external=True).hits)
            assert "7319" not in one.context(query).text
        assert one.found("7319") == ["Privé/2024/santé.md:1"]
        for query, path in (("jardin", "Privé.md:1"), ("loyer", "Privée/bail.md:1")):
            assert one.found(query, external=True) == [path]
