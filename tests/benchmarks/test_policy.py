"""How long one decision and one look-up of an argument take (goal: a decision in 50 µs, median)."""

import pytest

from daemon.policy.lineage import Output, Said, trace
from daemon.policy.rules import decide
from parsers.model.policy import Action, Argument, Delegation

TODAY = "2026-11-30"
TEXT = Argument("text", "text", "web", said=False, where="Clippings/x.md")
PATH = Argument("path", "deciding", "user", said=True)
LEAVES = tuple(
    Delegation(
        f"d-{number}",
        "vault",
        3,
        (f"{number}/**",),
        ("person",),
        ("web",),
        review="2027-02-28",
        status="active",
    )
    for number in range(20)
)
WRITE = Action(
    "note_append", "vault", "WRITE", "internal", frozenset(), True, arguments=(PATH, TEXT), paths=("19/a.md",)
)
CASES = {
    "refused by the first rule": Action(
        "note_append", "vault", "WRITE", "internal", faults=frozenset({"managed"})
    ),
    "a read": Action("note_read", "vault", "READ", "internal", arguments=(PATH,)),
    "the last of twenty delegations": WRITE,
    "the last rule": Action(
        "note_append", "vault", "WRITE", "external", reversible=True, arguments=(PATH,) * 10
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_decision_takes_50_microseconds_at_most(benchmark, case):
    benchmark(decide, CASES[case], 2, LEAVES, {}, TODAY)
    assert benchmark.stats.stats.median <= 50e-6


def test_a_value_is_looked_up_in_what_twenty_calls_returned(benchmark):
    outputs = tuple(
        Output(
            f"read {number}",
            "connector:mail",
            [{"id": str(n), "text": f"message {n} of {number} " * 20} for n in range(20)],
        )
        for number in range(20)
    )
    said = Said("réponds au message 7", outputs)
    benchmark(trace, "body", "text", "Bonjour, voir https://example.org/a et lea@example.org", said)
    assert benchmark.stats.stats.median <= 50e-3
