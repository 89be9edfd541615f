"""The sides of single comparisons in `metrics.py`: ours, and what a user would write in ten lines of numpy.

Each is checked to have equal values before it is timed. Ours begins each turn from the columns (or from `Outcomes` of
which nothing is known yet): nothing that an earlier turn found is used again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from metrics_tables import CLASSES, simulated
from scipy.stats import rankdata
from sklearn.metrics import confusion_matrix

import fairness_checklist as fc
from fairness_checklist.core.examples import ExampleSet, ListedTexts
from fairness_checklist.core.outcomes import Counts, Outcomes
from fairness_checklist.core.predictions import Predictions
from fairness_checklist.core.predictions_to_outcomes import reduce_to_outcomes
from fairness_checklist.metrics import closed_forms, scores
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.group_kernels import pooled_scores
from fairness_checklist.metrics.weights import Weights, as_declared, by_group

Case = tuple[str, Callable[[], Any], Callable[[], Any], float, str]
RATES = (
    scores.true_positive_rate,
    scores.false_negative_rate,
    scores.false_positive_rate,
    scores.true_negative_rate,
    scores.f1,
    scores.prediction_rate,
    scores.accuracy,
)
DRAWS = 2_000


def _same(one: Any, other: Any, within: float = 1e-9) -> None:
    if not np.allclose(one, other, rtol=0, atol=within, equal_nan=True):
        raise RuntimeError(f"the sides have other values: {np.nanmax(np.abs(np.asarray(one) - np.asarray(other)))}")


def exact_case() -> Case:
    """Pairwise, range and variance of 60 sources x 104 terms x 3 classes: exact, against 100 drawn rows of each."""
    n_sources, groups, terms = 60, 8, 13
    random = np.random.default_rng(1)
    p = simulated(n_sources, groups, terms).units.probability.reshape(n_sources, groups, terms, -1)  # type: ignore[union-attr]
    arm = np.tile(np.repeat(np.arange(groups), terms), n_sources)
    cell = np.repeat(np.arange(n_sources), groups * terms)
    left, right = np.triu_indices(groups, k=1)

    def ours() -> Any:
        found = []
        for k in range(p.shape[-1]):
            cells = closed_forms.sort_cells(p[..., k].ravel(), cell, arm, np.ones(len(cell)), n_sources, groups)
            pairs = closed_forms.expected_distance(cells, left, right).mean(axis=1)
            found.append(
                (pairs, closed_forms.expected_range(cells, groups), closed_forms.expected_variance(cells, groups))
            )
        return np.array(found)

    def peer() -> Any:
        term = random.integers(terms, size=(n_sources, 100, groups))
        drawn = p[np.arange(n_sources)[:, None, None], np.arange(groups), term]
        pairs = np.abs(drawn[:, :, left] - drawn[:, :, right]).mean(axis=(1, 2))
        return np.stack([pairs, np.ptp(drawn, axis=2).mean(axis=1), drawn.var(axis=2).mean(axis=1)]).T.swapaxes(1, 2)

    exact, off = ours(), peer() / ours() - 1
    if not np.allclose(exact.mean(axis=2), peer().mean(axis=2), rtol=0.02):
        raise RuntimeError("the drawn rows are further off than their noise")
    noise = f"values of the sample are off by up to {100 * np.abs(off).max():.0f} %, half of them by more than"
    note = f"60 sources, 3 classes; {noise} {100 * np.median(np.abs(off)):.1f} %; ours are exact"
    return "pairwise, range, variance: numpy, 100 drawn rows", ours, peer, 1, note


def rates_case(quick: bool) -> Iterator[Case]:
    """Rates of every group and class at about 100,000 rows, from columns of integers on both sides."""
    made = simulated(96 if quick else 962, 8, 13)
    n, groups, size = len(made), 8, len(CLASSES)
    group, gold, said = made.group, made.gold.argmax(axis=1), made.predicted.argmax(axis=1)
    known = (scores.true_positive_rate, scores.false_positive_rate, scores.false_negative_rate)
    rows = {name: value for name, value in made.shared().items() if name != "weight"}
    columns: dict[str, Any] = {"task": "sentiment", "classes": CLASSES, "label": gold, "texts": ListedTexts(())}

    def ours() -> Any:
        outcomes = reduce_to_outcomes(ExampleSet(**rows, **columns), Predictions(CLASSES, said))
        counts = outcomes.counts(outcomes.group, groups)
        return np.stack([score(counts) for score in known])

    def rates(table: Any) -> Any:
        hits, of_gold, of_said = np.einsum("gcc->gc", table), table.sum(axis=2), table.sum(axis=1)
        return np.stack([hits / of_gold, (of_said - hits) / (n_of(table) - of_gold), (of_gold - hits) / of_gold])

    def n_of(table: Any) -> Any:
        return table.sum(axis=(1, 2))[:, None]

    def by_bincount() -> Any:
        code = (group * size + gold) * size + said
        return rates(np.bincount(code, minlength=groups * size * size).reshape(groups, size, size))

    def by_scikit_learn() -> Any:
        mine = [group == g for g in range(groups)]
        return rates(np.stack([confusion_matrix(gold[own], said[own], labels=range(size)) for own in mine]))

    _same(ours(), by_bincount(), 0)
    _same(ours(), by_scikit_learn(), 0)
    note = f"{n:,} rows, 3 rates x 8 groups x 3 classes"
    yield "rates by group: numpy, one bincount", ours, by_bincount, 1 / 3, note
    yield "rates by group: scikit-learn's confusion_matrix", ours, by_scikit_learn, 1, note


def group_cases(quick: bool) -> Iterator[Case]:
    """W1 and AvgEG of every group and class at about 100,000 rows, against one sort a class."""
    outcomes = simulated(96 if quick else 962, 8, 13)
    if outcomes.units is None:
        raise ValueError("the table has no probabilities")
    p, gold, group = outcomes.units.probability, outcomes.units.label, outcomes.group

    def w1_of(value: Any) -> Any:
        order = np.argsort(value)
        below = np.cumsum(np.eye(8)[group[order]], axis=0)
        own, every = below / below[-1], below.sum(axis=1, keepdims=True) / len(value)
        return np.diff(value[order]) @ np.abs(own - every)[:-1]

    def gaps_of(value: Any, g: Any) -> Any:
        n = np.bincount(g, minlength=8)
        wins = np.bincount(g, weights=rankdata(value), minlength=8) - n * (n + 1) / 2
        return wins / (n * (len(g) - n)) - 0.5

    def w1_peer() -> Any:
        return np.stack([w1_of(column) for column in p.T], axis=1)

    def gap_peer() -> Any:
        return np.stack([gaps_of(p[gold == c, c], group[gold == c]) for c in range(3)], axis=1)

    def ours(name: str) -> Callable[[], Any]:
        return lambda: compute(name, simulated(0, 0, 0, again=outcomes)).value

    _same(ours("avg_gf")(), w1_peer())
    _same(ours("avg_eg")(), gap_peer())
    note = f"{len(outcomes):,} rows, 8 groups x 3 classes"
    yield "W1: numpy, one sort a class", ours("avg_gf"), w1_peer, 1 / 3, note
    yield "AvgEG: scipy's rankdata, once a class", ours("avg_eg"), gap_peer, 1 / 3, note


def bootstrap_rates(outcomes: Outcomes, weights: Any) -> list[Any]:
    """Every rate by group in each draw: weights (D, S) times counts (S, ...); an engine of intervals is called here."""
    arms, n_sources = len(outcomes.groups) + 1, len(outcomes.sources)
    counts = outcomes.counts(outcomes.source * arms + outcomes.group, n_sources * arms)

    def drawn(values: Any) -> Any:
        return (weights @ values.reshape(n_sources, -1)).reshape(len(weights), arms, -1)

    resampled: Counts = counts.map(drawn)
    return [score(resampled) for score in RATES]


def measured_run() -> Iterator[dict[str, Any]]:
    """CPU seconds of the bootstrap of all rates, and of a default run with null means, tests and intervals."""
    outcomes = simulated(60, 8, 13)
    arms = len(outcomes.groups) + 1
    found = bootstrap_rates(outcomes, np.ones((1, 60)))
    parts = by_group(outcomes)
    for score, value in zip(RATES, found, strict=True):
        _same(value[0], pooled_scores(score, parts, np.eye(arms)[None], Weights(as_declared(parts)))[0])
    weights = np.random.default_rng(3).multinomial(60, np.ones(60) / 60, size=DRAWS).astype(np.float64)
    seconds = []
    for _turn in range(5):
        again = simulated(0, 0, 0, again=outcomes)
        start = time.process_time()
        bootstrap_rates(again, weights)
        seconds.append(time.process_time() - start)
    yield {
        "what": f"{DRAWS:,} bootstrap draws of all rates, 60 sources",
        "seconds": float(np.median(seconds)),
        "aim": 0.05,
        "note": f"{len(RATES)} rates x 8 groups x 3 classes; the draws are shared by all",
    }
    table = _frame(outcomes)
    start = time.process_time()
    results = fc.evaluate(table, task="sentiment", attribute="simulated")
    seconds_of_run = time.process_time() - start
    filled = [name for name in ("null_mean", "ci_low", "ci_high") if results.metrics[name].notna().any()]
    yield {
        "what": "a default run of 6,240 rows, all told",
        "seconds": seconds_of_run,
        "aim": 10,
        "note": f"{len(results.metrics):,} rows of metrics with {', '.join(filled)}",
    }


def _frame(outcomes: Outcomes) -> pd.DataFrame:
    """The same rows as a table of predictions."""
    units = outcomes.units
    if units is None:
        raise ValueError("the table has no probabilities")
    named = {
        "source": np.array([source.id for source in outcomes.sources])[outcomes.source],
        "group": np.array(outcomes.groups)[outcomes.group],
        "term": np.array(outcomes.terms)[outcomes.term],
        "label": np.array(CLASSES)[units.label],
    }
    return pd.DataFrame({**named, **{f"p:{name}": units.probability[:, c] for c, name in enumerate(CLASSES)}})
