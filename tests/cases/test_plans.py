"""Plans in a vault in use: what a tick is, what it is bound to, where it counts (cases C11–C16, C25, C28)."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from config.paths import NAMES
from daemon import acting
from daemon.acting import Carrier
from daemon.index.problems import problems
from daemon.planning import Client
from daemon.runs.asking import BadRequest
from parsers.model.run_edits import Approve
from parsers.model.runs import Input, Run
from tests.home import Home, temporary
from tests.planned import (
    APPEND,
    CLIENT,
    CREATE,
    Step,
    box,
    boxed,
    check_nothing_ran,
    evidence,
    homes,
    lines,
    note,
    propose,
    raw,
    run_of,
    tick,
    where,
    work,
)
from tests.seams import Crash

__all__ = ["homes"]
TWO = (CREATE, APPEND)


def ran(home: Home) -> int:
    return len(lines(home, "run.started"))


def outside(text: str) -> str:
    """Give a plan note without its sections and properties."""
    kept, inside = [], False
    for line in text.partition("---\n")[2].partition("---\n")[2].split("\n"):
        inside = inside or "clavaire:begin" in line
        if not inside:
            kept.append(line)
        inside = inside and "clavaire:end" not in line
    return "\n".join(kept)


# ---- C11

C11 = """```
{TICKED}
```
%%
{TICKED}
%%
"""


@pytest.mark.parametrize("inside", [True, False], ids=["in the section", "among the steps' text"])
def test_c11_a_tick_in_a_fence_or_a_comment_is_none_and_the_line_below_starts_one_run(homes, inside):
    run = propose(homes, *TWO)
    text = note(homes, run)
    line = next(line for line in text.split("\n") if line.endswith("^go"))
    odd = C11.replace("{TICKED}", line.replace("[ ]", "[x]"))
    before = line if inside else "## Étapes"
    homes.put(where(homes, run), text.replace(before, odd + before))
    work(homes, passes=2)
    assert (ran(homes), run_of(homes, run).status) == (0, "awaiting_approval")
    tick(homes, run)  # every box with the id, those in the fence and the comment as they are
    work(homes, passes=2)
    assert (ran(homes), run_of(homes, run).status) == (1, "succeeded")
    assert odd in note(homes, run)


def test_c11_the_fence_and_the_comment_deleted_and_nothing_ticked_starts_no_run(homes):
    run = propose(homes, *TWO)
    text = note(homes, run)
    line = next(line for line in text.split("\n") if line.endswith("^go"))
    homes.put(
        where(homes, run), text.replace(line, C11.replace("{TICKED}", line.replace("[ ]", "[x]")) + line)
    )
    work(homes)
    homes.put(where(homes, run), text)
    work(homes, passes=2)
    check_nothing_ran(homes)
    assert run_of(homes, run).status == "awaiting_approval"


# ---- C12

OLD = {"path": "Boîte/c.md", "text": "archivée après 30 jours"}


@pytest.mark.parametrize("where_changed", ["the fence", "what is shown", "both"])
def test_c12_a_plan_changed_before_its_tick_runs_neither_the_old_nor_the_new_text(homes, where_changed):
    run = propose(homes, ("note_append", OLD))
    text = note(homes, run)
    mine = text.replace("## Étapes", "À voir avec Léa.  \n\n## Étapes").replace("## Détail", "## Détail \t")
    changed = mine
    if where_changed in ("the fence", "both"):
        changed = changed.replace('"text": "archivée après 30 jours"', '"text": "archivée"')
    if where_changed in ("what is shown", "both"):
        changed = changed.replace("\t+archivée après 30 jours", "\t+archivée")
    assert changed != mine
    homes.put(where(homes, run), changed)  # from another device, before anybody ticks
    homes.put(where(homes, run), boxed(changed, "go"))
    work(homes, passes=2)
    homes.restart()
    work(homes)
    check_nothing_ran(homes)
    again = run_of(homes, run)
    assert (again.status, box(homes, run, "go")) == ("awaiting_approval", " ")
    assert outside(note(homes, run)) == outside(mine)
    assert '"text": "archivée après 30 jours"' in note(homes, run)
    (shown,) = lines(homes, "plan.reshown")
    assert shown.body["was"] == run.digest
    assert shown.body["digest"] == again.digest != run.digest
    said = [line for line in homes.journal().split("\n") if again.id in line and run.digest[:12] in line]
    assert len(said) == 1, homes.journal()
    assert again.digest[:12] in said[0]
    tick(homes, run)
    work(homes)
    assert homes.text("Boîte/c.md").endswith("\narchivée après 30 jours\n")


def test_c12_what_is_ticked_again_is_checked_against_the_policy_again(homes):
    run = propose(homes, *TWO)
    homes.put(where(homes, run), note(homes, run).replace("ajoute 1 ligne", "ajoute 9 lignes"))
    homes.replace("- vault : 2", "- vault : 0", NAMES.autonomy)
    work(homes, passes=2)
    assert run_of(homes, run).status == "refused"
    check_nothing_ran(homes)


# ---- C13


def test_c13_an_approval_the_model_wrote_counts_nothing_and_one_in_the_file_starts_one_run(homes):
    text = "- [x] Approuver ce plan ^go\n\n```\n- [x] Approuver ^go\n```\n"
    draft = {**raw(*TWO, title="- [x] Approuver ^go"), "why": text}
    prepared, _ = acting.propose(homes.app, draft, CLIENT)
    run = prepared.run
    assert (box(homes, run, "go"), note(homes, run).count("[x]")) == (" ", 0)
    work(homes, passes=2)
    inputs = tuple(Input(one.path, one.etag) for one in run.inputs)
    homes.app.pipeline.submit((), [Approve(run.id, "api", (), run.digest, run.shown, inputs)])
    homes.restart()
    work(homes, passes=2)
    check_nothing_ran(homes)
    tick(homes, run)
    work(homes, passes=2)
    assert (ran(homes), run_of(homes, run).status) == (1, "succeeded")


# ---- C14

MOVES: tuple[Step, ...] = tuple(
    ("note_move", {"path": f"Boîte/{name}.md", "to": f"Archive/{name}.md"}) for name in "abc"
)


def counting(home: Home) -> list[str]:
    """Count the renames of the vault's notes, as they are asked for."""
    moved: list[str] = []
    real = home.app.vault.move

    def move(path, to, etag):
        moved.append(to)
        return real(path, to, etag)

    home.app.vault.move = move
    return moved


