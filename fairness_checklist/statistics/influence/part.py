"""`Part`: how much each template and each cell moves some of a metric's contrasts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fairness_checklist.core.arrays import FloatArray, IntArray


_CELLS = 2_000_000


@dataclass(frozen=True, eq=False)
class Part:
    """The influence on p of a metric's contrasts, K classes.

    Counting a template once more moves a contrast by its influence, to first order; so does counting a term once more
    by the sum over its cells.

    Attributes:
        at: (p,) which contrasts.
        cell: (Q, p, K) of each cell, as part of its term.
        template: (J, p, K) of each template.
    """

    at: IntArray
    cell: FloatArray
    template: FloatArray


def chunks(n_contrasts: int, size: int) -> Iterator[IntArray]:
    """The contrasts, so many at a time that arrays of ``size`` each stay small."""
    step = max(1, _CELLS // max(1, size))
    for start in range(0, n_contrasts, step):
        yield np.arange(start, min(start + step, n_contrasts))
