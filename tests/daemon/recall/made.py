"""Facts and entities made by hand, every field given."""

from parsers.model.entities import Entity, Relation
from parsers.model.facts import Fact

AT = "2026-11-30T09:00:00.000Z"


def fact(name, text="x", **fields):
    usual = {
        "id": name, "version": 1, "user_id": "moi", "kind": "fact", "text": text, "key": None, "value": None,
        "anchor": None, "entity_id": None, "status": "confirmed", "confidence": 1.0, "provenance": "user",
        "source": "user", "source_ref": None, "sensitivity": "normal", "valid_from": None, "valid_to": None,
        "valid_from_text": None, "valid_to_text": None, "review": None, "recorded_at": AT, "retracted_at": None,
        "supersedes": None, "last_seen_at": AT,
    }  # fmt: skip
    return Fact(**(usual | fields))


def entity(name, called, **fields):
    usual = {
        "id": name, "user_id": "moi", "kind": "person", "name": called, "aliases": (), "note": None, "anchor": None,
        "status": "confirmed", "provenance": "user", "source": "user", "sensitivity": "normal", "last_seen": None,
        "recorded_at": AT, "retracted_at": None,
    }  # fmt: skip
    return Entity(**(usual | fields))


def relation(entity_id, text, number=1, **fields):
    usual = {
        "id": f"{entity_id}.{number}", "entity_id": entity_id, "to_id": None, "text": text, "valid_from": None,
        "valid_to": None, "valid_from_text": None, "valid_to_text": None, "recorded_at": AT, "retracted_at": None,
        "provenance": "user", "source": "user",
    }  # fmt: skip
    return Relation(**(usual | fields))
