"""Which file of the vault a link leads to (obsidian.md, A9): paths in, a path out."""

import unicodedata
from collections.abc import Iterable


def fold(path: str) -> str:
    """Give a path as links are compared: composed, without case, no-break spaces as spaces."""
    return unicodedata.normalize("NFC", path.replace("\u00a0", " ")).casefold()


def folder_of(path: str) -> str:
    """Give the folder of a path, `""` for the root of the vault."""
    return path.rpartition("/")[0]


def name_of(path: str) -> str:
    """Give the last part of a path."""
    return path.rpartition("/")[2]


def joined(folder: str, target: str) -> str | None:
    """Give the path of a target seen from a folder, None when it leads out of the vault."""
    parts = [part for part in folder.split("/") if part]
    for part in target.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in {"", "."}:
            parts.append(part)
    return "/".join(parts)


def relative(folder: str, path: str) -> str:
    """Give the target that leads from a folder to a path."""
    here, there = [part for part in folder.split("/") if part], path.split("/")
    shared = 0
    while shared < min(len(here), len(there) - 1) and here[shared] == there[shared]:
        shared += 1
    return "/".join([".."] * (len(here) - shared) + there[shared:])


def is_relative(target: str) -> bool:
    """Whether a target says by itself that it is seen from its note's folder."""
    return target.startswith(("./", "../")) or "/../" in target


class World:
    """The files of a vault at one moment."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths: dict[str, list[str]] = {}
        self._names: dict[str, list[str]] = {}
        for path in sorted(set(paths), key=lambda one: (one.count("/"), one)):
            key = fold(path)
            self._paths.setdefault(key, []).append(path)
            self._names.setdefault(name_of(key), []).append(path)

    def find(self, target: str, source: str) -> str | None:
        """Give the file a link in the note `source` leads to; None when there is none.

        First the path from the root of the vault, then from the note's folder, then the file of that name (or whose
        path ends so) nearest to the root. `.md` may be left out.
        """
        if not target.strip("/"):
            return None
        if is_relative(target):
            return self._at(joined(folder_of(source), target))
        bare = target.strip("/")
        if (found := self._at(bare)) or target.startswith("/"):
            return found
        return self._at(joined(folder_of(source), bare)) or self._named(bare)

    def at_root(self, target: str) -> str | None:
        """Give the file a target leads to as a path from the root of the vault."""
        return self._at(target.strip("/"))

    def _at(self, path: str | None) -> str | None:
        for spelt in (path, f"{path}.md") if path else ():
            if found := self._paths.get(fold(spelt)):
                return spelt if spelt in found else found[0]
        return None

    def _named(self, target: str) -> str | None:
        for spelt in (target, f"{target}.md"):
            key = fold(spelt)
            ends = f"/{key}"
            found = [one for one in self._names.get(name_of(key), ()) if f"/{fold(one)}".endswith(ends)]
            if found:
                return found[0]
        return None
