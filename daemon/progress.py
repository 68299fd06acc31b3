"""Progress of long work, on a terminal."""

from rich.console import Console
from rich.progress import Progress as Bar

from daemon.index.refresh import Progress


def bar(label: str) -> Progress:
    """Give what draws a bar on stderr, from the first call on."""
    shown = Bar(console=Console(stderr=True), transient=True)
    task = shown.add_task(label, total=None)

    def advance(done: int, total: int) -> None:
        if not shown.live.is_started:
            shown.start()
        shown.update(task, completed=done, total=total)
        if done >= total:
            shown.stop()

    return advance
