"""The catalogue written straightforwardly: scipy and scikit-learn called once a class, group, pair and source.

What a careful reader of the papers would write first. It is an oracle for tests; it knows classifiers of one decision
a row, and no weights, control rows or missing sources.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import entropy, mannwhitneyu, wasserstein_distance
from sklearn.metrics import roc_auc_score

from fairness_checklist.metrics.metric_forms import METRICS, Metric

__all__ = ["ROWS", "Table", "covers", "metric_values"]

ROWS = 100  # rows of the product of a source where they are sampled, as in the core paper
NAN = float("nan")
Values = dict[tuple[str, str, str], float]


@dataclass(frozen=True)
class Table:
    """n rows: their groups, sources, gold and decided classes (positions), and probabilities (n, C)."""

    groups: tuple[str, ...]
    classes: tuple[str, ...]
    positive: int
    group: Any
    source: Any
    gold: Any
    predicted: Any
    p: Any


def covers(metric: Metric, table: Table) -> bool:
    """Whether the metric is written here and has a value for such a table."""
    name = metric.score.__name__
    known = name in {**_RATES, **_SETS, **_SINGLES} or name == "area_under_curve"
    known = known and metric.compare.__name__ in {**_SCALARS, **_OF_SETS, **_AREAS, **_OF_ALL}
    return known and (name not in ("_positive", "_negative") or len(table.classes) == 2)


def metric_values(name: str, table: Table, rows: int = ROWS) -> Values:
    """Every number of a metric: {(class, left, right): value}, totals and means over others included.

    Args:
        rows: up to how many rows of a product are all taken; of larger ones so many are drawn.
    """
    metric = METRICS[name]
    classes = range(1) if _over_classes(metric) else range(len(table.classes))
    found: Values = {}
    for c in classes:
        label = "*" if _over_classes(metric) else table.classes[c]
        if metric.family == "multigroup":
            found[label, "*", ""] = _all_groups(metric, table, c, rows)
            continue
        of_class = {}
        for left, right in _contrasts(metric, table):
            value = (_group_value if metric.level == "group" else _source_mean)(metric, table, left, right, c)
            of_class[left, right] = value
            found[label, table.groups[left], table.groups[right] if right >= 0 else metric.background_name()] = value
        found |= {(label, *at): value for at, value in _totals(metric, table, of_class).items()}
    return found


def _over_classes(metric: Metric) -> bool:
    return metric.score.__name__ in ("accuracy", "target_probability", "decisions")


def _contrasts(metric: Metric, table: Table) -> list[tuple[int, int]]:
    groups = range(len(table.groups))
    return list(itertools.combinations(groups, 2)) if metric.family == "pairwise" else [(g, -1) for g in groups]


def _totals(metric: Metric, table: Table, values: dict[tuple[int, int], float]) -> dict[tuple[str, str], float]:
    commutes = metric.compare.__name__ in ("abs_diff", "wasserstein_1", "smaller_over_larger")
    if metric.normalise is None or (metric.family == "pairwise" and not commutes and len(table.groups) > 2):
        return {}
    fine = {at: value for at, value in values.items() if not np.isnan(value)}
    size = len({g for at in fine for g in at if g >= 0})
    divisor = {"no_normaliser": 1, "number_of_groups": size, "number_of_contrasts": len(fine)}
    found = {("*", ""): sum(fine.values()) / divisor[metric.normalise.__name__] if fine else NAN}
    if metric.family == "pairwise" and len(table.groups) > 2:
        for g, name in enumerate(table.groups):
            own = [value for at, value in fine.items() if g in at]
            found[name, "others"] = sum(own) / len(own) if own else NAN
    return found


def _group_value(metric: Metric, table: Table, left: int, right: int, c: int) -> float:
    """d of two groups, or of a group and its background (first)."""
    own = table.group == left
    if metric.family == "pairwise":
        first, second = own, table.group == right
    else:
        first, second = (np.ones_like(own) if metric.background_name() == "everyone" else ~own), own
    name, d = metric.score.__name__, metric.compare.__name__
    if name == "area_under_curve":
        return _AREAS[d](table, first, second, c)
    if name in _RATES:
        return _SCALARS[d](_RATES[name](table, first, c), _RATES[name](table, second, c))
    x, y = _SETS[name](table, first, c), _SETS[name](table, second, c)
    return _OF_SETS[d](x, y) if len(x) and len(y) else NAN


def _source_mean(metric: Metric, table: Table, left: int, right: int, c: int) -> float:
    """The mean over sources of d of two groups' examples of a source."""
    name, d = metric.score.__name__, metric.compare.__name__
    found = []
    for source in range(int(table.source.max()) + 1):
        inside = _rows_of(table, source)
        x, y = ((_SETS | _SINGLES)[name](table, inside[table.group[inside] == g], c) for g in (left, right))
        if not len(x) or not len(y):
            continue
        if d in _OF_SETS:
            found.append(_OF_SETS[d](x, y))
        elif name == "mean_probability":
            found.append(_SCALARS[d](x.mean(), y.mean()))
        else:
            found.append(float(np.mean([_SCALARS[d](one, other) for one, other in itertools.product(x, y)])))
    return float(np.mean(found)) if found else NAN


def _rows_of(table: Table, source: int) -> Any:
    """The rows of a source, which are together."""
    return np.arange(*np.searchsorted(table.source, [source, source + 1]))