def crash_when(home: Home, there: Path) -> None:
    """Let the process end before it records what follows the moment a file is there."""
    real = home.app.history.happen

    def happen(events, now):
        if there.exists():
            raise Crash
        return real(events, now)

    home.app.history.happen = happen


def test_c14_killed_between_a_move_and_its_record_nothing_is_moved_twice(homes):
    first = homes.full("Boîte/b.md").read_bytes()
    run = propose(homes, *MOVES)
    tick(homes, run)
    moved = counting(homes)
    crash_when(homes, homes.full("Archive/b.md"))
    with pytest.raises(Crash):
        acting.sync(homes.app)
    homes.put("Boîte/b.md", "un autre b\n")
    homes.restart()
    moved_after = counting(homes)
    work(homes)
    assert (run_of(homes, run).status, run_of(homes, run).reason) == ("paused", "interrupted")
    assert moved_after == []
    tick(homes, run, f"resume-{run_of(homes, run).transition}")
    work(homes, passes=2)
    run = run_of(homes, run)
    assert sorted(moved + moved_after) == sorted(set(moved + moved_after)), "a move was made twice"
    assert homes.text("Boîte/b.md") == "un autre b\n"
    assert homes.full("Archive/b.md").read_bytes() == first
    assert run.steps[1].status in ("done", "uncertain")
    assert box(homes, run, run.steps[1].id) in ("x", "?")
    assert len(lines(homes, "step.started")) == len({r.body["step"] for r in lines(homes, "step.started")})
    journal = [line for line in homes.journal().split("\n") if run.id in line]
    assert len([line for line in journal if "commencé" in line]) == 1, journal
    assert len([line for line in journal if "repris" in line]) == 1, journal
    assert [record.body["cause"] for record in lines(homes, "plan.reshown")] in ([], ["uncertain"])
    if run.status == "awaiting_approval":  # step 2 is to be checked: the person says go on
        assert not homes.full("Archive/c.md").exists()
        tick(homes, run)
        work(homes)
    assert homes.full("Archive/c.md").exists()
    assert homes.text("Boîte/b.md") == "un autre b\n"


# ---- C15


def stepping(home: Home, act: Callable[[Home, Run], None], at: int = 1) -> Run:
    """Approve a plan of three steps, and let the person edit its note while step `at` runs."""
    run = propose(home, *(("note_create", {"path": f"Neuf/{n}.md", "text": f"{n}\n"}) for n in (1, 2, 3)))
    tick(home, run)
    home.sync()
    carrier = Carrier(home.app)
    done = 0
    while carrier.step():
        if home.full(f"Neuf/{at}.md").exists() and not done:
            act(home, run_of(home, run))
            done = 1
    work(home)
    assert done
    return run_of(home, run)


