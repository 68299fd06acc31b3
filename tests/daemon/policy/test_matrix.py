"""The whole table, over every combination of factors (R-P02): what is decided is what the sentences of the design say.

Three grids, each a full product. `GRID` holds the factors on which rules 5 to 14 turn together; `GUARDS` those that
refuse before anything else is asked; `BOUNDS` those that bound a delegation. The oracle below is written from the
sentences, not from the code: questions first, then one answer, no table of functions.
"""

from dataclasses import replace
from itertools import product

import pytest

from config.i18n import catalogue
from daemon.policy.rules import decide
from parsers.model.policy import FLOOR, Action, Argument, Budget, Delegation
from tests.daemon.policy.acting import LEAVE, SAID, TODAY

ORIGINS = ("person", "mcp:claude-code", "http", "scheduled", "undo", "stranger")
INSTRUCTIONS = ("user", "own", "vault", "automation", "mcp:claude-code", "connector:mail", "web", "?")
RISKS = ("READ", "WRITE", "DANGEROUS", "ADMIN")
EFFECTS = ("internal", "external", "elsewhere")
LEVELS = (-1, 0, 1, 2, 3, 4)
GOOD = ("user", "own", "vault")

DECIDING = (
    SAID,
    Argument("to", "deciding", "own", said=False, where="w 1"),
    Argument("to", "deciding", "mcp:claude-code", said=False),
    Argument("to", "deciding", "web", said=False, where="r 1"),
    Argument("to", "deciding", "web", said=False),
)
TEXTS = (
    Argument("text", "text", "user", said=True),
    Argument("text", "text", "mcp:claude-code", said=False),
    Argument("text", "text", "connector:mail", said=False, where="r 1"),
)
ARGUMENTS = (
    (),
    *((one,) for one in (*DECIDING, *TEXTS)),
    (DECIDING[0], TEXTS[2]),
    (Argument("q", "query", "web", said=False),),
    (Argument("x", "a role not known", "web", said=False),),
)


def _person(action: Action) -> bool:
    return action.origin in ("person", "undo", "scheduled") and action.instruction == "user"


def _stranger(action: Action) -> bool:
    return action.origin in ("mcp:claude-code", "http", "stranger")


def _its_own_wish(action: Action) -> bool:
    """Whether who asks wants it, rather than a text somewhere."""
    wishes = {
        "person": ("user",),
        "undo": ("user", "own"),
        "scheduled": ("user", "automation"),
        "http": ("user", "http", "mcp:http"),
    }
    return action.instruction in wishes.get(action.origin, ("user", action.origin))


def _covered(action: Action, leave: Delegation | None) -> bool:
    """Whether a delegation of `LEAVES` holds; they differ in what this looks at, and in nothing else."""
    if leave is None or leave.status != "active" or action.origin not in leave.origins:
        return False
    sources = [one.provenance for one in action.arguments if one.role != "query"]
    own = {"person": "user", "undo": "own", "scheduled": "automation"}.get(action.origin, action.origin)
    named = (*GOOD, *leave.covers, own)
    return all(one in named for one in (action.instruction, *(sources or (action.read_below or "user",))))


RANK = {"user": 0, "own": 1, "vault": 2, "automation": 3, "mcp:claude-code": 4, "connector:mail": 5}


def _at_home(action: Action, provenance: str) -> bool:
    """Whether who asks covers a provenance: the vault's and better always, its own and better where it asks itself."""
    if provenance in GOOD:
        return True
    if not _its_own_wish(action):
        return False
    own = action.instruction
    return provenance == own or RANK.get(provenance, 6) < RANK.get(own, 6)


def expected(action: Action, level: int, leave: Delegation | None) -> tuple[int, str]:
    """Give what the design says of an action without faults, lifting or sensitive data."""
    out, floor = action.effect != "internal", bool(action.flags)
    deciding = [one for one in action.arguments if one.role not in ("text", "query")]
    planted = [one for one in deciding if one.where and not one.said and one.provenance not in GOOD]
    if (out or floor) and (not _its_own_wish(action) or (_stranger(action) and planted)):
        return 5, "refused"
    if level not in (1, 2, 3) and action.risk != "READ":
        return 6, "refused"
    if action.risk == "ADMIN":
        return 0, "refused"
    if out and not all(one.said and _person(action) for one in deciding):
        return 7, "reinforced_approval"
    if floor:
        return 8, "reinforced_approval"
    return (9, "allowed") if action.risk == "READ" else _written(action, level, leave, out=out)


