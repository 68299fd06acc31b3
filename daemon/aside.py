"""What of Profil.md needs no look: lines that stand as they stood when nothing was left to do in it.

An edit in a note of thousands of lines then costs what it changed.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import date

from parsers.profile import ProfileSaid
from parsers.statements import Spot


@dataclass(frozen=True, slots=True)
class Rest:
    """Profil.md when nothing was left to do in it."""

    said: ProfileSaid
    ids: Mapping[str, frozenset[str]]
    """Section → the facts whose lines stood there."""
    day: date


@dataclass(frozen=True, slots=True)
class Aside:
    """What of a note needs no look, and what does."""

    active: tuple[Spot, ...]
    """The lines to look at."""
    standing: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Section → facts whose lines stand as they stood at rest, and that nothing touched since."""

    @property
    def ids(self) -> frozenset[str]:
        """All of them."""
        return frozenset().union(*self.standing.values())


def aside(rest: Rest | None, one: ProfileSaid, touched: Collection[str] | None) -> Aside:
    """Set aside what did not change since the note was last at rest."""
    now = one.statements
    if rest is None or touched is None or rest.said.anchored or one.anchored:
        return Aside(now)
    known = rest.said
    if one.token is known.token:
        head, tail = len(now), 0
    elif one.after is known.token:
        head, tail = one.head, one.tail
    else:
        return Aside(now)
    fresh = {spot.says.id for spot in now[head : len(now) - tail]}
    gone = {spot.says.id for spot in known.statements[head : len(known.statements) - tail]}
    changed = {name for name in fresh | gone | set(touched) if name}
    standing = {section: names - changed for section, names in rest.ids.items()}
    plain = len(known.statements) == sum(map(len, rest.ids.values()))
    if plain and not any((changed - gone) & names for names in rest.ids.values()):
        return Aside(now[head : len(now) - tail], standing)
    ids = frozenset().union(*standing.values())
    return Aside(tuple(spot for spot in now if spot.says.id not in ids), standing)
