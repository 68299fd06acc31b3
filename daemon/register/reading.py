"""Reads the month files and says what they are worth: records that count, what is wrong, what may follow."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Literal, NamedTuple

from config.paths import NAMES
from daemon.register.keys import Keys
from daemon.vault.door import Vault
from daemon.vault.errors import VaultError
from parsers.model.places import Etag, NotePath, Problem
from parsers.model.register import Mark, Record
from parsers.register import (
    HANDED_OVER,
    Chain,
    Line,
    Month,
    Stop,
    follow,
    parse_head,
    parse_lines,
    parse_name,
)

Mode = Literal["ok", "maintenance", "unvouched", "no_secret", "foreign_host"]
"""Only in `ok` and `unvouched` may lines be appended."""

Known = tuple[int, str] | None
"""Number and hash of the last line the state folder remembers."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read after a mark, and what may be done next."""

    records: tuple[Record, ...]
    mode: Mode
    problems: tuple[Problem, ...]
    mark: Mark
    """End of the lines that count; beyond it nothing changes state."""
    end: Mark
    """End of the lines that are linked: what accepting the register would vouch for."""
    loose: bool = False
    """A crash left the last line cut off or without its line ending; opening the register mends it."""
    unfinished: tuple[int, ...] = ()
    """Lines among those read whose purge was recorded and whose words still stand."""


class File(NamedTuple):
    """One month file as it was read."""

    path: NotePath
    data: bytes
    etag: Etag
    lines: tuple[Line, ...]
    fault: Problem | None
    """Its top is not that of a month file of this vault: its lines do not count."""


def path_of(month: Month) -> NotePath:
    """Give the note a month of the register stands in."""
    return NotePath(f"{NAMES.register_folder}/{month.name}")


def month_of(path: str) -> Month:
    """Give the month of a file of the register."""
    month = parse_name(path.rpartition("/")[2])
    assert month is not None
    return month


def sound(files: Sequence[File]) -> list[File]:
    """Give the files before the first whose top is not right."""
    return list(takewhile(lambda file: file.fault is None, files))


def lines_of(files: Sequence[File]) -> list[Line]:
    """Give the lines that may count."""
    return [line for file in sound(files) for line in file.lines]


def at_physical_end(mark: Mark, chain: Chain, files: Sequence[File]) -> Mark:
    """Give the mark with the place where the next byte goes, when nothing but a torn line comes after it."""
    there = sound(files)
    linked = len(chain.heads) + chain.cut
    if mark.seq != chain.end.seq or linked < len(lines_of(there)) or not there:
        return mark
    if chain.torn is not None:
        return replace(mark, file=chain.torn.path, offset=chain.torn.start, ended=True)
    data = there[-1].data
    return replace(mark, file=there[-1].path, offset=len(data), ended=data.endswith(b"\n"))


def month_files(vault: Vault) -> list[NotePath]:
    """Give the notes of the register, oldest first."""
    folder = vault.root / NAMES.register_folder
    names = [file.name for file in folder.iterdir()] if folder.is_dir() else []
    return [path_of(month) for month in sorted(filter(None, map(parse_name, names)))]


