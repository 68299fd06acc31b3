import json
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.inline import PARAGRAPHS
from parsers.note import _items, _outline, outline, scan

TORTURE = Path(__file__).parent.parent / "torture"
CASES = sorted(path.stem for path in TORTURE.glob("*.json"))
LISTS = ("headings", "tasks", "block_ids", "links", "tags", "comments", "callouts")
UNLISTED = {("32-etiquettes", "links", 20)}
"""Real links that their sidecar, which is about tags, does not list."""


def as_is(text):
    return text


def with_crlf(text):
    return text.replace("\r\n", "\n").replace("\n", "\r\n")


def with_bom(text):
    return "\ufeff" + text


def without_final_newline(text):
    return text.rstrip("\r\n")


VARIANTS = [as_is, with_crlf, with_bom, without_final_newline]


def load(case):
    text = (TORTURE / f"{case}.md").read_bytes().decode()
    return text, json.loads((TORTURE / f"{case}.json").read_text(encoding="utf-8"))


def agrees(found, expected):
    ignored = {"uncertain", "raw_target", "extra_list_item_same_line"}
    return all(getattr(found, key) == value for key, value in expected.items() if key not in ignored)


def line_of(entry):
    return entry.get("line", entry.get("start_line"))


def line_found(found):
    return found.line if hasattr(found, "line") else found.start_line


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("case", CASES)
def test_every_certain_fact_of_a_torture_note_is_found_and_nothing_else(case, variant):
    text, sidecar = load(case)
    note = scan(variant(text))
    for name in LISTS:
        left = list(getattr(note, name))
        certain = [entry for entry in sidecar[name] if not entry.get("uncertain")]
        assert len(certain) == sidecar["counts"][name]
        for entry in certain:
            match = next((found for found in left if agrees(found, entry)), None)
            assert match is not None, (name, entry)
            left.remove(match)
        open_lines = {line_of(entry) for entry in sidecar[name] if entry.get("uncertain")}
        extra = [found for found in left if line_found(found) not in open_lines]
        assert [one for one in extra if (case, name, line_found(one)) not in UNLISTED] == [], name


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("case", CASES)
def test_the_properties_of_a_torture_note_are_read(case, variant):
    text, sidecar = load(case)
    known = scan(variant(text)).properties
    expected = sidecar["frontmatter"]
    assert known.state == expected["state"]
    for key in ("start_line", "end_line", "style"):
        assert getattr(known, key) == expected.get(key, getattr(known, key))
    assert dict(known.values) == expected.get("properties", {})
    assert list(known.tags) == expected.get("tags", [])
    assert list(known.aliases) == expected.get("aliases", [])
    assert [{"key": link.key, "target": link.target} for link in known.links] == expected.get("links", [])


@pytest.mark.parametrize("case", CASES)
def test_what_a_torture_note_only_looks_like_is_not_found(case):
    text, sidecar = load(case)
    note = scan(text)
    assert not {task.line for task in note.tasks} & set(sidecar.get("not_tasks", []))
    assert not {found.id for found in note.block_ids} & set(sidecar.get("not_ids", []))
    assert not {found.line for found in note.block_ids} & set(sidecar.get("not_ids_lines", []))
    assert not {found.tag for found in note.tags} & set(sidecar.get("not_tags", []))
    assert not {link.line for link in note.links} & set(sidecar.get("not_links_lines", []))
    assert note.frozen == sidecar.get("must_not_write", False)


def begin(name="a"):
    return f"<!-- clavaire:begin {name} -->\n"


def end(name="a"):
    return f"<!-- clavaire:end {name} -->\n"


def test_c07_an_end_marker_right_after_an_item_closes_it():
    text = begin("preferences")
    text += "- pas de réunion\navant dix heures ^p1\n- courriels courts ^p2\n" + end("preferences")
    note = scan(text)
    assert [(item.line, item.last_line, item.text_line, item.id) for item in note.items] == [
        (2, 3, 3, "p1"),
        (4, 4, 4, "p2"),
    ]
    assert [section.name for section in note.sections] == ["preferences"]


def test_c11_boxes_in_code_and_comments_are_no_tasks():
    text = "## Étapes\n```\n- [x] Approuver ^go\n```\n%%\n- [x] Approuver ^go\n%%\n- [ ] Approuver ^go\n"
    assert [(task.line, task.char, task.done, task.id) for task in scan(text).tasks] == [
        (8, " ", False, "go")
    ]


