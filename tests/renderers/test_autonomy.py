"""Autonomie.md both ways: what a line says, how it is shown, what stays as it is."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.i18n import catalogue
from daemon.policy.autonomy import DEFAULT_LEVELS
from parsers.autonomy import AutonomySaid, bounds, parse
from parsers.frame import Frame, frame_of
from parsers.model.policy import Delegation
from renderers.autonomy import render, view
from renderers.frame import framed

WORDS = (catalogue("fr"), catalogue("en"))
LINE = Delegation(
    "d-4n7p1s9x", "vault", 3, ("Réunions/**",), ("mcp:claude-code",), (), 20, 20, "2027-02-28", "active"
)
EMPTY = framed(None, (), [(name, name) for name in ("host", "levels", "delegations")], ["# Autonomie"])


def read(text: str) -> tuple[Frame, AutonomySaid]:
    frame = frame_of(text, tasks=True)
    assert not frame.faults
    return frame, parse(text, frame)


def shown(
    text: str = EMPTY,
    delegations: Mapping[str, Delegation] | None = None,
    asked: Mapping[str, Delegation] | None = None,
    asked_levels: Mapping[str, int] | None = None,
) -> str:
    shows = view(DEFAULT_LEVELS, asked_levels or {}, delegations or {}, asked or {}, "atelier", WORDS)
    return render(shows, text, *read(text))


def test_a_new_note_shows_host_levels_and_delegations_as_the_design_writes_them() -> None:
    text = shown(delegations={LINE.id: LINE})
    assert "Machine hôte : atelier (pour en changer : `clavaire host take`)\n" in text
    assert "- vault : 2 ^level-vault\n" in text
    assert (
        "- [x] vault · niveau 3 · Réunions/** · origine mcp:claude-code · 20 écritures par jour"
        " · à revoir le 2027-02-28 ^d-4n7p1s9x\n"
    ) in text


def test_what_waits_is_said_and_has_a_place_for_its_code() -> None:
    text = shown(asked={LINE.id: LINE}, asked_levels={"memory": 3})
    assert "- memory : 3 · en attente du code ^level-memory\n\t- Code :  ^level-memory-code\n" in text
    assert " · en attente du code ^d-4n7p1s9x\n\t- Code :  ^d-4n7p1s9x-code\n" in text


@pytest.mark.parametrize("typed", ["123456", " 123456 ", "123 456", "123\u00a0456"])
def test_digits_typed_there_are_read_and_then_taken_out(typed: str) -> None:
    text = shown(asked={LINE.id: LINE}).replace("Code :  ^d", f"Code : {typed} ^d")
    _, what = read(text)
    assert what.delegations[0][0].code == "123456"
    assert "123" not in shown(text, asked={LINE.id: LINE})


def test_a_line_read_back_allows_what_it_showed() -> None:
    wide = Delegation(
        "d-4n7p1s9x", "mail", 3, ("A b/**", "C/x.md"), ("mcp:x", "http"), ("web", "mcp:y"), 3, 7, "2027-01-01"
    )
    for words in (WORDS, WORDS[::-1]):
        shows = view({}, {}, {}, {wide.id: wide}, "", words)
        text = render(shows, EMPTY, *read(EMPTY))
        says = read(text)[1].delegations[0][0].says
        assert (says.domain, says.paths, says.origins, says.covers) == (
            wide.domain,
            wide.paths,
            wide.origins,
            wide.covers,
        )
        assert (says.level, says.per_day, says.per_run, says.review) == (3, 3, 7, "2027-01-01")


@pytest.mark.parametrize(
    "line", ["vault", "vault · tout", "vault · niveau 4", "vault · niveau 3 · 20 ecriture", "3 · vault", ""]
)
def test_a_part_that_is_not_understood_makes_the_line_unreadable(line: str) -> None:
    assert bounds(line) is None


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("- vault · niveau 7", True),
        ("- coffre niveau 3", True),
        ("- Vault · Réunions/**", True),
        ("- level 3 for everything", True),
        ("- une remarque à moi", False),
    ],
)
def test_a_line_that_was_meant_as_a_delegation_is_told_and_a_remark_is_not(line: str, told: bool) -> None:
    text = EMPTY.replace("begin delegations -->\n\n", f"begin delegations -->\n{line}\n")
    said = read(text)[1]
    assert (bool(said.unreadable), said.unread_levels) == (told, ())


def test_nonsense_among_the_levels_is_told_apart_from_nonsense_among_the_delegations() -> None:
    text = EMPTY.replace("begin levels -->\n\n", "begin levels -->\n- vault : beaucoup\n")
    said = read(text)[1]
    assert (said.unreadable, len(said.unread_levels)) == ((), 1)


def test_a_ticked_line_in_code_or_in_a_comment_is_no_line() -> None:
    line = "- [x] vault · niveau 3 ^d-4n7p1s9x"
    hidden = EMPTY.replace(
        "begin delegations -->\n\n", f"begin delegations -->\n```\n{line}\n```\n%%\n{line}\n%%\n"
    )
    assert read(hidden)[1].delegations == ()


def test_the_persons_lines_stay_byte_for_byte_also_with_crlf() -> None:
    mine = "Mes notes à moi.\n\n- [x] vault · niveau 3 · Réunions/**\n\t- une remarque\n"
    for eol in ("\n", "\r\n"):
        text = EMPTY.replace("begin delegations -->\n\n", f"begin delegations -->\n{mine}").replace("\n", eol)
        says = read(text)[1].delegations[0][0].says
        known = Delegation(LINE.id, says.domain, says.level, says.paths, says.origins, review="2027-02-28")
        after = shown(text, asked={LINE.id: known})
        assert f"Mes notes à moi.{eol}" in after
        assert f"\t- une remarque{eol}" in after
        assert f"^d-4n7p1s9x{eol}\t- Code :  ^d-4n7p1s9x-code{eol}" in after
        assert after.count("vault · niveau 3") == 1
        assert eol == "\n" or "\n" not in after.replace("\r\n", "")


@given(
    st.sampled_from(["", "texte libre\n", "- [ ] à moi\n", "## Titre\n"]),
    st.booleans(),
    st.booleans(),
    st.integers(0, 3),
)
def test_two_renders_in_a_row_give_an_empty_diff(free: str, waits: bool, revoked: bool, level: int) -> None:
    text = EMPTY.replace("begin levels -->\n\n", f"begin levels -->\n{free}")
    one = Delegation(LINE.id, "vault", level, origins=("person",), status="revoked" if revoked else "active")
    known = {
        "delegations": {one.id: one},
        "asked": {one.id: one} if waits else {},
        "asked_levels": {"now": 2},
    }
    once = shown(text, **known)
    assert shown(once, **known) == once
    assert free in once
