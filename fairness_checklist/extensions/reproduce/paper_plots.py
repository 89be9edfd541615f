"""Plain figures as inline SVG: points, lines and bars with axes; no script, no font, no other file.

Colours are those of the page (CSS variables) with a default for a page without them, and each series has a mark of its
own, so that a figure can be read without colours.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import chain, pairwise
from typing import Literal

from fairness_checklist.extensions.reproduce.reproduction import Figure

__all__ = ["Series", "draw"]

_WIDTH, _HEIGHT, _LEFT, _TOP, _RIGHT = 640, 320, 62, 12, 12
_COLOURS = ("var(--link,#14508c)", "var(--clear,#a61b13)", "var(--small,#2f6b3a)", "var(--suspected,#8a5200)")
_MARKS = (
    "M-3.4,0a3.4,3.4 0 1,0 6.8,0a3.4,3.4 0 1,0 -6.8,0",  # circle, square, triangle, rhombus
    "M-3,-3h6v6h-6z",
    "M0,-4.2L4,3h-8z",
    "M0,-4.2L4.2,0L0,4.2L-4.2,0z",
)
_DASHES = ("", ' stroke-dasharray="7 3"', ' stroke-dasharray="2 3"', ' stroke-dasharray="9 3 2 3"')
_BARS = (1.0, 0.45, 0.75, 0.25)  # how solid the bars of each series are


@dataclass(frozen=True, kw_only=True)
class Series:
    """One set of n values of a figure.

    Attributes:
        name: what the legend calls it.
        x, y: the n places; of names along the axis x is 0, 1, 2, ... A value that is NaN is left out.
        kind: points, a line, or bars from 0.
        low, high: the ends of n intervals, or empty.
    """

    name: str
    x: Sequence[float]
    y: Sequence[float]
    kind: Literal["points", "line", "bars"] = "points"
    low: Sequence[float] = ()
    high: Sequence[float] = ()


@dataclass(frozen=True)
class _Scale:
    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> str:
        place = self.start + (self.end - self.start) * (value - self.low) / (self.high - self.low)
        return f"{place:.1f}".removesuffix(".0")


def draw(
    name: str,
    caption: str,
    series: Sequence[Series],
    *,
    alternative: str,
    x_name: str,
    y_name: str,
    names: Sequence[str] = (),
    level: float | None = None,
) -> Figure:
    """A figure.

    Args:
        name, caption, alternative: see `Figure`.
        series: what is drawn, at most four.
        x_name, y_name: what the axes are, with the unit.
        names: of the places 0, 1, 2, ... of the x axis, in place of numbers.
        level: a dashed line at this y, such as the value of all.

    >>> points = Series(name="gap", x=[0.1, 0.5], y=[-1, 2])
    >>> figure = draw("Figure 1", "A gap.", [points], alternative="The gap grows.", x_name="share", y_name="gap")
    >>> figure.svg[:4], figure.svg.count("<path"), "script" in figure.svg
    ('<svg', 2, False)
    """
    upright = 6 * sum(len(one) + 2 for one in names) < _WIDTH
    bottom = 40 if upright else 20 + 6 * max(map(len, names))
    height = _HEIGHT - 40 + bottom
    x_low, x_high = (-0.6, len(names) - 0.4) if names else _ends(chain.from_iterable(one.x for one in series))
    if not names and any(one.kind == "bars" for one in series):
        x_low, x_high = x_low - _step(series) / 2, x_high + _step(series) / 2
    y_low, y_high = _ends(_heights(series, level), with_zero=any(one.kind == "bars" for one in series))
    across, up = _Scale(x_low, x_high, _LEFT, _WIDTH - _RIGHT), _Scale(y_low, y_high, height - bottom, _TOP)
    parts = [
        f'<svg viewBox="0 0 {_WIDTH} {height + 20}" width="{_WIDTH}" style="max-width:100%;height:auto" role="img" '
        f'aria-label="{escape(alternative)}" font-size="11" fill="currentColor">',
        *_axes(across, up, names, upright=upright),
        f'<text x="{_WIDTH - _RIGHT}" y="{height - 4}" text-anchor="end">{escape(x_name)}</text>',
    ]
    if level is not None:
        ends = f'x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{up.at(level)}" y2="{up.at(level)}"'
        parts.append(f'<line {ends} stroke="currentColor" stroke-dasharray="4 3"/>')
    for number, one in enumerate(series):
        parts += _marks(one, number, across, up, n_bars=len(series), step=_step(series))
    parts += _legend(series, y_name, height + 14)
    return Figure(name=name, caption=caption, svg="".join([*parts, "</svg>"]), alternative=alternative)


def _heights(series: Sequence[Series], level: float | None) -> Iterator[float]:
    for one in series:
        yield from chain(one.y, one.low, one.high)
    if level is not None:
        yield level


def _ends(values: Iterator[float], *, with_zero: bool = False) -> tuple[float, float]:
    """The ends of an axis that shows all values, with some room beside them."""
    known = [float(value) for value in values if math.isfinite(value)] + [0.0] * with_zero
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    room = 0.04 * (high - low) or 0.5
    return (low if with_zero and low == 0 else low - room), high + room


def _step(series: Sequence[Series]) -> float:
    """The least distance of two places of the x axis."""
    places = sorted({float(x) for one in series for x in one.x})
    return min((b - a for a, b in pairwise(places)), default=1.0)


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers, at most seven: steps of 1, 2 or 5 times a power of ten."""
    size = 10.0 ** math.floor(math.log10((high - low) / 6))
    step = next(size * k for k in (1, 2, 5, 10) if (high - low) / (size * k) <= 6)
    return [k * step for k in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value + 0.0:.4g}"