def test_an_item_knows_its_own_end_and_that_of_its_children():
    text = "- a\n  suite ^f-1\n\t- b ^x\n\n\tencore\n- [x] c\n"
    parent, child, last = scan(text).items
    assert (parent.line, parent.end_line, parent.last_line, parent.id) == (1, 2, 5, "f-1")
    assert (child.line, child.last_line, child.parent_line, child.depth) == (3, 3, 1, 1)
    assert (last.char, last.done, text[last.start], text[last.content :]) == ("x", True, "-", "[x] c\n")
    assert text[child.start : child.start + 3] == "- b"


def test_offsets_of_items_behind_tabs_and_quotes_point_into_the_text():
    text = ">\t-\t[ ] a\n1.\tb\n\t-\tc\n"
    for item in scan(text).items:
        assert text.startswith(item.marker, item.start)
        assert text[item.content] in "[bc"


def test_links_carry_their_span_and_the_text_shown():
    text = "a [[B#C|d]] ![[e.png]] [f](G%20h.md#I) ![j](k.jpg) [l](https://x.fr) \\[[m]] [n]() [[#^o]]"
    found = scan(text).links
    assert [(text[link.start : link.end], link.kind, link.target, link.subpath) for link in found] == [
        ("[[B#C|d]]", "wikilink", "B", "#C"),
        ("![[e.png]]", "embed", "e.png", ""),
        ("[f](G%20h.md#I)", "markdown", "G h.md", "#I"),
        ("![j](k.jpg)", "embed", "k.jpg", ""),
        ("[[#^o]]", "wikilink", "", "#^o"),
    ]
    assert [link.display for link in found] == ["d", "e.png", "f", "j", "^o"]
    assert scan("|a|b|\n|-|-|\n|[[c\\|d]]|e|\n").links[0].target == "c"


def test_code_spans_hide_links_and_tags_but_not_beyond_their_paragraph_or_row():
    assert [link.target for link in scan("`` [[a]] ` [[b]] `` [[c]]\n\n` [[d]]\n\n` [[e]]").links] == [
        "c",
        "d",
        "e",
    ]
    assert [link.target for link in scan("`[[a]]\n[[b]]` \\`[[c]]\\`").links] == ["c"]
    assert [link.target for link in scan("a|b\n-|-\n`|[[c]]\n`|[[d]]\n").links] == ["c", "d"]
    assert [tag.tag for tag in scan("`#a` #b <i x=' #c'> #d").tags] == ["#b", "#d"]


def test_comments_hide_text_but_obsidian_still_reads_their_tags():
    text = "vu %% caché #a %% vu <!-- caché #b --> vu\n\n%%\ncaché #c\n%%\n<!--\ncaché #d\n\n-->\n"
    note = scan(text)
    assert [(one.kind, one.start_line, one.end_line) for one in note.comments] == [
        ("inline", 1, 1),
        ("html", 1, 1),
        ("block", 3, 5),
        ("html", 6, 9),
    ]
    assert [tag.tag for tag in note.tags] == ["#a", "#c"]
    assert "".join(note.visible(block) for block in note.blocks).strip() == "vu  vu  vu"


def test_signs_that_open_no_comment_hide_nothing():
    for text in ("a %% b\n\nc %% d", "`%%` a `%%`", "%%%%\na", "\\%%\na", "```\n%%\n```\na", "a <!-- b"):
        assert scan(text).comments == (), text


def test_blocks_cover_what_is_seen_in_order_and_name_their_headings():
    text = "intro\n\n# A\n\nun\n\ndeux\n## B\n- trois\n- quatre ^id\n- cinq\n# C\n> [!note] x\n> y\n\n^q\n"
    note = scan(text)
    assert [(text[b.start : b.end], b.path, b.id, b.line) for b in note.blocks] == [
        ("intro", (), None, 1),
        ("# A\n\nun\n\ndeux", ("A",), None, 3),
        ("## B\n- trois", ("A", "B"), None, 8),
        ("- quatre ^id", ("A", "B"), "id", 10),
        ("- cinq", ("A", "B"), None, 11),
        ("# C\n> [!note] x\n> y\n\n^q", ("C",), "q", 12),
    ]


def test_small_blocks_are_joined_up_to_a_thousand_characters_and_a_large_one_is_not_cut():
    text = "# T\n\n" + "\n\n".join("mot " * 50 for _ in range(20)) + "\n\n" + "long " * 1000 + "\n\nfin\n"
    sizes = [block.end - block.start for block in scan(text).blocks]
    assert all(600 < size <= 1000 for size in sizes[:-3])
    assert sizes[-2:] == [4999, 3]


