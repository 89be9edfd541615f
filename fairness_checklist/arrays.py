"""The three kinds of arrays that everything is computed on, and their division."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["BoolArray", "FloatArray", "IntArray", "divide"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


def divide(numerator: ArrayLike, denominator: ArrayLike, fill: float = np.nan) -> FloatArray:
    """Elementwise quotient, ``fill`` where the denominator is 0; shapes are broadcast.

    >>> divide([1, 2], [4, 0]), divide([1, 2], [4, 0], fill=0)
    (array([0.25,  nan]), array([0.25, 0.  ]))
    """
    above, below = np.asarray(numerator), np.asarray(denominator)
    out = np.full(np.broadcast_shapes(above.shape, below.shape), fill, dtype=np.float64)
    result: FloatArray = np.divide(above, below, out=out, where=below != 0)
    return result
