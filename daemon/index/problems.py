"""What the owner should look at, kept until the one who found it says otherwise."""

import json
from collections.abc import Iterable

from daemon.index.store import Index
from parsers.model.places import Problem


def replace_problems(index: Index, scope: str, problems: Iterable[Problem]) -> None:
    """Put the problems of a scope (a note, a kind of check) in the place of those it had."""
    rows = [(scope, *_columns(problem)) for problem in problems]
    with index.batch() as db:
        db.execute("DELETE FROM problems WHERE scope = ?", (scope,))
        db.executemany("INSERT INTO problems(scope, path, line, code, json) VALUES(?, ?, ?, ?, ?)", rows)


def problems(index: Index, scope: str | None = None) -> list[Problem]:
    """Give each problem once, of one scope or of all, by note, line and code."""
    query = "SELECT DISTINCT path, line, code, json FROM problems WHERE ? IN (scope, '') ORDER BY 1, 2, 3, 4"
    rows = index.connection.execute(query, (scope or "",))
    return [Problem(path, line, code, _values(spelt)) for path, line, code, spelt in rows]


def _columns(problem: Problem) -> tuple[str, int, str, str]:
    return problem.path, problem.line, problem.code, json.dumps(problem.values, ensure_ascii=False)


def _values(spelt: str) -> tuple[tuple[str, str], ...]:
    return tuple((name, value) for name, value in json.loads(spelt))
