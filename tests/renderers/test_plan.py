"""Plan notes rendered: a new one whole, else only what is ours changes (laws 2 and 3; cases C11, C12, C13, C15)."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.model.places import NotePath
from parsers.model.runs import BOX, ENDED, Happened, Input
from parsers.plan import digest_of
from parsers.plan_lines import COUNTING
from parsers.plan_proposal import proposal
from renderers.plan import note_name, shown, view
from tests.plans import AT, EN, FR, ONE, PARIS, RUN, TWO, drawn, marked, read, run, section, step

BACK = {"tool": "note_trash", "args": {"path": "Réunions/2026-12-01.md"}}
WHOLE = f"""\
---
clavaire: plan
run: {RUN}
status: awaiting_approval
origin: mcp:claude-code
requested: 2026-11-30T10:29:14+01:00
expires: 2026-12-07T10:29:14+01:00
digest: {{digest}}
---
# Ranger les réunions

Pourquoi : Il y en a trop.

<!-- clavaire:begin approval -->

- [ ] Approuver ce plan (1 écriture, annulable) ^go
- [ ] Refuser ^no

<!-- clavaire:end approval -->

## Étapes
Cocher une étape la raye : elle sera laissée de côté.
<!-- clavaire:begin steps -->

- [ ] **1** `note_create` Réunions/2026-12-01.md ^s-2d6g8j4m
	- effet : crée une note de 14 lignes
	- preuve attendue : la note existe et son contenu a l'empreinte 8be1…
	- annulation : met la note à la corbeille
	- décision : approbation du plan (règle 14)

<!-- clavaire:end steps -->

<!-- clavaire:begin controls -->


<!-- clavaire:end controls -->

<!-- clavaire:begin evidence -->


<!-- clavaire:end evidence -->

## Détail
<!-- clavaire:begin plan -->

```json
{{"id": "s-2d6g8j4m", "tool": "note_create", "args": {{"path": "Réunions/2026-12-01.md", "text": "…"}}}}
```

