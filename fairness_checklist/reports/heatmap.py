"""The heat map: metrics by group, in the manner of Figures 1 to 3 of Czarnowska et al. 2021."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING

from fairness_checklist.core.atomic import atomic_file
from fairness_checklist.reports.run_view import (
    MetricKey,
    View,
    attribute_view,
    attribute_views,
    leading_class,
    neutral_value,
    one_of,
    signed,
)
from fairness_checklist.reports.wording import TEXTS, at_place
from fairness_checklist.tables.run_folder import Results

if TYPE_CHECKING:
    from fairness_checklist.reports.figures import Figure

_LETTERS = 80  # of a metric's name
LEVELS = (("group", "group metrics"), ("counterfactual", "counterfactual metrics"))
CHOSEN = " The class shown is the one with the largest primary gap."


@dataclass(frozen=True)
class HeatCell:
    """A number to draw: the columns it spans (of the groups and the total), and how strongly it is coloured."""

    first: int  # first, last: its columns, both included
    last: int
    value: float  # NaN is undefined
    shade: float  # in [-1, 1]; NaN is not coloured
    signed: bool  # whether the metric has a direction


@dataclass(frozen=True)
class HeatRow:
    """A metric's row."""

    name: str
    primary: bool
    cells: tuple[HeatCell, ...]


@dataclass(frozen=True)
class Panel:
    """The rows of one attribute and level."""

    title: str
    groups: tuple[str, ...]
    lines: tuple[HeatRow, ...]


def heat_map(results: Results, attribute: str | None = None, label: str | None = None) -> Figure:
    """Metrics by group as a matplotlib figure: a panel for the group and one for the counterfactual metrics.

    Signed metrics of pairs have no value by group where there are more than two, and so no row.
    """
    from fairness_checklist.reports.figures import heat_figure

    views = attribute_views(results) if attribute is None else [attribute_view(results, attribute)]
    panels = [panel for view in views for panel in heat_panels(view, label)]
    return heat_figure(panels, TEXTS["about"]["heat_map"] + (CHOSEN if label is None else ""))


def save_heat_map(results: Results, path: str | Path, *, label: str | None = None) -> Path:
    """Write the heat map of all attributes as a PNG; the file appears whole or not at all."""
    from fairness_checklist.reports.figures import write_png

    path = Path(path)
    with atomic_file(path) as scratch:
        write_png(heat_map(results, label=label), scratch, dpi=150)
    return path


def heat_panels(view: View, label: str | None = None) -> list[Panel]:
    """The panels of an attribute: for each part of the sentences its group metrics and its counterfactual metrics."""
    if label is not None:
        one_of(label, view.classes, "class")
    panels = []
    for place in view.places:
        shown = label if label is not None else _class_at(view, place)
        about = view.attribute + (f", class {shown}" if shown != "*" else "")
        where = f" {at_place(place, view.attribute)}" if view.tagging else ""
        for level, title in LEVELS:
            metrics = set(view.metrics.loc[view.metrics["level"] == level, "metric"])
            keys = [key for key in view.keys if key[2] == place and key[0] in metrics]
            lines = [line for key in keys if (line := _line(view, key, shown))]
            if view.tagging:  # of a tagger without metrics that are defined nowhere
                lines = [line for line in lines if not all(math.isnan(cell.value) for cell in line.cells)]
            if lines:
                panels.append(Panel(f"{about}: {title}{where}", view.groups, tuple(lines)))
    return panels


def _class_at(view: View, place: str) -> str:
    """The class to show: of the largest primary gap; where no entity at a place has it the type that most have."""
    leading, gold = leading_class(view), view.gold_classes(place)
    if not view.tagging or leading in gold or not gold:
        return leading
    return max(gold, key=lambda label: view.score("true_positive_rate", label, "*", place)[1])


def _line(view: View, key: MetricKey, label: str) -> HeatRow | None:
    """The row of a metric, None where it has no value for this class, by group or in total."""
    name, stamp, _ = key
    if label not in view.labels(key):
        label = "*"
    zero, last = neutral_value(name), len(view.groups)
    plus = signed(name)
    pair, total = view.pair(key, label), view.total(key, label)
    of_groups = {i: view.of_group(key, label, group) for i, group in enumerate(view.groups) if pair is None}
    known = {i: row["value"] for i, row in of_groups.items() if row is not None}
    far = max((abs(value - zero) for value in known.values() if not math.isnan(value)), default=0.0)
    cells = [HeatCell(i, i, value, (value - zero) / far if far else 0.0, plus) for i, value in known.items()]
    cells += [] if pair is None else [HeatCell(0, last - 1, pair["value"], math.nan, plus)]
    cells += [] if total is None else [HeatCell(last, last, total["value"], math.nan, plus)]
    if not cells:
        return None
    shown = name + (f" [{stamp}]" if stamp else "") + (" (all)" if label == "*" else "")
    return HeatRow(shorten(shown, _LETTERS, placeholder=" …"), key in view.primary, tuple(cells))
