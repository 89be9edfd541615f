"""A heat map as inline SVG: metrics by columns, each row with a colour scale of its own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from fairness_checklist.core.formatting import decimal

__all__ = ["HeatRow", "heat_svg", "shades"]

_CELL, _LINE, _LETTER = 50, 22, 6.6  # pixels: width of a cell, height of a row, width of a letter
_FILLS = {"even": "#54278f", "above": "#b2182b", "below": "#2166ac"}


@dataclass(frozen=True)
class HeatRow:
    """A row: its title, and a value a column, NaN where there is none."""

    title: str
    values: Sequence[float]


def shades(values: Sequence[float], unscaled: Sequence[bool]) -> list[float]:
    """The row scaling of Figure 1: each value by the largest absolute value in the row, in [-1, 1].

    Args:
        values: a row, NaN where there is none.
        unscaled: columns that are neither coloured nor counted, such as totals beside groups.

    >>> shades([0.2, -0.4, float("nan"), 3.0], [False, False, False, True])
    [0.5, -1.0, 0.0, 0.0]
    """
    kept = [0.0 if out or math.isnan(value) else value for value, out in zip(values, unscaled, strict=True)]
    far = max(map(abs, kept), default=0.0)
    return [value / far if far else 0.0 for value in kept]


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
    width = round(margin + _CELL * len(columns) + 0.8 * names)
    height = top + _LINE * len(rows) + 4
    parts = [
        f'<svg class="heatmap" role="img" aria-label="{escape(label)}" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" fill="currentColor" font-size="12">'
    ]
    parts += _heads(columns, margin, top, height)
    for y, row in enumerate(rows):
        base = top + _LINE * y
        parts.append(f'<text x="{margin - 8}" y="{base + 15}" text-anchor="end">{escape(row.title)}</text>')
        scaled = shades(row.values, unscaled)
        signed = min(scaled, default=0.0) < 0
        for x, (value, shade) in enumerate(zip(row.values, scaled, strict=True)):
            kind = "even" if not signed else "below" if shade < 0 else "above"
            at = margin + _CELL * x
            parts.append(
                f'<rect class="{kind}" x="{at}" y="{base}" width="{_CELL - 1}" height="{_LINE - 1}" '
                f'fill="{_FILLS[kind]}" fill-opacity="{0.5 * abs(shade):.2f}"/>'
                f'<text x="{at + _CELL - 6}" y="{base + 15}" text-anchor="end">{_text(value)}</text>'
            )
    return "".join([*parts, "</svg>"])


def _heads(columns: Sequence[tuple[str, str]], margin: int, top: int, height: int) -> list[str]:
    """The blocks with a line in front of each, and the names of the columns, aslant."""
    parts, before = [], None
    for x, (block, name) in enumerate(columns):
        at = margin + _CELL * x
        if block != before:
            parts.append(f'<text x="{at}" y="14" font-weight="700">{escape(block)}</text>')
            if before is not None:
                parts.append(
                    f'<line x1="{at - 1}" x2="{at - 1}" y1="4" y2="{height}" stroke="currentColor" stroke-width="1"/>'
                )
        parts.append(f'<text transform="translate({at + 22} {top - 6}) rotate(-40)">{escape(name)}</text>')
        before = block
    return parts


def _text(value: float) -> str:
    """A value in a cell: three decimals, fewer of a large ratio."""
    return "–" if math.isnan(value) else decimal(value, places=3 if abs(value) < 10 else 1)
