"""The direction between two groups' words: its share of the variance (PCA), and cosines of other words with it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.core.errors import OptionError
from fairness_checklist.extensions.intrinsic.metrics.vectors import as_vectors, cosines, units

__all__ = ["DirectionCosines", "GroupSpace", "direction_cosines", "group_space"]


@dataclass(frozen=True, eq=False)
class GroupSpace:
    """Principal components of pairs of words that differ in the group.

    Attributes:
        explained: the first component's share of the variance, from 1 / (number of components) to 1.
        direction: (d,) the first component, at length 1, pointing from the second words to the first.
        shares: the share of each component, falling.
    """

    explained: float
    direction: FloatArray
    shares: FloatArray


def group_space(first: ArrayLike, second: ArrayLike) -> GroupSpace:
    """The gender space of Bolukbasi et al. 2016 (section 5.1), for any two groups.

    Each pair is centred on its own mean; the components are those of the centred vectors' second moments.

    Args:
        first, second: (P, d) the vectors of P pairs ("she", "he").

    Returns:
        The components. With P pairs the first one's share is at least 1 / P: compare it with that of random pairs.

    Raises:
        OptionError: not as many of each, or pairs without any difference.

    >>> space = group_space([[1.0, 0.0], [1.0, 1.0]], [[-1.0, 0.0], [0.0, 1.0]])
    >>> space.explained, space.direction.tolist()
    (1.0, [1.0, 0.0])
    """
    one, other = as_vectors("first", first), as_vectors("second", second)
    if one.shape != other.shape:
        raise OptionError(
            f"first= and second= have the shapes {one.shape} and {other.shape}; expected pairs.",
            remedy="Give the words of a pair at the same row.",
        )
    half = (one - other) / 2  # first less the pair's mean; the second word is its negative
    _, singular, rows = np.linalg.svd(half, full_matrices=False)
    variance = singular**2
    if not variance.sum() > 0:
        raise OptionError("the words of each pair have the same vector.", remedy="Give vectors that differ.")
    direction = rows[0] if float((half @ rows[0]).sum()) >= 0 else -rows[0]
    shares = variance / variance.sum()
    return GroupSpace(float(shares[0]), np.asarray(direction, dtype=np.float64), np.asarray(shares, dtype=np.float64))


@dataclass(frozen=True, eq=False)
class DirectionCosines:
    """Cosines of words with a direction.

    Attributes:
        mean_abs: the mean absolute cosine (direct bias with c = 1 in Bolukbasi et al. 2016), 0 to 1.
        mean: the mean cosine, -1 to 1; positive towards the first group.
        cosines: (n,) that of each word.
    """

    mean_abs: float
    mean: float
    cosines: FloatArray


def direction_cosines(words: ArrayLike, direction: ArrayLike) -> DirectionCosines:
    """How far words that name no group lie along the direction between the groups.

    Args:
        words: (n, d) vectors of neutral words.
        direction: (d,) as in `group_space`.

    Raises:
        OptionError: a vector of zeros.

    >>> direction_cosines([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]], [1.0, 0.0]).mean_abs
    0.6666666666666666
    """
    line = units("direction", np.asarray(direction, dtype=np.float64)[None])
    found = cosines(units("words", words), line)[:, 0]
    return DirectionCosines(float(np.abs(found).mean()), float(found.mean()), found)
