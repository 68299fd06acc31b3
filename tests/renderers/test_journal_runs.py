"""The journal's lines about plans: one line an event, each names the plan, nothing in a title counts as Markdown."""

import pytest
from hypothesis import given

from config.i18n import LOCALES, catalogue
from parsers.model.places import NotePath
from parsers.model.policy import Delegation
from parsers.model.register import Record
from parsers.model.runs import Happened, RunStatus
from parsers.note import scan
from renderers.journal import SHOWN
from renderers.journal_runs import SHOWN as ABOUT_RUNS
from renderers.journal_runs import Known, lines, linked
from tests.plans import ANY_TEXT, AT, FR, ONE, RUN, TWO, run, step

AUTONOMY = "99_Assistant/Autonomie.md"
PATH = NotePath("99_Assistant/Plans/2026-11-30 Ranger les réunions r-9c3v7b2k.md")
LINK = f"[[{PATH.removesuffix('.md')}|Ranger les réunions]]"
DIGESTS = {"was": "a" * 64, "found": "b" * 64, "digest": "c" * 64}


def said(op: str, one=None, *, words=FR, by="person", known=None, vouched=True, **body: object) -> list[str]:
    plan = one or run(path=PATH)
    record = Record(0, "2026-11-30T10:00:00.000Z", op, by, {"id": plan.id, **body}, vouched)
    return list(lines(record, known or Known(run={plan.id: plan}.get), words, by, AUTONOMY))


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("op", sorted(ABOUT_RUNS - {"run.ended", "action.refused"}))
def test_every_event_about_a_plan_leaves_one_line_in_every_language(op, locale):
    (line,) = said(op, words=catalogue(locale), how="tick", rule=5, reason="refused", domain="vault", level=3)
    assert op in SHOWN
    assert "{" not in line
    assert LINK in line or not op.startswith(("plan.", "run.", "step."))


def test_the_line_of_a_plan_names_who_proposed_it_and_leads_to_its_note():
    assert said("plan.proposed", by="mcp:agenda") == [f"Plan proposé\u00a0: {LINK} · mcp:agenda"]


def test_the_line_of_an_approval_says_how_and_how_many_steps_are_left_out():
    (line,) = said("plan.approved", how="tick", left_out=[ONE])
    assert line == f"Plan approuvé (case cochée, 1 étape laissée de côté)\u00a0: {LINK}"


def test_c12_the_line_of_a_plan_shown_again_gives_both_digests_whole():
    (line,) = said("plan.reshown", cause="content", **DIGESTS)
    assert all(digest in line for digest in DIGESTS.values())
    (line,) = said("plan.reshown", cause="inputs", **DIGESTS | {"found": DIGESTS["was"]})
    assert DIGESTS["was"] in line
    assert DIGESTS["digest"] in line


def test_c14_a_run_that_was_interrupted_has_one_line_of_its_start_and_one_of_its_recovery():
    (start,) = said("run.started")
    (recovery,) = said("run.paused", by="scheduled", reason="interrupted")
    (pause,) = said("run.paused", reason="asked")
    assert start.startswith("Exécution commencée")
    assert recovery.startswith("Exécution interrompue, retrouvée")
    assert pause == f"Exécution en pause\u00a0: {LINK} · demandé"


def test_a_plan_that_came_as_a_note_is_not_said_to_be_the_persons():
    came = run(path=PATH, origin="person", evidence=(Happened(AT, "proposed", "", (("way", "note"),)),))
    (line,) = said("plan.proposed", came, by="person")
    assert line.endswith(" · une note du dossier des plans")


def test_a_refusal_for_a_secret_says_so_and_a_missing_code_what_to_run():
    (line,) = said("plan.refused", by="mcp:x", rule=0, reasons=[["secret", ""]])
    assert line.endswith(" · le plan contient un mot de passe ou une clé · mcp:x")
    (line,) = said("code.missing")
    assert "clavaire code r-" in line


@pytest.mark.parametrize("locale", LOCALES)
def test_c16_the_line_of_an_expired_plan_has_no_word_for_approved(locale):
    (line,) = said("run.expired", words=catalogue(locale), by="scheduled")
    assert "approuv" not in line.lower()
    assert "approv" not in line.lower()


