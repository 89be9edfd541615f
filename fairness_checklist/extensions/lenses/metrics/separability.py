"""How well vectors tell two groups apart: probes, clusters, neighbours, and the direction between pairs of words.

Probes, clusters and neighbours are scikit-learn's (the extra ``lenses``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.core.errors import MissingExtraError, OptionError

PORTIONS = (0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.0625, 0.125, 0.25, 0.5, 1.0)
"""The shares of the data after which Voita and Titov 2020 train again."""


def scikit_learn() -> Any:
    """The module ``sklearn`` with what is used of it; `MissingExtraError` where it is not installed."""
    try:
        import sklearn
        import sklearn.cluster
        import sklearn.linear_model
        import sklearn.metrics
        import sklearn.neighbors
    except ImportError as error:
        raise MissingExtraError(
            "probes, clusters and neighbours need scikit-learn, which is not installed.",
            remedy='Install the extra: pip install "fairness-checklist[lenses]".',
        ) from error
    return sklearn


def as_vectors(name: str, values: ArrayLike) -> FloatArray:
    """Vectors (n, d) in float64; `OptionError` with their name for anything else."""
    vectors = np.asarray(values, dtype=np.float64)
    if vectors.ndim != 2 or not vectors.size:
        raise OptionError(
            f"{name}= has the shape {vectors.shape}; expected vectors (n, d).", remedy="Give one vector a row."
        )
    if not np.isfinite(vectors).all():
        raise OptionError(f"{name}= has values that are not finite.", remedy="Leave out the vectors without a value.")
    return vectors


def unit_vectors(name: str, values: ArrayLike) -> FloatArray:
    """The vectors at length 1; `OptionError` for one of length 0."""
    vectors = as_vectors(name, values)
    length = np.sqrt((vectors**2).sum(axis=1, keepdims=True))
    if not length.all():
        raise OptionError(
            f"{name}= has a vector of zeros (row {int(np.flatnonzero(length[:, 0] == 0)[0])}), which has no direction.",
            remedy="Leave it out.",
        )
    return np.asarray(vectors / length, dtype=np.float64)


def cosines(left: FloatArray, right: FloatArray) -> FloatArray:
    """The cosines (n, m) of n with m vectors that have length 1, from -1 to 1."""
    return np.asarray(np.clip(left @ right.T, -1.0, 1.0), dtype=np.float64)


def is_first(labels: ArrayLike, n: int) -> BoolArray:
    """Which of n vectors belong to the first of two groups, the one of row 0."""
    column = np.asarray(labels)
    names = list(dict.fromkeys(column.tolist())) if column.ndim == 1 else []
    if column.shape != (n,) or len(names) != 2:
        raise OptionError(
            f"labels= has the shape {column.shape} with {len(names)} groups, for {n} vectors; expected one label a "
            "vector and two groups.",
            remedy="Select the vectors of two groups first.",
        )
    return np.array([label == names[0] for label in column.tolist()], dtype=np.bool_)


# Probes


def _log_odds(train: FloatArray, first: BoolArray, test: FloatArray) -> FloatArray:
    """The log odds (m,) of the first group by logistic regression with an L2 penalty of 1."""
    sklearn = scikit_learn()
    with sklearn.config_context(assume_finite=True, skip_parameter_validation=True):
        fit = sklearn.linear_model.LogisticRegression(solver="newton-cholesky", tol=1e-10, max_iter=500)
        return np.asarray(fit.fit(train, first).decision_function(test), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Probe:
    """A linear probe on units that it was not trained on."""

    accuracy: float  # share of vectors whose group is recognised, 0 to 1
    f1: float  # the mean F1 of the two groups
    correct: BoolArray  # (n,) which were recognised


def linear_probe(
    vectors: ArrayLike, labels: ArrayLike, *, unit: Sequence[object] | None = None, folds: int = 5, seed: int = 0
) -> Probe:
    """Cross-validated logistic regression from vectors (n, d) to the group (n,).

    All vectors of a unit, such as a word, are in the same fold, so that the probe cannot remember the word; by default
    each vector is a unit. Units of each group are spread evenly over the folds.
    """
    rows = as_vectors("vectors", vectors)
    first = is_first(labels, len(rows))
    code, unit_first = _unit_groups(first, unit)
    smaller = int(min(unit_first.sum(), (~unit_first).sum()))
    if not 2 <= folds <= smaller:
        raise OptionError(
            f"folds={folds} is out of range; expected 2 to {smaller}, the units of the smaller group.",
            remedy="Give more units, or fewer folds.",
        )
    rng = np.random.default_rng(seed)
    unit_fold = np.zeros(len(unit_first), dtype=np.int64)
    for members in (unit_first, ~unit_first):
        order = rng.permutation(np.flatnonzero(members))
        unit_fold[order] = np.arange(len(order)) % folds
    fold = unit_fold[code]
    recognised_as_first = np.zeros(len(rows), dtype=np.bool_)
    for number in range(folds):
        held = fold == number
        recognised_as_first[held] = _log_odds(rows[~held], first[~held], rows[held]) > 0
    f1 = float(scikit_learn().metrics.f1_score(first, recognised_as_first, average="macro"))
    correct = recognised_as_first == first
    return Probe(float(correct.mean()), f1, correct)


def _unit_groups(first: BoolArray, unit: Sequence[object] | None) -> tuple[IntArray, BoolArray]:
    """The unit of each vector as a number (n,), and the group of each unit (U,)."""
    units = list(range(len(first))) if unit is None else list(unit)
    if len(units) != len(first):
        raise OptionError(f"unit= names {len(units)} units for {len(first)} vectors.", remedy="Give one a vector.")
    number = {name: position for position, name in enumerate(dict.fromkeys(units))}
    code = np.array([number[name] for name in units], dtype=np.int64)
    share = np.bincount(code, weights=first) / np.bincount(code)
    if ((share > 0) & (share < 1)).any():
        raise OptionError("a unit has vectors of both groups.", remedy="Give units that belong to one group.")
    return code, share > 0.5


def online_code(
    vectors: ArrayLike,
    labels: ArrayLike,
    *,
    unit: Sequence[object] | None = None,
    portions: Sequence[float] = PORTIONS,
    seed: int = 0,
) -> float:
    """The compression of labels given vectors by the online code (Voita and Titov 2020, section 2.2).

    Units come in random order. The labels of the first portion cost one bit each; those of every further portion cost
    what a probe trained on all before assigns: -log2 p(label). Where all before are of one group, one bit each.
    Portions are shares of the units, rising to 1; those that add no unit are left out.

    Returns:
        n bits over the length of the code: 1 or less where the vectors help nothing.
    """
    rows = as_vectors("vectors", vectors)
    first = is_first(labels, len(rows))
    code, unit_first = _unit_groups(first, unit)
    n_units = len(unit_first)
    order = np.random.default_rng(seed).permutation(n_units)
    stops = sorted({max(1, round(share * n_units)) for share in portions})
    place = np.argsort(order)[code]  # of each vector's unit in the order
    bits = float((place < stops[0]).sum())
    for start, stop in pairwise(stops):
        before, coded = place < start, (place >= start) & (place < stop)
        if first[before].all() or not first[before].any():
            bits += float(coded.sum())
            continue
        scores = _log_odds(rows[before], first[before], rows[coded])
        sign = np.where(first[coded], 1.0, -1.0)
        bits += float(np.logaddexp(0.0, -sign * scores).sum() / np.log(2))
    return len(rows) / bits


# Clusters and neighbours (Gonen and Goldberg 2019)


@dataclass(frozen=True, eq=False)
class TwoClusters:
    """Two clusters of n vectors."""

    accuracy: float  # the share of vectors in the cluster of their group, after the better matching: 0.5 to 1
    v_measure: float  # the harmonic mean of homogeneity and completeness, 0 to 1
    cluster: IntArray  # (n,) 0 or 1, 0 for that of row 0


def cluster_agreement(vectors: ArrayLike, labels: ArrayLike, *, starts: int = 20, seed: int = 0) -> TwoClusters:
    """Two clusters (k-means, the best of several starts) of vectors (n, d), compared with the labels (n,)."""
    rows = as_vectors("vectors", vectors)
    first, sklearn = is_first(labels, len(rows)), scikit_learn()
    means = sklearn.cluster.KMeans(2, init="random", n_init=starts, random_state=seed, tol=0)
    found = means.fit_predict(rows - rows.mean(axis=0)).astype(np.int64)
    cluster = found if found[0] == 0 else 1 - found
    return TwoClusters(
        matched_accuracy(first, cluster), float(sklearn.metrics.v_measure_score(first, cluster)), cluster
    )


def matched_accuracy(first: BoolArray, cluster: IntArray) -> float:
    """The share of vectors in the cluster of their group, after the better of the two matchings."""
    same = float((first == (cluster == 0)).mean())
    return max(same, 1 - same)


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The nearest neighbours of n vectors."""

    same_share: float  # the mean share of a vector's k nearest that are of its group, 0 to 1
    expected: float  # its mean when groups are assigned at random
    nearest: IntArray  # (n, k) the neighbours, nearest first


