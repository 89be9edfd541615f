"""WEAT and SEAT: whether two sets of targets differ in their similarity to two sets of attribute words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fairness_checklist.core.arrays import BoolArray, FloatArray
from fairness_checklist.core.errors import OptionError
from fairness_checklist.extensions.intrinsic.metrics.vectors import cosines, units
from fairness_checklist.statistics.relabelling import EXACT_LIMIT, p_value, relabelled

__all__ = ["Association", "associations", "effect_size", "weat"]

_FLAT = 1e-12


@dataclass(frozen=True)
class Association:
    """The result of `weat`.

    Attributes:
        effect_size: d, from -2 to 2 for sets of the same size; positive where X is nearer to A, and Y to B. NaN where
            all targets have the same association.
    """

    effect_size: float
    statistic: float  # the sum of associations of X less that of Y
    p_value: float  # of the permutation test over targets
    exact: bool  # whether all assignments of the targets were enumerated
    assignments: int  # how many there were


def associations(words: ArrayLike, a: ArrayLike, b: ArrayLike) -> FloatArray:
    """s(w, A, B) of n words: the mean cosine with A less the mean cosine with B, (n,) from -2 to 2."""
    rows = units("words", words)
    near, far = (cosines(rows, units(name, set_)).mean(axis=1) for name, set_ in (("a", a), ("b", b)))
    return np.asarray(near - far, dtype=np.float64)


def effect_size(x: ArrayLike, y: ArrayLike) -> float:
    """The difference of the means of two sets of associations over the standard deviation (n - 1) of all values."""
    one, other = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    every = np.concatenate([one, other])
    spread = float(every.std(ddof=1)) if len(every) > 1 else 0.0
    return float((one.mean() - other.mean()) / spread) if spread > _FLAT else float("nan")


def weat(
    x: ArrayLike,
    y: ArrayLike,
    a: ArrayLike,
    b: ArrayLike,
    *,
    two_sided: bool = False,
    limit: int = EXACT_LIMIT,
    draws: int = 9_999,
    seed: int = 0,
) -> Association:
    """The Word Embedding Association Test (Caliskan et al. 2017); SEAT, where the vectors are of bleached sentences.

    Of vectors (n, d), (m, d) of two sets of targets and of two sets of attribute words. By default the test asks
    whether X is nearer to A, as in the paper. p: the share of assignments (all up to ``limit``, else ``draws``) whose
    difference of mean associations is at least the observed one; for sets of one size this is the order of the paper's
    sums.

    >>> found = weat([[1, 0], [2, 0.1]], [[0, 1], [0.1, 3]], [[1, 0.2]], [[0.2, 1]])
    >>> found.exact, found.assignments, round(found.p_value, 4), round(found.effect_size, 2)
    (True, 6, 0.1667, 1.73)
    """
    s_x, s_y = associations(x, a, b), associations(y, a, b)
    values = np.concatenate([s_x, s_y])
    first = np.arange(len(values)) < len(s_x)
    assigned = relabelled(first, limit=limit, draws=draws, seed=seed)
    permuted = mean_differences(values, assigned.first)
    observed = float(s_x.mean() - s_y.mean())
    if two_sided:
        observed, permuted = abs(observed), np.abs(permuted)
    return Association(
        effect_size(s_x, s_y),
        float(s_x.sum() - s_y.sum()),
        p_value(observed, permuted, exact=assigned.exact),
        assigned.exact,
        len(assigned.first),
    )


def mean_differences(values: FloatArray, first: BoolArray) -> FloatArray:
    """For each assignment (A, n) the mean of the first group less that of the second, (A,)."""
    size = first.sum(axis=1)
    rest = first.shape[1] - size
    if not size.all() or not rest.all():
        raise OptionError("a set of targets is empty.", remedy="Give vectors of both sets.")
    inside = first @ values
    return np.asarray(inside / size - (values.sum() - inside) / rest, dtype=np.float64)
