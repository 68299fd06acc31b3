"""One property changes, and every other byte of the note stays."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.properties import read
from renderers.amend import Unamendable, property_remove, property_set
from tests.renderers.amend.ranges import attempt

NAMES = ("titre", "tags", "aliases", "note", "privé", "un nom", "source", "n°")
TEXTS = st.one_of(
    st.text(max_size=12),
    st.sampled_from(
        [
            "", " ", "yes", "no", "on", "null", "~", "true", "12", "1.5", "0x1F", "010", "1_000", "1e3", "12:30",
            "2026-12-01", "2026-02-30", "2026-12-01T10:00:00", ".inf", "-", "- a", "a: b", "a #b", "#a", "[[Note]]",
            "[[Note|alias]]", "{{date}}", "{a}", "a, b", "'", '"', "l'été", 'dit "x"', "a\tb", "\ta", "a\nb", "a\r\nb",
            "\\", "*x", "&x", "!x", "%x", "@x", "`x", "? x", "|", ">", "=", "<<", "---", "...",
            "\u2028", "\x85", "\ufeff",
            "é\u0301", "🎉", "a:", ":", "x" * 2000, "日本", "\x07", "\x7f", " a", "a ", "\u00a0a",
        ]
    ),
)  # fmt: skip
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), TEXTS)
VALUES = st.one_of(SCALARS, st.lists(SCALARS, max_size=5))
WRITTEN = st.sampled_from(
    [
        "", " x", " 'x'", ' "x"', " 12", " true", " ~", " [a, b]", " ['a', 'b']", " [ a,  b ]", " []", " [a, [b]]",
        " {a: 1}", "\n  - a\n  - b", "\n- a\n- 'b'", "\n    -   a # un\n    # deux\n    -   b", "\n  - a\n  -\n  - c",
        "\n  a: 1\n  b: 2", "\n  - a: 1", " |\n  a\n  b", " >-\n  a\n\n  b", " |+\n  a\n\n", " a\n  b", "\n  x",
        ' "a\n  b"', " x # suite", " # rien", "  ", " [a, # un\n  b, # deux\n  c]", " &x [a]", " !x y",
        "\n  - 'a'\n  - 'b'",
        ' ["[[N]]"]', " 2026-01-01", "\n  - - a\n    - b", " [a, b,]",
    ]
)  # fmt: skip


@st.composite
def blocks(draw):
    names = draw(st.lists(st.sampled_from(NAMES), max_size=5, unique=True))
    lines = []
    for name in names:
        lines += draw(st.sampled_from([[], [], ["# commentaire"], [""]]))
        lines.append(f"{name}:{draw(WRITTEN)}")
    lines += draw(st.sampled_from([[], [], ["# fin"], [""]]))
    body = draw(st.sampled_from(["", "corps", "\n# Titre\n\ncorps\n", "---\na: 1\n---\n"]))
    text = "".join(f"{line}\n" for line in ["---", *lines, "---"]) + body
    text = text.replace("\n", "\r\n") if draw(st.booleans()) else text
    return draw(st.sampled_from(["", "\ufeff"])) + (text.rstrip("\r\n") if draw(st.booleans()) else text)


def code(call, *args):
    with pytest.raises(Unamendable) as raised:
        call(*args)
    return raised.value.code


def inside(*lines):
    return "---\n" + "".join(f"{line}\n" for line in lines) + "---\ncorps"


@pytest.mark.parametrize(
    ("lines", "key", "value", "new"),
    [
        (["a: 1"], "b", "x", ["a: 1", "b: x"]),
        (["a: 1", "# fin"], "b", "x", ["a: 1", "# fin", "b: x"]),
        (["  a: 1"], "b", ["x"], ["  a: 1", "  b:", "    - x"]),
        (["a: 'x'"], "b", "y", ["a: 'x'", "b: 'y'"]),
        (["a: '[[x]]'"], "b", "y", ["a: '[[x]]'", "b: y"]),
        (["a: '[[x]]'"], "b", "[[y]]", ["a: '[[x]]'", "b: '[[y]]'"]),
        (["a: 'x'", "c: y"], "b", "z", ["a: 'x'", "c: y", "b: z"]),
        (["a: x"], "a", "y", ["a: y"]),
        (['a: "x"  # c'], "a", "y", ['a: "y"  # c']),
        (["a:   x"], "a", "yes", ['a:   "yes"']),
        (["a: # c"], "a", 1, ["a: 1 # c"]),
        (["a: 1 # c", "b: 2"], "a", None, ["a: # c", "b: 2"]),
        (["a: 1 # c", "b: 2"], "a", ["x"], ["a: # c", "  - x", "b: 2"]),
        (["a: |", "  x", "", "  y", "b: 1"], "a", "z", ["a: z", "b: 1"]),
        (["a: 'l''un'"], "a", "l'été", ["a: 'l''été'"]),
        (["t:", "- a # un", "- b"], "t", ["a", "c"], ["t:", "- a # un", "- c"]),
        (["t:", "- a # un", "- b"], "t", ["b"], ["t:", "- b"]),
        (["t:", "- a # un", "# x", "- b"], "t", ["a", "c", "b"], ["t:", "- a # un", "- c", "# x", "- b"]),
        (["t:", "    -   a", "z: 1"], "t", ["a", "b"], ["t:", "    -   a", "    -   b", "z: 1"]),
        (["t:", "  - 'a'"], "t", ["a", "b"], ["t:", "  - 'a'", "  - 'b'"]),
        (["t:", "  - a"], "t", [], ["t: []"]),
        (["t:", "  - a", "z: 1"], "t", "x", ["t: x", "z: 1"]),
        (["t: []"], "t", ["a"], ["t: [a]"]),
        (["t: [ a, b ]"], "t", ["a"], ["t: [ a ]"]),
        (["t: [ a, b ]"], "t", ["b"], ["t: [ b ]"]),
        (["t: [a]"], "t", ["0", "a", "b"], ['t: ["0", a, b]']),
        (["t: [a]"], "t", ["c", "a"], ["t: [c, a]"]),
        (["t: ['a']"], "t", ["a", "b"], ["t: ['a', 'b']"]),
        (["t: [a, b]"], "u", ["a"], ["t: [a, b]", "u: [a]"]),
        (["t:", "- a"], "u", ["a"], ["t:", "- a", "u:", "- a"]),
        (["t:"], "t", ["a"], ["t:", "  - a"]),
        (["l: [[Note]]"], "l", "[[Note]]", ['l: "[[Note]]"']),
        (["a: 1"], "le: nom", 1, ["a: 1", '"le: nom": 1']),
        (["d: x"], "d", "2026-12-01", ["d: 2026-12-01"]),
        (["a\t: x"], "a", "y", ["a\t: y"]),
    ],
)  # fmt: skip
def test_a_property_keeps_the_style_of_its_place(lines, key, value, new):
    assert property_set(inside(*lines), key, value) == inside(*new)
    assert property_set(inside(*new), key, value) == inside(*new)


def test_a_note_without_properties_gets_a_block_and_loses_it_with_the_last_one():
    for text in ("", "\ufeff", "corps", "a\r\nb", "\n---\na: 1\n---\n", "---"):
        new = property_set(text, "clé", ["a"])
        eol = "\r\n" if "\r" in text else "\n"
        assert new.endswith(text.removeprefix("\ufeff"))
        assert new.startswith(text[:1] * text.startswith("\ufeff") + f"---{eol}clé:{eol}  - a{eol}---{eol}")
        assert property_remove(new, "clé") == text
    assert property_remove("---\na: 1\n---\n---\nb: 2\n---\n", "a") == "---\n---\n---\nb: 2\n---\n"
    assert property_remove("---\n# c\na: 1\n---\n", "a") == "---\n# c\n---\n"


def test_a_property_goes_with_its_lines_and_no_other():
    text = inside(
        "a: 1", "# avant", "b:", "  - x # c", "  # d", "  - y", "# après", "", "c: |", "  x", "d: 2"
    )
    assert property_remove(text, "b") == inside("a: 1", "# avant", "# après", "", "c: |", "  x", "d: 2")
    assert property_remove(text, "c") == text.replace("c: |\n  x\n", "")
    assert code(property_remove, text, "z") == "property_missing"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("---\na: b: c\n---\n", "properties_invalid"),
        ("---\na: 1\na: 2\n---\n", "properties_invalid"),
        ("---\na: 1\n", "properties_unclosed"),
        ('---\n{"a": 1}\n---\n', "properties_json"),
        ("---\na: 1\nb: {{date}}\n---\n", "properties_template"),
        ("---\n{a: 1, b: 2}\n---\n", "property_shape"),
        ("---\n? a\n: 1\n---\n", "property_shape"),
        ("---\na: &x 1\nb: *x\n---\n", "property_shape"),
        ("<<<<<<< a\n=======\n>>>>>>> b\n", "frozen"),
    ],
)
def test_properties_that_are_not_read_for_certain_are_left_as_they_are(text, why):
    assert code(property_set, text, "a", "x") == why
    if why != "frozen":
        assert code(property_remove, text, "a") == why


def test_a_value_or_name_that_cannot_stand_there_is_refused():
    for value in ({"a": 1}, [["a"]], "\ud800", b"x", object()):
        assert code(property_set, inside("a: 1"), "b", value) == "value"
    for key in ("", " a", "a\nb", "\x00", "x" * 2000):
        assert code(property_set, inside("a: 1"), key, 1) == "key"
    assert code(property_set, inside("Tags: [a]"), "tags", ["b"]) == "property_case"
    assert code(property_set, inside("a:", "  b: 1"), "a", 1) == "property_nested"
    assert code(property_set, inside("a:", "  - b: 1"), "a", ["c"]) == "property_nested"


def same(one, other):
    return repr(one) == repr(other)


@given(blocks(), st.sampled_from(NAMES), VALUES)
def test_what_is_set_reads_back_and_the_others_keep_their_bytes(text, key, value):
    before = read(text)
    refusals = {"property_nested", "property_shape", "properties_invalid"}
    new = attempt(property_set, text, key, value, refusals=refusals)
    if new is None:
        return
    after = read(new)
    assert same(after.values[key], value)
    assert same({**after.values, key: 0}, {**before.values, key: 0})
    assert new[after.body :] == text[before.body :]
    comments = [line for line in text[before.start : before.end].split("\n") if line.lstrip().startswith("#")]
    assert [line for line in new[after.start : after.end].split("\n") if line in comments] == comments
    if "\r" in text:
        assert new.count("\n") == new.count("\r\n")


@given(blocks(), st.sampled_from(NAMES), VALUES)
def test_a_new_property_and_its_removal_give_the_bytes_back(text, key, value):
    before = read(text)
    if before.state != "ok" or key in before.values or before.start == before.end:
        return
    new = attempt(property_set, text, key, value)
    if new is None:
        return
    assert new.startswith(text[: before.end])
    assert new.endswith(text[before.end :])
    assert property_remove(new, key) == text


@given(blocks(), st.sampled_from(NAMES))
def test_a_removed_property_is_gone_and_the_others_keep_their_bytes(text, key):
    before = read(text)
    new = attempt(property_remove, text, key)
    if new is None:
        return
    after = read(new)
    assert same(dict(after.values), {one: value for one, value in before.values.items() if one != key})
    gone = len(text) - len(new)
    at = next((at for at in range(len(new)) if new[at] != text[at]), len(new))
    assert any(text[:start] + text[start + gone :] == new for start in range(max(0, at - gone), at + 1))


@given(VALUES)
def test_every_value_is_written_so_that_it_reads_back(value):
    for text in ("", inside("a: 'x'"), inside("a: [b]", "c: [d]", "e: [f]")):
        new = attempt(property_set, text, "k", value, refusals={"value"})
        assert new is None or same(read(new).values["k"], value)


def test_numbers_that_are_none_are_written_as_yaml_does():
    text = property_set("", "k", [math.inf, -math.inf, math.nan])
    assert text == "---\nk:\n  - .inf\n  - -.inf\n  - .nan\n---\n"
