"""Laws of the policy: what can only make a decision harder, and what nothing can make milder (laws 6 and 9)."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from parsers.model.policy import FLOOR, HARDNESS, ORDER, Action, Argument, Delegation, trust_of
from tests.daemon.policy.acting import decided

_ODD = st.sampled_from(["", "?", "user ", "MCP:x", "WEB"])
_PROVENANCES = st.sampled_from(
    [*(one for one in ORDER if one not in ("mcp", "connector")), "mcp:a", "mcp:b", "connector:mail"]
)
_ORIGINS = st.sampled_from(["person", "mcp:a", "mcp:?", "http", "scheduled", "undo"])
_ARGUMENTS = st.builds(
    Argument,
    name=st.just("a"),
    role=st.sampled_from(["deciding", "text", "query"]) | _ODD,
    provenance=_PROVENANCES | _ODD,
    said=st.booleans(),
    sensitivity=st.sampled_from(["normal", "normal", "private", "sensitive"]) | _ODD,
    classes=st.frozensets(st.sampled_from(["card", "email"])),
    where=st.sampled_from(["", "r 1"]),
)
_FAULTS = st.frozensets(st.sampled_from(["managed", "outside", "private", "assistant"]), max_size=1)
_FLAGS = st.frozensets(st.sampled_from(sorted(FLOOR)), max_size=1)
_ACTIONS = st.builds(
    Action,
    tool=st.just("t"),
    domain=st.sampled_from(["vault", "inbox"]),
    risk=st.sampled_from(["READ", "WRITE", "WRITE", "DANGEROUS"]) | _ODD,
    effect=st.sampled_from(["internal", "internal", "external"]) | _ODD,
    flags=st.just(frozenset()) | _FLAGS,
    reversible=st.booleans(),
    origin=_ORIGINS | _ODD,
    keyed=st.booleans(),
    instruction=st.just("user") | _PROVENANCES | _ODD,
    arguments=st.lists(_ARGUMENTS, max_size=3).map(tuple),
    accepts=st.none() | st.just(frozenset({"email"})),
    paths=st.sampled_from([(), ("R/a.md",), ("P/a.md",)]),
    faults=st.just(frozenset()) | _FAULTS,
    sensitivity=st.sampled_from(["normal", "normal", "sensitive"]) | _ODD,
    lifts=st.just(False) | st.booleans(),
    read_below=st.sampled_from(["", "vault", "web"]),
    local_reader=st.booleans(),
    recent_writes=st.integers(0, 2),
    asked_writes=st.integers(0, 2),
)
_LEAVES = st.lists(
    st.builds(
        Delegation,
        id=st.sampled_from(["d-1", "d-2"]),
        domain=st.sampled_from(["vault", "inbox"]),
        level=st.sampled_from([3, 3, 2]),
        paths=st.sampled_from([(), ("R/**",)]),
        origins=st.sampled_from([("person", "mcp:a"), ("http", "scheduled"), ()]),
        covers=st.sampled_from([(), ("web",), ("connector:mail", "web")]),
        review=st.sampled_from(["2027-02-28", "2026-01-01"]),
        status=st.sampled_from(["active", "active", "revoked"]),
    ),
    max_size=2,
).map(tuple)
_LEVELS = st.sampled_from([0, 1, 2, 3, 2, 3, 7])


def hardness(action, level, leave):
    return HARDNESS[decided(action, level, leave).kind]


@given(_ACTIONS, _LEVELS, _LEAVES)
def test_every_action_is_decided_by_a_rule_with_the_facts_it_used(action, level, leave):
    found = decided(action, level, leave)
    assert found.kind in HARDNESS
    assert 0 <= found.rule <= 14
    assert found.reasons
    assert found == decided(action, level, leave)


@given(_ACTIONS, _LEVELS, _LEAVES, st.data())
def test_a_worse_provenance_never_makes_a_decision_milder(action, level, leave, data):
    if not action.arguments:
        return
    place = data.draw(st.integers(0, len(action.arguments) - 1))
    worse = data.draw(_PROVENANCES)
    one = action.arguments[place]
    # What a line of Autonomie.md names is covered by the person's wish: it is not worse to whom it names it.
    if trust_of(worse) <= trust_of(one.provenance) or any(worse in line.covers for line in leave):
        return
    if trust_of(worse) <= trust_of(action.instruction) and worse != one.provenance:
        return
    tainted = _with(action, place, replace(one, provenance=worse))
    assert hardness(tainted, level, leave) >= hardness(action, level, leave)


@given(_ACTIONS, _LEVELS, _LEAVES, st.data())
def test_an_argument_that_is_not_the_persons_never_makes_a_decision_milder(action, level, leave, data):
    if not action.arguments:
        return
    place = data.draw(st.integers(0, len(action.arguments) - 1))
    unsaid = _with(action, place, replace(action.arguments[place], said=False))
    said = _with(action, place, replace(action.arguments[place], said=True))
    assert hardness(unsaid, level, leave) >= hardness(said, level, leave)


@given(_ACTIONS, _LEVELS, _LEAVES, st.sampled_from(["private", "sensitive", "?"]), st.data())
def test_sensitivity_never_makes_a_decision_milder(action, level, leave, sensitivity, data):
    before = hardness(action, level, leave)
    if action.sensitivity == "normal":
        assert hardness(replace(action, sensitivity=sensitivity), level, leave) >= before
    if action.arguments:
        place = data.draw(st.integers(0, len(action.arguments) - 1))
        one = action.arguments[place]
        if one.sensitivity == "normal":
            assert (
                hardness(_with(action, place, replace(one, sensitivity=sensitivity)), level, leave) >= before
            )
        assert (
            hardness(_with(action, place, replace(one, classes=one.classes | {"iban"})), level, leave)
            >= before
        )


@given(_ACTIONS, _LEVELS, _LEAVES, st.sampled_from(sorted(FLOOR)))
def test_irreversibility_and_the_floor_never_make_a_decision_milder(action, level, leave, flag):
    before = hardness(action, level, leave)
    harder = [
        replace(action, reversible=False),
        replace(action, flags=action.flags | {flag}),
        replace(action, lifts=True),
        replace(action, faults=action.faults | {"outside"}),
        replace(action, asked_writes=2),
        replace(action, recent_writes=action.recent_writes + 1),
        replace(action, keyed=False),
        replace(action, local_reader=False),
    ]
    if action.effect == "internal":
        harder.append(replace(action, effect="external"))
    if action.risk == "WRITE":
        harder.append(replace(action, risk="DANGEROUS"))
    assert all(hardness(one, level, leave) >= before for one in harder)


@given(_ACTIONS, _LEAVES)
def test_a_lower_level_never_makes_a_decision_milder(action, leave):
    found = [hardness(action, level, leave) for level in (0, 1, 2, 3)]
    assert found == sorted(found, reverse=True)


@given(_ACTIONS, _LEVELS, _LEAVES, _ARGUMENTS)
def test_a_refusal_never_becomes_an_approval_by_adding_an_argument(action, level, leave, argument):
    more = replace(action, arguments=(*action.arguments, argument))
    if decided(action, level, leave).kind == "refused":
        assert decided(more, level, leave).kind == "refused"
    if action.arguments:
        assert hardness(more, level, leave) >= hardness(action, level, leave)


@given(_ACTIONS, _LEVELS, _LEAVES)
def test_the_floor_is_neither_allowed_nor_an_ordinary_approval(action, level, leave):
    if action.flags or action.lifts:
        assert decided(action, level, leave).kind in ("reinforced_approval", "refused")


@given(_ACTIONS, _LEVELS, _LEAVES)
def test_only_reading_the_person_or_a_delegation_lets_anything_pass(action, level, leave):
    found = decided(action, level, leave)
    if found.kind == "allowed" and action.risk != "READ":
        assert action.effect == "internal"
        assert action.reversible
        assert found.delegation in {one.id for one in leave} or (
            found.rule == 13
            and action.instruction == "user"
            and action.origin in ("person", "undo", "scheduled")
        )


@given(_ACTIONS, _LEVELS, _LEAVES)
def test_no_program_from_outside_decides_for_the_person(action, level, leave):
    if action.origin.startswith(("mcp:", "http")) and not leave and action.risk != "READ":
        assert decided(action, level, leave).kind != "allowed"


@given(_ACTIONS, _LEVELS, _LEAVES)
def test_an_instruction_that_is_content_never_makes_a_decision_milder(action, level, leave):
    if any("web" in one.covers for one in leave):
        return
    content = replace(action, instruction="web")
    own = replace(action, instruction="user")
    assert hardness(content, level, leave) >= hardness(own, level, leave)


@given(_ACTIONS, _LEVELS, _LEAVES)
def test_taking_a_delegation_away_or_using_it_up_never_makes_a_decision_milder(action, level, leave):
    before = hardness(action, level, leave)
    assert hardness(action, level, ()) >= before
    assert HARDNESS[decided(action, level, leave, today=1000).kind] >= before


def _with(action, place, argument):
    arguments = list(action.arguments)
    arguments[place] = argument
    return replace(action, arguments=tuple(arguments))
