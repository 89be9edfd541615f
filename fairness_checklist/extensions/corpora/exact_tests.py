"""The exact bound of a share of right labels, and exact tests of two shares; vectorised."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv
from scipy.stats import hypergeom

from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.keywords import checks_keywords


def contingency_cells(k: ArrayLike, n: ArrayLike, k_all: int, n_all: int) -> IntArray:
    """The four cells (4, ...) of k of n texts: positive and others among the n, positive and others among the rest."""
    hits, size = np.asarray(k, dtype=np.int64), np.asarray(n, dtype=np.int64)
    return np.array([hits, size - hits, k_all - hits, n_all - size - k_all + hits])


def skew_p_values(k: ArrayLike, n: ArrayLike, k_all: int, n_all: int) -> FloatArray:
    """Exact two-sided p that k of n texts with a term are positive where k_all of all n_all are.

    Twice the smaller tail of the hypergeometric distribution (Fisher's exact test, central form), at most 1. It takes
    the texts as independent.
    """
    hits, size = np.asarray(k, dtype=np.int64), np.asarray(n, dtype=np.int64)
    margins = (n_all, k_all, size)
    return np.asarray(np.fmin(1.0, 2 * np.minimum(hypergeom.cdf(hits, *margins), hypergeom.sf(hits - 1, *margins))))


def smallest_p_values(n: ArrayLike, k_all: int, n_all: int) -> FloatArray:
    """The smallest p of `skew_p_values` that n texts can reach, whatever their labels.

    >>> smallest_p_values([1, 5], 50, 100).round(3).tolist()
    [1.0, 0.056]
    """
    size = np.asarray(n, dtype=np.int64)
    fewest, most = np.maximum(0, size - (n_all - k_all)), np.minimum(size, k_all)
    return np.minimum(*(skew_p_values(k, size, k_all, n_all) for k in (fewest, most)))


@checks_keywords
def label_bound(right: int, labelled: int, *, total: int | None = None, confidence: float = 0.95) -> float:
    """The exact lower bound of the share of texts whose assumed label is right, from a labelled random sample.

    Args:
        right: labelled texts whose assumed label is right.
        labelled: texts that were labelled, drawn at random without replacement.
        total: the texts that the sample was drawn from. Without it there are many more than the sample (binomial);
            with it the bound is hypergeometric, and never lower.
        confidence: of the bound, one-sided.

    Returns:
        A share in [0, 1]. Dixon et al. 2018: 995 of 1,000 labelled texts of 4,620.

    Raises:
        OptionError: counts that contradict each other.

    >>> round(label_bound(995, 1000), 4), round(label_bound(995, 1000, total=4620), 4)
    (0.9895, 0.9903)
    """
    if not 0 <= right <= labelled or labelled < 1 or not 0 < confidence < 1 or (total or labelled) < labelled:
        raise OptionError(
            f"right={right}, labelled={labelled}, total={total}, confidence={confidence} contradict each other.",
            remedy="right is at most labelled, labelled at most total, and confidence between 0 and 1.",
        )
    if right == 0:
        return 0.0
    if total is None:
        return float(betaincinv(right, labelled - right + 1, 1 - confidence))
    possible = np.arange(right, total - (labelled - right) + 1)
    reached = np.asarray(hypergeom.sf(right - 1, total, possible, labelled) > 1 - confidence)
    return float(possible[reached.argmax()] / total)
