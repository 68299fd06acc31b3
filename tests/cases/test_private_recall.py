"""C17 for all that recalls: what is private or sensitive reaches no agent, by no tool, whatever it asks."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from config.paths import NAMES
from daemon import acting
from daemon.planning import Client
from daemon.recall.compile import compiled
from daemon.snapshot import reading
from parsers.model.edits import Remember
from tests.asking import asked, cli
from tests.home import Home, temporary
from tests.mcp.clients import Agent
from tests.planned import raw

NOTES = {
    "Privé/2024/santé.md": "---\naliases: [Doc7319]\n---\ncode 7319, thérapie\n",
    "Privé.md": "jardin\n",
    "Privée/bail.md": "loyer\n",
    "Carnet.md": "# Carnet\n\n![[Privé/2024/santé]] et le carnet de jardin\n",
    "Commentaire.md": "visible\n\n%%\ncode 7319\n%%\n",
    "Déclaré.md": "---\nsensible: oui\n---\ncode 7319 déclaré\n",
    "Liste.md": "---\nprivé:\n  - oui\n---\ncode 7319 en liste\n",
    "Sans accent.md": "---\nprive: oui\n---\ncode 7319 sans accent\n",
    "Doute.md": "---\nsensible: x\n---\ncode 7319 en doute\n",
    "Gens/Marie Dupont.md": "---\nprivé: oui\naliases: [Alias7319]\n---\ncode 7319\n",
    "Gens/Paul Éluard.md": "---\naliases: [Le poète]\n---\nécrit\n",
}
PEOPLE = """- Marie Dupont — sœur
	- Joue aux échecs
	- Code du coffre : 7319 [sensible:: oui]
- Marie Curie — collègue
	- Physique
- Docteur Noir7319 — psy7319 [sensible:: oui]
	- Reçoit le lundi 7319
- Paul Éluard — ami
	- Seconde thérapie [sensible:: oui] code 7319
- Carnet7319 [sensible:: oui] — psy7319
	- Séance du carnet 7319
