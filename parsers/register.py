"""Reads the register: bytes → lines → what they say, as far as they can be believed.

A line is believed when the one before it is the one it names (`prev`) and when it was sealed by this
machine's secret (`mac`). Lines before the first sealed one may come from a secret this machine never had:
they are read, unvouched. After it, the first line that is not sealed ends the reading.
Nothing here raises: whatever the bytes are, the answer says which line is wrong.
"""

import hashlib
import hmac
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from parsers.model.register import FIRST, Mark, Record

ENVELOPE = frozenset({"seq", "at", "by", "op", "more", "prev", "mac"})
"""Fields of a line that are no part of the event's body. `more` is how many lines of the same batch follow: what
was decided together happens together, or not at all."""

MAC = b',"mac":"'
ACCEPTED = "register.accepted"
"""`{of, head}`: the lines up to `of`, whose hash is `head`, count as vouched."""
HOST_TAKEN = "host.taken"
"""`{id, name}`: from here on this machine writes."""
PURGED = "purged"
"""`{of, was, now}`: the words of line `of` are blanked; `was` stays its hash in the chain, `now` is that of
its new bytes: without it the chain would be cut in two for whoever cannot check the line's `mac`."""

_AT = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_STRINGS = tuple(ENVELOPE - {"seq", "more"})
_ALL_STRINGS = [str] * len(_STRINGS)
HANDED_OVER = "register_handed_over"
"""Why the reading stops where another machine took the vault over from this one."""

_TAIL = len(MAC) + 32 + len(b'"}')
_NAME = re.compile(r"(\d{4}-(?:0[1-9]|1[0-2]))(?:-([2-9]|[1-9]\d+))?\.md")
_PROPERTIES = re.compile(rb"\A(?:\xef\xbb\xbf)?---[ \t]*\r?\n(.*?)^---[ \t]*\r?\n", re.DOTALL | re.MULTILINE)
_VAULT = re.compile(rb"^vault:[ \t]*[\"']?(v-[0-9a-z]{8})[\"']?[ \t]*\r?$", re.MULTILINE)
_FENCE = re.compile(rb"^```jsonl[ \t]*(?:\r?\n|\Z)", re.MULTILINE)


class Month(NamedTuple):
    """Which file of the register: a UTC month, and its part when one file was not enough. Sorts by time."""

    month: str
    part: int = 1

    @property
    def name(self) -> str:
        """Name of the file in the register's folder."""
        return f"{self.month}.md" if self.part == 1 else f"{self.month}-{self.part}.md"


class Head(NamedTuple):
    """The top of a month file."""

    vault: str
    """Id of the vault, `""` when no property says it."""
    line: int
    """1-based line of that property, else of the end of the properties."""
    end: int
    """Offset of the first byte after the opening fence."""


class Line(NamedTuple):
    """One line below the fence of a month file."""

    path: str
    number: int
    """1-based line in the file, 0 when the file was not read from its start."""
    start: int
    end: int
    """Offset just after its line ending."""
    raw: bytes
    """Its bytes without line ending."""
    fields: dict[str, Any] | None
    """What it says, None when it is not a line of a register."""
    sealed: bool
    """Its `mac` is right."""
    hash: str
    ended: bool
    """It has a line ending."""


class Stop(NamedTuple):
    """The line at which a register stops being believed, and why (a key of the catalogue)."""

    line: Line
    code: str


@dataclass(frozen=True, slots=True)
class Chain:
    """What lines of a register say."""

    records: tuple[Record, ...]
    mark: Mark
    """End of the lines that count."""
    end: Mark
    """End of the lines that are linked to each other: beyond `mark` when the rest is not ours."""
    heads: tuple[str, ...]
    """Hash in the chain of each linked line, from the one after the mark reading began at."""
    stop: Stop | None
    torn: Line | None
    """Where what was cut off while it was written begins: the last line, or the first of an unfinished batch."""
    cut: int
    """How many lines that is."""
    unfinished: tuple[int, ...]
    """Lines whose purge was recorded and whose words still stand."""


def hash_of(line: bytes) -> str:
    """Give the hash by which the next line names this one."""
    return hashlib.sha256(line).hexdigest()[:16]


def mac_of(bare: bytes, secret: bytes) -> str:
    """Give the seal of a line's bytes before its `mac`."""
    return hmac.digest(secret, bare, "sha256").hex()[:32]


def parse_name(name: str) -> Month | None:
    """Give the month a file name stands for; None for any other note in the folder."""
    found = _NAME.fullmatch(name)
    return Month(found[1], int(found[2] or 1)) if found else None


def parse_head(data: bytes) -> Head | None:
    """Give the top of a month file; None when its properties or its fence are not there."""
    properties = _PROPERTIES.match(data)
    fence = _FENCE.search(data, properties.end()) if properties else None
    if properties is None or fence is None:
        return None
    vault = _VAULT.search(data, 0, properties.end(1))
    at = vault.start() if vault else properties.end(1)
    return Head(vault[1].decode() if vault else "", data.count(b"\n", 0, at) + 1, fence.end())


