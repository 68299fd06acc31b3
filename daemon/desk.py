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
from daemon.aside import Aside, Rest, Secrets, aside, by_person, secrets
from daemon.consent import autonomy_wanted
from daemon.fact_notes import Look
from daemon.history import History, Standing
from daemon.managed import Showing
from daemon.memory.pairing import alive
from daemon.memory.places import FACT_NOTES, note_of
from daemon.memory.secrets import secret_spans
from daemon.memory.shown import Shown
from daemon.source import Source, Sources, Wanted, is_plan, source
from daemon.vault.disk import Reading, Stamp, etag_of
from daemon.vault.door import Vault
from daemon.vault.errors import NoteChanged, NoteMissing, VaultError
from daemon.vault.kept import Late
from daemon.vault.walk import Listing
from parsers.ids import ID
from parsers.model.edits import Edit, Lines, LinesSettled
from parsers.model.entities import Entity
from parsers.model.facts import Fact
from parsers.model.places import Etag, NotePath, Problem
from parsers.profile import ProfileSaid
from parsers.statements import Spot

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
        self._rest: dict[NotePath, Rest] = {}
        self._secrets: dict[NotePath, Secrets] = {}
        self._left: dict[NotePath, Stamp] = {}
        """The stamp of each managed note as it was last read or written."""

    def is_as_left(self, path: NotePath) -> bool:
        """Tell whether a managed note holds the bytes that were last read or written at rest."""
        if path in self._left and self._left[path] != self._stamp(path):
            return False  # a save: the pass reads it anyway
        stood, reading = self.history.stood(path), self.on_disk(path)
        return stood is not None and reading is not None and reading.etag == stood.etag

    def _stamp(self, path: NotePath) -> Stamp | None:
        try:
            entry = self.vault.entry(path)
        except VaultError:
            return None
        return entry and Stamp(entry.mtime_ns, entry.size, entry.inode)

    def read(self, path: NotePath) -> Source:
        """Read one managed note; a version that our last write displaced is read in its place."""
        if path in self.displaced:
            reading, ours = self.displaced[path]
            return source(path, reading.data, reading.etag, on_disk=ours)
        try:
            reading = self.vault.read(path)
        except NoteMissing:
            return Source(path, vanished=True)
        except VaultError as error:
            return Source(path, problems=(error.problem,))
        if reading.linked:
            return Source(path, problems=(Problem(path, 0, "linked_note"),))
        self._left[path] = reading.stamp
        if path not in self._sources or self._sources[path].etag != reading.etag:
            earlier = self._sources.get(path)
            self._sources[path] = source(path, reading.data, reading.etag, earlier=earlier)
        return self._sources[path]

    def stood(self, before: Mapping[NotePath, Shown | None]) -> dict[NotePath, Shown | None]:
        """Give what counts as having stood in each note before it was read.

        What a displaced version lacks may just not have been written yet: it deletes nothing.
        """
        return {path: None if path in self.displaced else one for path, one in before.items()}

    def said(
        self, sources: Sources, stood: Mapping[NotePath, Shown | None], showing: Showing
    ) -> managed.Said:
        """Give how what the notes say differs from what stood in them."""
        looks = {path: self._look(one, stood.get(path), showing) for path, one in sources.items()}
        return managed.said(sources, looks, self.history.state, showing.today.isoformat())

    def _look(self, one: Source, before: Shown | None, showing: Showing) -> Look:
        if one.profile is None:
            return Look(before)
        self._secrets[one.path] = secrets(self._secrets.get(one.path), one.profile, _holds_secret)
        since = self.history.since[one.path]
        return Look(before, self._apart(one.path, one.profile, showing), self._secrets[one.path].lines, since)

    def _apart(self, path: NotePath, what: ProfileSaid, showing: Showing) -> Aside:
        """What of a note of facts needs no look: nothing about it changed since the note was at rest."""
        rest, since = self._rest.get(path), self.history.since[path]
        rest = rest if rest and rest.day == showing.today else None
        if path == NAMES.profile:
            return aside(rest, what, since.touched)
        since.touched = self._of_people(since.touched, rest) if since.touched else since.touched
        return by_person(rest, what, since.touched)

    def _of_people(self, touched: set[str], rest: Rest | None) -> set[str]:
        """Of what changed, what Personnes.md says or may have to say."""
        stood = frozenset().union(*rest.ids.values()) if rest else frozenset[str]()
        facts = [(name, self.history.state.latest(name)) for name in touched]
        owners = {fact.entity_id for _, fact in facts if fact and fact.entity_id}
        return owners | {name for name, fact in facts if fact is None or fact.entity_id or name in stood}

    def wanted(
        self, sources: Mapping[NotePath, Source], before: Mapping[NotePath, Shown | None], showing: Showing
    ) -> dict[NotePath, Wanted]:
        """Render the notes that can be written, as the state now has it."""
        found: dict[NotePath, Wanted] = {}
        for one in sources.values():
            want = self._wanted(one, before.get(one.path), showing)
            if want is not None:
                found[one.path] = want
        return found

    def _wanted(self, one: Source, earlier: Shown | None, showing: Showing) -> Wanted | None:
        history = self.history
        if one.path == NAMES.autonomy:
            return autonomy_wanted(one, history.runs, history.state.host, showing)
        return managed.wanted(one, history.state, showing, self._look(one, earlier, showing))

    def standing(
        self,
        sources: Mapping[NotePath, Source],
        before: Mapping[NotePath, Shown | None],
        wants: Mapping[NotePath, Wanted],
    ) -> list[Standing]:
        """Give what stood in the notes as they were read, of those that differ from what is remembered of them."""
        found: list[Standing] = []
        for one in sources.values():
            earlier, want = before.get(one.path), wants.get(one.path)
            if one.vanished and earlier and any(earlier.ids.values()):
                # What stood there is held now: from here on nothing is missing from it, or giving the lines
                # back would be undone by the very pass that reads the answer.
                found.append((one.path, Shown(Etag(one.etag or ""))))
            if want is None:
                continue
            there = want.stood if earlier is None or earlier.etag != one.etag else earlier
            if one.path in self.displaced:
                # What it says stands nowhere until it is written: a crash must not make its lines look deleted.
                there = replace(earlier or Shown(Etag("")), etag=one.on_disk or Etag(""))
            elif there is earlier and want.text == one.text:
                continue
            coming = etag_of(want.data)
            found.append((one.path, replace(there, coming=coming)))
        return found

    def write(
        self, one: Source, want: Wanted | None, before: Shown | None, showing: Showing
    ) -> list[NotePath]:
        """Write one note if it is not as it should be; give its path when it was written."""
        if one.vanished:
            return self._make_again(one, showing)
        if want is None or one.on_disk is None:
            return []
        merged = self.displaced.pop(one.path, None)
        if want.text == one.text and not merged:
            if want.stands != want.stood or (before and before.etag == one.etag and want.stands != before):
                self.history.stand(one.path, replace(want.stands, etag=one.on_disk))
            self._at_rest(one, want, showing)
            return []
        try:
            done = self.vault.write(one.path, want.data, one.on_disk)
        except NoteChanged:
            if merged:
                self.apart.append(Late(one.path, merged[0]))
            raise
        if merged:
            self.vault.heard(merged[0])
        self.history.stand(one.path, replace(want.stands, etag=done.etag))
        if done.displaced is not None and done.displaced.data.strip():
            self.displaced[one.path] = (done.displaced, done.etag)
            return [one.path]
        if done.displaced is not None:
            self.vault.heard(done.displaced)
        self._left[one.path] = done.stamp
        self._sources[one.path] = source(one.path, want.data, done.etag, earlier=one)
        self._at_rest(self._sources[one.path], want, showing)
        return [one.path]

    def _at_rest(self, one: Source, want: Wanted, showing: Showing) -> None:
        if one.profile:
            stood, state = self.history.stood(one.path), self.history.state
            # The very sets that are remembered: what is the same is told from what is not without a look.
            ids = stood.ids if stood and stood.ids == want.stands.ids else want.stands.ids
            others = state.facts.keys() - frozenset().union(*ids.values())
            elsewhere = {name for name in others if self._stands_elsewhere(state.facts[name][-1], one.path)}
            self._rest[one.path] = Rest(one.profile, ids, frozenset(others - elsewhere), showing.today)
            self._secrets[one.path] = secrets(self._secrets.get(one.path), one.profile, _holds_secret)
            since = self.history.since[one.path]
            since.touched, since.corrected, since.forgotten, since.left = set(), set(), {}, {}

    def _stands_elsewhere(self, fact: Fact, path: NotePath) -> bool:
        return alive(fact) and note_of(self.history.state, fact) != path

    def _make_again(self, one: Source, showing: Showing) -> list[NotePath]:
        """Make a vanished or emptied note again: the cards at once, the facts once nothing is held any more."""
        if one.path in FACT_NOTES and not self._is_missed(one.path):
            return []
        text = managed.frames(one.path, None, self.words)
        empty = source(one.path, text.encode("utf-8"), Etag(""))
        wanted = self._wanted(empty, None, showing)
        assert wanted is not None
        done = (
            self.vault.write(one.path, wanted.data, one.on_disk)
            if one.on_disk
            else self.vault.create(one.path, wanted.data)
        )
        self.history.stand(one.path, replace(wanted.stands, etag=done.etag))
        return [one.path]

    def _is_missed(self, path: NotePath) -> bool:
        """Whether a note of facts has something to say, and nothing of it waits for an answer."""
        state = self.history.state
        latest = [versions[-1] for versions in state.facts.values()]
        lines: list[Fact | Entity] = [fact for fact in latest if note_of(state, fact) == path]
        if path == NAMES.people:
            lines += [one for one in state.entities.values() if one.kind == "person"]
        held = any(one.status == "held" for one in lines)
        return not held and any(one.status == "confirmed" and one.retracted_at is None for one in lines)

    def late(self, now: float, listing: Listing | None) -> None:
        """Take versions nobody has read: merged where the note is as we left it, else set apart for a card."""
        for late in self.vault.late(now, listing.drafts if listing else ()):
            if late.path and managed.is_read(late.path) and late.path not in self.displaced:
                disk = self.on_disk(late.path)
                kept = self.history.stood(late.path)
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
        for entry in listing.copies:
            original = entry.conflict_of
            if original is None or not managed.is_read(original):
                continue
            copy, there = self.on_disk(entry.path), self.on_disk(original)
            if copy and (original in sources or (is_plan(original) and there)):
                lines = differing(copy.data.decode("utf-8", "replace"), _text(there))
                found.append(Lines("copy", original, entry.path, lines))
        return [LinesSettled("copy", tuple(one.key for one in found)), *found]


def _text(reading: Reading | None) -> str:
    return reading.data.decode("utf-8", "replace") if reading else ""


def _holds_secret(spot: Spot) -> bool:
    return bool(secret_spans(spot.says.wording.text))


def differing(text: str, current: str) -> str:
    """Give the lines of a version that the current text does not have, at most some; an id makes no difference."""
    lines = [
        line[2:].strip() for line in difflib.ndiff(_lines(current), _lines(text)) if line.startswith("+ ")
    ]
    return "\n".join([line for line in lines if line][:_QUOTED])


def _lines(text: str) -> list[str]:
    return [_OWN_ID.sub("", line.removesuffix("\r")) for line in text.split("\n")]
