"""Amendments of links: notes move, and every link of a note leads where it led."""

from collections.abc import Collection, Iterator, Mapping

from parsers.model.notes import Note
from parsers.model.places import NotePath
from parsers.note import scan
from renderers.amend.failure import Unamendable
from renderers.amend.spots import spots
from renderers.amend.targets import Targets
from renderers.splice import Splice, spliced


class Relinker:
    """Moves of notes in a vault, made once and asked for each of its notes."""

    def __init__(self, moves: Mapping[NotePath, NotePath], vault_paths: Collection[str]) -> None:
        """Take the moves, old path to new, and every path of the vault before them (other files too, if known)."""
        self._targets = Targets(moves, vault_paths)

    def relinked(self, text: str, note: NotePath) -> str:
        """Give a note's text with its links as the moves want them; `note` is its path before them.

        A link keeps its form: a name stays a name while it leads to the same note, else it becomes the path.
        Links in code and HTML comments are none.

        Raises:
            Unamendable: a link would have to name what no link can, or lead elsewhere than it did.
        """
        if not any(sign in text for sign in ("[[", "](", "]:")):
            return text
        said = scan(text)
        splices = list(self._splices(said, note))
        if not splices:
            return text
        if said.frozen:
            raise Unamendable("frozen", line=said.faults[0].line)
        new = spliced(text, splices)
        self._check(said, scan(new), note)
        return new

    def _splices(self, said: Note, note: NotePath) -> Iterator[Splice]:
        for spot in spots(said):
            target = self._targets.new(spot.target, note, markdown=spot.markdown)
            if target != spot.target:
                yield Splice(spot.start, spot.end, spot.written(said.text, target))

    def _check(self, before: Note, after: Note, note: NotePath) -> None:
        """Each link is still the same one, and leads where the old one did."""
        old = [(one.kind, one.subpath) for one in before.links]
        same = old == [(one.kind, one.subpath) for one in after.links]
        keys = [(one.key, one.subpath, one.alias) for one in before.properties.links]
        same &= keys == [(one.key, one.subpath, one.alias) for one in after.properties.links]
        for was, now in zip(_targets(before), _targets(after), strict=False):
            led = self._targets.led(was, note)
            same &= led is None or self._targets.leads(now, note) == led
        if not same:
            raise Unamendable("links")


def _targets(note: Note) -> list[str]:
    return [one.target for one in note.links] + [one.target for one in note.properties.links]


def relinked(
    text: str, note: NotePath, moves: Mapping[NotePath, NotePath], vault_paths: Collection[str]
) -> str:
    """Give a note's text with its links as the moves want them, as `Relinker` does; for one note alone.

    Raises:
        Unamendable: a link would have to name what no link can, or lead elsewhere than it did.
    """
    return Relinker(moves, vault_paths).relinked(text, note)