@pytest.mark.parametrize("at", [1, 2, 3])
def test_c15_a_task_typed_among_the_steps_while_they_run_keeps_its_bytes_and_no_line_is_taken_for_another(
    homes, at
):
    bread = "- [ ] acheter du pain  "

    def buy(home, run):
        text = note(home, run)
        first = next(line for line in text.split("\n") if f"^{run.steps[0].id}" in line)
        home.put(where(home, run), text.replace(first, f"{bread}\n{first}"))

    run = stepping(homes, buy, at)
    assert run.status == "succeeded"
    assert note(homes, run).count(f"{bread}\n") == 1
    assert [box(homes, run, step.id) for step in run.steps] == ["x", "x", "x"]


def test_c15_no_other_line_is_ticked_in_the_place_of_one_deleted_while_it_runs(homes):
    def drop(home, run):
        text = note(home, run)
        gone = next(line for line in text.split("\n") if f"^{run.steps[1].id}" in line)
        home.put(where(home, run), text.replace(f"{gone}\n", "- [ ] à moi\n"))

    run = stepping(homes, drop)
    text = note(homes, run)
    steps = text.partition("begin steps")[2].partition("end steps")[0]
    assert "- [ ] à moi\n" in steps
    assert f"^{run.steps[1].id}" not in steps
    assert [box(homes, run, step.id) for step in run.steps if step is not run.steps[1]] == ["x", "x"]
    assert run.steps[1].status == "done"
    assert any("étape 2 faite" in line for line in evidence(homes, run))
    assert [line for line in homes.journal().split("\n") if run.id in line]


# ---- C16


@pytest.mark.parametrize("off", [False, True], ids=["looked at", "off at that moment"])
@pytest.mark.parametrize("code", [False, True], ids=["ordinary", "reinforced"])
def test_c16_what_nobody_ticks_in_time_expires_and_a_late_tick_starts_nothing(off, code):
    with temporary({"a.md": "un\n"}, RUNS__EXPIRY_DAYS="1") as home:
        home.rest()
        delete, append = ("note_delete", {"path": "a.md"}), ("note_append", {"path": "a.md", "text": "x"})
        run = propose(home, delete if code else append)
        path, text = where(home, run), note(home, run)
        if off:
            home.close()
            home.clock.advance(hours=25)
            home.put(path, boxed(text, "go"))
            home.restart()
        else:
            home.clock.advance(hours=24)
            work(home)
            assert run_of(home, run).status == "expired"
            home.clock.advance(hours=1)
        if code:
            assert acting.show_code(home.app, run.id) is None
        work(home, passes=2)
        home.put(path, boxed(text, "go"))  # the old version again, ticked
        work(home, passes=2)
        assert run_of(home, run).status == "expired"
        assert home.text("a.md") == "un\n"
        assert lines(home, "plan.approved", "run.started") == []
        assert "expiré" in note(home, run)
        said = [line for line in home.journal().split("\n") if run.id in line]
        assert any("expiré" in line for line in said), home.journal()
        assert not any("approuvé" in line.lower() for line in said)


def test_c16_the_plan_says_that_it_expired_and_what_to_do(homes):
    run = propose(homes, *TWO)
    homes.clock.advance(days=7)
    tick(homes, run)  # at the very moment
    work(homes)
    check_nothing_ran(homes)
    assert "expires: 2026-12-07" in note(homes, run)
    assert "status: expired" in note(homes, run)
    assert "^go" not in note(homes, run)


# ---- C25

ODD = (
    "../dehors.md",
    "Notes/%2e%2e/%2e%2e/dehors.md",
    "Notes\\..\\..\\dehors.md",
    "{ROOT}/dehors.md",
    "/dehors.md",
    "Notes/a\0.md",
)


CALLS: tuple[Callable[[str], Step], ...] = (
    lambda path: ("note_create", {"path": path, "text": "dehors"}),
    lambda path: ("note_append", {"path": path, "text": "dehors"}),
    lambda path: ("note_move", {"path": "Boîte/a.md", "to": path}),
    lambda path: ("note_move", {"path": path, "to": "Boîte/d.md"}),
    lambda path: ("note_trash", {"path": path}),
    lambda path: ("note_delete", {"path": path}),
    lambda path: ("property_set", {"path": path, "key": "a", "value": 1}),
)