<!-- clavaire:end plan -->
"""


def test_a_new_note_is_exactly_what_the_format_says():
    one = run(step())
    assert drawn(one) == WHOLE.replace("{digest}", one.digest)


def test_what_is_written_is_what_a_tick_will_find():
    one = run(inputs=(Input(NotePath("a.md"), "12"),))
    said = read(drawn(one))
    assert said.run == RUN
    assert said.shown == shown(view(one, PARIS, FR), None, None, None)
    assert digest_of(RUN, one.nonce, said.steps, one.inputs) == one.digest == said.digest
    assert not said.problems


@pytest.mark.parametrize(
    ("steps", "count"),
    [
        ((step(),), "1 écriture, annulable"),
        ((step(), step(TWO)), "2 écritures, toutes annulables"),
        ((step(), step(TWO, undoable=False)), "2 écritures, dont 1 non annulable"),
        ((step(undoable=False),), "1 écriture, non annulable"),
        ((step(undoable=False), step(TWO, undoable=False)), "2 écritures, aucune annulable"),
        ((step(risk="READ"),), "aucune écriture"),
    ],
)
def test_the_box_that_approves_counts_the_writes_and_says_what_cannot_be_undone(steps, count):
    assert f"- [ ] Approuver ce plan ({count}) ^go\n" in drawn(run(*steps))


def test_english_words_leave_ids_properties_and_markers_as_they_are():
    done = drawn(run(), words=EN)
    assert "- [ ] Approve this plan (2 writes, all can be undone) ^go\n" in done
    assert re.findall(r"clavaire:\w+ \w+|^\w+:|\^\S+", done) == re.findall(
        r"clavaire:\w+ \w+|^\w+:|\^\S+", drawn(run())
    )


# ---- the person's boxes before approval


@pytest.mark.parametrize("mark", ["x", "X"])
def test_a_step_that_is_left_out_stays_ticked_while_the_plan_is_the_same(mark):
    one = run()
    text = marked(drawn(one), TWO, mark)
    assert drawn(one, text) == text
    assert read(text).left_out == (TWO,)


@pytest.mark.parametrize("mark", ["-", "/", "?", "!"])
def test_a_mark_that_is_no_tick_is_taken_out_of_a_step(mark):
    one = run()
    assert drawn(one, marked(drawn(one), TWO, mark)) == drawn(one)


@pytest.mark.parametrize("name", ["go", "no"])
def test_a_tick_of_approval_or_a_whole_code_that_was_read_is_taken_out(name):
    one = run(approval="reinforced_approval")
    for digits, kept in (("123", True), ("123456", False)):
        typed = drawn(one).replace("Code :  ^", f"Code : {digits} ^")
        assert drawn(one, typed) == (typed if kept else drawn(one))
        assert drawn(one, marked(typed, name)) == drawn(one)


def test_c12_a_plan_shown_again_has_empty_boxes_and_the_step_as_it_runs():
    one = run()
    outside = drawn(one).replace("# Ranger les réunions\n", "# Ranger les réunions\n\nmoi\n")
    text = marked(marked(outside, "go"), TWO).replace("b.md ^", "tout ^")
    again = replace(one, nonce="01ff", digest=digest_of(RUN, "01ff", one.steps, ()))
    assert drawn(again, text) == outside.replace(one.digest, again.digest)


def test_c11_what_looks_like_an_approval_in_code_or_a_comment_stays_as_it_is():
    fakes = "```\n- [x] Approuver ^go\n```\n%%\n- [x] Approuver ^go\n%%\n"
    text = drawn(run()).replace("- [ ] Approuver", f"{fakes}\n- [ ] Approuver")
    assert drawn(run(), text) == text


def test_an_approval_that_stands_twice_stands_once_again_with_an_empty_box():
    text = drawn(run())
    line = next(one for one in text.split("\n") if one.endswith("^go")) + "\n"
    assert drawn(run(), text.replace(line, line.replace("[ ]", "[x]") + line)) == text


# ---- after approval


@pytest.mark.parametrize("status", ["approved", "running", "paused", *sorted(ENDED)])
def test_nothing_of_approval_can_be_ticked_once_it_is_given_or_gone(status):
    one = run(status=status, approved_at="2026-11-30T10:00:00.000Z", approved_how="tick", reason="trop tôt")
    text = drawn(run(approval="reinforced_approval")).replace("Code :  ^", "Code : 123456 ^")
    for done in (drawn(one), drawn(one, marked(text, "go"))):
        assert "[" not in section(done, "approval")
        assert "123456" not in done
        assert section(done, "approval").count("^") == section(done, "approval").count("^state") == 1
        assert f"\nstatus: {status}\n" in done
        assert "2026-11-30 à 11:00:00 (case cochée)" in done
        assert "trop tôt" in done


@pytest.mark.parametrize("status", sorted(BOX))
def test_the_box_of_a_step_says_what_happened_to_it(status):
    one = run(step(status=status), status="running")
    assert f"- [{BOX[status]}] **1** " in drawn(one)
    assert f"- [{BOX[status]}] **1** " in drawn(one, marked(drawn(run(step())), ONE))


@pytest.mark.parametrize(
    ("status", "steps", "offered"),
    [
        ("awaiting_approval", (step(),), []),
        ("approved", (step(),), ["pause-4", "cancel-4"]),
        ("running", (step(),), ["pause-4", "cancel-4"]),
        ("paused", (step(status="done"),), ["resume-4", "cancel-4"]),
        ("succeeded", (step(status="done", inverse=BACK),), ["undo-4"]),
        ("cancelled", (step(), step(TWO, status="done", inverse=BACK)), ["undo-4"]),
        ("succeeded", (step(status="done"),), []),
        ("succeeded", (step(status="done", inverse=BACK, external=True),), []),
        ("failed", (step(status="failed"),), []),
        ("failed", (step(status="failed", inverse=BACK),), ["undo-4"]),
        ("expired", (step(),), []),
        ("refused", (step(),), []),
        ("refused", (step(status="done", inverse=BACK),), []),
    ],
)
def test_controls_follow_the_status_and_carry_the_number_of_the_transition(status, steps, offered):
    earlier = drawn(run(*steps, status="running", transition=3))
    for text in (None, marked(marked(earlier, "pause-3"), "cancel-3")):
        done = drawn(run(*steps, status=status, transition=4), text)
        assert re.findall(r"^- \[ \] .* \^(\S+)$", section(done, "controls"), re.MULTILINE) == offered
        assert "[x]" not in section(done, "controls")


def test_what_was_undone_is_not_offered_again_and_says_by_which_run():
    said = Happened(AT, "undone", "", (("by", "r-00000000"), ("steps", ONE)))
    gone = run(step(status="done"), status="succeeded", undone_by="r-00000000", evidence=(said,))
    done = drawn(gone)
    assert "^undo" not in done
    assert "r-00000000" in section(done, "approval")


def test_what_was_undone_in_part_says_which_steps_and_offers_the_rest():
    said = Happened(AT, "undone_partly", "", (("by", "r-00000000"), ("steps", TWO)))
    kept = step(status="done", inverse={"tool": "note_restore", "args": {}})
    done = drawn(run(kept, step(TWO, status="done"), status="succeeded", evidence=(said,)))
    assert "défait en partie (étapes 2)" in section(done, "approval")
    assert "défait en partie par le run r-00000000 (étapes 2)" in section(done, "evidence")
    assert "^undo" in section(done, "controls")


def test_what_no_inverse_takes_back_is_not_said_to_be_undone():
    said = Happened(AT, "undone_partly", "", (("by", "r-00000000"), ("steps", TWO)))
    steps = step(status="done"), step(TWO, status="done")
    done = drawn(run(*steps, status="succeeded", undone_by="r-00000000", evidence=(said,)))
    assert "défait en partie (étapes 2)" in section(done, "approval")
    assert "^undo" not in section(done, "controls")


@pytest.mark.parametrize(
    ("origin", "way", "by"),
    [
        ("person", (), "vous"),
        ("person", (("way", "note"),), "une note du dossier des plans"),
        ("person", (("way", "command"),), "une commande hors d'un terminal"),
        ("undo", (("way", "undo"),), "annulation"),
        ("mcp:x", (), "mcp:x"),
    ],
)
def test_the_evidence_says_in_words_who_proposed(origin, way, by):
    done = drawn(run(origin=origin, evidence=(Happened(AT, "proposed", "", way),)))
    assert f"plan proposé par {by} ^ev-1" in section(done, "evidence")


@pytest.mark.parametrize(
    ("what", "said"),
    [("control", "demande cochée"), ("control_command", "demandé par une commande")],
)
def test_the_evidence_says_whether_a_control_was_ticked_or_commanded(what, said):
    done = drawn(run(evidence=(Happened(AT, what, "", (("control", "pause"), ("number", "1"))),)))
    assert said in section(done, "evidence")


def test_evidence_says_each_transition_with_etags_and_backup():
    known = step(
        status="done",
        verified=True,
        before={"a.md": "", "b.md": "ab" * 32},
        after={"a.md": "cd" * 32, "b.md": ""},
        kept={"b.md": "ab/abab"},
    )
    happened = (
        Happened(AT, "proposed"),
        Happened(
            "2026-11-30T09:30:00.000Z",
            "reshown",
            "",
            (("cause", "inputs"), ("digest", "f" * 64), ("was", "e" * 64)),
        ),
        Happened("2026-11-30T09:31:00.000Z", "approved", "", (("how", "tick"), ("left_out", "2"))),
        Happened("2026-12-01T09:32:00.000Z", "step_done", ONE),
        Happened("2026-12-01T09:33:00.000Z", "paused", "", (("reason", "j'ai le temps"),)),
    )
    done = section(drawn(run(known, status="paused", evidence=happened)), "evidence")
    assert done == (
        "\n- 10:29:14 plan proposé par mcp:claude-code ^ev-1\n"
        "- 10:30:00 une note dont il dépend a changé : montré à nouveau, empreinte eeeeeeeeeeee → ffffffffffff ^ev-2\n"
        "- 10:31:00 plan approuvé (case cochée), 2 étapes laissées de côté ^ev-3\n"
        "- 2026-12-01 10:32:00 étape 1 faite et vérifiée · a.md : absente → cdcdcdcdcdcd · "
        "b.md : abababababab → absente (version d'avant dans les sauvegardes, ab/abab) ^ev-4\n"
        "- 10:33:00 mis en pause : j'ai le temps ^ev-5\n\n"
    )


@pytest.mark.parametrize("words", [FR, EN])
@pytest.mark.parametrize("key", sorted(key for key in FR.sentences if key.startswith("evidence.")))
def test_every_kind_of_evidence_can_be_said_without_any_value(key, words):
    what = key.removeprefix("evidence.")
    if what not in {"target", "kept", "absent", "unknown"} and not what.startswith("cause."):
        done = drawn(run(evidence=(Happened(AT, what, ONE),)), words=words)
        assert "{" not in section(done, "evidence")


def test_evidence_that_someone_changed_is_put_right_and_grows_below():
    first = run(status="running", evidence=(Happened(AT, "started"),))
    text = drawn(first).replace("exécution commencée", "tout est fait").replace("^ev-1\n", "^ev-1\n- à moi\n")
    more = replace(first, evidence=(*first.evidence, Happened(AT, "step_started", TWO)))
    assert section(drawn(more, text), "evidence") == (
        "\n- 10:29:14 exécution commencée ^ev-1\n- 10:29:14 étape 2 commencée ^ev-2\n- à moi\n\n"
    )


# ---- the person's lines


def test_c15_a_task_typed_among_the_steps_keeps_its_bytes_and_is_never_ticked():
    waiting = drawn(run())
    mine = "- [ ] acheter du pain  \n"
    text = waiting.replace("- [ ] **1**", f"{mine}- [ ] **1**")
    for _ in range(2):
        ended = run(
            step(status="done"),
            step(TWO, shows=("`note_create` b.md", "effet : b"), status="done"),
            status="succeeded",
        )
        text = drawn(ended, text)
        assert section(text, "steps").count("- [x] ") == 2
        assert section(text, "steps").startswith(f"\n{mine}- [x] **1**")


def test_c15_a_step_that_was_deleted_while_it_runs_is_not_put_back_nor_another_ticked():
    text = re.sub(rf"(?m)^.*\^{TWO}\n\t.*\n", "", drawn(run(status="approved")))
    steps = (step(), step(TWO, shows=("`note_create` b.md", "effet : b"), status="done"))
    done = section(drawn(run(*steps, status="running"), text), "steps")
    assert f"^{TWO}" not in done
    assert done.count("- [") == done.count("- [ ]") == 1


def test_a_step_that_was_deleted_before_approval_comes_back_where_it_stood():
    three = run(step(), step(TWO), step("s-4d6g8j4m"))
    text = drawn(three)
    assert drawn(three, re.sub(rf"(?m)^.*\^{TWO}\n(?:\t.*\n)*", "", text)) == text
    assert drawn(three, re.sub(rf"(?m)^.*\^{ONE}\n(?:\t.*\n)*", "", text)) == text


def test_a_line_of_the_person_below_a_step_stays_and_a_changed_line_of_ours_is_put_right():
    one = run(step(shows=("x", "effet : a", "```diff\n+ a\n```", "annulation : b")))
    text = drawn(one)
    mine = text.replace("\t- annulation : b\n", "\t- annulation : b\n\t- vérifier avec Paul\n")
    assert drawn(one, mine) == mine
    lied = mine.replace("effet : a", "effet : rien").replace("\t+ a", "\t+ b")
    assert drawn(one, lied) == mine
    changed = replace(
        one, steps=(step(shows=("x", "effet : c", "```diff\n+ c\n+ d\n```", "annulation : b")),)
    )
    assert drawn(changed, mine) == drawn(changed).replace(": b\n", ": b\n\t- vérifier avec Paul\n")


def test_a_step_doubled_by_a_merge_stands_once():
    text = drawn(run())
    block = re.search(rf"(?m)^.*\^{ONE}\n(?:\t.*\n)*", text)[0]
    assert drawn(run(), text.replace(block, block + block)) == text


# ---- proposals of others


def draft(body: str = "") -> str:
    fence = '```json\n{"tool": "note_trash", "args": {"path": "a.md"}}\n```\n'
    return f"---\nclavaire: plan # à moi\ntags: [a]\n---\n# Mon plan\n{body}\n{fence}"


def test_a_proposal_is_completed_and_what_it_said_stays():
    text = draft("mon texte")
    assert proposal(text, NotePath("x.md")) is not None
    one = run()
    done = drawn(one, text)
    assert done.startswith(f"---\nclavaire: plan # à moi\ntags: [a]\nrun: {RUN}\nstatus: awaiting_approval\n")
    assert text[text.index("# Mon plan") :] in done
    assert done.endswith(drawn(one)[drawn(one).index("<!-- clavaire:begin approval -->") :])
    assert read(done).shown == read(drawn(one)).shown


def test_c13_a_plan_that_arrives_ticked_is_not_approved_and_can_be():
    drafted = "- [x] Approuver ^go\n- [X] Reprendre ^resume-1\n> - [x] Oui ^go\n- [x] à moi\n"
    done = drawn(run(), draft(drafted))
    said = read(done)
    assert (said.approve, said.controls, said.problems) == (False, (), ())
    assert "- [ ] Approuver\n- [ ] Reprendre\n> - [ ] Oui\n- [x] à moi\n" in done
    assert read(marked(done, "go")).approve


def test_c13_sections_that_arrive_with_a_proposal_are_made_anew():
    stolen = marked(marked(drawn(run()), "go"), TWO).replace(f"run: {RUN}\n", "")
    done = drawn(run(id="r-00000000"), stolen.replace("^s-2", "^s-9"))
    assert "[x]" not in done
    assert "^s-9" not in done
    assert f"run: {'r-00000000'}\n" in done


def test_properties_that_cannot_be_read_or_are_gone_take_no_line_of_the_person_away():
    one = run()
    text = marked(drawn(one), TWO).replace("<!-- clavaire:end steps", "à moi\n<!-- clavaire:end steps")
    broken = text.replace("status: awaiting", "status: a: b\nx")
    assert drawn(one, broken) == broken
    bare = text[text.index("# Ranger") :]
    assert drawn(one, bare) == text


def test_only_our_properties_change_and_only_in_their_bytes():
    one = run()
    text = (
        drawn(one)
        .replace("status: ", "mien: 'a'  # b\nstatus:   ")
        .replace("run: r-9c3v7b2k", "run: 'r-9c3v7b2k'")
    )
    done = drawn(replace(one, status="running"), text)
    assert "run: 'r-9c3v7b2k'\nmien: 'a'  # b\nstatus: running\n" in done


def test_code_in_a_step_stays_as_it_is_and_what_stands_beside_it_is_made_harmless():
    shows = ("`note_create` `[[a]] #b.md %%`", "effet : `<a>` [[x]] `` `%% `` %%")
    done = section(drawn(run(step(shows=shows))), "steps")
    assert "`note_create` `[[a]] #b.md %%` ^" in done
    assert "\t- effet : `<a>` \\[[x]] `` `%% `` \\%\\%\n" in done


# ---- names


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Ranger les réunions", "2026-11-30 Ranger les réunions r-9c3v7b2k.md"),
        ('../a/b:c*?"<>|#^[]\\', "2026-11-30 a b c r-9c3v7b2k.md"),
        ("l'été – 50 % -", "2026-11-30 l été 50 r-9c3v7b2k.md"),
        ("", "2026-11-30 r-9c3v7b2k.md"),
        ("😀\n\u202e", "2026-11-30 r-9c3v7b2k.md"),
        ("a" * 80, f"2026-11-30 {'a' * 60} r-9c3v7b2k.md"),
    ],
)
def test_the_name_of_a_note_holds_day_title_and_id(title, name):
    assert note_name(run(title=title), "2026-11-30") == name


@given(st.text())
def test_a_name_is_one_of_a_file_whatever_the_title(title):
    name = note_name(run(title=title), "2026-11-30")
    assert len(name.encode()) < 250
    assert all(one.isalnum() or one in " -." for one in name)
    assert not COUNTING.search(name)
