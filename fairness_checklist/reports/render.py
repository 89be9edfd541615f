"""Tables and plots as records, tables as text, and the templates of the pages."""

from __future__ import annotations

import math
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from importlib.resources import files
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

WIDTH = 100  # columns of a terminal
_ROOM = 0.06  # of the width, left of the smallest and right of the largest value
_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)


@dataclass(frozen=True)
class Grid:
    """A table whose cells are text."""

    header: tuple[str, ...]  # a name a column
    rows: tuple[tuple[str, ...], ...]  # a cell a column; the first cell names the row
    words: int = 1  # how many columns at the left hold words; the others hold numbers
    caption: str = ""  # a line above the table

    def as_text(self) -> str:
        """The caption and the table in plain text, at most `WIDTH` columns wide."""
        return "\n".join(filter(None, (self.caption, aligned(self.header, self.rows, words=self.words))))


@dataclass(frozen=True)
class Dot:
    """A small dot of a plot: a word of a group."""

    at: float
    text: str
    named: bool = False  # whether it is named beside the plot: it is beyond the control words


@dataclass(frozen=True)
class PlotRow:
    """A row of a plot: a place on the axis with its bounds; NaN where there is none."""

    name: str
    status: str  # a status, "word" or "unmarked"
    numbers: str  # the two numbers whose difference is plotted
    size: str  # what is plotted, in words, with its bounds
    at: float
    low: float = math.nan
    high: float = math.nan
    rates: str = ""  # the shares of decisions, "" where they are the numbers
    decided: float = math.nan  # their difference
    dots: tuple[Dot, ...] = ()

    @property
    def named(self) -> tuple[Dot, ...]:
        """The words that are named, the three largest gaps first."""
        return tuple(sorted((dot for dot in self.dots if dot.named), key=lambda dot: -dot.at)[:3])


@dataclass(frozen=True)
class Plot:
    """Rows around a line at 0, of values in shares that are shown as points."""

    title: str
    caption: str
    heads: tuple[str, str]  # of the two numbers, and of what is plotted
    rows: tuple[PlotRow, ...]
    margin: float = 0.0  # thin lines at plus and minus this value; 0 for none
    band: float = math.nan  # a band from minus to plus this value: what control words reach
    unit: str = "probability"

    @cached_property
    def scale(self) -> Scale:
        """The axis that shows all rows."""
        reach = max(abs(value) for value in (self.band, 1.2 * self.margin, 0.02) if not math.isnan(value))
        values = [end for row in self.rows for end in (row.at, row.low, row.high, row.decided)]
        values += [dot.at for row in self.rows for dot in row.dots]
        shown = [-reach, reach, *(value for value in values if not math.isnan(value))]
        room = _ROOM * (max(shown) - min(shown))
        return Scale(min(shown) - room, max(shown) + room)


@dataclass(frozen=True)
class Scale:
    """An axis from a low to a high value."""

    low: float
    high: float

    def at(self, value: float) -> str:
        """A place in percent of the width; "" where there is none."""
        if math.isnan(value):
            return ""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return f"{100 * share:.1f}".removesuffix(".0")

    def width(self, low: float, high: float) -> str:
        """How wide a span is, in percent of the width; "" where an end is not known."""
        ends = self.at(low), self.at(high)
        return f"{float(ends[1]) - float(ends[0]):.1f}" if all(ends) else ""

    def ticks(self) -> tuple[tuple[str, str], ...]:
        """Round numbers of points, at most seven."""
        step = next((width for width in _STEPS if (self.high - self.low) / width <= 6), 1.0)
        # rounding in the quotients must not lose a tick that lies on a border
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return tuple((self.at(k * step), f"{100 * k * step:+.0f}" if k else "0") for k in range(first, last + 1))


def filled(name: str, page: Mapping[str, Any]) -> str:
    """A template with the page's content, every text escaped; no line breaks between a number and its percent sign."""
    return re.sub(r"(?<=\d) %", "\u00a0%", str(_environment().get_template(name).render(page=page)))


@cache
def _environment() -> Environment:
    """Reads and compiles each template once."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(loader=PackageLoader(__package__, ""), autoescape=True, undefined=StrictUndefined)


@cache
def part(name: str) -> tuple[Markup, str]:
    """A style or script of the pages, and its hash for the page's security policy."""
    from markupsafe import Markup

    text = files("fairness_checklist.reports").joinpath(name).read_text(encoding="utf-8")
    return Markup(text), f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def aligned(
    header: Sequence[str], rows: Sequence[Sequence[str]], *, words: int = 1, width: int = WIDTH, longest: int = 30
) -> str:
    """A table in plain text: words to the left, numbers to the right, long heads on several lines."""
    heads = [_broken(name) if i >= words else [_short(name, longest)] for i, name in enumerate(header)]
    body = [[_short(cell, longest) if i < words else cell for i, cell in enumerate(row)] for row in rows]
    sizes = [max(map(len, [*heads[i], *(row[i] for row in body)])) for i in range(len(header))]
    first = range(min(words, len(header)))
    tables, columns = list[str](), list[int]()
    for i in range(words, len(header)):
        if columns and sum(sizes[k] + 2 for k in (*first, *columns, i)) - 2 > width:
            tables.append(_lines(heads, body, sizes, words, [*first, *columns]))
            columns = []
        columns.append(i)
    return "\n\n".join([*tables, _lines(heads, body, sizes, words, [*first, *columns])])


def _lines(
    heads: Sequence[list[str]], body: Sequence[Sequence[str]], sizes: Sequence[int], words: int, columns: Sequence[int]
) -> str:
    """Some columns as lines; heads end on the same line."""
    tops = list(zip_longest(*(heads[i][::-1] for i in columns), fillvalue=""))[::-1]
    lines = [*tops, *([row[i] for i in columns] for row in body)]
    padded = (
        "  ".join(
            cell.ljust(sizes[i]) if i < words else cell.rjust(sizes[i]) for i, cell in zip(columns, line, strict=True)
        )
        for line in lines
    )
    return "\n".join(line.rstrip() for line in padded)


def _short(text: str, size: int) -> str:
    return text if len(text) <= size else f"{text[: size - 1]}…"


def _broken(name: str) -> list[str]:
    """A long head on several lines, cut at spaces and underscores."""
    lines = [""]
    for piece in name.replace("_", "_ ").split(" "):
        joined = lines[-1] + ("" if not lines[-1] or lines[-1].endswith("_") else " ") + piece
        if lines[-1] and len(joined) > 10:
            lines.append(piece)
        else:
            lines[-1] = joined
    return lines
