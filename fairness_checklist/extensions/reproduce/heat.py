"""A heat map as inline SVG: metrics by columns, each row with a colour scale of its own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from fairness_checklist.core.formatting import decimal

__all__ = ["PRINTED", "HeatRow", "heat_svg", "shades"]

_CELL, _LINE, _LETTER, _BETWEEN = 50, 22, 6.6, 14  # pixels: a cell, a row, a letter, the space between blocks
PRINTED = 0.0005
"""The smallest value that is not printed as 0.000; below it a value is taken for 0."""
_FILLS = {"even": "#54278f", "above": "#b2182b", "below": "#2166ac"}


@dataclass(frozen=True)
class HeatRow:
    """A row: its title, and a value a column, NaN where there is none."""

    title: str
    values: Sequence[float]


def shades(values: Sequence[float], unscaled: Sequence[bool]) -> list[float]:
    """The row scaling of Figure 1: each value by the largest absolute value in the row, in [-1, 1]; 0 if all are 0.

    Args:
        values: a row, NaN where there is none.
        unscaled: columns that are neither coloured nor counted, such as totals beside groups.

    >>> shades([0.2, -0.4, float("nan"), 3.0], [False, False, False, True])
    [0.5, -1.0, 0.0, 0.0]
    """
    kept = [0.0 if out or math.isnan(value) else value for value, out in zip(values, unscaled, strict=True)]
    far = max(map(abs, kept), default=0.0)
    return [value / far if far >= PRINTED else 0.0 for value in kept]


def heat_svg(
    rows: Sequence[HeatRow], columns: Sequence[tuple[str, str]], label: str, unscaled: Sequence[bool] = ()
) -> str:
    """The figure; text takes the colour of the page, and cells the page's colours where it has them.

    Args:
        rows: R rows.
        columns: C pairs of a block (a model) and a name; blocks are kept together.
        label: the text for those who do not see it.
        unscaled: C flags, see `shades`.
    """
    unscaled = unscaled or [False] * len(columns)
    margin = round(12 + _LETTER * max((len(row.title) for row in rows), default=0))
    names = 20 + 0.7 * _LETTER * max((len(name) for _, name in columns), default=0)
    top = round(22 + names)
    lefts = _lefts(columns, margin)
    width = round(max(lefts, default=margin) + _CELL + 0.8 * names)
    height = top + _LINE * len(rows) + 4
    parts = [
        f'<svg class="heatmap" role="img" aria-label="{escape(label)}" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" fill="currentColor" font-size="12">'
    ]
    parts += _heads(columns, lefts, top)
    for y, row in enumerate(rows):
        base = top + _LINE * y
        parts.append(f'<text x="{margin - 8}" y="{base + 15}" text-anchor="end">{escape(row.title)}</text>')
        scaled = shades(row.values, unscaled)
        signed = min(scaled, default=0.0) < 0
        for at, value, shade in zip(lefts, row.values, scaled, strict=True):
            kind = "even" if not signed else "below" if shade < 0 else "above"
            parts.append(
                f'<rect class="{kind}" x="{at}" y="{base}" width="{_CELL - 1}" height="{_LINE - 1}" '
                f'fill="{_FILLS[kind]}" fill-opacity="{0.5 * abs(shade):.2f}"/>'
                f'<text x="{at + _CELL - 6}" y="{base + 15}" text-anchor="end">{_text(value)}</text>'
            )
    return "".join([*parts, "</svg>"])


def _lefts(columns: Sequence[tuple[str, str]], margin: int) -> list[int]:
    """Where each column begins."""
    blocks = list(dict.fromkeys(block for block, _ in columns))
    return [margin + _CELL * x + _BETWEEN * blocks.index(block) for x, (block, _) in enumerate(columns)]


def _heads(columns: Sequence[tuple[str, str]], lefts: Sequence[int], top: int) -> list[str]:
    """The blocks, and the names of the columns, aslant."""
    first: dict[str, int] = {}
    for (block, _), at in zip(columns, lefts, strict=True):
        first.setdefault(block, at)
    parts = [f'<text x="{at}" y="14" font-weight="700">{escape(block)}</text>' for block, at in first.items()]
    return parts + [
        f'<text transform="translate({at + 22} {top - 6}) rotate(-40)">{escape(name)}</text>'
        for (_, name), at in zip(columns, lefts, strict=True)
    ]


def _text(value: float) -> str:
    """A value in a cell: three decimals, fewer of a large ratio."""
    return "–" if math.isnan(value) else decimal(value, places=3 if abs(value) < 10 else 1)
