"""Plan notes: what is a tick and what is none (cases C11, C12, C15), what the fence would run, what is a proposal."""

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.frame import frame_of
from parsers.model.places import NotePath, Problem
from parsers.model.runs import Call, Input, Request
from parsers.plan import PlanSaid, SaidStep, Unreadable, digest_of, json_line, parse
from parsers.plan_lines import shown_hash
from parsers.plan_proposal import proposal

RUN, STEP, OTHER = "r-9c3v7b2k", "s-2d6g8j4m", "s-3d6g8j4m"
NOTE = f"""\
---
clavaire: plan
run: {RUN}
status: awaiting_approval
digest: abc
---
# Ranger

<!-- clavaire:begin approval -->

- [ ] Approuver ce plan (2 écritures, toutes annulables) ^go
- [ ] Refuser ^no
- Code :  ^code

<!-- clavaire:end approval -->

<!-- clavaire:begin steps -->

- [ ] **1** `note_create` a.md ^{STEP}
	- effet : crée une note
- [ ] **2** `note_create` b.md ^{OTHER}

<!-- clavaire:end steps -->

<!-- clavaire:begin controls -->

- [ ] Mettre en pause ^pause-3
- [ ] Annuler ^cancel-3

<!-- clavaire:end controls -->

<!-- clavaire:begin plan -->

```json
{{"id": "{STEP}", "tool": "note_create", "args": {{"path": "a.md", "text": "é"}}}}
{{"id": "{OTHER}", "tool": "note_create", "args": {{"path": "b.md"}}}}
```

<!-- clavaire:end plan -->
"""
GO = "- [ ] Approuver ce plan (2 écritures, toutes annulables) ^go\n"
FOOT = "\nMes notes\n"


def read(text: str) -> PlanSaid:
    frame = frame_of(text, tasks=True)
    assert frame.faults == ()
    return parse(text, frame, NotePath("p.md"))


NOTHING = (False, False, None, (), ())


def wants(said: PlanSaid) -> tuple[object, ...]:
    return said.approve, said.refuse, said.code, said.left_out, said.controls


def ticked(name: str, mark: str = "x", text: str = NOTE) -> str:
    lines = text.split("\n")
    return "\n".join(
        line.replace("[ ]", f"[{mark}]") if line.endswith(f"^{name}") else line for line in lines
    )


def test_an_untouched_plan_says_what_it_holds_and_wants_nothing():
    said = read(NOTE)
    assert (said.plan, said.run, said.digest) == (True, RUN, "abc")
    assert said.steps == (
        SaidStep(STEP, "note_create", {"path": "a.md", "text": "é"}),
        SaidStep(OTHER, "note_create", {"path": "b.md"}),
    )
    assert (wants(said), said.touched, said.problems) == (NOTHING, False, ())


@pytest.mark.parametrize("mark", ["x", "X"])
def test_an_x_in_its_box_approves(mark):
    said = read(ticked("go", mark))
    assert said.approve
    assert not said.refuse


@pytest.mark.parametrize("mark", ["-", "/", "?", "!", "é", "✓", "*"])
@pytest.mark.parametrize("name", ["go", "no", STEP, "pause-3"])
def test_no_other_mark_says_anything(name, mark):
    assert wants(read(ticked(name, mark))) == NOTHING


def test_ticked_steps_are_left_out_and_ticked_controls_carry_their_number():
    said = read(ticked(OTHER, text=ticked("cancel-3")))
    assert said.left_out == (OTHER,)
    assert said.controls == (("cancel", 3),)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("- [x] Refuser ^no", ""),
        ("- [x] Refuser ^no trop tôt", "trop tôt"),
        ("- [x] Refuser : trop tôt ^no", "trop tôt"),
        ("- [x] Refuse — too soon ^no", "too soon"),
    ],
)
def test_a_reason_is_read_before_or_behind_the_id(line, reason):
    said = read(NOTE.replace("- [ ] Refuser ^no", line))
    assert (said.refuse, said.reason) == (True, reason)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("- Code : 123456 ^code", "123456"),
        ("- Code : 123 456 ^code", "123456"),
        ("- Code :  ^code 123456", "123456"),
        ("- Code: 12345 ^code", None),
        ("- Code : 1234567 ^code", None),
        ("- Code : 12a3456 ^code", None),
        ("- Code : ١٢٣٤٥٦ ^code", None),
        ("> - Code : 123456 ^code", None),
    ],
)
def test_six_digits_typed_before_the_id_are_the_code(line, code):
    assert read(NOTE.replace("- Code :  ^code", line)).code == code


