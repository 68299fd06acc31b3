"""Whom a name means: candidates with scores, one of them only where it is clear, two of a name side by side (R-M07)."""

import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.memory.resolving import AHEAD, CLEAR, clear_winner, resolve
from parsers.model.entities import Entity
from tests.daemon.policy.test_linear import check_linear


def entity(name: str, *aliases: str, **other: object) -> Entity:
    made = Entity(
        id=f"e-{name}",
        user_id="moi",
        kind="person",
        name=name,
        aliases=aliases,
        note=None,
        anchor=None,
        status="confirmed",
        provenance="user",
        source="user",
        sensitivity="normal",
        last_seen=None,
        recorded_at="2026-11-30T09:00:00.000Z",
        retracted_at=None,
    )
    return replace(made, **other)


KNOWN = (
    entity("Marie Dupont", "Maman", id="e-dupont"),
    entity("Marie Curie", id="e-curie"),
    entity("Paul Éluard", id="e-eluard"),
    entity("Jean-Pierre Petit", "JP", id="e-petit"),
    entity("田中太郎", id="e-tanaka"),
    entity("Club d'échecs de Lyon", id="e-club", kind="org"),
)
TOLD = {"e-dupont": "sœur\nJoue au club d'échecs le mardi", "e-curie": "collègue\nPhysique, Villiers"}


def found(name: str, context: str = "", known=TOLD, entities=KNOWN) -> list[tuple[str, str]]:
    return [(one.entity_id, one.how) for one in resolve(name, entities, context, known)]


def winner(name: str, context: str = "", known=TOLD, entities=KNOWN) -> str | None:
    best = clear_winner(resolve(name, entities, context, known))
    return best.entity_id if best else None


@pytest.mark.parametrize(
    ("name", "who", "how"),
    [
        ("Marie Dupont", "e-dupont", "exact"),
        ("  Marie   Dupont ", "e-dupont", "exact"),
        ("Paul E\u0301luard", "e-eluard", "exact"),
        ("Maman", "e-dupont", "alias"),
        ("maman", "e-dupont", "folded"),
        ("MARIE DUPONT", "e-dupont", "folded"),
        ("paul eluard", "e-eluard", "folded"),
        ("jean pierre petit", "e-petit", "folded"),
        ("Dupont, Marie", "e-dupont", "folded"),
        ("田中太郎", "e-tanaka", "exact"),
        ("club d’echecs de lyon", "e-club", "folded"),
    ],
)
def test_a_name_said_whole_is_clear_however_it_is_spelt(name, who, how):
    assert found(name)[0] == (who, how)
    assert winner(name) == who


@pytest.mark.parametrize(
    ("name", "who", "how"),
    [
        ("M. Dupont", "e-dupont", "initials"),
        ("Marie D.", "e-dupont", "initials"),
        ("M. D.", "e-dupont", "initials"),
        ("MD", "e-dupont", "initials"),
        ("J.-P. Petit", "e-petit", "initials"),
        ("J. Petit", "e-petit", "initials"),
        ("Dupont", "e-dupont", "part"),
        ("Marie Anne Dupont", "e-dupont", "part"),
        ("Mme Dupont", "e-dupont", "part"),
        ("Docteur Paul Éluard", "e-eluard", "part"),
        ("Mari Dupont", "e-dupont", "fuzzy"),
        ("Marie Dupond", "e-dupont", "fuzzy"),
        ("Eluar", "e-eluard", "fuzzy"),
    ],
)
def test_half_a_name_initials_and_slips_of_the_pen_give_candidates_and_nothing_certain(name, who, how):
    assert found(name)[0] == (who, how)
    assert winner(name) is None


def test_a_first_name_that_two_people_have_means_both_and_neither():
    assert found("Marie") == [("e-curie", "part"), ("e-dupont", "part")]
    assert winner("Marie") is None


@pytest.mark.parametrize("name", ["Marie Durand", "Zoé", "MX", "Luc", "", " ", "🙂", "de", "\0", "%_'\""])
def test_who_is_not_known_is_nobody(name):
    assert found(name) == []


def test_a_first_name_of_two_letters_is_part_of_a_name_and_a_particle_is_not():
    entities = [entity("Jo Martin"), entity("Marie de La Tour"), entity("王 小明")]
    assert found("Jo", entities=entities) == [("e-Jo Martin", "part")]
    assert found("王", entities=entities) == [("e-王 小明", "part")]
    assert found("de La", entities=entities) == []


def test_a_name_of_one_letter_less_is_another_name_where_it_is_short():
    assert found("Léo", entities=[entity("Léa"), entity("Théo")]) == []


@pytest.mark.parametrize(
    ("name", "context", "who"),
    [
        ("Marie", "On s'est vues aux échecs mardi", "e-dupont"),
        ("Marie", "un papier de physique", "e-curie"),
        ("Marie du club d'échecs", "", "e-dupont"),
        ("Marie (physique)", "", "e-curie"),
        ("Marie", "rien de connu", None),
        ("Marie", "avec dans pour les des", None),
        ("Marie de Villiers", "", None),
        ("Marie du club de natation", "", None),
        ("M. D.", "échecs", "e-dupont"),
    ],
)
def test_words_around_a_name_tell_two_of_a_name_apart(name, context, who):
    assert winner(name, context) == who


def test_a_form_of_address_may_be_an_initial_too():
    entities = [entity("Marie Dupont"), entity("Paul Dupont"), entity("Dr Petit")]
    assert found("M. Dupont", entities=entities) == [
        ("e-Marie Dupont", "initials"),
        ("e-Paul Dupont", "part"),
    ]
    assert found("Dr Petit", entities=entities) == [("e-Dr Petit", "exact")]
    assert found("Docteur", entities=entities) == []


