"""The page of a plan: its answers, its curves, its tables, and how to read them. Nothing is computed but places."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from fairness_checklist.core.errors import count
from fairness_checklist.core.formatting import decimal, percent, points
from fairness_checklist.extensions.plan.disparities import Disparity
from fairness_checklist.extensions.plan.power import ExamplesPlan
from fairness_checklist.extensions.plan.random_effects import Effects
from fairness_checklist.extensions.plan.suite_plan import Reach, SuitePlan
from fairness_checklist.reports.pages import filled, part
from fairness_checklist.reports.wording import Grid

WIDTH, HEIGHT = 640, 280
_LEFT, _BOTTOM, _TOP, _RIGHT = 70, 34, 10, 24


Chart = dict[str, Any]
"""A picture with two axes, as the page reads it."""


def line_chart(
    title: str, about: str, curves: Sequence[tuple[str, Sequence[tuple[float, float]]]], *, x_name: str, y_name: str
) -> Chart:
    """Curves, by name and points above 0, over a linear x axis and a logarithmic y axis."""
    xs = [x for _, points in curves for x, _ in points]
    ys = [math.log10(y) for _, points in curves for _, y in points]
    low, high = min(xs), max(xs)
    bottom, top = math.floor(min(ys)), math.ceil(max(ys))
    lines = [
        {
            "name": name,
            "number": at,  # of the colour
            "points": " ".join(f"{_x(x, low, high)},{_y(math.log10(y), bottom, top)}" for x, y in points),
            "text": f"{name}: {points[0][1]:,.0f} at {points[0][0]:g}, {points[-1][1]:,.0f} at {points[-1][0]:g}",
        }
        for at, (name, points) in enumerate(curves)
    ]
    step = max(high / 4, 1e-12)
    x_ticks = tuple((_x(step * k, low, high), f"{step * k:.3g}") for k in range(5) if step * k >= low)
    y_ticks = tuple((_y(float(k), bottom, top), f"{10**k:,}") for k in range(bottom, top + 1))
    named = {"title": title, "about": about, "x_name": x_name, "y_name": y_name}
    return named | {"x_ticks": x_ticks, "y_ticks": y_ticks, "lines": lines}


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


METHOD_WORDS = {
    "bernstein": "Bernstein, as printed",
    "centred": "Bernstein, cost centred",
    "hoeffding": "Hoeffding",
    "normal": "Wald, for the given rates",
}
NOTES = (
    "Templates: sentences and terms are drawn anew in every simulated suite, and tested as a run tests them: "
    "simultaneous bounds over all groups and errors. The comparison with placebo words, which a run makes as "
    "well, can only lower the power.",
    "Sentences are those that count for the error: of sentiment, called negative, the neutral and positive ones. "
    "Rewordings of a sentence count once.",
    "Independent examples: formulas count texts that were drawn one by one. Texts filled from one template are not "
    "independent: never count rows of a suite as examples.",
    "As the paper counts: the estimated gap is that large. A true gap of that size is then found in about half of all "
    "samples.",
)


def suite_grid(plan: SuitePlan) -> Grid:
    """The sizes that were tried."""
    rows = tuple(
        (
            f"{option.terms:,}",
            "no number is enough" if option.sentences is None else f"{option.sentences:,}",
            "" if option.texts is None else f"{option.texts:,}",
            "" if math.isnan(option.power) else percent(option.power),
            ("simulated" if option.simulated else "by standard error") if option.sentences is not None else "",
        )
        for option in plan.options
    )
    chosen = tuple(at for at, option in enumerate(plan.options) if option.simulated)
    caption = f"Suites that show a gap of {points(plan.gap)}, {plan.groups} groups, {count(plan.harms, 'error')}"
    caption += "; in bold the recommended size" if chosen else ""
    return Grid(("terms a group", "sentences", "texts", "power", "how"), rows, 1, caption, findings=chosen)


def effects_grid(effects: Sequence[tuple[str, Effects]]) -> Grid:
    """The sizes of effects that a simulation assumes."""
    header = ("error", "mean", "terms", "sentence x group", "single text", "sentence")
    rows = tuple(
        (name, decimal(e.rate), *(decimal(value) for value in (e.terms, e.sources_by_group, e.cells, e.sources)))
        for name, e in effects
    )
    return Grid(header, rows, 1, "Assumed: mean figure, and standard deviations on the logit")


def examples_grid(plans: Sequence[ExamplesPlan]) -> Grid:
    """Examples or gaps by method."""
    rows = tuple(
        (
            METHOD_WORDS[plan.method],
            "as the paper counts" if plan.power is None else f"power {percent(plan.power)}",
            f"{plan.examples:,}",
            points(plan.gap) if plan.gap <= 1 else decimal(plan.gap),
            "for any rates" if plan.guaranteed else "",
        )
        for plan in plans
    )
    return Grid(("method", "with", "examples", "gap", "guaranteed"), rows, 2, "Independent annotated examples")


def reach_grid(reaches: Sequence[Reach]) -> Grid:
    """The smallest gaps by group and harm."""
    rows = tuple(
        (
            " ".join(part for part in (reach.attribute, reach.group) if part),
            reach.harm,
            f"{reach.terms:,}",
            f"{reach.sentences:,}",
            reach.reason if reach.gap is None else points(reach.gap),
            "" if reach.gap is None else percent(reach.power),
            "simulated" if reach.simulated and reach.gap is not None else "",
        )
        for reach in reaches
    )
    header = ("group", "error", "terms", "sentences", "smallest gap", "power", "how")
    return Grid(header, rows, 2, "The smallest gap that is found, by group")


def disparity_grid(disparities: Sequence[Disparity]) -> Grid:
    """The disparities of an annotated table."""
    rows = tuple(
        (
            disparity.measure,
            disparity.part,
            disparity.cost,
            *(percent(side) for side in (disparity.protected, disparity.unprotected)),
            decimal(disparity.value, signed=True),
            *(
                "" if math.isnan(low) else f"{decimal(low, signed=True)} to {decimal(high, signed=True)}"
                for low, high in ((disparity.low, disparity.high), (disparity.printed_low, disparity.printed_high))
            ),
            f"{100 * disparity.confidence:g} %",
            decimal(disparity.gamma),
            f"{disparity.n:,}",
        )
        for disparity in disparities
    )
    intervals = ("interval, cost centred", "formula (3) as printed")
    header = ("measure", "rows", "cost", "protected", "others", "gap", *intervals, "level", "gamma", "n")
    return Grid(header, rows, 3, "Disparities with Bernstein's interval")