WRAPS = [
    lambda lines: f"```\n{lines}```\n",
    lambda lines: f"~~~~\n{lines}~~~~\n",
    lambda lines: f"%%\n{lines}%%\n",
    lambda lines: f"<!--\n{lines}-->\n",
    lambda lines: "".join(f"    {line}\n" for line in lines.splitlines()),
    lambda lines: f"<div>\n{lines}</div>\n\n",
]


@pytest.mark.parametrize("wrap", WRAPS)
@pytest.mark.parametrize("inside", [True, False])
def test_c11_an_approval_in_code_or_a_comment_is_none_and_the_one_below_counts(wrap, inside):
    fake = wrap("- [x] Approuver ^go\n")
    plain = NOTE.replace(GO, fake + "\n" + GO) if inside else NOTE + "\n" + fake
    assert not read(plain).approve
    assert not read(plain).problems
    real = plain.replace(GO, GO.replace("[ ]", "[x]"))
    assert read(real).approve
    assert not read(real.replace(fake, "").replace("[x]", "[ ]")).approve


@pytest.mark.parametrize("wrap", WRAPS)
def test_c11_the_only_approval_is_none_in_code_or_a_comment(wrap):
    assert not read(NOTE.replace(GO, wrap("- [x] Approuver ^go\n") + "\n")).approve


@pytest.mark.parametrize(
    "line",
    [
        "> - [x] Approuver ^go\n",
        "  > [!note] x\n  > - [x] Approuver ^go\n",
        "- a\n\t- [x] Approuver ^go\n",
        "[x] Approuver ^go\n",
        "\\- [x] Approuver ^go\n",
        "- \\[x] Approuver ^go\n",
        "- [x]Approuver ^go\n",
        "- [x] Approuver `^go`\n",
        "- [x] Approuver^go\n",
        "- [x] Approuver ^go-2\n",
        "- [x] Approuver ^go oui\n",
        "- [x] Approuver ^GO\n",
    ],
)
def test_what_is_no_line_of_ours_for_obsidian_is_no_tick(line):
    assert not read(NOTE.replace(GO, line)).approve


def test_a_tick_outside_its_section_is_none():
    assert not read(NOTE.replace(GO, "") + "\n- [x] Approuver ^go\n").approve
    assert not read(NOTE.replace(GO, "") + "\n- [x] Mettre en pause ^pause-3\n").controls
    moved = NOTE.replace(GO, "").replace(f"^{STEP}\n", f"^{STEP}\n- [x] Approuver ^go\n")
    assert not read(moved).approve


@pytest.mark.parametrize("name", ["go", "no", "pause-3"])
@pytest.mark.parametrize(
    "where",
    [
        lambda text, line: text.replace(line, line + line),
        lambda text, line: text + "\n" + line,
        lambda text, line: text + "\n" + line.replace("[x]", "[ ]"),
        lambda text, line: text + "\n> " + line,
        lambda text, line: text + "\n" + line.replace("^", "^").upper().replace("[X]", "[ ]"),
    ],
)
def test_an_id_that_stands_twice_is_no_tick_and_the_problem_names_the_second_line(name, where):
    text = ticked(name)
    line = next(one for one in text.split("\n") if one.endswith(f"^{name}")) + "\n"
    said = read(where(text, line))
    assert wants(said) == NOTHING
    assert [(one.code, one.values) for one in said.problems] == [("plan_doubled", (("id", name),))]
    assert said.problems[0].line > text[: text.index(line)].count("\n") + 1


