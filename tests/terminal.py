"""A person at a terminal: commands run as processes whose input and output are a pseudo-terminal."""

import contextlib
import os
import pty
import subprocess
import sys
from pathlib import Path

from tests.home import Home

ROOT = Path(__file__).parents[1]
START = [sys.executable, "-c", "from daemon.cli.main import main; main()"]


def environ(home: Home) -> dict[str, str]:
    """Give the environment in which a process of its own finds a home."""
    values = {f"CLAVAIRE_{name}": value for name, value in home.environ.items()}
    places = {"CLAVAIRE_VAULT": str(home.root), "CLAVAIRE_GENERAL__STATE_FOLDER": str(home.state_root)}
    own = {"XDG_CONFIG_HOME": str(home.folder / "config"), "PYTHONPATH": str(ROOT)}
    return os.environ | values | places | own


def typed(home: Home, *arguments: str, keys: str = "", piped: str | None = None) -> tuple[int, str]:
    """Run a command on a terminal, these keys typed; gives its exit code and what the terminal shows.

    `piped` goes to its input instead of the terminal.
    """
    ours, theirs = pty.openpty()
    source = theirs if piped is None else subprocess.PIPE
    done = subprocess.Popen(
        [*START, *arguments], cwd=ROOT, env=environ(home), stdin=source, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    if piped is not None:
        assert done.stdin is not None
        done.stdin.write(piped.encode())
        done.stdin.close()
    if keys:
        os.write(ours, keys.encode())
    shown = b""
    with contextlib.suppress(OSError):  # the other side is closed
        while data := os.read(ours, 65536):
            shown += data
    os.close(ours)
    return done.wait(60), shown.decode().replace("\r\n", "\n")
