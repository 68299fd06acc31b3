"""How effects are carried out: each change by itself, under the vault's lock for that one write only.

Every change knows the bytes before and after it. Where the bytes after it stand already, it was done before a crash
and nothing happens; where neither stand, somebody wrote meanwhile and the step fails there.
"""

from daemon.tools.effects import Change, Look, VaultLook
from daemon.tools.errors import StepFailed
from daemon.vault.disk import etag_of
from daemon.vault.door import Vault
from parsers.model.places import NotePath


class Hands:
    """The one way in which a tool changes the vault."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    def look(self) -> Look:
        """Give the vault as it is now."""
        return VaultLook(self._vault)

    def carry(self, change: Change, *, delete: bool = False, untrash: bool = False) -> None:
        """Make one change, once: done already is done; with `delete` what goes does not go to the trash.

        With `untrash` a note that comes back is taken out of the trash if it lies there.

        Raises:
            StepFailed: The note holds neither the bytes before nor those after; nothing was changed.
            VaultError: The vault refuses; nothing was changed.
        """
        with self._vault.locked():
            now = self.look().read(change.path)
            if change.moved_from is not None:
                self._move(change, change.moved_from, now)
            elif now == change.after:
                return
            elif now != change.before:
                raise StepFailed(change.path)
            elif change.after is None:
                self._take_away(change, delete=delete)
            elif now is not None:
                self._write(change.path, now, change.after)
            elif not (untrash and self._untrash(change.path, change.after)):
                self._vault.create(change.path, change.after)

    def _move(self, change: Change, source: NotePath, now: bytes | None) -> None:
        left = self.look().read(source)
        if left is None and now is not None and now == change.after:
            return
        if change.before is None or change.after is None:
            raise StepFailed(source)
        if left == change.before and now is None:
            self._vault.move(source, change.path, etag_of(change.before))
        elif left is not None or now != change.before:
            raise StepFailed(source if now is None else change.path)
        self._write(change.path, change.before, change.after)

    def _write(self, path: NotePath, before: bytes, after: bytes) -> None:
        written = self._vault.write(path, after, etag_of(before))
        if written.displaced is not None:
            # A save slipped in between the last look and the exchange: it stands again, and nothing was done.
            self._vault.write(path, written.displaced.data, written.etag)
            self._vault.heard(written.displaced)
            raise StepFailed(path)

    def _take_away(self, change: Change, *, delete: bool) -> None:
        if change.before is None:
            return
        if delete:
            self._vault.delete(change.path, etag_of(change.before))
        else:
            self._vault.trash(change.path, etag_of(change.before))

    def _untrash(self, path: NotePath, data: bytes) -> bool:
        trashed = self._vault.trashed(path, etag_of(data))
        if trashed is None:
            return False
        self._vault.untrash(trashed[0], path, etag_of(data))
        return True
