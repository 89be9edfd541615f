"""Tables of a classifier of three classes for the benchmarks, with template and term effects."""

from __future__ import annotations

import datetime
import os
from dataclasses import replace
from typing import Any

import numpy as np

from fairness_checklist.core.examples import Source
from fairness_checklist.core.outcomes import Outcomes, Units, kinds_of_decisions
from fairness_checklist.metrics.catalogue import compute

CLASSES = ("negative", "neutral", "positive")


def simulated(sources: int, groups: int, terms: int, again: Outcomes | None = None) -> Outcomes:
    """Every source with every term of every group; ``again``: the same rows, of which nothing is known yet."""
    if again is not None:
        return replace(again)
    random = np.random.default_rng(0)
    size, n_terms = len(CLASSES), groups * terms
    source, term = np.repeat(np.arange(sources), n_terms), np.tile(np.arange(n_terms), sources)
    gold = source % size
    score = 0.5 * random.normal(size=(len(source), size))
    score += 0.5 * random.normal(size=(sources, size))[source]
    score += 0.3 * random.normal(size=(n_terms, size))[term]
    score[np.arange(len(score)), gold] += 1
    np.exp(score, out=score)
    score /= score.sum(axis=1, keepdims=True)
    return Outcomes(
        attribute="simulated",
        groups=tuple(f"g{g}" for g in range(groups)),
        classes=CLASSES,
        positive=size - 1,
        sources=tuple(Source(f"s{s}", f"t{s}", CLASSES[s % size]) for s in range(sources)),
        terms=tuple(f"w{t}" for t in range(n_terms)),
        term_group=np.arange(n_terms) // terms,
        group=term // terms,
        source=source,
        term=term,
        weight=np.ones(len(source)),
        **kinds_of_decisions(gold, score.argmax(axis=1), size),
        units=Units(np.arange(len(source)), np.zeros(len(source), dtype=np.int64), gold, score, size - 1),
    )


def machine() -> dict[str, Any]:
    """When and on how many cores the figures were measured."""
    return {"date": datetime.date.today().isoformat(), "cores": os.cpu_count()}


def catalogue(outcomes: Outcomes, names: list[str]) -> list[dict[str, object]]:
    """Every metric of these rows with its totals."""
    return [row for name in names for row in compute(name, outcomes).rows()]
