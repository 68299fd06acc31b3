import math
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.errors import BadBlock
from parsers.properties import read
from parsers.yaml_core import full_values, plain_values


def block(*lines, after=""):
    return "---\n" + "".join(line + "\n" for line in lines) + "---\n" + after


def values(*lines):
    properties = read(block(*lines))
    assert properties.state == "ok", properties
    return properties.values


def test_a_note_without_a_first_line_of_dashes_has_no_properties():
    for text in ("", "x", "\n---\na: 1\n---\n", " ---\na: 1\n---\n", "----\na: 1\n----\n"):
        assert read(text).state == "none"
        assert read(text).body == 0


def test_a_block_that_is_never_closed_is_unclosed_and_the_body_starts_at_the_top():
    properties = read("---\na: 1\n...\n")
    assert (properties.state, properties.start_line, properties.end_line, properties.body) == (
        "unclosed",
        1,
        0,
        0,
    )


def test_offsets_cut_the_yaml_and_the_body_out_whatever_the_endings_and_the_mark():
    for bom in ("", "\ufeff"):
        for eol in ("\n", "\r\n"):
            text = f"{bom}---{eol}a: 1{eol}--- {eol}corps"
            properties = read(text)
            assert properties.values == {"a": 1}
            assert text[properties.start : properties.end] == f"a: 1{eol}"
            assert text[properties.body :] == "corps"
            assert (properties.start_line, properties.end_line) == (1, 3)


def test_an_empty_block_and_one_of_comments_are_read_and_say_nothing():
    for text in ("---\n---\n", "---\n---", block("", "", ""), block("# rien")):
        assert (read(text).state, read(text).values) == ("ok", {})


def test_scalars_are_those_of_yaml_1_2_core():
    assert values("a: yes", "b: no", "c: on", "d: 12:30", "e: 010", "f: 0o17", "g: 0x1F") == {
        "a": "yes", "b": "no", "c": "on", "d": "12:30", "e": 10, "f": 15, "g": 31,
    }  # fmt: skip
    assert values("a: 2026-02-30", "b: 1_000", "c: 1e3", "d: ~", "e:", "f: True", "g: -.5") == {
        "a": "2026-02-30", "b": "1_000", "c": 1000.0, "d": None, "e": None, "f": True, "g": -0.5,
    }  # fmt: skip
    assert values("a: .inf", "b: -.INF") == {"a": math.inf, "b": -math.inf}
    assert math.isnan(values("a: .NaN")["a"])
    assert values("<<: {a: 1}", "b: !x y", "c: !!int pas un nombre") == {
        "<<": {"a": 1}, "b": "y", "c": "pas un nombre",
    }  # fmt: skip
    assert values("a: !!bool yes", "b: !!bool TRUE", "c: !!null oui", "d: !!null ~", "e: !!null") == {
        "a": "yes", "b": True, "c": "oui", "d": None, "e": None,
    }  # fmt: skip


def test_a_json_object_is_read_as_one():
    properties = read(block("{", '\t"tags": ["courrier"],', '  "pages": 3', "}"))
    assert (properties.style, properties.values) == ("json", {"tags": ["courrier"], "pages": 3})
    assert properties.tags == ("courrier",)


def test_a_name_that_stands_twice_makes_the_block_invalid_at_the_second():
    properties = read(block("tags: [un]", "a: {b: 1, c: 2}", "tags: [deux]"))
    assert (properties.state, properties.reason, properties.bad_line) == ("invalid", "duplicate key", 4)
    assert read(block('{"a": 1, "a": 2}')).state == "invalid"


@pytest.mark.parametrize(
    ("lines", "bad"),
    [
        (("ok: 1", "t: Réunion: bilan"), 3),
        (("k: @x",), 2),
        (("k: `x`",), 2),
        (("k: %x",), 2),
        (("a: 1", "\tb: 2"), 3),
        (('k: "x" y',), 2),
        (("k: *x",), 2),
        (("a: 1", 'k: "jamais fermé', "b: 2"), 3),
        (("- une", "- liste"), 2),
        (("du texte",), 2),
        (("a: 1", "b: \x07"), 3),
    ],
)
def test_a_block_that_cannot_be_read_names_its_first_bad_line(lines, bad):
    properties = read(block(*lines))
    assert (properties.state, properties.bad_line) == ("invalid", bad)
    assert properties.reason
    assert properties.end_line == len(lines) + 2


def test_c05_a_header_from_a_template_is_invalid_at_line_2_and_never_an_empty_one():
    properties = read("---\ntitre: Réunion: budget\ncréé: {{date}}\n---\nTexte sur la girolle.\n")
    assert (properties.state, properties.bad_line, properties.end_line) == ("invalid", 2, 4)


def test_a_template_that_was_not_filled_in_is_read_and_named():
    properties = read(block("a: {{date}}", "b: 1"))
    assert (properties.state, properties.opaque, properties.values["b"]) == ("ok", ("a",), 1)


