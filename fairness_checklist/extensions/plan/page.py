"""The page of a plan: its answers, its curves, its tables. Nothing is computed but places on the page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from fairness_checklist.core.formatting import decimal
from fairness_checklist.extensions.plan.bernstein_figures import SampledInterval
from fairness_checklist.reports.pages import filled, part
from fairness_checklist.reports.wording import Grid

WIDTH, HEIGHT = 640, 280
_LEFT, _BOTTOM, _TOP, _RIGHT = 70, 34, 10, 24


@dataclass(frozen=True)
class Line:
    """A curve: its name, its number for the colour, its points as SVG reads them, and their values in words."""

    name: str
    number: int
    points: str
    text: str


@dataclass(frozen=True)
class Chart:
    """A picture with two axes."""

    title: str  # title, about: in words
    about: str
    x_name: str  # x_name, y_name: of the axes
    y_name: str
    x_ticks: tuple[tuple[str, str], ...]  # x_ticks, y_ticks: place and text
    y_ticks: tuple[tuple[str, str], ...]
    lines: tuple[Line, ...] = ()  # curves
    bars: tuple[tuple[str, str, str, str, str], ...] = ()  # x, y of the low, the middle and the high end, and the text
    level: str = ""  # y of a horizontal line; "" without one


def line_chart(
    title: str, about: str, curves: Sequence[tuple[str, Sequence[tuple[float, float]]]], *, x_name: str, y_name: str
) -> Chart:
    """Curves, by name and points above 0, over a linear x axis and a logarithmic y axis."""
    xs = [x for _, points in curves for x, _ in points]
    ys = [math.log10(y) for _, points in curves for _, y in points]
    low, high = min(xs), max(xs)
    bottom, top = math.floor(min(ys)), math.ceil(max(ys))
    lines = tuple(
        Line(
            name,
            at,
            " ".join(f"{_x(x, low, high)},{_y(math.log10(y), bottom, top)}" for x, y in points),
            f"{name}: {points[0][1]:,.0f} at {points[0][0]:g}, {points[-1][1]:,.0f} at {points[-1][0]:g}",
        )
        for at, (name, points) in enumerate(curves)
    )
    step = max(high / 4, 1e-12)
    x_ticks = tuple((_x(step * k, low, high), f"{step * k:.3g}") for k in range(5) if step * k >= low)
    y_ticks = tuple((_y(float(k), bottom, top), f"{10**k:,}") for k in range(bottom, top + 1))
    return Chart(title, about, x_name, y_name, x_ticks, y_ticks, lines)


def interval_chart(
    title: str, about: str, found: Sequence[tuple[str, SampledInterval]], *, x_name: str, truth: float
) -> Chart:
    """Intervals side by side, and a line at the true gap."""
    low = min(0.0, *(one.low for _, one in found))
    high = max(0.0, *(one.high for _, one in found))
    low, high = (math.copysign(math.ceil(abs(end) * 10) / 10, end) for end in (low, high))
    each = max(1, round((high - low) * 10 / 6))
    steps = [k for k in range(round(low * 10), round(high * 10) + 1) if k % each == 0]
    places = [_x(at + 0.5, 0, len(found)) for at in range(len(found))]
    bars = tuple(
        (
            place,
            _y(one.low, low, high),
            _y(one.estimate, low, high),
            _y(one.high, low, high),
            f"{name}: {decimal(one.estimate, signed=True)} ({decimal(one.low)} to {decimal(one.high)})",
        )
        for place, (name, one) in zip(places, found, strict=True)
    )
    x_ticks = tuple((place, name) for place, (name, _) in zip(places, found, strict=True))
    y_ticks = tuple((_y(k / 10, low, high), decimal(k / 10, signed=True, places=1)) for k in steps)
    return Chart(title, about, x_name, "gap", x_ticks, y_ticks, (), bars, _y(truth, low, high))


def _x(value: float, low: float, high: float) -> str:
    return f"{_LEFT + (WIDTH - _LEFT - _RIGHT) * (value - low) / (high - low):.1f}"


def _y(value: float, low: float, high: float) -> str:
    return f"{HEIGHT - _BOTTOM - (HEIGHT - _BOTTOM - _TOP) * (value - low) / (high - low):.1f}"


def plan_page(
    title: str, answers: Sequence[str], *, charts: Sequence[Chart], grids: Sequence[Grid], notes: Sequence[str]
) -> str:
    """One self-contained page of HTML: answers, charts, grids, and notes how to read them."""
    page = {
        "title": title,
        "style": part("page.css")[0],
        "answers": answers,
        "charts": charts,
        "grids": grids,
        "notes": notes,
        "width": WIDTH,
        "height": HEIGHT,
        "left": _LEFT,
        "right": WIDTH - _RIGHT,
        "floor": HEIGHT - _BOTTOM,
    }
    return filled("extensions/plan/page.html.j2", page)
