"""Questions tests put to a vault in use: through the command line where it has the question, else the index."""

import contextlib
import io
import json
import os
from typing import Any

from daemon import reading
from daemon.cli.main import main
from daemon.memory.recollect import chain, holding
from daemon.memory.state import State, fold
from parsers.model.facts import Fact
from tests.home import Home


def cli(home: Home, *arguments: str) -> tuple[int, str, str]:
    """Run a command on the vault in this process: exit code, stdout, stderr."""
    spelt = {f"CLAVAIRE_{name}": value for name, value in home.environ.items()}
    spelt["CLAVAIRE_GENERAL__STATE_FOLDER"] = str(home.state_root)
    spelt["XDG_CONFIG_HOME"] = str(home.folder / "config")
    before = dict(os.environ)
    out, err, code = io.StringIO(), io.StringIO(), 0
    os.environ.update(spelt)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main(["--vault", str(home.root), *arguments])
    except SystemExit as ended:
        code = int(ended.code or 0)
    finally:
        os.environ.clear()
        os.environ.update(before)
    return code, out.getvalue(), err.getvalue()


def asked(home: Home, *arguments: str) -> Any:
    """Give the JSON a command prints."""
    code, out, err = cli(home, "--json", *arguments)
    assert out, (code, err)
    return json.loads(out)


def as_of(home: Home, day: str, known_at: str | None = None) -> list[str]:
    """Give the texts `clavaire facts --as-of DAY` answers with, sorted."""
    more = ["--known-at", known_at] if known_at else []
    return sorted(fact["text"] for fact in asked(home, "facts", "--as-of", day, *more))


def now(home: Home) -> list[str]:
    """Give the texts of what holds on the clock's day."""
    return sorted(fact.text for fact in holding(home.state, home.clock().date().isoformat()))


def versions(home: Home, text: str) -> list[tuple[str, str | None, str | None, bool]]:
    """Give the history of the fact that says `text`: (text, from, to, believed), oldest first."""
    return [(one.text, one.valid_from, one.valid_to, believed(one)) for one in history(home, text)]


def history(home: Home, text: str) -> tuple[Fact, ...]:
    """Give every version of the latest fact that says or said `text`, and of those it followed."""
    names = [name for name, known in home.state.facts.items() if any(one.text == text for one in known)]
    assert names, f"nothing ever said {text!r}"
    return chain(home.state, names[-1])


def intervals(home: Home, text: str) -> list[tuple[str, str | None, str | None]]:
    """Give the versions of a history that are believed: (text, from, to), in the order of the world."""
    kept = [(one.text, one.valid_from, one.valid_to) for one in history(home, text) if believed(one)]
    return sorted(kept, key=lambda one: one[1] or "")


def believed(fact: Fact) -> bool:
    return fact.retracted_at is None and fact.status == "confirmed"


def found(home: Home, query: str) -> list[str]:
    """Give the notes a search finds, best first."""
    return [hit["path"] for hit in asked(home, "search", query)]


def problems(home: Home) -> list[tuple[str, int, str]]:
    """Give (note, line, code) of the problems `status` names."""
    return [(one["path"], one["line"], one["code"]) for one in asked(home, "status")["problems"]]


def line_with(home: Home, text: str) -> str:
    """Give the one line of Profil.md that holds a text."""
    lines = [line for line in home.profile().split("\n") if text in line]
    assert len(lines) == 1, lines
    return lines[0]


def drop_line(home: Home, text: str) -> str:
    """Delete the one line of Profil.md that holds a text; gives it."""
    line = line_with(home, text)
    home.replace(f"{line}\n", "")
    return line


def known_by(home: Home, until: str) -> State:
    """Give the state as the register knew it at a time."""
    return reading.known_at(home.records(), until, home.state)


def fold_all(home: Home) -> State:
    state = State()
    for record in home.records():
        fold(state, record)
    return state
