"""Paths as agents give them: what is wrong with their spelling, told by the text alone or by what the agent may see."""

import posixpath

from daemon.agents.session import AgentSession
from daemon.runs.drafting import Planning
from daemon.tools.errors import ToolError
from daemon.vault import names
from daemon.vault.errors import NoteMissing, NotHereYet, OutsideVault, TooLarge, Unreadable, VaultError
from daemon.vault.targets import ours
from parsers.model.places import NotePath

UNKNOWN = (NoteMissing, NotHereYet, TooLarge, Unreadable)
"""Why a note is not read without its being known what it declares: it may be private, so none of it is told apart."""


def check_spelling(tool: str, argument: str, path: str) -> None:
    """Check that a path below the vault is spelt as it is there; one that leaves it is the policy's to refuse.

    Raises:
        ToolError: it is empty, or has parts that say nothing (`./a.md`, `a//b.md`, `a/../b.md`).
    """
    if not path.strip():
        raise ToolError("argument_empty", tool=tool, argument=argument)
    if _below(path):
        return
    spelt = posixpath.normpath(path)
    if spelt != path and _below(spelt):
        raise ToolError("path_spelling", path=path, spelt=spelt)


def is_nobodys(path: str) -> bool:
    """Tell whether a path is one that no note of the person's can have: outside the vault, hidden, or clavaire's."""
    return not _below(path) or bool(ours(path))


def _below(path: str) -> bool:
    try:
        names.check(path)
    except OutsideVault:
        return False
    return True


def check_folder(session: AgentSession, path: str) -> None:
    """Check that a path is no folder; only a folder with a note that this agent may read exists for it.

    Raises:
        ToolError: it is one.
    """
    with session.snapshot.still():
        plan = session.planning(session.snapshot)
    below = (one for one in plan.look.paths() if one.startswith(f"{path}/") and not ours(one))
    if any(_readable(plan, one) for one in below):
        raise ToolError("path_folder", path=path)


def _readable(plan: Planning, path: NotePath) -> bool:
    if plan.look.target(path).reasons:
        return False
    try:
        data = plan.look.read(path)
    except VaultError:
        return False
    return data is not None and plan.declares(path, data).sensitivity == "normal"
