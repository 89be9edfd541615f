"""Whole metrics of weighted rows against scikit-learn, fairlearn and scipy: values of contrasts, not only scores."""

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from build_outcomes import GROUPS, THREE, Row, random_rows, values
from fairlearn.metrics import MetricFrame, false_negative_rate, false_positive_rate
from scipy.stats import entropy, wasserstein_distance
from sklearn.metrics import accuracy_score, f1_score, recall_score, roc_auc_score
from sweep import sweep

SEEDS = (0, 1)


def weighted(seed: int) -> list[Row]:
    return random_rows(seed, classes=THREE, sources=24, weights=True, ties=True, control=False)


def of_group(rows: list[Row], *groups: str) -> list[Row]:
    return [row for row in rows if row.group in groups]


def weights(rows: list[Row]) -> list[float]:
    return [row.weight for row in rows]


@sweep("seed", SEEDS)
@sweep(
    ("rate", "distance", "gap", "ratio"),
    [(false_positive_rate, "fped", "fpr_gap", "fpr_ratio"), (false_negative_rate, "fned", "fnr_gap", "fnr_ratio")],
)
def test_error_rates_against_backgrounds_are_fairlearns(
    seed: int, rate: object, distance: str, gap: str, ratio: str
) -> None:
    rows = weighted(seed)
    found = {name: values(name, rows, classes=THREE) for name in (distance, f"{distance}_normalised", gap, ratio)}
    for c in THREE:

        def rates(kept: list[Row], by: list[str], c: str = c) -> MetricFrame:
            return MetricFrame(
                metrics=rate,
                y_true=[row.label == c for row in kept],
                y_pred=[row.predicted == c for row in kept],
                sensitive_features=by,
                sample_params={"sample_weight": weights(kept)},
            )

        frame = rates(rows, [row.group for row in rows])
        apart = [abs(frame.overall - frame.by_group[group]) for group in GROUPS]
        assert found[distance][c, "*", ""] == pytest.approx(sum(apart), abs=1e-12)
        assert found[f"{distance}_normalised"][c, "*", ""] == pytest.approx(np.mean(apart), abs=1e-12)
        for group in GROUPS:
            two = rates(rows, ["own" if row.group == group else "others" for row in rows]).by_group
            assert found[gap][c, group, "everyone_else"] == pytest.approx(two["own"] - two["others"], abs=1e-12)
            assert found[ratio][c, group, "everyone_else"] == pytest.approx(two["own"] / two["others"], abs=1e-12)


def by_class(score: Callable[..., Any], rows: list[Row]) -> Any:
    """A score of scikit-learn of each class."""
    gold, decided = [row.label for row in rows], [row.predicted for row in rows]
    return score(gold, decided, labels=THREE, average=None, sample_weight=weights(rows))


@sweep("seed", SEEDS)
def test_scores_of_pairs_are_scikit_learns(seed: int) -> None:
    rows = weighted(seed)
    for k, c in enumerate(THREE):
        recall, f1 = (
            {group: by_class(of, of_group(rows, group))[k] for group in GROUPS} for of in (recall_score, f1_score)
        )
        for name, score in (("tpr", recall), ("recall", recall), ("f1", f1)):
            found = values(f"{name}_difference", rows, classes=THREE)
            for a, b in combinations(GROUPS, 2):
                assert found[c, a, b] == pytest.approx(score[a] - score[b], abs=1e-12)
        for a, b in combinations(GROUPS, 2):
            assert values("f1_ratio", rows, classes=THREE)[c, a, b] == pytest.approx(f1[a] / f1[b], abs=1e-12)
        apart = [abs(f1[a] - f1[b]) for a, b in combinations(GROUPS, 2)]
        assert values("disparity_score", rows, classes=THREE)[c, "*", ""] == pytest.approx(sum(apart) / 3, abs=1e-12)
    right = {
        group: accuracy_score([r.label for r in part], [r.predicted for r in part], sample_weight=weights(part))
        for group, part in ((group, of_group(rows, group)) for group in GROUPS)
    }
    found = values("accuracy_difference", rows, classes=THREE)
    for a, b in combinations(GROUPS, 2):
        assert found["*", a, b] == pytest.approx(right[a] - right[b], abs=1e-12)


@sweep("seed", SEEDS)
@sweep("name", ["avg_gf", "avg_gf_tc"])
def test_distances_of_distributions_are_scipys(seed: int, name: str) -> None:
    rows = weighted(seed)
    found = values(name, rows, classes=THREE)
    for k, c in enumerate(THREE):
        everyone = [row for row in rows if name == "avg_gf" or row.label == c]
        for group in GROUPS:
            own = of_group(everyone, group)
            wanted = wasserstein_distance(
                [row.p[k] for row in own], [row.p[k] for row in everyone], weights(own), weights(everyone)
            )
            assert found[c, group, "everyone"] == pytest.approx(wanted, abs=1e-12)


@sweep("seed", SEEDS)
def test_equality_gaps_are_areas_of_scikit_learn_less_one_half(seed: int) -> None:
    """How likely the group's score exceeds others' is the area under a curve with the group as the positives."""
    rows = weighted(seed)
    for k, c in enumerate(THREE):
        for name, kept in (
            ("positive_aeg", [row for row in rows if row.label == c]),
            ("negative_aeg", [row for row in rows if row.label != c]),
        ):
            found = values(name, rows, classes=THREE)
            for group in GROUPS:
                own = [row.group == group for row in kept]
                area = roc_auc_score(own, [row.p[k] for row in kept], sample_weight=weights(kept))
                assert found[c, group, "everyone_else"] == pytest.approx(area - 0.5, abs=1e-12)


@sweep("seed", SEEDS)
def test_divergences_are_scipys(seed: int) -> None:
    rows = weighted(seed)

    def shares(kept: list[Row], of: str) -> list[float]:
        return [sum(row.weight for row in kept if getattr(row, of) == c) for c in THREE]

    whole = values("independence", rows, classes=THREE)
    parts = {name: values(name, rows, classes=THREE) for name in ("separation", "sufficiency")}
    for group in GROUPS:
        own = of_group(rows, group)
        wanted = entropy(shares(own, "predicted"), shares(rows, "predicted"))
        assert whole["*", group, "everyone"] == pytest.approx(wanted, abs=1e-12)
        for name, held, of in (("separation", "label", "predicted"), ("sufficiency", "predicted", "label")):
            for c in THREE:
                one, every = ([row for row in side if getattr(row, held) == c] for side in (own, rows))
                wanted = entropy(shares(one, of), shares(every, of))
                assert parts[name][c, group, "everyone"] == pytest.approx(wanted, abs=1e-12)


@sweep("seed", SEEDS)
def test_distances_inside_sources_are_scipys(seed: int) -> None:
    rows = weighted(seed)
    found = values("avg_if", rows, classes=THREE)
    for k, c in enumerate(THREE):
        for a, b in combinations(GROUPS, 2):
            each = []
            for source in {row.source for row in rows}:
                x, y = ([row for row in of_group(rows, group) if row.source == source] for group in (a, b))
                each.append(wasserstein_distance([r.p[k] for r in x], [r.p[k] for r in y], weights(x), weights(y)))
            assert found[c, a, b] == pytest.approx(np.mean(each), abs=1e-12)
