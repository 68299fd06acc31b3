"""What planning and deciding runs take from outside: the tools, the policy as it stands, the notes, the secret."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from daemon.index.aliases import at_home
from daemon.index.store import Index
from daemon.marking import provenance_of
from daemon.memory.moment import Moment
from daemon.memory.persons import standing
from daemon.memory.state import State
from daemon.permission import Rules, judge
from daemon.policy.codes import code_of
from daemon.policy.lineage import Output, Said
from daemon.policy.privacy import declaring
from daemon.runs.drafting import Asker, Declares, Planning
from daemon.runs.state import Runs
from daemon.runs.work import Prepared, Seal, Terms
from daemon.tools.effects import Look
from daemon.tools.known import Registry
from daemon.tools.tool import Memory
from parsers.model.entities import Entity
from parsers.model.places import NotePath
from parsers.model.recall import Query, Recalled
from parsers.model.register import stamp
from parsers.model.runs import Run
from parsers.properties import read

AGENTS = ("mcp:", "http")
_NONCE = 16
"""Random bytes of a nonce."""


def nonce() -> str:
    """Give 128 random bits, in hex."""
    return os.urandom(_NONCE).hex()


@dataclass(frozen=True, slots=True)
class Client:
    """Who asks for a plan, as the request came."""

    origin: str = "person"
    instruction: str = ""
    """Provenance of the instruction; `""`: what follows from the origin."""
    keyed: bool = True
    words: str = ""
    """The person's own words of this run."""
    outputs: tuple[Output, ...] = ()
    """What the client's run has read so far."""


Search = Callable[[str, int], Sequence[tuple[NotePath, Mapping[str, Any]]]]


def planning(
    look: Look,
    search: Search,
    registry: Registry,
    runs: Runs,
    moment: Moment,
    rules: Rules,
    seal: Seal,
    memory: Memory | None = None,
) -> Planning:
    """Give what a plan is made with; without `memory` nothing that is remembered can be read."""

    def declares(path: NotePath, data: bytes) -> Declares:
        text = data.decode("utf-8", "replace")
        values = declaring(text, read(text))
        kind, source = rules.declared.sensitivity(path, values), rules.declared.source(path, values)
        return Declares(kind, source, provenance_of(path, text, runs.marks, rules.declared))

    return Planning(
        registry=registry,
        look=look,
        judge=judge(runs, moment, rules.zone),
        declares=declares,
        search=search,
        mark_of=runs.marks.known,
        seal=seal,
        words=rules.words,
        moment=moment,
        nonce=nonce,
        expires=stamp(moment.now + rules.expiry),
        memory=memory,
    )


def memory_of(index: Index, state: State, moment: Moment, recall: Callable[[Query], Recalled]) -> Memory:
    """Give what tools may read of memory, as an index and a state have it; `recall` asks that index."""

    def known(outside: bool) -> tuple[Entity, ...]:  # noqa: FBT001 - as `Memory.entities` is called
        there = standing(state, external=outside)
        told = (one for one in there if not outside or one.status == "confirmed")
        return at_home(index, told, external=outside)

    return Memory(state, moment.today.isoformat(), recall, known)


def asker(client: Client, runs: Runs, moment: Moment, rules: Rules) -> Asker:
    """Give who asks, with what is known of their words and of what they did of late."""
    agent = client.origin.startswith(AGENTS)
    instruction = client.instruction or (client.origin if agent else "user")
    burst = timedelta(seconds=rules.policy.burst)
    return Asker(
        origin=client.origin,
        instruction=instruction,
        keyed=client.keyed,
        said=Said("" if agent else client.words, client.outputs, instruction),
        recent_writes=runs.recent_writes(client.origin, moment.now, burst),
        local_reader=not agent,
    )


def terms(
    secret: Callable[[], bytes],
    replan: Callable[[Run], Prepared],
    rules: Rules,
    seal: Seal,
    tools: Callable[[], Registry],
) -> Terms:
    """Give what a decision about runs may use."""
    return Terms(
        code=lambda digest, left_out: code_of(secret(), digest, left_out),
        nonce=nonce,
        seal=seal,
        words=rules.words,
        replan=replan,
        expiry=rules.expiry,
        every_code=rules.every_code,
        tools=tools,
    )
