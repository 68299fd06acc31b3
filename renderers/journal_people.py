"""Journal.md: what became of people, places, projects, in words (vault-notes.md, Journal)."""

from collections.abc import Callable

from parsers.model.entities import Entity
from parsers.model.register import Record
from renderers.words import Words

SHOWN = frozenset(
    {
        *("entity.asserted", "entity.renamed", "entity.rejected", "entity.restored", "entity.forgotten"),
        "relation.asserted",
    }
)
"""Operations that may leave a line."""


def line(record: Record, entity: Callable[[str], Entity | None], words: Words, who: str, people: str) -> str:
    """Give the line of a record about somebody or something, `""` for none; `people` is the note people stand in."""
    noun, _, verb = record.op.partition(".")
    body = record.body
    one = entity(str(body["entity_id" if noun == "relation" else "id"]))
    if one is None or (noun == "relation" and body["recorded_at"] == one.recorded_at):
        return ""
    name, old = str(body.get("name") or one.name), str(body.get("old_text") or "")
    if one.status == "forgotten":
        name = old = words.say("journal.forgotten_text")
    relation = "" if one.status == "forgotten" else str(body.get("text", ""))
    how = str(body["how"]) if record.op in ("relation.asserted", "entity.renamed") else verb
    said = words.say(f"journal.{noun}.{how}", text=name, old=old, relation=relation, who=who)
    if one.kind == "person" and one.status == "confirmed":
        note = people.removesuffix(".md")
        said += f" · [[{note}#^{one.anchor or one.id}|{note.rpartition('/')[2]}]]"
    return said
