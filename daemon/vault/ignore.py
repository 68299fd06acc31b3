"""The ignore file: what of the vault is never read, in gitignore's syntax."""

import os
from collections.abc import Callable

from config.paths import NAMES
from daemon.vault.disk import Stamp, read_file, stamp_of
from daemon.vault.names import composed
from parsers.model.places import Problem


class IgnoreFile:
    """The vault's ignore file, read again when it changed, and patterns from elsewhere.

    Without either, pathspec is not even loaded.
    """

    def __init__(self, root: str, patterns: tuple[str, ...]) -> None:
        self._full = os.path.join(root, NAMES.ignore_file)
        self._patterns = patterns
        self._stamp: Stamp | None = Stamp(0, 0, 0)
        self._ignored: Callable[[str], bool] | None = None
        self.problems: tuple[Problem, ...] = ()
        """Lines that are no patterns."""

    def matcher(self) -> Callable[[str], bool] | None:
        """Whether a path (a folder's ends in `/`) is ignored, itself or by a folder above; None: nothing is.

        Raises:
            OSError: The file is there and cannot be read, so nothing may be.
        """
        try:
            stamp = stamp_of(os.lstat(self._full))
        except FileNotFoundError:
            stamp = None
        if stamp != self._stamp:
            text = read_file(self._full)[0].decode("utf-8", "replace") if stamp else ""
            self._ignored, self.problems = _compiled([*self._patterns, *text.lstrip("\ufeff").split("\n")])
            self._stamp = stamp
        return self._ignored


def _compiled(lines: list[str]) -> tuple[Callable[[str], bool] | None, tuple[Problem, ...]]:
    lines = [composed(line.rstrip("\r")) for line in lines]
    if not any(lines):
        return None, ()
    from pathspec import GitIgnoreSpec  # noqa: PLC0415 - 30 ms, only for vaults that have an ignore file

    good: list[str] = []
    problems = []
    for line in lines:
        try:
            GitIgnoreSpec.from_lines([line])
        except ValueError:
            problems.append(Problem(NAMES.ignore_file, 0, "ignore_pattern", (("pattern", line),)))
        else:
            good.append(line)
    spec = GitIgnoreSpec.from_lines(good)
    return lambda path: spec.match_file(composed(path)), tuple(problems)