def _axes(across: _Scale, up: _Scale, names: Sequence[str], *, upright: bool) -> Iterator[str]:
    floor = up.start
    for tick in _ticks(up.low, up.high):
        y = up.at(tick)
        yield f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y}" y2="{y}" stroke="currentColor" opacity=".15"/>'
        yield f'<text x="{_LEFT - 6}" y="{y}" text-anchor="end" dominant-baseline="middle">{_number(tick)}</text>'
    places = enumerate(names) if names else ((tick, _number(tick)) for tick in _ticks(across.low, across.high))
    for place, text in places:
        x = across.at(place)
        turned = "" if upright else f' transform="rotate(-90 {x} {floor + 8:g})" dominant-baseline="middle"'
        anchor, below = ("middle", floor + 16) if upright else ("end", floor + 8)
        yield f'<text x="{x}" y="{below:g}" text-anchor="{anchor}"{turned}>{escape(str(text))}</text>'
    yield f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{floor}" y2="{floor}" stroke="currentColor"/>'


def _marks(one: Series, number: int, across: _Scale, up: _Scale, *, n_bars: int, step: float) -> Iterator[str]:
    colour = _COLOURS[number % 4]
    known = [k for k, (x, y) in enumerate(zip(one.x, one.y, strict=True)) if math.isfinite(x) and math.isfinite(y)]
    if one.kind == "line":
        points = " ".join(f"{across.at(one.x[k])},{up.at(one.y[k])}" for k in known)
        yield f'<polyline points="{points}" fill="none" style="stroke:{colour}" stroke-width="2"{_DASHES[number % 4]}/>'
        return
    for k in known:
        if one.kind == "bars":
            width = 0.8 * step / n_bars
            left = one.x[k] - 0.4 * step + number * width
            x, top, floor = across.at(left), up.at(max(one.y[k], 0.0)), up.at(min(one.y[k], 0.0))
            size = float(across.at(left + width)) - float(x), float(floor) - float(top)
            place = f'x="{x}" y="{top}" width="{size[0]:.1f}" height="{size[1]:.1f}"'
            yield f'<rect {place} style="fill:{colour};stroke:{colour}" fill-opacity="{_BARS[number % 4]}"/>'
            continue
        x = across.at(one.x[k])
        if len(one.low):
            ends = f'y1="{up.at(one.low[k])}" y2="{up.at(one.high[k])}"'
            yield f'<line x1="{x}" x2="{x}" {ends} style="stroke:{colour}" stroke-width="2"/>'
        mark = _MARKS[number % 4]
        place = f'transform="translate({x} {up.at(one.y[k])})"'
        yield f'<path d="{mark}" {place} style="fill:{colour}" fill-opacity=".75"/>'


def _legend(series: Sequence[Series], y_name: str, y: float) -> Iterator[str]:
    """What the y axis is, and the mark of each series where there are several."""
    yield f'<text x="{_LEFT}" y="{y:g}">{escape(y_name)}{":" if len(series) > 1 else ""}</text>'
    x = _LEFT + 24 + 6.2 * len(y_name)
    for number, one in enumerate(series if len(series) > 1 else ()):
        colour, mark = _COLOURS[number % 4], _MARKS[number % 4]
        if one.kind == "line":
            ends = f'x1="{x - 14:.0f}" x2="{x + 6:.0f}" y1="{y - 4:g}" y2="{y - 4:g}"'
            yield f'<line {ends} style="stroke:{colour}" stroke-width="2"{_DASHES[number % 4]}/>'
        elif one.kind == "bars":
            style = f'style="fill:{colour};stroke:{colour}" fill-opacity="{_BARS[number % 4]}"'
            yield f'<rect x="{x - 6:.0f}" y="{y - 9:g}" width="9" height="9" {style}/>'
        else:
            yield f'<path d="{mark}" transform="translate({x:.0f} {y - 4:g})" style="fill:{colour}"/>'
        yield f'<text x="{x + 8:.0f}" y="{y:g}">{escape(one.name)}</text>'
        x += 36 + 6.2 * len(one.name)
