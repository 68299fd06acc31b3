"""Facts whose lines stand in a note as they stood at rest: thousands, told from the few that changed without a copy."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Resting:
    """All facts of some sections but a few; the sets of `sections` are shared, and compared by identity first."""

    sections: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Section → the facts whose lines stood there at rest."""
    but: frozenset[str] = frozenset()
    """Those to look at all the same, and others that never rested."""

    def __contains__(self, name: object) -> bool:
        return name not in self.but and any(name in names for names in self.sections.values())

    @property
    def ids(self) -> frozenset[str]:
        """All of them, at the price of a copy."""
        return frozenset().union(*self.sections.values()) - self.but

    def others(self, section: str, names: frozenset[str]) -> frozenset[str]:
        """Give those of the ids that stood in a section that are not resting."""
        if names is self.sections.get(section):
            return names & self.but
        return frozenset(name for name in names if name not in self)

    def joined(self, ids: Mapping[str, frozenset[str]]) -> dict[str, frozenset[str]]:
        """Give section → the resting facts and `ids`; a set that comes out the same is the same."""
        found: dict[str, frozenset[str]] = {}
        none: frozenset[str] = frozenset()
        for section in {*self.sections, *ids}:
            stood, here = self.sections.get(section, none), ids.get(section, none)
            left, fresh = (stood & self.but) - here, here - stood
            names = stood - left if left else stood
            if names := names | fresh if fresh else names:
                found[section] = names
        return found
