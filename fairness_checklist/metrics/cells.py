"""The scores of the symmetric sources in cells: a cell is one source, or one word of a source."""

from __future__ import annotations

import numpy as np

from fairness_checklist import scores
from fairness_checklist.arrays import FloatArray
from fairness_checklist.metrics import exact
from fairness_checklist.metrics.group import observations
from fairness_checklist.metrics.groupings import mean_by_source
from fairness_checklist.outcomes import Outcomes

__all__ = ["Cells"]


class Cells:
    """The scores of the symmetric sources, one class at a time: value, cell, lane (group or control) and weight.

    A cell is a source (``pooled``: set, mean and rate scores) or one word of a source (single scores).
    """

    def __init__(self, score: scores.Score, outcomes: Outcomes, *, pooled: bool) -> None:
        self.values, row, position = observations(score, outcomes)
        self.outcomes = outcomes
        source = outcomes.source[row]
        enters = (source >= 0) & outcomes.symmetric[source]
        part = np.flatnonzero(enters if pooled else enters & (position >= 0))
        self.values, self.row, self.source = self.values[part], row[part], source[part]
        self.position = np.zeros(len(part), dtype=np.int64) if pooled else position[part]
        self.width = int(self.position.max(initial=0)) + 1

    def of_class(self, k: int, lanes: int) -> exact.CellDistributions:
        """The sorted scores of class k in each cell (S * width cells)."""
        fine = ~np.isnan(self.values[:, k])
        row = self.row[fine]
        cell = self.source[fine] * self.width + self.position[fine]
        size = len(self.outcomes.sources) * self.width
        return exact.sort_cells(
            self.values[fine, k], cell, self.outcomes.group[row], self.outcomes.weight[row], size, lanes
        )

    def by_source(self, values: FloatArray) -> FloatArray:
        """(S, ...) means over each source's cells of (S * width, ...) values, the undefined ones left out."""
        if self.width == 1:
            return values
        source = np.arange(len(values)) // self.width
        return mean_by_source(values, source, len(self.outcomes.sources))
