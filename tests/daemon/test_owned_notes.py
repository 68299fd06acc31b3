"""Journal.md and Plans.base, wholly ours: made, brought back when changed, left to a program that fights for them."""

import pytest

from config.paths import NAMES
from daemon import acting
from daemon.index.memory import journal
from daemon.planning import Client
from parsers.model.runs import Run
from renderers.plans_base import render
from tests.home import Home

PLAN = {
    "title": "Deux lignes",
    "steps": [
        {"tool": "note_append", "args": {"path": "Notes/a.md", "text": "- un"}},
        {"tool": "note_append", "args": {"path": "Notes/a.md", "text": "- deux"}},
    ],
}


@pytest.fixture
def home(tmp_path):
    home = Home(tmp_path, {"Notes/a.md": "- zéro\n"})
    yield home
    home.close()


def base(home: Home) -> str:
    return render(NAMES.plans, home.app.words)


def proposed(home: Home) -> Run:
    prepared, _ = acting.propose(home.app, PLAN, Client("mcp:agenda"))
    return home.app.pipeline.runs.runs[prepared.run.id]


def test_the_first_pass_makes_the_base_of_plans_and_at_rest_it_is_written_no_more(home):
    home.rest()
    assert home.text(NAMES.plans_base) == base(home)
    assert home.sync().written == ()


def test_a_base_that_is_changed_or_deleted_is_made_again_and_the_persons_version_is_kept(home):
    home.rest()
    home.put(NAMES.plans_base, "views: []\n")
    home.rest()
    assert home.text(NAMES.plans_base) == base(home)
    home.full(NAMES.plans_base).unlink()
    home.rest()
    assert home.text(NAMES.plans_base) == base(home)


def test_a_base_that_is_changed_back_twice_within_ten_minutes_is_left_until_the_next_day(home):
    home.rest()
    for _ in range(3):
        home.put(NAMES.plans_base, "views: []\n")
        home.sync()
        home.clock.advance(minutes=2)
    assert home.text(NAMES.plans_base) == "views: []\n"
    home.clock.advance(days=1)
    home.rest()
    assert home.text(NAMES.plans_base) == base(home)


def test_the_base_is_not_among_what_is_searched(home):
    home.rest()
    (paths,) = zip(*home.app.history.index.connection.execute("SELECT path FROM notes"), strict=True)
    assert NAMES.plans_base not in paths
    assert "Notes/a.md" in paths


def test_the_journal_tells_a_plan_from_its_proposal_to_its_end_and_the_index_keeps_no_step_for_it(home):
    run = proposed(home)
    home.replace("- [ ] Approuver", "- [x] Approuver", run.path)
    acting.sync(home.app)
    lines = [line for line in home.journal().split("\n") if run.id in line]
    starts = ["Plan terminé", "Exécution commencée", "Plan approuvé", "Plan proposé"]
    assert [line.split(" ", 2)[2].startswith(start) for line, start in zip(lines, starts, strict=True)] == [
        True
    ] * 4
    assert not any("steps" in record.body for record in journal(home.app.history.index))


def test_c15_a_step_whose_line_was_deleted_while_it_ran_is_told_by_the_journal_alone(home):
    run = proposed(home)
    home.replace("- [ ] Approuver", "- [x] Approuver", run.path)
    home.sync()
    carrier = acting.Carrier(home.app)
    while home.app.pipeline.runs.runs[run.id].steps[0].status != "done":
        carrier.step()
    carrier.bring_up()
    text = home.text(run.path)
    line = next(one for one in text.splitlines(keepends=True) if f"^{run.steps[1].id}" in one)
    home.put(run.path, text.replace(line, "- [ ] acheter du pain\n"))
    carrier.all()
    acting.sync(home.app)
    after = home.text(run.path)
    assert f"^{run.steps[1].id}" not in after.partition("## Détail")[0]
    assert "- [ ] acheter du pain\n" in after
    assert home.text("Notes/a.md") == "- zéro\n- un\n- deux\n"
    assert home.journal().count("Étape 2 faite") == 1
    assert "Étape 1" not in home.journal()
    before = home.journal()
    home.drop_index()
    home.rest()
    assert home.journal() == before


def test_c16_an_expired_plan_is_told_without_the_word_for_approved(home):
    run = proposed(home)
    home.clock.advance(days=8)
    home.replace("- [ ] Approuver", "- [x] Approuver", run.path)
    acting.sync(home.app)
    assert "Plan expiré sans réponse" in home.journal()
    assert "approuv" not in home.journal()
    assert home.text("Notes/a.md") == "- zéro\n"


def test_c12_a_plan_that_was_changed_before_its_tick_is_told_with_both_digests(home):
    run = proposed(home)
    home.replace('"text": "- deux"', '"text": "- mille"', run.path)
    home.replace("- [ ] Approuver", "- [x] Approuver", run.path)
    acting.sync(home.app)
    now = home.app.pipeline.runs.runs[run.id]
    assert now.status == "awaiting_approval"
    (line,) = [one for one in home.journal().split("\n") if "montré à nouveau" in one]
    assert run.digest in line
    assert now.digest in line
    assert home.text("Notes/a.md") == "- zéro\n"