class Reader:
    """Reads one vault's register; never writes, and never raises for what the files hold."""

    def __init__(self, vault: Vault, keys: Keys, vault_id: str) -> None:
        self.vault, self.keys, self.vault_id = vault, keys, vault_id

    def stamps(self) -> list[list[int | str]]:
        """Give name, time, size and inode of each month file: what differs after anybody else wrote there."""
        found: list[list[int | str]] = []
        for path in month_files(self.vault):
            entry = self.vault.entry(path)
            if entry is not None:
                found.append([path, entry.mtime_ns, entry.size, entry.inode])
        return found

    def read(self, after: Mark | None, *, whole: bool = False) -> Reading:
        """Give what stands after a mark; earlier bytes are parsed again where the mark does not fit, or if `whole`."""
        known = self.keys.head()  # before the files: whoever appends writes it last
        start = after or Mark()
        try:
            tail = self._tail(start, known) if start.file and not whole else None
            return tail or self._whole(start, known)
        except VaultError as error:
            return Reading((), "maintenance", (error.problem,), start, start)

    def files(self) -> list[File]:
        """Give every month file, oldest first."""
        secret = self.keys.secret()
        return [self._file(path, secret) for path in month_files(self.vault)]

    def _file(self, path: NotePath, secret: bytes | None, offset: int = 0) -> File:
        reading = self.vault.read(path)
        data = reading.data
        head = parse_head(data)
        fault = None
        if head is None:
            fault = Problem(path, 1, "register_top_missing")
        elif head.vault != self.vault_id:
            fault = Problem(path, head.line, "register_vault_differs", (("vault", self.vault_id),))
        if head is None or fault is not None:
            return File(path, data, reading.etag, (), fault)
        start = offset or head.end
        number = data.count(b"\n", 0, start) + 1
        return File(path, data, reading.etag, tuple(parse_lines(path, data, secret, start, number)), None)

    def _tail(self, start: Mark, known: Known) -> Reading | None:
        """Read on from a mark, None where it does not fit the files."""
        paths = month_files(self.vault)
        if start.file not in paths:
            return None
        rest = paths[paths.index(NotePath(start.file)) :]
        entry = self.vault.entry(rest[0])
        if len(rest) == 1 and entry is not None and entry.size == start.offset:
            chain = follow((), start, keyed=True)
            return self._verdict(chain, [], start, start, known) if _stands(known, chain, start) else None
        secret = self.keys.secret()
        files = [self._file(rest[0], secret, start.offset), *(self._file(path, secret) for path in rest[1:])]
        if len(files[0].data) < start.offset:
            return None
        chain = follow(lines_of(files), start, keyed=secret is not None)
        misfit = chain.stop is not None and not chain.heads
        return None if misfit else self._verdict(chain, files, start, start, known)

    def _whole(self, start: Mark, known: Known) -> Reading:
        files = self.files()
        chain = follow(lines_of(files), Mark(), keyed=self.keys.secret() is not None)
        return self._verdict(chain, files, Mark(), start, known)

    def _verdict(self, chain: Chain, files: Sequence[File], base: Mark, start: Mark, known: Known) -> Reading:
        """Say what lines read from `base` on mean for whoever has read up to `start`."""
        problems = [_of_stop(chain.stop)] if chain.stop else [file.fault for file in files if file.fault][:1]
        foreign = chain.stop is not None and chain.stop.code == HANDED_OVER
        read = (start.seq, start.head)
        lost = [point for point in (read, known) if point and not _stands(point, chain, base)]
        if lost and (foreign or not problems):
            problems.append(self._of_loss(max(lost), chain, files, base))
            foreign = False
        records, mark = chain.records, at_physical_end(chain.mark, chain, files)
        if chain.mark.seq < start.seq or read in lost or (lost and not chain.mark.sealed):
            records, mark = (), start
        elif start.seq > base.seq:
            records = tuple(record for record in records if record.seq > start.seq)
        mode = self._mode(mark, broken=bool(problems) and not foreign, foreign=foreign)
        loose = chain.torn is not None or not mark.ended
        end = at_physical_end(chain.end, chain, files)
        return Reading(records, mode, tuple(problems), mark, end, loose, chain.unfinished)

    def _mode(self, mark: Mark, *, broken: bool, foreign: bool) -> Mode:
        if broken:
            return "maintenance"
        if self.keys.secret() is None and mark.seq:
            return "no_secret"
        if foreign or (mark.host and mark.host != self.keys.host()):
            return "foreign_host"
        return "unvouched" if mark.doubt else "ok"

    def _of_loss(self, point: tuple[int, str], chain: Chain, files: Sequence[File], base: Mark) -> Problem:
        """Name the line that is not the one remembered, else the last one before those that are missing."""
        lines = lines_of(files)
        at = point[0] - base.seq - 1
        if 0 <= at < len(chain.heads):
            return Problem(lines[at].path, lines[at].number, "register_line_replaced")
        values = (("seq", str(point[0])),)
        if not files:
            return Problem(NAMES.register_folder, 0, "register_gone", values)
        if not lines:
            return Problem(files[-1].path, 0, "register_shorter", values)
        return Problem(lines[-1].path, lines[-1].number, "register_shorter", values)


def _of_stop(stop: Stop) -> Problem:
    return Problem(stop.line.path, stop.line.number, stop.code)


def _stands(point: Known, chain: Chain, base: Mark) -> bool:
    """Say whether a remembered line is in the chain; one before where reading began counts as being there."""
    seq, head = point or (0, "")
    if seq < base.seq or seq == 0:
        return True
    if seq == base.seq:
        return head == base.head
    return seq - base.seq <= len(chain.heads) and chain.heads[seq - base.seq - 1] == head
