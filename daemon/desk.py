"""The managed notes on the desk: read from disk, written back, and the versions of them that came beside.

Nothing is written but over the bytes that were read; a version that a write of ours displaced is read in the note's
place, and one that cannot be merged any more is shown on a card (law 7).
"""

import difflib
import re
from collections.abc import Mapping
from dataclasses import replace

from config.i18n import Catalogue
from config.paths import NAMES
from daemon import managed
from daemon.aside import Aside, Rest, aside
from daemon.history import History, Standing
from daemon.index import memory as rows
from daemon.managed import Showing, Source, Stood, Wanted
from daemon.vault.disk import Reading, etag_of
from daemon.vault.door import Vault
from daemon.vault.errors import NoteChanged, NoteMissing, VaultError
from daemon.vault.kept import Late
from daemon.vault.walk import Listing
from parsers.ids import ID
from parsers.model.edits import Edit, Lines, LinesSettled
from parsers.model.places import Etag, NotePath, Problem

_OWN_ID = re.compile(rf"[ \t]*\^{ID.pattern}[ \t]*$")
_QUOTED = 20
"""Lines a card about a whole version quotes at the most."""


class Desk:
    """The managed notes of one vault; every call is under the vault's lock."""

    def __init__(self, vault: Vault, history: History, words: Catalogue) -> None:
        self.vault, self.history, self.words = vault, history, words
        self.displaced: dict[NotePath, tuple[Reading, Etag]] = {}
        """Versions to read in a note's place, with the etag of what stands on disk meanwhile."""
        self.apart: list[Late] = []
        """Versions that only a card can show."""
        self._sources: dict[NotePath, Source] = {}
        """What was last made of each managed note: the same bytes are not parsed twice."""
        self._rest: Rest | None = None

    def stood(self, path: NotePath) -> Stood | None:
        """Give what is remembered of a note, None where the index has forgotten."""
        return managed.stood(rows.shown(self.history.index, path))

    def is_as_left(self, path: NotePath) -> bool:
        """Tell whether a managed note holds the bytes that were last read or written at rest."""
        stood, reading = self.stood(path), self.on_disk(path)
        return stood is not None and reading is not None and reading.etag == stood.etag

    def read(self, path: NotePath) -> Source:
        """Read one managed note; a version that our last write displaced is read in its place."""
        if path in self.displaced:
            reading, ours = self.displaced[path]
            return managed.source(path, reading.data, reading.etag, on_disk=ours)
        try:
            reading = self.vault.read(path)
        except NoteMissing:
            return Source(path, vanished=True)
        except VaultError as error:
            return Source(path, problems=(error.problem,))
        if reading.linked:
            return Source(path, problems=(Problem(path, 0, "linked_note"),))
        if path not in self._sources or self._sources[path].etag != reading.etag:
            earlier = self._sources.get(path)
            self._sources[path] = managed.source(path, reading.data, reading.etag, earlier=earlier)
        return self._sources[path]

    def resting(self, one: Source | None, showing: Showing) -> Aside | None:
        """What of Profil.md needs no look: nothing about it changed since the note was at rest."""
        if one is None or one.profile is None:
            return None
        rest = self._rest if self._rest and self._rest.day == showing.today else None
        return aside(rest, one.profile, self.history.touched)

    def wanted(
        self, sources: Mapping[NotePath, Source], before: Mapping[NotePath, Stood | None], showing: Showing
    ) -> dict[NotePath, Wanted]:
        """Render the notes that can be written, as the state now has it."""
        found: dict[NotePath, Wanted] = {}
        for one in sources.values():
            resting, earlier = self.resting(one, showing), before.get(one.path)
            want = managed.wanted(one, self.history.state, showing, resting, earlier, self.history.corrected)
            if want is not None:
                found[one.path] = want
        return found

    def standing(
        self,
        sources: Mapping[NotePath, Source],
        before: Mapping[NotePath, Stood | None],
        wants: Mapping[NotePath, Wanted],
    ) -> list[Standing]:
        """Give what stood in the notes as they were read, of those that differ from what is remembered of them."""
        found: list[Standing] = []
        for one in sources.values():
            earlier, want = before.get(one.path), wants.get(one.path)
            if one.vanished and earlier and any(earlier.ids.values()):
                # What stood there is held now: from here on nothing is missing from it, or giving the lines
                # back would be undone by the very pass that reads the answer.
                found.append((one.path, Etag(one.etag or ""), Stood(Etag(one.etag or "")).as_json()))
            if want is None:
                continue
            there = want.stood if earlier is None or earlier.etag != one.etag else earlier
            if one.path in self.displaced:
                # What it says stands nowhere until it is written: a crash must not make its lines look deleted.
                there = replace(earlier or Stood(Etag("")), etag=one.on_disk or Etag(""))
            elif there is earlier and want.text == one.text:
                continue
            coming = etag_of(want.text.encode("utf-8"))
            found.append((one.path, there.etag, replace(there, coming=coming).as_json()))
        return found

    def write(
        self, one: Source, want: Wanted | None, before: Stood | None, showing: Showing
    ) -> list[NotePath]:
        """Write one note if it is not as it should be; give its path when it was written."""
        if one.vanished:
            return self._make_again(one, showing)
        if want is None or one.on_disk is None:
            return []
        merged = self.displaced.pop(one.path, None)
        if want.text == one.text and not merged:
            if want.stands != want.stood or (before and before.etag == one.etag and want.stands != before):
                self.history.stand((one.path, one.on_disk, want.stands.as_json()))
            self._at_rest(one, want, showing)
            return []
        data = want.text.encode("utf-8")
        try:
            done = self.vault.write(one.path, data, one.on_disk)
        except NoteChanged:
            if merged:
                self.apart.append(Late(one.path, merged[0]))
            raise
        if merged:
            self.vault.heard(merged[0])
        self.history.stand((one.path, done.etag, want.stands.as_json()))
        if done.displaced is not None and done.displaced.data.strip():
            self.displaced[one.path] = (done.displaced, done.etag)
            return [one.path]
        if done.displaced is not None:
            self.vault.heard(done.displaced)
        self._sources[one.path] = managed.source(one.path, data, done.etag, earlier=one)
        self._at_rest(self._sources[one.path], want, showing)
        return [one.path]

    def _at_rest(self, one: Source, want: Wanted, showing: Showing) -> None:
        if one.profile:
            self._rest = Rest(one.profile, want.stands.ids, showing.today)
            self.history.touched, self.history.corrected = set(), set()

    def _make_again(self, one: Source, showing: Showing) -> list[NotePath]:
        """Make a vanished or emptied note again: the cards at once, the facts once nothing is held any more."""
        latest = [versions[-1] for versions in self.history.state.facts.values()]
        held = any(fact.status == "held" for fact in latest)
        current = any(fact.status == "confirmed" and fact.retracted_at is None for fact in latest)
        if one.path == NAMES.profile and (held or not current):
            return []
        text = managed.frames(one.path, None, self.words)
        empty = managed.source(one.path, text.encode("utf-8"), Etag(""))
        wanted = managed.wanted(empty, self.history.state, showing)
        assert wanted is not None
        data = wanted.text.encode("utf-8")
        done = (
            self.vault.write(one.path, data, one.on_disk)
            if one.on_disk
            else self.vault.create(one.path, data)
        )
        self.history.stand((one.path, done.etag, wanted.stands.as_json()))
        return [one.path]

    def late(self, now: float, listing: Listing | None) -> None:
        """Take versions nobody has read: merged where the note is as we left it, else set apart for a card."""
        for late in self.vault.late(now, listing.drafts if listing else ()):
            if late.path in (NAMES.profile, NAMES.cards) and late.path not in self.displaced:
                disk = self.on_disk(late.path)
                kept = self.stood(late.path)
                ours = kept and disk and disk.etag in (kept.etag, kept.coming)
                if disk and ours and late.reading.data.strip():
                    self.displaced[late.path] = (late.reading, disk.etag)
                    continue
            self.apart.append(late)

    def heard(self) -> None:
        """Say that the cards about versions set apart are recorded."""
        while self.apart:
            self.vault.heard(self.apart.pop().reading)

    def unread(self) -> list[Edit]:
        """Ask about the lines of versions set apart that the note does not have."""
        return [ask for late in self.apart for ask in self._lines_of(late)]

    def _lines_of(self, late: Late) -> list[Edit]:
        path = late.path or late.reading.path
        disk = self.on_disk(path)
        missing = differing(
            late.reading.data.decode("utf-8", "replace"), disk.data.decode("utf-8", "replace") if disk else ""
        )
        return [Lines("late", path, str(late.reading.etag)[:16], missing)] if missing else []

    def on_disk(self, path: NotePath) -> Reading | None:
        """Give a note's bytes, None where they cannot be had."""
        try:
            return self.vault.read(path)
        except VaultError:
            return None

    def copies(self, listing: Listing, sources: Mapping[NotePath, Source]) -> list[Edit]:
        """Ask about the lines of the conflict copies of managed notes that lie in the vault."""
        found: list[Lines] = []
        for entry in listing.entries:
            original = entry.conflict_of
            if original in managed.SHOWN_NOTES and original in sources and (copy := self.on_disk(entry.path)):
                lines = differing(copy.data.decode("utf-8", "replace"), sources[original].text or "")
                found.append(Lines("copy", original, entry.path, lines))
        return [LinesSettled("copy", tuple(one.key for one in found)), *found]


def differing(text: str, current: str) -> str:
    """Give the lines of a version that the current text does not have, at most some; an id makes no difference."""
    lines = [
        line[2:].strip() for line in difflib.ndiff(_lines(current), _lines(text)) if line.startswith("+ ")
    ]
    return "\n".join([line for line in lines if line][:_QUOTED])


def _lines(text: str) -> list[str]:
    return [_OWN_ID.sub("", line.removesuffix("\r")) for line in text.split("\n")]