def test_c15_a_task_of_the_person_among_the_steps_is_no_step_but_changes_what_is_shown():
    said = read(NOTE.replace("- [ ] **1**", "- [x] acheter du pain\n- [ ] **1**"))
    assert said.left_out == ()
    assert said.shown != read(NOTE).shown


def test_c12_the_hash_of_what_is_shown_is_the_same_under_other_boxes_and_line_endings_only():
    shown = read(NOTE).shown
    for box in "xX-/?!":
        assert read(ticked(STEP, box)).shown == shown
    assert read(NOTE.replace("\n", "\r\n")).shown == shown
    for old, new in [
        ("a.md ^", "z.md ^"),
        ("effet", "effets"),
        ("^s-2", "^s-4"),
        ("\t-", "\t -"),
        ("- [ ] **2", "\n- [ ] **2"),
    ]:
        assert read(NOTE.replace(old, new)).shown != shown


@given(st.text(alphabet="- [x]\t\n^sab*", max_size=60), st.sampled_from("Zx -\n"))
def test_c12_another_character_changes_the_hash_unless_it_stands_in_a_box(content, sign):
    for at, was in enumerate(content):
        changed = content[:at] + sign + content[at + 1 :]
        before, after = content[:at].rpartition("\n")[2], content[at + 1 : at + 3]
        boxed = before in {"- [", "* ["} and after in {"]", "] ", "]\t", "]\n"} and "\n" not in was + sign
        assert (shown_hash(changed) == shown_hash(content)) == (boxed or sign == was)


def test_crlf_and_a_byte_order_mark_read_the_same():
    text = "\ufeff" + ticked("go", text=ticked(OTHER)).replace("\n", "\r\n")
    said, plain = read(text), read(ticked("go", text=ticked(OTHER)))
    assert (said.approve, said.left_out, said.steps, said.run) == (
        plain.approve,
        plain.left_out,
        plain.steps,
        plain.run,
    )


@pytest.mark.parametrize(
    "line",
    [
        "x",
        "[1]",
        '{"id": "s-2d6g8j4m", "tool": "a"}',
        '{"id": "s-2d6g8j4m", "tool": "a", "args": {}, "more": 1}',
        '{"id": "s-2d6g8j4m", "tool": "a", "args": []}',
        '{"id": 1, "tool": "a", "args": {}}',
        '{"id": "s-2d6g8j4m", "tool": "a", "args": {"n": 1.5}}',
        '{"id": "s-2d6g8j4m", "tool": "a", "args": {"n": NaN}}',
        '{"id": "s-2d6g8j4m", "tool": "a", "tool": "b", "args": {}}',
        '{"id": "s-2d6g8j4m", "tool": "a", "args": {"t": "\\ud800"}}',
        "[" * 10_000,
    ],
)
def test_a_line_that_is_no_step_makes_the_fence_unreadable_and_is_named(line):
    text = NOTE.replace(f'{{"id": "{OTHER}"', line + f'\n{{"id": "{OTHER}"')
    said = read(text)
    number = text[: text.index(f"\n{line}\n") + 1].count("\n") + 1
    assert said.steps == ()
    assert said.problems == (Problem(NotePath("p.md"), number, "plan_step_unreadable"),)


def test_two_fences_are_none():
    fence = '```json\n{"id": "s-9d6g8j4m", "tool": "note_delete", "args": {}}\n```\n'
    said = read(NOTE.replace("```json", fence + "```json", 1))
    assert said.steps == ()
    assert said.problems[0].code == "plan_fences"
    assert read(NOTE.replace("# Ranger\n", fence)).steps == read(NOTE).steps


