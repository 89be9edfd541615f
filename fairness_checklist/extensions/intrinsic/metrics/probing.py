"""Probes: how well a linear classifier reads the group from vectors, and how short it makes their description."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.core.errors import OptionError
from fairness_checklist.extensions.intrinsic.metrics.vectors import as_vectors, is_first

PORTIONS = (0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.0625, 0.125, 0.25, 0.5, 1.0)
"""The shares of the data after which Voita and Titov 2020 train again."""
_STEPS, _CONVERGED, _NEAR = 100, 1e-11, 1e-6


@dataclass(frozen=True, eq=False)
class LogisticFit:
    """A linear classifier of two groups."""

    weights: FloatArray  # (d,) the coefficients
    intercept: float  # the constant

    def scores(self, vectors: FloatArray) -> FloatArray:
        """The log odds (n,) of the first group."""
        return np.asarray(vectors @ self.weights + self.intercept, dtype=np.float64)


def fit_logistic(vectors: ArrayLike, first: ArrayLike, *, penalty: float = 1.0) -> LogisticFit:
    """Logistic regression with an L2 penalty, as in scikit-learn with ``C = 1 / penalty``.

    The sum of log losses plus penalty / 2 times the squared weights; the intercept is free. The optimum lies in the
    span of the vectors, so Newton's method runs in at most n dimensions.
    """
    rows, target = as_vectors("vectors", vectors), np.asarray(first, dtype=np.bool_)
    if target.shape != (len(rows),) or target.all() or not target.any():
        raise OptionError(
            f"{len(rows)} vectors, {int(target.sum())} of them of the first group, cannot train a probe.",
            remedy="Give vectors of both groups, and one label a vector.",
        )
    if not penalty > 0:
        raise OptionError(f"penalty={penalty} is not positive.", remedy="Write penalty=1.0.")
    centre = rows.mean(axis=0)
    basis = np.eye(rows.shape[1])
    if rows.shape[1] >= len(rows):
        _, singular, basis = np.linalg.svd(rows - centre, full_matrices=False)
        basis = basis[singular > singular[0] * 1e-13]
    reduced = np.hstack([(rows - centre) @ basis.T, np.ones((len(rows), 1))])
    solution = _newton(reduced, target, penalty)
    weights = basis.T @ solution[:-1]
    return LogisticFit(np.asarray(weights, dtype=np.float64), float(solution[-1] - centre @ weights))


def _newton(rows: FloatArray, target: BoolArray, penalty: float) -> FloatArray:
    """The optimum; the last column is the constant, which is not penalised."""
    ridge = np.full(rows.shape[1], penalty)
    ridge[-1] = 0.0
    beta = np.zeros(rows.shape[1])
    sign = np.where(target, 1.0, -1.0)
    loss = _loss(rows, sign, ridge, beta)
    for _ in range(_STEPS):
        chance = _sigmoid(rows @ beta)
        gradient = rows.T @ (chance - target) + ridge * beta
        curve = (rows * (chance * (1 - chance))[:, None]).T @ rows + np.diag(ridge)
        step = np.linalg.solve(curve, gradient)
        gain = float(gradient @ step)
        if gain < _CONVERGED**2:
            return np.asarray(beta - step, dtype=np.float64)
        size = 1.0
        # Near the optimum the loss cannot tell a better step from rounding, and full steps converge.
        while gain > _NEAR and size > 1e-8 and _loss(rows, sign, ridge, beta - size * step) > loss - size * gain / 4:
            size /= 2
        beta = beta - size * step
        loss = _loss(rows, sign, ridge, beta)
    return beta


def _loss(rows: FloatArray, sign: FloatArray, ridge: FloatArray, weights: FloatArray) -> float:
    return float(np.logaddexp(0.0, -sign * (rows @ weights)).sum() + 0.5 * (ridge * weights**2).sum())


def _sigmoid(values: FloatArray) -> FloatArray:
    small = np.exp(-np.abs(values))
    return np.asarray(np.where(values >= 0, 1.0, small) / (1 + small), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Probe:
    """A linear probe on units that it was not trained on."""

    accuracy: float  # share of vectors whose group is recognised, 0 to 1
    f1: float  # the mean F1 of the two groups
    correct: BoolArray  # (n,) which were recognised


def linear_probe(
    vectors: ArrayLike,
    labels: ArrayLike,
    *,
    unit: Sequence[object] | None = None,
    folds: int = 5,
    seed: int = 0,
) -> Probe:
    """Cross-validated logistic regression from vectors (n, d) to the group (n,).

    All vectors of a unit, such as a word, are in the same fold, so that the probe cannot remember the word; by default
    each vector is a unit. Units of each group are spread evenly over the folds.
    """
    rows = as_vectors("vectors", vectors)
    first = is_first(labels, len(rows))
    code, unit_first = unit_groups(first, unit)
    smaller = int(min(unit_first.sum(), (~unit_first).sum()))
    if not 2 <= folds <= smaller:
        raise OptionError(
            f"folds={folds} is out of range; expected 2 to {smaller}, the units of the smaller group.",
            remedy="Give more units, or fewer folds.",
        )
    fold = unit_folds(unit_first, folds, np.random.default_rng(seed))[code]
    said = np.zeros(len(rows), dtype=np.bool_)
    for at in range(folds):
        held = fold == at
        said[held] = fit_logistic(rows[~held], first[~held]).scores(rows[held]) > 0
    correct = said == first
    f1 = float(np.mean([_f1(said, first), _f1(~said, ~first)]))
    return Probe(float(correct.mean()), f1, correct)


def _f1(said: BoolArray, gold: BoolArray) -> float:
    both = int((said & gold).sum())
    named = int(said.sum()) + int(gold.sum())
    return 2 * both / named if named else 0.0


def unit_groups(first: BoolArray, unit: Sequence[object] | None) -> tuple[IntArray, BoolArray]:
    """The unit of each vector as a number (n,), and the group of each unit (U,)."""
    given = list(range(len(first))) if unit is None else list(unit)
    if len(given) != len(first):
        raise OptionError(f"unit= names {len(given)} units for {len(first)} vectors.", remedy="Give one a vector.")
    number = {name: at for at, name in enumerate(dict.fromkeys(given))}
    code = np.array([number[name] for name in given], dtype=np.int64)
    share = np.bincount(code, weights=first) / np.bincount(code)
    if ((share > 0) & (share < 1)).any():
        raise OptionError("a unit has vectors of both groups.", remedy="Give units that belong to one group.")
    return code, share > 0.5


def unit_folds(first: BoolArray, folds: int, rng: np.random.Generator) -> IntArray:
    """A fold for each unit, each group spread evenly: sizes differ by one at most in a group."""
    fold = np.zeros(len(first), dtype=np.int64)
    for side in (first, ~first):
        where = rng.permutation(np.flatnonzero(side))
        fold[where] = np.arange(len(where)) % folds
    return fold


@dataclass(frozen=True, eq=False)
class OnlineCode:
    """The online code of labels given vectors."""

    codelength: float  # in bits
    uniform: float  # n bits, the length without a model
    compression: float  # uniform / codelength: 1 or less where the vectors help nothing, more where they tell the group
    ends: tuple[int, ...]  # the vectors after which a probe was trained; one bit each in the first


def online_code(
    vectors: ArrayLike,
    labels: ArrayLike,
    *,
    unit: Sequence[object] | None = None,
    portions: Sequence[float] = PORTIONS,
    penalty: float = 1.0,
    seed: int = 0,
) -> OnlineCode:
    """Minimum description length probing by the online code (Voita and Titov 2020, section 2.2).

    Units come in random order. The labels of the first portion cost one bit each; those of every further portion cost
    what a probe trained on all before assigns: -log2 p(label). Where all before are of one group, one bit each.
    Portions are shares of the units, rising to 1; those that add no unit are left out.
    """
    rows = as_vectors("vectors", vectors)
    first = is_first(labels, len(rows))
    shares = np.asarray(portions, dtype=np.float64)
    if not len(shares) or shares[-1] != 1 or (np.diff(shares) <= 0).any() or shares[0] <= 0:
        raise OptionError(f"portions={tuple(portions)} do not rise to 1.", remedy="Write portions=(0.1, 0.5, 1).")
    code, unit_first = unit_groups(first, unit)
    n_units = len(unit_first)
    order = np.random.default_rng(seed).permutation(n_units)
    stops = sorted({max(1, round(float(share) * n_units)) for share in shares})
    place = np.argsort(order)[code]  # of each vector's unit in the order
    bits = float((place < stops[0]).sum())
    for start, stop in pairwise(stops):
        known, coded = place < start, (place >= start) & (place < stop)
        if first[known].all() or not first[known].any():
            bits += float(coded.sum())
            continue
        scores = fit_logistic(rows[known], first[known], penalty=penalty).scores(rows[coded])
        sign = np.where(first[coded], 1.0, -1.0)
        bits += float(np.logaddexp(0.0, -sign * scores).sum() / np.log(2))
    ends = tuple(int((place < stop).sum()) for stop in stops[:-1])
    return OnlineCode(bits, float(len(rows)), len(rows) / bits, ends)
