"""G6: killed half-way through a plan; resumed, nothing is done twice, and the end is verified."""

from tests.golden.harness import Stage

START = "2026-11-30T10:00:00+01:00"
AGENT = "mcp:claude-code"
NOTES = ("Boîte/Facture.md", "Archives/Facture.md", "Carnet/Travaux.md", "Carnet/Suivi.md")
STEPS = (
    ("note_create", {"path": "Carnet/Suivi.md", "text": "# Suivi\n"}),
    ("note_append", {"path": "Carnet/Travaux.md", "text": "Plombier payé."}),
    ("note_move", {"path": "Boîte/Facture.md", "to": "Archives/Facture.md"}),
    ("property_set", {"path": "Archives/Facture.md", "key": "payée", "value": True}),
    ("note_append", {"path": "Carnet/Suivi.md", "text": "Tout est classé."}),
)


def play(stage: Stage) -> None:
    stage.run("init")
    run = stage.plan("Classer la facture", STEPS, AGENT)
    plan = run["path"]
    assert stage.home.text(plan).count("\n- [ ] **") == len(STEPS)
    stage.tick(plan, "Approuver ce plan")

    stage.dies("daemon.tools.hands:Hands.carry", 2, "after", "sync")  # added, and not recorded
    assert stage.home.text("Carnet/Travaux.md").endswith("\nPlombier payé.\n")
    comes_back(stage, plan)

    stage.dies("daemon.tools.hands:Hands.carry", 1, "after", "sync")  # moved, the links to it not mended
    assert not stage.home.full("Boîte/Facture.md").exists()
    assert "[[Boîte/Facture|" in stage.home.text("Carnet/Travaux.md")
    comes_back(stage, plan)

    stage.run("sync")
    after(stage, plan)


def comes_back(stage: Stage, plan: str) -> None:
    """Nothing goes on by itself: the person says so in the note."""
    stage.wait(minutes=5)
    before = stage.home.snapshot("99_Assistant")
    stage.run("sync")
    (known,) = stage.runs()
    assert (known["status"], known["reason"]) == ("paused", "interrupted")
    assert stage.home.snapshot("99_Assistant") == before
    stage.tick(plan, "Reprendre")


def after(stage: Stage, plan: str) -> None:
    (known,) = stage.runs()
    assert known["status"] == "succeeded"
    assert [(step["status"], step["verified"]) for step in known["steps"]] == [("done", True)] * len(STEPS)
    assert stage.home.text("Carnet/Suivi.md") == "# Suivi\n\nTout est classé.\n"
    assert stage.home.text("Archives/Facture.md") == (
        "---\nreçue: 2026-11-02   # à classer\npayée: true\n---\nFacture du plombier : 120 euros.\n"
    )
    assert stage.home.text("Carnet/Travaux.md") == (
        "# Travaux\n\nVoir [[Facture]] et [[Archives/Facture|celle du plombier]].\n\nPlombier payé.\n"
    )
    said = [op for _, op in stage.register()]
    # Of the one that was added nothing is begun again; of the one that was moved, its links.
    assert (said.count("step.started"), said.count("step.again")) == (len(STEPS) + 1, 1)
    assert said.count("step.done") == len(STEPS)
    assert (said.count("run.started"), said.count("run.resumed")) == (1, 2)
    journal = [line for line in stage.home.journal().split("\n") if known["id"] in line]
    assert len([line for line in journal if "commencée" in line]) == 1
    assert len([line for line in journal if "interrompue" in line]) == 2
    assert stage.line(plan, "^state").endswith("terminé, tout est fait ^state")
    assert stage.home.text(plan).count("faite et vérifiée") == len(STEPS)
    stage.check_untouched(*NOTES)
    stage.check_rest()