def neighbour_shares(vectors: ArrayLike, labels: ArrayLike, *, k: int = 5) -> Neighbours:
    """The share of the k nearest neighbours by cosine that belong to the same of two groups.

    One vector (d,) a word: several contexts of one word would be each other's neighbours.
    """
    rows = unit_vectors("vectors", vectors)
    n = len(rows)
    first = is_first(labels, n)
    if not 1 <= k < n:
        raise OptionError(f"k={k} is out of range; expected 1 to {n - 1} for {n} vectors.")
    near = scikit_learn().neighbors.NearestNeighbors(n_neighbors=k, metric="cosine", algorithm="brute")
    nearest = near.fit(rows).kneighbors(return_distance=False).astype(np.int64)
    sizes = np.where(first, first.sum(), n - first.sum())
    same = (first[nearest] == first[:, None]).mean()
    return Neighbours(float(same), float(((sizes - 1) / (n - 1)).mean()), nearest)


# The direction between groups (Bolukbasi et al. 2016)


@dataclass(frozen=True, eq=False)
class GroupSpace:
    """Principal components of pairs of words that differ in the group."""

    explained: float  # the first component's share of the variance, from 1 / (number of components) to 1
    direction: FloatArray  # (d,) the first component, at length 1, pointing from the second words to the first