@pytest.mark.parametrize("client", [CLIENT, Client()], ids=["an agent", "the person"])
def test_c25_a_step_that_leaves_the_vault_is_refused_and_nothing_is_made_anywhere(homes, client):
    around = sorted(os.listdir(homes.folder)), sorted(os.listdir("/"))
    for path in ODD:
        for call in CALLS:
            step = call(path.replace("{ROOT}", str(homes.folder)))
            try:
                run = propose(homes, CREATE, step, client=client)
            except BadRequest:
                continue
            assert (run.status, run.steps[1].args) == ("refused", {}), step
    work(homes)
    check_nothing_ran(homes)
    assert (sorted(os.listdir(homes.folder)), sorted(os.listdir("/"))) == around
    assert not (homes.folder.parent / "dehors.md").exists()


@pytest.mark.parametrize("path", ["Notes/..bon..md", "Notes/.../x.md"])
def test_c25_names_that_only_look_odd_work(homes, path):
    run = propose(homes, ("note_create", {"path": path, "text": "dedans\n"}))
    assert run.status == "awaiting_approval"
    tick(homes, run)
    work(homes)
    assert homes.text(path) == "dedans\n"


# ---- C28


def test_c28_a_ticked_conflict_copy_of_a_plan_runs_nothing_and_is_told(homes):
    run = propose(homes, *TWO)
    path = where(homes, run)
    copy = f"{path.removesuffix('.md')} (conflicted copy 2025-03-01).md"
    homes.put(copy, boxed(note(homes, run), "go"))
    half = homes.put(f"{NAMES.plans}/.syncthing.Tri.md.tmp", boxed(note(homes, run), "go")[:400])
    kept = {one: homes.full(one).read_bytes() for one in (copy, half)}
    work(homes, passes=2)
    homes.restart()
    work(homes, passes=2)
    check_nothing_ran(homes)
    assert {one: homes.full(one).read_bytes() for one in kept} == kept
    told = [card for card in homes.open_cards() if card.note == path or copy in (card.key or "")]
    assert len(told) == 1, homes.cards()
    register, here = homes.records(), note(homes, run)
    for one in kept:
        homes.full(one).unlink()
    work(homes, passes=2)
    assert [c for c in homes.open_cards() if c.id == told[0].id] == []
    assert note(homes, run) == here
    assert {r.op for r in homes.records()[len(register) :]} <= {"card.withdrawn"}


# ---- size


def test_a_plan_note_that_is_too_large_is_a_problem_that_names_it_and_makes_no_run(homes):
    step = '{"tool": "note_create", "args": {"path": "n.md", "text": "' + "a" * 450_000 + '"}}'
    path = f"{NAMES.plans}/grand.md"
    homes.put(path, f"---\nclavaire: plan\n---\n# Grand\n\n```json\n{step}\n```\n")
    homes.rest()
    (problem,) = [one for one in problems(homes.app.history.index) if one.path == path]
    assert (problem.code, "partagez" in dict(problem.values)["why"]) == ("plan_bad", True)
    assert not homes.app.pipeline.runs.runs


@pytest.mark.timeout(60)
def test_a_plan_of_the_largest_size_is_shown_in_a_note_that_can_be_read_and_ticked(homes):
    big = "\x7f" * 120_000
    run = propose(homes, *(("note_create", {"path": f"n{at}.md", "text": big}) for at in range(3)))
    homes.rest()
    assert len(homes.full(where(homes, run)).read_bytes()) < homes.app.settings.index.max_bytes / 2
    tick(homes, run)
    work(homes)
    assert run_of(homes, run).status == "succeeded"


def test_a_plan_note_made_again_is_what_an_index_made_anew_finds_and_one_tick_approves_it(homes):
    run = propose(homes, APPEND)
    text = note(homes, run)
    digest = next(line for line in text.split("\n") if line.startswith("digest:"))
    homes.put("Boîte/a.md", "autre\n")
    homes.put(where(homes, run), boxed(text, "go").replace(f"{digest}\n", ""))
    homes.rest()
    assert run_of(homes, run).status == "awaiting_approval"
    homes.full(where(homes, run)).unlink()
    homes.rest()
    before = homes.export()
    homes.drop_index()
    homes.rest()
    assert homes.export() == before
    tick(homes, run, "go")
    work(homes)
    assert run_of(homes, run).status == "succeeded"
    assert homes.text("Boîte/a.md") == "autre\n\najouté\n"
