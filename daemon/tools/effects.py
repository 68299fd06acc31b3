"""What a call would change, found without changing anything, and the ways of reading a vault to find it.

A plan is a pure function of its arguments and a `Look`: the same bytes give the same effects, so what is shown before
approval is what runs after it. An `Overlay` shows later steps what earlier ones would have done; a `Past` shows a
step that a crash stopped what stood there before it started.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from daemon.vault.disk import etag_of
from daemon.vault.door import Vault
from daemon.vault.errors import NoteMissing
from daemon.vault.targets import Target
from parsers.model.places import Etag, NotePath


@dataclass(frozen=True, slots=True)
class Change:
    """One note's change; `before` None: it is made; `after` None: it goes."""

    path: NotePath
    """Where the note stands afterwards; where it stood if it goes."""
    before: bytes | None
    """Its bytes now, at `moved_from` if that is given."""
    after: bytes | None
    moved_from: NotePath | None = None


Values = Mapping[str, str | int]


@dataclass(frozen=True, slots=True)
class Effects:
    """Everything one call changes in the vault; `says` is the catalogue key below `tool.effect.`, with its values."""

    changes: tuple[Change, ...] = ()
    says: str = ""
    values: Values = field(default_factory=dict)

    @property
    def writes(self) -> tuple[NotePath, ...]:
        """The notes it makes, changes or takes away, in the order they are touched; both names of a moved note."""
        names = [name for one in self.changes for name in (one.moved_from, one.path) if name is not None]
        return tuple(dict.fromkeys(names))

    def before(self) -> dict[str, str]:
        """Give for each of these notes its etag before the effect, `""` where none stood."""
        found: dict[str, str] = dict.fromkeys(self.writes, "")
        found |= {one.moved_from or one.path: _etag(one.before) for one in self.changes}
        return found

    def after(self) -> dict[str, str]:
        """Give for each of these notes its etag after the effect, `""` where none stands."""
        found: dict[str, str] = dict.fromkeys(self.writes, "")
        return found | {one.path: _etag(one.after) for one in self.changes}


def _etag(data: bytes | None) -> str:
    return "" if data is None else etag_of(data)


class Look(Protocol):
    """Reads a vault as it is, was or would be; nothing is changed through it."""

    def read(self, path: NotePath) -> bytes | None:
        """Give a note's bytes, None when there is none.

        Raises:
            VaultError: It may not be read, or the vault is not there.
        """
        ...

    def paths(self) -> Sequence[NotePath]:
        """Give every note, sorted."""
        ...

    def target(self, path: str) -> Target:
        """Give where a path leads, and every reason why nothing may be done there."""
        ...

    def kept(self, path: NotePath, etag: Etag) -> bytes | None:
        """Give an earlier version of a note, from the trash or the backups; None when it is not kept."""
        ...


class VaultLook:
    """The vault as it is; the list of notes is made once."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._paths: tuple[NotePath, ...] | None = None

    def read(self, path: NotePath) -> bytes | None:
        """Give a note's bytes (see `Look`)."""
        try:
            return self._vault.read(path).data
        except NoteMissing:
            return None

    def paths(self) -> Sequence[NotePath]:
        """Give every note (see `Look`)."""
        if self._paths is None:
            self._paths = tuple(entry.path for entry in self._vault.walk().entries)
        return self._paths

    def target(self, path: str) -> Target:
        """Give where a path leads (see `Look`)."""
        return self._vault.target(path)

    def kept(self, path: NotePath, etag: Etag) -> bytes | None:
        """Give an earlier version (see `Look`)."""
        trashed = self._vault.trashed(path, etag)
        return self._vault.backup(etag) if trashed is None else trashed[1]


class Overlay:
    """What another look sees, after the effects that were added: later steps see what earlier ones do."""

    def __init__(self, below: Look, effects: Iterable[Effects] = ()) -> None:
        self._below = below
        self._bytes: dict[NotePath, bytes | None] = {}
        self._gone: dict[str, bytes] = {}
        self._unnamed: list[bytes] = []
        """Versions that went and whose etags nobody has asked for: most plans of many steps never do."""
        for one in effects:
            self.add(one)

    def add(self, effects: Effects) -> None:
        """Show these effects from now on."""
        for change in effects.changes:
            if change.before is not None:
                self._unnamed.append(change.before)
            if change.moved_from is not None:
                self._bytes[change.moved_from] = None
            self._bytes[change.path] = change.after

    def read(self, path: NotePath) -> bytes | None:
        """Give a note's bytes (see `Look`)."""
        return self._bytes[path] if path in self._bytes else self._below.read(path)

    def paths(self) -> Sequence[NotePath]:
        """Give every note (see `Look`)."""
        gone = {path for path, data in self._bytes.items() if data is None}
        there = {path for path, data in self._bytes.items() if data is not None}
        return tuple(sorted((set(self._below.paths()) - gone) | there))

    def target(self, path: str) -> Target:
        """Give where a path leads (see `Look`)."""
        below = self._below.target(path)
        if below.path not in self._bytes:
            return below
        return Target(below.path, below.real, self._bytes[below.path] is None, below.reasons)

    def kept(self, path: NotePath, etag: Etag) -> bytes | None:
        """Give an earlier version (see `Look`)."""
        self._gone |= {etag_of(data): data for data in self._unnamed}
        self._unnamed.clear()
        return self._gone[etag] if etag in self._gone else self._below.kept(path, etag)


class Past(Overlay):
    """The vault as it was before a step, as far as the step's notes go, from the etags recorded when it started.

    With it the plan of a step that a crash stopped comes out as it was shown, so that what is left of it can be done.
    """

    def __init__(self, below: Look, before: Mapping[str, str]) -> None:
        super().__init__(below)
        self.complete = True
        """Whether every version was found."""
        now = {etag_of(data): data for path in before if (data := below.read(NotePath(path))) is not None}
        for name, etag in before.items():
            path, data = NotePath(name), now.get(Etag(etag))
            if etag and data is None:
                data = below.kept(path, Etag(etag))
            self.complete = self.complete and (data is not None or not etag)
            self._bytes[path] = data
