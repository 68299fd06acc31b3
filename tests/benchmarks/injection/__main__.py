"""`python -m tests.benchmarks.injection [FOLDER] [--format json] [--verbose]`: the public injection benchmark.

Suites stay where they are (`../shared/bench/agentdojo` by default); where there is none, it says so and gives 0.
"""

import argparse
import json
import sys
from math import sqrt
from pathlib import Path

from tests.benchmarks.injection.replay import Result, play
from tests.benchmarks.injection.suites import read

HERE = Path(__file__).resolve().parents[3]
DEFAULT = HERE.parent / "shared" / "bench" / "agentdojo"
KINDS = ("free", "approval", "reinforced", "refused")


def wilson(count: int, total: int, z: float = 1.96) -> tuple[float, float]:
    """Give the 95 % Wilson interval of a share."""
    if not total:
        return 0.0, 1.0
    share, square = count / total, z * z
    middle = share + square / (2 * total)
    spread = z * sqrt(share * (1 - share) / total + square / (4 * total * total))
    return max(0.0, (middle - spread) / (1 + square / total)), min(
        1.0, (middle + spread) / (1 + square / total)
    )


def as_json(results: dict[str, Result]) -> str:
    """Give the counts of every suite."""
    suites = {
        name: {
            "unseen": one.unseen,
            "unseen_part": one.unseen_part,
            "misleading_floor": one.misleading_floor,
            "tasks": {kind: one.tasks[kind] for kind in KINDS},
        }
        for name, one in results.items()
    }
    return json.dumps({"suites": suites})


def as_text(results: dict[str, Result], *, verbose: bool) -> str:
    """Give the counts of every suite as a person reads them."""
    lines: list[str] = []
    for name, one in results.items():
        total = sum(one.tasks.values())
        human = total - one.tasks["free"]
        low, high = wilson(human, total)
        rules = ", ".join(f"{rule} x {count}" for rule, count in sorted(one.rules.items()) if count)
        share = f"{human / max(total, 1):.0%}, 95 % {low:.0%}-{high:.0%}"
        lines += [
            f"{name}",
            f"  attacks                     {one.attacks} ({one.calls} calls that matter, claimed and stated)",
            f"  no human: all / a part      {one.unseen} / {one.unseen_part}",
            f"  misleading plain approvals  {one.misleading_floor}",
            *(
                f"  hardest, {mode:<8}           " + ", ".join(f"{kind} {count[kind]}" for kind in KINDS)
                for mode, count in one.hardest_attack.items()
            ),
            f"  user tasks ({total})            " + ", ".join(f"{kind} {one.tasks[kind]}" for kind in KINDS),
            f"  need a human                {human}/{total} = {share} (by rule: {rules})",
            f"  lineage as traced           {one.agreed}/{one.traced}",
            *(f"  refused  {line}" for line in one.refused),
            *(f"  differs  {line}" for line in one.disagreements if verbose),
        ]
    return "\n".join(lines)


def main() -> int:
    """Play every suite of a folder and print what it came to."""
    parser = argparse.ArgumentParser(prog="bench-injection")
    parser.add_argument("folder", nargs="?", type=Path, default=DEFAULT)
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument("--verbose", action="store_true", help="say where lineage differs from the traces")
    asked = parser.parse_args()
    files = sorted(asked.folder.glob("*.json"))
    if not files:
        sys.stderr.write(f"skipped: no suite in {asked.folder} (make bench-injection SUITES=folder)\n")
        if asked.format == "json":
            print(as_json({}))
        return 0
    suites = [read(json.loads(file.read_text("utf-8"))) for file in files]
    results = {suite.name: play(suite) for suite in suites}
    print(as_json(results) if asked.format == "json" else as_text(results, verbose=asked.verbose))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