def parse_lines(path: str, data: bytes, secret: bytes | None, start: int, number: int) -> Iterator[Line]:
    """Give the lines of `data[start:]`, the first of which is line `number`; blank ones are passed over."""
    while start < len(data):
        stop = data.find(b"\n", start)
        end = stop + 1 if stop >= 0 else len(data)
        raw = data[start : stop if stop >= 0 else end].removesuffix(b"\r")
        if raw.strip():
            fields, sealed = _fields(raw), _is_sealed(raw, secret)
            yield Line(path, number, start, end, raw, fields, sealed, hash_of(raw), stop >= 0)
        start, number = end, number + 1


def follow(lines: Sequence[Line], after: Mark, *, keyed: bool, lenient: bool = False) -> Chain:
    """Say what lines tell that come after a mark.

    `keyed` is False where there is no secret to check with. `lenient` links lines that another machine
    purged too: for finding the end that a person may accept, never for state.
    """
    written = len(lines)
    lines, torn = _whole_batches(lines)
    purges = _purges(lines, after, lenient=lenient)
    heads, broken = _link(lines, after, purges)
    if broken is not None and _is_cut(broken, lines):
        torn, broken = broken.line, None
    trusted = _accepted(lines[: len(heads)], heads, after)
    records, mark, unsealed = _believe(lines[: len(heads)], heads, after, trusted, keyed=keyed)
    stop = unsealed or broken
    if unsealed is not None and broken is None and _hands_over(unsealed.line):
        stop = Stop(unsealed.line, HANDED_OVER)
    elif unsealed is not None and _is_cut(unsealed, lines):
        torn, stop, heads = unsealed.line, None, heads[:-1]
    elif broken is not None and not mark.sealed:
        # Nothing of ours comes before the break, so nothing vouches for the order of what was read.
        records, mark, stop = [], after, _blamed(broken, lines)
    end = _end(lines[: len(heads)], heads, mark) if heads else after
    cut = written - len(lines) or int(torn is not None)
    wordy = _wordy(lines[: len(heads)], after, purges)
    return Chain(tuple(records), mark, end, tuple(heads), stop, torn, cut, wordy)


def _whole_batches(lines: Sequence[Line]) -> tuple[Sequence[Line], Line | None]:
    """Give the lines without a batch that a crash left unfinished at the end, and the first line of that one."""
    whole = len(lines)
    if lines and not (lines[-1].ended or lines[-1].sealed):
        whole -= 1
    if not whole or not _more(lines[whole - 1]):
        return lines, None
    first = whole - 1
    while first and _more(lines[first - 1]) == _more(lines[first]) + 1:
        first -= 1
    return lines[:first], lines[first]


def _more(line: Line) -> int:
    more = line.fields.get("more") if line.fields and line.sealed else 0
    return more if type(more) is int else 0


def relink(lines: Sequence[Line]) -> list[Line]:
    """Give the one chain these lines make from the first on; of two that fit a place the first one counts."""
    ordered = sorted((line for line in lines if line.fields), key=_seq)
    purges = _purges(ordered, Mark(), lenient=True)
    kept: list[Line] = []
    head = FIRST
    for line in ordered:
        fields, purge = line.fields, purges.get(_seq(line))
        follows = fields is not None and fields["prev"] == head and fields["seq"] == len(kept) + 1
        if follows and (purge is None or line.hash in purge.allowed):
            kept.append(line)
            head = purge.was if purge else line.hash
    return kept


def _seq(line: Line) -> int:
    return int(line.fields["seq"]) if line.fields else 0


def _is_sealed(raw: bytes, secret: bytes | None) -> bool:
    return secret is not None and raw[-_TAIL:] == MAC + mac_of(raw[:-_TAIL], secret).encode() + b'"}'


def _fields(raw: bytes) -> dict[str, Any] | None:
    try:
        fields = json.loads(raw.decode())
        if b"\\u" in raw:
            json.dumps(fields, ensure_ascii=False).encode()  # half a surrogate pair is no text
    except (ValueError, RecursionError):
        return None
    if not isinstance(fields, dict) or type(fields.get("seq")) is not int:
        return None
    if [type(fields.get(name)) for name in _STRINGS] != _ALL_STRINGS or not _AT.fullmatch(fields["at"]):
        return None
    return fields


class _Purge(NamedTuple):
    was: str
    allowed: frozenset[str]


