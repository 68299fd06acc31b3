"""G8: two people named Marie stay two people; what is said of « Marie » waits until the person says which."""

import re

from tests.golden.harness import Stage

START = "2026-11-30T10:00:00+01:00"
PEOPLE, CARDS = "99_Assistant/Personnes.md", "99_Assistant/Cartes.md"
SISTER, COLLEAGUE = "Marie Vasseur — sœur", "Marie — collègue"
TEA = "Aime le thé"


def play(stage: Stage) -> None:
    written = stage.home.text(PEOPLE)
    stage.run("init")
    stage.run("sync")
    assert bare(stage.home.text(PEOPLE)) == written
    assert len(names(stage)) == 2

    stage.wait(days=1)
    stage.edit(PEOPLE, "- Marie Vasseur — sœur", "- Marie — sœur")  # she is called Marie, as the other one is
    stage.run("sync")
    assert sorted(names(stage).values()) == ["Marie", "Marie"]

    stage.run("remember", TEA, "--about", "Marie", "--as", "mcp:agenda", "--confidence", "0.9")
    assert told(stage, TEA) == [(None, "pending")]
    stage.tick(CARDS, "Marie — sœur")
    stage.run("sync")
    assert (
        told(stage, TEA)[0][1] == "pending"
    )  # whom it is about is known now; whether it is kept is still asked
    stage.tick(CARDS, "Garder")
    stage.run("sync")

    stage.wait(days=30)
    stage.edit(PEOPLE, "Marie — collègue", "Marie — amie")
    stage.run("sync")
    after(stage, written)


def after(stage: Stage, written: str) -> None:
    text = stage.home.text(PEOPLE)
    sister, friend = (re.search(rf"- Marie — {word} .*\^(e-\w+)\n", text)[1] for word in ("sœur", "amie"))
    tea = "\t- Anniversaire : 3 mai\n\t- Aime le thé\n"
    wanted = written.replace("Marie Vasseur", "Marie").replace("\t- Anniversaire : 3 mai\n", tea)
    assert bare(text) == wanted.replace("collègue", "amie")

    exported = stage.export()
    assert [one["aliases"] for one in exported["entities"] if one["id"] == sister] == [["Marie Vasseur"]]
    relations = [
        (one["text"], one["valid_to"]) for one in exported["relations"] if one["entity_id"] == friend
    ]
    assert relations == [("collègue", "2026-12-31"), ("amie", None)]
    assert told(stage, TEA) == [(sister, "confirmed")]
    assert told(stage, "Anniversaire : 3 mai") == [(sister, "confirmed")]
    assert told(stage, "Anniversaire : 12 juin") == [(friend, "confirmed")]
    assert stage.as_of("2027-01-01") == ["Aime le thé", "Anniversaire : 12 juin", "Anniversaire : 3 mai"]

    register = stage.register()
    assert ("mcp:agenda", "fact.asserted") in register
    assert register.count(("person", "entity.asserted")) == 2
    assert ("person", "relation.closed") in register
    assert stage.problems() == []
    stage.check_untouched(PEOPLE)
    stage.check_rest()


def bare(text: str) -> str:
    """A note without what clavaire added to its lines."""
    return re.sub(r" \[vu:: [\d-]+\]| \^[ef]-\w{8}", "", text)


def names(stage: Stage) -> dict[str, str]:
    return {one["id"]: one["name"] for one in stage.export()["entities"]}


def told(stage: Stage, text: str) -> list[tuple[str | None, str]]:
    """Whom the facts that say this are about, and their status."""
    return [(one["entity_id"], one["status"]) for one in stage.export()["facts"] if one["text"] == text]
