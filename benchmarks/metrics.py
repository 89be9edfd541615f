"""How fast the measurements are, and what they take: ratios to the best peer that a user would write in ten lines.

    python benchmarks/metrics.py [--quick] [--json FILE] [--part peers,growth,seconds,catalogue,evaluate]

Both sides are cold: each turn begins from the same columns of integers and probabilities, and nothing that an earlier
turn found is used again. Ratios are of medians of CPU seconds over turns, after the values of both sides were found
equal; above 1 ours is faster. What was aimed at is beside each ratio, and MISSED where it is missed. Time and memory by
size are of a process each: all metrics of a classifier of three classes (1x is 60 templates x 8 groups x 13 terms =
6,240 rows; larger ones have more templates), and `evaluate` with its defaults.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from metrics_peers import exact_case, group_cases, measured_run, rates_case
from metrics_tables import CLASSES, catalogue, machine, simulated

from fairness_checklist import evaluate
from fairness_checklist.metrics.metric_forms import METRICS

CATALOGUE = {"1x": (8, 13, 60), "10x": (8, 13, 600), "100x": (8, 13, 6_000), "a million rows": (8, 13, 9_616)}
EVALUATE = {
    "many rows": (7, 12, 2_380),
    "a million rows": (7, 12, 11_905),
    "many groups": (200, 10, 20),
    "many terms": (10, 500, 20),
    "a thousand groups": (1000, 10, 10),
    "ten thousand terms": (10, 1000, 10),
}


def turns(sides: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """The median CPU seconds of each side, taking turns."""
    seconds: dict[str, list[float]] = {name: [] for name in sides}
    for _round in range(rounds):
        for name, side in sides.items():
            start = time.process_time()
            side()
            seconds[name].append(time.process_time() - start)
    return {name: statistics.median(values) for name, values in seconds.items()}


def ratio(what: str, ours: float, peer: float, aim: float, note: str = "") -> dict[str, Any]:
    """One line of the table."""
    return {"what": what, "ours": ours, "peer": peer, "ratio": peer / ours, "aim": aim, "note": note}


def by_size(quick: bool, parts: list[str]) -> Iterator[dict[str, Any]]:
    """Seconds and peak memory of the whole catalogue and of `evaluate`, in a process of its own for each size."""
    for what, sizes in (("catalogue", CATALOGUE), ("evaluate", EVALUATE)):
        for name, size in sizes.items():
            if what not in parts or (quick and size[2] not in (60, 600)):
                continue
            told = subprocess.run(
                [sys.executable, __file__, "--one", what, *map(str, size)], capture_output=True, text=True, check=True
            )
            yield {"what": what, "size": name, **json.loads(told.stdout)}


def _peak() -> float:
    """The most memory that this process has held so far, in MB (Linux: that of its parent does not count)."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def one_size(what: str, groups: int, terms: int, sources: int) -> dict[str, Any]:
    """What ``by_size`` asks a process of its own for."""
    imported = _peak()
    outcomes = simulated(sources, groups, terms) if what == "catalogue" else None
    run = evaluated(groups, terms, sources) if outcomes is None else lambda: catalogue(outcomes, list(METRICS))
    table, start = _peak(), time.process_time()
    run()
    seconds, rows = time.process_time() - start, groups * terms * sources
    return {
        "rows": rows,
        "groups": groups,
        "terms": groups * terms,
        "seconds": seconds,
        "MB imported": imported,
        "MB table": table,
        "MB peak": _peak(),
    }


