"""Property: nothing sensitive or private in any answer of an agent's tool, whatever the state (R-M06, R-P04)."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.paths import NAMES
from parsers.model.edits import Remember
from tests.home import temporary
from tests.mcp.clients import KEYED, UNKEYED, Agent

SECTIONS = ("preferences", "goals", "procedures", "decisions", "facts")
NOTES = {
    "plain": ("{word} du vélo\n", False),
    "sensitive": ("---\nsensible: oui\n---\n{word} du vélo\n", True),
    "private": ("---\nprivé: oui\n---\n{word} du vélo\n", True),
    "folder": ("{word} du vélo\n", True),
    "ignored": ("{word} du vélo\n", True),
    "comment": ("le vélo\n\n%%\n{word} du vélo\n%%\n", True),
}
FOLDERS = {"folder": "Secret/", "ignored": "Ignoré/"}
FACTS = st.lists(st.tuples(st.sampled_from(SECTIONS), st.booleans()), max_size=5)
KINDS = st.lists(st.sampled_from(sorted(NOTES)), max_size=5)
PEOPLE = st.lists(st.tuples(st.booleans(), st.booleans()), max_size=3)
TAKEN = st.lists(st.sampled_from(sorted(NOTES)), max_size=2)


def read_everything(agent):
    """Give all that the tools which read give, asked by every word there is."""
    said = []
    for tool, args in (
        ("brain_boot", {}),
        ("brain_state", {}),
        ("brain_focus", {}),
        ("brain_decisions", {}),
        ("brain_workflows", {}),
        ("profile_get", {}),
        ("procedure_get", {}),
        ("run_list", {}),
        *(
            (tool, {"query": query})
            for tool in ("memory_recall", "note_search")
            for query in ("vélo", "MOT1 MOT2")
        ),
        ("memory_recall", {"query": "vélo", "known_at": "2026-11-30", "as_of": "2026-11-30", "k": 100}),
        *(("entity_resolve", {"name": f"Personne MOT{number}"}) for number in range(3)),
        *(("note_read", {"path": path}) for path in agent.home.snapshot(NAMES.assistant)),
    ):
        reply = agent.reply(tool, **args)
        said.append((tool, args, json.dumps([list(reply.texts), dict(reply.values)], ensure_ascii=False)))
    return said


def furnished(home, facts, notes, people, taken):
    """Write it all; gives the words that are guarded, and those that are not."""
    guarded, plain = [], []

    def word(hidden):
        found = f"MOT{len(guarded) + len(plain)}X"
        (guarded if hidden else plain).append(found)
        return found

    home.rest()
    for section, hidden in facts:
        home.add_line(f"- {word(hidden)} aime le vélo{' [sensible:: oui]' if hidden else ''}", section)
    for number, kind in enumerate((*notes, *taken)):
        text, hidden = NOTES[kind]
        home.put(f"{FOLDERS.get(kind, '')}n{number}.md", text.format(word=word(hidden)))
    lines = "".join(
        f"- Personne {(name := word(hidden))} — ami{' [sensible:: oui]' if hidden else ''}\n"
        + (f"\t- {name} aime le vélo\n" if more else "")
        for hidden, more in people
    )
    marker = "<!-- clavaire:end people -->"
    home.put(NAMES.people, home.text(NAMES.people).replace(marker, lines + marker))
    home.rest()
    for number, kind in enumerate(taken, len(notes)):
        path, hidden = f"{FOLDERS.get(kind, '')}n{number}.md", NOTES[kind][1] and kind != "comment"
        edit = Remember(f"{word(hidden)} retenu du vélo", "fact", "person", source_ref=path)
        home.sync((), [edit])
    home.rest()
    return guarded, plain


@given(FACTS, KINDS, PEOPLE, TAKEN, st.booleans())
def test_nothing_guarded_is_in_any_answer_whatever_the_state(facts, notes, people, taken, keyed):
    files = {".clavaireignore": "Ignoré/\n"}
    with temporary(files, PRIVACY__PRIVATE='["Secret"]') as home:
        guarded, plain = furnished(home, facts, notes, people, taken)
        with Agent(home, KEYED if keyed else UNKEYED, booted=False) as agent:
            said = read_everything(agent)
        for tool, args, text in said:
            asked = json.dumps(args, ensure_ascii=False)
            assert [one for one in guarded if one in text and one not in asked] == [], (tool, args)
        everything = "".join(text for _, _, text in said)
        assert [one for one in plain if one not in everything] == []


# ---- what an agent is told is the same whether or not there is what it may not see

HIDDEN_NOTES = {
    "Caché.md": "---\nprivé: oui\n---\nle code du coffre\n",
    "Ignoré/i.md": "le code ignoré\n",
    "Secret/s.md": "le code rangé\n",
    "Santé.md": "---\nsensible: oui\n---\n# Bilan\n\nle code du docteur\n",
}
STEPS = (
    ("note_read", {}),
    ("note_edit", {"old": "le code", "new": "x"}),
    ("section_replace", {"heading": "Bilan", "text": "x"}),
)
GUESSES = (
    ("memory_save", {"text": "Prend du lithium"}),
    ("memory_save", {"text": "prend du lithium."}),
    ("memory_save", {"text": "Groupe sanguin : AB négatif"}),
    ("memory_save", {"text": "Groupe sanguin : O positif"}),
    ("memory_save", {"text": "Habite Lyon", "about": "Hector Caché"}),
    ("memory_save", {"text": "Habite Nice", "about": "Hector"}),
    ("memory_save", {"text": "Habite Nice [à propos:: [[Hector Caché]]]"}),
    ("entity_resolve", {"name": "Hector Caché"}),
    ("memory_recall", {"query": "lithium code Hector", "folder": "Secret"}),
    ("profile_get", {}),
    *(("note_read", {"path": path}) for path in (*HIDDEN_NOTES, "Secret", "Ignoré")),
    *(
        ("plan_propose", {"title": "x", "steps": [{"tool": tool, "args": {"path": path, **args}}]})
        for path in HIDDEN_NOTES
        for tool, args in STEPS
    ),
    ("run_list", {}),
)


def told(hidden, who):
    """Give all that an agent is told, ids by the order in which they come."""
    said, ids = [], {}
    notes = HIDDEN_NOTES if hidden else {}
    with temporary({".clavaireignore": "Ignoré/\n", **notes}, PRIVACY__PRIVATE='["Secret"]') as home:
        home.rest()
        home.add_line("- Aime le vélo")
        if hidden:
            home.add_line("- Prend du lithium [sensible:: oui]")
            home.add_line("- Groupe sanguin : AB négatif [sensible:: oui]", "facts")
            marker = "<!-- clavaire:end people -->"
            line = "- Hector Caché — ami [sensible:: oui]\n\t- Habite Lyon\n"
            home.put(NAMES.people, home.text(NAMES.people).replace(marker, line + marker))
        home.rest()
        with Agent(home, who) as agent:
            (known,) = agent.ask("profile_get")["facts"]
            rewording = ("memory_update", {"id": known["id"], "text": "Prend du lithium le soir"})
            for tool, args in (*GUESSES, rewording):
                reply = agent.reply(tool, **args)
                cards = agent.ask("brain_state")["cards"]
                said.append((tool, json.dumps([list(reply.texts), dict(reply.values), cards])))
    spelt = re.compile(r"\b[frs]-[0-9a-z]{8}\b")
    return [(tool, spelt.sub(lambda one: str(ids.setdefault(one[0], len(ids))), text)) for tool, text in said]


@pytest.mark.parametrize("who", [KEYED, UNKEYED], ids=["keyed", "unkeyed"])
def test_an_agent_is_told_the_same_whether_or_not_there_is_what_it_may_not_see(who):
    assert told(True, who) == told(False, who)
