"""What the released code of Orgad and Belinkov 2022 computes in place of two equations of the paper."""

from __future__ import annotations

import numpy as np

from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.extensions.lenses.metrics.families import DecisionCells, Kind, LabelGaps, conditional_shares


def wasserstein_dependence(cells: DecisionCells, kind: Kind = "sufficiency") -> FloatArray:
    """`dependence` by the other reading of AllenNLP's ``allennlp.fairness``: the Wasserstein-1 distance.

    Classes are numbers 0, 1, 2, ... there, so that the figure changes with the order of the classes.
    """
    p, q = conditional_shares(cells, kind)
    return np.asarray(np.abs(np.cumsum(p - q, axis=2)[..., :-1]).sum(axis=2), dtype=np.float64)


def released_precision_gaps(cells: DecisionCells, gaps: LabelGaps) -> LabelGaps:
    """Gaps of what the code calls precision, F less M: true positives of the group over *all* rows.

    ``gaps`` are those of another rate, of which the shares and the numbers of rows are taken.
    """
    hits = np.einsum("gcc->gc", cells.counts) / cells.counts.sum()
    gap = hits[cells.groups.index("F")] - hits[cells.groups.index("M")]
    return LabelGaps("precision_released", gap, gaps.n_left, gaps.n_right, gaps.share)
