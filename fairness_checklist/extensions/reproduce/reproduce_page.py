"""The page of a reproduction: statements, figures, tables, what is missing. It computes nothing."""

from __future__ import annotations

from collections import Counter

from markupsafe import Markup

from fairness_checklist.extensions.reproduce.reproduction import Reproduction, Verdict
from fairness_checklist.extensions.reproduce.tables_as_text import grid_of
from fairness_checklist.reports.pages import filled, part

__all__ = ["reproduce_page"]

_STATUSES: dict[Verdict, str] = {"seen here": "shown-to-be-small", "not seen": "suspected", "not testable": ""}
"""Classes of the style sheet of reports: green, amber, grey."""
_SHORT = 30  # rows of a table that is open


def reproduce_page(made: Reproduction) -> str:
    """The page as HTML; figures are SVG that this package drew."""
    counts = Counter(one.verdict for one in made.statements)
    page = {
        "title": f"{made.paper}: the paper beside these models",
        "style": part("page.css")[0],
        "citation": made.citation,
        "lines": made.lines,
        "terms": made.terms,
        "statements": [(one, _STATUSES[one.verdict]) for one in made.statements],
        "counts": [(verdict, status, counts[verdict]) for verdict, status in _STATUSES.items()],
        "figures": [(figure, Markup(figure.svg)) for figure in made.figures],
        "tables": [(table, grid_of(table), len(table.table) <= _SHORT) for table in made.tables],
        "unavailable": made.unavailable,
        "settings": made.settings,
    }
    return filled("extensions/reproduce/page.html.j2", page)
