"""The plots of a run as pictures: `render.Plot` and panels of the heat map, drawn below each other by matplotlib."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from matplotlib import colormaps, figure
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.patches import Rectangle

from fairness_checklist.core.formatting import decimal
from fairness_checklist.findings.rule import Status

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from fairness_checklist.reports.heatmap import HeatCell, Panel
    from fairness_checklist.reports.render import Plot

FONT = 9.0
TOTAL = "accumulated"
_SCREEN = 90  # dots an inch in a notebook
_CELL, _LINE, _ROW = 0.86, 0.27, 0.42  # inches: width and height of a cell of the heat map, height of a row of a plot
_PLOT, _BESIDE, _LETTER = 4.2, 3.9, 0.078  # inches: width of a plot, of the words beside it, and of a letter
_LINES, _LONGEST = 6, 36  # lines of a group's name above a column, letters of a line of a name beside a plot
_LOOKS = {
    Status.WORSE: ("#a61b13", "o"),
    Status.BETTER: ("#14508c", "D"),
    Status.SMALL: ("#2f6b3a", "s"),
    Status.OPEN: ("#6b7077", "o"),
    "word": ("#6b7077", "o"),
    "unmarked": ("#6b7077", "x"),
}
"""The colour and the marker of a row: the status stands beside it in words."""
_SIGNED, _UNSIGNED = colormaps["RdBu_r"], colormaps["Purples"]  # of cells of the heat map


class Figure(figure.Figure):
    """An empty figure that pyplot does not know of: it needs no backend and is never shown or closed by itself."""

    def __init__(self, width: float, height: float) -> None:  # in inches
        super().__init__(figsize=(width, height), facecolor="white")
        FigureCanvasAgg(self)

    def _repr_png_(self) -> bytes:
        target = BytesIO()
        write_png(self, target, dpi=_SCREEN)
        return target.getvalue()


def write_png(drawn: figure.Figure, target: Path | BinaryIO, *, dpi: int) -> None:
    """Write a figure; letters that its font lacks (a group's name in another script) are boxes, and no warning."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font", category=UserWarning)
        drawn.savefig(target, format="png", dpi=dpi)


@dataclass(frozen=True)
class _Part:
    """A part of a figure: its title, the inches that its axes take, and what draws them; without rows the title."""

    title: str
    above: float
    width: float
    height: float
    below: float
    draw: Callable[[Axes], None] | None = None


def forest_figure(plots: Sequence[tuple[str, Plot | None]], note: str) -> Figure:
    """Plots with their titles below each other; of one without a plot the title alone."""
    names = [line for _, plot in plots if plot for row in plot.rows for line in _name(row.name).split("\n")]
    left = 0.3 + _LETTER * max(map(len, names), default=10)
    parts = [
        _Part(title, 0.46, _PLOT, _ROW * len(plot.rows), 0.6, partial(_draw_plot, plot))
        if plot
        else _Part(title, 0.46, 0.0, 0.0, 0.0)
        for title, plot in plots
    ]
    return _stacked(parts, left, left + _PLOT + _BESIDE, note)


def heat_figure(panels: Sequence[Panel], note: str) -> Figure:
    """Panels of the heat map below each other."""
    left = 0.3 + _LETTER * max((len(line.name) for panel in panels for line in panel.lines), default=10)
    parts = []
    for panel in panels:
        head = max(len(_head(name)) for name in (*panel.groups, TOTAL)) * 0.16 + 0.1
        width, height = _CELL * (len(panel.groups) + 1), _LINE * len(panel.lines)
        parts.append(_Part(panel.title, 0.5 + head, width, height, 0.12, partial(_draw_panel, panel)))
    width = left + max((part.width for part in parts), default=_CELL) + 0.15
    return _stacked(parts, left, max(width, 6.4), note)


def _stacked(parts: Sequence[_Part], left: float, width: float, note: str) -> Figure:
    """The parts below each other, and the note below them; a letter of the note is .066 inches wide."""
    caption = wrap(note, int((width - 0.3) / 0.066))
    height = sum(part.above + part.height + part.below for part in parts) + 0.2 + 0.155 * len(caption)
    drawn, top = Figure(width, height), height
    for part in parts:
        if part.draw is not None:
            bottom = (top - part.above - part.height) / height
            part.draw(drawn.add_axes((left / width, bottom, part.width / width, part.height / height)))
        place = (0.15 / width, (top - 0.14) / height)
        drawn.text(*place, literal(printable(part.title)), fontsize=10.5, fontweight="bold", va="top", ha="left")
        top -= part.above + part.height + part.below
    below: dict[str, Any] = {"fontsize": 7.5, "color": "#444444", "va": "bottom", "linespacing": 1.3}
    drawn.text(0.15 / width, 0.1 / height, "\n".join(caption), **below)
    return drawn


def _draw_plot(plot: Plot, axes: Axes) -> None:
    """A row for each record: the bounds as a line, the gap as its marker; and what control words reach as a band."""
    if not math.isnan(plot.band):
        axes.axvspan(-100 * plot.band, 100 * plot.band, color="#e9ebee", zorder=0.5)
    for y, row in enumerate(plot.rows):
        at, low, high = (100 * value for value in (row.at, row.low, row.high))
        colour, marker = _LOOKS[row.status]
        for named, look in ((False, "#5b7ea3"), (True, "#a61b13")):
            dots = [100 * dot.at for dot in row.dots if dot.named is named]
            axes.plot(dots, np.full(len(dots), y + 0.3), ".", color=look, alpha=0.6, markersize=3.5)
        if not math.isnan(low + high):
            axes.plot([low, high], [y, y], "-", color=colour, linewidth=1.8, solid_capstyle="butt")
        axes.plot([at], [y], marker, color=colour, markerfacecolor=colour, markersize=6)
        beside: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points", "va": "center"}
        status = row.status if row.status in tuple(Status) else ""
        words = "   ".join(filter(None, (row.numbers, row.size, status)))
        axes.annotate(words, (1, y), (8, 0), fontsize=FONT - 0.5, color=colour, **beside)
    for at in (-100 * plot.margin, 100 * plot.margin):
        axes.axvline(at, color="#8a9099", linewidth=0.7, linestyle=":", zorder=0.8)
    axes.axvline(0, color="#333333", linewidth=1, linestyle=(0, (4, 3)), zorder=1)
    axes.set_xlim(100 * plot.scale.low, 100 * plot.scale.high)
    axes.set_ylim(len(plot.rows) - 0.4, -0.6)
    axes.set_yticks(range(len(plot.rows)), [literal(_name(row.name)) for row in plot.rows])
    axes.set_xlabel(f"gap in points of {plot.unit}, right of 0 worse", fontsize=FONT - 0.5)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:+g}" if value else "0")
    axes.tick_params(labelsize=FONT, length=3)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", color="#e4e6e9", linewidth=0.7)
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)


