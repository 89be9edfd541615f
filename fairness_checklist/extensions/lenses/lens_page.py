"""A model through several lenses: in words, and as a page. It computes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fairness_checklist.core.formatting import decimal, format_p_value, points
from fairness_checklist.extensions.lenses.lens_findings import WAYS
from fairness_checklist.reports.pages import filled, part
from fairness_checklist.reports.wording import Grid
from fairness_checklist.statistics.multiplicity import significant

if TYPE_CHECKING:
    import pandas as pd

    from fairness_checklist.extensions.lenses.lenses import LensReport

_ABOUT_METRICS = (
    "The level without an effect is the mean when groups are exchanged within {within}: what the composition of the "
    "table and noise give. p: whether the value differs from it; adjusted over the metrics. A sum of absolute "
    "gaps or a distance is above 0 by noise alone: compare it with its level, not with 0. The "
    "interval may hold the level although p is small: go by p."
)
_ABOUT_BALANCE = (
    "Mean of the draws with as many rows of each group for every label, and the range of 95 % of them. Same size: as "
    "many rows, the composition as it was. p: whether a balanced draw differs from these, adjusted over the metrics. "
    "Metrics such as precision and sufficiency depend on the composition; a difference says that, and nothing of bias."
)
_MARKS = {"yes": "yes", "augment": "after augmenting", "no": "no"}


def lens_sentences(report: LensReport) -> list[str]:
    """The short answer: the first finding of each question, of the metrics the strongest."""
    first: dict[str, str] = {}
    for finding in report.findings:
        first.setdefault(finding.question.partition(" by ")[0], finding.statement)
    return list(first.values())


def lens_page(report: LensReport, title: str) -> str:
    """The report as one HTML page that loads nothing."""
    within = "labels" if report.unit == "rows" else "sources, or labels where a source has one group"
    own = list(report.metrics.loc[report.metrics["primary"], "metric"])
    alone = f" Tested alone, as what the authors of the data set measure: {', '.join(own)}." if own else ""
    tables = [("Metrics", _ABOUT_METRICS.format(within=within) + alone, "Each metric of the groups", _metrics(report))]
    balanced = [how for how in WAYS if f"{how}_p" in report.metrics]
    for how in balanced:
        about = _ABOUT_BALANCE if how == balanced[0] else "As above."
        tables.append((f"Balanced {WAYS[how]}", about, "Each metric on balanced draws", _balanced(report, how)))
    if len(report.labels):
        note = f"Gaps are {report.left} less {report.right}; a dash: one of the groups has no rows."
        tables.append(("Labels", note, "Gaps of each label, with 95 % intervals", _labels(report.labels)))
    fits = tuple((cell.family.replace("_", " "), _MARKS[cell.status], cell.reason) for cell in report.cells)
    grid = Grid(("family", "fits", "missing"), fits, 3)
    tables.append(("Families that fit these data", "", "What fits, and what is missing", grid))
    page = {
        "title": title,
        "style": part("page.css")[0],
        "sentences": lens_sentences(report),
        "about": f"{report.n:,} rows; gaps are {report.left} less {report.right}. Intervals over {report.unit}; "
        f"{report.draws:,} draws, seed {report.seed}.",
        "about_gaps": f"Right of the line: {report.left} is recognised more often than {report.right}. Figures in "
        "percentage points. Bar: 95 % interval of one label. Red: clear after adjustment over all labels.",
        "gaps": _gaps(report),
        "tables": tables,
    }
    return filled("extensions/lenses/page.html.j2", page)


def _gaps(report: LensReport) -> list[dict[str, Any]]:
    """The recall gap of each label, the largest first, in percent of the width, with a margin for the markers."""
    if not len(report.labels):
        return []
    known = report.labels.dropna(subset=["tpr gap", "tpr low"])
    ordered = known.iloc[known["tpr gap"].abs().to_numpy().argsort(kind="stable")[::-1]]
    ends = ordered[["tpr low", "tpr high"]].abs().to_numpy()
    widest = max(float(ends.max()), 0.05) if ends.size else 1.0
    rows = []
    for row in ordered.to_dict("records"):
        low, at, high = (50 + 48 * float(row[name]) / widest for name in ("tpr low", "tpr gap", "tpr high"))
        gap, left_end, right_end = (points(float(row[name])) for name in ("tpr gap", "tpr low", "tpr high"))
        rows.append(
            {
                "label": str(row["label"]),
                "status": "clear" if significant(row["tpr_p"]) else "none",
                "low": f"{low:.2f}",
                "at": f"{at:.2f}",
                "width": f"{high - low:.2f}",
                "figure": f"{100 * float(row['tpr gap']):+.1f}",
                "text": f"{row['label']}: {gap} ({left_end} to {right_end}), adjusted p {_p(row['tpr_p'])}",
            }
        )
    return rows


def _metrics(report: LensReport) -> Grid:
    header = ("metric", "value", "95 % interval", "without an effect", "p", "adjusted p", "n")
    rows = []
    for row in report.metrics.to_dict("records"):
        ends = f"{decimal(row['ci_low'])} to {decimal(row['ci_high'])}" if row["ci_low"] == row["ci_low"] else "-"
        p = [_p(row[name]) for name in ("p_value", "p_adjusted")]
        rows.append((str(row["metric"]), decimal(row["value"]), ends, decimal(row["chance"]), *p, f"{row['n']:,}"))
    return Grid(header, tuple(rows), 1)


def _balanced(report: LensReport, how: str) -> Grid:
    header = ("metric", "value", "balanced", "same size", "adjusted p")
    rows = []
    for row in report.metrics.dropna(subset=[how]).to_dict("records"):
        drawn = f"{decimal(row[how])} ({decimal(row[f'{how}_low'])} to {decimal(row[f'{how}_high'])})"
        shown = _p(row[f"{how}_p_adjusted"])
        rows.append((str(row["metric"]), decimal(row["value"]), drawn, decimal(row[f"{how}_same_size"]), shown))
    return Grid(header, tuple(rows), 1)


def _labels(frame: pd.DataFrame) -> Grid:
    """One column for each gap with its interval."""
    rates = [str(name).removesuffix(" gap") for name in frame.columns if str(name).endswith(" gap")]
    plain = [str(name) for name in frame.columns[:4]]
    rows = []
    for row in frame.to_dict("records"):
        cells = [decimal(row[name]) if isinstance(row[name], float) else f"{row[name]:,}" for name in plain[1:]]
        cells = [str(row["label"]), *cells]
        for rate in rates:
            gap, low, high = (decimal(row[f"{rate} {part}"]) for part in ("gap", "low", "high"))
            cells.append(gap if gap == "-" else f"{gap} ({low} to {high})")
        rows.append((*cells, _p(row["tpr_p"])))
    return Grid((*plain, *(f"{rate} gap" for rate in rates), "tpr adjusted p"), tuple(rows), 1)


def _p(p: float) -> str:
    return format_p_value(p) if p == p else "-"
