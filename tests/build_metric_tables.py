"""The tables of metrics in ``docs/metrics.md``, from the catalogue; run as a script it writes them anew."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from fairness_checklist.metrics import comparisons
from fairness_checklist.metrics.metric_forms import (
    METRICS,
    Metric,
    no_normaliser,
    number_of_contrasts,
    number_of_groups,
)

PAGE = Path(__file__).resolve().parent.parent / "docs" / "metrics.md"
EQUATIONS = {
    "Group level, each group against a background: equation (3)": ("group", "background"),
    "Group level, pairs of groups: equation (1)": ("group", "pairwise"),
    "Group level, all groups at once: equation (5)": ("group", "multigroup"),
    "Counterfactual level, pairs of groups: equation (2)": ("counterfactual", "pairwise"),
    "Counterfactual level, each group against a background: equation (4)": ("counterfactual", "background"),
    "Counterfactual level, all groups at once: equation (6)": ("counterfactual", "multigroup"),
}
TOTALS: dict[Any, str] = {no_normaliser: "sum", number_of_groups: "sum by groups", number_of_contrasts: "mean"}


def metric_table(level: str, family: str) -> str:
    """The metrics of an equation as a table in Markdown."""
    names = ["metric", "score", "comparison", *(["background"] if family == "background" else []), "total"]
    rows = [[*names, "source", "question"], ["---"] * (len(names) + 2)]
    for metric in METRICS.values():
        if (metric.level, metric.family) == (level, family):
            background = [f"`{metric.background_name()}`" if metric.background else "none"]
            rows.append(
                [
                    f"`{metric.name}`",
                    f"`{metric.score.__name__}`",
                    f"`{metric.compare.__name__}`",
                    *(background if family == "background" else []),
                    total(metric),
                    metric.source,
                    metric.question,
                ]
            )
    head, rule, *body = [f"| {' | '.join(row)} |\n" for row in rows]
    return "".join([head, rule.replace(" ", ""), *body])


def total(metric: Metric) -> str:
    if metric.family == "multigroup":
        return "itself"
    if metric.normalise is None:
        return "none"
    if metric.family == "pairwise" and not comparisons.about(metric.compare).commutative:
        return "two groups only"
    return TOTALS[metric.normalise]


if __name__ == "__main__":
    text = PAGE.read_text(encoding="utf-8")
    for heading, (level, family) in EQUATIONS.items():
        start = text.index(heading)
        found = re.compile(r"(?:^\|.*\n)+", re.MULTILINE).search(text, start)
        if found is not None:
            text = text[: found.start()] + metric_table(level, family) + text[found.end() :]
    PAGE.write_text(text, encoding="utf-8")
