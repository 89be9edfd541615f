"""Small builders: rows in plain Python, and the example sets, predictions and outcomes that they make."""

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Self

import numpy as np

from fairness_checklist.core.examples import ExampleSet, ListedTexts, Source
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.predictions import Predictions
from fairness_checklist.core.predictions_to_outcomes import reduce_to_outcomes
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.comparisons import COMPARISONS
from fairness_checklist.metrics.group_kernels import pooled_scores
from fairness_checklist.metrics.metric_forms import METRICS, Metric, Options
from fairness_checklist.metrics.metric_result import MetricResult
from fairness_checklist.metrics.scores import SCORES, Score
from fairness_checklist.metrics.weights import Weights, as_declared, by_group, by_term, terms_of
from fairness_checklist.statistics.null_mean import assigned_values, draw_assignments

BINARY = ("negative", "positive")
THREE = ("negative", "neutral", "positive")
GROUPS = ("ash", "birch", "cedar")


@dataclass(frozen=True)
class Row:
    """One example and a model's predictions for it; group "" is the control, label "" none, source "" none."""

    group: str
    p: tuple[float, ...]
    label: str = ""
    predicted: str = ""
    source: str = ""
    term: str = ""
    weight: float = 1.0
    las: float = math.nan
    symmetric: bool = True

    def but(self, **changes: Any) -> Self:
        return replace(self, **changes)


def example_sets(
    rows: Sequence[Row], groups: Sequence[str] = GROUPS, classes: Sequence[str] = BINARY
) -> tuple[ExampleSet, Predictions]:
    """The rows as an example set and the predictions for it, in this order."""
    ids = [row.source for row in rows]
    known = tuple(dict.fromkeys(name for name in ids if name))
    first = {row.source: row for row in reversed(rows)}
    pairs = sorted({(row.group, row.term) for row in rows if row.term}, key=lambda pair: (pair[0] not in groups, pair))
    labels = tuple(dict.fromkeys([*classes, *(row.label for row in rows if row.label)]))
    weight = np.array([row.weight for row in rows])
    examples = ExampleSet(
        attribute="trees",
        task="sentiment",
        groups=tuple(groups),
        terms=tuple(term for _, term in pairs),
        term_group=np.array([groups.index(group) if group in groups else -1 for group, _ in pairs], dtype=np.int64),
        sources=tuple(
            Source(name, template=name, label=first[name].label, symmetric=first[name].symmetric) for name in known
        ),
        source=np.array([known.index(name) if name else -1 for name in ids], dtype=np.int64),
        group=np.array([groups.index(row.group) if row.group else -1 for row in rows], dtype=np.int64),
        term=np.array([pairs.index((row.group, row.term)) if row.term else -1 for row in rows], dtype=np.int64),
        classes=labels,
        label=np.array([labels.index(row.label) if row.label else -1 for row in rows], dtype=np.int64),
        texts=ListedTexts(tuple(f"{row.source} {row.group} {row.term}".strip() for row in rows)),
        weight=None if (weight == 1).all() else weight,
    )
    decided = [classes.index(row.predicted) if row.predicted else int(np.argmax(row.p)) for row in rows]
    scores = {"las": [row.las for row in rows]} if any(not math.isnan(row.las) for row in rows) else {}
    probabilities = np.array([row.p for row in rows]).reshape(len(rows), len(classes))
    return examples, Predictions.from_probabilities(
        probabilities, classes, predicted=np.array(decided, dtype=np.int64), scores=scores
    )


def outcomes_of(
    rows: Sequence[Row], groups: Sequence[str] = GROUPS, classes: Sequence[str] = BINARY, *, unlabelled: str = "keep"
) -> Outcomes:
    """The rows reduced to arrays."""
    return reduce_to_outcomes(*example_sets(rows, groups, classes), unlabelled=unlabelled)


@contextmanager
def registered_for_a_while() -> Iterator[None]:
    """Metrics, scores and comparisons that are registered inside are forgotten again."""
    before = set(METRICS), set(SCORES), set(COMPARISONS)
    try:
        yield
    finally:
        for name in set(METRICS) - before[0]:
            METRICS.remove(name)
        for filed, names in ((SCORES, before[1]), (COMPARISONS, before[2])):
            for name in set(filed) - names:
                del filed[name]


