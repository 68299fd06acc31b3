"""Appends to the register, `Registre/YYYY-MM.md`: what was appended has happened.

One write and one fsync a batch; then `head.json` in the state folder, by which a shorter copy is known.
Reading needs no lock; everything else is called under the vault's.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from config.paths import NAMES
from daemon.register.keys import Keys, make_host
from daemon.register.reading import File, Reader, Reading, at_physical_end, lines_of, month_of, path_of
from daemon.vault.door import Vault
from daemon.vault.errors import NoteChanged
from parsers.errors import ClavaireError
from parsers.model.places import NotePath, Problem
from parsers.model.register import Event, Mark, Record, stamp
from parsers.register import ACCEPTED, HOST_TAKEN, Month, follow, hash_of, parse_lines
from renderers.register import render_head, render_line

LIMIT = 2_000_000
"""Bytes beyond which a month goes on in its next part."""


class RegisterClosed(ClavaireError):
    """The register takes no line now; `problem` says why, in the catalogue's words."""

    exit_code = 3

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        values = ", ".join(value for _, value in problem.values)
        super().__init__(f"The register is closed ({problem.code}): {problem.path or values}")


class Register:
    """The register of one vault; `state` is its state folder, which bears the vault's id as name."""

    def __init__(self, vault: Vault, state: Path, sentence: str, limit: int = LIMIT) -> None:
        """Take the door to the notes, and the `sentence` that stands at the top of each month file."""
        self.vault, self.keys, self.vault_id = vault, Keys(state), state.name
        self._reader = Reader(vault, self.keys, self.vault_id)
        self._sentence, self._limit = sentence, limit

    def stamps(self) -> list[list[int | str]]:
        """Give what tells that another program wrote in the register: time, size and inode of its files."""
        return self._reader.stamps()

    def read(self, after: Mark | None = None, *, whole: bool = False) -> Reading:
        """Give what stands after a mark, or all of it; writes nothing, never raises for what the files hold.

        With `whole` the lines before the mark are checked again too. `register.accepted` and `purged` among the
        records change what earlier lines mean: rebuild then.
        """
        return self._reader.read(after, whole=whole)

    def open(self, after: Mark | None = None, *, whole: bool = False) -> Reading:
        """Read for a writer: a last line cut off by a crash goes to the backups, a whole one is ended."""
        reading = self.read(after, whole=whole)
        if reading.loose and reading.mode in ("ok", "unvouched"):
            self._mend(reading.mark)
            return self.read(after)
        return reading

    def may_write(self, reading: Reading) -> Problem | None:
        """Give the reason why this machine must not append, None when it may."""
        match reading.mode:
            case "maintenance":
                return reading.problems[0]
            case "no_secret":
                return Problem("", 0, "register_no_secret", (("folder", str(self.keys.folder)),))
            case "foreign_host":
                return _kept_by(reading.end.host_name)
            case _:
                if not reading.mark.host:
                    return Problem("", 0, "register_no_host")
                return self._linked(reading)

    def append(self, events: Sequence[Event], now: datetime, mark: Mark) -> tuple[tuple[Record, ...], Mark]:
        """Write a batch after the last line, on disk when this returns; gives its records and the new mark.

        Raises:
            NoteChanged: the register goes on after `mark`: open it again.
            RegisterClosed: there is no secret to seal with.
            EventUnwritable: an event is no body of a line; nothing was written.
        """
        known = self.keys.head()
        if known is not None and known[0] > mark.seq:
            raise NoteChanged(mark.file)
        return self._write(events, now, mark)

    def take_host(self, name: str, now: datetime, seen: Mark | None = None) -> Reading:
        """Make this machine the host and give the register anew; the caller saw that it has been quiet.

        Where another machine took over from this one, `seen` is the `end` a person accepted on a terminal.

        Raises:
            RegisterClosed: it is in maintenance, has no secret here, or goes on after what was accepted.
        """
        reading = self.read()
        if reading.mode == "maintenance":
            raise RegisterClosed(reading.problems[0])
        events = [Event(HOST_TAKEN, "person", {"id": make_host(self.keys.folder), "name": name})]
        end = self._mend(reading.end)
        if end.seq > reading.mark.seq:
            _agree(end, seen)
            # In this order: what the other machine finds first is that it was relieved.
            events.append(_acceptance(end))
        self._write(events, now, end)
        return self.read()

    def acceptable(self) -> Mark:
        """Give the end of the register as `accept` would vouch for it.

        Raises:
            RegisterClosed: a line is missing or changed, which no acceptance heals: write it back first.
        """
        files = self.files()
        lines = lines_of(files)
        chain = follow(lines, Mark(), keyed=self.keys.secret() is not None, lenient=True)
        for file in files:
            if file.fault is not None:
                raise RegisterClosed(file.fault)
        if len(chain.heads) + chain.cut < len(lines):
            line = lines[len(chain.heads)]
            raise RegisterClosed(Problem(line.path, line.number, "register_chain_broken"))
        return at_physical_end(chain.end, chain, files)

    def accept(self, seen: Mark, now: datetime) -> Reading:
        """Vouch for every line up to `seen`, the `acceptable` end a person was shown; give the register anew.

        Raises:
            RegisterClosed: it goes on after `seen`, is broken before it, or is another machine's to write.
        """
        end = self.acceptable()
        _agree(end, seen)
        if end.host != self.keys.host():
            raise RegisterClosed(_kept_by(end.host_name))
        self._write([_acceptance(end)], now, self._mend(end))
        return self.read()

    def verify(self) -> tuple[Problem, ...]:
        """Check every line of every month and give what is wrong; writes nothing."""
        reading = self.read()
        linked = self._linked(reading)
        found = [*reading.problems, *([linked] if linked else [])]
        doubtful = [record.seq for record in reading.records if not record.vouched]
        for code, lines in (("unvouched", doubtful), ("purge_unfinished", reading.unfinished)):
            if lines:
                found.append(Problem("", 0, f"register_{code}", (("seq", str(lines[0])),)))
        return tuple(found)

    def _linked(self, reading: Reading) -> Problem | None:
        """Say that a link stands where the next line goes: through that lines are read, and none is written."""
        path = NotePath(reading.mark.file or NAMES.register_folder)
        places = (Path(path), *Path(path).parents)
        linked = any((self.vault.root / one).is_symlink() for one in places)
        return Problem(path, 0, "linked_note") if linked else None

    def files(self) -> list[File]:
        """Give every month file, oldest first, with its lines."""
        return self._reader.files()

    def top(self) -> bytes:
        """Give the first lines of a month file of this vault."""
        return render_head(self.vault_id, self._sentence)

    def secret(self) -> bytes:
        """Give what seals lines.

        Raises:
            RegisterClosed: there is none here.
        """
        secret = self.keys.secret()
        if secret is None:
            raise RegisterClosed(Problem("", 0, "register_no_secret", (("folder", str(self.keys.folder)),)))
        return secret

    def _write(self, events: Sequence[Event], now: datetime, mark: Mark) -> tuple[tuple[Record, ...], Mark]:
        if not events:
            return (), mark
        at = max(stamp(now), mark.at)
        secret, head, lines = self.secret(), mark.head, []
        for seq, event in enumerate(events, mark.seq + 1):
            more = mark.seq + len(events) - seq
            lines.append(render_line(event, seq, at, head, secret, more))
            head = hash_of(lines[-1])
        path, offset = self._put(b"\n".join(lines) + b"\n", at, mark)
        self.keys.keep_head(mark.seq + len(events), head)
        written = [line for raw in lines for line in parse_lines(path, raw, secret, 0, 0)]
        chain = follow(written, mark, keyed=True)
        return chain.records, replace(chain.mark, file=path, offset=offset)

    def _put(self, data: bytes, at: str, mark: Mark) -> tuple[NotePath, int]:
        """Write lines where they go, and give the file and its new size."""
        month = Month(at[:7])
        if mark.file:
            last = month_of(mark.file)
            full = mark.offset + len(data) > self._limit
            month = max(month, Month(last.month, last.part + 1) if full else last)
            if month == last:
                path = NotePath(mark.file)
                self.vault.append(path, data, mark.offset)
                return path, mark.offset + len(data)
        path, top = path_of(month), self.top()
        self.vault.create(path, top + data)
        return path, len(top) + len(data)

    def _mend(self, mark: Mark) -> Mark:
        """Leave whole lines of whole batches at the end of the file, and give the mark at the new end."""
        path = NotePath(mark.file)
        after = self.vault.read(path).data[mark.offset :] if path else b""
        if after and (b"\n" not in after or self._is_cut_off(path, after, mark)):
            self.vault.cut(path, mark.offset, after)
        if mark.ended:
            return mark
        self.vault.append(path, b"\n", mark.offset)
        return replace(mark, offset=mark.offset + 1, ended=True)

    def _is_cut_off(self, path: NotePath, after: bytes, mark: Mark) -> bool:
        chain = follow(list(parse_lines(path, after, self.keys.secret(), 0, 0)), mark, keyed=True)
        return chain.torn is not None and not chain.heads


def _acceptance(end: Mark) -> Event:
    return Event(ACCEPTED, "person", {"of": end.seq, "head": end.head})


def _agree(end: Mark, seen: Mark | None) -> None:
    if seen is None or (seen.seq, seen.head) != (end.seq, end.head):
        raise RegisterClosed(Problem(end.file, 0, "register_not_accepted", (("seq", str(end.seq)),)))


def _kept_by(name: str) -> Problem:
    return Problem("", 0, "register_foreign_host", (("name", name),))