def _written(action: Action, level: int, leave: Delegation | None, *, out: bool) -> tuple[int, str]:
    if action.risk == "DANGEROUS" or not action.reversible:
        return 10, "reinforced_approval"
    sources = [one.provenance for one in action.arguments if one.role != "query"] or [
        action.read_below or "user"
    ]
    if not out and _covered(action, leave):
        return 12, "allowed"
    if not out and not all(_at_home(action, one) for one in sources):
        return 11, "run_approval"
    alone = (action.asked_writes, action.recent_writes) == (1, 0)
    if not out and _person(action) and level in (2, 3) and alone:
        return 13, "allowed"
    return 14, "run_approval"


LEAVES = (
    None,
    replace(LEAVE, paths=(), origins=ORIGINS),
    replace(LEAVE, paths=(), origins=("person", "http"), covers=("web", "connector:mail")),
    replace(LEAVE, paths=(), origins=ORIGINS, status="revoked"),
)
GRID = tuple(product(INSTRUCTIONS, ARGUMENTS, ((), ("send",), ("?",)), (False, True), ("", "web")))
USES = ((1, 0), (2, 0), (1, 1))


@pytest.mark.parametrize("risk", RISKS)
@pytest.mark.parametrize("effect", EFFECTS)
@pytest.mark.parametrize("origin", ORIGINS)
def test_every_combination_is_decided_as_the_design_says(risk, effect, origin):
    decisions = 0
    for instruction, arguments, flags, reversible, read in GRID:
        base = Action(
            "t", "vault", risk, effect, frozenset(flags), reversible, origin, True, instruction, arguments
        )
        base = replace(base, read_below=read)
        for (asked, recent), leave, level in product(_uses(risk, effect), _leaves(risk, effect), LEVELS):
            action = (
                base if asked == 1 and not recent else replace(base, asked_writes=asked, recent_writes=recent)
            )
            found = decide(action, level, (leave,) if leave else (), {}, TODAY)
            assert (found.rule, found.kind) == expected(action, level, leave), (action, level, leave)
            _hold(action, found)
            decisions += 1
    assert decisions == len(GRID) * len(LEVELS) * len(_uses(risk, effect)) * len(_leaves(risk, effect))


def _uses(risk, effect):
    return USES if (risk, effect) == ("WRITE", "internal") else USES[:1]


def _leaves(risk, effect):
    """Give the delegations to try: none bears on what is not an internal write, so one of them is enough there."""
    return LEAVES if (risk, effect) == ("WRITE", "internal") else LEAVES[1:2]


def _hold(action, found):
    """What no decision may ever be, whatever rule gives it."""
    if action.flags or action.lifts:
        assert found.kind in ("reinforced_approval", "refused")
    if found.kind == "allowed":
        assert action.risk == "READ" or found.rule in (12, 13, 15)
        assert found.rule != 13 or action.instruction == "user"
    assert found.alert == (found.rule in (3, 4, 5))
    assert found.reasons


FAULTS = ("managed", "outside", "ignored", "private", "assistant", "?")
GUARDS = tuple(
    product(
        (frozenset(), *(frozenset({one}) for one in FAULTS)),
        ("normal", "private", "?"),
        ("normal", "sensitive"),
        (frozenset(), frozenset({"card"})),
        (None, frozenset(), frozenset({"card"})),
        (False, True),
        (False, True),
    )
)


@pytest.mark.parametrize("origin", ORIGINS)
@pytest.mark.parametrize("risk", RISKS)
def test_every_combination_of_what_guards_refuses_as_the_design_says(origin, risk):
    for guard, instruction, effect in product(GUARDS, ("user", origin, "web"), EFFECTS):
        faults, result, within, classes, accepts, lifts, local = guard
        argument = replace(SAID, sensitivity=within, classes=classes)
        action = Action(
            "t", "vault", risk, effect, frozenset(), True, origin, True, instruction, (argument,), accepts
        )
        action = replace(action, faults=faults, sensitivity=result, lifts=lifts, local_reader=local)
        found = decide(action, 2, (), {}, TODAY)
        wanted = _guarded(action)
        assert wanted is None or (found.rule, found.kind) == (wanted, "refused"), action
        assert wanted is not None or found.rule not in (1, 2, 3, 4), action
        _hold(action, found)


def _guarded(action: Action) -> int | None:
    """Give the rule among the first four that refuses."""
    stranger = _stranger(action)
    if "managed" in action.faults and action.risk != "READ":
        return 1
    hidden = {"outside", "ignored", "?"} | ({"private", "assistant", "managed"} if stranger else set())
    if action.faults & hidden:
        return 2
    inside = action.arguments[0].sensitivity != "normal"
    reader_is_here = action.local_reader and not stranger
    out = action.effect != "internal"
    if action.risk == "READ":
        leaves = (out and inside) or (not reader_is_here and (inside or action.sensitivity != "normal"))
    else:
        leaves = out and (inside or action.sensitivity != "normal")
    if leaves or (out and action.accepts is not None and action.arguments[0].classes - action.accepts):
        return 3
    return 4 if action.lifts and not _person(action) else None


