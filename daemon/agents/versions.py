"""Which versions of notes an agent may be told: a hash of a short text is that text to whoever tries them all."""

import contextlib
from collections.abc import Mapping, Sequence
from functools import cached_property

from daemon.agents.session import AgentSession
from daemon.runs.drafting import Planning
from daemon.vault.disk import etag_of
from daemon.vault.errors import VaultError
from parsers.model.places import Etag, NotePath


class OpenVersions:
    """The versions that a client may read, or might have read: of each the bytes are there to say so."""

    def __init__(self, session: AgentSession) -> None:
        self._session = session
        self._now: dict[NotePath, bytes | None] = {}

    def told(self, etags: Mapping[str, str], paths: Sequence[str]) -> dict[str, str]:
        """Give of the notes at some paths the etags that a client may be told; `""`, of none, tells nothing."""
        named = {path: etag for path, etag in etags.items() if path in paths}
        if not any(named.values()) or not all(self._is_open(NotePath(path)) for path in named):
            return {path: etag for path, etag in named.items() if not etag}
        here = {etag_of(data) for path in named if (data := self._read(NotePath(path))) is not None}
        return {
            path: etag
            for path, etag in named.items()
            if not etag or etag in here or self._was_open(NotePath(path), Etag(etag))
        }

    @cached_property
    def _plan(self) -> Planning:
        with self._session.snapshot.still():
            return self._session.planning(self._session.snapshot)

    def _read(self, path: NotePath) -> bytes | None:
        if path not in self._now:
            self._now[path] = None
            with contextlib.suppress(VaultError):
                self._now[path] = self._plan.look.read(path)
        return self._now[path]

    def _is_open(self, path: NotePath) -> bool:
        """Whether a client may read what stands at a path, or would stand there."""
        if self._plan.look.target(path).reasons:
            return False
        return self._plan.declares(path, self._read(path) or b"").sensitivity == "normal"

    def _was_open(self, path: NotePath, etag: Etag) -> bool:
        """Whether an earlier version is kept, and declares that others may read it."""
        try:
            data = self._plan.look.kept(path, etag)
        except VaultError:
            return False
        return data is not None and self._plan.declares(path, data).sensitivity == "normal"
