"""The two times lines of the register are written over: words are purged, lost lines are written back.

Both go through the vault's door for whole notes, so what stood there is kept: a purge takes the words out
of that, with `vault.kept.scrub(scrubber(register))`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime

from config.paths import NAMES
from daemon.register.reading import File, Reading, lines_of, month_of, path_of
from daemon.register.register import Register, RegisterClosed
from parsers.model.places import NotePath, Problem
from parsers.model.register import Event, Mark, Record
from parsers.register import (
    HOST_TAKEN,
    PURGED,
    Chain,
    Line,
    Month,
    follow,
    hash_of,
    parse_head,
    parse_lines,
    relink,
)
from renderers.register import blank_line


def purge(register: Register, seqs: Iterable[int], now: datetime) -> tuple[Record, ...]:
    """Blank the words of these lines: first recorded, then done, on disk when this returns; gives the records.

    After a crash in between `verify` says so, and `finish_purges` does the rest.

    Raises:
        RegisterClosed: this machine may not write, or lines are not vouched for: accept them first.
        NoteChanged: another program wrote in the register at that moment; finish the purge.
    """
    reading = register.open()
    problem = register.may_write(reading)
    if problem is None and reading.mode == "unvouched":
        problem = Problem("", 0, "register_unvouched", (("seq", "1"),))
    if problem is not None:
        raise RegisterClosed(problem)
    secret = register.secret()
    lines, chain = _read(register.files())
    asked = [seq for seq in sorted(set(seqs)) if 0 < seq <= len(chain.heads)]
    blanked = {seq: blank_line(lines[seq - 1].raw, secret) for seq in asked}
    promised = _promised(lines)
    events = [
        Event(PURGED, "person", {"of": seq, "was": chain.heads[seq - 1], "now": hash_of(line)})
        for seq, line in blanked.items()
        if line != lines[seq - 1].raw and (seq, hash_of(line)) not in promised
    ]
    records, _ = register.append(events, now, reading.mark)
    finish_purges(register)
    return records


def finish_purges(register: Register) -> None:
    """Blank every line whose purge is recorded and whose words still stand; for a machine that may write."""
    files, secret = register.files(), register.secret()
    lines, chain = _read(files)
    promised = _promised(lines)
    new = {seq: blank_line(lines[seq - 1].raw, secret) for seq in chain.unfinished}
    new = {seq: line for seq, line in new.items() if (seq, hash_of(line)) in promised}
    for file in files:
        data = _spliced(file.data, file.lines, new)
        if data != file.data:
            register.vault.write(file.path, data, file.etag)


def scrubber(register: Register) -> Callable[[bytes], bytes]:
    """Give what takes purged words out of copies of month files: the vault keeps the versions it replaced."""
    lines, _ = _read(register.files())
    purged = {line.fields["of"] for line in lines if _is_purge(line) and line.fields}
    now = {seq: line.raw for seq, line in enumerate(lines, 1) if seq in purged}

    def clean(data: bytes) -> bytes:
        head = parse_head(data) if now else None
        return _spliced(data, parse_lines("", data, None, head.end, 0), now) if head else data

    return clean


def rename_vault(register: Register, vault_id: str) -> None:
    """Give the vault another id: the property of every month file, and nothing else, is written."""
    for file in register.files():
        head = parse_head(file.data)
        if head is not None and head.vault:
            top = file.data[: head.end].replace(head.vault.encode(), vault_id.encode(), 1)
            register.vault.write(file.path, top + file.data[head.end :], file.etag)


def write_back(register: Register, raw_lines: Iterable[bytes]) -> Reading:
    """Put the register together again from its own lines and those the index keeps, byte for byte.

    What is neither sealed nor known to the index goes; the files as they were are kept by the vault.

    Raises:
        RegisterClosed: there is no secret here, or another machine writes.
    """
    secret, files = register.secret(), register.files()
    known = [line for raw in raw_lines for line in parse_lines("", raw, secret, 0, 0)]
    ours = {line.raw for line in known}
    there = [line for file in files for line in file.lines if line.sealed or line.raw in ours]
    kept = relink([*there, *known])
    hosts = [line.fields for line in kept if line.fields and line.fields["op"] == HOST_TAKEN]
    if hosts and hosts[-1].get("id") != register.keys.host():
        raise RegisterClosed(
            Problem("", 0, "register_foreign_host", (("name", str(hosts[-1].get("name", ""))),))
        )
    placed = _placed(kept)
    register.vault.make_way(NotePath(NAMES.register_folder))
    for file in files:
        _rewrite(register, file, placed.pop(file.path, []))
    for path, lines in placed.items():
        register.vault.create(path, register.top() + _joined(lines))
    return register.read()


def _read(files: Sequence[File]) -> tuple[list[Line], Chain]:
    lines = lines_of(files)
    return lines, follow(lines, Mark(), keyed=True)


def _is_purge(line: Line) -> bool:
    fields = line.fields
    return fields is not None and fields["op"] == PURGED and {"of", "now"} <= fields.keys()


def _promised(lines: Sequence[Line]) -> set[tuple[int, str]]:
    """Number of a line and hash of its blanked bytes, for each purge that is recorded."""
    return {(line.fields["of"], line.fields["now"]) for line in lines if _is_purge(line) and line.fields}


def _placed(lines: Sequence[Line]) -> dict[NotePath, list[Line]]:
    """File → its lines: where each stands, else with the one before it or in its month, if later."""
    placed: dict[NotePath, list[Line]] = {}
    place = Month("")
    for line in lines:
        assert line.fields is not None
        place = max(place, month_of(line.path) if line.path else Month(line.fields["at"][:7]))
        placed.setdefault(path_of(place), []).append(line)
    return placed


def _rewrite(register: Register, file: File, lines: Sequence[Line]) -> None:
    if file.fault is None and [line.raw for line in file.lines] == [line.raw for line in lines]:
        return
    head = parse_head(file.data)
    top = file.data[: head.end] if head and file.fault is None else register.top()
    register.vault.write(file.path, top + _joined(lines), file.etag)


def _spliced(data: bytes, lines: Iterable[Line], new: Mapping[int, bytes]) -> bytes:
    """Put new bytes in place of lines, by their number; every other byte stays."""
    parts, done = [], 0
    for line in lines:
        blank = new.get(line.fields["seq"]) if line.fields else None
        if blank is not None:
            parts += [data[done : line.start], blank]
            done = line.start + len(line.raw)
    return b"".join([*parts, data[done:]])


def _joined(lines: Iterable[Line]) -> bytes:
    return b"".join(line.raw + b"\n" for line in lines)
