"""What stood in the bytes of a managed note last read or written: what was not there cannot be deleted (law 8)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from parsers.model.places import Etag

Ids = Mapping[str, frozenset[str]]
"""Section → ids."""
_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Shown:
    """The ids that stood in a managed note, and the etag of its bytes; the index remembers it."""

    etag: Etag
    ids: Ids = field(default_factory=dict)
    repeats: frozenset[str] = frozenset()
    """Folded texts of lines that say a fact again."""
    changed_at: tuple[str, ...] = ()
    """When somebody changed a wholly owned note back, lately."""
    coming: Etag = field(default=Etag(""), compare=False)
    """Etag of what was about to be written over these bytes: what stands on disk may be ours already."""

    def as_json(self, base: Ids) -> dict[str, Any]:
        """Give what `shown` reads back with `base`, ids kept before: few of thousands differ from save to save."""
        more = {section: sorted(names - base.get(section, _NONE)) for section, names in self.ids.items()}
        less = {section: sorted(base.get(section, _NONE) - names) for section, names in self.ids.items()}
        lists = {"repeats": sorted(self.repeats), "changed_at": list(self.changed_at)}
        return {"more": more, "less": less, "coming": self.coming, **lists}


def shown(etag: Etag, value: Any, base: Ids) -> Shown:
    """Give what was kept of a note: etag, JSON value, and the ids from which it differs."""
    less = value["less"]
    ids = {
        section: base.get(section, _NONE).difference(less[section]).union(names)
        for section, names in value["more"].items()
    }
    repeats, changed_at = frozenset(value["repeats"]), tuple(value["changed_at"])
    return Shown(etag, ids, repeats, changed_at, Etag(value["coming"]))
