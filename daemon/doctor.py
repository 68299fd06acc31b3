"""What is wrong with a vault, its register and its index, and what can be mended: `doctor`."""

from collections.abc import Mapping
from typing import Any

from daemon.app import App
from daemon.index import memory as rows
from daemon.index.problems import problems
from daemon.register import repair
from parsers.model.places import Problem
from parsers.model.register import Mark


def doctor(app: App, *, fix: bool) -> tuple[Problem, ...]:
    """Check vault, register and index, and mend what can be mended; gives what is still wrong."""
    if fix:
        with app.vault.locked():
            _mend(app)
    outcome = app.pipeline.sync()
    found = [*map(app.history.explained, app.register.verify()), *problems(app.history.index)]
    if outcome.closed:
        found.insert(0, outcome.closed)
    return tuple(dict.fromkeys(found))


def _mend(app: App) -> None:
    """Write lost register lines back from the index, and finish purges a crash stopped."""
    app.history.catch_up()
    known = app.register.read()
    if known.mode == "maintenance":
        repair.write_back(app.register, [text.encode("utf-8") for _, text in rows.lines(app.history.index)])
        app.history.catch_up()
    elif known.unfinished:
        repair.finish_purges(app.register)


def unvouched(app: App) -> tuple[Mark, list[str]]:
    """Give the end of the register as accepting it would vouch for it, and the lines that are not vouched for.

    Raises:
        RegisterClosed: it is broken, which no acceptance heals.
    """
    end = app.register.acceptable()
    seen = app.register.read()
    doubtful = [record for record in seen.records if not record.vouched or record.seq > seen.mark.seq]
    return end, [
        f"{record.seq}  {record.at}  {record.by}  {record.op}  {_words(record.body)}" for record in doubtful
    ]


def _words(body: Mapping[str, Any]) -> str:
    return str(body.get("text") or body.get("name") or body.get("id") or "")
