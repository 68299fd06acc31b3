"""Every amendment on every note of tests/torture, in each shape a note comes in: what is not asked stays."""

import json
from pathlib import Path

import pytest

from parsers.note import scan
from renderers.amend import (
    append,
    edit,
    property_remove,
    property_set,
    relinked,
    section_replace,
    task_add,
    task_set,
)
from renderers.amend.resolving import World
from tests.renderers.amend.ranges import attempt, gains_one_range

TORTURE = Path(__file__).parents[2] / "torture"
CASES = sorted(path.stem for path in TORTURE.glob("*.json"))


def as_is(text):
    return text


def with_crlf(text):
    return text.replace("\r\n", "\n").replace("\n", "\r\n")


def with_bom(text):
    return "\ufeff" + text


def without_final_newline(text):
    return text.rstrip("\r\n")


VARIANTS = [as_is, with_crlf, with_bom, without_final_newline]


@pytest.fixture(params=CASES)
def case(request):
    return (TORTURE / f"{request.param}.md").read_bytes().decode(), json.loads(
        (TORTURE / f"{request.param}.json").read_text(encoding="utf-8")
    )


@pytest.fixture(params=VARIANTS)
def text(case, request):
    return request.param(case[0])


def test_a_note_that_must_not_be_written_is_refused_by_each_amendment(case):
    text, sidecar = case
    if sidecar.get("must_not_write"):
        for call, *args in ((append, "x"), (task_add, "x"), (property_set, "k", 1), (edit, text[:40], "x")):
            assert attempt(call, text, *args) is None
    if sidecar.get("must_not_write_frontmatter"):
        assert attempt(property_set, text, "k", 1) is None


def test_additions_are_one_range_and_what_was_said_is_still_said(text):
    before = scan(text)
    titles = [None, *(one.text for one in before.headings)]
    for call in (append, task_add):
        for title in titles:
            new = attempt(call, text, "ajout ^neuf", title)
            if new is None:
                continue
            assert gains_one_range(text, new)
            after = scan(new)
            assert [one.text for one in after.headings] == [one.text for one in before.headings]
            assert [one.target for one in after.links] == [one.target for one in before.links]
            assert [one.id for one in after.block_ids if one.id != "neuf"] == [
                one.id for one in before.block_ids
            ]
            assert [one.id for one in after.block_ids].count("neuf") == 1
            assert after.properties.values == before.properties.values
            assert len(after.tasks) - len(before.tasks) == (call is task_add)


def test_the_end_of_a_note_takes_an_addition_unless_something_is_open_there(text):
    new = attempt(append, text, "ajout")
    if new is None:
        return
    assert new.startswith(text)
    assert new.endswith("\n") == (text.endswith("\n") or not text)


def test_a_part_that_is_replaced_leaves_the_rest(text):
    before = scan(text)
    roots = [one for one in before.headings if not one.nested]
    for own in roots:
        new = attempt(section_replace, text, own.text, "Autre chose.")
        if new is None:
            continue
        head = "".join(before.lines[: own.end_line])
        assert new.startswith(head)
        after = [one.start for one in roots if one.start > own.start and one.level <= own.level]
        assert new.endswith(text[after[0] :] if after else "")
        assert attempt(section_replace, new, own.text, "Autre chose.") == new


def test_each_task_is_ticked_and_given_back(text):
    for task in scan(text).tasks:
        name = f"^{task.id}" if task.id else text[task.content + 3 :].split("\n")[0].strip()
        new = attempt(task_set, text, name, "?")
        if new is not None:
            assert len(new) == len(text)
            assert attempt(task_set, new, name, task.char) == text


def test_a_property_comes_and_goes_and_each_one_is_set_to_what_it_is(text):
    before = scan(text).properties
    for value in ("texte", "2026-12-01", "yes", None, ["a", "b: c"]):
        new = attempt(property_set, text, "une clé neuve", value)
        if new is not None:
            assert scan(new).properties.values == {**before.values, "une clé neuve": value}
            assert property_remove(new, "une clé neuve") == text
    for key, value in before.values.items():
        same = attempt(property_set, text, key, value)
        assert same in (None, text)
        other = attempt(property_set, text, key, "autre")
        if other is not None:
            assert scan(other).properties.values == {**before.values, key: "autre"}
            if isinstance(value, str):
                assert scan(property_set(other, key, value)).properties.values == before.values


def test_each_note_that_is_linked_moves_and_every_link_leads_where_it_led(text):
    before = scan(text)
    targets = [one.target for one in (*before.links, *before.properties.links) if one.target]
    paths = sorted({one if "." in one else f"{one}.md" for one in targets} | {"Ici.md", "Là/Note.md"})
    for path in paths:
        moves = {path: f"Un dossier/Déplacée {path.rpartition('/')[2]}"}
        new = attempt(relinked, text, "Ici.md", moves, paths)
        if new is None:
            assert before.faults
            continue
        after, old, there = scan(new), World(paths), World([moves.get(one, one) for one in paths])
        place = moves.get("Ici.md", "Ici.md")
        for was, now in zip(
            (*before.links, *before.properties.links), (*after.links, *after.properties.links), strict=True
        ):
            led = old.find(was.target, "Ici.md")
            assert (was.subpath, was.alias) == (now.subpath, now.alias)
            assert led is None or there.find(now.target, place) == moves.get(led, led)
        back = {new_path: old_path for old_path, new_path in moves.items()}
        assert relinked(new, place, back, [moves.get(one, one) for one in paths]).count("\n") == text.count(
            "\n"
        )
