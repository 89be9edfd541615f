"""Sentences a second of two worker processes, and of two threads of one process, against one process with one thread.

    python benchmarks/workers.py [--quick] [--json FILE]

All ways score the same sentences with the same random weights in the same run, taking turns, and must give the same
bytes. Workers have to start first: each imports torch and loads the model. The start is measured with few sentences and
printed by itself, and the ratio of the workers is given with it and without it. One core for each worker or thread.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from inference import SIZES, make_sentences, save_model

from fairness_checklist.models.load import load_model

CORES = 2
CHUNK = 128  # so that both workers have as much to do at the end
FEW = 2 * CHUNK  # one chunk a worker
WAYS = ("one process", "two workers", "two threads")


def measure(size: str, n: int, repeats: int) -> dict[str, Any]:
    """Medians of seconds for few and for n sentences, and the ratios of one process to the other ways."""
    sentences = make_sentences(n)
    some = sentences[:FEW]
    seconds: dict[str, dict[int, list[float]]] = {way: {FEW: [], n: []} for way in WAYS}
    with tempfile.TemporaryDirectory() as name:
        save_model(Path(name), SIZES[size], sentences, "classifier")
        one: Any = replace(load_model(name, task="sentiment"), chunk_size=CHUNK)  # type: ignore[type-var]
        two: Any = replace(load_model(name, task="sentiment", workers=CORES), chunk_size=CHUNK)  # type: ignore[type-var]
        torch.set_num_threads(1)
        one.predict(some)
        for _ in range(repeats):
            answers = set()
            for way, model, threads in zip(WAYS, (one, two, one), (1, CORES, CORES), strict=True):
                torch.set_num_threads(threads)  # of which each worker gets its share
                for texts in (some, sentences):
                    start = time.perf_counter()
                    found = model.predict(texts)
                    seconds[way][len(texts)].append(time.perf_counter() - start)
                answers.add(np.asarray(found.probabilities).tobytes())
            if len(answers) > 1:
                raise SystemExit("The ways differ in their bytes.")
    return figures(n, {way: {k: statistics.median(all_) for k, all_ in by_n.items()} for way, by_n in seconds.items()})


def figures(n: int, seconds: dict[str, dict[int, float]]) -> dict[str, Any]:
    """The ratios, with and without the start of the workers.

    >>> found = figures(1256, {"one process": {256: 2.0, 1256: 10.0}, "two workers": {256: 3.0, 1256: 7.0}})
    >>> found["two workers"]["ratio"], found["two workers"]["ratio_without_start"], found["two workers"]["start"]
    (1.43, 2.0, 2.0)
    """
    base = seconds["one process"]
    found: dict[str, Any] = {"sentences": n}
    for way, own in seconds.items():
        grown, of_base = own[n] - own[FEW], base[n] - base[FEW]
        found[way] = {
            "seconds": round(own[n], 2),
            "ratio": round(base[n] / own[n], 2),
            "ratio_without_start": round(of_base / grown, 2),
            "start": round(max(0.0, own[FEW] - FEW * grown / (n - FEW)), 2),
        }
    return found


def main() -> None:
    """Print the figures, and write them where ``--json`` says."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a small model, fewer sentences, one round")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there")
    options = parser.parse_args()
    size, n, repeats = ("2 layers x 128", 2048, 1) if options.quick else ("6 layers x 768", 3072, 3)
    load = os.getloadavg()[0]
    found = measure(size, n, repeats)
    print(f"{size}, {n:,} sentences, {CORES} cores, load of the machine before {load:.1f}; the same bytes in all ways")
    for way in WAYS:
        own = found[way]
        print(
            f"  {way:<12} {n / own['seconds']:>8,.0f} sentences/s   {own['ratio']:.2f} times one process"
            f"   {own['ratio_without_start']:.2f} without the start of {own['start']:.1f} s"
        )
    if options.json is not None:
        options.json.write_text(json.dumps({size: found, "load_before": load}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