def test_the_digest_is_the_sha_256_of_the_canonical_json():
    steps = [SaidStep(STEP, "note_create", {"text": "é\n", "path": "a.md", "n": 2})]
    found = digest_of(RUN, "00ff", steps, [Input(NotePath("b.md"), "12")])
    spelt = (
        '{"inputs":[{"etag":"12","path":"b.md"}],"nonce":"00ff","run":"r-9c3v7b2k","steps":[{"args":'
        '{"n":2,"path":"a.md","text":"é\\n"},"id":"s-2d6g8j4m","tool":"note_create"}]}'
    )
    assert found == hashlib.sha256(spelt.encode()).hexdigest()


@pytest.mark.parametrize("value", [1.0, float("nan"), {"a": [2.5]}, {1: "a"}, {"t": "\ud800"}, {"s": {1, 2}}])
def test_what_has_no_canonical_form_has_no_digest(value):
    with pytest.raises(Unreadable):
        digest_of(RUN, "", [SaidStep(STEP, "x", {"v": value})], [])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=5), JSON, max_size=3))
def test_the_digest_does_not_depend_on_how_the_json_is_written(args):
    try:
        said = json_line(json.dumps(args, indent=2))
    except Unreadable:
        assert any(0xD800 <= ord(sign) <= 0xDFFF for sign in "".join(args))
        return
    one, two = (digest_of(RUN, "n", [SaidStep(STEP, "t", known)], []) for known in (args, said))
    assert one == two


# ---- proposals

WHOLE = {"title": "Ranger", "why": "parce que", "steps": [{"tool": "note_trash", "args": {"path": "a.md"}}]}
CALLS = (Call("note_trash", {"path": "a.md"}),)


def written(fence: str, top: str = "# Mon plan\n\ntexte\n") -> str:
    return f"---\nclavaire: plan\n---\n{top}\n```json\n{fence}\n```\n"


@pytest.mark.parametrize(
    "fence",
    [
        json.dumps(WHOLE["steps"][0]),
        json.dumps(WHOLE["steps"]),
        json.dumps(WHOLE["steps"], indent=2),
        json.dumps({"steps": WHOLE["steps"]}),
        json.dumps({"id": "s-00000000", **WHOLE["steps"][0]}),
    ],
)
def test_a_fence_of_steps_in_a_plan_note_is_a_request(fence):
    assert proposal(written(fence), NotePath("Plans/x.md")) == Request("Mon plan", "", CALLS)
    assert proposal(written(fence, ""), NotePath("Plans/Mon nom.md")).title == "Mon nom"


def test_title_and_why_of_the_fence_come_first():
    found = proposal(written(json.dumps(WHOLE, indent=1)).replace("\n", "\r\n"), NotePath("x.md"))
    assert found == Request("Ranger", "parce que", CALLS)


def test_two_steps_one_a_line_are_two_calls():
    fence = '{"tool": "a", "args": {}}\n\n{"tool": "b"}'
    assert proposal(written(fence), NotePath("x.md")).calls == (Call("a", {}), Call("b", {}))


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("---\nclavaire: plan\n---\n", "plan_no_steps", 0),
        (written("{"), "plan_fence_unreadable", 8),
        (written("[]"), "plan_fence_unreadable", 8),
        *(
            (written(json.dumps(value)), "plan_fence_unreadable", 8)
            for value in (
                None,
                3,
                {"steps": "x"},
                {"steps": []},
                {"steps": [{"args": {}}]},
                {**WHOLE, "title": 3},
                {"tool": "a", "args": 1},
            )
        ),
        (written('{"tool": "a", "args": {"n": 0.5}}'), "plan_fence_unreadable", 8),
        (written('{"tool": "a"}') + "%%\n", "plan_open_end", 0),
        (written('{"tool": "a"}') + "```\n", "plan_open_end", 0),
    ],
)
def test_a_plan_note_that_cannot_be_completed_is_a_problem(text, code, line):
    assert proposal(text, NotePath("x.md")) == Problem(NotePath("x.md"), line, code)


@pytest.mark.parametrize("text", ["", "# x\n", "---\nclavaire: registre\n---\n", written("{}")[4:]])
def test_another_note_proposes_nothing(text):
    assert proposal(text, NotePath("x.md")) is None
