"""The process of `clavaire`. What it imports stays to its end, so Python's collector need not look at it.

While imports run, then while the command does, and once more at the end, it would: a sixth of a search's time.
"""

import gc


def main() -> None:
    """Import the command line and run it."""
    gc.disable()
    from daemon.cli.main import main as run

    gc.enable()
    gc.freeze()
    run()