def test_c15_a_step_whose_line_was_taken_out_of_the_note_is_told_when_its_run_ends():
    one = run(step(status="done"), step(TWO, status="done"), path=PATH)
    known = Known(run={RUN: one}.get, gone=lambda _: frozenset({TWO}))
    told = said("run.ended", one, known=known, status="succeeded")
    assert [line.startswith("Étape 2 faite") for line in told] == [True, False]


@pytest.mark.parametrize("status", ["succeeded", "partially_succeeded", "failed"])
def test_the_line_of_an_end_says_what_came_of_it(status: RunStatus):
    (line,) = said("run.ended", run(path=PATH), status=status, reason="unproved")
    assert line.endswith(" · la preuve d'une étape manque") == (status != "succeeded")


def test_undoing_is_said_of_what_was_undone_and_a_single_write_in_two_lines():
    quiet = run(kind="undo", path=PATH)
    assert said("plan.proposed", quiet) == said("plan.approved", quiet) == said("run.started", quiet) == []
    assert said("run.ended", quiet, status="succeeded") == []
    assert said("run.ended", quiet, status="failed", reason="changed")
    assert said("run.undone", run=quiet.id, steps=[ONE]) == [f"Plan défait\u00a0: {LINK}"]
    line = Happened(AT, "undone_partly", "", (("by", quiet.id), ("steps", ONE)))
    part = run(step(status="done"), path=PATH, evidence=(line,))
    assert said("run.undone", part, run=quiet.id, steps=[ONE]) == [
        f"Plan défait en partie (étapes 1)\u00a0: {LINK}"
    ]
    direct = run(kind="direct", path=PATH)
    assert said("plan.proposed", direct) == []
    assert said("plan.approved", direct, how="level")[0].startswith("Écriture permise (niveau d'autonomie)")


def test_an_action_refused_outside_any_plan_has_a_line_and_one_of_a_plan_only_the_plans():
    body = {"tool": "note_read", "rule": 2, "reasons": [["fault_private", "Santé/secret.md"]]}
    (line,) = said("action.refused", by="mcp:x", known=Known(), **body)
    assert line == "Action refusée par la politique, règle 2\u00a0: note\\_read · mcp:x".replace("\\_", "_")
    assert said("action.refused", by="mcp:x", **body) == []


def test_a_line_that_nobody_vouches_for_says_nothing_of_runs_or_permissions():
    assert not any(said(op, vouched=False, status="succeeded", domain="vault") for op in ABOUT_RUNS)


def test_a_delegation_is_told_in_the_words_of_its_line_also_when_only_its_id_is_recorded():
    one = Delegation("d-4n7p1s9x", "vault", 3, ("Réunions/**",), ("mcp:agenda",))
    body = {"domain": "vault", "level": 3, "paths": ["Réunions/**"], "origins": ["mcp:agenda"]}
    (asked,) = said("delegation.asked", **body)
    known = Known(delegation=lambda _: one)
    (revoked,) = said("delegation.revoked", known=known)
    says = "vault · niveau 3 · Réunions/\\*\\* · origine mcp:agenda"
    assert asked == (
        f"Délégation demandée, sans effet avant son code\u00a0: {says} · person · [[99_Assistant/Autonomie|Autonomie]]"
    )
    assert says in revoked


@given(ANY_TEXT)
def test_whatever_the_title_its_link_is_one_line_and_one_link(title):
    line = linked(run(title=f"%% a ]] ![[b|c]] <!-- {title} -->", path=PATH))
    assert line.count("[[") == line.count("]]") == line.count("|") == 1
    assert "\n" not in line
    assert "%%" not in line
    assert "<" not in line
    found = scan(f"- 10:00 {line}\n")
    assert len(found.links) == 1


def test_a_note_whose_name_cannot_stand_in_a_link_is_not_linked():
    assert linked(run(path=NotePath("99_Assistant/Plans/a]b.md"))) == "Ranger les réunions"
