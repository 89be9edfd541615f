"""Random factors of the model itself in the variance of a gap: the prompts of a language model, for instance.

A gap that is a mean over R prompts varies with the choice of the prompts. Its variance over them is ``s**2 / R``,
where s is the standard deviation of the gaps with one prompt each. It is added to the variance over sources and terms.
The gaps of single prompts also hold what the mean over sources has of their noise, so that the sum is too large rather
than too small.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fairness_checklist.core.arrays import FloatArray


def variance_of_levels(levels: Sequence[FloatArray], contrast: FloatArray) -> FloatArray:
    """The variance of contrasts over the levels of random factors.

    Shapes: contrast (..., L).
    Returns (...): the sum over factors of the variance between levels, divided by R; 0 without factors.

    >>> variance_of_levels([np.array([[0.0, 0.1], [0.0, 0.3]])], np.array([[-1.0, 1.0]])).round(3).tolist()
    [0.01]
    """
    total = np.zeros(contrast.shape[:-1])
    for way in levels:
        total += (contrast @ np.nan_to_num(way).T).var(axis=-1, ddof=1) / len(way)
    return total


def drawn_levels(
    levels: Sequence[FloatArray], contrast: FloatArray, draws: int, random: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """What new levels add to contrasts under the null, and the variance that each draw would be given if it were the
    data.

    Shapes: contrast (K, L).

    The R levels of a draw are normal with the covariance of the contrasts between the levels that there are. A draw
    divided by its own standard error is then Student-t with R - 1 degrees of freedom, as few prompts ask for.

    Returns the mean over the levels (D, K), and its variance (D, K); zeros without factors.
    """
    mean, variance = np.zeros((2, draws, len(contrast)))
    for way in levels:
        size = len(way)
        gaps = np.nan_to_num(way) @ contrast.T
        rest = (gaps - gaps.mean(axis=0)) / np.sqrt(size - 1)
        drawn = random.normal(size=(draws, size, size)) @ rest
        mean += drawn.mean(axis=1)
        variance += drawn.var(axis=1, ddof=1) / size
    return mean, variance
