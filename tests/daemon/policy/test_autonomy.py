"""R-P06: narrowing holds at once, widening waits for its code; whatever the note says."""

from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from daemon.policy.autonomy import (
    Autonomy,
    event_of,
    fold,
    give_code,
    meet,
    take_delegations,
    take_levels,
)
from parsers.model.autonomy import DelegationLine, LevelLine
from parsers.model.policy import Delegation
from parsers.model.register import Record

LINE = Delegation("d-4n7p1s9x", "vault", 3, ("Réunions/**",), ("mcp:x",), (), 20, 20, "2027-02-28", "active")


class Desk:
    """Autonomy with what happens to it folded at once."""

    def __init__(self, *active: Delegation) -> None:
        self.autonomy = Autonomy()
        self.ops: list[str] = []
        for one in active:
            self.emit("delegation.active", **event_of(one))
        self.ops.clear()

    def emit(self, op: str, **body: Any) -> None:
        self.ops.append(op)
        fold(self.autonomy, Record(0, "", op, "person", body))

    def levels(self, *lines: tuple[str, int]) -> None:
        take_levels(self.autonomy, [LevelLine(*one) for one in lines], lambda: "n", self.emit)

    def lines(self, *lines: DelegationLine, stood: tuple[str, ...] = (LINE.id,)) -> None:
        take_delegations(self.autonomy, lines, stood, lambda: "n", self.emit)


def said(one: Delegation = LINE, *, ticked: bool = True) -> DelegationLine:
    return DelegationLine(one.id, ticked, one)


def test_a_lower_level_holds_at_once_and_a_higher_one_waits() -> None:
    desk = Desk()
    desk.levels(("vault", 1), ("memory", 3))
    assert (desk.autonomy.level("vault"), desk.autonomy.level("memory")) == (1, 2)
    assert desk.autonomy.waiting("level-memory")
    give_code(desk.autonomy, "level-memory", right=True, last=False, emit=desk.emit)
    assert desk.autonomy.level("memory") == 3
    assert desk.autonomy.waiting("level-memory") is None


def test_the_same_wish_is_asked_once_and_taking_it_back_drops_it() -> None:
    desk = Desk()
    desk.levels(("memory", 3))
    desk.levels(("memory", 3))
    assert desk.ops == ["level.asked"]
    desk.levels(("memory", 2))
    assert desk.ops == ["level.asked", "level.dropped"]


def test_two_lines_for_one_domain_never_widen() -> None:
    desk = Desk()
    desk.levels(("memory", 3), ("memory", 2))
    assert desk.ops == []


def test_a_domain_nobody_named_has_the_level_of_external() -> None:
    assert Autonomy().level("banque") == 0


def test_unticking_or_deleting_a_line_revokes_it() -> None:
    for lines in ((said(ticked=False),), ()):
        desk = Desk(LINE)
        desk.lines(*lines)
        assert desk.autonomy.active() == ()


def test_a_line_that_never_stood_there_is_not_taken_for_deleted() -> None:
    desk = Desk(LINE)
    desk.lines(stood=())
    assert desk.autonomy.active() == (LINE,)


def test_a_revoked_line_that_comes_back_waits_for_its_code() -> None:
    desk = Desk(LINE)
    desk.lines(said(ticked=False))
    desk.lines(said())
    assert desk.autonomy.active() == ()
    assert desk.autonomy.waiting(LINE.id)


def test_a_wider_line_goes_on_as_it_was_until_the_code_and_a_narrower_one_holds_at_once() -> None:
    desk = Desk(LINE)
    desk.lines(said(replace(LINE, per_day=50)))
    assert desk.autonomy.active() == (LINE,)
    desk.lines(said(replace(LINE, per_day=5)))
    assert desk.autonomy.active() == (replace(LINE, per_day=5),)


def test_a_line_narrower_here_and_wider_there_holds_what_both_allow() -> None:
    desk = Desk(LINE)
    desk.lines(said(replace(LINE, per_day=5, review="2028-01-01")))
    assert desk.autonomy.active() == (replace(LINE, per_day=5),)
    give_code(desk.autonomy, LINE.id, right=True, last=False, emit=desk.emit)
    assert desk.autonomy.active() == (replace(LINE, per_day=5, review="2028-01-01", nonce="n"),)


def test_another_origin_or_domain_leaves_nothing_of_the_old_line() -> None:
    for wants in (replace(LINE, origins=("mcp:y",)), replace(LINE, domain="mail")):
        desk = Desk(LINE)
        desk.lines(said(wants))
        assert desk.autonomy.active() == ()


def test_a_folder_inside_is_narrower_and_the_whole_domain_is_wider() -> None:
    inside = meet(LINE, replace(LINE, paths=("Réunions/2026/**",)))
    assert inside is not None
    assert inside.paths == ("Réunions/2026/**",)
    wider = meet(LINE, replace(LINE, paths=()))
    assert wider is not None
    assert wider.paths == LINE.paths
    assert meet(LINE, replace(LINE, paths=("Autre/**",))) is None
    assert meet(LINE, replace(LINE, paths=("Réunions/../**",))) is None


def test_the_last_wrong_code_drops_what_waits() -> None:
    desk = Desk()
    desk.lines(said(), stood=())
    give_code(desk.autonomy, LINE.id, right=False, last=True, emit=desk.emit)
    assert desk.autonomy.waiting(LINE.id) is None
    assert desk.autonomy.active() == ()


def test_another_line_has_another_digest_and_so_another_code() -> None:
    desk = Desk()
    desk.lines(said(), stood=())
    first = desk.autonomy.waiting(LINE.id)
    desk.lines(said(replace(LINE, per_day=50)))
    assert desk.autonomy.waiting(LINE.id) not in (None, first)


BOUNDS = st.builds(
    replace,
    st.just(LINE),
    level=st.integers(0, 3),
    paths=st.sampled_from([(), ("Réunions/**",), ("Réunions/a/**",), ("**",), ("Réunions/x.md", "Autre/**")]),
    origins=st.sampled_from([("mcp:x",), ("mcp:x", "mcp:y"), ("person",)]),
    covers=st.sampled_from([(), ("web",)]),
    per_day=st.sampled_from([5, 20, 50]),
    per_run=st.sampled_from([5, 20, 50]),
    review=st.sampled_from(["2026-12-31", "2027-02-28", "2028-01-01"]),
)


@given(st.lists(st.one_of(st.none(), st.tuples(BOUNDS, st.booleans())), max_size=6))
def test_no_sequence_of_edits_without_a_code_widens_anything(edits: list[Any]) -> None:
    desk = Desk(LINE)
    for edit in edits:
        desk.lines(*(() if edit is None else (said(edit[0], ticked=edit[1]),)))
        for held in desk.autonomy.active():
            inside = meet(LINE, held)
            assert inside is not None
            assert replace(inside, nonce=held.nonce, status=held.status) == held


@given(
    st.lists(st.tuples(st.sampled_from(["vault", "memory", "now", "external", "mail"]), st.integers(0, 3)))
)
def test_no_sequence_of_level_lines_without_a_code_raises_one(lines: list[tuple[str, int]]) -> None:
    desk = Desk()
    before = dict(desk.autonomy.levels)
    for line in lines:
        desk.levels(line)
        assert all(
            level <= before.get(name, before["external"]) for name, level in desk.autonomy.levels.items()
        )
