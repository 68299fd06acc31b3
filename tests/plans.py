"""Runs and their notes, for the tests of plan notes."""

import re
from dataclasses import replace
from zoneinfo import ZoneInfo

from hypothesis import strategies as st

from config.i18n import catalogue
from parsers.frame import frame_of
from parsers.model.runs import BOX, ENDED, Happened, Run, Step
from parsers.plan import PlanSaid, digest_of, parse
from renderers.plan import render, view

FR, EN = catalogue("fr"), catalogue("en")
PARIS = ZoneInfo("Europe/Paris")
RUN, ONE, TWO = "r-9c3v7b2k", "s-2d6g8j4m", "s-3d6g8j4m"
AT = "2026-11-30T09:29:14.318Z"


def step(name: str = ONE, **values: object) -> Step:
    known = Step(
        name,
        "note_create",
        {"path": "Réunions/2026-12-01.md", "text": "…"},
        shows=(
            "`note_create` Réunions/2026-12-01.md",
            "effet : crée une note de 14 lignes",
            "preuve attendue : la note existe et son contenu a l'empreinte 8be1…",
            "annulation : met la note à la corbeille",
            "décision : approbation du plan (règle 14)",
        ),
        undoable=True,
    )
    return replace(known, **values)  # type: ignore[arg-type]


def run(*steps: Step, **values: object) -> Run:
    known = Run(
        id=RUN,
        kind="plan",
        status="awaiting_approval",
        transition=1,
        title="Ranger les réunions",
        why="Il y en a trop.",
        origin="mcp:claude-code",
        instruction="mcp:claude-code",
        requested_at=AT,
        expires_at="2026-12-07T09:29:14.318Z",
        nonce="00ff",
        digest="",
        shown="",
        approval="run_approval",
        steps=steps or (step(), step(TWO, shows=("`note_create` b.md", "effet : b"))),
    )
    made = replace(known, **values)  # type: ignore[arg-type]
    return replace(made, digest=made.digest or digest_of(made.id, made.nonce, made.steps, made.inputs))


def read(text: str) -> PlanSaid:
    frame = frame_of(text, tasks=True)
    assert frame.faults == ()
    return parse(text, frame)


def drawn(one: Run, text: str | None = None, words=FR, zone=PARIS) -> str:
    """Render twice: the second time changes nothing."""
    shows = view(one, zone, words)
    frame = None if text is None else frame_of(text, tasks=True)
    done = render(shows, text, frame, None if text is None or frame is None else parse(text, frame))
    frame = frame_of(done, tasks=True)
    assert render(shows, done, frame, parse(done, frame)) == done
    return done


def marked(text: str, name: str, mark: str = "x") -> str:
    return re.sub(rf"\[.\](.*\^{name})$", rf"[{mark}]\1", text, flags=re.MULTILINE)


def section(text: str, name: str) -> str:
    after = text.partition(f"<!-- clavaire:begin {name} -->\n")[2]
    return after.partition(f"<!-- clavaire:end {name} -->")[0]


ANY_TEXT = st.text(max_size=12)


@st.composite
def runs(draw, texts=ANY_TEXT):
    names = ["s-0000000" + digit for digit in "123456"]
    steps = tuple(
        step(
            names[n],
            args={"path": draw(texts)},
            shows=tuple(draw(st.lists(texts, max_size=4))),
            status=draw(st.sampled_from(sorted(BOX))),
            undoable=draw(st.booleans()),
            before={draw(texts): "ab" * 32},
        )
        for n in range(draw(st.integers(1, 4)))
    )
    happened = tuple(
        Happened(AT, what, draw(st.sampled_from(names)), (("reason", draw(texts)), ("detail", draw(texts))))
        for what in draw(
            st.lists(st.sampled_from(["proposed", "step_done", "step_failed", "paused", "ended"]), max_size=3)
        )
    )
    status = draw(st.sampled_from(["awaiting_approval", "approved", "running", "paused", *sorted(ENDED)]))
    return run(
        *steps,
        status=status,
        title=draw(texts),
        why=draw(texts),
        reason=draw(texts),
        transition=draw(st.integers(1, 12)),
        approval=draw(st.sampled_from(["run_approval", "reinforced_approval"])),
        evidence=happened,
        digest="ab" * 32,
    )  # fmt: skip