def _draw_panel(panel: Panel, axes: Axes) -> None:
    """The cells of a panel of the heat map and their names."""
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
    width, undefined = cell.last - cell.first + 1, math.isnan(cell.value)
    fill, ink = _colours(cell)
    look: dict[str, Any] = {"facecolor": fill, "edgecolor": "white"}
    if undefined:
        look = {"facecolor": "#eeeeee", "edgecolor": "#c4c4c4", "hatch": "////"}
    # unlike add_patch it does not widen the limits, which are set
    axes.add_artist(Rectangle((cell.first, y), width, 1, linewidth=0.8, **look))
    text = "–" if undefined else decimal(cell.value)
    axes.text(cell.first + width / 2, y + 0.52, text, ha="center", va="center", fontsize=FONT, color=ink)


def _colours(cell: HeatCell) -> tuple[tuple[float, ...] | str, str]:
    """Fill and ink of a cell; the ink, black or white, is what reads better by the luminance of the fill (WCAG 2)."""
    if math.isnan(cell.shade):
        return "#f7f7f7", "black"
    colours, place = (_SIGNED, 0.5 + 0.42 * cell.shade) if cell.signed else (_UNSIGNED, 0.75 * abs(cell.shade))
    fill = tuple(colours(place)[:3])
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in fill]
    light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return fill, "black" if (light + 0.05) / 0.05 >= 1.05 / (light + 0.05) else "white"


def _head(name: str) -> list[str]:
    """A group's name on lines that fit a column; a long one is cut."""
    return wrap(printable(name), 11, max_lines=_LINES, placeholder=" …") or [""]


def _name(label: str) -> str:
    """A name that fits beside the plot, on two lines at most."""
    return "\n".join(wrap(printable(label), _LONGEST, max_lines=2, placeholder=" …"))


def printable(text: str) -> str:
    """A text without characters that are no letters, such as newlines, NUL and marks of direction."""
    return "".join(letter for letter in text.replace("\n", " ") if letter.isprintable())


def literal(text: str) -> str:
    """A text escaped for matplotlib, so that a dollar sign starts no formula."""
    return text.replace("$", r"\$")
