"""The tables of a reproduction as text: cells of three digits, grids of the page, LaTeX in the manner of booktabs."""

from __future__ import annotations

import math
import re
from typing import Any

import pandas as pd
from pandas.api.types import is_numeric_dtype

from fairness_checklist.extensions.reproduce.reproduction import PaperTable, Reproduction
from fairness_checklist.reports.wording import Grid

__all__ = ["cell_text", "file_name", "grid_of", "latex_of", "statement_table"]


def cell_text(value: Any) -> str:
    """A cell: a number with three decimals, a small one with two digits and its power of ten, "" where there is none.

    >>> cell_text(0.12345), cell_text(4e-11), cell_text(0.0), cell_text(12), cell_text(float("nan")), cell_text("all")
    ('0.123', '4.0e-11', '0.000', '12', '', 'all')
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool | str) or not hasattr(value, "__float__"):
        return str(value)
    number = float(value)
    if number.is_integer() and not isinstance(value, float):
        return f"{int(number):,}"
    return f"{number:.1e}" if 0 < abs(number) < 0.0005 else f"{number:.3f}"


def file_name(name: str) -> str:
    """The name of a table's files.

    >>> file_name("Figure 1, SemEval-2")
    'figure_1_semeval_2'
    """
    return re.sub(r"\W+", "_", name.lower()).strip("_")


def _ordered(table: pd.DataFrame) -> tuple[pd.DataFrame, int]:
    """The table with its words at the left, and how many columns these are."""
    words = [name for name in table if not is_numeric_dtype(table[name])]
    return table[[*words, *(name for name in table if name not in words)]], len(words)


def grid_of(table: PaperTable) -> Grid:
    """The table for the page."""
    ordered, words = _ordered(table.table)
    rows = tuple(tuple(cell_text(cell) for cell in row) for row in ordered.itertuples(index=False))
    return Grid(tuple(map(str, ordered.columns)), rows, words=words)


_LONG = 40  # letters of a cell beyond which its column is one of paragraphs
_SPECIAL = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
}  # fmt: skip


def _escaped(text: str) -> str:
    """A text in which LaTeX sees no commands.

    >>> print(_escaped("5 % of a_b & {c}"))
    5 \\% of a\\_b \\& \\{c\\}
    """
    return "".join(_SPECIAL.get(letter, letter) for letter in text)


def latex_of(table: PaperTable, citation: str) -> str:
    """The table for LaTeX with the packages booktabs and longtable, which breaks it over pages; wide ones are small."""
    grid = grid_of(table)
    head = " & ".join(map(_escaped, grid.header)) + r" \\"
    long = [max((len(row[at]) for row in grid.rows), default=0) > _LONG for at in range(grid.words)]
    paragraph = rf"p{{{0.6 / max(sum(long), 1):.2g}\textwidth}}"
    columns = "".join(paragraph if is_long else "l" for is_long in long) + "r" * (len(grid.header) - grid.words)
    wide = len(grid.header) > 5 or any(long)
    return "\n".join(
        [
            r"% needs \usepackage{booktabs,longtable}",
            f"% {table.name}. {citation}",
            *([r"\begingroup\footnotesize"] if wide else []),
            rf"\begin{{longtable}}{{{columns}}}",
            rf"\caption{{{_escaped(table.caption)}}}\\",
            r"\toprule",
            head,
            r"\midrule\endfirsthead",
            r"\toprule",
            head,
            r"\midrule\endhead",
            r"\bottomrule\endlastfoot",
            *(" & ".join(re.sub(r"^-(?=\d)", "$-$", _escaped(cell)) for cell in row) + r" \\" for row in grid.rows),
            r"\end{longtable}",
            *([r"\endgroup"] if wide else []),
            "",
        ]
    )


def statement_table(made: Reproduction) -> PaperTable:
    """The statements as a table."""
    columns = ["place", "says", "verdict", "because"]
    table = pd.DataFrame([[getattr(one, name) for name in columns] for one in made.statements], columns=columns)
    caption = "Statements of the paper in our words, and whether the same pattern is in the numbers measured here."
    return PaperTable(name="Statements", caption=caption, table=table)
