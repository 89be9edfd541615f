"""Figures as SVG: well-formed, self-contained, marks where the numbers are."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from fairness_checklist.extensions.reproduce.paper_plots import Series, draw

NAN = float("nan")


def test_points_lines_and_bars_are_where_the_numbers_are() -> None:
    points = Series(name="a<b", x=[0, 1, 2], y=[0.0, 1.0, NAN], low=[-1, 0.5, NAN], high=[1, 1.5, NAN])
    line = Series(name="line", x=[0, 2], y=[0.0, 1.0], kind="line")
    figure = draw("F", "c", [points, line], alternative='a "b"', x_name="x", y_name="y", level=0.5)
    root = ElementTree.fromstring(figure.svg)
    assert root.attrib["aria-label"] == 'a "b"'
    [path] = list(root.iter("polyline"))
    ends = [tuple(map(float, place.split(","))) for place in path.attrib["points"].split()]
    marks = re.findall(r'transform="translate\(([\d.]+) ([\d.]+)\)" style="fill:[^"]*" fill-opacity', figure.svg)
    places = [tuple(map(float, mark)) for mark in marks]
    assert len(places) == 2  # the third is NaN
    assert places[0] == ends[0]
    assert places[1][1] == ends[1][1]
    assert ends[1][0] - ends[0][0] == pytest.approx(2 * (places[1][0] - places[0][0]), abs=0.3)
    dashed = next(one for one in root.iter("line") if "stroke-dasharray" in one.attrib)
    assert float(dashed.attrib["y1"]) == pytest.approx((ends[0][1] + ends[1][1]) / 2, abs=0.2)
    assert not re.search(r"<script|href|url\(|http|font-family", figure.svg)


def test_bars_stand_on_0_side_by_side_and_long_names_are_turned() -> None:
    names = [f"a long name of a place {at}" for at in range(6)]
    series = [Series(name=name, x=range(6), y=[1, 2, 3, 4, 5, 10 * k], kind="bars") for k, name in enumerate("abc")]
    figure = draw("F", "c", series, alternative="", x_name="x", y_name="y", names=names)
    root = ElementTree.fromstring(figure.svg)
    bars = [one.attrib for one in root.iter("rect")][: 3 * 6]
    floors = {round(float(bar["y"]) + float(bar["height"]), 0) for bar in bars}
    assert len(floors) == 1
    heights = [float(bar["height"]) for bar in bars]
    assert heights[5] == 0
    assert heights[17] == pytest.approx(2 * heights[11], abs=0.2)
    lefts = sorted((float(bar["x"]), float(bar["width"])) for bar in bars)
    assert all(x + width <= other + 0.2 for (x, width), (other, _) in pairwise(lefts))
    assert figure.svg.count("rotate(-90") == 6


def test_nothing_to_draw_is_an_empty_figure() -> None:
    empty = draw("F", "c", [Series(name="a", x=[NAN], y=[NAN])], alternative="", x_name="x", y_name="y")
    assert "<path" not in empty.svg
    ElementTree.fromstring(empty.svg)