def _purges(lines: Sequence[Line], after: Mark, *, lenient: bool) -> dict[int, _Purge]:
    """Line → its hash in the chain and the hashes its bytes may have.

    A purge that is not sealed counts before the first line of ours, where the chain alone vouches for it, and
    below an acceptance of ours. It must come after its line: else the two could vouch for each other.
    """
    purges: dict[int, _Purge] = {}
    said: list[tuple[int, int, str, str]] = []
    ours, accepted = after.sealed, 0
    for line in lines:
        ours = ours or line.sealed
        match line.fields:
            case {"op": "purged", "seq": int(seq), "of": int(of), "was": str(was), "now": str(now)} if (
                of < seq
            ):
                said.append((0 if line.sealed or lenient or not ours else seq, of, was, now))
            case {"op": "register.accepted", "of": int(of)} if line.sealed:
                accepted = max(accepted, of)
    for needed, of, was, now in said:
        if needed <= accepted:
            first, allowed = purges.get(of, _Purge(was, frozenset([was])))
            purges[of] = _Purge(first, allowed | {now})
    return purges


def _link(lines: Sequence[Line], after: Mark, purges: dict[int, _Purge]) -> tuple[list[str], Stop | None]:
    heads: list[str] = []
    seq, head = after.seq, after.head
    for line in lines:
        fields = line.fields
        if fields is None:
            return heads, Stop(line, "register_line_unreadable")
        seq += 1
        if fields["seq"] != seq or fields["prev"] != head:
            return heads, Stop(line, "register_chain_broken")
        head = line.hash
        if seq in purges:
            if head not in purges[seq].allowed:
                return heads, Stop(line, "register_line_unsealed")
            head = purges[seq].was
        heads.append(head)
    return heads, None


def _accepted(lines: Sequence[Line], heads: Sequence[str], after: Mark) -> int:
    """Give the last line that a `register.accepted` of ours vouches for, 0 when there is none."""
    best = 0
    for line in lines:
        fields = line.fields
        if line.sealed and fields and fields["op"] == ACCEPTED and type(fields.get("of")) is int:
            of = fields["of"] - after.seq
            if 0 <= of < fields["seq"] - after.seq and fields.get("head") == (
                heads[of - 1] if of else after.head
            ):
                best = max(best, fields["of"])
    return best


def _believe(
    lines: Sequence[Line], heads: Sequence[str], after: Mark, trusted: int, *, keyed: bool
) -> tuple[list[Record], Mark, Stop | None]:
    records: list[Record] = []
    mark = replace(after, doubt=after.doubt and trusted < after.seq)
    sealed, doubt, host = after.sealed, mark.doubt, (after.host, after.host_name)
    stop = None
    for line in lines:
        fields = line.fields
        assert fields is not None
        vouched = line.sealed or fields["seq"] <= trusted
        if not vouched and sealed and keyed:
            stop = Stop(line, "register_line_unsealed")
            break
        sealed, doubt = sealed or line.sealed, doubt or not vouched
        if fields["op"] == HOST_TAKEN:
            host = _host_of(fields)
        body = {name: value for name, value in fields.items() if name not in ENVELOPE}
        records.append(
            Record(fields["seq"], fields["at"], fields["op"], fields["by"], body, vouched, line.raw)
        )
    if records:
        mark = _moved(mark, lines[len(records) - 1], heads[len(records) - 1])
    return records, replace(mark, sealed=sealed, doubt=doubt, host=host[0], host_name=host[1]), stop


def _host_of(fields: dict[str, Any]) -> tuple[str, str]:
    return str(fields.get("id", "")), str(fields.get("name", ""))


def _end(lines: Sequence[Line], heads: Sequence[str], mark: Mark) -> Mark:
    """Give the mark of the last of these lines, whoever wrote them."""
    host = (mark.host, mark.host_name)
    for line in lines:
        if line.fields and line.fields["op"] == HOST_TAKEN and line.fields["seq"] > mark.seq:
            host = _host_of(line.fields)
    return replace(_moved(mark, lines[-1], heads[-1]), host=host[0], host_name=host[1])


def _moved(mark: Mark, line: Line, head: str) -> Mark:
    assert line.fields is not None
    return replace(
        mark, file=line.path, offset=line.end, seq=line.fields["seq"], head=head, at=line.fields["at"]
    )


def _wordy(lines: Sequence[Line], after: Mark, purges: dict[int, _Purge]) -> tuple[int, ...]:
    """Give the lines whose words still stand though they were to be purged."""
    there = {
        seq: lines[seq - after.seq - 1] for seq in sorted(purges) if after.seq < seq <= after.seq + len(lines)
    }
    return tuple(
        seq for seq, line in there.items() if line.hash == purges[seq].was and len(purges[seq].allowed) > 1
    )


def _is_cut(stop: Stop, lines: Sequence[Line]) -> bool:
    """Say whether a bad line is what a crash left: the last of all, without its line ending."""
    return stop.line is lines[-1] and not stop.line.ended


def _hands_over(line: Line) -> bool:
    return line.fields is not None and line.fields["op"] in (HOST_TAKEN, ACCEPTED)


def _blamed(stop: Stop, lines: Sequence[Line]) -> Stop:
    """Name the line before a sealed one that does not follow it: the sealed one is whole."""
    at = lines.index(stop.line)
    return Stop(lines[at - 1], "register_line_unsealed") if at and stop.line.sealed else stop
