"""The figures of a run for Python: groups and terms with their intervals around equal treatment, and the heat map."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from fairness_checklist.core.options import whole_number
from fairness_checklist.reports.finding_text import nothing_compared
from fairness_checklist.reports.forest import forests, relevant_gap, term_plot
from fairness_checklist.reports.heatmap import heat_map
from fairness_checklist.reports.pairs import harm_texts
from fairness_checklist.reports.render import Plot
from fairness_checklist.reports.run_view import one_of
from fairness_checklist.tables.run_folder import Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Plots:
    """The figures of a run: ``result.plot.findings()``, ``result.plot.terms()``, ``result.plot.heatmap()``.

    Each returns a matplotlib figure that no global state of matplotlib knows of: ``figure.savefig("findings.png")``
    writes it, and a notebook shows it. Gaps are drawn in percentage points. ``attribute`` is one of the run's, by
    default all of them, below each other; `OptionError` where the run has no such attribute.

    >>> import fairness_checklist as fc
    >>> table = pd.DataFrame({"group": ["day", "night"] * 10, "label": "hired", "predicted": ["hired", "no"] * 10})
    >>> plot = fc.evaluate(table, attribute="shift", harm="called:no", metrics=["fpr_gap"], draws=99).plot
    >>> [tick.get_text() for tick in plot.findings().axes[0].get_yticklabels()]
    ['the group "night"', 'the group "day"']
    >>> [tick.get_text() for tick in plot.heatmap(label="no").axes[0].get_xticklabels()]
    ['day', 'night', 'accumulated']
    """

    results: Results

    def findings(self, attribute: str | None = None) -> Figure:
        """A forest plot of each harm: the groups around the line of equal treatment, the strongest finding on top.

        Returns:
            A figure with one axes for each attribute and harm, as on the page: a group is at its gap with its bounds,
            its terms are small dots, the grey band is what control words reach.
        """
        plots: list[tuple[str, Plot | None]] = []
        relevant = relevant_gap(self.results)
        for name, records in self._records(self.results.findings, attribute):
            terms = self.results.term_findings[self.results.term_findings["attribute"] == name]
            texts = {harm: harm_texts(self.results, name, harm) for harm in dict.fromkeys(map(str, records["harm"]))}
            drawn = forests(records, terms, texts, relevant=relevant)
            plots += [(f"{name}: {plot.title}", plot) for plot in drawn]
            plots += [] if drawn else [(f"{name}: {nothing_compared(self.results, name)[-1]}", None)]
        return _drawn(plots)

    def terms(self, attribute: str | None = None, *, n: int | None = 20) -> Figure:
        """The terms of each harm by their gap to all other terms of the attribute, the largest on top.

        Args:
            attribute: by default all of them.
            n: the terms of each harm that are shown, those with the largest gaps; None for all.

        Raises:
            OptionError: ``n`` is no number above 0.
        """
        if n is not None:
            whole_number("n", n)
        plots: list[tuple[str, Plot | None]] = []
        relevant = relevant_gap(self.results)
        for name, records in self._records(self.results.term_findings, attribute):
            drawn = [term_plot(rows, n, relevant=relevant) for _, rows in records.groupby("harm", sort=False)]
            plots += [(f"{name}: {plot.title}", plot) for plot in drawn if plot.rows]
            plots += [] if drawn else [(f"{name}: no terms were compared", None)]
        return _drawn(plots)

    def heatmap(self, attribute: str | None = None, label: str | None = None) -> Figure:
        """Metrics by group as colours, in the manner of Figures 1 to 3 of Czarnowska et al. 2021.

        Args:
            attribute: by default all of them.
            label: the class; by default that of the largest primary gap.

        Returns:
            A figure with one axes for the group metrics and one for the counterfactual metrics of each attribute.
        """
        return heat_map(self.results, attribute, label)

    def _records(self, records: pd.DataFrame, attribute: str | None) -> Iterator[tuple[str, pd.DataFrame]]:
        """The records of each attribute that is to be shown."""
        names = self.results.attributes
        for name in names if attribute is None else [one_of(attribute, names, "attribute")]:
            yield name, records[records["attribute"] == name]


def _drawn(plots: list[tuple[str, Plot | None]]) -> Figure:
    from fairness_checklist.reports.figures import forest_figure

    return forest_figure(plots, next((plot.caption for _, plot in plots if plot is not None), ""))
