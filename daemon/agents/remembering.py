"""What the tools that read memory are given in an agent's session."""

from datetime import tzinfo

from daemon.memory.moment import Moment
from daemon.recall.people import people
from daemon.recall.recollecting import recall
from daemon.snapshot import Snapshot
from daemon.tools.tool import Memory
from parsers.model.entities import Entity
from parsers.model.recall import Query, Recalled


def memory_of(snapshot: Snapshot, moment: Moment, zone: tzinfo) -> Memory:
    """Give memory as the index holds it."""
    state = snapshot.state()

    def recalled(query: Query) -> Recalled:
        return recall(snapshot, query, now=moment.now, zone=zone)

    def known(outside: bool) -> tuple[Entity, ...]:  # noqa: FBT001 - as `Memory.entities` is called
        return tuple(people(snapshot.index, state, state, external=outside).entities.values())

    return Memory(state, moment.today.isoformat(), recalled, known)
