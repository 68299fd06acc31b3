"""The register on real files: what is appended stands, what is not ours changes nothing."""

import json
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.register.keys import make_host, make_secret
from daemon.register.reading import Reading
from daemon.register.register import Register, RegisterClosed
from daemon.register.repair import finish_purges, purge, rename_vault, scrubber, write_back
from daemon.vault.door import Vault
from daemon.vault.errors import NoteChanged, VaultError
from parsers.model.register import Event, Mark
from parsers.register import hash_of
from renderers.register import EventUnwritable, render_line

NOW = datetime(2026, 11, 30, 10, 29, 14, 318000, tzinfo=UTC)
FOLDER = "99_Assistant/Registre"
NOVEMBER = f"{FOLDER}/2026-11.md"
ID = "v-7h2k9qd3"


class Machine:
    """One computer with its state folder, looking at a vault that may be shared with another."""

    def __init__(self, root: Path, name: str, vault: Path | None = None, *, secret: bool = True) -> None:
        self.root, self.name = root, name
        self.notes = vault or root / "coffre"
        self.state = root / name / ID
        self.backups = self.state / "backups"
        self.notes.mkdir(exist_ok=True, parents=True)
        if secret:
            make_secret(self.state)
            make_host(self.state)
        self.register = self.opened()

    def opened(self, limit: int = 2_000_000) -> Register:
        vault = Vault(self.notes, self.backups, 5_000_000)
        vault.prepare()
        return Register(vault, self.state, "Ne pas modifier.", limit)

    def take(self, now: datetime = NOW) -> Reading:
        return self.register.take_host(self.name, now)

    def say(self, *texts: str, now: datetime = NOW) -> Mark:
        reading = self.register.open()
        assert self.register.may_write(reading) is None, reading
        return self.register.append([fact(text) for text in texts], now, reading.mark)[1]

    def file(self, path: str = NOVEMBER) -> Path:
        return self.notes / path

    def texts(self) -> list[str]:
        return [str(record.body["text"]) for record in self.register.read().records if "text" in record.body]


def fact(text: str, **more: object) -> Event:
    return Event("fact.asserted", "person", {"id": "f-7h2k9qd3", "text": text, **more})


@pytest.fixture
def atelier(tmp_path: Path) -> Machine:
    machine = Machine(tmp_path, "atelier")
    machine.take()
    return machine


def raw_lines(machine: Machine) -> list[bytes]:
    return [record.raw for record in machine.register.read().records]


def forged(machine: Machine, text: str, secret: bytes = b"x" * 32, op: str = "fact.asserted") -> bytes:
    end = machine.register.read().end
    event = Event(op, "person", {"id": "f-00000000", "name": "intrus", "text": text})
    return render_line(event, end.seq + 1, end.at, end.head, secret) + b"\n"


# Appending


def test_a_line_is_written_exactly_as_specified(atelier: Machine) -> None:
    atelier.say("Dentiste : Dr Martin")
    data = atelier.file().read_bytes()
    top, _, body = data.partition(b"```jsonl\n")
    assert top == b"---\nclavaire: registre\nvault: v-7h2k9qd3\n---\nNe pas modifier.\n\n"
    first, second, rest = body.split(b"\n")
    assert rest == b""
    assert list(json.loads(second)) == ["seq", "at", "by", "op", "id", "text", "prev", "mac"]
    assert second.startswith(b'{"seq":2,"at":"2026-11-30T10:29:14.318Z","by":"person","op":"fact.asserted",')
    assert json.loads(first)["prev"] == "0" * 16
    assert json.loads(second)["prev"] == hash_of(first)


def test_what_append_gives_is_what_reading_gives(atelier: Machine) -> None:
    before = atelier.register.read()
    events = [fact("thé", tags=("a", "b"), confidence=0.62, valid_from=None), fact('« café »\u2028\n\t"')]
    records, mark = atelier.register.append(events, NOW, before.mark)
    after = atelier.register.read(before.mark)
    assert after.records == records
    assert after.mark == mark == atelier.register.read().mark
    assert [record.raw for record in records] == raw_lines(atelier)[1:]
    assert Mark(**json.loads(json.dumps(asdict(mark)))) == mark