def _all_groups(metric: Metric, table: Table, c: int, rows: int) -> float:
    """d of the scores of all groups; on the counterfactual level over rows of the product, all or drawn."""
    d = _OF_ALL[metric.compare.__name__]
    if metric.level == "group":
        known = [metric.score] if metric.also is None else [metric.score, metric.also]
        further = min if metric.compare.__name__ == "lowest_over_highest" else max
        return further(
            d([_RATES[score.__name__](table, table.group == g, c) for g in range(len(table.groups))]) for score in known
        )
    draw, found = np.random.default_rng(0), []
    for source in range(int(table.source.max()) + 1):
        inside = _rows_of(table, source)
        scores = _SINGLES[metric.score.__name__](table, inside, c)
        of = [scores[table.group[inside] == g] for g in range(len(table.groups))]
        if np.prod([float(len(x)) for x in of]) <= rows:
            product: Sequence[Any] = list(itertools.product(*of))
        else:
            product = [[draw.choice(x) for x in of] for _ in range(rows)]
        found.append(np.mean([d(row) for row in product]))
    return float(np.mean(found))


def _share(hit: Any, among: Any) -> float:
    return float(hit[among].mean()) if among.any() else NAN


def _f1(table: Table, rows: Any, c: int) -> float:
    gold, said = table.gold[rows] == c, table.predicted[rows] == c
    whole = gold.sum() + said.sum()
    return float(2 * (gold & said).sum() / whole) if whole else NAN


_RATES: dict[str, Callable[[Table, Any, int], float]] = {
    "true_positive_rate": lambda t, rows, c: _share(t.predicted == c, rows & (t.gold == c)),
    "false_negative_rate": lambda t, rows, c: _share(t.predicted != c, rows & (t.gold == c)),
    "false_positive_rate": lambda t, rows, c: _share(t.predicted == c, rows & (t.gold != c)),
    "true_negative_rate": lambda t, rows, c: _share(t.predicted != c, rows & (t.gold != c)),
    "prediction_rate": lambda t, rows, c: _share(t.predicted == c, rows),
    "accuracy": lambda t, rows, c: _share(t.predicted == t.gold, rows),
    "f1": _f1,
}
_SETS: dict[str, Callable[[Table, Any, int], Any]] = {
    "probabilities": lambda t, rows, c: t.p[rows, c],
    "true_class_probabilities": lambda t, rows, c: t.p[rows, c][t.gold[rows] == c],
    "other_class_probabilities": lambda t, rows, c: t.p[rows, c][t.gold[rows] != c],
    "decisions": lambda t, rows, c: t.predicted[rows],
    "decisions_of_class": lambda t, rows, c: t.predicted[rows][t.gold[rows] == c],
    "gold_of_decided": lambda t, rows, c: t.gold[rows][t.predicted[rows] == c],
}
_SINGLES: dict[str, Callable[[Table, Any, int], Any]] = {
    "probability": _SETS["probabilities"],
    "mean_probability": _SETS["probabilities"],
    "true_class_probability": _SETS["true_class_probabilities"],
    "target_probability": lambda t, rows, c: t.p[rows, t.gold[rows]],
    "decision": lambda t, rows, c: (t.predicted[rows] == c).astype(float),
}


def _ratio(x: float, y: float) -> float:
    return x / y if y else NAN


_SCALARS: dict[str, Callable[[float, float], float]] = {
    "abs_diff": lambda x, y: abs(x - y),
    "difference": lambda x, y: x - y,
    "excess_over_background": lambda x, y: y - x,
    "ratio": _ratio,
    "ratio_to_background": lambda x, y: _ratio(y, x),
    "smaller_over_larger": lambda x, y: _ratio(min(x, y), max(x, y)),
}


def _divergence(x: Any, y: Any) -> float:
    size = int(max(x.max(), y.max())) + 1
    found = float(entropy(np.bincount(y, minlength=size), np.bincount(x, minlength=size)))
    return found if np.isfinite(found) else NAN


_OF_SETS: dict[str, Callable[[Any, Any], float]] = {
    "wasserstein_1": wasserstein_distance,
    "average_equality_gap": lambda x, y: 0.5 - mannwhitneyu(x, y, method="asymptotic").statistic / len(x) / len(y),
    "divergence_from_background": _divergence,
}
_OF_ALL: dict[str, Callable[[Any], float]] = {
    "score_range": lambda x: float(np.ptp(x)),
    "score_deviation": lambda x: float(np.std(x)),
    "lowest_over_highest": lambda x: _ratio(min(x), max(x)),
}


def _auc(table: Table, positives: Any, negatives: Any, c: int, weight: Any = None) -> float:
    rows = (positives & (table.gold == c)) | (negatives & (table.gold != c))
    gold = table.gold[rows] == c
    if gold.all() or not gold.any():
        return NAN
    return float(roc_auc_score(gold, table.p[rows, c], sample_weight=None if weight is None else weight[rows]))


def _pinned(t: Table, first: Any, second: Any, c: int) -> float:
    return _auc(t, first | second, first | second, c, first / first.sum() + second / second.sum())


_AREAS: dict[str, Callable[[Table, Any, Any, int], float]] = {
    "group_area": lambda t, first, second, c: _auc(t, second, second, c),
    "background_positive_area": lambda t, first, second, c: _auc(t, first, second, c),
    "group_positive_area": lambda t, first, second, c: _auc(t, second, first, c),
    "pinned_area": _pinned,
    "area_distance": lambda t, first, second, c: abs(_auc(t, first, first, c) - _auc(t, second, second, c)),
    "pinned_area_distance": lambda t, first, second, c: abs(_auc(t, first, first, c) - _pinned(t, first, second, c)),
}
