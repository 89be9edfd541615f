"""How fast the measurements are, and what they take: ratios to a straightforward peer of equal values in the same run.

    python benchmarks/metrics.py [--quick] [--json FILE]

Sizes: 1x is 60 templates x 8 groups x 13 terms = 6,240 rows of a classifier of three classes; 10x, 100x and a million
rows have more templates. Every ratio is of medians of CPU seconds over turns, after the values of both sides were found
equal. What was aimed at is beside each ratio, and MISSED where it is missed. Time and memory by size are of a
process each. The straightforward side draws 100 rows of products that are too large to list (`pert_sd`, `pert_sr`), as
the core paper does: those values are equal within their noise.
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
from metrics_tables import catalogue, simulated, table_of
from straightforward import covers, metric_values

from fairness_checklist import evaluate
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.metric_forms import METRICS

SIZES = {"1x": 60, "10x": 600, "100x": 6_000, "a million rows": 9_616}
PERT = ("pert_sd", "pert_sr")  # whose products of 390,625 rows the peer samples, as the core paper does


def turns(sides: dict[str, Callable[[], Any]], rounds: dict[str, int]) -> dict[str, float]:
    """The median CPU seconds of each side, taking turns."""
    seconds: dict[str, list[float]] = {name: [] for name in sides}
    for number in range(max(rounds.values())):
        for name, side in sides.items():
            if number < rounds[name]:
                start = time.process_time()
                side()
                seconds[name].append(time.process_time() - start)
    return {name: statistics.median(values) for name, values in seconds.items()}


def ratio(what: str, ours: float, peer: float, aim: float, note: str = "") -> dict[str, Any]:
    """One line of the table."""
    return {"what": what, "ours": ours, "peer": peer, "ratio": peer / ours, "aim": aim, "note": note}


def whole_catalogue(quick: bool) -> Iterator[dict[str, Any]]:
    """All metrics with their totals at 24,000 rows, against scipy called a class, group, pair and source."""
    make = 60 if quick else 600
    outcomes = simulated(make, 8, 5)
    table = table_of(outcomes)
    names = [name for name, metric in METRICS.items() if covers(metric, table)]
    found: dict[str, dict[tuple[str, str, str], float]] = {}
    start = time.process_time()
    for name in names:
        found[name] = metric_values(name, table)
    peer = time.process_time() - start
    for name in names:
        ours = {(r["class"], r["left"], r["right"]): float(r["value"]) for r in compute(name, outcomes).rows()}
        within = 0.02 if name in PERT else 1e-9
        if ours.keys() != found[name].keys() or not all(
            np.isclose(value, found[name][key], rtol=within, atol=1e-9, equal_nan=True) for key, value in ours.items()
        ):
            raise RuntimeError(f"{name}: other values than the straightforward implementation")
    sides = {"ours": lambda: catalogue(simulated(make, 8, 5, again=outcomes), names)}
    ours_seconds = turns(sides, {"ours": 5})["ours"]
    told = f"{len(names)} of {len(METRICS)} metrics, {len(outcomes):,} rows; the others have no peer here"
    yield ratio("whole catalogue", ours_seconds, peer, 50, told)


def by_size(quick: bool) -> Iterator[dict[str, Any]]:
    """Seconds and peak memory of the whole catalogue, in a process of its own for each size."""
    for name, sources in SIZES.items():
        if quick and sources > 600:
            continue
        told = subprocess.run(
            [sys.executable, __file__, "--one", str(sources)], capture_output=True, text=True, check=True
        )
        yield {"size": name, **json.loads(told.stdout)}


def _peak() -> float:
    """The most memory that this process has held so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def one_size(sources: int) -> dict[str, Any]:
    """What ``by_size`` asks a process of its own for."""
    imported = _peak()
    outcomes = simulated(sources, 8, 13)
    table = _peak()
    start = time.process_time()
    catalogue(outcomes, list(METRICS))
    seconds = time.process_time() - start
    return {"rows": len(outcomes), "seconds": seconds, "MB imported": imported, "MB table": table, "MB peak": _peak()}


def evaluated(groups: int, terms: int, sources: int = 30) -> Callable[[], Any]:
    """`evaluate` of a table of so many groups of so many terms."""
    random = np.random.default_rng(0)
    source, term = (side.ravel() for side in np.indices((sources, groups * terms)))
    positive = random.beta(2, 2, size=len(source))
    table = pd.DataFrame(
        {
            "source": source.astype(str),
            "group": (term // terms).astype(str),
            "term": term.astype(str),
            "lexeme": term.astype(str),
            "label": np.where(source % 2, "positive", "negative"),
            "p:negative": 1 - positive,
            "p:positive": positive,
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
        seconds = turns({"small": evaluated(*small), "large": evaluated(*large)}, {"small": 3, "large": 3})
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


def ratios(quick: bool) -> Iterator[dict[str, Any]]:
    """Every ratio to a peer."""
    yield from whole_catalogue(quick)
    for what, ours, peer, aim, note, rounds in (exact_case(), *rates_case(quick), *group_cases(quick)):
        seconds = turns({"ours": ours, "peer": peer}, {"ours": 9, "peer": 1 if quick else rounds})
        yield ratio(what, seconds["ours"], seconds["peer"], aim, note)
    yield from growth(quick)


def main() -> None:
    """Run, print tables, and write the figures where ``--json`` says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer rows and turns; the aims are for the full run")
    parser.add_argument("--json", type=Path, help="where to write the figures")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(one_size(options.one)))
        return
    found: dict[str, Any] = {"quick": options.quick, "ratios": [], "seconds": [], "by size": []}
    for line in ratios(options.quick):
        found["ratios"].append(line)
        missed = "" if line["ratio"] >= line["aim"] else "  MISSED"
        print(f"{line['what']:<44} ours {line['ours'] * 1e3:9.2f} ms  peer {line['peer'] * 1e3:10.1f} ms  ", end="")
        print(f"{line['ratio']:8.1f} times (aim {line['aim']:,}){missed}  {line['note']}", flush=True)
    for line in (*measured_run(), *starts()):
        found["seconds"].append(line)
        missed = "" if line["seconds"] <= line["aim"] else "  MISSED"
        print(
            f"{line['what']:<44} {line['seconds']:9.3f} s (aim {line['aim']} s){missed}  {line.get('note', '')}",
            flush=True,
        )
    for line in by_size(options.quick):
        found["by size"].append(line)
        print(f"{line['size']:<15} {line['rows']:>9,} rows  {line['seconds']:7.2f} s CPU  ", end="")
        print(
            f"peak {line['MB peak']:6.0f} MB (imports {line['MB imported']:.0f}, table {line['MB table']:.0f})",
            flush=True,
        )
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
