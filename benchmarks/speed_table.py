"""The tables of docs/speed.md, written from the figures in `benchmarks/results`.

python benchmarks/speed_table.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"
WAYS = ("loop sorted by length", "pipeline, batch 32", "pipeline, batch 1")


def figures(name: str) -> Any:
    """What a benchmark wrote with ``--json``."""
    return json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))


def table(head: str, rows: list[str]) -> str:
    """A table in Markdown."""
    return "\n".join([head, "|---" * (head.count("|") - 1) + "|", *rows]) + "\n"


def tables() -> list[str]:
    """Forward passes, measurements against their peers, and `evaluate` by size."""
    forward = figures("inference")["results"]
    speeds = [
        f"| {own['kind']}, {own['model']} | {own['sentences_a_second']['ours']:,.0f} | "
        + " | ".join(f"{own['ratios'][way]:.2f}" for way in WAYS)
        + f" | {100 * own['share_outside_forward']:.1f} % | "
        + " | ".join(f"{every['ratios'][way]:.2f}" for way in WAYS[:2])
        + " |"
        for own, every in zip(forward[::2], forward[1::2], strict=True)
    ]
    measured = figures("metrics")
    ratios = [
        f"| {own['what']} | {1e3 * own['ours']:.1f} | {1e3 * own['peer']:.1f} | {own['ratio']:.2f} |"
        for own in measured["ratios"]
        if not own["what"].startswith("evaluate")
    ]
    sizes = [
        f"| {own['rows']:,} | {own['groups']:,} | {own['terms']:,} | {own['seconds']:.0f} | "
        + f"{own['MB peak'] / 1024:.1f} GB |"
        for own in measured["by size"]
        if own["what"] == "evaluate"
    ]
    return [
        table(
            "| model | a second | loop | `pipeline`, 32 | `pipeline`, 1 | outside | "
            f"{forward[1]['cores']} cores: loop | `pipeline`, 32 |",
            speeds,
        ),
        table("| measurement: peer | ours, ms | peer, ms | ratio |", ratios),
        table("| rows | groups | terms | CPU seconds | peak memory |", sizes),
    ]


if __name__ == "__main__":
    print("\n".join(tables()))
