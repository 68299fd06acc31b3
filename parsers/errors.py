"""The family of errors whose text the owner reads; each class stands in the module that raises it."""

from typing import ClassVar


class ClavaireError(Exception):
    """Something the owner can act on; `str(error)` is the sentence they read."""

    exit_code: ClassVar[int] = 2
    """What the command line ends with (interfaces.md): 2 wrong use, 3 refused, 4 busy or not available."""


class BadBlock(Exception):
    """Why a block of properties cannot be read; it becomes a state of the note, and a problem."""

    def __init__(self, reason: str, line: int) -> None:
        """Keep what is wrong and where: `line` counts from 0 inside the block."""
        super().__init__(reason)
        self.reason, self.line = reason, line
