"""Plans in a vault in use: proposed for an agent, ticked in their notes, carried out by what `clavaire sync` does."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from config.paths import NAMES
from daemon import acting
from daemon.index.problems import problems
from daemon.pipeline import Outcome
from daemon.planning import Client
from parsers.model.register import Record
from parsers.model.runs import Run
from tests.home import Home, temporary

AGENT = "mcp:claude-code"
CLIENT = Client(AGENT)
FILES = {
    "Boîte/a.md": "# A\n\nla note a\n",
    "Boîte/b.md": "# B\r\n\r\nfins de ligne\r\n",
    "Boîte/c.md": "---\ntags: [x, 'y']  # gardé\n---\nvoir [[Boîte/a|le a]] et [[b]]\n",
    "Seule.md": "rien",
}
APPEND = ("note_append", {"path": "Boîte/a.md", "text": "ajouté"})
CREATE = ("note_create", {"path": "Neuf/n.md", "text": "# Neuf\n"})
DELETE = ("note_delete", {"path": "Boîte/b.md"})
Step = tuple[str, dict[str, Any]]
_EFFECTS = ("plan.approved", "run.started", "step.started", "step.done")


@pytest.fixture
def homes() -> Iterator[Home]:
    """Give a vault of four notes, in memory where there is such a place."""
    with temporary(FILES) as home:
        home.rest()
        yield home


def raw(*steps: Step, title: str = "Ranger", why: str = "") -> dict[str, Any]:
    """Give a plan as a file holds it."""
    return {"title": title, "why": why, "steps": [{"tool": tool, "args": args} for tool, args in steps]}


def propose(home: Home, *steps: Step, client: Client = CLIENT, title: str = "Ranger") -> Run:
    """Propose a plan; gives the run as it stands after that."""
    prepared, outcome = acting.propose(home.app, raw(*steps, title=title), client)
    assert outcome.closed is None
    return run_of(home, prepared.run.id)


def run_of(home: Home, name: str | Run) -> Run:
    """Give a run as it is known now."""
    return home.app.pipeline.runs.runs[name.id if isinstance(name, Run) else name]


def where(home: Home, run: Run) -> str:
    """Give the path of a run's note."""
    path = run_of(home, run).path
    assert path is not None
    return path


def note(home: Home, run: Run) -> str:
    """Give the text of a run's note."""
    return home.text(where(home, run))


def full(home: Home, run: Run) -> Path:
    """Give the file of a run's note."""
    return home.full(where(home, run))


def boxed(text: str, name: str, sign: str = "x") -> str:
    """Give a note with the box of the line of an id set."""
    done, times = re.subn(
        rf"^(- \[).(\] .*\^{re.escape(name)})(?=\r?$)", rf"\g<1>{sign}\g<2>", text, flags=re.MULTILINE
    )
    assert times, f"no box ^{name}"
    return done


def box(home: Home, run: Run, name: str) -> str:
    """Give what stands in the box of a line."""
    found = re.findall(rf"^- \[(.)\] .*\^{re.escape(name)}\r?$", note(home, run), re.MULTILINE)
    assert len(found) == 1, found
    return str(found[0])


def tick(home: Home, run: Run, *names: str) -> None:
    """Tick boxes in a run's note, without letting anything follow from it."""
    text = note(home, run)
    for name in names or ("go",):
        text = boxed(text, name)
    home.put(where(home, run), text)


def type_code(home: Home, path: str, digits: str, name: str = "code") -> None:
    """Type six digits on the line of an id."""
    text = home.text(path)
    done, times = re.subn(
        rf"(: ?)[^:\n]*(\^{re.escape(name)}$)", rf"\g<1>{digits} \g<2>", text, flags=re.MULTILINE
    )
    assert times == 1, text
    home.put(path, done)


def work(home: Home, passes: int = 1) -> Outcome:
    """Let `clavaire sync` run."""
    outcome = acting.sync(home.app)
    for _ in range(passes - 1):
        outcome = acting.sync(home.app)
    assert outcome.closed is None, outcome.closed
    return outcome


def approved(home: Home, *steps: Step, client: Client = CLIENT) -> Run:
    """Propose, tick and carry out."""
    run = propose(home, *steps, client=client)
    tick(home, run)
    work(home)
    return run_of(home, run)


def steer(home: Home, run: Run, control: str) -> Run:
    """Tick the control that a run's note offers, and let it follow."""
    tick(home, run, f"{control}-{run_of(home, run).transition}")
    work(home)
    return run_of(home, run)


def lines(home: Home, *ops: str) -> list[Record]:
    """Give the lines of the register with one of these names."""
    return [record for record in home.records() if record.op in ops]


def notes(home: Home) -> dict[str, bytes]:
    """Give the bytes of every file that is no note of ours."""
    return {path: found[0] for path, found in home.snapshot(NAMES.assistant).items()}


def as_given() -> dict[str, bytes]:
    """Give `FILES` as they stand on disk."""
    return {path: text.encode() for path, text in FILES.items()}


def check_nothing_ran(home: Home, before: dict[str, bytes] | None = None) -> None:
    """Hold that no run was approved or begun, and that every note is as it was."""
    assert [record.op for record in lines(home, *_EFFECTS)] == []
    assert notes(home) == (as_given() if before is None else before)


def evidence(home: Home, run: Run) -> list[str]:
    """Give the lines of evidence in a run's note."""
    after = note(home, run).partition("<!-- clavaire:begin evidence -->\n")[2]
    inside = after.partition("<!-- clavaire:end evidence -->")[0]
    return [line for line in inside.split("\n") if line.startswith("- ")]


def problems_of(home: Home) -> list[tuple[str, str]]:
    """Give (note, code) of what is wrong in notes of ours."""
    return [(one.path, one.code) for one in problems(home.app.history.index)]
