"""G7: the dentist changes twice; each day of the past keeps its answer, and nothing else in the vault moves."""

from tests.golden.harness import Stage

START = "2026-09-01T10:00:00+02:00"
PROFILE = "99_Assistant/Profil.md"
MARTIN, PETIT, BREAD = "Dentiste : Dr Martin", "Dentiste : Dr Petit", "Pain : complet"


def play(stage: Stage) -> None:
    stage.run("init")
    first = stage.line(PROFILE, MARTIN)
    free = [line for line in stage.home.text(PROFILE).split("\n") if "libre" in line]
    stage.wait(days=30)

    stage.edit(PROFILE, "Dr Martin", "Dr Petit")  # 1 October, in place
    stage.run("sync")
    assert stage.line(PROFILE, PETIT) == first.replace("Martin", "Petit")
    assert stage.intervals(PETIT) == [(MARTIN, None, "2026-10-01"), (PETIT, "2026-10-01", None)]

    stage.wait(minutes=2)
    stage.edit(PROFILE, PETIT, f"{PETIT} [depuis:: 2026-09-21]")  # no: since 21 September
    stage.run("sync")
    assert stage.intervals(PETIT) == [(MARTIN, None, "2026-09-21"), (PETIT, "2026-09-21", None)]

    stage.wait(days=61)
    stage.edit(PROFILE, stage.line(PROFILE, PETIT), f"- {MARTIN}")  # 1 December: the old one again, retyped
    stage.run("sync")
    after(stage, free)


def after(stage: Stage, free: list[str]) -> None:
    assert stage.intervals(PETIT) == [
        (MARTIN, None, "2026-09-21"),
        (PETIT, "2026-09-21", "2026-12-01"),
        (MARTIN, "2026-12-01", None),
    ]
    answers = {
        "2026-09-20": MARTIN,
        "2026-09-21": PETIT,
        "2026-11-30": PETIT,
        "2026-12-01": MARTIN,
        "2027-06-01": MARTIN,
    }
    for day, dentist in answers.items():
        assert stage.as_of(day) == sorted([dentist, BREAD]), day
    assert stage.as_of("2026-11-30", known_at="2026-09-30") == [MARTIN, BREAD]
    assert stage.as_of("2026-09-22", known_at="2026-09-30") == [MARTIN, BREAD]
    assert stage.as_of("2026-09-22", known_at="2026-10-01") == [PETIT, BREAD]

    assert stage.line(PROFILE, "Dentiste").startswith(f"- {MARTIN} ^f-")
    assert [line for line in stage.home.text(PROFILE).split("\n") if "libre" in line] == free
    stage.check_untouched(PROFILE)
    assert stage.home.journal().count("Dr Petit") == 0  # more than fourteen days ago
    assert stage.home.journal().count("Dr Martin") == 1

    said = stage.register()
    assert {by for by, _ in said} == {"person"} | {by for by, op in said if not op.startswith("fact.")}
    assert sum(op == "fact.closed" for _, op in said) == 3
    assert sum(op == "fact.retracted" for _, op in said) == 1
    assert stage.export()["cards"] == []
    assert not stage.problems()
    assert PROFILE in stage.found("dentiste")
    assert stage.found("détartrage") == ["Carnet/Rendez-vous.md"]
    stage.check_rest()
