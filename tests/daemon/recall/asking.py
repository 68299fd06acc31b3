"""Recall in a home: asked by another process, as far as the index goes."""

from daemon.recall.recollecting import recall
from daemon.snapshot import reading
from parsers.model.recall import Query


def ask(home, text, **asked):
    outside = bool(asked.get("external"))
    with reading(home.app.folder, "none", private=not outside) as snapshot:
        query = Query(text, **{"agent": outside, **asked})
        return recall(snapshot, query, now=home.clock.now, zone=home.zone)