def test_a_batch_is_one_write_and_one_fsync(atelier: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    mark = atelier.register.open().mark
    calls: list[str] = []
    import os  # noqa: PLC0415

    write, fsync = os.write, os.fsync
    monkeypatch.setattr(os, "write", lambda fd, data: calls.append("write") or write(fd, data))
    monkeypatch.setattr(os, "fsync", lambda fd: calls.append("fsync") or fsync(fd))
    atelier.register.append([fact(str(number)) for number in range(5)], NOW, mark)
    assert calls == ["write", "fsync"]


def test_no_event_writes_nothing(atelier: Machine) -> None:
    data, mark = atelier.file().read_bytes(), atelier.register.open().mark
    assert atelier.register.append([], NOW, mark) == ((), mark)
    assert atelier.file().read_bytes() == data


@pytest.mark.parametrize("body", [{"seq": 3}, {"mac": ""}, {"x": float("nan")}, {"x": {1}}, {"x": "\ud800"}])
def test_a_body_that_is_no_line_is_refused_and_nothing_is_written(atelier: Machine, body: dict) -> None:
    data, mark = atelier.file().read_bytes(), atelier.register.open().mark
    with pytest.raises(EventUnwritable):
        atelier.register.append([fact("bon"), Event("x.y", "person", body)], NOW, mark)
    assert atelier.file().read_bytes() == data


def test_a_stale_mark_appends_nothing_even_after_a_new_file_began(atelier: Machine) -> None:
    stale = atelier.register.open().mark
    atelier.say("décembre", now=NOW + timedelta(days=3))
    data = atelier.file().read_bytes()
    with pytest.raises(NoteChanged):
        atelier.register.append([fact("perdu")], NOW, stale)
    assert atelier.file().read_bytes() == data


def test_time_never_goes_back(atelier: Machine) -> None:
    atelier.say("tard", now=NOW + timedelta(days=5))
    atelier.say("l'horloge a reculé", now=NOW - timedelta(days=40))
    records = atelier.register.read().records
    assert [record.at for record in records][-2:] == ["2026-12-05T10:29:14.318Z"] * 2
    assert sorted(file.name for file in atelier.file(FOLDER).iterdir()) == ["2026-11.md", "2026-12.md"]


def test_the_file_is_the_month_in_utc(atelier: Machine) -> None:
    paris = datetime.fromisoformat("2026-12-01T00:30:00+01:00")
    atelier.say("encore novembre", now=paris)
    assert not atelier.file(f"{FOLDER}/2026-12.md").exists()


def test_a_month_over_the_limit_goes_on_in_its_next_part(atelier: Machine) -> None:
    atelier.register = atelier.opened(limit=2_000)
    for number in range(30):
        atelier.say(f"fait {number} " + "x" * 200)
    atelier.say("mois suivant", now=NOW + timedelta(days=2))
    names = {file.name for file in atelier.file(FOLDER).iterdir()}
    assert {"2026-11.md", "2026-11-2.md", "2026-11-3.md", "2026-11-4.md", "2026-12.md"} <= names
    assert all(file.stat().st_size <= 2_000 for file in atelier.file(FOLDER).iterdir())
    reading = atelier.register.read()
    assert [record.seq for record in reading.records] == list(range(1, 33))
    assert (reading.mode, reading.problems) == ("ok", ())
    assert atelier.register.verify() == ()


def test_part_ten_comes_after_part_nine(atelier: Machine) -> None:
    atelier.register = atelier.opened(limit=300)
    for number in range(12):
        atelier.say(f"{number}")
    assert atelier.texts() == [str(number) for number in range(12)]


# Reading on


@given(cuts=st.lists(st.integers(0, 8), max_size=4))
@settings(max_examples=30, deadline=None)
def test_reading_in_steps_gives_what_reading_at_once_gives(cuts: list[int]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(Path(folder), "atelier")
        machine.take()
        machine.register = machine.opened(limit=900)
        marks = [machine.register.read().mark]
        marks += [machine.say(f"fait {number}", now=NOW + timedelta(days=9 * number)) for number in range(8)]
        whole = machine.register.read()
        for cut in cuts:
            reading = machine.register.read(marks[cut])
            assert reading.records == whole.records[cut + 1 :]
            assert (reading.mark, reading.mode) == (whole.mark, whole.mode)


def test_a_file_turned_to_crlf_is_read_and_appended_to(atelier: Machine) -> None:
    mark = atelier.say("un", "deux")
    atelier.file().write_bytes(atelier.file().read_bytes().replace(b"\n", b"\r\n"))
    for after in (None, mark):
        reading = atelier.register.open(after)
        assert (reading.mode, reading.problems) == ("ok", ())
    atelier.register.append([fact("trois")], NOW, reading.mark)
    assert atelier.register.read(mark).records == atelier.register.read().records[-1:]
    assert atelier.texts() == ["un", "deux", "trois"]
    assert atelier.register.verify() == ()


def test_other_notes_in_the_folder_are_not_the_register(atelier: Machine) -> None:
    atelier.say("un")
    for name in ("notes.md", "2026-11.sync-conflict-20261130-102914.md", "2026-13.md", "2026-11-1.md"):
        atelier.file(f"{FOLDER}/{name}").write_bytes(atelier.file().read_bytes())
    assert atelier.register.read().mode == "ok"
    assert atelier.texts() == ["un"]


def test_blank_lines_at_the_end_do_no_harm(atelier: Machine) -> None:
    atelier.say("un")
    with atelier.file().open("ab") as file:
        file.write(b"\n  ")
    atelier.say("deux")
    assert atelier.texts() == ["un", "deux"]
    assert atelier.register.verify() == ()


# Crashes


def test_a_batch_torn_at_any_byte_is_cut_and_kept_in_the_backups(tmp_path: Path) -> None:
    source = Machine(tmp_path, "atelier")
    source.take()
    source.say("un")
    start = source.file().stat().st_size
    head = (source.state / "head.json").read_bytes()
    source.say("deux", "trois")
    data = source.file().read_bytes()
    (source.state / "head.json").write_bytes(head)  # a crash in the write comes before it
    for size in range(start, len(data)):
        source.file().write_bytes(data[:size])
        shutil.rmtree(source.backups, ignore_errors=True)
        torn, whole = data[start:size], size == len(data) - 1
        peeked = source.register.read()
        assert source.file().read_bytes() == data[:size]  # reading writes nothing
        reading = source.register.open()
        assert peeked.records == reading.records
        assert (reading.mode, reading.problems) == ("ok", ())
        assert source.texts() == ["un", "deux", "trois"][: 3 if whole else 1]
        assert [file.read_bytes() for file in source.backups.glob("*")] == (
            [] if whole or not torn else [torn]
        )
        source.register.append([fact("suite")], NOW, reading.mark)
        assert source.texts()[-1] == "suite"
        assert source.register.verify() == ()
        (source.state / "head.json").write_bytes(head)


def test_a_lost_line_ending_comes_back_when_reading_on(atelier: Machine) -> None:
    atelier.say("un")
    atelier.file().write_bytes(atelier.file().read_bytes()[:-1])
    seen = atelier.register.read().mark
    reading = atelier.register.open(seen)
    atelier.register.append([fact("deux")], NOW, reading.mark)
    assert [record.body["text"] for record in atelier.register.read(seen).records] == ["deux"]
    assert atelier.texts() == ["un", "deux"]


def test_a_crash_before_the_head_was_kept_is_nothing(atelier: Machine) -> None:
    head = (atelier.state / "head.json").read_bytes()
    atelier.say("un")
    for kept in (head, b"", b"{", b'{"seq": null}'):
        (atelier.state / "head.json").write_bytes(kept)
        assert atelier.register.read().mode == "ok"
    (atelier.state / "head.json").unlink()
    assert atelier.register.read().mode == "ok"


# Lines that are not ours


@pytest.fixture(scope="module")
def written() -> Iterator[tuple[Machine, bytes, list[tuple[int, int]]]]:
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(Path(folder), "atelier")
        machine.take()
        machine.say("un", "deux", "trois")
        machine.say("quatre", "cinq")
        data, spans = machine.file().read_bytes(), []
        start = data.index(b"```jsonl\n") + 9
        while start < len(data):
            end = data.index(b"\n", start)
            spans.append((start, end))
            start = end + 1
        yield machine, data, spans


def named(machine: Machine, data: bytes) -> Reading:
    """What the register says of a file of these bytes: maintenance, one line named, nothing written."""
    machine.file().write_bytes(data)
    reading = machine.register.open()
    assert reading.mode == "maintenance"
    assert [problem.path for problem in reading.problems] == [NOVEMBER]
    assert machine.register.may_write(reading) == reading.problems[0]
    assert machine.file().read_bytes() == data
    assert machine.register.verify() == reading.problems
    return reading


def line_number(data: bytes, offset: int) -> int:
    return data.count(b"\n", 0, offset) + 1


@given(data=st.data())
@settings(max_examples=200, deadline=None)
def test_any_byte_changed_in_a_line_is_named_and_the_line_changes_nothing(written, data) -> None:
    machine, original, spans = written
    at = data.draw(st.integers(0, len(spans) - 1))
    offset = data.draw(st.integers(spans[at][0], spans[at][1] - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda byte: byte != original[offset]))
    reading = named(machine, original[:offset] + bytes([byte]) + original[offset + 1 :])
    line = line_number(original, spans[at][0])
    assert reading.problems[0].line in ((line, line + 1) if byte == ord("\n") else (line,))
    assert [record.seq for record in reading.records] == list(range(1, at + 1))


@given(data=st.data())
@settings(max_examples=100, deadline=None)
def test_a_line_deleted_doubled_moved_or_added_is_named(written, data) -> None:
    machine, original, spans = written
    top, lines = original[: spans[0][0]], [original[start:end] for start, end in spans]
    at = data.draw(st.integers(0, len(lines) - 1))
    match data.draw(st.sampled_from(["delete", "double", "swap", "insert", "forge"])):
        case "delete":
            changed = lines[:at] + lines[at + 1 :]
        case "double":
            changed = [*lines[: at + 1], *lines[at:]]
        case "swap":
            other = data.draw(st.integers(0, len(lines) - 1).filter(lambda other: other != at))
            changed = list(lines)
            changed[at], changed[other] = lines[other], lines[at]
        case "insert":
            words = data.draw(st.text(min_size=1).filter(lambda words: words.strip(" \t\n\r\v\f")))
            changed = [*lines[:at], words.encode("utf-8", "replace"), *lines[at:]]
        case _:
            prev = hash_of(lines[at - 1]) if at else "0" * 16
            false = render_line(fact("faux"), at + 1, "2026-11-30T10:29:14.318Z", prev, b"x" * 32)
            changed = [*lines[:at], false, *lines[at:]]
    reading = named(machine, top + b"".join(line + b"\n" for line in changed))
    first = next(
        n for n, pair in enumerate(zip([*changed, b""], [*lines, b""], strict=False)) if pair[0] != pair[1]
    )
    assert len(reading.records) <= first
    assert all(record.raw == line for record, line in zip(reading.records, lines, strict=False))
    assert reading.problems[0].line > 0


@given(data=st.binary(max_size=400))
@settings(max_examples=100, deadline=None)
def test_no_bytes_whatever_make_reading_fail(written, data: bytes) -> None:
    machine, original, spans = written
    for content in (data, original[: spans[0][0]] + data, original + data, original[: spans[2][0]] + data):
        machine.file().write_bytes(content)
        reading = machine.register.read()
        whole = machine.register.read(reading.mark)
        assert whole.mark == reading.mark
        assert {record.raw for record in reading.records} <= set(original.splitlines())


@pytest.mark.parametrize(
    "line", [b"[" * 100_000, b'{"seq":' + b"9" * 5000 + b"}", b'{"a":"\\ud800"}', b"null"]
)
def test_a_hostile_line_is_only_unreadable(atelier: Machine, line: bytes) -> None:
    with atelier.file().open("ab") as file:
        file.write(line + b"\n")
    assert [problem.code for problem in atelier.register.read().problems] == ["register_line_unreadable"]


@pytest.mark.parametrize("op", ["fact.asserted", "approval.given", "delegation.added"])
def test_a_line_forged_by_another_program_changes_nothing(atelier: Machine, op: str) -> None:
    mark = atelier.say("un")
    with atelier.file().open("ab") as file:
        file.write(forged(atelier, "faux", op=op))
    for after in (None, mark):
        reading = atelier.register.open(after)
        assert reading.mode == "maintenance"
        assert [problem.line for problem in reading.problems] == [10]
        assert reading.mark == mark
        assert "faux" not in str(reading.records)


def test_a_forged_purge_cannot_vouch_for_a_changed_first_line(atelier: Machine) -> None:
    atelier.say("un")
    data = atelier.file().read_bytes()
    first = raw_lines(atelier)[0]
    false = first.replace(b'"name":"atelier"', b'"name":"intrus"')
    end = atelier.register.read().end
    body = {"of": 1, "was": hash_of(first), "now": hash_of(false)}
    lie = render_line(Event("purged", "person", body), 3, end.at, end.head, b"x" * 32)
    atelier.file().write_bytes(data.replace(first, false) + lie + b"\n")
    reading = atelier.register.read()
    assert (reading.mode, reading.records, reading.problems[0].line) == ("maintenance", (), 8)


def test_a_forged_beginning_does_not_pass_for_lines_of_an_older_secret(atelier: Machine) -> None:
    atelier.say("un", "deux", "trois")
    data, lines = atelier.file().read_bytes(), raw_lines(atelier)
    prev, false = "0" * 16, []
    for seq in (1, 2):
        body = {"of": 2, "was": hash_of(lines[1]), "now": "?"} if seq == 1 else {"text": "faux"}
        event = Event("purged" if seq == 1 else "fact.asserted", "person", body)
        false.append(render_line(event, seq, "2026-11-30T10:29:14.318Z", prev, b"x" * 32))
        prev = hash_of(false[-1])
    atelier.file().write_bytes(data.replace(b"\n".join(lines[:2]), b"\n".join(false)))
    reading = atelier.register.read()
    assert (reading.mode, reading.records) == ("maintenance", ())


def test_a_register_replaced_as_a_whole_changes_nothing(atelier: Machine, tmp_path: Path) -> None:
    mark = atelier.say("un")
    other = Machine(tmp_path / "ailleurs", "intrus")
    other.take()
    other.say("faux", "faux", "faux")
    shutil.copy(other.file(), atelier.file())
    for after in (None, mark):
        reading = atelier.register.read(after)
        assert (reading.mode, reading.records) == ("maintenance", ())


def test_text_a_person_writes_into_the_register_is_named(atelier: Machine) -> None:
    atelier.say("un")
    atelier.file().write_bytes(atelier.file().read_bytes() + b"```\n\nBonjour\n")
    reading = atelier.register.read()
    assert (reading.problems[0].line, len(reading.records)) == (10, 2)


def test_text_above_the_fence_is_the_persons(atelier: Machine) -> None:
    mark = atelier.say("un")
    data = atelier.file().read_bytes()
    atelier.file().write_bytes(data.replace(b"Ne pas", b"Bonjour.\n\nNe pas"))
    assert atelier.register.read(mark).mode == "ok"
    atelier.say("deux")
    assert atelier.texts() == ["un", "deux"]


def test_files_of_two_vaults_are_maintenance(atelier: Machine) -> None:
    mark = atelier.register.read().mark
    atelier.say("décembre", now=NOW + timedelta(days=3))
    december = atelier.file(f"{FOLDER}/2026-12.md")
    december.write_bytes(december.read_bytes().replace(b"v-7h2k9qd3", b"v-00000000"))
    for after in (None, mark):
        reading = atelier.register.read(after)
        problem = reading.problems[0]
        assert (reading.mode, problem.code, problem.line) == ("maintenance", "register_vault_differs", 3)


def test_a_month_file_without_its_top_is_maintenance(atelier: Machine) -> None:
    mark = atelier.say("un")
    atelier.file(f"{FOLDER}/2027-01.md").write_bytes(b"")
    for after in (None, mark):
        reading = atelier.register.read(after)
        assert (reading.mode, reading.problems[0].path) == ("maintenance", f"{FOLDER}/2027-01.md")
        assert reading.mark == mark


# Lines that are missing


def test_a_shorter_copy_is_known_with_and_without_the_index(atelier: Machine) -> None:
    atelier.say("un")
    older = atelier.file().read_bytes()
    mark = atelier.say("deux", "trois")
    atelier.file().write_bytes(older)
    for after in (None, mark):
        reading = atelier.register.open(after)
        assert (reading.mode, reading.problems[0].code) == ("maintenance", "register_shorter")
        assert reading.problems[0].values == (("seq", "4"),)
    assert reading.mark == mark
    with pytest.raises(NoteChanged):
        atelier.register.append([fact("perdu")], NOW, atelier.register.read().mark)
    (atelier.state / "head.json").unlink()
    assert atelier.register.read(mark).mode == "maintenance"


def test_a_register_that_vanished_is_maintenance(atelier: Machine) -> None:
    mark = atelier.say("un")
    atelier.file().unlink()
    for after in (None, mark):
        reading = atelier.register.read(after)
        assert (reading.mode, reading.problems[0].code) == ("maintenance", "register_gone")


def test_missing_lines_are_written_back_byte_for_byte(atelier: Machine) -> None:
    for number in range(6):
        atelier.say(f"fait {number}", now=NOW + timedelta(days=12 * number))
    whole, lines = atelier.register.read(), raw_lines(atelier)
    files = {path: path.read_bytes() for path in atelier.file(FOLDER).iterdir()}
    november, december, january = sorted(files)[:3]
    november.write_bytes(files[november].replace(b"fait 0", b"faux"))
    december.unlink()
    january.write_bytes(files[january][:-30] + b"\n")
    assert atelier.register.read().mode == "maintenance"
    reading = write_back(atelier.register, lines)
    assert (reading.mode, reading.records, reading.mark) == ("ok", whole.records, whole.mark)
    assert {path: path.read_bytes() for path in atelier.file(FOLDER).iterdir()} == files
    assert any(b"faux" in file.read_bytes() for file in atelier.notes.glob(".clavaire/displaced/*"))


def test_a_forged_line_goes_when_lines_are_written_back(atelier: Machine) -> None:
    atelier.say("un")
    data, lines = atelier.file().read_bytes(), raw_lines(atelier)
    with atelier.file().open("ab") as file:
        file.write(forged(atelier, "faux"))
    for known in (lines, []):
        assert write_back(atelier.register, known).mode == "ok"
        assert atelier.file().read_bytes() == data


def test_a_shorter_register_can_be_accepted_when_nothing_else_is_left(atelier: Machine) -> None:
    atelier.say("un")
    older = atelier.file().read_bytes()
    atelier.say("deux")
    atelier.file().write_bytes(older)
    reading = atelier.register.accept(atelier.register.acceptable(), NOW)
    assert reading.mode == "ok"
    assert atelier.texts() == ["un"]


# Secrets and hosts


def test_a_secret_is_private_made_once_and_the_same_for_all(tmp_path: Path) -> None:
    secret = make_secret(tmp_path / ID)
    assert (len(secret), make_secret(tmp_path / ID)) == (32, secret)
    assert (tmp_path / ID / "secret").stat().st_mode & 0o777 == 0o600
    assert make_host(tmp_path / ID) == make_host(tmp_path / ID)
    assert sorted(file.name for file in (tmp_path / ID).iterdir()) == ["host", "secret"]


def test_without_a_secret_this_machine_only_reads(atelier: Machine, tmp_path: Path) -> None:
    atelier.say("un")
    other = Machine(tmp_path, "portable", secret=False)
    reading = other.register.open()
    assert reading.mode == "no_secret"
    assert [record.vouched for record in reading.records] == [False, False]
    problem = other.register.may_write(reading)
    assert problem is not None
    assert dict(problem.values)["folder"] == str(other.state)
    with pytest.raises(RegisterClosed):
        other.register.append([fact("non")], NOW, reading.mark)


def test_a_lost_secret_leaves_lines_readable_and_unvouched_until_they_are_accepted(atelier: Machine) -> None:
    atelier.say("un", "deux")
    shutil.rmtree(atelier.state)
    make_secret(atelier.state)
    reading = atelier.register.open()
    assert (reading.mode, {record.vouched for record in reading.records}) == ("foreign_host", {False})
    assert atelier.take().mode == "unvouched"
    mark = atelier.say("trois")
    assert [record.vouched for record in atelier.register.read().records] == [False] * 3 + [True] * 2
    assert atelier.register.read(mark).mode == "unvouched"
    assert [problem.code for problem in atelier.register.verify()] == ["register_unvouched"]
    reading = atelier.register.accept(atelier.register.acceptable(), NOW)
    assert (reading.mode, {record.vouched for record in reading.records}) == ("ok", {True})
    assert atelier.register.read(mark).mode == "ok"
    assert reading.records[-1].body == {"of": 5, "head": mark.head}
    assert atelier.register.verify() == ()


def test_nothing_is_accepted_that_the_person_did_not_see(atelier: Machine) -> None:
    seen = atelier.register.acceptable()
    atelier.say("entre-temps")
    with pytest.raises(RegisterClosed):
        atelier.register.accept(seen, NOW)


def test_unvouched_lines_cannot_be_changed_once_a_line_of_ours_follows(atelier: Machine) -> None:
    atelier.say("un", "deux")
    shutil.rmtree(atelier.state)
    make_secret(atelier.state)
    atelier.take()
    for accepted in (False, True):
        if accepted:
            atelier.register.accept(atelier.register.acceptable(), NOW)
        data = atelier.file().read_bytes()
        atelier.file().write_bytes(data.replace(b'"text":"deux"', b'"text":"faux"'))
        reading = atelier.register.read()
        assert reading.mode == "maintenance"
        assert "faux" not in str(reading.records)
        atelier.file().write_bytes(data)


def test_a_machine_that_was_relieved_stops_and_takes_back_only_what_was_accepted(tmp_path: Path) -> None:
    atelier = Machine(tmp_path, "atelier")
    atelier.take()
    mark = atelier.say("un")
    portable = Machine(tmp_path, "portable")
    assert portable.register.read().mode == "foreign_host"
    assert portable.take().mode == "unvouched"
    portable.say("deux")
    for after in (None, mark):
        reading = atelier.register.open(after)
        assert (reading.mode, reading.mark.seq, reading.end.seq) == ("foreign_host", 2, 4)
        problem = atelier.register.may_write(reading)
        assert problem is not None
        assert problem.values == (("name", "portable"),)
    with pytest.raises(NoteChanged):
        atelier.register.append([fact("non")], NOW, mark)
    with pytest.raises(RegisterClosed):
        atelier.take()
    with pytest.raises(RegisterClosed):
        atelier.register.accept(atelier.register.acceptable(), NOW)
    reading = atelier.register.take_host("atelier", NOW, reading.end)
    assert (reading.mode, {record.vouched for record in reading.records}) == ("ok", {True})
    assert atelier.register.read(mark).records == reading.records[2:]
    atelier.say("trois")
    assert atelier.texts() == ["un", "deux", "trois"]
    assert portable.register.read().mode == "foreign_host"
    assert portable.register.verify()[0].code == "register_handed_over"


def test_a_host_line_forged_by_a_program_only_stops_writing(atelier: Machine) -> None:
    mark = atelier.say("un")
    with atelier.file().open("ab") as file:
        file.write(forged(atelier, "faux", op="host.taken"))
    reading = atelier.register.read(mark)
    assert (reading.mode, reading.records, reading.mark) == ("foreign_host", (), mark)


def test_a_register_nobody_took_takes_no_event(tmp_path: Path) -> None:
    machine = Machine(tmp_path, "atelier")
    problem = machine.register.may_write(machine.register.read())
    assert problem is not None
    assert problem.code == "register_no_host"


# Purging


def test_a_purge_blanks_the_words_and_the_chain_still_verifies(atelier: Machine) -> None:
    mark = atelier.say("un")
    card = {
        "card": {"choices": [{"text": "secret"}], "id": "c-00000000"},
        "key": "secret",
        "value": ["secret"],
    }
    atelier.register.append([fact("secret", valid_from_text="secret", **card), fact("deux")], NOW, mark)
    before = atelier.register.read()
    purged = purge(atelier.register, [3], NOW)
    after = atelier.register.read()
    assert b"secret" not in atelier.file().read_bytes()
    assert after.mode == "ok"
    assert atelier.register.verify() == ()
    assert after.records[2].body["id"] == "f-7h2k9qd3"
    assert after.records[2].body["card"] == {"choices": [{"text": ""}], "id": "c-00000000"}
    assert after.records[:2] + after.records[3:4] == before.records[:2] + before.records[3:]
    assert after.records[-1].body["was"] == hash_of(before.records[2].raw)
    assert atelier.register.read(before.mark).records == purged
    assert atelier.register.read(mark).records == after.records[2:]
    atelier.say("trois")
    assert atelier.texts() == ["un", "", "deux", "trois"]


def test_purged_words_are_taken_out_of_the_versions_that_were_kept(atelier: Machine) -> None:
    atelier.say("secret", "deux")
    purge(atelier.register, [2], NOW)
    assert atelier.register.vault.kept.scrub(scrubber(atelier.register)) == 1
    kept = [file.read_bytes() for file in atelier.notes.glob(".clavaire/displaced/*")]
    assert len(kept) == 1
    assert b"secret" not in kept[0]
    assert b'"text":"deux"' in kept[0]
    assert atelier.register.vault.kept.scrub(scrubber(atelier.register)) == 0


def test_a_purge_goes_through_every_month_and_twice_is_once(atelier: Machine) -> None:
    for number in range(4):
        atelier.say(f"secret {number}", now=NOW + timedelta(days=31 * number))
    purge(atelier.register, [2, 4, 5], NOW)
    files = {path: path.read_bytes() for path in atelier.file(FOLDER).iterdir()}
    assert purge(atelier.register, [2, 4, 5, 99, 0], NOW) == ()
    assert {path: path.read_bytes() for path in atelier.file(FOLDER).iterdir()} == files
    assert atelier.texts() == ["", "secret 1", "", ""]
    assert atelier.register.verify() == ()


def test_a_purge_interrupted_after_it_was_recorded_is_found_and_finished(atelier: Machine) -> None:
    atelier.say("secret", "deux")
    before = atelier.file().read_bytes()
    purge(atelier.register, [2], NOW)
    purged = atelier.file().read_bytes()
    atelier.file().write_bytes(before + purged[purged.rindex(b"\n", 0, -1) + 1 :])
    assert [problem.code for problem in atelier.register.verify()] == ["register_purge_unfinished"]
    assert atelier.register.read().mode == "ok"
    finish_purges(atelier.register)
    assert atelier.file().read_bytes() == purged


def test_a_purged_line_is_still_protected(atelier: Machine) -> None:
    atelier.say("secret", "deux")
    purge(atelier.register, [2], NOW)
    data = atelier.file().read_bytes()
    atelier.file().write_bytes(data.replace(b'"text":""', b'"text":"faux"', 1))
    reading = atelier.register.read()
    assert (reading.mode, len(reading.records), reading.problems[0].line) == ("maintenance", 1, 9)


def test_a_purge_survives_a_lost_secret_and_its_acceptance(atelier: Machine) -> None:
    atelier.say("secret", "deux")
    purge(atelier.register, [2], NOW)
    shutil.rmtree(atelier.state)
    make_secret(atelier.state)
    assert atelier.register.read().problems == ()
    atelier.take()
    assert atelier.register.accept(atelier.register.acceptable(), NOW).mode == "ok"
    purge(atelier.register, [3], NOW)
    assert atelier.texts() == ["", ""]
    assert atelier.register.verify() == ()


def test_lines_another_machine_purged_can_be_accepted_back(tmp_path: Path) -> None:
    atelier, portable = Machine(tmp_path, "atelier"), Machine(tmp_path, "portable")
    atelier.take()
    atelier.say("secret", "deux")
    portable.take()
    portable.register.accept(portable.register.acceptable(), NOW)
    purge(portable.register, [2], NOW)
    assert atelier.register.read().mode == "maintenance"
    end = atelier.register.acceptable()
    assert end.seq == portable.register.read().mark.seq


def test_nothing_is_purged_before_the_lines_are_vouched_for(atelier: Machine) -> None:
    atelier.say("un")
    shutil.rmtree(atelier.state)
    make_secret(atelier.state)
    atelier.take()
    data = atelier.file().read_bytes()
    with pytest.raises(RegisterClosed):
        purge(atelier.register, [2], NOW)
    assert atelier.file().read_bytes() == data


def test_purged_words_do_not_come_back_with_missing_lines(atelier: Machine) -> None:
    atelier.say("secret", "deux")
    old = raw_lines(atelier)
    purge(atelier.register, [2], NOW)
    lines, mark = raw_lines(atelier), atelier.register.read().mark
    atelier.file().unlink()
    assert write_back(atelier.register, lines).mark == mark
    assert atelier.texts() == ["", "deux"]
    write_back(atelier.register, old)
    assert b"secret" not in atelier.file().read_bytes()


# The vault's id


def test_a_new_id_is_written_in_every_file_and_nowhere_else(atelier: Machine) -> None:
    atelier.say("v-7h2k9qd3", now=NOW + timedelta(days=3))
    before = {path: path.read_bytes() for path in atelier.file(FOLDER).iterdir()}
    rename_vault(atelier.register, "v-11111111")
    for path, data in before.items():
        assert path.read_bytes() == data.replace(b"vault: v-7h2k9qd3", b"vault: v-11111111")
    atelier.state.rename(atelier.state.with_name("v-11111111"))
    atelier.state = atelier.state.with_name("v-11111111")
    assert atelier.opened().read().mode == "ok"


def test_a_register_the_system_will_not_read_is_maintenance(atelier: Machine) -> None:
    mark = atelier.say("un")
    atelier.file().unlink()
    atelier.file().mkdir()
    reading = atelier.register.read(mark)
    assert (reading.mode, reading.mark, reading.records) == ("maintenance", mark, ())
    assert issubclass(NoteChanged, VaultError)
