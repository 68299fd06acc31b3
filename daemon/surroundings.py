"""What stands around the vault on this machine: git's word on the folders of projects, and who listens on which port.

Nothing of a project is run or changed: no hook, no filter, no monitor, no lock, no network; what takes too long is
left out and says so.
"""

import os
import shutil
import socket
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

_SECONDS = 3.0
"""How long git may take for one folder."""
_MOST_FILES = 50
_MOST_PROJECTS = 20
_PORT_SECONDS = 0.2
_LOOPBACK = ("127.0.0.1", "::1")
_QUIET = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_ASKPASS": "true",
    "LC_ALL": "C",
}
_HARMLESS = {"core.fsmonitor": "false", "core.hooksPath": os.devnull, "status.submoduleSummary": "false"}
_KEPT = ("PATH", "HOME", "XDG_CONFIG_HOME", "SYSTEMROOT")
"""Variables git is given; one such as GIT_DIR would make it look elsewhere."""
_STATUS = ("status", "--porcelain=v1", "--branch", "-z", "--ignore-submodules=all", "--no-renames")


class _Failed(Exception):
    """Why git says nothing of a folder."""


def projects(
    folders: Sequence[str], vault: Path | None = None, timeout: float = _SECONDS
) -> list[dict[str, Any]]:
    """Give branch and changed files of each folder, as JSON values; `error` says why one has none.

    Files inside the vault are only counted (`more`): some of them may be private (R-P04).
    """
    return [_project(spelt, vault, timeout) for spelt in folders[:_MOST_PROJECTS]]


def _project(spelt: str, vault: Path | None, timeout: float) -> dict[str, Any]:
    found: dict[str, Any] = {"folder": spelt, "branch": None, "changed": [], "more": 0, "error": None}
    folder = Path(spelt).expanduser()
    if not folder.is_dir():
        return found | {"error": "missing"}
    try:
        said = _git(folder, _STATUS, timeout, _without_filters(folder, timeout))
    except _Failed as error:
        return found | {"error": str(error)}
    first, *rest = said.split("\0")
    files = sorted((line[3:], line[:2].strip()) for line in rest if line[3:])
    inside = _inside(_top(folder), vault)
    told = [{"state": state, "path": path} for path, state in files if not inside(path)][:_MOST_FILES]
    return found | {"branch": _branch(first), "changed": told, "more": len(files) - len(told)}


def _top(folder: Path) -> Path:
    """The folder that git's paths start from."""
    real = folder.resolve()
    return next((one for one in (real, *real.parents) if (one / ".git").exists()), real)


def _inside(top: Path, vault: Path | None) -> Callable[[str], bool]:
    """Give what tells whether a file of a project is the vault's."""
    if vault is None:
        return lambda _: False
    real = vault.resolve()
    return lambda path: (top / path).resolve().is_relative_to(real) or (top / path).is_relative_to(real)


def _branch(line: str) -> str | None:
    """The branch of `## main...origin/main [ahead 1]`; None where no branch is checked out."""
    name = line.removeprefix("## ").removeprefix("No commits yet on ").partition("...")[0]
    return None if name == "HEAD (no branch)" else name


def _without_filters(folder: Path, timeout: float) -> dict[str, str]:
    """Turn off every program that the folder's own configuration would have git run over changed files."""
    try:
        said = _git(folder, ("config", "--show-scope", "--null", "--get-regexp", r"^filter\."), timeout, {})
    except _Failed as error:
        if str(error) == "no_repository":  # also what git says by its exit code where no filter is named
            return {}
        raise
    parts = said.split("\0")
    off: dict[str, str] = {}
    for scope, entry in zip(parts[::2], parts[1::2], strict=False):
        key = entry.partition("\n")[0]
        name = key.rpartition(".")[0]
        if scope not in ("system", "global"):
            off |= {
                f"{name}.clean": "",
                f"{name}.smudge": "",
                f"{name}.process": "",
                f"{name}.required": "false",
            }
    return off


def _git(folder: Path, words: Sequence[str], timeout: float, settings: Mapping[str, str]) -> str:
    """Ask git something.

    Raises:
        _Failed: it does not answer, with `no_git`, `slow` or `no_repository`.
    """
    given = {name: os.environ[name] for name in _KEPT if name in os.environ}
    program = shutil.which("git")
    if program is None:
        raise _Failed("no_git")
    pairs = list({**_HARMLESS, **settings}.items())
    for number, (key, value) in enumerate(pairs):
        given |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    try:
        done = subprocess.run(  # noqa: S603 - a fixed command, no shell; the folder is the person's setting
            (program, "-C", str(folder), *words),
            env={**given, **_QUIET, "GIT_CONFIG_COUNT": str(len(pairs))},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise _Failed("slow") from None
    except OSError:
        raise _Failed("no_git") from None
    if done.returncode:
        raise _Failed("no_repository")
    return done.stdout.decode("utf-8", "replace")


def services(ports: Mapping[str, int]) -> list[dict[str, Any]]:
    """Give whether something on this machine listens on each port, by name, as JSON values."""
    return [
        {"name": name, "port": port, "listening": any(_listens(host, port) for host in _LOOPBACK)}
        for name, port in sorted(ports.items())
    ]


def _listens(host: str, port: int) -> bool:
    try:
        with socket.create_connection((host, port), timeout=_PORT_SECONDS):
            return True
    except OSError:
        return False
