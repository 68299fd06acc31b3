"""Same query, same state: the same bytes, on two machines. `UPDATE_GOLDEN=1` writes the file anew: read the diff."""

import json
import os
from dataclasses import fields
from pathlib import Path

from config.paths import NAMES
from daemon.policy.privacy import Declared
from daemon.recall.compile import NowNote
from tests.daemon.recall.made import entity, fact, relation
from tests.daemon.recall.shelf import shelf

GOLDEN = Path(__file__).parent / "golden.json"
NOTES = {
    "Santé/Dentiste.md": "# Dentiste\n\nRendez-vous rue Haute avec Marie. ^p1\n\nLe détartrage coûte 43 €.\n",
    "Quotidien/2024-03-05.md": "# Mardi\n\nDéjeuner avec Marie Dupont au marché ; elle change de dentiste.\n",
    "Clippings/Fluor.md": "---\nsource: https://example.org/fluor\n---\n# Fluor\n\nUn dentiste conseille le fluor.\n",
    "Argent/Factures.md": "# Factures\n\nDentiste : 43 €.\n",
    "Privé/Journal.md": "J'ai peur du dentiste.\n",
    "English/Notes.md": "# Meetings\n\nThe dentist's meeting was moved to last week.\n",
    "日本/会議.md": "# 会議\n\n会議は東京駅で行います。\n",
    f"{NAMES.assistant}/Idées.md": "Un dentiste pour les robots.\n",
}
DECLARED = Declared(sensitive=("Argent",), private=("Privé",))
FACTS = [
    fact("f-00000001", "Dentiste : Dr Petit", key="Dentiste", value="Dr Petit", valid_to="2026-09-01"),
    fact("f-00000002", "Dentiste : Dr Martin", valid_from="2026-09-01", supersedes="f-00000001"),
    fact("f-00000003", "Thé sans sucre #épinglé", kind="preference", last_seen_at="2025-11-30T09:00:00.000Z"),
    fact("f-00000004", "Prendre rendez-vous chez le dentiste\n\t1. Appeler\n\t2. Noter", kind="procedure"),
    fact("f-00000005", "allergique au fluor", entity_id="e-00000001", sensitivity="sensitive"),
    fact("f-00000006", "aime le marché", entity_id="e-00000001", confidence=0.8, provenance="mcp:agenda"),
    fact("f-00000007", "Voir le dentiste avant l'été", kind="goal", last_seen_at="2026-06-01T09:00:00.000Z"),
    fact("f-00000008", "Dentiste refusé", status="rejected"),
]
PEOPLE = [entity("e-00000001", "Marie Dupont", aliases=("Mimi",)), entity("e-00000002", "Dr Martin")]
RELATIONS = [
    relation("e-00000001", "sœur"),
    relation("e-00000002", "dentiste", valid_from="2026-09-01"),
    relation("e-00000002", "voisin", number=2, valid_to="2025-01-01"),
]
NOW = NowNote(
    "# Now — 2026-11-30\n\n## Étape courante\nChoisir un dentiste.\n".encode(), {"day": "2026-11-30"}
)
QUERIES = [
    "mon dentiste",
    "Que pense Mimi du marché ?",
    "marché en mars 2024",
    "the dentist's meeting last week",
    "ma sœur",
    "東京",
    "rendez-vous",
    "fluor",
    "rien de tel",
]


def answers():
    with shelf(DECLARED) as one:
        for number, (path, text) in enumerate(NOTES.items()):
            one.put(path, text, days=40 * number)
        one.know(FACTS, PEOPLE, RELATIONS)
        for query in QUERIES:
            for external in (False, True):
                asked = {"query": query, "external": external}
                hits = [_values(hit) for hit in one.recall(query, external=external).hits]
                yield {**asked, "hits": hits}
                yield {**asked, "context": one.context(query, external=external, note=NOW).text.split("\n")}
        yield {"as_of": [_values(hit) for hit in one.recall("dentiste", as_of="2026-03-01").hits]}


def _values(hit):
    return {one.name: getattr(hit, one.name) for one in fields(hit)} | {"factors": dict(hit.factors)}


def test_the_same_state_gives_the_same_bytes():
    found = json.dumps(list(answers()), ensure_ascii=False, indent=1) + "\n"
    if os.environ.get("UPDATE_GOLDEN"):
        GOLDEN.write_text(found, "utf-8", newline="\n")
    assert found == GOLDEN.read_text("utf-8")
