"""The figures of a run for Python: groups and words around equal treatment, and the heat map."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from fairness_checklist.core.option_defaults import whole_number
from fairness_checklist.reports.finding_text import nothing_compared
from fairness_checklist.reports.forest import forests, word_plot
from fairness_checklist.reports.heatmap import heat_map
from fairness_checklist.reports.pairs import texts_of_harms
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
    """

    results: Results

    def __repr__(self) -> str:
        return f"<Plots of {', '.join(self.results.attributes)}: findings(), terms(), heatmap()>"

    def findings(self, attribute: str | None = None) -> Figure:
        """A forest plot of each error: the groups around the line of equal treatment, the largest gap on top.

        One axes for each attribute and error, as on the page: a group is at its gap with its bounds, its words are
        small dots, the grey band is what groups of control words reach.

        >>> import fairness_checklist as fc
        >>> table = pd.DataFrame({"group": ["day", "night"] * 10, "label": "hired", "predicted": ["hired", "no"] * 10})
        >>> result = fc.evaluate(table, attribute="shift", harm="called:no", metrics=["fpr_gap"])
        >>> [axes] = result.plot.findings().axes
        >>> [tick.get_text() for tick in axes.get_yticklabels()]
        ['the group "night"', 'the group "day"']
        """
        plots: list[tuple[str, Plot | None]] = []
        for name, records in self._records(self.results.findings, attribute):
            drawn = forests(self.results, name, texts_of_harms(self.results, name, map(str, records["error"])))
            plots += [(f"{name}: {plot.title}", plot) for plot in drawn.values()]
            plots += [] if drawn else [(f"{name}: {nothing_compared(self.results, name)}", None)]
        return _drawn(plots)

    def terms(self, attribute: str | None = None, *, n: int | None = 20) -> Figure:
        """The words of each error by their gap to what their group is compared with, the largest on top.

        Args:
            attribute: by default all of them.
            n: the words of each error that are shown, those with the largest gaps; None for all.

        Raises:
            OptionError: ``n`` is no number above 0.

        >>> import fairness_checklist as fc
        >>> words = {"nurse": ("night", "no"), "guard": ("night", "yes"), "clerk": ("day", "yes")}
        >>> rows = [(f"s{k}", group, word, "yes", said) for k in range(12) for word, (group, said) in words.items()]
        >>> table = pd.DataFrame(rows, columns=["source", "group", "term", "label", "predicted"])
        >>> result = fc.evaluate(table, attribute="shift", harm="called:no", metrics=["fpr_gap"])
        >>> [axes] = result.plot.terms(n=2).axes
        >>> [tick.get_text() for tick in axes.get_yticklabels()]
        ['"nurse" (night)', '"guard" (night)']
        """
        if n is not None:
            whole_number("n", n)
        plots: list[tuple[str, Plot | None]] = []
        for name, words in self._records(self.results.word_findings, attribute):
            drawn = [word_plot(of_error, n) for _, of_error in words.groupby("error", sort=False)]
            plots += [(f"{name}: {plot.title}", plot) for plot in drawn if plot.rows]
            plots += [] if drawn else [(f"{name}: no words were compared", None)]
        return _drawn(plots)

    def heatmap(self, attribute: str | None = None, label: str | None = None) -> Figure:
        """Metrics by group as colours, in the manner of Figures 1 to 3 of Czarnowska et al. 2021.

        Args:
            attribute: by default all of them.
            label: the class; by default that of the largest primary gap.

        Returns:
            A figure with one axes for the group metrics and one for the counterfactual metrics of each attribute.

        >>> import fairness_checklist as fc
        >>> table = pd.DataFrame({"group": ["day", "night"] * 10, "label": "hired", "predicted": ["hired", "no"] * 10})
        >>> result = fc.evaluate(table, attribute="shift", metrics=["fpr_gap"])
        >>> [tick.get_text() for tick in result.plot.heatmap(label="no").axes[0].get_xticklabels()]
        ['day', 'night', 'accumulated']
        """
        return heat_map(self.results, attribute, label)

    def _records(self, records: pd.DataFrame, attribute: str | None) -> Iterator[tuple[str, pd.DataFrame]]:
        """The records of each attribute that is to be shown."""
        names = self.results.attributes
        if attribute is not None:
            names = (one_of(attribute, names, "attribute"),)
        for name in names:
            yield name, records[records["attribute"] == name]


def _drawn(plots: list[tuple[str, Plot | None]]) -> Figure:
    from fairness_checklist.reports.figures import forest_figure

    return forest_figure(plots, next((plot.caption for _, plot in plots if plot is not None), ""))