def test_a_block_that_is_all_comment_is_left_out():
    assert [block.line for block in scan("%%\nx\n%%\n\n# A\nb\n").blocks] == [5]
    assert scan("%%\nx\n%%\n<!-- y -->\n").blocks == ()


MARKDOWN = st.lists(
    st.sampled_from(
        [
            "- ",
            "* ",
            "+ ",
            "1. ",
            "2) ",
            "> ",
            ">",
            " ",
            "  ",
            "    ",
            "\t",
            "\n",
            "\n",
            "\n",
            "\n\n",
            "\r\n",
            "\r",
            "a",
            "b c",
            "# ",
            "## x",
            "###",
            "```",
            "~~~",
            "````",
            "`",
            "``",
            "<div>",
            "</div>",
            "<!--",
            "-->",
            "<b>",
            "<pre>",
            "%%",
            "%% x %%",
            "---",
            "===",
            "***",
            "- - -",
            "[ ] ",
            "[x] ",
            "|",
            "|-|",
            "\\",
            "[[a]]",
            "[[",
            "]]",
            "![[b|c]]",
            "[d](e.md)",
            "](",
            "#t",
            "#",
            "^id",
            " ^id",
            "> [!note]- x",
            "---\nk: v\n---\n",
            "\ufeff",
            "\u2028",
            "\x0b",
            "<<<<<<< x\n",
            "=======\n",
            ">>>>>>> y\n",
            begin(),
            end(),
            begin("b"),
            end("b"),
            "- [ ] t ^go\n",
        ]
    ),
    max_size=40,
).map("".join)


@settings(deadline=None, max_examples=300)
@given(st.one_of(MARKDOWN, st.text()))
def test_any_text_is_scanned_and_its_lines_joined_are_the_text(text):
    note = scan(text)
    assert "".join(note.lines) == text
    assert all(line.endswith("\n") and line.count("\n") == 1 for line in note.lines[:-1])
    spans = [(one.start, one.end) for one in (*note.blocks, *note.sections, *note.links, *note.comments)]
    assert all(0 <= start <= stop <= len(text) for start, stop in spans)
    assert all(item.line <= item.end_line <= item.last_line for item in note.items)
    assert all(item.line <= item.text_line <= item.last_line for item in note.items)


def without_paragraph_signs(text):
    for sign in PARAGRAPHS:
        text = text.replace(sign, "")
    return text


@settings(deadline=None, max_examples=400)
@given(st.one_of(MARKDOWN, MARKDOWN.map(without_paragraph_signs)))
def test_the_short_way_and_the_long_way_say_the_same(text):
    short, known = _outline(text)
    long, same = _outline(text, quick=False)
    assert known == same == outline(text)
    assert _items(short.items, known.block_ids) == _items(long.items, same.block_ids)
    assert (short.callouts, short.marks) == (long.callouts, long.marks)


@settings(deadline=None, max_examples=200)
@given(MARKDOWN)
def test_line_endings_and_a_byte_order_mark_change_no_line_of_anything(text):
    text = text.replace("\r", "").replace("\ufeff", "")

    def facts(note):
        return [
            [(task.line, task.last_line, task.char, task.id, task.container) for task in note.items],
            [(head.line, head.level, head.text) for head in note.headings],
            [(link.line, link.kind, link.target) for link in note.links],
            [(tag.line, tag.tag) for tag in note.tags],
            [(section.name, section.begin_line, section.end_line) for section in note.sections],
            note.faults,
            note.callouts,
            [(block.line, block.path, block.id) for block in note.blocks],
        ]

    expected = facts(scan(text))
    assert facts(scan(with_crlf(text))) == expected
    assert facts(scan(with_bom(text))) == expected


HOSTILE = [
    "[[",
    "%%",
    "`",
    "<!--",
    "[",
    "](",
    "[a](b)",
    "> ",
    "- ",
    "- a\n",
    "-\n",
    "- - - - a\n\n",
    "<a ",
    "#a ",
    "\n",
]
HOSTILE += [
    "# a\n%% b %%\n",
    "<!-- a -->",
    "<<<<<<< a\n",
    "* * * a\n",
    "``` ",
    "\t- ",
    "a\n=\n",
    "> - a\n\n",
    "`a``b",
    "^a\n",
]


@pytest.mark.parametrize("token", HOSTILE)
def test_hostile_text_costs_no_more_than_its_length(token):
    began = time.process_time()
    scan("a" + token * (300_000 // len(token)))
    assert time.process_time() - began < 15
