"""What of a note of facts needs no look: lines that stand as they stood when nothing was left to do in it.

An edit in a note of thousands of lines then costs what it changed.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from daemon.memory.resting import Resting
from parsers.profile import ProfileSaid
from parsers.statements import Spot


@dataclass(frozen=True, slots=True)
class Rest:
    """A note of facts when nothing was left to do in it."""

    said: ProfileSaid
    ids: Mapping[str, frozenset[str]]
    """Section → the facts whose lines stood there."""
    others: frozenset[str]
    """The facts that had no line there, but for those whose place is another note."""
    day: date


@dataclass(frozen=True, slots=True)
class Aside:
    """What of a note needs no look, and what does."""

    active: tuple[Spot, ...]
    """The lines to look at."""
    resting: Resting = field(default_factory=Resting)
    """Facts whose lines stand as they stood at rest, and that nothing touched since."""
    facts: frozenset[str] | None = None
    """The facts to look at, perhaps more than are known; None: all."""
    whole: bool = False
    """Nothing in the note, and nothing about it, changed."""


def aside(rest: Rest | None, one: ProfileSaid, touched: Collection[str] | None) -> Aside:
    """Set aside what did not change since the note was last at rest."""
    now = one.statements
    if rest is None or touched is None or rest.said.anchored or one.anchored:
        return Aside(now)
    known = rest.said
    ends = unchanged(known, one)
    if ends is None:
        return Aside(now)
    head, tail = ends
    fresh = {spot.says.id for spot in now[head : len(now) - tail]}
    gone = {spot.says.id for spot in known.statements[head : len(known.statements) - tail]}
    changed = frozenset(name for name in fresh | gone | set(touched) if name)
    resting, facts = Resting(rest.ids, changed), rest.others | changed
    plain = len(known.statements) == sum(map(len, rest.ids.values()))
    if plain and not any((changed - gone) & names for names in rest.ids.values()):
        return Aside(now[head : len(now) - tail], resting, facts)
    ids = resting.ids
    return Aside(tuple(spot for spot in now if spot.says.id not in ids), resting, facts)


def by_person(rest: Rest | None, one: ProfileSaid, touched: Collection[str] | None) -> Aside:
    """Set people aside whose lines, with all that stands below, are as they were at rest."""
    if rest is None or touched is None:
        return Aside(one.statements)
    plain = len(one.statements) == sum(map(len, rest.ids.values()))  # no line waits, or says something again
    if rest.said.token is one.token and not touched and plain:
        return Aside((), Resting(rest.ids), frozenset(), whole=True)
    if rest.said.anchored or one.anchored:
        return Aside(one.statements)
    known = {block[0].says.id: block for block in _blocks(rest.said) if _all_known(block, rest.ids)}
    now = _blocks(one)
    looked_at = {*touched, *_ids(block for block in now if not _as_before(block, known))}
    count = Counter(spot.says.id for spot in one.statements)
    looked_at |= {name for name, number in count.items() if name and number > 1}
    active = [
        block for block in now if not _as_before(block, known) or not looked_at.isdisjoint(_ids([block]))
    ]
    resting = _ids(now) - _ids(active)
    changed = frozenset(frozenset[str]().union(*rest.ids.values()) - resting | looked_at | _ids(active))
    spots = tuple(spot for block in active for spot in block)
    return Aside(spots, Resting(rest.ids, changed), rest.others | changed)


def _ids(blocks: Iterable[Sequence[Spot]]) -> set[str]:
    return {spot.says.id for block in blocks for spot in block if spot.says.id}


def _as_before(block: Sequence[Spot], known: Mapping[str | None, Sequence[Spot]]) -> bool:
    """Whether somebody's lines are as they were: the same text was read once, what it says is the very same thing."""
    before = known.get(block[0].says.id, ())
    return len(before) == len(block) and all(a.says is b.says for a, b in zip(before, block, strict=True))


def _blocks(what: ProfileSaid) -> list[list[Spot]]:
    """The lines of each person, their own first."""
    blocks: list[list[Spot]] = []
    for spot in what.statements:
        if spot.under:
            blocks[-1].append(spot)
        else:
            blocks.append([spot])
    return blocks


def _all_known(block: Sequence[Spot], ids: Mapping[str, frozenset[str]]) -> bool:
    """Whether every line is that of somebody, or of a fact about them."""
    name = block[0].says.id
    people = ids.get(block[0].section, frozenset[str]())
    return name in people and all(spot.says.id in ids.get(name or "", ()) for spot in block[1:])


def unchanged(known: ProfileSaid, one: ProfileSaid) -> tuple[int, int] | None:
    """Give how many statements at the start and the end are those of an earlier reading, None where it is unknown."""
    if one.token is known.token:
        return len(one.statements), 0
    return (one.head, one.tail) if one.after is known.token else None


@dataclass(frozen=True, slots=True)
class Secrets:
    """Which lines of a reading of a note of facts hold a key or a token."""

    said: ProfileSaid
    at: tuple[int, ...]
    """Their places among its statements."""

    @property
    def lines(self) -> list[int]:
        """Their lines in the note."""
        return [self.said.statements[place].line for place in self.at]


def secrets(earlier: Secrets | None, one: ProfileSaid, holds: Callable[[Spot], bool]) -> Secrets:
    """Find the lines that hold a secret; those that an earlier reading had are not looked at again."""
    ends = unchanged(earlier.said, one) if earlier else None
    head, tail = ends or (0, 0)
    count, known = len(one.statements), earlier if ends else None
    before = len(known.said.statements) if known else 0
    fresh = (place for place in range(head, count - tail) if holds(one.statements[place]))
    above = (place for place in known.at if place < head) if known else ()
    below = (place - before + count for place in known.at if place >= before - tail) if known else ()
    return Secrets(one, (*above, *fresh, *below))
