"""Checks of vectors and group labels, cosines, and the direction between two groups' words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fairness_checklist.core.arrays import BoolArray, FloatArray
from fairness_checklist.core.errors import OptionError


def as_vectors(name: str, values: ArrayLike, least: int = 1) -> FloatArray:
    """Vectors (n, d) in float64, n of ``least`` or more; `OptionError` with their name for anything else."""
    vectors = np.asarray(values, dtype=np.float64)
    if vectors.ndim != 2 or len(vectors) < least or not vectors.shape[1]:
        raise OptionError(
            f"{name}= has the shape {vectors.shape}; expected vectors (n, d) with n of {least} or more.",
            remedy="Give one vector a row.",
        )
    if not np.isfinite(vectors).all():
        raise OptionError(f"{name}= has values that are not finite.", remedy="Leave out the vectors without a value.")
    return vectors


def units(name: str, values: ArrayLike, least: int = 1) -> FloatArray:
    """The vectors at length 1; `OptionError` for one of length 0."""
    vectors = as_vectors(name, values, least)
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
    given = np.asarray(labels)
    names = list(dict.fromkeys(given.tolist())) if given.ndim == 1 else []
    if given.shape != (n,) or len(names) != 2:
        raise OptionError(
            f"labels= has the shape {given.shape} with {len(names)} groups, for {n} vectors; expected one label a "
            "vector and two groups.",
            remedy="Select the vectors of two groups first.",
        )
    return np.array([label == names[0] for label in given.tolist()], dtype=np.bool_)


@dataclass(frozen=True, eq=False)
class GroupSpace:
    """Principal components of pairs of words that differ in the group."""

    explained: float  # the first component's share of the variance, from 1 / (number of components) to 1
    direction: FloatArray  # (d,) the first component, at length 1, pointing from the second words to the first
    shares: FloatArray  # the share of each component, falling


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
    shares = variance / variance.sum()
    return GroupSpace(float(shares[0]), np.asarray(direction, dtype=np.float64), np.asarray(shares, dtype=np.float64))


@dataclass(frozen=True, eq=False)
class DirectionCosines:
    """Cosines of words with a direction."""

    mean_abs: float  # the mean absolute cosine (direct bias with c = 1 in Bolukbasi et al. 2016), 0 to 1.
    mean: float  # the mean cosine, -1 to 1; positive towards the first group
    cosines: FloatArray  # (n,) that of each word


def direction_cosines(words: ArrayLike, direction: ArrayLike) -> DirectionCosines:
    """How far words (n, d) that name no group lie along the direction (d,) between the groups."""
    line = units("direction", np.asarray(direction, dtype=np.float64)[None])
    values = cosines(units("words", words), line)[:, 0]
    return DirectionCosines(float(np.abs(values).mean()), float(values.mean()), values)
