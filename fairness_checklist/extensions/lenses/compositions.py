"""Test sets of another composition: balanced by sub- and oversampling, and how much a metric depends on it.

Orgad and Belinkov 2022, section 4.1: the same metric of the same model differs between a test set as it is and one with
as many examples of each group for every label. A balanced set is one random draw, so draws are repeated and their
spread is shown; and it has another size, which alone changes a divergence, so the comparison is with draws of the same
size and the old composition.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from fairness_checklist.core.arrays import FloatArray, IntArray, by_value
from fairness_checklist.core.errors import InputError, OptionError
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.core.progress import followed
from fairness_checklist.extensions.lenses.metrics.families import DecisionCells, decision_cells
from fairness_checklist.statistics.relabelling import EXACT_LIMIT, p_value

How = Literal["subsample", "oversample"]
MetricOfCells = Callable[[DecisionCells], float]


@by_value
@dataclass(frozen=True, eq=False)
class Composition:
    """The rows of a balanced test set."""

    rows: IntArray  # positions in the given rows, repeated where rows are repeated; ordered by label, then group
    how: How  # ``subsample`` or ``oversample``
    seed: int  # of the draw
    left_out: tuple[str, ...]  # labels that one of the groups lacks; no row of these is in the set


@checks_keywords
def balanced_rows(
    labels: Sequence[object], groups: Sequence[object], *, how: How = "subsample", seed: int = 0
) -> Composition:
    """Draw a test set with as many rows of each group for every label.

    ``subsample`` draws as many rows of each group as the smallest has, without repetition. ``oversample`` keeps all
    rows of the largest group and of every other, and fills up with rows drawn with repetition.

    Args:
        labels: (n,) the label of each row.
        groups: (n,) the group of each row.
        how: ``subsample`` or ``oversample``.
        seed: of `numpy.random.default_rng`.

    Raises:
        OptionError: another ``how``.
        InputError: columns of different lengths, or no label that every group has.

    >>> balanced_rows(["a", "a", "a", "b"], ["F", "M", "M", "F"], how="oversample").rows.tolist()
    [0, 0, 1, 2]
    >>> balanced_rows(["a", "a", "a", "b"], ["F", "M", "M", "F"]).left_out
    ('b',)
    """
    if how not in ("subsample", "oversample"):
        raise OptionError(f"how={how!r} is not known.", remedy="Known: subsample, oversample.")
    cells = _rows_of_cells(labels, groups)
    rows, left_out = _draw(cells, how, np.random.default_rng(seed))
    if not len(rows):
        raise InputError("no label has rows of every group.", remedy="Nothing can be balanced within labels.")
    return Composition(rows, how, seed, left_out)


def balanced_values(
    gold: Sequence[object],
    predicted: Sequence[object],
    group: Sequence[object],
    metric: MetricOfCells,
    *,
    how: How = "subsample",
    draws: int = 200,
    seed: int = 0,
) -> FloatArray:
    """A metric of the cells on repeated balanced draws (draws,): their spread is the noise of balancing.

    Draw i is the i-th child of the seed; raises as `balanced_rows`.
    """
    return _values((gold, predicted, group), metric, how, draws, seed)[0]


@dataclass(frozen=True)
class CompositionTest:
    """A metric on a test set as it is and on balanced draws, against draws of the same size as it is.

    Attributes:
        same_size: mean over draws with the same rows per label and without regard to the group: ``value`` at that size.
    """

    value: float  # on all rows as they are
    balanced: float  # mean over the balanced draws
    low: float  # low, high: the 2.5 and 97.5 % quantiles of the balanced draws
    high: float
    same_size: float
    difference: float  # ``balanced`` less ``same_size``, what balancing does beyond the change of size
    p_value: float  # two-sided, of one balanced draw among those, averaged over the balanced draws
    draws: int  # of each kind
    seed: int  # of the draws


@checks_keywords
def composition_test(
    gold: Sequence[object],
    predicted: Sequence[object],
    group: Sequence[object],
    metric: MetricOfCells,
    *,
    how: How = "subsample",
    draws: int = 200,
    seed: int = 0,
) -> CompositionTest:
    """Whether a metric of one model differs between a balanced test set and one of the same size as it was.

    A permutation test within labels: which rows of a label are drawn is permuted without regard to the group; the
    balanced draw is one such draw if the composition does not matter. `benchmarks/compositions.py` has its error rates.

    Args:
        gold, predicted, group, metric, how, draws, seed: as in `balanced_values`.

    Raises:
        OptionError, InputError: as in `balanced_rows`; fewer than 20 draws.
    """

    def alone(cells: DecisionCells) -> FloatArray:
        return np.array([metric(cells)], dtype=np.float64)

    return composition_tests(gold, predicted, group, alone, how=how, draws=draws, seed=seed)[0]


def composition_tests(
    gold: Sequence[object],
    predicted: Sequence[object],
    group: Sequence[object],
    metrics: Callable[[DecisionCells], FloatArray],
    *,
    how: How = "subsample",
    draws: int = 200,
    seed: int = 0,
) -> tuple[CompositionTest, ...]:
    """`composition_test` of the m metrics that a function of the cells gives, on the same draws."""
    if draws < 20:
        raise OptionError(f"draws={draws} is too few.", remedy="Take 20 or more.")
    balanced, reference = _values((gold, predicted, group), metrics, how, draws, seed)
    values = metrics(decision_cells(gold, predicted, group)).tolist()
    return tuple(_tested(value, balanced[:, at], reference[:, at], draws, seed) for at, value in enumerate(values))


def _tested(value: float, balanced: FloatArray, reference: FloatArray, draws: int, seed: int) -> CompositionTest:
    balanced, reference = balanced[~np.isnan(balanced)], reference[~np.isnan(reference)]
    if not (len(balanced) and len(reference)):
        nan = float("nan")
        return CompositionTest(value, nan, nan, nan, nan, nan, nan, draws, seed)
    low, high = np.quantile(balanced, [0.025, 0.975]).tolist()
    centre = float(np.median(reference))
    far = np.sort(np.abs(reference - centre))
    at_least = len(far) - np.searchsorted(far, np.abs(balanced - centre) * (1 - 1e-12), side="left")
    p = float(np.mean((1 + at_least) / (1 + len(far))))
    means = float(balanced.mean()), float(reference.mean())
    return CompositionTest(value, means[0], low, high, means[1], means[0] - means[1], p, draws, seed)


def permutation_test(
    one: ArrayLike, other: ArrayLike, *, paired: bool = False, permutations: int = 9999, seed: int = 0
) -> float:
    """The two-sided p-value of Pitman's permutation test of two sets of values, one value a model: (n,) and (m,).

    Paired: the i-th values are of the same model, and the signs of their differences are exchanged. Unpaired: the
    values are exchanged between the sets. Up to 20,000 assignments are enumerated; beyond that so many ``permutations``
    are drawn.

    >>> permutation_test([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])
    0.1
    """
    x, y = (np.asarray(values, dtype=np.float64).ravel() for values in (one, other))
    if not (len(x) and len(y)) or not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise InputError("the test needs finite values in both sets.")
    rng = np.random.default_rng(seed)
    if paired:
        if len(x) != len(y):
            raise InputError(f"{len(x)} values and {len(y)}, expected as many: they are paired.")
        apart = x - y
        exact = 2 ** len(apart) <= EXACT_LIMIT
        if exact:
            signs = np.array([[1 - 2 * (at >> k & 1) for k in range(len(apart))] for at in range(2 ** len(apart))])
        else:
            signs = rng.choice([-1, 1], size=(permutations, len(apart)))
        return p_value(abs(float(apart.sum())), np.abs(signs @ apart), exact=exact)
    pooled, n = np.concatenate([x, y]), len(x)
    exact = comb(len(pooled), n) <= EXACT_LIMIT
    if exact:
        chosen = np.array(list(combinations(range(len(pooled)), n)), dtype=np.int64)
    else:
        chosen = np.array([rng.permutation(len(pooled))[:n] for _ in range(permutations)], dtype=np.int64)
    sums = pooled[chosen].sum(axis=1)
    centre = pooled.sum() * n / len(pooled)
    return p_value(abs(float(x.sum() - centre)), np.abs(sums - centre), exact=exact)


def _rows_of_cells(labels: Sequence[object], groups: Sequence[object]) -> dict[str, dict[str, IntArray]]:
    """The rows of each label by group; a group without rows of the label has an empty array."""
    if len(labels) != len(groups):
        raise InputError(f"{len(labels):,} labels and {len(groups):,} groups, expected one of each a row.")
    y, g = (np.array([str(value) for value in column], dtype=object) for column in (labels, groups))
    names = sorted(set(g.tolist()))
    return {label: {name: np.flatnonzero((y == label) & (g == name)) for name in names} for label in sorted(set(y))}


def _draw(
    cells: dict[str, dict[str, IntArray]], how: How, rng: np.random.Generator, *, regardless: bool = False
) -> tuple[IntArray, tuple[str, ...]]:
    """The rows drawn, and labels that a group lacks; ``regardless`` draws as many rows of each label of any group."""
    kept: list[IntArray] = []
    left_out = []
    for label, by_group in cells.items():
        sizes = [len(rows) for rows in by_group.values()]
        if not min(sizes):
            left_out.append(label)
            continue
        pools = list(by_group.values())
        pools = [np.concatenate(pools)] if regardless else pools
        size = (min(sizes) if how == "subsample" else max(sizes)) * len(sizes) // len(pools)
        for pool in pools:
            if how == "subsample":
                drawn = rng.choice(pool, size=size, replace=False)
            else:
                drawn = np.concatenate([pool, rng.choice(pool, size=size - len(pool))])
            kept.append(np.sort(drawn))
    return np.concatenate(kept) if kept else np.zeros(0, dtype=np.int64), tuple(left_out)


def _values(
    columns: tuple[Sequence[object], Sequence[object], Sequence[object]],
    metric: Callable[[DecisionCells], float | FloatArray],
    how: How,
    draws: int,
    seed: int,
) -> tuple[FloatArray, FloatArray]:
    """A metric, or an array of metrics, on balanced draws, and on draws of these sizes without regard to the group."""
    gold, predicted, group = columns
    every = decision_cells(gold, predicted, group)
    balanced_rows(gold, group, how=how, seed=seed)  # checks that there is something to balance
    g, y, r = (
        np.array([{name: at for at, name in enumerate(names)}[str(label)] for label in column], dtype=np.int64)
        for names, column in ((every.groups, group), (every.classes, gold), (every.classes, predicted))
    )
    code = np.ravel_multi_index((g, y, r), every.counts.shape)
    cells = _rows_of_cells(gold, group)

    def value(rows: IntArray) -> float | FloatArray:
        counts = np.bincount(code[rows], minlength=every.counts.size).reshape(every.counts.shape)
        return metric(DecisionCells(counts.astype(np.float64), every.groups, every.classes))

    children = [np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(draws)]
    balanced, reference = (
        np.array(
            [value(_draw(cells, how, rng, regardless=regardless)[0]) for rng in followed(children, stage, "draws")]
        )
        for regardless, stage in ((False, "balanced sets"), (True, "random sets"))
    )
    return balanced, reference
