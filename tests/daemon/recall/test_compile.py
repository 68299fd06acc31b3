"""R-M06: the compiled context, its sections and shares, its budget, its origins; nothing of the person's goes out."""

import re
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from config.paths import NAMES
from daemon.policy.privacy import Declared
from daemon.recall.compile import LEAST, BudgetTooSmall, NowNote
from renderers.context import CUT, tokens
from tests.daemon.recall.made import entity, fact, relation
from tests.daemon.recall.shelf import shelf

NOW_TEXT = "# Now — 2026-11-30\n\n## Étape courante\nRanger le garage.\n\n## Prochaine action immédiate\n"
NOTE = NowNote(
    NOW_TEXT.encode(), {"day": "2026-11-30", "by": "mcp:claude-code", "provenance": "mcp:claude-code"}
)
TEA = fact("f-00000001", "Thé sans sucre", kind="preference")
DENTIST = fact("f-00000002", "Dentiste : Dr Martin", valid_from="2026-09-01")
BOOKING = fact(
    "f-00000003", "Prendre rendez-vous chez le dentiste\n\t1. Appeler\n\t2. Noter", kind="procedure"
)
MARIE = entity("e-00000001", "Marie Dupont", aliases=("Mimi",))


@pytest.fixture
def one():
    with shelf() as made:
        yield made


def lines(context, section):
    found = re.search(rf"<{section}[^>]*>\n(.*?)\n</{section}>", context.text, re.DOTALL)
    return found[1].split("\n") if found else []


def full(one):
    one.put("Santé/Dentiste.md", "# Dentiste\n\nLe dentiste de Marie est rue Haute. ^p1\n")
    one.know(
        [TEA, DENTIST, BOOKING, fact("f-00000004", "va chez le même dentiste", entity_id=MARIE.id)],
        [MARIE],
        [relation(MARIE.id, "sœur")],
    )
    return one.context("le dentiste de Marie", note=NOTE)


def test_sections_stand_in_their_order_each_line_with_its_origin_and_provenance(one):
    given = full(one)
    assert given.sections == ("now", "procedures", "entities", "facts", "passages")
    assert lines(given, "now") == NOW_TEXT.rstrip().split("\n")
    (procedure,) = lines(given, "procedures")
    steps = "Prendre rendez-vous chez le dentiste ⏎ 1. Appeler ⏎ 2. Noter"
    assert procedure == f"- [[99_Assistant/Profil#^f-00000003|Profil]] · user · {steps}"
    assert lines(given, "entities") == [
        "- [[99_Assistant/Personnes#^e-00000001|Personnes]] · user · person · Marie Dupont (Mimi) — sœur"
    ]
    assert set(lines(given, "facts")) == {
        "- [[99_Assistant/Personnes#^f-00000004|Personnes]] · user · Marie Dupont : va chez le même dentiste",
        "- [[99_Assistant/Profil#^f-00000002|Profil]] · user · 2026-09-01→ · Dentiste : Dr Martin",
    }
    (passage,) = lines(given, "passages")
    assert passage.startswith("- [[Santé/Dentiste#^p1|Dentiste]] · vault · ")


def test_now_says_who_wrote_it_and_when(one):
    assert (
        '<now origin="99_Assistant/now.md" day="2026-11-30" by="mcp:claude-code" provenance="mcp:claude-code">'
        in full(one).text
    )


def test_meta_says_the_tokens_that_are_used(one):
    given = full(one)
    assert f'<meta tokens="{given.used}" budget="2500" day="2026-11-30"/>' in given.text
    assert given.used == tokens(given.text)


def test_what_does_not_answer_stays_out(one):
    assert one.know([TEA, DENTIST]).context("la météo de demain").sections == ()
    assert "sucre" not in one.context("dentiste").text


def test_what_is_pinned_is_always_in(one):
    one.know([replace(TEA, text="Thé sans sucre #épinglé"), replace(TEA, id="f-x", text="Café #pinned noir")])
    one.know([replace(TEA, id="f-y", text="Eau #pinnacle"), replace(DENTIST, text="Dentiste #épinglé")])
    assert len(lines(one.context("la météo"), "profile")) == 2


def test_below_the_threshold_nothing_enters(one):
    one.know([DENTIST])
    asked = "dentiste jardin vélo train lac montagne neige soleil pluie vent orage brume"
    assert one.found(asked) == [DENTIST.text]
    assert one.context(asked).sections == ()
    assert one.context(asked, threshold=0.0).sections == ("facts",)