@pytest.mark.parametrize(
    ("name", "who"),
    [
        ("田中", ["e-太郎", "e-花子"]),
        ("田中さん", ["e-太郎", "e-花子"]),
        ("太郎", ["e-太郎"]),
        ("太郎君", ["e-太郎"]),
        ("田中太郎様", ["e-太郎"]),
        ("田中 太郎", ["e-太郎"]),
        ("王", ["e-芳"]),
        ("王先生", ["e-芳"]),
        ("マリ", ["e-マリア"]),
        ("田", []),
        ("芳", []),
        ("中太", []),
        ("マ", []),
        ("さん", []),
        ("田中次郎", []),
    ],
)
def test_a_name_without_blanks_is_half_said_too_and_half_a_name_is_never_clear(name, who):
    entities = [
        entity("田中太郎", id="e-太郎"),
        entity("田中花子", id="e-花子"),
        entity("王芳", id="e-芳"),
        entity("マリア", id="e-マリア"),
    ]
    best = resolve(name, entities)
    assert [one.entity_id for one in best] == who
    assert all((one.how, one.score) == ("part", 0.75) for one in best)


def test_what_is_known_tells_apart_those_who_share_half_a_name_without_blanks():
    entities = [entity("田中太郎", id="e-1"), entity("田中花子", id="e-2")]
    assert winner("田中さん", "tennis", {"e-2": "joue au tennis"}, entities) == "e-2"


@pytest.mark.parametrize(
    "unit", ["田", "さん", "a", "M. ", ", ", "du ", "Marie ", "(", "🙂", "M", "' ", "é-", "— "]
)
def test_any_text_may_be_handed_in_as_a_name_or_around_it(unit):
    check_linear(lambda text: resolve(text, KNOWN, text, TOLD), unit)
    check_linear(lambda text: resolve("Marie " + text, KNOWN, "", TOLD), unit)


def test_what_is_said_of_both_tells_nobody_apart():
    both = {"e-dupont": "aux échecs", "e-curie": "les échecs"}
    assert winner("Marie", "échecs", both) is None


def test_context_never_takes_a_whole_name_away_from_who_has_it():
    entities = [entity("Marie", id="e-1"), entity("Marie Dupont", id="e-2")]
    assert winner("Marie", "échecs", {"e-2": "échecs"}, entities) == "e-1"


def test_two_of_one_name_are_told_apart_by_what_is_known_of_them():
    entities = [entity("Marie Dupont", id="e-1"), entity("Marie Dupont", id="e-2")]
    known = {"e-1": "médecin", "e-2": "voisine"}
    assert winner("Marie Dupont", "", known, entities) is None
    assert winner("Marie Dupont", "la voisine", known, entities) == "e-2"


@pytest.mark.parametrize("status", ["held", "rejected", "forgotten"])
def test_who_is_rejected_forgotten_or_held_is_no_candidate(status):
    assert found("Zoé", entities=[entity("Zoé", status=status)]) == []


def test_who_was_retracted_is_no_candidate():
    assert found("Zoé", entities=[entity("Zoé", retracted_at="2026-11-30T09:00:00.000Z")]) == []


def test_a_clear_winner_is_far_enough_ahead():
    one, *_ = resolve("Marie Dupont", KNOWN)
    assert clear_winner([]) is None
    assert clear_winner([replace(one, score=CLEAR)]) is not None
    assert clear_winner([replace(one, score=CLEAR - 0.01)]) is None
    assert clear_winner([one, replace(one, entity_id="x", score=1 - AHEAD)]) == one
    assert clear_winner([replace(one, entity_id="x", score=0.86), one]) is None


# ---- laws

_NAMES = st.one_of(
    st.sampled_from(["Marie", "marie", "Marie Dupont", "M. Dupont", "MD", "Léa", "Maman", "", "田中", "de"]),
    st.text(max_size=12),
)
_ENTITIES = st.lists(st.tuples(_NAMES, st.lists(_NAMES, max_size=2)), max_size=8).map(
    lambda rows: [entity(name, *aliases, id=f"e-{number}") for number, (name, aliases) in enumerate(rows)]
)


@given(_NAMES, _ENTITIES, st.text(max_size=20), st.randoms())
def test_any_name_is_answered_and_the_order_of_those_who_are_known_does_not_matter(
    name, entities, context, chance
):
    known = {one.id: f"{context} {one.name}" for one in entities[::2]}
    once = resolve(name, entities, context, known)
    chance.shuffle(entities)
    assert resolve(name, entities, context, known) == once
    assert list(once) == sorted(once, key=lambda one: (-one.score, one.entity_id))
    assert len({one.entity_id for one in once}) == len(once)
    assert all(0 < one.score <= 1 for one in once)


@given(_NAMES, _NAMES, _ENTITIES)
def test_two_of_the_same_name_never_become_one(name, asked, others):
    twins = [entity(name, id="e-a"), entity(name, id="e-b")]
    for said in (name, name.upper(), f"{name} ", asked):
        best = clear_winner(resolve(said, [*others, *twins]))
        assert best is None or best.entity_id not in ("e-a", "e-b")


def test_five_thousand_people_take_time_in_proportion():
    few, many = (
        [entity(f"Prénom{n % 40} Nom{n}", id=f"e-{n}") for n in range(size)] for size in (1_250, 5_000)
    )

    def took(entities) -> float:
        best = float("inf")
        for _ in range(5):
            before = time.thread_time()
            resolve("Prénom7", entities, "au club")
            best = min(best, time.thread_time() - before)
        return best

    took(many)  # names are read once
    assert min(took(many) / max(took(few), 1e-4) for _ in range(3)) < 9
