"""The heat map: metrics by group, in the manner of Figures 1 to 3 of Czarnowska et al. 2021."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from textwrap import shorten, wrap
from typing import TYPE_CHECKING

from fairness_checklist.core.atomic import atomic_file
from fairness_checklist.core.formatting import decimal
from fairness_checklist.metrics.metric_forms import METRICS
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
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure


CELL, LINE = 0.86, 0.27  # inches
_LINES, _LETTERS = 6, 80  # of a group's name, of a metric's
FONT = 9.0
TOTAL = "accumulated"
LEVELS = (("group", "group metrics"), ("counterfactual", "counterfactual metrics"))
CHOSEN = " The class shown is the one with the largest primary gap."


@dataclass(frozen=True)
class HeatCell:
    """A number to draw: the columns it spans (of the groups and the total), and how strongly it is coloured."""

    first: int  # first, last: its columns, both included
    last: int
    value: float  # NaN is undefined
    shade: float  # in [-1, 1]; NaN is not coloured
    signed: bool  # whether a shade above 0 is more harm, and one below 0 less


@dataclass(frozen=True)
class HeatRow:
    """A metric's row."""

    name: str
    primary: bool
    cells: tuple[HeatCell, ...]

    @property
    def empty(self) -> bool:
        """Whether none of its values is defined."""
        return all(math.isnan(cell.value) for cell in self.cells)


@dataclass(frozen=True)
class Panel:
    """The rows of one attribute and level."""

    attribute: str
    title: str
    groups: tuple[str, ...]
    lines: tuple[HeatRow, ...]


def heat_map(results: Results, attribute: str | None = None, label: str | None = None) -> Figure:
    """Metrics by group, one panel for the group metrics and one for the counterfactual metrics of each attribute.

    A tagger has three sets of panels: at the term, in the whole sentences and in the rest of the sentences; metrics
    without a defined value have no row in them.

    Returns:
        A matplotlib figure. Signed metrics of pairs have no value by group where there are more than two, and so no
        row.
    """
    from fairness_checklist.reports.figure import Figure

    shown = attribute_views(results) if attribute is None else [attribute_view(results, attribute)]
    panels = [panel for view in shown for panel in heat_panels(view, label)]
    names = [line.name for panel in panels for line in panel.lines]
    margin = 0.3 + 0.078 * max(map(len, names), default=10)
    width = margin + CELL * (1 + max((len(panel.groups) for panel in panels), default=1)) + 0.15
    width = max(width, 6.4)
    caption = wrap(TEXTS["about"]["heat_map"] + (CHOSEN if label is None else ""), int((width - 0.3) / 0.066))
    heads = [max(len(_head(name)) for name in (*panel.groups, TOTAL)) * 0.16 + 0.1 for panel in panels]
    tall = [0.62 + head + LINE * len(panel.lines) for head, panel in zip(heads, panels, strict=True)]
    height = sum(tall) + 0.2 + 0.155 * len(caption)
    figure = Figure(width, height)
    top = height
    for panel, size in zip(panels, tall, strict=True):
        rows = LINE * len(panel.lines)
        box = (margin / width, (top - size + 0.12) / height, CELL * (len(panel.groups) + 1) / width, rows / height)
        _draw(figure.add_axes(box), panel)
        at = (0.15 / width, (top - 0.14) / height)
        figure.text(*at, literal(panel.title), fontsize=10.5, fontweight="bold", va="top", ha="left")
        top -= size
    figure.text(
        0.15 / width, 0.1 / height, "\n".join(caption), fontsize=7.5, color="#444444", va="bottom", linespacing=1.3
    )
    return figure


def save_heat_map(results: Results, path: str | Path, *, label: str | None = None) -> Path:
    """Write the heat map of all attributes as a PNG; the file appears whole or not at all."""
    from fairness_checklist.reports.figure import write_png

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
            lines = [_line(view, key, shown) for key in view.keys_at(place) if key[0] in metrics]
            kept = tuple(line for line in lines if line is not None and not (view.tagging and line.empty))
            if kept:
                heading = printable(f"{about}: {title}{where}")
                panels.append(Panel(view.attribute, heading, view.groups, kept))
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
    sign = _harm_sign(view, name, label)
    plus, sign = bool(sign), sign or 1
    pair, total = view.pair(key, label), view.total(key, label)
    of_groups = {i: view.of_group(key, label, group) for i, group in enumerate(view.groups) if pair is None}
    known = {i: row["value"] for i, row in of_groups.items() if row is not None}
    far = max((abs(value - zero) for value in known.values() if not math.isnan(value)), default=0.0)
    cells = [HeatCell(i, i, value, sign * (value - zero) / far if far else 0.0, plus) for i, value in known.items()]
    cells += [] if pair is None else [HeatCell(0, last - 1, pair["value"], math.nan, plus)]
    cells += [] if total is None else [HeatCell(last, last, total["value"], math.nan, plus)]
    if not cells:
        return None
    shown = name + (f" [{stamp}]" if stamp else "") + (" (all)" if label == "*" else "")
    return HeatRow(shorten(printable(shown), _LETTERS, placeholder=" …"), key in view.primary, tuple(cells))