def test_tags_are_a_list_or_one_word_with_or_without_a_hash():
    for line, tags in (
        ("tags: [a, '#b', c/d/, 2024, null, 'x y', é]", ("a", "b", "c/d", "é")),
        ("tags: seul", ("seul",)),
        ("tags: a, b", ()),
        ("tags: a b", ()),
        ("tags:", ()),
        ("TAGS: [a]", ("a",)),
        ("tag: [a]", ()),
        ("tags: {a: b}", ()),
    ):
        assert read(block(line)).tags == tags, line


def test_aliases_are_a_list_of_texts_and_numbers():
    assert read(block("aliases: [Fiche, 2024, '', {a: b}]")).aliases == ("Fiche", "2024")
    assert read(block("aliases: Une fiche")).aliases == ("Une fiche",)
    assert read(block("alias: [x]")).aliases == ()


def test_links_are_whole_quoted_values_at_any_depth():
    properties = read(
        block(
            'lien: "[[A#B|c]]"',
            "amis:",
            '  - "[[D]]"',
            "  - x",
            "nu: [[E]]",
            'm: {n: "[[#F]]"}',
            't: "a [[G]]"',
        )
    )
    assert [(link.key, link.target, link.subpath, link.alias) for link in properties.links] == [
        ("lien", "A", "#B", "c"),
        ("amis.0", "D", "", None),
        ("m.n", "", "#F", None),
    ]
    assert properties.values["nu"] == [["E"]]


def test_line_separators_of_unicode_are_characters_of_a_value():
    assert values("a: x\u2028y\x85z") == {"a": "x\u2028y\x85z"}


def test_aliases_that_multiply_or_contain_themselves_are_refused_in_no_time():
    bomb = ["a0: &a0 [x, x]"] + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    began = time.process_time()
    for lines in (bomb, ["a: &a [*a]"], ["a: " + "[" * 50_000], ["a: " + "{" * 50_000], ["- " * 50_000]):
        assert read(block(*lines)).state == "invalid"
    assert time.process_time() - began < 2


@settings(deadline=None, max_examples=300)
@given(
    st.text(),
    st.lists(
        st.sampled_from(
            [
                "a",
                "b",
                ":",
                "-",
                "[",
                "]",
                "{",
                "}",
                "'",
                '"',
                "\n",
                "&",
                "*",
                "!",
                "|",
                ">",
                "#",
                "%",
                "@",
                "`",
                "~",
                ",",
                "?",
                "\t",
                "\r",
                "1",
                "0x",
                ".",
                "e",
            ]
        ),
        max_size=30,
    ),
)
def test_any_text_gives_an_answer(text, tokens):
    for inside in (text, "".join(tokens), "a: " + text):
        properties = read(block(inside))
        assert properties.state in {"ok", "invalid"}
        assert (properties.state == "invalid") == bool(properties.bad_line)
        assert properties.bad_line < max(3, properties.end_line)


SPELT = """¦x¦l'été¦1¦-5¦.5¦1.¦0o17¦true¦no¦null¦~¦2026-01-02¦10:30¦a: b¦a:¦x # y¦x ¦'it'¦'it''s'¦"l'été"¦[[x]]¦[]
¦[ ]¦[a, b]¦[a,]¦[a , "b"]¦[1, null]¦{{d}}¦http://a/b¦- a¦&a¦*a¦!a¦|¦>¦a\tb¦a\x85b¦a\u2028b¦a\r¦"a\ue085"¦'\\'¦"\\n\""""
SAID = st.sampled_from(SPELT.replace("\n", "").split("¦"))
LINE = st.one_of(
    st.builds(
        "{}:{}{}".format, st.sampled_from(["a", "b", "d e", "null", "1"]), st.sampled_from([" ", "  "]), SAID
    ),
    st.builds("{}-{}{}".format, st.sampled_from(["", "  "]), st.sampled_from([" ", "  ", ""]), SAID),
    st.sampled_from(["a:", "b:", "", "  x", "# c", "a :", "..."]),
)


@settings(deadline=None, max_examples=1000)
@given(st.lists(LINE, max_size=4), st.text(max_size=3))
def test_what_is_read_of_plain_lines_without_the_library_is_what_the_library_reads(lines, odd):
    for text in ("".join(f"{line}\n" for line in lines), f"k: {odd}\n", f'k: "{odd}"\n', f"k:\n- {odd}\n"):
        known = plain_values(text)
        if known is not None:
            assert repr((known, ())) == repr(full_values(text))


def test_plain_lines_are_read_without_the_library():
    text = 'titre: "L\'été"\ntags:\n  - a/b\n  - c\naliases: [x y, z]\nnote: 4\nfait:\nurl: https://x.org/a\n'
    assert plain_values(text) == {
        "titre": "L'été", "tags": ["a/b", "c"], "aliases": ["x y", "z"], "note": 4, "fait": None,
        "url": "https://x.org/a",
    }  # fmt: skip
    with pytest.raises(BadBlock):
        full_values("a: 1\na: 2\n")
    assert plain_values("a: 1\na: 2\n") is None
    assert plain_values(f"{'a' * 1025}: 1\n") is None  # no name for YAML
