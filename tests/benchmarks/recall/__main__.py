"""`python -m tests.benchmarks.recall [FOLDER]`: how often the index finds what answers a question.

A set (`../shared/bench/recall/piaf` by default) stays where it is: its notes are copied to a vault of their own and
indexed as ever, its own `measure.py` says what the figures are. Tuned on even questions: the odd ones tell.
Exit 1 when the whole set is below its marks.
"""

import importlib.util
import json
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from config.i18n import catalogue
from config.paths import NAMES
from daemon.index import notes
from daemon.index.ranking import passages
from daemon.index.store import Index
from daemon.index.vectors import matrix
from daemon.recall.backlog import Backlog
from daemon.recall.embedding import ENGINE, NEAREST, load
from daemon.vault.door import Vault

HERE = Path(__file__).resolve().parents[3]
DEFAULT = HERE.parent / "shared" / "bench" / "recall" / "piaf"
MARKS = {("blocks", "recall@5"): 89.0, ("notes", "recall@5"): 95.0}
SHOWN = ("recall@1", "recall@5", "recall@10", "mrr")
LIMIT = 50
OTHERWISE = Path(__file__).with_name("said_otherwise.tsv")
"""Block and question, 54 of them said by hand without the words of the block: what vectors are for."""


def main() -> int:
    """Measure one set and say how it compares with its marks."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT
    if not folder.is_dir():
        print(f"there is no set in {folder}")
        return 0
    with tempfile.TemporaryDirectory() as made:
        index = indexed(folder, Path(made).resolve())
        sums, took = asked(index, folder)
        print_figures(sums)
        with_vectors(index, folder)
        index.close()
    took.sort()
    print(f"a query: p50 {1000 * took[len(took) // 2]:.1f} ms, p99 {1000 * took[-len(took) // 100]:.1f} ms")
    missed = [
        (kind, name, mark) for (kind, name), mark in MARKS.items() if share(sums, "whole", kind, name) < mark
    ]
    for kind, name, mark in missed:
        print(f"UNDER {kind} {name}: {share(sums, 'whole', kind, name):.2f} < {mark:g}")
    return 1 if missed else 0


def print_figures(sums: dict[tuple[str, str], Counter[str]]) -> None:
    """Print a line for each part of the questions, of blocks and of notes."""
    for part in ("even", "odd", "whole", "said otherwise"):
        for kind in ("blocks", "notes"):
            if (part, kind) in sums:
                figures = "  ".join(f"{name} {share(sums, part, kind, name):5.1f}" for name in SHOWN)
                print(f"{part:15}{kind:7}{figures}")


def with_vectors(index: Index, folder: Path) -> None:
    """Ask again with the model of the extra, where it is installed: reading the set takes it some minutes."""
    if find_spec(ENGINE) is None:
        print(f"with vectors: not measured, {ENGINE} is not installed")
        return
    model = load(ENGINE, catalogue("en"))
    Backlog(model).finish(index)
    vectors = matrix(index, model.key)
    print("with vectors:")
    print_figures(asked(index, folder, lambda text: vectors.near(model.query(text), NEAREST))[0])


def indexed(folder: Path, made: Path) -> Index:
    """Copy a set's notes to a vault and index them."""
    root, state = made / "vault", made / "state"
    shutil.copytree(folder / "notes", root)
    (root / NAMES.register_folder).mkdir(parents=True)
    vault = Vault(root, state / "backups", 5_000_000)
    listing = vault.walk()
    return Index.rebuild(
        state, lambda index: notes.refresh(index, listing.rows, listing.unknown, vault.read) and None
    )


def asked(
    index: Index, folder: Path, near: Callable[[str], Mapping[int, float]] = lambda _: {}
) -> tuple[dict[tuple[str, str], Counter[str]], list[float]]:
    """Ask every question; give the sums of the figures, and the seconds each question took."""
    measure = _measure(folder.parent / "measure.py")
    sums: dict[tuple[str, str], Counter[str]] = {}
    took = []
    for parts, query in questions(folder):
        begun = time.perf_counter()
        text, scope = query["query"], query["scope"] or None
        found = passages(index.connection, text, LIMIT, folder=scope, near=near(text))
        took.append(time.perf_counter() - begun)
        rankings = {
            "blocks": ([f"{one.title}#^{one.block_id}" for one in found], query["relevant_blocks"]),
            "notes": (list(dict.fromkeys(one.title for one in found)), query["relevant"]),
        }
        for kind, (ranking, relevant) in rankings.items():
            figures = measure(ranking, relevant) | {"asked": 1}
            for part in parts:
                sums.setdefault((part, kind), Counter()).update(figures)
    return sums, took


def questions(folder: Path) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    """Give a set's questions, each with the parts it counts for; then some of its own said in other words."""
    for number, line in enumerate((folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()):
        yield (("even", "odd")[number % 2], "whole"), json.loads(line)
    for line in OTHERWISE.read_text(encoding="utf-8").splitlines() if folder.name == "piaf" else ():
        block, text = line.split("\t")
        relevant = {"relevant_blocks": [block], "relevant": [block.partition("#")[0]]}
        yield ("said otherwise",), {"query": text, "scope": "", **relevant}


def share(sums: dict[tuple[str, str], Counter[str]], part: str, kind: str, name: str) -> float:
    """Give a figure in per cent."""
    counted = sums[part, kind]
    return 100 * counted[name] / counted["asked"]


def _measure(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location("measure", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.measure


if __name__ == "__main__":
    sys.exit(main())
