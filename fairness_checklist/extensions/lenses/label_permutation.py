"""Whether recall differs between two groups for any label: groups permuted within each label, all labels at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.core.errors import InputError

__all__ = ["recall_gap_p_values"]


def recall_gap_p_values(right: ArrayLike, rows: ArrayLike, *, permutations: int = 1999, seed: int = 0) -> FloatArray:
    """Adjusted p-values of the gap in recall for each label (maximum of the studentised gaps, Westfall and Young 1993).

    Under the hypothesis the groups of a label's rows can be exchanged. Of (2, C) right rows and rows of each group and
    label; (C,) in (0, 1], NaN where a group has no rows, or all rows are right or all wrong.
    """
    hits, n = (np.asarray(counts, dtype=np.int64) for counts in (right, rows))
    if hits.shape != n.shape or hits.ndim != 2 or len(hits) != 2 or (hits > n).any() or (hits < 0).any():
        raise InputError("the counts need two rows, one a group, with no more right rows than rows.")
    total, every = hits.sum(axis=0), n.sum(axis=0)
    used = (n > 0).all(axis=0) & (total > 0) & (total < every)
    p_values: FloatArray = np.full(hits.shape[1], np.nan)
    if not used.any():
        return p_values
    (a, b), k, m = n[:, used], total[used], every[used]
    scale = np.sqrt(k / m * (1 - k / m) * (1 / a + 1 / b))
    drawn = np.random.default_rng(seed).hypergeometric(k, m - k, a, size=(permutations, int(used.sum())))
    largest = (np.abs(drawn / a - (k - drawn) / b) / scale).max(axis=1)
    observed = np.abs(hits[0, used] / a - hits[1, used] / b) / scale
    far = (largest[:, None] >= observed * (1 - 1e-12)).sum(axis=0)
    p_values[used] = (1 + far) / (1 + permutations)
    return p_values
