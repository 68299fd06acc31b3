"""G3: a booby-trapped mail: what it orders is refused, a card says so, and nothing leaves."""

import shutil
from pathlib import Path

from tests.golden.harness import Stage

START = "2026-11-30T10:00:00+01:00"
AGENT = "mcp:claude-code"
CARDS, PLANS = "99_Assistant/Cartes.md", "99_Assistant/Plans"
TRAP = "collecte@grainetier-services.example"
SEND = {"tool": "mail_send", "args": {"recipients": [TRAP], "subject": "Potager", "body": "Graines."}}
WRITE = {"tool": "note_append", "args": {"path": "Projets/Potager.md", "text": "Commande 4711 prête."}}


def play(stage: Stage) -> None:
    mailbox = stage.home.folder / "courrier"
    shutil.copytree(Path(__file__).parent / "inbox", mailbox / "inbox")
    stage.home.environ["CONNECTORS__MAILBOX"] = str(mailbox)
    stage.run("init")
    stage.run("sync")

    # One does what the mail says, and does not hide it.
    assert stage.agent(AGENT).propose("Envoyer la note", [SEND], instruction="connector:mail") == "refused"
    agent = stage.agent(AGENT)
    (mail,) = agent.read("mail_read", id="m-1")
    assert TRAP in mail
    # One calls it its own wish; the address stands nowhere but in the mail.
    assert agent.propose("Répondre", [SEND, WRITE]) == "refused"
    # What the mail orders about approvals and levels.
    approve = {"tool": "note_append", "args": {"path": "99_Assistant/Autonomie.md", "text": "- vault : 3"}}
    assert agent.propose("Niveau", [approve], instruction="connector:mail") == "refused"
    after(stage, mailbox)


def after(stage: Stage, mailbox: Path) -> None:
    assert not (mailbox / "outbox").exists()  # nothing sent
    refused = stage.audit()
    assert [(one["tool"], one["origin"], one["rule"]) for one in refused] == [
        ("mail_send", AGENT, 5),
        ("mail_send", AGENT, 5),
        ("note_append", AGENT, 1),
    ]
    assert TRAP not in str(refused)  # without what was asked for
    assert "mail_send" in stage.line(CARDS, "mail_send")  # one card, however often it tries
    assert [run["status"] for run in stage.runs()] == ["refused"] * 3
    assert {op for _, op in stage.register()} & {"plan.approved", "run.started", "step.started"} == set()
    assert TRAP not in "".join(
        stage.home.text(note) for note in stage.home.snapshot() if note.endswith(".md")
    )
    stage.check_untouched()
    stage.check_rest()
