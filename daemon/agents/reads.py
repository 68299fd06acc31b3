"""What a session has read, so that whatever it writes after is traced to it (R-P01)."""

from collections.abc import Iterable

from daemon.policy.lineage import Output
from parsers.model.policy import least

_MOST_SIGNS = 8_000_000
"""Characters that are looked through; what goes beyond is remembered by where it came from alone."""


class Reads:
    """The outputs of a session's calls, each once; nothing sensitive is ever among them."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str, str], Output] = {}
        self._signs = 0

    def add(self, outputs: Iterable[Output]) -> None:
        """Remember what was given."""
        for one in outputs:
            spelt = str(one.value)
            key = (one.source, one.provenance, spelt)
            if key not in self._known:
                self._known[key] = one
                self._signs += len(spelt)
        while self._signs > _MOST_SIGNS and self._fade():
            pass

    def _fade(self) -> bool:
        """Forget the words of the oldest output, not its provenance: what it gave counts as composed from here on."""
        key = next((key for key in self._known if key[2]), None)
        if key is None:
            return False
        old = self._known.pop(key)
        self._signs -= len(key[2])
        self._known.setdefault(("", old.provenance, ""), Output("", old.provenance, ""))
        return True

    @property
    def outputs(self) -> tuple[Output, ...]:
        """Give all of it."""
        return tuple(self._known.values())

    @property
    def below(self) -> str:
        """Give the worst provenance, `""` when nothing was read."""
        return least(one.provenance for one in self._known.values()) if self._known else ""
