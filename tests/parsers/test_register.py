"""Lines of the register as text: what is read in them, and which of them are believed."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.ids import ID, make_id
from parsers.model.register import FIRST, Event, Mark
from parsers.register import (
    HANDED_OVER,
    Chain,
    Line,
    Month,
    follow,
    hash_of,
    mac_of,
    parse_head,
    parse_lines,
    parse_name,
    relink,
)
from renderers.register import render_head, render_line

OURS, OTHER = b"a" * 32, b"b" * 32
AT = "2026-11-30T10:29:14.318Z"


def lines(*events: tuple[str, dict[str, object], bytes]) -> list[bytes]:
    """Chained lines of (op, body, secret)."""
    made: list[bytes] = []
    for seq, (op, body, secret) in enumerate(events, 1):
        prev = hash_of(made[-1]) if made else FIRST
        made.append(render_line(Event(op, "person", body), seq, AT, prev, secret))
    return made


def parsed(made: list[bytes], secret: bytes | None = OURS) -> list[Line]:
    return list(parse_lines("r.md", b"".join(line + b"\n" for line in made), secret, 0, 1))


def read(made: list[bytes], after: Mark | None = None, secret: bytes | None = OURS) -> Chain:
    return follow(parsed(made, secret), after or Mark(), keyed=secret is not None)


FACT = ("fact.asserted", {"text": "thé"}, OURS)
THEIRS = ("fact.asserted", {"text": "thé"}, OTHER)
HANDED = ("host.taken", {"id": "h-00000000", "name": "portable"}, OTHER)


@given(st.binary(min_size=5, max_size=5), st.sampled_from("fcsdeqr"))
def test_five_random_bytes_are_an_id_and_no_two_the_same(entropy: bytes, letter: str) -> None:
    made = make_id(letter, entropy)
    assert ID.fullmatch(made)
    digits = "0123456789abcdefghjkmnpqrstvwxyz"
    number = 0
    for digit in made[2:]:
        number = number * 32 + digits.index(digit)
    assert number.to_bytes(5, "big") == entropy


@pytest.mark.parametrize(
    ("name", "month"),
    [
        ("2026-11.md", Month("2026-11", 1)),
        ("2026-11-2.md", Month("2026-11", 2)),
        ("2026-11-10.md", Month("2026-11", 10)),
        ("2026-11-1.md", None),
        ("2026-11-02.md", None),
        ("2026-00.md", None),
        ("2026-11 2.md", None),
        ("2026-11.sync-conflict-20261130-102914-ABCDEFG.md", None),
    ],
)
def test_only_months_and_their_parts_are_files_of_the_register(name: str, month: Month | None) -> None:
    assert parse_name(name) == month
    assert month is None or month.name == name


@pytest.mark.parametrize(
    "change", [lambda top: top, lambda top: top.replace(b"\n", b"\r\n"), lambda top: b"\xef\xbb\xbf" + top]
)
def test_the_top_is_read_with_any_line_ending_and_a_bom(change) -> None:
    top = change(render_head("v-7h2k9qd3", "Ne pas modifier."))
    head = parse_head(top + b"{}\n")
    assert head == ("v-7h2k9qd3", 3, len(top))


@pytest.mark.parametrize(
    "top", [b"", b"---\n", b"```jsonl\n", b"---\nvault: v-7h2k9qd3\n---\n", b"\n---\n---\n```jsonl\n"]
)
def test_a_file_without_properties_or_fence_has_no_top(top: bytes) -> None:
    assert parse_head(top) is None


def test_a_vault_named_outside_the_properties_is_none() -> None:
    head = parse_head(b"---\nclavaire: registre\n---\nvault: v-7h2k9qd3\n```jsonl\n")
    assert head is not None
    assert head.vault == ""


@given(
    st.dictionaries(
        st.text(min_size=1, max_size=5), st.text() | st.integers() | st.none() | st.booleans(), max_size=4
    )
)
def test_a_rendered_line_is_read_as_the_event_it_was(body: dict[str, object]) -> None:
    if body.keys() & {"seq", "at", "by", "op", "prev", "mac"}:
        return
    chain = read(lines(("fact.asserted", body, OURS)))
    record = chain.records[0]
    assert (record.op, record.by, record.body, record.vouched) == ("fact.asserted", "person", body, True)
    assert list(json.loads(record.raw))[-2:] == ["prev", "mac"]


def test_the_seal_covers_every_byte_before_it() -> None:
    line = lines(FACT)[0]
    bare, _, mac = line.rpartition(b',"mac":"')
    assert mac == mac_of(bare, OURS).encode() + b'"}'
    assert len(mac) == 34


def test_lines_before_our_first_are_read_and_unvouched() -> None:
    chain = read(lines(THEIRS, HANDED, FACT))
    assert [record.vouched for record in chain.records] == [False, False, True]
    assert (chain.stop, chain.mark.doubt, chain.mark.sealed, chain.mark.host) == (
        None,
        True,
        True,
        "h-00000000",
    )


def test_without_a_secret_everything_is_read_and_unvouched() -> None:
    chain = read(lines(FACT, THEIRS, FACT), secret=None)
    assert [record.vouched for record in chain.records] == [False] * 3


def test_after_our_first_line_one_that_is_not_sealed_ends_the_reading() -> None:
    chain = read(lines(FACT, THEIRS, FACT))
    assert [record.seq for record in chain.records] == [1]
    assert chain.stop is not None
    assert (chain.stop.code, chain.stop.line.number) == ("register_line_unsealed", 2)
    assert (chain.mark.seq, chain.end.seq) == (1, 3)


def test_a_mark_remembers_that_a_line_of_ours_came_before() -> None:
    made = lines(FACT, THEIRS)
    mark = read(made[:1]).mark
    chain = read(made[1:], mark)
    assert (chain.records, chain.mark) == ((), mark)


def test_a_handing_over_is_known_as_one_only_where_the_chain_is_whole() -> None:
    made = lines(FACT, HANDED, THEIRS)
    chain = read(made)
    assert chain.stop is not None
    assert (chain.stop.code, chain.end.host, chain.mark.host) == (HANDED_OVER, "h-00000000", "")
    chain = read([made[0], made[1].replace(b"portable", b"intrus"), made[2]])
    assert chain.stop is not None
    assert chain.stop.code == "register_line_unsealed"


def accepted(made: list[bytes], of: int, head: str | None = None, secret: bytes = OURS) -> list[bytes]:
    body = {"of": of, "head": head or hash_of(made[of - 1])}
    event = Event("register.accepted", "person", body)
    return [*made, render_line(event, len(made) + 1, AT, hash_of(made[-1]), secret)]


def test_an_acceptance_of_ours_vouches_for_every_line_up_to_the_one_it_names() -> None:
    chain = read(accepted(lines(THEIRS, FACT, HANDED, THEIRS), 4))
    assert [record.vouched for record in chain.records] == [True] * 5
    assert (chain.stop, chain.mark.doubt) == (None, False)


def test_an_acceptance_read_later_ends_the_doubt() -> None:
    made = accepted(lines(THEIRS, FACT), 2)
    mark = read(made[:2]).mark
    assert mark.doubt
    assert not read(made[2:], mark).mark.doubt


@pytest.mark.parametrize(
    ("of", "head", "secret"), [(4, None, OTHER), (4, "0" * 16, OURS), (2, None, OURS), (9, "x", OURS)]
)
def test_an_acceptance_by_others_or_of_other_lines_vouches_for_nothing(
    of: int, head: str | None, secret: bytes
) -> None:
    chain = read(accepted(lines(THEIRS, FACT, HANDED, THEIRS), of, head, secret))
    assert len(chain.records) == 2


def test_a_purge_that_comes_before_its_line_counts_for_nothing() -> None:
    made = lines(("purged", {"of": 2, "was": "f" * 16, "now": "e" * 16}, OURS), FACT)
    assert read(made).heads == tuple(hash_of(line) for line in made)


@pytest.mark.parametrize("field", ["seq", "at", "by", "op", "prev", "mac"])
@pytest.mark.parametrize("value", [None, 1.5, [], {}, True])
def test_an_envelope_of_another_type_is_no_line(field: str, value: object) -> None:
    fields = json.loads(lines(FACT)[0]) | {field: value}
    assert [line.fields for line in parsed([json.dumps(fields).encode()])] == [None]


def test_a_time_that_is_none_is_no_line() -> None:
    fields = json.loads(lines(FACT)[0]) | {"at": "9999"}
    assert parsed([json.dumps(fields).encode()])[0].fields is None


@given(st.permutations(range(5)))
def test_lines_in_any_order_make_the_one_chain_again(order: list[int]) -> None:
    made = lines(FACT, THEIRS, FACT, HANDED, FACT)
    assert [line.raw for line in relink(parsed([made[at] for at in order] + [b"{}", made[2]]))] == made
