"""Checks of vectors and group labels, and cosines."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from fairness_checklist.core.arrays import BoolArray, FloatArray
from fairness_checklist.core.errors import OptionError


def as_vectors(name: str, values: ArrayLike, least: int = 1) -> FloatArray:
    """Vectors (n, d) in float64, n of ``least`` or more; `OptionError` with their name for anything else."""
    found = np.asarray(values, dtype=np.float64)
    if found.ndim != 2 or len(found) < least or not found.shape[1]:
        raise OptionError(
            f"{name}= has the shape {found.shape}; expected vectors (n, d) with n of {least} or more.",
            remedy="Give one vector a row.",
        )
    if not np.isfinite(found).all():
        raise OptionError(f"{name}= has values that are not finite.", remedy="Leave out the vectors without a value.")
    return found


def units(name: str, values: ArrayLike, least: int = 1) -> FloatArray:
    """The vectors at length 1; `OptionError` for one of length 0."""
    found = as_vectors(name, values, least)
    length = np.sqrt((found**2).sum(axis=1, keepdims=True))
    if not length.all():
        raise OptionError(
            f"{name}= has a vector of zeros (row {int(np.flatnonzero(length[:, 0] == 0)[0])}), which has no direction.",
            remedy="Leave it out.",
        )
    return np.asarray(found / length, dtype=np.float64)


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
    return np.array([one == names[0] for one in given.tolist()], dtype=np.bool_)
