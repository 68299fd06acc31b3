"""Every golden task is green, and turns red when the behaviour it guards is changed (R-D02)."""

import ast
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.golden.harness import play, tasks

ROOT = Path(__file__).parent.parent.parent
PACKAGES = ("daemon", "parsers", "renderers", "config")
TEST_FILES = ("home.py", "asking.py", "golden", "kill")


@pytest.mark.parametrize("task", tasks())
def test_a_golden_task_ends_as_it_must(task, tmp_path):
    play(task, tmp_path.resolve())


class DropClosing(ast.NodeTransformer):
    """The old version is never closed."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        return ast.copy_location(ast.Pass(), node) if _calls(node.value, "amend", "closed") else node


class AlwaysCorrect(ast.NodeTransformer):
    """Every rewording counts as made within the edit window."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if node.name == "recent":
            node.body = [ast.Return(ast.Constant(value=True))]
        return node


class EndsIncluded(ast.NodeTransformer):
    """The day on which a version ends counts as its own."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if node.name == "_covers":
            for one in ast.walk(node):
                if isinstance(one, ast.Compare):
                    one.ops = [ast.LtE() if isinstance(op, ast.Lt) else op for op in one.ops]
        return node


class KeepRetracted(ast.NodeTransformer):
    """A corrected version goes on being believed."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        return ast.copy_location(ast.Pass(), node) if _calls(node.value, "amend", "retracted") else node


class ObeyContent(ast.NodeTransformer):
    """What an instruction found in content asks for is judged like anybody's wish."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if node.name == "_content":
            node.body = [ast.Return(ast.Constant(value=False))]
        return node


class BelieveTheCaller(ast.NodeTransformer):
    """Where an argument was found bears on nothing."""

    def visit_ListComp(self, node: ast.ListComp) -> ast.AST:
        planted = any(isinstance(one, ast.Attribute) and one.attr == "where" for one in ast.walk(node))
        return ast.copy_location(ast.List([], ast.Load()), node) if planted else node


class SucceedByItself(ast.NodeTransformer):
    """What another process was carrying out goes on without anybody saying so."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if node.name == "recover":
            node.body = [ast.Return(ast.Constant(value=False))]
        return node


class BeginAgain(ast.NodeTransformer):
    """A step of which nobody knows the end is begun again, done or not."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if node.name in ("_came_to_pass", "_as_expected"):
            node.body = [ast.Return(ast.Constant(value=False))]
        return node


class TakeTheFirst(ast.NodeTransformer):
    """Of several whom a name may mean the first is taken to be meant."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if node.name == "clear_winner":
            node.body = [ast.parse("return next(iter(candidates), None)").body[0]]
        return node


class KeepOpen(ast.NodeTransformer):
    """A relation that another followed is never closed."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        return ast.copy_location(ast.Pass(), node) if _calls(node.value, "emit", "relation.closed") else node


def _calls(node: ast.expr, method: str, first: str) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == method
        and isinstance(node.args[0], ast.Constant)
        and node.args[0].value == first
    )


MUTATIONS: list[tuple[str, Callable[[], ast.NodeTransformer], str]] = [
    ("daemon/memory/values.py", DropClosing, "g7-dentiste"),
    ("daemon/memory/moment.py", AlwaysCorrect, "g7-dentiste"),
    ("daemon/memory/recollect.py", EndsIncluded, "g7-dentiste"),
    ("daemon/memory/values.py", KeepRetracted, "g7-dentiste"),
    ("daemon/policy/rules.py", ObeyContent, "g3-courriel-piege"),
    ("daemon/policy/rules.py", BelieveTheCaller, "g3-courriel-piege"),
    ("daemon/acting.py", SucceedByItself, "g6-tue-a-mi-chemin"),
    ("daemon/runs/executor.py", BeginAgain, "g6-tue-a-mi-chemin"),
    ("daemon/memory/resolving.py", TakeTheFirst, "g8-deux-marie"),
    ("daemon/memory/relations.py", KeepOpen, "g8-deux-marie"),
]


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """A copy of the packages and of what plays golden tasks."""
    place = tmp_path_factory.mktemp("mutated")
    ignored = shutil.ignore_patterns("__pycache__")
    for name in PACKAGES:
        shutil.copytree(ROOT / name, place / name, ignore=ignored)
    (place / "tests").mkdir()
    for name in TEST_FILES:
        source = ROOT / "tests" / name
        if source.is_dir():
            shutil.copytree(source, place / "tests" / name, ignore=ignored)
        else:
            shutil.copy(source, place / "tests" / name)
    return place


def played(place: Path, task: str, folder: Path) -> subprocess.CompletedProcess[str]:
    folder.mkdir()
    command = [sys.executable, "-B", "-m", "tests.golden.harness", task, str(folder)]
    return subprocess.run(command, cwd=place, capture_output=True, text=True, check=False, timeout=100)


@pytest.mark.parametrize("task", tasks())
def test_the_copied_packages_are_green_before_they_are_changed(copied, tmp_path, task):
    done = played(copied, task, tmp_path / "stage")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("file", "mutation", "task"), MUTATIONS, ids=[mutation.__name__ for _, mutation, _ in MUTATIONS]
)
def test_a_golden_task_turns_red_when_the_behaviour_changes(copied, tmp_path, file, mutation, task):
    whole = (copied / file).read_text("utf-8")
    mutated = ast.unparse(ast.fix_missing_locations(mutation().visit(ast.parse(whole))))
    assert mutated != ast.unparse(ast.parse(whole)), (
        "nothing to change: the code moved, move the mutation with it"
    )
    (copied / file).write_text(mutated, "utf-8")
    try:
        done = played(copied, task, tmp_path / "stage")
    finally:
        (copied / file).write_text(whole, "utf-8")
    assert done.returncode == 1
    assert done.stderr.startswith("red:"), done.stderr
