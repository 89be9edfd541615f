"""The figures of a run for Python: groups and terms with their intervals around equal treatment, and the heat map."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from fairness_checklist.core.option_defaults import whole_number
from fairness_checklist.findings.records import strongest_first
from fairness_checklist.findings.status import CLEAR_SMALL, STATUSES, SUSPECTED
from fairness_checklist.reports.finding_text import STATUS_WORDS, gap_bounds, nothing_compared, whole_points
from fairness_checklist.reports.forest import (
    about_ranking,
    axis_ends,
    plotted_in_decisions,
    relevant_gap,
    unit_of,
    unmarked_place,
    with_places,
)
from fairness_checklist.reports.harm_texts import harm_texts
from fairness_checklist.reports.heatmap import FONT, heat_map, literal, printable
from fairness_checklist.reports.run_view import one_of
from fairness_checklist.reports.wording import group_phrase
from fairness_checklist.tables.run_folder import Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_UNMARKED = "unmarked"
_COLOURS = dict(
    zip((*STATUSES, _UNMARKED), ("#a61b13", "#b06a00", *["#6b7077"] * 2, "#2f6b3a", "#41566b", "#6b7077"), strict=True)
)
_MARKERS = dict(zip((*STATUSES, _UNMARKED), "oosxDoo", strict=True))  # the colour is not the only sign
_HOLLOW = (SUSPECTED, CLEAR_SMALL, _UNMARKED)
_LINE, _TWO_LINES, _HEAD, _FOOT = 0.33, 0.42, 0.46, 0.6  # inches: of a row, above and below the rows of a panel
_PLOT, _RIGHT, _NOTE = 4.2, 3.9, 0.15  # inches: width of the plot, of the words beside it, height of a line of the note
_LETTER = 0.078  # inches
_LONGEST = 36  # letters of a line of a name
_ABOUT = (
    "Gap to the other {} in percentage points, of decisions where the model gives no probabilities, else of the mean "
    "probability: right of 0 (dashed) is worse. Line: from the lower to the upper bound. Dotted: the smallest relevant "
    "gap."
)


@dataclass(frozen=True)
class Plots:
    """The figures of a run: ``result.plot.findings()``, ``result.plot.terms()``, ``result.plot.heatmap()``.

    Each returns a matplotlib figure that no global state of matplotlib knows of: ``figure.savefig("findings.png")``
    writes it, and a notebook shows it. Gaps are drawn in percentage points.

    Attributes:
        results: the run.
    """

    results: Results

    def __repr__(self) -> str:
        return f"<Plots of {', '.join(self.results.attributes)}: findings(), terms(), heatmap()>"

    def findings(self, attribute: str | None = None) -> Figure:
        """A forest plot of each harm: the groups around the line of equal treatment, the strongest finding on top.

        Args:
            attribute: by default all of them, below each other.

        Returns:
            A figure with one axes for each attribute and harm, in the order of ``result.findings``. A group is at
            ``gap`` with the interval ``ci_low`` to ``ci_high``, its terms are small dots; a finding that is told in
            decisions is at ``rate_gap``, and so are groups without one where the strongest finding is.

        Raises:
            OptionError: the run has no such attribute.

        >>> import fairness_checklist as fc
        >>> table = pd.DataFrame({"group": ["day", "night"] * 10, "label": "hired", "predicted": ["hired", "no"] * 10})
        >>> result = fc.evaluate(table, attribute="shift", harm="called:no", metrics=["fpr_gap"], draws=99)
        >>> [axes] = result.plot.findings().axes
        >>> axes.get_title(loc="left"), [tick.get_text() for tick in axes.get_yticklabels()]
        ('shift: called no without being so', ['the group "night"', 'the group "day"'])
        """
        panels: list[_Panel] = []
        about = ""
        for name, records in self._records(self.results.findings, attribute):
            terms = self.results.term_findings[self.results.term_findings["attribute"] == name]
            for harm, rows in records.groupby("harm", sort=False):
                labels = [group_phrase(str(group), name) for group in rows["group"]]
                ranked = strongest_first(rows.assign(label=labels))
                units = plotted_in_decisions(ranked)
                rates, of_harm = units[ranked["group"].iloc[0]], terms[terms["harm"] == harm]
                ranked = with_places(ranked.assign(in_decisions=ranked["group"].map(units)), list(units.values()))
                of_harm = with_places(of_harm, [units.get(group, rates) for group in of_harm["group"]])
                dots = [of_harm["at"][of_harm["group"] == group].to_numpy(float) for group in ranked["group"]]
                if control := unmarked_place(harm_texts(self.results, name, str(harm)), rates=rates):
                    about = " Unmarked: the same sentences without an identity, without a claim."
                    row = {**control, "status": _UNMARKED, "label": _UNMARKED}
                    ranked, dots = pd.concat([ranked, pd.DataFrame([row])], ignore_index=True), [*dots, np.zeros(0)]
                panels.append(_Panel(f"{name}: {rows['title'].iloc[0]}", ranked, dots, unit_of(rates)))
            if not len(records):
                panels.append(_Panel(f"{name}: {nothing_compared(self.results, name)[-1]}", records, []))
        if any(panel.rows["placebo_gap"].notna().any() for panel in panels if len(panel.rows)):
            about += " Grey: by how much groups of placebo words differ."
        dotted = any(len(dots) for panel in panels for dots in panel.dots)
        about += f" Small dots: single terms. {about_ranking(words=True)}" if dotted else ""
        return self._drawn(panels, _ABOUT.format("groups") + about)

    def terms(self, attribute: str | None = None, *, n: int | None = 20) -> Figure:
        """The terms of each harm by their gap to all other terms of the attribute, the largest on top.

        Args:
            attribute: by default all of them, below each other.
            n: the terms of each harm that are shown, those with the largest gaps; None for all.

        Returns:
            A figure with one axes for each attribute and harm, in the order of ``result.term_findings``; a term is at
            ``gap`` with the interval ``ci_low`` to ``ci_high``.

        Raises:
            OptionError: the run has no such attribute, or ``n`` is no number above 0.

        >>> import fairness_checklist as fc
        >>> words = {"nurse": ("night", "no"), "guard": ("night", "yes"), "clerk": ("day", "yes")}
        >>> rows = [(f"s{k}", group, word, "yes", said) for k in range(12) for word, (group, said) in words.items()]
        >>> table = pd.DataFrame(rows, columns=["source", "group", "term", "label", "predicted"])
        >>> result = fc.evaluate(table, attribute="shift", harm="called:no", metrics=["fpr_gap"], draws=99)
        >>> [axes] = result.plot.terms(n=2).axes
        >>> axes.get_title(loc="left"), [tick.get_text() for tick in axes.get_yticklabels()]
        ('shift: called no without being so (2 of 3 terms)', ['nurse (night)', 'guard (night)'])
        """
        if n is not None:
            whole_number("n", n)
        panels: list[_Panel] = []
        for name, records in self._records(self.results.term_findings, attribute):
            records = records[records["gap"].notna()]
            for _, rows in records.groupby("harm", sort=False):
                ranked = rows.sort_values("gap", ascending=False, kind="stable")
                shown = ranked if n is None else ranked.head(n)
                labels = [f"{term} ({group})" for term, group in zip(shown["term"], shown["group"], strict=True)]
                cut = f" ({len(shown):,} of {len(ranked):,} terms)" if len(shown) < len(ranked) else ""
                rates = rows["measure"].iloc[0] == "rate"
                shown = with_places(shown.assign(label=labels, in_decisions=rates), rates)
                panels.append(_Panel(f"{name}: {rows['title'].iloc[0]}{cut}", shown, [], unit_of(rates)))
            if not len(records):
                panels.append(_Panel(f"{name}: no terms were compared", records, []))
        return self._drawn(panels, _ABOUT.format("terms"))

    def heatmap(self, attribute: str | None = None, label: str | None = None) -> Figure:
        """Metrics by group as colours, in the manner of Figures 1 to 3 of Czarnowska et al. 2021.

        Args:
            attribute: by default all of them, below each other.
            label: the class; by default that of the largest primary gap.

        Returns:
            A figure with one axes for the group metrics and one for the counterfactual metrics of each attribute.

        Raises:
            OptionError: the run has no such attribute or class.

        >>> import fairness_checklist as fc
        >>> table = pd.DataFrame({"group": ["day", "night"] * 10, "label": "hired", "predicted": ["hired", "no"] * 10})
        >>> result = fc.evaluate(table, attribute="shift", metrics=["fpr_gap"], draws=99)
        >>> [tick.get_text() for tick in result.plot.heatmap(label="no").axes[0].get_xticklabels()]
        ['day', 'night', 'accumulated']
        """
        return heat_map(self.results, attribute, label)

    def _drawn(self, panels: list[_Panel], about: str) -> Figure:
        return _drawn(panels, about, relevant_gap(self.results))

    def _records(self, records: pd.DataFrame, attribute: str | None) -> Iterator[tuple[str, pd.DataFrame]]:
        """The records of each attribute that is to be shown."""
        names = self.results.attributes
        if attribute is not None:
            names = (one_of(attribute, names, "attribute"),)
        for name in names:
            yield name, records[records["attribute"] == name]


@dataclass(frozen=True, eq=False)
class _Panel:
    """The rows of one axes: records with a column ``label``, and the gaps of the terms behind each of them."""

    title: str
    rows: pd.DataFrame  # as `with_places` returns them
    dots: list[np.ndarray]
    unit: str = "probability"


def _drawn(panels: list[_Panel], about: str, relevant: float) -> Figure:
    from textwrap import wrap

    from fairness_checklist.reports.figure import Figure

    names = [_name(label) for panel in panels if len(panel.rows) for label in panel.rows["label"]]
    left = 0.3 + _LETTER * max((len(line) for name in names for line in name.split("\n")), default=10)
    width = left + _PLOT + _RIGHT
    note = wrap(about, int((width - 0.3) / 0.066))
    line = _TWO_LINES if any("\n" in name for name in names) else _LINE
    tall = [_HEAD + (_FOOT + line * len(panel.rows) if len(panel.rows) else 0) for panel in panels]
    height = sum(tall) + _NOTE * (len(note) + 1)
    figure = Figure(width, height)
    top = height
    for panel, size in zip(panels, tall, strict=True):
        rows = line * len(panel.rows)
        title = literal(printable(panel.title))
        if len(panel.rows):
            box = (left / width, (top - _HEAD - rows) / height, _PLOT / width, rows / height)
            axes = figure.add_axes(box)
            _draw(axes, panel, 100 * relevant)
            start = (0.15 - left) / _PLOT  # the figure's left edge
            axes.set_title(title, loc="left", x=start, fontsize=10.5, fontweight="bold", pad=7)
        else:
            figure.text(0.15 / width, (top - 0.14) / height, title, fontsize=10.5, fontweight="bold", va="top")
        top -= size
    figure.text(0.15 / width, 0.1 / height, "\n".join(note), fontsize=7.5, color="#444444", va="bottom")
    return figure


def _draw(axes: Axes, panel: _Panel, relevant: float) -> None:
    """A row for each record: what placebo words reach as a band, the bounds as a line, and the gap as its marker."""
    bands = 100 * panel.rows["band"].to_numpy(float)
    known = np.flatnonzero(~np.isnan(bands))
    axes.barh(known, 2 * bands[known], left=-bands[known], height=0.9, color="#e3e6ea", zorder=0.5)
    for at in (-relevant, relevant):
        axes.axvline(at, color="#8a9099", linewidth=0.7, linestyle=":", zorder=0.8)
    for at, row in enumerate(panel.rows.to_dict("records")):
        status = str(row["status"])
        gap, low, high = (100 * float(row[name]) for name in ("at", "low", "high"))
        colour = _COLOURS[status]
        if panel.dots:
            dots = 100 * panel.dots[at]
            axes.plot(dots, np.full(len(dots), at + 0.3), ".", color="#5b7ea3", alpha=0.45, markersize=3.5)
        if not math.isnan(low + high):
            axes.plot([low, high], [at, at], "-", color=colour, linewidth=1.8, solid_capstyle="butt")
        filled = "white" if status in _HOLLOW else colour
        axes.plot([gap], [at], _MARKERS[status], color=colour, markerfacecolor=filled, markersize=6)
        axes.annotate(
            _beside(row, panel.unit), (1, at), (8, 0),
            xycoords=("axes fraction", "data"), textcoords="offset points", va="center",
            fontsize=FONT - 0.5, color=colour,
        )  # fmt: skip
    axes.axvline(0, color="#333333", linewidth=1, linestyle=(0, (4, 3)), zorder=1)
    axes.set_ylim(len(panel.rows) - 0.4, -0.6)
    axes.set_yticks(range(len(panel.rows)), [literal(_name(label)) for label in panel.rows["label"]])
    ends = [panel.rows[name].to_numpy(float) for name in ("at", "low", "high")]
    axes.set_xlim(
        *axis_ends(np.concatenate([100 * np.concatenate([*ends, *panel.dots]), bands, -bands]), least=relevant)
    )
    axes.set_xlabel(f"gap in percentage points of {panel.unit}", fontsize=FONT - 0.5)
    axes.xaxis.set_major_formatter(_tick)
    axes.tick_params(labelsize=FONT, length=3)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", color="#e4e6e9", linewidth=0.7)
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)


def _tick(value: float, _position: object) -> str:
    return f"{value:+g}" if value else "0"


def _beside(row: Mapping[Any, Any], unit: str) -> str:
    """The words beside a row: its status, and the gap that is plotted, with its unit where it is not the plot's."""
    status = str(row["status"])
    if status == _UNMARKED:
        return whole_points(row["at"])
    gap, own = gap_bounds(row, rates=row["in_decisions"]), unit_of(row["in_decisions"])
    return f"{STATUS_WORDS[status]}: {gap}{f' in {own}' if own != unit else ''}" if gap else STATUS_WORDS[status]


def _name(label: str) -> str:
    """A name that fits beside the plot, on two lines at most.

    >>> _name("women"), _name("female names (Asian American and Pacific Islander association)")
    ('women', 'female names (Asian American and\\nPacific Islander association)')
    """
    from textwrap import wrap

    return "\n".join(wrap(printable(label), _LONGEST, max_lines=2, placeholder=" …"))