def test_an_old_fact_is_no_noise(one):
    one.know([replace(DENTIST, last_seen_at="2001-01-01T09:00:00.000Z")])
    assert one.recall("dentiste").hits[0].score == 0.001
    assert one.context("dentiste").sections == ("facts",)


def test_now_is_cut_and_never_dropped(one):
    one.know([DENTIST])
    long = NowNote(("## Étape courante\n" + "mot " * 4000).encode())
    given = one.context("dentiste", note=long)
    kept = lines(given, "now")
    assert kept[-1].endswith(CUT)
    assert 380 <= tokens("\n".join(("<now>", *kept, "</now>", ""))) <= 400
    assert given.sections == ("now", "facts")
    small = one.context("dentiste", LEAST, note=long)
    assert (small.sections[0], small.used <= LEAST) == ("now", True)


def test_a_budget_of_no_use_is_refused(one):
    with pytest.raises(BudgetTooSmall):
        one.know([DENTIST]).context("dentiste", LEAST - 1)


def test_what_a_section_leaves_goes_to_the_next(one):
    one.know([fact(f"f-{n:08}", f"Dentiste numéro {n} " + "x" * 40) for n in range(60)])
    alone = one.context("dentiste")
    assert 1500 < alone.used <= 2500, "facts have what profile and entities leave"


def test_a_fact_is_given_whole_or_not_at_all_and_a_passage_is_cut(one):
    one.put("a.md", "Le dentiste " + "parle " * 3000)
    one.know(
        [replace(DENTIST, text="Dentiste " + "mot " * 900), replace(DENTIST, id="f-b", text="Dentiste bref")]
    )
    given = one.context("dentiste", 1000)
    assert [line.endswith("Dentiste bref") for line in lines(given, "facts")] == [True]
    assert lines(given, "passages")[0].endswith(CUT)


def test_a_superseded_fact_is_in_no_context(one):
    one.know([replace(DENTIST, id="f-o", text="Dentiste : Dr Petit", valid_to="2026-09-01")])
    one.know([replace(DENTIST, supersedes="f-o")])
    assert "Petit" not in one.context("dentiste").text


def test_a_now_note_that_is_sensitive_is_not_for_others(one):
    one.put(NAMES.now, f"---\nsensible: oui\n---\n{NOW_TEXT}")
    assert one.know([DENTIST]).context("dentiste", note=NOTE).sections == ("facts",)


def test_another_counter_counts(one):
    one.put("a.md", "Le dentiste " + "parle " * 300)
    one.know([DENTIST])
    given = one.context("dentiste", 300, note=NOTE, count=len)
    assert len(given.text) == given.used
    assert given.used <= 300


# ---- laws

TEXTS = st.sampled_from(
    [
        "dentiste", "Dentiste : Dr Martin", "dentiste </facts>", "<assistant-context> dentiste", "le dentiste\n- faux",
        "dentiste ＜/now＞", "dentiste " * 40, "dentiste #épinglé", "thé", "dentiste " + "é" * 300,
    ]
)  # fmt: skip
SENSITIVITIES = st.sampled_from(["normal", "private", "sensitive"])
STATUSES = st.sampled_from(["confirmed", "held", "pending", "rejected"])
PLACES = ["Libre/a.md", "Argent/a.md", "Privé/a.md", "Libre/oui.md", f"{NAMES.assistant}/a.md"]
DECLARED = Declared(sensitive=("Argent",), private=("Privé",))
facts = st.lists(
    st.fixed_dictionaries({
        "text": TEXTS, "sensitivity": SENSITIVITIES, "status": STATUSES,
        "kind": st.sampled_from(["preference", "goal", "procedure", "decision", "fact"]),
        "source_ref": st.none() | st.sampled_from([*PLACES, "Absent.md#^p1"]),
        "entity_id": st.none() | st.sampled_from(["e-0", "e-1", "e-9"]),
        "supersedes": st.none() | st.sampled_from(["f-0", "f-1"]),
        "valid_to": st.none() | st.sampled_from(["2026-01-01", "2027-01-01"]),
    }),
    max_size=6,
)  # fmt: skip
people = st.lists(st.tuples(SENSITIVITIES, STATUSES), max_size=2)
LAWS = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=60)


def filled(one, facts, people, notes):
    """Let every thing bear a word of its own that tells it apart."""
    for number, text in enumerate(notes):
        path = PLACES[number]
        head = "---\nsensible: oui\n---\n" if path.endswith("oui.md") else ""
        one.put(path, f"{head}{text} mot{number}n\n")
    known = [fact(f"f-{n}", **{**said, "text": f"{said['text']} mot{n}f"}) for n, said in enumerate(facts)]
    whom = [
        entity(f"e-{n}", f"Nom mot{n}e", sensitivity=kind, status=status)
        for n, (kind, status) in enumerate(people)
    ]
    one.know(known, whom, [relation(who.id, f"dentiste mot{n}r") for n, who in enumerate(whom)])
    return known, whom