_ABOUT_HARM = {
    "false_positive_rate": ("called", 1),
    "false_negative_rate": ("missed", 1),
    "true_class_probabilities": ("missed", -1),
    "other_class_probabilities": ("called", 1),
    "positive_probabilities_of_positives": ("missed", -1),
    "positive_probabilities_of_negatives": ("called", 1),
    "area_under_curve": ("", -1),
}
"""Of a score the kind of harm that it is about ("": every kind), and the sign of a value that means more of it."""


def _harm_sign(view: View, metric: str, label: str) -> int:
    """1 where a metric above equal treatment is more harm in a class, -1 where it is less, 0 where it is neither."""
    if not signed(metric):
        return 0
    kind, sign = _ABOUT_HARM.get(METRICS[metric].score.__name__, ("", 0))
    kinds = {"called" if harm.kind == "predicted" else harm.kind for harm in view.harms if harm.label in (label, "")}
    return sign if kind in kinds or (kinds and not kind) or not view.harms else 0


def _head(name: str) -> list[str]:
    """A group's name on lines that fit a column; a long one is cut."""
    return wrap(printable(name), 11, max_lines=_LINES, placeholder=" …") or [""]


def printable(text: str) -> str:
    """A text without characters that are no letters, such as newlines, NUL and marks of direction.

    >>> printable("a\\nb"), printable("\\u202emen")
    ('a b', 'men')
    """
    return "".join(letter for letter in text.replace("\n", " ") if letter.isprintable())


def literal(text: str) -> str:
    """A text escaped for matplotlib, so that a dollar sign starts no formula.

    >>> literal("$a$")
    '\\\\$a\\\\$'
    """
    return text.replace("$", r"\$")


def _draw(axes: Axes, panel: Panel) -> None:
    """Draw the cells of a panel and their names."""
    columns, rows = len(panel.groups) + 1, len(panel.lines)
    axes.set_xlim(0, columns)
    axes.set_ylim(rows, 0)
    heads = [literal("\n".join(_head(name))) for name in (*panel.groups, TOTAL)]
    axes.set_xticks([i + 0.5 for i in range(columns)], heads)
    axes.set_yticks([i + 0.5 for i in range(rows)], [literal(line.name) for line in panel.lines])
    axes.tick_params(length=0, labelsize=FONT, top=True, labeltop=True, bottom=False, labelbottom=False, pad=3)
    for tick, line in zip(axes.get_yticklabels(), panel.lines, strict=True):
        tick.set_fontweight("bold" if line.primary else "normal")
    for spine in axes.spines.values():
        spine.set_visible(False)
    for y, line in enumerate(panel.lines):
        for cell in line.cells:
            _draw_cell(axes, y, cell)
    axes.axvline(columns - 1, color="#333333", linewidth=1.2)


def _draw_cell(axes: Axes, y: int, cell: HeatCell) -> None:
    from matplotlib.patches import Rectangle

    wide = cell.last - cell.first + 1
    fill, ink = _colours(cell)
    undefined = math.isnan(cell.value)
    axes.add_artist(  # unlike add_patch it does not widen the limits, which are set
        Rectangle(
            (cell.first, y),
            wide,
            1,
            facecolor="#eeeeee" if undefined else fill,
            linewidth=0.8,
            edgecolor="#c4c4c4" if undefined else "white",
            hatch="////" if undefined else None,
        )
    )
    text = "–" if undefined else decimal(cell.value)
    axes.text(cell.first + wide / 2, y + 0.52, text, ha="center", va="center", fontsize=FONT, color=ink)


def _colours(cell: HeatCell) -> tuple[tuple[float, float, float] | str, str]:
    """Fill and ink of a cell; the ink is what reads better on the fill."""
    if math.isnan(cell.shade):
        return "#f7f7f7", "black"
    if cell.signed:
        red, green, blue, _ = _colour_map("RdBu_r")(0.5 + 0.42 * cell.shade)
    else:
        red, green, blue, _ = _colour_map("Purples")(0.75 * abs(cell.shade))
    return (red, green, blue), _ink((red, green, blue))


@cache
def _colour_map(name: str) -> Colormap:
    """A colour map; matplotlib would give a new copy each time."""
    from matplotlib import colormaps

    return colormaps[name]


def _ink(fill: Sequence[float]) -> str:
    """Black or white, by the relative luminance of the fill (WCAG 2)."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in fill]
    light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "black" if (light + 0.05) / 0.05 >= 1.05 / (light + 0.05) else "white"