def random_rows(
    seed: int,
    *,
    groups: Sequence[str] = GROUPS,
    classes: Sequence[str] = BINARY,
    sources: int = 9,
    most_terms: int = 3,
    control: bool = True,
    ties: bool = False,
    unlabelled: int = 0,
    missing: float = 0.0,
    weights: bool = False,
) -> list[Row]:
    """Variations of sources: labels go round the classes, the first ``unlabelled`` sources have none.

    Args:
        missing: how likely a source lacks a group.
        ties: probabilities in tenths.
        weights: whole weights from 1 to 3.
    """
    generator = np.random.default_rng(seed)
    rows = []
    for s in range(sources):
        label = "" if s < unlabelled else classes[s % len(classes)]
        for group in ([""] if control else []) + list(groups):
            if group and generator.random() < missing:
                continue
            for t in range(1 if not group else int(generator.integers(1, most_terms + 1))):
                p = _probabilities(generator, len(classes), ties)
                at_random = generator.random() < 0.3
                decided = int(generator.integers(len(classes))) if at_random else int(np.argmax(p))
                term = f"{group}-{t}" if group else ""
                weight = float(generator.integers(1, 4)) if weights else 1.0
                las = float(generator.integers(0, 9)) / 8
                rows.append(Row(group, p, label, classes[decided], f"s{s}", term, weight, las))
    return rows


def _probabilities(generator: np.random.Generator, size: int, ties: bool) -> tuple[float, ...]:
    if ties:
        return tuple(int(k) / 10 for k in generator.multinomial(10, np.ones(size) / size))
    return tuple(float(v) for v in generator.dirichlet(np.ones(size)))


def independent_rows(seed: int, n: int = 60, **how: Any) -> list[Row]:
    """Rows that have no source: every row its own label."""
    rows = random_rows(seed, sources=n, most_terms=2, control=False, **how)
    return [row.but(source="", term="") for row in rows]


def permuted_both_ways(
    metric: Metric, outcomes: Outcomes, options: Options | None = None, *, draws: int = 12, seed: int = 3
) -> tuple[np.ndarray, np.ndarray]:
    """The contrasts (D, P, K) when terms are permuted: from the engine, and of outcomes whose rows are relabelled."""
    options = options or Options()
    metric, terms = metric.with_options(options), terms_of(outcomes)
    assigned = draw_assignments(outcomes.term_group[terms], draws, seed)
    again = replace(options, background="", by="", undefined="report")
    anew = [compute(metric, relabelled(outcomes, terms, one), again).value for one in assigned]
    return assigned_values(metric, by_term(outcomes), options, assigned), np.array(anew)


def relabelled(outcomes: Outcomes, terms: np.ndarray, assigned: np.ndarray) -> Outcomes:
    """The same rows with their terms in other groups."""
    of_term = outcomes.term_group.copy()
    of_term[terms] = assigned
    group = np.where(outcomes.group < len(outcomes.groups), of_term[outcomes.term], outcomes.group)
    return replace(outcomes, group=group, term_group=of_term, views={})


def reference_of(rows: Sequence[Row], groups: Sequence[str] = GROUPS) -> Row:
    """What the rows of a source are compared with: the control, else the first term of the first group."""
    controls = [row for row in rows if not row.group]
    return controls[0] if controls else next(row for group in groups for row in rows if row.group == group)


Figures = dict[tuple[str, str, str], float]


def figures(result: MetricResult) -> Figures:
    """Every number of a result: {(class, left, right): value}."""
    return {(row["class"], row["left"], row["right"]): float(row["value"]) for row in result.rows()}


def values(
    name: str,
    rows: Sequence[Row],
    groups: Sequence[str] = GROUPS,
    classes: Sequence[str] = BINARY,
    options: Options | None = None,
) -> Figures:
    """`figures` of one metric of these rows."""
    outcomes = _known_outcomes(tuple(rows), tuple(groups), tuple(classes))
    return figures(compute(name, outcomes, options))


@lru_cache(maxsize=128)
def _known_outcomes(rows: tuple[Row, ...], groups: tuple[str, ...], classes: tuple[str, ...]) -> Outcomes:
    """The same rows are reduced once, whichever metric is computed of them."""
    return outcomes_of(rows, groups, classes)


def group_scores(score: Score, outcomes: Outcomes, sets: np.ndarray) -> Any:
    """A rate, mean or area of pooled sets of groups: (B, K) for sets (B, G + 1); NaN where undefined."""
    parts = by_group(outcomes)
    return pooled_scores(score, parts, sets[None], Weights(as_declared(parts)))[0]


def assert_same(found: Figures, expected: Figures, within: float = 1e-12) -> None:
    """The same keys and, NaN for NaN, the same values."""
    assert found.keys() == expected.keys()
    for key, value in expected.items():
        assert math.isnan(found[key]) == math.isnan(value), (key, found[key], value)
        assert math.isnan(value) or abs(found[key] - value) <= within * max(1.0, abs(value)), (key, found[key], value)


def some_defined(found: Figures) -> bool:
    """Whether there is a number at all (a law about nothing but NaN says nothing)."""
    return any(not math.isnan(value) for value in found.values())


def repeated(rows: Iterable[Row]) -> list[Row]:
    """Every row as often as its whole weight says, each with weight 1."""
    return [row.but(weight=1.0) for row in rows for _ in range(int(row.weight))]
