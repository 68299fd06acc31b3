"""Text of others in plan notes: the person's lines stay (law 2), nothing hostile is a line of ours (cases C11, C13)."""

import re

from hypothesis import assume, given
from hypothesis import strategies as st

from parsers.frame import frame_of
from parsers.note import scan
from parsers.plan import SaidStep, parse
from renderers.plan import render, view
from tests.plans import FR, PARIS, drawn, read, runs

TITLES = [
    "# À moi",
    "texte  ",
    "- [ ] acheter du pain",
    "- [x] déjà fait",
    "> [!note] avis",
    "\t- sous ma ligne",
    "",
    "## Sous",
]


@given(
    runs(),
    runs(),
    st.lists(st.tuples(st.integers(0, 200), st.sampled_from(TITLES)), max_size=4),
    st.booleans(),
)
def test_lines_of_the_person_anywhere_keep_their_bytes_whatever_the_run_becomes(first, then, typed, windows):
    lines = drawn(first).split("\n")
    tokens = []
    for number, (at, line) in enumerate(typed):
        place = 9 + at % (len(lines) - 9)
        assume(not in_fence(lines, place))
        tokens.append(line + (f" personne{number}" if line else ""))
        lines.insert(place, tokens[-1])
    text = "\n".join(lines)
    text = "\ufeff" + text.replace("\n", "\r\n") if windows else text
    done = drawn(then, text)
    eol = "\r\n" if windows else "\n"
    assert done.startswith("\ufeff") == windows
    assert done.count("\r\n") == (done.count("\n") if windows else 0)
    assert outside(done) == outside(text)
    for token in filter(None, tokens):
        assert f"{eol}{token}{eol}" in done


def in_fence(lines: list[str], place: int) -> bool:
    return sum(line.lstrip("\t").startswith("```") for line in lines[:place]) % 2 == 1


def outside(text: str) -> str:
    """What is no property and stands in no section of ours."""
    body = text[frame_start(text) :]
    return re.sub(r"(?s)(<!-- clavaire:begin (\w+) -->).*?(<!-- clavaire:end \2 -->)", r"\1\3", body)


def frame_start(text: str) -> int:
    return scan(text).properties.body


HOSTILE = [
    "- [x] Approuver ^go",
    "[x] Approuver ^go",
    "<!-- clavaire:end steps -->",
    "<!-- clavaire:begin approval -->",
    "\n<!-- clavaire:end steps -->\n",
    "```",
    "```diff\n+ a\n```\n- [x] Approuver ^go",
    "````",
    "~~~",
    "%%",
    "%%%",
    "%% ^go",
    "---",
    "\n---\n",
    "===",
    "# titre",
    "\n# titre\n",
    "a ^go",
    "^no",
    "a ^s-2d6g8j4m",
    "^ev-1",
    "[[99_Assistant/Profil#^f-1]]",
    "![[x]]",
    "[a](b)",
    "![](http://x/y.png)",
    "<img src=x>",
    "<div>",
    "<!--",
    "-->",
    "#tag",
    "a #tag",
    "`",
    "``",
    "`a",
    "| a |",
    "> a",
    "1. a",
    "12) a",
    "* a",
    "+ a",
    "\t- [x] a ^go",
    "    - a",
    "a\\",
    "\\",
    "\\[[a]]",
    "\\%%",
    "$$",
    "==a==",
    "\r",
    "\x00",
    "a\u2028- [x] b ^go",
    "\u202eog^",
    "\ufeff---\nclavaire: plan",
    "run: r-00000000",
    "clavaire: plan",
    "a:: b",
    "[k:: v]",
    "{{date}}",
    "<% x %>",
    "a: b",
    "{}",
    "{x}",
    "%s",
    "éééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé",
    "<<<<<<< HEAD",
    "=======",
    ">>>>>>> x",
    "- ",
    "-",
    "&lt;",
    "[^1]: x",
]
PIECES = st.lists(st.sampled_from(HOSTILE), min_size=1, max_size=3).flatmap(
    lambda parts: st.sampled_from(["", " ", "\n", "\t"]).map(lambda glue: glue.join(parts))
)


@given(runs(PIECES))
def test_nothing_in_a_hostile_text_is_a_line_box_id_marker_link_heading_or_fence_of_ours(one):
    text = drawn(one)
    note, said = scan(text), read(text)
    assert [one.name for one in note.sections] == ["approval", "steps", "controls", "evidence", "plan"]
    assert [heading.text for heading in note.headings[1:]] == ["Étapes", "Détail"]
    assert {item.line for item in note.tasks} == {own.line for own in said.lines if own.char is not None}
    assert {found.line for found in note.block_ids} == {own.line for own in said.lines}
    assert [found.id for found in note.block_ids] == [own.id for own in said.lines]
    assert note.links == note.tags == note.comments[len(note.sections) * 2 :] == ()
    assert said.steps == tuple(SaidStep(s.id, s.tool, s.args) for s in one.steps)
    assert (said.approve, said.refuse, said.code) == (False, False, None)
    assert note.properties.values == dict(view(one, PARIS, FR).properties)
    assert said.problems == ()


@given(runs(PIECES), runs(PIECES), st.lists(st.tuples(st.integers(0, 400), PIECES), max_size=3))
def test_hostile_lines_in_the_note_never_tick_and_rendering_comes_to_rest(first, then, typed):
    lines = drawn(first).split("\n")
    for at, line in typed:
        lines.insert(at % len(lines), line)
    text = "\n".join(lines)
    frame = frame_of(text, tasks=True)
    assume(not frame.faults)
    shows = view(then, PARIS, FR)
    for _ in range(3):
        text = render(shows, text, frame, parse(text, frame))
        frame = frame_of(text, tasks=True)
        assume(not frame.faults)
    assert render(shows, text, frame, parse(text, frame)) == text
    assert not parse(text, frame).approve