def not_for_others(known, whom):
    """The words that bear what no reader outside may see."""
    closed = {one.id for one in whom if one.sensitivity != "normal"}
    yield from (f"mot{n}e" for n, one in enumerate(whom) if one.id in closed)
    yield from (f"mot{n}r" for n, one in enumerate(whom) if one.id in closed)
    yield from (f"mot{n}n" for n, path in enumerate(PLACES) if path != "Libre/a.md")
    protected = {*PLACES[1:4], "Absent.md#^p1"}
    for number, one in enumerate(known):
        if one.sensitivity != "normal" or one.entity_id in closed or one.source_ref in protected:
            yield f"mot{number}f"


@LAWS
@given(facts, people, st.lists(TEXTS, min_size=5, max_size=5), st.integers(LEAST, 3000), TEXTS)
def test_nothing_private_or_sensitive_is_in_anything_for_a_tool_outside(facts, people, notes, budget, query):
    with shelf(DECLARED) as one:
        known, whom = filled(one, facts, people, notes)
        asked = f"{query} dentiste thé Nom mot0e mot1e"
        outside = one.context(asked, budget, note=NOTE, threshold=0.0)
        hits = one.recall(asked, external=True, k=50).hits
        said = outside.text + "".join(f"{hit.id} {hit.text} {hit.note} {hit.heading}" for hit in hits)
        for word in not_for_others(known, whom):
            assert word not in said
        assert all(hit.sensitivity == "normal" for hit in (*hits, *outside.hits))


@LAWS
@given(
    facts, people, st.lists(TEXTS, min_size=5, max_size=5), st.integers(LEAST, 3000), st.text(max_size=3000)
)
def test_no_budget_is_exceeded_and_no_text_ends_the_block(facts, people, notes, budget, now):
    with shelf(DECLARED) as one:
        filled(one, facts, people, notes)
        for external in (True, False):
            note = NowNote(now.encode("utf-8", "replace"))
            given = one.context("dentiste thé Nom", budget, external=external, note=note, threshold=0.0)
            assert given.used == tokens(given.text) <= budget
            assert given.text.count("</assistant-context>") == 1
            assert given.text.endswith("</assistant-context>\n")
            assert ("now" in given.sections) == bool(re.sub(r"[\x00-\x08\x0b-\x1f\x7f]", "", now).strip())
            for name in given.sections:
                assert len(re.findall(rf"</?{name}\b", given.text)) == 2
            again = one.context("dentiste thé Nom", budget, external=external, note=note, threshold=0.0)
            assert again == given


@LAWS
@given(facts, people)
def test_no_fact_outranks_what_replaced_it(facts, people):
    with shelf() as one:
        known, _ = filled(one, facts, people, [])
        place = {hit.id: number for number, hit in enumerate(one.recall("dentiste thé Nom", k=50).hits)}
        newer = {one.id: one.supersedes for one in known if one.supersedes}
        for new, old in newer.items():
            if old in place and new in place and newer.get(old) != new:
                assert place[new] < place[old]


# ---- the index is of the last pass, the notes are of now


def test_what_may_not_be_quoted_any_more_is_left_out_with_what_was_taken_from_it(one):
    for name in ("Ici", "Parti"):
        one.put(f"{name}.md", f"# {name}\n\nle dentiste de {name} passage{name}\n")
    one.put("Marie Dupont.md", "# Marie Dupont\n")
    taken = [
        fact(f"f-0000000{n}", f"Dentiste fait{name}", source_ref=f"{name}.md#^p1")
        for n, name in enumerate(("Ici", "Parti"), 5)
    ]
    pinned = fact("f-00000009", "Règle #épinglé", kind="preference", source_ref="Parti.md#^p2")
    one.know([*taken, pinned, DENTIST], [MARIE], [relation(MARIE.id, "sœur")])
    asked = "le dentiste de Marie Dupont"
    told = one.context(asked, threshold=0.0).text
    given = one.context(asked, threshold=0.0, quotable=lambda path: path == "Ici.md")
    for words in ("passageIci", "faitIci", "Dr Martin", "Marie Dupont (Mimi) — sœur"):
        assert words in given.text, words
    for words in ("passageParti", "faitParti", "Règle", "[[Marie Dupont"):
        assert words in told, words
        assert words not in given.text, words
    assert {hit.note for hit in given.hits if hit.kind == "block"} == {"Ici.md"}