@pytest.mark.parametrize("tool", ["brain_write", "brain_focus", "note_append"])
@pytest.mark.parametrize("domain", ["now", "vault"])
def test_every_combination_of_who_writes_now_and_how_is_decided_as_the_design_says(tool, domain):
    """Allowed from level 1 on, whatever was read; refused at level 0; nothing else passes under that name."""
    varied = product(
        RISKS, EFFECTS, ORIGINS, INSTRUCTIONS, TEXTS, ((), ("send",)), (False, True), (False, True)
    )
    for risk, effect, origin, instruction, text, flags, reversible, lifts in varied:
        action = Action(
            tool, domain, risk, effect, frozenset(flags), reversible, origin, True, instruction, (text,)
        )
        action = replace(action, lifts=lifts)
        plain = (risk, effect, flags, reversible, lifts) == ("WRITE", "internal", (), True, False)
        now = plain and domain == "now" and tool != "note_append" and _its_own_wish(action)
        for level in LEVELS:
            found = decide(action, level, (), {}, TODAY)
            if now:
                passes = 13 if _person(action) and level in (2, 3) else 15
                wanted = (passes, "allowed") if level in (1, 2, 3) else (6, "refused")
                assert (found.rule, found.kind) == wanted, action
            assert found.rule != 15 or now, action
            _hold(action, found)


BOUNDS = tuple(
    product(
        ("vault", "memory"),
        (1, 2, 3, 4),
        (("Réunions/**",), ("Projets/*.md",), ()),
        (("Réunions/a.md",), ("Projets/x/b.md",), (), ("Réunions/a.md", "c.md"), ("Réunions/../a.md",)),
        (TODAY, "2026-12-01", ""),
        ((0, 0), (20, 0), (0, 20)),
        ("active", "pending", "revoked", "?"),
        (("person",), ("mcp:claude-code",), ()),
    )
)


@pytest.mark.parametrize(
    ("origin", "keyed"), [("person", False), ("mcp:claude-code", True), ("mcp:claude-code", False)]
)
def test_every_combination_of_what_bounds_a_delegation_holds_it_back(origin, keyed):
    passed = 0
    for domain, level, globs, paths, review, used, status, origins in BOUNDS:
        leave = Delegation("d-1", domain, level, globs, origins, review=review, status=status)
        instruction = "user" if origin == "person" else origin
        action = Action(
            "t", "vault", "WRITE", "internal", frozenset(), True, origin, keyed, instruction, (SAID,)
        )
        action = replace(action, paths=paths, asked_writes=1, recent_writes=1)
        found = decide(action, 1, (leave,), {"d-1": Budget(*used)}, TODAY)
        inside = not globs or (globs == ("Réunions/**",) and paths == ("Réunions/a.md",))
        holds = (domain, level, review, used, status) == ("vault", 3, "2026-12-01", (0, 0), "active")
        named = origin in origins and (keyed or origin == "person")
        assert (found.rule == 12) == (holds and inside and named), (leave, action)
        passed += found.rule == 12
    assert passed == (6 if keyed or origin == "person" else 0)


def test_every_reason_that_can_be_given_is_in_the_catalogues():
    names = set()
    floor = tuple((one,) for one in (*sorted(FLOOR), "?"))
    for risk, effect, flags, faults, reversible in product(
        RISKS, EFFECTS, ((), *floor), FAULTS, (False, True)
    ):
        for arguments, sensitivity, lifts in product(
            (ARGUMENTS[4], ARGUMENTS[5], ARGUMENTS[8]), ("normal", "private"), (False, True)
        ):
            action = Action(
                "t", "vault", risk, effect, frozenset(flags), reversible, "http", arguments=arguments
            )
            action = replace(
                action, faults=frozenset({faults} - {"private"}), sensitivity=sensitivity, lifts=lifts
            )
            for one in (
                action,
                replace(action, origin="person", faults=frozenset()),
                replace(action, origin="undo"),
            ):
                names |= {key for key, _ in decide(one, 2, LEAVES[1:2], {}, TODAY).reasons}
    for words in (catalogue("fr"), catalogue("en")):
        assert {f"policy.reason.{one}" for one in names} <= words.sentences.keys()
