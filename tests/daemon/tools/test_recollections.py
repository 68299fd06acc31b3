"""Tools that read memory: what they give, where it came from, and what is not for a reader outside (R-M06, R-P01)."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.paths import NAMES
from daemon.memory.state import State
from daemon.policy.lineage import Output
from daemon.tools.effects import VaultLook
from daemon.tools.errors import ToolError
from daemon.tools.tool import Memory, Sources
from parsers.model.entities import Entity
from parsers.model.facts import Fact
from parsers.model.recall import Hit, Query, Recalled
from tests.daemon.memory.test_persons import DAY, entity, fact, relation, state
from tests.daemon.tools.shared import TOOLS, opened

FILES = {
    "Projet.md": b"# Projet\n",
    "Web/page.md": b"lu\n",
    "Privé/secret.md": b"7319\n",
    "Privé/C# 7319.md": b"7319\n",
    NAMES.profile: b"# Profil\n",
    NAMES.people: b"# Personnes\n",
}


@pytest.fixture(scope="module")
def vault():
    with opened(FILES) as made:
        yield made


def label(path: str, text: str) -> tuple[str, str]:
    return (
        "web" if path.startswith("Web/") else "vault",
        "private" if path.startswith("Privé/") else "normal",
    )


def read(
    vault,
    name: str,
    known: State,
    /,
    *,
    hits: Callable[[Query], tuple[Hit, ...]] = lambda _: (),
    external: bool = False,
    **args: object,
) -> tuple[Output, ...]:
    def entities(outside: bool) -> tuple[Entity, ...]:
        return tuple(known.entities.values())

    memory = Memory(known, DAY, lambda query: Recalled(query, hits(query)), entities)
    sources = Sources(
        VaultLook(vault),
        search=lambda query, limit: (),
        label=label,
        hidden=lambda path: external and path.startswith("Privé/"),
        memory=memory,
        external=external,
    )
    tool = TOOLS[name]
    assert tool.read
    return tool.read(tool.validated(args), sources)


def names(outputs: tuple[Output, ...]) -> list[str]:
    return [one.value["id"] for one in outputs]


def hit(name: str, text: str = "", note: str = NAMES.profile, **other: object) -> Hit:
    made = Hit("fact", name, text, note, "", "", 0, 0, 0, None, 1.5, {"fusion": 1.5}, "user")
    return replace(made, **other)


def passage(note: str, text: str = "un texte", **other: object) -> Hit:
    return hit(f"{note}:3", text, note, kind="block", line=3, title="t", heading="h", **other)


# ---- the profile


def test_the_profile_is_what_holds_today_each_fact_with_where_it_came_from(vault):
    known = state(
        [entity("Anne"), entity("Lyon", kind="place")],
        (),
        [
            fact("f-1", "Thé sans sucre", kind="preference"),
            fact("f-2", "Café", kind="preference", valid_to=DAY),
            fact("f-3", "Rendez-vous", provenance="mcp:agenda", source="mcp:agenda"),
            fact("f-4", "Peut-être", status="pending"),
            fact("f-5", "sœur", "e-anne"),
            fact("f-6", "deux gares", "e-lyon"),
        ],
    )
    found = read(vault, "profile_get", known)
    assert names(found) == ["f-1", "f-3", "f-6"]
    assert [one.provenance for one in found] == ["user", "mcp:agenda", "user"]
    assert found[2].value["about"] == "Lyon"
    assert {one.domain for one in found} == {"memory"}
    assert names(read(vault, "profile_get", known, kind="preference")) == ["f-1"]


def test_procedures_are_found_by_their_title_and_given_whole(vault):
    known = state(
        (),
        (),
        [
            fact("f-1", "Préparer une réunion\n\t1. Relier\n\t2. Lire", kind="procedure"),
            fact("f-2", "Préparer", kind="procedure"),
            fact("f-3", "Réunion : préparer la salle", kind="fact"),
        ],
    )
    assert names(read(vault, "procedure_get", known)) == ["f-1", "f-2"]
    assert names(read(vault, "procedure_get", known, name="preparer")) == ["f-2", "f-1"]
    (whole,) = read(vault, "procedure_get", known, name="réunion préparer")
    assert whole.value["text"].endswith("2. Lire")
    assert read(vault, "procedure_get", known, name="dormir") == ()
    assert read(vault, "procedure_get", known, name="  ") == ()


# ---- who is meant


def test_a_name_is_resolved_with_every_candidate_and_no_winner_where_none_is_clear(vault):
    known = state(
        [entity("Marie Dupont"), entity("Marie Curie", provenance="mcp:x")],
        [relation("e-marie dupont", "sœur")],
        [fact("f-1", "joue aux échecs", "e-marie dupont")],
    )
    (found,) = read(vault, "entity_resolve", known, name="Marie")
    assert found.value["winner"] is None
    assert found.provenance == "mcp:x"
    told = {one["name"]: (one["relation"], one["how"]) for one in found.value["candidates"]}
    assert told == {"Marie Dupont": ("sœur", "part"), "Marie Curie": (None, "part")}
    (found,) = read(vault, "entity_resolve", known, name="Marie", context="après les échecs")
    assert found.value["winner"] == "e-marie dupont"
    (found,) = read(vault, "entity_resolve", known, name="Luc")
    assert (found.value["winner"], found.value["candidates"]) == (None, [])


def test_what_is_not_for_a_reader_outside_does_not_even_tell_two_of_a_name_apart(vault):
    secret = fact("f-1", "thérapie", "e-marie dupont", sensitivity="sensitive")
    known = state([entity("Marie Dupont"), entity("Marie Curie")], (), [secret])
    asked = {"name": "Marie", "context": "thérapie"}
    (inside,) = read(vault, "entity_resolve", known, **asked)
    (outside,) = read(vault, "entity_resolve", known, external=True, **asked)
    assert inside.value["winner"] == "e-marie dupont"
    assert outside.value["winner"] is None
    assert len({one["score"] for one in outside.value["candidates"]}) == 1


# ---- recall


def test_recall_hands_the_question_on_and_gives_facts_passages_and_relations(vault):
    known = state([entity("Anne")], (), [fact("f-1", "Dentiste : Dr Petit", provenance="mcp:agenda")])
    asked: list[Query] = []

    def hits(query: Query) -> tuple[Hit, ...]:
        asked.append(query)
        return (
            hit("f-1", "Dentiste : Dr Petit"),
            hit("e-anne", "Anne — sœur", NAMES.people),
            passage("Projet.md"),
            passage("Web/page.md"),
        )

    found = read(
        vault, "memory_recall", known, hits=hits, query="dentiste", k=4, as_of="2026-11", folder="Projets"
    )
    assert asked == [Query("dentiste", 4, "2026-11-01", None, "Projets")]
    assert [(one.source, one.provenance, one.domain) for one in found] == [
        ("memory_recall f-1", "mcp:agenda", "memory"),
        ("memory_recall e-anne", "user", "memory"),
        ("Projet.md", "vault", "vault"),
        ("Web/page.md", "web", "vault"),
    ]
    assert all(one.value["score"] == 1.5 and one.value["factors"] for one in found)
    read(vault, "memory_recall", known, hits=hits, query="x", external=True)
    assert (asked[-1].external, asked[-1].agent) == (True, True)


def test_a_fact_found_as_it_once_was_is_given_as_it_was(vault):
    versions = (fact("f-1", "Dr Petit", version=1), fact("f-1", "Dr Martin", version=2))
    known = state()
    known.facts["f-1"] = versions
    (found,) = read(vault, "memory_recall", known, hits=lambda _: (hit("f-1", "Dr Petit"),), query="x")
    assert found.value["text"] == "Dr Petit"


def test_what_was_forgotten_is_given_to_nobody(vault):
    known = state([entity("Anne", status="forgotten")], (), [fact("f-1", "", status="forgotten")])
    hits = (hit("f-1", "Dr Petit"), hit("e-anne", "Anne — sœur"), hit("f-9", "rien"))
    assert read(vault, "memory_recall", known, hits=lambda _: hits, query="x") == ()


@pytest.mark.parametrize(
    ("argument", "value"), [("k", 0), ("k", 101), ("as_of", "hier"), ("known_at", "2026-13-01")]
)
def test_a_number_or_a_day_that_cannot_be_is_said(vault, argument, value):
    with pytest.raises(ToolError):
        read(vault, "memory_recall", state(), query="x", **{argument: value})


@pytest.mark.parametrize("name", ["memory_recall", "profile_get", "entity_resolve", "procedure_get"])
def test_without_memory_each_says_that_it_is_put_out(vault, name):
    tool = TOOLS[name]
    sources = Sources(VaultLook(vault), lambda *_: (), label)
    args = {"memory_recall": {"query": "x"}, "entity_resolve": {"name": "x"}}.get(name, {})
    with pytest.raises(ToolError, match=r"memory\.enabled"):
        tool.read(tool.validated(args), sources)


# ---- what is not for others


@pytest.mark.parametrize(
    "source",
    [
        *("Privé/secret.md", "Privé/secret.md#^b1", "Privé/secret.md:3-4", "Privé/secret.md#Titre#Autre"),
        *("Privé/C# 7319.md", "Privé/C# 7319.md:3", "Parti.md", "../x.md"),
    ],
)
def test_a_fact_taken_from_a_note_that_is_private_or_gone_is_not_for_others(vault, source):
    known = state((), (), [fact("f-1", "le code est 7319", source_ref=source)])
    hits = (hit("f-1", "le code est 7319"),)
    for name, args in (("profile_get", {}), ("memory_recall", {"query": "code"})):
        assert names(read(vault, name, known, hits=lambda _: hits, **args)) == ["f-1"]
        assert read(vault, name, known, hits=lambda _: hits, external=True, **args) == ()


_SENSITIVE = st.sampled_from(["normal", "sensitive", "private"])
_STATUS = st.sampled_from(["confirmed", "pending", "held", "rejected", "forgotten"])
_SOURCES = st.sampled_from([None, NAMES.profile, "Projet.md", "Privé/secret.md:2", "mcp:x", "Web/page.md#^a"])


@st.composite
def _states(draw) -> State:
    people = [
        entity(name, sensitivity=draw(_SENSITIVE), status=draw(_STATUS), kind=draw(st.sampled_from(_KINDS)))
        for name in ("Marie Un", "Marie Deux", "Marie Trois")
    ]
    facts: list[Fact] = [
        fact(
            f"f-{number}",
            f"SECRET{number} Marie",
            draw(st.sampled_from([None, *(one.id for one in people)])),
            sensitivity=draw(_SENSITIVE),
            status=draw(_STATUS),
            kind=draw(st.sampled_from(["fact", "procedure", "preference"])),
            source_ref=draw(_SOURCES),
        )
        for number in range(6)
    ]
    return state(people, [relation(one.id, f"LIEN {one.name}") for one in people], facts)


_KINDS = ("person", "place")
_CALLS = (
    ("profile_get", {}),
    ("procedure_get", {}),
    ("memory_recall", {"query": "Marie"}),
    ("entity_resolve", {"name": "Marie", "context": "SECRET1 SECRET2 LIEN"}),
)


@given(known=_states())
def test_nothing_sensitive_or_private_reaches_a_reader_outside_whatever_memory_holds(vault, known):
    hits = (
        *(hit(name, versions[-1].text) for name, versions in known.facts.items()),
        *(hit(name, f"LIEN {one.name}") for name, one in known.entities.items()),
        *(passage(path) for path in FILES),
        passage("Projet.md", "SECRET", sensitivity="sensitive"),
    )
    closed = {
        one.text
        for (one,) in known.facts.values()
        if one.sensitivity != "normal"
        or one.status != "confirmed"
        or (one.source_ref or "").startswith("Privé")
    }
    guarded = {one.id for one in known.entities.values() if one.sensitivity != "normal"}
    closed |= {one.text for (one,) in known.facts.values() if one.entity_id in guarded}
    closed |= {known.entities[name].name for name in guarded} | {"Privé/", "SECRET\n"}
    for name, args in _CALLS:
        for one in read(vault, name, known, hits=lambda _: hits, external=True, **args):
            assert one.sensitivity == "normal"
            said = f"{one.source}\n{one.value}\n"
            assert not [text for text in closed if text in said], (name, said)