- Autre7319 — (sensible:: oui) psy7319 #x
"""
SECRET = "7319"


def filled(home: Home) -> Home:
    home.rest()
    marker = "<!-- clavaire:end people -->"
    home.put(NAMES.people, home.text(NAMES.people).replace(marker, PEOPLE + marker))
    home.add_line("- Dentiste : Dr Petit")
    home.add_line("- Mot de passe : 7319 [sensible:: oui]")
    home.add_line("- Code de la porte [sensible:: oui] : 7319")
    home.add_line("- Séance [sensible:: oui]\n\t1. code 7319\n\t2. entrer", "procedures")
    home.add_line("- Séance de sport\n\t1. courir", "procedures")
    home.rest()
    home.sync((), [Remember("Rendez-vous code 7319", "fact", "mcp:autre", 0.6)])
    taken = Remember("Thérapie code 7319", "fact", "person", source_ref="Privé/2024/santé.md#^x")
    home.sync((), [taken])
    home.rest()
    return home


@pytest.fixture(scope="module")
def home():
    with temporary(NOTES, PRIVACY__PRIVATE='["Privé"]') as made:
        yield filled(made)


@pytest.fixture(scope="module")
def agent(home):
    with Agent(home) as made:
        yield made


QUERIES = (
    "7319",
    "code 7319",
    "thérapie",
    "Carnet",
    "carnet santé",
    "Dr Petit",
    "Marie",
    "psy7319",
    "séance",
    "Noir",
)
CALLS = (
    *(("memory_recall", {"query": query, "k": 100}) for query in QUERIES),
    *(("memory_recall", {"query": query, "known_at": "2026-11-30"}) for query in QUERIES),
    *(("memory_recall", {"query": query, "as_of": "2026-11"}) for query in QUERIES),
    ("memory_recall", {"query": "code", "folder": "Privé"}),
    ("memory_recall", {"query": "code", "folder": "Privé/2024/"}),
    ("memory_recall", {"query": "code", "folder": NAMES.assistant}),
    ("memory_recall", {"query": "code", "folder": "Gens"}),
    *(("note_search", {"query": query}) for query in QUERIES),
    ("note_read", {"path": "Carnet.md"}),
    ("note_read", {"path": "Commentaire.md"}),
    ("note_read", {"path": "Privé/2024/santé.md"}),
    ("note_read", {"path": "Gens/Marie Dupont.md"}),
    ("note_read", {"path": NAMES.people}),
    ("note_read", {"path": NAMES.profile}),
    ("profile_get", {}),
    ("profile_get", {"kind": "fact"}),
    ("procedure_get", {}),
    ("procedure_get", {"name": "Séance"}),
    *(
        ("entity_resolve", {"name": name})
        for name in ("Marie", "Doc7319", "Alias7319", "Docteur", "Noir7319")
    ),
    ("entity_resolve", {"name": "Marie", "context": "code du coffre 7319"}),
    ("entity_resolve", {"name": "Marie Dupont", "context": "psy7319"}),
    ("brain_boot", {}),
    ("brain_state", {}),
    ("brain_decisions", {}),
    ("brain_workflows", {}),
    ("run_list", {}),
)


def said(agent: Agent, tool: str, args: dict[str, object]) -> str:
    """Give all that a call tells an agent, but for its own words."""
    reply = agent.reply(tool, **args)
    told = "\n".join((*reply.texts, json.dumps(reply.values, ensure_ascii=False)))
    for own in map(str, args.values()):
        told = told.replace(own, "")
    return told


@pytest.mark.parametrize(("tool", "args"), CALLS)
def test_c17_no_tool_tells_an_agent_what_is_private_or_sensitive(agent, tool, args):
    assert SECRET not in said(agent, tool, args)


@pytest.mark.parametrize("query", QUERIES)
def test_c17_no_context_for_an_agent_holds_what_is_private_or_sensitive(home, query):
    with reading(home.app.folder, "", private=True) as snapshot:  # even where the private file is open
        found = compiled(snapshot, query, external=True, now=home.clock(), zone=home.zone)
    assert SECRET not in found.text.replace(query, "")


def test_c17_what_only_looks_like_the_excluded_folder_is_found(agent):
    notes = {
        hit.get("note")
        for query in ("jardin", "loyer")
        for hit in agent.ask("memory_recall", query=query)["hits"]
    }
    assert {"Privé.md", "Privée/bail.md"} <= notes
    assert "Privé/2024/santé.md" not in notes


def test_c17_the_person_finds_what_is_theirs(home):
    assert any("7319" in hit["text"] for hit in asked(home, "recall", "code du coffre"))
    assert any(hit["note"] == "Privé/2024/santé.md" for hit in asked(home, "recall", "thérapie"))
    winner = asked(home, "resolve", "Alias7319")["winner"]
    (marie,) = [one for one in asked(home, "people") if one["id"] == winner]
    assert (marie["name"], marie["note"]) == ("Marie Dupont", "Gens/Marie Dupont.md")
    assert "Alias7319" in marie["aliases"]


def test_c17_an_agent_learns_who_is_there_without_their_private_note(agent):
    found = agent.ask("entity_resolve", name="Marie Dupont")
    (marie,) = found["candidates"]
    assert found["winner"] == marie["entity_id"]
    assert marie["note"] is None
    assert agent.ask("entity_resolve", name="Le poète")["winner"] is not None
    assert agent.ask("entity_resolve", name="Docteur Noir7319")["candidates"] == []


def test_c17_a_sensitive_fact_does_not_tell_two_of_a_name_apart(agent):
    scores = {
        one["score"] for one in agent.ask("entity_resolve", name="Marie", context="coffre")["candidates"]
    }
    assert len(scores) == 1
    assert agent.ask("entity_resolve", name="Marie", context="physique")["winner"] is not None


def test_c17_a_plan_of_reads_is_planned_over_nothing_private_and_taints_what_follows(home):
    read = ("memory_recall", {"query": "thérapie code Carnet"})
    prepared, _ = acting.propose(
        home.app, raw(read, ("note_append", {"path": "Carnet.md", "text": "bonjour"})), Client("mcp:agenda")
    )
    run = home.app.pipeline.runs.runs[prepared.run.id]
    assert run.status in ("proposed", "awaiting_approval")
    assert "7319" not in json.dumps([str(step) for step in run.steps])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30, deadline=None)
@given(
    query=st.text(max_size=30) | st.sampled_from(QUERIES),
    folder=st.none()
    | st.sampled_from(["Privé", "Privé/..", "./Privé", "PRIVÉ", "Gens", "", "/", "99_Assistant"]),
    day=st.none() | st.sampled_from(["2026-11-30", "1999", "x"]),
)
def test_c17_hostile_arguments_change_nothing(agent, query, folder, day):
    given_args = {"query": query, "folder": folder, "as_of": day, "known_at": day}
    args = {name: value for name, value in given_args.items() if value is not None}
    assert SECRET not in said(agent, "memory_recall", args) or SECRET in query
    assert SECRET not in said(agent, "entity_resolve", {"name": query or "x", "context": folder or ""})


def test_c17_an_exclusion_added_after_indexing_holds_at_the_next_settle_for_all_that_recalls():
    with temporary({**NOTES, "Gens/Marie Dupont.md": "---\naliases: [Alias7319]\n---\ncode 7319\n"}) as home:
        filled(home)
        with Agent(home) as agent:
            assert agent.ask("entity_resolve", name="Alias7319")["winner"] is not None
            assert "7319" in json.dumps(agent.ask("memory_recall", query="thérapie"))
        home.put("Gens/Marie Dupont.md", "---\nprivé: oui\naliases: [Alias7319]\n---\ncode 7319\n")
        home.put("Privé/2024/santé.md", "---\nprivé: oui\naliases: [Doc7319]\n---\ncode 7319, thérapie\n")
        home.rest()
        with Agent(home) as agent:
            for tool, args in CALLS:
                assert SECRET not in said(agent, tool, args), (tool, args)


def test_c17_a_note_that_becomes_private_is_kept_back_before_the_index_knows(home):
    with temporary({"Note.md": "un secret de polichinelle\n"}) as fresh:
        fresh.rest()
        with Agent(fresh) as agent:
            assert agent.ask("memory_recall", query="polichinelle")["hits"]
            fresh.put("Note.md", "---\nprivé: oui\n---\nun secret de polichinelle\n")
            assert agent.ask("memory_recall", query="polichinelle")["hits"] == []


def test_c17_the_commands_that_recall_open_nothing_for_others(home):
    code, out, _ = cli(home, "context", "thérapie code Marie")
    assert code == 0
    assert SECRET not in out