def evaluated(groups: int, terms: int, sources: int = 30) -> Callable[[], Any]:
    """`evaluate` of a table of three classes and so many groups of so many terms."""
    source, term = (side.ravel() for side in np.indices((sources, groups * terms)))
    p = np.random.default_rng(0).dirichlet(np.ones(3), size=len(source))
    table = pd.DataFrame(
        {
            "source": source.astype(str),
            "group": (term // terms).astype(str),
            "term": term.astype(str),
            "lexeme": term.astype(str),
            "label": np.array(CLASSES)[source % 3],
            **{f"p:{name}": p[:, c] for c, name in enumerate(CLASSES)},
        }
    )
    return lambda: evaluate(table)


def growth(quick: bool) -> Iterator[dict[str, Any]]:
    """How much longer an evaluation of four times as many groups, terms and sources takes than four of the smaller."""
    n = 1 if quick else 4
    cases = {"groups": (6 * n, 3), "terms": (3, 20 * n), "sources": (4, 8, 30 * n)}
    for what, small in cases.items():
        at = list(cases).index(what)
        large = tuple(4 * size if i == at else size for i, size in enumerate(small))
        seconds = turns({"small": evaluated(*small), "large": evaluated(*large)}, 1 if quick else 3)
        told = f"{small[at]} and {large[at]} {what}; the peer is four times the smaller one"
        yield ratio(f"evaluate, four times the {what}", seconds["large"], 4 * seconds["small"], 0.5, told)


def starts() -> Iterator[dict[str, Any]]:
    """CPU seconds of importing the package and of ``--help``, less those of an empty Python."""

    def cpu(*arguments: str) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *arguments], capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    cpu("-c", "import fairness_checklist")
    empty = statistics.median(cpu("-c", "") for _ in range(5))
    loaded = statistics.median(cpu("-c", "import fairness_checklist") for _ in range(5))
    command = str(Path(sys.executable).with_name("fairness-checklist"))
    asked = statistics.median(cpu(command, "--help") for _ in range(5))
    yield {"what": "import, CPU", "seconds": loaded - empty, "aim": 0.05}
    yield {"what": "--help, CPU with Python's own start", "seconds": asked, "aim": 0.3}


def ratios(quick: bool, parts: list[str]) -> Iterator[dict[str, Any]]:
    """Every ratio to a peer."""
    cases = (exact_case(), *rates_case(quick), *group_cases(quick)) if "peers" in parts else ()
    for what, ours, peer, aim, note in cases:
        seconds = turns({"ours": ours, "peer": peer}, 5 if quick else 41)
        yield ratio(what, seconds["ours"], seconds["peer"], aim, note)
    if "growth" in parts:
        yield from growth(quick)


def main() -> None:
    """Run, print tables, and write the figures where ``--json`` says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer rows and turns; the aims are for the full run")
    parser.add_argument("--json", type=Path, help="where to write the figures")
    parser.add_argument("--part", default="peers,growth,seconds,catalogue,evaluate", help="some of these, by commas")
    parser.add_argument("--one", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(one_size(options.one[0], *map(int, options.one[1:]))))
        return
    parts = options.part.split(",")
    found: dict[str, Any] = {"quick": options.quick, "ratios": [], "seconds": [], "by size": [], **machine()}
    for line in ratios(options.quick, parts):
        found["ratios"].append(line)
        missed = "" if line["ratio"] >= line["aim"] else "  MISSED"
        print(f"{line['what']:<48} ours {line['ours'] * 1e3:9.2f} ms  peer {line['peer'] * 1e3:9.2f} ms  ", end="")
        print(f"{line['ratio']:6.2f} times (aim {line['aim']:.2f}){missed}  {line['note']}", flush=True)
    for line in (*measured_run(), *starts()) if "seconds" in parts else ():
        found["seconds"].append(line)
        missed = "" if line["seconds"] <= line["aim"] else "  MISSED"
        print(
            f"{line['what']:<44} {line['seconds']:9.3f} s (aim {line['aim']} s){missed}  {line.get('note', '')}",
            flush=True,
        )
    for line in by_size(options.quick, parts):
        found["by size"].append(line)
        print(f"{line['what']}, {line['size']:<15} {line['rows']:>9,} rows  {line['seconds']:7.2f} s CPU  ", end="")
        print(
            f"peak {line['MB peak']:6.0f} MB (imports {line['MB imported']:.0f}, table {line['MB table']:.0f})",
            flush=True,
        )
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
