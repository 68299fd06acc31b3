"""The target a link takes when notes move: in the form it had, as long as it leads where it led."""

from collections.abc import Collection, Iterator, Mapping
from typing import Literal

from parsers.model.places import NotePath
from renderers.amend.resolving import World, fold, folder_of, is_relative, joined, name_of, relative

Form = Literal["name", "root", "absolute", "relative", "end"]
"""A name alone, a path from the root (with or without `/` before it), one from the note's folder, the end of one."""
_NOTE = ".md"


class Targets:
    """A vault before and after some notes move; made once, asked for every link of every note."""

    def __init__(self, moves: Mapping[NotePath, NotePath], vault_paths: Collection[str]) -> None:
        self.moves = dict(moves)
        paths = {*vault_paths, *self.moves}
        self.before = World(paths)
        self.after = World({self.moves.get(NotePath(path), NotePath(path)) for path in paths})

    def place(self, note: NotePath) -> NotePath:
        """Give where a note stands after the moves."""
        return self.moves.get(note, note)

    def led(self, target: str, note: NotePath) -> str | None:
        """Give the path, after the moves, of what a link led to before; None when that was nothing."""
        found = self.before.find(target, note)
        return None if found is None else self.place(NotePath(found))

    def leads(self, target: str, note: NotePath) -> str | None:
        """Give what a target leads to after the moves, written in a note that is named as before."""
        return self.after.find(target, self.place(note))

    def new(self, target: str, note: NotePath, *, markdown: bool) -> str:
        """Give the target a link takes; the same one where it still leads there in its own form."""
        found = self.before.find(target, note)
        wanted = None if found is None else self.place(NotePath(found))
        if found is None or wanted is None:
            return self._nowhere(target, note)
        form = self._form(target, found, note, markdown=markdown)
        for spelt in self._spelt(target, form, (found, wanted), note):
            if self.leads(spelt, note) == wanted:
                return spelt
        return f"/{wanted}"

    def _nowhere(self, target: str, note: NotePath) -> str:
        """A link to nothing stays so, but one that is seen from its note's folder moves with the note."""
        here, there = folder_of(note), folder_of(self.place(note))
        path = joined(here, target) if here != there and is_relative(target) else None
        return target if path is None else _dotted(relative(there, path), target)

    def _form(self, target: str, found: str, note: NotePath, *, markdown: bool) -> Form:
        if target.startswith("/"):
            return "absolute"
        if is_relative(target):
            return "relative"
        moved = folder_of(note) != folder_of(self.place(note))
        beside = self.before.at_root(joined(folder_of(note), target) or "") == found
        if "/" in target:
            if self.before.at_root(target) == found:
                return "root"
            return "relative" if beside else "end"
        return "relative" if markdown and moved and beside and "/" in found else "name"

    def _spelt(self, target: str, form: Form, led: tuple[str, str], note: NotePath) -> Iterator[str]:
        """Targets in the order they are tried, each with `.md` as the old one had it."""
        found, wanted = led
        there = folder_of(self.place(note))
        bare = wanted
        if wanted.endswith(_NOTE) and not fold(target).endswith(_NOTE):
            bare = wanted.removesuffix(_NOTE)
        if form in {"name", "end"} or (found == wanted and form != "relative"):
            yield target
        if form == "relative":
            if found == wanted and there == folder_of(note):
                yield target
            yield _dotted(relative(there, bare), target)
        elif form == "absolute":
            yield f"/{bare}"
        elif form == "name":
            yield name_of(bare)
        yield from (bare, wanted)


def _dotted(target: str, old: str) -> str:
    return f"./{target}" if old.startswith("./") and not target.startswith("../") else target
