"""Whether vectors lie together by group: two clusters, and nearest neighbours (Gonen and Goldberg 2019)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.option_defaults import whole_number
from fairness_checklist.extensions.intrinsic.metrics.vectors import as_vectors, cosines, is_first, units


@dataclass(frozen=True, eq=False)
class TwoClusters:
    """Two clusters of n vectors."""

    accuracy: float  # the share of vectors in the cluster of their group, after the better matching: 0.5 to 1
    v_measure: float  # the harmonic mean of homogeneity and completeness, 0 to 1
    cluster: IntArray  # (n,) 0 or 1
    inertia: float  # the sum of squared distances to the centres


def two_clusters(vectors: ArrayLike, *, starts: int = 20, seed: int = 0) -> tuple[IntArray, float]:
    """Lloyd's k-means with two clusters (n,), 0 for that of row 0, and the inertia: the best of several starts.

    Starts are pairs of vectors, drawn without regard to distance; all pairs where there are no more.
    """
    rows = as_vectors("vectors", vectors, 2)
    rows = rows - rows.mean(axis=0)
    best, chosen = np.inf, np.zeros(len(rows), dtype=np.int64)
    for pair in _pairs(len(rows), whole_number("starts", starts), seed):
        cluster, inertia = _lloyd(rows, rows[list(pair)])
        if inertia < best * (1 - 1e-12):
            best, chosen = inertia, cluster
    return (chosen if chosen[0] == 0 else 1 - chosen), float(best)


def _pairs(n: int, starts: int, seed: int) -> list[tuple[int, int]]:
    if n * (n - 1) // 2 <= starts:
        return list(combinations(range(n), 2))
    rng = np.random.default_rng(seed)
    return [tuple(rng.choice(n, size=2, replace=False).tolist()) for _ in range(starts)]


def _lloyd(rows: FloatArray, centres: FloatArray) -> tuple[IntArray, float]:
    cluster = np.full(len(rows), -1, dtype=np.int64)
    distance = np.zeros((len(rows), 2))
    for _ in range(300):
        distance = ((rows[:, None, :] - centres[None]) ** 2).sum(axis=2)
        nearest = (distance[:, 1] < distance[:, 0]).astype(np.int64)
        if (nearest == cluster).all():
            break
        cluster = nearest
        if 0 < cluster.sum() < len(rows):
            centres = np.stack([rows[cluster == k].mean(axis=0) for k in (0, 1)])
    return cluster, float(distance[np.arange(len(rows)), cluster].sum())


def v_measure(labels: ArrayLike, cluster: ArrayLike) -> float:
    """The V-measure of Rosenberg and Hirschberg 2007 with beta 1: 2 I / (H(labels) + H(cluster)), 0 to 1."""
    _, label_code = np.unique(np.asarray(labels), return_inverse=True)
    _, cluster_code = np.unique(np.asarray(cluster), return_inverse=True)
    joint = np.zeros((label_code.max() + 1, cluster_code.max() + 1))
    np.add.at(joint, (label_code, cluster_code), 1.0)
    share = joint / joint.sum()
    of_labels, of_cluster, both = _entropy(share.sum(axis=1)), _entropy(share.sum(axis=0)), _entropy(share)
    total = of_labels + of_cluster
    return float(max(0.0, 2 * (total - both) / total)) if total > 0 else 1.0


def _entropy(share: FloatArray) -> float:
    positive = share[share > 0]
    return float(-(positive * np.log(positive)).sum())


def cluster_agreement(vectors: ArrayLike, labels: ArrayLike, *, starts: int = 20, seed: int = 0) -> TwoClusters:
    """Two clusters of vectors (n, d) without regard to the group, compared with the labels (n,) of two groups."""
    rows = as_vectors("vectors", vectors, 2)
    first = is_first(labels, len(rows))
    cluster, inertia = two_clusters(rows, starts=starts, seed=seed)
    return TwoClusters(matched_accuracy(first, cluster), v_measure(first, cluster), cluster, inertia)


def matched_accuracy(first: BoolArray, cluster: IntArray) -> float:
    """The share of vectors in the cluster of their group, after the better of the two matchings."""
    same = float((first == (cluster == 0)).mean())
    return max(same, 1 - same)


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The nearest neighbours of n vectors."""

    same_share: float  # the mean share of a vector's k nearest that are of its group, 0 to 1
    expected: float  # its mean when groups are assigned at random
    shares: FloatArray  # (n,) that of each vector
    nearest: IntArray  # (n, k) the neighbours, nearest first; ties in the order of the rows


def neighbour_shares(vectors: ArrayLike, labels: ArrayLike, *, k: int = 5) -> Neighbours:
    """The share of the k nearest neighbours by cosine that belong to the same of two groups.

    One vector (d,) a word: several contexts of one word would be each other's neighbours.
    """
    rows = units("vectors", vectors, 2)
    n = len(rows)
    first = is_first(labels, n)
    if not 1 <= whole_number("k", k) < n:
        raise OptionError(f"k={k} is out of range; expected 1 to {n - 1} for {n} vectors.")
    near = cosines(rows, rows)
    np.fill_diagonal(near, -np.inf)
    nearest = np.argsort(-near, axis=1, kind="stable")[:, :k]
    shares = (first[nearest] == first[:, None]).mean(axis=1)
    sizes = np.where(first, first.sum(), n - first.sum())
    return Neighbours(float(shares.mean()), float(((sizes - 1) / (n - 1)).mean()), shares, nearest.astype(np.int64))