def group_space(first: ArrayLike, second: ArrayLike) -> GroupSpace:
    """The gender space of Bolukbasi et al. 2016 (section 5.1), for P pairs of vectors (P, d) of any two groups.

    Each pair is centred on its own mean; the components are those of the centred vectors' second moments. The first
    one's share is at least 1 / P: compare it with that of random pairs.
    """
    left, right = as_vectors("first", first), as_vectors("second", second)
    if left.shape != right.shape:
        raise OptionError(
            f"first= and second= have the shapes {left.shape} and {right.shape}; expected pairs.",
            remedy="Give the words of a pair at the same row.",
        )
    half = (left - right) / 2  # first less the pair's mean; the second word is its negative
    _, singular, rows = np.linalg.svd(half, full_matrices=False)
    variance = singular**2
    if not variance.sum() > 0:
        raise OptionError("the words of each pair have the same vector.", remedy="Give vectors that differ.")
    direction = rows[0] if float((half @ rows[0]).sum()) >= 0 else -rows[0]
    return GroupSpace(float(variance[0] / variance.sum()), np.asarray(direction, dtype=np.float64))


def direction_cosines(words: ArrayLike, direction: ArrayLike) -> FloatArray:
    """The cosine (n,) of words (n, d) that name no group with the direction (d,) between the groups.

    The mean of the absolute values is the direct bias with c = 1 in Bolukbasi et al. 2016.
    """
    line = unit_vectors("direction", np.asarray(direction, dtype=np.float64)[None])
    return cosines(unit_vectors("words", words), line)[:, 0]
