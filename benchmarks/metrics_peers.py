"""The sides of single comparisons in `metrics.py`, each checked to have equal values before it is timed."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from fairlearn.metrics import MetricFrame, false_negative_rate, false_positive_rate, true_positive_rate
from metrics_tables import CLASSES, simulated
from scipy.stats import mannwhitneyu, wasserstein_distance
from sklearn.metrics import confusion_matrix, recall_score

import fairness_checklist as fc
from fairness_checklist.core.outcomes import Counts, Outcomes
from fairness_checklist.metrics import closed_forms, scores
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.contrasts import counts_by
from fairness_checklist.metrics.group_kernels import group_scores

Case = tuple[str, Callable[[], Any], Callable[[], Any], float, str, int]
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
    """Pairwise, range and variance of 60 sources x 104 terms x 3 classes: exact, against 100 drawn rows in Python."""
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
        found = np.empty((p.shape[-1], 3, n_sources))
        for k, source in itertools.product(range(p.shape[-1]), range(n_sources)):
            drawn = [[random.choice(own) for own in p[source, :, :, k]] for _row in range(100)]
            found[k, 0, source] = np.mean(
                [np.mean([abs(a - b) for a, b in itertools.combinations(r, 2)]) for r in drawn]
            )
            found[k, 1, source] = np.mean([np.ptp(row) for row in drawn])
            found[k, 2, source] = np.mean([np.var(row) for row in drawn])
        return found

    own, other = ours().mean(axis=2), peer().mean(axis=2)
    if not np.allclose(own, other, rtol=0.02):
        raise RuntimeError("the drawn rows are further off than their noise")
    note = "60 sources, 3 classes; the peer's values are of a sample, within 2 %"
    return "exact: pairwise, range, variance", ours, peer, 150, note, 3


def rates_case(quick: bool) -> Iterator[Case]:
    """Rates of every group and class at about 100,000 rows."""
    outcomes = simulated(96 if quick else 962, 8, 13)
    n, groups, size = len(outcomes), 8, len(CLASSES)
    group, gold, said = outcomes.group, outcomes.gold.argmax(axis=1), outcomes.predicted.argmax(axis=1)
    known = (scores.true_positive_rate, scores.false_positive_rate, scores.false_negative_rate)

    def ours() -> Any:
        counts = counts_by(outcomes, group, groups)  # what kinds of rows there are is found once a run
        return np.stack([score(counts) for score in known])

    def sklearn_rates() -> Any:
        found = np.empty((len(known), groups, size))
        for g, c in np.ndindex(groups, size):
            true, decided = gold[group == g] == c, said[group == g] == c
            found[0, g, c] = recall_score(true, decided)
            found[1, g, c] = 1 - recall_score(~true, ~decided)
            found[2, g, c] = 1 - found[0, g, c]
        return found

    def sklearn_loop() -> Any:
        found = np.empty((len(known), groups, size))
        for g in range(groups):
            table = confusion_matrix(gold[group == g], said[group == g], labels=range(size))
            hits, of_gold, of_said = np.diag(table), table.sum(axis=1), table.sum(axis=0)
            found[:, g] = hits / of_gold, (of_said - hits) / (table.sum() - of_gold), (of_gold - hits) / of_gold
        return found

    def of_class(function: Callable[..., float], c: int) -> Callable[..., float]:
        return lambda true, decided: function(true == c, decided == c, pos_label=True)

    frame_of = {
        f"{name} {c}": of_class(function, c)
        for name, function in (("tpr", true_positive_rate), ("fpr", false_positive_rate), ("fnr", false_negative_rate))
        for c in range(size)
    }

    def fairlearn_frame() -> Any:
        frame = MetricFrame(metrics=frame_of, y_true=gold, y_pred=said, sensitive_features=group)
        return frame.by_group.to_numpy().reshape(groups, len(known), size).swapaxes(0, 1)

    _same(ours(), sklearn_loop())
    _same(ours(), sklearn_rates())
    _same(ours(), fairlearn_frame())
    note = f"{n:,} rows, 3 rates x 8 groups x 3 classes"
    yield "rates by group, scikit-learn's recall_score", ours, sklearn_rates, 85, note, 3
    once = f"{note}; its quickest way, one table a group: for comparison"
    yield "rates by group, scikit-learn's confusion_matrix", ours, sklearn_loop, 1, once, 5
    yield "rates by group, fairlearn's MetricFrame", ours, fairlearn_frame, 2_000, note, 2


def group_cases(quick: bool) -> Iterator[Case]:
    """W1 and AvgEG of every group and class at about 100,000 rows, against scipy in a loop."""
    outcomes = simulated(96 if quick else 962, 8, 13)
    if outcomes.units is None:
        raise ValueError("the table has no probabilities")
    p, gold, group = outcomes.units.probability, outcomes.units.label, outcomes.group

    def w1_peer() -> Any:
        return np.array([[wasserstein_distance(p[:, c], p[group == g, c]) for c in range(3)] for g in range(8)])

    def gap(g: int, c: int) -> float:
        others, own = p[(group != g) & (gold == c), c], p[(group == g) & (gold == c), c]
        return float(0.5 - mannwhitneyu(others, own, method="asymptotic").statistic / len(others) / len(own))

    def gap_peer() -> Any:
        return np.array([[gap(g, c) for c in range(3)] for g in range(8)])

    def ours(name: str) -> Callable[[], Any]:
        return lambda: compute(name, simulated(0, 0, 0, again=outcomes)).value

    _same(ours("avg_gf")(), w1_peer())
    _same(ours("avg_eg")(), gap_peer())
    note = f"{len(outcomes):,} rows, 8 groups x 3 classes"
    yield "W1, scipy's wasserstein_distance", ours("avg_gf"), w1_peer, 4, note, 3
    yield "AvgEG, scipy's mannwhitneyu", ours("avg_eg"), gap_peer, 7, note, 3


def bootstrap_rates(outcomes: Outcomes, weights: Any) -> list[Any]:
    """Every rate by group in each draw: weights (D, S) times counts (S, ...); an engine of intervals is called here."""
    arms, n_sources = len(outcomes.groups) + 1, len(outcomes.sources)
    counts = counts_by(outcomes, outcomes.source * arms + outcomes.group, n_sources * arms)

    def drawn(values: Any) -> Any:
        return (weights @ values.reshape(n_sources, -1)).reshape(len(weights), arms, -1)

    resampled: Counts = counts.map(drawn)
    return [score(resampled) for score in RATES]


def measured_run() -> Iterator[dict[str, Any]]:
    """CPU seconds of the bootstrap of all rates, and of a default run with null means, tests and intervals."""
    outcomes = simulated(60, 8, 13)
    arms = len(outcomes.groups) + 1
    found = bootstrap_rates(outcomes, np.ones((1, 60)))
    for score, value in zip(RATES, found, strict=True):
        _same(value[0], group_scores(score, outcomes, np.eye(arms)))
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
    filled = [
        name
        for name in ("null_mean", "ci_low", "ci_high", "ci_low_terms", "ci_high_terms", "p_value", "p_adjusted")
        if results.metrics[name].notna().any()
    ]
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
